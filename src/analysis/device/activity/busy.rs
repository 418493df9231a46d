//! When the engines and DMA of each core were busy: the rows walked once, for every value that asks.

use crate::analysis::device::activity::engine_time::EngineTime;
use crate::analysis::device::activity::lanes::{self, LaneSpans};
use crate::analysis::device::run_metrics::metrics::ENGINES;
use crate::analysis::device::share;
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
    count: u64,
    bytes: Option<u64>,
}

/// Busy times core by core, of the run or clipped to a range.
pub(in crate::analysis::device) fn busy(profile: &Profile, range: Option<TimeRange>) -> Vec<Busy> {
    busy_on(profile, range, &[TrackKind::Queue, TrackKind::Engine])
}

/// The same, of tracks of these kinds alone: queues for DMA, engines for all else.
pub(in crate::analysis::device) fn busy_on(profile: &Profile, range: Option<TimeRange>, kinds: &[TrackKind]) -> Vec<Busy> {
    let mut works: Vec<Work> = Vec::new();
    let is_wait = crate::analysis::device::waiting::waits::names(profile);
    let range = range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
    for (t, track) in profile.tracks.iter().enumerate() {
        if kinds.contains(&track.kind) {
            add_track(profile, TrackId(t as u32), range, &is_wait, &mut works);
        }
    }
    let of_work = |w: Work| Busy { core: w.core, engine: w.engine, ranges: w.spans.union(), count: w.count, bytes: w.bytes };
    let mut out: Vec<Busy> = works.into_iter().map(of_work).collect();
    let place = |engine: &str| ENGINES.iter().position(|e| e.engine == engine).unwrap_or(ENGINES.len() + usize::from(engine == DMA));
    out.order_by(|a, b| (&a.core, place(&a.engine), &a.engine).cmp(&(&b.core, place(&b.engine), &b.engine)));
    out
}

fn add_track(profile: &Profile, track: TrackId, range: TimeRange, is_wait: &[bool], works: &mut Vec<Work>) {
    let is_dma = profile.tracks[track.index()].kind == TrackKind::Queue;
    let path = profile.track_path(track);
    let core = path.split(" / ").next().unwrap_or_default();
    let own_name = profile.strings.get(profile.tracks[track.index()].name);
    let (bytes, duplicates) = match &profile.domain {
        Domain::NeuronDevice(d) => (d.bytes.as_slice(), d.duplicates.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let column = profile.attribute("engine").filter(|_| !is_dma);
    let work_of = |engine: StrId, works: &mut Vec<Work>| {
        let recorded = Some(profile.strings.get(engine)).filter(|e| !e.is_empty());
        let engine = if is_dma { DMA } else { recorded.unwrap_or(own_name) };
        works.iter().position(|w| w.core == core && w.engine == engine).unwrap_or_else(|| {
            works.push(Work { core: core.into(), engine: engine.into(), bytes: is_dma.then_some(0), ..Work::default() });
            works.len() - 1
        })
    };
    let mut last: Option<(StrId, usize)> = None;
    // What does nothing in the range is there all the same.
    if is_dma || ENGINES.iter().any(|e| e.engine == own_name) {
        work_of(StrId(0), works);
    }
    for (lane, slices) in lanes::touching(profile, track, range) {
        // A packet that occurs twice in the file is one.
        let mut twice = lanes::Listed::from(duplicates, slices.start);
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at).filter(|i| !twice.has(*i)) {
                let engine = column.map_or(StrId(0), |a| a.values[i]);
                let at = last.filter(|l| l.0 == engine).map_or_else(|| work_of(engine, works), |l| l.1);
                last = Some((engine, at));
                let work = &mut works[at];
                work.count += 1;
                if let (Some(sum), Some(&n)) = (&mut work.bytes, bytes.get(i).filter(|n| **n != NeuronDevice::ABSENT)) {
                    *sum = sum.saturating_add(share::within(n.into(), (profile.slices.start[i], profile.slices.end(i)), range));
                }
                let span = (profile.slices.start[i].max(range.start.0), profile.slices.end(i).min(range.end.0));
                if span.1 > span.0 && !is_wait[profile.slices.name[i].index()] {
                    work.spans.push(lane, span);
                }
            }
        });
    }
    works.iter_mut().for_each(|work| work.spans.end_track());
}
