//! Operators by time, as the plugin's tables have them: from the file, or computed from the timeline.

use super::names::Operators;
use super::op_row::OpRow;
use super::{Level, is_fused, operator_name, part_of, slices, tracks, within};
use crate::base::Order as _;
use crate::base::colour_slots::{N_TOP, by_index};
use crate::base::{DurationNs, SliceId, TimeRange};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, OpTable, Part};
use serde::{Deserialize, Serialize};

/// Operators of one level.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogOps {
    /// Whether the rows are the file's own; else they are computed from the timeline.
    pub is_from_file: bool,
    /// The range that the rows are of. `None` is the whole run, also where a range was asked about: a table of the file has no parts.
    pub range: Option<TimeRange>,
    /// Longest first; empty when name or time cannot be determined.
    pub rows: Vec<OpRow>,
    /// Sum of the rows' times: what Time % is a share of. `None` when no time can be determined.
    pub total_time: Option<DurationNs>,
    /// The sum that the file states.
    pub said_total_time: Option<DurationNs>,
    /// Further columns of the file, after the known ones.
    pub columns: Vec<String>,
    /// Id of the generic table with the file's unchanged records, if the rows cannot be determined.
    pub generic_table: Option<String>,
    /// What to know about the values.
    pub remarks: Vec<String>,
}

/// More slices of one operator than these are not listed.
const MAX_SLICES: usize = 10_000;

/// Operators of a level, those of the framework with the HLO operators beneath them: of the run, or of the slices that touch a range, clipped to it.
pub fn ops(profile: &Profile, log: &NeuronLog, level: Level, range: Option<TimeRange>) -> LogOps {
    let mut out = sums(profile, log, level, range);
    if level == Level::Framework {
        super::below::hlo_below(profile, log, out.range, &mut out.rows);
    }
    out
}

/// Operators of a level with nothing beneath them.
pub(super) fn sums(profile: &Profile, log: &NeuronLog, level: Level, range: Option<TimeRange>) -> LogOps {
    let table = match level {
        Level::Framework => log.framework.as_ref(),
        Level::Hlo => log.hlo.as_ref(),
    };
    let mut out = match table {
        Some(table) => from_file(table, level),
        None => from_timeline(profile, log, level, range),
    };
    let total = out.rows.iter().filter_map(|r| r.time).fold(None, |sum: Option<i64>, t| Some(sum.unwrap_or(0).saturating_add(t.0)));
    out.total_time = total.map(DurationNs);
    for row in &mut out.rows {
        row.time_share = row.time.zip(total.filter(|t| *t > 0)).map(|(time, total)| time.0 as f64 / total as f64);
    }
    out.rows.order_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    for (i, row) in out.rows.iter_mut().enumerate() {
        row.colour = if i < usize::from(N_TOP) { by_index(i) } else { N_TOP + by_index(i) };
    }
    if out.is_from_file {
        find_slices(profile, log, level, &mut out.rows);
    }
    out
}

fn from_file(table: &OpTable, level: Level) -> LogOps {
    let mut out = LogOps {
        is_from_file: true,
        said_total_time: table.total_time_ns.map(DurationNs),
        columns: table.columns.clone(),
        ..LogOps::default()
    };
    out.remarks.extend(table.matched.iter().filter(|m| m.contains("no known key") || m.contains("has no unit")).cloned());
    if table.rows.is_empty() {
        out.remarks.push("The operator list of the file is empty.".into());
        return out;
    }
    if !table.has_name || !table.has_time {
        let what = if table.has_name { "times" } else { "names" };
        out.remarks.push(format!(
            "The {what} of the operators is not identified by the keys of this file, so the table is shown without interpretation."
        ));
        out.generic_table = Some(if level == Level::Framework { "framework_ops" } else { "hlo_ops" }.into());
    }
    out.rows = table
        .rows
        .iter()
        .map(|r| OpRow {
            name: r.name.clone(),
            occurrences: r.occurrences,
            neuron_device: r.device.clone(),
            neuron_core: r.core.clone(),
            time: r.time_ns.map(DurationNs),
            members: r.members.clone(),
            more: r.more.iter().map(cell_text).collect(),
            ..OpRow::default()
        })
        .collect();
    let sum: i64 = table.rows.iter().filter_map(|r| r.time_ns).fold(0, i64::saturating_add);
    if let Some(stated) = table.total_time_ns.filter(|stated| table.has_time && *stated != sum) {
        out.remarks.push(format!(
            "The file records a total of {stated} ns, but the sum of its operator times is {sum} ns. Time % is a share of the sum."
        ));
    }
    out
}

fn cell_text(cell: &crate::model::Cell) -> String {
    use crate::model::Cell;
    match cell {
        Cell::Absent => String::new(),
        Cell::Int(v) => v.to_string(),
        Cell::Float(v) => v.to_string(),
        Cell::Text(t) => t.clone(),
    }
}

fn from_timeline(profile: &Profile, log: &NeuronLog, level: Level, range: Option<TimeRange>) -> LogOps {
    let rows_of = tracks(log, |r| level.is_row(r));
    let has_execution = rows_of.iter().any(|t| part_of(log.roles[t.index()]) == Some(Part::Execution));
    let mut rows: Vec<OpRow> = Vec::new();
    let mut names = Operators::new(profile);
    for track in rows_of {
        let part = part_of(log.roles[track.index()]).unwrap_or_default();
        let is_time = part == Part::Execution || !has_execution && part != Part::Transfer && part != Part::Control;
        for slice in slices(profile, track) {
            let Some((start, end)) = within(profile, slice, range) else {
                continue;
            };
            let at = names.of(profile, slice);
            if at == rows.len() {
                rows.push(OpRow { name: names.names()[at].clone(), ..OpRow::default() });
            }
            let row = &mut rows[at];
            let sum = match part {
                _ if is_time => &mut row.time,
                Part::Transfer => &mut row.transfer,
                _ => &mut row.control,
            };
            *sum = Some(DurationNs(sum.map_or(0, |s| s.0).saturating_add(end.saturating_sub(start))));
            if is_time {
                row.occurrences = Some(row.occurrences.unwrap_or(0) + 1);
            }
            if row.slices.len() < MAX_SLICES {
                row.slices.push(slice);
            }
        }
    }
    for row in rows.iter_mut().filter(|r| is_fused(&r.name)) {
        row.members = members_of(profile, log, &row.slices);
    }
    for row in &mut rows {
        row.slices.order_by_key(|s| profile.slices.start[s.index()]);
    }
    let mut remarks = Vec::new();
    if !rows.is_empty() {
        remarks.push(if has_execution {
            "The plugin's operator table is not among the files: it is computed from the timeline. Time is the time in Process Execution; transfers and control are listed separately. Device and NeuronCore are not recorded in the timeline.".into()
        } else {
            "The plugin's operator table is not among the files: it is computed from the operator rows of the timeline, which has no Process Execution.".into()
        });
    }
    LogOps { range, rows, remarks, ..LogOps::default() }
}

/// Members of some fused slices, each once.
fn members_of(profile: &Profile, log: &NeuronLog, of: &[SliceId]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for slice in of {
        let Ok(at) = log.fused.binary_search_by_key(slice, |f| f.0) else {
            continue;
        };
        for member in log.fused[at].1.iter().map(|m| profile.strings.get(*m)) {
            if !out.iter().any(|m| m == member) {
                out.push(member.into());
            }
        }
    }
    out
}

/// Where the operators of a file's table are in the timeline.
fn find_slices(profile: &Profile, log: &NeuronLog, level: Level, rows: &mut [OpRow]) {
    let mut names = Operators::new(profile);
    let mut found: Vec<Vec<SliceId>> = Vec::new();
    for track in tracks(log, |r| level.is_row(r)) {
        for slice in slices(profile, track) {
            let at = names.of(profile, slice);
            if at == found.len() {
                found.push(Vec::new());
            }
            if found[at].len() < MAX_SLICES {
                found[at].push(slice);
            }
        }
    }
    for row in rows {
        row.slices = names.find(&operator_name(&row.name)).map(|at| found[at].clone()).unwrap_or_default();
        row.slices.order_by_key(|s| profile.slices.start[s.index()]);
        if row.members.is_empty() && is_fused(&row.name) {
            row.members = members_of(profile, log, &row.slices);
        }
    }
}
