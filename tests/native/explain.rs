//! What changed between two device runs: differences sum without remainder, and the sentences say what the values say.

use crate::device_bounds::sources;
use crate::neuron_support::runs::RUNS;
use crate::neuron_support::*;
use axonscope::analysis::device::bounds::{BoundsQuery, bounds};
use axonscope::analysis::device::explain::part;
use axonscope::analysis::explain::{Explain, ExplainNode, ExplainPart, ExplainQuery, PartNode, explain, markdown::markdown};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::model::Profile;
use serde_json::{Value, json};

fn range(start: i64, end: i64) -> TimeRange {
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

fn of(profile: &Profile, range: Option<TimeRange>) -> ExplainPart {
    part(profile, &ExplainQuery { range, order: Vec::new() })
}

/// The two NTFF with their NEFF, baseline first.
fn pair() -> Option<[Profile; 2]> {
    let folder = conformance()?;
    let open = |run: &str, stem: &str| {
        let files = [file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))];
        import_one(&files).expect("it opens").profile
    };
    Some([open("baseline_attention", "baseline"), open("fused_attention", "fused")])
}

/// Children sum to their parents, to the last nanosecond.
fn check_part(nodes: &[PartNode], what: &str) {
    for (at, node) in nodes.iter().enumerate().filter(|n| n.1.n_below > 0) {
        let below = &nodes[at + 1..=at + node.n_below as usize];
        let children = || below.iter().filter(|n| n.level == node.level + 1);
        assert_eq!(children().map(|n| n.time.0).sum::<i64>(), node.time.0, "{what}: {}", node.name);
        assert_eq!(children().map(|n| n.count).sum::<f64>(), node.count, "{what}: {}", node.name);
        assert!(children().all(|n| n.time.0 >= 0), "{what}: {}", node.name);
    }
}

/// Differences of children sum to that of their parent, and each is run − base.
fn check(found: &Explain, what: &str) {
    for unit in &found.units {
        let mut sums = vec![None; unit.nodes.len()];
        for node in &unit.nodes {
            let time = |v: &Option<axonscope::analysis::explain::NodeValues>| v.map_or(0, |v| v.time.0);
            assert_eq!(node.delta.0, time(&node.run) - time(&node.base), "{what}: {}", node.name);
            assert!(node.base.is_some() || node.run.is_some(), "{what}: {}", node.name);
            if let Some(parent) = node.parent {
                *sums[parent as usize].get_or_insert(0) += node.delta.0;
            }
        }
        for (sum, node) in sums.iter().zip(&unit.nodes) {
            assert!(sum.is_none_or(|sum| sum == node.delta.0), "{what}: {}", node.name);
        }
    }
}

fn named<'a>(found: &'a Explain, name: &str) -> &'a ExplainNode {
    found.units[0].nodes.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn the_fused_kernel_has_no_spills_and_another_bottleneck() {
    let Some([baseline, fused]) = pair() else { return };
    let found = explain(&of(&baseline, None), &of(&fused, None));
    check(&found, "pair");
    assert_eq!(found.units.len(), 2);
    let total = found.units[0].total().expect("a total");
    assert_eq!(total.delta.0, 38_624 - 59_533);
    let parts: Vec<(&str, i64)> = found.units[0].parts().map(|p| (p.name.as_str(), p.delta.0)).collect();
    let want = [("DMA", -11_100), ("Vector", -6_200), ("Tensor", -1_500), ("Idle", -1_400), ("Scalar", -1_200), ("Sync", 500)];
    for (name, delta) in want {
        let got = parts.iter().find(|p| p.0 == name).expect("each part").1;
        assert!((got - delta).abs() <= 110, "{name}: {got} instead of about {delta}");
    }
    assert_eq!(parts[0].0, "DMA", "the largest difference first");
    let sentences: Vec<&str> = found.units[0].sentences.iter().map(|s| s.text.as_str()).collect();
    assert!(sentences[0].starts_with("20.9 µs faster (59.5 µs → 38.6 µs, 1.54 ×)."), "{sentences:?}");
    assert!(sentences[0].contains("exclusive DMA time"), "{sentences:?}");
    assert!(sentences[1].starts_with("The bottleneck moved from DMA (23.7 µs busy) to Tensor (15.6 µs busy)."), "{sentences:?}");
    assert!(sentences[1].contains("Matrix products are the same"), "{sentences:?}");
    assert!(sentences[2].contains("4\u{202f}194\u{202f}304 fewer bytes are moved"), "{sentences:?}");
    assert!(sentences[2].ends_with("all spills or reloads."), "{sentences:?}");
    let evidence = found.units[0].sentences[2].evidence.join("\n");
    assert!(evidence.contains("Spills and reloads (bytes beyond these): 4\u{202f}194\u{202f}304 → 0"), "{evidence}");
    let dma = named(&found, "DMA");
    let bytes = |v: &Option<axonscope::analysis::explain::NodeValues>| v.and_then(|v| v.bytes).unwrap_or(0.0);
    // Fetches of instructions are in the tree too, and are the same in both.
    assert_eq!(bytes(&dma.base) - bytes(&dma.run), 4_194_304.0 + 512.0);
    let text = markdown(&found);
    assert!(text.contains("| DMA | 17.4 µs | 6.24 µs | −11.1 µs |"), "{text}");
    assert!(text.contains("## Metrics that differ"), "{text}");
}

#[test]
fn differences_sum_on_every_pair_of_runs_over_any_range() {
    let Some(folder) = conformance() else { return };
    let all: Vec<(String, Profile)> = RUNS
        .iter()
        .flat_map(|(run, stem)| sources(&folder, run, stem).into_iter().map(move |(s, files)| (format!("{run} {s}"), files)))
        .map(|(name, files)| (name, import_one(&files).expect("it opens").profile))
        .collect();
    let mut random = Random(11);
    let mut any = || {
        let start = random.below(80_000) as i64 - 10_000;
        (random.below(4) > 0).then(|| range(start, start + random.below(50_000) as i64))
    };
    for (a, base) in &all {
        for (b, run) in &all {
            for _ in 0..4 {
                let (x, y) = (any(), any());
                let what = format!("{a} {x:?}, {b} {y:?}");
                let parts = [of(base, x), of(run, y)];
                for (part, within) in parts.iter().zip([(base, x), (run, y)]) {
                    let bounds = bounds(within.0, &BoundsQuery { range: within.1, order: Vec::new() });
                    for (unit, core) in part.units.iter().zip(&bounds.cores) {
                        check_part(&unit.nodes, &what);
                        assert_eq!(unit.nodes[0].time, bounds.range.duration(), "{what}");
                        let exclusive: Vec<i64> = core.exclusive.iter().map(|e| e.time.0).collect();
                        let own: Vec<i64> = unit.nodes.iter().filter(|n| n.level == 1).map(|n| n.time.0).collect();
                        assert_eq!(own, exclusive, "{what}");
                    }
                }
                check(&explain(&parts[0], &parts[1]), &what);
            }
        }
    }
}

#[test]
fn the_same_file_twice_has_no_difference() {
    let Some([baseline, _]) = pair() else { return };
    let part = of(&baseline, None);
    let found = explain(&part, &part);
    assert!(found.units.iter().flat_map(|u| &u.nodes).all(|n| n.delta.0 == 0 && n.state().is_none()));
    assert_eq!((found.metrics.len(), found.n_equal > 20), (0, true));
    assert!(found.units[0].sentences[0].text.starts_with("Both take 59.5 µs: no part differs."), "{:?}", found.units[0].sentences);
    assert!(markdown(&found).contains("0 of "));
}

fn small(rows: &[(&str, &str, i64, i64, &str)], instance: &str) -> Profile {
    let instruction = |(at, r): (usize, &(&str, &str, i64, i64, &str))| {
        json!({"id": at, "label": r.0, "subgroup": r.0, "subgraph": "sg00", "opcode": r.1, "timestamp": r.2, "duration": r.3, "operands": "",
            "evt_wait_time": 0, "nki_source_location": r.4})
    };
    let file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 1000}],
        "summary": [{"instance_type": instance}],
        "instruction": rows.iter().enumerate().map(instruction).collect::<Vec<Value>>(),
    });
    import_one(&[("small.json".into(), file.to_string().into_bytes())]).expect("it opens").profile
}

#[test]
fn instructions_are_matched_by_file_opcode_and_line() {
    let base = small(&[("Tensor", "MATMUL", 0, 100, "/a/kernel.py:3"), ("Vector", "COPY", 200, 50, "/a/kernel.py:7")], "trn2");
    let run = small(&[("Tensor", "MATMUL", 0, 70, "/b/kernel.py:3"), ("Vector", "ADD", 200, 80, "/b/kernel.py:7")], "trn2");
    let found = explain(&of(&base, None), &of(&run, None));
    check(&found, "small");
    assert_eq!(named(&found, "kernel.py:3").delta.0, -30, "the folder of a build is not part of a name");
    assert_eq!((named(&found, "COPY").state(), named(&found, "ADD").state()), (Some("gone"), Some("new")));
    let before = found.units[0].nodes.iter().find(|n| n.name == "Before Vector ADD").expect("idle time before it");
    assert_eq!((before.delta.0, before.state()), (130, Some("new")));
    assert!(named(&found, "Until the end").state().is_none());
}

#[test]
fn runs_of_different_models_share_no_instruction() {
    let base = small(&[("Tensor", "MATMUL", 0, 100, "/a/attention.py:3"), ("Vector", "COPY", 200, 50, "/a/attention.py:7")], "trn2");
    let run = small(&[("Scalar", "ACTIVATE", 0, 70, "/b/mlp.py:9"), ("GpSimd", "IOTA", 300, 20, "/b/mlp.py:12")], "trn2");
    let found = explain(&of(&base, None), &of(&run, None));
    check(&found, "different models");
    let regions: Vec<_> = found.units[0].nodes.iter().filter(|n| n.level == 2 && n.name != "Until the end").collect();
    assert!(regions.len() >= 4, "{regions:?}");
    assert!(regions.iter().all(|n| n.state() == Some(if n.name == "attention.py" { "gone" } else { "new" })), "{regions:?}");
    assert!(!found.units[0].sentences.is_empty() && markdown(&found).contains("mlp.py"));
}

#[test]
fn odd_runs_are_explained_too() {
    let rows = [("Tensor", "MATMUL", 100, 100, "")];
    let (base, other) = (small(&rows, "trn1"), small(&rows, "trn2"));
    let found = explain(&of(&base, None), &of(&other, None));
    assert!(found.notes.iter().any(|n| n.contains("different hardware: trn1 and trn2")), "{:?}", found.notes);
    assert!(found.notes.iter().any(|n| n.contains("Source lines are not recorded")), "{:?}", found.notes);
    for within in [range(500, 500), range(5_000, 6_000), range(-20, -10), range(120, 130)] {
        let part = of(&base, Some(within));
        let found = explain(&part, &of(&other, None));
        check(&found, "odd range");
        assert_eq!(part.units[0].nodes[0].time, within.duration());
    }
    let nothing = small(&[], "trn2");
    let found = explain(&of(&nothing, None), &of(&base, None));
    assert!(found.units.is_empty() && found.notes.iter().any(|n| n.contains("only cores that both have")), "{:?}", found.notes);
    assert!(markdown(&found).starts_with("# What changed: "));
    let Some([baseline, _]) = pair() else { return };
    let found = explain(&of(&base, None), &of(&baseline, None));
    assert_eq!(found.units.len(), 1, "one core and two");
    check(&found, "one core and two");
}
