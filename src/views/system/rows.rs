//! Answers about a system profile as cards and table rows.

use super::devices::Utilization;
use crate::analysis::system::{Chain, ChainRow, CoreRow, CpuRow, ExecutionRow, HbmCurve, System};
use crate::base::colour_slots::{by_index, fixed};
use crate::base::{DurationNs, text};
use crate::ui::curve::{Line, Shape};
use crate::ui::table::{Cell, Column, Kind, Row};

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

/// Columns of the executions.
pub fn execution_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("model", "Model", Kind::Name, "NEFF or id of the model in the events."),
        c("profile", "Device profile", Kind::Text, "Device profile named by the events, or listed for this core."),
        c("process", "Process", Kind::Text, ""),
        c("core", "NeuronCore", Kind::Text, ""),
        c("calls", "Calls", Kind::Count, "Executions (events nc_exec_running).").summed(),
        c("total_ns", "Total duration", Kind::Duration, "Sum of the durations.").summed(),
        c("mean_ns", "Duration", Kind::Duration, "Mean duration of a call."),
        c("min_ns", "Shortest", Kind::Duration, ""),
        c("max_ns", "Longest", Kind::Duration, ""),
        c("mfu", "MFU", Kind::Share, "Model FLOPs utilization, from the open device profile."),
        c("hfu", "HFU", Kind::Share, "Hardware FLOPs utilization, from the open device profile."),
        c("mbu", "MBU", Kind::Share, "Memory bandwidth utilization, from the open device profile."),
    ]
}

/// The executions; `of` gives what an open device profile tells.
pub fn executions(s: &System, of: impl Fn(&ExecutionRow) -> Utilization) -> Vec<Row> {
    let row = |r: &ExecutionRow| {
        let told = of(r);
        let model = if r.model.is_empty() { "not recorded".to_string() } else { r.model.clone() };
        let mean = r.total.0 / i64::try_from(r.calls).unwrap_or(i64::MAX).max(1);
        let mut cells = vec![Cell::Text(model)];
        cells.extend([&r.profile, &r.process, &r.core].map(|t| if t.is_empty() { Cell::Absent } else { Cell::Text(t.clone()) }));
        cells.extend([Cell::from(r.calls), Cell::Int(r.total.0), Cell::Int(mean), Cell::Int(r.min.0), Cell::Int(r.max.0)]);
        cells.extend([told.mfu, told.hfu, told.mbu].map(Cell::from));
        Row::new(cells)
    };
    s.executions.iter().map(row).collect()
}

/// Columns of the cores.
pub fn core_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("name", "NeuronCore", Kind::Name, ""),
        c("count", "Executions", Kind::Count, "").summed(),
        c("busy_ns", "Busy", Kind::Duration, "Time in which a model executes."),
        c("idle_ns", "Gaps", Kind::Duration, "Time between the first and the last execution in which none runs."),
        c("idle", "Gaps %", Kind::Share, "Share of the time from the first to the last execution."),
        c("longest_ns", "Longest gap", Kind::Duration, "Click the row to show it in the timeline."),
    ]
}

/// The cores.
pub fn cores(s: &System) -> Vec<Row> {
    let row = |r: &CoreRow| {
        let idle = (r.wall.0 > 0).then(|| r.idle.0 as f64 / r.wall.0 as f64);
        let longest = r.longest_gap.map_or(Cell::Absent, |g| Cell::Int(g.duration().0));
        Row::new(vec![Cell::Text(r.name.clone()), Cell::from(r.count), Cell::Int(r.busy.0), Cell::Int(r.idle.0), Cell::from(idle), longest])
    };
    s.cores.iter().map(row).collect()
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

/// Columns of the CPUs.
pub fn cpu_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("cpu", "CPU", Kind::Name, ""),
        c("instance", "Instance", Kind::Text, ""),
        c("n", "Samples", Kind::Count, "Each sample is the mean over the preceding second."),
        c("mean", "Mean", Kind::Share, ""),
        c("most", "Maximum", Kind::Share, ""),
        c("most_in_gaps", "Maximum in gaps", Kind::Share, "Maximum of the samples that cover time in which no device executes."),
    ]
}

/// The CPUs.
pub fn cpus(s: &System) -> Vec<Row> {
    let row = |r: &CpuRow| {
        let texts = [&r.cpu, &r.instance].map(|t| Cell::Text(t.clone()));
        let figures = [Cell::from(r.n_samples), Cell::Float(r.mean), Cell::Float(r.most), Cell::from(r.most_in_gaps)];
        Row::new(texts.into_iter().chain(figures).collect())
    };
    s.cpus.iter().map(row).collect()
}

/// Columns of a chain.
pub fn chain_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("name", "Name", Kind::Name, "Click the row to show the event in the timeline."),
        c("event", "Event ID", Kind::Text, "Name as in the file."),
        c("flow", "Flow ID", Kind::Text, "Flow that leads to the event."),
        c("source", "Trace event source", Kind::Text, ""),
        c("depth", "Distance in flows", Kind::Count, ""),
        c("start_ns", "Start", Kind::Duration, "Time since the first event."),
        c("duration_ns", "Duration", Kind::Duration, ""),
    ]
}

/// One direction of a chain.
pub fn chain(rows: &[ChainRow]) -> Vec<Row> {
    let row = |r: &ChainRow| {
        let texts = [&r.name, &r.event, &r.flows, &r.source].map(|t| Cell::Text(t.clone()));
        Row::new(texts.into_iter().chain([Cell::from(u64::from(r.depth)), Cell::Int(r.start.0), Cell::Int(r.duration.0)]).collect())
    };
    rows.iter().map(row).collect()
}

/// What is said above the tables of a chain.
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
