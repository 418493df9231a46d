//! Clocks, array size and bandwidths of the hardware: published values by instance type, since a trace does not store them.

use super::info::Info;
use crate::formats::neuron_json::tables::Tables;
use crate::model::Cell;

/// Published values of a hardware generation.
struct Constants {
    /// How its instance types begin: `trn2.3xlarge`, `trn2u.48xlarge`.
    family: &'static str,
    /// GHz of the tensor engine.
    tensor_clock: f64,
    /// GHz by which the profiler counts cycles of the other engines.
    other_clock: f64,
    array_rows: i64,
    array_columns: i64,
    /// Bytes per second of one HBM stack.
    hbm_bandwidth: i64,
    /// Bytes per second of the 16 DMA rings of a physical core.
    dma_bandwidth: i64,
    source: &'static str,
}

/// Only generations with all values published.
const GENERATIONS: [Constants; 1] = [Constants {
    family: "trn2",
    tensor_clock: 2.4,
    other_clock: 1.2,
    array_rows: 128,
    array_columns: 128,
    hbm_bandwidth: 716_000_000_000,
    dma_bandwidth: 435_000_000_000,
    source: "Values of trn2 that neuron-profile 2.28 writes; not recorded in the trace",
}];

/// Adds the table `metadata`, with the names of the device JSON, where the instance type is known. Returns whether it is.
pub(super) fn write(info: &Info, (first_ps, last_ps): (u64, u64), tables: &mut Tables) -> bool {
    let is_of = |family: &str| info.instance_type.strip_prefix(family).is_some_and(|rest| rest.starts_with(['.', 'u', 'n']));
    let constants = GENERATIONS.iter().find(|c| is_of(c.family));
    let window_ps = last_ps.saturating_sub(first_ps);
    let int = |n: u64| i64::try_from(n).map_or(Cell::Absent, Cell::Int);
    let mut row = vec![
        ("ntff_version", Cell::Int(info.version.into())),
        ("num_physical_cores", Cell::Int(info.subgraphs.len() as i64)),
        ("first_hw_timestamp", Cell::Int(0)),
        ("last_hw_timestamp", int(window_ps / 1000)),
        ("execution_window_ps", int(window_ps)),
    ];
    if let Some(c) = constants {
        row.extend([
            ("pe_clock_freq", Cell::Float(c.tensor_clock)),
            ("pe_clock_others", Cell::Float(c.other_clock)),
            ("pe_num_rows", Cell::Int(c.array_rows)),
            ("pe_num_cols", Cell::Int(c.array_columns)),
            ("hbm_ddr_bandwidth", Cell::Int(c.hbm_bandwidth)),
            ("dma_ddr_bandwidth", Cell::Int(c.dma_bandwidth)),
            ("constants_source", Cell::Text(c.source.into())),
        ]);
    }
    tables.row("metadata", row.into_iter());
    constants.is_some()
}
