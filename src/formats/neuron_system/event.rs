//! One event of either file, read from its text.

use crate::formats::json::{Cursor, Value, number, unescape};

/// Where an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    Framework,
    Runtime,
    Hardware,
}

/// Names of events that the device produces, by AWS's documentation.
const HARDWARE: [&str; 7] =
    ["nc_exec_running", "cc_running", "cc_exec_barrier", "numerical_err", "nrt_model_switch", "timestamp_sync_point", "hw_notify"];

/// Start or stop of an event of the runtime's trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Phase {
    /// Start and length are in one record.
    #[default]
    Whole,
    Start,
    Stop,
    Instant,
}

/// What is kept of an event. Ids stay text: they are names, not numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Event {
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
}

impl Event {
    /// Reads the object `text`; `None` when it is no whole object.
    pub fn read(text: &[u8]) -> Option<Event> {
        let mut event = Event::default();
        event.entries(text)?;
        Some(event)
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
            let written = plain(value);
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

/// A value's text without quotes.
pub(super) fn plain(value: Value<'_>) -> &[u8] {
    match value {
        Value::Text(text) | Value::Bare(text) | Value::Object(text) | Value::List(text) => text,
    }
}
