//! What each line of source costs: its instructions, the time in which they ran, their FLOPs.

use crate::analysis::device::instructions::origin::{SourceLocation, places};
use crate::analysis::device::layers::ENGINES;
use crate::analysis::device::share;
use crate::analysis::spans::Spans;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, SortedIndex, StrId, TimeRange, for_each_chunk};
use crate::model::{Column, Domain, NeuronDevice, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Locations that are listed; further ones are only counted.
const MOST_LINES: usize = 100_000;

/// Lines of source with what their instructions cost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Source {
    /// Ordered by file and line.
    pub lines: Vec<SourceLine>,
    /// Instructions for which the file names no line: those of the runtime, or all where debug info is missing.
    pub unplaced: u64,
    /// What is not available, and why.
    pub notes: Vec<String>,
}

/// What a line costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Where.
    pub place: SourceLocation,
    /// Instructions that name it. One that names several lines counts with each.
    pub instructions: u64,
    /// Time in which any of them ran, semaphore waits omitted; what overlaps on one core counts once, cores are added up.
    pub time: DurationNs,
    /// FLOPs of its matrix products, transposes included; `None` where the file does not record it.
    pub flops: Option<u64>,
    /// Bytes that they read from and wrote to HBM; `None` where the file does not record it.
    pub hbm_bytes: Option<u64>,
    /// Instructions by engine: Tensor, Vector, Scalar, GpSimd, Sync.
    pub engines: [u64; 5],
}

/// A line in the making.
struct Line {
    totals: SourceLine,
    /// (core, start, end) of its work.
    spans: Vec<(u32, i64, i64)>,
}

/// Every source line of an instruction; with a `range` only of instructions that overlap it.
pub fn source(profile: &Profile, range: Option<TimeRange>) -> Source {
    let mut out = Source::default();
    let Domain::NeuronDevice(device) = &profile.domain else { return out };
    let mut given = SourceContext::of(profile, device, range);
    let mut lines: Vec<Line> = Vec::new();
    let (mut of_place, mut of_text): (FxHashMap<SourceLocation, usize>, FxHashMap<StrId, Vec<usize>>) = Default::default();
    each(profile, device, |slice, text, locations| {
        let (start, end) = (profile.slices.start[slice.index()], profile.slices.end(slice.index()));
        if range.is_some_and(|r| (end <= r.start.0 && end > start) || start >= r.end.0) {
            return;
        }
        if locations.is_empty() {
            out.unplaced += 1;
        }
        let named = of_text.entry(text).or_insert_with(|| {
            let mut line = |place: &SourceLocation| {
                *of_place.entry(place.clone()).or_insert_with(|| {
                    lines.push(new(place));
                    lines.len() - 1
                })
            };
            locations.iter().map(&mut line).collect()
        });
        named.iter().for_each(|line| given.add(&mut lines[*line], slice));
    });
    out.lines = lines.into_iter().map(|line| SourceLine { time: DurationNs(covered(line.spans)), ..line.totals }).collect();
    out.lines.order_by(|a, b| a.place.cmp(&b.place));
    out.notes = notes(&out);
    out.lines.truncate(MOST_LINES);
    out
}

/// Instructions that name a line, by start.
pub fn slices(profile: &Profile, wanted: &SourceLocation) -> Vec<SliceId> {
    let mut out = Vec::new();
    if let Domain::NeuronDevice(device) = &profile.domain {
        each(profile, device, |slice, _, locations| out.extend(locations.contains(wanted).then_some(slice)));
    }
    out.order_by_key(|s| (profile.slices.start[s.index()], *s));
    out
}

/// Whether any instruction names a line. Reads one column, and each distinct text once; none where the file has no such field.
pub fn has_lines(profile: &Profile) -> bool {
    let Domain::NeuronDevice(device) = &profile.domain else { return false };
    let Some(column) = profile.attribute("source").filter(|c| c.values.is_recorded()) else { return false };
    let (mut is_known, mut slice) = (vec![false; profile.strings.len()], 0);
    device.pc.any(|pc| {
        let id = Some(slice).filter(|_| *pc != NeuronDevice::ABSENT).and_then(|slice| column.values.at(slice));
        slice += 1;
        let is_new = id.and_then(|id| is_known.get_mut(id.index())).is_some_and(|known| !std::mem::replace(known, true));
        is_new && id.is_some_and(|id| !places(profile.strings.get(id)).is_empty())
    })
}

/// Calls `with` for each instruction with its source text and the lines in that text.
fn each(profile: &Profile, device: &NeuronDevice, mut with: impl FnMut(SliceId, StrId, &[SourceLocation])) {
    let column = profile.attribute("source");
    let mut known: FxHashMap<StrId, Vec<SourceLocation>> = FxHashMap::default();
    let mut pcs = Vec::new();
    for_each_chunk(profile.slices.len(), &mut |part| {
        device.pc.part(part.clone(), &mut pcs);
        for (i, _) in part.zip(&pcs).filter(|(_, pc)| **pc != NeuronDevice::ABSENT) {
            let id = column.and_then(|c| c.values.at(i)).unwrap_or_default();
            let locations = known.entry(id).or_insert_with(|| {
                let mut all = places(profile.strings.get(id));
                all.order();
                all.dedup();
                all
            });
            with(SliceId(i as u32), id, locations);
        }
    });
}

fn new(place: &SourceLocation) -> Line {
    let totals = SourceLine { place: place.clone(), instructions: 0, time: DurationNs(0), flops: None, hbm_bytes: None, engines: [0; 5] };
    Line { totals, spans: Vec::new() }
}

/// Parts of values.
struct SourceContext<'a> {
    profile: &'a Profile,
    device: &'a NeuronDevice,
    range: Option<TimeRange>,
    /// Indexed by string: whether it names a semaphore wait.
    is_wait: Vec<bool>,
    engines: Option<&'a Column<StrId>>,
    /// The engine of the last instruction, and its place in [`ENGINES`].
    engine: (StrId, Option<usize>),
    roots: Vec<u32>,
    /// End and core of the last instruction's lane: they come by lane.
    lane: (u32, u32),
    /// Where instructions are in [`NeuronDevice::hbm`].
    hbm: SortedIndex,
}

impl<'a> SourceContext<'a> {
    fn of(profile: &'a Profile, device: &'a NeuronDevice, range: Option<TimeRange>) -> Self {
        let hbm = SortedIndex::of(device.hbm.len(), |at| device.hbm[at].slice);
        let engines = profile.attribute("engine").map(|a| &a.values);
        let (is_wait, roots) =
            (crate::analysis::device::waiting::waits::names(profile), crate::analysis::device::waiting::signals::roots(profile));
        SourceContext { profile, device, range, is_wait, engines, engine: (StrId(0), None), roots, lane: (0, 0), hbm }
    }

    fn add(&mut self, line: &mut Line, slice: SliceId) {
        let (profile, device, i, totals) = (self.profile, self.device, slice.index(), &mut line.totals);
        totals.instructions += 1;
        let engine = self.engines.and_then(|engines| engines.at(i)).unwrap_or_default();
        if self.engine.0 != engine {
            let name = profile.strings.get(engine);
            self.engine = (engine, ENGINES.iter().position(|e| e.eq_ignore_ascii_case(name)));
        }
        if let Some(at) = self.engine.1 {
            totals.engines[at] += 1;
        }
        let (start, end) = (profile.slices.start[i], profile.slices.end(i));
        let (from, to) = self.range.map_or((start, end), |r| (start.max(r.start.0), end.min(r.end.0)));
        if let Some(elements) = device.elements.at(i).filter(|e| *e != NeuronDevice::ABSENT) {
            let flops = 2 * u64::from(elements);
            let flops = self.range.map_or(flops, |r| share::within(flops, (start, end), r));
            totals.flops = Some(totals.flops.unwrap_or(0).saturating_add(flops));
        }
        if !self.is_wait[profile.slices.name[i].index()] {
            line.spans.push((self.core(slice), from, to));
        }
        // It only starts the transfer: its bytes are not parted over its own time.
        if from > start {
            return;
        }
        if let Some(at) = self.hbm.find(device.hbm.len(), slice.0, |at| device.hbm[at].slice).next() {
            let bytes = device.hbm[at].read.saturating_add(device.hbm[at].written);
            totals.hbm_bytes = Some(totals.hbm_bytes.unwrap_or(0).saturating_add(bytes));
        }
    }

    /// The core of a slice: its topmost track.
    fn core(&mut self, slice: SliceId) -> u32 {
        if slice.0 >= self.lane.0 {
            let lane = self.profile.lane_of(slice);
            self.lane = lane.map_or((0, 0), |l| (l.end, self.roots[l.track.index()]));
        }
        self.lane.1
    }
}

/// Time that spans cover, core by core.
fn covered(mut spans: Vec<(u32, i64, i64)>) -> i64 {
    spans.sort_unstable();
    let of_core = |part: &[(u32, i64, i64)]| Spans::union(part.iter().map(|s| (s.1, s.2))).total();
    spans.chunk_by(|a, b| a.0 == b.0).map(of_core).fold(0, i64::saturating_add)
}

fn notes(found: &Source) -> Vec<String> {
    let mut out = Vec::new();
    if found.lines.is_empty() {
        let what = "Source lines are not recorded in this file. Set NKI_DEBUG_INFO=1 and NEURON_FRAMEWORK_DEBUG=1, clear the compiler \
                    cache, compile again, and open the NEFF together with the trace.";
        out.push(what.into());
    }
    if found.lines.len() > MOST_LINES {
        out.push(format!("Only the first {MOST_LINES} of {} lines are listed.", found.lines.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_on_one_core_counts_once() {
        assert_eq!(covered(vec![(0, 0, 10), (1, 5, 8), (0, 5, 12), (0, 20, 21), (0, 6, 7)]), 12 + 1 + 3);
        assert_eq!(covered(Vec::new()), 0);
    }
}
