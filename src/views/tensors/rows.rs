//! Tensors and memory as rows, bars and lines.

use crate::analysis::device::activity::usage::UseCurve;
use crate::analysis::device::memory::highlights::{Band, BandKind};
use crate::analysis::device::memory::tensors::{HbmUse, TensorRow, Tensors};
use crate::base::{TimeNs, text};
use crate::ui::bars::Bar;
use crate::ui::curve::{Line, Shape};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

fn words(value: Option<&String>) -> Cell {
    value.map_or(Cell::Absent, |v| Cell::Text(v.clone()))
}

fn tensor_specs() -> Columns<TensorRow> {
    Columns::<TensorRow>::new()
        .column("name", "Tensor", Kind::Name, "Name of the variable; a node of the NEFF may have none. Click to see its transfers.", |t| {
            if t.name.is_empty() { Cell::Absent } else { Cell::Text(t.name.clone()) }
        })
        .column("type", "Type", Kind::Text, "Input, output or weight.", |t| words(t.kind.as_ref()))
        .column("format", "Format", Kind::Text, "Layout in memory.", |t| words(t.format.as_ref()))
        .column("shape", "Shape", Kind::Text, "As written in the NEFF.", |t| words(t.shape.as_ref()))
        .column("size", "Size", Kind::Bytes, "Bytes of the tensor.", |t| Cell::from(t.size_bytes))
        .summed()
        .column("node", "Node", Kind::Text, "Node of the NEFF.", |t| words(t.node.as_ref()))
        .column("core", "Core", Kind::Text, "Physical core, or its subgraph.", |t| words(t.core.as_ref()))
        .column(
            "loads",
            "Loads",
            Kind::Count,
            "load_to_sbuf_dma_count: transfers into the State Buffer, as recorded by the profiler.",
            |t| Cell::from(t.loads),
        )
        .summed()
        .column("load_bytes", "Loaded", Kind::Bytes, "load_to_sbuf_total_size_bytes.", |t| Cell::from(t.load_bytes))
        .summed()
        .column("load_mean", "Mean load", Kind::Bytes, "load_to_sbuf_avg_size_bytes.", |t| Cell::from(t.load_mean_bytes))
        .column("load_factor", "Load factor", Kind::Number, "load_to_sbuf_repeat_factor: how many times the size was loaded.", |t| {
            Cell::from(t.load_factor)
        })
        .column("transfers", "Transfers", Kind::Count, "DMA rows with its name, in any direction.", |t| Cell::from(t.transfers))
        .summed()
        .column("moved", "Moved", Kind::Bytes, "Bytes of these rows.", |t| Cell::from(t.moved_bytes))
        .summed()
        .column("moved_factor", "Moved ÷ size", Kind::Number, "Bytes of its DMA rows ÷ its size.", |t| Cell::from(t.moved_factor))
        .column("first", "First use", Kind::Duration, "Start of its first transfer.", |t| {
            t.used.map_or(Cell::Absent, |r| Cell::Int(r.start.0))
        })
        .column("last", "Last use", Kind::Duration, "End of its last transfer.", |t| t.used.map_or(Cell::Absent, |r| Cell::Int(r.end.0)))
}

/// Columns of the tensors.
pub fn tensor_columns() -> Vec<Column> {
    tensor_specs().headers()
}

/// The tensors that are in use at a moment; all without one.
pub fn shown(tensors: &Tensors, at: Option<i64>) -> Vec<&TensorRow> {
    tensors.rows.iter().filter(|t| at.is_none_or(|at| t.is_active(TimeNs(at)))).collect()
}

/// Rows of the tensors.
pub fn tensor_rows(tensors: &Tensors, at: Option<i64>) -> Vec<Row> {
    let columns = tensor_specs();
    shown(tensors, at).into_iter().map(|t| columns.row(t)).collect()
}

/// Which columns the file fills, by their places, and the labels of the others. Without rows none is omitted.
pub fn filled(columns: &[Column], rows: &[Row]) -> (Vec<usize>, Vec<String>) {
    let is_empty = |at: usize| !rows.is_empty() && rows.iter().all(|row| matches!(row.cells.get(at), None | Some(Cell::Absent)));
    // The name stays, whatever is in it.
    let (full, empty): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(|at| *at == 0 || !is_empty(*at));
    (full, empty.iter().map(|at| columns[*at].label.clone()).collect())
}

/// The values of `all` at the ascending `places`.
pub fn picked<T>(all: Vec<T>, places: &[usize]) -> Vec<T> {
    let is_picked = |at: usize| places.binary_search(&at).is_ok();
    all.into_iter().enumerate().filter(|(at, _)| is_picked(*at)).map(|(_, one)| one).collect()
}

fn band_specs() -> Columns<Band> {
    Columns::<Band>::new()
        .column("what", "Tensor or core", Kind::Name, "Click to show it in the timeline.", |b| Cell::Text(b.name.clone()))
        .column(
            "why",
            "Why",
            Kind::Text,
            "A tensor moved more than twice, or at least 64 transfers of less than 512 bytes, each within 1 µs of the previous one.",
            |b| Cell::Text(why(b.kind).into()),
        )
        .column("start", "Start", Kind::Duration, "Since the start of the run.", |b| Cell::Int(b.range.start.0))
        .column("length", "Length", Kind::Duration, "", |b| Cell::Int(b.range.duration().0))
        .column("transfers", "Transfers", Kind::Count, "", |b| Cell::from(b.transfers))
        .column("bytes", "Bytes", Kind::Bytes, "", |b| Cell::from(b.bytes))
        .column(
            "factor",
            "Times its size",
            Kind::Number,
            "Load factor of the tensor if recorded, otherwise bytes of its DMA rows ÷ its size.",
            |b| Cell::from(b.factor),
        )
}

/// Columns of the intervals.
pub fn band_columns() -> Vec<Column> {
    band_specs().headers()
}

fn why(kind: BandKind) -> &'static str {
    match kind {
        BandKind::Reloaded => "reloaded",
        BandKind::SmallTransfers => "many small transfers",
    }
}

/// Rows of the intervals.
pub fn bands(tensors: &Tensors) -> Vec<Row> {
    band_specs().rows(&tensors.bands)
}

/// A bar for each type of device memory that holds anything.
pub fn hbm_bars(tensors: &Tensors) -> Vec<Bar> {
    let used = tensors.hbm.iter().filter(|u| u.bytes > 0 && !u.is_total);
    used.map(|u| Bar { name: u.kind.clone(), group: u.core.clone(), values: vec![u.bytes as f64], note: text::bytes(u.bytes) }).collect()
}

/// The totals of all cores in a sentence.
pub fn hbm_totals(tensors: &Tensors) -> String {
    let total = |u: &crate::analysis::device::memory::tensors::HbmUse| {
        let how = if u.is_computed { " (sum)" } else { "" };
        format!("{} {}{how}", u.core, text::bytes(u.bytes))
    };
    let totals: Vec<String> = tensors.hbm.iter().filter(|u| u.is_total).map(total).collect();
    if totals.is_empty() { String::new() } else { format!("Total: {}.", totals.join(", ")) }
}

/// Rows of device memory.
pub fn hbm_rows(tensors: &Tensors) -> Vec<Row> {
    hbm_specs().rows(&tensors.hbm)
}

fn hbm_specs() -> Columns<HbmUse> {
    Columns::<HbmUse>::new()
        .column("type", "Type", Kind::Name, "Name as in the file.", |u| Cell::Text(u.kind.clone()))
        .column("core", "Core", Kind::Text, "NeuronCore.", |u| Cell::Text(u.core.clone()))
        .column("bytes", "Bytes", Kind::Bytes, "Device memory allocated for it.", |u| Cell::from(u.bytes))
}

/// Columns of device memory.
pub fn hbm_columns() -> Vec<Column> {
    hbm_specs().headers()
}

/// Memories of cores with samples: `NC 4 · PSUM Usage`.
pub fn memories(tensors: &Tensors) -> Vec<String> {
    let mut out: Vec<String> = tensors.curves.iter().map(memory).collect();
    out.dedup();
    out
}

fn memory(curve: &UseCurve) -> String {
    format!("{} · {}", curve.core, curve.name)
}

/// The chosen memory; the first PSUM without a choice.
pub fn chosen(tensors: &Tensors, name: &str) -> String {
    let all = memories(tensors);
    let first = all.iter().find(|m| m.contains("PSUM")).or(all.first()).cloned();
    all.iter().find(|m| *m == name).cloned().or(first).unwrap_or_default()
}

/// Its banks or partitions over time.
pub fn lines(tensors: &Tensors, name: &str) -> Vec<Line> {
    let name = chosen(tensors, name);
    let of_memory = tensors.curves.iter().filter(|c| memory(c) == name);
    let line = |(at, c): (usize, &UseCurve)| Line {
        name: c.part.clone(),
        colour: at as u16,
        shape: Shape::Step,
        points: c.points.iter().map(|p| (p.0.0, p.1)).collect(),
    };
    of_memory.enumerate().map(line).collect()
}

/// The unit of the curve, as a sentence; empty if not recorded.
pub fn unit_line(tensors: &Tensors, name: &str) -> String {
    let name = chosen(tensors, name);
    let unit = tensors.curves.iter().find(|c| memory(c) == name).map(|c| c.unit.as_str()).unwrap_or_default();
    match unit {
        "" => String::new(),
        "banks" => "1: bank in use, 0: bank not in use.".into(),
        _ => format!("In {unit}."),
    }
}

/// Columns of peaks.
pub fn peak_columns() -> Vec<Column> {
    vec![
        Column::new("part", "Bank or partition", Kind::Name, ""),
        Column::new("memory", "Memory", Kind::Text, ""),
        Column::new("peak", "Peak", Kind::Number, "Largest sample, in the unit of the memory."),
        Column::new("at", "Reached at", Kind::Duration, "Time of the first such sample."),
        Column::new("mean", "Mean", Kind::Number, "Time-weighted mean from the first to the last sample."),
        Column::new("unit", "Unit", Kind::Text, ""),
        Column::new("samples", "Samples", Kind::Count, ""),
    ]
}

/// Rows of peaks.
pub fn peaks(tensors: &Tensors) -> Vec<Row> {
    let row = |c: &UseCurve| {
        Row::new(vec![
            Cell::Text(c.part.clone()),
            Cell::Text(memory(c)),
            c.peak.map_or(Cell::Absent, |p| Cell::plain(p.1)),
            c.peak.map_or(Cell::Absent, |p| Cell::Int(p.0.0)),
            Cell::from(c.mean),
            Cell::Text(c.unit.clone()),
            Cell::from(c.n_samples),
        ])
    };
    tensors.curves.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_say_what_they_are_measured_in() {
        let curve = |name: &str, unit: &str| UseCurve {
            core: "NC 0".into(),
            name: name.into(),
            part: "0".into(),
            unit: unit.into(),
            points: Vec::new(),
            n_samples: 0,
            peak: None,
            mean: None,
        };
        let tensors = Tensors { curves: vec![curve("State Buffer Usage", "%"), curve("PSUM Usage", "banks")], ..Tensors::default() };
        assert!(unit_line(&tensors, "").starts_with("1: bank in use"));
        assert_eq!(unit_line(&tensors, "NC 0 · State Buffer Usage"), "In %.");
    }

    #[test]
    fn columns_that_the_file_does_not_fill_are_left_out() {
        let columns: Vec<Column> = tensor_columns().into_iter().take(4).collect();
        let row = |cells: [Cell; 3]| Row::new(cells.into());
        let rows = [row([Cell::Absent, Cell::Absent, Cell::Int(0)]), row([Cell::Absent, Cell::Absent, Cell::Absent])];
        let (full, empty) = filled(&columns, &rows);
        assert_eq!(
            (full.as_slice(), empty),
            ([0, 2].as_slice(), vec!["Type".to_string(), "Shape".to_string()]),
            "0 is a value, and the name stays"
        );
        assert_eq!(filled(&columns, &[]).0.len(), 4);
        assert_eq!(picked(vec!["a", "b", "c", "d"], &full), ["a", "c"]);
    }
}
