//! Device time of every node, its own and with what it holds.

use super::TorchModel;
use super::class::Class;
use super::events::{NONE, NodeKind};
use crate::base::{SliceId, for_each_chunk, for_each_of};
use crate::model::Profile;

/// Device time by node, nanoseconds: a plain sum of durations, overlaps counted twice.
#[derive(Debug, Default)]
pub struct NodeTimes {
    /// Work the node launched itself; for modules, that of the operators directly in it as well.
    pub device_self: Vec<i64>,
    /// Work launched by it and what it holds.
    pub device_total: Vec<i64>,
    /// The part of `device_self` in kernels that use tensor cores.
    pub tc_self: Vec<i64>,
    /// The part of `device_total` in kernels that use tensor cores.
    pub tc_total: Vec<i64>,
}

impl NodeTimes {
    /// Sums the work of every node.
    pub fn new(profile: &Profile, model: &TorchModel) -> Self {
        let trees = &model.trees;
        let n = trees.len();
        let mut out = NodeTimes { device_self: vec![0; n], tc_self: vec![0; n], ..NodeTimes::default() };
        for_each_of(&trees.work, |&(node, work)| {
            let slice = model.events.work[work as usize];
            let duration = profile.slices.duration[slice as usize];
            add(&mut out.device_self, node, duration);
            if model.class[slice as usize] == Class::Kernel && model.uses_tensor_cores(profile, SliceId(slice)) {
                add(&mut out.tc_self, node, duration);
            }
        });
        out.device_total = out.device_self.clone();
        out.tc_total = out.tc_self.clone();
        let mut add_to_parent = |node: usize| {
            let parent = trees.parent[node];
            if parent == NONE {
                return;
            }
            let (device, tc) = (out.device_total[node], out.tc_total[node]);
            add(&mut out.device_total, parent, device);
            add(&mut out.tc_total, parent, tc);
            let is_module = matches!(trees.kind[parent as usize], NodeKind::Module | NodeKind::LightningModule);
            if is_module && trees.kind[node] == NodeKind::Operator {
                add(&mut out.device_self, parent, device);
                add(&mut out.tc_self, parent, tc);
            }
        };
        for_each_chunk(n, &mut |part| part.for_each(|k| add_to_parent(n - 1 - k)));
        out
    }
}

fn add(column: &mut [i64], node: u32, time: i64) {
    if let Some(sum) = column.get_mut(node as usize) {
        *sum = sum.saturating_add(time);
    }
}
