//! The timeline of a Neuron device, whichever file it came from: the same rows, names and attributes from NTFF and from JSON.

pub(crate) use super::curves::Curve;
use super::curves::curve_row;
use super::queues::QueueNames;
use crate::base::{StrId, TrackId};
use crate::model::builder::{ColumnId, Finished};
use crate::model::{CounterSpec, Domain, Meta, NeuronDevice, Profile, ProfileBuilder, RawSlice, RawSliceId, RecordRef};
use crate::model::{TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// String columns of a Neuron slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attr {
    Engine,
    Opcode,
    InstructionType,
    Layer,
    Hlo,
    Operator,
    Source,
    Bir,
    Queue,
    Variable,
}

const ATTRS: [(Attr, &str, &str); 10] = [
    (Attr::Engine, "engine", "Engine"),
    (Attr::Opcode, "opcode", "Opcode"),
    (Attr::InstructionType, "instruction_type", "Instruction type"),
    (Attr::Layer, "layer", "Layer"),
    (Attr::Hlo, "hlo", "HLO"),
    (Attr::Operator, "operator", "Operator"),
    (Attr::Source, "source", "Source"),
    (Attr::Bir, "bir", "Compiler instruction (BIR)"),
    (Attr::Queue, "queue", "DMA queue"),
    (Attr::Variable, "variable", "Variable"),
];

/// Rows of an engine, top to bottom.
const ENGINES: [&str; 6] = ["Tensor", "TensorMatrix", "Scalar", "Vector", "GpSimd", "Sync"];

/// (time, one value per series).
type Samples = Vec<(i64, Vec<f64>)>;

/// One physical core and its rows.
struct Core {
    subgraph: String,
    nc: Option<i64>,
    group: TrackId,
    rows: FxHashMap<String, TrackId>,
    dma: Option<TrackId>,
    queues: FxHashMap<String, TrackId>,
    semaphores: Option<TrackId>,
    curves: Vec<(Curve, Samples)>,
}

/// An executed instruction as the timeline shows it.
pub(crate) struct Instruction<'a> {
    pub core: usize,
    /// The row: as the engine, but matrix products have their own.
    pub label: &'a str,
    pub engine: &'a str,
    pub opcode: &'a str,
    pub start: i64,
    pub duration: i64,
    pub pc: Option<u32>,
    pub wait_ns: Option<u32>,
    pub record: RecordRef,
}

/// A DMA transfer as the timeline shows it.
pub(crate) struct Transfer<'a> {
    pub core: usize,
    pub engine: &'a str,
    pub queue: &'a str,
    /// Empty when the file does not name it.
    pub variable: &'a str,
    pub start: i64,
    pub duration: i64,
    pub bytes: Option<u32>,
    pub record: RecordRef,
}

/// Work or a wait that is neither instruction nor transfer: collectives, barriers.
pub(crate) struct Extra<'a> {
    pub core: usize,
    pub label: &'a str,
    pub kind: TrackKind,
    /// Place among the core's rows.
    pub sort: i64,
    pub name: &'a str,
    pub start: i64,
    pub duration: i64,
    pub record: RecordRef,
}

/// Writes the tracks of a Neuron device.
pub(crate) struct Timeline {
    pub builder: ProfileBuilder,
    /// Names of the DMA queues, as far as the file tells.
    pub queue_names: QueueNames,
    attrs: Vec<ColumnId>,
    pc: ColumnId,
    bytes: ColumnId,
    wait: ColumnId,
    cores: Vec<Core>,
    core_of: FxHashMap<String, usize>,
}

impl Timeline {
    pub fn new() -> Self {
        let mut builder = ProfileBuilder::new();
        let attrs = ATTRS.iter().map(|(_, id, label)| builder.attribute(id, label)).collect();
        let (pc, bytes, wait) = ([NeuronDevice::ABSENT; 3]).map(|absent| builder.number(absent)).into();
        Timeline { builder, queue_names: QueueNames::default(), attrs, pc, bytes, wait, cores: Vec::new(), core_of: FxHashMap::default() }
    }

    /// The core that runs `subgraph`, new or known.
    pub fn core(&mut self, subgraph: &str) -> usize {
        if let Some(&i) = self.core_of.get(subgraph) {
            return i;
        }
        let sort = self.cores.len() as i64;
        let group = self.builder.track(TrackSpec { parent: None, name: subgraph.into(), kind: TrackKind::Group, sort });
        let (rows, queues, curves) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        self.cores.push(Core { subgraph: subgraph.into(), nc: None, group, rows, dma: None, queues, semaphores: None, curves });
        self.core_of.insert(subgraph.into(), self.cores.len() - 1);
        self.cores.len() - 1
    }

    /// Notes which physical NeuronCore runs `subgraph`.
    pub fn set_nc(&mut self, subgraph: &str, nc: i64) {
        let core = self.core(subgraph);
        self.cores[core].nc = Some(nc);
    }

    /// How many cores were met.
    pub fn n_cores(&self) -> usize {
        self.cores.len()
    }

    fn row(&mut self, core: usize, label: &str) -> TrackId {
        if let Some(&track) = self.cores[core].rows.get(label) {
            return track;
        }
        let sort = ENGINES.iter().position(|e| *e == label).unwrap_or(ENGINES.len()) as i64;
        let name = if label.is_empty() { "Unknown engine" } else { label };
        let parent = Some(self.cores[core].group);
        let track = self.builder.track(TrackSpec { parent, name: name.into(), kind: TrackKind::Engine, sort });
        self.cores[core].rows.insert(label.into(), track);
        track
    }

    fn queue_row(&mut self, core: usize, queue: &str) -> TrackId {
        if let Some(&track) = self.cores[core].queues.get(queue) {
            return track;
        }
        let parent = match self.cores[core].dma {
            Some(track) => track,
            None => {
                let parent = Some(self.cores[core].group);
                let track = self.builder.track(TrackSpec { parent, name: "DMA".into(), kind: TrackKind::Group, sort: 20 });
                self.cores[core].dma = Some(track);
                track
            }
        };
        let spec = TrackSpec { parent: Some(parent), name: format!("Q{queue}"), kind: TrackKind::Queue, sort: 0 };
        let track = self.builder.track(spec);
        self.cores[core].queues.insert(queue.into(), track);
        track
    }

    /// Adds an instruction; it is named by its opcode.
    pub fn instruction(&mut self, i: &Instruction<'_>) -> RawSliceId {
        let track = self.row(i.core, i.label);
        let name = self.builder.strings.intern(i.opcode);
        let slice = self.builder.slice(RawSlice { track, start: i.start, duration: i.duration, name, record: i.record });
        self.set_text(slice, Attr::Engine, i.engine);
        self.builder.set(self.attrs[Attr::Opcode as usize], slice, name.0);
        self.set_numbers(slice, i.pc, None, i.wait_ns);
        slice
    }

    /// Adds a DMA transfer; it is named by what it moves, or by its engine.
    pub fn transfer(&mut self, t: &Transfer<'_>) -> RawSliceId {
        let track = self.queue_row(t.core, t.queue);
        let engine = format!("DMA-E{}", t.engine);
        let name = self.builder.strings.intern(if t.variable.is_empty() { &engine } else { t.variable });
        let slice = self.builder.slice(RawSlice { track, start: t.start, duration: t.duration, name, record: t.record });
        self.set_text(slice, Attr::Engine, &engine);
        self.set_text(slice, Attr::Queue, &format!("Q{}", t.queue));
        self.set_text(slice, Attr::Variable, t.variable);
        self.set_numbers(slice, None, t.bytes, None);
        slice
    }

    /// Adds a slice to a row of its own kind.
    pub fn extra(&mut self, e: &Extra<'_>) -> RawSliceId {
        let track = self.row(e.core, e.label);
        let spec = self.builder.track_mut(track);
        (spec.kind, spec.sort) = (e.kind, e.sort);
        let name = self.builder.strings.intern(e.name);
        let slice = self.builder.slice(RawSlice { track, start: e.start, duration: e.duration, name, record: e.record });
        self.set_numbers(slice, None, None, None);
        slice
    }

    fn set_numbers(&mut self, slice: RawSliceId, pc: Option<u32>, bytes: Option<u32>, wait: Option<u32>) {
        for (column, value) in [(self.pc, pc), (self.bytes, bytes), (self.wait, wait)] {
            self.builder.set(column, slice, value.unwrap_or(NeuronDevice::ABSENT));
        }
    }

    /// Sets a string column of a slice; empty text is "not available".
    pub fn set_text(&mut self, slice: RawSliceId, attr: Attr, text: &str) {
        let id = self.builder.strings.intern(text);
        self.builder.set(self.attrs[attr as usize], slice, id.0);
    }

    /// Adds a new value of a semaphore: a moment named `S[5] = 3`.
    pub fn semaphore(&mut self, core: usize, id: &str, value: i64, time: i64) {
        let track = match self.cores[core].semaphores {
            Some(track) => track,
            None => {
                let parent = Some(self.cores[core].group);
                let track = self.builder.track(TrackSpec { parent, name: "Semaphores".into(), kind: TrackKind::Wait, sort: 50 });
                self.cores[core].semaphores = Some(track);
                track
            }
        };
        let name = self.builder.strings.intern(&format!("S[{id}] = {value}"));
        self.builder.instant(track, time, name);
    }

    /// Adds a moment of a kind that has no row of its own.
    pub fn other(&mut self, core: usize, name: &str, time: i64) {
        let track = self.row(core, "Other records");
        self.builder.track_mut(track).kind = TrackKind::Other;
        let name = self.builder.strings.intern(name);
        self.builder.instant(track, time, name);
    }

    /// Adds values of a curve at one moment.
    pub fn sample(&mut self, core: usize, curve: Curve, time: i64, values: Vec<f64>) {
        let curves = &mut self.cores[core].curves;
        match curves.iter_mut().find(|c| c.0 == curve) {
            Some((_, samples)) => samples.push((time, values)),
            None => curves.push((curve, vec![(time, values)])),
        }
    }

    /// Names the rows, which needs all of the file, and freezes.
    pub fn finish(mut self, meta: Meta, mut domain: NeuronDevice) -> (Profile, Vec<crate::base::SliceId>) {
        self.name_cores();
        self.name_queues();
        for core in std::mem::take(&mut self.cores) {
            for (curve, mut samples) in core.curves {
                samples.retain(|s| s.1.iter().all(|v| v.is_finite()));
                let (name, unit, series, sort) = curve_row(curve);
                let spec = TrackSpec { parent: Some(core.group), name: name.into(), kind: TrackKind::Counter, sort };
                let track = self.builder.track(spec);
                let series = series.iter().map(|s| (*s).into()).collect();
                let is_stacked = matches!(curve, Curve::StateBuffer | Curve::Psum);
                self.builder.counter(track, CounterSpec { unit: unit.into(), is_stacked, series, samples });
            }
        }
        let Finished { mut profile, numbers, slice_of_raw, .. } = self.builder.finish(meta);
        profile.attributes.retain(|a| a.values.iter().any(|v| *v != StrId(0)));
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or_default();
        (domain.pc, domain.bytes, domain.wait_ns) = (next(), next(), next());
        profile.domain = Domain::NeuronDevice(domain);
        (profile, slice_of_raw)
    }

    fn name_cores(&mut self) {
        let only = (self.cores.len() == 1).then_some("Device");
        let mut n_on: FxHashMap<i64, u32> = FxHashMap::default();
        for nc in self.cores.iter().filter_map(|c| c.nc) {
            *n_on.entry(nc).or_default() += 1;
        }
        for (i, core) in self.cores.iter().enumerate() {
            let name = match core.nc {
                Some(nc) if n_on.get(&nc).is_some_and(|n| *n > 1) => format!("NC {nc} {}", core.subgraph),
                Some(nc) => format!("NC {nc}"),
                None if core.subgraph.is_empty() => only.unwrap_or("Unknown core").into(),
                None => core.subgraph.clone(),
            };
            let sort = core.nc.unwrap_or(i64::from(u32::MAX) + i as i64);
            let track = self.builder.track_mut(core.group);
            (track.name, track.sort) = (name, sort);
        }
    }

    fn name_queues(&mut self) {
        for core in &self.cores {
            for (queue, track) in &core.queues {
                if let Some(name) = self.queue_names.of(&core.subgraph, queue) {
                    self.builder.track_mut(*track).name = format!("Q{queue} {name}");
                }
            }
        }
    }
}
