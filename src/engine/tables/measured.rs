//! Semaphores, and values over time.

use super::cells::{self, Cores};
use super::slices::{Give, PART};
use super::{Kind, Part, Renamed, TableError, Values, table};
use crate::engine::{Refusal, Session};
use crate::formats::{self, Sample};
use crate::model::{Cell, Profile, TrackKind};
use std::collections::BTreeMap;

/// Gives `SemaphoreUpdate`.
pub(super) fn semaphores(session: &Session, cores: &Cores, give: &mut Give<'_>) -> Result<(), TableError> {
    let Some(table) = table("SemaphoreUpdate") else { return Ok(()) };
    let profile = &session.profile;
    let all = &profile.instants;
    let is_update = |i: &usize| profile.tracks[all.track[*i].index()].kind == TrackKind::Wait;
    let rows: Vec<usize> = (0..all.time.len()).filter(is_update).collect();
    let owners = owners(profile);
    for part in rows.chunks(PART) {
        // `S[5] = 3`, as the importers name them.
        let parsed = |i: &usize| {
            let (id, value) = profile.strings.get(all.name[*i]).strip_prefix("S[")?.split_once("] = ")?;
            Some((id, value.parse::<i64>().ok()?))
        };
        let id = |i: &usize| {
            let id = parsed(i)?.0;
            let owner = cores.get(all.track[*i]).and_then(|core| owners.get(&(core, id.to_string())));
            Some(owner.map_or_else(|| id.to_string(), |owner| format!("S[{id}] ({owner})")))
        };
        let column = |c: &super::Column| match c.name.as_ref() {
            "timestamp" => Values::Ints(part.iter().map(|i| Some(all.time[*i])).collect()),
            "id" => Values::Texts(part.iter().map(id).collect()),
            "value" => Values::Ints(part.iter().map(|i| Some(parsed(i)?.1)).collect()),
            "pcore_idx" => Values::Ints(part.iter().map(|i| cores.get(all.track[*i])).collect()),
            _ => Values::absent(c.kind, part.len()),
        };
        let columns = table.columns.iter().map(column).collect();
        give("SemaphoreUpdate", Part { columns, n_rows: part.len(), next: None })?;
    }
    Ok(())
}

/// Owners of semaphores by core and number, where the file names them.
fn owners(profile: &Profile) -> BTreeMap<(i64, String), String> {
    let mut out = BTreeMap::new();
    if let Some(table) = profile.tables.iter().find(|t| t.id == "semaphores") {
        for row in 0..table.rows.len() {
            let text = |column: &str| cells::text(&cells::cell(table, row, column));
            let core = text("subgraph").and_then(|name| cells::subgraph(&name));
            if let (Some(core), Some(id), Some(owner)) = (core, text("id"), text("owner")) {
                out.insert((core, id), owner);
            }
        }
    }
    out
}

/// Tables of samples with the section of the device JSON that each is from, and the key of each column that is called otherwise.
const SAMPLES: [Renamed; 6] = [
    ("PendingDma", "pending_dma", &[]),
    ("DmaUsage", "dma_throughput", &[("current_throughput", "transfer_rate")]),
    ("HbmUsage", "dma_throughput", &[("current_throughput", "hbm_transfer_rate"), ("total_transfer_bytes", "hbm_total_transfer_bytes")]),
    ("SbufUsage", "instruction_usage", &[("avg_util_percent", "usage_avg")]),
    ("PsumUsage", "instruction_usage", &[("avg_util_percent", "usage_avg")]),
    ("Throttle", "ham", &[]),
];

/// Whether a record of a section is a row of the table.
fn is_row(table: &str, sample: &Sample<'_>) -> bool {
    let text = |key: &str| sample.get(key).and_then(cells::text);
    match table {
        "HbmUsage" => text("uses_hbm").as_deref() == Some("true"),
        "PsumUsage" => text("type").as_deref() == Some("psum"),
        "SbufUsage" => text("type").as_deref() != Some("psum"),
        _ => true,
    }
}

/// The key of a column: `partition_0_util_percent` is `partition_0_usage`.
fn key(column: &str, keys: &[(&str, &str)]) -> String {
    match keys.iter().find(|k| k.0 == column) {
        Some(key) => key.1.into(),
        None => column.replace("_util_percent", "_usage"),
    }
}

/// `activity_0` is written as 0.
fn throttle_type(cell: &Cell) -> Cell {
    match cells::int(cell) {
        Some(n) => Cell::Text(format!("activity_{n}")),
        None => cell.clone(),
    }
}

/// Gives the tables of samples, as far as the file has their sections.
pub(super) fn samples(session: &Session, give: &mut Give<'_>) -> Result<(), TableError> {
    let Some(format) = formats::by_id(&session.claim.format) else { return Ok(()) };
    let mut rows: Vec<(&str, Vec<Vec<Cell>>)> = SAMPLES.iter().map(|s| (s.0, Vec::new())).collect();
    let tables: Vec<_> = SAMPLES.iter().filter_map(|s| table(s.0)).collect();
    let mut each = |section: &str, sample: &Sample| {
        for ((at, (name, of, keys)), table) in SAMPLES.iter().enumerate().zip(&tables) {
            if *of != section || !is_row(name, sample) {
                continue;
            }
            let cell = |c: &super::Column| match c.name.as_ref() {
                "pcore_idx" => {
                    let core = sample.get("subgraph").and_then(cells::text).and_then(|name| cells::subgraph(&name));
                    core.map_or(Cell::Absent, Cell::Int)
                }
                "type" if *name == "Throttle" => sample.get("type").map_or(Cell::Absent, throttle_type),
                name => sample.get(&key(name, keys)).cloned().unwrap_or(Cell::Absent),
            };
            rows[at].1.push(table.columns.iter().map(cell).collect());
        }
    };
    format.samples(&session.input, &session.profile, &mut each).map_err(Refusal::from)?;
    for ((name, rows), table) in rows.into_iter().zip(&tables) {
        let kinds: Vec<Kind> = table.columns.iter().map(|c| c.kind).collect();
        for part in rows.chunks(PART) {
            let column = |(at, kind): (usize, &Kind)| cells::values(*kind, part.iter().map(|row| row[at].clone()));
            give(name, Part::last(kinds.iter().enumerate().map(column).collect()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_keys_of_the_json() {
        assert_eq!(key("partition_32_util_percent", &[]), "partition_32_usage");
        assert_eq!(key("current_throughput", SAMPLES[1].2), "transfer_rate");
        assert_eq!(throttle_type(&Cell::Int(1)), Cell::Text("activity_1".into()));
        assert_eq!(throttle_type(&Cell::Absent), Cell::Absent);
    }
}
