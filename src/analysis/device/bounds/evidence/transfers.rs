//! What explains gaps of the memory bounds: idle DMA, small transfers, bytes moved again.

use super::{Evidence, EvidenceContext, Groups, Label, plus_time};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::bounds::rows;
use crate::analysis::device::bounds::time_parts::Part;
use crate::analysis::device::cells;
use crate::analysis::device::share::add_recorded;
use crate::analysis::spans;
use crate::base::Order as _;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk, text};
use crate::model::{NeuronDevice, TrackKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Shorter times without a transfer are not charged to a line.
const LEAST_IDLE_NS: i64 = 500;
/// Smaller transfers are slow: their fixed cost is larger than their time at full rate.
pub(super) const SMALL_BYTES: u64 = 4096;

/// Each time without a transfer goes to the source line whose instructions overlap it most.
pub(super) fn idle(given: &EvidenceContext<'_>, out: &mut Evidence) {
    if given.core.queue_types.is_empty() {
        return out.notes.push("No DMA transfer is recorded on this core in this range.".into());
    }
    let whole = [(given.range.start.0, given.range.end.0)];
    let idle = spans::without(&whole, &given.core.sets[Part::Dma.place()]);
    let gaps: spans::Ranges = idle.into_iter().filter(|gap| gap.1 - gap.0 >= LEAST_IDLE_NS).collect();
    let mut groups: Groups<Option<Label>> = Groups::new();
    for ((start, end), overlaps) in gaps.iter().zip(overlaps(given, &gaps)) {
        let most = overlaps.into_iter().filter(|o| o.time > 0).max_by_key(|o| (o.time, o.label));
        let row = match most {
            Some(overlap) => groups.add(Some(overlap.label), overlap.first),
            None => {
                let row = groups.row(None);
                row.count += 1;
                row
            }
        };
        plus_time(&mut row.time, end - start);
    }
    let name = |label: &Option<Label>| (label.map_or("No instruction ran".into(), |l| given.text(l)), String::new());
    out.rows = groups.rows(given.profile, name);
    given.note_lines(out);
}

/// How long instructions of a label ran in a gap.
#[derive(Clone)]
struct Overlap {
    label: Label,
    time: i64,
    first: SliceId,
}

/// What ran in each gap. Gaps are disjoint and ordered by start, as the slices of a lane are: both go by once.
fn overlaps(given: &EvidenceContext<'_>, gaps: &[(i64, i64)]) -> Vec<Vec<Overlap>> {
    let mut out: Vec<Vec<Overlap>> = vec![Vec::new(); gaps.len()];
    for (_, slices) in given.tracks(TrackKind::Engine).flat_map(|track| lanes::touching(given.profile, track, given.range)) {
        let mut next = 0;
        for i in slices.filter(|i| !given.is_wait[given.profile.slices.name[*i].index()]) {
            let span = (given.profile.slices.start[i], given.profile.slices.end(i));
            next += gaps[next..].iter().take_while(|gap| gap.1 <= span.0).count();
            for (gap, of_gap) in gaps[next..].iter().zip(&mut out[next..]).take_while(|gap| gap.0.0 < span.1) {
                let time = span.1.min(gap.1).saturating_sub(span.0.max(gap.0)).max(0);
                let label = given.label(i);
                match of_gap.iter_mut().find(|o| o.label == label) {
                    Some(known) => known.time = known.time.saturating_add(time),
                    None => of_gap.push(Overlap { label, time, first: SliceId(i as u32) }),
                }
            }
        }
    }
    out
}

/// Which transfers of a lane move data and start in the range, while they go by.
struct Moves<'a> {
    given: &'a EvidenceContext<'a>,
    queue_types: Option<&'a [StrId]>,
    fetch: Option<StrId>,
    twice: lanes::Listed<'a>,
}

impl Moves<'_> {
    /// The bytes that a slice moves, which is none before the last one asked about; `None` where it is not one of them.
    fn bytes(&mut self, i: usize) -> Option<u32> {
        let bytes = self.given.device.bytes.get(i).copied().filter(|b| *b != NeuronDevice::ABSENT && *b > rows::SEMAPHORE_BYTES)?;
        let is_fetch = self.fetch.is_some() && self.queue_types.and_then(|c| c.get(i).copied()) == self.fetch;
        (self.given.starts_here(i) && !is_fetch && !self.twice.has(i)).then_some(bytes)
    }
}

/// The lanes of the queues of a core: track, slices that touch the range, which of them count.
fn queue_lanes<'a>(given: &'a EvidenceContext<'_>) -> impl Iterator<Item = (TrackId, Range<usize>, Moves<'a>)> + 'a {
    let queue_types = given.profile.attribute("queue_type").map(|a| a.values.as_slice());
    let fetch = given.profile.strings.iter().find(|(_, text)| *text == rows::FETCH).map(|(id, _)| id);
    given.tracks(TrackKind::Queue).flat_map(move |track| {
        lanes::touching(given.profile, track, given.range).map(move |(_, slices)| {
            let twice = lanes::Listed::from(&given.device.duplicates, slices.start);
            (track, slices, Moves { given, queue_types, fetch, twice })
        })
    })
}

/// Calls `each` with the transfers that move data and start in the range: slice, queue, bytes; lane by lane.
fn for_each_move(given: &EvidenceContext<'_>, mut each: impl FnMut(usize, TrackId, u32)) {
    for (track, slices, mut moves) in queue_lanes(given) {
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at) {
                if let Some(bytes) = moves.bytes(i) {
                    each(i, track, bytes);
                }
            }
        });
    }
}

/// Calls `each` with start and bytes of the same transfers, by start.
pub(in super::super) fn moves_by_start(given: &EvidenceContext<'_>, each: impl FnMut(i64, u32)) {
    let lanes = queue_lanes(given).map(|(_, slices, moves)| (slices, moves));
    lanes::for_each_by_start(given.profile, given.range, lanes, Moves::bytes, each);
}

/// Transfers by queue, size, and the line that asked for them: the time that they took, beside their bytes.
pub(super) fn slow(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let mut groups: Groups<(TrackId, u32, Option<Label>)> = Groups::new();
    let mut n_small = (0u64, 0u64);
    for_each_move(given, |i, track, bytes| {
        let row = groups.add((track, bytes, given.trigger(i)), SliceId(i as u32));
        plus_time(&mut row.time, given.profile.slices.duration[i]);
        add_recorded(&mut row.bytes, Some(bytes.into()));
        row.size = Some(bytes.into());
        n_small = (n_small.0 + u64::from(u64::from(bytes) < SMALL_BYTES), n_small.1 + 1);
    });
    groups.set_lines(given, |key| key.2);
    let name = |key: &(TrackId, u32, _)| (given.profile.strings.get(given.profile.tracks[key.0.index()].name).into(), String::new());
    out.rows = groups.rows(given.profile, name);
    if n_small.0 > 0 {
        out.notes.push(format!(
            "{} of {} transfers are smaller than 4 KiB: each has a fixed cost, so fewer and larger ones take less time.",
            text::count(n_small.0),
            text::count(n_small.1)
        ));
    }
    note_triggers(given, out);
}

/// Says how to record what asked for transfers, where no packet names it.
fn note_triggers(given: &EvidenceContext<'_>, out: &mut Evidence) {
    if !out.rows.is_empty() && given.device.transfers.is_empty() {
        let text = "The instruction that asked for a transfer is not recorded in this file: open the NTFF with its NEFF to see source lines of transfers.";
        out.notes.push(text.into());
    }
}

/// The lines that asked for most of a tensor's bytes, with these.
fn named_lines(given: &EvidenceContext<'_>, bytes: &FxHashMap<Label, u64>) -> String {
    const MOST: usize = 3;
    let mut all: Vec<(u64, String)> = bytes.iter().map(|(label, n)| (*n, given.text(*label))).collect();
    all.order_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let named = all.iter().take(MOST).map(|(n, line)| format!("{line} ({})", text::bytes(*n)));
    let n_more = all.len().saturating_sub(MOST);
    named.chain((n_more > 0).then(|| format!("{n_more} more"))).collect::<Vec<_>>().join(", ")
}

/// Bytes by tensor, with the lines that asked for them, and how many times its size that is; where no transfer names a tensor, by the line that started the transfers.
pub(super) fn reloads(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let variables = given.profile.attribute("variable").map(|a| a.values.as_slice());
    let mut groups: Groups<StrId> = Groups::new();
    let mut lines: FxHashMap<StrId, FxHashMap<Label, u64>> = FxHashMap::default();
    for_each_move(given, |i, _, bytes| {
        let variable = variables.and_then(|v| v.get(i).copied()).unwrap_or_default();
        if let Some(label) = given.trigger(i) {
            let sum = lines.entry(variable).or_default().entry(label).or_default();
            *sum = sum.saturating_add(bytes.into());
        }
        let row = groups.add(variable, SliceId(i as u32));
        plus_time(&mut row.time, given.profile.slices.duration[i]);
        add_recorded(&mut row.bytes, Some(bytes.into()));
    });
    let is_named = groups.0.all.iter().any(|row| row.0 != StrId(0));
    if is_named {
        for (variable, row) in &mut groups.0.all {
            row.line = lines.get(variable).map(|of| named_lines(given, of)).unwrap_or_default();
        }
        let name = |id: &StrId| match *id {
            StrId(0) => ("Tensor not recorded".into(), String::new()),
            id => (given.profile.strings.get(id).into(), String::new()),
        };
        out.rows = groups.rows(given.profile, name);
        add_sizes(given, out);
        note_triggers(given, out);
        return;
    }
    if !groups.0.all.is_empty() {
        let text = "The tensor of a transfer is not recorded: capture with `NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1` set in the environment. Rows are the \
                    instructions that started the transfers.";
        out.notes.push(text.into());
    }
    by_trigger(given, out);
}

fn add_sizes(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let Some(table) = cells::table(given.profile, &["TensorInfo", "neff_node"]) else { return };
    let columns = cells::columns(table, [&["variable_name"], &["type"], &["size"]]);
    for row in &table.rows {
        let Some(name) = cells::text(row, columns[0]) else { continue };
        if let Some(found) = out.rows.iter_mut().find(|r| r.name == name) {
            found.size = cells::count(row, columns[2]);
            found.detail = cells::text(row, columns[1]).unwrap_or_default();
        }
    }
}

/// Bytes of HBM by the line of the instruction that started the transfers.
fn by_trigger(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let mut groups: Groups<Label> = Groups::new();
    let mut spilled = 0u64;
    for hbm in given.device.hbm.iter().filter(|h| given.starts_here(h.slice as usize) && given.is_here(SliceId(h.slice))) {
        let row = groups.add(given.label(hbm.slice as usize), SliceId(hbm.slice));
        add_recorded(&mut row.bytes, Some(hbm.read.saturating_add(hbm.written)));
        spilled = spilled.saturating_add(hbm.spilled.unwrap_or(0));
    }
    out.rows = groups.rows(given.profile, |label| (given.text(*label), String::new()));
    if spilled > 0 {
        out.notes.push(format!("{} of these bytes are spills and their reloads.", text::bytes(spilled)));
    }
    if out.rows.is_empty() {
        out.notes.push("Bytes of HBM by instruction are not recorded in this file.".into());
    }
    given.note_lines(out);
}
