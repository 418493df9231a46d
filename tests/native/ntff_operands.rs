//! Operands and counters of a trace's instruction words: those of the profiler's JSON, row by row; hostile images are refused in part or as a whole.

use crate::neuron_support::writer::{self, word};
use crate::neuron_support::*;
use axonscope::base::SliceId;
use axonscope::engine::Session;
use axonscope::engine::query::DetailsQuery;
use axonscope::formats::import;
use axonscope::model::{Domain, NeuronDevice};
use serde_json::Value;
use std::collections::BTreeMap;

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

/// Every instruction as a JSON object, by subgraph, engine, pc and time.
fn rows(session: &Session) -> BTreeMap<String, Value> {
    let (mut out, mut next) = (BTreeMap::new(), Some(0));
    while let Some(from) = next {
        let (rows, after) = session.instruction_rows(from).expect("a device profile");
        for row in rows {
            let row = serde_json::to_value(row).expect("plain data");
            out.insert(key(&row), row);
        }
        next = after;
    }
    out
}

fn key(row: &Value) -> String {
    format!("{} {} {} {}", row["subgraph"], row["subgroup"], row["pc"], row["timestamp"])
}

const KEYS: [&str; 13] = [
    "opcode",
    "duration",
    "operands",
    "elements",
    "sbuf_read_bytes",
    "sbuf_write_bytes",
    "psum_read_bytes",
    "psum_write_bytes",
    "hbm_read_bytes",
    "hbm_write_bytes",
    "activation_fn",
    "instruction_type",
    "pc",
];

#[test]
fn every_instruction_has_the_operands_and_counters_of_the_json() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let json = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let truth: Value = serde_json::from_slice(&json.1).expect("JSON");
        let (trace, neff) = (file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff")));
        for files in [vec![json.clone()], vec![trace.clone()], vec![trace, neff]] {
            let what = format!("{run} from {} files, {}", files.len(), files[0].0);
            let session = session(&files);
            assert_eq!(session.profile.check(), Ok(()), "{what}");
            let found = rows(&session);
            let wanted = truth["instruction"].as_array().expect("rows");
            assert_eq!(found.len(), wanted.len(), "{what}");
            for row in wanted {
                let ours = found.get(&key(row)).unwrap_or_else(|| panic!("{what}: no {row}"));
                for field in KEYS {
                    assert_eq!(ours.get(field).unwrap_or(&Value::Null), row.get(field).unwrap_or(&Value::Null), "{what}: {field} of {row}");
                }
            }
            assert!(session.ledger.skipped.iter().all(|s| !s.kind.starts_with("operands_")), "{what}: {:?}", session.ledger.skipped);
        }
    }
}

/// The columns that analyses read are the same from each source.
#[test]
fn the_columns_of_a_trace_are_those_of_the_json() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let json = session(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]);
        let trace = file(&folder, run, &format!("{stem}_exec_2.ntff"));
        for files in [vec![trace.clone()], vec![trace.clone(), file(&folder, run, &format!("{stem}.neff"))]] {
            let trace = session(&files);
            let facts = |s: &Session| {
                let Domain::NeuronDevice(d) = &s.profile.domain else { panic!("a device profile") };
                let p = &s.profile;
                let of = |i: usize| {
                    let slice = i as u32;
                    let uses = d.semaphores.iter().filter(|u| u.slice == slice);
                    let uses: Vec<_> = uses.map(|u| (u.role, p.strings.get(u.id), p.strings.get(u.owner), u.value)).collect();
                    let shapes: Vec<_> =
                        d.shapes.iter().filter(|s| s.slice == slice).map(|s| (s.elements, s.partitions, s.columns, s.dtype)).collect();
                    let hbm: Vec<_> = d.hbm.iter().filter(|h| h.slice == slice).map(|h| (h.read, h.written, h.spilled)).collect();
                    let path = p.track_path(p.track_of(SliceId(slice)).expect("a track"));
                    format!(
                        "{path} {} {} {}: {} {} {uses:?} {shapes:?} {hbm:?}",
                        p.name_of(SliceId(slice)),
                        d.pc[i],
                        p.slices.start[i],
                        d.elements[i],
                        d.sbuf_bytes[i]
                    )
                };
                let mut all: Vec<String> = (0..p.slices.len()).filter(|i| d.pc[*i] != NeuronDevice::ABSENT).map(of).collect();
                all.sort();
                all
            };
            assert_eq!(facts(&trace), facts(&json), "{run} {}", files.len());
        }
    }
}

#[test]
fn details_show_operands_and_what_the_neff_adds() {
    let Some(folder) = conformance() else { return };
    let pair = [file(&folder, "fused_attention", "fused_exec_2.ntff"), file(&folder, "fused_attention", "fused.neff")];
    let truth: Value = serde_json::from_slice(&file(&folder, "fused_attention", "fused_exec_2_profile_full.json").1).expect("JSON");
    let session = session(&pair);
    let profile = &session.profile;
    let mut n_compiled = 0;
    for slice in
        (0..profile.slices.len() as u32).map(SliceId).filter(|s| ["MATMUL", "DMA_DIRECT2D", "ACTIVATE"].contains(&profile.name_of(*s)))
    {
        let details = session.ask(&DetailsQuery { item: slice.into() }).expect("details");
        let value = |key: &str| details.fields.iter().find(|f| f.key == key).map_or("", |f| f.value.as_str());
        let is_it = |r: &&Value| {
            r["timestamp"] == profile.slices.start[slice.index()]
                && r["opcode"] == profile.name_of(slice)
                && r["subgraph"] == value("subgraph")
        };
        let row = truth["instruction"].as_array().expect("rows").iter().find(is_it).expect("the row");
        let text =
            |key: &str| row[key].as_str().map(str::to_string).or_else(|| row[key].as_i64().map(|n| n.to_string())).unwrap_or_default();
        for key in ["operands", "compiler_operands", "compiler_pc", "elements", "hbm_read_bytes", "sbuf_write_bytes", "activation_fn"] {
            assert_eq!(value(key), text(key), "{key} of {row}");
        }
        n_compiled += u32::from(!value("compiler_operands").is_empty());
        let facts = details.instruction.expect("an instruction");
        assert!(facts.operands.len() > 3, "operands in words");
    }
    assert_eq!(n_compiled, 5);
    let table = profile.tables.iter().find(|t| t.id == "compiler_transfers").expect("transfers of the compiler");
    assert!(table.rows.iter().flatten().any(|cell| *cell == axonscope::model::Cell::Text("kernel_out".into())));
}

/// A trace of trn2 with these images and instructions of the tensor engine at these program counters.
fn trn2(version: u8, images: &[(u64, Vec<u8>)], pcs: &[u64]) -> Vec<u8> {
    let mut regions = writer::regions();
    regions[0].2 =
        pcs.iter().enumerate().flat_map(|(i, pc)| writer::instruction(*pc, 1_000_000 * i as u64, 1_000_000 * i as u64 + 500_000)).collect();
    writer::trace_of(version, 2, images, &regions, 0)
}

fn kinds(session: &Session) -> Vec<(String, u64)> {
    session.ledger.skipped.iter().map(|s| (s.kind.clone(), s.count)).collect()
}

fn operands(session: &Session) -> Vec<String> {
    session.instruction_rows(0).expect("a device profile").0.into_iter().map(|row| row.operands).collect()
}

#[test]
fn refused_words_keep_opcode_wait_and_update() {
    let image = [word(0x41, &[(4, &[5, 7, 0x13, 8, 3])]), word(0x46, &[(0x20, &[11, 10])]), word(0xA4, &[(0x0C, &[2])])].concat();
    for version in [4, 5, 6] {
        let session = session(&[("a.ntff".into(), trn2(version, &[(0, image.clone())], &[0, 0, 1, 2, 9]))]);
        assert_eq!(session.profile.check(), Ok(()));
        let kinds = kinds(&session);
        for wanted in [("operands_41", 2), ("operands_46_data_type_0b", 1), ("pc_outside_image", 1)] {
            assert!(kinds.contains(&(wanted.0.to_string(), wanted.1)), "{version} {wanted:?}: {kinds:?}");
        }
        assert_eq!(operands(&session), ["", "", "", " cycle=2 ", ""], "version {version}");
        let Domain::NeuronDevice(device) = &session.profile.domain else { panic!("a device profile") };
        assert_eq!(device.semaphores.len(), 4, "wait and update of both executions");
        let slice = (0..session.profile.slices.len() as u32)
            .map(SliceId)
            .find(|s| session.profile.name_of(*s) == "opcode 0x41")
            .expect("the first");
        let details = session.ask(&DetailsQuery { item: slice.into() }).expect("details");
        let value = |key: &str| details.fields.iter().find(|f| f.key == key).map_or("", |f| f.value.as_str());
        assert_eq!(value("operands not available"), "operands not available: code 0x41 not verified");
        assert_eq!(value("sync"), "S[7]>=3 S[8] (Tensor)++@complete");
    }
}

#[test]
fn damaged_images_cost_their_words_only() {
    let nop = word(0xA4, &[(0x0C, &[2])]);
    // Cut within a word.
    let cut = session(&[("a.ntff".into(), trn2(6, &[(0, [&nop[..], &nop[..40]].concat())], &[0, 1]))]);
    assert_eq!(
        (operands(&cut), kinds(&cut)),
        (
            vec![" cycle=2 ".into(), String::new()],
            vec![("partial_word".into(), 1), ("pc_outside_image".into(), 1), ("dma_completion".into(), 1)]
        )
    );
    // No image, an empty one, one of an unknown engine.
    for images in [vec![], vec![(0, Vec::new())], vec![(77, nop.clone())]] {
        let none = session(&[("a.ntff".into(), trn2(6, &images, &[0, 1]))]);
        assert!(operands(&none).iter().all(String::is_empty) && kinds(&none).contains(&("pc_outside_image".into(), 2)), "{images:?}");
    }
    // Two of an engine: the first counts.
    let other = word(0xA4, &[(0x0C, &[9])]);
    let two = session(&[("a.ntff".into(), trn2(6, &[(0, nop.clone()), (0, other)], &[0]))]);
    assert_eq!(operands(&two), [" cycle=2 "]);
    assert!(kinds(&two).contains(&("second_image".into(), 1)));
    // An address beyond the memories is refused, a branch to nowhere and counts of 0 are shown.
    let pattern = |address: u32| [&address.to_le_bytes()[..], &[0; 16]].concat();
    let copy = |address| word(0x46, &[(0x20, &[10, 10, 128]), (0x0C, &pattern(address)), (0x2C, &pattern(0))]);
    let branch = word(0xA9, &[(3, &[2]), (0x0E, &[3]), (0x30, &[0, 0, 0, 0x80])]);
    let odd = session(&[("a.ntff".into(), trn2(6, &[(0, [copy(0x500_0000), branch, copy(0)].concat())], &[0, 1, 2]))]);
    let zero = " src=fp32@0x0[0,0,0,0][0,0,0,0] dst=fp32@0x0[0,0,0,0][0,0,0,0] channels=128 ";
    assert_eq!(operands(&odd), ["", " cmp_op=ALWAYS label_id=2147483648 debugHint=2", zero]);
    assert!(kinds(&odd).contains(&("operands_46_address_5000000".into(), 1)), "{:?}", kinds(&odd));
}

#[test]
fn records_of_several_runs_share_their_words() {
    let image = [word(0xA4, &[(0x0C, &[2])]), word(0xA4, &[(0x0C, &[3])])].concat();
    let pcs: Vec<u64> = (0..8).map(|i| i % 2).collect();
    for version in [4, 5, 6] {
        let found = operands(&session(&[("a.ntff".into(), trn2(version, &[(0, image.clone())], &pcs))]));
        assert_eq!(found, [" cycle=2 ", " cycle=3 "].repeat(4), "version {version}");
    }
}

#[test]
fn an_unknown_architecture_is_said() {
    let image = word(0xA4, &[(0x0C, &[2])]);
    for architecture in [0, 1, 3, u64::MAX] {
        let mut regions = writer::regions();
        regions[0].2 = writer::instruction(0, 1_000_000, 2_000_000);
        let trace = writer::trace_of(6, architecture, &[(0, image.clone())], &regions, 0);
        let session = session(&[("a.ntff".into(), trace)]);
        assert_eq!(operands(&session), [""]);
        assert_eq!(session.profile.name_of(SliceId(1)), "NOP", "everything else works");
        assert!(session.ledger.notes.iter().any(|n| n.contains(&format!("architecture {architecture}"))), "{:?}", session.ledger.notes);
        assert!(session.profile.meta.not_available.iter().any(|n| n.contains("Operands")));
    }
}
