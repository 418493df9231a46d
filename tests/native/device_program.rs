//! Programs word by word, from a trace, from the JSON of the same run and from a NEFF alone.

use crate::neuron_support::writer::{self, word};
use crate::neuron_support::*;
use axonscope::analysis::device::{Program, ProgramQuery};
use axonscope::base::{DurationNs, SliceId};
use axonscope::engine::Session;
use axonscope::formats::import;
use serde_json::Value;
use std::collections::BTreeMap;

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

fn program(session: &Session, engine: u32) -> Program {
    session.ask(&ProgramQuery { engine: Some(engine), slice: None }).expect("an answer")
}

/// Every executed word: (core, engine, pc) with opcode, operands, executions, time and wait.
type Words = BTreeMap<(String, String, u32), Cost>;
type Cost = (String, String, u64, i64, Option<i64>);

fn executed(session: &Session) -> Words {
    let mut out = Words::new();
    for at in 0..program(session, 0).engines.len() as u32 {
        let found = program(session, at);
        let engine = &found.engines[at as usize];
        for row in found.rows.iter().filter(|r| r.count > Some(0)) {
            let (count, time) = (row.count.expect("ran"), row.time.expect("ran").0);
            let key = (engine.core.clone(), engine.engine.clone(), row.pc);
            out.insert(key, (row.opcode.clone(), row.operands.clone(), count, time, row.wait.map(|w| w.0)));
        }
    }
    out
}

#[test]
fn executed_words_are_those_of_the_json() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let json = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let truth: Value = serde_json::from_slice(&json.1).expect("JSON");
        let mut wanted: BTreeMap<(String, String, u64), (String, u64, i64)> = BTreeMap::new();
        let core = |subgraph: &Value| {
            let info = truth["model_info"].as_array().expect("rows").iter().find(|row| row["sg_name"] == *subgraph).expect("its core");
            format!("NC {}", info["nc_idx"])
        };
        for row in truth["instruction"].as_array().expect("rows") {
            let text = |key: &str| row[key].as_str().expect("text").trim().to_string();
            let sums = wanted.entry((core(&row["subgraph"]), text("subgroup"), row["pc"].as_u64().expect("pc"))).or_insert((
                text("operands"),
                0,
                0,
            ));
            (sums.1, sums.2) = (sums.1 + 1, sums.2 + row["duration"].as_i64().expect("duration"));
        }
        let trace = [file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))];
        let (of_json, of_trace) = (session(&[json]), session(&trace));
        for session in [&of_json, &of_trace] {
            let short = |(key, word): ((String, String, u32), Cost)| ((key.0, key.1, u64::from(key.2)), (word.1, word.2, word.3));
            let found: BTreeMap<_, _> = executed(session).into_iter().map(short).collect();
            assert_eq!(found, wanted, "{run} {}", session.claim.format);
        }
        // The waits of a trace are cycles, which may differ by a nanosecond for each execution.
        let (a, b) = (executed(&of_json), executed(&of_trace));
        let is_near = |(x, y): (&Cost, &Cost)| x.4.unwrap_or(0).abs_diff(y.4.unwrap_or(0)) <= x.2;
        assert!(a.keys().eq(b.keys()) && a.values().zip(b.values()).all(is_near), "{run}");
    }
}

#[test]
fn a_trace_lists_every_word_of_its_images() {
    let Some(folder) = conformance() else { return };
    let mut sums = Vec::new();
    for (run, stem) in RUNS {
        let pair = [file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))];
        let session = session(&pair);
        let first = program(&session, 0);
        assert!(first.is_whole && first.has_times, "{run}");
        let (mut n_words, mut n_refused, mut n_branches, mut n_named) = (0, 0, 0, 0);
        for at in 0..first.engines.len() as u32 {
            let found = program(&session, at);
            let engine = &found.engines[at as usize];
            assert_eq!((found.shown, found.n_rows, found.rows.len() as u64), (at, engine.n_words, engine.n_words), "{run}");
            assert_eq!(found.rows.iter().filter(|r| r.count > Some(0)).count() as u64, engine.n_executed, "{run}");
            assert_eq!(found.rows.iter().filter_map(|r| r.time).map(|t| t.0).sum::<i64>(), engine.time.0, "{run}");
            assert!(found.rows.iter().all(|r| (r.count == Some(0)) == (r.time.is_none() && r.first.is_none())), "{run}");
            n_words += found.n_rows;
            n_refused += found.rows.iter().filter(|r| !r.refused.is_empty()).count();
            n_named += found.rows.iter().filter(|r| !r.bir.is_empty()).count();
            for row in found.rows.iter().filter(|r| r.target.is_some()) {
                n_branches += 1;
                assert!(row.opcode == "COMPARE_BRANCH" && u64::from(row.target.expect("a target")) < found.n_rows, "{run}: {row:?}");
                assert!(!row.brackets.trim().is_empty(), "{run}: {row:?}");
            }
            // What runs was decoded on import without a refusal.
            assert!(found.rows.iter().all(|r| r.count == Some(0) || r.refused.is_empty()), "{run}");
        }
        assert!(n_branches > 0 && n_named > 100, "{run}: {n_branches} branches, {n_named} names");
        sums.push((n_words, n_refused));
    }
    // None of the refused words ran.
    assert_eq!(sums, [(881, 68), (899, 68)]);
}

#[test]
fn a_neff_alone_is_a_program_without_times() {
    let Some(folder) = conformance() else { return };
    let neff = session(&[file(&folder, "fused_attention", "fused.neff")]);
    assert!(axonscope::engine::views::views(&neff.profile).contains(&"program"));
    let first = program(&neff, 0);
    assert!(!first.has_times && first.notes.iter().any(|n| n.contains("Times are not recorded")), "{:?}", first.notes);
    let rows: Vec<_> = (0..first.engines.len() as u32).flat_map(|at| program(&neff, at).rows).collect();
    assert!(rows.iter().all(|r| r.count.is_none() && r.time.is_none()));
    let products: Vec<_> = rows.iter().filter(|r| r.opcode == "MATMUL").collect();
    assert!(
        !products.is_empty() && products.iter().all(|r| r.operands.contains("dst=0x20") && !r.bir.is_empty()),
        "{:?}",
        products.first()
    );
    assert!(rows.iter().any(|r| r.opcode == "PSEUDO_DMA_DIRECT2D" && r.operands.contains("src_var_id=")));
}

#[test]
fn loops_of_a_written_image_are_brackets_and_sums() {
    // NOP, NOP, branch one word back, NOP that never runs, a word of an unknown code.
    let branch = word(0xA9, &[(3, &[2]), (0x0E, &[3]), (0x30, &(-64i32).to_le_bytes())]);
    let nop = word(0xA4, &[(0x0C, &[2])]);
    let image = [&nop[..], &nop, &branch, &nop, &word(0x41, &[])].concat();
    let mut regions = writer::regions();
    regions[0].2 =
        [0, 1, 2, 1, 2].iter().zip(0..).flat_map(|(pc, i)| writer::instruction(*pc, 1_000_000 * i, 1_000_000 * i + 500_000)).collect();
    let session = session(&[("a.ntff".into(), writer::trace_of(6, 2, &[(0, image)], &regions, 0))]);
    let found = program(&session, 0);
    let rows: Vec<_> = found.rows.iter().map(|r| (r.count, r.time, r.target, r.brackets.as_str())).collect();
    let ran = |n: i64| (Some(n as u64), Some(DurationNs(500 * n)));
    assert_eq!(
        rows,
        [
            (ran(1).0, ran(1).1, None, "  "),
            (ran(2).0, ran(2).1, None, "╭▸"),
            (ran(2).0, ran(2).1, Some(1), "╰─"),
            (Some(0), None, None, "  "),
            (Some(0), None, None, "  ")
        ]
    );
    let second = SliceId(session.profile.slices.start.iter().position(|s| *s == 2000).expect("the branch") as u32);
    let of_slice = session.ask(&ProgramQuery { engine: None, slice: Some(second) }).expect("an answer");
    assert_eq!((of_slice.shown, of_slice.marked, found.marked), (0, Some(2), None), "from a slice to its word");
    assert_eq!(found.rows[4].refused, "operands not available: code 0x41 not verified");
    assert_eq!((found.engines[0].n_words, found.engines[0].n_executed, found.engines[0].executions), (5, 3, 5));
}
