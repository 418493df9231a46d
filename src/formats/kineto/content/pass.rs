//! Adds records to the content.

use super::super::event::Event;
use super::{Class, PREVIEW_MAX, Pass};
use crate::base::colour_slots::by_index;
use crate::base::{Severity, StrId, TrackId};
use crate::formats::json::number;
use crate::model::torch::ABSENT;
use crate::model::{RawSlice, RawSliceId, RecordRef};

impl Pass<'_> {
    pub(in crate::formats::kineto) fn skip(&mut self, severity: Severity, kind: &str, reason: &str, offset: u64, text: &[u8]) {
        self.ledger.skip(severity, kind, reason, offset, || String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned());
    }

    #[inline]
    pub(in crate::formats::kineto) fn event(&mut self, event: &Event<'_>, text: &[u8], offset: u64) {
        self.content.n_records += 1;
        self.ledger.read += 1;
        if event.n_repaired > 0 {
            self.skip(
                Severity::Warning,
                "repaired_quotes",
                "A string contains unescaped quotes; it is read up to its likely end.",
                offset,
                text,
            );
        }
        match event.phase {
            b'M' => return self.metadata(event, text, offset),
            0 => {
                return self.skip(
                    Severity::DataLoss,
                    "missing_phase",
                    "The record has no `ph` field, so its type is unknown.",
                    offset,
                    text,
                );
            }
            b'X' | b'B' | b'E' | b'b' | b'e' | b'n' | b'S' | b'F' | b'T' | b'p' | b'i' | b'I' | b'R' | b'C' | b's' | b't' | b'f' => {}
            phase => {
                let kind = if phase == 1 { "phase_unknown".into() } else { format!("phase_{}", char::from(phase).escape_default()) };
                return self.skip(Severity::Info, &kind, "An event type that is not shown on the timeline.", offset, text);
            }
        }
        let Some(time) = event.ts.and_then(number::micros_to_nanos) else {
            let reason = "The record has no valid time `ts`, so it is not on the timeline.";
            return self.skip(Severity::DataLoss, "missing_ts", reason, offset, text);
        };
        match event.phase {
            b'X' => self.complete(event, text, offset, time),
            b'B' => self.begin(event, text, offset, time),
            b'E' => self.end(event, text, offset, time),
            b'b' | b'S' => self.async_begin(event, text, offset, time),
            b'e' | b'F' => self.async_end(event, text, offset, time),
            b'n' | b'T' | b'p' => self.async_instant(event, text, offset, time),
            b's' | b't' | b'f' => self.flow(event, text, offset, time),
            b'C' => self.counter(event, text, offset, time),
            _ => self.instant(event, text, offset, time),
        }
    }

    #[inline]
    pub(in crate::formats::kineto) fn complete(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let duration = event.dur.and_then(number::micros_to_nanos);
        if duration.is_none_or(|d| d < 0) {
            let (kind, reason) = match duration {
                Some(_) => ("negative_duration", "The duration is negative; it is shown as 0."),
                None => ("missing_duration", "The record has no valid duration `dur`; it is shown as 0."),
            };
            self.skip(Severity::Warning, kind, reason, offset, text);
        }
        let thread = self.content.lanes.thread(event.pid, event.tid, &mut self.content.builder);
        let track = self.content.lanes.threads[thread].track;
        let duration = duration.unwrap_or(0).max(0);
        self.content.tables.has_text_thread_ids |= event.is_tid_text && event.external_id == b"0";
        self.slice(event, text, offset, (track, time, duration), Some(thread));
    }

    /// Writes a slice on (track, start, duration).
    #[inline]
    pub(in crate::formats::kineto) fn slice(
        &mut self,
        event: &Event<'_>,
        text: &[u8],
        offset: u64,
        (track, start, duration): (TrackId, i64, i64),
        thread: Option<usize>,
    ) -> RawSliceId {
        let content = &mut *self.content;
        let name = content.intern(event.name);
        let (cat, class) = thread.map_or((StrId(0), Class::Other), |t| content.cat(event.cat, t));
        let record = RecordRef::new(0, offset, text.len() as u64);
        let slice = content.builder.slice(RawSlice { track, start, duration, name, record });
        content.builder.set(content.category, slice, cat.0);
        if !event.input_dims.is_empty() {
            let shape = content.intern_nested(event.input_dims);
            content.builder.set(content.shape, slice, shape.0);
        }
        let ids = [(content.correlation, event.correlation), (content.external_id, event.external_id)];
        for (column, raw) in ids.into_iter().filter(|(_, raw)| !raw.is_empty()) {
            match number::unsigned(raw).and_then(|id| u32::try_from(id).ok()).filter(|id| *id != ABSENT) {
                Some(id) => content.builder.set(column, slice, id),
                None => {
                    let reason = "A correlation or external id is not a whole number below 2^32 - 1; the slice is shown without it.";
                    self.ledger.skip(Severity::Info, "odd_id", reason, offset, || String::from_utf8_lossy(raw).into_owned());
                }
            }
        }
        if thread.is_some() {
            content.tabulate(event, slice, class);
        }
        content.last = content.last.max(start.saturating_add(duration));
        if let Some(thread) = thread.filter(|_| content.n_preview < PREVIEW_MAX) {
            content.n_preview += 1;
            content.preview.slices.push((thread as u32, start, duration, by_index(name.index())));
        }
        slice
    }
}
