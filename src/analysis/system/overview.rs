//! The system profile in numbers: its card, cores, device executions.

use super::advice::findings;
use super::answer::{CoreRow, Cores, System};
use super::executions::executions;
use super::figures;
use super::memory;
use super::{Spans, View};
use crate::analysis::combinations::combinations;
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange, TrackId};
use crate::model::system::RowKind;
use crate::model::{NeuronSystem, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// The values of a profile, or of a range of it: of what touches it, and of that only the part inside.
pub fn system(profile: &Profile, system: &NeuronSystem, range: Option<TimeRange>) -> System {
    let view = View { profile, system, range };
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
        duration: view.whole().duration(),
        device_runtime: (!executions.is_empty()).then(|| DurationNs(device.total())),
        combinations: in_combinations(&view, &device),
        n_device_profiles: n_device_profiles(system),
        cores: cores.iter().map(|(t, c)| core(profile, *t, c)).collect(),
        executions,
        transfers: figures::transfers(&view),
        hbm: memory::hbm(&view),
        hbm_curves: memory::curves(&view),
        hbm_capacity: system.hbm_capacity,
        cpus: figures::cpus(&view, &gaps),
        clock: system.clock,
        ..System::default()
    };
    out.cores.order_by(|a, b| b.busy.cmp(&a.busy).then_with(|| a.name.cmp(&b.name)));
    out.notes = notes(&view, &out);
    out.advice = findings(&view, &out, &cores, &gaps);
    out
}

/// Time in each combination of a device that executes, calls of the runtime and calls of the framework.
fn in_combinations(view: &View<'_>, device: &Spans) -> Vec<(u32, DurationNs)> {
    let [runtime, framework] = [RowKind::Runtime, RowKind::Framework].map(|kind| view.busy(kind, |_| true));
    combinations(&[&device.0, &runtime.0, &framework.0], view.whole())
}

fn by_track(view: &View<'_>) -> Cores {
    let mut spans: BTreeMap<TrackId, Vec<(i64, i64)>> = BTreeMap::new();
    for execution in &view.system.executions {
        if let Some(track) = view.profile.track_of(execution.slice) {
            spans.entry(track).or_default().extend(view.span(execution.slice));
        }
    }
    let some = spans.into_iter().filter(|(_, all)| !all.is_empty());
    some.map(|(track, all)| (track, (all.len() as u64, Spans::union(all)))).collect()
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

fn n_device_profiles(system: &NeuronSystem) -> Option<u64> {
    if !system.device_profiles.is_empty() {
        return Some(system.device_profiles.len() as u64);
    }
    let named: BTreeSet<StrId> = system.executions.iter().map(|e| e.profile).filter(|p| *p != StrId(0)).collect();
    (!named.is_empty()).then_some(named.len() as u64)
}

fn notes(view: &View<'_>, system: &System) -> Vec<String> {
    let mut out = Vec::new();
    if system.executions.is_empty() && !view.system.executions.is_empty() {
        out.push("No model executes in this range.".into());
    } else if system.executions.is_empty() {
        out.push("Device executions and the gaps between them are not recorded in this file (event `nc_exec_running`).".into());
    } else if system.executions.iter().all(|e| e.model.is_empty()) {
        out.push("Model names of executions are not recorded in this file.".into());
    }
    let unsized_: u64 = system.transfers.iter().map(|t| t.count - t.n_sized).sum();
    if unsized_ > 0 {
        out.push(format!("Sizes of {unsized_} transfers are not recorded: bytes and bandwidth cover the others."));
    }
    if !system.hbm.is_empty() && system.hbm_capacity.is_none() {
        out.push("The HBM capacity is not recorded in this file, so its use has no percentage.".into());
    }
    if system.clock.n_jumps > 0 {
        out.push(format!("A clock jumps at {} sync points: times of events near them may be wrong.", system.clock.n_jumps));
    }
    out
}
