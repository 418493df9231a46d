//! `system_profile.json` in either spelling, and events of the runtime's trace, record by record.

use crate::base::{Ledger, Severity};
use crate::formats::json::split::Damage;
use crate::formats::json::{Cursor, RootKeyAction, Sink, Value, number, unescape};
use crate::formats::neuron_json::tables::{Tables, cell};
use crate::formats::neuron_json::value::{Raw, fields};
use crate::formats::system_events::{Curve, Event, EventKeys, HbmNames, Store};
use crate::model::system::DeviceProfile;
use crate::model::{Cell, RecordRef};

/// What a section of the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Events,
    /// Use of CPUs or of host memory.
    Host,
    Hbm,
    Metadata,
    DeviceProfiles,
    /// Not known by its name: events if its first record has a name and a time, else a table.
    Undecided,
    Table,
}

impl Section {
    /// By the name of the section: profilers before mid-2026 write plurals, later ones the singular.
    fn of(key: &[u8]) -> Section {
        match key {
            b"trace_events" | b"trace_event" | b"events" => Section::Events,
            b"mem_usage" | b"host_mem_usage" | b"cpu_util" => Section::Host,
            b"device_mem_usage" => Section::Hbm,
            b"system_profile_metadata" => Section::Metadata,
            b"device_profile_list" => Section::DeviceProfiles,
            _ => Section::Undecided,
        }
    }
}

/// Fills the store from one file.
pub(super) struct Reader<'a> {
    store: &'a mut Store,
    pub(super) ledger: &'a mut Ledger,
    tables: &'a mut Tables,
    /// Position of the file in the claim.
    member: usize,
    section: Section,
    section_name: String,
    keys: EventKeys,
    hbm: HbmNames,
    /// Values of the root that are no section.
    root: Vec<(String, Cell)>,
}

impl<'a> Reader<'a> {
    /// A reader of the file `member` of the claim.
    pub fn new(store: &'a mut Store, tables: &'a mut Tables, ledger: &'a mut Ledger, member: usize) -> Self {
        let (keys, hbm) = (EventKeys::default(), HbmNames::default());
        Reader { store, ledger, tables, member, section: Section::Table, section_name: String::new(), keys, hbm, root: Vec::new() }
    }

    /// The file is read.
    pub fn finish(self) {
        if !self.root.is_empty() {
            self.tables.row("root", self.root.iter().map(|(key, cell)| (key.as_str(), cell.clone())));
        }
    }

    fn event(&mut self, text: &[u8], offset: u64) -> bool {
        let Some(mut event) = Event::read(text, &mut self.keys) else {
            return false;
        };
        // `{"Neuron_Runtime_API_Event": {…}}`: the record is under its kind.
        if event.time.is_none() && event.name.is_empty() {
            let mut cursor = Cursor::new(text);
            if let (Ok(Some(_)), Ok(Value::Object(inner))) = (cursor.key(), cursor.value()) {
                event = Event::read(inner, &mut self.keys).unwrap_or_default();
            }
        }
        let record = RecordRef::new(self.member, offset, text.len() as u64);
        self.store.event(&event, record, self.ledger, || shown(text));
        true
    }

    /// A sample of a CPU or of the host's memory.
    fn host(&mut self, text: &[u8], offset: u64) -> bool {
        let (mut time, mut instance, mut cpu) = (None, String::new(), String::new());
        let (mut util, mut usage, mut share) = (None, None, None);
        let is_whole = entries(text, |key, written| match key {
            b"timestamp" => time = number::scaled(written, 0),
            b"instance_id" => instance = unescape(written).into_owned(),
            b"cpu_id" => cpu = unescape(written).into_owned(),
            b"util" | b"util_percent" => util = number::float(written),
            b"percent_usage" | b"used_percent" => share = number::float(written),
            b"usage" | b"used_bytes" => usage = number::float(written),
            _ => {}
        });
        if !is_whole {
            return false;
        }
        let Some(time) = self.sample_time(time.filter(|_| util.or(usage).or(share).is_some()), text, offset) else {
            return true;
        };
        const ONE: &[&str] = &[];
        if let Some(util) = util {
            self.store.sample(Curve::Cpu(instance.clone(), cpu), ONE, time, vec![util]);
        }
        if let Some(usage) = usage {
            self.store.sample(Curve::HostMemory(instance.clone(), "Memory use", "bytes"), ONE, time, vec![usage]);
        }
        if let Some(share) = share {
            self.store.sample(Curve::HostMemory(instance, "Memory use, share", "%"), ONE, time, vec![share]);
        }
        true
    }

    /// A sample of an HBM.
    fn hbm(&mut self, text: &[u8], offset: u64) -> bool {
        let (mut time, mut instance, mut device, mut hbm, mut total) = (None, String::new(), 0, 0, None);
        let mut values: Vec<f64> = Vec::new();
        let names = &mut self.hbm;
        let is_whole = entries(text, |key, written| match key {
            b"timestamp" => time = number::scaled(written, 0),
            b"instance_id" => instance = unescape(written).into_owned(),
            b"device_idx" => device = number::scaled(written, 0).unwrap_or(0),
            b"hbm_idx" => hbm = number::scaled(written, 0).unwrap_or(0),
            b"total_bytes" => total = number::float(written),
            key => {
                let place = number::float(written).zip(names.place(&unescape(key)));
                if let Some((value, at)) = place {
                    values.resize(values.len().max(at + 1), 0.0);
                    values[at] = value;
                }
            }
        });
        if !is_whole {
            return false;
        }
        if let Some(time) = self.sample_time(time.filter(|_| total.is_some() || !values.is_empty()), text, offset) {
            values.resize(self.hbm.all().len(), 0.0);
            HbmNames::add_rest(&mut values, total);
            self.store.sample(Curve::Hbm(instance, device, hbm), self.hbm.all(), time, values);
        }
        true
    }

    /// Counts a sample; the time of one that is shown.
    fn sample_time(&mut self, time: Option<i64>, text: &[u8], offset: u64) -> Option<i64> {
        self.ledger.read += 1;
        match time {
            Some(_) => self.ledger.shown += 1,
            None => self.ledger.skip(Severity::DataLoss, "bad_sample", "A sample has no time or no value.", offset, || shown(text)),
        }
        time
    }

    fn metadata(&mut self, text: &[u8]) {
        entries(text, |key, written| {
            if key == b"hbm_capacity_bytes" {
                self.store.hbm_capacity = number::unsigned(written).filter(|n| *n > 0).or(self.store.hbm_capacity);
            }
        });
    }

    fn device_profile(&mut self, text: &[u8]) {
        let mut profile = DeviceProfile::default();
        entries(text, |key, written| {
            let word = || unescape(written).into_owned();
            match key {
                b"device_profile_name" => profile.name = word(),
                b"instance_id" => profile.instance = word(),
                b"process_id" => profile.process = word(),
                b"nc_id" | b"nc_idx" => profile.core = word(),
                _ => {}
            }
        });
        if !profile.name.is_empty() {
            self.store.device_profiles.push(profile);
        }
    }

    /// A record as a row of the table of its section.
    fn row(&mut self, text: &[u8], offset: u64) -> bool {
        let Some(fields) = std::str::from_utf8(text).ok().and_then(|t| fields(t).ok()) else {
            return false;
        };
        self.ledger.read += 1;
        if self.tables.push(&self.section_name, &fields) {
            self.ledger.shown += 1;
        } else {
            let reason = "The tables exceed the memory limit: further rows are counted but not shown.";
            self.ledger.skip(Severity::DataLoss, "table_too_long", reason, offset, || self.section_name.clone());
        }
        true
    }

    /// Whether a section that is not known by its name holds events, by its first record.
    fn decide(&mut self, text: &[u8]) -> Section {
        match Event::read(text, &mut self.keys) {
            Some(event) if event.time.is_some() && !event.name.is_empty() => Section::Events,
            _ => Section::Table,
        }
    }
}

/// Calls `each` for every entry of an object, with its key and its value as written; `null` is no value. Whether the object is whole.
fn entries<'a>(text: &'a [u8], mut each: impl FnMut(&'a [u8], &'a [u8])) -> bool {
    if text.first() != Some(&b'{') {
        return false;
    }
    let mut cursor = Cursor::new(text);
    loop {
        match cursor.key() {
            Ok(Some(key)) => match cursor.value() {
                Ok(Value::Bare(b"null")) => (),
                Ok(value) => each(key, value.plain()),
                Err(_) => return false,
            },
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

impl Sink for Reader<'_> {
    fn key(&mut self, key: &[u8], begins: u8, _: u64) -> RootKeyAction {
        self.section = Section::of(key);
        self.section_name = unescape(key).into_owned();
        if begins == b'[' { RootKeyAction::Records } else { RootKeyAction::Value }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        if self.section == Section::Undecided {
            self.section = self.decide(text);
        }
        match self.section {
            Section::Events => self.event(text, offset),
            Section::Host => self.host(text, offset),
            Section::Hbm => self.hbm(text, offset),
            Section::Table | Section::Undecided => self.row(text, offset),
            Section::Metadata => {
                self.metadata(text);
                self.row(text, offset)
            }
            Section::DeviceProfiles => {
                self.device_profile(text);
                self.row(text, offset)
            }
        }
    }

    /// A section that is an object: kinds, each with one record or a list of them. One of which only the name is not known is a row, and what
    /// is no section a cell.
    fn value(&mut self, key: &[u8], text: &[u8], offset: u64) {
        if text.first() != Some(&b'{') {
            let value = std::str::from_utf8(text).map_or(Cell::Absent, |text| cell(Raw(text)));
            self.root.push((unescape(key).into_owned(), value));
            return;
        }
        if !matches!(self.section, Section::Events | Section::Host | Section::Hbm) {
            if !self.record(text, offset) {
                self.damaged(text, offset, Damage::Unreadable);
            }
            return;
        }
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
