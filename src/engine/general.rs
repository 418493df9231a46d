//! Questions that every profile answers.

use super::export::{ExportPart, ExportQuery};
use super::export_trace::{TraceEvents, TraceEventsQuery};
use super::general_rows::{Details, ImportSummary, TablePart};
use super::question::{Refusal, answers};
use super::range_records::{self, RangeRecords, RangeRecordsQuery};
use super::scan::{ScanPart, ScanQuery};
use super::slice_summary::SliceSummary;
use super::{Session, scan};
use crate::analysis::colouring::name_at;
use crate::analysis::explain::{self, Explain, ExplainPart, ExplainQuery};
use crate::analysis::flows::{self, Flows, FlowsQuery};
use crate::analysis::headline::Headline;
use crate::analysis::hit_tables::{TrackTables, Within};
use crate::analysis::hits::HitSummary;
use crate::analysis::operators::{self, Operators, OperatorsQuery};
use crate::analysis::search::{self, SearchHits, SearchQuery};
use crate::analysis::span::{self, SpanFigures};
use crate::analysis::variants::{self, VariantParts, Variants};
use crate::base::{EventId, SliceId, SliceIds, TimeNs, TimeRange, packed};
use crate::formats::kineto;
use serde::{Deserialize, Serialize};

/// Tracks and totals: `report --query import`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportQuery;

/// Slices of one row of the operators, by start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OccurrencesQuery {
    /// Column by which the rows are grouped, as in [`OperatorsQuery`].
    pub by: String,
    /// Name of the row.
    pub value: String,
}

/// Every field of a slice or an instant, and the neighbours of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailsQuery {
    /// Which.
    pub item: EventId,
}

/// The fields of a slice that its hover card shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefQuery {
    /// Which.
    pub slice: SliceId,
}

/// The device of the profile, and its most important value, for the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadlineQuery;

/// The slice or the instant of a link; `None` where the profile has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindQuery {
    /// Path of its track.
    pub track: String,
    /// Start, or the moment.
    pub time: TimeNs,
    /// Name.
    pub name: String,
    /// Whether it is an instant.
    pub is_instant: bool,
}

/// A colour slot for each slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColourKeysQuery {
    /// An id of `PageMeta::colourings`.
    pub by: String,
}

/// Colours of all slices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColourKeys {
    /// Indexed by slice: its slot, as in [`PageColumns::colour`](super::page_columns::PageColumns::colour).
    #[serde(with = "packed::numbers")]
    pub slots: Vec<u16>,
}

/// What happened within a range: the `annotations` of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanQuery {
    /// The range.
    pub range: TimeRange,
}

/// Hits summed up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitSummaryQuery {
    /// Their search; of an empty text there are none.
    pub search: SearchQuery,
    /// Slices beside them.
    #[serde(with = "packed::slices")]
    pub more: Vec<SliceId>,
}

/// Values of fields row by row: of hits, or, when nothing is searched for, of all slices of the range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitTablesQuery {
    /// The search.
    pub search: SearchQuery,
    /// Slices beside its hits.
    #[serde(with = "packed::slices")]
    pub more: Vec<SliceId>,
    /// Range and rows.
    pub within: Within,
}

/// Rows of a generic table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableQuery {
    /// Its id.
    pub id: String,
    /// The first row, from 0.
    pub first: u64,
    /// How many.
    pub n: u64,
}

/// The file's description of each column of a table; empty if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableHelpQuery {
    /// Id of the table.
    pub id: String,
}

/// What changed between two profiles. Any session can answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainPairQuery {
    /// The base's answer to its [`ExplainQuery`].
    pub base: ExplainPart,
    /// The same for the run.
    pub run: ExplainPart,
}

/// Rows that the profile gives to a table of profiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantPartsQuery;

/// The table of profiles. Any session can answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantsQuery {
    /// Their answers to [`VariantPartsQuery`].
    pub parts: VariantParts,
}

answers! {
    ImportQuery => ImportSummary: |s, _| Ok(s.import_summary());
    OperatorsQuery => Operators: |s, q| s.operators(q);
    OccurrencesQuery => SliceIds: |s, q| s.grouped(&q.by, |column, _| SliceIds(s.occurrences(column, (&q.by, &q.value))));
    DetailsQuery => Details: |s, q| s.details(q.item);
    BriefQuery => SliceSummary: |s, q| s.brief(q.slice);
    HeadlineQuery => Headline: |s, _| s.headline();
    FindQuery => Option<EventId>: |s, q| Ok(s.find(q));
    FlowsQuery => Flows: |s, q| Ok(flows::flows(&s.profile, q));
    ColourKeysQuery => ColourKeys: |s, q| s.colour_keys(&q.by).map(|slots| ColourKeys { slots });
    SpanQuery => SpanFigures: |s, q| Ok(span::span(&s.profile, q.range));
    SearchQuery => SearchHits: |s, q| Ok(search::search(&s.profile, q)?);
    ScanQuery => ScanPart: |s, q| Ok(scan::scan(s.format()?, &s.input, &s.profile, q)?);
    HitSummaryQuery => HitSummary: |s, q| s.hit_summary(&q.search, &q.more);
    HitTablesQuery => Vec<TrackTables>: |s, q| s.hit_tables(&q.search, &q.more, &q.within);
    TableQuery => TablePart: |s, q| s.table(&q.id, q.first, q.n);
    TableHelpQuery => Vec<String>: |s, q| Ok(s.table_help(&q.id));
    ExportQuery => ExportPart: |s, q| s.export(q);
    TraceEventsQuery => TraceEvents: |s, q| s.trace_events(q);
    RangeRecordsQuery => RangeRecords: |s, q| s.range_records(q);
    ExplainQuery => ExplainPart: |s, q| s.explain_part(q);
    ExplainPairQuery => Explain: |_, q| Ok(explain::explain(&q.base, &q.run));
    VariantPartsQuery => VariantParts: |s, _| s.variant_parts().map(VariantParts);
    VariantsQuery => Variants: |_, q| Ok(variants::variants(&q.parts));
}

impl Session {
    fn range_records(&self, query: &RangeRecordsQuery) -> Result<RangeRecords, Refusal> {
        if self.claim.format != kineto::ID {
            return Err(Refusal::OtherKind("a PyTorch or Chrome trace"));
        }
        let model = self.view().ok().map(|view| view.model);
        Ok(range_records::range_records(&self.input, &self.profile, model, query)?)
    }

    fn operators(&self, query: &OperatorsQuery) -> Result<Operators, Refusal> {
        self.grouped(&query.group_by, |column, slots| {
            let tracks = operators::tracks_below(&self.profile, &query.tracks);
            let mut found = operators::operators(&self.profile, column, &tracks, query.range, slots);
            found.rows.iter_mut().for_each(|row| row.name.truncate(name_at(&query.group_by, &row.name).len()));
            found
        })
    }
}
