//! Whether the tables of a directory are of one profile: what `Metadata` and `Summary` say must fit what the other tables hold.

use super::facts::first_row;
use super::import::Table;
use crate::base::{Ledger, Severity};
use crate::model::Cell;
use std::collections::BTreeMap;

/// Counts of the summary that together are the rows of `Instruction`.
const COUNTS: [&str; 5] = [
    "tensor_engine_instruction_count",
    "vector_engine_instruction_count",
    "scalar_engine_instruction_count",
    "gpsimd_engine_instruction_count",
    "sync_engine_instruction_count",
];
/// Two lengths of one run differ by less than this share.
const SAME: f64 = 0.02;

/// Notes tables that do not fit the run that `Metadata` describes, and those that do; `ends` are the last moments of tables on the timeline.
pub(super) fn check(tables: &BTreeMap<String, Table>, ends: &[(&str, i64)], window_ns: i64, ledger: &mut Ledger) {
    let (mut fit, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut sort =
        |table: &str, is_fit: bool, why: String| if is_fit { fit.push(table.into()) } else { others.push(format!("`{table}` ({why})")) };
    if window_ns > 0 {
        for &(table, end) in ends {
            let is_fit = end as f64 <= window_ns as f64 * (1.0 + SAME) + 1000.0;
            sort(table, is_fit, format!("it reaches to {end} ns, the run ends at {window_ns} ns"));
        }
    }
    if let Some(summary) = tables.get("Summary").map(first_row) {
        let number = |name: &str| match summary.get(name) {
            Some(Cell::Int(n)) => Some(*n as f64),
            Some(Cell::Float(n)) => Some(*n),
            _ => None,
        };
        let told = number("total_time").map(|s| s * 1e9).filter(|_| window_ns > 0);
        let length = told.filter(|ns| (ns - window_ns as f64).abs() > SAME * window_ns as f64 + 1000.0);
        let n_told: Option<f64> = COUNTS.iter().map(|name| number(name)).sum();
        let n_rows = tables.get("Instruction").map(|t| t.n_rows() as f64);
        let count = n_told.zip(n_rows).filter(|(told, rows)| (told - rows).abs() > SAME * rows.max(1.0));
        let why = match (length, count) {
            (Some(ns), _) => format!("its run takes {ns:.0} ns, that of `Metadata` {window_ns} ns"),
            (None, Some((told, rows))) => format!("it counts {told:.0} instructions, `Instruction` has {rows:.0}"),
            (None, None) => String::new(),
        };
        sort("Summary", why.is_empty(), why);
    }
    if !others.is_empty() {
        let together = if fit.is_empty() { String::new() } else { format!(" Those that belong to it: {}.", fit.join(", ")) };
        let reason = "Tables that are not of the run which `Metadata` describes: the directory holds tables of several profiles.";
        ledger.skip_n(Severity::Warning, "mixed_tables", reason, others.len() as u64, 0, || format!("{}.{together}", others.join(", ")));
        ledger.note(format!(
            "Figures may be wrong: {} do not belong to the run of `Metadata`.{together} Drop each profile's directory by itself.",
            others.join(", ")
        ));
    }
}
