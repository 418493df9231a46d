//! `system_profile.json` and events of the runtime's trace, record by record.

use super::event::Event;
use super::store::{Curve, Store};
use crate::base::{Ledger, Severity};
use crate::formats::json::split::Damage;
use crate::formats::json::{Cursor, Sink, Take, Value, number, unescape};
use crate::model::RecordRef;

/// Fills the store from one file.
pub(super) struct Reader<'a> {
    pub store: &'a mut Store,
    pub ledger: &'a mut Ledger,
    /// Position of the file in the claim.
    pub member: usize,
    pub section: Vec<u8>,
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
        let record = RecordRef::new(self.member, offset, text.len() as u64);
        self.store.event(&event, record, self.ledger, || shown(text));
        true
    }

    fn sample(&mut self, text: &[u8], offset: u64) -> bool {
        let mut cursor = Cursor::new(text);
        let (mut time, mut instance, mut cpu) = (None, String::new(), String::new());
        let (mut util, mut usage, mut share) = (None, None, None);
        loop {
            match cursor.key() {
                Ok(Some(key)) => {
                    let Ok(value) = cursor.value() else { return false };
                    let written = value.plain();
                    match key {
                        b"timestamp" => time = number::scaled(written, 0),
                        b"instance_id" => instance = unescape(written).into_owned(),
                        b"cpu_id" => cpu = unescape(written).into_owned(),
                        b"util" => util = number::float(written),
                        b"percent_usage" => share = number::float(written),
                        b"usage" => usage = number::float(written),
                        _ => {}
                    }
                }
                Ok(None) => break,
                Err(_) => return false,
            }
        }
        self.ledger.read += 1;
        let Some(time) = time.filter(|_| util.or(usage).or(share).is_some()) else {
            self.ledger.skip(Severity::DataLoss, "bad_sample", "A sample has no time or no value.", offset, || shown(text));
            return true;
        };
        self.ledger.shown += 1;
        if let Some(util) = util {
            self.store.sample(Curve::Cpu(instance.clone(), cpu), &[], time, vec![util]);
        }
        if let Some(usage) = usage {
            self.store.sample(Curve::HostMemory(instance.clone(), "Memory use", "bytes"), &[], time, vec![usage]);
        }
        if let Some(share) = share {
            self.store.sample(Curve::HostMemory(instance, "Memory use, share", "%"), &[], time, vec![share]);
        }
        true
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
                    let reason = "Undocumented root key; it is not shown.";
                    self.ledger.skip(Severity::Info, "other_root_key", reason, 0, || unescape(key).into_owned());
                }
                Take::Skip
            }
        }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        if matches!(self.section.as_slice(), b"mem_usage" | b"cpu_util") { self.sample(text, offset) } else { self.event(text, offset) }
    }

    /// A section that is an object: kinds, each with one record or a list of them.
    fn value(&mut self, _key: &[u8], text: &[u8], offset: u64) {
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
                        items.push(item.plain());
                    }
                    items
                }
                value => vec![value.plain()],
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

/// The beginning of a record.
pub(super) fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(160)]).into_owned()
}
