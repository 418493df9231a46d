//! Instructions, transfers, semaphore updates and tables of the file as CSV, in parts, so that the worker answers other questions in between.
//!
//! The cursor is the start of the next part. The engine caches only the order of the slices and recomputes it if needed.
//! The first part begins with the header.

use super::owners::Owners;
use super::question::Refusal;
use super::scan::place;
use super::{Session, record_fields};
use crate::base::csv::record;
use crate::base::{SliceId, TrackId};
use crate::model::domain::HbmTraffic;
use crate::model::{Cell, Domain, NeuronDevice, Profile, TrackKind};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Rows visited in one part.
const PART: u64 = 20_000;
/// Slices of one part: fields of each are read back from the file.
const PART_OF_SLICES: usize = 131_072;

/// What is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exported {
    /// Slices of the engines.
    Instructions,
    /// Slices of the DMA queues.
    Transfers,
    /// Semaphore updates.
    Semaphores,
    /// A table of the file.
    Table(String),
}

/// One part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportQuery {
    /// What.
    pub what: Exported,
    /// Where the next part begins; 0: the beginning.
    pub cursor: u64,
}

/// Some lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExportPart {
    /// Lines after RFC 4180.
    pub text: String,
    /// Rows in it.
    pub n_rows: u64,
    /// Progress: rows done, of how many.
    pub progress: (u64, u64),
    /// Where the next part begins; `None` at the end.
    pub next: Option<u64>,
}

impl Session {
    /// The next lines.
    pub(super) fn export(&self, query: &ExportQuery) -> Result<ExportPart, Refusal> {
        let from = query.cursor;
        match &query.what {
            Exported::Instructions => self.slices(from, TrackKind::Engine, &INSTRUCTION),
            Exported::Transfers => self.slices(from, TrackKind::Queue, &TRANSFER),
            Exported::Semaphores => Ok(semaphores(&self.profile, from)),
            Exported::Table(id) => self.table_lines(id, from),
        }
    }

    fn table_lines(&self, id: &str, from: u64) -> Result<ExportPart, Refusal> {
        let part = self.table(id, from, PART)?;
        let mut out = ExportPart { n_rows: part.rows.len() as u64, ..ExportPart::default() };
        if from == 0 {
            record(&mut out.text, part.columns.iter().map(String::as_str));
        }
        for row in &part.rows {
            let cells: Vec<String> = (0..part.columns.len()).map(|c| row.get(c).map(raw).unwrap_or_default()).collect();
            record(&mut out.text, cells.iter().map(String::as_str));
        }
        let done = from.saturating_add(out.n_rows);
        out.next = (out.n_rows > 0 && done < part.n_total).then_some(done);
        out.progress = (done, part.n_total);
        Ok(out)
    }
}

fn raw(cell: &Cell) -> String {
    match cell {
        Cell::Absent => String::new(),
        Cell::Int(v) => v.to_string(),
        Cell::Float(v) => v.to_string(),
        Cell::Text(v) => v.clone(),
    }
}

/// Numbers of a device's slices, in the order of their columns; empty if not recorded.
const NUMBERS: [&str; 7] = ["pc", "bytes", "evt_wait_ns", "elements", "sbuf_bytes", "hbm_read_bytes", "hbm_write_bytes"];

/// Fields that are read back from the file: the column, and the names it has in the formats.
type InFile = [(&'static str, &'static [&'static str])];

const INSTRUCTION: [(&str, &[&str]); 1] = [("operands", &["operands"])];
const TRANSFER: [(&str, &[&str]); 3] =
    [("read_bytes", &["read_bytes", "read_size"]), ("write_bytes", &["write_bytes", "write_size"]), ("semaphore", &["semaphore_id"])];

impl Session {
    /// Slices of tracks of one kind, in the order of the file: track, name, times, the numbers of a device, every attribute, `in_file`, and which
    /// slices each depends on, by their number in this profile. `from` is a rank in that order.
    fn slices(&self, from: u64, wanted: TrackKind, in_file: &InFile) -> Result<ExportPart, Refusal> {
        let profile = &self.profile;
        let order = self.in_file_order(wanted);
        let n = order.len();
        let from = usize::try_from(from).unwrap_or(n).min(n);
        let end = from.saturating_add(PART_OF_SLICES).min(n);
        let ids = &order[from..end];
        if end == n {
            self.export_order.take();
        }
        let mut out = ExportPart { next: (end < n).then_some(end as u64), progress: (end as u64, n as u64), ..ExportPart::default() };
        if from == 0 {
            let fixed = ["timeline_track", "name", "start_ns", "duration_ns"].into_iter().chain(NUMBERS);
            let of_file = in_file.iter().map(|f| f.0).chain(["slice", "predecessors"]);
            record(&mut out.text, fixed.chain(profile.attributes.iter().map(|a| a.id.as_str())).chain(of_file));
        }
        let keys: Vec<&[&str]> = in_file.iter().map(|f| f.1).collect();
        let fields = record_fields::fields(self.format()?, &self.input, profile, ids, &keys)?;
        rows(profile, ids, &fields, &mut out);
        Ok(out)
    }

    /// Slices of tracks of one kind by where their records lie; kept from part to part.
    pub(super) fn in_file_order(&self, wanted: TrackKind) -> Rc<Vec<SliceId>> {
        if let Some((_, order)) = self.export_order.borrow().as_ref().filter(|cached| cached.0 == wanted) {
            return order.clone();
        }
        let order = Rc::new(in_file_order(&self.profile, wanted));
        self.export_order.replace(Some((wanted, order.clone())));
        order
    }
}

/// Slices of tracks of one kind by where their records lie.
fn in_file_order(profile: &Profile, wanted: TrackKind) -> Vec<SliceId> {
    let tracks = (0..profile.tracks.len() as u32).map(TrackId).filter(|t| profile.tracks[t.index()].kind == wanted);
    let place = |i: usize| (place(profile.slices.record[i]), i as u32);
    let mut all: Vec<(u64, u32)> = tracks.flat_map(|t| profile.slices_of(t)).map(place).collect();
    all.sort_unstable();
    all.into_iter().map(|slice| SliceId(slice.1)).collect()
}

/// `fields` holds those read back of each of `slices`.
fn rows(profile: &Profile, slices: &[SliceId], fields: &[Vec<String>], out: &mut ExportPart) {
    let mut paths: Vec<Option<String>> = vec![None; profile.tracks.len()];
    let (numbers, hbm): ([&[u32]; 5], &[HbmTraffic]) = match &profile.domain {
        Domain::NeuronDevice(d) => ([&d.pc, &d.bytes, &d.wait_ns, &d.elements, &d.sbuf_bytes], &d.hbm),
        _ => ([&[]; 5], &[]),
    };
    for (&slice, read) in slices.iter().zip(fields) {
        let i = slice.index();
        let path = profile.track_of(slice).map_or("", |t| paths[t.index()].get_or_insert_with(|| profile.track_path(t)));
        let number = |column: &[u32]| column.get(i).filter(|v| **v != NeuronDevice::ABSENT).map(u32::to_string).unwrap_or_default();
        let (start, duration) = (profile.slices.start[i].to_string(), profile.slices.duration[i].to_string());
        let moved = hbm.binary_search_by_key(&slice.0, |h| h.slice).ok().map(|at| [hbm[at].read, hbm[at].written]);
        let moved = moved.map(|m| m.map(|n| n.to_string())).unwrap_or_default();
        let values = numbers.map(number);
        let fixed = [path, profile.name_of(slice), &start, &duration];
        let values = values.iter().chain(&moved).map(String::as_str);
        let attributes = profile.attributes.iter().map(|a| profile.strings.get(a.values[i]));
        // No semaphore is written as -1.
        let read = read.iter().map(|field| if field == "-1" { "" } else { field.as_str() });
        let (own, before) = (i.to_string(), predecessors(profile, slice));
        record(&mut out.text, fixed.into_iter().chain(values).chain(attributes).chain(read).chain([own.as_str(), before.as_str()]));
        out.n_rows += 1;
    }
}

/// `17 FLOW_DEPENDENCE; 20 ANTI_DEPENDENCE`: the slices that one depends on, each with the kind of it.
fn predecessors(profile: &Profile, slice: SliceId) -> String {
    let one = |(from, kind)| {
        let (from, kind): (SliceId, _) = (from, profile.strings.get(kind));
        if kind.is_empty() { from.0.to_string() } else { format!("{} {kind}", from.0) }
    };
    profile.flows.incoming(slice).map(one).collect::<Vec<_>>().join("; ")
}

/// Times of the semaphores. `from` is a moment.
fn semaphores(profile: &Profile, from: u64) -> ExportPart {
    let n = profile.instants.time.len();
    let first = usize::try_from(from).unwrap_or(n).min(n);
    let end = first.saturating_add(PART as usize).min(n);
    let mut out = ExportPart { next: (end < n).then_some(end as u64), progress: (end as u64, n as u64), ..ExportPart::default() };
    if first == 0 {
        record(&mut out.text, ["timeline_track", "timestamp_ns", "id", "value", "owner"]);
    }
    let owners = Owners::of(profile);
    for i in first..end {
        let track = profile.instants.track[i];
        let name = profile.strings.get(profile.instants.name[i]);
        // The timeline names such a moment `S[5] = 3`.
        let Some((id, value)) = name.strip_prefix("S[").and_then(|n| n.split_once("] = ")) else {
            continue;
        };
        if profile.tracks.get(track.index()).is_none_or(|t| t.kind != TrackKind::Wait) {
            continue;
        }
        let (path, time) = (profile.track_path(track), profile.instants.time[i].to_string());
        record(&mut out.text, [path.as_str(), &time, id, value, owners.owner(track, id)]);
        out.n_rows += 1;
    }
    out
}
