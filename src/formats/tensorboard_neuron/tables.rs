//! `{"ops": [record], "total_time": N}`, or a list alone: operators as the plugin lists them, their keys matched by meaning.

use super::keys::{Meaning, meaning, members};
use super::listed;
use super::values::{Raw, cell, raw_time, text};
use crate::base::Order as _;
use crate::base::{Ledger, Severity};
use crate::formats::json::split::Damage;
use crate::formats::json::{Cursor, RootKeyAction, Sink, Value, number, unescape};
use crate::model::neuron_log::{OpRecord, OpTable};
use crate::model::{Cell, GenericTable};
use rustc_hash::FxHashMap;

/// Reads a table record by record.
pub(super) struct Reader<'l> {
    ledger: &'l mut Ledger,
    /// Keys in order of occurrence, with their meaning and their position among the further columns.
    keys: FxHashMap<String, (Option<Meaning>, usize)>,
    table: OpTable,
    times: Vec<Option<Raw>>,
    /// Nanoseconds per unit of the time key, if it has a unit.
    unit: Option<i64>,
    total: Option<Raw>,
    /// Every key and cell, for the unchanged table.
    raw: GenericTable,
    places: FxHashMap<String, usize>,
    /// What the columns are called, where records are rows of a list; `None` before the first such row.
    headings: Option<Vec<String>>,
    /// The list was found.
    pub has_ops: bool,
}

impl<'l> Reader<'l> {
    pub fn new(id: &str, ledger: &'l mut Ledger) -> Self {
        let raw = GenericTable { id: id.into(), ..GenericTable::default() };
        Reader {
            ledger,
            keys: FxHashMap::default(),
            table: OpTable::default(),
            times: Vec::new(),
            unit: None,
            total: None,
            raw,
            places: FxHashMap::default(),
            headings: None,
            has_ops: false,
        }
    }

    /// The interpreted table and the unchanged one.
    pub fn finish(mut self) -> (OpTable, GenericTable) {
        self.settle_time();
        let n = self.table.columns.len();
        self.table.rows.iter_mut().for_each(|r| r.more.resize(n, Cell::Absent));
        for (key, (meaning, _)) in sorted(&self.keys) {
            let taken = match meaning {
                Some(Meaning::Name) => "the name",
                Some(Meaning::Occurrences) => "the occurrences",
                Some(Meaning::Device) => "the device",
                Some(Meaning::Core) => "the NeuronCore",
                Some(Meaning::Time(_)) => "the time",
                Some(Meaning::Percent) => "the share, which is recomputed",
                Some(Meaning::Members) => "the fused members",
                None => "an unknown key: it is shown as a column",
            };
            self.table.matched.push(format!("`{key}` was read as {taken}."));
        }
        if !self.keys.is_empty() {
            self.ledger.note(format!("{}: {}", self.raw.id, self.table.matched.join(" ")));
        }
        if !self.table.has_name && !self.table.rows.is_empty() {
            self.ledger
                .note(format!("{}: no key contains the name of an operator; the table is shown without interpretation.", self.raw.id));
        }
        self.check_total();
        (self.table, self.raw)
    }

    /// Decides the unit of the times once all are known.
    fn settle_time(&mut self) {
        let has_any = self.times.iter().any(Option::is_some);
        let is_whole = self.times.iter().flatten().all(|t| !matches!(t, Raw::Broken(_)));
        let unit = match self.unit {
            Some(unit) => Some(unit),
            // The plugin's own column is "Time (ns)"; a fraction of a nanosecond would contradict it.
            None if is_whole && has_any => {
                let note = "The key of the time has no unit; whole numbers are read as nanoseconds, as labelled by the plugin.";
                self.table.matched.push(note.into());
                Some(1)
            }
            None => None,
        };
        if has_any && unit.is_none() {
            let reason = "The unit of the times is not recorded and they are not whole numbers. Times are not available.";
            self.ledger.skip_n(Severity::Warning, "unknown_unit", reason, self.times.len() as u64, 0, || self.raw.id.clone());
        }
        let ns = |t: Raw| match (t, unit) {
            (Raw::WithUnit(v, unit), _) => Some((v * unit as f64).round() as i64),
            (Raw::Whole(v), Some(unit)) => v.checked_mul(unit),
            (Raw::Broken(v), Some(unit)) => Some((v * unit as f64).round() as i64),
            _ => None,
        };
        for (row, time) in self.table.rows.iter_mut().zip(&self.times) {
            row.time_ns = time.and_then(ns).filter(|t| *t >= 0);
        }
        self.table.total_time_ns = self.total.and_then(ns);
        self.table.has_time = self.table.rows.iter().any(|r| r.time_ns.is_some());
    }

    fn check_total(&mut self) {
        let sum: i64 = self.table.rows.iter().filter_map(|r| r.time_ns).fold(0, i64::saturating_add);
        if let Some(total) = self.table.total_time_ns.filter(|t| self.table.has_time && *t != sum) {
            let reason = "`total_time` is not the sum of the operators' times; Time % is a share of the sum.";
            let id = &self.raw.id;
            self.ledger.skip(Severity::Warning, "total_mismatch", reason, 0, || format!("{id}: total_time {total} ns, sum {sum} ns"));
        }
    }

    /// A record that is an object. `false`: it cannot be read.
    fn object(&mut self, text: &[u8], row: &mut OpRecord, time: &mut Option<Raw>, raw: &mut Vec<Cell>) -> bool {
        let mut cursor = Cursor::new(text);
        loop {
            match cursor.key() {
                Ok(Some(key)) => match cursor.value() {
                    Ok(value) => self.entry(&unescape(key), value, row, time, raw),
                    Err(_) => return false,
                },
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// A record that is a row of a list: whether it is the row of headings. `None`: it cannot be read.
    fn list(&mut self, text: &[u8], row: &mut OpRecord, time: &mut Option<Raw>, raw: &mut Vec<Cell>) -> Option<bool> {
        let cells = listed::cells(text)?;
        let mut headings = match self.headings.take() {
            Some(headings) => headings,
            None => match listed::headings(&cells) {
                Some(headings) => {
                    self.ledger.note(format!("{}: the first row of the list was read as column names.", self.raw.id));
                    self.headings = Some(headings);
                    return Some(true);
                }
                None => {
                    self.ledger.note(format!("{}: the list has no column names; columns are named by their position.", self.raw.id));
                    Vec::new()
                }
            },
        };
        while headings.len() < cells.len() {
            listed::add_heading(&mut headings, String::new());
        }
        for (heading, cell) in headings.iter().zip(cells) {
            self.entry(heading, cell, row, time, raw);
        }
        self.headings = Some(headings);
        Some(false)
    }

    /// The meaning of a new key, and its position among the further columns.
    fn new_key(&mut self, key: &str) -> (Option<Meaning>, usize) {
        // The first key of a meaning is taken, later ones are columns.
        let is_same = |a: Meaning, b: Meaning| std::mem::discriminant(&a) == std::mem::discriminant(&b);
        let is_free = |m: &Meaning| !self.keys.values().filter_map(|k| k.0).any(|taken| is_same(taken, *m));
        let found = (meaning(key).filter(is_free), self.table.columns.len());
        if found.0.is_none() {
            self.table.columns.push(key.into());
        }
        self.keys.insert(key.into(), found);
        found
    }

    fn entry(&mut self, key: &str, value: Value<'_>, row: &mut OpRecord, time: &mut Option<Raw>, raw: &mut Vec<Cell>) {
        let n_places = self.places.len();
        let place = *self.places.entry(key.into()).or_insert_with(|| {
            self.raw.columns.push(key.into());
            n_places
        });
        raw.resize(raw.len().max(place + 1), Cell::Absent);
        raw[place] = cell(value);
        let (meaning, column) = self.keys.get(key).copied().unwrap_or_else(|| self.new_key(key));
        match meaning {
            Some(Meaning::Name) => {
                row.name = unescape(value.plain()).into_owned();
                self.table.has_name = true;
            }
            Some(Meaning::Occurrences) => row.occurrences = number::unsigned(value.plain()),
            Some(Meaning::Device) => row.device = text(value),
            Some(Meaning::Core) => row.core = text(value),
            Some(Meaning::Members) => row.members = members(value),
            Some(Meaning::Percent) => {}
            Some(Meaning::Time(unit)) => {
                self.unit = unit.or(self.unit);
                *time = raw_time(value);
            }
            None => {
                row.more.resize(row.more.len().max(column + 1), Cell::Absent);
                row.more[column] = cell(value);
            }
        }
    }
}

fn sorted(keys: &FxHashMap<String, (Option<Meaning>, usize)>) -> Vec<(&String, &(Option<Meaning>, usize))> {
    let mut all: Vec<_> = keys.iter().collect();
    all.order_by_key(|k| k.0);
    all
}

impl Sink for Reader<'_> {
    fn key(&mut self, key: &[u8], begins: u8, _: u64) -> RootKeyAction {
        // A root that is a list has no key.
        let is_list = key == b"ops" || key.is_empty() && begins == b'[';
        self.has_ops |= is_list;
        if is_list && begins == b'[' { RootKeyAction::Records } else { RootKeyAction::Value }
    }

    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        let (mut row, mut time, mut raw) = (OpRecord::default(), None, Vec::new());
        let is_read = match text.first() {
            Some(b'{') => self.object(text, &mut row, &mut time, &mut raw),
            _ => match self.list(text, &mut row, &mut time, &mut raw) {
                Some(is_headings) if is_headings => return true,
                is_read => is_read.is_some(),
            },
        };
        if !is_read {
            return false;
        }
        self.ledger.read += 1;
        if row.name.is_empty() && self.table.has_name {
            let reason = "A record of an operator has no name.";
            self.ledger.skip(Severity::Warning, "missing_name", reason, offset, || {
                String::from_utf8_lossy(&text[..text.len().min(160)]).into_owned()
            });
        }
        self.ledger.shown += 1;
        self.times.push(time);
        self.table.rows.push(row);
        self.raw.rows.push(raw);
        true
    }

    fn value(&mut self, key: &[u8], text: &[u8], offset: u64) {
        if key == b"total_time" {
            let text = text.trim_ascii();
            let text = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")).unwrap_or(text);
            self.total = raw_time(Value::Bare(text));
        } else {
            let reason = "A root key of an operator table that the plugin does not write; it is not shown.";
            self.ledger.skip(Severity::Info, "other_root_key", reason, offset, || unescape(key).into_owned());
        }
    }

    fn damaged(&mut self, text: &[u8], offset: u64, _damage: Damage) {
        self.ledger.read += 1;
        let reason = "The record of an operator cannot be read.";
        self.ledger.skip(Severity::DataLoss, "damaged_record", reason, offset, || {
            String::from_utf8_lossy(&text[..text.len().min(160)]).into_owned()
        });
    }
}
