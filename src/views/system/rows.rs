//! Answers about a system profile as cards and table rows.

use super::devices::Utilization;
use crate::analysis::system::{Chain, ChainRow, CoreRow, CpuRow, ExecutionRow, HbmCurve, System};
use crate::base::colour_slots::{by_index, fixed};
use crate::base::{DurationNs, text};
use crate::ui::curve::{Line, Shape};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

/// The sum behind the categories is neutral.
const ALL_COLOUR: u16 = fixed::OTHER;

/// Cards: stable name, label, value.
pub fn cards(s: &System) -> Vec<(&'static str, &'static str, String)> {
    let n = |n: usize| if n == 0 { "not available".to_string() } else { text::count(n as u64) };
    let residual = s.clock.residual_ns.map_or("not available".into(), |r| text::duration(DurationNs(r)));
    vec![
        ("instances", "Instances", n(s.instances.len())),
        ("processes", "Processes", n(s.processes.len())),
        ("duration", "System profile time", text::duration(s.duration)),
        ("device-runtime", "Device runtime", s.device_runtime.map_or("not available".into(), text::duration)),
        ("device-profiles", "Device profiles", s.n_device_profiles.map_or("not available".into(), text::count)),
        ("residual", "Clock sync residual", residual),
    ]
}

/// How the clocks were aligned, in a sentence.
pub fn clock(s: &System) -> String {
    match (s.clock.n_points, s.clock.residual_ns) {
        (0, _) => "No sync points: device events keep the times in the file.".into(),
        (n, None) => {
            format!("{n} sync points align {} device events; a residual needs two points of one execution or core.", s.clock.n_placed)
        }
        (n, Some(r)) => format!(
            "{n} sync points align {} device events; the largest difference between a point and its prediction from the previous point is {}.",
            s.clock.n_placed,
            text::time_exact(r)
        ),
    }
}

fn execution_specs<'a>() -> Columns<(&'a ExecutionRow, Utilization)> {
    Columns::<(&ExecutionRow, Utilization)>::new()
        .column("model", "Model", Kind::Name, "NEFF or id of the model in the events.", |r| {
            Cell::Text(if r.0.model.is_empty() { "not recorded".to_string() } else { r.0.model.clone() })
        })
        .column("profile", "Device profile", Kind::Text, "Device profile named by the events, or listed for this core.", |r| {
            text_or_absent(&r.0.profile)
        })
        .column("process", "Process", Kind::Text, "", |r| text_or_absent(&r.0.process))
        .column("core", "NeuronCore", Kind::Text, "", |r| text_or_absent(&r.0.core))
        .column("calls", "Calls", Kind::Count, "Executions (events nc_exec_running).", |r| Cell::from(r.0.calls))
        .summed()
        .column("total_ns", "Total duration", Kind::Duration, "Sum of the durations.", |r| Cell::Int(r.0.total.0))
        .summed()
        .column("mean_ns", "Duration", Kind::Duration, "Mean duration of a call.", |r| {
            Cell::Int(r.0.total.0 / i64::try_from(r.0.calls).unwrap_or(i64::MAX).max(1))
        })
        .column("min_ns", "Shortest", Kind::Duration, "", |r| Cell::Int(r.0.min.0))
        .column("max_ns", "Longest", Kind::Duration, "", |r| Cell::Int(r.0.max.0))
        .column("mfu", "MFU", Kind::Share, "Model FLOPs utilization, from the open device profile.", |r| Cell::from(r.1.mfu))
        .column("hfu", "HFU", Kind::Share, "Hardware FLOPs utilization, from the open device profile.", |r| Cell::from(r.1.hfu))
        .column("mbu", "MBU", Kind::Share, "Memory bandwidth utilization, from the open device profile.", |r| Cell::from(r.1.mbu))
}

/// Columns of the executions.
pub fn execution_columns() -> Vec<Column> {
    execution_specs().headers()
}

/// The executions; `of` gives what an open device profile records.
pub fn executions(s: &System, of: impl Fn(&ExecutionRow) -> Utilization) -> Vec<Row> {
    let columns = execution_specs();
    s.executions.iter().map(|r| columns.row(&(r, of(r)))).collect()
}

fn core_specs() -> Columns<CoreRow> {
    Columns::<CoreRow>::new()
        .column("name", "NeuronCore", Kind::Name, "", |r| Cell::Text(r.name.clone()))
        .column("count", "Executions", Kind::Count, "", |r| Cell::from(r.count))
        .summed()
        .column("busy_ns", "Busy", Kind::Duration, "Time in which a model executes.", |r| Cell::Int(r.busy.0))
        .column("idle_ns", "Gaps", Kind::Duration, "Time between the first and the last execution in which none runs.", |r| {
            Cell::Int(r.idle.0)
        })
        .column("idle", "Gaps %", Kind::Share, "Share of the time from the first to the last execution.", |r| {
            Cell::from((r.wall.0 > 0).then(|| r.idle.0 as f64 / r.wall.0 as f64))
        })
        .column("longest_ns", "Longest gap", Kind::Duration, "Click the row to show it in the timeline.", |r| {
            r.longest_gap.map_or(Cell::Absent, |g| Cell::Int(g.duration().0))
        })
}

/// Columns of the cores.
pub fn core_columns() -> Vec<Column> {
    core_specs().headers()
}

/// The cores.
pub fn cores(s: &System) -> Vec<Row> {
    core_specs().rows(&s.cores)
}

/// An HBM over time: all of it, then its categories.
pub fn hbm_lines(curve: &HbmCurve) -> Vec<Line> {
    let points = |values: &[f64]| curve.times.iter().copied().zip(values.iter().copied()).collect();
    let all = Line { name: "all".into(), colour: ALL_COLOUR, shape: Shape::Area, points: points(&curve.total) };
    let category = |(i, (name, values)): (usize, &(String, Vec<f64>))| Line {
        name: name.clone(),
        colour: by_index(i),
        shape: Shape::Step,
        points: points(values),
    };
    std::iter::once(all).chain(curve.categories.iter().enumerate().map(category)).collect()
}

fn cpu_specs() -> Columns<CpuRow> {
    Columns::<CpuRow>::new()
        .column("cpu", "CPU", Kind::Name, "", |r| Cell::Text(r.cpu.clone()))
        .column("instance", "Instance", Kind::Text, "", |r| Cell::Text(r.instance.clone()))
        .column("n", "Samples", Kind::Count, "Each sample is the mean over the preceding second.", |r| Cell::from(r.n_samples))
        .column("mean", "Mean", Kind::Share, "", |r| Cell::Float(r.mean))
        .column("most", "Maximum", Kind::Share, "", |r| Cell::Float(r.most))
        .column(
            "most_in_gaps",
            "Maximum in gaps",
            Kind::Share,
            "Maximum of the samples that cover time in which no device executes.",
            |r| Cell::from(r.most_in_gaps),
        )
}

/// Columns of the CPUs.
pub fn cpu_columns() -> Vec<Column> {
    cpu_specs().headers()
}

/// The CPUs.
pub fn cpus(s: &System) -> Vec<Row> {
    cpu_specs().rows(&s.cpus)
}

fn chain_specs() -> Columns<ChainRow> {
    Columns::<ChainRow>::new()
        .column("name", "Name", Kind::Name, "Click the row to show the event in the timeline.", |r| Cell::Text(r.name.clone()))
        .column("event", "Event ID", Kind::Text, "Name as in the file.", |r| Cell::Text(r.event.clone()))
        .column("flow", "Flow ID", Kind::Text, "Flow that leads to the event.", |r| Cell::Text(r.flows.clone()))
        .column("source", "Trace event source", Kind::Text, "", |r| Cell::Text(r.source.clone()))
        .column("depth", "Distance in flows", Kind::Count, "", |r| Cell::from(u64::from(r.depth)))
        .column("start_ns", "Start", Kind::Duration, "Time since the first event.", |r| Cell::Int(r.start.0))
        .column("duration_ns", "Duration", Kind::Duration, "", |r| Cell::Int(r.duration.0))
}

/// Columns of a chain.
pub fn chain_columns() -> Vec<Column> {
    chain_specs().headers()
}

/// One direction of a chain.
pub fn chain(rows: &[ChainRow]) -> Vec<Row> {
    chain_specs().rows(rows)
}

fn text_or_absent(text: &str) -> Cell {
    if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) }
}

/// Text above the tables of a chain.
pub fn chain_title(chain: &Chain) -> String {
    let cut = if chain.is_cut { " The nearest 200 of a direction are listed." } else { "" };
    match (chain.upstream.len(), chain.downstream.len()) {
        (0, 0) => format!("{} is part of no flow.", chain.name),
        (up, down) => format!("{}: {up} upstream, {down} downstream.{cut}", chain.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::system::{HbmRow, TransferRow};
    use crate::views::device_tables;

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let s = System {
            cores: vec![CoreRow::default()],
            executions: vec![ExecutionRow::default()],
            transfers: vec![TransferRow::default()],
            hbm: vec![HbmRow { categories: vec![("Weights".into(), 3, None)], ..HbmRow::default() }],
            cpus: vec![CpuRow::default()],
            ..System::default()
        };
        let check = |rows: Vec<Row>, columns: Vec<Column>| assert!(rows.iter().all(|r| r.cells.len() == columns.len()) && !rows.is_empty());
        check(cores(&s), core_columns());
        check(executions(&s, |_| Utilization::default()), execution_columns());
        check(device_tables::transfers(&s.transfers), device_tables::transfer_columns());
        check(device_tables::hbm(&s.hbm), device_tables::hbm_columns());
        check(cpus(&s), cpu_columns());
        check(chain(&[ChainRow::default()]), chain_columns());
        assert_eq!(device_tables::hbm(&s.hbm).len(), 2);
        let curve = HbmCurve {
            times: vec![1, 2],
            total: vec![3.0, 4.0],
            categories: vec![("Weights".into(), vec![3.0, 1.0])],
            ..HbmCurve::default()
        };
        let lines: Vec<_> = hbm_lines(&curve).into_iter().map(|l| (l.name, l.points)).collect();
        assert_eq!(lines, [("all".to_string(), vec![(1, 3.0), (2, 4.0)]), ("Weights".to_string(), vec![(1, 3.0), (2, 1.0)])]);
        assert_eq!(cards(&s)[3].2, "not available");
        assert!(clock(&s).starts_with("No sync points"));
    }
}
