//! Above the list: unit, sets that are saved in this browser, files.

use super::Panel;
use crate::state::annotations::{AnnotationSet, TimeUnit, text};
use crate::ui::dom;
use crate::ui::small::Problem;
use leptos::task::spawn_local;
use leptos::{html, prelude::*};
use wasm_bindgen_futures::JsFuture;

/// Files longer than this hold no annotations, bytes.
const LONGEST_FILE: f64 = 4e6;

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

/// Files: JSON and CSV, out and in.
#[component]
fn Files(panel: Panel) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let save = move |ending: &'static str, kind: &'static str, write: fn(&AnnotationSet) -> String| {
        move |_| {
            let content = panel.book.with_untracked(|b| write(&b.current));
            dom::save_text(&dom::file_name("annotations", ending), kind, &content);
        }
    };
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        input.set_value("");
        spawn_local(read(panel, file));
    };
    view! {
        <span class="annotations__group" role="group" aria-label="Files">
            <button type="button" class="button" title="Save as a file that this page reads again" on:click=save("json", "application/json", text::to_json)>"JSON"</button>
            <button type="button" class="button" title="Save as comma-separated values, times in nanoseconds" on:click=save("csv", "text/csv;charset=utf-8", text::to_csv)>"CSV"</button>
            <button
                type="button" class="button" title="Read annotations from a JSON or CSV file"
                on:click=move |_| if let Some(input) = input.get_untracked() { input.click() }
            >
                "Import"
            </button>
            <input
                class="visually-hidden" type="file" accept=".json,.csv" tabindex="-1" aria-label="Import annotations" data-import="annotations" node_ref=input
                on:change=picked
            />
        </span>
    }
}

/// Takes annotations from a file; what is on the timeline stays if they cannot be read.
async fn read(panel: Panel, file: web_sys::File) {
    if file.size() > LONGEST_FILE {
        panel.problem.set(Some(format!("Expected a file of annotations, found one of {} bytes: `{}`.", file.size(), file.name())));
        return;
    }
    let content = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()).unwrap_or_default();
    match text::from_file(&content) {
        Ok(set) => {
            panel.problem.set(None);
            panel.chosen.set(None);
            panel.book.update(|b| b.current = set);
        }
        Err(sentence) => panel.problem.set(Some(format!("`{}` was not read. {sentence}", file.name()))),
    }
}
