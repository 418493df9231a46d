//! Records of a snapshot as rows: frames, stacks, events, blocks and segments.

use super::value::Value;
use crate::base::{Interner, StrId};
use crate::model::snapshot::{NO_VALUE, SnapshotFrame};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// A key and its value.
pub type Pair = (Value, Value);

/// Keys that are read, in the order of [`KEYS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Action,
    Addr,
    DeviceFree,
    Size,
    Stream,
    TimeUs,
    Frames,
    CompileContext,
    UserMetadata,
    Category,
    State,
    Address,
    RequestedSize,
    History,
    Blocks,
    Device,
    TotalSize,
    AllocatedSize,
    ActiveSize,
    SegmentType,
    SegmentPoolId,
    IsExpandable,
    Filename,
    Name,
    Line,
}

const KEYS: [(&str, Key); 25] = [
    ("action", Key::Action),
    ("addr", Key::Addr),
    ("device_free", Key::DeviceFree),
    ("size", Key::Size),
    ("stream", Key::Stream),
    ("time_us", Key::TimeUs),
    ("frames", Key::Frames),
    ("compile_context", Key::CompileContext),
    ("user_metadata", Key::UserMetadata),
    ("category", Key::Category),
    ("state", Key::State),
    ("address", Key::Address),
    ("requested_size", Key::RequestedSize),
    ("history", Key::History),
    ("blocks", Key::Blocks),
    ("device", Key::Device),
    ("total_size", Key::TotalSize),
    ("allocated_size", Key::AllocatedSize),
    ("active_size", Key::ActiveSize),
    ("segment_type", Key::SegmentType),
    ("segment_pool_id", Key::SegmentPoolId),
    ("is_expandable", Key::IsExpandable),
    ("filename", Key::Filename),
    ("name", Key::Name),
    ("line", Key::Line),
];

/// A row of one of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    Frame(u32),
    Stack(u32),
    Event(u32),
    Block(u32),
    Segment(u32),
}

impl Row {
    /// The row `n` after it.
    pub fn plus(self, n: u32) -> Option<Row> {
        Some(match self {
            Row::Event(at) => Row::Event(at.checked_add(n)?),
            Row::Block(at) => Row::Block(at.checked_add(n)?),
            Row::Segment(at) => Row::Segment(at.checked_add(n)?),
            Row::Frame(_) | Row::Stack(_) => return None,
        })
    }
}

/// What a dict is a record of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Frame,
    Event,
    Block,
    Segment,
}

/// What the allocator did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Alloc,
    FreeRequested,
    /// `free` of older versions, and `free_completed`.
    Free,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Snapshot,
    Oom,
    /// Not one of these.
    Other,
}

impl Action {
    fn of(text: &str) -> Action {
        match text {
            "alloc" => Action::Alloc,
            "free_requested" => Action::FreeRequested,
            "free" | "free_completed" => Action::Free,
            "segment_alloc" => Action::SegmentAlloc,
            "segment_free" => Action::SegmentFree,
            "segment_map" => Action::SegmentMap,
            "segment_unmap" => Action::SegmentUnmap,
            "snapshot" => Action::Snapshot,
            "oom" => Action::Oom,
            _ => Action::Other,
        }
    }
}

/// Events of all devices, column by column.
#[derive(Debug, Default)]
pub struct EventColumns {
    pub action: Vec<Action>,
    /// The action's name as recorded.
    pub name: Vec<StrId>,
    /// Address; of an OOM the free bytes of the device.
    pub addr: Vec<u64>,
    pub size: Vec<u64>,
    pub stream: Vec<u32>,
    /// Microseconds since 1970; `i64::MIN` where it is not recorded.
    pub time_us: Vec<i64>,
    pub stack: Vec<u32>,
    /// Further texts: (event, key, text), by event.
    pub extras: Vec<(u32, StrId, StrId)>,
}

/// A block of a segment.
#[derive(Debug, Clone, Copy)]
pub struct RawBlock {
    pub address: u64,
    pub size: u64,
    pub requested: u64,
    pub state: StrId,
    pub stack: u32,
}

/// A segment, with the runs of its blocks.
#[derive(Debug, Clone)]
pub struct RawSegment {
    pub device: u64,
    pub address: u64,
    pub total_size: u64,
    pub stream: u32,
    pub kind: StrId,
    pub pool: StrId,
    pub is_expandable: bool,
    pub stack: u32,
    /// Place in [`Records::block_lists`].
    pub blocks: Option<u32>,
}

/// Rows made of dicts.
pub struct Records {
    /// All texts of the file.
    pub strings: Interner,
    pub frames: Vec<SnapshotFrame>,
    frame_ids: FxHashMap<(StrId, StrId, u32), u32>,
    /// End of each stack in `stack_frames`; the first one has no frames.
    pub stack_ends: Vec<u32>,
    pub stack_frames: Vec<u32>,
    /// Stacks by the hash of their frames.
    stack_ids: FxHashMap<u64, u32>,
    pub events: EventColumns,
    pub blocks: Vec<RawBlock>,
    pub block_lists: Vec<Vec<(Row, u32)>>,
    pub segments: Vec<RawSegment>,
    /// Stack and bytes asked for, of blocks of older versions.
    histories: Vec<(u32, Option<u64>)>,
    /// Streams by what the file calls them.
    pub streams: Vec<u64>,
    stream_ids: FxHashMap<u64, u32>,
    /// Records without a required value: address, size or name.
    pub n_incomplete: u64,
    /// Keys that are not read, with how many records have them.
    pub unread: Vec<(StrId, u64)>,
}

/// A number that is not negative.
fn unsigned(value: Value) -> Option<u64> {
    match value {
        Value::Int(value) => u64::try_from(value).ok(),
        Value::Unsigned(value) => Some(value),
        _ => None,
    }
}

impl Records {
    /// No rows, and the keys interned.
    pub fn new() -> Self {
        let mut strings = Interner::new();
        // Key number i is string i + 1: 0 is the empty one.
        KEYS.iter().for_each(|(key, _)| _ = strings.intern(key));
        Records {
            strings,
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
            stack_ends: vec![0],
            stack_frames: Vec::new(),
            stack_ids: FxHashMap::default(),
            events: EventColumns::default(),
            blocks: Vec::new(),
            block_lists: Vec::new(),
            segments: Vec::new(),
            histories: Vec::new(),
            streams: Vec::new(),
            stream_ids: FxHashMap::default(),
            n_incomplete: 0,
            unread: Vec::new(),
        }
    }

    /// The known key that a value is.
    pub fn key_of(&self, value: Value) -> Option<Key> {
        let Value::Text(id) = value else { return None };
        KEYS.get(id.index().wrapping_sub(1)).map(|known| known.1)
    }

    /// What the dict of these pairs is a record of, by its keys.
    pub fn kind(&self, pairs: &[Pair]) -> Option<Kind> {
        let mut kind = None;
        for (key, _) in pairs {
            match self.key_of(*key) {
                Some(Key::Action) => return Some(Kind::Event),
                Some(Key::Blocks) => return Some(Kind::Segment),
                Some(Key::State) => kind = Some(Kind::Block),
                Some(Key::Filename) if kind.is_none() => kind = Some(Kind::Frame),
                _ => {}
            }
        }
        kind
    }

    /// Adds a record after its lists were converted to stacks and texts.
    pub fn add(&mut self, kind: Kind, pairs: &[Pair]) -> Row {
        match kind {
            Kind::Frame => self.add_frame(pairs),
            Kind::Event => self.add_event(pairs),
            Kind::Block => self.add_block(pairs),
            Kind::Segment => self.add_segment(pairs),
        }
    }

    fn not_read(&mut self, key: Value) {
        let Value::Text(id) = key else { return };
        match self.unread.iter().position(|(known, _)| *known == id) {
            Some(at) => self.unread[at].1 += 1,
            None if self.unread.len() < 64 => self.unread.push((id, 1)),
            None => {}
        }
    }

    fn text_of(&mut self, value: Value) -> StrId {
        match value {
            Value::Text(id) => id,
            Value::None | Value::Object(_) => StrId(0),
            Value::Bool(value) => self.strings.intern(if value { "True" } else { "False" }),
            Value::Int(value) => self.strings.intern(&value.to_string()),
            Value::Unsigned(value) => self.strings.intern(&value.to_string()),
            Value::Float(value) => self.strings.intern(&value.to_string()),
        }
    }

    fn stream(&mut self, value: Value) -> u32 {
        let number = match value {
            Value::Int(value) => value as u64,
            other => unsigned(other).unwrap_or(0),
        };
        let Records { streams, stream_ids, .. } = self;
        *stream_ids.entry(number).or_insert_with(|| {
            streams.push(number);
            streams.len() as u32 - 1
        })
    }

    fn add_frame(&mut self, pairs: &[Pair]) -> Row {
        let (mut name, mut file, mut line) = (StrId(0), StrId(0), 0);
        for &(key, value) in pairs {
            match self.key_of(key) {
                Some(Key::Name) => name = self.text_of(value),
                Some(Key::Filename) => file = self.text_of(value),
                Some(Key::Line) => line = unsigned(value).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
                _ => self.not_read(key),
            }
        }
        let Records { frames, frame_ids, .. } = self;
        Row::Frame(*frame_ids.entry((name, file, line)).or_insert_with(|| {
            frames.push(SnapshotFrame { name, file, line });
            frames.len() as u32 - 1
        }))
    }

    /// The stack of these frames, innermost first.
    pub fn stack(&mut self, frames: impl Iterator<Item = u32>) -> u32 {
        let from = self.stack_frames.len();
        self.stack_frames.extend(frames);
        let new = &self.stack_frames[from..];
        if new.is_empty() {
            return 0;
        }
        let mut hasher = FxHasher::default();
        new.iter().for_each(|frame| hasher.write_u32(*frame));
        hasher.write_usize(new.len());
        // The stack of another hash is looked for at the next place, so that equal hashes of different stacks do no harm.
        let mut hash = hasher.finish();
        while let Some(&known) = self.stack_ids.get(&hash) {
            let (start, end) = (self.stack_ends[known as usize - 1] as usize, self.stack_ends[known as usize] as usize);
            if self.stack_frames[start..end] == self.stack_frames[from..] {
                self.stack_frames.truncate(from);
                return known;
            }
            hash = hash.wrapping_add(1);
        }
        let id = self.stack_ends.len() as u32;
        self.stack_ends.push(self.stack_frames.len() as u32);
        self.stack_ids.insert(hash, id);
        id
    }

    /// The stack that [`super::containers`] put where a list of frames was; none where the file has a number there.
    fn known_stack(&self, value: Value) -> u32 {
        small(value).filter(|stack| (*stack as usize) < self.stack_ends.len()).unwrap_or(0)
    }

    /// Stores the history of a block; returns its position.
    pub fn history(&mut self, stack: u32, size: Option<u64>) -> u32 {
        self.histories.push((stack, size));
        self.histories.len() as u32 - 1
    }

    /// Keeps the blocks of a segment; their place.
    pub fn block_runs(&mut self, runs: Vec<(Row, u32)>) -> u32 {
        self.block_lists.push(runs);
        self.block_lists.len() as u32 - 1
    }

    fn add_event(&mut self, pairs: &[Pair]) -> Row {
        let at = self.events.action.len() as u32;
        let (mut name, mut addr, mut size, mut stream, mut stack) = (StrId(0), None, None, 0, 0);
        let mut time_us = i64::MIN;
        for &(key, value) in pairs {
            match self.key_of(key) {
                Some(Key::Action) => name = self.text_of(value),
                Some(Key::Addr | Key::DeviceFree) => addr = unsigned(value),
                Some(Key::Size) => size = unsigned(value),
                Some(Key::Stream) => stream = self.stream(value),
                Some(Key::TimeUs) => time_us = if let Value::Int(time) = value { time } else { i64::MIN },
                Some(Key::Frames) => stack = self.known_stack(value),
                Some(Key::CompileContext | Key::UserMetadata | Key::Category) => {
                    let text = self.text_of(value);
                    // PyTorch's text for none.
                    if let (false, Value::Text(key)) = (matches!(self.strings.get(text), "" | "N/A"), key) {
                        self.events.extras.push((at, key, text));
                    }
                }
                _ => self.not_read(key),
            }
        }
        let action = Action::of(self.strings.get(name));
        let needs = matches!(action, Action::Alloc | Action::Free | Action::FreeRequested);
        let is_whole = !needs || (addr.is_some() && size.is_some_and(|size| size < 1 << 62));
        self.n_incomplete += u64::from(!is_whole);
        let events = &mut self.events;
        events.action.push(if is_whole { action } else { Action::Other });
        events.name.push(if is_whole { name } else { StrId(0) });
        events.addr.push(addr.unwrap_or(NO_VALUE));
        events.size.push(size.filter(|size| *size < 1 << 62).unwrap_or(0));
        events.stream.push(stream);
        events.time_us.push(time_us);
        events.stack.push(stack);
        Row::Event(at)
    }

    fn add_block(&mut self, pairs: &[Pair]) -> Row {
        let mut block = RawBlock { address: NO_VALUE, size: 0, requested: NO_VALUE, state: StrId(0), stack: 0 };
        for &(key, value) in pairs {
            match self.key_of(key) {
                Some(Key::Address | Key::Addr) => block.address = unsigned(value).unwrap_or(NO_VALUE),
                Some(Key::Size) => block.size = unsigned(value).filter(|size| *size < 1 << 62).unwrap_or(0),
                Some(Key::RequestedSize) => block.requested = unsigned(value).filter(|size| *size < 1 << 62).unwrap_or(NO_VALUE),
                Some(Key::State) => block.state = self.text_of(value),
                Some(Key::Frames) => block.stack = self.known_stack(value),
                Some(Key::History) => {
                    if let Some(&(stack, size)) = small(value).and_then(|at| self.histories.get(at as usize)) {
                        block.stack = stack;
                        block.requested = size.filter(|size| *size < 1 << 62).unwrap_or(block.requested);
                    }
                }
                Some(Key::Category | Key::CompileContext | Key::UserMetadata) => {}
                _ => self.not_read(key),
            }
        }
        self.blocks.push(block);
        Row::Block(self.blocks.len() as u32 - 1)
    }

    fn add_segment(&mut self, pairs: &[Pair]) -> Row {
        let mut segment = RawSegment {
            device: 0,
            address: NO_VALUE,
            total_size: 0,
            stream: 0,
            kind: StrId(0),
            pool: StrId(0),
            is_expandable: false,
            stack: 0,
            blocks: None,
        };
        for &(key, value) in pairs {
            match self.key_of(key) {
                Some(Key::Device) => segment.device = unsigned(value).unwrap_or(0),
                Some(Key::Address) => segment.address = unsigned(value).unwrap_or(NO_VALUE),
                Some(Key::TotalSize) => segment.total_size = unsigned(value).filter(|size| *size < 1 << 62).unwrap_or(0),
                Some(Key::Stream) => segment.stream = self.stream(value),
                Some(Key::SegmentType) => segment.kind = self.text_of(value),
                Some(Key::SegmentPoolId) => segment.pool = self.text_of(value),
                Some(Key::IsExpandable) => segment.is_expandable = value == Value::Bool(true),
                Some(Key::Frames) => segment.stack = self.known_stack(value),
                Some(Key::Blocks) => segment.blocks = small(value),
                // Sums over its blocks, which are computed.
                Some(Key::AllocatedSize | Key::ActiveSize | Key::RequestedSize) => {}
                _ => self.not_read(key),
            }
        }
        self.segments.push(segment);
        Row::Segment(self.segments.len() as u32 - 1)
    }
}

/// A place that [`super::containers`] put where a list was.
fn small(value: Value) -> Option<u32> {
    if let Value::Int(at) = value { u32::try_from(at).ok() } else { None }
}
