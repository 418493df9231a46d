//! How the rows of the kernel table are summed.

use super::View;
use super::core::class::Class;
use super::core::events::{NONE, NodeKind};
use super::core::gpu::widened;
use super::core::names;
use super::kernels::*;
use super::unattributed;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange};
use crate::model::NO_SLICE;
use crate::model::torch::ABSENT;
use rustc_hash::FxHashMap;

/// What makes two kernels one row: name, operator's name, grid, block, registers, shared memory.
type Key = (StrId, Option<Operator>, StrId, StrId, u32, u32);

/// The operator of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Named(StrId),
    Root,
    Backward(StrId),
}

#[derive(Debug, Clone, Default)]
struct Sum {
    calls: u64,
    total: i64,
    max: i64,
    min: i64,
    blocks: f64,
    occupancy: f64,
    is_eligible: bool,
    longest: u32,
    node: u32,
}

/// The operator of a node, as the table names it.
pub(super) fn operator(view: &View<'_>, node: u32) -> Option<Operator> {
    if node == NONE {
        return None;
    }
    let trees = &view.model.trees;
    match (trees.kind[node as usize], trees.slice[node as usize]) {
        (NodeKind::Root | NodeKind::Step, _) if view.model.rules.keeps_unlaunched => None,
        (NodeKind::Root, _) => Some(Operator::Root),
        (_, NO_SLICE) => trees.made(node).map(|m| Operator::Backward(view.profile.slices.name[m.module as usize])),
        (_, slice) => Some(Operator::Named(view.profile.slices.name[slice as usize])),
    }
}

/// Its name in the table.
pub(super) fn operator_name(view: &View<'_>, operator: Operator) -> String {
    match operator {
        Operator::Named(name) => names::operator_name(view.profile.strings.get(name)).into(),
        Operator::Root => "CallTreeRoot".into(),
        Operator::Backward(name) => format!("{}.backward", view.profile.strings.get(name)),
    }
}

/// (node, work) of all kernels asked for; the node is [`NONE`] where none is known.
fn runs(view: &View<'_>, grouping: KernelGrouping, range: Option<TimeRange>, device: Option<u32>) -> Vec<(u32, u32)> {
    let model = view.model;
    let is_wanted = |work: u32| {
        let slice = model.events.work[work as usize] as usize;
        let start = TimeNs(view.profile.slices.start[slice]);
        model.class[slice] == Class::Kernel
            && range.is_none_or(|r| r.start <= start && start < r.end)
            && device.is_none_or(|d| model.kernel(view.torch, work).is_some_and(|k| k.device == d))
    };
    if grouping == KernelGrouping::Properties && !model.rules.keeps_unlaunched {
        return model.trees.work.iter().filter(|w| is_wanted(w.1)).copied().collect();
    }
    (0..model.events.work.len() as u32).filter(|&w| is_wanted(w)).map(|w| (model.node_of_work[w as usize], w)).collect()
}

fn key(view: &View<'_>, grouping: KernelGrouping, node: u32, work: u32) -> Key {
    let name = view.profile.slices.name[view.model.events.work[work as usize] as usize];
    if grouping == KernelGrouping::Name {
        return (name, None, StrId(0), StrId(0), ABSENT, ABSENT);
    }
    let or_absent = |n: u32| if n == 0 { ABSENT } else { n };
    let kernel = view.model.kernel(view.torch, work);
    let (grid, block) = kernel.map_or((StrId(0), StrId(0)), |k| (k.grid, k.block));
    let (registers, shared) = kernel.map_or((ABSENT, ABSENT), |k| (or_absent(k.registers), or_absent(k.shared_memory)));
    (name, operator(view, node), grid, block, registers, shared)
}

/// Rows of the kernel table.
pub fn kernels(view: &View<'_>, query: &KernelsQuery) -> Kernels {
    let mut sums: FxHashMap<Key, Sum> = FxHashMap::default();
    let all = runs(view, query.grouping, query.range, query.device);
    let mut out = Kernels { devices: view.model.gpus.iter().map(|g| g.id).collect(), ..Kernels::default() };
    for (node, work) in &all {
        let slice = view.model.events.work[*work as usize];
        let duration = view.profile.slices.duration[slice as usize];
        let sum = sums.entry(key(view, query.grouping, *node, *work)).or_insert_with(|| Sum {
            min: i64::MAX,
            max: -1,
            is_eligible: *node != NONE && view.model.is_tc_eligible_by_name(view.profile, *node),
            ..Sum::default()
        });
        sum.calls += 1;
        sum.total = sum.total.saturating_add(duration);
        sum.min = sum.min.min(duration);
        if duration > sum.max {
            (sum.max, sum.longest, sum.node) = (duration, slice, *node);
        }
        let or_zero = |value: f32| if value.is_nan() { 0.0 } else { widened(value) };
        if let Some(kernel) = view.model.kernel(view.torch, *work) {
            sum.blocks += duration as f64 * or_zero(kernel.blocks_per_sm);
            sum.occupancy += duration as f64 * or_zero(kernel.occupancy);
        }
        out.total.0 = out.total.0.saturating_add(duration);
        if view.model.uses_tensor_cores(view.profile, SliceId(slice)) {
            out.tensor_core.0 = out.tensor_core.0.saturating_add(duration);
        }
    }
    let is_kernel = |work: u32| view.model.class[view.model.events.work[work as usize] as usize] == Class::Kernel;
    let kernels = (0..view.model.events.work.len() as u32).filter(|&w| is_kernel(w)).filter_map(|w| view.model.kernel(view.torch, w));
    for kernel in kernels {
        out.has_blocks_per_sm |= !kernel.blocks_per_sm.is_nan();
        out.has_occupancy |= !kernel.occupancy.is_nan();
    }
    out.rows = sums.iter().map(|(key, sum)| row(view, query.grouping, key, sum, &out)).collect();
    out.rows.order_by(|a, b| (b.total, &a.name, &a.properties).cmp(&(a.total, &b.name, &b.properties)));
    out.notes = notes(view, &out, query.grouping, query.range);
    out
}

fn row(view: &View<'_>, grouping: KernelGrouping, key: &Key, sum: &Sum, all: &Kernels) -> KernelRow {
    let known = |n: u32| (n != ABSENT).then_some(n);
    let text = |id: StrId| view.profile.strings.get(id).to_string();
    let weighed = |value: f64| if sum.total > 0 { value / sum.total as f64 } else { 0.0 };
    KernelRow {
        name: text(key.0),
        properties: (grouping == KernelGrouping::Properties).then(|| KernelProperties {
            operator: key.1.map(|operator| operator_name(view, operator)),
            grid: text(key.2),
            block: text(key.3),
            registers: known(key.4),
            shared_memory: known(key.5),
            is_operator_tc_eligible: sum.is_eligible,
        }),
        uses_tensor_cores: view.model.uses_tensor_cores(view.profile, SliceId(sum.longest)),
        calls: sum.calls,
        total: DurationNs(sum.total),
        mean_ns: sum.total as f64 / sum.calls.max(1) as f64,
        max: DurationNs(sum.max),
        min: DurationNs(sum.min),
        blocks_per_sm: all.has_blocks_per_sm.then(|| weighed(sum.blocks)),
        occupancy_percent: all.has_occupancy.then(|| weighed(sum.occupancy)),
        share: if all.total.0 > 0 { sum.total as f64 / all.total.0 as f64 } else { 0.0 },
        longest: SliceId(sum.longest),
        longest_operator: operator_slice(view, sum.node),
        colour: view.colour(key.0),
    }
}

/// The slice of a node that is no root and no made part.
fn operator_slice(view: &View<'_>, node: u32) -> Option<SliceId> {
    view.model.trees.slice.get(node as usize).filter(|&&s| s != NO_SLICE).map(|&s| SliceId(s))
}

fn notes(view: &View<'_>, kernels: &Kernels, grouping: KernelGrouping, range: Option<TimeRange>) -> Vec<String> {
    let mut out = Vec::new();
    if kernels.rows.is_empty() {
        out.push("No kernels in this range.".into());
        return out;
    }
    if !kernels.has_blocks_per_sm || !kernels.has_occupancy {
        out.push("Blocks per multiprocessor and occupancy of kernels are not recorded in this trace.".into());
    }
    if grouping == KernelGrouping::Properties {
        let n_shown: u64 = kernels.rows.iter().map(|r| r.calls).sum();
        let n_without: u64 =
            kernels.rows.iter().filter(|r| r.properties.as_ref().is_some_and(|p| p.operator.is_none())).map(|r| r.calls).sum();
        if n_without > 0 {
            out.push(format!("{n_without} of {n_shown} kernels are not attributed to an operator."));
        }
    }
    out.extend(unattributed::sentences(&unattributed::unattributed(view, range)));
    if view.model.events.runtimes.is_empty() {
        out.push("No launches are recorded in this trace, so kernels are not attributed to operators.".into());
    }
    out
}

/// The runs of one row.
pub fn members(view: &View<'_>, query: &KernelMembersQuery) -> KernelMembers {
    let grouping = if query.properties.is_some() { KernelGrouping::Properties } else { KernelGrouping::Name };
    let mut out = KernelMembers::default();
    let is_same = |node: u32, work: u32| {
        let Some(wanted) = &query.properties else { return true };
        let key = key(view, grouping, node, work);
        let text = |id: StrId| view.profile.strings.get(id);
        key.1.map(|o| operator_name(view, o)) == wanted.operator
            && text(key.2) == wanted.grid
            && text(key.3) == wanted.block
            && key.4 == wanted.registers.unwrap_or(ABSENT)
            && key.5 == wanted.shared_memory.unwrap_or(ABSENT)
    };
    for (node, work) in runs(view, grouping, query.range, query.device) {
        let slice = SliceId(view.model.events.work[work as usize]);
        if view.profile.name_of(slice) != query.name || !is_same(node, work) {
            continue;
        }
        out.n_runs += 1;
        if out.runs.len() < MAX_RUNS {
            out.runs.push(run(view, node, work, slice));
        }
    }
    out.runs.order_by_key(|r| r.start);
    out
}

fn run(view: &View<'_>, node: u32, work: u32, slice: SliceId) -> KernelRun {
    let kernel = view.model.kernel(view.torch, work);
    let present = |n: Option<u32>| n.filter(|&n| n != ABSENT);
    KernelRun {
        slice,
        start: TimeNs(view.profile.slices.start[slice.index()]),
        duration: DurationNs(view.profile.slices.duration[slice.index()]),
        device: present(kernel.map(|k| k.device)),
        stream: present(kernel.map(|k| k.stream)),
        launch: view.model.launch.get(work as usize).filter(|&&s| s != NO_SLICE).map(|&s| SliceId(s)),
        operator: operator_slice(view, node),
    }
}
