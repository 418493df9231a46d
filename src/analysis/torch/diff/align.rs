//! The aligned walk along two trees: landmarks of the same kind and name are matched in order, what is between them forms runs.

use super::{Diff, DiffFigures, DiffItem, DiffPart, DiffRow, DiffSide, OperatorDiff};
use crate::base::DurationNs;
use crate::base::Order as _;
use rustc_hash::FxHashMap;

/// Nodes of one trace that are beside each other, as positions in [`DiffPart::items`].
type Nodes = Vec<u32>;

/// A part of both.
#[derive(Debug, Clone, Default)]
struct Pair {
    base: Nodes,
    experiment: Nodes,
}

/// A path that leads to no part of two traces.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is not written as a path.
    #[error("Expected a path like `0-2-1`, found `{0}`.")]
    Syntax(String),
    /// No part is there.
    #[error("These traces have no part `{0}`.")]
    NoPart(String),
}

/// The base beside `experiment`, in the part that `path` names.
pub fn diff(base: &DiffPart, experiment: &DiffPart, path: &str) -> Result<Diff, PathError> {
    let sides = (base, experiment);
    let mut part = Pair { base: below(&base.items, None), experiment: below(&experiment.items, None) };
    let mut at = String::from("0");
    let mut crumbs = vec![(at.clone(), "All".to_string())];
    let mut accumulated = 0;
    let mut shown = row(sides, &at, &part, &mut accumulated);
    for step in path.split('-').skip(1) {
        let index: usize = step.parse().map_err(|_| PathError::Syntax(path.into()))?;
        let next = parts(sides, &part).into_iter().nth(index);
        part = next.ok_or_else(|| PathError::NoPart(path.into()))?;
        at = format!("{at}-{index}");
        accumulated = 0;
        shown = row(sides, &at, &part, &mut accumulated);
        crumbs.push((at.clone(), if shown.label.is_empty() { shown.experiment.name.clone() } else { shown.label.clone() }));
    }
    let mut accumulated = 0;
    let inner = parts(sides, &part);
    let rows = inner.iter().enumerate().map(|(i, p)| row(sides, &format!("{at}-{i}"), p, &mut accumulated)).collect();
    let operators = joined(&operators(base, &part.base), &operators(experiment, &part.experiment));
    Ok(Diff {
        base: base.title.clone(),
        experiment: experiment.title.clone(),
        crumbs,
        part: shown,
        parts: rows,
        operators,
        notes: notes(base, experiment),
    })
}

/// Items directly below an item, or on top.
fn below(items: &[DiffItem], above: Option<u32>) -> Nodes {
    let (mut at, end) = match above {
        None => (0, items.len()),
        Some(a) => (a as usize + 1, items.get(a as usize).map_or(0, |i| a as usize + 1 + i.n_below as usize).min(items.len())),
    };
    let mut out = Vec::new();
    while at < end {
        out.push(at as u32);
        at += 1 + items[at].n_below as usize;
    }
    out
}

/// Items of a list that exist: parts come from elsewhere.
fn get(part: &DiffPart, item: u32) -> DiffItem {
    part.items.get(item as usize).copied().unwrap_or_default()
}

fn n_nodes(part: &DiffPart, nodes: &[u32]) -> u64 {
    nodes.iter().map(|&i| u64::from(get(part, i).n_nodes)).sum()
}

/// What a part consists of; empty where nothing in it can be matched.
fn parts((base, experiment): (&DiffPart, &DiffPart), pair: &Pair) -> Vec<Pair> {
    let is_one = (n_nodes(base, &pair.base) == 1, n_nodes(experiment, &pair.experiment) == 1);
    let (left, right) = match is_one {
        (true, true) => (below(&base.items, pair.base.first().copied()), below(&experiment.items, pair.experiment.first().copied())),
        (false, false) => (pair.base.clone(), pair.experiment.clone()),
        _ => return Vec::new(),
    };
    let matches = matches((base, &left), (experiment, &right));
    if matches.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(matches.len() * 2 + 1);
    let mut from = (0, 0);
    let mut push = |l: &[u32], r: &[u32]| {
        if !l.is_empty() || !r.is_empty() {
            out.push(Pair { base: l.to_vec(), experiment: r.to_vec() });
        }
    };
    for (l, r) in matches {
        push(&left[from.0..l], &right[from.1..r]);
        push(&left[l..=l], &right[r..=r]);
        from = (l + 1, r + 1);
    }
    push(&left[from.0..], &right[from.1..]);
    out
}

/// Pairs of landmarks: each of the left list takes the next unused one of its kind and name in the right list.
fn matches((base, left): (&DiffPart, &[u32]), (experiment, right): (&DiffPart, &[u32])) -> Vec<(usize, usize)> {
    let name = |part: &DiffPart, item: DiffItem| part.names.get(item.name as usize).cloned().unwrap_or_default();
    let mut places: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    for (at, &item) in right.iter().enumerate() {
        let item = get(experiment, item);
        if let Some(landmark) = item.landmark {
            places.entry((landmark, name(experiment, item))).or_default().push(at);
        }
    }
    let mut out = Vec::new();
    let mut next = 0;
    for (at, &item) in left.iter().enumerate() {
        let item = get(base, item);
        let Some(landmark) = item.landmark else { continue };
        let Some(there) = places.get(&(landmark, name(base, item))) else { continue };
        if let Some(&found) = there.get(there.partition_point(|&p| p < next)) {
            out.push((at, found));
            next = found + 1;
        }
    }
    out
}

fn row(sides: (&DiffPart, &DiffPart), path: &str, pair: &Pair, accumulated: &mut i64) -> DiffRow {
    let (base, experiment) = (side(sides.0, &pair.base), side(sides.1, &pair.experiment));
    let delta_ns = experiment.total.0.saturating_sub(base.total.0);
    *accumulated = accumulated.saturating_add(delta_ns);
    let name = if base.n_nodes > 0 { &base.name } else { &experiment.name };
    let label = label(name);
    let n_parts = parts(sides, pair).len() as u32;
    DiffRow { path: path.into(), label, base, experiment, delta_ns, accumulated_ns: *accumulated, n_parts }
}

fn side(part: &DiffPart, nodes: &[u32]) -> DiffSide {
    let n_nodes = n_nodes(part, nodes);
    let name = match (n_nodes, nodes.first()) {
        (0, _) | (_, None) => "Blank",
        (1, Some(&item)) => part.names.get(get(part, item).name as usize).map_or("", String::as_str),
        _ => "CompositeNodes",
    };
    let sum = |of: fn(&DiffItem) -> i64| DurationNs(nodes.iter().fold(0i64, |s, &i| s.saturating_add(of(&get(part, i)))));
    DiffSide { name: name.into(), n_nodes, host: sum(|i| i.host_ns), device: sum(|i| i.device_ns), total: sum(|i| i.total_ns) }
}

/// The label of a bar; none for runs and single operators of ATen.
fn label(name: &str) -> String {
    if name == "CompositeNodes" || name == "Blank" || name.starts_with("aten::") {
        return String::new();
    }
    if let Some(rest) = name.strip_prefix("enumerate(DataLoader)#") {
        return rest.strip_suffix(".__next__").unwrap_or(rest).into();
    }
    if let Some(rest) = name.strip_prefix("Optimizer.step#") {
        return format!("Optimizer {}", rest.strip_suffix(".step").unwrap_or(rest));
    }
    name.strip_prefix("nn.Module: ").unwrap_or(name).into()
}

/// Operators of some nodes and of all below, by name.
fn operators(part: &DiffPart, nodes: &[u32]) -> Vec<(String, DiffFigures)> {
    let mut sums: FxHashMap<u32, DiffFigures> = FxHashMap::default();
    for &node in nodes {
        let end = node as usize + 1 + get(part, node).n_below as usize;
        for item in part.items.get(node as usize..end.min(part.items.len())).unwrap_or_default() {
            let from = item.sums_from as usize;
            for sum in part.sums.get(from..from.saturating_add(item.n_sums as usize)).unwrap_or_default() {
                let all = sums.entry(sum.name).or_default();
                *all = all.plus(sum.figures);
            }
        }
    }
    let name = |at: u32| part.names.get(at as usize).cloned().unwrap_or_default();
    sums.into_iter().map(|(at, figures)| (name(at), figures)).collect()
}

/// Rows of both by name, the greatest change first.
fn joined(base: &[(String, DiffFigures)], experiment: &[(String, DiffFigures)]) -> Vec<OperatorDiff> {
    let mut rows: FxHashMap<&str, OperatorDiff> = FxHashMap::default();
    for (name, figures) in base {
        rows.entry(name).or_default().base = Some(*figures);
    }
    for (name, figures) in experiment {
        rows.entry(name).or_default().experiment = Some(*figures);
    }
    let mut out: Vec<OperatorDiff> = rows.into_iter().map(|(name, row)| OperatorDiff { name: name.into(), ..row }).collect();
    sort(&mut out, |f| f.device_total, |f| f.host_total);
    out
}

/// Sorts by the change of the first value (of the second where the first is 0 in all rows), the greatest first; ties by name.
pub fn sort(rows: &mut [OperatorDiff], first: fn(&DiffFigures) -> DurationNs, second: fn(&DiffFigures) -> DurationNs) {
    let value = |side: &Option<DiffFigures>, of: fn(&DiffFigures) -> DurationNs| side.as_ref().map_or(0, |f| of(f).0);
    let has_first = rows.iter().any(|r| value(&r.base, first) != 0 || value(&r.experiment, first) != 0);
    let of = if has_first { first } else { second };
    let change = |r: &OperatorDiff| value(&r.experiment, of).saturating_sub(value(&r.base, of)).unsigned_abs();
    rows.order_by(|a, b| change(b).cmp(&change(a)).then_with(|| (&a.name, &a.shape).cmp(&(&b.name, &b.shape))));
}

fn notes(base: &DiffPart, experiment: &DiffPart) -> Vec<String> {
    let mut out: Vec<String> = base.notes.iter().map(|n| format!("{}: {n}", base.title)).collect();
    out.extend(experiment.notes.iter().map(|n| format!("{}: {n}", experiment.title)));
    let has_landmark = |part: &DiffPart| part.items.iter().any(|i| i.landmark.is_some());
    if !(has_landmark(base) && has_landmark(experiment)) {
        out.push(
            "The traces cannot be aligned: both need data loading, modules or optimizer steps. Compare them by operator instead.".into(),
        );
    }
    out
}
