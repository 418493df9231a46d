//! The overview of a PyTorch trace: its devices, where the time of a step went, and what to do about it.

mod advice;
pub mod rows;
pub mod time_parts;

use super::headline::{self, Headline};
use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::torch::overview::{DEVICE_FIGURES, DeviceRow, Overview, OverviewQuery};
use crate::base::{SliceId, TimeRange, text};
use crate::state::choices::ViewState;
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Notes, Problem, swatch_colour};
use crate::ui::pie::Pie;
use crate::ui::table::Kind;
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// A place in the timeline: a range, and the slice that is meant.
pub type TimelineTarget = (TimeRange, Option<SliceId>);

/// Devices, steps, recommendations.
#[component]
pub fn OverviewView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show a place in the timeline.
    on_place: Callback<TimelineTarget>,
    /// Order of the categories, kernel time by what.
    #[prop(default = ViewState::detached("overview"))]
    choices: ViewState,
) -> impl IntoView {
    let query = Signal::derive(move || Some(OverviewQuery { range: range.get() }));
    let overview = use_query(ask, query);
    let is_there = Memo::new(move |_| overview.value.with(Option::is_some));
    view! {
        <section
            class="overview" data-view="overview" class:is-waiting=move || overview.is_waiting.get()
            aria-busy=move || overview.is_waiting.get().to_string()
        >
            <header class="overview__head">
                <h1>"Overview"</h1>
                <span class="overview__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <span class="overview__quiet">{move || overview.value.get().map(|o| rows::configuration(&o))}</span>
            </header>
            <Problem text=overview.problem />
            <Show when=move || overview.is_first()><p class="waiting" role="status">"Computing steps…"</p></Show>
            <Headline line=overview.derive(headline::overview) />
            <Notes notes=overview.derive(|o| o.notes.clone()) />
            <Show when=move || is_there.get()>
                <div class="overview__top"><Devices overview /><Summary overview /></div>
                <time_parts::TimeParts overview choices />
                <Steps overview on_place />
                <advice::Recommendations overview on_place />
            </Show>
        </section>
    }
}

#[component]
fn Devices(overview: QueryState<Overview>) -> impl IntoView {
    let cards = move || {
        let overview = overview.value.get();
        overview.map(|o| o.devices.iter().map(|d| view! { <DeviceCard device=d.clone() /> }).collect_view())
    };
    let has_devices = Memo::new(move |_| overview.value.with(|o| o.as_ref().is_some_and(|o| !o.devices.is_empty())));
    view! {
        <Show when=move || has_devices.get()>
            <section class="overview__part" aria-label="Devices"><div class="overview__devices">{cards}</div></section>
        </Show>
    }
}

/// A device: its properties above, its utilization below.
#[component]
fn DeviceCard(device: DeviceRow) -> impl IntoView {
    let facts = rows::device_facts(&device);
    let figure = |(id, label, definition): &'static (&'static str, &'static str, &'static str)| {
        let (value, share) = rows::device_figure(&device, id)?;
        let bar = share.map(
            |s| view! { <span class="bar" aria-hidden="true"><i style:width=format!("{:.1}%", s.clamp(0.0, 1.0) * 100.0)></i></span> },
        );
        Some(view! {
            <div class="device__figure" data-figure=*id title=*definition>
                <dt>{*label}<Help text=*definition /></dt>
                <dd class="figure">{value}</dd>
                {bar}
            </div>
        })
    };
    let figures = DEVICE_FIGURES.iter().filter_map(figure).collect_view();
    view! {
        <article class="device" data-device=device.device.to_string()>
            <h2 class="device__name">{rows::device_name(&device)}</h2>
            <p class="overview__quiet">{facts}</p>
            <dl class="device__figures">{figures}</dl>
        </article>
    }
}

/// The eight categories of a mean step.
#[component]
fn Summary(overview: QueryState<Overview>) -> impl IntoView {
    let slices = overview.derive(rows::slices);
    let lines = move || {
        let overview = overview.value.get();
        let line = |r: rows::SummaryLine| {
            view! {
                <tr class:is-unrecorded=!r.is_recorded title=r.definition>
                    <th scope="row"><i class="swatch" style:background=swatch_colour(r.colour)></i>{r.label}</th>
                    <td class="figure" title=r.exact>{r.time}</td>
                    <td class="figure">{r.share}</td>
                </tr>
            }
        };
        overview.map(|o| rows::summary(&o).into_iter().map(line).collect_view())
    };
    let total = move || overview.value.get().and_then(|o| rows::mean_step(&o));
    let title = move || {
        let n = overview.value.with(|o| o.as_ref().map_or(0, |o| o.steps.len()));
        if n == 1 { "Step time breakdown".to_string() } else { format!("Step time breakdown, mean of {}", text::count(n as u64)) }
    };
    view! {
        <section class="overview__part">
            <h2>{title}<Help text="Every instant of a step counts for one category: the first active one in this order. The sum of the categories is the step time; time hidden behind kernels counts as kernels." /></h2>
            <div class="overview__summary">
                <table class="table" data-table="execution-summary" aria-label="Execution summary">
                    <thead><tr><th scope="col">"Category"</th><th scope="col" class="figure">"Time per step"</th><th scope="col" class="figure">"Share"</th></tr></thead>
                    <tbody>{lines}</tbody>
                    <tfoot><tr><th scope="row">"Step"</th><td class="figure">{total}</td><td class="figure"></td></tr></tfoot>
                </table>
                <Pie
                    id="execution-summary" title="Mean time per step by category" what="Category" kind=Kind::Duration slices limit=Signal::stored(8)
                    empty=wording::NO_STEPS
                />
            </div>
        </section>
    }
}

/// Every step as a stacked bar; a click shows it in the timeline.
#[component]
fn Steps(overview: QueryState<Overview>, on_place: Callback<TimelineTarget>) -> impl IntoView {
    let series = overview.derive(rows::series);
    let bars = overview.derive(rows::bars);
    let on_bar = Callback::new(move |at: usize| {
        let place = overview.value.with_untracked(|o| o.as_ref().and_then(|o| o.steps.get(at)).map(|s| (rows::range_of(s), s.slice)));
        if let Some(place) = place {
            on_place.run(place);
        }
    });
    view! {
        <section class="overview__part">
            <Bars
                id="steps" title="Time of each step by category" what="Step" kind=Kind::Duration series bars on_bar
                empty="No step in this range."
            />
        </section>
    }
}
