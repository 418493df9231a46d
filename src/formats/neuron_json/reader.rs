//! Records of a device profile, and what they become.

use super::columns;
use super::deferred::Deferred;
use super::dependencies::Dependencies;
use super::facts;
use super::keys::Keys;
use super::record::{self, Key, Values};
use super::rows;
use super::schema;
use super::sections::{Piece, Sink};
use super::tables::Tables;
use super::timeline::Timeline;
use super::value::{Fields, Raw, fields, without_bare_nan};
use crate::base::Order as _;
use crate::base::{Ledger, Severity, StrId};
use crate::formats::Preview;
use crate::formats::progress::Lanes;
use crate::formats::wording;
use crate::model::{Cell, Profile, RawSliceId, RecordRef};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// (section, what is missing without its records).
const EXPECTED_SECTIONS: [(&str, &str); 3] = [
    ("instruction", "the timeline has no instructions, and metrics of instructions are not available"),
    ("dma", "DMA transfers are not available"),
    ("semaphore_update", "semaphores are not available"),
];

/// What was read so far. On its way between programs it has no tables and no preview, which a piece of a file has not.
#[derive(Serialize, Deserialize)]
pub(super) struct Reader {
    title: String,
    timeline: Timeline,
    #[serde(skip)]
    tables: Tables,
    /// Of a piece of the file: what depends on the text before it.
    deferred: Option<Deferred>,
    /// The section of the last record, and all sections found.
    section: String,
    sections: FxHashSet<String>,
    /// Sections of [`EXPECTED_SECTIONS`] that are in the file, possibly empty.
    begun: FxHashSet<String>,
    keys: Keys,
    /// Owner and updates of a semaphore, by subgraph and id.
    owners: FxHashMap<(StrId, StrId), (StrId, u64)>,
    dependencies: Dependencies,
    n_records: u64,
    /// Lanes to draw while reading.
    #[serde(skip)]
    preview: Lanes,
}

/// Takes records for a reader.
pub(super) struct Feed<'a> {
    pub state: &'a mut Reader,
    pub ledger: &'a mut Ledger,
}

impl Sink for Feed<'_> {
    fn whole(&mut self, begun: &Piece<'_>) -> Option<usize> {
        let Feed { state, ledger } = self;
        let (text, values, unknown) = record::read(state.keys.of(begun.section)?, begun.text)?;
        let piece = Piece { text, ..*begun };
        state.count(&piece, ledger);
        state.slice(&piece, &values, ledger);
        unknown.into_iter().for_each(|key| state.unknown_key(&piece, key, ledger));
        Some(text.len())
    }

    fn section(&mut self, name: &str) {
        if EXPECTED_SECTIONS.iter().any(|(section, _)| *section == name) {
            self.state.begun.insert(name.into());
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        self.state.piece(piece, self.ledger);
    }
}

impl Reader {
    /// A reader of a profile that is to be called `title`, or with `deferred` of a piece of one.
    pub fn new(title: &str, deferred: Option<Deferred>) -> Self {
        Reader {
            title: title.into(),
            timeline: Timeline::new(),
            tables: Tables::default(),
            deferred,
            section: String::new(),
            sections: FxHashSet::default(),
            begun: FxHashSet::default(),
            keys: Keys::default(),
            owners: FxHashMap::default(),
            dependencies: Dependencies::default(),
            n_records: 0,
            preview: Lanes::default(),
        }
    }

    /// Records read so far.
    pub fn n_records(&self) -> u64 {
        self.n_records
    }

    /// New slices of the picture while reading.
    pub fn preview(&mut self) -> Preview {
        self.preview.take()
    }

    /// Whether `piece` can be added: what depends on the text before it is little.
    pub fn can_absorb(&self, piece: &Reader) -> bool {
        let n_slices = self.timeline.builder.n_slices() + piece.timeline.builder.n_slices();
        let is_small = piece.deferred.as_ref().is_some_and(Deferred::is_small);
        is_small && self.keys.have_room_for(&piece.keys) && u32::try_from(n_slices).is_ok()
    }

    /// Adds `piece`, the records after those read so far. `account` is its ledger.
    pub fn absorb(&mut self, piece: Reader, mut account: Ledger, ledger: &mut Ledger) {
        let (strings, first) = self.timeline.absorb(piece.timeline);
        let string = |id: StrId| strings.get(id.index()).copied().unwrap_or_default();
        self.dependencies.absorb(piece.dependencies, string, first);
        for ((subgraph, id), (owner, n)) in piece.owners {
            let entry = self.owners.entry((string(subgraph), string(id))).or_default();
            (entry.0, entry.1) = (string(owner), entry.1 + n);
        }
        self.sections.extend(piece.sections);
        self.begun.extend(piece.begun);
        self.n_records += piece.n_records;
        // Where each reason of the second ledger was first met.
        let (mut later, mut first_met) = (Ledger::default(), Vec::new());
        self.keys.absorb(piece.keys, &mut later, &mut |ledger, offset| first_met.resize(ledger.skipped.len(), offset));
        account.interleave(later, &first_met);
        let (mut later, mut first_met) = (Ledger::default(), Vec::new());
        for record in piece.deferred.unwrap_or_default().records() {
            self.piece(&record, &mut later);
            first_met.resize(later.skipped.len(), record.offset);
        }
        account.interleave(later, &first_met);
        ledger.absorb(account);
        let mut new = first..self.timeline.builder.n_slices() as RawSliceId;
        while let Some(slice) = new.next().filter(|_| !self.preview.is_full()) {
            self.show(slice);
        }
    }

    /// Counts a record.
    fn count(&mut self, piece: &Piece<'_>, ledger: &mut Ledger) {
        self.n_records += 1;
        ledger.read += 1;
        if self.section == piece.section {
            return;
        }
        self.section = piece.section.into();
        if self.sections.insert(piece.section.into()) && !schema::is_section(piece.section) {
            let reason = "A section unknown to this version: shown as a table.";
            ledger.skip(Severity::Info, "unknown_section", reason, piece.offset, || piece.section.into());
        }
    }

    /// Counts a record's key that this version does not know. Whether it is new shows when a piece is added.
    fn unknown_key(&mut self, piece: &Piece<'_>, key: &str, ledger: &mut Ledger) {
        self.keys.unknown(piece, key, self.deferred.is_none().then_some(ledger));
    }

    fn piece(&mut self, piece: &Piece<'_>, ledger: &mut Ledger) {
        if let Some(deferred) = self.deferred.as_mut().filter(|_| !schema::on_timeline(piece.section)) {
            deferred.push(piece);
            // Cores get their rows in the order in which they are named.
            if let Some(fields) = std::str::from_utf8(piece.text).ok().and_then(|text| fields(text).ok()) {
                self.note_table(piece.section, &fields);
            }
            return;
        }
        self.count(piece, ledger);
        let Ok(text) = std::str::from_utf8(piece.text) else {
            return unreadable(piece, ledger, || "The text is not UTF-8.".into());
        };
        let mended = match fields(text) {
            Ok(fields) => return self.record(piece, text, &fields, ledger),
            Err(error) => (without_bare_nan(text), error),
        };
        match mended {
            (Some(mended), _) if fields(&mended).is_ok() => {
                let reason = wording::NOT_A_NUMBER;
                ledger.skip(Severity::Warning, "bare_nan", reason, piece.offset, || text.chars().take(160).collect());
                // A warning on a value, not a record omitted.
                if let Ok(fields) = fields(&mended) {
                    self.record(piece, &mended, &fields, ledger);
                }
            }
            (_, error) if schema::on_timeline(piece.section) => unreadable(piece, ledger, || error.to_string()),
            _ => {
                let value = vec![("value".into(), Raw(text))];
                self.tables.push(piece.section, &value);
                ledger.shown += 1;
            }
        }
    }

    /// A record from its fields.
    fn record(&mut self, piece: &Piece<'_>, text: &str, fields: &Fields<'_>, ledger: &mut Ledger) {
        let Some(table) = self.keys.of(piece.section) else {
            self.note_table(piece.section, fields);
            return match self.tables.push(piece.section, fields) {
                true => ledger.shown += 1,
                false => over_budget(piece, ledger),
            };
        };
        let unknown: Vec<&str> = fields.iter().map(|f| f.0.as_ref()).filter(|key| table.find(key.as_bytes()).is_none()).collect();
        self.slice(piece, &Values::of(text, fields), ledger);
        unknown.into_iter().for_each(|key| self.unknown_key(piece, key, ledger));
    }

    /// A record of a section of the timeline.
    fn slice(&mut self, piece: &Piece<'_>, values: &Values<'_>, ledger: &mut Ledger) {
        let place = RecordRef::new(0, piece.offset, piece.text.len() as u64);
        let outcome = match piece.section {
            "instruction" => rows::instruction(&mut self.timeline, values, place).map(|(slice, links)| {
                self.dependencies.note(slice, &links, &mut self.timeline.builder.strings);
                self.show(slice);
            }),
            "dma" => rows::dma(&mut self.timeline, values, place).map(|slice| self.show(slice)),
            "semaphore_update" => rows::semaphore(&mut self.timeline, values, place).map(|()| self.note_owner(values)),
            section => rows::curve(&mut self.timeline, section, values),
        };
        match outcome {
            Ok(()) => ledger.shown += 1,
            Err(missing) => {
                let reason = "The record has no value required for the timeline.";
                let example = || format!("{}: no {missing} in {}", piece.section, String::from_utf8_lossy(piece.text));
                ledger.skip(Severity::DataLoss, "missing_value", reason, piece.offset, example);
            }
        }
    }

    /// Shows a slice in the picture while reading; those of a piece when it is added.
    fn show(&mut self, slice: RawSliceId) {
        if self.preview.is_full() || self.deferred.is_some() {
            return;
        }
        let (start, duration, name) = self.timeline.builder.raw(slice);
        self.preview.slice(self.timeline.builder.track_of(slice), (start, duration), name);
    }

    fn note_owner(&mut self, record: &Values<'_>) {
        let name = record.text(Key::Id);
        let (id, owner) = rows::semaphore_id(&name);
        let strings = &mut self.timeline.builder.strings;
        let [subgraph, id, owner] = [record.text(Key::Subgraph).as_ref(), id, owner].map(|text| strings.intern(text));
        let entry = self.owners.entry((subgraph, id)).or_default();
        (entry.0, entry.1) = (owner, entry.1 + 1);
    }

    /// Values of a table about tracks.
    fn note_table(&mut self, section: &str, fields: &Fields<'_>) {
        let get = |key: &str| fields.iter().find(|f| f.0 == key).map(|f| f.1);
        let text = |key: &str| get(key).map(|raw| raw.text().into_owned()).unwrap_or_default();
        match section {
            "model_info" => {
                if let Some(nc) = get("nc_idx").and_then(Raw::int) {
                    self.timeline.set_nc(&text("sg_name"), nc);
                }
            }
            "dma_queues_info" => {
                self.timeline.queue_names.add(&text("subgraph"), &text("q_idx"), &text("q_name"), &text("q_type"));
            }
            _ => (),
        }
    }

    /// The profile.
    pub fn finish(mut self, ledger: &mut Ledger) -> Profile {
        std::mem::take(&mut self.dependencies).resolve(&mut self.timeline.builder, ledger);
        for ((section, key), n) in std::mem::take(&mut self.keys).counted() {
            let cells = [("section", Cell::Text(section)), ("key", Cell::Text(key)), ("records", Cell::Int(n as i64))];
            self.tables.row("unknown_keys", cells.into_iter());
        }
        let text = |id: StrId| self.timeline.builder.strings.get(id).to_string();
        let owners = std::mem::take(&mut self.owners).into_iter();
        let mut owners: Vec<_> = owners.map(|((subgraph, id), (owner, n))| ((text(subgraph), text(id)), (text(owner), n))).collect();
        owners.order_by(|a, b| (a.0.0.cmp(&b.0.0)).then(a.0.1.len().cmp(&b.0.1.len())).then(a.0.1.cmp(&b.0.1)));
        for ((subgraph, id), (owner, n)) in owners {
            let owner = if owner.is_empty() { Cell::Absent } else { Cell::Text(owner) };
            let cells = [("subgraph", Cell::Text(subgraph)), ("id", Cell::Text(id)), ("owner", owner), ("updates", Cell::Int(n as i64))];
            self.tables.row("semaphores", cells.into_iter());
        }
        for (section, lost) in EXPECTED_SECTIONS.iter().filter(|(section, _)| !self.sections.contains(*section)) {
            ledger.note(match self.begun.contains(*section) {
                true => format!("The section `{section}` is empty: {lost}."),
                false => format!("The section `{section}` is missing: {lost}."),
            });
        }
        let (meta, domain) = facts::meta(&self.title, &self.tables, self.timeline.n_cores(), ledger);
        for table in self.tables.finish() {
            let is_ours = matches!(table.id.as_str(), "semaphores" | "unknown_keys");
            self.timeline.builder.table(if is_ours { table } else { columns::ordered(table) });
        }
        self.timeline.finish(meta, domain, ledger).0
    }
}

fn unreadable(piece: &Piece<'_>, ledger: &mut Ledger, why: impl FnOnce() -> String) {
    let reason = "The record is not valid JSON.";
    ledger.skip(Severity::DataLoss, "unreadable_record", reason, piece.offset, || format!("{}: {}", piece.section, why()));
}

fn over_budget(piece: &Piece<'_>, ledger: &mut Ledger) {
    let reason = "The tables exceed the memory limit: further rows are counted but not shown.";
    ledger.skip(Severity::DataLoss, "table_too_long", reason, piece.offset, || piece.section.into());
}
