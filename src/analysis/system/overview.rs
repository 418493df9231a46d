//! The system profile in figures: its card, cores, device executions.

use super::advice::{Finding, findings};
use super::figures::{self, CpuRow, HbmRow, TransferRow};
use super::{Spans, View};
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, TrackId};
use crate::model::system::{Clock, RowKind};
use crate::model::{NeuronSystem, Profile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A system profile in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct System {
    /// Servers.
    pub instances: Vec<String>,
    /// Processes: instance and id.
    pub processes: Vec<(String, String)>,
    /// From the first to the last moment of anything.
    pub duration: DurationNs,
    /// Time in which any device executes; `None` when the profile has no executions.
    pub device_runtime: Option<DurationNs>,
    /// Device profiles: as the profile lists them, else those that executions name. `None` when neither tells.
    pub n_device_profiles: Option<u64>,
    /// NeuronCores by busy time.
    pub cores: Vec<CoreRow>,
    /// Device executions by model and core, most time first.
    pub executions: Vec<ExecutionRow>,
    /// Transfers by core and direction.
    pub transfers: Vec<TransferRow>,
    /// Each HBM at its fullest.
    pub hbm: Vec<HbmRow>,
    /// HBM of one NeuronCore, bytes.
    pub hbm_capacity: Option<u64>,
    /// CPUs, busiest first.
    pub cpus: Vec<CpuRow>,
    /// How the device's clock was put on the host's.
    pub clock: Clock,
    /// What to do, costliest first.
    pub advice: Vec<Finding>,
    /// What cannot be shown, and why.
    pub notes: Vec<String>,
}

/// A NeuronCore.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreRow {
    /// Path of its row.
    pub name: String,
    /// Executions.
    pub count: u64,
    /// Time in which one runs.
    pub busy: DurationNs,
    /// From the first start to the last end.
    pub wall: DurationNs,
    /// Of the wall, time in which none runs.
    pub idle: DurationNs,
    /// The longest such time.
    pub longest_gap: Option<TimeRange>,
}

/// Executions of a model on a core.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionRow {
    /// The model: its name, NEFF or id; empty when not told.
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

/// The figures of a profile.
pub fn system(profile: &Profile, system: &NeuronSystem) -> System {
    let view = View { profile, system };
    let text = |id: StrId| profile.strings.get(id).to_string();
    let leaves = || system.rows.iter().filter(|r| r.kind != RowKind::Group);
    let instances: BTreeSet<String> = leaves().map(|r| text(r.instance)).filter(|i| !i.is_empty()).collect();
    let with_process = leaves().filter(|r| r.process != StrId(0));
    let processes: BTreeSet<(String, String)> = with_process.map(|r| (text(r.instance), text(r.process))).collect();
    let cores = by_track(&view);
    let device = Spans::union(cores.values().flat_map(|c| c.1.0.iter().copied()));
    let gaps = device.bounds().map(|(from, to)| device.gaps(from, to)).unwrap_or_default();
    let executions = executions(&view);
    let mut out = System {
        instances: instances.into_iter().collect(),
        processes: processes.into_iter().collect(),
        duration: profile.meta.range.duration(),
        device_runtime: (!executions.is_empty()).then(|| DurationNs(device.total())),
        n_device_profiles: n_device_profiles(system),
        cores: cores.iter().map(|(t, c)| core(profile, *t, c)).collect(),
        executions,
        transfers: figures::transfers(&view),
        hbm: figures::hbm(&view),
        hbm_capacity: system.hbm_capacity,
        cpus: figures::cpus(&view, &gaps),
        clock: system.clock,
        ..System::default()
    };
    out.cores.sort_by(|a, b| b.busy.cmp(&a.busy).then_with(|| a.name.cmp(&b.name)));
    out.notes = notes(&out);
    out.advice = findings(&view, &out, &cores, &gaps);
    out
}

/// Spans of the executions of each row of the device: how many, when.
pub(super) type Cores = BTreeMap<TrackId, (u64, Spans)>;

fn by_track(view: &View<'_>) -> Cores {
    let mut spans: BTreeMap<TrackId, Vec<(i64, i64)>> = BTreeMap::new();
    for execution in &view.system.executions {
        if let Some(track) = view.profile.track_of(execution.slice) {
            spans.entry(track).or_default().push(view.span(execution.slice));
        }
    }
    spans.into_iter().map(|(track, all)| (track, (all.len() as u64, Spans::union(all)))).collect()
}

fn core(profile: &Profile, track: TrackId, (count, spans): &(u64, Spans)) -> CoreRow {
    let (from, to) = spans.bounds().unwrap_or((0, 0));
    let gaps = spans.gaps(from, to);
    let longest = gaps.0.iter().copied().max_by_key(|g| (g.1 - g.0, std::cmp::Reverse(g.0)));
    CoreRow {
        name: profile.track_path(track),
        count: *count,
        busy: DurationNs(spans.total()),
        wall: DurationNs(to.saturating_sub(from)),
        idle: DurationNs(gaps.total()),
        longest_gap: longest.map(|g| TimeRange { start: TimeNs(g.0), end: TimeNs(g.1) }),
    }
}

fn executions(view: &View<'_>) -> Vec<ExecutionRow> {
    let (profile, system) = (view.profile, view.system);
    let text = |id: StrId| profile.strings.get(id).to_string();
    let mut rows: BTreeMap<(StrId, StrId, TrackId), ExecutionRow> = BTreeMap::new();
    for execution in &system.executions {
        let Some(track) = profile.track_of(execution.slice) else {
            continue;
        };
        let length = DurationNs(profile.slices.duration[execution.slice.index()]);
        let row = rows.entry((execution.model, execution.profile, track)).or_insert_with(|| {
            let own = system.rows[track.index()];
            let mut row = ExecutionRow {
                model: text(execution.model),
                profile: text(execution.profile),
                instance: text(own.instance),
                process: text(own.process),
                core: text(own.core),
                min: length,
                ..ExecutionRow::default()
            };
            if row.profile.is_empty() {
                row.profile = listed(system, &row);
            }
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
    out.iter_mut().for_each(|r| r.slices.sort_by_key(|s| profile.slices.start[s.index()]));
    out.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.model.cmp(&b.model)).then_with(|| a.core.cmp(&b.core)));
    out
}

/// The only device profile that the profile lists for the core of a row; empty when there is none, or more than one.
fn listed(system: &NeuronSystem, row: &ExecutionRow) -> String {
    let fits = |own: &str, told: &str| own.is_empty() || told.is_empty() || own == told;
    let mut of_core = system
        .device_profiles
        .iter()
        .filter(|p| !p.core.is_empty() && p.core == row.core && fits(&row.process, &p.process) && fits(&row.instance, &p.instance));
    match (of_core.next(), of_core.next()) {
        (Some(only), None) => only.name.clone(),
        _ => String::new(),
    }
}

fn n_device_profiles(system: &NeuronSystem) -> Option<u64> {
    if !system.device_profiles.is_empty() {
        return Some(system.device_profiles.len() as u64);
    }
    let named: BTreeSet<StrId> = system.executions.iter().map(|e| e.profile).filter(|p| *p != StrId(0)).collect();
    (!named.is_empty()).then_some(named.len() as u64)
}

fn notes(system: &System) -> Vec<String> {
    let mut out = Vec::new();
    if system.executions.is_empty() {
        out.push("The profile has no event `nc_exec_running`: device executions, and gaps between them, are not available.".into());
    } else if system.executions.iter().all(|e| e.model.is_empty()) {
        out.push("Executions do not name their models.".into());
    }
    let unsized_: u64 = system.transfers.iter().map(|t| t.count - t.n_sized).sum();
    if unsized_ > 0 {
        out.push(format!("{unsized_} transfers do not tell their size: bytes and bandwidth are of the others."));
    }
    if !system.hbm.is_empty() && system.hbm_capacity.is_none() {
        out.push("The capacity of the HBM is not told: its use has no share.".into());
    }
    if system.clock.n_jumps > 0 {
        out.push(format!("A clock jumps at {} sync points: events near them may stand wrong.", system.clock.n_jumps));
    }
    out
}
