//! A row above the engines of a core that names what they work at: layers, framework operators, HLO, whatever instructions say of themselves.

use crate::analysis::{colour, colouring};
use crate::base::Order as _;
use crate::base::{SliceId, StrId, TrackId};
use crate::model::{Profile, TrackKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A row for each core, in which a bar is an interval of one name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NameRow {
    /// The group of rows it belongs to.
    pub group: Option<TrackId>,
    /// Bars of each lane.
    pub lanes: Vec<u32>,
}

/// One bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameBar {
    /// Start of its first instruction, nanoseconds.
    pub start: i64,
    /// Until the end of its last.
    pub duration: i64,
    /// Position in [`NameRows::names`].
    pub name: u32,
    /// Its first instruction.
    pub first: SliceId,
    /// How many.
    pub n: u32,
}

/// The rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NameRows {
    /// Ordered by group, as in the profile.
    pub rows: Vec<NameRow>,
    /// Row by row, lane by lane, by start.
    pub bars: Vec<NameBar>,
    /// (name, colour slot).
    pub names: Vec<(String, u16)>,
}

/// An interval in the making.
struct Interval {
    key: StrId,
    start: i64,
    end: i64,
    first: SliceId,
    n: u32,
}

/// Rows by the column `by`, as [`colouring::column`] knows it: `layer`, `layer@2`. A bar is an interval in which an engine stays with one
/// name; intervals of several engines that overlap or touch are one bar. Instructions without a value are in none, and neither end nor
/// begin one. `None` if the profile has no such column.
pub fn name_rows(profile: &Profile, by: &str) -> Option<NameRows> {
    let column = colouring::column(profile, by)?;
    let slots = colour::slots(profile, &column);
    let depth = by.split_once('@').and_then(|d| d.1.parse::<usize>().ok()).filter(|d| *d > 0);
    let mut groups: Vec<(Option<TrackId>, Vec<Interval>)> = Vec::new();
    for (t, track) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Engine) {
        let found = intervals(profile, &column, TrackId(t as u32));
        match groups.iter_mut().find(|g| g.0 == track.parent) {
            Some(group) => group.1.extend(found),
            None => groups.push((track.parent, found)),
        }
    }
    let mut out = NameRows::default();
    let mut name_of: FxHashMap<StrId, u32> = FxHashMap::default();
    for (group, intervals) in groups {
        let intervals = joined(intervals);
        if intervals.is_empty() {
            continue;
        }
        let lanes = lanes(&intervals);
        for interval in lanes.iter().flatten().map(|i| &intervals[*i]) {
            let name = *name_of.entry(interval.key).or_insert_with(|| {
                let slot = slots.get(interval.key.index()).copied().unwrap_or(0);
                out.names.push((cut(profile.strings.get(interval.key), depth).into(), slot));
                out.names.len() as u32 - 1
            });
            let duration = interval.end.saturating_sub(interval.start);
            out.bars.push(NameBar { start: interval.start, duration, name, first: interval.first, n: interval.n });
        }
        out.rows.push(NameRow { group, lanes: lanes.iter().map(|l| l.len() as u32).collect() });
    }
    Some(out)
}

/// The first parts of a name, as many as `depth`.
fn cut(text: &str, depth: Option<usize>) -> &str {
    let end = depth.and_then(|d| text.match_indices('/').nth(d - 1)).map_or(text.len(), |m| m.0);
    &text[..end]
}

/// Intervals of one engine, by start.
fn intervals(profile: &Profile, column: &[StrId], track: TrackId) -> Vec<Interval> {
    let mut out: Vec<Interval> = Vec::new();
    for &i in &profile.slices.by_start[profile.slices_of(track)] {
        let (i, key) = (i as usize, column[i as usize]);
        if key == StrId(0) {
            continue;
        }
        let end = profile.slices.end(i);
        match out.last_mut().filter(|s| s.key == key) {
            Some(interval) => (interval.end, interval.n) = (interval.end.max(end), interval.n + 1),
            None => out.push(Interval { key, start: profile.slices.start[i], end, first: SliceId(i as u32), n: 1 }),
        }
    }
    out
}

/// Those of one name that overlap or touch as one; by start.
fn joined(mut all: Vec<Interval>) -> Vec<Interval> {
    all.order_by_key(|s| (s.start, s.first));
    let mut last: FxHashMap<StrId, usize> = FxHashMap::default();
    let mut out: Vec<Interval> = Vec::with_capacity(all.len());
    for interval in all {
        match last.get(&interval.key).map(|at| &mut out[*at]).filter(|before| interval.start <= before.end) {
            Some(before) => (before.end, before.n) = (before.end.max(interval.end), before.n + interval.n),
            None => {
                last.insert(interval.key, out.len());
                out.push(interval);
            }
        }
    }
    out
}

/// Positions of the intervals in each lane: the uppermost that is free. As many lanes as there are engines at most, so they are tried in turn.
fn lanes(all: &[Interval]) -> Vec<Vec<usize>> {
    let mut out: Vec<(i64, Vec<usize>)> = Vec::new();
    for (i, interval) in all.iter().enumerate() {
        // A bar without a length still takes its moment.
        let end = interval.end.max(interval.start.saturating_add(1));
        match out.iter_mut().find(|lane| lane.0 <= interval.start) {
            Some(lane) => {
                lane.0 = end;
                lane.1.push(i);
            }
            None => out.push((end, vec![i])),
        }
    }
    out.into_iter().map(|lane| lane.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    /// Bars as `name start+duration ×n`, lane by lane.
    fn check(text: &str, by: &str, want: &[&[&str]]) {
        let mut profile = drawn(text);
        profile.tracks.iter_mut().filter(|t| t.parent.is_some()).for_each(|t| t.kind = TrackKind::Engine);
        let got = name_rows(&profile, by).expect("the column");
        let mut bars = got.bars.iter();
        let lane = |n: &u32| -> Vec<String> {
            let bar = |b: &NameBar| format!("{} {}+{} ×{}", got.names[b.name as usize].0, b.start, b.duration, b.n);
            bars.by_ref().take(*n as usize).map(bar).collect()
        };
        let lanes: Vec<Vec<String>> = got.rows.iter().flat_map(|r| &r.lanes).map(lane).collect();
        assert_eq!(lanes, want);
    }

    #[test]
    fn an_engine_that_stays_with_a_name_is_one_bar() {
        check("nc / tensor: a 0+5, a 7+3, b 12+2, a 20+1", "name", &[&["a 0+10 ×2", "b 12+2 ×1", "a 20+1 ×1"]]);
    }

    #[test]
    fn engines_at_the_same_name_share_a_bar_and_others_get_a_lane() {
        check("nc / tensor: a 0+10, b 12+8\n nc / vector: a 5+10, c 16+2", "name", &[&["a 0+15 ×2", "c 16+2 ×1"], &["b 12+8 ×1"]]);
    }

    #[test]
    fn layers_are_cut_at_a_depth() {
        check("nc / tensor: m/x/q 0+1, m/x/k 2+1, m/y/q 5+1", "name@2", &[&["m/x 0+3 ×2", "m/y 5+1 ×1"]]);
    }

    #[test]
    fn what_is_no_column_is_none() {
        assert_eq!(name_rows(&drawn("nc / t: a 0+1"), "layer"), None);
    }
}
