//! What was read so far, and how each record adds to it.

mod absorb;
mod pass;

use super::class::{Class, class_of};
use super::counters::Counters;
use super::deferred::Deferred;
use super::event::Known;
use super::facts::TraceMetadata;
use super::flows::FlowEnd;
use super::lanes::Lanes;
use super::table_rows::Tables;
use crate::base::{Ledger, StrId, TrackId};
use crate::formats::Preview;
use crate::formats::json::{compact, unescape};
use crate::model::builder::ColumnId;
use crate::model::replays::Replays;
use crate::model::torch::ABSENT;
use crate::model::{Blocks, ProfileBuilder, RawSliceId, RecordRef};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Slices of the preview, per import.
const PREVIEW_MAX: usize = 200_000;

/// Asynchronous events: those of one process and category share a track.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Asyncs {
    pub(super) tracks: FxHashMap<(usize, StrId), TrackId>,
    pub(super) open: FxHashMap<(usize, StrId, u64), Vec<RawSliceId>>,
}

/// Everything read so far. For a piece it is serialised between programs, without fields that only further reading needs.
#[derive(Serialize, Deserialize)]
pub struct Content {
    pub(super) builder: ProfileBuilder,
    pub(super) category: ColumnId,
    shape: ColumnId,
    correlation: ColumnId,
    external_id: ColumnId,
    #[serde(skip)]
    pub(super) known: Known,
    pub(super) lanes: Lanes,
    pub(super) counters: Counters,
    pub(super) asyncs: Asyncs,
    pub(super) flows: Blocks<FlowEnd>,
    pub(super) tables: Tables,
    /// Values of the root.
    #[serde(skip)]
    pub facts: TraceMetadata,
    /// The list of events was found.
    pub has_events: bool,
    /// Records read so far.
    pub n_records: u64,
    /// Latest end of anything.
    pub(super) last: i64,
    /// Metadata used, counter samples: shown, but no slice.
    pub(super) n_used: u64,
    pub(super) has_torch_marks: bool,
    /// `Record Window End`, held back: its time can be far off.
    pub(super) window_end: Option<(TrackId, i64, StrId, RecordRef)>,
    /// Operators and modules of graph replays, once their captures were read.
    #[serde(skip)]
    pub(super) replays: Replays,
    /// Categories seen so far, the first few.
    #[serde(skip)]
    cats: Vec<Cat>,
    /// Strings by a cheap hash of their bytes.
    #[serde(skip)]
    recent: Vec<StrId>,
    #[serde(skip)]
    preview: Preview,
    n_preview: usize,
    /// In a piece of a file: what depends on the text before it.
    pub(super) deferred: Option<Deferred>,
}

/// A category and its meaning.
#[derive(Clone)]
struct Cat {
    raw: Vec<u8>,
    id: StrId,
    class: Class,
    /// The category is of work on a device stream.
    is_device: bool,
}

/// How many categories, and how many strings, are found without the interner.
const CATS: usize = 24;
const RECENT: usize = 1024;

/// Adds records to the content, and skipped ones to the ledger.
pub struct Pass<'a> {
    /// Where it goes.
    pub content: &'a mut Content,
    /// Receives the counts.
    pub ledger: &'a mut Ledger,
}

impl Content {
    /// Empty content.
    pub fn new() -> Self {
        let mut builder = ProfileBuilder::new();
        Content {
            category: builder.attribute("category", "Category"),
            shape: builder.attribute("input_shape", "Input shape"),
            correlation: builder.number(ABSENT),
            external_id: builder.number(ABSENT),
            builder,
            known: Known::default(),
            lanes: Lanes::default(),
            counters: Counters::default(),
            asyncs: Asyncs::default(),
            flows: Blocks::default(),
            tables: Tables::default(),
            facts: TraceMetadata::default(),
            has_events: false,
            n_records: 0,
            last: i64::MIN,
            n_used: 0,
            has_torch_marks: false,
            window_end: None,
            replays: Replays::default(),
            cats: Vec::new(),
            recent: vec![StrId(0); RECENT],
            preview: Preview::default(),
            n_preview: 0,
            deferred: None,
        }
    }

    /// Empty content of a piece that begins within the list of events.
    pub fn of_piece() -> Self {
        Content { deferred: Some(Deferred::default()), n_preview: PREVIEW_MAX, has_events: true, ..Content::new() }
    }

    /// Reserves memory for `scale` times the content read so far, at most for `most` slices.
    pub fn expect(&mut self, scale: f64, most: f64) {
        let n = |len: usize| (len as f64 * scale).min(most) as usize;
        self.builder.expect_slices(n(self.builder.n_slices()));
        self.flows.expect(n(self.flows.len()));
        self.tables.kernels.expect(n(self.tables.kernels.len()));
        self.tables.functions.expect(n(self.tables.functions.len()));
    }

    /// Correlation of a slice.
    pub(super) fn correlation_of(&self, slice: RawSliceId) -> u32 {
        self.builder.value(self.correlation, slice)
    }

    /// Category of a slice.
    pub(super) fn category_of(&self, slice: RawSliceId) -> StrId {
        StrId(self.builder.value(self.category, slice))
    }

    /// Sets category and input shape of a slice that is no record of this file.
    pub(super) fn describe(&mut self, slice: RawSliceId, category: StrId, shape: StrId) {
        self.builder.set(self.category, slice, category.0);
        if shape != StrId(0) {
            self.builder.set(self.shape, slice, shape.0);
        }
    }

    /// New preview slices since the last call.
    pub fn preview(&mut self) -> Preview {
        std::mem::take(&mut self.preview)
    }

    /// The id of a text as written. Names repeat: most are found by a few of their bytes.
    #[inline]
    pub(super) fn intern(&mut self, raw: &[u8]) -> StrId {
        let slot = hash(raw) % RECENT;
        let known = self.recent[slot];
        if self.builder.strings.get(known).as_bytes() == raw {
            return known;
        }
        match std::str::from_utf8(raw) {
            Ok(text) if !raw.contains(&b'\\') => {
                self.recent[slot] = self.builder.strings.intern(text);
                self.recent[slot]
            }
            // Not cached: another text can have the same raw bytes.
            _ => self.builder.strings.intern(&unescape(raw)),
        }
    }

    /// The id of a nested value: as written if it is on one line with a blank after each comma, else in that form.
    #[inline]
    pub(super) fn intern_nested(&mut self, raw: &[u8]) -> StrId {
        let slot = hash(raw) % RECENT;
        let known = self.recent[slot];
        if self.builder.strings.get(known).as_bytes() == raw {
            return known;
        }
        let id = self.builder.strings.intern(&compact(raw));
        // Not kept where it was written otherwise: it would not be found.
        self.recent[slot] = id;
        id
    }

    /// The category's id and class. Also records what it implies about the trace and the thread.
    #[inline]
    pub(super) fn cat(&mut self, raw: &[u8], thread: usize) -> (StrId, Class) {
        let at = match self.cats.iter().position(|c| c.raw == raw) {
            Some(at) => at,
            None => self.new_cat(raw),
        };
        let cat = &self.cats[at];
        if cat.is_device {
            self.lanes.threads[thread].is_device = true;
        }
        if matches!(cat.class, Class::Host | Class::Python) {
            self.lanes.threads[thread].is_host = true;
        }
        (cat.id, cat.class)
    }

    /// Adds a category, in the place of the last one when there are many.
    fn new_cat(&mut self, raw: &[u8]) -> usize {
        let id = self.intern(raw);
        let class = class_of(raw);
        let is_device = class == Class::Device || raw.eq_ignore_ascii_case(b"gpu_user_annotation");
        self.has_torch_marks |= is_torch_category(raw);
        self.cats.truncate(CATS - 1);
        self.cats.push(Cat { raw: raw.to_vec(), id, class, is_device });
        self.cats.len() - 1
    }
}

/// A hash of the length, the beginning and the end of a text.
#[inline(always)]
fn hash(raw: &[u8]) -> usize {
    let word = |part: Option<&[u8; 8]>| part.map_or(0, |p| u64::from_le_bytes(*p));
    let (first, last) = (word(raw.first_chunk()), word(raw.last_chunk()));
    let short = raw.iter().take(if raw.len() < 8 { 7 } else { 0 }).fold(0u64, |h, b| h << 8 | u64::from(*b));
    let mixed = (first ^ last.rotate_left(23) ^ short ^ raw.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

/// Whether only torch writes this category.
fn is_torch_category(cat: &[u8]) -> bool {
    matches!(
        cat,
        b"kernel"
            | b"Kernel"
            | b"gpu_memcpy"
            | b"gpu_memset"
            | b"Memcpy"
            | b"Memset"
            | b"gpu_user_annotation"
            | b"cpu_op"
            | b"Operator"
            | b"user_annotation"
            | b"python_function"
            | b"cuda_runtime"
            | b"cuda_driver"
            | b"Runtime"
            | b"cpu_instant_event"
            | b"xpu_runtime"
            | b"mtia_runtime"
            | b"privateuse1_runtime"
            | b"ac2g"
            | b"fwdbwd"
    )
}
