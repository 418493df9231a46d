//! One tensor of the memory view.

use crate::base::{TimeNs, TimeRange};
use serde::{Deserialize, Serialize};

/// A tensor that is moved more often than this is of interest: AWS's viewers mark it.
pub const RELOADED: f64 = 2.0;

/// One tensor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TensorRow {
    /// Its name; empty for a node without a name but with other data.
    pub name: String,
    /// `IN`, `OUT`, `WEIGHT`.
    pub kind: Option<String>,
    /// Layout: `NCHW`.
    pub format: Option<String>,
    /// Dimensions, as written.
    pub shape: Option<String>,
    /// Bytes.
    pub size_bytes: Option<u64>,
    /// Node of the NEFF.
    pub node: Option<String>,
    /// Physical core, or the subgraph of it.
    pub core: Option<String>,
    /// Recorded transfers into the State Buffer.
    pub loads: Option<u64>,
    /// Bytes of these.
    pub load_bytes: Option<u64>,
    /// Mean bytes of one of these.
    pub load_mean_bytes: Option<u64>,
    /// Recorded ratio of loaded bytes to its size.
    pub load_factor: Option<f64>,
    /// Transfers that name it, counted from the rows.
    pub transfers: Option<u64>,
    /// Bytes of these.
    pub moved_bytes: Option<u64>,
    /// `moved_bytes` ÷ `size_bytes`.
    pub moved_factor: Option<f64>,
    /// From the start of the first transfer to the end of the last.
    pub used: Option<TimeRange>,
}

impl TensorRow {
    /// The file's load factor, or that of the rows.
    pub fn factor(&self) -> Option<f64> {
        self.load_factor.or(self.moved_factor)
    }

    /// Whether its transfers span the moment.
    pub fn is_active(&self, at: TimeNs) -> bool {
        self.used.is_some_and(|r| r.start <= at && at <= r.end)
    }
}
