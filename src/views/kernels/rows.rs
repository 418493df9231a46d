//! Kernels as table rows and slices of a pie.

use crate::analysis::torch::kernels::{KernelGrouping, KernelRow, KernelRun, Kernels};
use crate::ui::palette::fixed;
use crate::ui::pie::Slice;
use crate::ui::table::{Cell, Column, Kind, Row};
use std::collections::BTreeMap;

/// The columns that this answer can fill.
pub fn columns(kernels: &Kernels, grouping: KernelGrouping) -> Vec<Column> {
    let column = Column::new;
    let mut columns = vec![column("name", "Kernel", Kind::Name, "Name of the kernel as in the file.")];
    if grouping == KernelGrouping::Properties {
        columns.extend([
            column("operator", "Operator", Kind::Text, "Operator that launched it. Empty if not recorded in the trace."),
            column("grid", "Grid", Kind::Text, "Blocks of the launch, in three dimensions."),
            column("block", "Block", Kind::Text, "Threads of a block, in three dimensions."),
            column("registers", "Registers", Kind::Count, "Registers of each thread."),
            column("shared_memory", "Shared memory", Kind::Bytes, "Shared memory of each block."),
            column("op_tc_eligible", "Op TC eligible", Kind::Text, "Whether the launching operator can use tensor cores, by its name."),
        ]);
    }
    columns.extend([
        column("calls", "Calls", Kind::Count, "Number of runs.").summed(),
        column("total_ns", "Total", Kind::Duration, "Sum of the durations.").summed(),
        column("time_share", "Time %", Kind::Share, "Total as a share of the total of all kernels.").summed(),
        column("mean_ns", "Mean", Kind::Duration, "Mean duration."),
        column("max_ns", "Max", Kind::Duration, "Longest run."),
        column("min_ns", "Min", Kind::Duration, "Shortest run."),
    ]);
    if kernels.has_blocks_per_sm {
        let help = "Mean blocks per multiprocessor (SM), weighted by duration. Below 1, some multiprocessors are idle.";
        columns.push(column("blocks_per_sm", "Blocks / SM", Kind::Number, help));
    }
    if kernels.has_occupancy {
        let help = "Mean estimated achieved occupancy, weighted by duration: active warps ÷ maximum warps per multiprocessor.";
        columns.push(column("occupancy", "Est. occupancy", Kind::Share, help));
    }
    columns.push(column("tensor_cores", "TC used", Kind::Text, "Whether it uses tensor cores (TC), derived from its name."));
    columns
}

/// Rows in the order of the answer; a cell for each of [`columns`].
pub fn rows(kernels: &Kernels) -> Vec<Row> {
    kernels.rows.iter().map(|r| row(kernels, r)).collect()
}

fn row(kernels: &Kernels, r: &KernelRow) -> Row {
    let told = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
    let mut cells = vec![Cell::Text(r.name.clone())];
    if let Some(p) = &r.properties {
        cells.extend([
            told(p.operator.as_deref().unwrap_or_default()),
            told(&p.grid),
            told(&p.block),
            Cell::from(p.registers.map(u64::from)),
            Cell::from(p.shared_memory.map(u64::from)),
            Cell::Text(yes(p.is_operator_tc_eligible).into()),
        ]);
    }
    cells.extend([
        Cell::from(r.calls),
        Cell::Int(r.total.0),
        Cell::Float(r.share),
        Cell::Float(r.mean_ns),
        Cell::Int(r.max.0),
        Cell::Int(r.min.0),
    ]);
    if kernels.has_blocks_per_sm {
        cells.push(Cell::from(r.blocks_per_sm));
    }
    if kernels.has_occupancy {
        cells.push(r.occupancy_percent.map_or(Cell::Absent, |p| Cell::Float(p / 100.0)));
    }
    cells.push(Cell::Text(yes(r.uses_tensor_cores).into()));
    Row { colour: Some(r.colour), ..Row::new(cells) }
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

/// The columns of the runs of one kernel.
pub fn run_columns() -> Vec<Column> {
    vec![
        Column::new("start", "Start", Kind::Duration, ""),
        Column::new("duration_ns", "Duration", Kind::Duration, ""),
        Column::new("stream", "Stream", Kind::Text, ""),
    ]
}

/// The runs of one kernel.
pub fn run_rows(runs: &[KernelRun]) -> Vec<Row> {
    let stream = |r: &KernelRun| match (r.device, r.stream) {
        (Some(device), Some(stream)) => Cell::Text(format!("GPU {device} · {stream}")),
        (Some(device), None) => Cell::Text(format!("GPU {device}")),
        _ => Cell::Absent,
    };
    runs.iter().map(|r| Row::new(vec![Cell::Int(r.start.0), Cell::Int(r.duration.0), stream(r)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::kernels::KernelProperties;
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
