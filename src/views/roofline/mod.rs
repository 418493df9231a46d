//! The roofline of a Neuron run: limits of compute and memory, and points for the run and its parts.

pub mod rows;

use super::grouping::Grouping;
use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::device::layers::LayersQuery;
use crate::analysis::device::roofline::Roofline;
use crate::base::{SliceId, TimeRange};
use crate::engine::query::RooflineQuery;
use crate::state::choices::ViewState;
use crate::ui::chart::figures::Figures;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::scatter::Scatter;
use crate::ui::table::Table;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Ceilings and points, for the run or a range.
#[component]
pub fn RooflineView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Named ranges that have points of their own.
    regions: Signal<Vec<(String, TimeRange)>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Grouping.
    #[prop(default = ViewState::detached("roofline"))]
    choices: ViewState,
) -> impl IntoView {
    let (by, depth) = (choices.choice("group", String::from("layer")), choices.choice("depth", 0u32));
    let question = Signal::derive(move || {
        let query = LayersQuery { by: by.0.get(), depth: depth.0.get(), range: range.get() };
        Some(RooflineQuery { layers: query, regions: regions.get() })
    });
    let roof: QueryState<Roofline> = use_query(ask, question);
    let groupings = roof.derive(|r| r.choices.clone());
    let max_depth = Memo::new(move |_| roof.value.with(|r| r.as_ref().map_or(0, |r| r.max_depth)));
    view! {
        <section class="torch roofline" data-view="roofline" class:is-waiting=move || roof.is_waiting.get() aria-busy=move || roof.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Roofline"</h1>
                <span class="torch__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <Grouping label="Points by" groupings max_depth=max_depth.into() by depth />
                <Help text="Intensity is FLOPs without transposes per byte. Left of the ridge a point is memory-bound, right of it compute-bound. A hollow point shows the intensity at the same rate without avoidable bytes." />
            </header>
            <Problem text=roof.problem />
            <Show when=move || roof.is_first()><p class="waiting" role="status">"Computing FLOPs and bytes…"</p></Show>
            <Show when=move || roof.value.with(|r| r.is_some())><Parts roof on_slice /></Show>
        </section>
    }
}

#[component]
fn Parts(roof: QueryState<Roofline>, on_slice: Callback<SliceId>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::columns()));
    let points = roof.derive(rows::rows);
    let ceilings = roof.derive(rows::ceilings);
    let slope = Signal::derive(move || roof.value.with(|r| r.as_ref().and_then(|r| rows::slope(r))));
    let mark = Signal::derive(move || roof.value.with(|r| r.as_ref().and_then(|r| rows::mark(r))));
    let show = Callback::new(move |at: usize| {
        let slice = roof.value.with_untracked(|r| r.as_ref().and_then(|r| r.points.get(at).and_then(|p| p.first)));
        if let Some(slice) = slice {
            on_slice.run(slice);
        }
    });
    let ceiling_rows = roof.derive(rows::ceiling_rows);
    view! {
        <Scatter
            id="roofline" title="FLOP/s against arithmetic intensity" titles=("Arithmetic intensity, FLOP/byte", "FLOP/s") dots=roof.derive(rows::dots)
            ceilings slope mark figures=Figures { columns, rows: points } on_dot=show
            empty="FLOPs and hardware limits are not recorded in this file, so there is no roofline."
        />
        <Notes notes=roof.derive(|r| r.notes.clone()) />
        <div class="torch__part">
            <h2>"Points"</h2>
            <p class="torch__hint">"Click a row to show its first instruction in the timeline."</p>
            <Table id="roofline-points" label="Points of the roofline" columns rows=points on_row=show empty="No row has both FLOPs and bytes." />
        </div>
        <div class="torch__part">
            <h2>"Ceilings"</h2>
            <Table
                id="roofline-ceilings" label="Ceilings of the roofline" columns=Signal::stored(Arc::new(rows::ceiling_columns())) rows=ceiling_rows
                empty="Hardware limits are not recorded in the metadata."
            />
        </div>
    }
}
