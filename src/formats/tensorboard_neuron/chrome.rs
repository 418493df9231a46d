//! Chrome records of the plugin's timelines: rows and slices out of the text.

use super::deferred::Deferred;
use super::recent::{Names, Rows};
use super::record::entry;
use crate::base::{Ledger, Severity, StrId, TrackId};
use crate::formats::json::split::Damage;
use crate::formats::json::{RootKeyAction, Sink, number, unescape};
use crate::formats::kineto::event::{Event, Known};
use crate::formats::progress::Lanes;
use crate::formats::wording;
use crate::model::{ProfileBuilder, RawSlice, RawSliceId, RecordRef, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Everything a timeline fills. What is skipped on its way between programs is not in a piece of a file, or is found again.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Chrome {
    /// Tracks and slices.
    pub builder: ProfileBuilder,
    /// Members of fused slices.
    pub fused: Vec<(RawSliceId, Vec<StrId>)>,
    /// Rows: (process, thread) names, by track.
    #[serde(skip)]
    pub rows: Vec<Row>,
    /// `neuronStartTimestampNs`.
    #[serde(skip)]
    pub start_epoch_ns: Option<i64>,
    /// Position of the member that is read.
    #[serde(skip)]
    pub member: usize,
    /// Records read so far.
    pub n_records: u64,
    /// What was read and skipped; who feeds this swaps in the import's own.
    pub ledger: Ledger,
    /// Lanes to draw while reading.
    #[serde(skip)]
    pub preview: Lanes,
    /// Of a piece of the file: what depends on the text before it.
    pub deferred: Option<Deferred>,
    pub(super) processes: FxHashMap<Vec<u8>, (TrackId, String)>,
    #[serde(skip)]
    known: Known,
    #[serde(skip)]
    names: Names,
    #[serde(skip)]
    recent: Rows,
    /// Keyed by process, then by thread.
    pub(super) threads: FxHashMap<Vec<u8>, FxHashMap<Vec<u8>, TrackId>>,
    pub(super) open: FxHashMap<TrackId, Vec<RawSliceId>>,
}

/// A track as its metadata name it.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// Process it belongs to.
    pub process: Vec<u8>,
    /// Its name; empty when the file gives none.
    pub name: String,
    /// Whether it is a process itself.
    pub is_process: bool,
}

impl Chrome {
    /// What a piece of a file fills.
    pub fn of_piece() -> Self {
        Chrome { deferred: Some(Deferred::default()), ..Chrome::default() }
    }

    /// One record; `false` when it cannot be read.
    pub fn text(&mut self, text: &[u8], offset: u64) -> bool {
        let Ok(event) = Event::read(text, &mut self.known) else {
            return false;
        };
        if self.depends(&event)
            && let Some(deferred) = &mut self.deferred
        {
            deferred.record(text, offset);
            return true;
        }
        self.ledger.read += 1;
        self.n_records += 1;
        let record = RecordRef::new(self.member, offset, text.len() as u64);
        match event.phase {
            b'X' | b'B' => self.slice(&event, text, record),
            b'E' => self.end(&event, record, offset),
            b'M' => self.metadata(&event),
            b'i' | b'I' | b'R' => self.instant(&event, text, record),
            _ => {
                let reason = "A record with a phase that the plugin does not write; it is not shown.";
                self.ledger.skip(Severity::Info, "other_phase", reason, offset, || shown(text));
            }
        }
        true
    }

    /// Whether a record of a piece depends on the text before it: a name, or the end of a slice that begins there. Its rows are made here, in the
    /// order in which they are first seen.
    fn depends(&mut self, event: &Event<'_>) -> bool {
        if self.deferred.is_none() {
            return false;
        }
        match (event.phase, event.name) {
            (b'M', b"process_name" | b"process_sort_index") => drop(self.process(event.pid)),
            (b'M', b"thread_name" | b"thread_sort_index") => drop(self.thread(event.pid, event.tid)),
            (b'E', _) => {
                let track = self.thread(event.pid, event.tid);
                return self.open.get(&track).is_none_or(Vec::is_empty);
            }
            _ => (),
        }
        event.phase == b'M'
    }

    fn slice(&mut self, event: &Event<'_>, text: &[u8], record: RecordRef) {
        let Some(start) = self.time(event, text, record.offset()) else {
            return;
        };
        let duration = match event.dur.map(number::micros_to_nanos) {
            Some(Some(d)) if d >= 0 => d,
            _ if event.phase == b'B' => 0,
            _ => {
                let reason = "The duration is missing, negative or not a number; the slice is shown without duration.";
                self.ledger.skip(Severity::Warning, "bad_duration", reason, record.offset(), || shown(text));
                0
            }
        };
        let track = self.thread(event.pid, event.tid);
        let name = self.names.id(event.name, &mut self.builder.strings);
        let slice = self.builder.slice(RawSlice { track, start, duration, name, record });
        self.ledger.shown += 1;
        if self.deferred.is_none() {
            self.preview.slice(track, (start, duration), name);
        }
        if event.phase == b'B' {
            self.open.entry(track).or_default().push(slice);
        }
        if event.args_text.len() > b"{}".len()
            && let Some(value) = entry(event.args_text, b"fused")
        {
            let members = super::keys::members(value);
            let ids = members.iter().map(|m| self.builder.strings.intern(m)).collect();
            self.fused.push((slice, ids));
        }
    }

    fn end(&mut self, event: &Event<'_>, record: RecordRef, offset: u64) {
        let track = self.thread(event.pid, event.tid);
        let time = event.ts.and_then(number::micros_to_nanos);
        match (self.open.entry(track).or_default().pop(), time) {
            (Some(slice), Some(end)) => {
                self.builder.end_slice(slice, end, record);
                self.ledger.shown += 1;
            }
            _ => self.ledger.skip(Severity::Warning, "stray_end", "An end event without a start event.", offset, String::new),
        }
    }

    fn instant(&mut self, event: &Event<'_>, text: &[u8], record: RecordRef) {
        if let Some(time) = self.time(event, text, record.offset()) {
            let track = self.thread(event.pid, event.tid);
            let name = self.builder.strings.intern(&unescape(event.name));
            self.builder.instant(track, time, name, record);
            self.ledger.shown += 1;
        }
    }

    fn time(&mut self, event: &Event<'_>, text: &[u8], offset: u64) -> Option<i64> {
        let time = event.ts.and_then(number::micros_to_nanos);
        if time.is_none() {
            let reason = "The record has no numeric start time.";
            self.ledger.skip(Severity::DataLoss, "missing_ts", reason, offset, || shown(text));
        }
        time
    }

    fn metadata(&mut self, event: &Event<'_>) {
        self.ledger.shown += 1;
        let text = |key: &[u8]| entry(event.args_text, key).map(|v| unescape(v.plain()).into_owned());
        let order = || entry(event.args_text, b"sort_index").and_then(|v| number::scaled(v.plain(), 0));
        match event.name {
            b"process_name" => {
                if let Some(name) = text(b"name") {
                    let track = self.process(event.pid);
                    self.rows[track.index()].name.clone_from(&name);
                    self.builder.track_mut(track).name = name;
                }
            }
            b"thread_name" => {
                let track = self.thread(event.pid, event.tid);
                if let Some(name) = text(b"name") {
                    self.rows[track.index()].name.clone_from(&name);
                    if !name.trim().is_empty() {
                        self.builder.track_mut(track).name = name;
                    }
                }
            }
            b"process_sort_index" => {
                let track = self.process(event.pid);
                if let Some(order) = order() {
                    self.builder.track_mut(track).sort = order;
                }
            }
            b"thread_sort_index" => {
                let track = self.thread(event.pid, event.tid);
                if let Some(order) = order() {
                    self.builder.track_mut(track).sort = order;
                }
            }
            _ => {}
        }
    }

    pub(super) fn process(&mut self, pid: &[u8]) -> TrackId {
        if let Some((track, _)) = self.processes.get(pid) {
            return *track;
        }
        let name = format!("Process {}", unescape(pid));
        let sort = number::scaled(pid, 0).unwrap_or(self.rows.len() as i64);
        let track = self.builder.track(TrackSpec { parent: None, name: name.clone(), kind: TrackKind::Group, sort });
        self.rows.push(Row {
            process: pid.to_vec(),
            name: if pid.first() == Some(&b'/') { String::from_utf8_lossy(pid).into() } else { String::new() },
            is_process: true,
        });
        self.processes.insert(pid.to_vec(), (track, name));
        track
    }

    #[inline]
    fn thread(&mut self, pid: &[u8], tid: &[u8]) -> TrackId {
        if let Some(track) = self.recent.find(pid, tid) {
            return track;
        }
        let track = self.find_thread(pid, tid);
        self.recent.keep(pid, tid, track);
        track
    }

    pub(super) fn find_thread(&mut self, pid: &[u8], tid: &[u8]) -> TrackId {
        if let Some(track) = self.threads.get(pid).and_then(|of_process| of_process.get(tid)) {
            return *track;
        }
        let parent = self.process(pid);
        let is_number = number::scaled(tid, 0);
        let name = if is_number.is_some() { String::new() } else { unescape(tid).into_owned() };
        // Rows without a name are levels of the hierarchy, in the order of their ids.
        let sort = is_number.unwrap_or(self.rows.len() as i64);
        let shown = if name.is_empty() { format!("Row {}", unescape(tid)) } else { name.clone() };
        let track = self.builder.track(TrackSpec { parent: Some(parent), name: shown, kind: TrackKind::Thread, sort });
        self.rows.push(Row { process: pid.to_vec(), name, is_process: false });
        self.threads.entry(pid.to_vec()).or_default().insert(tid.to_vec(), track);
        track
    }

    /// Name of a row's process.
    pub fn process_name(&self, row: &Row) -> &str {
        self.processes.get(&row.process).map_or("", |(track, name)| {
            let named = &self.rows[track.index()].name;
            if named.is_empty() { name } else { named }
        })
    }
}

impl Sink for Chrome {
    fn key(&mut self, key: &[u8], begins: u8, _: u64) -> RootKeyAction {
        match key {
            b"traceEvents" => RootKeyAction::Records,
            b"" if begins == b'[' => RootKeyAction::Records,
            _ => RootKeyAction::Value,
        }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        self.text(text, offset)
    }

    fn value(&mut self, key: &[u8], text: &[u8], offset: u64) {
        if let Some(deferred) = &mut self.deferred {
            return deferred.value(key, text, offset);
        }
        match key {
            b"neuronStartTimestampNs" => self.start_epoch_ns = number::scaled(text.trim_ascii().trim_ascii_start(), 0),
            b"displayTimeUnit" => {}
            _ => {
                let reason = "A root key that the plugin does not write; it is not shown.";
                self.ledger.skip(Severity::Info, "other_root_key", reason, offset, || format!("{}: {}", unescape(key), shown(text)));
            }
        }
    }

    fn damaged(&mut self, text: &[u8], offset: u64, damage: Damage) {
        let reason = match damage {
            Damage::Truncated => wording::RECORD_TRUNCATED,
            Damage::TooLong => wording::RECORD_TOO_LONG,
            _ => "The record cannot be read.",
        };
        self.ledger.read += 1;
        self.ledger.skip(Severity::DataLoss, "damaged_record", reason, offset, || shown(text));
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned()
}
