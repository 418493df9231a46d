//! Slices in two records: `B` … `E` on a thread, `b` … `e` of one process, category and id.

use super::content::Pass;
use super::deferred::{End, Opener, beginning};
use super::event::Event;
use crate::base::Severity;
use crate::model::RecordRef;

impl Pass<'_> {
    pub(super) fn begin(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let thread = self.content.lanes.thread(event.pid, event.tid, &mut self.content.builder);
        let track = self.content.lanes.threads[thread].track;
        let slice = self.slice(event, text, offset, (track, time, 0), Some(thread));
        self.content.lanes.threads[thread].open.push(slice);
    }

    pub(super) fn end(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let content = &mut *self.content;
        let thread = content.lanes.thread(event.pid, event.tid, &mut content.builder);
        match content.lanes.threads[thread].open.pop() {
            Some(slice) => self.close(slice, text, offset, time),
            None => self.end_without_begin(Opener::Thread(thread), text, offset, time),
        }
    }

    pub(super) fn async_begin(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let (track, key) = self.async_key(event);
        let slice = self.slice(event, text, offset, (track, time, 0), None);
        let category = self.content.category;
        self.content.builder.set(category, slice, key.1.0);
        self.content.asyncs.open.entry(key).or_default().push(slice);
    }

    pub(super) fn async_end(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let (_, key) = self.async_key(event);
        match self.content.asyncs.open.get_mut(&key).and_then(Vec::pop) {
            Some(slice) => self.close(slice, text, offset, time),
            None => self.end_without_begin(Opener::Async(key), text, offset, time),
        }
    }

    pub(super) fn async_instant(&mut self, event: &Event<'_>, text: &[u8], offset: u64, time: i64) {
        let (track, _) = self.async_key(event);
        let name = self.content.intern(event.name);
        let record = RecordRef::new(0, offset, text.len() as u64);
        self.content.builder.instant(track, time, name, record);
        self.content.n_used += 1;
        self.content.last = self.content.last.max(time);
    }

    /// In a piece of a file, the beginning can be in the text before it.
    fn end_without_begin(&mut self, opener: Opener, text: &[u8], offset: u64, time: i64) {
        let n_bytes = text.len() as u64;
        match &mut self.content.deferred {
            Some(deferred) => deferred.push_end(|| End { opener, time, offset, n_bytes, text: beginning(text) }),
            None => self.unmatched_end(text, offset),
        }
    }

    /// Closes the slice that an end in a later piece of the file belongs to.
    pub(super) fn late_end(&mut self, end: &End) {
        let open = match end.opener {
            Opener::Thread(thread) => Some(&mut self.content.lanes.threads[thread].open),
            Opener::Async(key) => self.content.asyncs.open.get_mut(&key),
        };
        match open.and_then(Vec::pop) {
            Some(slice) => self.close_record(slice, &end.text, (end.offset, end.n_bytes), end.time),
            None => self.unmatched_end(&end.text, end.offset),
        }
    }

    fn close(&mut self, slice: u32, text: &[u8], offset: u64, time: i64) {
        self.close_record(slice, text, (offset, text.len() as u64), time);
    }

    fn close_record(&mut self, slice: u32, text: &[u8], (offset, n_bytes): (u64, u64), time: i64) {
        let content = &mut *self.content;
        if time < content.builder.raw(slice).0 {
            self.skip(Severity::Warning, "negative_duration", "The duration is negative; it is shown as 0.", offset, text);
        }
        let content = &mut *self.content;
        content.builder.end_slice(slice, time, RecordRef::new(0, offset, n_bytes));
        content.last = content.last.max(time);
        content.n_used += 1;
    }

    fn unmatched_end(&mut self, text: &[u8], offset: u64) {
        let reason = "The end of a slice without a start in the file.";
        self.skip(Severity::Warning, "unmatched_end", reason, offset, text);
    }
}
