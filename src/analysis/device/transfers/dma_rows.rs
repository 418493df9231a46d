//! DMA transfers in other rows than they were read into: by queue or by DMA engine, each packet a bar, each ring (a queue on one engine)
//! a row of its own, or packets merged to the transfers that they make together.

use crate::analysis::recent_cache::Groups;
use crate::base::radix_sort::order_many;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk, packed};
use crate::model::{FreeLanes, Profile, TrackKind};
use serde::{Deserialize, Serialize};

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

/// Groups, then names with their numbers apart, so that `Q2` comes before `Q10`.
type Key = (Option<TrackId>, Vec<(String, u64)>, String);

/// Transfers by start, those with the same one by id: all rows are made of them.
pub fn transfers_by_start(profile: &Profile) -> Vec<SliceId> {
    let mut transfers = Vec::new();
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let slices = profile.slices_of(TrackId(t as u32));
        for_each_chunk(slices.len(), &mut |part| transfers.extend(part.map(|at| SliceId((slices.start + at) as u32))));
    }
    let start = &profile.slices.start[..];
    order_many(&mut transfers, |s| s.0.into());
    order_many(&mut transfers, |s| start[s.index()]);
    transfers
}

/// The rows for `query` of all transfers, which are as [`transfers_by_start`] gives them. Every transfer is in exactly one bar.
pub fn dma_rows(profile: &Profile, transfers: &[SliceId], query: DmaRowsQuery) -> DmaRows {
    let (names, row_of) = named_rows(profile, query);
    let (members, n_of, lanes) = match query.detail {
        DmaDetail::Packets | DmaDetail::Rings => single(profile, transfers, &row_of, names.len()),
        DmaDetail::Merged => merged(profile, transfers, &row_of, names.len()),
    };
    let rows = names.into_iter().zip(lanes).map(|((group, name), lanes)| DmaRow { group, name, lanes }).collect();
    DmaRows { rows, n_of, members }
}

/// Group and name of each row, in their order, and the row of each transfer, indexed by slice.
fn named_rows(profile: &Profile, query: DmaRowsQuery) -> (Vec<(Option<TrackId>, String)>, Vec<u32>) {
    let column = |id: &str| profile.attribute(id).map_or(&[][..], |a| a.values.as_slice());
    let (engines, queues) = (column("engine"), column("queue"));
    let text = |id: StrId| profile.strings.get(id);
    // There are few rows and many transfers: the name of each pair of engine and queue is made once.
    let mut keys: Vec<Key> = Vec::new();
    let mut key_of = vec![0; profile.slices.len()];
    for (t, track) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let mut pairs = Groups::<(StrId, StrId), Option<u32>>::default();
        let slices = profile.slices_of(TrackId(t as u32));
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at) {
                let at = |column: &[StrId]| column.get(i).copied().unwrap_or_default();
                let (engine, queue) = (at(engines), at(queues));
                let known = pairs.of(engine.0.wrapping_add(queue.0.wrapping_mul(31)), (engine, queue));
                key_of[i] = *known.get_or_insert_with(|| {
                    let name = row_name(text(track.name), text(engine), text(queue), query);
                    keys.push((track.parent, parts(&name), name));
                    keys.len() as u32 - 1
                });
            }
        });
    }
    let mut rows: Vec<&Key> = keys.iter().collect();
    rows.sort_unstable();
    rows.dedup();
    let row_of_key: Vec<u32> = keys.iter().map(|key| rows.partition_point(|row| *row < key) as u32).collect();
    let mut row_of = key_of;
    let n = row_of.len();
    for_each_chunk(n, &mut |part| {
        row_of[part].iter_mut().for_each(|key| *key = row_of_key.get(*key as usize).copied().unwrap_or_default())
    });
    (rows.into_iter().map(|(group, _, name)| (*group, name.clone())).collect(), row_of)
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

/// Members, transfers of each bar (none where each is one), and bars of each lane of each row.
type Laid = (Vec<SliceId>, Vec<u32>, Vec<Vec<u32>>);

/// Each transfer as a bar.
fn single(profile: &Profile, transfers: &[SliceId], row_of: &[u32], n_rows: usize) -> Laid {
    let (start, duration) = (&profile.slices.start[..], &profile.slices.duration[..]);
    let span = |i: usize| {
        let slice = transfers[i].index();
        (start[slice], start[slice].saturating_add(duration[slice]))
    };
    let (positions, lanes) = in_lanes(transfers.len(), n_rows, |i| row_of[transfers[i].index()] as usize, span);
    let mut members = vec![SliceId(0); transfers.len()];
    for_each_chunk(transfers.len(), &mut |part| {
        positions[part.clone()].iter().zip(&transfers[part]).for_each(|(at, slice)| members[*at as usize] = *slice)
    });
    (members, Vec::new(), lanes)
}

/// A bar in the making: in which row, from when to when, and of how many transfers.
struct Bar {
    row: u32,
    start: i64,
    end: i64,
    n: u32,
}

/// Transfers of one row and variable that overlap or touch as one bar.
fn merged(profile: &Profile, transfers: &[SliceId], row_of: &[u32], n_rows: usize) -> Laid {
    let (bars, bar_of) = bars(profile, transfers, row_of);
    let (positions, lanes) = in_lanes(bars.len(), n_rows, |bar| bars[bar].row as usize, |bar| (bars[bar].start, bars[bar].end));
    let mut n_of = vec![0; bars.len()];
    positions.iter().zip(&bars).for_each(|(at, bar)| n_of[*at as usize] = bar.n);
    let mut next = firsts(&n_of, &mut 0);
    let mut members = vec![SliceId(0); transfers.len()];
    for_each_chunk(transfers.len(), &mut |part| {
        for (slice, bar) in transfers[part.clone()].iter().zip(&bar_of[part]) {
            let at = &mut next[positions[*bar as usize] as usize];
            members[*at as usize] = *slice;
            *at += 1;
        }
    });
    if bars.len() == transfers.len() {
        n_of.clear();
    }
    (members, n_of, lanes)
}

/// Bars by start, and the bar of each of the transfers, which are by start.
fn bars(profile: &Profile, transfers: &[SliceId], row_of: &[u32]) -> (Vec<Bar>, Vec<u32>) {
    let variables = profile.attribute("variable").map_or(&[][..], |a| a.values.as_slice());
    let mut bars: Vec<Bar> = Vec::new();
    // The last bar of each row and variable.
    let mut last = Groups::<(u32, StrId), Option<u32>>::default();
    let mut bar_of = Vec::with_capacity(transfers.len());
    for_each_chunk(transfers.len(), &mut |part| {
        for slice in &transfers[part] {
            let (row, start, end) = (row_of[slice.index()], profile.slices.start[slice.index()], profile.slices.end(slice.index()));
            let variable = variables.get(slice.index()).copied().unwrap_or_default();
            let last = last.of(row.wrapping_add(variable.0.wrapping_mul(31)), (row, variable));
            match last.map(|at| (at, &mut bars[at as usize])) {
                Some((at, bar)) if start <= bar.end => {
                    bar.end = bar.end.max(end);
                    bar.n += 1;
                    bar_of.push(at);
                }
                _ => {
                    bar_of.push(*last.insert(bars.len() as u32));
                    bars.push(Bar { row, start, end, n: 1 });
                }
            }
        }
    });
    (bars, bar_of)
}

/// `n` bars, by start, each in the uppermost lane of its row that is free then: the position of each, row by row, lane by lane, by start; and how many
/// each lane of each row has. What has no length still takes its moment.
fn in_lanes(n: usize, n_rows: usize, row: impl Fn(usize) -> usize, span: impl Fn(usize) -> (i64, i64)) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut free: Vec<FreeLanes> = (0..n_rows).map(|_| FreeLanes::default()).collect();
    let mut lanes: Vec<Vec<u32>> = vec![Vec::new(); n_rows];
    // First the lane of each, then its position.
    let mut out: Vec<u32> = Vec::with_capacity(n);
    for_each_chunk(n, &mut |part| {
        for bar in part {
            let (row, (start, end)) = (row(bar), span(bar));
            let lane = free[row].take(0, start, end.max(start.saturating_add(1)));
            if lane >= lanes[row].len() {
                lanes[row].resize(lane + 1, 0);
            }
            lanes[row][lane] += 1;
            out.push(lane as u32);
        }
    });
    let mut n_before = 0;
    let mut next: Vec<Vec<u32>> = lanes.iter().map(|row| firsts(row, &mut n_before)).collect();
    for_each_chunk(n, &mut |part| {
        for bar in part {
            let next = &mut next[row(bar)][out[bar] as usize];
            out[bar] = std::mem::replace(next, *next + 1);
        }
    });
    (out, lanes)
}

/// The first position of each of these lists, one behind the other, with `n_before` positions in front of them; adds theirs to it.
fn firsts(lengths: &[u32], n_before: &mut u32) -> Vec<u32> {
    let first = |n: &u32| {
        *n_before += n;
        *n_before - n
    };
    lengths.iter().map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_take_the_uppermost_free_lane_of_their_row() {
        let check = |bars: &[(usize, i64, i64)], positions: &[u32], lanes: &[&[u32]]| {
            let got = in_lanes(bars.len(), lanes.len(), |i| bars[i].0, |i| (bars[i].1, bars[i].2));
            assert_eq!(got, (positions.to_vec(), lanes.iter().map(|row| row.to_vec()).collect()));
        };
        check(&[(0, 0, 10), (0, 2, 4), (0, 4, 6), (0, 5, 7), (0, 10, 12)], &[0, 2, 3, 4, 1], &[&[2, 2, 1]]);
        check(&[(0, 3, 3), (0, 3, 3)], &[0, 1], &[&[1, 1]]);
        check(&[(1, 0, 5), (0, 1, 2), (1, 1, 2)], &[1, 0, 2], &[&[1], &[1, 1]]);
    }

    #[test]
    fn names_are_sorted_by_their_numbers() {
        let mut names = ["Q10-E64", "Q2-E70", "Q2-E8", "DMA-E1"];
        names.sort_by_key(|n| parts(n));
        assert_eq!(names, ["DMA-E1", "Q2-E8", "Q2-E70", "Q10-E64"]);
    }
}
