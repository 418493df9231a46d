//! Summaries as people have them: of several NEFFs, as text, as Markdown, rounded, cut off.

use crate::common::{conformance, open, refusal};
use axonscope::analysis::device::{Metric, Summary};
use axonscope::analysis::variants::variants;
use axonscope::base::{InputSet, Member};
use axonscope::engine::query::{SummaryQuery, TableQuery, VariantPartsQuery};
use axonscope::engine::{Session, views};
use axonscope::formats::{import, inspect};
use axonscope::model::Cell;
use serde_json::{Value, json};

fn session(name: &str, text: &str) -> Session {
    let input = InputSet { members: vec![Member::from_bytes(name, text.as_bytes().to_vec())] };
    let (claim, outcome) = import::import(&input).unwrap().remove(0);
    assert_eq!(claim.format, "neuron_summary");
    let (imported, readable) = outcome.unwrap();
    assert_eq!(imported.profile.check(), Ok(()));
    assert!(views::views(&imported.profile).contains(&"summary"));
    Session::new(claim, readable, imported)
}

fn summary(session: &Session) -> Summary {
    session.ask(&SummaryQuery { range: None }).expect("an answer")
}

fn metric<'a>(s: &'a Summary, node: u32, name: &str) -> &'a Metric {
    s.metrics.iter().find(|m| m.node == node && m.name == name).unwrap_or_else(|| panic!("{name}"))
}

fn skipped(session: &Session) -> Vec<(&str, u64)> {
    session.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect()
}

/// Metrics of October 2026: adjusted FLOPs, spills by direction, throttling by core, the NKI version; one that is not known.
fn recent() -> Value {
    json!({
        "total_time": 5.9533e-5, "total_exec_time": 5.9e-5, "hardware_flops": 537_001_984i64, "adjusted_hardware_flops": 704_643_072i64,
        "adjusted_transpose_flops": 167_772_160i64, "hbm_read_bytes": 4_194_304, "hbm_write_bytes": 1_114_112, "spill_save_bytes": 0,
        "spill_reload_bytes": 4_194_304, "mbu_estimated_percent": 0.125, "throttle_activity_0_active_time_nc1_percent": 0.0,
        "nki_version": "0.2.1", "profiler_version": "2.32.1", "metric_of_next_year": 42,
    })
}

const NEFFS: [&str; 2] = ["n_0123456789abcdef0123456789abcdef01234567", "n_89abcdef0123456789abcdef0123456789abcdef"];

#[test]
fn several_neffs_of_a_file_and_many_files() {
    let (mut a, mut b) = (recent(), recent());
    (a["total_time"], b["total_time"]) = (json!(1e-5), json!(2e-5));
    let both = session("out.json", &json!({ NEFFS[0]: a, NEFFS[1]: b }).to_string());
    let s = summary(&both);
    assert_eq!(s.nodes, NEFFS);
    assert_eq!([0, 1].map(|node| metric(&s, node, "total_time").file), [Some(1e-5), Some(2e-5)]);
    for node in 0..2 {
        assert_eq!(metric(&s, node, "metric_of_next_year").file, Some(42.0));
        assert_eq!(metric(&s, node, "nki_version").text.as_deref(), Some("0.2.1"));
        assert_eq!(metric(&s, node, "spill_reload_bytes").file, Some(4_194_304.0));
        assert!(metric(&s, node, "adjusted_hardware_flops").rounding.is_none());
    }
}

fn rank(i: usize) -> Member {
    let mut metrics = recent();
    metrics["total_time"] = json!((i + 1) as f64 * 1e-6);
    Member::from_bytes(format!("runs/rank_{i}.json"), json!({ NEFFS[0]: metrics }).to_string().into_bytes())
}

#[test]
fn many_files_are_one_profile_with_a_row_each() {
    let found = |n: usize| inspect::inspect(&InputSet { members: (0..n).map(rank).collect() }).unwrap();
    let few = found(16);
    assert_eq!((few.found.len(), few.unclaimed.len()), (16, 0), "a few are compared with each other, each in its tab");
    assert!(few.found.iter().all(|f| f.claim.format == "neuron_summary"));
    let many = found(200);
    assert_eq!((many.found.len(), many.found[0].paths.len(), many.unclaimed.len()), (1, 200, 0));
    let mut members: Vec<Member> = (0..200).map(rank).collect();
    members[7] = Member::from_bytes("runs/rank_7.json", br#"{"total_time": 1, "hbm_read_bytes": 2, "hardware_flops": 3"#.to_vec());
    members[8] = Member::from_bytes("runs/rank_8.json", json!({ NEFFS[0]: recent(), NEFFS[1]: recent() }).to_string().into_bytes());
    let (claim, outcome) = import::import(&InputSet { members }).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    assert_eq!((imported.profile.check(), imported.profile.meta.title.as_str()), (Ok(()), "200 summaries"));
    let session = Session::new(claim, readable, imported);
    assert_eq!(skipped(&session), [("unreadable_file", 1)]);
    let rows = session.ask(&VariantPartsQuery).expect("rows");
    assert_eq!(rows.len(), 200, "199 files, one with two programs");
    assert_eq!((rows[0].title.as_str(), rows[8].title.clone()), ("runs/rank_0.json", format!("runs/rank_8.json {}", NEFFS[1])));
    let all = variants(&rows);
    let column = all.column("total_time").expect("a column");
    let seconds = |row: usize| all.rows[row].cells[column].number();
    assert_eq!((seconds(0), seconds(199)), (Some(1e-6), Some(200.0 * 1e-6)));
}

/// The metrics of a real run as the text of two columns.
fn columns(metrics: &Value, line_end: &str) -> String {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), Into::into);
    metrics.as_object().unwrap().iter().map(|(name, value)| format!("{name:<56}{}{line_end}", text(value))).collect()
}

#[test]
fn a_text_gives_the_metrics_of_the_json() {
    let Some(folder) = conformance("neuron/fused_attention") else { return };
    let full: Value = serde_json::from_slice(&std::fs::read(folder.join("fused_exec_2_profile_full.json")).unwrap()).unwrap();
    let metrics = &full["summary"][0];
    let json = summary(&session("a.json", &json!({ "n_1": metrics }).to_string()));
    for line_end in ["\n", "\r\n"] {
        let from_text = session("a.txt", &columns(metrics, line_end));
        let text = summary(&from_text);
        let values = |s: &Summary| s.metrics.iter().map(|m| (m.name.clone(), m.file, m.text.clone(), m.computed)).collect::<Vec<_>>();
        assert_eq!(values(&text), values(&json));
        assert_eq!(from_text.ledger.read, metrics.as_object().unwrap().len() as u64);
        assert!(text.metrics.iter().all(|m| m.rounding.is_none()), "values without a unit are as they are");
    }
}

const MARKDOWN: &str = "# Profile\n\n| Group | Name | Value |\n|---|:---|---:|\n\
    | overall_stats | **total_time** | 59.533 **us** |\n|  | **hardware_flops** | 0.537 **GFLOPS** |\n\
    | data_movement | **dma_active_time** | 23.68 **us** |\n| | **hbm\\_read\\_bytes** | 4.00 **MiB** |\n| | mbu_estimated_percent | 12.5 **%** |\n\
    | throttling_nc0 | throttle_time | 0 ns |\n| throttling_nc1 | throttle_time | 5 ns |\n| system | instance_type | trn2.3xlarge |\n\
    | system | instruction_count | 6,175 |\n\n\
    | ND Idx | NC Idx | Usage Type | Amount |\n|---|---|---|---|\n| 0 | 4 | Tensors | 1.50 MiB |\n| 0 | 4 | Scratchpad | 512 B |\n";

#[test]
fn markdown_with_units_is_rounded_and_says_so() {
    for text in [MARKDOWN.to_string(), MARKDOWN.replace('\n', "\r\n")] {
        let session = session("pasted.txt", &text);
        let s = summary(&session);
        let of = |name: &str| {
            let m = metric(&s, 0, name);
            (m.file.unwrap(), m.rounding.unwrap_or(0.0), m.group.clone())
        };
        let near = |name: &str, value: f64, half: f64, group: &str| {
            let got = of(name);
            assert!((got.0 - value).abs() <= value * 1e-9 && (got.1 - half).abs() <= half * 1e-9 && got.2 == group, "{name}: {got:?}");
        };
        near("total_time", 59.533e-6, 0.0005e-6, "overall stats");
        near("hardware_flops", 0.537e9, 0.5e6, "overall stats");
        near("hbm_read_bytes", 4_194_304.0, 5242.88, "data movement");
        near("mbu_estimated_percent", 0.125, 0.0005, "data movement");
        near("instruction_count", 6175.0, 0.0, "system");
        assert_eq!(metric(&s, 0, "throttling_nc1/throttle_time").file, Some(5e-9));
        assert_eq!(metric(&s, 0, "instance_type").text.as_deref(), Some("trn2.3xlarge"));
        assert!(s.notes[0].contains("rounded in this file"), "{:?}", s.notes);
        let memory = session.ask(&TableQuery { id: "nc_mem_usage".into(), first: 0, n: 9 }).expect("a table");
        let bytes = memory.columns.iter().position(|c| c == "amount_bytes").unwrap();
        assert_eq!(memory.rows.iter().map(|r| r[bytes].clone()).collect::<Vec<_>>(), [Cell::Int(1_572_864), Cell::Int(512)]);
        assert_eq!((session.ledger.read, session.ledger.shown, skipped(&session)), (11, 11, vec![("other_line", 1)]));
    }
}

#[test]
fn rounded_values_are_compared_as_far_as_they_are_written() {
    // 4 MiB + 1 MiB in 50 µs; the ratio is off by what the inputs were rounded.
    let text = "total_time  50.0 us\ntotal_active_time  20.0 us\ntotal_active_time_percent  40.0 %\nhbm_read_bytes  4.0 MiB\n";
    let s = summary(&session("a.txt", text));
    let active = metric(&s, 0, "total_active_time_percent");
    assert!(!active.differs && active.computed.is_some(), "{active:?}");
    let wrong = text.replace("40.0 %", "41.0 %");
    assert!(metric(&summary(&session("a.txt", &wrong)), 0, "total_active_time_percent").differs);
}

#[test]
fn several_cores_cut_texts_and_other_lines() {
    let one = "nc_idx      1\nnd_idx      2\ntotal_time  0.017\n";
    let two = session("a.txt", &format!("{one}{}", one.replace("nc_idx      1", "nc_idx      3")));
    let s = summary(&two);
    assert_eq!([0, 1].map(|node| metric(&s, node, "nc_idx").file), [Some(1.0), Some(3.0)]);
    // A name without its value, and a row without its end, are no metrics.
    let cut = session("a.txt", &format!("{one}hbm_read_by"));
    assert_eq!((skipped(&cut), cut.ledger.read, cut.ledger.shown), (vec![("cut_line", 1)], 4, 3));
    let cut = session("a.md", &MARKDOWN[..MARKDOWN.find("12.5 **%").unwrap() + 3]);
    assert!(skipped(&cut).contains(&("cut_line", 1)), "{:?}", skipped(&cut));
    assert!(summary(&cut).metrics.iter().all(|m| m.name != "mbu_estimated_percent"));
    let whole = session("a.txt", one.trim_end());
    assert!(whole.ledger.notes.iter().any(|n| n.contains("may be cut")) && summary(&whole).metrics.len() >= 3);
    let odd = session("a.txt", &format!("Summary of a run\n{one}total_time 1\nhbm_read_bytes NaN\nWeight (all) 5 kg\n"));
    assert_eq!(skipped(&odd), [("other_line", 2), ("twice", 1), ("no_value", 1)]);
    for text in ["total_time = 1\nnc_idx = 2\nnd_idx = 3\n", "total_time nc_idx nd_idx\n", "just words\n", ""] {
        let input = InputSet::from_bytes("notes.txt", text.as_bytes().to_vec());
        assert!(refusal(&input).contains("`notes.txt`"), "{text}");
    }
    drop(open(&InputSet::from_bytes("summary.txt", one.as_bytes().to_vec())));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is changed or cut, nothing panics, and what is read is shown or counted.
        #[test]
        fn mutated_texts_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12), cut: prop::sample::Index) {
            let mut bytes = MARKDOWN.as_bytes().to_vec();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(cut.index(bytes.len()) + 1);
            for (_, outcome) in import::import(&InputSet::from_bytes("a.md", bytes)).into_iter().flatten() {
                if let Ok((imported, _)) = outcome {
                    prop_assert_eq!(imported.profile.check(), Ok(()));
                    let n: u64 = imported.ledger.skipped.iter().filter(|s| s.kind != "other_line").map(|s| s.count).sum();
                    prop_assert_eq!(imported.ledger.read, imported.ledger.shown + n);
                }
            }
        }
    }
}
