//! Instructions, transfers, semaphore updates and tables of the file as CSV, part by part: a page can save millions of rows and stay awake.
//!
//! The cursor says where the next part begins, so the engine remembers nothing. The first part begins with the header.

use super::{Answer, Session};
use crate::base::{SliceId, TrackId};
use crate::model::domain::HbmTraffic;
use crate::model::{Cell, Domain, NeuronDevice, Profile, TrackKind};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows looked at in one part.
const PART: u64 = 20_000;

/// What is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exported {
    /// Slices of the engines.
    Instructions,
    /// Slices of the DMA queues.
    Transfers,
    /// Moments of the semaphores.
    Semaphores,
    /// A table of the file.
    Table(String),
}

/// One part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportQuery {
    /// What.
    pub what: Exported,
    /// Where to go on; 0 is the beginning.
    pub cursor: u64,
}

/// Some lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExportPart {
    /// Lines after RFC 4180.
    pub text: String,
    /// Rows in it.
    pub n_rows: u64,
    /// How much of the whole is behind this part: done, of how much.
    pub progress: (u64, u64),
    /// Where the next part begins; `None` at the end.
    pub next: Option<u64>,
}

impl Session {
    /// The next lines.
    pub(super) fn export(&self, query: &ExportQuery) -> Answer {
        let from = query.cursor;
        match &query.what {
            Exported::Instructions => Answer::Export(slices(&self.profile, from, |k| k == TrackKind::Engine)),
            Exported::Transfers => Answer::Export(slices(&self.profile, from, |k| k == TrackKind::Queue)),
            Exported::Semaphores => Answer::Export(semaphores(&self.profile, from)),
            Exported::Table(id) => match self.table(id, from, PART) {
                Answer::Table(part) => {
                    let mut out = ExportPart { n_rows: part.rows.len() as u64, ..ExportPart::default() };
                    if from == 0 {
                        line(&mut out.text, part.columns.iter().map(String::as_str));
                    }
                    for row in &part.rows {
                        let cells: Vec<String> = (0..part.columns.len()).map(|c| row.get(c).map(raw).unwrap_or_default()).collect();
                        line(&mut out.text, cells.iter().map(String::as_str));
                    }
                    let done = from.saturating_add(out.n_rows);
                    out.next = (out.n_rows > 0 && done < part.n_total).then_some(done);
                    out.progress = (done, part.n_total);
                    Answer::Export(out)
                }
                other => other,
            },
        }
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

fn line<'a>(out: &mut String, fields: impl Iterator<Item = &'a str>) {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push_str("\r\n");
}

/// Numbers of a device's slices, in the order of their columns; empty where the file does not tell.
const NUMBERS: [&str; 7] = ["pc", "bytes", "evt_wait_ns", "elements", "sbuf_bytes", "hbm_read_bytes", "hbm_write_bytes"];

/// Slices of tracks of some kind: track, name, times, every attribute, and the numbers of a device. `from` is a slice.
fn slices(profile: &Profile, from: u64, is_wanted: fn(TrackKind) -> bool) -> ExportPart {
    let n = profile.slices.len();
    let first = usize::try_from(from).unwrap_or(n).min(n);
    let end = first.saturating_add(PART as usize).min(n);
    let mut out = ExportPart { next: (end < n).then_some(end as u64), progress: (end as u64, n as u64), ..ExportPart::default() };
    if first == 0 {
        let fixed = ["timeline_track", "name", "start_ns", "duration_ns"].into_iter().chain(NUMBERS);
        line(&mut out.text, fixed.chain(profile.attributes.iter().map(|a| a.id.as_str())));
    }
    for t in (0..profile.tracks.len()).filter(|&t| is_wanted(profile.tracks[t].kind)) {
        let of_track = profile.slices_of(TrackId(t as u32));
        let here = of_track.start.max(first)..of_track.end.min(end);
        if here.start < here.end {
            track(profile, TrackId(t as u32), here, &mut out);
        }
    }
    out
}

fn track(profile: &Profile, track: TrackId, slices: Range<usize>, out: &mut ExportPart) {
    let path = profile.track_path(track);
    let (numbers, hbm): ([&[u32]; 5], &[HbmTraffic]) = match &profile.domain {
        Domain::NeuronDevice(d) => ([&d.pc, &d.bytes, &d.wait_ns, &d.elements, &d.sbuf_bytes], &d.hbm),
        _ => ([&[]; 5], &[]),
    };
    for i in slices {
        let number = |column: &[u32]| column.get(i).filter(|v| **v != NeuronDevice::ABSENT).map(u32::to_string).unwrap_or_default();
        let (start, duration) = (profile.slices.start[i].to_string(), profile.slices.duration[i].to_string());
        let moved = hbm.binary_search_by_key(&(i as u32), |h| h.slice).ok().map(|at| [hbm[at].read, hbm[at].written]);
        let moved = moved.map(|m| m.map(|n| n.to_string())).unwrap_or_default();
        let told = numbers.map(number);
        let fixed = [path.as_str(), profile.name_of(SliceId(i as u32)), &start, &duration];
        let told = told.iter().chain(&moved).map(String::as_str);
        line(&mut out.text, fixed.into_iter().chain(told).chain(profile.attributes.iter().map(|a| profile.strings.get(a.values[i]))));
        out.n_rows += 1;
    }
}

/// Moments of the semaphores. `from` is a moment.
fn semaphores(profile: &Profile, from: u64) -> ExportPart {
    let n = profile.instants.time.len();
    let first = usize::try_from(from).unwrap_or(n).min(n);
    let end = first.saturating_add(PART as usize).min(n);
    let mut out = ExportPart { next: (end < n).then_some(end as u64), progress: (end as u64, n as u64), ..ExportPart::default() };
    if first == 0 {
        line(&mut out.text, ["timeline_track", "timestamp_ns", "id", "value"].into_iter());
    }
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
        line(&mut out.text, [path.as_str(), &time, id, value].into_iter());
        out.n_rows += 1;
    }
    out
}
