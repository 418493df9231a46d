//! Kernels as table rows and slices of a pie.

use crate::analysis::torch::kernels::{KernelGrouping, KernelProperties, KernelRow, KernelRun, Kernels};
use crate::ui::palette::fixed;
use crate::ui::pie::Slice;
use crate::ui::table::{Cell, Column, Columns, Kind, Row};
use std::collections::BTreeMap;

/// The columns that this answer can fill.
fn specs(kernels: &Kernels, grouping: KernelGrouping) -> Columns<KernelRow> {
    const BLOCKS: &str = "Mean blocks per multiprocessor (SM), weighted by duration. Below 1, some multiprocessors are idle.";
    const OCCUPANCY: &str = "Mean estimated achieved occupancy, weighted by duration: active warps ÷ maximum warps per multiprocessor.";
    Columns::<KernelRow>::new()
        .column("name", "Kernel", Kind::Name, "Name of the kernel as in the file.", |r| Cell::Text(r.name.clone()))
        .with(grouping == KernelGrouping::Properties, with_properties)
        .column("calls", "Calls", Kind::Count, "Number of runs.", |r| r.calls.into())
        .summed()
        .column("total_ns", "Total", Kind::Duration, "Sum of the durations.", |r| r.total.into())
        .summed()
        .column("time_share", "Time %", Kind::Share, "Total as a share of the total of all kernels.", |r| Cell::Float(r.share))
        .summed()
        .column("mean_ns", "Mean", Kind::Duration, "Mean duration.", |r| Cell::Float(r.mean_ns))
        .column("max_ns", "Max", Kind::Duration, "Longest run.", |r| r.max.into())
        .column("min_ns", "Min", Kind::Duration, "Shortest run.", |r| r.min.into())
        .with(kernels.has_blocks_per_sm, |all| all.column("blocks_per_sm", "Blocks / SM", Kind::Number, BLOCKS, |r| r.blocks_per_sm.into()))
        .with(kernels.has_occupancy, |all| {
            all.column("occupancy", "Est. occupancy", Kind::Share, OCCUPANCY, |r| r.occupancy_percent.map(|p| p / 100.0).into())
        })
        .column("tensor_cores", "TC used", Kind::Text, "Whether it uses tensor cores (TC), derived from its name.", |r| {
            Cell::Text(yes(r.uses_tensor_cores).into())
        })
}

fn with_properties(all: Columns<KernelRow>) -> Columns<KernelRow> {
    fn of(row: &KernelRow, get: impl Fn(&KernelProperties) -> Cell) -> Cell {
        row.properties.as_ref().map_or(Cell::Absent, get)
    }
    let known = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
    all.column("operator", "Operator", Kind::Text, "Operator that launched it. Empty if not recorded in the trace.", move |r| {
        of(r, |p| known(p.operator.as_deref().unwrap_or_default()))
    })
    .column("grid", "Grid", Kind::Text, "Blocks of the launch, in three dimensions.", move |r| of(r, |p| known(&p.grid)))
    .column("block", "Block", Kind::Text, "Threads of a block, in three dimensions.", move |r| of(r, |p| known(&p.block)))
    .column("registers", "Registers", Kind::Count, "Registers of each thread.", |r| of(r, |p| p.registers.map(u64::from).into()))
    .column("shared_memory", "Shared memory", Kind::Bytes, "Shared memory of each block.", |r| {
        of(r, |p| p.shared_memory.map(u64::from).into())
    })
    .column(
        "op_tc_eligible",
        "Op TC eligible",
        Kind::Text,
        "Whether the launching operator can use tensor cores, by its name.",
        |r| of(r, |p| Cell::Text(yes(p.is_operator_tc_eligible).into())),
    )
}

/// The columns that this answer can fill.
pub fn columns(kernels: &Kernels, grouping: KernelGrouping) -> Vec<Column> {
    specs(kernels, grouping).headers()
}

/// Rows in the order of the answer; a cell for each of [`columns`].
pub fn rows(kernels: &Kernels) -> Vec<Row> {
    let has_properties = kernels.rows.iter().any(|r| r.properties.is_some());
    let columns = specs(kernels, if has_properties { KernelGrouping::Properties } else { KernelGrouping::Name });
    kernels.rows.iter().map(|r| Row { colour: Some(r.colour), ..columns.row(r) }).collect()
}

/// For people.
pub fn yes(is_so: bool) -> &'static str {
    if is_so { "Yes" } else { "No" }
}

/// Total time by kernel, its properties together.
pub fn by_kernel(kernels: &Kernels) -> Vec<Slice> {
    let mut sums: BTreeMap<&str, (i64, u16)> = BTreeMap::new();
    for row in &kernels.rows {
        sums.entry(&row.name).or_insert((0, row.colour)).0 += row.total.0;
    }
    sums.into_iter().map(|(name, (value, colour))| Slice { name: name.into(), value, colour }).collect()
}

/// Kernel time with and without tensor cores.
pub fn by_tensor_cores(kernels: &Kernels) -> Vec<Slice> {
    let slice = |name: &str, value, colour| Slice { name: name.into(), value, colour };
    vec![
        slice("Using tensor cores", kernels.tensor_core.0, fixed::KERNEL),
        slice("Not using tensor cores", kernels.total.0 - kernels.tensor_core.0, fixed::OTHER),
    ]
}

fn run_specs() -> Columns<KernelRun> {
    Columns::<KernelRun>::new()
        .column("start", "Start", Kind::Duration, "", |r| Cell::Int(r.start.0))
        .column("duration_ns", "Duration", Kind::Duration, "", |r| Cell::Int(r.duration.0))
        .column("stream", "Stream", Kind::Text, "", stream)
}

/// The columns of the runs of one kernel.
pub fn run_columns() -> Vec<Column> {
    run_specs().headers()
}

fn stream(run: &KernelRun) -> Cell {
    match (run.device, run.stream) {
        (Some(device), Some(stream)) => Cell::Text(format!("GPU {device} · {stream}")),
        (Some(device), None) => Cell::Text(format!("GPU {device}")),
        _ => Cell::Absent,
    }
}

/// The runs of one kernel.
pub fn run_rows(runs: &[KernelRun]) -> Vec<Row> {
    run_specs().rows(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    fn kernels(properties: Option<KernelProperties>) -> Kernels {
        let row = |name: &str, total: i64, colour| KernelRow {
            name: name.into(),
            properties: properties.clone(),
            calls: 2,
            total: DurationNs(total),
            occupancy_percent: Some(50.0),
            colour,
            ..KernelRow::default()
        };
        let rows = vec![row("gemm", 60, 1), row("gemm", 30, 1), row("relu", 10, 2)];
        Kernels { rows, total: DurationNs(100), tensor_core: DurationNs(90), has_occupancy: true, ..Kernels::default() }
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let by_name = kernels(None);
        assert!(rows(&by_name).iter().all(|r| r.cells.len() == columns(&by_name, KernelGrouping::Name).len()));
        let by_properties = kernels(Some(KernelProperties::default()));
        assert!(rows(&by_properties).iter().all(|r| r.cells.len() == columns(&by_properties, KernelGrouping::Properties).len()));
        assert_eq!(rows(&by_name)[0].cells.iter().rev().nth(1), Some(&Cell::Float(0.5)));
    }

    #[test]
    fn a_kernel_has_one_slice_whatever_its_properties() {
        let found: Vec<_> = by_kernel(&kernels(None)).into_iter().map(|s| (s.name, s.value)).collect();
        assert_eq!(found, [("gemm".into(), 90), ("relu".into(), 10)]);
        assert_eq!(by_tensor_cores(&kernels(None)).iter().map(|s| s.value).collect::<Vec<_>>(), [90, 10]);
    }
}
