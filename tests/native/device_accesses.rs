//! State Buffer and PSUM by access, and who produced what is read: the same from a trace and from the JSON of the run, and on small runs by hand.

use crate::neuron_support::*;
use axonscope::analysis::device::accesses::map::Fate;
use axonscope::analysis::device::{MemoryMap, MemoryMapQuery};
use axonscope::base::SliceId;
use axonscope::engine::Session;
use axonscope::engine::query::{CriticalPathQuery, Details, DetailsQuery};
use axonscope::formats::import;
use serde_json::{Value, json};

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

fn map(session: &Session, is_psum: bool) -> MemoryMap {
    session.ask(&MemoryMapQuery { core: 0, is_psum }).expect("an answer")
}

fn details(session: &Session, slice: SliceId) -> Details {
    session.ask(&DetailsQuery { item: slice.into() }).expect("an answer")
}

/// A map without the numbers of its slices, which differ by the transfers that the profiler leaves out.
fn places(session: &Session, is_psum: bool) -> Vec<String> {
    let start = |slice: Option<SliceId>| slice.map(|s| session.profile.slices.start[s.index()]);
    let of = |a: &axonscope::analysis::device::accesses::map::MemoryArea| {
        let times = [start(a.writer), start(a.reader), start(a.overwriter)];
        format!(
            "{:?} {:#x}-{:#x} {:?} {:?} {} {:?} {} {}",
            a.range, a.from, a.to, a.partitions, a.fate, a.n_reads, times, a.writer_name, a.reader_name
        )
    };
    map(session, is_psum).areas.iter().map(of).collect()
}

#[test]
fn maps_are_the_same_from_trace_and_json() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let json = session(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]);
        let trace = session(&[file(&folder, run, &format!("{stem}_exec_2.ntff"))]);
        for is_psum in [false, true] {
            assert_eq!(places(&json, is_psum), places(&trace, is_psum), "{run} {is_psum}");
            let map = map(&json, is_psum);
            assert!(map.n_areas > 20 && map.peak.is_some() && map.written_bytes > 0, "{run}: {map:?}");
            // A partition of the State Buffer has 224 KiB here, one of PSUM 16 KiB.
            let size = if is_psum { 16 << 10 } else { 224 << 10 };
            assert!(map.areas.iter().all(|a| a.to < size && a.partitions.1 < 128 && a.range.start <= a.range.end), "{run}");
        }
        // Loaded inputs are read, results are read by the transfer that writes them to device memory.
        let loads = map(&json, false).areas.into_iter().filter(|a| a.writer_name.starts_with("DMA_DIRECT2D")).collect::<Vec<_>>();
        assert!(!loads.is_empty() && loads.iter().any(|a| a.n_reads > 0), "{run}");
        assert!(map(&json, false).areas.iter().any(|a| a.reader_name.starts_with("DMA_DIRECT2D")), "{run}: a store reads");
    }
}

/// Usage of the State Buffer as the profiler samples it, against the bytes that are live in the map at the same moments.
#[test]
fn live_bytes_against_the_profilers_usage() {
    let Some(folder) = conformance() else { return };
    let mut found = Vec::new();
    for (run, stem) in RUNS {
        let json = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let truth: Value = serde_json::from_slice(&json.1).expect("JSON");
        let map = map(&session(&[json]), false);
        let (mut n, mut n_equal) = (0, 0);
        for row in truth["instruction_usage"].as_array().expect("rows").iter().filter(|r| r["type"] == "sb") {
            let (at, used) = (row["timestamp"].as_i64().expect("time"), row["partition_0_usage"].as_f64().expect("a share"));
            let is_ours = |a: &&axonscope::analysis::device::accesses::map::MemoryArea| {
                // The profiler counts what instructions write, and not what transfers bring.
                a.range.start.0 <= at && at < a.range.end.0 && a.writer.is_some() && !a.writer_name.starts_with("DMA")
            };
            let live: u64 = map.areas.iter().filter(is_ours).map(|a| a.to + 1 - a.from).sum();
            n += 1;
            n_equal += u32::from((live as f64 - used * 229_376.0).abs() < 1.0);
        }
        found.push((n_equal, n));
    }
    // The rule by which the profiler frees bytes is not known: docs/formats/ntff.md has these numbers.
    assert_eq!(found, [(14, 59), (12, 68)]);
}

/// Instructions of a small run: (engine, opcode, start, operands).
fn small(rows: &[(&str, &str, i64, &str)]) -> Session {
    let row = |(i, (engine, opcode, start, operands)): (usize, &(&str, &str, i64, &str))| json!({"id": i, "label": engine, "subgroup": engine, "subgraph": "sg00", "opcode": opcode, "timestamp": start, "duration": 10, "pc": i, "operands": operands});
    let all: Vec<Value> = rows.iter().enumerate().map(row).collect();
    let text = json!({"metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 1000}], "instruction": all}).to_string();
    session(&[("run.json".into(), text.into_bytes())])
}

#[test]
fn producers_and_consumers_overlap_in_addresses() {
    let copy = |from: &str, to: &str| format!(" src=fp32@{from}[1,1,1,1][8,1,1,1] dst=fp32@{to}[1,1,1,1][8,1,1,1] channels=128 ");
    let texts = [
        copy("0x0", "0x100"),
        copy("0x0", "0x120"),
        copy("0x110", "0x200"),
        copy("0x0", "0x100"),
        copy("0x100", "0x300"),
        copy("0x300", "0x0"),
    ];
    let starts = [0, 20, 40, 60, 80, 100];
    let rows: Vec<(&str, &str, i64, &str)> =
        texts.iter().zip(starts).map(|(text, start)| ("Vector", "COPY", start, text.as_str())).collect();
    let session = small(&rows);
    let at = |start: i64| SliceId(session.profile.slices.start.iter().position(|s| *s == start).expect("a slice") as u32);
    let starts_of = |list: &[axonscope::engine::query::Neighbour]| {
        list.iter().map(|n| session.profile.slices.start[n.slice.index()]).collect::<Vec<_>>()
    };
    // Reads 0x110–0x12f: the halves of two writes.
    let third = details(&session, at(40));
    assert_eq!((starts_of(&third.predecessors), starts_of(&third.successors)), (vec![20, 0], vec![]));
    // The first write is read by the third, and overwritten before the fifth.
    assert_eq!(starts_of(&details(&session, at(0)).successors), [40]);
    assert_eq!(starts_of(&details(&session, at(80)).predecessors), [60]);
    assert_eq!(details(&session, at(80)).predecessors[0].kind, "writes what this reads");
    let map = map(&session, false);
    let fates: Vec<(u64, u64, Fate, u32)> = map.areas.iter().map(|a| (a.from, a.to, a.fate, a.n_reads)).collect();
    assert_eq!(
        fates,
        [
            (0x0, 0x1f, Fate::NotWritten, 3),
            (0x100, 0x10f, Fate::OverwrittenUnread, 0),
            (0x110, 0x11f, Fate::Read, 1),
            (0x120, 0x12f, Fate::Read, 1),
            (0x130, 0x13f, Fate::NotRead, 0),
            (0x200, 0x21f, Fate::NotRead, 0),
            (0x100, 0x11f, Fate::Read, 1),
            (0x300, 0x31f, Fate::Read, 1),
            (0x0, 0x1f, Fate::NotRead, 0),
        ]
    );
    assert_eq!((map.unread_bytes, map.written_bytes), (0x10 * 128, 0xc0 * 128));
}

/// The baseline saves two tensors to device memory and loads each again, twice: (start of the load, start of the store).
#[test]
fn round_trips_through_device_memory_are_dependencies() {
    let Some(folder) = conformance() else { return };
    let json = session(&[file(&folder, "baseline_attention", "baseline_exec_2_profile_full.json")]);
    let trace = session(&[file(&folder, "baseline_attention", "baseline_exec_2.ntff")]);
    for session in [&json, &trace] {
        let profile = &session.profile;
        let at = |start: i64| {
            let is_it = |i: &u32| profile.slices.start[*i as usize] == start && profile.name_of(SliceId(*i)) == "DMA_DIRECT2D";
            (0..profile.slices.len() as u32).find(is_it).map(SliceId).expect("a transfer")
        };
        for (load, store) in [(26_796, 23_622), (28_488, 25_373), (42_697, 39_506), (44_104, 40_298)] {
            let has = |list: &[axonscope::engine::query::Neighbour], slice: SliceId, kind: &str| {
                list.iter().filter(|n| n.slice == slice && n.kind == kind).count()
            };
            let (load, store) = (at(load), at(store));
            assert_eq!(has(&details(session, load).predecessors, store, "writes what this reads"), 1, "{load:?}");
            assert_eq!(has(&details(session, store).successors, load, "reads what this writes"), 1, "{store:?}");
        }
        // The second pair overwrites what the first one saved.
        let (first, later) = (details(session, at(23_622)), at(42_697));
        assert!(first.successors.iter().all(|n| n.slice != later));
        let path = session.ask(&CriticalPathQuery { is_by_data: true }).expect("a path");
        assert!(path.notes.iter().any(|n| n.contains("PSUM or device memory")), "{:?}", path.notes);
    }
}

#[test]
fn products_that_accumulate_are_one_value() {
    let product = |flags: u32| format!(" acc_flags={flags} src=fp32@0x0[1,0,0][16,1,1] dst=0x2000000[1,0,0][16,1,1] 128*64 ");
    let (first, last) = (product(1), product(2));
    let read = " src=fp32@0x2000000[1,1,1,1][16,1,1,1] dst=fp32@0x400[1,1,1,1][16,1,1,1] channels=64 ";
    let session = small(&[("Tensor", "MATMUL", 0, &first), ("Tensor", "MATMUL", 20, &last), ("Vector", "COPY", 40, read)]);
    let map = map(&session, true);
    let areas: Vec<_> = map.areas.iter().map(|a| (a.from, a.to, a.partitions, a.fate, a.range.start.0, a.range.end.0)).collect();
    assert_eq!(areas, [(0, 63, (0, 63), Fate::Read, 0, 50)]);
    let copy = SliceId(session.profile.slices.start.iter().position(|s| *s == 40).expect("a slice") as u32);
    assert_eq!(details(&session, copy).predecessors.len(), 2, "both products made the value");
}

#[test]
fn without_operands_there_is_no_map() {
    let session = small(&[("Vector", "COPY", 0, "")]);
    let map = map(&session, false);
    assert!(map.areas.is_empty() && map.peak.is_none() && map.notes[0].contains("operands of instructions are not recorded"), "{map:?}");
}
