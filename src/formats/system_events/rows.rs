//! Rows of the system timeline, each with its owner.

use super::event::{Event, Source};
use crate::base::{StrId, TrackId};
use crate::model::system::{Row, RowKind};
use crate::model::{ProfileBuilder, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// Rows by instance, process and source.
#[derive(Default)]
pub(in crate::formats) struct Rows {
    groups: FxHashMap<(Option<TrackId>, String), TrackId>,
    leaves: FxHashMap<(Row, StrId), TrackId>,
    /// What each raw track belongs to.
    pub facts: Vec<Row>,
    /// Runtime rows by group and core: more than one thread puts the thread's id into their names.
    by_core: FxHashMap<(TrackId, StrId), Vec<(TrackId, String)>>,
}

impl Rows {
    /// The row of an event: instance / process / source / thread, NeuronCore or stream.
    pub fn of(&mut self, builder: &mut ProfileBuilder, event: &Event<'_>) -> TrackId {
        let source = event.source();
        let kind = match source {
            Source::Framework => RowKind::Framework,
            Source::Runtime => RowKind::Runtime,
            Source::Hardware => RowKind::Hardware,
        };
        let mut id = |text: &str| builder.strings.intern(text);
        // A framework thread has no core, and a core of a device no thread.
        let core = if kind == RowKind::Framework { StrId(0) } else { id(&event.core) };
        let thread = if kind == RowKind::Hardware { StrId(0) } else { id(&event.thread) };
        let row = Row { kind, instance: id(&event.instance), process: id(&event.process), thread, core };
        let below = match kind {
            RowKind::Framework => id(&event.stream),
            RowKind::Hardware => id(&event.physical),
            _ => StrId(0),
        };
        if let Some(track) = self.leaves.get(&(row, below)) {
            return *track;
        }
        let process = self.process(builder, &event.instance, &event.process);
        let (sort, name) = match source {
            Source::Framework => (0, "framework"),
            Source::Runtime => (1, "neuron_rt"),
            Source::Hardware => (2, "neuron_hw"),
        };
        let group = self.group(builder, Some(process), name, sort);
        let (name, track_kind) = leaf_name(kind, event);
        let track = builder.track(TrackSpec { parent: Some(group), name, kind: track_kind, sort: 0 });
        self.note(track, row);
        self.leaves.insert((row, below), track);
        if kind == RowKind::Runtime && !event.core.is_empty() && !event.thread.is_empty() {
            self.by_core.entry((group, core)).or_default().push((track, event.thread.to_string()));
        }
        track
    }

    /// Names rows of one core apart by their threads.
    pub fn name_apart(&self, builder: &mut ProfileBuilder) {
        for rows in self.by_core.values().filter(|r| r.len() > 1) {
            for (track, thread) in rows {
                let name = format!("{} · TID {thread}", builder.track_mut(*track).name);
                builder.track_mut(*track).name = name;
            }
        }
    }

    /// The row of a curve, in a group of the host or of a process.
    pub fn curve(&mut self, builder: &mut ProfileBuilder, parent: TrackId, name: &str, row: Row) -> TrackId {
        let key = (Some(parent), format!("{name}\0{:?}", row.kind));
        if let Some(track) = self.groups.get(&key) {
            return *track;
        }
        let track = builder.track(TrackSpec { parent: Some(parent), name: name.into(), kind: TrackKind::Counter, sort: 5 });
        self.note(track, row);
        self.groups.insert(key, track);
        track
    }

    /// The group of an instance.
    pub fn instance(&mut self, builder: &mut ProfileBuilder, instance: &str) -> TrackId {
        self.group(builder, None, if instance.is_empty() { "Host" } else { instance }, 0)
    }

    /// The group of a process.
    pub fn process(&mut self, builder: &mut ProfileBuilder, instance: &str, process: &str) -> TrackId {
        let outer = self.instance(builder, instance);
        let name = if process.is_empty() { "Process not recorded".to_string() } else { format!("PID {process}") };
        self.group(builder, Some(outer), &name, 0)
    }

    /// A group.
    pub fn group(&mut self, builder: &mut ProfileBuilder, parent: Option<TrackId>, name: &str, sort: i64) -> TrackId {
        let key = (parent, name.to_string());
        if let Some(track) = self.groups.get(&key) {
            return *track;
        }
        let track = builder.track(TrackSpec { parent, name: name.into(), kind: TrackKind::Group, sort });
        self.note(track, Row::default());
        self.groups.insert(key, track);
        track
    }

    fn note(&mut self, track: TrackId, row: Row) {
        self.facts.resize(self.facts.len().max(track.index() + 1), Row::default());
        self.facts[track.index()] = row;
    }
}

fn leaf_name(kind: RowKind, event: &Event<'_>) -> (String, TrackKind) {
    match kind {
        RowKind::Framework if !event.stream.is_empty() => (format!("Stream {}", event.stream), TrackKind::Stream),
        RowKind::Hardware if !event.core.is_empty() && !event.physical.is_empty() => {
            (format!("NC {}:{}", event.core, event.physical), TrackKind::Engine)
        }
        RowKind::Hardware if !event.core.is_empty() => (format!("NC {}", event.core), TrackKind::Engine),
        RowKind::Hardware => ("NeuronCore not recorded".into(), TrackKind::Engine),
        RowKind::Runtime if !event.core.is_empty() => (format!("NC {}", event.core), TrackKind::Thread),
        _ if event.thread.is_empty() => ("Thread not recorded".into(), TrackKind::Thread),
        _ => (format!("TID {}", event.thread), TrackKind::Thread),
    }
}
