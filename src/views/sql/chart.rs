//! Two columns of a result as a chart.

use super::result::Found;
use crate::base::Order as _;
use crate::ui::bars::{Bar, Bars, Series};
use crate::ui::chart::figures::Figures;
use crate::ui::curve::{Curve, Line};
use crate::ui::scatter::{Dot, Scatter};
use crate::ui::table::{Cell, Kind, Row};
use leptos::prelude::*;
use std::sync::Arc;

/// Bars that are drawn.
const MOST_BARS: usize = 2_000;
/// Points that are drawn.
const MOST_POINTS: usize = 50_000;

/// The kinds of charts.
pub const KINDS: [(&str, &str); 4] = [("", "No chart"), ("bars", "Bars"), ("line", "Line"), ("scatter", "Scatter")];

fn number(row: &Row, at: usize) -> f64 {
    row.cell(at).number().unwrap_or(f64::NAN)
}

/// Columns that a chart begins with: the first, and the first number after it.
pub fn first_columns(found: &Found) -> (usize, usize) {
    let is_number = |at: &usize| found.rows.iter().take(100).any(|row| matches!(row.cell(*at), Cell::Int(_) | Cell::Float(_)));
    (0, (1..found.fields.len()).find(is_number).unwrap_or(0))
}

/// The chart of a result. `columns`: of x and y.
#[component]
pub fn ResultChart(found: Arc<Found>, kind: String, columns: (usize, usize)) -> impl IntoView {
    let (x, y) = columns;
    let name = |at: usize| found.fields.get(at).map(|f| f.name.clone()).unwrap_or_default();
    let title = format!("{} by {}", name(y), name(x));
    let kinds = super::result::columns(&found.fields);
    let read = |at: usize| kinds.get(at).map_or(Kind::Number, |c| if c.kind.is_figure() { c.kind } else { Kind::Number });
    let rows = &found.rows;
    match kind.as_str() {
        "bars" => {
            let bar = |row: &Row| Bar { name: row.cell(x).raw(), values: vec![number(row, y)], ..Bar::default() };
            let bars: Vec<Bar> = rows.iter().take(MOST_BARS).map(bar).collect();
            let series = vec![Series::new(&name(y), 0)];
            view! {
                <Bars id="sql" title what=name(x) kind=read(y) series=Signal::stored(Arc::new(series)) bars=Signal::stored(Arc::new(bars)) empty="The columns have no numbers." />
            }
            .into_any()
        }
        "line" => {
            let point = |row: &Row| Some((row.cell(x).number()?.round() as i64, row.cell(y).number()?));
            let mut points: Vec<(i64, f64)> = rows.iter().take(MOST_POINTS).filter_map(point).collect();
            points.order_by_key(|p| p.0);
            let lines = vec![Line { name: name(y), points, ..Line::default() }];
            view! { <Curve id="sql" title x=("", read(x)) y=("", read(y)) lines=Signal::stored(Arc::new(lines)) empty="The columns have no numbers." /> }.into_any()
        }
        _ => {
            let dot = |row: &Row| {
                let (x_value, y_value) = (number(row, x), number(row, y));
                (x_value > 0.0 && y_value > 0.0).then(|| Dot {
                    name: row.name(),
                    series: name(y),
                    x: x_value,
                    y: y_value,
                    size: 0.2,
                    rows: vec![(name(x), row.cell(x).raw()), (name(y), row.cell(y).raw())],
                    ..Dot::default()
                })
            };
            let dots: Vec<Dot> = rows.iter().take(MOST_POINTS).filter_map(dot).collect();
            let figures = Figures { columns: Signal::stored(Arc::new(kinds.clone())), rows: Signal::stored(Arc::new(Vec::new())) };
            view! {
                <Scatter
                    id="sql" title titles=("x", "y") dots=Signal::stored(Arc::new(dots)) ceilings=Signal::stored(Arc::default()) slope=Signal::stored(None)
                    mark=Signal::stored(None) figures empty="The columns have no numbers above 0."
                />
            }
            .into_any()
        }
    }
}
