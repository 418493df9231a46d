//! Memory snapshots: the conformance files against what an independent reader computes, and damaged ones.

use crate::common::{conformance, open, refusal};
use axonscope::analysis::snapshot::labels::{NO_PYTHON, NO_STACK};
use axonscope::analysis::snapshot::{DeviceSummary, GroupBy, LiveQuery, PictureQuery};
use axonscope::base::{InputSet, Ledger};
use axonscope::engine::Session;
use axonscope::engine::query::SnapshotQuery;
use axonscope::formats::{Claim, by_id, memory_snapshot};
use axonscope::model::Domain;
use proptest::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn snapshots() -> Option<Vec<PathBuf>> {
    let folder = conformance("memory")?;
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    out.retain(|path| path.extension().is_some_and(|e| e == "pickle"));
    out.sort();
    assert!(out.len() > 2);
    Some(out)
}

fn session(path: &Path) -> Session {
    let input = InputSet::from_bytes(path.file_name().unwrap().to_string_lossy(), std::fs::read(path).unwrap());
    let (imported, readable) = open(&input);
    imported.profile.check().unwrap();
    Session::new(Claim { format: memory_snapshot::ID.into(), ..Claim::default() }, readable, imported)
}

/// The values of a device by the names of the truth files.
fn values(found: &DeviceSummary, origin_us: i64) -> Value {
    let us = |ns: i64| origin_us + ns / 1000;
    let mut actions: Vec<_> = found.actions.clone();
    actions.sort();
    serde_json::json!({
        "device": found.device,
        "segments": found.n_segments,
        "reserved": found.reserved,
        "blocks": { "active_allocated": found.n_blocks.0, "active_pending_free": found.n_blocks.1, "inactive": found.n_blocks.2 },
        "allocated_rounded": found.allocated_rounded,
        "allocated_requested": found.allocated_requested,
        "free_internal": found.free_internal,
        "free_external": found.free_external,
        "largest_free_block": found.largest_free_block,
        "events": actions.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "first_time_us": found.times.map(|t| us(t.0)),
        "last_time_us": found.times.map(|t| us(t.1)),
        "live_before_first_event": found.before.0,
        "live_blocks_before_first_event": found.before.1,
        "peak": found.peak,
        // Events count from 0 there; state k is after k events.
        "peak_event": i64::from(found.peak_state) - 1,
        "peak_time_us": found.peak_time.map(us),
        "live_blocks_at_peak": found.n_at_peak,
        "live_after_last_event": found.after,
    })
}

#[test]
fn every_value_equals_the_truth() {
    for path in snapshots().into_iter().flatten() {
        let truth: Value = serde_json::from_slice(&std::fs::read(path.with_extension("truth.json")).unwrap()).unwrap();
        let session = session(&path);
        let origin_us = session.profile.meta.origin_epoch_ns.unwrap() / 1000;
        let found = session.ask(&SnapshotQuery).unwrap();
        assert_eq!(found.devices.len(), truth["devices"].as_array().unwrap().len());
        for (device, want) in found.devices.iter().zip(truth["devices"].as_array().unwrap()) {
            let mut want = want.clone();
            let groups = want.as_object_mut().unwrap().remove("live_at_peak_by_python_frame").unwrap();
            assert_eq!(values(device, origin_us), want, "{}", path.display());
            let live = session.ask(&LiveQuery { device: device.device, state: None, by: GroupBy::Frame }).unwrap();
            let mut got = std::collections::BTreeMap::<String, (u64, u64)>::new();
            for group in &live.groups {
                // There everything without a Python frame is one group.
                let name = if [NO_STACK, NO_PYTHON].contains(&group.label.as_str()) { "" } else { &group.label };
                let sum = got.entry(name.into()).or_default();
                *sum = (sum.0 + group.bytes, sum.1 + group.n);
            }
            let wanted = groups.as_array().unwrap().iter();
            let wanted =
                wanted.map(|g| (g["frame"].as_str().unwrap().to_string(), (g["bytes"].as_u64().unwrap(), g["blocks"].as_u64().unwrap())));
            assert_eq!(got, wanted.collect(), "{}", path.display());
        }
        assert_eq!(session.ledger.read, session.ledger.shown, "{:?}", session.ledger.skipped);
        let settings = session.profile.meta.facts.iter().filter(|f| f.group == "Allocator settings").count();
        // What is an empty text there is no fact.
        assert_eq!(settings, truth["allocator_settings"].as_object().unwrap().values().filter(|v| v.as_str() != Some("")).count());
    }
}

#[test]
fn pictures_hold_the_peak_at_every_zoom() {
    for path in snapshots().into_iter().flatten() {
        let session = session(&path);
        let Domain::MemorySnapshot(snapshot) = &session.profile.domain else { panic!("a snapshot") };
        for device in &snapshot.devices {
            for columns in [1, 13, 800, 3000] {
                for by_time in [false, true] {
                    let query = PictureQuery { device: device.device, by_time, columns, height: 400, ..PictureQuery::default() };
                    let got = session.ask(&query).unwrap();
                    assert_eq!(got.total.iter().max(), device.allocated.iter().max());
                    assert!(got.states.is_sorted() && got.total.iter().zip(&got.drawn).all(|(all, drawn)| drawn <= all));
                    // In each column the bands are on the layers, and on each other, without gaps.
                    let mut above = vec![0u64; got.states.len()];
                    for layer in &got.layers {
                        above.iter_mut().zip(&layer.bytes).for_each(|(above, bytes)| *above += bytes);
                    }
                    for band in &got.bands {
                        let columns = usize::from(band.column)..usize::from(band.column + band.n_columns);
                        for (above, state) in above[columns.clone()].iter_mut().zip(&got.states[columns]) {
                            assert_eq!(*above, band.low);
                            *above += band.size;
                            assert!(device.allocations.is_live(band.id as usize, *state));
                        }
                    }
                    assert_eq!(above, got.drawn);
                }
            }
        }
    }
}

#[test]
fn annotations_and_counters_are_on_the_timeline() {
    let Some(folder) = conformance("memory") else { return };
    let session = session(&folder.join("training.pickle"));
    let names: Vec<String> = session.profile.tracks.iter().map(|t| session.profile.strings.get(t.name).to_string()).collect();
    assert_eq!(names, ["Device 0", "Annotations", "Allocated memory", "Reserved memory"]);
    assert_eq!(session.profile.name_of(axonscope::base::SliceId(0)), "Optimizer.step#AdamW.step");
    let allocated = &session.profile.counters[0];
    let peak = allocated.series[0].values.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert_eq!(peak, 7_013_335_044.0);
}

#[test]
fn a_cut_snapshot_is_partial_or_refused_with_a_sentence() {
    let Some(folder) = conformance("memory") else { return };
    let whole = std::fs::read(folder.join("from_empty.pickle")).unwrap();
    let mut n_partial = 0;
    for part in 1..40 {
        let input = InputSet::from_bytes("cut.pickle", whole[..whole.len() * part / 40].to_vec());
        if let Ok(mut outcomes) = axonscope::formats::import::import(&input) {
            match outcomes.remove(0).1 {
                Ok((imported, _)) => {
                    imported.profile.check().unwrap();
                    assert!(imported.ledger.skipped.iter().any(|s| s.kind == "truncated_pickle"));
                    n_partial += 1;
                }
                Err(error) => assert!(error.to_string().starts_with("Expected a memory snapshot"), "{error}"),
            }
        }
    }
    assert!(n_partial > 30, "{n_partial}");
}

#[test]
fn a_pickle_of_something_else_is_refused() {
    let sentence = refusal(&InputSet::from_bytes("model.pkl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x05posix\x8c\x06system\x93.".to_vec()));
    assert!(sentence.contains("STACK_GLOBAL") && sentence.contains("Nothing of the file was run."), "{sentence}");
    let sentence = refusal(&InputSet::from_bytes("list.pickle", b"(lp0\nI1\na.".to_vec()));
    assert!(sentence.contains("_dump_snapshot"), "{sentence}");
}

/// A pickle of one device with `n` events: allocations that live for a while.
fn made(n: u32) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend([0x8c, text.len() as u8]);
        out.extend(text.bytes());
        out.push(0x94);
    };
    let mut out = b"\x80\x04}\x94(".to_vec();
    // Memo: 0 the dict, then the texts in this order.
    for word in ["action", "addr", "size", "stream", "time_us", "alloc", "free_completed"] {
        text(&mut out, word);
        out.push(b'0');
    }
    text(&mut out, "segments");
    out.extend(b"]\x94");
    text(&mut out, "device_traces");
    out.extend(b"]\x94]\x94(");
    for k in 0..n {
        let (word, at) = if k < 200 || k % 2 == 0 { (6, k) } else { (7, k - 199) };
        out.extend([b'}', 0x94, b'(', b'h', 1, b'h', word, b'h', 2, b'J']);
        out.extend((at as i32 * 512).wrapping_abs().to_le_bytes());
        out.extend([b'h', 3, b'J']);
        out.extend((512 + at as i32 % 1000 * 1024).to_le_bytes());
        out.extend([b'h', 4, b'K', 0, b'h', 5, 0x8a, 5]);
        out.extend(&(u64::from(k) + 1_000_000_000).to_le_bytes()[..5]);
        out.push(b'u');
        if k % 1000 == 999 {
            out.extend(b"e(");
        }
    }
    out.extend(b"eau.");
    out
}

#[test]
fn a_long_history_stays_within_its_bounds() {
    let n = 300_000;
    let bytes = made(n);
    let started = std::time::Instant::now();
    let format = by_id(memory_snapshot::ID).unwrap();
    let mut importer = format.streamed(&Claim::default(), "long.pickle").unwrap();
    let mut ledger = Ledger::default();
    bytes.chunks(1 << 20).for_each(|block| importer.feed(block, &mut ledger).unwrap());
    let profile = importer.finish(false, &mut ledger).unwrap();
    let Domain::MemorySnapshot(snapshot) = &profile.domain else { panic!("a snapshot") };
    assert_eq!(snapshot.devices[0].allocated.len(), n as usize + 1);
    assert_eq!((ledger.read, ledger.shown), (u64::from(n), u64::from(n)));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    assert!(profile.counters[0].times.len() <= 100_001, "the curve is thinned");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn mutated_real_snapshots_never_panic(places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        if let Some(folder) = conformance("memory") {
            let mut bytes = std::fs::read(folder.join("from_empty.pickle")).unwrap();
            for (at, byte) in places {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            for (_, outcome) in axonscope::formats::import::import(&InputSet::from_bytes("m.pickle", bytes)).into_iter().flatten() {
                if let Ok((imported, _)) = outcome {
                    imported.profile.check().unwrap();
                }
            }
        }
    }
}
