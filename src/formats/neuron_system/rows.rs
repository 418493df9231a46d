//! Rows of the system timeline, and clocks of the device on the host's.

use super::event::{Event, Source};
use crate::base::TrackId;
use crate::model::{ProfileBuilder, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// Rows by instance, process and source.
#[derive(Default)]
pub(super) struct Rows {
    groups: FxHashMap<String, TrackId>,
}

impl Rows {
    /// The row of an event: instance / process / source and core or thread.
    pub fn of(&mut self, builder: &mut ProfileBuilder, event: &Event) -> TrackId {
        let instance = if event.instance.is_empty() { "Host" } else { &event.instance };
        let process = if event.process.is_empty() { "Process not told".to_string() } else { format!("PID {}", event.process) };
        let outer = self.group(builder, None, instance, 0);
        let inner = self.group(builder, Some(outer), &process, 0);
        let (sort, source, kind) = match event.source() {
            Source::Framework => (0, "framework", TrackKind::Thread),
            Source::Runtime => (1, "neuron_rt", TrackKind::Thread),
            Source::Hardware => (2, "neuron_hw", TrackKind::Engine),
        };
        let source = self.group(builder, Some(inner), source, sort);
        let row = match (event.core.is_empty() || kind == TrackKind::Thread && sort == 0, event.thread.is_empty()) {
            (true, false) => format!("TID {}", event.thread),
            (true, true) => "Thread not told".into(),
            _ => format!("NC {}", event.core),
        };
        self.row(builder, source, &row, kind)
    }

    /// The group of the host's own curves.
    pub fn host(&mut self, builder: &mut ProfileBuilder, instance: &str) -> TrackId {
        let instance = if instance.is_empty() { "Host" } else { instance };
        self.group(builder, None, instance, 0)
    }

    fn group(&mut self, builder: &mut ProfileBuilder, parent: Option<TrackId>, name: &str, sort: i64) -> TrackId {
        self.add(builder, parent, name, TrackKind::Group, sort)
    }

    fn row(&mut self, builder: &mut ProfileBuilder, parent: TrackId, name: &str, kind: TrackKind) -> TrackId {
        self.add(builder, Some(parent), name, kind, 0)
    }

    fn add(&mut self, builder: &mut ProfileBuilder, parent: Option<TrackId>, name: &str, kind: TrackKind, sort: i64) -> TrackId {
        let key = format!("{}\0{name}", parent.map_or(-1, |p| i64::from(p.0)));
        if let Some(track) = self.groups.get(&key) {
            return *track;
        }
        let track = builder.track(TrackSpec { parent, name: name.into(), kind, sort });
        self.groups.insert(key, track);
        track
    }
}

/// Sync points: what the device's clock said when the host's said what.
#[derive(Default)]
pub(super) struct Clocks {
    /// By execution, or by core where a point names none: (device, host).
    points: FxHashMap<String, Vec<(i64, i64)>>,
    /// Points in all.
    pub n_points: u64,
}

impl Clocks {
    fn key(event: &Event) -> String {
        if event.execution.is_empty() { format!("core {}", event.core) } else { event.execution.clone() }
    }

    /// Takes a sync point.
    pub fn add(&mut self, event: &Event) {
        if let (Some(device), Some(host)) = (event.device_ns, event.host_ns) {
            self.points.entry(Self::key(event)).or_default().push((device, host));
            self.n_points += 1;
        }
    }

    /// The host's time of an event of the device, by the sync point of its execution; `None` without one.
    pub fn adjusted(&self, event: &Event) -> Option<i64> {
        let device = event.device_ns?;
        let (sync_device, sync_host) = *self.points.get(&Self::key(event))?.first()?;
        sync_host.checked_add(device.checked_sub(sync_device)?)
    }

    /// The largest distance, nanoseconds, between what the first point of an execution predicts for a later one and what that says.
    pub fn residual(&self) -> Option<i64> {
        let of = |points: &Vec<(i64, i64)>| {
            let (device, host) = *points.first()?;
            let off = |p: &(i64, i64)| p.1.saturating_sub(host).saturating_sub(p.0.saturating_sub(device)).saturating_abs();
            points.iter().skip(1).map(off).max()
        };
        self.points.values().filter_map(of).max()
    }
}
