//! How the rows of the operator table are summed.

use super::View;
use super::core::NodeTimes;
use super::core::names::operator_name;
use super::core::stacks::Stacks;
use super::efficiency;
use super::inference;
use super::ops::*;
use super::python_list::python_list;
use super::unattributed;
use super::work::{Roof, Works};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Sums of calls that share a row.
#[derive(Debug, Clone, Default)]
struct Sum {
    name: StrId,
    shape: StrId,
    calls: u64,
    times: OpTimes,
    tc_self: i64,
    tc_total: i64,
    is_eligible: bool,
    has_stack: bool,
    work: Option<OpWork>,
    longest: u32,
    longest_ns: i64,
}

impl Sum {
    fn add(&mut self, view: &View<'_>, times: &NodeTimes, node: u32) {
        let (i, slice) = (node as usize, view.model.trees.slice[node as usize]);
        if self.calls == 0 {
            self.is_eligible = view.model.is_tc_eligible[i];
            self.longest_ns = -1;
        }
        let own = times_of(view, times, node);
        self.calls += 1;
        for (sum, one) in [
            (&mut self.times.host_total, own.host_total),
            (&mut self.times.host_self, own.host_self),
            (&mut self.times.device_total, own.device_total),
            (&mut self.times.device_self, own.device_self),
        ] {
            sum.0 = sum.0.saturating_add(one.0);
        }
        self.tc_self = self.tc_self.saturating_add(times.tc_self[i]);
        self.tc_total = self.tc_total.saturating_add(times.tc_total[i]);
        if own.host_total.0 > self.longest_ns {
            (self.longest, self.longest_ns) = (slice, own.host_total.0);
        }
    }

    fn tc_shares(&self) -> (Option<f64>, Option<f64>) {
        let share = |part: i64, whole: DurationNs| (whole.0 > 0).then(|| part as f64 / whole.0 as f64);
        (share(self.tc_self, self.times.device_self), share(self.tc_total, self.times.device_total))
    }
}

fn times_of(view: &View<'_>, times: &NodeTimes, node: u32) -> OpTimes {
    let i = node as usize;
    OpTimes {
        host_total: DurationNs(view.model.host_duration(view.profile, view.model.trees.slice[i])),
        host_self: DurationNs(view.model.trees.host_self[i]),
        device_total: DurationNs(times.device_total[i]),
        device_self: DurationNs(times.device_self[i]),
    }
}

/// Operators of all trees that begin in `range`, children before parents.
fn operators<'a>(view: &'a View<'_>, range: Option<TimeRange>) -> impl Iterator<Item = u32> + 'a {
    let is_inside = move |node: u32| {
        let start = TimeNs(view.profile.slices.start[view.model.trees.slice[node as usize] as usize]);
        range.is_none_or(|r| r.start <= start && start < r.end)
    };
    let nodes = view.model.trees.roots.iter().flat_map(|root| view.model.trees.post_order(root.node));
    nodes.filter(move |&n| view.model.is_operator(view.profile, n) && is_inside(n))
}

/// The strings by which operators are equal.
#[derive(Default)]
struct OperatorNames<'a> {
    known: FxHashMap<StrId, StrId>,
    first: FxHashMap<&'a str, StrId>,
}

impl<'a> OperatorNames<'a> {
    /// One string for all names of an operator: the first that was found.
    fn of(&mut self, view: &View<'a>, name: StrId) -> StrId {
        let first = &mut self.first;
        *self.known.entry(name).or_insert_with(|| *first.entry(operator_name(view.profile.strings.get(name))).or_insert(name))
    }
}

/// The shape of an operator's inputs; none and an empty list are one.
fn shape_of(view: &View<'_>, slice: u32) -> StrId {
    let shape = view.profile.attribute("input_shape").and_then(|a| a.values.get(slice as usize).copied()).unwrap_or(StrId(0));
    if view.profile.strings.get(shape).trim() == "[]" { StrId(0) } else { shape }
}

/// Rows of the operator table.
pub fn ops(view: &View<'_>, query: &OpsQuery) -> Ops {
    let times = NodeTimes::new(view.profile, view.model);
    let mut stacks = Stacks::default();
    let mut names = OperatorNames::default();
    let mut works = Works::new(view, inference::step_lengths(view));
    let (device, peaks) = efficiency::device_peaks(view, query.peaks);
    let mut row_of: FxHashMap<(StrId, StrId), u32> = FxHashMap::default();
    let mut sums: Vec<Sum> = Vec::new();
    let mut has_shapes = false;
    for node in operators(view, query.range) {
        let slice = view.model.trees.slice[node as usize];
        let name = names.of(view, view.profile.slices.name[slice as usize]);
        let shape = shape_of(view, slice);
        has_shapes |= shape != StrId(0);
        let key = if query.grouping == OpGrouping::NameShape { (name, shape) } else { (name, StrId(0)) };
        let at = *row_of.entry(key).or_insert_with(|| {
            sums.push(Sum { name, shape: key.1, ..Sum::default() });
            sums.len() as u32 - 1
        });
        let sum = &mut sums[at as usize];
        sum.add(view, &times, node);
        let time = times.device_total[node as usize];
        let launched = || efficiency::launch_time(view, slice, node);
        if let Some(work) = works.key(slice).and_then(|key| works.of(key, launched)).filter(|_| time > 0) {
            let roof = peaks.map_or(Roof::default(), |p| p.roof(&work));
            let none = OpWork { roof: Roof { compute_ns: Some(0.0), memory_ns: Some(0.0) }, ..OpWork::default() };
            let sum = sum.work.get_or_insert(none);
            sum.roof = sum.roof.and(roof);
            sum.flops = sum.flops.saturating_add(work.flops);
            sum.bytes = sum.bytes.saturating_add(work.bytes);
            sum.time.0 = sum.time.0.saturating_add(time);
        }
        sum.has_stack = sum.has_stack || stacks.of(view.profile, view.torch, view.model, SliceId(slice)).is_some();
    }
    let has_device = !view.model.events.work.is_empty();
    sums.order_by_key(|s| std::cmp::Reverse(if has_device { s.times.device_self } else { s.times.host_self }));
    let totals = sums.iter().fold(OpTimes::default(), |t, s| OpTimes {
        host_total: DurationNs(t.host_total.0.saturating_add(s.times.host_total.0)),
        host_self: DurationNs(t.host_self.0.saturating_add(s.times.host_self.0)),
        device_total: DurationNs(t.device_total.0.saturating_add(s.times.device_total.0)),
        device_self: DurationNs(t.device_self.0.saturating_add(s.times.device_self.0)),
    });
    let rows: Vec<OpRow> = sums.iter().map(|s| row(view, s, &totals, query.grouping)).collect();
    let unattributed = unattributed::unattributed(view, query.range);
    let mut notes = notes(view, &rows, has_device, has_shapes);
    notes.extend(unattributed::sentences(&unattributed));
    let peaks = peaks.map(|p| p.source.to_string());
    Ops { rows, totals, unattributed, device, peaks, has_device, has_shapes, notes }
}

fn row(view: &View<'_>, sum: &Sum, totals: &OpTimes, grouping: OpGrouping) -> OpRow {
    let share = |part: DurationNs, whole: DurationNs| if whole.0 > 0 { part.0 as f64 / whole.0 as f64 } else { 0.0 };
    let (tc_self_share, tc_total_share) = sum.tc_shares();
    OpRow {
        name: operator_name(view.profile.strings.get(sum.name)).into(),
        shape: (grouping == OpGrouping::NameShape).then(|| python_list(view.profile.strings.get(sum.shape))),
        calls: sum.calls,
        times: sum.times,
        shares: OpShares {
            host_total: share(sum.times.host_total, totals.host_total),
            host_self: share(sum.times.host_self, totals.host_self),
            device_total: share(sum.times.device_total, totals.device_total),
            device_self: share(sum.times.device_self, totals.device_self),
        },
        work: sum.work,
        tc_eligible: sum.is_eligible,
        tc_self_share,
        tc_total_share,
        has_stack: sum.has_stack,
        longest: SliceId(sum.longest),
        colour: view.colour(sum.name),
    }
}

fn notes(view: &View<'_>, rows: &[OpRow], has_device: bool, has_shapes: bool) -> Vec<String> {
    let mut out = Vec::new();
    if rows.is_empty() {
        out.push("No operators in this range.".into());
        return out;
    }
    if !has_device {
        out.push("No kernels are recorded in this trace, so device times are not available.".into());
    } else if view.model.node_of_work.iter().all(|&n| n == super::core::events::NONE) {
        out.push("No kernel is attributed to an operator: launches are not recorded in this trace.".into());
    }
    if !has_shapes {
        out.push("Input shapes are not recorded in this trace: record with record_shapes=True.".into());
    }
    if !rows.iter().any(|r| r.has_stack) {
        out.push("Call stacks are not recorded in this trace: record with with_stack=True.".into());
    }
    out
}

/// What one row is made of.
pub fn members(view: &View<'_>, query: &OpMembersQuery) -> OpMembers {
    let times = NodeTimes::new(view.profile, view.model);
    let mut out = OpMembers::default();
    let mut kernels: FxHashMap<StrId, OpKernelRow> = FxHashMap::default();
    let mut stacks = Stacks::default();
    let mut stack_rows: Vec<(Option<u32>, Sum)> = Vec::new();
    let mut stack_row_of: FxHashMap<Option<u32>, usize> = FxHashMap::default();
    let mut shapes: FxHashMap<StrId, bool> = FxHashMap::default();
    for node in operators(view, query.range) {
        let slice = SliceId(view.model.trees.slice[node as usize]);
        if operator_name(view.profile.name_of(slice)) != query.name {
            continue;
        }
        if let Some(wanted) = &query.shape {
            let shape = shape_of(view, slice.0);
            if !*shapes.entry(shape).or_insert_with(|| python_list(view.profile.strings.get(shape)) == *wanted) {
                continue;
            }
        }
        out.n_calls += 1;
        let start = TimeNs(view.profile.slices.start[slice.index()]);
        out.calls.push(OpCall { slice, start, times: times_of(view, &times, node) });
        for &(_, work) in view.model.trees.work_of(node) {
            add_kernel(view, &mut kernels, view.model.events.work[work as usize]);
        }
        let stack = stacks.of(view.profile, view.torch, view.model, slice);
        let at = *stack_row_of.entry(stack).or_insert_with(|| {
            stack_rows.push((stack, Sum::default()));
            stack_rows.len() - 1
        });
        stack_rows[at].1.add(view, &times, node);
    }
    out.calls.order_by_key(|c| c.start);
    out.calls.truncate(MAX_CALLS);
    out.kernels = kernels.into_values().collect();
    out.kernels.order_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    if stack_rows.iter().any(|(stack, _)| stack.is_some()) {
        let has_device = !view.model.events.work.is_empty();
        stack_rows.order_by_key(|(_, s)| std::cmp::Reverse(if has_device { s.times.device_self } else { s.times.host_self }));
        out.stacks = stack_rows.iter().map(|(stack, sum)| stack_row(view, &stacks, *stack, sum)).collect();
    }
    out
}

fn stack_row(view: &View<'_>, stacks: &Stacks, stack: Option<u32>, sum: &Sum) -> OpStackRow {
    let (tc_self_share, tc_total_share) = sum.tc_shares();
    OpStackRow {
        frames: stack.map_or_else(Vec::new, |s| stacks.frames(view.profile, s)),
        calls: sum.calls,
        times: sum.times,
        tc_eligible: sum.is_eligible,
        tc_self_share,
        tc_total_share,
        longest: SliceId(sum.longest),
    }
}

fn add_kernel(view: &View<'_>, kernels: &mut FxHashMap<StrId, OpKernelRow>, slice: u32) {
    debug_assert_ne!(slice, NO_SLICE, "work has a slice");
    let name = view.profile.slices.name[slice as usize];
    let duration = DurationNs(view.profile.slices.duration[slice as usize]);
    let row = kernels.entry(name).or_insert_with(|| OpKernelRow {
        name: view.profile.strings.get(name).into(),
        calls: 0,
        total: DurationNs(0),
        max: duration,
        min: duration,
        uses_tensor_cores: view.model.uses_tensor_cores(view.profile, SliceId(slice)),
        longest: SliceId(slice),
        colour: view.colour(name),
    });
    row.calls += 1;
    row.total.0 = row.total.0.saturating_add(duration.0);
    row.min = row.min.min(duration);
    if duration > row.max {
        (row.max, row.longest) = (duration, SliceId(slice));
    }
}
