//! Row types of the answers about any profile.

use crate::analysis::details::Neighbour;
use crate::analysis::device::instructions::instruction::InstructionFacts;
use crate::base::{DurationNs, EventId, TimeNs};
use crate::formats::Field;
use crate::model::{Cell, Fact};
use serde::{Deserialize, Serialize};

/// A track for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackSummary {
    /// Names from the root.
    pub path: String,
    /// What it shows.
    pub kind: crate::model::TrackKind,
    /// Slices on it.
    pub n_slices: u64,
    /// Lanes.
    pub depth: u32,
    /// First moment of a slice.
    pub first_ns: Option<i64>,
    /// Last moment of a slice.
    pub last_ns: Option<i64>,
    /// Counter samples on it.
    pub n_samples: u64,
    /// Instants on it.
    pub n_instants: u64,
}

/// Tracks and totals of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSummary {
    /// In display order.
    pub tracks: Vec<TrackSummary>,
    /// All slices.
    pub n_slices: u64,
    /// All flows.
    pub n_flows: u64,
    /// All instants.
    pub n_instants: u64,
    /// All counter samples.
    pub n_samples: u64,
    /// Generic tables with their row counts.
    pub tables: Vec<(String, u64)>,
    /// Metadata of the file.
    pub facts: Vec<Fact>,
}

/// Everything about one slice or instant; what only a slice has is nothing for an instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// What it is.
    pub item: EventId,
    /// Its name.
    pub name: String,
    /// Path of its track.
    pub track: String,
    /// Start, or the moment.
    pub start: TimeNs,
    /// Duration.
    pub duration: DurationNs,
    /// Duration without its children; `None` where slices do not hold each other, and of a moment.
    pub self_time: Option<DurationNs>,
    /// Fields of the record, grouped in order.
    pub fields: Vec<Field>,
    /// Slices this one depends on or was launched by.
    pub predecessors: Vec<Neighbour>,
    /// Slices that depend on this one.
    pub successors: Vec<Neighbour>,
    /// The chain of slices that hold it, innermost first, and its own children are not listed.
    pub parents: Vec<Neighbour>,
    /// What the record of a device's instruction means; `None` for all else.
    pub instruction: Option<Box<InstructionFacts>>,
}

/// Part of a generic table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TablePart {
    /// Column names.
    pub columns: Vec<String>,
    /// The rows asked for.
    #[serde(with = "super::cells")]
    pub rows: Vec<Vec<Cell>>,
    /// Rows there are.
    pub n_total: u64,
}
