//! Whether the tables of a directory are of one profile, by cross-checks between them.

mod culprits;
mod sampled_times;

use crate::base::{Ledger, Severity};
use crate::formats::neuron_parquet::tables::facts::first_row;
use crate::formats::neuron_parquet::tables::table::Table;
use crate::model::{Cell, Profile};
use culprits::Pair;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use sampled_times::SampledTimes;

/// Counts of the summary that together are the rows of a table: the table, the counts, and by how much they may miss each other. Some packets
/// are written twice.
const COUNTS: [(&str, &[&str], f64); 2] = [
    (
        "Instruction",
        &[
            "tensor_engine_instruction_count",
            "vector_engine_instruction_count",
            "scalar_engine_instruction_count",
            "gpsimd_engine_instruction_count",
            "sync_engine_instruction_count",
        ],
        SAME,
    ),
    ("DmaPacket", &["static_dma_packet_count", "software_dynamic_dma_packet_count", "hardware_dynamic_dma_packet_count"], 1.1),
];
/// Two lengths of one run differ by less than this share.
const SAME: f64 = 0.02;

/// Notes tables that do not fit the run that `Metadata` describes, and those that do; `ends` are the last times of tables, `sampled_times` some of them.
pub fn check(
    tables: &BTreeMap<String, Table>,
    (ends, sampled_times): (&[(&'static str, i64)], &[SampledTimes]),
    (profile, window_ns): (&Profile, i64),
    ledger: &mut Ledger,
) {
    let mut pairs = Vec::new();
    if window_ns > 0 {
        pairs.extend(ends.iter().map(|end| inside(*end, window_ns)));
    }
    let summary = tables.get("Summary").map(first_row).unwrap_or_default();
    pairs.extend(length(&summary, window_ns));
    for (table, names, most) in COUNTS {
        let n_rows = tables.get(table).map(Table::n_rows);
        pairs.extend(n_rows.and_then(|n| count(&summary, (table, n as f64), names, most)));
    }
    pairs.extend(sampled_times::pairs(profile, sampled_times, &|table| tables.contains_key(table)));
    // Rows that are not there, or have no place, are no rows of another run.
    pairs.retain(|pair| pair.tables.iter().all(|table| tables.get(*table).is_none_or(Table::is_whole)));
    let anchor = match () {
        () if window_ns > 0 => "Metadata",
        () if tables.contains_key("Summary") => "Summary",
        () => "Instruction",
    };
    report_culprits(&pairs, anchor, ledger);
}

fn report_culprits(pairs: &[Pair], anchor: &'static str, ledger: &mut Ledger) {
    let culprits = culprits::find(pairs, anchor);
    if culprits.is_empty() {
        return;
    }
    let others: Vec<String> = culprits.iter().map(|(table, why)| format!("`{table}` ({why})")).collect();
    let others = others.join(", ");
    let is_fit = |table: &&'static str| *table != anchor && !culprits.iter().any(|s| s.0 == *table);
    let fit: BTreeSet<&str> = pairs.iter().flat_map(|p| p.tables).filter(is_fit).collect();
    let fit: Vec<&str> = fit.into_iter().collect();
    let together = if fit.is_empty() { String::new() } else { format!(" Matching tables: {}.", fit.join(", ")) };
    let reason = format!("Tables of another run than `{anchor}`: the directory contains tables of several profiles.");
    ledger.skip_n(Severity::Warning, "mixed_tables", &reason, culprits.len() as u64, 0, || format!("{others}.{together}"));
    ledger.note(format!(
        "Values may be wrong: {others} do not belong to the run of `{anchor}`.{together} Drop the directory of one profile at a time."
    ));
}

/// Rows end inside the run. Weak evidence: rows of a shorter run do as well.
fn inside((table, end): (&'static str, i64), window_ns: i64) -> Pair {
    Pair {
        tables: [table, "Metadata"],
        is_fit: end as f64 <= window_ns as f64 * (1.0 + SAME) + 1000.0,
        is_strong: false,
        why: [format!("it reaches to {end} ns, the run ends at {window_ns} ns"), String::new()],
    }
}

fn number(summary: &HashMap<String, Cell>, name: &str) -> Option<f64> {
    match summary.get(name) {
        Some(Cell::Int(n)) => Some(*n as f64),
        Some(Cell::Float(n)) => Some(*n),
        _ => None,
    }
}

/// The summary's run is as long as that of `Metadata`.
fn length(summary: &HashMap<String, Cell>, window_ns: i64) -> Option<Pair> {
    let ns = number(summary, "total_time").map(|s| s * 1e9).filter(|_| window_ns > 0)?;
    Some(Pair {
        tables: ["Summary", "Metadata"],
        is_fit: (ns - window_ns as f64).abs() <= SAME * window_ns as f64 + 1000.0,
        is_strong: true,
        why: [format!("its run takes {ns:.0} ns, the run of `Metadata` {window_ns} ns"), String::new()],
    })
}

/// The summary has the same number of rows. A difference above `most` is a contradiction; a smaller but not small one is no evidence.
fn count(summary: &HashMap<String, Cell>, (table, rows): (&'static str, f64), names: &[&str], most: f64) -> Option<Pair> {
    let recorded: Option<f64> = names.iter().map(|name| number(summary, name)).sum();
    let recorded = recorded?;
    let off = (recorded - rows).abs() / rows.min(recorded).max(1.0);
    let what = if table == "Instruction" { "instructions" } else { "packets" };
    (off <= SAME || off > most).then(|| Pair {
        tables: ["Summary", table],
        is_fit: off <= SAME,
        is_strong: true,
        why: [
            format!("it counts {recorded:.0} {what}, `{table}` has {rows:.0}"),
            format!("it has {rows:.0} rows, `Summary` counts {recorded:.0} {what}"),
        ],
    })
}
