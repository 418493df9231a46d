//! One event of either file, read from its text.

use crate::formats::json::{Cursor, Keys, Value, number, unescape};
use std::borrow::Cow;

/// More flows of one event than these are omitted.
pub(in crate::formats) const FLOWS_MAX: usize = 64;

/// Where an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::formats) enum Source {
    Framework,
    Runtime,
    Hardware,
}

/// Names of events that the device produces, by AWS's documentation.
const HARDWARE: [&str; 8] = [
    "nc_exec_running",
    "cc_running",
    "cc_exec_barrier",
    "numerical_err",
    "nrt_model_switch",
    "nc_model_switch",
    "timestamp_sync_point",
    "hw_notify",
];

/// Start or stop of an event of the runtime's trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::formats) enum Phase {
    /// Start and length are in one record.
    #[default]
    Whole,
    Start,
    Stop,
    Instant,
}

/// What is kept of an event. Ids stay text: they are names, not numbers.
#[derive(Debug, Clone, Default)]
pub(in crate::formats) struct Event<'a> {
    pub name: Cow<'a, str>,
    pub phase: Phase,
    /// Epoch nanoseconds as recorded.
    pub time: Option<i64>,
    pub duration: Option<i64>,
    pub instance: Cow<'a, str>,
    pub process: Cow<'a, str>,
    pub thread: Cow<'a, str>,
    /// Logical NeuronCore.
    pub core: Cow<'a, str>,
    pub group: Cow<'a, str>,
    pub source: Cow<'a, str>,
    pub tracking: Cow<'a, str>,
    pub execution: Cow<'a, str>,
    /// The device's clock, where the record has it.
    pub device_ns: Option<i64>,
    /// The host's clock beside it: only sync points.
    pub host_ns: Option<i64>,
    /// Physical NeuronCore of a device.
    pub physical: Cow<'a, str>,
    /// Stream of the framework.
    pub stream: Cow<'a, str>,
    /// The model that is executed: its name, else its id.
    pub model: Cow<'a, str>,
    /// The device profile of the execution.
    pub profile: Cow<'a, str>,
    /// Bytes moved.
    pub size: Option<u64>,
    /// Its id.
    pub id: Cow<'a, str>,
    /// Flows it takes part in.
    pub flows: Vec<Cow<'a, str>>,
}

/// What a key of a record means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Meaning {
    Name,
    Time,
    Duration,
    TimeUnit,
    Instance,
    Process,
    Thread,
    Core,
    LogicalCore,
    Group,
    Source,
    Tracking,
    Execution,
    DeviceTime,
    HostTime,
    Physical,
    Stream,
    Model,
    ModelId,
    Profile,
    Size,
    Id,
    Flows,
    Phase,
    Data,
    Other,
}

/// Keys of earlier records.
pub(in crate::formats) type EventKeys = Keys<Meaning>;

fn meaning(key: &[u8]) -> Meaning {
    match key {
        b"name" | b"event_type" => Meaning::Name,
        b"timestamp" | b"timestamp_ns" => Meaning::Time,
        b"duration" | b"duration_ns" => Meaning::Duration,
        b"timestamp_unit" => Meaning::TimeUnit,
        b"instance_id" => Meaning::Instance,
        b"process_id" | b"pid" => Meaning::Process,
        b"thread_id" | b"tid" => Meaning::Thread,
        b"nc_idx" => Meaning::Core,
        b"lnc_idx" => Meaning::LogicalCore,
        b"group" => Meaning::Group,
        b"trace_event_source" => Meaning::Source,
        b"tracking_id" => Meaning::Tracking,
        b"exec_id" => Meaning::Execution,
        b"nc_timestamp_ns" => Meaning::DeviceTime,
        b"cpu_timestamp_ns" => Meaning::HostTime,
        b"pcore_idx" | b"device_core_idx" => Meaning::Physical,
        b"framework_stream_id" => Meaning::Stream,
        b"model_name" | b"neff_path" => Meaning::Model,
        b"model_id" => Meaning::ModelId,
        b"device_profile" | b"device_profile_name" => Meaning::Profile,
        b"size" | b"size_bytes" | b"bytes" => Meaning::Size,
        b"id" => Meaning::Id,
        b"flow_id" | b"flow_ids" => Meaning::Flows,
        b"phase" => Meaning::Phase,
        b"data" => Meaning::Data,
        _ => Meaning::Other,
    }
}

/// Values that need a further one: times their unit, names of the same thing an order.
#[derive(Default)]
struct Pending<'a> {
    time: Option<&'a [u8]>,
    duration: Option<&'a [u8]>,
    unit: Option<&'a [u8]>,
    core: Option<&'a [u8]>,
    logical_core: Option<&'a [u8]>,
    model_id: Option<&'a [u8]>,
}

impl<'a> Event<'a> {
    /// Reads the object `text`; `None` when it is no whole object.
    pub fn read(text: &'a [u8], keys: &mut EventKeys) -> Option<Event<'a>> {
        let (mut event, mut pending) = (Event::default(), Pending::default());
        event.entries(text, keys, &mut pending, true)?;
        // A time in a unit that is not known is no time.
        let scale = match pending.unit.unwrap_or(b"ns") {
            b"ns" | b"" => Some(0),
            b"us" => Some(3),
            _ => None,
        };
        let scaled = |written: Option<&[u8]>| number::scaled(written?, scale?);
        (event.time, event.duration) = (scaled(pending.time), scaled(pending.duration));
        // `nc_idx` is the logical core by the schema; records before it have `lnc_idx` alone.
        let is_named = |written: &&[u8]| !written.is_empty();
        event.core = pending.core.filter(is_named).or(pending.logical_core.filter(is_named)).map(unescape).unwrap_or_default();
        if let Some(id) = pending.model_id.filter(|_| event.model.is_empty()) {
            event.model = format!("model {}", unescape(id)).into();
        }
        Some(event)
    }

    /// Takes from further attributes (an object) what the event does not have.
    pub fn add_more(&mut self, text: &'a [u8], keys: &mut EventKeys) {
        if text.is_empty() {
            return;
        }
        if let Some(more) = Event::read(text, keys) {
            self.model = more.model;
            self.profile = more.profile;
            self.size = more.size;
            self.execution = more.execution;
            self.device_ns = more.device_ns;
            self.host_ns = more.host_ns;
        }
    }

    /// Entries of the record, and of its `data` one level below it.
    fn entries(&mut self, text: &'a [u8], keys: &mut EventKeys, pending: &mut Pending<'a>, is_outer: bool) -> Option<()> {
        if text.first() != Some(&b'{') {
            return None;
        }
        let (mut cursor, mut at) = (Cursor::new(text), 0);
        while let Some(key) = keys.next(&mut cursor, &mut at, meaning).ok()? {
            let value = cursor.value().ok()?;
            if let (Meaning::Data, Value::Object(data), true) = (key, value, is_outer) {
                self.entries(data, keys, pending, false)?;
                continue;
            }
            if value == Value::Bare(b"null") {
                continue;
            }
            let written = value.plain();
            match key {
                Meaning::Name => self.name = unescape(written),
                Meaning::Time => pending.time = Some(written),
                Meaning::Duration => pending.duration = Some(written),
                Meaning::TimeUnit => pending.unit = Some(written),
                Meaning::Instance => self.instance = unescape(written),
                Meaning::Process => self.process = unescape(written),
                Meaning::Thread => self.thread = unescape(written),
                Meaning::Core => pending.core = Some(written),
                Meaning::LogicalCore => pending.logical_core = Some(written),
                Meaning::Group => self.group = unescape(written),
                Meaning::Source => self.source = unescape(written),
                Meaning::Tracking => self.tracking = unescape(written),
                Meaning::Execution => self.execution = unescape(written),
                Meaning::DeviceTime => self.device_ns = number::scaled(written, 0),
                Meaning::HostTime => self.host_ns = number::scaled(written, 0),
                Meaning::Physical => self.physical = unescape(written),
                Meaning::Stream => self.stream = unescape(written),
                Meaning::Model => self.model = unescape(written),
                Meaning::ModelId => pending.model_id = Some(written),
                Meaning::Profile => self.profile = unescape(written),
                Meaning::Size => self.size = number::unsigned(written),
                Meaning::Id => self.id = unescape(written),
                Meaning::Flows => self.flows = ids(value),
                Meaning::Phase => {
                    self.phase = match written {
                        b"start" => Phase::Start,
                        b"stop" => Phase::Stop,
                        b"instant" => Phase::Instant,
                        _ => Phase::Whole,
                    }
                }
                Meaning::Data | Meaning::Other => {}
            }
        }
        Some(())
    }

    /// Its source: as recorded, otherwise by its group and name.
    pub fn source(&self) -> Source {
        match self.source.as_ref() {
            "neuron_hw" => Source::Hardware,
            "framework" => Source::Framework,
            "neuron_rt" => Source::Runtime,
            _ if self.group.starts_with("framework") => Source::Framework,
            _ if HARDWARE.iter().any(|h| self.name.starts_with(h)) => Source::Hardware,
            _ => Source::Runtime,
        }
    }
}

/// One id, or a list of them; no more than a few belong to an event.
fn ids(value: Value<'_>) -> Vec<Cow<'_, str>> {
    let Value::List(list) = value else {
        return vec![unescape(value.plain())];
    };
    let mut out = Vec::new();
    let mut cursor = Cursor::new(list);
    while let Ok(Some(item)) = cursor.item() {
        out.push(unescape(item.plain()));
        if out.len() == FLOWS_MAX {
            break;
        }
    }
    out
}
