//! What changed between two PyTorch traces: the mean step by category, operator and kernel sums without remainder, and noise is flagged.

use crate::common::conformance;
use crate::torch_support::{Trace, traces_below};
use axonscope::analysis::explain::{Explain, ExplainPart, ExplainQuery, explain};
use axonscope::analysis::torch::core::TorchModel;
use axonscope::analysis::torch::core::rules::Rules;
use axonscope::analysis::torch::explain::part;
use axonscope::analysis::torch::overview::OverviewQuery;
use axonscope::engine::TraceQuestion;
use serde_json::{Value, json};
use std::path::PathBuf;

fn asked(trace: &Trace) -> (ExplainPart, axonscope::analysis::torch::overview::Overview) {
    asked_by(trace, &TorchModel::new(&trace.profile, trace.torch()))
}

fn asked_by(trace: &Trace, model: &TorchModel) -> (ExplainPart, axonscope::analysis::torch::overview::Overview) {
    let view = trace.view(model);
    (part(&view, &ExplainQuery::default()), OverviewQuery::default().of(&view).expect("an overview"))
}

fn check(found: &Explain, what: &str) {
    for unit in &found.units {
        let mut sums = vec![None; unit.nodes.len()];
        for node in &unit.nodes {
            if let Some(parent) = node.parent {
                *sums[parent as usize].get_or_insert(0) += node.delta.0;
            }
        }
        for (sum, node) in sums.iter().zip(&unit.nodes) {
            assert!(sum.is_none_or(|sum| sum == node.delta.0), "{what}: {}", node.name);
        }
    }
}

#[test]
fn steps_of_every_trace_sum_by_category_operator_and_kernel() {
    let Some(folder) = conformance("kineto/traces") else { return };
    let mut before: Option<(PathBuf, ExplainPart)> = None;
    let mut n_kernels = 0;
    let of_profiler = |path: &PathBuf| path.to_string_lossy().contains("trace.json");
    for path in ["kineto-traces", "local-traces"].iter().flat_map(|part| traces_below(&folder.join(part))).filter(of_profiler) {
        let what = path.display().to_string();
        let trace = Trace::open(&path);
        // The rules of old traces count an instant twice; time without remainder needs the rule that does not.
        let mut rules = Rules::of(trace.era());
        rules.sums_to_step = true;
        let (part, overview) = asked_by(&trace, &trace.model(rules));
        for unit in &part.units {
            let n = overview.steps.len();
            assert_eq!(unit.n_samples as usize, n, "{what}");
            let mean = overview.mean_step_ns.expect("a step");
            assert!((unit.nodes[0].time.0 as f64 - mean).abs() <= 1.0, "{what}: {} and {mean}", unit.nodes[0].time.0);
            for row in &overview.summary {
                let own = unit.nodes.iter().find(|n| n.level == 1 && n.name == row.category.label()).expect("each category");
                assert!((own.time.0 as f64 - row.mean_ns).abs() <= 1.0, "{what}: {} {} and {}", own.name, own.time.0, row.mean_ns);
                assert_eq!(own.spread_ns.is_some(), n > 1, "{what}");
            }
            for (at, node) in unit.nodes.iter().enumerate().filter(|n| n.1.n_below > 0) {
                let below = &unit.nodes[at + 1..=at + node.n_below as usize];
                let sum: i64 = below.iter().filter(|n| n.level == node.level + 1).map(|n| n.time.0).sum();
                assert_eq!(sum, node.time.0, "{what}: {}", node.name);
            }
            n_kernels += unit.nodes.iter().filter(|n| n.level == 3).count();
        }
        if let Some((other, base)) = before.replace((path.clone(), part.clone())) {
            let found = explain(&base, &part);
            check(&found, &format!("{} and {what}", other.display()));
        }
        let same = explain(&part, &part);
        assert!(same.units.iter().flat_map(|u| &u.nodes).all(|n| n.delta.0 == 0 && n.state().is_none()), "{what}");
    }
    assert!(n_kernels > 100, "kernels below operators: {n_kernels}");
}

/// Steps of 1000 µs each; in step `i` one kernel of `kernels[i]` µs that `aten::mm` launched.
fn steps(kernels: &[i64], name: &str) -> Trace {
    let mut events: Vec<Value> = Vec::new();
    for (i, kernel) in kernels.iter().enumerate() {
        let (at, id) = (1_000 * i as i64, i + 1);
        let host = |cat: &str, name: &str, ts: i64, dur: i64, args: Value| json!({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args});
        events.push(host("user_annotation", &format!("ProfilerStep#{i}"), at, 1_000, json!({})));
        events.push(host("cpu_op", "aten::mm", at + 10, 100, json!({"External id": id, "Input Dims": [[64, 64], [64, 64]]})));
        events.push(host("cuda_runtime", "cudaLaunchKernel", at + 20, 10, json!({"External id": id, "correlation": id})));
        events.push(json!({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 100, "dur": kernel,
            "args": {"External id": id, "correlation": id, "device": 0, "stream": 7}}));
    }
    Trace::from_json(&json!({"schemaVersion": 1, "traceEvents": events}).to_string())
}

#[test]
fn a_difference_within_the_spread_over_steps_is_noise() {
    let (base, run) = (asked(&steps(&[300, 340, 320, 310], "gemm")).0, asked(&steps(&[305, 345, 320, 315], "gemm")).0);
    let found = explain(&base, &run);
    check(&found, "noise");
    let unit = &found.units[0];
    assert_eq!(unit.n_samples, (4, 4));
    let kernel = unit.nodes.iter().find(|n| n.level == 1 && n.name == "Kernel").expect("the category");
    assert_eq!(kernel.delta.0, 3_750, "the mean of 5, 5, 0 and 5 µs");
    assert!(kernel.is_noise() && kernel.spread_ns.is_some_and(|s| s > 20_000.0), "{kernel:?}");
    let other = explain(&base, &asked(&steps(&[600, 640, 620, 610], "gemm")).0);
    let kernel = other.units[0].nodes.iter().find(|n| n.level == 1 && n.name == "Kernel").expect("the category");
    assert!((kernel.delta.0, kernel.is_noise()) == (300_000, false), "{kernel:?}");
    let names: Vec<&str> = other.units[0].nodes.iter().filter(|n| n.level > 1).map(|n| n.name.as_str()).take(2).collect();
    assert_eq!(names, ["aten::mm", "gemm"], "the operator that launched it, then the kernel");
    let alone = explain(&asked(&steps(&[300], "gemm")).0, &asked(&steps(&[900], "gemm")).0);
    assert!(alone.units[0].nodes.iter().all(|n| n.spread_ns.is_none() && !n.is_noise()), "one step has no spread");
}

#[test]
fn another_kernel_is_new_and_the_old_one_gone() {
    let found = explain(&asked(&steps(&[300, 300], "old_gemm")).0, &asked(&steps(&[200, 200], "new_gemm")).0);
    let state = |name: &str| found.units[0].nodes.iter().find(|n| n.name == name).expect("a node").state();
    assert_eq!((state("old_gemm"), state("new_gemm"), state("aten::mm")), (Some("gone"), Some("new"), None));
    let sentences = &found.units[0].sentences;
    assert!(sentences[0].text.starts_with("Mean step: "), "{sentences:?}");
    assert!(sentences.iter().any(|s| s.text == "Per step: 1 kernels, copies and sets, 1 launches."), "{sentences:?}");
    assert!(sentences.iter().any(|s| s.text.starts_with("No device works during ")), "{sentences:?}");
}
