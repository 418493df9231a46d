//! Transfers, HBM and CPUs in figures.

use super::View;
use crate::analysis::spans::Spans;
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
    /// How many of them tell their size.
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

/// An HBM at its fullest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HbmRow {
    /// `i-0f · ND 0 HBM 2`.
    pub place: String,
    /// When.
    pub time: TimeNs,
    /// Bytes in use.
    pub bytes: u64,
    /// As a share of the capacity that the profile tells for one NeuronCore; several may share an HBM.
    pub share: Option<f64>,
    /// Categories in use then: name, bytes, share of the capacity; largest first.
    pub categories: Vec<(String, u64, Option<f64>)>,
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

/// By core and direction.
pub(super) fn transfers(view: &View<'_>) -> Vec<TransferRow> {
    /// Spans of all, spans of those with a size, and their rates.
    type Sums = (TransferRow, Vec<(i64, i64)>, Vec<(i64, i64)>, Vec<(i64, f64)>);
    let mut rows: BTreeMap<(StrId, StrId, StrId, bool), Sums> = BTreeMap::new();
    for transfer in &view.system.transfers {
        let Some(track) = view.profile.track_of(transfer.slice) else {
            continue;
        };
        let row = view.system.rows[track.index()];
        let (start, end) = view.span(transfer.slice);
        let (sum, all, sized, rates) = rows.entry((row.instance, row.process, row.core, !transfer.is_to_device)).or_default();
        sum.count += 1;
        all.push((start, end));
        if let Some(bytes) = transfer.bytes {
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
        rates.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
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

fn place(parts: &[(&str, &str)]) -> String {
    let told: Vec<String> = parts.iter().filter(|p| !p.1.is_empty()).map(|(what, id)| format!("{what}{id}")).collect();
    if told.is_empty() { "not told".into() } else { told.join(" · ") }
}

fn counters<'a>(view: &'a View<'_>, kind: RowKind) -> impl Iterator<Item = &'a Counter> {
    view.profile.counters.iter().filter(move |c| view.system.rows[c.track.index()].kind == kind)
}

/// Every HBM at its fullest.
pub(super) fn hbm(view: &View<'_>) -> Vec<HbmRow> {
    let capacity = view.system.hbm_capacity;
    let share = |bytes: u64| capacity.map(|c| bytes as f64 / c as f64);
    let row = |counter: &Counter| {
        let total = |at: usize| counter.series.iter().filter_map(|s| s.values.get(at)).sum::<f64>();
        let at = (0..counter.times.len()).max_by(|&a, &b| total(a).total_cmp(&total(b)).then(b.cmp(&a)))?;
        let row = view.system.rows[counter.track.index()];
        let name = view.profile.strings.get(view.profile.tracks[counter.track.index()].name);
        let bytes = total(at).max(0.0) as u64;
        let mut categories: Vec<(String, u64, Option<f64>)> = counter
            .series
            .iter()
            .filter_map(|s| s.values.get(at).filter(|v| **v > 0.0).map(|v| (s.name.clone(), *v as u64, share(*v as u64))))
            .collect();
        categories.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let place = place(&[("", view.profile.strings.get(row.instance)), ("", name)]);
        Some(HbmRow { place, time: TimeNs(counter.times[at]), bytes, share: share(bytes), categories })
    };
    counters(view, RowKind::Hbm).filter_map(row).collect()
}

/// A sample is the mean over the second before it.
const SAMPLE_NS: i64 = 1_000_000_000;

/// Every CPU, busiest first. `gaps` are times in which no device executes.
pub(super) fn cpus(view: &View<'_>, gaps: &Spans) -> Vec<CpuRow> {
    let row = |counter: &Counter| {
        let values = &counter.series.first()?.values;
        let row = view.system.rows[counter.track.index()];
        let mut out = CpuRow {
            instance: view.profile.strings.get(row.instance).into(),
            cpu: view.profile.strings.get(row.core).into(),
            n_samples: values.len() as u64,
            mean: values.iter().sum::<f64>() / (values.len().max(1) as f64) / 100.0,
            most: values.iter().copied().fold(0.0, f64::max) / 100.0,
            ..CpuRow::default()
        };
        for (at, (&time, &value)) in counter.times.iter().zip(values).enumerate() {
            let before = at.checked_sub(1).map_or(i64::MIN, |b| counter.times[b]);
            let from = before.max(time.saturating_sub(SAMPLE_NS));
            if gaps.touches(from, time) && out.most_in_gaps.is_none_or(|m| value / 100.0 > m) {
                (out.most_in_gaps, out.busiest) = (Some(value / 100.0), Some(TimeNs(time)));
            }
        }
        Some(out)
    };
    let mut out: Vec<CpuRow> = counters(view, RowKind::Cpu).filter_map(row).collect();
    out.sort_by(|a, b| b.most.total_cmp(&a.most));
    out
}
