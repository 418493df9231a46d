//! The profile of a system profile.

use super::event::{Event, Phase, Source, plain};
use super::rows::{Clocks, Rows};
use crate::base::{Ledger, Member, Severity, TrackId};
use crate::formats::ImportError;
use crate::formats::import::file_name;
use crate::formats::json::split::Damage;
use crate::formats::json::{Cursor, Sink, Splitter, Take, Value, number, unescape};
use crate::model::{CounterSpec, Fact, Meta, Profile, ProfileBuilder, RawSlice, RecordRef, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

const BLOCK: u64 = 8 << 20;

/// Reads a system profile.
pub(super) fn import(member: &Member, ledger: &mut Ledger) -> Result<Profile, ImportError> {
    let mut reader = Reader { events: Vec::new(), usage: BTreeMap::new(), section: Vec::new(), ledger };
    let mut splitter = Splitter::default();
    let mut offset = 0;
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        splitter.feed(&block, &mut reader);
    }
    splitter.finish(&mut reader);
    if !splitter.is_at_end() {
        let reason = "The JSON ends early; every whole record before its end was read.";
        reader.ledger.skip(Severity::DataLoss, "truncated_json", reason, member.len(), String::new);
    }
    if reader.events.is_empty() && reader.usage.is_empty() {
        return Err(ImportError::Invalid("Expected events, memory use or CPU use in the system profile, found none.".into()));
    }
    Ok(reader.finish(member))
}

/// A curve: instance, name, unit.
type Curve = (String, String, &'static str);

struct Reader<'l> {
    events: Vec<(Event, RecordRef)>,
    usage: BTreeMap<Curve, Vec<(i64, f64)>>,
    section: Vec<u8>,
    ledger: &'l mut Ledger,
}

impl Reader<'_> {
    fn event(&mut self, text: &[u8], offset: u64) -> bool {
        let Some(mut event) = Event::read(text) else {
            return false;
        };
        // `{"Neuron_Runtime_API_Event": {…}}`: the record stands under its kind.
        if event.time.is_none() && event.name.is_empty() {
            let mut cursor = Cursor::new(text);
            if let (Ok(Some(_)), Ok(Value::Object(inner))) = (cursor.key(), cursor.value()) {
                event = Event::read(inner).unwrap_or_default();
            }
        }
        self.ledger.read += 1;
        if event.time.is_none() {
            let reason = "The event has no time.";
            self.ledger.skip(Severity::DataLoss, "missing_time", reason, offset, || shown(text));
            return true;
        }
        self.ledger.shown += 1;
        self.events.push((event, RecordRef::new(0, offset, text.len() as u64)));
        true
    }

    fn sample(&mut self, text: &[u8], offset: u64) -> bool {
        let mut cursor = Cursor::new(text);
        let (mut time, mut instance, mut cpu) = (None, String::new(), String::new());
        let mut values: Vec<(&str, &'static str, f64)> = Vec::new();
        loop {
            match cursor.key() {
                Ok(Some(key)) => {
                    let Ok(value) = cursor.value() else { return false };
                    let written = plain(value);
                    let float = number::float(written);
                    match (key, float) {
                        (b"timestamp", _) => time = number::scaled(written, 0),
                        (b"instance_id", _) => instance = unescape(written).into_owned(),
                        (b"cpu_id", _) => cpu = unescape(written).into_owned(),
                        (b"util", Some(v)) => values.push(("CPU", "%", v)),
                        (b"percent_usage", Some(v)) => values.push(("Memory use, share", "%", v)),
                        (b"usage", Some(v)) => values.push(("Memory use", "bytes", v)),
                        _ => {}
                    }
                }
                Ok(None) => break,
                Err(_) => return false,
            }
        }
        self.ledger.read += 1;
        match time {
            Some(time) if !values.is_empty() => {
                self.ledger.shown += 1;
                for (curve, unit, value) in values {
                    let curve = if curve == "CPU" { format!("CPU {cpu}") } else { curve.into() };
                    self.usage.entry((instance.clone(), curve, unit)).or_default().push((time, value));
                }
            }
            _ => self.ledger.skip(Severity::DataLoss, "bad_sample", "A sample has no time or no value.", offset, || shown(text)),
        }
        true
    }

    fn finish(mut self, member: &Member) -> Profile {
        let mut clocks = Clocks::default();
        self.events.iter().filter(|(e, _)| e.name == "timestamp_sync_point").for_each(|(e, _)| clocks.add(e));
        let mut builder = ProfileBuilder::new();
        let mut rows = Rows::default();
        let mut open: FxHashMap<(String, String), Vec<usize>> = FxHashMap::default();
        let events = std::mem::take(&mut self.events);
        let mut n_adjusted = 0u64;
        let mut times = Vec::with_capacity(events.len());
        for (event, _) in &events {
            let adjusted =
                (event.source() == Source::Hardware && event.name != "timestamp_sync_point").then(|| clocks.adjusted(event)).flatten();
            n_adjusted += u64::from(adjusted.is_some());
            times.push(adjusted.or(event.time).unwrap_or_default());
        }
        for (at, (event, record)) in events.iter().enumerate() {
            let track = rows.of(&mut builder, event);
            match event.phase {
                Phase::Whole => self.slice(&mut builder, track, event, *record, times[at], event.duration),
                Phase::Start => open.entry((event.tracking.clone(), event.name.clone())).or_default().push(at),
                Phase::Instant => {
                    let name = builder.strings.intern(&event.name);
                    builder.instant(track, times[at], name);
                }
                Phase::Stop => {
                    let Some(from) = open.get_mut(&(event.tracking.clone(), event.name.clone())).and_then(Vec::pop) else {
                        let reason = "A stop without a start of the same tracking id; it is not shown.";
                        self.ledger.shown -= 1;
                        self.ledger.skip(Severity::Warning, "stray_stop", reason, record.offset(), || event.name.clone());
                        continue;
                    };
                    let row = rows.of(&mut builder, &events[from].0);
                    let length = times[at].checked_sub(times[from]);
                    self.slice(&mut builder, row, &events[from].0, events[from].1, times[from], length);
                }
            }
        }
        for at in open.into_values().flatten() {
            let (event, record) = &events[at];
            let track = rows.of(&mut builder, event);
            let reason = "The event starts and never stops; it is shown without length.";
            self.ledger.skip(Severity::Warning, "missing_stop", reason, record.offset(), || event.name.clone());
            self.slice(&mut builder, track, event, *record, times[at], Some(0));
        }
        self.curves(&mut builder, &mut rows);
        self.freeze(builder, &clocks, n_adjusted, member)
    }

    fn slice(&mut self, builder: &mut ProfileBuilder, track: TrackId, event: &Event, record: RecordRef, start: i64, length: Option<i64>) {
        let duration = length.filter(|d| *d >= 0).unwrap_or_else(|| {
            let reason = "The event has no length, or stops before it starts; it is shown without length.";
            self.ledger.skip(Severity::Warning, "bad_duration", reason, record.offset(), || event.name.clone());
            0
        });
        let name = builder.strings.intern(&event.name);
        builder.slice(RawSlice { track, start, duration, name, record });
    }

    fn curves(&mut self, builder: &mut ProfileBuilder, rows: &mut Rows) {
        for ((instance, curve, unit), samples) in std::mem::take(&mut self.usage) {
            let parent = rows.host(builder, &instance);
            let track = builder.track(TrackSpec { parent: Some(parent), name: curve.clone(), kind: TrackKind::Counter, sort: 10 });
            let samples = samples.into_iter().map(|(t, v)| (t, vec![v])).collect();
            builder.counter(track, CounterSpec { unit: unit.into(), is_stacked: false, series: vec![curve], samples });
        }
    }

    fn freeze(self, mut builder: ProfileBuilder, clocks: &Clocks, n_adjusted: u64, member: &Member) -> Profile {
        let first = builder.first_time().unwrap_or(0);
        builder.shift(first.saturating_neg());
        let fact = |name: &str, value: String| Fact { group: "Clocks".into(), name: name.into(), value };
        let mut facts = vec![fact("Sync points", clocks.n_points.to_string())];
        if n_adjusted > 0 {
            facts.push(fact("Device events placed by them", n_adjusted.to_string()));
        }
        let residual = clocks.residual().map_or("not available: it takes two sync points of one execution".into(), |r| format!("{r} ns"));
        facts.push(fact("Residual", residual.clone()));
        if clocks.n_points > 0 {
            self.ledger.note(format!("Device events stand where the sync points put them; the largest residual is {residual}."));
        }
        let meta = Meta {
            format: super::ID.into(),
            title: file_name(&member.name).into(),
            origin_epoch_ns: Some(first),
            origin: "first event".into(),
            facts,
            not_available: vec!["Transfers between host and device with their bandwidth, and the executions table: not read yet.".into()],
            is_experimental: true,
            ..Meta::default()
        };
        builder.finish(meta).profile
    }
}

impl Sink for Reader<'_> {
    fn key(&mut self, key: &[u8], begins: u8) -> Take {
        self.section = key.to_vec();
        let is_known = matches!(key, b"trace_events" | b"events" | b"mem_usage" | b"cpu_util");
        match (is_known, begins) {
            (true, b'[') => Take::Records,
            (true, b'{') => Take::Value,
            _ => {
                if !matches!(key, b"data_version") {
                    let reason = "A root key that no published system profile has; it is not shown.";
                    self.ledger.skip(Severity::Info, "other_root_key", reason, 0, || unescape(key).into_owned());
                }
                Take::Skip
            }
        }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        if matches!(self.section.as_slice(), b"mem_usage" | b"cpu_util") { self.sample(text, offset) } else { self.event(text, offset) }
    }

    fn value(&mut self, _key: &[u8], text: &[u8], offset: u64) {
        // An object of kinds, each one record or a list of them.
        let mut cursor = Cursor::new(text);
        while let Ok(Some(_)) = cursor.key() {
            let Ok(value) = cursor.value() else {
                self.damaged(text, offset, Damage::Unreadable);
                return;
            };
            let records = match value {
                Value::List(list) => {
                    let mut items = Vec::new();
                    let mut inner = Cursor::new(list);
                    while let Ok(Some(item)) = inner.item() {
                        items.push(plain(item));
                    }
                    items
                }
                value => vec![plain(value)],
            };
            for record in records {
                let at = record.as_ptr() as usize - text.as_ptr() as usize;
                if !self.record(record, offset + at as u64) {
                    self.damaged(record, offset + at as u64, Damage::Unreadable);
                }
            }
        }
    }

    fn damaged(&mut self, text: &[u8], offset: u64, _damage: Damage) {
        self.ledger.read += 1;
        self.ledger.skip(Severity::DataLoss, "damaged_record", "A record cannot be read.", offset, || shown(text));
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(160)]).into_owned()
}
