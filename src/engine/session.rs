//! An open profile with its input: answers every [`Question`].

use super::device::{BandsQuery, SharedByDevice};
use super::general::FindQuery;
use super::general_rows::{Details, ImportSummary, TablePart, TrackSummary};
use super::question::{Question, Refusal, Wire};
use super::question_list::EncodedQuery;
use super::scoped::Scoped;
use super::tables::RowIndex;
use super::{PageColumns, PageInstants, PageMeta, full, page_columns};
use crate::analysis::colouring::name_at;
use crate::analysis::snapshot::SnapshotModel;
use crate::analysis::support::Support;
use crate::analysis::torch::TorchModel;
use crate::analysis::{colour, details, operators};
use crate::base::Order as _;
use crate::base::{DurationNs, EventId, InputSet, InstantId, Ledger, SliceId, StrId, TimeNs, TrackId};
use crate::formats::{self, Claim, Field, Format, Imported};
use crate::model::{Domain, Profile, TrackKind};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A question that is likely to be asked next; `None` where the profile has nothing that it is about.
pub type QuestionAhead = fn(&Session) -> Option<EncodedQuery>;

/// What a worker finds answers for before they are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Preparation {
    /// The views of the profile.
    Views,
    /// A comparison with another open profile.
    Comparison,
}

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
    /// Colour slots by name, which many answers need.
    name_slots: OnceCell<Rc<Vec<u16>>>,
    /// Columns computed so far, by id.
    pub(super) derived: RefCell<HashMap<String, Rc<Vec<StrId>>>>,
    /// What the answers of a PyTorch trace share; made when the first one is asked for.
    pub(super) torch: OnceCell<TorchModel>,
    /// The same for a Neuron device profile.
    pub(super) device: SharedByDevice,
    /// The same for a memory snapshot.
    pub(super) snapshot: OnceCell<SnapshotModel>,
    /// The same for an `analyze` report.
    pub(super) support: OnceCell<Support>,
    /// The region that is the scope.
    pub(super) scope: RefCell<Option<Rc<Scoped>>>,
    /// Slices of a kind of tracks in the order of their records, while they are saved as CSV.
    pub(super) export_order: RefCell<Option<(TrackKind, Rc<Vec<SliceId>>)>>,
    /// What the parts of a table share, while it is read part by part.
    pub(super) table_rows: RefCell<Option<Rc<RowIndex>>>,
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
            name_slots: OnceCell::new(),
            derived: RefCell::default(),
            torch: OnceCell::new(),
            device: SharedByDevice::default(),
            snapshot: OnceCell::new(),
            support: OnceCell::new(),
            scope: RefCell::default(),
            export_order: RefCell::default(),
            table_rows: RefCell::default(),
        }
    }

    /// Answers one question.
    pub fn ask<Q: Question>(&self, question: &Q) -> Result<Q::Answer, Refusal> {
        question.answer(self)
    }

    /// The same; where a region is the scope and the question is about its wall span, from its windows alone.
    pub fn ask_in_scope<Q: Wire>(&self, question: &Q) -> Result<Q::Answer, Refusal> {
        match self.scoped_answer(question) {
            Some(answer) => Ok(postcard::from_bytes::<(u32, Q::Answer)>(&answer?).map_err(|_| Refusal::OtherQuestion)?.1),
            None => question.answer(self),
        }
    }

    /// What the page asks as soon as it shows a profile of this kind, where the answer takes long.
    pub fn first_question(&self) -> Option<EncodedQuery> {
        matches!(self.profile.domain, Domain::NeuronDevice(_)).then(|| EncodedQuery::of(&BandsQuery))
    }

    /// What is asked first, where the answers take long. A worker finds them while it has nothing else to do, in this order.
    pub fn questions_ahead(&self, what: Preparation) -> &'static [QuestionAhead] {
        match (&self.profile.domain, full::linked()) {
            (Domain::NeuronDevice(_), Ok(full)) => (full.questions_ahead)(what),
            _ => &[],
        }
    }

    /// The importer that reads the profile's records again.
    pub(super) fn format(&self) -> Result<&'static dyn Format, Refusal> {
        formats::by_id(&self.claim.format).ok_or_else(|| Refusal::UnknownFormat(self.claim.format.clone()))
    }

    /// Rank and world size, where the file records it.
    pub fn rank(&self) -> Option<(u32, u32)> {
        match &self.profile.domain {
            Domain::Torch(torch) => torch.rank,
            _ => None,
        }
    }

    /// What the page holds for drawing.
    pub fn page_columns(&self) -> PageColumns {
        let Profile { slices, instants, .. } = &self.profile;
        let instants =
            PageInstants { track: instants.track.clone(), time: instants.time.clone().into(), name: instants.name.clone().into() };
        PageColumns {
            info: PageMeta { instants, ..self.page_meta() },
            start: slices.start.clone().into(),
            duration: slices.duration.clone().into(),
            name: slices.name.iter().map(|s| s.0).collect(),
            colour: page_columns::SliceColours::by_name(self.name_slots().to_vec()),
        }
    }

    /// The small part of [`Session::page_columns`], without its instants; the worker sends columns straight from the profile.
    pub fn page_meta(&self) -> PageMeta {
        let mut meta = page_columns::page_meta(&self.profile);
        self.add_derived(&mut meta);
        meta
    }

    /// Calls `compute` with the column `by` and its colour slots, if the profile has that column.
    pub(super) fn grouped<T>(&self, by: &str, compute: impl FnOnce(&[StrId], &[u16]) -> T) -> Result<T, Refusal> {
        let by = if by.is_empty() { "name" } else { by };
        let derived = self.derived(by);
        let column = operators::column(&self.profile, by).or(derived.as_ref().map(|d| d.as_slice()));
        let column = column.ok_or_else(|| Refusal::NoColumn(by.into()))?;
        Ok(compute(column, &self.slots(by, column)))
    }

    /// A colour slot for each string, by the names of slices.
    pub fn name_slots(&self) -> &[u16] {
        self.name_slots.get_or_init(|| self.slots("name", &self.profile.slices.name))
    }

    fn slots(&self, by: &str, column: &[StrId]) -> Rc<Vec<u16>> {
        if let Some(slots) = self.colours.borrow().get(by) {
            return slots.clone();
        }
        let slots = Rc::new(colour::slots(&self.profile, column));
        self.colours.borrow_mut().insert(by.into(), slots.clone());
        slots
    }

    pub(super) fn details(&self, item: EventId) -> Result<Details, Refusal> {
        let profile = &self.profile;
        let is_there = match item {
            EventId::Slice(slice) => slice.index() < profile.slices.len(),
            EventId::Instant(instant) => instant.index() < profile.instants.time.len(),
        };
        if !is_there {
            return Err(Refusal::NoSuchItem);
        }
        let format = self.format()?;
        let mut fields = format.record(&self.input, profile, item).unwrap_or_else(|error| vec![unreadable(&error.to_string())]);
        let slice = match item {
            EventId::Slice(slice) => slice,
            EventId::Instant(instant) => return Ok(details_of_instant(profile, instant, fields)),
        };
        fields.splice(0..0, self.attribution(slice));
        let mut near = details::surroundings(profile, slice);
        let instruction = match profile.domain {
            Domain::NeuronDevice(_) => (full::linked()?.details)(self, slice, &mut near, &mut fields),
            _ => None,
        };
        Ok(Details {
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

    pub(super) fn table(&self, id: &str, first: u64, n: u64) -> Result<TablePart, Refusal> {
        let table = self.profile.tables.iter().find(|t| t.id == id).ok_or_else(|| Refusal::NoTable(id.into()))?;
        let columns = table.columns.clone();
        if table.n_in_file > 0 {
            let rows = self.format()?.rows(&self.input, id, first, n.min(ROWS_MAX))?;
            return Ok(TablePart { columns, rows, n_total: table.n_in_file });
        }
        let n_rows = table.rows.len();
        let from = usize::try_from(first).unwrap_or(n_rows).min(n_rows);
        let to = from.saturating_add(usize::try_from(n).unwrap_or(n_rows)).min(n_rows);
        Ok(TablePart { columns, rows: table.rows[from..to].to_vec(), n_total: n_rows as u64 })
    }

    /// Slices with `value` in `column`, by start.
    pub(super) fn occurrences(&self, column: &[StrId], (by, value): (&str, &str)) -> Vec<SliceId> {
        let profile = &self.profile;
        // At a depth several names are called the same.
        let is_it: Vec<bool> = profile.strings.iter().map(|(_, name)| name_at(by, name) == value).collect();
        let mut out: Vec<SliceId> = (0..column.len()).filter(|&i| is_it[column[i].index()]).map(|i| SliceId(i as u32)).collect();
        out.order_by_key(|s| profile.slices.start[s.index()]);
        out
    }

    /// What a link names.
    pub(super) fn find(&self, link: &FindQuery) -> Option<EventId> {
        let FindQuery { track, time, name, is_instant } = link;
        match is_instant {
            true => find_instant(&self.profile, track, *time, name).map(Into::into),
            false => find(&self.profile, track, *time, name).map(Into::into),
        }
    }

    /// Tracks and totals.
    pub(super) fn import_summary(&self) -> ImportSummary {
        import_summary(&self.profile)
    }
}

/// Maximum rows of one answer; the page asks for more with further questions.
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
    for (track, part) in profile.instants.track.runs() {
        tracks[track.index()].n_instants += part.len() as u64;
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
