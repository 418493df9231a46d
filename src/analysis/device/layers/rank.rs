//! The tree tree in the order in which it is shown, with shares of the peak and colours.

use super::LayerNode;
use super::figures::LayerTree;
use crate::analysis::device::run_metrics::flops::share_of_peak;
use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::base::Order as _;
use crate::base::colour_slots::by_index;
use crate::model::Profile;

/// Nodes in pre-order: cores in their order, other nodes by time.
pub(super) fn order(tree: &LayerTree<'_>) -> Vec<u32> {
    let n = tree.nodes.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n + 1];
    for (i, node) in tree.nodes.iter().enumerate() {
        children[node.parent.map_or(n, |p| p as usize)].push(i as u32);
    }
    for list in &mut children[..n] {
        list.order_by(|a, b| {
            let (a, b) = (&tree.nodes[*a as usize], &tree.nodes[*b as usize]);
            b.active.cmp(&a.active).then(a.start.cmp(&b.start)).then_with(|| a.name.cmp(&b.name))
        });
    }
    let mut out = Vec::with_capacity(n);
    let mut open: Vec<u32> = children[n].iter().rev().copied().collect();
    while let Some(at) = open.pop() {
        out.push(at);
        open.extend(children[at as usize].iter().rev());
    }
    out
}

/// The nodes in their order, with shares of the peak and colours.
pub(super) fn finish(profile: &Profile, tree: LayerTree<'_>, facts: &MetricSource<'_>, slots: &[u16]) -> Vec<LayerNode> {
    let order = order(&tree);
    let mut place = vec![0u32; tree.nodes.len()];
    for (to, from) in order.iter().enumerate() {
        place[*from as usize] = to as u32;
    }
    let peak = facts.peak_flops();
    let node = |at: u32| {
        let mut node = tree.nodes[at as usize].clone();
        node.parent = node.parent.map(|p| place[p as usize]);
        node.adjusted_flops = node.adjusted_flops.filter(|_| !tree.is_untyped(at));
        let share = |flops: Option<u64>| share_of_peak(flops?, node.end.0.saturating_sub(node.start.0), peak);
        node.hfu = share(node.flops);
        node.mfu = share(node.flops.zip(node.transpose_flops).map(|(all, moved)| all - moved));
        // The name of an opcode has the opcode's colour; other names have their own.
        let known = node.first.filter(|_| node.level == "Opcode").and_then(|s| slots.get(profile.slices.name[s.index()].index()));
        let hash = node.name.bytes().fold(7u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
        node.colour = known.copied().unwrap_or(by_index(hash as usize));
        node
    };
    order.into_iter().map(node).collect()
}
