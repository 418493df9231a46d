//! HBM in use by category: at its fullest, and over time.

use super::View;
use super::figures::{counters, place};
use crate::base::Order as _;
use crate::base::TimeNs;
use crate::model::Counter;
use crate::model::system::RowKind;
use serde::{Deserialize, Serialize};

/// An HBM at its fullest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HbmRow {
    /// `i-0f · ND 0 HBM 2`.
    pub place: String,
    /// When.
    pub time: TimeNs,
    /// Bytes in use.
    pub bytes: u64,
    /// As a share of the capacity that the profile records for one NeuronCore; several may share an HBM.
    pub share: Option<f64>,
    /// Categories in use then: name, bytes, share of the capacity; largest first.
    pub categories: Vec<(String, u64, Option<f64>)>,
}

/// An HBM over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HbmCurve {
    /// `i-0f · ND 0 HBM 2`.
    pub place: String,
    /// When, ascending; a value holds until the next. At most [`MOST_POINTS`]: of several neighbours the fullest.
    pub times: Vec<i64>,
    /// Bytes in total, one for each time.
    pub total: Vec<f64>,
    /// Categories that are ever in use: name, bytes; the one with the most first.
    pub categories: Vec<(String, Vec<f64>)>,
    /// Samples in the profile or the range.
    pub n_samples: u64,
}

/// More points than these are thinned out.
const MOST_POINTS: usize = 1_000;

fn total(counter: &Counter, at: usize) -> f64 {
    counter.series.iter().filter_map(|s| s.values.get(at)).sum()
}

fn place_of(view: &View<'_>, counter: &Counter) -> String {
    let row = view.system.rows[counter.track.index()];
    let name = view.profile.strings.get(view.profile.tracks[counter.track.index()].name);
    place(&[("", view.profile.strings.get(row.instance)), ("", name)])
}

/// The samples that are asked about: those in the range, and the one that holds when it begins.
fn asked(view: &View<'_>, counter: &Counter) -> std::ops::Range<usize> {
    let Some(range) = view.range else { return 0..counter.times.len() };
    let first = counter.times.partition_point(|t| *t <= range.start.0).saturating_sub(1);
    let end = counter.times.partition_point(|t| *t < range.end.0);
    first.min(end)..end
}

/// Every HBM at its fullest.
pub(super) fn hbm(view: &View<'_>) -> Vec<HbmRow> {
    let capacity = view.system.hbm_capacity;
    let share = |bytes: u64| capacity.map(|c| bytes as f64 / c as f64);
    let row = |counter: &Counter| {
        let at = asked(view, counter).max_by(|&a, &b| total(counter, a).total_cmp(&total(counter, b)).then(b.cmp(&a)))?;
        let bytes = total(counter, at).max(0.0) as u64;
        let mut categories: Vec<(String, u64, Option<f64>)> = counter
            .series
            .iter()
            .filter_map(|s| s.values.get(at).filter(|v| **v > 0.0).map(|v| (s.name.clone(), *v as u64, share(*v as u64))))
            .collect();
        categories.order_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let time = TimeNs(counter.times[at].max(view.range.map_or(i64::MIN, |r| r.start.0)));
        Some(HbmRow { place: place_of(view, counter), time, bytes, share: share(bytes), categories })
    };
    counters(view, RowKind::Hbm).filter_map(row).collect()
}

/// Every HBM over time.
pub(super) fn curves(view: &View<'_>) -> Vec<HbmCurve> {
    let curve = |counter: &Counter| {
        let asked = asked(view, counter);
        let n_samples = asked.len() as u64;
        let each = asked.len().div_ceil(MOST_POINTS).max(1);
        let fullest = |part: std::ops::Range<usize>| part.max_by(|&a, &b| total(counter, a).total_cmp(&total(counter, b)).then(b.cmp(&a)));
        let points: Vec<usize> = asked.clone().step_by(each).filter_map(|from| fullest(from..(from + each).min(asked.end))).collect();
        let of = |values: &[f64]| points.iter().map(|&at| values.get(at).copied().unwrap_or(0.0)).collect::<Vec<f64>>();
        let named = counter.series.iter().map(|s| (s.name.clone(), of(&s.values)));
        let mut categories: Vec<(String, Vec<f64>)> = named.filter(|c| c.1.iter().any(|v| *v > 0.0)).collect();
        let most = |c: &(String, Vec<f64>)| c.1.iter().copied().fold(0.0, f64::max);
        categories.order_by(|a, b| most(b).total_cmp(&most(a)));
        HbmCurve {
            place: place_of(view, counter),
            times: points.iter().map(|&at| counter.times[at]).collect(),
            total: points.iter().map(|&at| total(counter, at)).collect(),
            categories,
            n_samples,
        }
    };
    counters(view, RowKind::Hbm).map(curve).filter(|c| !c.times.is_empty()).collect()
}
