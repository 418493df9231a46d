//! Values over time: which there are, and how their rows are called.

use serde::{Deserialize, Serialize};

/// Values over time of one core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Curve {
    StateBuffer,
    Psum,
    Throttling,
    PendingDma,
    HbmThroughput,
    DmaThroughput,
}

/// Name, unit, series and group of a curve.
pub(super) fn curve_row(curve: Curve) -> (&'static str, &'static str, &'static [&'static str], i64) {
    match curve {
        Curve::StateBuffer => ("State Buffer Usage", "%", &["partition 0", "partition 32", "partition 64", "partition 96"], 30),
        Curve::Psum => ("PSUM Usage", "banks", &["bank 0", "bank 1", "bank 2", "bank 3", "bank 4", "bank 5", "bank 6", "bank 7"], 31),
        Curve::Throttling => ("Throttling", "%", &["utilization limit"], 32),
        Curve::PendingDma => ("Pending DMA Count", "", &["pending"], 34),
        Curve::HbmThroughput => ("HBM Throughput", "B/s", &["transfer rate"], 35),
        Curve::DmaThroughput => ("DMA Throughput", "B/s", &["transfer rate"], 36),
    }
}
