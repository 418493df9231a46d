//! A profile of some windows of time alone, set end to end: every analysis of it is exact for a region that has several windows.
//!
//! Slices are cut to the windows, and keep what they are. Bytes and FLOPs belong to the window in which their slice starts.

mod domain;

use super::{Column, Counter, FlowTable, InstantTable, Lane, NO_SLICE, Profile, RecordRef, Series, SliceTable, Track};
use crate::base::{SliceId, TimeNs, Windows, for_each_chunk};

/// A profile in condensed time, and what its ids were.
#[derive(Debug)]
pub struct Condensed {
    /// In condensed time; its tracks and strings are those of the whole.
    pub profile: Profile,
    /// The id in the whole profile of each slice, ascending.
    pub slices: Vec<u32>,
    /// The same for instants.
    pub instants: Vec<u32>,
}

/// The remaining part of a profile.
struct CondensedTables<'a> {
    whole: &'a Profile,
    windows: &'a Windows,
    /// Remaining slices, ascending.
    slices: Vec<u32>,
    /// New id by old id; [`NO_SLICE`] for removed slices.
    place: Vec<u32>,
}

impl Profile {
    /// What is in the windows.
    pub fn condensed(&self, windows: &Windows) -> Condensed {
        let mut slices = Vec::new();
        let mut place = vec![NO_SLICE; self.slices.len()];
        for_each_chunk(self.slices.len(), &mut |part| {
            for i in part {
                let (start, end) = (TimeNs(self.slices.start[i]), TimeNs(self.slices.end(i)));
                let stays = if start == end { windows.holds(start) } else { windows.condensed(start) < windows.condensed(end) };
                if stays {
                    place[i] = slices.len() as u32;
                    slices.push(i as u32);
                }
            }
        });
        CondensedTables { whole: self, windows, slices, place }.profile()
    }
}

impl CondensedTables<'_> {
    fn profile(self) -> Condensed {
        let whole = self.whole;
        let (tracks, lanes) = self.lanes();
        let (instants, instant_ids) = self.instants();
        let arrows = (0..whole.flows.from.len()).filter_map(|at| {
            let id = |slice: SliceId| self.slice(slice.0).map(SliceId);
            Some((id(whole.flows.from[at])?, id(whole.flows.to[at])?, whole.flows.kind[at]))
        });
        let attribute =
            |a: &super::Attribute| super::Attribute { id: a.id.clone(), label: a.label.clone(), values: self.column(&a.values) };
        let profile = Profile {
            meta: whole.meta.clone(),
            strings: whole.strings.clone(),
            tracks,
            lanes,
            slices: self.table(),
            attributes: whole.attributes.iter().map(attribute).collect(),
            counters: whole.counters.iter().map(|c| self.counter(c)).collect(),
            instants,
            flows: FlowTable::from_arrows(arrows.collect()),
            domain: self.domain(),
            tables: whole.tables.clone(),
        };
        Condensed { profile, slices: self.slices, instants: instant_ids }
    }

    /// The new id of a slice.
    fn slice(&self, old: u32) -> Option<u32> {
        self.place.get(old as usize).copied().filter(|new| *new != NO_SLICE)
    }

    /// Whether a slice starts in a window.
    fn starts_inside(&self, old: u32) -> bool {
        self.whole.slices.start.get(old as usize).is_some_and(|start| self.windows.holds(TimeNs(*start)))
    }

    fn time(&self, time: i64) -> i64 {
        self.windows.condensed(TimeNs(time)).0
    }

    fn column<T: Copy + Send + 'static>(&self, values: &Column<T>) -> Column<T> {
        if !values.is_recorded() || values.is_empty() {
            let (n, first) = (self.slices.len(), values.first().copied());
            return Column::later(n, false, move || first.map_or_else(Vec::new, |value| vec![value; n]));
        }
        let all = values.as_slice();
        let selected: Vec<T> = self.slices.iter().map(|i| all[*i as usize]).collect();
        Column::later(selected.len(), true, move || selected)
    }

    /// Records of a table that is sorted by slice, with their new slices.
    fn by_slice<T: Clone>(&self, all: &[T], slice: impl Fn(&mut T) -> &mut u32) -> Vec<T> {
        let moved = |record: &T| {
            let mut record = record.clone();
            let at = slice(&mut record);
            *at = self.slice(*at)?;
            Some(record)
        };
        all.iter().filter_map(moved).collect()
    }

    /// Tracks and lanes; empty lanes are removed.
    fn lanes(&self) -> (Vec<Track>, Vec<Lane>) {
        let mut lanes: Vec<Lane> = Vec::new();
        let mut tracks = self.whole.tracks.clone();
        for track in &mut tracks {
            let first_lane = lanes.len() as u32;
            for lane in &self.whole.lanes[track.lanes.start as usize..track.lanes.end as usize] {
                let place = |old: u32| self.slices.partition_point(|s| *s < old) as u32;
                let (first, end) = (place(lane.first), place(lane.end));
                if first < end {
                    lanes.push(Lane { depth: (lanes.len() as u32 - first_lane) as u16, first, end, ..*lane });
                }
            }
            track.lanes = first_lane..lanes.len() as u32;
        }
        (tracks, lanes)
    }

    fn table(&self) -> SliceTable {
        let old = &self.whole.slices;
        let start: Vec<i64> = self.slices.iter().map(|&i| self.time(old.start[i as usize])).collect();
        let ends = self.slices.iter().map(|&i| self.time(old.end(i as usize)));
        let duration: Vec<i64> = ends.zip(&start).map(|(end, start)| end - start).collect();
        let parent = self.slices.iter().map(|&i| self.slice(old.parent[i as usize]).unwrap_or(NO_SLICE)).collect();
        let mut by_start: Vec<u32> = old.by_start.iter().filter_map(|&i| self.slice(i)).collect();
        for track in 0..self.whole.tracks.len() {
            let range = self.whole.slices_of(crate::base::TrackId(track as u32));
            let place = |at: usize| self.slices.partition_point(|s| (*s as usize) < at);
            // Slices cut at the start of one window start together.
            by_start[place(range.start)..place(range.end)].sort_by_key(|&i| (start[i as usize], -duration[i as usize]));
        }
        let second = |(slice, record): &(SliceId, RecordRef)| Some((SliceId(self.slice(slice.0)?), *record));
        SliceTable {
            duration,
            name: self.slices.iter().map(|&i| old.name[i as usize]).collect(),
            parent,
            record: self.column(&old.record),
            second_record: old.second_record.iter().filter_map(second).collect(),
            by_start,
            start,
        }
    }

    /// A counter has its value at the start of each window, and its samples inside.
    fn counter(&self, old: &Counter) -> Counter {
        let mut taken: Vec<(i64, usize)> = Vec::new();
        for window in self.windows.ranges() {
            let first = old.times.partition_point(|t| *t < window.start.0);
            let end = old.times.partition_point(|t| *t < window.end.0);
            let starts_there = old.times.get(first) == Some(&window.start.0);
            taken.extend(first.checked_sub(1).filter(|_| !starts_there).map(|at| (self.time(window.start.0), at)));
            taken.extend((first..end.max(first)).map(|at| (self.time(old.times[at]), at)));
        }
        let series = |s: &Series| Series { name: s.name.clone(), values: taken.iter().map(|t| s.values[t.1]).collect() };
        Counter {
            track: old.track,
            unit: old.unit.clone(),
            is_stacked: old.is_stacked,
            times: taken.iter().map(|t| t.0).collect(),
            series: old.series.iter().map(series).collect(),
        }
    }

    fn instants(&self) -> (InstantTable, Vec<u32>) {
        let old = &self.whole.instants;
        let ids: Vec<u32> = (0..old.time.len() as u32).filter(|i| self.windows.holds(TimeNs(old.time[*i as usize]))).collect();
        let of = |i: &u32| *i as usize;
        let table = InstantTable {
            track: ids.iter().map(|i| old.track[of(i)]).collect(),
            time: ids.iter().map(|i| self.time(old.time[of(i)])).collect(),
            name: ids.iter().map(|i| old.name[of(i)]).collect(),
            record: ids.iter().filter_map(|i| old.record.get(of(i)).copied()).collect::<Vec<_>>().into(),
        };
        (table, ids)
    }
}
