//! Records that are no slices: times, counter samples, ends of arrows, names.

use super::content::{Content, Pass};
use super::event::Event;
use super::flows::FlowEnd;
use super::lanes::{AFTER_THREADS, Naming};
use crate::base::{Severity, StrId, TrackId};
use crate::formats::json::{Cursor, Value, number, unescape};
use crate::model::{RecordRef, TrackKind, TrackSpec};

impl Pass<'_> {
    pub(super) fn instant(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let content = &mut *self.content;
        let thread = content.lanes.thread(event.pid, event.tid, &mut content.builder);
        let track = content.lanes.threads[thread].track;
        let name = content.intern(event.name);
        content.cat(event.cat, thread);
        let record = RecordRef::new(0, offset, text.len() as u64);
        if event.name == b"[memory]" {
            content.has_torch_marks = true;
            if event.phase == b'i' {
                content.allocation(&event.args, track, time, record);
            }
        }
        if event.name == b"Record Window End" {
            content.has_torch_marks = true;
            return match &mut content.deferred {
                Some(deferred) => deferred.push_window_end(track, time, name, record, text),
                None => self.window_end((track, time, name, record), text),
            };
        }
        content.builder.instant(track, time, name, record);
        content.n_used += 1;
        content.last = content.last.max(time);
    }

    /// The end of the recording according to the profiler.
    pub(super) fn window_end(&mut self, end: (TrackId, i64, StrId, RecordRef), text: &[u8]) {
        if let Some((_, _, _, before)) = self.content.window_end.replace(end) {
            let reason = "Only the last of several `Record Window End` events counts.";
            self.skip(Severity::Info, "window_end", reason, before.offset(), text);
        }
    }

    pub(super) fn counter(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let content = &mut *self.content;
        let process = content.lanes.process(event.pid, &mut content.builder);
        let parent = content.lanes.processes[process].track;
        let key = (process, content.intern(event.name), content.intern(event.id));
        let sampled = content.counters.sample(key, parent, time, event.args_text, &mut content.builder);
        content.last = content.last.max(time);
        content.n_used += u64::from(sampled.n_values > 0);
        if sampled.n_values == 0 {
            self.skip(Severity::DataLoss, "counter_without_values", "The counter sample has no number.", offset, text);
        } else if sampled.n_other > 0 {
            self.skip(Severity::Info, "counter_other_args", "Args of a counter sample that are not numbers.", offset, text);
        }
        if sampled.n_beyond > 0 {
            self.skip(Severity::DataLoss, "counter_series", "Series beyond the 64 that one counter can have.", offset, text);
        }
    }

    pub(super) fn flow(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        if event.id.is_empty() {
            return self.skip(Severity::Warning, "flow_without_id", "The flow has no id, so its other end is unknown.", offset, text);
        }
        let content = &mut *self.content;
        let thread = content.lanes.thread(event.pid, event.tid, &mut content.builder);
        let track = content.lanes.threads[thread].track;
        let kind = if event.cat.is_empty() { content.intern(event.name) } else { content.cat(event.cat, thread).0 };
        let id = id_number(event.id, content);
        content.flows.push(FlowEnd::new(kind, id, track, time, event.phase));
    }

    pub(super) fn metadata(&mut self, event: &Event<'_>, text: &[u8], offset: u64) {
        let content = &mut *self.content;
        let (of_process, key): (bool, &[u8]) = match event.name {
            b"process_name" => (true, b"name"),
            b"process_labels" => (true, b"labels"),
            b"process_sort_index" => (true, b"sort_index"),
            b"thread_name" => (false, b"name"),
            b"thread_sort_index" => (false, b"sort_index"),
            _ => return self.skip(Severity::Info, "metadata", "Metadata that is not shown on the timeline.", offset, text),
        };
        let Some(naming) = naming(event.args_text, key) else {
            return self.skip(Severity::Info, "metadata", "Metadata that is not shown on the timeline.", offset, text);
        };
        if of_process {
            let process = content.lanes.process(event.pid, &mut content.builder);
            content.lanes.name_process(process, naming);
        } else {
            let thread = content.lanes.thread(event.pid, event.tid, &mut content.builder);
            content.lanes.name_thread(thread, naming);
        }
        content.n_used += 1;
    }

    /// The track of asynchronous events of a category, and the key of those that share an id.
    pub(super) fn async_key(&mut self, event: &Event<'_>) -> (TrackId, (usize, StrId, u64)) {
        let content = &mut *self.content;
        let process = content.lanes.process(event.pid, &mut content.builder);
        let cat = content.intern(event.cat);
        let parent = Some(content.lanes.processes[process].track);
        let name = if event.cat.is_empty() { "async".into() } else { unescape(event.cat).into_owned() };
        let builder = &mut content.builder;
        let spec = TrackSpec { parent, name, kind: TrackKind::Async, sort: AFTER_THREADS - 1 };
        let track = *content.asyncs.tracks.entry((process, cat)).or_insert_with(|| builder.track(spec));
        let id = id_number(event.id, content);
        (track, (process, cat, id))
    }
}

/// An id as a number. Texts are interned and get a range of their own.
fn id_number(raw: &[u8], content: &mut Content) -> u64 {
    match number::unsigned(raw).filter(|n| *n < 1 << 63) {
        Some(n) => n,
        None => 1 << 63 | u64::from(content.lanes.ids.intern(&unescape(raw)).0),
    }
}

fn naming(args: &[u8], want: &[u8]) -> Option<Naming> {
    let mut cursor = Cursor::new(args);
    while let Ok(Some(key)) = cursor.key() {
        let value = cursor.value().ok()?;
        if key == want {
            return match value {
                Value::Text(text) | Value::Bare(text) if want == b"sort_index" => number::scaled(text, 0).map(Naming::Sort),
                Value::Text(text) | Value::Bare(text) if want == b"labels" => Some(Naming::Labels(unescape(text).into_owned())),
                Value::Text(text) | Value::Bare(text) => Some(Naming::Name(unescape(text).into_owned())),
                _ => None,
            };
        }
    }
    None
}
