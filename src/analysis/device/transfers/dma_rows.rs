//! DMA transfers in other rows than they were read into: by queue or by DMA engine, each packet a bar, each ring (a queue on one engine)
//! a row of its own, or packets merged to the transfers that they make together.

use crate::analysis::recent_cache::Groups;
use crate::base::radix_sort::order_many;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk, packed};
use crate::model::{FreeLanes, Profile, TrackKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DmaBy {
    /// A queue, on all its engines: as the profile was read.
    #[default]
    Queue,
    /// A DMA engine, with all its queues.
    Engine,
}

/// The grouping in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DmaDetail {
    /// A bar for each record of the file.
    #[default]
    Packets,
    /// As that, in a row for each queue on each engine.
    Rings,
    /// Records of one row that overlap, or follow each other at once, as one bar; those of another variable apart.
    Merged,
}

/// Which rows are wanted. The default are those that the profile was read into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DmaRowsQuery {
    /// What a row holds.
    pub by: DmaBy,
    /// The transfers of a bar.
    pub detail: DmaDetail,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaRow {
    /// The group of the row.
    pub group: Option<TrackId>,
    /// `Q1 qSyncDynamicHW`, `DMA-E64`, `Q1-E64`.
    pub name: String,
    /// Bars of each lane.
    pub lanes: Vec<u32>,
}

/// DMA transfers in rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DmaRows {
    /// Ordered by group, then by name, numbers by their value.
    pub rows: Vec<DmaRow>,
    /// Transfers of each bar, row by row, lane by lane, by start; empty where each bar is one.
    #[serde(with = "packed::numbers")]
    pub n_of: Vec<u32>,
    /// The transfers, bar by bar, by start; the first one of a bar represents it.
    #[serde(with = "packed::slices")]
    pub members: Vec<SliceId>,
}

/// A bar in the making: from when to when, and of how many transfers.
struct Bar {
    start: i64,
    end: i64,
    n: u32,
}

/// Groups, then names with their numbers apart, so that `Q2` comes before `Q10`.
type Key = (Option<TrackId>, Vec<(String, u64)>, String);

/// The rows for `query`. Every transfer is in exactly one bar.
pub fn dma_rows(profile: &Profile, query: DmaRowsQuery) -> DmaRows {
    let mut out = DmaRows::default();
    let start = &profile.slices.start[..];
    for ((group, _, name), mut slices) in sorted(profile, query) {
        // By start; those with the same one by id.
        order_many(&mut slices, |s| s.0.into());
        order_many(&mut slices, |s| start[s.index()]);
        if query.detail != DmaDetail::Merged {
            let lanes = slice_lanes(profile, &slices);
            lanes.iter().for_each(|lane| out.members.extend_from_slice(lane));
            out.rows.push(DmaRow { group, name, lanes: lanes.iter().map(|lane| lane.len() as u32).collect() });
            continue;
        }
        let (bars, bar_of) = merged(profile, &slices);
        let lanes = in_lanes(&bars);
        let n_lanes = lanes.iter().max().map_or(0, |l| l + 1);
        let mut of_lane: Vec<Vec<u32>> = vec![Vec::new(); n_lanes];
        lanes.iter().zip(0..).for_each(|(lane, bar)| of_lane[*lane].push(bar));
        let mut next = vec![0; bars.len()];
        let mut at = out.members.len();
        for bar in of_lane.iter().flatten().map(|bar| *bar as usize) {
            next[bar] = at;
            at += bars[bar].n as usize;
            out.n_of.push(bars[bar].n);
        }
        out.members.resize(at, SliceId(0));
        for (slice, bar) in slices.iter().zip(bar_of) {
            out.members[next[bar as usize]] = *slice;
            next[bar as usize] += 1;
        }
        out.rows.push(DmaRow { group, name, lanes: of_lane.iter().map(|l| l.len() as u32).collect() });
    }
    if out.n_of.iter().all(|n| *n == 1) {
        out.n_of.clear();
    }
    out
}

/// The transfers of each row.
fn sorted(profile: &Profile, query: DmaRowsQuery) -> BTreeMap<Key, Vec<SliceId>> {
    let column = |id: &str| profile.attribute(id).map_or(&[][..], |a| a.values.as_slice());
    let (engines, queues) = (column("engine"), column("queue"));
    let text = |id: StrId| profile.strings.get(id);
    let mut out: BTreeMap<Key, Vec<SliceId>> = BTreeMap::new();
    for (t, track) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        // There are few rows and many transfers: the name of each pair of engine and queue is made once.
        let mut pairs = Groups::<(StrId, StrId), Vec<SliceId>>::default();
        let slices = profile.slices_of(TrackId(t as u32));
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at) {
                let at = |column: &[StrId]| column.get(i).copied().unwrap_or_default();
                let pair = (at(engines), at(queues));
                pairs.of(pair.0.0.wrapping_add(pair.1.0.wrapping_mul(31)), pair).push(SliceId(i as u32));
            }
        });
        for ((engine, queue), slices) in pairs.all {
            let name = row_name(text(track.name), text(engine), text(queue), query);
            out.entry((track.parent, parts(&name), name)).or_default().extend(slices);
        }
    }
    out
}

/// The row of a transfer that was read into the row `track`.
pub(in crate::analysis::device) fn row_name(track: &str, engine: &str, queue: &str, query: DmaRowsQuery) -> String {
    let engine = if engine.is_empty() { "DMA engine not recorded" } else { engine };
    let index = if queue.is_empty() { track } else { queue };
    let short = engine.strip_prefix("DMA-").unwrap_or(engine);
    match (query.detail, query.by) {
        (DmaDetail::Rings, DmaBy::Queue) => format!("{index}-{short}"),
        (DmaDetail::Rings, DmaBy::Engine) => format!("{short}-{index}"),
        (_, DmaBy::Queue) => track.to_string(),
        (_, DmaBy::Engine) => engine.to_string(),
    }
}

/// `Q10-E64` → [(`Q`, 10), (`-E`, 64)].
fn parts(name: &str) -> Vec<(String, u64)> {
    let mut out = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(text);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        out.push((word.to_string(), after[..digits].parse().unwrap_or(0)));
        rest = &after[digits..];
    }
    out
}

/// Bars by start, and which each of `slices` (which are by start) is in: those of one variable that overlap or touch are one.
fn merged(profile: &Profile, slices: &[SliceId]) -> (Vec<Bar>, Vec<u32>) {
    let bar = |slice: &SliceId| Bar { start: profile.slices.start[slice.index()], end: profile.slices.end(slice.index()), n: 1 };
    let variables = profile.attribute("variable").map_or(&[][..], |a| a.values.as_slice());
    let mut bars: Vec<Bar> = Vec::new();
    let mut last: FxHashMap<StrId, u32> = FxHashMap::default();
    let place = |slice: &SliceId| {
        let new = bar(slice);
        let variable = variables.get(slice.index()).copied().unwrap_or_default();
        if let Some(&at) = last.get(&variable).filter(|at| new.start <= bars[**at as usize].end) {
            let known = &mut bars[at as usize];
            known.end = known.end.max(new.end);
            known.n += 1;
            return at;
        }
        let at = bars.len() as u32;
        bars.push(new);
        last.insert(variable, at);
        at
    };
    let bar_of = slices.iter().map(place).collect();
    (bars, bar_of)
}

/// The lane for something from `start` to `end`: the uppermost that is free then. What has no length still takes its moment.
fn lane(lanes: &mut FreeLanes, start: i64, end: i64) -> usize {
    lanes.take(0, start, end.max(start.saturating_add(1)))
}

/// The lane of each bar, which are by start.
fn in_lanes(bars: &[Bar]) -> Vec<usize> {
    let mut lanes = FreeLanes::default();
    bars.iter().map(|bar| lane(&mut lanes, bar.start, bar.end)).collect()
}

/// Slices, which are by start, in lanes where each is a bar.
fn slice_lanes(profile: &Profile, slices: &[SliceId]) -> Vec<Vec<SliceId>> {
    let (mut lanes, mut out) = (FreeLanes::default(), Vec::<Vec<SliceId>>::new());
    let (start, duration) = (&profile.slices.start[..], &profile.slices.duration[..]);
    for_each_chunk(slices.len(), &mut |part| {
        for slice in &slices[part] {
            let from = start[slice.index()];
            let at = lane(&mut lanes, from, from.saturating_add(duration[slice.index()]));
            if at >= out.len() {
                out.resize_with(at + 1, Vec::new);
            }
            out[at].push(*slice);
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(spans: &[(i64, i64)]) -> Vec<Bar> {
        spans.iter().map(|s| Bar { start: s.0, end: s.1, n: 1 }).collect()
    }

    #[test]
    fn bars_take_the_uppermost_free_lane() {
        assert_eq!(in_lanes(&drawn(&[(0, 10), (2, 4), (4, 6), (5, 7), (10, 12)])), [0, 1, 1, 2, 0]);
        assert_eq!(in_lanes(&drawn(&[(3, 3), (3, 3)])), [0, 1]);
    }

    #[test]
    fn names_are_sorted_by_their_numbers() {
        let mut names = ["Q10-E64", "Q2-E70", "Q2-E8", "DMA-E1"];
        names.sort_by_key(|n| parts(n));
        assert_eq!(names, ["DMA-E1", "Q2-E8", "Q2-E70", "Q10-E64"]);
    }
}
