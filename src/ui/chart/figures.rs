//! The values of a chart as a table: plain and unseen behind the chart, with filter and CSV in its place.

use crate::base::text;
use crate::ui::table::{Column, Row, Table};
use leptos::prelude::*;
use std::sync::Arc;

/// Rows of the unseen table; more are of no use to a listener, and the full table has them.
const N_BEHIND: usize = 200;

/// What a chart shows, as a table.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Columns.
    pub columns: Signal<Arc<Vec<Column>>>,
    /// Rows.
    pub rows: Signal<Arc<Vec<Row>>>,
}

/// The table: in sight when `is_seen`, else behind the chart for those who cannot see it.
#[component]
pub(super) fn FigureTable(id: String, label: String, figures: Figures, is_seen: Signal<bool>) -> impl IntoView {
    let (id, label) = (StoredValue::new(format!("{id}-figures")), StoredValue::new(label));
    let Figures { columns, rows } = figures;
    let behind = move || view! { <Behind figures label=label.get_value() /> };
    view! {
        <Show when=move || is_seen.get() fallback=behind>
            <div class="chart__table"><Table id=id.get_value() label=label.get_value() columns rows /></div>
        </Show>
    }
}

#[component]
fn Behind(figures: Figures, label: String) -> impl IntoView {
    let head = move || figures.columns.get().iter().map(|c| view! { <th scope="col">{c.label.clone()}</th> }).collect_view();
    let row = |columns: &[Column], row: &Row| {
        let cells = columns.iter().enumerate().map(|(i, c)| view! { <td>{text::brief(&row.cell(i).shown(c.kind))}</td> }).collect_view();
        view! { <tr>{cells}</tr> }
    };
    let body = move || {
        let (columns, rows) = (figures.columns.get(), figures.rows.get());
        rows.iter().take(N_BEHIND).map(|r| row(&columns, r)).collect_view()
    };
    view! {
        <div class="visually-hidden">
            <table>
                <caption>{label}</caption>
                <thead><tr>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}
