//! Usage of on-chip memory over time, as the file sampled it.

use crate::base::TimeNs;
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// Samples of one series that are sent; of more, the largest of each interval.
const MOST: usize = 2_000;

/// One part of a memory of one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UseCurve {
    /// `NC 4`.
    pub core: String,
    /// `PSUM Usage`, `State Buffer Usage`.
    pub name: String,
    /// `bank 0`, `partition 32`.
    pub part: String,
    /// Unit of the values.
    pub unit: String,
    /// Time and value, which holds until the next.
    pub points: Vec<(TimeNs, f64)>,
    /// Samples of the file.
    pub n_samples: u64,
    /// The largest value, and when it was first reached.
    pub peak: Option<(TimeNs, f64)>,
    /// Mean over the time from the first sample to the last; `None` of a single one.
    pub mean: Option<f64>,
}

/// Every series of PSUM and State Buffer.
pub fn curves(profile: &Profile) -> Vec<UseCurve> {
    let mut out = Vec::new();
    for counter in &profile.counters {
        let path = profile.track_path(counter.track);
        let (core, name) = path.rsplit_once(" / ").unwrap_or(("", path.as_str()));
        if !name.starts_with("PSUM") && !name.starts_with("State Buffer") {
            continue;
        }
        for series in &counter.series {
            out.push(UseCurve {
                core: core.into(),
                name: name.into(),
                part: series.name.clone(),
                unit: counter.unit.clone(),
                n_samples: counter.times.len() as u64,
                peak: peak(&counter.times, &series.values),
                mean: mean(&counter.times, &series.values),
                points: thinned(&counter.times, &series.values, MOST),
            });
        }
    }
    out
}

fn peak(times: &[i64], values: &[f64]) -> Option<(TimeNs, f64)> {
    let pairs = times.iter().zip(values).filter(|p| p.1.is_finite());
    let first = |best: Option<(i64, f64)>, (t, v): (&i64, &f64)| if best.is_none_or(|b| *v > b.1) { Some((*t, *v)) } else { best };
    pairs.fold(None, first).map(|(t, v)| (TimeNs(t), v))
}

/// Σ value × time it held ÷ time from the first sample to the last.
fn mean(times: &[i64], values: &[f64]) -> Option<f64> {
    let span = times.last()?.checked_sub(*times.first()?).filter(|s| *s > 0)?;
    let held = times.windows(2).zip(values).map(|(t, v)| (t[1] - t[0]) as f64 * v);
    Some(held.sum::<f64>() / span as f64)
}

/// At most about `most` points: of each interval of samples the first and the largest, so that no peak is lost.
fn thinned(times: &[i64], values: &[f64], most: usize) -> Vec<(TimeNs, f64)> {
    let all: Vec<(TimeNs, f64)> = times.iter().zip(values).map(|(t, v)| (TimeNs(*t), *v)).collect();
    if all.len() <= most {
        return all;
    }
    let mut out = Vec::with_capacity(most + 2);
    for part in all.chunks(all.len().div_ceil(most / 2)) {
        let top = part.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1)).map_or(0, |t| t.0);
        out.push(part[0]);
        if top > 0 {
            out.push(part[top]);
        }
    }
    out.extend(all.last());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next() {
        assert_eq!(mean(&[0, 10, 30], &[1.0, 2.0, 9.0]), Some((10.0 + 40.0) / 30.0));
        assert_eq!(mean(&[5], &[1.0]), None);
        assert_eq!(peak(&[0, 10, 30], &[1.0, 9.0, 9.0]), Some((TimeNs(10), 9.0)));
        assert_eq!(peak(&[], &[]), None);
    }

    #[test]
    fn thinning_keeps_the_peak_and_the_ends() {
        let times: Vec<i64> = (0..100_000).collect();
        let mut values = vec![1.0; 100_000];
        values[54_321] = 7.0;
        let thin = thinned(&times, &values, 100);
        assert!(thin.len() <= 102 && thin.contains(&(TimeNs(54_321), 7.0)), "{}", thin.len());
        assert_eq!((thin[0].0, thin[thin.len() - 1].0), (TimeNs(0), TimeNs(99_999)));
        assert!(thin.is_sorted_by_key(|p| p.0));
    }
}
