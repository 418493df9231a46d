//! Answers that only a Neuron device profile can give.

pub mod accesses;
pub mod active_times;
pub mod advice;
pub mod agreement;
pub mod bands;
pub mod bounds;
mod busy;
pub mod cause;
pub mod cells;
pub mod charts;
pub mod compare;
pub mod critical_path;
pub mod curves;
pub mod dma_rows;
mod engines;
pub mod explain;
pub mod flops;
pub mod gaps;
pub mod grammar;
mod hbm;
pub mod instruction;
mod lanes;
pub mod layers;
mod limits;
pub mod merged;
mod metric_groups;
mod metric_order;
pub mod metrics;
pub mod name_rows;
pub mod origin;
pub mod program;
pub mod roofline;
pub mod sbuf;
pub(in crate::analysis) mod share;
pub mod signals;
pub mod source;
pub mod summary;
pub mod tensors;
pub mod transfer;
pub mod units;
pub mod usage;
pub mod view_curves;
pub mod waits;
mod window;

pub use accesses::{MemoryMap, MemoryMapQuery};
pub use advice::Advice;
pub use agreement::{Agreement, AgreementPart};
pub use bands::Band;
pub use bounds::{Bounds, BoundsQuery};
pub use cause::Cause;
pub use charts::Charts;
pub use compare::{Compare, ComparePart};
pub use critical_path::CriticalPath;
pub use dma_rows::{DmaRows, DmaRowsQuery};
pub use gaps::Gaps;
pub use layers::{Layers, LayersQuery};
pub use merged::MergedBar;
pub use name_rows::NameRows;
pub use origin::Place;
pub use program::{Program, ProgramQuery};
pub use roofline::Roofline;
pub use sbuf::{SbufMap, SbufQuery};
use serde::{Deserialize, Serialize};
pub use source::Source;
pub use summary::{EngineTime, Metric, Summary};
pub use tensors::Tensors;
pub use view_curves::{CurvesQuery, ViewCurve};

use crate::analysis::explain::{ExplainPart, ExplainQuery};
use crate::base::{SliceId, TimeRange};
use crate::model::{Domain, Profile};

/// A question to a Neuron device profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceQuery {
    /// Metrics of the run, or of a range of it.
    Summary(Option<TimeRange>),
    /// What the charts of the summary show, of the run or of a range of it.
    Charts(Option<TimeRange>),
    /// The hierarchy of the program.
    Layers(LayersQuery),
    /// Instructions of the node at a place of the answer to the same question.
    LayerSlices(LayersQuery, u32),
    /// Ceilings, and the run, its parts and these named ranges beneath them.
    Roofline(LayersQuery, Vec<(String, TimeRange)>),
    /// What bounds the run, and where its time went.
    Bounds(BoundsQuery),
    /// What explains a gap of the bounds.
    BoundsEvidence(bounds::EvidenceQuery),
    /// Phases of the run, and where the time of each went.
    Regions(bounds::RegionsQuery),
    /// Idle time of the engines by cause.
    Gaps(Option<TimeRange>),
    /// The longest chain of dependent work.
    CriticalPath,
    /// What to do.
    Advice,
    /// DMA transfers in other rows.
    DmaRows(DmaRowsQuery),
    /// What is merged in the bar that holds this transfer.
    MergedBar(DmaRowsQuery, SliceId),
    /// Rows that name what the engines work at, by this column: `layer@2`.
    NameRows(String),
    /// Curves for what is in view.
    ViewCurves(CurvesQuery),
    /// The program of an engine, with what each of its words cost.
    Program(ProgramQuery),
    /// What a memory of a core held, and for how long.
    MemoryMap(MemoryMapQuery),
    /// Lines of source with what their instructions cost.
    Source(Option<TimeRange>),
    /// Instructions that name a line of source.
    SourceSlices(Place),
    /// Stretches of the timeline worth a look.
    Bands,
    /// Tensors, and where memory went.
    Tensors,
    /// Allocations of one part of the State Buffer.
    SbufMap(SbufQuery),
    /// The instructions of this file, for comparing it with another file of the same run.
    AgreementPart,
    /// Compares this file with another one of the same run: the answer of its worker to `AgreementPart`.
    Agreement(Box<AgreementPart>),
    /// What the run gives to a comparison.
    ComparePart,
    /// Runs compared (the answers of their workers to `ComparePart`), with the one at that place as the base.
    Compare(Vec<ComparePart>, usize),
    /// What the run gives to an explanation of two runs.
    ExplainPart(ExplainQuery),
}

/// An answer to the query of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceAnswer {
    /// Metrics of the run.
    Summary(Summary),
    /// By engine, memory, transfers, collective operations.
    Charts(Box<Charts>),
    /// Nodes in pre-order.
    Layers(Layers),
    /// By start.
    LayerSlices(Vec<SliceId>),
    /// Ceilings and points.
    Roofline(Roofline),
    /// By physical core.
    Bounds(Box<Bounds>),
    /// Largest first.
    BoundsEvidence(Box<bounds::Evidence>),
    /// Longest first.
    Regions(Box<bounds::Regions>),
    /// By engine and cause.
    Gaps(Gaps),
    /// Step by step.
    CriticalPath(CriticalPath),
    /// Costliest first.
    Advice(Box<Advice>),
    /// Row by row.
    DmaRows(Box<DmaRows>),
    /// `None` where nothing is merged.
    MergedBar(Option<Box<MergedBar>>),
    /// By core; `None` where the profile has no such column.
    NameRows(Option<Box<NameRows>>),
    /// By core and row.
    ViewCurves(Vec<ViewCurve>),
    /// By program counter.
    Program(Box<Program>),
    /// By start and address.
    MemoryMap(Box<MemoryMap>),
    /// By file and line.
    Source(Box<Source>),
    /// By start.
    SourceSlices(Vec<SliceId>),
    /// By start.
    Bands(Vec<Band>),
    /// By tensor, type and core.
    Tensors(Box<Tensors>),
    /// By start.
    SbufMap(Box<SbufMap>),
    /// Instructions as hashes.
    AgreementPart(Box<AgreementPart>),
    /// `None` where the two files are not a trace and the profiler's output of one run.
    Agreement(Option<Agreement>),
    /// Metrics and operators.
    ComparePart(Box<ComparePart>),
    /// By metric and name.
    Compare(Box<Compare>),
    /// Exclusive times by core.
    ExplainPart(Box<ExplainPart>),
}

/// Answers one question.
pub fn answer(profile: &Profile, query: &DeviceQuery) -> DeviceAnswer {
    match query {
        DeviceQuery::Bounds(query) => DeviceAnswer::Bounds(Box::new(bounds::bounds(profile, query))),
        DeviceQuery::BoundsEvidence(query) => DeviceAnswer::BoundsEvidence(Box::new(bounds::evidence::evidence(profile, query))),
        DeviceQuery::Regions(query) => DeviceAnswer::Regions(Box::new(bounds::regions::regions(profile, query))),
        DeviceQuery::Gaps(range) => DeviceAnswer::Gaps(gaps::gaps(profile, *range)),
        DeviceQuery::DmaRows(query) => DeviceAnswer::DmaRows(Box::new(dma_rows::dma_rows(profile, *query))),
        DeviceQuery::MergedBar(query, slice) => DeviceAnswer::MergedBar(merged::merged_bar(profile, *query, *slice).map(Box::new)),
        DeviceQuery::NameRows(by) => DeviceAnswer::NameRows(name_rows::name_rows(profile, by).map(Box::new)),
        DeviceQuery::ViewCurves(query) => DeviceAnswer::ViewCurves(match &profile.domain {
            Domain::NeuronDevice(device) => view_curves::view_curves(profile, device, query),
            _ => Vec::new(),
        }),
        DeviceQuery::Program(query) => DeviceAnswer::Program(Box::new(program::program(profile, &program::executed(profile).0, *query))),
        DeviceQuery::MemoryMap(query) => DeviceAnswer::MemoryMap(Box::new(accesses::map::map(profile, *query))),
        DeviceQuery::Source(range) => DeviceAnswer::Source(Box::new(source::source(profile, *range))),
        DeviceQuery::SourceSlices(place) => DeviceAnswer::SourceSlices(source::slices(profile, place)),
        DeviceQuery::Bands => DeviceAnswer::Bands(tensors::bands(profile, None)),
        DeviceQuery::Advice => DeviceAnswer::Advice(Box::new(advice::advice(profile))),
        DeviceQuery::CriticalPath => DeviceAnswer::CriticalPath(critical_path::critical_path(profile)),
        DeviceQuery::Summary(range) => DeviceAnswer::Summary(summary::summary(profile, *range)),
        DeviceQuery::Charts(range) => DeviceAnswer::Charts(Box::new(charts::charts(profile, *range))),
        DeviceQuery::Layers(query) => {
            let slots = super::colour::slots(profile, &profile.slices.name);
            DeviceAnswer::Layers(layers::layers(profile, query, &slots))
        }
        DeviceQuery::LayerSlices(query, node) => DeviceAnswer::LayerSlices(layers::slices(profile, query, *node)),
        DeviceQuery::Roofline(query, regions) => DeviceAnswer::Roofline(roofline::roofline(profile, query, regions)),
        DeviceQuery::Tensors => DeviceAnswer::Tensors(Box::new(tensors::tensors(profile, None))),
        DeviceQuery::SbufMap(query) => {
            let table = cells::table(profile, &["SbufAllocation"]);
            DeviceAnswer::SbufMap(Box::new(table.map(|t| sbuf::map(t, query)).unwrap_or_default()))
        }
        // Operands are in the file: the session reads them.
        DeviceQuery::AgreementPart => DeviceAnswer::AgreementPart(Box::default()),
        DeviceQuery::Agreement(_) => DeviceAnswer::Agreement(None),
        DeviceQuery::ComparePart => DeviceAnswer::ComparePart(Box::new(compare::part(profile))),
        DeviceQuery::ExplainPart(query) => DeviceAnswer::ExplainPart(Box::new(explain::part(profile, query))),
        DeviceQuery::Compare(parts, base) => DeviceAnswer::Compare(Box::new(compare::merge(parts, *base))),
    }
}
