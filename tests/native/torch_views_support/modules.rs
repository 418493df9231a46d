//! Modules and the tree of operators against the plugin's answers.

use super::{Check, ask, close, number, rows, text};
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::modules::{Modules, TreePart, TreeQuery};
use axonscope::base::DurationNs;
use axonscope::engine::query::ModulesQuery;
use serde_json::Value;

/// Checks what the truth of a case tells of modules and the tree.
pub fn check(view: &View<'_>, truth: &dyn Fn(&str) -> Option<Value>) -> Vec<(&'static str, Check)> {
    let mut out = Vec::new();
    if let Some(truth) = truth("module") {
        out.push(("module", modules(view, &truth)));
    }
    if let Some(truth) = truth("tree") {
        out.push(("tree", tree(view, &truth)));
    }
    out
}

fn modules(view: &View<'_>, truth: &Value) -> Check {
    let mut check = Check::default();
    let Modules { rows: got, .. } = ask(view, ModulesQuery);
    // Their tree in our order: parents first.
    let mut want: Vec<(&Value, u32)> = Vec::new();
    let mut open: Vec<(&Value, u32)> = rows(&truth["data"]).iter().rev().map(|m| (m, 0)).collect();
    while let Some((module, depth)) = open.pop() {
        want.push((module, depth));
        open.extend(rows(&module["children"]).iter().rev().map(|m| (m, depth + 1)));
    }
    check.same("modules", got.len(), want.len());
    for (got, (want, depth)) in got.iter().zip(want) {
        let us = |got: DurationNs, key: &str| close(got.0 as f64 / 1e3, number(&want[key]), 0.01 + number(&want["occurences"]) * 0.003);
        let is_same = got.name == text(&want["name"])
            && got.depth == depth
            && f64::from(got.id) == number(&want["id"])
            && got.occurrences as f64 == number(&want["occurences"])
            && got.operators as f64 == number(&want["operators"]);
        check.holds(|| format!("{got:?}, expected {}", brief(want)), is_same);
        let times = us(got.host_total, "host_duration")
            && us(got.host_self, "self_host_duration")
            && us(got.device_total, "device_duration")
            && us(got.device_self, "self_device_duration")
            && close(got.mean_ns / 1e3, number(&want["avg_duration"]), 0.02);
        check.holds(|| format!("times of {got:?}, expected {}", brief(want)), times);
    }
    check
}

/// A node without its children.
fn brief(node: &Value) -> Value {
    let mut node = node.clone();
    if let Some(fields) = node.as_object_mut() {
        fields.remove("children");
    }
    node
}

fn part(view: &View<'_>, below: Option<u32>, levels: u32) -> TreePart {
    ask(view, TreeQuery { below, levels, ..TreeQuery::default() })
}

/// The whole tree, level by level as a viewer asks for it.
fn tree(view: &View<'_>, truth: &Value) -> Check {
    let mut check = Check::default();
    // Truth and our node side by side.
    let mut open: Vec<(&Value, Option<u32>)> = vec![(truth, None)];
    let whole = part(view, None, 0);
    let is_whole = whole.n_more == 0;
    let origin = first_us(truth) - whole.nodes.first().map_or(0.0, |n| n.start.0 as f64 / 1e3);
    while let Some((want, node)) = open.pop() {
        let children: Vec<_> =
            if is_whole { whole.nodes.iter().filter(|n| n.parent == node).cloned().collect() } else { part(view, node, 1).nodes };
        let wanted = rows(&want["children"]);
        if children.len() != wanted.len() {
            check.wrong(format!("{}: {} children, expected {}", text(&want["name"]), children.len(), wanted.len()));
            continue;
        }
        for (got, want) in children.iter().zip(wanted) {
            let is_same = got.name == text(&want["name"])
                && got.kind == text(&want["type"])
                && close(got.start.0 as f64 / 1e3 + origin, number(&want["start_time"]), 0.005)
                && close(got.duration.0 as f64 / 1e3, number(&want["end_time"]) - number(&want["start_time"]), 0.005);
            check.holds(|| format!("{got:?}, expected {}", brief(want)), is_same);
            open.push((want, Some(got.node)));
        }
    }
    check
}

fn first_us(truth: &Value) -> f64 {
    rows(&truth["children"]).first().map_or(0.0, |c| number(&c["start_time"]))
}
