//! DMA packets and the instructions that started their transfers: from a trace, with and without its NEFF, and from the JSON of the same run.

use crate::neuron_support::writer::{self, record};
use crate::neuron_support::*;
use axonscope::base::SliceId;
use axonscope::engine::Session;
use axonscope::engine::query::{AgreementPartQuery, AgreementQuery, TensorsQuery};
use axonscope::formats::{Progress, import, inspect};
use axonscope::model::accesses::{AccessKind, Memory};
use axonscope::model::{Domain, NeuronDevice};
use std::collections::{BTreeMap, BTreeSet};

/// Run, stem of its files, DMA packets of the trace, those on queues that no instruction feeds, transfers.
const RUNS: [(&str, &str, usize, usize, usize); 2] =
    [("fused_attention", "fused", 485, 21, 5), ("baseline_attention", "baseline", 2661, 21, 13)];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

fn device(session: &Session) -> &NeuronDevice {
    let Domain::NeuronDevice(device) = &session.profile.domain else { panic!("a device profile") };
    device
}

/// More slices than a preview has: those of the whole run are drawn while it is read, not the first alone.
#[test]
fn the_preview_of_a_long_trace_spans_its_run() {
    const N: u64 = 450_000;
    let transfer = |kind, at| record([0, 16, 0, 0x82, kind, 0, 7, 0], writer::START + at);
    let all = (0..N).flat_map(|i| [transfer(0x11, i * 20), transfer(0x15, i * 20 + 10)]);
    let regions = vec![(4, 1, all.flatten().collect())];
    let input = set(&[("long.ntff".to_string(), writer::trace(6, &regions, 0))]);
    let found = inspect::inspect(&input).expect("is recognised").found.remove(0);
    let mut starts = Vec::new();
    let mut note = |progress: Progress| starts.extend(progress.preview.slices.iter().map(|slice| slice.1));
    let (imported, _) = import::import_claim(&input, &found.claim, &mut note).expect("opens");
    assert_eq!(imported.profile.slices.len() as u64, N);
    assert!(starts.len() > 100_000, "{} slices", starts.len());
    let run_ns = N as i64 * 20 / 1000;
    assert!(starts.last().is_some_and(|last| *last > run_ns * 8 / 10), "{:?} of {run_ns} ns", starts.last());
}

#[test]
fn packets_are_attributed_to_the_instruction_that_started_them() {
    let Some(folder) = conformance() else { return };
    for (run, stem, n_packets, n_others, n_transfers) in RUNS {
        let json = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let (trace, neff) = (file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff")));
        let mut all = Vec::new();
        for files in [vec![json], vec![trace.clone()], vec![trace, neff]] {
            let what = format!("{run}: {}, {} files", files[0].0, files.len());
            let session = session(&files);
            assert_eq!(session.profile.check(), Ok(()), "{what}");
            let (device, profile) = (device(&session), &session.profile);
            // The profiler leaves out four packets of the ring of instruction fetches.
            let n_rows = device.bytes.iter().filter(|b| **b != NeuronDevice::ABSENT).count();
            assert_eq!(n_rows, n_packets - if files[0].0.ends_with("json") { 4 } else { 0 }, "{what}");
            assert_eq!(device.packets().count(), n_packets - n_others, "{what}: {:?}", session.ledger.notes);
            let mut bytes: BTreeMap<u32, u64> = BTreeMap::new();
            for packet in device.packets() {
                let (at, from) = (packet.slice as usize, packet.instruction as usize);
                assert!(profile.slices.start[at] >= profile.slices.start[from], "{what}: a packet begins before its instruction");
                *bytes.entry(packet.instruction).or_default() += u64::from(device.bytes[at]);
            }
            assert_eq!(bytes.len(), n_transfers, "{what}");
            for (instruction, n) in &bytes {
                let written = device.accesses_of(*instruction).iter().find(|a| a.kind == AccessKind::Write).expect("writes");
                // Each of the 16 rings ends with a packet of 4 bytes.
                assert_eq!(*n, written.n_bytes() + 64, "{what}");
            }
            assert!(
                session.ledger.notes.iter().any(|n| n.contains("are attributed to the instruction")),
                "{what}: {:?}",
                session.ledger.notes
            );
            let place = |slice: u32| {
                let slice = SliceId(slice);
                format!(
                    "{} {} {}",
                    profile.slices.start[slice.index()],
                    profile.name_of(slice),
                    profile.track_path(profile.track_of(slice).expect("a track"))
                )
            };
            all.push(device.packets().map(|p| (place(p.slice), place(p.instruction))).collect::<BTreeSet<_>>());
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{run}: the same from every source");
    }
}

#[test]
fn transfers_name_their_tensors_with_the_neff() {
    let Some(folder) = conformance() else { return };
    for (run, stem, n_packets, n_others, _) in RUNS {
        let trace = file(&folder, run, &format!("{stem}_exec_2.ntff"));
        let paired = session(&[trace.clone(), file(&folder, run, &format!("{stem}.neff"))]);
        let alone = session(&[trace]);
        assert!(alone.profile.attribute("variable").is_none(), "{run}: only the NEFF has names");
        let (profile, device) = (&paired.profile, device(&paired));
        let variables = profile.attribute("variable").expect("names");
        let n_named = variables.values.iter().filter(|v| v.0 != 0).count();
        assert_eq!(n_named, n_packets - n_others, "{run}");
        let names: BTreeSet<&str> = variables.values.iter().map(|v| profile.strings.get(*v)).filter(|n| !n.is_empty()).collect();
        assert!(names.contains("kernel_out"), "{run}: {names:?}");
        // What writes to the output reads the State Buffer.
        for packet in device.packets() {
            let written = device.accesses_of(packet.instruction).iter().find(|a| a.kind == AccessKind::Write).expect("writes");
            let is_output = profile.strings.get(variables.values[packet.slice as usize]) == "kernel_out";
            assert!(!is_output || written.memory == Memory::Table, "{run}: {written:?}");
        }
        let found = paired.ask(&TensorsQuery).expect("tensors");
        let output = found.rows.iter().find(|r| r.name == "kernel_out").expect("the output");
        assert!(output.transfers > Some(0) && output.moved_bytes > Some(0), "{output:?}");
    }
}

#[test]
fn a_trace_is_checked_by_the_output_of_its_run() {
    let Some(folder) = conformance() else { return };
    for (run, stem, n) in [("fused_attention", "fused", 442), ("baseline_attention", "baseline", 460)] {
        let json = session(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]);
        let trace = session(&[file(&folder, run, &format!("{stem}_exec_2.ntff"))]);
        let part = |s: &Session| s.ask(&AgreementPartQuery).expect("an answer");
        for (one, other) in [(&json, &trace), (&trace, &json)] {
            let found = one.ask(&AgreementQuery { other: part(other) }).expect("an answer").expect("one run");
            assert_eq!(found.sentence(), format!("{n} of {n} instructions agree with neuron-profile."), "{run}");
        }
        let same = json.ask(&AgreementQuery { other: part(&json) });
        assert_eq!(same, Ok(None), "{run}: two outputs of the profiler are not a check");
    }
}
