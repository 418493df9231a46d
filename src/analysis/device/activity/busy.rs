//! When the engines and DMA of each core were busy: the rows walked once, for every value that asks.

use crate::analysis::device::activity::engine_time::EngineTime;
use crate::analysis::device::activity::lanes::{self, LaneSpans};
use crate::analysis::device::run_metrics::metrics::ENGINES;
use crate::analysis::device::share;
use crate::analysis::recent_cache::Groups;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange, TrackId, for_each_chunk};
use crate::model::{Domain, NeuronDevice, Profile, TrackKind};

/// DMA of all queues of a core is beside its engines.
pub(in crate::analysis::device) const DMA: &str = "DMA";

/// One engine of a core, or its DMA.
pub(in crate::analysis::device) struct Busy {
    /// `NC 4`.
    pub core: String,
    /// `Tensor`, `DMA`.
    pub engine: String,
    /// When anything but a semaphore wait ran.
    pub ranges: Ranges,
    /// Instructions, or transfers.
    pub count: u64,
    /// Bytes moved, of DMA; of a transfer that runs on beyond the range those of its part within.
    pub bytes: Option<u64>,
    /// What the profiler counts of the DMA.
    pub packets: Packets,
}

/// Packets of a core that the profiler counts: each once, and none that it leaves out of its tables. Types are as the file has them, and may be empty.
#[derive(Default)]
pub(in crate::analysis::device) struct Packets {
    /// By queue and type.
    pub sums: Vec<((TrackId, StrId), PacketSum)>,
    /// Busy times by type.
    pub types: Vec<(StrId, Ranges)>,
}

/// Packets of a queue and a type.
#[derive(Default)]
pub(in crate::analysis::device) struct PacketSum {
    /// Packets that touch the range, or the execution of an entire run.
    pub count: u64,
    /// Those of them that start in it.
    pub started: u64,
    /// Bytes of their parts in it.
    pub bytes: u64,
}

/// The execution of a run. It begins at 0; what is drawn may begin later, and some transfers are outside of it.
pub(in crate::analysis::device) fn execution(profile: &Profile) -> TimeRange {
    match &profile.domain {
        Domain::NeuronDevice(d) if d.window_ns > 0 => TimeRange::new(TimeNs(0), TimeNs(d.window_ns)),
        _ => profile.meta.range,
    }
}

impl Busy {
    /// Its values.
    pub fn time(&self) -> EngineTime {
        let busy = DurationNs(spans::length(&self.ranges));
        EngineTime { core: self.core.clone(), engine: self.engine.clone(), busy, count: self.count, bytes: self.bytes }
    }
}

/// What is known of an engine while its rows are walked.
#[derive(Default)]
struct Work {
    core: String,
    engine: String,
    spans: LaneSpans,
    /// Of DMA: spans of the packets that the profiler counts, by type; the others are in `spans`.
    types: Groups<StrId, LaneSpans>,
    packets: Groups<(TrackId, StrId), PacketSum>,
    count: u64,
    bytes: Option<u64>,
}

impl Work {
    fn finish(self) -> Busy {
        let types: Vec<(StrId, Ranges)> = self.types.all.into_iter().map(|(kind, spans)| (kind, spans.union())).collect();
        let sets = types.iter().map(|t| t.1.clone()).chain([self.spans.union()]).filter(|set| !set.is_empty());
        let ranges = spans::union_of(sets.collect());
        let packets = Packets { sums: self.packets.all, types };
        Busy { core: self.core, engine: self.engine, ranges, count: self.count, bytes: self.bytes, packets }
    }
}

/// Busy times core by core, of the run or clipped to a range.
pub(in crate::analysis::device) fn busy(profile: &Profile, range: Option<TimeRange>) -> Vec<Busy> {
    busy_on(profile, range, &[TrackKind::Queue, TrackKind::Engine])
}

/// The same, of tracks of these kinds alone: queues for DMA, engines for all else.
pub(in crate::analysis::device) fn busy_on(profile: &Profile, range: Option<TimeRange>, kinds: &[TrackKind]) -> Vec<Busy> {
    let mut works: Vec<Work> = Vec::new();
    let is_wait = crate::analysis::device::waiting::waits::names(profile);
    let window = range.unwrap_or_else(|| execution(profile));
    let range = range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
    for (t, track) in profile.tracks.iter().enumerate().filter(|t| kinds.contains(&t.1.kind)) {
        match track.kind {
            TrackKind::Queue => add_queue(profile, TrackId(t as u32), (range, window), &mut works),
            _ => add_engines(profile, TrackId(t as u32), range, &is_wait, &mut works),
        }
    }
    let mut out: Vec<Busy> = works.into_iter().map(Work::finish).collect();
    let place = |engine: &str| ENGINES.iter().position(|e| e.engine == engine).unwrap_or(ENGINES.len() + usize::from(engine == DMA));
    out.order_by(|a, b| (&a.core, place(&a.engine), &a.engine).cmp(&(&b.core, place(&b.engine), &b.engine)));
    out
}

/// Place of an engine of a core, or of its DMA, in `works`: new or known.
fn place(works: &mut Vec<Work>, core: &str, engine: &str) -> usize {
    works.iter().position(|w| w.core == core && w.engine == engine).unwrap_or_else(|| {
        let bytes = (engine == DMA).then_some(0);
        works.push(Work { core: core.into(), engine: engine.into(), bytes, ..Work::default() });
        works.len() - 1
    })
}

fn core_of(profile: &Profile, track: TrackId) -> String {
    profile.track_path(track).split(" / ").next().unwrap_or_default().into()
}

/// Adds the packets of a queue, each once. Sums that the profiler has too are of those that touch `window`.
fn add_queue(profile: &Profile, queue: TrackId, (range, window): (TimeRange, TimeRange), works: &mut Vec<Work>) {
    let no_device = NeuronDevice::default();
    let device = profile.neuron_device().unwrap_or(&no_device);
    let (bytes, kinds) = (device.bytes.as_slice(), profile.attribute("queue_type").map(|a| a.values.as_slice()));
    let at = place(works, &core_of(profile, queue), DMA);
    let work = &mut works[at];
    for (lane, slices) in lanes::touching(profile, queue, range) {
        let [mut twice, mut unreported] = [&device.duplicates, &device.unreported].map(|all| lanes::Listed::from(all, slices.start));
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at).filter(|i| !twice.has(*i)) {
                let (start, end) = (profile.slices.start[i], profile.slices.end(i));
                let span = (start.max(range.start.0), end.min(range.end.0));
                let size = bytes.get(i).copied().filter(|n| *n != NeuronDevice::ABSENT).map_or(0, u64::from);
                work.count += 1;
                work.bytes = work.bytes.map(|sum| sum.saturating_add(share::within(size, (start, end), range)));
                if unreported.has(i) {
                    if span.1 > span.0 {
                        work.spans.push(lane, span);
                    }
                    continue;
                }
                let kind = kinds.and_then(|k| k.get(i).copied()).unwrap_or_default();
                if span.1 > span.0 {
                    work.types.of(kind.0, kind).push(lane, span);
                }
                let sum = work.packets.of(kind.0, (queue, kind));
                if start < window.end.0 && end >= window.start.0 {
                    sum.count += 1;
                    sum.started += u64::from(start >= window.start.0);
                    sum.bytes = sum.bytes.saturating_add(share::within(size, (start, end), window));
                }
            }
        });
    }
    work.spans.end_track();
    work.types.all.iter_mut().for_each(|t| t.1.end_track());
}

fn add_engines(profile: &Profile, track: TrackId, range: TimeRange, is_wait: &[bool], works: &mut Vec<Work>) {
    let core = core_of(profile, track);
    let own_name = profile.strings.get(profile.tracks[track.index()].name);
    let column = profile.attribute("engine").map(|a| &a.values);
    let engine_of = |id: StrId| Some(profile.strings.get(id)).filter(|name| !name.is_empty()).unwrap_or(own_name);
    let duplicates = profile.neuron_device().map_or(&[][..], |d| d.duplicates.as_slice());
    // What does nothing in the range is there all the same.
    if ENGINES.iter().any(|e| e.engine == own_name) {
        place(works, &core, own_name);
    }
    let mut last: Option<(StrId, usize)> = None;
    for (lane, slices) in lanes::touching(profile, track, range) {
        let mut twice = lanes::Listed::from(duplicates, slices.start);
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at).filter(|i| !twice.has(*i)) {
                let engine = column.and_then(|engines| engines.at(i)).unwrap_or_default();
                let at = last.filter(|l| l.0 == engine).map_or_else(|| place(works, &core, engine_of(engine)), |l| l.1);
                last = Some((engine, at));
                let work = &mut works[at];
                work.count += 1;
                let span = (profile.slices.start[i].max(range.start.0), profile.slices.end(i).min(range.end.0));
                if span.1 > span.0 && !is_wait[profile.slices.name[i].index()] {
                    work.spans.push(lane, span);
                }
            }
        });
    }
    works.iter_mut().for_each(|work| work.spans.end_track());
}
