//! A trace of the framework (`trace.json` of torch or JAX) beside a system profile: its slices, on the same clock.

use super::json::shown;
use crate::base::{DurationNs, Ledger, Severity, text};
use crate::formats::json::split::Damage;
use crate::formats::json::{Cursor, RootKeyAction, Sink, number, unescape};
use crate::formats::system_events::{Event, Store, StoredEvent};
use crate::model::RecordRef;

/// Fills the store from one trace.
pub(super) struct Framework<'a> {
    pub store: &'a mut Store,
    pub ledger: &'a mut Ledger,
    /// Position of the file in the claim.
    pub member: usize,
    /// Name of the file.
    pub name: &'a str,
    /// Events of the store before this trace.
    n_before: usize,
    /// What newer traces count from, epoch nanoseconds.
    base_ns: i64,
    /// Records that are no slices.
    n_other: u64,
}

impl<'a> Framework<'a> {
    pub fn new(store: &'a mut Store, ledger: &'a mut Ledger, member: usize, name: &'a str) -> Self {
        let n_before = store.stored.len();
        Framework { store, ledger, member, name, n_before, base_ns: 0, n_other: 0 }
    }

    fn slice(&mut self, text: &[u8], offset: u64) -> Option<()> {
        let mut event = Event { source: "framework".into(), ..Event::default() };
        // With one server the trace belongs to it; with several it is unknown.
        if let [only] = self.store.instances.as_slice() {
            event.instance = only.clone().into();
        }
        let mut phase = 0;
        let mut cursor = Cursor::new(text);
        while let Some(key) = cursor.key().ok()? {
            let written = cursor.value().ok()?.plain();
            match key {
                b"ph" => phase = written.first().copied().unwrap_or(0),
                b"name" => event.name = unescape(written),
                b"pid" => event.process = unescape(written),
                b"tid" => event.thread = unescape(written),
                b"ts" => event.time = number::micros_to_nanos(written),
                b"dur" => event.duration = number::micros_to_nanos(written),
                _ => {}
            }
        }
        if phase == b'X' {
            let record = RecordRef::new(self.member, offset, text.len() as u64);
            self.store.event(&event, record, self.ledger, || shown(text));
        } else {
            self.ledger.read += 1;
            self.n_other += 1;
        }
        Some(())
    }

    /// The trace is read: puts it on the clock of the system profile.
    pub fn finish(self) {
        let (before, own) = self.store.stored.split_at_mut(self.n_before);
        own.iter_mut().for_each(|e| e.time = e.time.saturating_add(self.base_ns));
        if self.n_other > 0 {
            let reason = "Records of the framework trace that are not slices. Open the trace separately to see them.";
            self.ledger.skip_n(Severity::Info, "framework_other", reason, self.n_other, 0, || self.name.into());
        }
        let bounds = |events: &[StoredEvent]| {
            let ends = events.iter().map(|e| e.time.saturating_add(e.duration.unwrap_or(0).max(0))).max();
            events.iter().map(|e| e.time).min().zip(ends)
        };
        let (Some(recorded), Some(system)) = (bounds(own), bounds(before)) else {
            return;
        };
        if recorded.0 <= system.1 && recorded.1 >= system.0 {
            self.ledger.note(format!("`{}` records wall-clock time like the host events: it is on the same clock.", self.name));
            return;
        }
        let apart = system.0.saturating_sub(recorded.0);
        own.iter_mut().for_each(|e| e.time = e.time.saturating_add(apart));
        self.ledger.note(format!(
            "`{}` uses another time origin ({} away): its first slice is placed at the first event, and its times are not comparable with the other events.",
            self.name,
            text::duration(DurationNs(apart.saturating_abs()))
        ));
    }
}

impl Sink for Framework<'_> {
    fn key(&mut self, key: &[u8], begins: u8, _: u64) -> RootKeyAction {
        match key {
            b"traceEvents" => RootKeyAction::Records,
            b"" if begins == b'[' => RootKeyAction::Records,
            b"baseTimeNanoseconds" => RootKeyAction::Value,
            _ => RootKeyAction::Skip,
        }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        self.slice(text, offset).is_some()
    }

    fn value(&mut self, _key: &[u8], text: &[u8], _offset: u64) {
        self.base_ns = number::scaled(text.trim_ascii(), 0).unwrap_or(0);
    }

    fn damaged(&mut self, text: &[u8], offset: u64, _damage: Damage) {
        self.ledger.read += 1;
        self.ledger.skip(Severity::DataLoss, "damaged_record", "A record cannot be read.", offset, || shown(text));
    }
}
