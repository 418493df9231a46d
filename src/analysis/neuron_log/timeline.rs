//! Compute and transfer: how busy, how much at once, which of the two rules.

use super::busy::{Busy, is_listed};
use super::captions::{Caption, captions};
use super::{slices, tracks, within};
use crate::analysis::spans::Spans;
use crate::base::{DurationNs, TimeRange};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Part, Role};
use serde::{Deserialize, Serialize};

/// The operator timeline in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogTimeline {
    /// From the first to the last moment at which the device computes or moves data, or the range that was asked about. `None` without such rows.
    pub window: Option<DurationNs>,
    /// Time in which anything computes.
    pub compute: Option<DurationNs>,
    /// Time in which data moves.
    pub transfer: Option<DurationNs>,
    /// Time in which both happen.
    pub overlap: Option<DurationNs>,
    /// Time in the window in which neither happens.
    pub idle: Option<DurationNs>,
    /// Idle as a share of the window, 0 to 1.
    pub idle_share: Option<f64>,
    /// Overlap as a share of the transfer time, 0 to 1: how much of it is hidden behind computing.
    pub hidden_share: Option<f64>,
    /// Time the runtime spends on set-up.
    pub setup: Option<DurationNs>,
    /// "transfer-dominated", "compute-dominated", "balanced"; empty where it cannot be determined.
    pub verdict: String,
    /// Why, one sentence.
    pub verdict_text: String,
    /// Whether the values come from the rows Compute Busy and DMA Busy; else from the operator rows.
    pub is_from_overview: bool,
    /// Rows with their busy time, in display order.
    pub rows: Vec<RowSum>,
    /// What the tutorial teaches to see, found here.
    pub captions: Vec<Caption>,
}

/// One row of the timeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSum {
    /// Its process.
    pub process: String,
    /// Its name.
    pub name: String,
    /// Slices on it.
    pub n_slices: u64,
    /// Time in which any of them runs.
    pub busy: DurationNs,
    /// As a share of the window, 0 to 1.
    pub share: Option<f64>,
}

/// One kind of time must exceed the other by this factor to rule.
const RULES: f64 = 1.1;

/// Compute and transfer, from the overview where it is there.
fn compute_and_transfer(busy: &Busy<'_>) -> (Spans, Spans, bool) {
    let compute = busy.of(|r| r == Role::ComputeBusy);
    let transfer = busy.of(|r| r == Role::DmaBusy);
    if !compute.0.is_empty() || !transfer.0.is_empty() {
        return (compute, transfer, true);
    }
    let of = |part| move |r: Role| matches!(r, Role::FrameworkOps(p) | Role::HloOps(p) | Role::Hierarchy(p) if p == part);
    (busy.of(of(Part::Execution)), busy.of(of(Part::Transfer)), false)
}

/// The values of the run, or of the part of it in a range.
pub fn timeline(profile: &Profile, log: &NeuronLog, range: Option<TimeRange>) -> LogTimeline {
    let cut = |spans: Spans| match range {
        Some(r) => spans.within(r.start.0, r.end.0),
        None => spans,
    };
    let busy = Busy::new(profile, log);
    let (compute, transfer, is_from_overview) = compute_and_transfer(&busy);
    let has_rows = !compute.0.is_empty() || !transfer.0.is_empty();
    let (compute, transfer) = (cut(compute), cut(transfer));
    let both = Spans::union(compute.0.iter().chain(&transfer.0).copied());
    let mut captions = captions(profile, log, &busy);
    captions.retain(|c| range.is_none_or(|r| c.start < r.end && c.start.after(c.duration) > r.start));
    let mut out = LogTimeline { is_from_overview, captions, ..LogTimeline::default() };
    let setup = busy.of(|r| r == Role::RuntimeSetup);
    out.setup = (!setup.0.is_empty()).then(|| DurationNs(cut(setup).total()));
    let bounds = range.filter(|_| has_rows).map(|r| (r.start.0, r.end.0)).or_else(|| both.bounds());
    if let Some((start, end)) = bounds {
        let overlap = compute.intersection(&transfer).total();
        let window = end.saturating_sub(start);
        let idle = window - both.total();
        out.window = Some(DurationNs(window));
        out.compute = Some(DurationNs(compute.total()));
        out.transfer = Some(DurationNs(transfer.total()));
        out.overlap = Some(DurationNs(overlap));
        out.idle = Some(DurationNs(idle));
        out.idle_share = (window > 0).then(|| idle as f64 / window as f64);
        out.hidden_share = (transfer.total() > 0).then(|| overlap as f64 / transfer.total() as f64);
        (out.verdict, out.verdict_text) = verdict(compute.total() - overlap, transfer.total() - overlap);
    }
    out.rows = rows(profile, &busy, out.window, range);
    out
}

/// Which of the two rules, by what each takes alone.
fn verdict(compute_only: i64, transfer_only: i64) -> (String, String) {
    let (c, t) = (compute_only as f64, transfer_only as f64);
    let figures = format!(
        "the device computes without transfers for {} and transfers without computing for {}",
        crate::base::text::duration(DurationNs(compute_only)),
        crate::base::text::duration(DurationNs(transfer_only))
    );
    let (word, text) = if t > c * RULES {
        ("transfer-dominated", format!("Transfer-dominated: {figures}. Keep tensors on the device or overlap transfers with compute."))
    } else if c > t * RULES {
        ("compute-dominated", format!("Compute-dominated: {figures}. Optimize operators before transfers."))
    } else {
        ("balanced", format!("Balanced: {figures}."))
    };
    (word.into(), text)
}

fn rows(profile: &Profile, all: &Busy<'_>, window: Option<DurationNs>, range: Option<TimeRange>) -> Vec<RowSum> {
    let row = |track: crate::base::TrackId| {
        let spans = &all.of_track[track.index()];
        let (busy, n_slices) = match range {
            None => (spans.total(), profile.slices_of(track).len()),
            Some(r) => {
                let n = slices(profile, track).filter(|s| within(profile, *s, range).is_some()).count();
                (spans.total_within(r.start.0, r.end.0), n)
            }
        };
        let t = &profile.tracks[track.index()];
        RowSum {
            process: t.parent.map(|p| profile.track_path(p)).unwrap_or_default(),
            name: profile.strings.get(t.name).into(),
            n_slices: n_slices as u64,
            busy: DurationNs(busy),
            share: window.filter(|w| w.0 > 0).map(|w| busy as f64 / w.0 as f64),
        }
    };
    tracks(all.log, is_listed).into_iter().map(row).collect()
}
