//! The busy time of an engine.

use crate::base::DurationNs;
use serde::{Deserialize, Serialize};

/// How long an engine of a core was busy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineTime {
    /// `NC 4`.
    pub core: String,
    /// `Tensor`, `DMA`.
    pub engine: String,
    /// Time in which anything but a semaphore wait ran.
    pub busy: DurationNs,
    /// Instructions, or transfers.
    pub count: u64,
    /// Bytes moved, of DMA.
    pub bytes: Option<u64>,
}
