//! One event of either file, read from its text.

use crate::formats::json::{Cursor, Value, number, unescape};

/// More flows of one event than these are left out.
pub(in crate::formats) const FLOWS_MAX: usize = 64;

/// Where an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::formats) enum Source {
    Framework,
    Runtime,
    Hardware,
}

/// Names of events that the device produces, by AWS's documentation.
const HARDWARE: [&str; 7] =
    ["nc_exec_running", "cc_running", "cc_exec_barrier", "numerical_err", "nrt_model_switch", "timestamp_sync_point", "hw_notify"];

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
pub(in crate::formats) struct Event {
    pub name: String,
    pub phase: Phase,
    /// Epoch nanoseconds, as the file says.
    pub time: Option<i64>,
    pub duration: Option<i64>,
    pub instance: String,
    pub process: String,
    pub thread: String,
    pub core: String,
    pub group: String,
    pub source: String,
    pub tracking: String,
    pub execution: String,
    /// The device's clock, where the record has it.
    pub device_ns: Option<i64>,
    /// The host's clock beside it: only sync points.
    pub host_ns: Option<i64>,
    /// Physical NeuronCore of a device.
    pub physical: String,
    /// Stream of the framework.
    pub stream: String,
    /// The model that is executed: its name, else its id.
    pub model: String,
    /// The device profile of the execution.
    pub profile: String,
    /// Bytes moved.
    pub size: Option<u64>,
    /// Its id.
    pub id: String,
    /// Flows it takes part in.
    pub flows: Vec<String>,
}

impl Event {
    /// Reads the object `text`; `None` when it is no whole object.
    pub fn read(text: &[u8]) -> Option<Event> {
        let mut event = Event::default();
        event.entries(text)?;
        Some(event)
    }

    /// Takes what further attributes (an object) tell and the event does not.
    pub fn add_more(&mut self, text: &[u8]) {
        let told = self.clone();
        let mut more = Event::default();
        if text.is_empty() || more.entries(text).is_none() {
            return;
        }
        *self = Event {
            model: more.model,
            profile: more.profile,
            size: more.size,
            execution: more.execution,
            device_ns: more.device_ns,
            host_ns: more.host_ns,
            ..told
        };
    }

    fn entries(&mut self, text: &[u8]) -> Option<()> {
        if text.first() != Some(&b'{') {
            return None;
        }
        let mut cursor = Cursor::new(text);
        while let Some(key) = cursor.key().ok()? {
            let value = cursor.value().ok()?;
            if let (b"data", Value::Object(data)) = (key, value) {
                self.entries(data)?;
                continue;
            }
            let written = value.plain();
            let ns = || number::scaled(written, 0);
            match key {
                b"name" | b"event_type" => self.name = unescape(written).into_owned(),
                b"timestamp" | b"timestamp_ns" => self.time = ns(),
                b"duration" | b"duration_ns" => self.duration = ns(),
                b"instance_id" => self.instance = unescape(written).into_owned(),
                b"process_id" | b"pid" => self.process = unescape(written).into_owned(),
                b"thread_id" | b"tid" => self.thread = unescape(written).into_owned(),
                b"nc_idx" | b"lnc_idx" if self.core.is_empty() => self.core = unescape(written).into_owned(),
                b"group" => self.group = unescape(written).into_owned(),
                b"trace_event_source" => self.source = unescape(written).into_owned(),
                b"tracking_id" => self.tracking = unescape(written).into_owned(),
                b"exec_id" => self.execution = unescape(written).into_owned(),
                b"nc_timestamp_ns" => self.device_ns = ns(),
                b"cpu_timestamp_ns" => self.host_ns = ns(),
                b"pcore_idx" => self.physical = unescape(written).into_owned(),
                b"framework_stream_id" => self.stream = unescape(written).into_owned(),
                b"model_name" | b"neff_path" => self.model = unescape(written).into_owned(),
                b"model_id" if self.model.is_empty() => self.model = format!("model {}", unescape(written)),
                b"device_profile" | b"device_profile_name" => self.profile = unescape(written).into_owned(),
                b"size" | b"size_bytes" | b"bytes" => self.size = number::unsigned(written),
                b"id" => self.id = unescape(written).into_owned(),
                b"flow_id" | b"flow_ids" => self.flows = ids(value),
                b"phase" => {
                    self.phase = match written {
                        b"start" => Phase::Start,
                        b"stop" => Phase::Stop,
                        b"instant" => Phase::Instant,
                        _ => Phase::Whole,
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Where it comes from: as the record says, else by its group and name.
    pub fn source(&self) -> Source {
        match self.source.as_str() {
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
fn ids(value: Value<'_>) -> Vec<String> {
    let Value::List(list) = value else {
        return vec![unescape(value.plain()).into_owned()];
    };
    let mut out = Vec::new();
    let mut cursor = Cursor::new(list);
    while let Ok(Some(item)) = cursor.item() {
        out.push(unescape(item.plain()).into_owned());
        if out.len() == FLOWS_MAX {
            break;
        }
    }
    out
}
