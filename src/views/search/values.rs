//! Values of a field, row by row of the timeline: of the hits, or of what a range holds.

use super::wanted;
use crate::analysis::hit_tables::TrackTables;
use crate::base::{TimeRange, text};
use crate::engine::query::{HitTablesQuery, Within};
use crate::state::BoxedRows;
use crate::state::search::{Search, SearchOptions};
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::query::latest;
use crate::views::scope;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// The field, and the table of its values.
#[component]
pub fn Values(
    /// Answers for the open profile.
    ask: Ask,
    /// The search and its hits.
    search: Signal<Search>,
    /// Search options.
    options: SearchOptions,
    /// (id, label) of fields.
    fields: Vec<(String, String)>,
    /// Only what is in it.
    range: Signal<Option<TimeRange>>,
    /// The rows of that range.
    boxed: Signal<BoxedRows>,
) -> impl IntoView {
    let question = Memo::new(move |_| {
        let (query, records) = wanted(search, options)?;
        let range = range.get();
        let tracks = range.map(|_| boxed.with(|b| b.tracks.clone())).unwrap_or_default();
        Some(HitTablesQuery { search: query, more: records.to_vec(), within: Within { range, tracks } })
    });
    let answer = latest(move || {
        let (ask, question) = (ask.clone(), question.get());
        async move {
            match ask.ask(question?).await {
                Ok(tables) => Some(Arc::new(tables)),
                _ => None,
            }
        }
    });
    let found = Memo::new(move |_| answer.get().flatten().unwrap_or_default());
    let (field, set_field) = options.values;
    let has_sums = Memo::new(move |_| found.with(|f| has_sums(f, &field.get())));
    let rows = Signal::derive(move || Arc::new(found.with(|f| rows(f, &field.get(), has_sums.get()))));
    let columns = Signal::derive(move || Arc::new(columns(has_sums.get())));
    // Only fields that some slice has; start and duration differ from slice to slice.
    let known = fields.into_iter().filter(|f| !matches!(f.0.as_str(), "start_ns" | "duration_ns" | "pc" | "wait_ns")).map(|(id, label)| {
        let this = id.clone();
        view! { <option value=id selected=move || field.get() == this>{label}</option> }
    });
    let known = known.collect_view();
    let description = move || {
        let of_rows = range.get().map(|_| boxed.with(|b| b.of_rows())).unwrap_or_default();
        format!("{}{of_rows}", scope::sentence(range.get()))
    };
    view! {
        <div class="searchview__values">
            <h2>"Values by row"</h2>
            <label class="field">
                "Field"
                <select class="select" data-field="search-values" on:change:target=move |e| set_field.set(e.target().value())>{known}</select>
            </label>
            <span class="searchview__scope">{description}</span>
            <span class="searchview__scope figure" data-values-cut="">{move || found.with(|f| cut(f, &field.get()))}</span>
        </div>
        <Table id="search-values" label="Values of a field by row of the timeline" columns rows empty="None of these slices has this field." />
    }
}

/// Whether some value of the field is a number, which can be added up.
fn has_sums(tables: &[TrackTables], field: &str) -> bool {
    tables.iter().flat_map(|t| &t.fields).filter(|f| f.field == field).any(|f| f.rows.iter().any(|r| r.sum_share.is_some()))
}

fn columns(has_sums: bool) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("row", "Row", Kind::Name, "Row of the timeline."),
        column("value", "Value", Kind::Name, "Value of the field."),
        column("count", "Count", Kind::Count, "Slices with this value.").summed(),
        column("count_share", "Count %", Kind::Share, "Slices with this value as a share of the slices of the row."),
        column("sum_share", "Sum %", Kind::Share, "For numbers: value × count as a share of the sum over all values of the row."),
        column("duration_ns", "Duration", Kind::Duration, "Sum of the durations, clipped to the range.").summed(),
        column("duration_share", "Duration %", Kind::Share, "Share of the sum of durations of the row."),
        column("mean_ns", "Average", Kind::Duration, "Mean duration."),
        column("active_ns", "Active", Kind::Duration, "Time in which at least one of these slices ran; overlaps count once."),
    ];
    out.retain(|c| has_sums || c.id != "sum_share");
    out
}

fn rows(tables: &[TrackTables], field: &str, has_sums: bool) -> Vec<Row> {
    let mut out = Vec::new();
    for track in tables {
        for row in track.fields.iter().filter(|f| f.field == field).flat_map(|f| &f.rows) {
            let mut cells =
                vec![Cell::Text(track.track.clone()), Cell::Text(row.value.clone()), Cell::from(row.n), Cell::Float(row.n_share)];
            cells.extend(has_sums.then(|| Cell::from(row.sum_share)));
            cells.extend([Cell::Int(row.sum.0), Cell::from(row.share), Cell::Int(row.mean.0), Cell::Int(row.active.0)]);
            out.push(Row::new(cells));
        }
    }
    out
}

/// How many values are not recorded; empty where all are.
fn cut(tables: &[TrackTables], field: &str) -> String {
    let fields = tables.iter().flat_map(|t| &t.fields).filter(|f| f.field == field);
    let n: u64 = fields.map(|f| f.n_values.saturating_sub(f.rows.len() as u64)).sum();
    if n == 0 { String::new() } else { format!("{} values with the shortest time are not listed: narrow the search.", text::count(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::hit_tables::{FieldTable, ValueRow};
    use crate::base::DurationNs;

    #[test]
    fn rows_are_of_the_chosen_field() {
        let value = ValueRow {
            value: "a".into(),
            n: 2,
            n_share: 1.0,
            sum_share: None,
            sum: DurationNs(30),
            share: Some(1.0),
            mean: DurationNs(15),
            active: DurationNs(20),
        };
        let field = |id: &str, n_values| FieldTable { field: id.into(), label: id.into(), rows: vec![value.clone()], n_values };
        let track = TrackTables {
            track: "t".into(),
            n: 2,
            sum: DurationNs(30),
            active: DurationNs(20),
            active_share: None,
            fields: vec![field("name", 1), field("opcode", 4)],
        };
        let mut tables = vec![track];
        assert!(!has_sums(&tables, "name"));
        for has_sums in [false, true] {
            assert_eq!(rows(&tables, "name", has_sums)[0].cells.len(), columns(has_sums).len());
        }
        tables[0].fields[0].rows[0].sum_share = Some(1.0);
        assert!(has_sums(&tables, "name") && !has_sums(&tables, "opcode"));
        assert_eq!((rows(&tables, "nothing", false).len(), cut(&tables, "name")), (0, String::new()));
        assert!(cut(&tables, "opcode").starts_with("3 values"));
    }
}
