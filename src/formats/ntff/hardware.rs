//! Clocks, array size, bandwidths and cores of the hardware: published values by instance type, since a trace does not store them.

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
    /// Physical cores of a logical core, unless the run was configured otherwise.
    logical_core: i64,
    source: &'static str,
}

/// Trainium 1, of which Inferentia 2 has the cores.
const TRN1: Constants = Constants {
    family: "trn1",
    tensor_clock: 2.8,
    other_clock: 1.4,
    array_rows: 128,
    array_columns: 128,
    hbm_bandwidth: 410_000_000_000,
    dma_bandwidth: 500_000_000_000,
    logical_core: 1,
    source: "Values of trn1 that AWS publishes (2.8 GHz; a half of 820 GB/s for each of two HBM stacks, a half of 1 TB/s of DMA for each of two \
             cores); not recorded in the trace",
};

/// Generations with all values published.
///
/// trn2 as `neuron-profile` 2.28 writes them (of all ten public runs). The others are from AWS's documentation of SDK 2.28: frequencies and stacks
/// from the architecture guides of NKI, bandwidths of a device from its hardware pages; those of a stack and of a core are their even shares.
const GENERATIONS: [Constants; 4] = [
    Constants {
        family: "trn2",
        tensor_clock: 2.4,
        other_clock: 1.2,
        array_rows: 128,
        array_columns: 128,
        hbm_bandwidth: 716_000_000_000,
        dma_bandwidth: 435_000_000_000,
        logical_core: 2,
        source: "Values of trn2 that neuron-profile 2.28 writes; not recorded in the trace",
    },
    TRN1,
    Constants {
        family: "inf2",
        source: "Values of inf2 that AWS publishes (2.8 GHz; a half of 820 GB/s for each of two HBM stacks, a half of 1 TB/s of DMA for each of two \
                 cores); not recorded in the trace",
        ..TRN1
    },
    Constants {
        family: "trn3",
        tensor_clock: 2.4,
        other_clock: 1.2,
        array_rows: 128,
        array_columns: 128,
        hbm_bandwidth: 1_225_000_000_000,
        dma_bandwidth: 612_500_000_000,
        logical_core: 2,
        source: "Values of trn3 that AWS publishes (2.4 GHz; a quarter of 4.9 TB/s for each of four HBM stacks, which its NKI guide gives as 4.7, \
                 an eighth of 4.9 TB/s of DMA for each of eight cores); not recorded in the trace",
    },
];

/// The generation of an instance type: `trn2.3xlarge`, `trn2u.48xlarge`, `trn1n.32xlarge`.
fn generation(instance_type: &str) -> Option<&'static Constants> {
    let is_of = |family: &str| instance_type.strip_prefix(family).is_some_and(|rest| rest.starts_with(['.', 'u', 'n']));
    GENERATIONS.iter().find(|c| is_of(c.family))
}

/// Adds the table `metadata`, with the names of the device JSON, where the instance type is known. Returns whether it is.
pub(super) fn write(info: &Info, (first_ps, last_ps): (u64, u64), tables: &mut Tables) -> bool {
    let constants = generation(&info.instance_type);
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
            ("default_physical_cores_of_logical_core", Cell::Int(c.logical_core)),
            ("constants_source", Cell::Text(c.source.into())),
        ]);
    }
    tables.row("metadata", row.into_iter());
    constants.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_generation_has_its_peak() {
        let tera = |name: &str| generation(name).map(|c| (2 * c.array_rows * c.array_columns) as f64 * c.tensor_clock / 1e3);
        // AWS states 79 TFLOPS of a core of trn2 and trn3, 92 of trn1 and inf2.
        for (name, tflops) in [
            ("trn1.32xlarge", 92.0),
            ("trn1n.32xlarge", 92.0),
            ("inf2.xlarge", 92.0),
            ("trn2.3xlarge", 79.0),
            ("trn2u.48xlarge", 79.0),
            ("trn3.48xlarge", 79.0),
        ] {
            let found = tera(name).unwrap_or_default();
            assert!((found - tflops).abs() < 0.5, "{name}: {found}");
        }
        for name in ["", "trn2", "trn22.xlarge", "inf1.xlarge", "trn4.48xlarge"] {
            assert!(generation(name).is_none(), "{name}");
        }
        assert!(GENERATIONS.iter().all(|c| c.source.contains(c.family) && c.source.ends_with("not recorded in the trace")));
    }
}
