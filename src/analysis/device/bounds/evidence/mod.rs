//! From a gap to its causes: what made each gap of the ladders, by tensor, size, source line or signal, with the instructions to look at.

mod products;
mod transfers;
mod waits;

pub(super) use transfers::moves_by_start;

use super::ladders::GapKind;
use super::{rows, rows::CoreRows};
use crate::analysis::device::instructions::origin;
use crate::analysis::device::waiting::gaps;
use crate::analysis::device::waiting::run_waits::RunWaits;
use crate::analysis::device::waiting::signals;
use crate::analysis::recent_cache;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeRange, TrackId};
use crate::model::{Column, Domain, NeuronDevice, Profile, TrackKind};
use serde::{Deserialize, Serialize};
use std::hash::Hash;

/// Rows of one answer.
const MOST_ROWS: usize = 500;
/// Instructions that a row leads to.
pub(super) const MOST_SLICES: usize = 1000;

/// Which gap to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceQuery {
    /// Only this range; `None` is the entire run.
    pub range: Option<TimeRange>,
    /// Place of the core among those of [`super::Bounds`].
    pub core: u32,
    /// The gap.
    pub gap: GapKind,
}

/// What made a gap.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Largest first.
    pub rows: Vec<EvidenceRow>,
    /// Number of rows that are not listed.
    pub n_more: u64,
    /// What is not recorded, and how to record it.
    pub notes: Vec<String>,
}

/// One cause.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EvidenceRow {
    /// The tensor, queue, source line, tile or engine.
    pub name: String,
    /// What distinguishes it from others of that name.
    pub detail: String,
    /// Source lines, or else engines and opcodes, of the instructions that asked for the transfers; empty where they are not recorded.
    pub line: String,
    /// How many instructions, transfers or gaps.
    pub count: u64,
    /// How long, added up.
    pub time: Option<DurationNs>,
    /// Bytes of one: of the tensor, or of the transfer.
    pub size: Option<u64>,
    /// Bytes of all.
    pub bytes: Option<u64>,
    /// BF16-equivalent FLOPs.
    pub flops: Option<u64>,
    /// The first of them, by start.
    pub slices: Vec<SliceId>,
}

/// What explains a gap of a core.
pub fn evidence(profile: &Profile, query: &EvidenceQuery) -> Evidence {
    evidence_of(profile, query, &rows::rows_of(profile, query.range), &RunWaits::default())
}

/// The same for the rows of the range and the waits of the run, which many answers share.
pub fn evidence_of(profile: &Profile, query: &EvidenceQuery, rows: &[CoreRows], waits: &RunWaits) -> Evidence {
    let mut out = Evidence::default();
    let Domain::NeuronDevice(device) = &profile.domain else { return out };
    let range = query.range.unwrap_or_else(|| gaps::whole(profile));
    let Some(core) = rows.get(query.core as usize) else { return out };
    let given = EvidenceContext::of(profile, device, core, range);
    match query.gap {
        GapKind::DmaIdle => transfers::idle(&given, &mut out),
        GapKind::SlowTransfers => transfers::slow(&given, &mut out),
        GapKind::Reloads => transfers::reloads(&given, &mut out),
        GapKind::TensorIdle => products::late(&given, &waits.signals(profile), &mut out),
        GapKind::BelowPeak => products::tiles(&given, &mut out),
        GapKind::Transposes => products::transposes(&given, &mut out),
        GapKind::Unoverlapped => waits::waits(&given, &waits.signals(profile), &mut out),
    }
    let weight = |r: &EvidenceRow| (r.time, r.bytes, r.flops, r.count);
    out.rows.order_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| (&a.name, &a.detail, &a.line).cmp(&(&b.name, &b.detail, &b.line))));
    out.n_more = out.rows.len().saturating_sub(MOST_ROWS) as u64;
    out.rows.truncate(MOST_ROWS);
    out
}

/// What evidence is gathered from.
pub(super) struct EvidenceContext<'a> {
    pub profile: &'a Profile,
    pub device: &'a NeuronDevice,
    pub core: &'a CoreRows,
    pub range: TimeRange,
    roots: Vec<u32>,
    is_wait: Vec<bool>,
    engines: Option<&'a Column<StrId>>,
    sources: Option<&'a Column<StrId>>,
}

/// What names the place of an instruction in the program: source, engine, opcode.
type Label = (StrId, StrId, StrId);

impl<'a> EvidenceContext<'a> {
    pub fn of(profile: &'a Profile, device: &'a NeuronDevice, core: &'a CoreRows, range: TimeRange) -> Self {
        let column = |id: &str| profile.attribute(id).map(|a| &a.values);
        let roots = signals::roots(profile);
        let is_wait = crate::analysis::device::waiting::waits::names(profile);
        EvidenceContext { profile, device, core, range, roots, is_wait, engines: column("engine"), sources: column("source") }
    }

    /// Tracks of a kind on this core.
    pub fn tracks(&self, kind: TrackKind) -> impl Iterator<Item = TrackId> + '_ {
        let tracks = self.profile.tracks.iter().enumerate();
        tracks.filter(move |(t, track)| track.kind == kind && self.roots[*t] == self.core.root).map(|t| TrackId(t.0 as u32))
    }

    /// Whether a slice runs on this core.
    fn is_here(&self, slice: SliceId) -> bool {
        self.profile.track_of(slice).is_some_and(|t| self.roots[t.index()] == self.core.root)
    }

    pub fn starts_here(&self, i: usize) -> bool {
        (self.range.start.0..self.range.end.0).contains(&self.profile.slices.start[i])
    }

    fn engine(&self, i: usize) -> StrId {
        self.engines.and_then(|engines| engines.at(i)).unwrap_or_default()
    }

    /// With a source line only that; else engine and opcode.
    fn label(&self, i: usize) -> Label {
        let of = |column: Option<&Column<StrId>>| column.and_then(|values| values.at(i)).unwrap_or_default();
        match of(self.sources) {
            StrId(0) => (StrId(0), of(self.engines), self.profile.slices.name[i]),
            source => (source, StrId(0), StrId(0)),
        }
    }

    /// What asked for a transfer, where the packet names it.
    fn trigger(&self, packet: usize) -> Option<Label> {
        self.device.trigger_of(packet as u32).map(|i| self.label(i as usize))
    }

    fn text(&self, label: Label) -> String {
        let get = |id| self.profile.strings.get(id);
        match label {
            (StrId(0), engine, name) => format!("{} {}", get(engine), get(name)),
            (source, ..) => origin::places(get(source)).first().map_or_else(|| get(source).to_string(), ToString::to_string),
        }
    }

    /// Says how to record source lines, where none is.
    fn note_lines(&self, out: &mut Evidence) {
        let has_lines = self.sources.is_some_and(|sources| sources.any(|id| *id != StrId(0)));
        if !has_lines && !out.rows.is_empty() {
            let text = "Source lines are not recorded: rows are opcodes. Set `NEURON_FRAMEWORK_DEBUG=1`, `XLA_IR_DEBUG=1` and `XLA_HLO_DEBUG=1`, \
                        then compile and capture again.";
            out.notes.push(text.into());
        }
    }
}

/// Rows that are being collected. There are millions of slices and few keys, most of them the same as that of a slice just before.
struct Groups<K>(recent_cache::Groups<K, EvidenceRow>);

impl<K: Copy + Eq + Hash> Groups<K> {
    fn new() -> Self {
        Groups(recent_cache::Groups::default())
    }

    /// The row of a key, which may be new.
    fn row(&mut self, key: K) -> &mut EvidenceRow {
        self.0.of_key(key)
    }

    /// Counts one slice with the row of its key.
    fn add(&mut self, key: K, slice: SliceId) -> &mut EvidenceRow {
        let row = self.row(key);
        row.count += 1;
        if row.slices.len() < MOST_SLICES {
            row.slices.push(slice);
        }
        row
    }

    /// Sets the line of each row: that which asked for its transfers.
    fn set_lines(&mut self, given: &EvidenceContext<'_>, label: impl Fn(&K) -> Option<Label>) {
        for (key, row) in &mut self.0.all {
            row.line = label(key).map(|label| given.text(label)).unwrap_or_default();
        }
    }

    /// The rows, named by their keys.
    fn rows(self, profile: &Profile, name: impl Fn(&K) -> (String, String)) -> Vec<EvidenceRow> {
        let finish = |(key, row): (K, EvidenceRow)| {
            let (name, detail) = name(&key);
            let mut slices = row.slices;
            slices.order_by_key(|s| (profile.slices.start[s.index()], *s));
            EvidenceRow { name, detail, slices, ..row }
        };
        self.0.all.into_iter().map(finish).collect()
    }
}

/// Adds to a time that may not have begun.
fn plus_time(sum: &mut Option<DurationNs>, ns: i64) {
    *sum = Some(DurationNs(sum.map_or(0, |s| s.0).saturating_add(ns)));
}
