//! From sections to a profile.

use super::facts;
use super::keys::Keys;
use super::rows::{self, Links};
use super::schema;
use super::split::{Piece, Splitter};
use super::tables::Tables;
use super::timeline::Timeline;
use super::value::{Fields, Raw, fields, without_bare_nan};
use crate::base::Order as _;
use crate::base::{Ledger, Severity, StrId};
use crate::formats::{ImportError, Preview, Streamed};
use crate::model::{Cell, Profile, RecordRef};
use rustc_hash::FxHashMap;

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
    sections: FxHashMap<String, u64>,
    keys: Keys,
    owners: FxHashMap<(String, String), (String, u64)>,
    slice_of_id: FxHashMap<i64, u32>,
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
            sections: FxHashMap::default(),
            keys: Keys::default(),
            owners: FxHashMap::default(),
            slice_of_id: FxHashMap::default(),
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
        splitter.feed(block, &mut |piece| state.piece(&piece, ledger))
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

impl Reader {
    fn piece(&mut self, piece: &Piece<'_>, ledger: &mut Ledger) {
        self.n_records += 1;
        ledger.read += 1;
        match self.sections.get_mut(piece.section) {
            Some(n) => *n += 1,
            None => {
                self.sections.insert(piece.section.into(), 1);
                if !schema::is_section(piece.section) {
                    let reason = "A section this version does not know: kept as a table.";
                    ledger.skip(Severity::Info, "unknown_section", reason, piece.offset, || piece.section.into());
                }
            }
        }
        let Ok(text) = std::str::from_utf8(piece.text) else {
            return unreadable(piece, ledger, || "The text is not UTF-8.".into());
        };
        let mended = match fields(text) {
            Ok(fields) => return self.record(piece, &fields, ledger),
            Err(error) => (without_bare_nan(text), error),
        };
        match mended {
            (Some(mended), _) if fields(&mended).is_ok() => {
                let reason = "A bare NaN or Infinity, which JSON does not have, is taken for a missing value.";
                ledger.skip(Severity::Warning, "bare_nan", reason, piece.offset, || text.chars().take(160).collect());
                // A warning on a value, not a record left out.
                if let Ok(fields) = fields(&mended) {
                    self.record(piece, &fields, ledger);
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

    fn record(&mut self, piece: &Piece<'_>, fields: &Fields<'_>, ledger: &mut Ledger) {
        let record = RecordRef::new(0, piece.offset, piece.text.len() as u64);
        let outcome = match piece.section {
            "instruction" => rows::instruction(&mut self.timeline, fields, record).map(|(slice, links)| {
                self.link(slice, &links);
                self.show(slice, fields);
            }),
            "dma" => rows::dma(&mut self.timeline, fields, record).map(|slice| self.show(slice, fields)),
            "semaphore_update" => rows::semaphore(&mut self.timeline, fields).map(|()| self.note_owner(fields)),
            "pending_dma" | "dma_throughput" | "ham" | "instruction_usage" => rows::curve(&mut self.timeline, piece.section, fields),
            section => {
                self.note_table(section, fields);
                match self.tables.push(section, fields) {
                    true => Ok(()),
                    false => return over_budget(piece, ledger),
                }
            }
        };
        self.keys.note(piece, fields, ledger);
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
        if let Some(id) = links.id {
            self.slice_of_id.insert(id, slice);
        }
        let Some(list) = links.predecessors else {
            return;
        };
        let Ok(list) = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(list.0) else {
            self.n_lost_links += 1;
            return;
        };
        for raw in list {
            let link = fields(raw.get()).unwrap_or_default();
            let get = |key: &str| link.iter().find(|f| f.0 == key).map(|f| f.1);
            match get("id").and_then(Raw::int) {
                Some(id) => {
                    let kind = self.timeline.builder.strings.intern(&get("type").map(Raw::text).unwrap_or_default());
                    self.links.push((id, slice, kind));
                }
                None => self.n_lost_links += 1,
            }
        }
    }

    fn show(&mut self, slice: u32, fields: &Fields<'_>) {
        if self.n_previewed >= MAX_PREVIEW {
            return;
        }
        self.n_previewed += 1;
        let text = |key: &str| fields.iter().find(|f| f.0 == key).map(|f| f.1.text()).unwrap_or_default();
        let (label, queue) = (text("label"), text("dma_queue"));
        let lane = if label.is_empty() { format!("{} DMA Q{queue}", text("subgraph")) } else { format!("{} {label}", text("subgraph")) };
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

    fn note_owner(&mut self, fields: &Fields<'_>) {
        let text = |key: &str| fields.iter().find(|f| f.0 == key).map(|f| f.1.text().into_owned()).unwrap_or_default();
        let name = text("id");
        let (id, owner) = rows::semaphore_id(&name);
        let entry = self.owners.entry((text("subgraph"), id.into())).or_default();
        entry.0 = owner.into();
        entry.1 += 1;
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
        for ((section, key), n) in std::mem::take(&mut self.keys).unknown() {
            let cells = [("section", Cell::Text(section)), ("key", Cell::Text(key)), ("records", Cell::Int(n as i64))];
            self.tables.row("unknown_keys", cells.into_iter());
        }
        let mut owners: Vec<_> = std::mem::take(&mut self.owners).into_iter().collect();
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
        for (id, slice, kind) in std::mem::take(&mut self.links) {
            match self.slice_of_id.get(&id) {
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

fn unreadable(piece: &Piece<'_>, ledger: &mut Ledger, why: impl FnOnce() -> String) {
    let reason = "The record is not readable JSON.";
    ledger.skip(Severity::DataLoss, "unreadable_record", reason, piece.offset, || format!("{}: {}", piece.section, why()));
}

fn over_budget(piece: &Piece<'_>, ledger: &mut Ledger) {
    let reason = "The tables are longer than the memory set aside for them: further rows are counted, not kept.";
    ledger.skip(Severity::DataLoss, "table_too_long", reason, piece.offset, || piece.section.into());
}
