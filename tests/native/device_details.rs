//! What the drawer, the rows of DMA transfers and the source view say of a device, against the file's own records.

use crate::neuron_support::*;
use axonscope::analysis::device::SourceLocation;
use axonscope::analysis::device::name_rows::name_rows;
use axonscope::analysis::device::transfers::dma_rows::{DmaBy, DmaDetail, DmaRows, DmaRowsQuery, dma_rows, transfers_by_start};
use axonscope::analysis::device::transfers::merged::merged_bar;
use axonscope::base::{SliceId, TrackId};
use axonscope::engine::Session;
use axonscope::engine::query::{Details, DetailsQuery, SourceQuery, SourceSlicesQuery};
use axonscope::engine::views::{missing_views, views};
use axonscope::formats::import;
use axonscope::model::TrackKind;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).unwrap().remove(0);
    let (imported, input) = outcome.unwrap();
    Session::new(claim, input, imported)
}

fn real(run: &str, stem: &str) -> Option<(Session, Value)> {
    let named = file(&conformance()?, run, &format!("{stem}_exec_2_profile_full.json"));
    let json = serde_json::from_slice(&named.1).unwrap();
    Some((session(&[named]), json))
}

fn details(session: &Session, slice: u32) -> Details {
    session.ask(&DetailsQuery { item: SliceId(slice).into() }).expect("an answer")
}

fn text<'a>(record: &'a Value, key: &str) -> &'a str {
    record[key].as_str().unwrap_or_default()
}

#[test]
fn every_wait_is_resolved_to_an_instruction_that_raises_its_semaphore() {
    for (run, stem) in RUNS {
        let Some((session, json)) = real(run, stem) else { return };
        let (mut n_waits, mut n_signals) = (0, 0);
        for slice in 0..session.profile.slices.len() as u32 {
            let Some(facts) = details(&session, slice).instruction else { continue };
            for fact in facts.semaphores.iter().filter(|f| f.is_wait) {
                n_waits += 1;
                assert!(fact.slack_ns.is_none_or(|ns| ns >= 0), "{fact:?}");
                let Some(signal) = &fact.other else { continue };
                n_signals += 1;
                let id = fact.what.strip_prefix("S[").and_then(|t| t.split_once(']')).unwrap().0.to_string();
                let raised = details(&session, signal.slice.0).fields.iter().find(|f| f.key == "operands").unwrap().value.clone();
                let sets = raised.contains(&format!("S[{id}]")) || raised.contains(&format!("semaphore={id} "));
                assert!(sets, "{run}: {} by {raised}", fact.what);
                // What it waits for it was not yet when it was raised.
                assert!(fact.reached.unwrap().0 <= session.profile.slices.end(slice as usize));
            }
        }
        let of = |r: &Value| text(r, "operands").matches(">=").count() + text(r, "operands").matches("==").count();
        let events = |r: &Value| text(r, "operands").matches("$E[").count();
        let want: usize = json["instruction"].as_array().unwrap().iter().map(|r| of(r).saturating_sub(events(r))).sum();
        assert!(n_waits > 100 && n_waits <= want, "{run}: {n_waits} of {want}");
        assert!(n_signals * 10 >= n_waits * 8, "{run}: only {n_signals} of {n_waits} waits are resolved");
    }
}

#[test]
fn details_have_no_empty_fields_and_say_what_they_mean() {
    let Some((session, json)) = real("fused_attention", "fused") else { return };
    let wanted =
        json["instruction"].as_array().unwrap().iter().find(|r| text(r, "opcode") == "MATMUL" && r["predecessors"].is_array()).unwrap();
    let start = wanted["timestamp"].as_i64().unwrap();
    let slice = (0..session.profile.slices.len())
        .find(|&i| session.profile.slices.start[i] == start && session.profile.name_of(SliceId(i as u32)) == "MATMUL");
    let got = details(&session, slice.unwrap() as u32);
    // Beside the compiler's dependencies stand the producers of what it reads, which the file does not record.
    let recorded = got.predecessors.iter().filter(|n| n.kind != "writes what this reads");
    assert_eq!(recorded.count(), wanted["predecessors"].as_array().unwrap().len());
    assert!(got.fields.iter().all(|f| !["Unknown", "unknown", "['unknown']", "[]"].contains(&f.value.as_str())), "{:?}", got.fields);
    let known = got.fields.iter().filter(|f| f.group != "Other keys");
    assert!(known.clone().count() > 15 && known.clone().all(|f| !f.help.is_empty()));
    let facts = got.instruction.unwrap();
    let recorded: Vec<_> = facts.operands.iter().filter(|o| o.meaning.is_empty()).map(|o| &o.text).collect();
    assert!(facts.operands.len() > 3 && recorded.is_empty(), "{recorded:?}");
    // A transfer has no operands, and no facts.
    let dma = (0..session.profile.slices.len() as u32).find(|s| details(&session, *s).fields.iter().any(|f| f.key == "dma_queue")).unwrap();
    assert_eq!(details(&session, dma).instruction, None);
}

/// Transfers of each row, by core and name.
fn counts(session: &Session, rows: &DmaRows) -> BTreeMap<(String, String), usize> {
    let n_of = |at: usize| rows.n_of.get(at).map_or(1, |n| *n as usize);
    let mut bar = 0;
    let mut out = BTreeMap::new();
    for row in &rows.rows {
        let n: usize = row.lanes.iter().map(|n| *n as usize).sum();
        let transfers = (bar..bar + n).map(n_of).sum();
        bar += n;
        let core = session.profile.track_path(row.group.unwrap()).split(" / ").next().unwrap().to_string();
        assert_eq!(out.insert((core, row.name.clone()), transfers), None, "each row once");
    }
    out
}

#[test]
fn dma_rows_hold_the_transfers_of_the_json() {
    for (run, stem) in RUNS {
        let Some((session, json)) = real(run, stem) else { return };
        let core = |r: &Value| if text(r, "subgraph") == "sg00" { "NC 4" } else { "NC 5" }.to_string();
        let count = |name: &dyn Fn(&Value) -> String| {
            let mut out = BTreeMap::<(String, String), usize>::new();
            json["dma"].as_array().unwrap().iter().for_each(|r| *out.entry((core(r), name(r))).or_default() += 1);
            out
        };
        let rows = |by, detail| dma_rows(&session.profile, &transfers_by_start(&session.profile), DmaRowsQuery { by, detail });
        let engines = rows(DmaBy::Engine, DmaDetail::Packets);
        assert_eq!(counts(&session, &engines), count(&|r| format!("DMA-E{}", text(r, "dma_engine"))), "{run}");
        let rings = rows(DmaBy::Queue, DmaDetail::Rings);
        assert_eq!(counts(&session, &rings), count(&|r| text(r, "subgroup").to_string()), "{run}: as the file names them");
        let turned = rows(DmaBy::Engine, DmaDetail::Rings);
        assert_eq!(turned.rows.len(), rings.rows.len());
        // As read: the same bars in the same rows.
        let plain = rows(DmaBy::Queue, DmaDetail::Packets);
        let queues = session.profile.tracks.iter().filter(|t| t.kind == TrackKind::Queue);
        let read: BTreeSet<&str> = queues.map(|t| session.profile.strings.get(t.name)).collect();
        assert_eq!(plain.rows.iter().map(|r| r.name.as_str()).collect::<BTreeSet<_>>(), read);
        for by in [DmaBy::Queue, DmaBy::Engine] {
            let merged = rows(by, DmaDetail::Merged);
            assert_eq!(merged.members.len(), json["dma"].as_array().unwrap().len());
            assert!(merged.n_of.len() < merged.members.len(), "{run}: some are merged");
            let mut once = merged.members.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), merged.members.len(), "each transfer in one bar");
        }
    }
}

#[test]
fn a_merged_bar_tells_what_is_in_it() {
    let Some((session, json)) = real("fused_attention", "fused") else { return };
    let profile = &session.profile;
    let query = DmaRowsQuery { by: DmaBy::Engine, detail: DmaDetail::Merged };
    let rows = dma_rows(profile, &transfers_by_start(profile), query);
    let (mut at, mut bytes) = (0, 0);
    for n in &rows.n_of {
        let members = &rows.members[at..at + *n as usize];
        at += *n as usize;
        // Looking for every bar costs too much: all that hold several.
        let bar = merged_bar(profile, query, members[members.len() / 2]).expect("a bar");
        assert_eq!((bar.n, bar.first, bar.last), (u64::from(*n), members[0], *members.last().unwrap()));
        assert_eq!(bar.end.0, members.iter().map(|s| profile.slices.end(s.index())).max().unwrap());
        assert!(bar.busy.0 <= bar.end.0 - bar.start.0 && bar.durations[0] <= bar.durations[2]);
        bytes += bar.bytes.unwrap_or(0);
    }
    let is_copy = |r: &&Value| r["duplicate"].as_bool().unwrap_or(false) || r["duplicate"].as_i64().unwrap_or(0) > 0;
    let recorded: u64 = json["dma"].as_array().unwrap().iter().filter(|r| !is_copy(r)).map(|r| r["transfer_size"].as_u64().unwrap()).sum();
    assert_eq!(bytes, recorded, "every byte in one bar");
    let plain = DmaRowsQuery { detail: DmaDetail::Packets, ..query };
    assert_eq!(merged_bar(profile, plain, rows.members[0]), None, "where nothing is merged there is nothing to tell");
    let engine = profile.tracks.iter().position(|t| t.kind == TrackKind::Engine).map(|t| TrackId(t as u32)).unwrap();
    assert_eq!(merged_bar(profile, query, SliceId(profile.slices_of(engine).start as u32)), None);
}

#[test]
fn rows_of_names_hold_every_instruction_that_has_one() {
    for (run, stem) in RUNS {
        let Some((session, json)) = real(run, stem) else { return };
        let found = name_rows(&session.profile, "opcode").expect("opcodes");
        let n: u64 = found.bars.iter().map(|b| u64::from(b.n)).sum();
        assert_eq!(n, json["instruction"].as_array().unwrap().len() as u64, "{run}");
        assert_eq!(found.rows.iter().flat_map(|r| &r.lanes).sum::<u32>() as usize, found.bars.len());
        let mut at = 0;
        for lane in found.rows.iter().flat_map(|r| &r.lanes) {
            let bars = &found.bars[at..at + *lane as usize];
            at += *lane as usize;
            assert!(bars.is_sorted_by(|a, b| a.start + a.duration <= b.start), "{run}: bars of a lane never overlap");
        }
        assert_eq!(name_rows(&session.profile, "nothing"), None);
    }
}

/// Four instructions on two lines, one on both, one on none.
fn made() -> Value {
    let row = |id: i64, engine: &str, opcode: &str, start: i64, duration: i64, place: &str, elements: i64| {
        let mut row = json!({"id": id, "label": engine, "subgroup": engine, "subgraph": "sg00", "opcode": opcode, "timestamp": start,
            "duration": duration, "operands": "", "evt_wait_time": 0, "nki_source_location": place, "pc": id});
        if elements > 0 {
            row["elements"] = json!(elements);
        }
        row
    };
    json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 1000}],
        "instruction": [
            row(1, "Tensor", "MATMUL", 0, 100, "/src/kernel.py:3", 4096),
            row(2, "Vector", "COPY", 50, 100, "/src/kernel.py:3", 0),
            row(3, "Scalar", "ACTIVATE", 300, 10, "/src/kernel.py:3, /src/util.py:9", 0),
            row(4, "Vector", "EVENT_SEMAPHORE", 400, 500, "/src/util.py:9", 0),
            row(5, "Vector", "DRAIN", 900, 10, "", 0),
        ],
    })
}

#[test]
fn lines_of_source_have_what_their_instructions_cost() {
    let session = session(&[("made.json".into(), made().to_string().into_bytes())]);
    let source = session.ask(&SourceQuery { range: None }).expect("source");
    let recorded: Vec<_> = source.lines.iter().map(|l| (l.place.to_string(), l.instructions, l.time.0, l.flops, l.engines)).collect();
    assert_eq!(
        recorded,
        [
            ("/src/kernel.py:3".to_string(), 3, 160, Some(8192), [1, 1, 1, 0, 0]),
            ("/src/util.py:9".to_string(), 2, 10, None, [0, 1, 1, 0, 0])
        ]
    );
    assert_eq!((source.unplaced, source.notes.len()), (1, 0));
    assert!(views(&session.profile).contains(&"source"));
    let place = SourceLocation { file: "/src/util.py".into(), line: 9 };
    let slices = session.ask(&SourceSlicesQuery { place }).expect("slices").0;
    let names: Vec<&str> = slices.iter().map(|s| session.profile.name_of(*s)).collect();
    assert_eq!(names, ["ACTIVATE", "EVENT_SEMAPHORE"]);
    let places = details(&session, slices[0].0).instruction.unwrap().origin.places;
    assert_eq!(places.iter().map(ToString::to_string).collect::<Vec<_>>(), ["/src/kernel.py:3", "/src/util.py:9"]);
}

#[test]
fn a_run_without_lines_says_how_to_have_them() {
    let Some((session, json)) = real("fused_attention", "fused") else { return };
    let source = session.ask(&SourceQuery { range: None }).expect("source");
    assert!(source.lines.is_empty() && source.notes[0].contains("NKI_DEBUG_INFO"));
    assert!(!views(&session.profile).contains(&"source"), "a view without data is not offered");
    let missing = missing_views(&session.profile);
    assert!(missing.iter().any(|m| m.id == "source" && m.capture.contains("NKI_DEBUG_INFO")), "{missing:?}");
    assert_eq!(source.unplaced, json["instruction"].as_array().unwrap().len() as u64);
}
