//! Metrics of both profiles that differ, largest relative change first.

use crate::analysis::device::compare::PartMetric;
use crate::analysis::device::run_metrics::units::{Better, SAME, Unit};
use crate::base::Order as _;
use serde::{Deserialize, Serialize};

/// A metric that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricChange {
    /// Its name in the summary.
    pub name: String,
    /// What values are measured in.
    pub unit: Unit,
    /// Value in the base; `None` where it is not recorded.
    pub base: Option<f64>,
    /// Value in the run; `None` where it is not recorded.
    pub run: Option<f64>,
    /// Run ÷ base; `None` where the base is 0 or one is missing.
    pub ratio: Option<f64>,
    /// Whether the change is an improvement; `None` where that depends.
    pub is_better: Option<bool>,
    /// What it means; may be empty.
    pub meaning: String,
}

impl MetricChange {
    /// Size of the relative change: |run − base| ÷ |base|; a change from 0 is the largest, a missing value the smallest.
    fn size(&self) -> f64 {
        match (self.base, self.run) {
            (Some(0.0), Some(0.0)) => 0.0,
            (Some(0.0), Some(_)) => f64::INFINITY,
            (Some(base), Some(run)) => ((run - base) / base).abs(),
            _ => -1.0,
        }
    }
}

/// Metrics that differ, and how many are equal to six digits. Values that are not finite are not recorded values.
pub(super) fn changes(base: &[PartMetric], run: &[PartMetric]) -> (Vec<MetricChange>, u64) {
    let value = |all: &[PartMetric], name: &str| all.iter().find(|m| m.name == name).map(|m| m.value).filter(|v| v.is_finite());
    let mut seen: Vec<&str> = Vec::new();
    let (mut out, mut n_equal) = (Vec::new(), 0);
    for metric in run.iter().chain(base) {
        let name = metric.name.as_str();
        // A number that names something does not change by an amount.
        if seen.contains(&name) || Unit::of(name) == Unit::Id {
            continue;
        }
        seen.push(name);
        let (a, b) = (value(base, name), value(run, name));
        match (a, b) {
            (None, None) => continue,
            (Some(a), Some(b)) if (a - b).abs() <= SAME * a.abs().max(b.abs()) => n_equal += 1,
            _ => out.push(MetricChange {
                name: name.into(),
                unit: Unit::of(name),
                base: a,
                run: b,
                ratio: a.zip(b).filter(|(a, _)| *a != 0.0).map(|(a, b)| b / a),
                is_better: a.zip(b).and_then(|(a, b)| Better::of(name)?.judges(b - a, a)),
                meaning: metric.meaning.clone(),
            }),
        }
    }
    out.order_by(|a, b| b.size().total_cmp(&a.size()).then_with(|| a.name.cmp(&b.name)));
    (out, n_equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_relative_change_is_first_and_equal_ones_are_counted() {
        let of = |rows: &[(&str, f64)]| -> Vec<PartMetric> {
            rows.iter().map(|(name, value)| PartMetric { name: (*name).into(), value: *value, ..PartMetric::default() }).collect()
        };
        let base =
            of(&[("total_time", 4.0), ("hbm_read_bytes", 100.0), ("x_count", 0.0), ("same", 5.0), ("nc_idx", 1.0), ("nan", f64::NAN)]);
        let run = of(&[
            ("total_time", 3.0),
            ("hbm_read_bytes", 10.0),
            ("x_count", 2.0),
            ("same", 5.0),
            ("nc_idx", 2.0),
            ("new", 1.0),
            ("nan", f64::NAN),
        ]);
        let (changes, n_equal) = changes(&base, &run);
        assert_eq!(changes.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["x_count", "hbm_read_bytes", "total_time", "new"]);
        assert_eq!((n_equal, changes[0].ratio, changes[1].ratio, changes[3].base), (1, None, Some(0.1), None));
        assert_eq!((changes[2].is_better, changes[0].is_better), (Some(true), None));
    }
}
