//! The same slices in another order of rows: groups are new, rows keep their lanes, slices their ids.

use crate::analysis::system::RowOf;
use crate::base::Order as _;
use crate::base::{InstantId, TrackId};
use crate::engine::page_columns::{PageColumns, PageInstants, PageMeta};
use crate::engine::{Counter, Track, TrackKind, TrackRuns};
use std::ops::Range;
use std::sync::Arc;

/// The columns with the rows in `order`; other rows follow unchanged.
pub fn regroup(columns: &PageColumns, order: &[RowOf]) -> PageColumns {
    let old = &columns.info;
    let mut out = columns.clone();
    let info = &mut out.info;
    info.tracks.clear();
    let mut new_of: Vec<Option<TrackId>> = vec![None; old.tracks.len()];
    let left = |named: &[Option<TrackId>], i: usize| named[i].is_none() && old.tracks[i].kind != TrackKind::Group;
    for row in order {
        let at = TrackId(info.tracks.len() as u32);
        let name = info.strings.push(&row.name);
        let recorded = row.track.filter(|t| new_of.get(t.index()) == Some(&None));
        let (kind, lanes) =
            recorded.map_or((TrackKind::Group, 0..0), |t| (old.tracks[t.index()].kind, old.tracks[t.index()].lanes.clone()));
        let parent = row.parent.map(TrackId).filter(|p| p.0 < at.0);
        let level = parent.map_or(0, |p| info.tracks[p.index()].level + 1);
        info.tracks.push(Track { parent, level, name, kind, lanes });
        if let Some(track) = recorded {
            new_of[track.index()] = Some(at);
        }
    }
    for i in 0..old.tracks.len() {
        if left(&new_of, i) {
            new_of[i] = Some(TrackId(info.tracks.len() as u32));
            info.tracks.push(Track { parent: None, level: 0, ..old.tracks[i].clone() });
        }
    }
    let new = |t: TrackId| new_of.get(t.index()).copied().flatten().unwrap_or_default();
    info.lanes.iter_mut().for_each(|l| l.track = new(l.track));
    info.counters = old.counters.iter().map(|c| Counter { track: new(c.track), ..c.clone() }).collect();
    move_instants(old, info, new);
    out
}

/// The instants by new track. Within a track they stay sorted by time.
fn move_instants(old: &PageMeta, info: &mut PageMeta, new: impl Fn(TrackId) -> TrackId) {
    let all = &old.instants;
    let mut parts: Vec<(TrackId, Range<usize>)> = all.track.runs().map(|(track, part)| (new(track), part)).collect();
    if parts.is_sorted_by_key(|part| part.0) && parts.iter().all(|part| all.track[part.1.start] == part.0) {
        return;
    }
    parts.order_by_key(|part| part.0);
    let mut tracks = TrackRuns::default();
    let mut order = Vec::with_capacity(all.time.len());
    info.instant_ids.clear();
    for (track, part) in parts {
        tracks.push(track, part.len());
        info.instant_ids.extend(part.clone().map(|i| old.instant_ids.get(i).copied().unwrap_or(InstantId(i as u32))));
        order.extend(part.map(|i| all.time.order().map_or(i as u32, |order| order[i])));
    }
    let order = Some(Arc::new(order));
    info.instants = PageInstants { track: tracks, time: all.time.with_more(order.clone(), []), name: all.name.with_more(order, []) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;

    fn row(parent: Option<u32>, name: &str, track: Option<u32>) -> RowOf {
        RowOf { parent, name: name.into(), track: track.map(TrackId) }
    }

    #[test]
    fn rows_move_and_slices_stay() {
        let columns = sample();
        let order = [row(None, "Device", None), row(Some(0), "stream", Some(5)), row(None, "CPU", None), row(Some(2), "main", Some(1))];
        let got = regroup(&columns, &order);
        let names: Vec<&str> = got.info.tracks.iter().map(|t| got.info.strings.get(t.name)).collect();
        assert_eq!(names, ["Device", "stream", "CPU", "main", "waits", "memory"]);
        assert_eq!(got.info.tracks.iter().map(|t| t.level).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 0]);
        assert_eq!(
            got.info.lanes.iter().map(|l| (l.track.0, l.first, l.end)).collect::<Vec<_>>(),
            [(3, 0, 2), (3, 2, 5), (4, 5, 6), (1, 6, 8)]
        );
        assert_eq!((got.info.counters[0].track, got.info.instants.track.clone()), (TrackId(5), [TrackId(3); 2].into_iter().collect()));
        assert_eq!((&got.start, &got.name), (&columns.start, &columns.name));
        // A row named twice occurs once; an unknown row becomes a group.
        let odd = regroup(&columns, &[row(Some(9), "a", Some(5)), row(Some(0), "b", Some(5)), row(None, "c", Some(99))]);
        assert_eq!(odd.info.tracks.iter().filter(|t| !t.lanes.is_empty()).count(), 3);
    }
}
