//! Two parts beside each other, matched by names from the root.

use super::{
    Explain, ExplainKind, ExplainNode, ExplainPart, ExplainUnit, NodeValues, PartNode, UnitFacts, UnitPart, invocation_sentences, metrics,
    sentences, step_sentences,
};
use crate::base::Order as _;
use crate::base::{DurationNs, text};
use rustc_hash::FxHashMap;

/// What changed from `base` to `run`.
pub fn explain(base: &ExplainPart, run: &ExplainPart) -> Explain {
    let mut out = Explain { base: base.title.clone(), run: run.title.clone(), kind: run.kind, ..Explain::default() };
    for note in base.notes.iter().chain(&run.notes) {
        if !out.notes.contains(note) {
            out.notes.push(note.clone());
        }
    }
    if base.kind != run.kind {
        out.notes
            .push("Expected two profiles of a kind: two Neuron device profiles, two Neuron system profiles or two PyTorch traces.".into());
        return out;
    }
    if base.architecture != run.architecture && !base.architecture.is_empty() && !run.architecture.is_empty() {
        out.notes.push(format!("The profiles are of different hardware: {} and {}.", base.architecture, run.architecture));
    }
    (out.metrics, out.n_equal) = metrics::changes(&base.metrics, &run.metrics);
    if run.kind == ExplainKind::System {
        by_name(base, run, &mut out);
        return out;
    }
    if base.units.len() != run.units.len() {
        let (a, b) = (base.units.len() as u64, run.units.len() as u64);
        let (a, b) = (text::counted(a, "physical core"), text::counted(b, "physical core"));
        out.notes.push(format!("The base has {a} and the run {b}: only cores that both have are compared."));
    }
    out.units = base.units.iter().zip(&run.units).map(|(a, b)| unit(a, b)).collect();
    out
}

/// Units that both have, in the order of the run; a note names the others.
fn by_name(base: &ExplainPart, run: &ExplainPart, out: &mut Explain) {
    let of = |part: &'_ ExplainPart, name: &str| part.units.iter().position(|u| u.name == name);
    for b in &run.units {
        if let Some(a) = of(base, &b.name).and_then(|at| base.units.get(at)) {
            out.units.push(unit(a, b));
        }
    }
    let mut alone = |one: &ExplainPart, other: &ExplainPart| {
        let names: Vec<&str> = one.units.iter().filter(|u| of(other, &u.name).is_none()).map(|u| u.name.as_str()).collect();
        if !names.is_empty() {
            out.notes.push(format!("Only in {}: {}.", one.title, names.join(", ")));
        }
    };
    alone(base, run);
    alone(run, base);
}

fn unit(base: &UnitPart, run: &UnitPart) -> ExplainUnit {
    let name = if base.name == run.name { base.name.clone() } else { format!("{} → {}", base.name, run.name) };
    let n_samples = (base.n_samples, run.n_samples);
    let nodes = nodes(&base.nodes, &run.nodes);
    let mut out = ExplainUnit { name, sentences: Vec::new(), nodes, n_samples };
    out.sentences = match (&base.facts, &run.facts) {
        (UnitFacts::Core(a), UnitFacts::Core(b)) => sentences::of_core(a, b, &out),
        (UnitFacts::Step(a), UnitFacts::Step(b)) => step_sentences::of_step(a, b, &out),
        (UnitFacts::Invocations, UnitFacts::Invocations) => invocation_sentences::of_unit(&out),
        _ => Vec::new(),
    };
    out
}

/// Positions of a node in both trees.
#[derive(Debug, Clone, Copy)]
struct Pair {
    base: Option<usize>,
    run: Option<usize>,
    parent: Option<u32>,
}

fn nodes(base: &[PartNode], run: &[PartNode]) -> Vec<ExplainNode> {
    let mut out = Vec::with_capacity(base.len().max(run.len()));
    let first = |all: &[PartNode]| (!all.is_empty()).then_some(0);
    let mut stack = vec![Pair { base: first(base), run: first(run), parent: None }];
    while let Some(pair) = stack.pop() {
        let (a, b) = (pair.base.and_then(|at| base.get(at)), pair.run.and_then(|at| run.get(at)));
        let Some(some) = b.or(a) else { continue };
        let at = out.len() as u32;
        out.push(ExplainNode {
            name: some.name.clone(),
            level: some.level,
            parent: pair.parent,
            base: a.map(values),
            run: b.map(values),
            delta: DurationNs(time(b).saturating_sub(time(a))),
            spread_ns: spread(a, b),
        });
        let mut pairs = children(base, pair.base, run, pair.run);
        let key = |p: &Pair| {
            let (a, b) = (p.base.and_then(|at| base.get(at)), p.run.and_then(|at| run.get(at)));
            let change = time(b).saturating_sub(time(a)).unsigned_abs();
            (std::cmp::Reverse(change), std::cmp::Reverse(time(a).max(time(b))))
        };
        // Stable: equal ones stay in the order of their trees.
        pairs.order_by_key(key);
        stack.extend(pairs.into_iter().rev().map(|p| Pair { parent: Some(at), ..p }));
    }
    out
}

fn time(node: Option<&PartNode>) -> i64 {
    node.map_or(0, |n| n.time.0)
}

fn values(node: &PartNode) -> NodeValues {
    NodeValues { time: node.time, count: node.count, bytes: node.bytes }
}

/// Spread of both; of one where only that has several samples.
fn spread(a: Option<&PartNode>, b: Option<&PartNode>) -> Option<f64> {
    match (a.and_then(|n| n.spread_ns), b.and_then(|n| n.spread_ns)) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0.0).hypot(b.unwrap_or(0.0))),
    }
}

/// Children of both, each name once: those of the base first.
fn children(base: &[PartNode], of_base: Option<usize>, run: &[PartNode], of_run: Option<usize>) -> Vec<Pair> {
    let mut out: Vec<Pair> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for at in below(base, of_base) {
        places.insert(&base[at].name, out.len());
        out.push(Pair { base: Some(at), run: None, parent: None });
    }
    for at in below(run, of_run) {
        match places.get(run[at].name.as_str()) {
            Some(&place) => out[place].run = Some(at),
            None => out.push(Pair { base: None, run: Some(at), parent: None }),
        }
    }
    out
}

/// Positions of the children of a node.
fn below(nodes: &[PartNode], node: Option<usize>) -> Vec<usize> {
    let Some(parent) = node.and_then(|at| nodes.get(at)) else { return Vec::new() };
    let first = node.unwrap_or(0) + 1;
    let end = first.saturating_add(parent.n_below as usize).min(nodes.len());
    let (mut out, mut at) = (Vec::new(), first);
    while at < end {
        out.push(at);
        at = at.saturating_add(nodes[at].n_below as usize).saturating_add(1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    fn tree(rows: &[(&str, &str, i64)]) -> Vec<PartNode> {
        let mut out = Tree::new("Total", 1);
        for (part, name, time) in rows {
            let leaf = out.path(0, &[part, name]);
            out.time(leaf, 0, *time);
            out.count(leaf, 1);
        }
        out.finish()
    }

    #[test]
    fn names_are_matched_and_differences_sum() {
        let base = tree(&[("Tensor", "MATMUL", 10), ("DMA", "load", 30), ("DMA", "spill", 20)]);
        let run = tree(&[("Tensor", "MATMUL", 12), ("DMA", "load", 30), ("Vector", "COPY", 4)]);
        let got = nodes(&base, &run);
        let rows: Vec<(&str, i64, Option<&str>)> = got.iter().map(|n| (n.name.as_str(), n.delta.0, n.state())).collect();
        let want = [
            ("Total", -14, None),
            ("DMA", -20, None),
            ("spill", -20, Some("gone")),
            ("load", 0, None),
            ("Vector", 4, Some("new")),
            ("COPY", 4, Some("new")),
            ("Tensor", 2, None),
            ("MATMUL", 2, None),
        ];
        assert_eq!(rows, want);
        assert_eq!(got.iter().map(|n| n.parent).collect::<Vec<_>>(), [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(0), Some(6)]);
    }

    #[test]
    fn nothing_is_no_panic() {
        assert_eq!(nodes(&[], &[]), []);
        assert_eq!(nodes(&tree(&[]), &[]).len(), 1);
        let broken = [PartNode { n_below: 900, ..PartNode::default() }];
        assert_eq!(nodes(&broken, &broken).len(), 1);
    }
}
