//! Transfers, HBM and CPUs in numbers.

use super::View;
use crate::analysis::spans::Spans;
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs};
use crate::model::Counter;
use crate::model::system::RowKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Transfers of one core in one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferRow {
    /// `i-0f · PID 7 · NC 0`.
    pub place: String,
    /// Host to device, else device to host.
    pub is_to_device: bool,
    /// How many.
    pub count: u64,
    /// How many of them have a size.
    pub n_sized: u64,
    /// Bytes of those.
    pub bytes: Option<u64>,
    /// Time in which any of them runs.
    pub busy: DurationNs,
    /// Bytes a second while any with a known size runs: their bytes over that time.
    pub bandwidth: Option<f64>,
    /// The most bytes a second at one moment, those under way added up.
    pub peak: Option<f64>,
}

/// A CPU's use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuRow {
    /// Instance.
    pub instance: String,
    /// Its number, or `average`.
    pub cpu: String,
    /// Samples.
    pub n_samples: u64,
    /// Mean, a share of one.
    pub mean: f64,
    /// Most, a share of one.
    pub most: f64,
    /// Most in a sample that covers a time in which no device executes.
    pub most_in_gaps: Option<f64>,
    /// When that sample was taken.
    pub busiest: Option<TimeNs>,
}

/// Transfers by core and direction.
pub(super) fn transfers(view: &View<'_>) -> Vec<TransferRow> {
    /// Spans of all, spans of those with a size, and their rates.
    type Sums = (TransferRow, Vec<(i64, i64)>, Vec<(i64, i64)>, Vec<(i64, f64)>);
    let mut rows: BTreeMap<(StrId, StrId, StrId, bool), Sums> = BTreeMap::new();
    for transfer in &view.system.transfers {
        let (Some(track), Some((start, end))) = (view.profile.track_of(transfer.slice), view.span(transfer.slice)) else {
            continue;
        };
        let row = view.system.rows[track.index()];
        let (sum, all, sized, rates) = rows.entry((row.instance, row.process, row.core, !transfer.is_to_device)).or_default();
        sum.count += 1;
        all.push((start, end));
        if let Some(bytes) = transfer.bytes {
            let bytes = part_of(bytes, end - start, view.profile.slices.duration[transfer.slice.index()]);
            sum.n_sized += 1;
            sum.bytes = Some(sum.bytes.unwrap_or(0).saturating_add(bytes));
            if end > start {
                sized.push((start, end));
                let rate = bytes as f64 / ((end - start) as f64 / 1e9);
                rates.extend([(start, rate), (end, -rate)]);
            }
        }
    }
    let text = |id| view.profile.strings.get(id);
    let row = |((instance, process, core, is_from), (mut row, all, sized, mut rates)): ((StrId, StrId, StrId, bool), Sums)| {
        row.place = place(&[("", text(instance)), ("PID ", text(process)), ("NC ", text(core))]);
        row.is_to_device = !is_from;
        row.busy = DurationNs(Spans::union(all).total());
        let moving = Spans::union(sized).total();
        row.bandwidth = row.bytes.filter(|_| moving > 0).map(|b| b as f64 / (moving as f64 / 1e9));
        // What ends makes room before what begins.
        rates.order_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut now = 0.0f64;
        row.peak = rates
            .into_iter()
            .map(|(_, r)| {
                now += r;
                now
            })
            .max_by(f64::total_cmp);
        row
    };
    rows.into_iter().map(row).collect()
}

/// The bytes of a part of a transfer, which moves them evenly.
fn part_of(bytes: u64, part: i64, whole: i64) -> u64 {
    if part == whole || whole <= 0 {
        return bytes;
    }
    (u128::from(bytes) * u128::from(part.max(0).unsigned_abs()) / u128::from(whole.unsigned_abs())) as u64
}

pub(super) fn place(parts: &[(&str, &str)]) -> String {
    let recorded: Vec<String> = parts.iter().filter(|p| !p.1.is_empty()).map(|(what, id)| format!("{what}{id}")).collect();
    if recorded.is_empty() { "not recorded".into() } else { recorded.join(" · ") }
}

/// Curves of a kind.
pub(super) fn counters<'a>(view: &'a View<'_>, kind: RowKind) -> impl Iterator<Item = &'a Counter> {
    view.profile.counters.iter().filter(move |c| view.system.rows[c.track.index()].kind == kind)
}

/// A sample is the mean over the second before it.
const SAMPLE_NS: i64 = 1_000_000_000;

/// Every CPU, busiest first. `gaps` are times in which no device executes.
pub(super) fn cpus(view: &View<'_>, gaps: &Spans) -> Vec<CpuRow> {
    let row = |counter: &Counter| {
        let values = &counter.series.first()?.values;
        let row = view.system.rows[counter.track.index()];
        let from = |at: usize| at.checked_sub(1).map_or(i64::MIN, |b| counter.times[b]).max(counter.times[at].saturating_sub(SAMPLE_NS));
        let is_asked = |at: &usize| view.range.is_none_or(|r| counter.times[*at] > r.start.0 && from(*at) < r.end.0);
        let asked: Vec<usize> = (0..values.len().min(counter.times.len())).filter(is_asked).collect();
        if asked.is_empty() {
            return None;
        }
        let mut out = CpuRow {
            instance: view.profile.strings.get(row.instance).into(),
            cpu: view.profile.strings.get(row.core).into(),
            n_samples: asked.len() as u64,
            mean: asked.iter().map(|&at| values[at]).sum::<f64>() / asked.len() as f64 / 100.0,
            most: asked.iter().map(|&at| values[at]).fold(0.0, f64::max) / 100.0,
            ..CpuRow::default()
        };
        for at in asked {
            let (time, value, from) = (counter.times[at], values[at], from(at));
            if gaps.touches(from, time) && out.most_in_gaps.is_none_or(|m| value / 100.0 > m) {
                (out.most_in_gaps, out.busiest) = (Some(value / 100.0), Some(TimeNs(time)));
            }
        }
        Some(out)
    };
    let mut out: Vec<CpuRow> = counters(view, RowKind::Cpu).filter_map(row).collect();
    out.order_by(|a, b| b.most.total_cmp(&a.most));
    out
}
