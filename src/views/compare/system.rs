//! Two open system profiles: what changed in the entire time and in the mean invocation of each model.

use super::{Device, side};
use crate::state::choices::ViewState;
use crate::ui::controls::Help;
use crate::views::explain::WhatChanged;
use crate::views::scope::EntireTrace;
use leptos::prelude::*;

/// What changed between two of the open system profiles.
#[component]
pub fn SystemCompareView(
    /// Every open system profile.
    profiles: Signal<Vec<Device>>,
    /// Base and run.
    #[prop(default = ViewState::detached("compare"))]
    choices: ViewState,
) -> impl IntoView {
    let (base, run) = (choices.choice("base", String::new()), choices.choice("run", String::new()));
    let pair = Memo::new(move |_| {
        let all = profiles.get();
        let at = all.iter().position(|p| p.hash == base.0.get()).unwrap_or(0);
        let chosen = run.0.get();
        let others = || all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, p)| p);
        Some((side(all.get(at)?), side(others().find(|p| p.hash == chosen).or(others().next())?)))
    });
    let hashes = move || pair.with(|p| p.as_ref().map(|(base, run)| (base.hash.clone(), run.hash.clone())).unwrap_or_default());
    let options = move |chosen: String, without: String| {
        let all = profiles.get().into_iter().filter(move |p| p.hash != without);
        all.map(|p| view! { <option value=p.hash.clone() selected=p.hash == chosen>{p.label}</option> }).collect_view()
    };
    view! {
        <section class="torch compare" data-view="compare">
            <header class="torch__head">
                <h1>"Compare"</h1>
                <EntireTrace />
                <label class="field">
                    "Base"
                    <select class="select" data-field="base" on:change:target=move |e| base.1.set(e.target().value())>{move || options(hashes().0, String::new())}</select>
                </label>
                <label class="field">
                    "Run"
                    <select class="select" data-field="run" on:change:target=move |e| run.1.set(e.target().value())>{move || options(hashes().1, hashes().0)}</select>
                </label>
                <Help text="An invocation lasts from its start to the start of the next one on its core. Latencies, percentiles and memory of any number of system profiles are in Variants." />
            </header>
            <Show when=move || pair.with(Option::is_some) fallback=|| view! { <p class="waiting">"Open a second system profile to compare with this one."</p> }>
                <WhatChanged pair choices />
            </Show>
        </section>
    }
}
