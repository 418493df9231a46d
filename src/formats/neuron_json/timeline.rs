//! The timeline of a Neuron device, whichever file it came from: the same rows, names and attributes from NTFF and from JSON.

mod absorb;
mod kinds;
mod packets;
mod precise;
mod quiet;
mod slices;
pub(crate) mod throughput;
mod tracks;

pub(crate) use super::curves::Curve;
use super::curves::curve_row;
use super::queues::QueueNames;
use crate::base::Order as _;
use crate::base::{Ledger, SliceId, StrId, TrackId, for_each_chunk};
use crate::model::accesses::Access;
use crate::model::builder::{ColumnId, Finished};
use crate::model::domain::{CollectiveOp, HbmTraffic, Shape, Throttle, TransposingDma};
use crate::model::{Column, Counter, Domain, Meta, NeuronDevice, Profile, ProfileBuilder, RawSliceId, RecordRef};
use crate::model::{SemaphoreRole, SemaphoreUse, Series, TrackKind, TrackSpec};
use kinds::ATTRS;
pub(crate) use kinds::{Attr, Extra, Instruction, Ring, SharedRing, SharedWord, Span, Transfer, Work};
use packets::Cells;
use precise::Precise;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A curve's values over time.
#[derive(Default, Serialize, Deserialize)]
struct Samples {
    /// Nanoseconds.
    times: Vec<i64>,
    /// Indexed by series, as many values as there are times.
    series: Vec<Vec<f64>>,
}

impl Samples {
    /// Adds values of one moment; series without one have 0. What is no number is omitted.
    fn push(&mut self, time: i64, values: &[f64]) {
        if values.iter().any(|v| !v.is_finite()) {
            return;
        }
        while self.series.len() < values.len() {
            self.series.push(vec![0.0; self.times.len()]);
        }
        self.times.push(time);
        (0..).zip(&mut self.series).for_each(|(at, series): (usize, _)| series.push(values.get(at).copied().unwrap_or(0.0)));
    }
}

/// Semaphores and sizes in the operands of an instruction; the slice is left open.
#[derive(Debug, Default)]
pub(crate) struct ReadOperands {
    shape: Option<Shape>,
    uses: Vec<SemaphoreUse>,
    /// Place among the sets of accesses.
    accesses: Option<u32>,
}

impl ReadOperands {
    fn starts_transfer(&self) -> bool {
        self.uses.iter().any(|used| used.role == SemaphoreRole::Transfers)
    }
}

/// One physical core and its rows.
#[derive(Serialize, Deserialize)]
struct CoreTracks {
    subgraph: String,
    nc: Option<i64>,
    group: TrackId,
    rows: FxHashMap<String, TrackId>,
    dma: Option<TrackId>,
    queues: FxHashMap<String, TrackId>,
    semaphores: Option<TrackId>,
    curves: Vec<(Curve, Samples)>,
}

/// Writes the tracks of a Neuron device. What is skipped on its way between programs is not in a piece of a file: see [`Timeline::absorb`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Timeline {
    pub builder: ProfileBuilder,
    /// Recorded names of the DMA queues.
    #[serde(skip)]
    pub queue_names: QueueNames,
    attrs: Vec<ColumnId>,
    numbers: [ColumnId; 8],
    /// Room for the tracks of instructions that are added.
    #[serde(skip)]
    tracks: Vec<TrackId>,
    hbm: Vec<HbmTraffic>,
    duplicates: Vec<u32>,
    /// Transfers that the profiler omits.
    #[serde(skip)]
    unreported: Vec<u32>,
    collective: Vec<u32>,
    #[serde(skip)]
    precise: Precise,
    /// Whether the curve of DMA throughput follows from the transfers: they are known to the picosecond, and the file has no curve.
    #[serde(skip)]
    pub has_exact_transfers: bool,
    cores: Vec<CoreTracks>,
    #[serde(skip)]
    core_of: FxHashMap<String, usize>,
    /// Keyed by core, engine, queue.
    #[serde(skip)]
    rings: FxHashMap<usize, FxHashMap<String, FxHashMap<String, Ring>>>,
    uses: Vec<SemaphoreUse>,
    shapes: Vec<Shape>,
    /// Semaphores and sizes of words that run many times, and how often each ran.
    #[serde(skip)]
    operand_sets: Vec<(ReadOperands, u32)>,
    /// Instructions that start transfers.
    starters: Vec<RawSliceId>,
    /// Each set of accesses once, with its place.
    access_sets: FxHashMap<Vec<Access>, u32>,
    /// Instructions that start transfers of a named variable.
    #[serde(skip)]
    moved: Vec<(RawSliceId, StrId)>,
    throttles: Vec<Throttle>,
    #[serde(skip)]
    operations: Vec<CollectiveOp>,
    /// Transfers that transpose, if recorded.
    #[serde(skip)]
    pub transposing: Option<TransposingDma>,
}

impl Timeline {
    pub fn new() -> Self {
        let mut builder = ProfileBuilder::new();
        let attrs = ATTRS.iter().map(|(_, id, label)| builder.attribute(id, label)).collect();
        let numbers = [NeuronDevice::ABSENT; 8].map(|absent| builder.number(absent));
        Timeline {
            builder,
            queue_names: QueueNames::default(),
            attrs,
            numbers,
            tracks: Vec::new(),
            hbm: Vec::new(),
            duplicates: Vec::new(),
            unreported: Vec::new(),
            collective: Vec::new(),
            precise: Precise::default(),
            has_exact_transfers: false,
            cores: Vec::new(),
            core_of: FxHashMap::default(),
            rings: FxHashMap::default(),
            uses: Vec::new(),
            shapes: Vec::new(),
            operand_sets: Vec::new(),
            starters: Vec::new(),
            access_sets: FxHashMap::default(),
            moved: Vec::new(),
            throttles: Vec::new(),
            operations: Vec::new(),
            transposing: None,
        }
    }

    /// The core that runs `subgraph`, new or known.
    pub fn core(&mut self, subgraph: &str) -> usize {
        if let Some(&i) = self.core_of.get(subgraph) {
            return i;
        }
        let sort = self.cores.len() as i64;
        let group = self.builder.track(TrackSpec { parent: None, name: subgraph.into(), kind: TrackKind::Group, sort });
        let (rows, queues, curves) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        self.cores.push(CoreTracks { subgraph: subgraph.into(), nc: None, group, rows, dma: None, queues, semaphores: None, curves });
        self.core_of.insert(subgraph.into(), self.cores.len() - 1);
        self.cores.len() - 1
    }

    /// Notes which physical NeuronCore runs `subgraph`.
    pub fn set_nc(&mut self, subgraph: &str, nc: i64) {
        let core = self.core(subgraph);
        self.cores[core].nc = Some(nc);
    }

    /// How many cores were found.
    pub fn n_cores(&self) -> usize {
        self.cores.len()
    }

    /// Track of the transfers of a ring, by the numbers of engine and queue. Called for every transfer.
    pub fn ring(&mut self, core: usize, engine: &str, queue: &str) -> Ring {
        if let Some(ring) = self.rings.get(&core).and_then(|of| of.get(engine)?.get(queue)) {
            return *ring;
        }
        let track = self.queue_row(core, queue);
        let strings = &mut self.builder.strings;
        let ring = Ring { track, engine: strings.intern(&format!("DMA-E{engine}")), queue: strings.intern(&format!("Q{queue}")) };
        self.rings.entry(core).or_default().entry(engine.into()).or_default().insert(queue.into(), ring);
        ring
    }

    /// Notes the semaphores and sizes in an instruction's operands.
    pub fn operands(&mut self, slice: RawSliceId, operands: &str) {
        let read = self.read_operands(operands);
        self.set_operands(slice, &read);
    }

    /// Reads the semaphores and sizes in operands that several executions share.
    pub fn read_operands(&mut self, operands: &str) -> ReadOperands {
        let strings = &mut self.builder.strings;
        let mut used =
            |(role, id, owner, value)| SemaphoreUse { slice: 0, role, id: strings.intern(id), owner: strings.intern(owner), value };
        let uses = super::operands::semaphores(operands).into_iter().map(&mut used).collect();
        let found = super::accesses::accesses(operands);
        let next = self.access_sets.len() as u32;
        let accesses = (!found.is_empty()).then(|| *self.access_sets.entry(found).or_insert(next));
        ReadOperands { shape: super::operands::shape(operands), uses, accesses }
    }

    /// Stores the operands of an instruction.
    fn set_operands(&mut self, slice: RawSliceId, operands: &ReadOperands) {
        self.starters.extend(operands.starts_transfer().then_some(slice));
        self.shapes.extend(operands.shape.map(|shape| Shape { slice, ..shape }));
        self.uses.extend(operands.uses.iter().map(|used| SemaphoreUse { slice, ..*used }));
        if let Some(set) = operands.accesses {
            self.builder.set(self.numbers[5], slice, set);
        }
    }

    /// Adds a limit of a core's tensor engine from `time` on, and how long it held where that is recorded.
    pub fn throttle(&mut self, core: usize, time: i64, duration: Option<i64>, limit: f64) {
        self.sample(core, Curve::Throttling, time, &[100.0 * limit]);
        if let Some(duration) = duration.filter(|d| *d > 0 && limit.is_finite()) {
            let core = self.cores[core].group;
            self.throttles.push(Throttle { core, start: time, end: time.saturating_add(duration), limit });
        }
    }

    /// Notes a transfer that the profiler omits of its tables.
    pub fn unreported(&mut self, slice: RawSliceId) {
        self.unreported.push(slice);
    }

    /// Notes size and delay of a collective operation.
    pub fn operation(&mut self, slice: RawSliceId, bytes: Option<u64>, delay_ns: Option<i64>) {
        self.operations.push(CollectiveOp { slice, bytes, delay_ns });
    }

    /// Adds a new value of a semaphore: a moment named `S[5] = 3`.
    pub fn semaphore(&mut self, core: usize, id: &str, value: i64, at: (i64, RecordRef)) {
        let name = self.semaphore_name(id, value);
        self.semaphore_value(core, name, at);
    }

    /// The name of a semaphore's new value.
    pub fn semaphore_name(&mut self, id: &str, value: i64) -> StrId {
        self.builder.strings.intern(&format!("S[{id}] = {value}"))
    }

    /// Adds a new value of a semaphore by its name.
    pub fn semaphore_value(&mut self, core: usize, name: StrId, (time, record): (i64, RecordRef)) {
        let track = self.semaphore_row(core);
        self.builder.instant(track, time, name, record);
    }

    /// Adds a moment of a kind that has no row of its own.
    pub fn other(&mut self, core: usize, name: &str, (time, record): (i64, RecordRef)) {
        let track = self.row(core, "Other records");
        self.builder.track_mut(track).kind = TrackKind::Other;
        let name = self.builder.strings.intern(name);
        self.builder.instant(track, time, name, record);
    }

    /// Adds an error that the hardware or the runtime reported: the first row of its core.
    pub fn error(&mut self, core: usize, name: &str, (time, record): (i64, RecordRef)) {
        let track = self.row(core, "Errors");
        let spec = self.builder.track_mut(track);
        (spec.kind, spec.sort) = (TrackKind::Other, 0);
        let name = self.builder.strings.intern(if name.is_empty() { "error" } else { name });
        self.builder.instant(track, time, name, record);
    }

    /// Adds values of a curve at one moment.
    pub fn sample(&mut self, core: usize, curve: Curve, time: i64, values: &[f64]) {
        self.samples(core, curve).push(time, values);
    }

    fn samples(&mut self, core: usize, curve: Curve) -> &mut Samples {
        let curves = &mut self.cores[core].curves;
        let at = curves.iter().position(|c| c.0 == curve).unwrap_or_else(|| {
            curves.push((curve, Samples::default()));
            curves.len() - 1
        });
        &mut curves[at].1
    }

    /// Names the rows, which needs all of the file, and freezes.
    pub fn finish(mut self, meta: Meta, mut domain: NeuronDevice, ledger: &mut Ledger) -> (Profile, Arc<Vec<SliceId>>) {
        self.name_cores();
        self.name_queues();
        let mut rates = Vec::new();
        for core in std::mem::take(&mut self.cores) {
            if self.has_exact_transfers && core.dma.is_some() {
                let (name, unit, series, sort) = curve_row(Curve::DmaThroughput);
                let track = self.builder.track(TrackSpec { parent: Some(core.group), name: name.into(), kind: TrackKind::Counter, sort });
                let series = series.iter().map(|name| Series { name: (*name).into(), values: Vec::new() }).collect();
                self.builder.counter_columns(Counter { track, unit: unit.into(), series, ..Counter::default() });
                rates.push((core.group, track));
            }
            for (curve, mut samples) in core.curves {
                let (name, unit, series, sort) = curve_row(curve);
                let spec = TrackSpec { parent: Some(core.group), name: name.into(), kind: TrackKind::Counter, sort };
                let track = self.builder.track(spec);
                samples.series.resize_with(series.len(), || vec![0.0; samples.times.len()]);
                let series = series.iter().zip(samples.series).map(|(name, values)| Series { name: (*name).into(), values }).collect();
                let is_stacked = matches!(curve, Curve::StateBuffer | Curve::Psum);
                self.builder.counter_columns(Counter { track, unit: unit.into(), is_stacked, times: samples.times, series });
            }
        }
        self.builder.drop_unrecorded();
        let Finished { mut profile, numbers, slice_of_raw, track_of_raw, shared: cells } = self.builder.finish(meta);
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or_default();
        (domain.pc, domain.bytes, domain.wait_ns) = (next(), next(), next());
        (domain.elements, domain.sbuf_bytes, domain.accesses) = (next(), next(), next());
        let precise = Arc::new(next());
        let shared = Arc::new((next(), std::mem::take(&mut self.operand_sets)));
        domain.access_sets = vec![Vec::new(); self.access_sets.len()];
        for (set, at) in self.access_sets {
            domain.access_sets[at as usize] = set;
        }
        let place = |raw: u32| slice_of_raw.get(raw as usize).map(|slice| slice.0);
        domain.hbm = self.hbm.into_iter().filter_map(|h| Some(HbmTraffic { slice: place(h.slice)?, ..h })).collect();
        domain.hbm.sort_unstable_by_key(|h| h.slice);
        domain.duplicates = self.duplicates.into_iter().filter_map(place).collect();
        domain.duplicates.sort_unstable();
        domain.unreported = self.unreported.into_iter().filter_map(place).collect();
        domain.unreported.sort_unstable();
        domain.collective = self.collective.into_iter().filter_map(place).collect();
        domain.collective.sort_unstable();
        let place_of = |slice: u32| slice_of_raw[slice as usize].0;
        let mut uses = std::mem::take(&mut self.uses);
        uses.iter_mut().for_each(|used| used.slice = place_of(used.slice));
        uses.order_by_key(|used| used.slice);
        domain.semaphores = expanded(
            &shared,
            uses,
            |set| set.uses.len(),
            |slice, set, out| {
                out.extend(set.uses.iter().map(|used| SemaphoreUse { slice, ..*used }));
            },
        );
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.iter_mut().for_each(|shape| shape.slice = place_of(shape.slice));
        shapes.sort_unstable_by_key(|s| s.slice);
        domain.shapes = expanded(
            &shared,
            shapes,
            |set| usize::from(set.shape.is_some()),
            |slice, set, out| {
                out.extend(set.shape.map(|shape| Shape { slice, ..shape }));
            },
        );
        let placed = |raw: TrackId| track_of_raw.get(raw.index()).copied().flatten();
        let mut stepped = Vec::new();
        for (core, track) in rates.into_iter().filter_map(|(core, track)| placed(core).zip(placed(track))) {
            let (mut times, mut values) = (Vec::new(), Vec::new());
            let columns = (&domain.bytes, &*precise, domain.unreported.as_slice());
            let is_each_change = throughput::of_core(&profile, core, columns, &mut |sample| {
                times.push((sample.time / 1000) as i64);
                values.push(sample.rate);
            });
            stepped.extend((!is_each_change).then_some(track));
            if let Some(counter) = profile.counters.iter_mut().find(|counter| counter.track == track) {
                counter.series.iter_mut().take(1).for_each(|series| series.values = std::mem::take(&mut values));
                counter.times = times;
            }
        }
        quiet::quiet(&mut profile, &stepped);
        domain.end_distance = self.precise.end_distance(precise, &slice_of_raw);
        let starters: Vec<u32> = self.starters.iter().filter_map(|slice| place(*slice)).collect();
        domain.operations = self.operations.into_iter().filter_map(|o| Some(CollectiveOp { slice: place(o.slice)?, ..o })).collect();
        domain.operations.sort_unstable_by_key(|o| o.slice);
        domain.throttles = self.throttles.into_iter().filter_map(|t| Some(Throttle { core: placed(t.core)?, ..t })).collect();
        domain.throttles.order_by_key(|t| (t.start, t.core));
        domain.transposing = self.transposing;
        let moved = self.moved.into_iter().filter_map(|(slice, variable)| Some((place(slice)?, variable))).collect();
        let columns = Cells {
            shared: cells.as_deref(),
            engine: self.attrs[Attr::Engine as usize],
            bytes: self.numbers[1],
            accesses: self.numbers[5],
        };
        packets::link(&mut profile, &mut domain, &columns, (&starters, &moved), ledger);
        profile.domain = Domain::NeuronDevice(domain);
        (profile, slice_of_raw)
    }
}

/// For each slice the number of its set of operands; the sets, each with the number of slices that share it.
type SharedOperands = (Column<u32>, Vec<(ReadOperands, u32)>);

/// Values of the slices that share operands, by slice, made when they are first read; `own` are those of slices that share none.
fn expanded<T: Send + Copy + 'static>(
    shared: &Arc<SharedOperands>,
    own: Vec<T>,
    count: impl Fn(&ReadOperands) -> usize,
    add: impl Fn(u32, &ReadOperands, &mut Vec<T>) + Send + 'static,
) -> Column<T> {
    // A file has its operands as text, or as words: never both.
    let n: usize = shared.1.iter().map(|(set, n_runs)| count(set) * *n_runs as usize).sum();
    if n == 0 {
        return own.into();
    }
    let shared = shared.clone();
    Column::later(n, true, move || {
        let (mut out, sets) = (Vec::with_capacity(n), shared.0.as_slice());
        for_each_chunk(sets.len(), &mut |part| {
            for slice in part {
                if let Some((set, _)) = shared.1.get(sets[slice] as usize) {
                    add(slice as u32, set, &mut out);
                }
            }
        });
        out
    })
}
