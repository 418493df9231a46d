//! Above the list: unit, sets that are saved in this browser, what comes of files.

use super::Panel;
use super::files::{Files, Question};
use crate::state::annotations::TimeUnit;
use crate::ui::small::Problem;
use leptos::prelude::*;

/// Title and controls.
#[component]
pub(super) fn Head(panel: Panel, on_close: Callback<()>) -> impl IntoView {
    let book = panel.book;
    let n = move || book.with(|b| b.current.items.len());
    let units = TimeUnit::ALL.map(|(unit, label)| view! { <option value=label selected=move || panel.unit() == unit>{label}</option> });
    let clear = move |_| {
        book.update(|b| b.current.items.clear());
        panel.chosen.set(None);
    };
    view! {
        <header class="annotations__head">
            <h2 class="annotations__title">"Annotations " <span class="figure">{n}</span></h2>
            <label class="field">
                "Unit"
                <select class="select" on:change:target=move |e| book.update(|b| b.current.unit = TimeUnit::from_label(&e.target().value()))>{units}</select>
            </label>
            <Sets panel />
            <Files panel />
            <Show when=move || { n() > 0 }>
                <button type="button" class="button button--quiet" title="Take all annotations off the timeline; saved sets stay" on:click=clear>"Clear all"</button>
            </Show>
            <button type="button" class="button button--icon annotations__close" aria-label="Close annotations" title="Close" on:click=move |_| on_close.run(())>"×"</button>
        </header>
        <Problem text=panel.problem />
        <Question panel />
    }
}

/// Sets saved under names.
#[component]
fn Sets(panel: Panel) -> impl IntoView {
    let book = panel.book;
    let name = RwSignal::new(String::new());
    let saved = Memo::new(move |_| book.with(|b| b.saved.iter().map(|s| s.name.clone()).collect::<Vec<_>>()));
    let current = move || book.with(|b| b.current.name.clone());
    let save = move |_| {
        let typed = name.get_untracked();
        book.update(|b| b.save_as(if typed.trim().is_empty() { "Set 1" } else { &typed }));
        name.set(String::new());
    };
    let load = move |chosen: String| {
        panel.chosen.set(None);
        book.update(|b| b.load(&chosen));
    };
    let forget = move |_| {
        let shown = book.with_untracked(|b| b.current.name.clone());
        book.update(|b| b.forget(&shown));
    };
    let options = move || {
        saved.get().into_iter().map(|s| view! { <option value=s.clone() selected=current() == s>{s.clone()}</option> }).collect_view()
    };
    let is_saved = move || saved.with(|s| s.contains(&current()));
    view! {
        <span class="annotations__group" role="group" aria-label="Sets saved in this browser, with this profile">
            <input
                class="input annotations__set" placeholder="Name of the set" aria-label="Name of the set" prop:value=move || name.get()
                on:input:target=move |e| name.set(e.target().value())
            />
            <button type="button" class="button" title="Keep these annotations under a name, in this browser" on:click=save>"Save set"</button>
            <Show when=move || saved.with(|s| !s.is_empty())>
                <select class="select" aria-label="Load a saved set" on:change:target=move |e| load(e.target().value())>
                    <option value="" selected=move || !is_saved() disabled=true>"Load a set"</option>
                    {options}
                </select>
            </Show>
            <Show when=is_saved>
                <button type="button" class="button button--quiet" title="Forget the saved set; what is on the timeline stays" on:click=forget>"Delete set"</button>
            </Show>
        </span>
    }
}
