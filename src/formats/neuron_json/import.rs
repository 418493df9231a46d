//! From sections to a profile.

use super::facts;
use super::keys::Keys;
use super::record::{self, Key, Values};
use super::rows::{self, Links};
use super::schema;
use super::split::{Piece, Sink, Splitter};
use super::tables::Tables;
use super::timeline::Timeline;
use super::value::{Fields, Raw, fields, without_bare_nan};
use super::walk;
use crate::base::Order as _;
use crate::base::{Interner, Ledger, Severity, StrId};
use crate::formats::{ImportError, Preview, Streamed};
use crate::model::{Cell, Profile, RecordRef};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Slices that go into the picture while reading.
const MAX_PREVIEW: usize = 200_000;

/// An import in progress.
pub(super) struct Importer {
    splitter: Splitter,
    state: Reader,
}

struct Reader {
    title: String,
    timeline: Timeline,
    tables: Tables,
    /// The section of the last record, and all that were met.
    section: String,
    sections: FxHashSet<String>,
    keys: Keys,
    /// Owner and updates of a semaphore, by subgraph and id.
    owners: FxHashMap<(StrId, StrId), (StrId, u64)>,
    /// (id, slice).
    ids: Vec<(i64, u32)>,
    /// (predecessor's id, successor, kind): predecessors may stand later in the file.
    links: Vec<(i64, u32, StrId)>,
    n_lost_links: u64,
    n_records: u64,
    preview: Preview,
    lane_of: FxHashMap<String, u32>,
    n_previewed: usize,
}

impl Importer {
    pub fn new(title: &str) -> Self {
        let state = Reader {
            title: title.into(),
            timeline: Timeline::new(),
            tables: Tables::default(),
            section: String::new(),
            sections: FxHashSet::default(),
            keys: Keys::default(),
            owners: FxHashMap::default(),
            ids: Vec::new(),
            links: Vec::new(),
            n_lost_links: 0,
            n_records: 0,
            preview: Preview::default(),
            lane_of: FxHashMap::default(),
            n_previewed: 0,
        };
        Importer { splitter: Splitter::new(), state }
    }
}

impl Streamed for Importer {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError> {
        let Importer { splitter, state } = self;
        splitter.feed(block, &mut Feed { state, ledger })
    }

    fn n_records(&self) -> u64 {
        self.state.n_records
    }

    fn preview(&mut self) -> Preview {
        Preview { slices: std::mem::take(&mut self.state.preview.slices), lanes: self.state.preview.lanes.clone() }
    }

    fn finish(self: Box<Self>, is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        let (section, offset) = self.splitter.position();
        if self.state.n_records == 0 && !self.splitter.is_done() {
            let text = format!("Expected a Neuron device profile, a JSON object of sections, found the end of the file at byte {offset}.");
            return Err(ImportError::Invalid(text));
        }
        if is_truncated || !self.splitter.is_done() {
            let reason = "The file ends before its JSON object does: it was cut. What was read until then is shown.";
            ledger.skip(Severity::DataLoss, "truncated", reason, offset, || format!("in section {section}"));
        }
        if self.splitter.n_trailing > 0 {
            let n = self.splitter.n_trailing;
            ledger.skip(Severity::Warning, "trailing_text", "Text after the end of the profile is left out.", offset, || {
                format!("{n} bytes")
            });
        }
        Ok(self.state.finish(ledger))
    }
}

/// Takes records for a reader.
struct Feed<'a> {
    state: &'a mut Reader,
    ledger: &'a mut Ledger,
}

impl Sink for Feed<'_> {
    fn whole(&mut self, begun: &Piece<'_>) -> Option<usize> {
        let Feed { state, ledger } = self;
        let mut unknown = Vec::new();
        let (values, text) = record::read(state.keys.of(begun.section)?, begun.text, &mut unknown)?;
        let piece = Piece { text, ..*begun };
        state.met(&piece, ledger);
        state.slice(&piece, &values, ledger);
        unknown.into_iter().for_each(|key| state.keys.unknown(&piece, key, ledger));
        Some(text.len())
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        self.state.piece(piece, self.ledger);
    }
}

impl Reader {
    /// Counts a record.
    fn met(&mut self, piece: &Piece<'_>, ledger: &mut Ledger) {
        self.n_records += 1;
        ledger.read += 1;
        if self.section == piece.section {
            return;
        }
        self.section = piece.section.into();
        if self.sections.insert(piece.section.into()) && !schema::is_section(piece.section) {
            let reason = "A section this version does not know: kept as a table.";
            ledger.skip(Severity::Info, "unknown_section", reason, piece.offset, || piece.section.into());
        }
    }

    fn piece(&mut self, piece: &Piece<'_>, ledger: &mut Ledger) {
        self.met(piece, ledger);
        let Ok(text) = std::str::from_utf8(piece.text) else {
            return unreadable(piece, ledger, || "The text is not UTF-8.".into());
        };
        let mended = match fields(text) {
            Ok(fields) => return self.record(piece, text, &fields, ledger),
            Err(error) => (without_bare_nan(text), error),
        };
        match mended {
            (Some(mended), _) if fields(&mended).is_ok() => {
                let reason = "A bare NaN or Infinity, which JSON does not have, is taken for a missing value.";
                ledger.skip(Severity::Warning, "bare_nan", reason, piece.offset, || text.chars().take(160).collect());
                // A warning on a value, not a record left out.
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

    /// A record whose fields were read one by one.
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
        unknown.into_iter().for_each(|key| self.keys.unknown(piece, key, ledger));
    }

    /// A record of a section of the timeline.
    fn slice(&mut self, piece: &Piece<'_>, values: &Values<'_>, ledger: &mut Ledger) {
        let place = RecordRef::new(0, piece.offset, piece.text.len() as u64);
        let outcome = match piece.section {
            "instruction" => rows::instruction(&mut self.timeline, values, place).map(|(slice, links)| {
                self.link(slice, &links);
                self.show(slice, values);
            }),
            "dma" => rows::dma(&mut self.timeline, values, place).map(|slice| self.show(slice, values)),
            "semaphore_update" => rows::semaphore(&mut self.timeline, values).map(|()| self.note_owner(values)),
            section => rows::curve(&mut self.timeline, section, values),
        };
        match outcome {
            Ok(()) => ledger.shown += 1,
            Err(missing) => {
                let reason = "The record lacks a value without which it has no place on the timeline.";
                let example = || format!("{}: no {missing} in {}", piece.section, String::from_utf8_lossy(piece.text));
                ledger.skip(Severity::DataLoss, "missing_value", reason, piece.offset, example);
            }
        }
    }

    fn link(&mut self, slice: u32, links: &Links<'_>) {
        self.ids.extend(links.id.map(|id| (id, slice)));
        let Some(list) = links.predecessors else {
            return;
        };
        let list = list.0;
        let mut links: Vec<(Option<i64>, StrId)> = Vec::new();
        let strings = &mut self.timeline.builder.strings;
        let read =
            walk::items(list.as_bytes(), &mut |at| links.push(list.get(at).map_or((None, StrId(0)), |item| predecessor(item, strings))));
        if read.is_none() {
            links = match serde_json::from_str::<Vec<&serde_json::value::RawValue>>(list) {
                Ok(list) => list.into_iter().map(|raw| predecessor(raw.get(), strings)).collect(),
                Err(_) => vec![(None, StrId(0))],
            };
        }
        for (id, kind) in links {
            match id {
                Some(id) => self.links.push((id, slice, kind)),
                None => self.n_lost_links += 1,
            }
        }
    }

    fn show(&mut self, slice: u32, record: &Values<'_>) {
        if self.n_previewed >= MAX_PREVIEW {
            return;
        }
        self.n_previewed += 1;
        let [label, queue, subgraph] = [Key::Label, Key::DmaQueue, Key::Subgraph].map(|key| record.text(key));
        let lane = if label.is_empty() { format!("{subgraph} DMA Q{queue}") } else { format!("{subgraph} {label}") };
        let next = self.lane_of.len() as u32;
        let key = match self.lane_of.get(&lane) {
            Some(&key) => key,
            None => {
                self.preview.lanes.push(lane.clone());
                self.lane_of.insert(lane, next);
                next
            }
        };
        let (start, duration, name) = self.timeline.builder.raw(slice);
        self.preview.slices.push((key, start, duration, (name.0 % 12) as u16));
    }

    fn note_owner(&mut self, record: &Values<'_>) {
        let name = record.text(Key::Id);
        let (id, owner) = rows::semaphore_id(&name);
        let strings = &mut self.timeline.builder.strings;
        let [subgraph, id, owner] = [record.text(Key::Subgraph).as_ref(), id, owner].map(|text| strings.intern(text));
        let entry = self.owners.entry((subgraph, id)).or_default();
        (entry.0, entry.1) = (owner, entry.1 + 1);
    }

    /// What a table tells of tracks.
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

    fn finish(mut self, ledger: &mut Ledger) -> Profile {
        self.resolve_links(ledger);
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
        let (meta, domain) = facts::meta(&self.title, &self.tables, self.timeline.n_cores(), ledger);
        for table in self.tables.finish() {
            self.timeline.builder.table(table);
        }
        self.timeline.finish(meta, domain).0
    }

    fn resolve_links(&mut self, ledger: &mut Ledger) {
        let mut n_lost = self.n_lost_links;
        let mut slice_of_id: FxHashMap<i64, u32> = FxHashMap::with_capacity_and_hasher(self.ids.len(), FxBuildHasher);
        if !self.links.is_empty() {
            slice_of_id.extend(std::mem::take(&mut self.ids));
        }
        for (id, slice, kind) in std::mem::take(&mut self.links) {
            match slice_of_id.get(&id) {
                Some(&from) => self.timeline.builder.flow(from, slice, kind),
                None => n_lost += 1,
            }
        }
        if n_lost > 0 {
            let reason = "A predecessor that is not in the profile: the arrow is left out.";
            ledger.skip_n(Severity::Warning, "unknown_predecessor", reason, n_lost, 0, String::new);
        }
    }
}

/// Id and kind of a predecessor; no id where it names none.
fn predecessor(item: &str, strings: &mut Interner) -> (Option<i64>, StrId) {
    let (mut id, mut kind) = (None, None);
    let mut each = |key: &str, value: Raw<'_>| match key {
        "id" => id = id.or(value.int()),
        "type" => kind = kind.or_else(|| Some(strings.intern(&value.text()))),
        _ => (),
    };
    let read = walk::entries(item.as_bytes(), &mut |key, value| each(&item[key], Raw(&item[value])));
    if read.is_none() {
        fields(item).unwrap_or_default().iter().for_each(|f| each(&f.0, f.1));
    }
    (id, kind.unwrap_or_default())
}

fn unreadable(piece: &Piece<'_>, ledger: &mut Ledger, why: impl FnOnce() -> String) {
    let reason = "The record is not readable JSON.";
    ledger.skip(Severity::DataLoss, "unreadable_record", reason, piece.offset, || format!("{}: {}", piece.section, why()));
}

fn over_budget(piece: &Piece<'_>, ledger: &mut Ledger) {
    let reason = "The tables are longer than the memory set aside for them: further rows are counted, not kept.";
    ledger.skip(Severity::DataLoss, "table_too_long", reason, piece.offset, || piece.section.into());
}
