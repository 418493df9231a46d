//! What the calls of each module cost.

use super::super::View;
use super::super::core::events::NodeKind;
use super::super::core::times::NodeTimes;
use super::hierarchy::ModuleKey;
use crate::base::SliceId;
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Sums over the calls of one module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// How many.
    pub n: u64,
    /// Operators directly in them.
    pub operators: u64,
    /// Nanoseconds.
    pub host_total: i64,
    /// Nanoseconds.
    pub host_self: i64,
    /// Nanoseconds.
    pub device_total: i64,
    /// Nanoseconds.
    pub device_self: i64,
    /// The first and its start.
    pub first: Option<(i64, SliceId)>,
    /// The longest and its duration.
    pub longest: Option<(i64, SliceId)>,
}

/// Sums by module; modules inside backward passes and unknown ranges do not count. With them the names of modules in the order first seen.
pub fn by_module(view: &View<'_>, wanted: NodeKind) -> (FxHashMap<ModuleKey, Calls>, Vec<ModuleKey>) {
    let (trees, slices) = (&view.model.trees, &view.profile.slices);
    let times = NodeTimes::new(view.profile, view.model);
    let mut out: FxHashMap<ModuleKey, Calls> = FxHashMap::default();
    let mut order = Vec::new();
    for root in &trees.roots {
        let mut node = root.node + 1;
        while node < trees.end[root.node as usize] {
            let i = node as usize;
            if trees.kind[i] == NodeKind::Backward {
                node = trees.end[i];
                continue;
            }
            if trees.kind[i] == wanted && trees.slice[i] != NO_SLICE {
                let slice = trees.slice[i];
                let key = key_of(view, slice);
                let calls = out.entry(key).or_insert_with(|| {
                    order.push(key);
                    Calls::default()
                });
                let duration = view.model.host_duration(view.profile, slice);
                calls.n += 1;
                calls.operators += trees.children(node).filter(|&c| view.model.is_operator(view.profile, c)).count() as u64;
                calls.host_total = calls.host_total.saturating_add(duration);
                calls.host_self = calls.host_self.saturating_add(trees.host_self[i]);
                calls.device_total = calls.device_total.saturating_add(times.device_total[i]);
                calls.device_self = calls.device_self.saturating_add(times.device_self[i]);
                let (start, slice) = (slices.start[slice as usize], SliceId(slice));
                calls.first = Some(calls.first.map_or((start, slice), |f| f.min((start, slice))));
                calls.longest = Some(calls.longest.filter(|l| l.0 >= duration).unwrap_or((duration, slice)));
            }
            node += 1;
        }
    }
    (out, order)
}

/// Name and number of the module that a slice calls.
pub fn key_of(view: &View<'_>, slice: u32) -> ModuleKey {
    let functions = &view.torch.functions;
    let module = functions.binary_search_by_key(&slice, |f| f.slice).map_or(0, |at| functions[at].module);
    (view.profile.slices.name[slice as usize], module)
}
