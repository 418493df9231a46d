//! Questions and answers: closed enums of plain data. A view's question is a variant of each.

use super::brief::Brief;
pub use super::export::{ExportPart, ExportQuery, Exported};
pub use super::neuron::{NeuronAnswer, NeuronQuery};
pub use super::scan::{Cursor, ScanPart, ScanQuery};
pub use super::tables::{TableInfo, TablePartQuery, TableStream};
pub use crate::analysis::details::Neighbour;
pub use crate::analysis::device::instruction::InstructionFacts;
pub use crate::analysis::device::{DeviceAnswer, DeviceQuery};
pub use crate::analysis::explain::{Explain, ExplainPart, ExplainQuery};
pub use crate::analysis::filter::Term;
pub use crate::analysis::flows::{Flows, FlowsQuery};
use crate::analysis::hit_tables::TrackTables;
pub use crate::analysis::hit_tables::Within;
use crate::analysis::hits::HitSummary;
use crate::analysis::operators::Operators;
pub use crate::analysis::operators::OperatorsQuery;
pub use crate::analysis::search::{SearchHits, SearchQuery};
use crate::analysis::span::SpanFigures;
pub use crate::analysis::torch::{TorchAnswer, TorchQuery};
pub use crate::analysis::variants::{VariantPart, Variants};
use crate::base::{DurationNs, Item, SliceId, TimeNs, TimeRange};
pub use crate::formats::Field;
use crate::model::{Cell, Fact};
use serde::{Deserialize, Serialize};

/// A question to the open profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Query {
    /// Tracks and totals: `report --query import`.
    Import,
    /// Rows of the Operators view.
    Operators(OperatorsQuery),
    /// Every field of a slice or an instant, and the neighbours of a slice.
    Details(Item),
    /// Slices whose name (or a field) matches.
    Search(SearchQuery),
    /// Colour slot per slice for `by` (an id of `HotMeta::colourings`).
    ColourKeys(String),
    /// Slices of one operator row: (group_by, name), by start.
    Occurrences(String, String),
    /// Rows of a generic table: (id, first, how many).
    Table(String, u64, u64),
    /// What the file says of the columns of a table.
    TableHelp(String),
    /// The slice named by (track path, start, name), as in a link.
    Find(String, TimeNs, String),
    /// The instant named by (track path, time, name), as in a link.
    FindInstant(String, TimeNs, String),
    /// Arrows that cross a window.
    Flows(FlowsQuery),
    /// What only a PyTorch trace can answer.
    Torch(TorchQuery),
    /// What only a Neuron device profile can answer.
    Device(DeviceQuery),
    /// What only Neuron's reports, logs and system profiles answer.
    Neuron(NeuronQuery),
    /// What happened within a range: the `annotations` of the report.
    Span(TimeRange),
    /// Records of the file, part by part, in which a field matches.
    Scan(ScanQuery),
    /// Hits summed up: those of a search (none for an empty text) and these slices.
    HitSummary(SearchQuery, Vec<SliceId>),
    /// Values of fields row by row: of the hits of a search and these slices, or, when nothing is searched for, of all slices of the range.
    HitTables(SearchQuery, Vec<SliceId>, Within),
    /// What a glance at a slice tells.
    Brief(SliceId),
    /// Rows as CSV, part by part.
    Export(ExportQuery),
    /// What changed from the first part to the second. Any session can answer.
    Explain(Box<ExplainPart>, Box<ExplainPart>),
    /// What the profile gives to a table of profiles.
    VariantParts,
    /// The table of these profiles. Any session can answer.
    Variants(Vec<VariantPart>),
    /// Tables for queries in SQL: names and columns.
    TableInfos,
    /// Rows of one of them, part by part.
    TableStream(TablePartQuery),
}

/// An answer to the query of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Tracks and totals.
    Import(ImportSummary),
    /// Rows by self time.
    Operators(Operators),
    /// Fields and neighbours.
    Details(Details),
    /// Hits by time.
    Search(SearchHits),
    /// One per slice.
    ColourKeys(Vec<u16>),
    /// By start.
    Occurrences(Vec<SliceId>),
    /// Columns and rows.
    Table(TablePart),
    /// One for each column; none where the file says nothing.
    TableHelp(Vec<String>),
    /// The slice or the instant, when it is there.
    Find(Option<Item>),
    /// Columns of arrows.
    Flows(Flows),
    /// What only a PyTorch trace can answer.
    Torch(TorchAnswer),
    /// What only a Neuron device profile can answer.
    Device(DeviceAnswer),
    /// What only Neuron's reports, logs and system profiles answer.
    Neuron(NeuronAnswer),
    /// By track and counter.
    Span(SpanFigures),
    /// One part, and where the next one begins.
    Scan(ScanPart),
    /// By device and name.
    HitSummary(HitSummary),
    /// By row of the timeline.
    HitTables(Vec<TrackTables>),
    /// Own time and two fields.
    Brief(Brief),
    /// One part, and where the next one begins.
    Export(ExportPart),
    /// Sentences, times and metrics.
    Explain(Box<Explain>),
    /// One for each row.
    VariantParts(Vec<VariantPart>),
    /// Columns and rows.
    Variants(Box<Variants>),
    /// Names and columns.
    TableInfos(Vec<TableInfo>),
    /// One part, and where the next one begins.
    TableStream(TableStream),
    /// The question cannot be answered; a sentence says why.
    Refused(String),
}

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
    /// What the file says of itself.
    pub facts: Vec<Fact>,
}

/// Everything about one slice or instant; what only a slice has is nothing for an instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// What it is.
    pub item: Item,
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
