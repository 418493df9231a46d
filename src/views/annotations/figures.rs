//! What lies between two annotations: busy share, slices and bytes of each track, and the course of each counter.

use super::Panel;
use crate::analysis::span::{CounterSpan, SpanFigures, TrackSpan};
use crate::base::{TimeRange, text};
use crate::engine::{Answer, Query};
use crate::ui::small::Problem;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// Figures of the chosen annotation.
#[component]
pub(super) fn Figures(panel: Panel, ask: Ask) -> impl IntoView {
    let wanted = Memo::new(move |_| panel.chosen.get().and_then(|id| panel.book.with(|b| b.current.span(id))));
    let answer = LocalResource::new(move || {
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
            return "Choose a region, or a marker and what it is told to, for the figures of the time between.".to_string();
        };
        let name = panel.of(id, |a| a.name.clone());
        let is_region = panel.of(id, |a| a.is_region());
        let versus = panel.book.with(|b| b.current.versus(id).map(|v| v.name.clone()));
        let figures = found.with(|f| f.as_ref().map_or_else(|| "…".to_string(), totals));
        match versus {
            _ if is_region => format!("In {name}: {figures}"),
            Some(versus) if wanted.with(Option::is_none) => {
                format!("{versus} and {name} stand at the same moment: there is no span between them.")
            }
            Some(versus) => format!("Between {versus} and {name}: {figures}"),
            None => format!("{name} is the first marker: there is no span before it. Choose another under Difference to."),
        }
    };
    let has_counters = move || counters.with(|c| !c.is_empty());
    view! {
        <section class="annotations__figures" data-figures="">
            <p class="annotations__between">
                <span role="status">{title}</span>
                <Show when=move || wanted.with(Option::is_some)>
                    <button
                        type="button" class="button button--quiet" data-zoom-span="" title="The window is this span, to the nanosecond"
                        on:click=move |_| if let Some(range) = wanted.get_untracked() { panel.on_go.run(range) }
                    >
                        "Zoom to it"
                    </button>
                    <button
                        type="button" class="button button--quiet" data-select-span=""
                        title="The span becomes the selected range: Summary, Gaps, Operators and the other views tell its figures"
                        on:click=move |_| if let Some(range) = wanted.get_untracked() { panel.on_select.run(range) }
                    >
                        "Select it"
                    </button>
                </Show>
            </p>
            <Problem text=problem />
            <Show when=move || found.with(|f| f.is_some())>
                <Table id="span-tracks" label="Tracks within the span" columns=Signal::stored(Arc::new(track_columns())) rows=tracks empty="Nothing runs within the span." />
                <Show when=has_counters>
                    <Table id="span-counters" label="Counters within the span" columns=Signal::stored(Arc::new(counter_columns())) rows=counters />
                </Show>
            </Show>
        </section>
    }
}

async fn figures(ask: &Ask, range: TimeRange) -> Result<SpanFigures, EngineError> {
    match ask.ask(Query::Span(range)).await? {
        Answer::Span(figures) => Ok(figures),
        _ => Err(EngineError::Unexpected),
    }
}

fn totals(f: &SpanFigures) -> String {
    let instants = if f.n_instants > 0 { format!(", {} instants", text::count(f.n_instants)) } else { String::new() };
    format!("{}, {} slices on {} tracks{instants}", text::duration(f.range.duration()), text::count(f.n_slices), f.tracks.len())
}

fn track_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("track", "Track", Kind::Name, "Names from the root."),
        column("busy_share", "Busy", Kind::Share, "Share of the span in which at least one slice runs on the track."),
        column("busy_ns", "Busy time", Kind::Duration, "Time in which at least one slice runs on the track, overlaps counted once."),
        column("slices", "Slices", Kind::Count, "Slices that touch the span.").summed(),
        column("whole", "Whole", Kind::Count, "Slices that lie wholly within the span.").summed(),
        column("mean_ns", "Mean", Kind::Duration, "Mean length of the slices that touch the span, at their whole lengths."),
        column("bytes", "Bytes", Kind::Count, "Bytes of the transfers that begin within the span, where the file tells.").summed(),
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
        column("counter", "Counter", Kind::Name, "Names from the root, and the series where there are several."),
        column("mean", "Mean", Kind::Number, "Mean over the time of the span; a value holds until the next sample."),
        column("min", "Min", Kind::Number, "Least value in force within the span."),
        column("max", "Max", Kind::Number, "Largest value in force within the span."),
        column("change", "Change", Kind::Number, "Value at the end of the span less the value at its beginning."),
        column("unit", "Unit", Kind::Text, "As in the file; bytes per second in GiB."),
    ]
}

fn counter_row(c: &CounterSpan) -> Row {
    // Rates of eleven digits are hard to read: in the unit that the timeline writes.
    let (scale, unit) = if c.unit == "B/s" { (f64::from(1 << 30), "GiB/s") } else { (1.0, c.unit.as_str()) };
    Row::new(vec![
        Cell::Text(c.path.clone()),
        Cell::Float(c.mean / scale),
        Cell::Float(c.min / scale),
        Cell::Float(c.max / scale),
        Cell::from(c.change.map(|change| change / scale)),
        Cell::Text(unit.into()),
    ])
}
