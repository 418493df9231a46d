//! Lines of source as rows of a table, and their values for the margin.

use crate::analysis::device::instructions::source::{Source, SourceLine};
use crate::analysis::device::layers::ENGINES;
use crate::base::Order as _;
use crate::base::text;
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;
use std::collections::HashMap;

/// Columns.
pub fn columns() -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("place", "Line", Kind::Name, "File and line, as recorded by the compiler."),
        column("instructions", "Instructions", Kind::Count, "Instructions of the line.").summed(),
        column(
            "time_ns",
            "Time",
            Kind::Duration,
            "Time in which at least one of them ran; overlaps on a core count once, cores are summed.",
        ),
        column("flops", "FLOPs", Kind::Count, wording::FLOPS).summed(),
        column("hbm_bytes", "HBM bytes", Kind::Bytes, "Bytes read from and written to HBM.").summed(),
    ];
    out.extend(
        ENGINES.map(|e| column(&e.to_lowercase(), e, Kind::Count, &format!("Instructions of the line on the {e} engine.")).summed()),
    );
    out
}

/// A row for each line, in the order of the answer.
pub fn rows(source: &Source) -> Vec<Row> {
    let row = |l: &SourceLine| {
        let mut cells: Vec<Cell> =
            vec![l.place.to_string().into(), l.instructions.into(), l.time.into(), l.flops.into(), l.hbm_bytes.into()];
        cells.extend(l.engines.map(Cell::from));
        Row::new(cells)
    };
    source.lines.iter().map(row).collect()
}

/// Values of a file's lines, by line: instructions, time, FLOPs; and the longest time, for the bars.
pub fn margin(source: &Source, file: &str) -> (HashMap<u32, SourceLine>, i64) {
    let of: HashMap<u32, SourceLine> = source.lines.iter().filter(|l| l.place.file == file).map(|l| (l.place.line, l.clone())).collect();
    let longest = of.values().map(|l| l.time.0).max().unwrap_or(0);
    (of, longest)
}

/// FLOPs in short: `8.4 M`.
pub fn flops(n: u64) -> String {
    const UNITS: [&str; 6] = ["", "K", "M", "G", "T", "P"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { n.to_string() } else { format!("{} {}", text::three_digits(value), UNITS[unit]) }
}

/// Files of the lines, each once, those with the most time first.
pub fn files(source: &Source) -> Vec<String> {
    let mut out: Vec<(String, i64)> = Vec::new();
    for line in &source.lines {
        match out.iter_mut().find(|f| f.0 == line.place.file) {
            Some(file) => file.1 = file.1.saturating_add(line.time.0),
            None => out.push((line.place.file.clone(), line.time.0)),
        }
    }
    out.order_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out.into_iter().map(|f| f.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::SourceLocation;
    use crate::base::DurationNs;

    fn line(file: &str, line: u32, time: i64) -> SourceLine {
        SourceLine {
            place: SourceLocation { file: file.into(), line },
            instructions: 2,
            time: DurationNs(time),
            flops: None,
            hbm_bytes: None,
            engines: [0; 5],
        }
    }

    #[test]
    fn files_and_margins() {
        let source = Source { lines: vec![line("a.py", 3, 10), line("b.py", 1, 30), line("b.py", 2, 5)], ..Source::default() };
        assert_eq!(files(&source), ["b.py", "a.py"]);
        let (of, longest) = margin(&source, "b.py");
        assert_eq!((of.len(), longest, of[&2].time.0), (2, 30, 5));
        let rows = rows(&source);
        assert_eq!((rows[0].cells.len(), &rows[0].cells[3]), (columns().len(), &Cell::Absent));
        assert_eq!((flops(999), flops(8_388_608)), ("999".into(), "8.39 M".into()));
    }
}
