//! The roofline as dots, ceilings and rows.

use crate::analysis::device::roofline::{Basis, Bound, Point, Roofline};
use crate::base::text;
use crate::ui::palette::fixed;
use crate::ui::scatter::{Ceiling, Dot, Mark};
use crate::ui::table::{Cell, Column, Kind, Row};

/// A rate with its unit: `157 TFLOP/s`.
fn rate(value: f64) -> String {
    format!("{}/s", text::flops(value))
}

/// Name and colour of a point's class.
fn class(point: &Point) -> (&'static str, u16) {
    match (point.bound, point.basis) {
        (Bound::Memory, _) => ("Memory-bound", fixed::MEMCPY),
        (Bound::Compute, _) => ("Compute-bound", fixed::KERNEL),
        (Bound::NotRecorded, Basis::Sbuf) => ("SBUF bytes: no ceiling recorded", fixed::OTHER),
        (Bound::NotRecorded, Basis::Hbm) => ("No ceiling recorded", fixed::MEMSET),
    }
}

fn basis(point: &Point) -> &'static str {
    match point.basis {
        Basis::Hbm => "HBM",
        Basis::Sbuf => "SBUF",
    }
}

/// A dot for each point; its area is its time.
pub fn dots(roof: &Roofline) -> Vec<Dot> {
    let longest = roof.points.iter().map(|p| p.duration.0).max().unwrap_or(1).max(1) as f64;
    let dot = |p: &Point| {
        let (series, colour) = class(p);
        let mut rows = vec![
            ("Intensity".to_string(), format!("{} FLOP/byte of {}", text::three_digits(p.intensity), basis(p))),
            ("Rate".to_string(), rate(p.rate)),
            ("Time".to_string(), text::duration(p.duration)),
        ];
        rows.extend((!p.core.is_empty()).then(|| ("Core".to_string(), p.core.clone())));
        rows.extend(p.roof.map(|roof| ("Share of roofline".to_string(), text::percent(p.rate / roof))));
        Dot {
            name: p.name.clone(),
            series: series.into(),
            x: p.intensity,
            y: p.rate,
            size: p.duration.0 as f64 / longest,
            colour,
            is_hollow: p.is_potential,
            rows,
            note: if p.is_potential { "Estimate at the same rate, not a measurement".into() } else { series.into() },
        }
    };
    roof.points.iter().map(dot).collect()
}

/// The compute ceilings.
pub fn ceilings(roof: &Roofline) -> Vec<Ceiling> {
    let ceiling = |c: &crate::analysis::device::roofline::Ceiling| Ceiling {
        name: format!("{} · {}", c.name, rate(c.flops)),
        level: c.flops,
        is_dashed: c.is_throttled,
    };
    roof.ceilings.iter().map(ceiling).collect()
}

/// The memory ceiling.
pub fn slope(roof: &Roofline) -> Option<(String, f64)> {
    roof.bandwidth.map(|b| (format!("HBM {} GB/s", text::three_digits(b / 1e9)), b))
}

/// The most that can be reached at the run's intensity.
pub fn mark(roof: &Roofline) -> Option<Mark> {
    roof.achievable.map(|(x, y)| Mark { name: format!("maximum achievable {}", rate(y)), x, y })
}

/// Columns of the points.
pub fn columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Name", Kind::Name, "Run, range, or part of it."),
        column("level", "Level", Kind::Text, "Level in the hierarchy."),
        column("core", "Core", Kind::Text, "Core of the part; runs, ranges and regions cover all cores."),
        column("bound", "Bound", Kind::Text, "Ceiling that limits it."),
        column("basis", "Bytes of", Kind::Text, "HBM bytes, or State Buffer bytes if its instructions moved no HBM bytes."),
        column("intensity", "FLOP/byte", Kind::Number, "FLOPs ÷ bytes."),
        column("rate", "GFLOP/s", Kind::Number, "FLOPs ÷ time."),
        column(
            "share",
            "Share of roofline",
            Kind::Share,
            "Rate as a share of the lower ceiling at this intensity: of one core for parts of a core, of all cores otherwise.",
        ),
        column("flops", "FLOPs", Kind::Count, "Without transposes."),
        column("adjusted", "Adjusted FLOPs", Kind::Count, "In BF16 equivalents: FP32 counts four times, FP8 half from trn2 on."),
        column(
            "of_peak",
            "Of peak, adjusted",
            Kind::Share,
            "Adjusted FLOPs ÷ time as a share of the BF16 ceiling, of one core for parts of a core.",
        ),
        column("bytes", "Bytes", Kind::Bytes, "Denominator of the intensity."),
        column("duration_ns", "Time", Kind::Duration, "Active time on any engine; the full duration for the run or a range."),
    ]
}

/// Adjusted rate as a share of BF16's.
fn of_peak(point: &Point) -> Option<f64> {
    Some(point.adjusted? as f64 / (point.duration.0 as f64 / 1e9) / point.peak?)
}

/// Rows of the points, in the order of the answer.
pub fn rows(roof: &Roofline) -> Vec<Row> {
    let row = |p: &Point| Row {
        colour: Some(class(p).1),
        ..Row::new(vec![
            Cell::Text(p.name.clone()),
            Cell::Text(p.level.clone()),
            if p.core.is_empty() { Cell::Absent } else { Cell::Text(p.core.clone()) },
            Cell::Text(class(p).0.into()),
            Cell::Text(basis(p).into()),
            Cell::Float(p.intensity),
            Cell::Float(p.rate / 1e9),
            p.roof.map_or(Cell::Absent, |roof| Cell::Float(p.rate / roof)),
            Cell::from(p.flops),
            Cell::from(p.adjusted),
            of_peak(p).map_or(Cell::Absent, Cell::Float),
            Cell::from(p.bytes),
            Cell::Int(p.duration.0),
        ])
    };
    roof.points.iter().map(row).collect()
}

/// Columns of the ceilings.
pub fn ceiling_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Ceiling", Kind::Name, "Data type; dashed in the chart if throttling lowers it."),
        column("tflops", "TFLOP/s", Kind::Number, "Sum of all physical cores."),
        column("ridge", "Ridge, FLOP/byte", Kind::Number, "Intensity below which memory bandwidth is the lower ceiling."),
    ]
}

/// Rows of the ceilings.
pub fn ceiling_rows(roof: &Roofline) -> Vec<Row> {
    let row = |c: &crate::analysis::device::roofline::Ceiling| {
        let ridge = roof.bandwidth.map_or(Cell::Absent, |b| Cell::Float(c.flops / b));
        Row::new(vec![Cell::Text(c.name.clone()), Cell::Float(c.flops / 1e12), ridge])
    };
    roof.ceilings.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    #[test]
    fn points_have_a_cell_per_column_and_a_dot() {
        let point = Point {
            name: "a".into(),
            level: "Layer".into(),
            core: String::new(),
            basis: Basis::Sbuf,
            flops: 2_000,
            adjusted: None,
            bytes: 10,
            duration: DurationNs(1_000),
            intensity: 200.0,
            rate: 2e9,
            roof: None,
            peak: None,
            bound: Bound::NotRecorded,
            is_potential: false,
            first: None,
        };
        let roof = Roofline { points: vec![point], ..Roofline::default() };
        assert_eq!(rows(&roof)[0].cells.len(), columns().len());
        assert_eq!(rows(&roof)[0].cells[7], Cell::Absent);
        assert_eq!((dots(&roof)[0].size, dots(&roof)[0].rows[1].1.as_str()), (1.0, "2.00 GFLOP/s"));
        assert!(slope(&roof).is_none() && mark(&roof).is_none());
    }
}
