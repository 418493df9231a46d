//! The rows of each physical core, walked once: when its engines and queue types were busy, what moved, what was multiplied, what waited.

use super::answer::OpcodeTime;
use super::time_parts::Part;
use crate::analysis::device::activity::lanes::{self, LaneSpans};
use crate::analysis::device::waiting::gaps;
use crate::analysis::device::waiting::signals;
use crate::analysis::device::waiting::waits;
use crate::analysis::recent_cache::Groups;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeRange, TrackId, for_each_chunk};
use crate::model::{Column, Domain, Dtype, NeuronDevice, Profile, TrackKind};

/// What feeds the queues through which engines fetch their instructions.
pub const FETCH: &str = "instruction";
/// Transfers up to this size, bytes, set a semaphore and move no data.
pub const SEMAPHORE_BYTES: u32 = 4;
/// What has no queue type in the file.
const UNTYPED: &str = "not recorded";

/// What the rows of one physical core say of a range.
#[derive(Debug, Default)]
pub struct CoreRows {
    /// The topmost track.
    pub root: u32,
    /// Busy times by [`Part::place`], clipped to the range.
    pub sets: [Ranges; 6],
    /// Busy times by queue type, by name.
    pub queue_types: Vec<(String, Ranges)>,
    /// Bytes of the transfers that start in the range and move data.
    pub moved_bytes: u64,
    /// How many these are.
    pub moves: u64,
    /// The matrix products that start in the range, by start.
    pub products: Vec<Product>,
    /// One for each engine and opcode.
    pub opcodes: Vec<OpcodeTime>,
    /// Transfers that the profiler omits.
    pub unreported: u64,
}

/// A matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Start, nanoseconds.
    pub start: i64,
    /// The instruction.
    pub slice: u32,
    /// Multiplications.
    pub elements: u32,
    /// Columns that move through the array; `None` where operands are not recorded.
    pub columns: Option<u32>,
    /// Half passes through the array that it takes.
    pub half_passes: u8,
    /// The same as the profiler counts.
    pub profiler_half_passes: u8,
    /// Whether it only transposes.
    pub is_transpose: bool,
    /// Whether the type of its numbers is recorded.
    pub is_typed: bool,
}

impl Product {
    /// BF16-equivalent FLOPs: 2 for each multiplication and pass.
    pub fn flops(&self) -> u64 {
        u64::from(self.elements) * u64::from(self.half_passes)
    }

    /// The same as the profiler counts.
    pub fn profiler_flops(&self) -> u64 {
        u64::from(self.elements) * u64::from(self.profiler_half_passes)
    }
}

/// Half passes of a product by its type: real ones, and as counted by the profiler. FP8 runs twice as fast as BF16 from Trainium 2 on.
fn half_passes(dtype: Dtype, is_low_high: bool, is_fp8_fast: bool) -> (u8, u8) {
    match dtype {
        Dtype::Fp32 if is_low_high => (4, 8),
        Dtype::Fp32 => (8, 8),
        Dtype::Fp8 if is_fp8_fast => (1, 1),
        _ => (2, 2),
    }
}

/// Busy times that are being collected.
#[derive(Default)]
struct Sums {
    rows: CoreRows,
    engines: [LaneSpans; 5],
    queues: Groups<StrId, LaneSpans>,
    opcodes: Groups<OpcodeKey, OpcodeSum>,
}

/// Place of the engine in [`ENGINES`], opcode.
type OpcodeKey = (u8, StrId);

/// Sums of an opcode.
#[derive(Default)]
struct OpcodeSum {
    count: u64,
    time: i64,
    wait: u64,
    waiting: u64,
}

/// The engines by their place in [`Sums::engines`].
const ENGINES: [Part; 5] = [Part::Tensor, Part::Vector, Part::Scalar, Part::GpSimd, Part::Sync];

/// Columns that the walk reads. Those of instructions are read chunk by chunk: of a long run the transfers are far more, and a column made whole has
/// a value for each of them too.
struct Columns<'a> {
    profile: &'a Profile,
    device: &'a NeuronDevice,
    range: TimeRange,
    is_wait: Vec<bool>,
    wait_ns: &'a Column<u32>,
    elements: &'a Column<u32>,
    bytes: &'a [u32],
    engines: Option<&'a Column<StrId>>,
    queue_types: Option<&'a [StrId]>,
    kinds: Option<&'a Column<StrId>>,
    transpose: Option<StrId>,
    fetch: Option<StrId>,
    has_waits: bool,
    is_fp8_fast: bool,
}

/// What the rows of every physical core with engines or queues say of a range, or of the entire run, in the order of the timeline; none of a profile
/// of another kind.
pub fn rows_of(profile: &Profile, range: Option<TimeRange>) -> Vec<CoreRows> {
    match &profile.domain {
        Domain::NeuronDevice(device) => rows(profile, device, range.unwrap_or_else(|| gaps::whole(profile))),
        _ => Vec::new(),
    }
}

/// The same for a device profile and a range.
pub fn rows(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Vec<CoreRows> {
    let column = |id: &str| profile.attribute(id).map(|a| &a.values);
    let named = |name: &str| profile.strings.iter().find(|(_, text)| *text == name).map(|(id, _)| id);
    let columns = Columns {
        profile,
        device,
        range,
        is_wait: waits::names(profile),
        wait_ns: &device.wait_ns,
        elements: &device.elements,
        bytes: &device.bytes,
        engines: column("engine"),
        queue_types: column("queue_type").map(Column::as_slice),
        kinds: column("instruction_type"),
        transpose: named("TRANSPOSE"),
        fetch: named(FETCH),
        has_waits: has_waits(profile, &device.wait_ns),
        is_fp8_fast: !["inf", "trn1"].iter().any(|old| device.instance_type.starts_with(old)),
    };
    let roots = signals::roots(profile);
    let mut cores: Vec<Sums> = Vec::new();
    for (t, track) in profile.tracks.iter().enumerate() {
        if !matches!(track.kind, TrackKind::Engine | TrackKind::Queue) {
            continue;
        }
        let at = cores.iter().position(|c| c.rows.root == roots[t]).unwrap_or_else(|| {
            cores.push(Sums { rows: CoreRows { root: roots[t], ..CoreRows::default() }, ..Sums::default() });
            cores.len() - 1
        });
        let track_id = TrackId(t as u32);
        match track.kind {
            TrackKind::Queue => columns.queue(track_id, &mut cores[at]),
            _ => columns.engine(track_id, &mut cores[at]),
        }
    }
    cores.order_by_key(|c| c.rows.root);
    cores.into_iter().map(|c| c.finish(&columns)).collect()
}

/// Whether any instruction has a recorded wait.
fn has_waits(profile: &Profile, wait_ns: &Column<u32>) -> bool {
    let (mut found, mut waits) = (false, Vec::new());
    for lane in profile.lanes.iter().filter(|lane| profile.tracks[lane.track.index()].kind == TrackKind::Engine) {
        let first = lane.first as usize;
        for_each_chunk(lane.end as usize - first, &mut |part| {
            if !found {
                wait_ns.part(first + part.start..first + part.end, &mut waits);
                found = waits.iter().any(|wait| *wait != NeuronDevice::ABSENT);
            }
        });
    }
    found
}

impl Columns<'_> {
    /// The part of a slice in the range.
    fn span(&self, i: usize) -> (i64, i64) {
        let slices = &self.profile.slices;
        (slices.start[i].max(self.range.start.0), slices.end(i).min(self.range.end.0))
    }

    fn starts_here(&self, i: usize) -> bool {
        (self.range.start.0..self.range.end.0).contains(&self.profile.slices.start[i])
    }

    fn engine(&self, track: TrackId, sums: &mut Sums) {
        let own_name = self.profile.strings.get(self.profile.tracks[track.index()].name);
        let mut last: (StrId, Option<usize>) = (StrId(u32::MAX), None);
        let place = |name: &str| ENGINES.iter().position(|p| p.label() == name);
        let (mut engines, mut waits, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        for (lane, slices) in lanes::touching(self.profile, track, self.range) {
            let mut shapes = lanes::Shapes::from(&self.device.shapes, slices.start);
            for_each_chunk(slices.len(), &mut |part| {
                let range = slices.start + part.start..slices.start + part.end;
                self.engines.into_iter().for_each(|column| column.part(range.clone(), &mut engines));
                self.wait_ns.part(range.clone(), &mut waits);
                self.elements.part(range.clone(), &mut elements);
                for (k, i) in range.enumerate() {
                    let engine = engines.get(k).copied().unwrap_or_default();
                    if engine != last.0 {
                        let name = self.profile.strings.get(engine);
                        last = (engine, place(if name.is_empty() { own_name } else { name }));
                    }
                    let name = self.profile.slices.name[i];
                    let Some(at) = last.1 else { continue };
                    let span = self.span(i);
                    if span.1 > span.0 && !self.is_wait[name.index()] {
                        sums.engines[at].push(lane, span);
                    }
                    if !self.starts_here(i) {
                        continue;
                    }
                    let recorded = |values: &[u32]| values.get(k).copied().filter(|value| *value != NeuronDevice::ABSENT);
                    let sum = sums.opcodes.of(name.0.wrapping_mul(8).wrapping_add(at as u32), (at as u8, name));
                    self.count(i, recorded(&waits), sum);
                    if let Some(elements) = recorded(&elements) {
                        self.product(i, elements, &mut shapes, sums);
                    }
                }
            });
        }
        sums.engines.iter_mut().for_each(LaneSpans::end_track);
    }

    fn count(&self, i: usize, wait: Option<u32>, sum: &mut OpcodeSum) {
        sum.count += 1;
        sum.time = sum.time.saturating_add(self.profile.slices.duration[i]);
        if let Some(wait) = wait {
            sum.wait = sum.wait.saturating_add(wait.into());
            sum.waiting += u64::from(wait > 0);
        }
    }

    fn opcode(&self, (engine, name): OpcodeKey, sum: OpcodeSum) -> OpcodeTime {
        let (engine, opcode) = (ENGINES[usize::from(engine)].label().into(), self.profile.strings.get(name).into());
        let wait = self.has_waits.then(|| DurationNs(i64::try_from(sum.wait).unwrap_or(i64::MAX)));
        OpcodeTime { engine, opcode, count: sum.count, time: DurationNs(sum.time), wait, waiting: sum.waiting }
    }

    fn product(&self, i: usize, elements: u32, shapes: &mut lanes::Shapes<'_>, sums: &mut Sums) {
        let shape = shapes.of(i);
        let (half_passes, profiler_half_passes) = shape.map_or((2, 2), |s| half_passes(s.dtype, s.is_low_high, self.is_fp8_fast));
        sums.rows.products.push(Product {
            start: self.profile.slices.start[i],
            slice: i as u32,
            elements,
            columns: shape.map(|s| s.elements),
            half_passes,
            profiler_half_passes,
            is_transpose: self.transpose.is_some() && self.kinds.and_then(|kinds| kinds.at(i)) == self.transpose,
            is_typed: shape.is_some_and(|s| s.dtype != Dtype::Other),
        });
    }

    fn queue(&self, track: TrackId, sums: &mut Sums) {
        for (lane, slices) in lanes::touching(self.profile, track, self.range) {
            // A packet that occurs twice in the file is one.
            let [mut twice, mut unreported] =
                [&self.device.duplicates, &self.device.unreported].map(|all| lanes::Listed::from(all, slices.start));
            for_each_chunk(slices.len(), &mut |part| {
                for i in part.map(|at| slices.start + at).filter(|i| !twice.has(*i)) {
                    if unreported.has(i) {
                        sums.rows.unreported += u64::from(self.starts_here(i));
                        continue;
                    }
                    let queue_type = self.queue_types.map_or(StrId(0), |t| t[i]);
                    let span = self.span(i);
                    if span.1 > span.0 {
                        sums.queues.of(queue_type.0, queue_type).push(lane, span);
                    }
                    let bytes = self.bytes.get(i).copied().filter(|b| *b != NeuronDevice::ABSENT);
                    if let Some(bytes) = bytes.filter(|b| *b > SEMAPHORE_BYTES && self.fetch != Some(queue_type) && self.starts_here(i)) {
                        sums.rows.moves += 1;
                        sums.rows.moved_bytes = sums.rows.moved_bytes.saturating_add(bytes.into());
                    }
                }
            });
        }
        sums.queues.all.iter_mut().for_each(|q| q.1.end_track());
    }
}

impl Sums {
    fn finish(self, columns: &Columns<'_>) -> CoreRows {
        let mut out = self.rows;
        for (part, spans) in ENGINES.into_iter().zip(self.engines) {
            out.sets[part.place()] = spans.union();
        }
        let strings = &columns.profile.strings;
        let name = |id: StrId| if id == StrId(0) { UNTYPED.to_string() } else { strings.get(id).to_string() };
        out.queue_types = self.queues.all.into_iter().map(|(id, spans)| (name(id), spans.union())).filter(|q| !q.1.is_empty()).collect();
        out.queue_types.order_by(|a, b| a.0.cmp(&b.0));
        out.sets[Part::Dma.place()] = spans::union_of(out.queue_types.iter().map(|q| q.1.clone()).collect());
        // One product per instruction at most. Lanes are sorted already: a stable sort merges them.
        out.products.sort_by_key(|p| (p.start, p.slice));
        out.opcodes = self.opcodes.all.into_iter().map(|(key, sum)| columns.opcode(key, sum)).collect();
        let place = |o: &OpcodeTime| Part::named(&o.engine).map_or(usize::MAX, Part::place);
        out.opcodes.order_by(|a, b| place(a).cmp(&place(b)).then_with(|| b.time.cmp(&a.time)).then_with(|| a.opcode.cmp(&b.opcode)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_each_type() {
        assert_eq!(half_passes(Dtype::Fp32, true, true), (4, 8));
        assert_eq!(half_passes(Dtype::Fp32, false, true), (8, 8));
        assert_eq!(half_passes(Dtype::Fp16, false, true), (2, 2));
        assert_eq!(half_passes(Dtype::Fp8, false, true), (1, 1));
        assert_eq!(half_passes(Dtype::Fp8, false, false), (2, 2));
    }
}
