//! What to do about what a system profile shows. Each finding has its threshold, its evidence, what it costs and where it is seen.

use super::answer::{Cores, Finding, Location, System};
use super::{Spans, View};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, text};
use crate::model::system::RowKind;

/// Gaps between executions as a share of the time from the first to the last.
const GAPS: f64 = 0.10;
/// Waiting for the device as a share of that time.
const WAITS: f64 = 0.50;
/// Minimum share of gap time with transfers.
const TRANSFERS: (f64, f64) = (0.10, 0.01);
/// Use of one CPU.
const CPU: f64 = 0.90;
/// Compiling as a share of the profile.
const COMPILE: f64 = 0.01;
/// HBM in use as a share of its capacity.
const HBM: f64 = 0.90;
const MOST_PLACES: usize = 5;

/// All that applies, most expensive first; what has no cost comes last.
pub(super) fn findings(view: &View<'_>, system: &System, cores: &Cores, gaps: &Spans) -> Vec<Finding> {
    let device = Spans::union(cores.values().flat_map(|c| c.1.0.iter().copied()));
    let wall = device.bounds().map_or(0, |(from, to)| to.saturating_sub(from));
    let all = [
        host_gaps(view, cores),
        device_bound(view, wall),
        transfers(view, system, gaps, wall),
        busy_cpu(system),
        compile(view),
        hbm_full(system),
    ];
    let mut out: Vec<Finding> = all.into_iter().flatten().collect();
    out.order_by_key(|f| std::cmp::Reverse(f.cost));
    out
}

fn share(part: i64, whole: i64) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

fn range((start, end): (i64, i64)) -> TimeRange {
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

/// Longest spans first.
fn longest(spans: &Spans) -> Vec<(i64, i64)> {
    let mut all = spans.0.clone();
    all.order_by_key(|s| (std::cmp::Reverse(s.1 - s.0), s.0));
    all.truncate(MOST_PLACES);
    all
}

/// The innermost slice of the host in the middle of a span, of the framework before the runtime.
fn host_at(view: &View<'_>, (start, end): (i64, i64)) -> Option<SliceId> {
    let middle = TimeNs(start.midpoint(end));
    let rows = view.tracks(RowKind::Framework).chain(view.tracks(RowKind::Runtime));
    rows.into_iter().find_map(|track| view.profile.slice_at(track, middle))
}

/// R43: gaps between executions.
fn host_gaps(view: &View<'_>, cores: &Cores) -> Option<Finding> {
    let gaps_of = |spans: &Spans| spans.bounds().map(|(from, to)| (spans.gaps(from, to), to.saturating_sub(from))).unwrap_or_default();
    let (track, gaps, wall) = cores
        .iter()
        .map(|(track, (_, spans))| (track, gaps_of(spans)))
        .map(|(track, (gaps, wall))| (track, gaps, wall))
        .max_by_key(|(track, gaps, _)| (gaps.total(), std::cmp::Reverse(**track)))?;
    let idle = gaps.total();
    if share(idle, wall) <= GAPS {
        return None;
    }
    let place = |gap: (i64, i64)| {
        let slice = host_at(view, gap);
        let meanwhile = slice.map(|s| format!(", the host is in {}", view.profile.name_of(s))).unwrap_or_default();
        Location {
            label: format!("{} without an execution{meanwhile}", text::duration(DurationNs(gap.1 - gap.0))),
            range: range(gap),
            slice,
        }
    };
    Some(Finding {
        id: "host-gaps".into(),
        severity: "warning".into(),
        title: "Device waiting for the host".into(),
        text: format!(
            "On {} no model executes for {} of {} ({}), in {} gaps. Check the host in these gaps: dispatch, data loading or compilation.",
            view.profile.track_path(*track),
            text::duration(DurationNs(idle)),
            text::duration(DurationNs(wall)),
            text::percent(share(idle, wall)),
            gaps.0.len()
        ),
        cost: Some(DurationNs(idle)),
        threshold:
            "Gaps between nc_exec_running are more than 10% of the time from the first to the last, on the core where they are longest."
                .into(),
        places: longest(&gaps).into_iter().map(place).collect(),
    })
}

/// R44: the host waits for the device, which is as it should be.
fn device_bound(view: &View<'_>, wall: i64) -> Option<Finding> {
    let waits = view.busy(RowKind::Runtime, |name| name == "kbl_exec_wait");
    let part = share(waits.total(), wall);
    (part >= WAITS).then(|| Finding {
        id: "device-bound".into(),
        severity: "info".into(),
        title: "Run bound by the device".into(),
        text: format!(
            "The host waits for the device (kbl_exec_wait) for {}, {} of the time from the first to the last execution. This is the desired state: optimize the model on the device, using its device profile.",
            text::duration(DurationNs(waits.total())),
            text::percent(part)
        ),
        cost: None,
        threshold: "kbl_exec_wait covers half of the time from the first to the last execution, or more.".into(),
        places: longest(&waits).into_iter().take(1).map(|s| Location { label: "Longest wait".into(), range: range(s), slice: None }).collect(),
    })
}

/// R45: transfers while no device executes. The limit of the link is in no file, so nearness to it cannot be determined.
fn transfers(view: &View<'_>, system: &System, gaps: &Spans, wall: i64) -> Option<Finding> {
    let moving = Spans::union(view.system.transfers.iter().filter_map(|t| view.span(t.slice)));
    let common = moving.intersection(gaps);
    let cost = common.total();
    if share(cost, gaps.total()) < TRANSFERS.0 || share(cost, wall) < TRANSFERS.1 {
        return None;
    }
    let peak = system.transfers.iter().filter_map(|t| t.peak).max_by(f64::total_cmp);
    let peak = peak.map(|p| format!(" The maximum rate was {}/s.", text::bytes(p as u64))).unwrap_or_default();
    Some(Finding {
        id: "transfers".into(),
        severity: "warning".into(),
        title: "Transfers while the device is idle".into(),
        text: format!(
            "Transfers between host and device take {} of the {} in which no device executes.{peak} Keep tensors on the device, batch copies, or overlap them with an execution.",
            text::duration(DurationNs(cost)),
            text::duration(DurationNs(gaps.total()))
        ),
        cost: Some(DurationNs(cost)),
        threshold: "Transfers cover at least 10% of the time without execution, and 1% of all. Link utilization is not available: the limit of the link is not recorded in any file.".into(),
        places: longest(&common)
            .into_iter()
            .map(|s| Location { label: format!("{} of transfers", text::duration(DurationNs(s.1 - s.0))), range: range(s), slice: None })
            .collect(),
    })
}

/// R46: a CPU at its limit while no device executes.
fn busy_cpu(system: &System) -> Option<Finding> {
    let mut columns: Vec<_> = system.cpus.iter().filter(|c| c.cpu != "average" && c.most_in_gaps.is_some_and(|m| m > CPU)).collect();
    columns.order_by(|a, b| b.most_in_gaps.unwrap_or(0.0).total_cmp(&a.most_in_gaps.unwrap_or(0.0)));
    let first = columns.first()?;
    Some(Finding {
        id: "busy-cpu".into(),
        severity: "warning".into(),
        title: "Saturated CPU".into(),
        text: format!(
            "{} of {} CPUs are more than 90% busy in samples that cover time without an execution; CPU {} reaches {}. The host is the bottleneck there: move work off this thread or prefetch.",
            columns.len(),
            system.cpus.iter().filter(|c| c.cpu != "average").count(),
            first.cpu,
            text::percent(first.most_in_gaps.unwrap_or(0.0))
        ),
        cost: None,
        threshold: "A CPU is more than 90% busy in a sample (a mean over at most one second) that covers a gap between executions.".into(),
        places: columns
            .iter()
            .take(MOST_PLACES)
            .filter_map(|c| Some((c, c.busiest?)))
            .map(|(c, at)| Location {
                label: format!("CPU {}", c.cpu),
                range: range((at.0.saturating_sub(1_000_000_000), at.0)),
                slice: None,
            })
            .collect(),
    })
}

/// First iterations compile: they are to be omitted of a profile.
fn compile(view: &View<'_>) -> Option<Finding> {
    let is_compile = |name: &str| name.to_ascii_lowercase().contains("compil");
    let mut spans = view.busy(RowKind::Framework, is_compile).0;
    spans.extend(view.busy(RowKind::Runtime, is_compile).0);
    let spans = Spans::union(spans);
    let whole = view.whole().duration().0;
    if share(spans.total(), whole) < COMPILE {
        return None;
    }
    let place = |s: (i64, i64)| Location { label: text::duration(DurationNs(s.1 - s.0)), range: range(s), slice: host_at(view, s) };
    Some(Finding {
        id: "compile".into(),
        severity: "info".into(),
        title: "Compilation within the profile".into(),
        text: format!(
            "The host compiles for {}, {} of the profile. Run at least three steps before starting the profiler to capture the steady state.",
            text::duration(DurationNs(spans.total())),
            text::percent(share(spans.total(), whole))
        ),
        cost: Some(DurationNs(spans.total())),
        threshold: "Host events with names of compilation cover at least 1% of the profile.".into(),
        places: longest(&spans).into_iter().map(place).collect(),
    })
}

/// Little HBM is left.
fn hbm_full(system: &System) -> Option<Finding> {
    let fullest = system.hbm.iter().filter(|h| h.share.is_some_and(|s| s > HBM)).max_by_key(|h| h.bytes)?;
    let most: Vec<String> = fullest.categories.iter().take(3).map(|c| format!("{} {}", c.0, text::bytes(c.1))).collect();
    Some(Finding {
        id: "hbm-full".into(),
        severity: "warning".into(),
        title: "HBM nearly full".into(),
        text: format!(
            "{} uses {}, {} of the capacity recorded for a NeuronCore; largest category: {}. Further allocations can fail: reduce memory use.",
            fullest.place,
            text::bytes(fullest.bytes),
            text::percent(fullest.share.unwrap_or(0.0)),
            most.join(", ")
        ),
        cost: None,
        threshold: "More than 90% of the capacity recorded for one NeuronCore is in use at one time.".into(),
        places: vec![Location { label: "Maximum".into(), range: range((fullest.time.0, fullest.time.0.saturating_add(1))), slice: None }],
    })
}
