//! An open profile with its input: answers every [`Query`].

use super::query::{Answer, Details, ImportSummary, Query, TablePart, TrackSummary};
use super::{HotColumns, HotMeta, hot, variants};
use crate::analysis::colouring::name_at;
use crate::analysis::device::{accesses, transfer};
use crate::analysis::support::Support;
use crate::analysis::torch::TorchModel;
use crate::analysis::{colour, details, explain, flows, operators, search, span};
use crate::base::{DurationNs, InputSet, InstantId, Item, Ledger, SliceId, StrId, TimeNs, TrackId};
use crate::formats::{self, Claim, Field, Imported};
use crate::model::{Domain, GenericTable, Profile, TrackKind};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// An open profile with its input.
#[derive(Debug)]
pub struct Session {
    /// What was recognised.
    pub claim: Claim,
    /// The claim's members, in its order: records are read again from here.
    pub input: InputSet,
    /// The profile.
    pub profile: Profile,
    /// What the import read and skipped.
    pub ledger: Ledger,
    /// Colour slots by string, per colouring asked for.
    colours: RefCell<HashMap<String, Rc<Vec<u16>>>>,
    /// Columns computed so far, by id.
    pub(super) derived: RefCell<HashMap<String, Rc<Vec<StrId>>>>,
    /// What the answers of a PyTorch trace share; made when the first one is asked for.
    pub(super) torch: OnceCell<TorchModel>,
    /// The same of an `analyze` report.
    support: OnceCell<Support>,
    /// Slices of a kind of tracks in the order of their records, while they are saved as CSV.
    pub(super) export_order: RefCell<Option<(TrackKind, Rc<Vec<SliceId>>)>>,
}

impl Session {
    /// A session over an import.
    pub fn new(claim: Claim, input: InputSet, imported: Imported) -> Self {
        Session {
            claim,
            input,
            profile: imported.profile,
            ledger: imported.ledger,
            colours: RefCell::default(),
            derived: RefCell::default(),
            torch: OnceCell::new(),
            support: OnceCell::new(),
            export_order: RefCell::default(),
        }
    }

    /// Answers one question.
    pub fn run(&self, query: &Query) -> Answer {
        match query {
            Query::Import => Answer::Import(import_summary(&self.profile)),
            Query::Operators(q) => self.grouped(&q.group_by, |column, slots| {
                let tracks = operators::tracks_below(&self.profile, &q.tracks);
                let mut found = operators::operators(&self.profile, column, &tracks, q.range, slots);
                found.rows.iter_mut().for_each(|row| row.name.truncate(name_at(&q.group_by, &row.name).len()));
                Answer::Operators(found)
            }),
            Query::Details(item) => self.details(*item),
            Query::Search(q) => search::search(&self.profile, q).map_or_else(Answer::Refused, Answer::Search),
            Query::ColourKeys(by) => self.colour_keys(by),
            Query::Occurrences(by, value) => {
                self.grouped(by, |column, _| Answer::Occurrences(occurrences(&self.profile, column, (by.as_str(), value.as_str()))))
            }
            Query::Table(id, first, n) => self.table(id, *first, *n),
            Query::TableHelp(id) => Answer::TableHelp(self.table_help(id)),
            Query::Flows(q) => Answer::Flows(flows::flows(&self.profile, q)),
            Query::Torch(q) => self.torch(q),
            Query::Device(q) => self.device(q),
            Query::Span(range) => Answer::Span(span::span(&self.profile, *range)),
            Query::Scan(q) => self.scan(q),
            Query::HitSummary(q, more) => self.hit_summary(q, more),
            Query::HitTables(q, more, within) => self.hit_tables(q, more, within),
            Query::Brief(slice) => self.brief(*slice),
            Query::Export(q) => self.export(q),
            Query::VariantParts => self.variant_parts(),
            Query::TableInfos => self.table_infos(),
            Query::TableStream(q) => self.table_stream(q),
            Query::Variants(parts) => variants::variants(parts.clone()),
            Query::Explain(base, run) => Answer::Explain(Box::new(explain::explain(base, run))),
            Query::Find(path, start, name) => Answer::Find(find(&self.profile, path, *start, name).map(Into::into)),
            Query::FindInstant(path, time, name) => Answer::Find(find_instant(&self.profile, path, *time, name).map(Into::into)),
            Query::Neuron(query) => super::neuron::answer(&self.profile, &self.support, query),
        }
    }

    /// Rank and world size, where the file tells.
    pub fn rank(&self) -> Option<(u32, u32)> {
        match &self.profile.domain {
            Domain::Torch(torch) => torch.rank,
            _ => None,
        }
    }

    /// What the page holds for drawing.
    pub fn hot(&self) -> HotColumns {
        let slices = &self.profile.slices;
        HotColumns {
            info: self.hot_meta(),
            start: slices.start.clone(),
            duration: slices.duration.clone(),
            name: slices.name.iter().map(|s| s.0).collect(),
            colour: self.colour_column(),
        }
    }

    /// The small part of [`Session::hot`]; the worker sends the columns straight from the profile.
    pub fn hot_meta(&self) -> HotMeta {
        let mut meta = hot::hot_meta(&self.profile);
        self.add_derived(&mut meta);
        meta
    }

    /// A colour slot per slice, by name.
    pub fn colour_column(&self) -> Vec<u16> {
        let slots = self.slots("name", &self.profile.slices.name);
        self.profile.slices.name.iter().map(|s| slots.get(s.index()).copied().unwrap_or(0)).collect()
    }

    /// Answers with the column named `by` and its colour slots, or refuses.
    pub(super) fn grouped(&self, by: &str, answer: impl FnOnce(&[StrId], &[u16]) -> Answer) -> Answer {
        let by = if by.is_empty() { "name" } else { by };
        let derived = self.derived(by);
        match operators::column(&self.profile, by).or(derived.as_ref().map(|d| d.as_slice())) {
            Some(column) => answer(column, &self.slots(by, column)),
            None => Answer::Refused(format!("This profile has no column `{by}` to group by.")),
        }
    }

    pub(super) fn slots(&self, by: &str, column: &[StrId]) -> Rc<Vec<u16>> {
        if let Some(slots) = self.colours.borrow().get(by) {
            return slots.clone();
        }
        let slots = Rc::new(colour::slots(&self.profile, column));
        self.colours.borrow_mut().insert(by.into(), slots.clone());
        slots
    }

    fn details(&self, item: Item) -> Answer {
        let profile = &self.profile;
        let is_there = match item {
            Item::Slice(slice) => slice.index() < profile.slices.len(),
            Item::Instant(instant) => instant.index() < profile.instants.time.len(),
        };
        if !is_there {
            return Answer::Refused("This profile has no such slice or instant.".into());
        }
        let Some(format) = formats::by_id(&self.claim.format) else {
            return Answer::Refused(format!("Unknown format `{}`.", self.claim.format));
        };
        let mut fields = format.record(&self.input, profile, item).unwrap_or_else(|error| vec![unreadable(&error.to_string())]);
        let slice = match item {
            Item::Slice(slice) => slice,
            Item::Instant(instant) => return Answer::Details(details_of_instant(profile, instant, fields)),
        };
        fields.splice(0..0, self.attribution(slice));
        let mut near = details::surroundings(profile, slice);
        near.predecessors.extend(transfer::trigger(profile, slice));
        let (producers, consumers) = accesses::neighbours::neighbours(profile, slice);
        near.predecessors.extend(producers);
        near.successors.extend(consumers);
        fields.extend(transfer::fields(profile, slice).into_iter().map(|(key, value, help)| Field {
            group: "Transfer".into(),
            key: key.into(),
            value,
            unit: String::new(),
            help: help.into(),
        }));
        let instruction = self.instruction(slice, &fields);
        Answer::Details(Details {
            item,
            name: profile.name_of(slice).into(),
            track: profile.track_of(slice).map(|t| profile.track_path(t)).unwrap_or_default(),
            start: TimeNs(profile.slices.start[slice.index()]),
            duration: DurationNs(profile.slices.duration[slice.index()]),
            self_time: near.self_time,
            fields,
            predecessors: near.predecessors,
            successors: near.successors,
            parents: near.parents,
            instruction,
        })
    }

    fn table_in_file(&self, table: &GenericTable, first: u64, n: u64) -> Answer {
        let Some(format) = formats::by_id(&self.claim.format) else {
            return Answer::Refused(format!("Unknown format `{}`.", self.claim.format));
        };
        let (columns, n_total) = (table.columns.clone(), table.n_in_file);
        match format.rows(&self.input, &table.id, first, n.min(ROWS_MAX)) {
            Ok(rows) => Answer::Table(TablePart { columns, rows, n_total }),
            Err(error) => Answer::Refused(error.to_string()),
        }
    }

    pub(super) fn table(&self, id: &str, first: u64, n: u64) -> Answer {
        let Some(table) = self.profile.tables.iter().find(|t| t.id == id) else {
            return Answer::Refused(format!("This profile has no table `{id}`."));
        };
        if table.n_in_file > 0 {
            return self.table_in_file(table, first, n);
        }
        let n_rows = table.rows.len();
        let from = usize::try_from(first).unwrap_or(n_rows).min(n_rows);
        let to = from.saturating_add(usize::try_from(n).unwrap_or(n_rows)).min(n_rows);
        Answer::Table(TablePart { columns: table.columns.clone(), rows: table.rows[from..to].to_vec(), n_total: n_rows as u64 })
    }
}

/// Rows of one answer: more are asked for in turn.
const ROWS_MAX: u64 = 50_000;

/// Stands for the fields of a record that cannot be read back.
fn unreadable(sentence: &str) -> Field {
    Field {
        group: "Event".into(),
        key: "not available".into(),
        value: sentence.into(),
        unit: String::new(),
        help: "The record could not be read from the file; the values above are correct.".into(),
    }
}

/// Slices whose `column` is `value`, by start.
fn occurrences(profile: &Profile, column: &[StrId], (by, value): (&str, &str)) -> Vec<SliceId> {
    // At a depth several names are called the same.
    let is_it: Vec<bool> = profile.strings.iter().map(|(_, name)| name_at(by, name) == value).collect();
    let mut out: Vec<SliceId> = (0..column.len()).filter(|&i| is_it[column[i].index()]).map(|i| SliceId(i as u32)).collect();
    out.sort_by_key(|s| profile.slices.start[s.index()]);
    out
}

/// The slice named by path, start and name.
fn find(profile: &Profile, path: &str, start: TimeNs, name: &str) -> Option<SliceId> {
    let tracks = (0..profile.tracks.len() as u32).map(TrackId).filter(|&t| profile.track_path(t) == path);
    tracks.into_iter().find_map(|track| {
        let by_start = &profile.slices.by_start[profile.slices_of(track)];
        let first = by_start.partition_point(|&i| profile.slices.start[i as usize] < start.0);
        let same = by_start[first..].iter().take_while(|&&i| profile.slices.start[i as usize] == start.0);
        same.map(|&i| SliceId(i)).find(|&s| profile.name_of(s) == name)
    })
}

/// The instant named by path, time and name.
fn find_instant(profile: &Profile, path: &str, time: TimeNs, name: &str) -> Option<InstantId> {
    let all = &profile.instants;
    let is_it = |&i: &usize| all.time[i] == time.0 && profile.strings.get(all.name[i]) == name && profile.track_path(all.track[i]) == path;
    (0..all.time.len()).find(is_it).map(|i| InstantId(i as u32))
}

/// What there is to say of an instant, which exists.
fn details_of_instant(profile: &Profile, instant: InstantId, fields: Vec<Field>) -> Details {
    let (all, i) = (&profile.instants, instant.index());
    Details {
        item: instant.into(),
        name: profile.strings.get(all.name[i]).into(),
        track: profile.track_path(all.track[i]),
        start: TimeNs(all.time[i]),
        duration: DurationNs(0),
        self_time: None,
        fields,
        predecessors: Vec::new(),
        successors: Vec::new(),
        parents: Vec::new(),
        instruction: None,
    }
}

/// Tracks and totals.
fn import_summary(profile: &Profile) -> ImportSummary {
    let mut tracks: Vec<TrackSummary> = (0..profile.tracks.len() as u32).map(|t| track_summary(profile, TrackId(t))).collect();
    let mut n_samples = 0;
    for counter in &profile.counters {
        tracks[counter.track.index()].n_samples += counter.times.len() as u64;
        n_samples += counter.times.len() as u64;
    }
    for track in &profile.instants.track {
        tracks[track.index()].n_instants += 1;
    }
    ImportSummary {
        tracks,
        n_slices: profile.slices.len() as u64,
        n_flows: profile.flows.from.len() as u64,
        n_instants: profile.instants.time.len() as u64,
        n_samples,
        tables: profile.tables.iter().map(|t| (t.id.clone(), t.rows.len() as u64 + t.n_more + t.n_in_file)).collect(),
        facts: profile.meta.facts.clone(),
    }
}

fn track_summary(profile: &Profile, track: TrackId) -> TrackSummary {
    let slices = profile.slices_of(track);
    let by_start = &profile.slices.by_start[slices.clone()];
    let t = &profile.tracks[track.index()];
    TrackSummary {
        path: profile.track_path(track),
        kind: t.kind,
        n_slices: slices.len() as u64,
        depth: t.lanes.len() as u32,
        first_ns: by_start.first().map(|&i| profile.slices.start[i as usize]),
        last_ns: slices.map(|i| profile.slices.end(i)).max(),
        n_samples: 0,
        n_instants: 0,
    }
}
