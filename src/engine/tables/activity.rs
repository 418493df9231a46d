//! When engines were active, and opcodes added up.

use super::cells::{self, Cores};
use super::slices::Give;
use super::{Part, TableError, Values};
use crate::analysis::device::activity::active_times;
use crate::base::TrackId;
use crate::model::{Domain, Profile};

/// Gives `ActiveTime` and `OpcodeSummary`. Engines are in small letters, as Neuron Explorer writes them here.
pub(super) fn tables(profile: &Profile, cores: &Cores, give: &mut Give<'_>) -> Result<(), TableError> {
    give("ActiveTime", active(profile, cores))?;
    give("OpcodeSummary", opcodes(profile))
}

/// A row of `ActiveTime`; times in nanoseconds.
struct Active {
    start: i64,
    end: i64,
    engine: String,
    core: Option<i64>,
    /// As recorded. Start and end are rounded separately, so their difference can be 1 ns larger.
    duration: Option<i64>,
}

fn active(profile: &Profile, cores: &Cores) -> Part {
    let mut rows: Vec<Active> = Vec::new();
    match profile.tables.iter().find(|t| t.id == "active_time").filter(|t| t.n_more == 0 && t.n_in_file == 0) {
        Some(table) => {
            for row in 0..table.rows.len() {
                let cell = |column: &str| cells::cell(table, row, column);
                let core = cells::int(&cell("pcore_idx")).or_else(|| cells::subgraph(&cells::text(&cell("subgraph"))?));
                if let (Some(start), Some(end)) = (cells::int(&cell("start_ts")), cells::int(&cell("end_ts"))) {
                    let duration = cells::int(&cell("duration_ns")).or_else(|| cells::int(&cell("duration"))).or(end.checked_sub(start));
                    rows.push(Active { start, end, engine: cells::text(&cell("engine")).unwrap_or_default(), core, duration });
                }
            }
        }
        None => {
            let roots = (0..profile.tracks.len() as u32).map(TrackId).filter(|t| profile.tracks[t.index()].parent.is_none());
            let roots: Vec<(&str, TrackId)> = roots.map(|t| (profile.strings.get(profile.tracks[t.index()].name), t)).collect();
            for found in active_times::active_times(profile) {
                let core = roots.iter().find(|r| r.0 == found.core).and_then(|r| cores.get(r.1));
                let engine = found.engine.to_ascii_lowercase();
                let row =
                    |&(start, end): &(i64, i64)| Active { start, end, engine: engine.clone(), core, duration: end.checked_sub(start) };
                rows.extend(found.spans.iter().map(row));
            }
        }
    }
    let columns = vec![
        Values::Ints(rows.iter().map(|r| Some(r.start)).collect()),
        Values::Ints(rows.iter().map(|r| Some(r.end)).collect()),
        Values::Texts(rows.iter().map(|r| Some(r.engine.clone()).filter(|e| !e.is_empty())).collect()),
        Values::Ints(rows.iter().map(|r| r.core).collect()),
        Values::Ints(rows.iter().map(|r| r.duration).collect()),
    ];
    Part::last(columns)
}

fn opcodes(profile: &Profile) -> Part {
    let rows = active_times::opcode_activity(profile);
    let window = match &profile.domain {
        Domain::NeuronDevice(device) if device.window_ns > 0 => Some(device.window_ns as f64),
        _ => None,
    };
    Part::last(vec![
        Values::Texts(rows.iter().map(|(r, _)| Some(r.engine.to_ascii_lowercase())).collect()),
        Values::Texts(rows.iter().map(|(r, _)| Some(r.opcode.clone())).collect()),
        Values::Ints(rows.iter().map(|(r, _)| i64::try_from(r.count).ok()).collect()),
        Values::Ints(rows.iter().map(|(r, _)| Some(r.time_ns)).collect()),
        Values::Ints(rows.iter().map(|(_, active_ns)| Some(*active_ns)).collect()),
        Values::Floats(rows.iter().map(|(_, active_ns)| window.map(|window| *active_ns as f64 / window)).collect()),
    ])
}
