//! The answer about the roofline.

use crate::base::{DurationNs, SliceId};
use serde::{Deserialize, Serialize};

/// A rate that no work can pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// `BF16, FP16, TF32`.
    pub name: String,
    /// FLOP/s of all cores.
    pub flops: f64,
    /// Whether it is what throttling left, not what the hardware can.
    pub is_throttled: bool,
}

/// Which bytes an intensity is against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Basis {
    /// Read from and written to HBM: the memory ceiling holds for it.
    Hbm,
    /// Read from and written to the State Buffer; its bandwidth is not recorded.
    Sbuf,
}

/// Which ceiling is above a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// Left of the ridge: bandwidth.
    Memory,
    /// Right of it: compute.
    Compute,
    /// No ceiling is known for its bytes.
    #[serde(rename = "NotTold")]
    NotRecorded,
}

/// The run, or a part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What it is.
    pub name: String,
    /// What kind: `Run`, `Layer`, `Source line`.
    pub level: String,
    /// The core of the part, `NC 4`; empty for all cores.
    pub core: String,
    /// Which bytes.
    pub basis: Basis,
    /// Useful FLOPs: without transposes.
    pub flops: u64,
    /// The same in terms of BF16's rate: an FP32 product counts four times. `None` where a product's type is not recorded.
    pub adjusted: Option<u64>,
    /// Bytes of `basis`.
    pub bytes: u64,
    /// Time, active on any engine for a part; the whole length for the run or a range.
    pub duration: DurationNs,
    /// FLOP per byte.
    pub intensity: f64,
    /// FLOP/s reached.
    pub rate: f64,
    /// FLOP/s that the lower of the two ceilings allows at this intensity; `None` without a ceiling.
    pub roof: Option<f64>,
    /// BF16 FLOP/s of the core, or of all cores, that it is of; `None` if not recorded.
    pub peak: Option<f64>,
    /// Which ceiling that is.
    pub bound: Bound,
    /// Whether bytes that need not have moved are omitted: what the run could be, at the same rate.
    pub is_potential: bool,
    /// Its first instruction.
    pub first: Option<SliceId>,
}

/// Ceilings and points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Roofline {
    /// Highest first.
    pub ceilings: Vec<Ceiling>,
    /// Bytes per second of the HBM stack.
    pub bandwidth: Option<f64>,
    /// FLOP per byte at which BF16 is no longer bound by memory: `P × N ÷ B`.
    pub ridge: Option<f64>,
    /// The most FLOP/s at the intensity of the run or range: (intensity, rate).
    pub achievable: Option<(f64, f64)>,
    /// The run first, then its parts.
    pub points: Vec<Point>,
    /// Groupings one can choose: (id, label).
    pub choices: Vec<(String, String)>,
    /// Parts of the longest layer's path.
    pub max_depth: u32,
    /// What cannot be determined, in sentences.
    pub notes: Vec<String>,
}
