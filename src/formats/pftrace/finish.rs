//! From the events of all tracks, in the order of time, to slices, counters and arrows.

use super::content::{ArrowId, Content, Meets, Step};
use super::tracks::{TrackKey, TrackMaker};
use crate::base::{Ledger, Severity, StrId, TrackId};
use crate::model::{CounterSpec, Domain, Meta, Profile, RawSlice, RawSliceId, RecordRef};
use rustc_hash::FxHashMap;

/// A slice on the stack of its track.
struct Open {
    slice: RawSliceId,
    name: StrId,
    category: StrId,
    /// Its end, if recorded by its own event.
    end: Option<i64>,
}

impl Content {
    /// The profile.
    pub fn finish(mut self, title: String, ledger: &mut Ledger) -> Profile {
        // Events of one moment stay in the order of the file.
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_by_key(|&i| self.rows[i as usize].time);
        let last = self.rows.iter().map(|r| r.time).max().unwrap_or(0);
        let mut maker = TrackMaker::new(&self.tracks);
        let rows: Vec<TrackId> = self.keys.iter().map(|&key| maker.row(key, &mut self.builder)).collect();
        let mut uuids: Vec<u64> = self.samples.keys().copied().collect();
        uuids.sort_unstable();
        for uuid in uuids {
            let row = maker.row(TrackKey::Uuid(uuid), &mut self.builder);
            let samples = self.samples.remove(&uuid).unwrap_or_default();
            let unit = self.tracks.get(uuid).and_then(|d| d.counter.as_ref()).map(|c| c.unit.clone()).unwrap_or_default();
            self.builder.counter(row, CounterSpec { unit, is_stacked: false, series: vec!["value".into()], samples });
        }
        let mut open: Vec<Vec<Open>> = (0..rows.len()).map(|_| Vec::new()).collect();
        let mut flows: FxHashMap<ArrowId, RawSliceId> = FxHashMap::default();
        // Arrows that wait for the next slice of a track.
        let mut waiting: FxHashMap<u32, Vec<RawSliceId>> = FxHashMap::default();
        let kind = self.builder.strings.intern("flow");
        let (mut n_without_begin, mut n_printed_ends, mut n_loose) = (0, 0u64, 0);
        for row in order.into_iter().map(|i| self.rows[i as usize]) {
            let stack = &mut open[row.track as usize];
            while stack.last().is_some_and(|top| top.end.is_some_and(|end| end <= row.time)) {
                stack.pop();
            }
            let slice = match row.step {
                Step::Arrow => stack.last().map(|top| top.slice),
                Step::End => {
                    // Ends the innermost slice of that name and category, and all slices inside it.
                    let is_it = |o: &Open| {
                        o.end.is_none() && (row.name.0 == 0 || o.name == row.name) && (row.category.0 == 0 || o.category == row.category)
                    };
                    let Some(at) = stack.iter().rposition(is_it) else {
                        // A printed end is a part of a packet that is counted already.
                        *(if row.is_record { &mut n_without_begin } else { &mut n_printed_ends }) += 1;
                        continue;
                    };
                    let ended = stack[at].slice;
                    for inner in stack.drain(at..).filter(|o| o.end.is_none()) {
                        let record = if inner.slice == ended { row.record } else { RecordRef::default() };
                        self.builder.end_slice(inner.slice, row.time, record);
                    }
                    Some(ended)
                }
                Step::Begin | Step::Instant | Step::Whole(_) => {
                    let duration = if let Step::Whole(duration) = row.step { duration } else { 0 };
                    let raw = RawSlice { track: rows[row.track as usize], start: row.time, duration, name: row.name, record: row.record };
                    let slice = self.builder.slice(raw);
                    self.builder.set(self.category, slice, row.category.0);
                    let end = match row.step {
                        Step::Begin => None,
                        _ => Some(row.time.saturating_add(duration)),
                    };
                    if row.step != Step::Instant {
                        stack.push(Open { slice, name: row.name, category: row.category, end });
                        for from in waiting.remove(&row.track).into_iter().flatten() {
                            self.builder.flow(from, slice, kind);
                        }
                    }
                    Some(slice)
                }
            };
            ledger.shown += u64::from(row.is_record);
            for &(id, meets) in &self.arrows[row.arrows.0 as usize..row.arrows.1 as usize] {
                let from = flows.get(&id).copied();
                match (meets, from, slice) {
                    (Meets::EndsAtNext, Some(from), _) => waiting.entry(row.track).or_default().push(from),
                    (Meets::Passes | Meets::GoesOn | Meets::Ends, Some(from), Some(slice)) => self.builder.flow(from, slice, kind),
                    (Meets::Begins, _, Some(_)) | (Meets::Passes, None, Some(_)) => {}
                    _ => n_loose += 1,
                }
                match (meets, slice) {
                    (Meets::Ends | Meets::EndsAtNext, _) => _ = flows.remove(&id),
                    (_, Some(slice)) => _ = flows.insert(id, slice),
                    _ => {}
                }
            }
        }
        n_loose += waiting.values().map(Vec::len).sum::<usize>();
        if n_without_begin > 0 {
            let reason = "An end without a beginning: the slice is not in this file.";
            ledger.skip_n(Severity::DataLoss, "unmatched_end", reason, n_without_begin, 0, String::new);
        }
        if n_printed_ends > 0 {
            ledger.note(format!("{n_printed_ends} printed ends (ftrace) have no beginning in this file and are not shown."));
        }
        if n_loose > 0 {
            ledger.note(format!("{n_loose} flows have no start in this file and are not drawn."));
        }
        let mut n_open = 0;
        for open in open.into_iter().flatten().filter(|o| o.end.is_none()) {
            n_open += 1;
            self.builder.end_slice(open.slice, last, RecordRef::default());
        }
        if n_open > 0 {
            ledger.note(format!("{n_open} slices have no end in this file; they are shown until the last event."));
        }
        let first = self.builder.first_time();
        self.builder.shift(first.unwrap_or(0).saturating_neg());
        self.builder.drop_unrecorded();
        let meta = Meta {
            format: super::ID.into(),
            title,
            origin: "first event".into(),
            not_available: vec!["Wall-clock time".into()],
            ..Meta::default()
        };
        let mut profile = self.builder.finish(meta).profile;
        profile.domain = Domain::Perfetto(Box::new(self.names.finish()));
        profile
    }
}
