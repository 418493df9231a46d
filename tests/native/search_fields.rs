//! Several conditions and the tables of values, against the JSON itself.

use crate::neuron_support::*;
use axonscope::analysis::filter::Term;
use axonscope::analysis::hit_tables::Within;
use axonscope::analysis::{hit_tables, search};
use axonscope::base::{SliceId, TimeNs, TimeRange};
use axonscope::engine::query::SearchQuery;
use serde_json::Value;
use std::collections::BTreeMap;

fn profile(run: &str, stem: &str) -> Option<(axonscope::model::Profile, Value)> {
    let named = file(&conformance()?, run, &format!("{stem}_exec_2_profile_full.json"));
    let json = serde_json::from_slice(&named.1).unwrap();
    Some((import_one(&[named]).unwrap().profile, json))
}

fn query(category: &str, terms: &[(&str, &str)]) -> SearchQuery {
    let terms = terms.iter().map(|t| Term { field: t.0.into(), text: t.1.into() }).collect();
    SearchQuery { category: category.into(), terms, limit: 10, ..SearchQuery::default() }
}

fn text<'a>(record: &'a Value, key: &str) -> &'a str {
    record[key].as_str().unwrap_or_default()
}

#[test]
fn all_conditions_hold_as_in_the_json() {
    let Some((profile, json)) = profile("baseline_attention", "baseline") else { return };
    let count =
        |section: &str, is_hit: &dyn Fn(&Value) -> bool| json[section].as_array().unwrap().iter().filter(|r| is_hit(r)).count() as u64;
    let found = |category: &str, terms: &[(&str, &str)]| search::search(&profile, &query(category, terms)).unwrap().n_total;
    assert_eq!(
        found("instruction", &[("opcode", "/^MATMUL$/"), ("duration_ns", ">100")]),
        count("instruction", &|r| text(r, "opcode") == "MATMUL" && r["duration"].as_i64().unwrap() > 100)
    );
    assert_eq!(
        found("", &[("engine", "Tensor"), ("wait_ns", "1000..50000"), ("pc", "<500")]),
        count("instruction", &|r| {
            let wait = r["evt_wait_time"].as_i64().unwrap();
            text(r, "subgroup").contains("Tensor") && (1000..=50000).contains(&wait) && r["pc"].as_i64().unwrap() < 500
        })
    );
    assert_eq!(
        found("dma", &[("bytes", "4096"), ("engine", "/^DMA-E64$/")]),
        count("dma", &|r| r["transfer_size"].as_i64() == Some(4096) && text(r, "dma_engine") == "64")
    );
    // Semaphores of the operands, counted by instructions.
    let has = |r: &Value, word: &str| text(r, "operands").contains(word);
    assert_eq!(found("", &[("semaphore", "(Tensor) >= ")]), count("instruction", &|r| has(r, "(Tensor)>=")));
    assert_eq!(
        found("semaphore", &[("engine", "Vector")]),
        count("instruction", &|r| { text(r, "subgroup").contains("Vector") && (has(r, "S[") || has(r, " semaphore=")) })
    );
    // A category alone looks for nothing; a condition of another category finds nothing.
    assert_eq!((found("dma", &[]), found("dma", &[("opcode", "MATMUL")])), (0, 0));
    assert!(found("dma", &[("duration_ns", ">=0")]) > 1000);
}

#[test]
fn tables_of_values_add_up_to_the_json() {
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let Some((profile, json)) = profile(run, stem) else { return };
        let tables = hit_tables::tables(&profile, &Within::default(), |_| true);
        // Durations by opcode over both cores, of one engine.
        let mut want: BTreeMap<&str, (u64, i64)> = BTreeMap::new();
        for r in json["instruction"].as_array().unwrap().iter().filter(|r| text(r, "label") == "Vector") {
            let sum = want.entry(text(r, "opcode")).or_default();
            *sum = (sum.0 + 1, sum.1 + r["duration"].as_i64().unwrap());
        }
        let mut got: BTreeMap<&str, (u64, i64)> = BTreeMap::new();
        for table in tables.iter().filter(|t| t.track.ends_with("/ Vector")) {
            let opcodes = table.fields.iter().find(|f| f.field == "opcode").unwrap();
            assert!((opcodes.rows.iter().map(|r| r.n_share).sum::<f64>() - 1.0).abs() < 1e-9);
            for row in &opcodes.rows {
                let sum = got.entry(&row.value).or_default();
                *sum = (sum.0 + row.n, sum.1 + row.sum.0);
            }
        }
        assert_eq!(got, want);
        let all: u64 = tables.iter().map(|t| t.n).sum();
        assert_eq!(all, profile.slices.len() as u64);
        // Bytes: value by count, as a share of all bytes of the row.
        let queue = tables.iter().find_map(|t| t.fields.iter().find(|f| f.field == "bytes")).unwrap();
        assert!((queue.rows.iter().filter_map(|r| r.sum_share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_range_clips_and_leaves_out() {
    let Some((profile, _)) = profile("fused_attention", "fused") else { return };
    let range = TimeRange::new(TimeNs(20_000), TimeNs(30_000));
    let tables = hit_tables::tables(&profile, &Within { range: Some(range), tracks: Vec::new() }, |_| true);
    let (mut n, mut time) = (0, 0);
    for i in 0..profile.slices.len() {
        let (start, end) = (profile.slices.start[i], profile.slices.end(i));
        let touches = (start < range.end.0 && end > range.start.0) || (start == end && start >= range.start.0 && start <= range.end.0);
        if touches {
            n += 1;
            time += end.min(range.end.0) - start.max(range.start.0);
        }
    }
    assert_eq!(tables.iter().map(|t| t.n).sum::<u64>(), n);
    assert_eq!(tables.iter().map(|t| t.sum.0).sum::<i64>(), time);
    assert!(tables.iter().all(|t| t.active.0 <= 10_000 && t.active_share.is_some_and(|s| s <= 1.0)));
    assert!(hit_tables::tables(&profile, &Within { range: Some(range), tracks: Vec::new() }, |s| s == SliceId(u32::MAX)).is_empty());
}
