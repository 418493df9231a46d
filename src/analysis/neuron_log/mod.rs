//! Questions to a run of the TensorBoard Neuron plugin: operators, compute and transfer, what overlaps, steps, two runs compared.

mod below;
mod busy;
mod captions;
mod diff;
mod names;
mod op_row;
mod ops;
mod overlap;
mod timeline;
mod trace;

pub use captions::Caption;
pub use diff::{DeltaRow, LogDiff, LogPart, diff, part};
pub use op_row::OpRow;
pub use ops::{LogOps, ops};
pub use overlap::{LogOverlap, Member, Overlapping, overlap};
pub use timeline::{LogTimeline, RowSum, timeline};
pub use trace::{LogTrace, StepRow, trace};

use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Part, Role};
use serde::{Deserialize, Serialize};

/// The two levels of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Operators as the framework names them: `aten__addmm_dot`.
    Framework,
    /// HLO operators: `dot`.
    Hlo,
}

impl Level {
    /// The rows of this level.
    fn is_row(self, role: Role) -> bool {
        matches!((self, role), (Level::Framework, Role::FrameworkOps(_)) | (Level::Hlo, Role::HloOps(_)))
    }
}

/// The part of the timeline an operator row belongs to.
fn part_of(role: Role) -> Option<Part> {
    match role {
        Role::FrameworkOps(part) | Role::HloOps(part) | Role::Hierarchy(part) => Some(part),
        _ => None,
    }
}

/// The tracks whose role fits, in display order.
fn tracks(log: &NeuronLog, is_wanted: impl Fn(Role) -> bool) -> Vec<TrackId> {
    (0..log.roles.len()).filter(|&i| is_wanted(log.roles[i])).map(|i| TrackId(i as u32)).collect()
}

/// Slices of a track as ids, by (lane, start).
fn slices(profile: &Profile, track: TrackId) -> impl Iterator<Item = SliceId> + use<> {
    profile.slices_of(track).map(|i| SliceId(i as u32))
}

/// Start and end of a slice.
fn span(profile: &Profile, slice: SliceId) -> (i64, i64) {
    (profile.slices.start[slice.index()], profile.slices.end(slice.index()))
}

/// Start and end of the part of a slice that is in a range; `None` when it does not touch it.
fn within(profile: &Profile, slice: SliceId, range: Option<TimeRange>) -> Option<(i64, i64)> {
    let (start, end) = span(profile, slice);
    match range {
        None => Some((start, end)),
        Some(r) => r.touches(TimeNs(start), DurationNs(end.saturating_sub(start))).then(|| (start.max(r.start.0), end.min(r.end.0))),
    }
}

/// The operator of a slice, without the number of the instruction: `aten__addmm_dot.36` and `%dot.36 = dot(…)` are `aten__addmm_dot` and `dot`.
/// A fused slice keeps its number, which identifies its set of members.
pub fn operator_name(name: &str) -> String {
    if is_fused(name) {
        return name.into();
    }
    // Only a text with ` = ` names the instruction before it.
    if name.contains(" = ")
        && let Some(instruction) = super::hlo::parse(name).filter(|i| !i.name.is_empty())
    {
        return instruction.opcode;
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_prefix('%').unwrap_or(name);
    match name.rsplit_once('.') {
        Some((base, number)) if !base.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => base.into(),
        _ => name.into(),
    }
}

/// Whether a slice represents several operators: `fused_3`.
fn is_fused(name: &str) -> bool {
    name.strip_prefix("fused_").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
