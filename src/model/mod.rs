//! The profile: immutable tables as structs of arrays, a builder that writes them, and `check()` that walks every index and order.

mod absent;
pub mod accesses;
pub mod blocks;
pub mod builder;
pub mod check;
mod check_domain;
mod column;
mod condense;
pub mod domain;
pub mod fleet;
mod flows;
mod lanes;
pub mod neuron_log;
mod perfetto;
pub mod program;
mod record_ref;
pub mod replays;
pub mod semaphores;
mod slice_at;
pub mod snapshot;
pub mod support;
pub mod system;
pub mod table;
pub mod torch;
mod track_runs;
pub mod tracks;

pub use blocks::Blocks;
pub use builder::{ColumnId, CounterSpec, ProfileBuilder, RawSlice, RawSliceId, Renamed, TrackSpec};
pub use column::Column;
pub use condense::Condensed;
pub use domain::{Domain, Dtype, NeuronDevice, ProfileKind};
pub use flows::FlowTable;
pub use lanes::FreeLanes;
pub use perfetto::{PerfettoGeneration, PerfettoNames};
pub use record_ref::RecordRef;
pub use semaphores::{SemaphoreRole, SemaphoreUse};
pub use slice_at::SliceFinder;
pub use snapshot::MemorySnapshot;
pub use support::{SupportReport, SupportSource};
pub use system::NeuronSystem;
pub use table::{Cell, GenericTable};
pub use torch::Torch;
pub use track_runs::TrackRuns;
pub use tracks::{Lane, Track, TrackKind};

use crate::base::{EventId, SliceId, StrId, StringTable, TimeRange, TrackId, packed};
use serde::{Deserialize, Serialize};

/// "No slice" in a column of slice ids.
pub const NO_SLICE: u32 = u32::MAX;

/// One open profile. Never changes after the import.
#[derive(Debug, Default)]
pub struct Profile {
    /// Metadata of the file.
    pub meta: Meta,
    /// Every string, once.
    pub strings: StringTable,
    /// In display order, parents before children.
    pub tracks: Vec<Track>,
    /// Ordered by (track, lane).
    pub lanes: Vec<Lane>,
    /// Ordered by (track, lane, start).
    pub slices: SliceTable,
    /// Per-slice string columns to group and colour by: category, opcode, layer. Each as long as `slices`.
    pub attributes: Vec<Attribute>,
    /// Ordered by track.
    pub counters: Vec<Counter>,
    /// Ordered by (track, time).
    pub instants: InstantTable,
    /// Ordered by (from, to).
    pub flows: FlowTable,
    /// What only this kind of profile has.
    pub domain: Domain,
    /// Tables without a type of their own.
    pub tables: Vec<GenericTable>,
}

/// Metadata of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The format's id: `kineto`.
    pub format: String,
    /// Name for the tab.
    pub title: String,
    /// First and last moment of anything in it.
    pub range: TimeRange,
    /// Wall-clock time of the profile's origin, nanoseconds since 1970, where the file records it.
    pub origin_epoch_ns: Option<i64>,
    /// What the origin is, for the ruler: "start of the execution window", "first event".
    pub origin: String,
    /// Facts in groups, in display order.
    pub facts: Vec<Fact>,
    /// Values that this source does not record: shown as "not available", never as 0.
    pub not_available: Vec<String>,
    /// Marked experimental in the page.
    pub is_experimental: bool,
}

/// One fact about the profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Heading it is under.
    pub group: String,
    /// What it is.
    pub name: String,
    /// As text, with its unit.
    pub value: String,
}

/// Spans of time on a track. All columns have one length; order is (track, lane, start).
#[derive(Debug, Default)]
pub struct SliceTable {
    /// Start, nanoseconds since the profile's origin.
    pub start: Vec<i64>,
    /// Duration, nanoseconds, never negative.
    pub duration: Vec<i64>,
    /// Name.
    pub name: Vec<StrId>,
    /// The slice that holds this one on its track, or [`NO_SLICE`].
    pub parent: Vec<u32>,
    /// Where its record stands. Slices sorted by (start, [`RecordRef::offset`]) are in the order of the file where starts are equal:
    /// tools that sort a trace's events by time alone, and stably, see this order.
    pub record: Column<RecordRef>,
    /// Ends of records in two parts (B/E pairs), sorted by slice.
    pub second_record: Vec<(SliceId, RecordRef)>,
    /// Slice ids by (track, start, longest first): the same range per track as its slices.
    pub by_start: Vec<u32>,
}

impl SliceTable {
    /// How many slices.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// End of slice `i`; saturates.
    #[inline]
    pub fn end(&self, i: usize) -> i64 {
        self.start[i].saturating_add(self.duration[i])
    }

    /// The slice that holds `slice`.
    pub fn parent(&self, slice: SliceId) -> Option<SliceId> {
        self.parent.get(slice.index()).filter(|&&p| p != NO_SLICE).map(|&p| SliceId(p))
    }
}

/// A per-slice string column.
#[derive(Debug, Clone, Default)]
pub struct Attribute {
    /// Stable word: `category`, `opcode`, `layer`, `engine`, `input_shape`.
    pub id: String,
    /// For people: "Category".
    pub label: String,
    /// One per slice; `StrId(0)` where it has none.
    pub values: Column<StrId>,
}

/// Values over time on a track; a step function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Its track.
    pub track: TrackId,
    /// "B/s", "%", "bytes"; empty for a plain number.
    pub unit: String,
    /// Whether the series are drawn on top of each other.
    pub is_stacked: bool,
    /// Sample times, ascending, nanoseconds.
    #[serde(with = "packed::numbers")]
    pub times: Vec<i64>,
    /// Series, each with one value per time.
    pub series: Vec<Series>,
}

/// One line of a counter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it counts.
    pub name: String,
    /// As many as the counter has times.
    #[serde(with = "packed::numbers")]
    pub values: Vec<f64>,
}

/// Instants, by (track, time).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InstantTable {
    /// Track.
    pub track: TrackRuns,
    /// Time, nanoseconds.
    pub time: Vec<i64>,
    /// Name.
    pub name: Vec<StrId>,
    /// Position of its record; empty on the page, which reads no files.
    pub record: Column<RecordRef>,
}

impl Profile {
    /// The tables of a Neuron device; `None` for a profile of another kind.
    pub fn neuron_device(&self) -> Option<&NeuronDevice> {
        match &self.domain {
            Domain::NeuronDevice(device) => Some(device),
            _ => None,
        }
    }

    /// Position of the record of a slice or an instant; `None` if it has none.
    pub fn record_of(&self, item: EventId) -> Option<RecordRef> {
        let record = match item {
            EventId::Slice(slice) => self.slices.record.get(slice.index()),
            EventId::Instant(instant) => self.instants.record.get(instant.index()),
        };
        record.copied().filter(|r| *r != RecordRef::default())
    }

    /// The second record of a slice that has two.
    pub fn end_record_of(&self, item: EventId) -> Option<RecordRef> {
        let ends = &self.slices.second_record;
        let at = ends.binary_search_by_key(&item.slice()?, |s| s.0).ok()?;
        Some(ends[at].1).filter(|r| *r != RecordRef::default())
    }

    /// The lane a slice is in.
    pub fn lane_of(&self, slice: SliceId) -> Option<&Lane> {
        tracks::lane_of(&self.lanes, slice)
    }

    /// The track a slice is on.
    pub fn track_of(&self, slice: SliceId) -> Option<TrackId> {
        self.lane_of(slice).map(|lane| lane.track)
    }

    /// Slice ids of a track, as a range of the slice table.
    pub fn slices_of(&self, track: TrackId) -> std::ops::Range<usize> {
        let lanes = &self.tracks[track.index()].lanes;
        if lanes.is_empty() {
            return 0..0;
        }
        self.lanes[lanes.start as usize].first as usize..self.lanes[lanes.end as usize - 1].end as usize
    }

    /// Whether a device has DMA transfers, and sizes of any. What is in no window is still recorded.
    pub fn has_transfers(&self, device: &NeuronDevice) -> (bool, bool) {
        let has_any = |t: &usize| self.tracks[*t].kind == TrackKind::Queue && !self.slices_of(TrackId(*t as u32)).is_empty();
        let of_rows = || ((0..self.tracks.len()).any(|t| has_any(&t)), device.bytes.iter().any(|b| *b != NeuronDevice::ABSENT));
        device.entire_has.unwrap_or_else(of_rows)
    }

    /// The name of a slice.
    pub fn name_of(&self, slice: SliceId) -> &str {
        self.slices.name.get(slice.index()).map_or("", |&id| self.strings.get(id))
    }

    /// Names from the root to the track, joined by ` / `: how a track is named outside.
    pub fn track_path(&self, track: TrackId) -> String {
        tracks::path(&self.tracks, &self.strings, track)
    }

    /// The attribute of that id.
    pub fn attribute(&self, id: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.id == id)
    }
}

#[cfg(test)]
mod tests;
