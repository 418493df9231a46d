//! The table to show: values, differences or ratios, with heat and marks.

use super::{VariantCell, VariantColumn, Variants};
use crate::analysis::device::run_metrics::units::{Better, Unit, signed_percent};
use crate::base::text;

/// What cells show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Values.
    #[default]
    Values,
    /// Value − value of the base.
    Differences,
    /// Value ÷ value of the base.
    Ratios,
}

impl Mode {
    /// All.
    pub const ALL: [Mode; 3] = [Mode::Values, Mode::Differences, Mode::Ratios];

    /// As links and the command line name it.
    pub fn id(self) -> &'static str {
        match self {
            Mode::Values => "values",
            Mode::Differences => "differences",
            Mode::Ratios => "ratios",
        }
    }

    /// The mode of that id.
    pub fn named(id: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|m| m.id() == id)
    }
}

/// A cell of the table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormattedCell {
    /// As people read it; empty where it is not recorded.
    pub text: String,
    /// As a program reads it; empty where it is not recorded.
    pub raw: String,
    /// Strength of the heat, 0 to 1; `None` where the column has fewer than two different numbers.
    pub heat: Option<f64>,
    /// Whether it is the best or the worst of its column; `None` otherwise, and where no direction is better.
    pub is_best: Option<bool>,
}

/// Cells of some columns, row by row. `base` is the row that differences and ratios are against.
pub fn shown(all: &Variants, columns: &[usize], mode: Mode, base: usize) -> Vec<Vec<FormattedCell>> {
    let mut out: Vec<Vec<FormattedCell>> = all.rows.iter().map(|_| Vec::with_capacity(columns.len())).collect();
    for &column in columns {
        let Some(about) = all.columns.get(column) else { continue };
        let numbers: Vec<Option<f64>> = all.rows.iter().map(|r| r.cells.get(column).and_then(VariantCell::number)).collect();
        let of_base = numbers.get(base).copied().flatten();
        let recorded = || numbers.iter().copied().flatten();
        let range = (recorded().fold(f64::INFINITY, f64::min), recorded().fold(f64::NEG_INFINITY, f64::max));
        for (row, cells) in out.iter_mut().enumerate() {
            let cell = all.rows[row].cells.get(column).cloned().unwrap_or_default();
            cells.push(one(about, &cell, mode, of_base, range));
        }
    }
    out
}

fn one(about: &VariantColumn, cell: &VariantCell, mode: Mode, base: Option<f64>, range: (f64, f64)) -> FormattedCell {
    let Some(value) = cell.number() else {
        let text = if let VariantCell::Text(text) = cell { text.clone() } else { String::new() };
        return FormattedCell { raw: text.clone(), text, ..FormattedCell::default() };
    };
    let (text, raw) = match (mode, base) {
        _ if about.unit == Unit::Id => (about.unit.shown(value), value.to_string()),
        (Mode::Values, _) => (about.unit.shown(value), value.to_string()),
        (Mode::Differences, Some(base)) => (about.unit.change(value - base), (value - base).to_string()),
        (Mode::Ratios, Some(base)) if base != 0.0 => (format!("{} ×", text::three_digits(value / base)), (value / base).to_string()),
        _ => (String::new(), String::new()),
    };
    let is_spread = range.1 > range.0 && about.unit != Unit::Id;
    let share = (value - range.0) / (range.1 - range.0);
    let heat = is_spread.then_some(if about.better == Some(Better::More) { 1.0 - share } else { share });
    let is_best = about.better.filter(|_| is_spread).and_then(|better| {
        let (best, worst) = if better == Better::More { (range.1, range.0) } else { (range.0, range.1) };
        if value == best {
            Some(true)
        } else if value == worst {
            Some(false)
        } else {
            None
        }
    });
    FormattedCell { text, raw, heat, is_best }
}

/// The answer in one sentence: which profile is fastest, and by how much against the base. `None` without two totals.
pub fn sentence(all: &Variants, base: usize) -> Option<String> {
    let column = ["total_time", "step"].iter().find_map(|id| all.column(id))?;
    let number = |row: usize| all.rows.get(row)?.cells.get(column)?.number().filter(|v| *v > 0.0);
    let recorded: Vec<(usize, f64)> = (0..all.rows.len()).filter_map(|row| Some((row, number(row)?))).collect();
    let fastest = recorded.iter().copied().reduce(|best, v| if v.1 < best.1 { v } else { best }).filter(|_| recorded.len() > 1)?;
    let unit = all.columns[column].unit;
    let title = |row: usize| all.rows[row].title.as_str();
    let time = unit.shown(fastest.1);
    Some(match number(base) {
        Some(of_base) if fastest.0 != base => {
            let (ratio, share) = (text::three_digits(of_base / fastest.1), signed_percent(fastest.1 / of_base - 1.0));
            format!("{} is the fastest: {time}, {ratio} × {} ({share}).", title(fastest.0), title(base))
        }
        Some(_) => format!("The base {} is the fastest: {time}.", title(base)),
        None => format!("{} is the fastest: {time}.", title(fastest.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{VariantRow, Variants};
    use super::*;

    fn table(values: &[Option<f64>]) -> Variants {
        let column = VariantColumn::new("total_time", "Total", "Summary", Unit::Seconds, Some(Better::Less));
        let version = VariantColumn::new("version", "Version", "Summary", Unit::Plain, None);
        let row = |(i, v): (usize, &Option<f64>)| VariantRow {
            title: format!("v{i}"),
            cells: vec![v.map_or(VariantCell::Absent, VariantCell::Number), VariantCell::Text("2.1".into())],
            ..VariantRow::default()
        };
        Variants { columns: vec![column, version], rows: values.iter().enumerate().map(row).collect() }
    }

    #[test]
    fn cells_are_values_differences_or_ratios() {
        let all = table(&[Some(4e-6), Some(2e-6), None, Some(3e-6)]);
        let texts = |mode| shown(&all, &[0], mode, 0).into_iter().map(|r| r[0].text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(Mode::Values), ["4.00 µs", "2.00 µs", "", "3.00 µs"]);
        assert_eq!(texts(Mode::Differences), ["0 ns", "−2.00 µs", "", "−1.00 µs"]);
        assert_eq!(texts(Mode::Ratios), ["1.00 ×", "0.500 ×", "", "0.750 ×"]);
        let cells = shown(&all, &[0, 1], Mode::Values, 0);
        assert_eq!(cells.iter().map(|r| r[0].is_best).collect::<Vec<_>>(), [Some(false), Some(true), None, None]);
        // Shares of a range of binary fractions: rounded.
        let heat = |r: &Vec<FormattedCell>| r[0].heat.map(|heat| (heat * 1e9).round() / 1e9);
        assert_eq!(cells.iter().map(heat).collect::<Vec<_>>(), [Some(1.0), Some(0.0), None, Some(0.5)]);
        assert_eq!((cells[0][1].text.as_str(), cells[0][1].heat), ("2.1", None));
        assert_eq!(sentence(&all, 0).as_deref(), Some("v1 is the fastest: 2.00 µs, 2.00 × v0 (−50.0%)."));
        assert_eq!(sentence(&all, 1).as_deref(), Some("The base v1 is the fastest: 2.00 µs."));
        assert_eq!(sentence(&all, 2).as_deref(), Some("v1 is the fastest: 2.00 µs."));
    }

    #[test]
    fn one_or_no_profile_has_no_heat() {
        let one = table(&[Some(4e-6)]);
        let cells = shown(&one, &[0], Mode::Ratios, 0);
        assert_eq!((cells[0][0].heat, cells[0][0].is_best, sentence(&one, 0)), (None, None, None));
        assert!(shown(&table(&[]), &[0], Mode::Differences, 7).is_empty());
        assert_eq!(shown(&one, &[9], Mode::Values, 0), [vec![]]);
        let zero = table(&[Some(0.0), Some(1.0)]);
        assert_eq!(shown(&zero, &[0], Mode::Ratios, 0)[1][0].text, "", "nothing is a multiple of 0");
    }
}
