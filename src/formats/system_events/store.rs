//! Everything that was read, whichever file it came from, until it becomes a profile.

use super::clocks::{Clocks, Key};
use super::event::{Event, FLOWS_MAX, Phase, Source};
use super::rows::Rows;
use crate::base::{Ledger, Severity, StrId, TrackId};
use crate::model::builder::ColumnId;
use crate::model::system::{DeviceProfile, Row, RowKind};
use crate::model::{ProfileBuilder, RecordRef};
use std::collections::BTreeMap;

/// An event, its texts as ids.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats) struct StoredEvent {
    pub name: StrId,
    pub model: StrId,
    pub profile: StrId,
    pub tracking: StrId,
    pub execution: StrId,
    pub track: TrackId,
    pub phase: Phase,
    pub source: Source,
    pub is_sync: bool,
    /// Epoch nanoseconds.
    pub time: i64,
    pub duration: Option<i64>,
    /// The device's clock.
    pub device_ns: Option<i64>,
    pub size: Option<u64>,
    pub record: RecordRef,
}

/// What a curve is: its place in the host or on a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::formats) enum Curve {
    /// Instance, CPU.
    Cpu(String, String),
    /// Instance, name, unit.
    HostMemory(String, &'static str, &'static str),
    /// Instance, device, HBM.
    Hbm(String, i64, i64),
}

/// Samples of a curve: names of its series, and (time, one value each; series that a sample does not reach are 0 in it).
#[derive(Debug, Default)]
pub(in crate::formats) struct Samples {
    pub series: Vec<String>,
    pub values: Vec<(i64, Vec<f64>)>,
}

/// Everything that was read.
pub(in crate::formats) struct Store {
    /// Tracks and strings; slices come when all events are there.
    pub builder: ProfileBuilder,
    /// Per-slice texts: source, core, process, instance.
    pub(in crate::formats) columns: [ColumnId; 4],
    pub(in crate::formats) rows: Rows,
    pub(in crate::formats) stored: Vec<StoredEvent>,
    /// Position in `stored`, id of the event, its flows.
    pub(in crate::formats) flows: Vec<(usize, StrId, Vec<StrId>)>,
    pub(in crate::formats) curves: BTreeMap<Curve, Samples>,
    pub(in crate::formats) clocks: Clocks,
    /// Instances in the order of the file.
    pub(in crate::formats) instances: Vec<String>,
    /// HBM of a NeuronCore, bytes.
    pub hbm_capacity: Option<u64>,
    /// As the profile lists them.
    pub device_profiles: Vec<DeviceProfile>,
}

impl Store {
    pub fn new() -> Self {
        let mut builder = ProfileBuilder::new();
        let columns = [("source", "Source"), ("core", "NeuronCore"), ("process", "Process"), ("instance", "Instance")];
        Store {
            columns: columns.map(|(id, label)| builder.attribute(id, label)),
            builder,
            rows: Rows::default(),
            stored: Vec::new(),
            flows: Vec::new(),
            curves: BTreeMap::new(),
            clocks: Clocks::default(),
            instances: Vec::new(),
            hbm_capacity: None,
            device_profiles: Vec::new(),
        }
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.curves.is_empty()
    }

    /// Takes an event; `example` is how it looks.
    pub fn event(&mut self, event: &Event<'_>, record: RecordRef, ledger: &mut Ledger, example: impl FnOnce() -> String) {
        ledger.read += 1;
        let Some(time) = event.time else {
            ledger.skip(Severity::DataLoss, "missing_time", "The event has no time, or one in an unknown unit.", record.offset(), example);
            return;
        };
        ledger.shown += 1;
        if !event.instance.is_empty() && self.instances.len() < 4096 && self.instances.iter().all(|i| *i != event.instance) {
            self.instances.push(event.instance.to_string());
        }
        let track = self.rows.of(&mut self.builder, event);
        let mut id = |text: &str| self.builder.strings.intern(text);
        let is_sync = event.name == "timestamp_sync_point";
        let stored = StoredEvent {
            name: id(&event.name),
            model: id(&event.model),
            profile: id(&event.profile),
            tracking: id(&event.tracking),
            execution: id(&event.execution),
            track,
            phase: event.phase,
            source: event.source(),
            is_sync,
            time,
            duration: event.duration,
            device_ns: event.device_ns,
            size: event.size,
            record,
        };
        if !event.flows.is_empty() {
            let flows = event.flows.iter().take(FLOWS_MAX).map(|f| id(f)).collect();
            let own = id(&event.id);
            self.flows.push((self.stored.len(), own, flows));
        }
        if let (true, Some(device), Some(host)) = (is_sync, event.device_ns, event.host_ns) {
            self.clocks.add(self.clock_of(&stored), device, host);
        }
        self.stored.push(stored);
    }

    /// Which sync points place an event.
    pub(in crate::formats) fn clock_of(&self, stored: &StoredEvent) -> Key {
        let row = self.rows.facts.get(stored.track.index()).copied().unwrap_or_default();
        match stored.execution {
            StrId(0) => (false, row.process, row.core),
            execution => (true, StrId(0), execution),
        }
    }

    /// Takes a sample of a curve.
    pub fn sample(&mut self, curve: Curve, series: &[impl AsRef<str>], time: i64, values: Vec<f64>) {
        let samples = self.curves.entry(curve).or_default();
        let n = samples.series.len();
        if n < series.len() {
            samples.series.extend(series[n..].iter().map(|s| s.as_ref().to_string()));
        }
        samples.values.push((time, values));
    }

    /// What a curve is, and its row.
    pub(in crate::formats) fn curve_row(&mut self, curve: &Curve) -> (TrackId, &'static str, bool) {
        let Store { builder, rows, .. } = self;
        let instance = match curve {
            Curve::Cpu(i, _) | Curve::HostMemory(i, ..) | Curve::Hbm(i, ..) => i.clone(),
        };
        let outer = rows.instance(builder, &instance);
        let mut row = |kind, core: &str| Row {
            kind,
            instance: builder.strings.intern(&instance),
            core: builder.strings.intern(core),
            ..Row::default()
        };
        match curve {
            Curve::Cpu(_, cpu) => {
                let row = row(RowKind::Cpu, cpu);
                let group = rows.group(builder, Some(outer), "CPU use", 10);
                (rows.curve(builder, group, &format!("CPU {cpu}"), row), "%", false)
            }
            Curve::HostMemory(_, name, unit) => {
                let row = row(RowKind::HostMemory, "");
                let group = rows.group(builder, Some(outer), "Host memory", 11);
                (rows.curve(builder, group, name, row), unit, false)
            }
            Curve::Hbm(_, device, hbm) => {
                let row = row(RowKind::Hbm, &format!("{device}:{hbm}"));
                let group = rows.group(builder, Some(outer), "HBM use", 9);
                (rows.curve(builder, group, &format!("ND {device} HBM {hbm}"), row), "bytes", true)
            }
        }
    }
}
