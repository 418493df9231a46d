//! What importers write: tracks, slices, counters, instants in any order; `finish` sorts, nests and freezes.

mod append;
mod by_track;
mod durations;
mod freeze;
mod instants;
mod records;
mod shared;
mod slice_order;

pub use append::Renamed;
pub use shared::{Shared, SharedRow};

use super::blocks::Blocks;
use super::{Column, Counter, GenericTable, Profile, RecordRef, TrackKind};
use crate::base::{Interner, SliceId, StrId, TrackId, for_each_chunk};
use durations::Durations;
use instants::Instants;
use records::Records;
use serde::{Deserialize, Serialize};
use shared::Rows;
use std::sync::Arc;

/// A slice in the order the importer wrote it.
pub type RawSliceId = u32;

/// A track to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrackSpec {
    /// Id of the group it belongs to, as returned by [`ProfileBuilder::track`].
    pub parent: Option<TrackId>,
    /// Name.
    pub name: String,
    /// What it shows.
    pub kind: TrackKind,
    /// Order among its siblings; equal ones are sorted by name, with digits compared as numbers.
    pub sort: i64,
}

/// A slice as an importer knows it.
#[derive(Debug, Clone, Copy)]
pub struct RawSlice {
    /// As returned by [`ProfileBuilder::track`].
    pub track: TrackId,
    /// Nanoseconds since the profile's origin (or any base: see [`ProfileBuilder::shift`]).
    pub start: i64,
    /// Nanoseconds; a negative one is taken for 0 (count it in the ledger first).
    pub duration: i64,
    /// Name.
    pub name: StrId,
    /// Position of its record.
    pub record: RecordRef,
}

/// A counter to be: samples in any order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CounterSpec {
    /// "B/s", "%", "bytes"; empty for a plain number.
    pub unit: String,
    /// Whether the series are drawn on top of each other.
    pub is_stacked: bool,
    /// Series names.
    pub series: Vec<String>,
    /// (time, one value per series).
    pub samples: Vec<(i64, Vec<f64>)>,
}

/// Writes a profile. On its way between programs it has no tables.
#[derive(Serialize, Deserialize)]
pub struct ProfileBuilder {
    /// Strings of the profile to be.
    pub strings: Interner,
    tracks: Vec<TrackSpec>,
    /// The track of each slice, or its row of shared values: see [`Rows::track`].
    track: Blocks<u32>,
    start: Blocks<i64>,
    duration: Durations,
    /// Up to the last slice that has a name of its own.
    name: Blocks<StrId>,
    record: Records,
    second: Vec<(RawSliceId, RecordRef)>,
    extras: Vec<Extra>,
    /// What rows of shared values say besides further columns.
    rows: Rows,
    /// A number of each shared slice, for the further column that its row names; up to the last one.
    own: Blocks<u32>,
    /// Expected number of slices; 0 if unknown.
    n_expected: usize,
    counters: Vec<(TrackId, CounterSpec)>,
    /// Counters that came as columns, each with the track as it was handed out.
    columns: Vec<Counter>,
    instants: Instants,
    flows: Vec<(RawSliceId, RawSliceId, StrId)>,
    #[serde(skip)]
    tables: Vec<GenericTable>,
}

/// A further per-slice column.
#[derive(Serialize, Deserialize)]
struct Extra {
    id: ColumnId,
    kind: ExtraKind,
    /// What a slice has that nothing was set for.
    default: u32,
    /// Up to the last slice that was set.
    values: Blocks<u32>,
    /// Its value in each row of shared values; the first row is that of slices without one.
    shared: Vec<u32>,
    /// Whether rows give it the own number of their slices.
    is_own: bool,
}

impl Extra {
    /// Whether any slice or row has a value of its own; `shared` are the values of rows.
    fn is_recorded(&self, shared: &[u32]) -> bool {
        !self.values.is_empty() || self.is_own || shared.iter().any(|value| *value != self.default)
    }
}

/// What a further per-slice column becomes.
#[derive(Serialize, Deserialize)]
enum ExtraKind {
    Attribute { id: String, label: String },
    Number,
}

/// A further per-slice column of the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnId(usize);

/// The finished profile and what the importer needs to finish its domain part.
pub struct Finished {
    /// The profile, with `domain` still plain.
    pub profile: Profile,
    /// Number columns in the order they were added, by slice.
    pub numbers: Vec<Column<u32>>,
    /// Final track of each track id the builder handed out; `None` for those left out because nothing is on them.
    pub track_of_raw: Vec<Option<TrackId>>,
    /// Final slice of each raw slice.
    pub slice_of_raw: Arc<Vec<SliceId>>,
    /// What slices share, where any do.
    pub shared: Option<Arc<Shared>>,
}

impl Default for ProfileBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ProfileBuilder {
    /// An empty profile to be.
    pub fn new() -> Self {
        ProfileBuilder {
            strings: Interner::new(),
            tracks: Vec::new(),
            track: Blocks::default(),
            start: Blocks::default(),
            duration: Durations::default(),
            name: Blocks::default(),
            record: Records::default(),
            second: Vec::new(),
            extras: Vec::new(),
            rows: Rows::default(),
            own: Blocks::default(),
            n_expected: 0,
            counters: Vec::new(),
            columns: Vec::new(),
            instants: Instants::default(),
            flows: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// About how many slices will come: their columns get that much room at once.
    pub fn expect_slices(&mut self, n: usize) {
        self.track.expect(n);
        self.start.expect(n);
        self.duration.expect(n);
        self.name.expect(n);
        self.record.expect(n);
        self.extras.iter_mut().filter(|column| !column.values.is_empty()).for_each(|column| column.values.expect(n));
        self.n_expected = n;
    }

    /// Adds a string column to group and colour by. Only before the first slice.
    pub fn attribute(&mut self, id: &str, label: &str) -> ColumnId {
        self.extra(ExtraKind::Attribute { id: id.into(), label: label.into() }, 0)
    }

    /// Adds a number column for the domain part; a slice has `default` until it is set. Only before the first slice.
    pub fn number(&mut self, default: u32) -> ColumnId {
        self.extra(ExtraKind::Number, default)
    }

    fn extra(&mut self, kind: ExtraKind, default: u32) -> ColumnId {
        debug_assert!(self.start.is_empty(), "columns come before slices");
        let id = ColumnId(self.extras.len());
        self.extras.push(Extra { id, kind, default, values: Blocks::default(), shared: vec![default], is_own: false });
        id
    }

    /// Adds a track; its final place is decided at the end.
    pub fn track(&mut self, spec: TrackSpec) -> TrackId {
        self.tracks.push(spec);
        TrackId(self.tracks.len() as u32 - 1)
    }

    /// Changes a track when its name, order or parent is read later.
    pub fn track_mut(&mut self, track: TrackId) -> &mut TrackSpec {
        &mut self.tracks[track.index()]
    }

    /// Adds a slice.
    pub fn slice(&mut self, raw: RawSlice) -> RawSliceId {
        let slice = self.start.len();
        self.track.push(raw.track.0);
        self.start.push(raw.start);
        self.duration.push(raw.duration);
        self.name.pad(slice, StrId(0));
        self.name.push(raw.name);
        self.record.push(slice, raw.record);
        self.start.len() as RawSliceId - 1
    }

    /// Adds `n` slices, column by column, and returns the id of the first; the others follow it.
    pub fn slices(&mut self, n: usize, slice: impl Fn(usize) -> RawSlice) -> RawSliceId {
        let first = self.start.len() as RawSliceId;
        self.track.extend(n, |i| slice(i).track.0);
        self.start.extend(n, |i| slice(i).start);
        self.duration.extend(n, |i| slice(i).duration);
        self.name.pad(first as usize, StrId(0));
        self.name.extend(n, |i| slice(i).name);
        self.record.extend(first as usize, n, |i| slice(i).record);
        first
    }

    /// Sets a further column for the `n` slices from `first` on. It must not have values of these or later slices yet.
    pub fn set_all(&mut self, column: ColumnId, first: RawSliceId, n: usize, value: impl Fn(usize) -> u32) {
        let Extra { default, values, .. } = &mut self.extras[column.0];
        if (0..n).all(|i| value(i) == *default) {
            return;
        }
        if values.is_empty() {
            values.expect(self.n_expected);
        }
        debug_assert!(values.len() <= first as usize, "set before");
        values.pad(first as usize, *default);
        values.extend(n, value);
    }

    /// Sets a further column of a slice: a `StrId`'s number for an attribute, any number else.
    pub fn set(&mut self, column: ColumnId, slice: RawSliceId, value: u32) {
        let Extra { default, values, .. } = &mut self.extras[column.0];
        if values.is_empty() {
            values.expect(self.n_expected);
        }
        if slice as usize == values.len() {
            return values.push(value);
        }
        if slice as usize > values.len() {
            values.pad(slice as usize + 1, *default);
        }
        values.set(slice as usize, value);
    }

    /// Sets the end of a slice with separate begin and end records (B … E).
    pub fn end_slice(&mut self, slice: RawSliceId, end: i64, record: RecordRef) {
        let start = self.start.get(slice as usize);
        self.duration.set(slice as usize, end.saturating_sub(start));
        self.second.push((slice, record));
    }

    /// What a further column has for a slice already written.
    pub fn value(&self, column: ColumnId, slice: RawSliceId) -> u32 {
        let Extra { default, values, shared, .. } = &self.extras[column.0];
        let own = if (slice as usize) < values.len() { values.get(slice as usize) } else { *default };
        let entry = self.track.get(slice as usize);
        if own != *default {
            own
        } else if self.rows.is_own(entry, column) {
            self.own.get(slice as usize)
        } else {
            shared.get(Rows::row(entry) as usize).copied().unwrap_or(*default)
        }
    }

    /// Start, duration and name of a slice already written.
    pub fn raw(&self, slice: RawSliceId) -> (i64, i64, StrId) {
        let i = slice as usize;
        (self.start.get(i), self.duration.get(i), self.name_of(slice))
    }

    /// The name of a slice already written.
    pub fn name_of(&self, slice: RawSliceId) -> StrId {
        self.rows.name(self.track.get(slice as usize)).unwrap_or_else(|| self.name.get(slice as usize))
    }

    /// The track a slice was written on.
    pub fn track_of(&self, slice: RawSliceId) -> TrackId {
        self.rows.track(self.track.get(slice as usize))
    }

    /// How many slices so far.
    pub fn n_slices(&self) -> usize {
        self.start.len()
    }

    /// How many tracks so far.
    pub fn n_tracks(&self) -> usize {
        self.tracks.len()
    }

    /// Gives a track values over time.
    pub fn counter(&mut self, track: TrackId, spec: CounterSpec) {
        self.counters.push((track, spec));
    }

    /// The same as columns, in any order; its track is one that [`ProfileBuilder::track`] handed out.
    pub fn counter_columns(&mut self, counter: Counter) {
        self.columns.push(counter);
    }

    /// Adds a moment.
    pub fn instant(&mut self, track: TrackId, time: i64, name: StrId, record: RecordRef) {
        self.instants.push(track, time, name, record);
    }

    /// Adds an arrow between two slices already written.
    pub fn flow(&mut self, from: RawSliceId, to: RawSliceId, kind: StrId) {
        self.flows.push((from, to, kind));
    }

    /// Adds a table without a type of its own.
    pub fn table(&mut self, table: GenericTable) {
        self.tables.push(table);
    }

    /// Leaves out the string columns in which nothing was set. Only after the last slice.
    pub fn drop_unrecorded(&mut self) {
        self.extras.retain(|column| matches!(column.kind, ExtraKind::Number) || column.is_recorded(&column.shared));
    }

    /// The earliest slice, counter sample or instant so far.
    pub fn first_time(&self) -> Option<i64> {
        let slices = self.start.iter().copied().min();
        let samples = self.counters.iter().flat_map(|(_, c)| c.samples.iter().map(|s| s.0));
        let samples = samples.chain(self.columns.iter().flat_map(|c| c.times.iter().copied())).min();
        let instants = self.instants.time.iter().copied().min();
        [slices, samples, instants].into_iter().flatten().min()
    }

    /// The last end of the slices from `first` on.
    pub fn last_end(&self, first: usize) -> Option<i64> {
        let mut last = None;
        for_each_chunk(self.start.len().saturating_sub(first), &mut |part| {
            last = last.max(part.map(|k| first + k).map(|i| self.start.get(i).saturating_add(self.duration.get(i))).max());
        });
        last
    }

    /// Moves everything by `offset` nanoseconds; saturates.
    pub fn shift(&mut self, offset: i64) {
        self.start.iter_mut().for_each(|t| *t = t.saturating_add(offset));
        self.instants.time.iter_mut().for_each(|t| *t = t.saturating_add(offset));
        self.counters.iter_mut().flat_map(|(_, c)| &mut c.samples).for_each(|s| s.0 = s.0.saturating_add(offset));
        self.columns.iter_mut().flat_map(|c| &mut c.times).for_each(|t| *t = t.saturating_add(offset));
    }
}
