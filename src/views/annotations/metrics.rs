//! The metrics of a Neuron run between two annotations, as in Summary for a range.

use crate::analysis::device::run_metrics::units::Unit;
use crate::analysis::device::{Metric, Summary};
use crate::base::TimeRange;
use crate::engine::query::SummaryQuery;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::query::use_query;
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// A table of them; nothing for profiles that have none.
#[component]
pub(super) fn Metrics(ask: Ask, wanted: Memo<Option<TimeRange>>) -> impl IntoView {
    let question = Signal::derive(move || wanted.get().map(|range| SummaryQuery { range: Some(range) }));
    let found = use_query(ask, question);
    let rows: Signal<Arc<Vec<Row>>> = found.derive(metric_rows);
    let has_any = move || wanted.with(Option::is_some) && rows.with(|r| !r.is_empty());
    view! {
        <Show when=has_any>
            <Table id="span-metrics" label="Metrics of the span" columns=Signal::stored(Arc::new(columns())) rows />
        </Show>
    }
}

fn columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("metric", "Metric", Kind::Name, "Name in the profiler's summary of the entire run."),
        column("value", "Value", Kind::Text, "Computed from the rows of the span."),
        column("how", "Formula", Kind::Text, wording::METRIC_FORMULA),
    ]
}

fn metric_rows(summary: &Summary) -> Vec<Row> {
    let row = |m: &Metric| {
        let value = Unit::of(&m.name).shown(m.computed?);
        Some(Row::new(vec![Cell::Text(m.name.clone()), Cell::Text(value), Cell::Text(m.how.clone())]))
    };
    summary.metrics.iter().filter_map(row).collect()
}
