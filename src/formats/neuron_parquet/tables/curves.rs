//! Values over time.

use super::reading::Reading;
use super::table::Table;
use crate::base::Ledger;
use crate::formats::neuron_json::timeline::Curve;
use crate::formats::neuron_parquet::checks::consistency::SampledTimes;
use std::collections::BTreeMap;

const SBUF: [&str; 4] = ["partition_0_util_percent", "partition_32_util_percent", "partition_64_util_percent", "partition_96_util_percent"];
const PSUM: [&str; 8] = [
    "bank_0_util_percent",
    "bank_1_util_percent",
    "bank_2_util_percent",
    "bank_3_util_percent",
    "bank_4_util_percent",
    "bank_5_util_percent",
    "bank_6_util_percent",
    "bank_7_util_percent",
];

/// How the values of a table are brought to the unit of the curve. The schema calls both fractions and hundredths "percent": nothing above one means
/// fractions.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// They are in it.
    Plain,
    /// To hundredths.
    Percent,
    /// To fractions of a bank.
    Banks,
}

/// (table, curve, columns, scale).
const CURVES: [(&str, Curve, &[&str], Scale); 5] = [
    ("SbufUsage", Curve::StateBuffer, &SBUF, Scale::Percent),
    ("PsumUsage", Curve::Psum, &PSUM, Scale::Banks),
    ("PendingDma", Curve::PendingDma, &["value"], Scale::Plain),
    ("DmaUsage", Curve::DmaThroughput, &["current_throughput"], Scale::Plain),
    ("HbmUsage", Curve::HbmThroughput, &["current_throughput"], Scale::Plain),
];

/// Puts every table of measurements on the timeline.
pub fn curves(tables: &BTreeMap<String, Table>, r: &mut Reading, ledger: &mut Ledger) {
    for (name, curve, columns, scale) in CURVES {
        let Some(table) = tables.get(name) else {
            continue;
        };
        let wanted: Vec<&str> = ["timestamp", "pcore_idx"].into_iter().chain(columns.iter().copied()).collect();
        let mut samples: Vec<(usize, i64, Vec<f64>)> = Vec::new();
        r.each(table, &wanted, ledger, &mut |r, b, row, _| {
            let values: Option<Vec<f64>> = (0..columns.len()).map(|c| b.float(2 + c, row)).collect();
            let (Some(time), Some(values)) = (b.int(0, row), values) else {
                return false;
            };
            samples.push((r.core(b.int(1, row)), time, values));
            true
        });
        // No row is known to begin or end where traffic of HBM changes.
        if curve != Curve::HbmThroughput {
            r.sampled_times.push(SampledTimes::of(name, samples.iter().map(|s| s.1)));
        }
        r.ends.extend(samples.iter().map(|s| s.1).max().map(|end| (name, end)));
        let is_fraction = samples.iter().all(|s| s.2.iter().all(|v| *v <= 1.0));
        let scale = match (scale, is_fraction) {
            (Scale::Percent, true) => 100.0,
            (Scale::Banks, false) => 0.01,
            _ => 1.0,
        };
        for (core, time, values) in samples {
            r.t.sample(core, curve, time, &values.into_iter().map(|v| v * scale).collect::<Vec<_>>());
        }
    }
    if let Some(table) = tables.get("Throttle") {
        let mut last = None;
        r.each(table, &["timestamp", "k", "n", "pcore_idx", "duration"], ledger, &mut |r, b, row, _| {
            let (Some(time), Some(k), Some(n)) = (b.int(0, row), b.float(1, row), b.float(2, row).filter(|n| *n > 0.0)) else {
                return false;
            };
            let core = r.core(b.int(3, row));
            r.t.throttle(core, time, b.int(4, row), k / n);
            last = last.max(Some(time));
            true
        });
        r.ends.extend(last.map(|end| ("Throttle", end)));
    }
}
