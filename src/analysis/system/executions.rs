//! Executions of models on devices.

use super::View;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TrackId};
use crate::model::system::Execution;
use crate::model::{NeuronSystem, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Executions of a model on a core.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionRow {
    /// The model: its name, NEFF or id; empty if not recorded.
    pub model: String,
    /// The device profile that executions name, or that the profile lists for this core; empty without one.
    pub profile: String,
    /// Server.
    pub instance: String,
    /// Process id.
    pub process: String,
    /// NeuronCore.
    pub core: String,
    /// How many.
    pub calls: u64,
    /// Their times added up.
    pub total: DurationNs,
    /// Shortest.
    pub min: DurationNs,
    /// Longest.
    pub max: DurationNs,
    /// The first ones by start, at most [`MOST_SLICES`].
    pub slices: Vec<SliceId>,
}

/// More slices of one row than these are not listed.
const MOST_SLICES: usize = 10_000;

/// Executions by model and core, most time first.
pub(super) fn executions(view: &View<'_>) -> Vec<ExecutionRow> {
    let profile = view.profile;
    let mut rows: BTreeMap<(StrId, StrId, TrackId), ExecutionRow> = BTreeMap::new();
    for execution in &view.system.executions {
        let (Some(track), Some((start, end))) = (profile.track_of(execution.slice), view.span(execution.slice)) else {
            continue;
        };
        let length = DurationNs(end.saturating_sub(start));
        let row = rows.entry((execution.model, execution.profile, track)).or_insert_with(|| {
            let mut row = named(view, execution, track);
            row.min = length;
            row
        });
        row.calls += 1;
        row.total = DurationNs(row.total.0.saturating_add(length.0));
        (row.min, row.max) = (row.min.min(length), row.max.max(length));
        if row.slices.len() < MOST_SLICES {
            row.slices.push(execution.slice);
        }
    }
    let mut out: Vec<ExecutionRow> = rows.into_values().collect();
    out.iter_mut().for_each(|r| r.slices.order_by_key(|s| profile.slices.start[s.index()]));
    out.order_by(|a, b| b.total.cmp(&a.total).then_with(|| a.model.cmp(&b.model)).then_with(|| a.core.cmp(&b.core)));
    out
}

/// The execution that a slice is, as a row of its own; `None` when it is another event. The slice exists.
pub fn execution(profile: &Profile, system: &NeuronSystem, slice: SliceId) -> Option<ExecutionRow> {
    let at = system.executions.binary_search_by_key(&slice, |e| e.slice).ok()?;
    let view = View { profile, system, range: None };
    let length = DurationNs(profile.slices.duration[slice.index()]);
    let row = named(&view, &system.executions[at], profile.track_of(slice)?);
    Some(ExecutionRow { calls: 1, total: length, min: length, max: length, slices: vec![slice], ..row })
}

/// A row with the names of an execution, and no values yet.
fn named(view: &View<'_>, execution: &Execution, track: TrackId) -> ExecutionRow {
    let text = |id: StrId| view.profile.strings.get(id).to_string();
    let own = view.system.rows[track.index()];
    let mut row = ExecutionRow {
        model: text(execution.model),
        profile: text(execution.profile),
        instance: text(own.instance),
        process: text(own.process),
        core: text(own.core),
        ..ExecutionRow::default()
    };
    if row.profile.is_empty() {
        row.profile = listed(view.system, &row);
    }
    row
}

/// The only device profile that the profile lists for the core of a row; empty when there is none, or more than one.
fn listed(system: &NeuronSystem, row: &ExecutionRow) -> String {
    let fits = |own: &str, recorded: &str| own.is_empty() || recorded.is_empty() || own == recorded;
    let mut of_core = system
        .device_profiles
        .iter()
        .filter(|p| !p.core.is_empty() && p.core == row.core && fits(&row.process, &p.process) && fits(&row.instance, &p.instance));
    match (of_core.next(), of_core.next()) {
        (Some(only), None) => only.name.clone(),
        _ => String::new(),
    }
}
