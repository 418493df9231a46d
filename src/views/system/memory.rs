//! HBM in use by category: at its fullest as a table, over time as a curve.

use super::{SystemActions, rows};
use crate::analysis::system::System;
use crate::base::{TimeNs, TimeRange, text};
use crate::ui::curve::Curve;
use crate::ui::table::{Kind, Table};
use crate::views::device_tables;
use crate::views::query::QueryState;
use leptos::prelude::*;
use std::sync::Arc;

/// Curve and table; the curve is of one HBM at a time.
#[component]
pub(super) fn Memory(found: QueryState<System>, ways: SystemActions) -> impl IntoView {
    let columns = Signal::stored(Arc::new(device_tables::hbm_columns()));
    let is_there = move || found.value.with(|s| s.as_ref().is_some_and(|s| !s.hbm.is_empty()));
    view! {
        <section class="system__part" data-part="memory">
            <h2>"HBM in use by category"</h2>
            <Show when=is_there fallback=|| view! { <p class="system__text">"Not recorded in this file: needs the section device_mem_usage (profilers since mid-2026), or the Parquet tables of Neuron Explorer."</p> }>
                <OverTime found ways />
                <Table id="hbm" label="HBM in use by category" columns rows=found.derive(|s| device_tables::hbm(&s.hbm)) />
            </Show>
        </section>
    }
}

#[component]
fn OverTime(found: QueryState<System>, ways: SystemActions) -> impl IntoView {
    let chosen = RwSignal::new(0usize);
    let places = found.derive(|s| s.hbm_curves.iter().map(|c| c.place.clone()).collect::<Vec<_>>());
    let at = move || chosen.get().min(places.with(|p| p.len().saturating_sub(1)));
    let lines: Signal<Arc<Vec<_>>> = Memo::new(move |_| {
        let lines = found.value.with(|s| s.as_ref().and_then(|s| s.hbm_curves.get(at())).map(rows::hbm_lines));
        Arc::new(lines.unwrap_or_default())
    })
    .into();
    let thinned = move || {
        found.value.with(|s| {
            let curve = s.as_ref()?.hbm_curves.get(at())?;
            let n = curve.times.len() as u64;
            (n < curve.n_samples).then(|| {
                format!(
                    "{} of {} samples are drawn; the largest of neighbouring samples is kept.",
                    text::count(n),
                    text::count(curve.n_samples)
                )
            })
        })
    };
    let options = move || {
        let option = |(i, place): (usize, &String)| view! { <option value=i.to_string() selected=i == at()>{place.clone()}</option> };
        places.get().iter().enumerate().map(option).collect_view()
    };
    let range = Signal::derive(move || ways.range.get().map(|r| (r.start.0, r.end.0)));
    let on_range = Callback::new(move |range: Option<(i64, i64)>| {
        ways.on_range.run(range.map(|(from, to)| TimeRange::new(TimeNs(from), TimeNs(to))));
    });
    view! {
        <Show when=move || places.with(|p| p.len() > 1)>
            <label class="field">
                "HBM "
                <select class="select" data-field="hbm" on:change:target=move |e| chosen.set(e.target().value().parse().unwrap_or(0))>{options}</select>
            </label>
        </Show>
        <Curve id="hbm-curve" title="HBM over time" x=("Time", Kind::Duration) y=("", Kind::Bytes) lines range on_range empty="No HBM samples in this range." />
        <p class="system__text">"Drag to select a range, here and in the timeline; right-click to return to the entire trace. " {thinned}</p>
    }
}
