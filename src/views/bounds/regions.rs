//! Regions of the run: where the time of each phase went, and the way to make one the scope of every view.

use super::State;
use crate::analysis::device::bounds::{Part, Region, RegionWindowsQuery, Regions, RegionsQuery};
use crate::base::{SliceId, TimeRange};
use crate::state::choices::{Choice, ViewState};
use crate::ui::breakdown::{Breakdown, Share};
use crate::ui::controls::{Help, Problem, with_code};
use crate::ui::effect::effect;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::engine_parts::{colour, order};
use crate::views::query::{QueryState, use_query};
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Columns of the regions, with the parts in that order.
pub fn columns(order: &[Option<Part>]) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("name", "Region", Kind::Name, "Click a region to see its windows."),
        column(
            "time_ns",
            "Time",
            Kind::Duration,
            "Length of the windows: runs of instructions with this label that no other label interrupts.",
        ),
        column("windows", "Windows", Kind::Count, ""),
        column("wall_start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN),
        column("wall_ns", "Wall span", Kind::Duration, "From the first start to the last end."),
        column("instructions", "Instructions", Kind::Count, "").summed(),
    ];
    for part in order {
        let label = part.map_or("Idle", Part::label);
        let help = "Exclusive time in the windows: every instant counts for the first busy part in the chosen order.";
        out.push(column(&label.to_lowercase(), label, Kind::Duration, help));
    }
    out.extend([
        column("moved", "Bytes moved", Kind::Bytes, "Bytes of the transfers that start in a window; what is prefetched counts earlier."),
        column("rate", "GB/s", Kind::Number, "Bytes moved ÷ time."),
        column("issued", "Bytes issued", Kind::Bytes, "Bytes of HBM that the instructions of the region read and write."),
        column("flops", "FLOPs", Kind::Count, wording::FLOPS),
    ]);
    out
}

/// The order of the parts in an answer.
pub fn order_of(found: &Regions) -> Vec<Option<Part>> {
    found.regions.first().map(|r| r.exclusive.iter().map(|e| e.part).collect()).unwrap_or_default()
}

/// Rows of the regions.
pub fn rows(found: &Regions) -> Vec<Row> {
    let row = |r: &Region| {
        let mut cells = vec![
            Cell::Text(r.name.clone()),
            r.time.into(),
            r.n_windows.into(),
            Cell::Int(r.wall.start.0),
            r.wall.duration().into(),
            r.instructions.into(),
        ];
        cells.extend(r.exclusive.iter().map(|e| Cell::from(e.time)));
        cells.extend([r.moved_bytes.into(), r.bandwidth().map(|b| b / 1e9).into(), r.issued_bytes.into(), r.flops.into()]);
        Row::new(cells)
    };
    found.regions.iter().map(row).collect()
}

fn window_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("window", "Window", Kind::Name, "Click a window to make it the scope of every view."),
        column("start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN),
        column("length_ns", "Length", Kind::Duration, "").summed(),
    ]
}

fn window_rows(region: &Region) -> Vec<Row> {
    let row =
        |(at, w): (usize, &TimeRange)| Row::new(vec![Cell::Text(format!("Window {}", at + 1)), Cell::Int(w.start.0), w.duration().into()]);
    region.windows.iter().enumerate().map(row).collect()
}

/// The exclusive parts of a region.
pub fn parts(region: &Region) -> Vec<Share> {
    let part = |e: &crate::analysis::device::bounds::ExclusiveTime| Share {
        name: e.part.map_or("Idle", Part::label).into(),
        colour: colour(e.part),
        value: e.time.0 as f64,
        ..Share::default()
    };
    region.exclusive.iter().map(part).collect()
}

/// Regions by what the user chooses.
#[component]
pub(super) fn RegionsPart(
    state: State,
    ask: Ask,
    range: Signal<Option<TimeRange>>,
    named: Signal<Vec<(String, TimeRange)>>,
    on_slices: Callback<Vec<SliceId>>,
    on_range: Callback<Option<TimeRange>>,
    on_region: Callback<RegionWindowsQuery>,
    choices: ViewState,
) -> impl IntoView {
    let (by, pattern) = (choices.choice("regions", String::new()), choices.choice("pattern", String::new()));
    let query = Memo::new(move |_| {
        let has_core = state.bounds.value.with(|b| b.as_ref().is_some_and(|b| !b.cores.is_empty()));
        let (by, pattern, core) = (by.0.get(), pattern.0.get(), state.at() as u32);
        let query = RegionsQuery { by, pattern, named: named.get(), range: range.get(), core, order: order(&state.order.0.get()) };
        has_core.then_some(query)
    });
    let found: QueryState<Regions> = use_query::<RegionsQuery>(ask, query.into());
    let chosen = RwSignal::new(None::<usize>);
    effect(move || {
        found.value.track();
        chosen.set(None);
    });
    let region = Memo::new(move |_| found.value.with(|f| f.as_ref().and_then(|f| f.regions.get(chosen.get()?).cloned())));
    // Without the windows of a table that is cut: the worker has all.
    let on_scope = Callback::new(move |name: String| {
        if let Some(regions) = query.get_untracked() {
            on_region.run(RegionWindowsQuery { regions, name });
        }
    });
    let columns = found.derive(|f| columns(&order_of(f)));
    let notes = found.derive(|f| f.notes.clone());
    view! {
        <section data-part="regions" aria-busy=move || found.is_waiting.get().to_string()>
            <div class="torch__choices">
                <h2>"Regions"<Help text="Phases of the core's run. The parts of a region sum to its time. Regions can overlap where engines run ahead." /></h2>
                <By found by pattern />
            </div>
            <Problem text=found.problem />
            <Table
                id="regions" label="Regions" columns rows=found.derive(rows) selected=Signal::derive(move || chosen.get())
                on_row=Callback::new(move |at| chosen.set(Some(at))) empty="No region in this range."
            />
            <Chosen region on_slices on_range on_scope />
            <Show when=move || notes.with(|n| !n.is_empty())>
                <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
            </Show>
        </section>
    }
}

/// Chooses what regions are by, and the pattern of names.
#[component]
fn By(found: QueryState<Regions>, by: Choice<String>, pattern: Choice<String>) -> impl IntoView {
    let shown = Memo::new(move |_| found.value.with(|f| f.as_ref().map(|f| (f.by.clone(), f.choices.clone())).unwrap_or_default()));
    let options = move || {
        let (by, choices) = shown.get();
        let option = |(id, label): (String, String)| view! { <option value=id.clone() selected=id == by>{label}</option> };
        choices.into_iter().map(option).collect_view()
    };
    let is_name = move || shown.with(|s| s.0 == "name");
    view! {
        <label class="field">
            "By"
            <select class="select" data-field="regions" on:change:target=move |e| by.1.set(e.target().value())>{options}</select>
        </label>
        <Show when=is_name>
            <label class="field">
                "Name contains"
                <input class="input" type="text" data-field="pattern" prop:value=pattern.0.get_untracked() on:change:target=move |e| pattern.1.set(e.target().value()) />
            </label>
        </Show>
    }
}

/// The chosen region: its parts, its windows, and what can be done with it.
#[component]
fn Chosen(
    region: Memo<Option<Region>>,
    on_slices: Callback<Vec<SliceId>>,
    on_range: Callback<Option<TimeRange>>,
    on_scope: Callback<String>,
) -> impl IntoView {
    let of = move |make: fn(&Region) -> Vec<Row>| -> Signal<Arc<Vec<Row>>> {
        Memo::new(move |_| Arc::new(region.with(|r| r.as_ref().map(make).unwrap_or_default()))).into()
    };
    let shares: Signal<Arc<Vec<Share>>> = Memo::new(move |_| Arc::new(region.with(|r| r.as_ref().map(parts).unwrap_or_default()))).into();
    let take_wall = move |_| {
        if let Some(wall) = region.with_untracked(|r| r.as_ref().map(|r| r.wall)) {
            on_range.run(Some(wall));
        }
    };
    let take_windows = move |_| {
        if let Some(name) = region.with_untracked(|r| r.as_ref().map(|r| r.name.clone())) {
            on_scope.run(name);
        }
    };
    let take_slices = move |_| {
        if let Some(slices) = region.with_untracked(|r| r.as_ref().map(|r| r.slices.clone())).filter(|s| !s.is_empty()) {
            on_slices.run(slices);
        }
    };
    let on_window = Callback::new(move |at: usize| {
        if let Some(window) = region.with_untracked(|r| r.as_ref().and_then(|r| r.windows.get(at).copied())) {
            on_range.run(Some(window));
        }
    });
    let more = move || {
        let n = region.with(|r| r.as_ref().map_or(0, |r| r.n_windows.saturating_sub(r.windows.len() as u64)));
        (n > 0).then(|| format!("{n} more windows are not listed."))
    };
    view! {
        <Show when=move || region.with(Option::is_some)>
            <div class="bounds__region" data-chosen-region>
                <div class="torch__choices">
                    <h3>{move || region.with(|r| r.as_ref().map(|r| r.name.clone()))}</h3>
                    <button type="button" class="button" data-go="scope" title="Every view then covers the windows of this region, and nothing between them" on:click=take_windows>"Use as scope"</button>
                    <button type="button" class="button" data-go="wall" title="Select the range from the first start to the last end of this region" on:click=take_wall>"Select wall span"</button>
                    <button type="button" class="button" data-go="timeline" title="Select the instructions of this region in the timeline" on:click=take_slices>"Show in timeline"</button>
                </div>
                <Breakdown id="region-parts" title="Time of the region: every instant of its windows counts once" kind=Kind::Duration parts=shares on_move=None empty="The windows have no length." />
                <Table id="region-windows" label="Windows of the region" columns=Signal::stored(Arc::new(window_columns())) rows=of(window_rows) on_row=on_window />
                {more}
            </div>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::bounds::ExclusiveTime;
    use crate::base::{DurationNs, TimeNs};

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let exclusive = vec![
            ExclusiveTime { part: Some(Part::Dma), time: DurationNs(30) },
            ExclusiveTime { part: Some(Part::Tensor), time: DurationNs(50) },
            ExclusiveTime { part: None, time: DurationNs(20) },
        ];
        let windows = vec![TimeRange::new(TimeNs(10), TimeNs(110))];
        let region = Region {
            name: "a.py".into(),
            exclusive,
            windows,
            n_windows: 1,
            time: DurationNs(100),
            moved_bytes: Some(200),
            ..Region::default()
        };
        assert_eq!(parts(&region).iter().map(|p| p.value).sum::<f64>(), 100.0);
        assert_eq!(window_rows(&region)[0].cells.len(), window_columns().len());
        let found = Regions { regions: vec![region], ..Regions::default() };
        let (columns, rows) = (columns(&order_of(&found)), rows(&found));
        assert_eq!(rows[0].cells.len(), columns.len());
        let at = |id: &str| columns.iter().position(|c| c.id == id).unwrap();
        assert_eq!([rows[0].cell(at("tensor")).raw(), rows[0].cell(at("idle")).raw(), rows[0].cell(at("rate")).raw()], ["50", "20", "2"]);
        assert_eq!(rows[0].cell(at("flops")).raw(), "", "not recorded is no 0");
    }
}
