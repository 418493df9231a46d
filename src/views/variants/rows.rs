//! What the Variants view shows: rows, order, columns of the table, bars.

use crate::analysis::device::run_metrics::units::Unit;
use crate::analysis::variants::names::NameParts;
use crate::analysis::variants::table::{Mode, shown};
use crate::analysis::variants::text::differing_parts;
use crate::analysis::variants::{VariantCell, VariantColumn, Variants};
use crate::base::Order as _;
use crate::ui::bars::{Bar, Series};
use crate::ui::table::{Cell, Column, Heat, Kind, Row};

/// What rows are ordered by: as opened, by start, or by a part of their names.
pub const ORDERS: [(&str, &str); 5] =
    [("", "As opened"), ("time", "Start time"), ("kernel", "Kernel"), ("dtype", "Dtype"), ("length", "Length")];

/// The part of names that an order is by, by position in [`NameParts::LABELS`].
pub fn part(order: &str) -> Option<usize> {
    NameParts::LABELS.iter().position(|label| label.eq_ignore_ascii_case(order))
}

/// Digits of a length as a number, so that `s512` is before `s1024`.
fn number(text: &str) -> u64 {
    let digits: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The table with sorted rows; equal rows keep the order in which they were opened.
pub fn ordered(all: &Variants, order: &str) -> Variants {
    let mut out = all.clone();
    match (order, part(order)) {
        ("time", _) => out.rows.order_by_key(|row| (row.epoch_ns.is_none(), row.epoch_ns)),
        (_, Some(at)) => out.rows.order_by(|a, b| {
            let key = |row: &crate::analysis::variants::VariantRow| (number(row.name.all()[at]), row.name.all()[at].to_string());
            key(a).cmp(&key(b))
        }),
        _ => {}
    }
    out
}

/// The row of the base, by its title; the first without one.
pub fn base(all: &Variants, title: &str) -> usize {
    all.rows.iter().position(|row| row.title == title).unwrap_or(0)
}

/// Ids of columns as the link has them.
pub fn ids(text: &str) -> Vec<String> {
    text.split(',').filter(|id| !id.is_empty()).map(Into::into).collect()
}

/// The ids with one more or one fewer; as chosen so far in `columns`.
pub fn toggled(all: &Variants, columns: &[usize], id: &str) -> String {
    let mut ids: Vec<&str> = columns.iter().filter_map(|at| all.columns.get(*at)).map(|c| c.id.as_str()).collect();
    match ids.iter().position(|known| *known == id) {
        Some(at) => _ = ids.remove(at),
        None => ids.push(id),
    }
    ids.join(",")
}

/// Name, the parts of names that differ, and the chosen columns.
pub fn columns(all: &Variants, columns: &[usize]) -> Vec<Column> {
    let mut out = vec![Column::new("profile", "Profile", Kind::Name, "Click a row to make it the base.")];
    for at in differing_parts(all) {
        out.push(Column::new(
            &NameParts::LABELS[at].to_lowercase(),
            NameParts::LABELS[at],
            Kind::Text,
            "Read from the name of the profile.",
        ));
    }
    let column = |about: &VariantColumn| Column::new(&about.id, &about.label, Kind::Number, &format!("{}: {}", about.group, about.id));
    out.extend(columns.iter().filter_map(|at| all.columns.get(*at)).map(column));
    out
}

/// A row per profile.
pub fn rows(all: &Variants, columns: &[usize], mode: Mode, base: usize, order: &str) -> Vec<Row> {
    let parts = differing_parts(all);
    let cells = shown(all, columns, mode, base);
    let mut seen: Vec<&str> = Vec::new();
    let mut out = Vec::with_capacity(all.rows.len());
    for (row, shown) in all.rows.iter().zip(cells) {
        let text = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
        let mut made =
            Row::new(std::iter::once(Cell::Text(row.title.clone())).chain(parts.iter().map(|at| text(row.name.all()[*at]))).collect());
        // One colour for each name of a group.
        if let Some(at) = part(order) {
            let name = row.name.all()[at];
            let slot = seen.iter().position(|known| *known == name).unwrap_or_else(|| {
                seen.push(name);
                seen.len() - 1
            });
            made.colour = Some((slot % 24) as u16);
        }
        made.heat = vec![Heat::default(); made.cells.len()];
        for cell in shown {
            made.heat.push(Heat { strength: cell.heat.unwrap_or(0.0), is_best: cell.is_best });
            made.cells.push(match cell.raw.parse::<f64>() {
                Ok(value) => Cell::Formatted(value, cell.text),
                Err(_) => text(&cell.text),
            });
        }
        out.push(made);
    }
    out
}

/// How a chart of a unit reads, and what its values are multiplied by.
fn kind(unit: Unit) -> (Kind, f64) {
    match unit {
        Unit::Share => (Kind::Share, 1.0),
        Unit::Seconds => (Kind::Duration, 1e9),
        Unit::Nanoseconds => (Kind::Duration, 1.0),
        Unit::Bytes => (Kind::Bytes, 1.0),
        Unit::Id | Unit::Plain => (Kind::Number, 1.0),
    }
}

/// Columns with numbers, which a chart can show.
pub fn charted(all: &Variants, columns: &[usize]) -> Vec<usize> {
    let has_number = |at: &usize| all.rows.iter().any(|row| row.cells.get(*at).and_then(VariantCell::number).is_some());
    columns.iter().copied().filter(|at| all.columns.get(*at).is_some_and(|c| c.unit != Unit::Id) && has_number(at)).collect()
}

/// The chart column of that id, or the first one.
pub fn chart_column(all: &Variants, columns: &[usize], id: &str) -> Option<usize> {
    let can = charted(all, columns);
    can.iter().copied().find(|at| all.columns[*at].id == id).or_else(|| can.first().copied())
}

/// Series and bars of one column and, beside it, of a second one that reads in the same way.
pub fn bars(all: &Variants, first: Option<usize>, second: Option<usize>, order: &str) -> (Kind, Vec<Series>, Vec<Bar>) {
    let Some(about) = first.and_then(|at| all.columns.get(at)) else { return (Kind::Number, Vec::new(), Vec::new()) };
    let (kind_of_first, _) = kind(about.unit);
    let shown: Vec<usize> = first
        .into_iter()
        .chain(second.filter(|at| Some(*at) != first && all.columns.get(*at).is_some_and(|c| kind(c.unit).0 == kind_of_first)))
        .collect();
    let series = shown.iter().enumerate().map(|(i, at)| Series::new(&all.columns[*at].label, i as u16)).collect();
    let bar = |row: &crate::analysis::variants::VariantRow| Bar {
        name: row.title.clone(),
        group: part(order).map(|at| row.name.all()[at].to_string()).unwrap_or_default(),
        values: shown
            .iter()
            .map(|at| row.cells.get(*at).and_then(VariantCell::number).map_or(f64::NAN, |v| v * kind(all.columns[*at].unit).1))
            .collect(),
        note: String::new(),
    };
    (kind_of_first, series, all.rows.iter().map(bar).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::variants::{VariantPart, VariantValue, variants};

    /// Title, start and values of a profile.
    type ProfileValues<'a> = (&'a str, Option<i64>, &'a [(&'a str, VariantCell)]);

    fn table(profiles: &[ProfileValues<'_>]) -> Variants {
        let value = |(id, cell): &(&str, VariantCell)| VariantValue {
            column: VariantColumn {
                id: (*id).into(),
                label: (*id).into(),
                group: "Summary".into(),
                unit: Unit::of(id),
                better: crate::analysis::device::run_metrics::units::Better::of(id),
                is_default: true,
            }
            .into(),
            cell: cell.clone(),
        };
        let part = |(title, epoch_ns, values): &ProfileValues<'_>| VariantPart {
            title: (*title).into(),
            epoch_ns: *epoch_ns,
            values: values.iter().map(value).collect(),
        };
        variants(&profiles.iter().map(part).collect::<Vec<_>>())
    }

    fn usual() -> Variants {
        let n = VariantCell::Number;
        table(&[
            ("fused_bf16_s1024", Some(20), &[("total_time", n(4e-6)), ("x_bytes", n(0.0)), ("version", VariantCell::Text("2.1".into()))]),
            ("plain_bf16_s512", Some(10), &[("total_time", n(2e-6)), ("x_bytes", n(8.0))]),
            ("fused_fp32_s512", None, &[("total_time", n(f64::NAN)), ("y_count", n(3.0))]),
        ])
    }

    #[test]
    fn rows_have_cells_heat_and_parts() {
        let all = usual();
        let columns = all.chosen(&[]);
        let heads = super::columns(&all, &columns);
        assert_eq!(heads.iter().map(|c| c.id.as_str()).collect::<Vec<_>>()[..4], ["profile", "kernel", "dtype", "length"]);
        let rows = rows(&all, &columns, Mode::Values, 0, "");
        assert!(rows.iter().all(|row| row.cells.len() == heads.len() && row.heat.len() == heads.len()));
        let at = heads.iter().position(|c| c.id == "total_time").expect("there");
        assert_eq!(rows[1].cells[at], Cell::Formatted(2e-6, "2.00 µs".into()));
        assert_eq!((rows[0].heat[at].is_best, rows[1].heat[at].is_best), (Some(false), Some(true)));
        assert_eq!(rows[2].cells[at], Cell::Absent, "what is no number is not recorded");
        let bytes = heads.iter().position(|c| c.id == "x_bytes").expect("there");
        let ratios = super::rows(&all, &columns, Mode::Ratios, 0, "");
        assert_eq!(ratios[1].cells[bytes], Cell::Absent, "nothing is a multiple of 0");
    }

    #[test]
    fn orders_are_by_start_or_by_a_part_of_the_name() {
        let all = usual();
        let titles = |order| ordered(&all, order).rows.into_iter().map(|r| r.title).collect::<Vec<_>>();
        assert_eq!(titles("time"), ["plain_bf16_s512", "fused_bf16_s1024", "fused_fp32_s512"]);
        assert_eq!(titles("length"), ["plain_bf16_s512", "fused_fp32_s512", "fused_bf16_s1024"]);
        assert_eq!(titles("odd"), titles(""));
        assert_eq!((base(&all, "plain_bf16_s512"), base(&all, "gone")), (1, 0));
        let colours = rows(&ordered(&all, "dtype"), &[0], Mode::Values, 0, "dtype").into_iter().map(|r| r.colour).collect::<Vec<_>>();
        assert_eq!(colours, [Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn bars_have_no_zero_for_what_is_not_recorded() {
        let all = usual();
        let columns = all.chosen(&[]);
        let (time, bytes) = (all.column("total_time"), all.column("x_bytes"));
        assert_eq!(chart_column(&all, &columns, "version"), time, "texts cannot be charted");
        let (kind, series, bars) = super::bars(&all, time, bytes, "dtype");
        assert_eq!((kind, series.len(), bars.len()), (Kind::Duration, 1, 3), "bytes are on no axis of times");
        assert_eq!(bars.iter().map(|b| b.recorded(0)).collect::<Vec<_>>(), [Some(4000.0), Some(2000.0), None]);
        assert_eq!(bars[2].group, "fp32");
        assert_eq!(super::bars(&Variants::default(), None, None, "").1, []);
    }

    #[test]
    fn columns_are_toggled_and_five_hundred_profiles_fit() {
        let all = usual();
        let chosen = all.chosen(&ids("total_time,no_such"));
        assert_eq!(toggled(&all, &chosen, "x_bytes"), "total_time,x_bytes");
        assert_eq!(toggled(&all, &all.chosen(&ids("total_time,x_bytes")), "total_time"), "x_bytes");
        let many: Vec<VariantPart> =
            (0..500).map(|i| VariantPart { title: format!("run_s{i}"), values: vec![], ..VariantPart::default() }).collect();
        let all = variants(&many);
        assert_eq!(rows(&ordered(&all, "length"), &all.chosen(&[]), Mode::Differences, 0, "length").len(), 500);
        assert_eq!(rows(&variants(&[]), &[], Mode::Ratios, 0, "").len(), 0);
    }
}
