//! The mean throttling limit of the Tensor engine, from any of the places where files record it.

use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::base::TrackId;
use crate::model::{Cell, Domain, Profile};

/// The mean limit of the most limited core: 1 is no limit. `None` if throttling is not recorded.
///
/// As the summary of the run states; where it does not, as the times of throttling do (Σ time × limit ÷ Σ time, which is the same value
/// as long as the times are whole); where there are none either, as the table `ThrottleSummary` does, which has it ready.
pub(in crate::analysis::device) fn lowest(profile: &Profile, facts: &MetricSource<'_>) -> Option<f64> {
    let recorded = (0..2).filter_map(|core| facts.throttle_limit(core)).reduce(f64::min);
    recorded.or_else(|| of_instants(profile)).or_else(|| of_table(profile))
}

fn of_instants(profile: &Profile) -> Option<f64> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    // Core, time, time × limit.
    let mut cores: Vec<(TrackId, f64, f64)> = Vec::new();
    for limit in &device.throttles {
        let at = cores.iter().position(|c| c.0 == limit.core).unwrap_or_else(|| {
            cores.push((limit.core, 0.0, 0.0));
            cores.len() - 1
        });
        let time = limit.end.saturating_sub(limit.start).max(0) as f64;
        cores[at].1 += time;
        cores[at].2 += time * limit.limit;
    }
    cores.into_iter().filter(|c| c.1 > 0.0).map(|(_, time, allowed)| allowed / time).reduce(f64::min)
}

/// The rows that count all kinds of throttling together.
fn of_table(profile: &Profile) -> Option<f64> {
    let table = profile.tables.iter().find(|t| t.id == "ThrottleSummary")?;
    let column = |name: &str| table.columns.iter().position(|c| c == name);
    let (kind, limit) = (column("throttle_type")?, column("max_achievable_util_with_throttling_percent")?);
    let of_all = table.rows.iter().filter(|row| matches!(row.get(kind), Some(Cell::Text(kind)) if kind == "all"));
    let recorded = of_all.filter_map(|row| match row.get(limit)? {
        Cell::Float(share) if share.is_finite() => Some(*share),
        Cell::Int(share) => Some(*share as f64),
        _ => None,
    });
    recorded.reduce(f64::min)
}
