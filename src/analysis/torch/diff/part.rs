//! One trace's part of a diff: its main tree without what cannot be matched, and flat sums.

use super::super::View;
use super::super::core::class::Class;
use super::super::core::events::NodeKind;
use super::super::core::times::NodeTimes;
use super::super::modules;
use super::{DiffFigures, DiffItem, DiffPart, DiffSum, FlatSum, Landmark};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Makes the part of this trace.
pub fn part(view: &View<'_>) -> DiffPart {
    let mut maker = Maker::new(view);
    let mut notes = Vec::new();
    match modules::main_thread(view).and_then(|t| view.model.trees.roots.get(t as usize)) {
        Some(root) => maker.main(root.node),
        None => notes.push("No operators are recorded in this trace: only kernels can be compared.".into()),
    }
    let operators = maker.operators();
    let kernels = maker.kernels();
    let Maker { names, items, sums, .. } = maker;
    DiffPart { title: view.profile.meta.title.clone(), names: names.texts, items, sums, operators, kernels, notes }
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    known: FxHashMap<String, u32>,
}

impl Texts {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        let at = self.texts.len() as u32;
        self.texts.push(text.to_string());
        self.known.insert(text.to_string(), at);
        at
    }
}

struct Maker<'a> {
    view: &'a View<'a>,
    times: NodeTimes,
    /// Whether a landmark is below. By node.
    has_landmark: Vec<bool>,
    names: Texts,
    items: Vec<DiffItem>,
    sums: Vec<DiffSum>,
}

impl<'a> Maker<'a> {
    fn new(view: &'a View<'a>) -> Self {
        let trees = &view.model.trees;
        let mut has_landmark = vec![false; trees.len()];
        for node in (0..trees.len()).rev() {
            let parent = trees.parent[node] as usize;
            if (has_landmark[node] || landmark(trees.kind[node]).is_some()) && parent < trees.len() {
                has_landmark[parent] = true;
            }
        }
        let times = NodeTimes::new(view.profile, view.model);
        Maker { view, times, has_landmark, names: Texts::default(), items: Vec::new(), sums: Vec::new() }
    }

    /// The items of a tree: what its steps hold, one after the other; without steps what the root holds.
    fn main(&mut self, root: u32) {
        let trees = &self.view.model.trees;
        let steps: Vec<u32> = trees.children(root).filter(|&n| trees.kind[n as usize] == NodeKind::Step).collect();
        let tops: Vec<u32> =
            if steps.is_empty() { trees.children(root).collect() } else { steps.iter().flat_map(|&s| trees.children(s)).collect() };
        // Siblings still to be written, and the item whose end is to be noted once they are.
        let mut open: Vec<(Vec<u32>, usize, Option<usize>)> = vec![(tops, 0, None)];
        while let Some((siblings, at, above)) = open.pop() {
            let Some(&node) = siblings.get(at) else {
                if let Some(above) = above {
                    self.items[above].n_below = (self.items.len() - above - 1) as u32;
                }
                continue;
            };
            let is_plain = |n: u32| landmark(trees.kind[n as usize]).is_none() && !self.has_landmark[n as usize];
            let mut n = 1;
            while is_plain(node) && siblings.get(at + n).is_some_and(|&next| is_plain(next)) {
                n += 1;
            }
            let nodes = siblings[at..at + n].to_vec();
            open.push((siblings, at + n, above));
            let item = self.items.len();
            let is_deep = self.has_landmark[node as usize];
            self.item(&nodes, is_deep);
            if is_deep {
                open.push((trees.children(node).collect(), 0, Some(item)));
            }
        }
    }

    /// Writes the item of one node, or of a run of plain ones.
    fn item(&mut self, nodes: &[u32], is_deep: bool) {
        let (view, trees) = (self.view, &self.view.model.trees);
        let Some(&first) = nodes.first() else { return };
        let mut item = DiffItem {
            name: self.names.of(&modules::node_name(view, first)),
            landmark: landmark(trees.kind[first as usize]),
            n_nodes: nodes.len() as u32,
            sums_from: self.sums.len() as u32,
            ..DiffItem::default()
        };
        let mut sums: FxHashMap<StrId, DiffFigures> = FxHashMap::default();
        let mut order: Vec<StrId> = Vec::new();
        for &node in nodes {
            let (start, end) = trees.span(&view.profile.slices, node);
            let host = end.saturating_sub(start);
            let device = self.times.device_total[node as usize];
            item.host_ns = item.host_ns.saturating_add(host);
            item.device_ns = item.device_ns.saturating_add(device);
            item.total_ns = item.total_ns.saturating_add(if device != 0 { device } else { host });
            let until = if is_deep { node + 1 } else { trees.end[node as usize] };
            for operator in (node..until).filter(|&n| view.model.is_operator(view.profile, n)) {
                let name = view.profile.slices.name[trees.slice[operator as usize] as usize];
                let sum = sums.entry(name).or_insert_with(|| {
                    order.push(name);
                    DiffFigures::default()
                });
                *sum = sum.plus(self.figures(operator));
            }
        }
        for name in order {
            let figures = sums.get(&name).copied().unwrap_or_default();
            self.sums.push(DiffSum { name: self.names.of(view.profile.strings.get(name)), figures });
        }
        item.n_sums = self.sums.len() as u32 - item.sums_from;
        self.items.push(item);
    }

    /// The values of an operator node.
    fn figures(&self, node: u32) -> DiffFigures {
        let (trees, i) = (&self.view.model.trees, node as usize);
        DiffFigures {
            calls: 1,
            host_total: DurationNs(self.view.model.host_duration(self.view.profile, trees.slice[i])),
            host_self: DurationNs(trees.host_self[i]),
            device_total: DurationNs(self.times.device_total[i]),
            device_self: DurationNs(self.times.device_self[i]),
        }
    }

    /// Operators of all threads by name and shape.
    fn operators(&mut self) -> Vec<FlatSum> {
        let (view, trees) = (self.view, &self.view.model.trees);
        let shapes = view.profile.attribute("input_shape");
        let mut sums: FxHashMap<(StrId, StrId), DiffFigures> = FxHashMap::default();
        for node in 0..trees.len() as u32 {
            let slice = trees.slice[node as usize];
            if slice != NO_SLICE && view.model.is_operator(view.profile, node) {
                let shape = shapes.and_then(|a| a.values.get(slice as usize).copied()).unwrap_or(StrId(0));
                let sum = sums.entry((view.profile.slices.name[slice as usize], shape)).or_default();
                *sum = sum.plus(self.figures(node));
            }
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.order_by_key(|s| s.0);
        let mut row = |((name, shape), figures): ((StrId, StrId), DiffFigures)| FlatSum {
            name: self.names.of(view.profile.strings.get(name)),
            shape: Some(self.names.of(view.profile.strings.get(shape))),
            figures,
        };
        sums.into_iter().map(&mut row).collect()
    }

    /// Work of devices by name.
    fn kernels(&mut self) -> Vec<FlatSum> {
        let view = self.view;
        let mut sums: FxHashMap<StrId, DiffFigures> = FxHashMap::default();
        for &slice in &view.model.events.work {
            let i = slice as usize;
            if !view.model.class.get(i).is_some_and(|c: &Class| c.is_device()) {
                continue;
            }
            let duration = DurationNs(view.profile.slices.duration[i]);
            let sum = sums.entry(view.profile.slices.name[i]).or_default();
            *sum = sum.plus(DiffFigures { calls: 1, device_total: duration, device_self: duration, ..DiffFigures::default() });
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.order_by_key(|s| s.0);
        sums.into_iter()
            .map(|(name, figures)| FlatSum { name: self.names.of(view.profile.strings.get(name)), shape: None, figures })
            .collect()
    }
}

/// Whether nodes of a kind are matched between traces, and as what.
fn landmark(kind: NodeKind) -> Option<Landmark> {
    match kind {
        NodeKind::Step => Some(Landmark::Step),
        NodeKind::DataLoader => Some(Landmark::DataLoader),
        NodeKind::Optimizer => Some(Landmark::Optimizer),
        NodeKind::Module | NodeKind::LightningModule => Some(Landmark::Module),
        NodeKind::Backward => Some(Landmark::Backward),
        NodeKind::Root | NodeKind::Operator | NodeKind::Range => None,
    }
}
