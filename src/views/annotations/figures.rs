//! What is between two annotations: busy share, slices and bytes of each track, and the course of each counter.

use super::Panel;
use super::metrics::Metrics;
use crate::analysis::span::{CounterSpan, SpanFigures, TrackSpan};
use crate::base::{TimeRange, text};
use crate::engine::query::SpanQuery;
use crate::ui::controls::Problem;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::query::latest;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// Values of the chosen annotation.
#[component]
pub(super) fn Figures(panel: Panel, ask: Ask) -> impl IntoView {
    let wanted = Memo::new(move |_| panel.chosen.get().and_then(|id| panel.book.with(|b| b.current.span(id))));
    let of_metrics = ask.clone();
    let answer = latest(move || {
        let (ask, range) = (ask.clone(), wanted.get());
        async move {
            match range {
                Some(range) => figures(&ask, range).await.map(Some),
                None => Ok(None),
            }
        }
    });
    let found = Memo::new(move |_| answer.get().and_then(|a| a.ok().flatten()));
    let problem = Signal::derive(move || answer.get().and_then(|a| a.err()).map(|e| e.to_string()));
    let rows =
        |make: fn(&SpanFigures) -> Vec<Row>| Signal::derive(move || Arc::new(found.with(|f| f.as_ref().map(make).unwrap_or_default())));
    let tracks = rows(|f| f.tracks.iter().map(track_row).collect());
    let counters = rows(|f| f.counters.iter().map(counter_row).collect());
    let title = move || {
        let Some(id) = panel.chosen.get() else {
            return "Select a region, or a marker and its reference under Difference to, to see metrics of the time between.".to_string();
        };
        let name = panel.of(id, |a| a.name.clone());
        let is_region = panel.of(id, |a| a.is_region());
        let versus = panel.book.with(|b| b.current.versus(id).map(|v| v.name.clone()));
        let figures = found.with(|f| f.as_ref().map_or_else(|| "…".to_string(), totals));
        match versus {
            _ if is_region => format!("In {name}: {figures}"),
            Some(versus) if wanted.with(Option::is_none) => {
                format!("{versus} and {name} are at the same time: there is no span between them.")
            }
            Some(versus) => format!("Between {versus} and {name}: {figures}"),
            None => format!("{name} is the first marker: there is no span before it. Choose another reference under Difference to."),
        }
    };
    let has_counters = move || counters.with(|c| !c.is_empty());
    let origin = move || found.with(|f| f.as_ref().and_then(origin));
    view! {
        <section class="annotations__figures" data-figures="">
            <p class="annotations__between">
                <span role="status">{title}</span>
                <Show when=move || wanted.with(Option::is_some)>
                    <button
                        type="button" class="button button--quiet" data-zoom-span="" title="Set the timeline window to exactly this span"
                        on:click=move |_| if let Some(range) = wanted.get_untracked() { panel.on_go.run(range) }
                    >
                        "Zoom to span"
                    </button>
                    <button
                        type="button" class="button button--quiet" data-select-span=""
                        title="Make the span the selected range of all views"
                        on:click=move |_| if let Some(range) = wanted.get_untracked() { panel.on_select.run(range) }
                    >
                        "Select span"
                    </button>
                </Show>
            </p>
            <Problem text=problem />
            <Metrics ask=of_metrics wanted />
            <Show when=move || found.with(|f| f.is_some())>
                <Table id="span-tracks" label="Tracks within the span" columns=Signal::stored(Arc::new(track_columns())) rows=tracks empty="No slice touches the span." />
                <Show when=has_counters>
                    {move || origin().map(|text| view! { <p class="annotations__origin" data-origin="">{text}</p> })}
                    <Table id="span-counters" label="Counters within the span" columns=Signal::stored(Arc::new(counter_columns())) rows=counters />
                </Show>
            </Show>
        </section>
    }
}

async fn figures(ask: &Ask, range: TimeRange) -> Result<SpanFigures, EngineError> {
    ask.ask(SpanQuery { range }).await
}

fn totals(f: &SpanFigures) -> String {
    let instants = if f.n_instants > 0 { format!(", {} instants", text::count(f.n_instants)) } else { String::new() };
    format!("{}, {} slices on {} tracks{instants}", text::duration(f.range.duration()), text::count(f.n_slices), f.tracks.len())
}

/// Where the throughput among the counters comes from, which two values of this panel could be taken for; `None` without any.
fn origin(f: &SpanFigures) -> Option<&'static str> {
    let has_rate = f.counters.iter().any(|c| c.path.to_lowercase().contains("throughput"));
    has_rate.then_some(
        "Throughput is the mean of the counter recorded in the file, as drawn in the timeline: a sample is valid until the next. It \
         differs from Bytes ÷ span: Bytes counts each transfer in proportion to its time within the span.",
    )
}

fn track_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("track", "Track", Kind::Name, "Track names from the root."),
        column("busy_share", "Busy", Kind::Share, "Share of the span in which at least one slice runs on the track."),
        column("busy_ns", "Busy time", Kind::Duration, "Time in which at least one slice runs on the track, overlaps counted once."),
        column("slices", "Slices", Kind::Count, "Slices that touch the span.").summed(),
        column("whole", "Inside", Kind::Count, "Slices that start and end within the span.").summed(),
        column("mean_ns", "Mean", Kind::Duration, "Mean full duration of the slices that touch the span."),
        column(
            "bytes",
            "Bytes",
            Kind::Count,
            "Bytes transferred within the span: each transfer counts in proportion to its time within the span. Empty where sizes are not recorded.",
        )
        .summed(),
    ]
}

fn track_row(t: &TrackSpan) -> Row {
    Row::new(vec![
        Cell::Text(t.path.clone()),
        Cell::from(t.busy_share),
        Cell::Int(t.busy.0),
        Cell::from(t.n_slices),
        Cell::from(t.n_whole),
        Cell::Int(t.mean.0),
        Cell::from(t.bytes),
    ])
}

fn counter_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("counter", "Counter", Kind::Name, "Track names from the root, and the series if there are several."),
        column("mean", "Mean", Kind::Number, "Time-weighted mean within the span; a value is valid until the next sample."),
        column("min", "Min", Kind::Number, "Smallest value within the span."),
        column("max", "Max", Kind::Number, "Largest value within the span."),
        column("change", "Change", Kind::Number, "Value at the end of the span minus the value at its start."),
        column("unit", "Unit", Kind::Text, "As in the file; bytes per second are shown in GiB/s."),
    ]
}

fn counter_row(c: &CounterSpan) -> Row {
    // Rates of eleven digits are hard to read: in the unit that the timeline writes.
    let (scale, unit) = if c.unit == "B/s" { (f64::from(1 << 30), "GiB/s") } else { (1.0, c.unit.as_str()) };
    // A mean is no count, even where it is whole.
    let figure = |value: f64| if ["", "banks"].contains(&unit) { Cell::plain(value) } else { Cell::Float(value / scale) };
    Row::new(vec![
        Cell::Text(c.path.clone()),
        Cell::Float(c.mean / scale),
        figure(c.min),
        figure(c.max),
        c.change.map_or(Cell::Absent, figure),
        Cell::Text(unit.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_says_that_it_is_the_curve_of_the_file() {
        let of = |path: &str| {
            let counter = CounterSpan { path: path.into(), unit: "B/s".into(), min: 0.0, mean: 1.0, max: 2.0, change: None };
            origin(&SpanFigures { counters: vec![counter], ..SpanFigures::default() })
        };
        assert!(of("NC 4 / DMA Throughput").is_some_and(|text| text.contains("the counter recorded in the file")));
        assert_eq!(of("NC 4 / Pending DMA Count"), None);
    }

    #[test]
    fn what_is_counted_reads_without_a_point() {
        let of = |unit: &str| {
            let counter = CounterSpan { path: "c".into(), unit: unit.into(), min: 0.0, mean: 4.0, max: 8.0, change: Some(-1.0) };
            counter_row(&counter).cells[1..5].to_vec()
        };
        assert_eq!(of("banks"), [Cell::Float(4.0), Cell::Int(0), Cell::Int(8), Cell::Int(-1)]);
        assert_eq!(of("%"), [4.0, 0.0, 8.0, -1.0].map(Cell::Float));
    }
}
