//! Kernel time without overlap: each instant belongs to the kernel that started first of those that run then, so that names sum to the time of the
//! category exactly.

use super::View;
use super::core::class::Class;
use super::kernel_rows::{Operator, operator, operator_name};
use super::overview::KernelShare;
use crate::analysis::spans;
use crate::base::Order as _;
use crate::base::{DurationNs, StrId};
use rustc_hash::FxHashMap;

/// Names that are listed; the others are one row.
const MOST_NAMES: usize = 15;

/// Time of non-communication kernels within the windows, by operator and by kernel: longest first, other names last.
pub(super) fn kernel_time(view: &View<'_>, windows: &[(i64, i64)]) -> (Vec<KernelShare>, Vec<KernelShare>) {
    let model = view.model;
    let slices = &view.profile.slices;
    let is_kernel = |w: &u32| {
        let slice = model.events.work[*w as usize] as usize;
        model.class[slice] == Class::Kernel && !model.roles.is_communication.get(*w as usize).copied().unwrap_or(false)
    };
    let mut all: Vec<(i64, u32)> =
        (0..model.events.work.len() as u32).filter(is_kernel).map(|w| (slices.start[model.events.work[w as usize] as usize], w)).collect();
    all.sort_unstable();
    let mut sorted = windows.to_vec();
    sorted.sort_unstable();
    // The latest end so far ascends even where steps overlap.
    let ends: Vec<i64> = sorted.iter().scan(i64::MIN, |latest, w| Some((*latest).max(w.1)).inspect(|l| *latest = *l)).collect();
    let mut of_operator: FxHashMap<Option<Operator>, i64> = FxHashMap::default();
    let mut of_kernel: FxHashMap<StrId, i64> = FxHashMap::default();
    let mut until = i64::MIN;
    for (start, w) in all {
        let slice = model.events.work[w as usize] as usize;
        let (from, to) = (start.max(until), slices.end(slice));
        if to <= from {
            continue;
        }
        until = to;
        let (first, last) = (ends.partition_point(|end| *end <= from), sorted.partition_point(|w| w.0 < to));
        let time = sorted[first..last.max(first)].iter().map(|w| spans::length_in(&[(from, to)], w.0, w.1)).fold(0i64, i64::saturating_add);
        if time > 0 {
            let sum = |sum: &mut i64| *sum = sum.saturating_add(time);
            sum(of_operator.entry(operator(view, model.node_of_work[w as usize])).or_default());
            sum(of_kernel.entry(slices.name[slice]).or_default());
        }
    }
    let operator_share = |(operator, time): (Option<Operator>, i64)| match operator {
        None => KernelShare { name: "No operator recorded".into(), colour: None, time: DurationNs(time) },
        Some(one) => {
            let colour = if let Operator::Named(name) = one { Some(view.colour(name)) } else { None };
            KernelShare { name: operator_name(view, one), colour, time: DurationNs(time) }
        }
    };
    let kernel_share = |(id, time): (StrId, i64)| KernelShare {
        name: view.profile.strings.get(id).into(),
        colour: Some(view.colour(id)),
        time: DurationNs(time),
    };
    (longest(of_operator.into_iter().map(operator_share).collect()), longest(of_kernel.into_iter().map(kernel_share).collect()))
}

/// Longest first; beyond the listed ones one for all others.
fn longest(mut out: Vec<KernelShare>) -> Vec<KernelShare> {
    out.order_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    let rest: i64 = out.iter().skip(MOST_NAMES).map(|s| s.time.0).fold(0, i64::saturating_add);
    out.truncate(MOST_NAMES);
    out.extend((rest > 0).then(|| KernelShare { name: "All others".into(), colour: None, time: DurationNs(rest) }));
    out
}
