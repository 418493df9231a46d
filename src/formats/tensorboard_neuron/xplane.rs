//! XSpace files: the planes of the Neuron plugin hold Chrome records and operators as JSON texts, any other plane is a timeline of its own.

use super::chrome::Chrome;
use super::tables::Reader;
use super::xspace::{XPlane, XSpace, XStat};
use crate::base::{Ledger, Severity, StrId, TrackId};
use crate::formats::ImportError;
use crate::formats::json::Sink;
use crate::model::neuron_log::OpTable;
use crate::model::{GenericTable, RawSlice, RecordRef, TrackKind, TrackSpec};
use prost::Message;
use rustc_hash::FxHashMap;

/// Whether a beginning is that of an XSpace: a first plane with a name.
pub(super) fn is_xspace(head: &[u8]) -> bool {
    let Some((1, 2, body)) = field(head).map(|(tag, wire, body, _)| (tag, wire, body)) else {
        return false;
    };
    let mut rest = body;
    for _ in 0..3 {
        match field(rest) {
            Some((1, 0, _, after)) => rest = after,
            Some((2, 2, name, _)) => {
                return name.len() >= 2 && (name[0] == b'/' || name.starts_with(b"Task")) && name.iter().all(|b| (0x20..0x7f).contains(b));
            }
            _ => return false,
        }
    }
    false
}

/// Number, wire type and body of the first field, and the following bytes. A truncated body is returned as it is.
fn field(bytes: &[u8]) -> Option<(u64, u64, &[u8], &[u8])> {
    let (key, rest) = varint(bytes)?;
    match key & 7 {
        0 => varint(rest).map(|(_, after)| (key >> 3, 0, &rest[..0], after)),
        2 => {
            let (len, rest) = varint(rest)?;
            let len = usize::try_from(len).ok()?.min(rest.len());
            Some((key >> 3, 2, &rest[..len], &rest[len..]))
        }
        _ => None,
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (i, b) in bytes.iter().take(10).enumerate() {
        value |= u64::from(b & 0x7f) << (7 * i);
        if b & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

/// The planes of a file, one by one. An unreadable plane is counted as skipped; the others are used.
pub(super) fn planes(mut bytes: &[u8], ledger: &mut Ledger) -> Result<Vec<XPlane>, ImportError> {
    let whole = bytes.len();
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let offset = (whole - bytes.len()) as u64;
        let n_left = bytes.len();
        let Some((number, wire, body, after)) = field(bytes) else {
            lost(ledger, offset, "the rest of the file is not a protobuf field");
            break;
        };
        let is_cut = wire == 2 && after.is_empty() && !ends_whole(bytes, n_left);
        if number == 1 {
            match XPlane::decode(body) {
                Ok(plane) if !is_cut => out.push(plane),
                Ok(plane) => {
                    lost(ledger, offset, "the file ends inside the plane");
                    out.push(plane);
                }
                Err(error) => match whole_fields(body) {
                    Some(plane) => {
                        lost(ledger, offset, &format!("the plane is truncated: {error}"));
                        out.push(plane);
                    }
                    None => lost(ledger, offset, &error.to_string()),
                },
            }
        } else if let Ok(space) = XSpace::decode(&bytes[..n_left - after.len()]) {
            space.errors.iter().for_each(|e| ledger.note(format!("Error recorded in the file: {e}")));
            space.warnings.iter().for_each(|w| ledger.note(format!("Warning recorded in the file: {w}")));
        }
        bytes = after;
    }
    if out.is_empty() {
        return Err(ImportError::Invalid("Expected an XSpace with at least one plane, found none that can be read.".into()));
    }
    Ok(out)
}

/// Whether the body of the last field is complete.
fn ends_whole(bytes: &[u8], n_left: usize) -> bool {
    let lengths = varint(bytes).and_then(|(_, rest)| varint(rest).map(|(len, body)| (len, body.len())));
    lengths.is_some_and(|(len, have)| len == have as u64 && have <= n_left)
}

/// The plane from its complete fields.
fn whole_fields(body: &[u8]) -> Option<XPlane> {
    let mut rest = body;
    let mut plane = XPlane::default();
    while let Some((_, wire, _, after)) = field(rest) {
        let one = &rest[..rest.len() - after.len()];
        if wire == 2 && after.is_empty() && !ends_whole(one, one.len()) {
            break;
        }
        if plane.merge(one).is_err() {
            break;
        }
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    (plane != XPlane::default()).then_some(plane)
}

fn lost(ledger: &mut Ledger, offset: u64, why: &str) {
    ledger.read += 1;
    ledger.skip(Severity::DataLoss, "cut_plane", "A plane is only partly readable; the readable part is shown.", offset, || why.into());
}

/// Name of a value.
fn stat_names(plane: &XPlane) -> FxHashMap<i64, &str> {
    plane.stat_metadata.iter().filter_map(|e| Some((e.key, e.value.as_ref()?.name.as_str()))).collect()
}

/// A value as text; one that refers to a name is that name.
fn stat_text<'a>(stat: &'a XStat, names: &FxHashMap<i64, &'a str>) -> Option<std::borrow::Cow<'a, str>> {
    use std::borrow::Cow;
    if let Some(text) = &stat.str_value {
        return Some(Cow::Borrowed(text));
    }
    if let Some(bytes) = &stat.bytes_value {
        return Some(String::from_utf8_lossy(bytes));
    }
    if let Some(reference) = stat.ref_value {
        return names.get(&i64::try_from(reference).ok()?).map(|n| Cow::Borrowed(*n));
    }
    let number = stat.int64_value.map(|v| v.to_string()).or(stat.uint64_value.map(|v| v.to_string()));
    number.or(stat.double_value.map(|v| v.to_string())).map(Cow::Owned)
}

/// Whether a plane is one of the Neuron plugin.
fn is_neuron(plane: &XPlane) -> bool {
    plane.name.to_ascii_lowercase().contains("neuron")
}

/// Rows and slices of all planes.
pub(super) fn timeline(planes: &[XPlane], chrome: &mut Chrome) {
    for plane in planes {
        let names = stat_names(plane);
        let events: FxHashMap<i64, &str> = plane
            .event_metadata
            .iter()
            .filter_map(|e| Some((e.key, e.value.as_ref()?)))
            .map(|(key, v)| (key, if v.display_name.is_empty() { v.name.as_str() } else { v.display_name.as_str() }))
            .collect();
        let mut group = None;
        for line in &plane.lines {
            let mut row: Option<(TrackId, i64)> = None;
            for event in &line.events {
                let text = event
                    .stats
                    .iter()
                    .filter_map(|s| stat_text(s, &names))
                    .find(|t| t.trim_start().starts_with('{') && t.contains("\"ph\""));
                if let Some(text) = text.filter(|_| is_neuron(plane)) {
                    // Its record is inside the protobuf: it cannot be read again by range.
                    if !chrome.text(text.trim().as_bytes(), 0) {
                        chrome.damaged(text.as_bytes(), 0, crate::formats::json::split::Damage::Unreadable);
                    }
                    continue;
                }
                let group = *group.get_or_insert_with(|| plane_track(chrome, plane));
                let (track, base) = *row.get_or_insert_with(|| (line_track(chrome, group, line), line.timestamp_ns));
                let name = events.get(&event.metadata_id).copied().unwrap_or("(no name)");
                let name: StrId = chrome.builder.strings.intern(name);
                let (start, duration) = (base.saturating_add(ns(event.offset_ps)), ns(event.duration_ps).max(0));
                chrome.builder.slice(RawSlice { track, start, duration, name, record: RecordRef::default() });
                chrome.ledger.read += 1;
                chrome.ledger.shown += 1;
            }
        }
    }
}

/// Picoseconds as nanoseconds, halves up.
fn ns(ps: i64) -> i64 {
    ps.saturating_add(500).div_euclid(1_000)
}

fn plane_track(chrome: &mut Chrome, plane: &XPlane) -> TrackId {
    let sort = chrome.rows.len() as i64;
    chrome.rows.push(super::chrome::Row { name: plane.name.clone(), is_process: true, process: plane.name.clone().into_bytes() });
    chrome.builder.track(TrackSpec { parent: None, name: plane.name.clone(), kind: TrackKind::Group, sort })
}

fn line_track(chrome: &mut Chrome, group: TrackId, line: &super::xspace::XLine) -> TrackId {
    let name = if line.display_name.is_empty() { line.name.clone() } else { line.display_name.clone() };
    let shown = if name.is_empty() { format!("Line {}", line.id) } else { name.clone() };
    let process = chrome.rows[group.index()].process.clone();
    chrome.rows.push(super::chrome::Row { name, is_process: false, process });
    chrome.builder.track(TrackSpec { parent: Some(group), name: shown, kind: TrackKind::Thread, sort: line.id })
}

/// The operator tables of the Neuron planes: stats `op_…` are records as JSON, `total_time` their total. Framework first, then HLO.
pub(super) fn tables(planes: &[XPlane], ledger: &mut Ledger) -> [Option<(OpTable, GenericTable)>; 2] {
    let mut read = |is_hlo: bool, id: &str| {
        let mut reader = Reader::new(id, ledger);
        let mut total = None;
        for plane in planes.iter().filter(|p| is_neuron(p)) {
            let names = stat_names(plane);
            for stat in &plane.stats {
                let name = names.get(&stat.metadata_id).copied().unwrap_or_default();
                if name == "total_time" {
                    total = stat.uint64_value.or(stat.int64_value.and_then(|v| u64::try_from(v).ok()));
                }
                let Some(text) = stat_text(stat, &names).filter(|t| name.starts_with("op_") && t.trim_start().starts_with('{')) else {
                    continue;
                };
                let of_hlo =
                    plane.name.contains("hlo") || !(plane.name.contains("framework") || text.contains("aten__") || text.contains("aten::"));
                if of_hlo == is_hlo && !reader.record(text.trim().as_bytes(), 0) {
                    reader.damaged(text.as_bytes(), 0, crate::formats::json::split::Damage::Unreadable);
                }
            }
        }
        let (mut table, raw) = reader.finish();
        table.total_time_ns = table.total_time_ns.or(total.and_then(|t| i64::try_from(t).ok()));
        (!table.rows.is_empty()).then_some((table, raw))
    };
    [read(false, "framework_ops"), read(true, "hlo_ops")]
}
