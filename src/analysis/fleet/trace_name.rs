//! How the traces of a run are named.

use crate::model::fleet::FleetTrace;
use serde::{Deserialize, Serialize};

/// How a trace is named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceName {
    /// Rank.
    pub rank: Option<u32>,
    /// Host; empty where it is not recorded.
    pub host: String,
    /// Path of the file.
    pub name: String,
    /// Content hash of the file, as [`crate::base::hash::content_hash`] writes it.
    pub hash: String,
}

impl TraceName {
    /// Names a trace.
    pub fn of(trace: &FleetTrace) -> TraceName {
        let meta = &trace.meta;
        TraceName { rank: meta.rank, host: meta.host.clone(), name: meta.name.clone(), hash: format!("{:016x}", meta.id) }
    }

    /// `rank 12`, or the file's name.
    pub fn label(&self) -> String {
        self.rank.map_or_else(|| self.name.clone(), |rank| format!("rank {rank}"))
    }

    /// `rank 12 on node3`.
    pub fn placed(&self) -> String {
        if self.host.is_empty() { self.label() } else { format!("{} on {}", self.label(), self.host) }
    }
}
