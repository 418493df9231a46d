//! Tracks by their descriptors, and their rows on the timeline.

use super::super::ntff::Message;
use crate::base::TrackId;
use crate::model::{ProfileBuilder, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// What an event is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrackKey {
    /// A track with a descriptor of its own, or 0: the default track.
    Uuid(u64),
    /// A thread: process, thread.
    Thread(i64, i64),
    /// Asynchronous slices with an id of the old kind: process (or 0), id.
    Async(i64, u64),
}

/// A track's descriptor.
#[derive(Debug, Clone, Default)]
pub struct Descriptor {
    /// Name; may be empty.
    pub name: String,
    /// Uuid of the track above; 0 for none.
    pub parent: u64,
    /// Process, where the track is of one.
    pub pid: Option<i64>,
    /// Thread, where the track is of one.
    pub tid: Option<i64>,
    /// Where the track holds values.
    pub counter: Option<CounterDescriptor>,
    /// Place among siblings that are ordered so.
    pub rank: i64,
}

/// What a counter's values are.
#[derive(Debug, Clone, Default)]
pub struct CounterDescriptor {
    /// "bytes", "ns" or the unit of the file; empty for counts.
    pub unit: String,
    /// Factor of every value.
    pub multiplier: f64,
    /// Whether each value adds to the one before on the same sequence.
    pub is_incremental: bool,
}

/// Every descriptor so far.
#[derive(Default)]
pub struct Tracks {
    descriptors: FxHashMap<u64, Descriptor>,
    process_names: FxHashMap<i64, String>,
    thread_names: FxHashMap<(i64, i64), String>,
}

impl Tracks {
    /// Reads a `TrackDescriptor`; a later one of the same uuid adds to the earlier.
    pub fn descriptor(&mut self, bytes: &[u8]) {
        let uuid = Message::field(bytes, 1).number();
        let mut out = self.descriptors.remove(&uuid).unwrap_or_default();
        for (field, value) in Message::new(bytes) {
            match field {
                2 | 10 | 13 if !value.bytes().is_empty() => out.name = value.text(),
                3 => {
                    let (pid, name) = process(value.bytes());
                    out.pid = Some(pid);
                    self.name_process(pid, name);
                }
                4 => {
                    let thread = value.bytes();
                    let pid = Message::field(thread, 1).number() as i64;
                    let tid = Message::field(thread, 2).number() as i64;
                    (out.pid, out.tid) = (Some(pid), Some(tid));
                    self.name_thread(pid, tid, Message::field(thread, 5).text());
                }
                5 => out.parent = value.number(),
                8 => out.counter = Some(counter(value.bytes())),
                12 => out.rank = i64::from(value.number() as i32),
                _ => {}
            }
        }
        self.descriptors.insert(uuid, out);
    }

    /// Names a process, unless the name is empty.
    pub fn name_process(&mut self, pid: i64, name: String) {
        if !name.is_empty() {
            self.process_names.insert(pid, name);
        }
    }

    /// Names a thread, unless the name is empty.
    pub fn name_thread(&mut self, pid: i64, tid: i64, name: String) {
        if !name.is_empty() {
            self.thread_names.insert((pid, tid), name);
        }
    }

    /// The process of a thread, where a descriptor names one.
    pub fn process_of(&self, tid: i64) -> Option<i64> {
        self.descriptors.values().filter(|d| d.tid == Some(tid)).filter_map(|d| d.pid).min()
    }

    /// The descriptor of `uuid`.
    pub fn get(&self, uuid: u64) -> Option<&Descriptor> {
        self.descriptors.get(&uuid)
    }

    /// The track of events of `uuid`: a thread is one track, even with several descriptors.
    pub fn key(&self, uuid: u64) -> TrackKey {
        match self.descriptors.get(&uuid) {
            Some(Descriptor { pid: Some(pid), tid: Some(tid), .. }) => TrackKey::Thread(*pid, *tid),
            _ => TrackKey::Uuid(uuid),
        }
    }
}

fn process(bytes: &[u8]) -> (i64, String) {
    (Message::field(bytes, 1).number() as i64, Message::field(bytes, 6).text())
}

fn counter(bytes: &[u8]) -> CounterDescriptor {
    let mut out = CounterDescriptor { multiplier: 1.0, ..CounterDescriptor::default() };
    for (field, value) in Message::new(bytes) {
        match field {
            3 if out.unit.is_empty() => out.unit = ["", "ns", "", "bytes"].get(value.number() as usize).copied().unwrap_or("").into(),
            4 => out.multiplier = value.number() as i64 as f64,
            5 => out.is_incremental = value.number() != 0,
            6 => out.unit = value.text(),
            _ => {}
        }
    }
    out
}

/// How far up parents are followed: a chain that is longer is a circle or nonsense.
const DEPTH_MAX: usize = 64;

/// Creates rows for the tracks with content.
pub struct TrackMaker<'a> {
    tracks: &'a Tracks,
    /// Rows that hold slices or values.
    rows: FxHashMap<TrackKey, TrackId>,
    processes: FxHashMap<i64, TrackId>,
    groups: FxHashMap<u64, TrackId>,
    is_parent: rustc_hash::FxHashSet<u64>,
}

impl<'a> TrackMaker<'a> {
    /// A maker for these descriptors.
    pub fn new(tracks: &'a Tracks) -> Self {
        let is_parent = tracks.descriptors.values().map(|d| d.parent).filter(|p| *p != 0).collect();
        TrackMaker { tracks, rows: FxHashMap::default(), processes: FxHashMap::default(), groups: FxHashMap::default(), is_parent }
    }

    /// The row of `key`, made when it is first asked for.
    pub fn row(&mut self, key: TrackKey, builder: &mut ProfileBuilder) -> TrackId {
        if let Some(row) = self.rows.get(&key) {
            return *row;
        }
        let spec = match key {
            TrackKey::Thread(pid, tid) => {
                let name = self.tracks.thread_names.get(&(pid, tid));
                let name = name.map_or_else(|| format!("thread {tid}"), |n| format!("{n} {tid}"));
                TrackSpec { parent: Some(self.process(pid, builder)), name, kind: TrackKind::Thread, sort: 1 }
            }
            TrackKey::Async(pid, _) => {
                let parent = (pid != 0).then(|| self.process(pid, builder));
                TrackSpec { parent, name: "asynchronous".into(), kind: TrackKind::Async, sort: 2 }
            }
            TrackKey::Uuid(uuid) => self.own(uuid, builder),
        };
        let row = builder.track(spec);
        self.rows.insert(key, row);
        row
    }

    /// The row of a track with a descriptor of its own, or of the default track.
    fn own(&mut self, uuid: u64, builder: &mut ProfileBuilder) -> TrackSpec {
        let Some(descriptor) = self.tracks.get(uuid) else {
            let name = if uuid == 0 { "Default track".into() } else { format!("track {uuid}") };
            return TrackSpec { parent: None, name, kind: TrackKind::Other, sort: 9 };
        };
        let kind = if descriptor.counter.is_some() { TrackKind::Counter } else { TrackKind::Other };
        // A row cannot contain rows: a track with slices and children becomes a group, with its own slices in its first row.
        let parent = if self.is_parent.contains(&uuid) || descriptor.pid.is_some() {
            self.group(uuid, builder, 0)
        } else {
            self.group(descriptor.parent, builder, 0)
        };
        let of_process = || descriptor.pid.and_then(|pid| self.tracks.process_names.get(&pid)).cloned();
        let name = if descriptor.name.is_empty() { of_process() } else { Some(descriptor.name.clone()) };
        TrackSpec { parent, name: name.unwrap_or_else(|| format!("track {uuid}")), kind, sort: descriptor.rank }
    }

    fn group(&mut self, uuid: u64, builder: &mut ProfileBuilder, depth: usize) -> Option<TrackId> {
        if uuid == 0 || depth > DEPTH_MAX {
            return None;
        }
        if let Some(group) = self.groups.get(&uuid) {
            return Some(*group);
        }
        let descriptor = self.tracks.get(uuid)?.clone();
        if let (Some(pid), None) = (descriptor.pid, descriptor.tid) {
            return Some(self.process(pid, builder));
        }
        let parent = match descriptor.pid {
            Some(pid) => Some(self.process(pid, builder)),
            None => self.group(descriptor.parent, builder, depth + 1),
        };
        let thread = descriptor.pid.zip(descriptor.tid).and_then(|key| self.tracks.thread_names.get(&key));
        let name = if descriptor.name.is_empty() { thread.cloned().unwrap_or_else(|| format!("track {uuid}")) } else { descriptor.name };
        let group = builder.track(TrackSpec { parent, name, kind: TrackKind::Group, sort: descriptor.rank });
        self.groups.insert(uuid, group);
        Some(group)
    }

    fn process(&mut self, pid: i64, builder: &mut ProfileBuilder) -> TrackId {
        *self.processes.entry(pid).or_insert_with(|| {
            let name = self.tracks.process_names.get(&pid).map_or_else(|| format!("process {pid}"), |n| format!("{n} {pid}"));
            builder.track(TrackSpec { parent: None, name, kind: TrackKind::Group, sort: 0 })
        })
    }
}
