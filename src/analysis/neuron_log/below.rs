//! The HLO operators beneath an operator of the framework.

use super::names::Operators;
use super::op_row::OpRow;
use super::{Level, operator_name, part_of, slices, span, tracks, within};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Part};
use rustc_hash::FxHashMap;

/// An HLO operator and its time; `None` where the file does not record it.
type Below = (String, Option<DurationNs>);

/// Fills `below` of the framework's operators: those that begin inside its slices of the same process, as far as they are in
/// the range; without a timeline, by name.
pub(super) fn hlo_below(profile: &Profile, log: &NeuronLog, range: Option<TimeRange>, rows: &mut [OpRow]) {
    let framework = tracks(log, |r| Level::Framework.is_row(r));
    if framework.is_empty() {
        return by_name(log, rows);
    }
    let mut names = (Operators::new(profile), Operators::new(profile));
    let mut sums: FxHashMap<(usize, usize), i64> = FxHashMap::default();
    for track in framework {
        let part = part_of(log.roles[track.index()]);
        if part == Some(Part::Execution) || part == Some(Part::Other) {
            for hlo in tracks(log, |r| Level::Hlo.is_row(r) && part_of(r) == part) {
                inside(profile, (track, hlo), range, &mut names, &mut sums);
            }
        }
    }
    let mut below: FxHashMap<usize, Vec<Below>> = FxHashMap::default();
    for ((operator, hlo), time) in sums {
        below.entry(operator).or_default().push((names.1.names()[hlo].clone(), Some(DurationNs(time))));
    }
    for row in rows {
        row.below = names.0.find(&operator_name(&row.name)).and_then(|at| below.get(&at)).cloned().unwrap_or_default();
        row.below.order_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }
}

/// HLO operators of the file's table whose name the operator's name ends with.
fn by_name(log: &NeuronLog, rows: &mut [OpRow]) {
    let names: Vec<Below> = log.hlo.iter().flat_map(|t| &t.rows).map(|r| (r.name.clone(), r.time_ns.map(DurationNs))).collect();
    for row in rows {
        row.below = names.iter().filter(|(n, _)| !n.is_empty() && row.name.ends_with(&format!("_{n}"))).cloned().collect();
    }
}

/// Adds the time of each slice of the HLO row to the operators of the slice that holds its beginning and of itself.
fn inside(
    profile: &Profile,
    (track, hlo): (TrackId, TrackId),
    range: Option<TimeRange>,
    names: &mut (Operators, Operators),
    sums: &mut FxHashMap<(usize, usize), i64>,
) {
    let by_start = &profile.slices.by_start[profile.slices_of(track)];
    // Both rows come by start, except for further lanes of the HLO row: the place in the other moves on, or is looked up again.
    let (mut after, mut last) = (0, i64::MIN);
    for slice in slices(profile, hlo) {
        let Some((from, to)) = within(profile, slice, range) else {
            continue;
        };
        let start = span(profile, slice).0;
        if start < last {
            after = by_start.partition_point(|&i| profile.slices.start[i as usize] <= start);
        }
        last = start;
        while by_start.get(after).is_some_and(|&i| profile.slices.start[i as usize] <= start) {
            after += 1;
        }
        let Some(holder) = holder(profile, track, after.checked_sub(1).map(|at| SliceId(by_start[at])), start) else {
            continue;
        };
        *sums.entry((names.0.of(profile, holder), names.1.of(profile, slice))).or_default() += to.saturating_sub(from);
    }
}

/// The innermost slice of a track at a time; `before` is the last that starts no later.
fn holder(profile: &Profile, track: TrackId, before: Option<SliceId>, time: i64) -> Option<SliceId> {
    let before = before?;
    let (start, end) = span(profile, before);
    if start == time || end > time { Some(before) } else { profile.slice_at(track, TimeNs(time)) }
}
