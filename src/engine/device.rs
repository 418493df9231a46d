//! Questions of a Neuron device profile that also need tables in the file.

use super::question::{Refusal, answers};
use super::{Session, record_fields};
use crate::analysis::device;
use crate::analysis::device::Advice;
use crate::analysis::device::Agreement;
use crate::analysis::device::AgreementPart;
use crate::analysis::device::Band;
use crate::analysis::device::Charts;
use crate::analysis::device::Compare;
use crate::analysis::device::ComparePart;
use crate::analysis::device::CriticalPath;
use crate::analysis::device::CurvesQuery;
use crate::analysis::device::DmaRows;
use crate::analysis::device::DmaRowsQuery;
use crate::analysis::device::Gaps;
use crate::analysis::device::Layers;
use crate::analysis::device::LayersQuery;
use crate::analysis::device::MemoryMap;
use crate::analysis::device::MemoryMapQuery;
use crate::analysis::device::MergedBar;
use crate::analysis::device::NameRows;
use crate::analysis::device::Program;
use crate::analysis::device::ProgramQuery;
use crate::analysis::device::Roofline;
use crate::analysis::device::SbufMap;
use crate::analysis::device::SbufQuery;
use crate::analysis::device::Source;
use crate::analysis::device::SourceLocation;
use crate::analysis::device::Summary;
use crate::analysis::device::Tensors;
use crate::analysis::device::ViewCurve;
use crate::analysis::device::accesses;
use crate::analysis::device::advice::Known;
use crate::analysis::device::bounds::rows::CoreRows;
use crate::analysis::device::bounds::{self, Bounds, BoundsQuery, Evidence, EvidenceQuery, RegionWindowsQuery, Regions, RegionsQuery};
use crate::analysis::device::cells;
use crate::analysis::device::instructions::instruction::{self, InstructionFacts};
use crate::analysis::device::instructions::learned::{
    self, LearnQuery, LearnedCode, LearnedCodesQuery, LearnedWord, UnknownWord, UnknownWordsQuery,
};
use crate::analysis::device::instructions::origin;
use crate::analysis::device::instructions::program_alignment::{self, AlignedPrograms, AlignmentQuery};
use crate::analysis::device::memory::sbuf;
use crate::analysis::device::memory::tensors;
use crate::analysis::device::transfers::dma_rows;
use crate::analysis::device::waiting::run_waits::RunWaits;
use crate::base::{SliceId, SliceIds, TimeRange};
use crate::formats::{Field, WordText};
use crate::model::program::EngineProgram;
use crate::model::{Cell, Domain, GenericTable, NeuronDevice};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Rows of a table of allocations that are searched.
const MOST_ROWS: u64 = 1_000_000;
/// Rows that are read at once.
const PAGE: u64 = 50_000;

/// Metrics of the run, or of a range of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// What the charts of the summary show, of the run or of a range of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartsQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// Instructions of a node of the layers, by start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSlicesQuery {
    /// The layers query that lists the node.
    pub layers: LayersQuery,
    /// Index of the node in that answer.
    pub node: u32,
}

/// Ceilings, and the run, its parts and named ranges beneath them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RooflineQuery {
    /// What the parts are.
    pub layers: LayersQuery,
    /// Ranges with their names.
    pub regions: Vec<(String, TimeRange)>,
}

/// Idle time of the engines by cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapsQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// The longest chain of dependent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalPathQuery {
    /// Whether dependencies from data are followed too.
    pub is_by_data: bool,
}

/// What to do, most expensive first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdviceQuery;

/// What is merged in the bar that holds a transfer; `None` where nothing is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedBarQuery {
    /// The rows of the timeline.
    pub rows: DmaRowsQuery,
    /// The transfer.
    pub slice: SliceId,
}

/// Rows that name what the engines work at; `None` where the profile has no such column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameRowsQuery {
    /// The column, with a depth where it has several: `layer@2`.
    pub by: String,
}

/// Lines of source with what their instructions cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// Instructions that name a line of source, by start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSlicesQuery {
    /// File and line.
    pub place: SourceLocation,
}

/// Intervals of the timeline of interest, by start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandsQuery;

/// Tensors, and where memory went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorsQuery;

/// The instructions of this file as hashes, for comparing it with another file of the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementPartQuery;

/// Compares a trace with the profiler's output of the same run; `None` for other pairs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementQuery {
    /// The other file's answer to [`AgreementPartQuery`].
    pub other: AgreementPart,
}

/// Metrics and operators that the run gives to a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparePartQuery;

/// Runs compared. Any session can answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareQuery {
    /// Their answers to [`ComparePartQuery`].
    pub parts: Vec<ComparePart>,
    /// Which is the base, from 0.
    pub base: usize,
}

/// The rows of the cores in a range, or of the entire run.
type RowsOfRange = (Option<TimeRange>, Rc<Vec<CoreRows>>);

/// What answers about a Neuron device profile share.
#[derive(Debug, Default)]
pub(super) struct SharedByDevice {
    /// Rows of the cores, of the range that was asked about last: a view asks several questions about one range.
    rows: RefCell<Option<RowsOfRange>>,
    /// Metrics of the entire run.
    summary: OnceCell<Summary>,
    /// What waits in the run.
    waits: RunWaits,
    /// All transfers by start. Each choice of DMA rows in the timeline deals them out anew.
    transfers: OnceCell<Vec<SliceId>>,
}

answers! {
    SummaryQuery => Summary: |s, q| Ok(s.summary(q.range).into_owned());
    ChartsQuery => Charts: |s, q| Ok(device::charts::charts(&s.profile, q.range));
    // With the colours that the timeline has already.
    LayersQuery => Layers: |s, q| Ok(device::layers::layers(&s.profile, q, s.name_slots()));
    LayerSlicesQuery => SliceIds: |s, q| Ok(SliceIds(device::layers::slices(&s.profile, &q.layers, q.node)));
    RooflineQuery => Roofline: |s, q| Ok(device::roofline::roofline(&s.profile, &q.layers, &q.regions));
    BoundsQuery => Bounds: |s, q| Ok(bounds::bounds_of(&s.profile, q, &s.core_rows(q.range)));
    EvidenceQuery => Evidence: |s, q| Ok(bounds::evidence::evidence_of(&s.profile, q, &s.core_rows(q.range), &s.device.waits));
    RegionsQuery => Regions: |s, q| Ok(bounds::regions::regions_of(&s.profile, q, &s.core_rows(q.range)));
    RegionWindowsQuery => Vec<TimeRange>: |s, q| Ok(bounds::regions::windows_of(&s.profile, q, &s.core_rows(q.regions.range)));
    GapsQuery => Gaps: |s, q| Ok(match q.range {
        None => s.device.waits.gaps(&s.profile).clone(),
        Some(_) => device::waiting::gaps::gaps(&s.device.waits.signals(&s.profile), q.range),
    });
    CriticalPathQuery => CriticalPath: |s, q| Ok(match q.is_by_data {
        true => device::waiting::critical_path::critical_path(&s.device.waits.signals(&s.profile), true),
        false => s.device.waits.critical_path(&s.profile).clone(),
    });
    AdviceQuery => Advice: |s, _| Ok(s.advice());
    DmaRowsQuery => DmaRows: |s, q| {
        let transfers = s.device.transfers.get_or_init(|| dma_rows::transfers_by_start(&s.profile));
        Ok(dma_rows::dma_rows(&s.profile, transfers, *q))
    };
    MergedBarQuery => Option<MergedBar>: |s, q| Ok(device::transfers::merged::merged_bar(&s.profile, q.rows, q.slice));
    NameRowsQuery => Option<NameRows>: |s, q| Ok(device::name_rows::name_rows(&s.profile, &q.by));
    CurvesQuery => Vec<ViewCurve>: |s, q| Ok(s.view_curves(q));
    AlignmentQuery => AlignedPrograms: |s, q| {
        let this = device::instructions::program::program(&s.profile, &s.programs()?, q.program);
        Ok(program_alignment::align(this, q.other.clone()))
    };
    ProgramQuery => Program: |s, q| Ok(device::instructions::program::program(&s.profile, &s.programs()?, *q));
    MemoryMapQuery => MemoryMap: |s, q| Ok(accesses::map::map(&s.profile, *q));
    SourceQuery => Source: |s, q| Ok(device::instructions::source::source(&s.profile, q.range));
    SourceSlicesQuery => SliceIds: |s, q| Ok(SliceIds(device::instructions::source::slices(&s.profile, &q.place)));
    BandsQuery => Vec<Band>: |s, _| Ok(tensors::bands(&s.profile, s.whole_table("TensorInfo").as_deref()));
    TensorsQuery => Tensors: |s, _| Ok(s.tensors());
    SbufQuery => SbufMap: |s, q| Ok(sbuf::map(&*s.whole_table(SBUF).ok_or(Refusal::NoTable(SBUF.into()))?, q));
    AgreementPartQuery => AgreementPart: |s, _| s.agreement_part();
    AgreementQuery => Option<Agreement>: |s, q| Ok(device::instructions::agreement::agreement(&s.agreement_part()?, &q.other));
    ComparePartQuery => ComparePart: |s, _| Ok(device::compare::part_of(&s.profile, &s.summary(None)));
    UnknownWordsQuery => Vec<UnknownWord>: |s, _| Ok(learned::unknown(&s.profile, &s.programs()?));
    LearnQuery => Vec<LearnedWord>: |s, q| Ok(learned::learn(&q.words, &s.programs()?));
    LearnedCodesQuery => Vec<LearnedCode>: |s, q| s.learned_codes(&q.words);
    CompareQuery => Compare: |_, q| Ok(device::compare::merge(&q.parts, q.base));
}

/// Neuron Explorer's table of allocations in the State Buffer.
const SBUF: &str = "SbufAllocation";

impl Session {
    fn tensors(&self) -> Tensors {
        let mut found = tensors::tensors(&self.profile, self.whole_table("TensorInfo").as_deref());
        match self.whole_table(SBUF) {
            Some(table) => found.maps = sbuf::parts(&table),
            None => {
                found.notes.push(format!(
                    "Allocations of the State Buffer are not recorded in this file: needs the table {SBUF} of Neuron Explorer."
                ));
            }
        }
        found
    }

    /// Advice reads none of the rows that Bounds reads. Those of a run of millions of instructions take hundreds of megabytes, and so does advice.
    fn advice(&self) -> Advice {
        self.device.rows.take();
        let known = Known { summary: &self.summary(None), waits: &self.device.waits };
        device::advice::advice_of(&self.profile, self.whole_table("TensorInfo").as_deref(), known)
    }

    fn view_curves(&self, query: &CurvesQuery) -> Vec<ViewCurve> {
        match &self.profile.domain {
            Domain::NeuronDevice(device) => device::activity::view_curves::view_curves(&self.profile, device, query),
            _ => Vec::new(),
        }
    }

    /// The codes of operands that the profiler's texts give for words of this trace.
    fn learned_codes(&self, words: &[LearnedWord]) -> Result<Vec<LearnedCode>, Refusal> {
        let pair = |w: &LearnedWord| WordText {
            core: w.word.core.clone(),
            engine: w.word.engine.clone(),
            pc: w.word.pc,
            operands: w.operands.clone(),
        };
        let pairs: Vec<WordText> = words.iter().map(pair).collect();
        Ok(self.format()?.learned_codes(&self.input, &self.profile, &pairs)?)
    }

    /// The programs that the file holds; where it holds none, the words that were executed.
    fn programs(&self) -> Result<Vec<EngineProgram>, Refusal> {
        let format = self.format()?;
        if let Some(programs) = format.programs(&self.input, &self.profile) {
            return Ok(programs?);
        }
        let (mut programs, slices) = device::instructions::program::executed(&self.profile);
        let fields = record_fields::fields(format, &self.input, &self.profile, &slices, &[&["operands"]])?;
        let words = programs.iter_mut().flat_map(|program| &mut program.words);
        for (word, operands) in words.zip(fields) {
            word.operands = operands.concat().trim().into();
        }
        Ok(programs)
    }

    /// Rows of the cores in a range, or of the entire run.
    pub(super) fn core_rows(&self, range: Option<TimeRange>) -> Rc<Vec<CoreRows>> {
        if let Some((known, rows)) = &*self.device.rows.borrow()
            && *known == range
        {
            return rows.clone();
        }
        let rows = Rc::new(bounds::rows::rows_of(&self.profile, range));
        *self.device.rows.borrow_mut() = Some((range, rows.clone()));
        rows
    }

    /// The summary; meanings that its rows lack are from the file's schema.
    pub(super) fn summary(&self, range: Option<TimeRange>) -> Cow<'_, Summary> {
        match range {
            None => Cow::Borrowed(self.device.summary.get_or_init(|| self.new_summary(None))),
            Some(_) => Cow::Owned(self.new_summary(range)),
        }
    }

    fn new_summary(&self, range: Option<TimeRange>) -> Summary {
        let mut found = device::run_metrics::summary::summary(&self.profile, range);
        let help = self.schema("Summary");
        for metric in found.metrics.iter_mut().filter(|m| m.meaning.is_empty()) {
            metric.meaning = help.iter().find(|h| h.0 == metric.name).map(|h| h.1.clone()).unwrap_or_default();
        }
        found
    }

    /// What the record of a device's instruction means, with the tables that its ids point into.
    pub(super) fn instruction(&self, slice: SliceId, fields: &[Field]) -> Option<Box<InstructionFacts>> {
        let Domain::NeuronDevice(device) = &self.profile.domain else { return None };
        // Collectives, barriers and transfers have no program counter.
        device.pc.at(slice.index()).filter(|pc| *pc != NeuronDevice::ABSENT)?;
        let fields: Vec<(&str, &str)> = fields.iter().map(|f| (f.key.as_str(), f.value.as_str())).collect();
        let find = |table: &str, key: &[(&str, &str)]| self.find_row(table, key);
        Some(Box::new(instruction::facts(&self.profile, slice, &fields, &find)))
    }

    /// The row for [`origin::Find`], also if it has to be read from the file.
    fn find_row(&self, id: &str, key: &[(&str, &str)]) -> Option<origin::Row> {
        let table = self.profile.tables.iter().find(|t| t.id == id)?;
        let place = |column: &str| table.columns.iter().position(|c| c == column);
        let ((column, value), others) = key.split_first()?;
        let at = place(column)?;
        let others: Vec<(usize, &str)> = others.iter().filter_map(|(column, value)| Some((place(column)?, *value))).collect();
        let is_it = |row: &&Vec<Cell>| {
            cells::text(row, Some(at)).is_some_and(|text| text == *value)
                && others.iter().all(|(at, value)| cells::text(row, Some(*at)).is_none_or(|text| text == *value))
        };
        let named_cells = |row: &Vec<Cell>| {
            let cell = |(i, name): (usize, &String)| Some((name.clone(), cells::text(row, Some(i))?));
            table.columns.iter().enumerate().filter_map(cell).collect()
        };
        if table.n_in_file == 0 {
            return table.rows.iter().find(is_it).map(named_cells);
        }
        let mut first = 0;
        while first < table.n_in_file.min(MOST_ROWS) {
            let part = self.table(id, first, PAGE).ok()?;
            if let Some(row) = part.rows.iter().find(is_it) {
                return Some(named_cells(row));
            }
            if part.rows.is_empty() {
                return None;
            }
            first += part.rows.len() as u64;
        }
        None
    }

    /// The file's description of each column of a table; empty if there is none.
    pub(super) fn table_help(&self, id: &str) -> Vec<String> {
        let help = self.schema(id);
        let columns = self.profile.tables.iter().find(|t| t.id == id).map(|t| t.columns.as_slice()).unwrap_or_default();
        let of = |column: &String| help.iter().find(|h| h.0 == *column).map(|h| h.1.clone()).unwrap_or_default();
        if help.is_empty() { Vec::new() } else { columns.iter().map(of).collect() }
    }

    /// (column, meaning with its unit) of a table, from Neuron Explorer's schema or the profiler's terminology.
    fn schema(&self, table: &str) -> Vec<(String, String)> {
        if let Some(fields) = self.whole_table("SchemaFields") {
            let columns = cells::columns(&fields, [&["table_name"], &["field_name"], &["field_description"], &["field_unit"]]);
            let of = |row: &Vec<Cell>| {
                let text = |at: usize| cells::text(row, columns[at]).unwrap_or_default();
                let unit = if text(3).is_empty() { String::new() } else { format!(" Unit: {}.", text(3).replace('_', " ")) };
                (text(0) == table).then(|| (text(1), text(2) + &unit))
            };
            return fields.rows.iter().filter_map(of).collect();
        }
        let words = self.profile.tables.iter().find(|t| t.id == "terminology").filter(|_| table == "summary");
        let pairs = words.and_then(|t| Some(t.columns.iter().zip(t.rows.first()?)));
        let of = |(name, cell): (&String, &Cell)| if let Cell::Text(text) = cell { Some((name.clone(), text.clone())) } else { None };
        pairs.into_iter().flatten().filter_map(of).collect()
    }

    /// A table with its rows up to a limit, read from the file if needed.
    fn whole_table(&self, id: &str) -> Option<Cow<'_, GenericTable>> {
        let table = self.profile.tables.iter().find(|t| t.id == id)?;
        if table.n_in_file == 0 {
            return Some(Cow::Borrowed(table));
        }
        let mut whole = GenericTable { id: table.id.clone(), columns: table.columns.clone(), ..GenericTable::default() };
        while (whole.rows.len() as u64) < table.n_in_file.min(MOST_ROWS) {
            match self.table(id, whole.rows.len() as u64, PAGE) {
                Ok(part) if !part.rows.is_empty() => whole.rows.extend(part.rows),
                _ => break,
            }
        }
        whole.n_more = table.n_in_file.saturating_sub(whole.rows.len() as u64);
        Some(Cow::Owned(whole))
    }
}
