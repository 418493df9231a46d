//! Operators of a PyTorch trace as table rows and slices of a pie.

use crate::analysis::torch::ops::{OpCall, OpKernelRow, OpRow, OpShares, OpTimes, OpWork, Ops};
use crate::base::text;
use crate::ui::pie::Slice;
use crate::ui::table::{Cell, Column, Kind, Row};
use std::collections::BTreeMap;

/// One of the four times of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Device work launched by the calls themselves.
    DeviceSelf,
    /// Device work launched by the calls and their children.
    DeviceTotal,
    /// Without the operators and runtime calls inside.
    HostSelf,
    /// Durations of the calls.
    HostTotal,
}

impl Measure {
    /// In the order shown.
    pub const ALL: [Measure; 4] = [Measure::DeviceSelf, Measure::DeviceTotal, Measure::HostSelf, Measure::HostTotal];

    /// Stable word: in links, and the id of its pie.
    pub fn id(self) -> &'static str {
        match self {
            Measure::DeviceSelf => "device-self",
            Measure::DeviceTotal => "device-total",
            Measure::HostSelf => "host-self",
            Measure::HostTotal => "host-total",
        }
    }

    /// The measure of an id.
    pub fn from_id(id: &str) -> Option<Self> {
        Measure::ALL.into_iter().find(|m| m.id() == id)
    }

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Measure::DeviceSelf => "Device self",
            Measure::DeviceTotal => "Device total",
            Measure::HostSelf => "Host self",
            Measure::HostTotal => "Host total",
        }
    }

    /// Whether it is of the device.
    pub fn is_device(self) -> bool {
        matches!(self, Measure::DeviceSelf | Measure::DeviceTotal)
    }

    fn time(self, times: &OpTimes) -> i64 {
        match self {
            Measure::DeviceSelf => times.device_self.0,
            Measure::DeviceTotal => times.device_total.0,
            Measure::HostSelf => times.host_self.0,
            Measure::HostTotal => times.host_total.0,
        }
    }

    fn share(self, shares: &OpShares) -> f64 {
        match self {
            Measure::DeviceSelf => shares.device_self,
            Measure::DeviceTotal => shares.device_total,
            Measure::HostSelf => shares.host_self,
            Measure::HostTotal => shares.host_total,
        }
    }

    fn column(self) -> Column {
        let (id, help) = match self {
            Measure::DeviceSelf => (
                "device_self_ns",
                "Time of kernels, memory copies and memory sets launched directly by the calls; overlaps count for each.",
            ),
            Measure::DeviceTotal => ("device_total_ns", "Device self time plus the device time of nested operators."),
            Measure::HostSelf => ("host_self_ns", "Duration of the calls without nested operators and runtime calls."),
            Measure::HostTotal => ("host_total_ns", "Duration of the calls with everything they contain."),
        };
        let column = Column::new(id, self.label(), Kind::Duration, help);
        // Totals include each other, so their sum is meaningless.
        if matches!(self, Measure::DeviceSelf | Measure::HostSelf) { column.summed() } else { column }
    }
}

/// Work and rates: the first two shown, the others at choice.
fn rate_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column(
            "gflops",
            "GFLOPs",
            Kind::Number,
            "Floating-point operations of the calls with a model of their work, in 10⁹; see Efficiency.",
        )
        .summed(),
        column("tflops_per_s", "TFLOP/s", Kind::Number, "Operations ÷ device total time of these calls."),
        column(
            "peak_share",
            "% of peak",
            Kind::Share,
            "Time of the operations at the published dense peak of their types ÷ device total time.",
        )
        .off(),
        column("gb_moved", "GB moved", Kind::Number, "Bytes that the calls must read or write at least once, in 10⁹.").summed().off(),
        column("tb_per_s", "TB/s", Kind::Number, "Bytes ÷ device total time of these calls.").off(),
        column(
            "bandwidth_share",
            "% of bandwidth",
            Kind::Share,
            "Time of the bytes at the published memory bandwidth ÷ device total time; above 100% data stayed in caches.",
        )
        .off(),
        column("flops_per_byte", "FLOP/byte", Kind::Number, "Arithmetic intensity: operations ÷ bytes.").off(),
        column("bound_by", "Bound by", Kind::Text, "What takes longer at the peaks: operations (Compute) or bytes (Memory).").off(),
    ]
}

/// A cell for each of [`rate_columns`].
fn rate_cells(work: Option<&OpWork>) -> [Cell; 8] {
    let Some(work) = work else { return [const { Cell::Absent }; 8] };
    // For generated kernels bytes are known, operations are not.
    let counted = |value: f64| if work.flops > 0 { Cell::Float(value) } else { Cell::Absent };
    [
        counted(work.flops as f64 / 1e9),
        counted(work.tflops()),
        work.peak_share().filter(|_| work.flops > 0).into(),
        Cell::Float(work.bytes as f64 / 1e9),
        Cell::Float(work.tb_per_s()),
        work.bandwidth_share().into(),
        counted(work.intensity()),
        work.roof.bound().map(|b| b.label().to_string()).into(),
    ]
}

/// Whether any operator has a model of its work.
pub fn has_work(ops: &Ops) -> bool {
    ops.rows.iter().any(|r| r.work.is_some())
}

/// What the table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Columns of the device.
    pub has_device: bool,
    /// Shapes of inputs.
    pub has_shapes: bool,
    /// Work and rates.
    pub has_work: bool,
    /// What Time % is a share of.
    pub measure: Measure,
}

/// The columns; those of the device only where there is one, shapes only where rows have them.
pub fn columns(shape: Shape) -> Vec<Column> {
    let Shape { has_device, has_shapes, has_work, measure } = shape;
    let column = Column::new;
    let mut columns = vec![column("name", "Operator", Kind::Name, "Name of the operator.")];
    if has_shapes {
        columns.push(column("input_shape", "Input shape", Kind::Text, "Shape of each input; empty if the input is not a tensor."));
    }
    columns.push(column("occurrences", "Calls", Kind::Count, "Calls that start in the range.").summed());
    let help = format!("{} time as a share of the time of all operators. Select another time under Time % of.", measure.label());
    columns.push(column("time_share", "Time %", Kind::Share, &help).summed());
    columns.extend(Measure::ALL.into_iter().filter(|m| has_device || !m.is_device()).map(Measure::column));
    if has_work {
        columns.extend(rate_columns());
    }
    columns.push(column(
        "tc_eligible",
        "TC eligible",
        Kind::Text,
        "Whether it can use tensor cores, derived from its name or a nested operator.",
    ));
    if has_device {
        columns.push(column(
            "tc_self_share",
            "TC self %",
            Kind::Share,
            "Device self time in kernels that use tensor cores, as a share of device self time.",
        ));
        columns.push(column(
            "tc_total_share",
            "TC total %",
            Kind::Share,
            "Device total time in kernels that use tensor cores, as a share of device total time.",
        ));
    }
    columns.push(column("call_stack", "Call stack", Kind::Text, "Whether call stacks are recorded. Click the row to see them."));
    columns
}

/// Rows in the order of the answer; a cell for each of [`columns`].
pub fn rows(ops: &Ops, shape: Shape) -> Vec<Row> {
    let Shape { has_shapes, has_work, measure, .. } = shape;
    let row = |r: &OpRow| {
        let mut cells = vec![Cell::Text(r.name.clone())];
        if has_shapes {
            cells.push(Cell::from(r.shape.clone()));
        }
        cells.push(Cell::from(r.calls));
        cells.push(Cell::Float(measure.share(&r.shares)));
        cells.extend(Measure::ALL.iter().filter(|m| ops.has_device || !m.is_device()).map(|m| Cell::Int(m.time(&r.times))));
        if has_work {
            cells.extend(rate_cells(r.work.as_ref()));
        }
        cells.push(yes(r.tc_eligible));
        if ops.has_device {
            cells.extend([r.tc_self_share, r.tc_total_share].map(Cell::from));
        }
        cells.push(if r.has_stack { yes(true) } else { Cell::Absent });
        Row { colour: Some(r.colour), ..Row::new(cells) }
    };
    ops.rows.iter().map(row).collect()
}

fn yes(is_so: bool) -> Cell {
    Cell::Text(if is_so { "Yes" } else { "No" }.into())
}

/// A measure by operator, its shapes together.
pub fn slices(ops: &Ops, measure: Measure) -> Vec<Slice> {
    let mut sums: BTreeMap<&str, (i64, u16)> = BTreeMap::new();
    for row in &ops.rows {
        sums.entry(&row.name).or_insert((0, row.colour)).0 += measure.time(&row.times);
    }
    sums.into_iter().map(|(name, (value, colour))| Slice { name: name.into(), value, colour }).collect()
}

/// The sums, in one line.
pub fn sum(ops: &Ops) -> String {
    let host = format!("Host self {}", text::duration(ops.totals.host_self));
    if ops.has_device { format!("Device self {} · {host}", text::duration(ops.totals.device_self)) } else { host }
}

/// The columns of the device work of one operator.
pub fn kernel_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Kernel", Kind::Name, ""),
        column("calls", "Runs", Kind::Count, "").summed(),
        column("total_ns", "Total", Kind::Duration, "").summed(),
        column("max_ns", "Max", Kind::Duration, ""),
        column("min_ns", "Min", Kind::Duration, ""),
        column("tensor_cores", "TC", Kind::Text, "Whether it uses tensor cores, derived from its name."),
    ]
}

/// The device work of one operator.
pub fn kernel_rows(kernels: &[OpKernelRow]) -> Vec<Row> {
    let row = |k: &OpKernelRow| Row {
        colour: Some(k.colour),
        ..Row::new(vec![
            Cell::Text(k.name.clone()),
            Cell::from(k.calls),
            Cell::Int(k.total.0),
            Cell::Int(k.max.0),
            Cell::Int(k.min.0),
            yes(k.uses_tensor_cores),
        ])
    };
    kernels.iter().map(row).collect()
}

/// The columns of the calls of one operator.
pub fn call_columns(has_device: bool) -> Vec<Column> {
    let mut columns = vec![Column::new("start", "Start", Kind::Duration, "")];
    let shown = [Measure::DeviceTotal, Measure::HostSelf, Measure::HostTotal];
    columns.extend(shown.into_iter().filter(|m| has_device || !m.is_device()).map(Measure::column));
    columns
}

/// The calls of one operator.
pub fn call_rows(calls: &[OpCall], has_device: bool) -> Vec<Row> {
    let row = |c: &OpCall| {
        let shown = [Measure::DeviceTotal, Measure::HostSelf, Measure::HostTotal];
        let times = shown.iter().filter(|m| has_device || !m.is_device()).map(|m| Cell::Int(m.time(&c.times)));
        Row::new(std::iter::once(Cell::Int(c.start.0)).chain(times).collect())
    };
    calls.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::work::Roof;
    use crate::base::DurationNs;

    fn ops(has_device: bool) -> Ops {
        let row = |name: &str, ns: i64, shape: Option<&str>| OpRow {
            name: name.into(),
            shape: shape.map(Into::into),
            calls: 3,
            times: OpTimes {
                host_total: DurationNs(ns),
                host_self: DurationNs(ns / 2),
                device_total: DurationNs(ns * 2),
                device_self: DurationNs(ns * 3),
            },
            shares: OpShares { host_self: 0.25, device_self: 0.75, ..OpShares::default() },
            ..OpRow::default()
        };
        Ops { rows: vec![row("mm", 40, Some("[[1]]")), row("mm", 20, None), row("add", 10, None)], has_device, ..Ops::default() }
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        for bits in 0..8 {
            let (has_device, has_shapes, has_work) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            let shape = Shape { has_device, has_shapes, has_work, measure: Measure::HostSelf };
            let (columns, rows) = (columns(shape), rows(&ops(has_device), shape));
            assert!(rows.iter().all(|r| r.cells.len() == columns.len()), "{shape:?}");
            let at = columns.iter().position(|c| c.id == "host_total_ns").unwrap();
            assert_eq!(rows[0].cells[at], Cell::Int(40));
            let at = columns.iter().position(|c| c.id == "time_share").unwrap();
            assert_eq!(rows[0].cells[at], Cell::Float(0.25));
        }
    }

    #[test]
    fn rates_are_absent_without_a_model_and_shares_without_peaks() {
        let roof = Roof { compute_ns: None, memory_ns: Some(500.0) };
        let work = OpWork { flops: 2_000_000_000, bytes: 1_000_000, time: DurationNs(1_000_000), roof };
        let cells = rate_cells(Some(&work));
        assert_eq!(cells[..3], [Cell::Float(2.0), Cell::Float(2.0), Cell::Absent]);
        assert_eq!(cells[3..], [Cell::Float(0.001), Cell::Float(0.001), Cell::Float(0.0005), Cell::Float(2000.0), Cell::Absent]);
        assert!(rate_cells(None).iter().all(|c| *c == Cell::Absent));
        assert_eq!(rate_columns().iter().filter(|c| !c.is_off).count(), 2);
    }

    #[test]
    fn an_operator_has_one_slice_whatever_its_shapes() {
        let found: Vec<_> = slices(&ops(true), Measure::DeviceSelf).into_iter().map(|s| (s.name, s.value)).collect();
        assert_eq!(found, [("add".into(), 30), ("mm".into(), 180)]);
    }

    #[test]
    fn measures_are_known_by_their_id() {
        for measure in Measure::ALL {
            assert_eq!(Measure::from_id(measure.id()), Some(measure));
        }
        assert_eq!(Measure::from_id(""), None);
    }
}
