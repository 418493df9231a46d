//! The controls above the list: unit, saved sets, imported files.

use super::Panel;
use super::files::{Files, Question};
use crate::base::text::counted;
use crate::state::annotations::{Book, TimeUnit};
use crate::ui::controls::Problem;
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};

/// Title and controls.
#[component]
pub(super) fn Head(panel: Panel, on_close: Callback<()>) -> impl IntoView {
    let book = panel.book;
    let n = move || book.with(|b| b.current.items.len());
    let units = TimeUnit::ALL.map(|(unit, label)| view! { <option value=label selected=move || panel.unit() == unit>{label}</option> });
    let is_asked = RwSignal::new(false);
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
                <button type="button" class="button button--quiet" title="Remove all annotations from the timeline; saved sets are kept" on:click=move |_| is_asked.set(true)>"Clear all"</button>
            </Show>
            <button type="button" class="button button--icon annotations__close" aria-label="Close annotations" title="Close" on:click=move |_| on_close.run(())>"×"</button>
        </header>
        <Problem text=panel.problem />
        <Question panel />
        <Clearing panel is_asked />
    }
}

/// Asks before all annotations are removed, because those not in a saved set cannot be restored.
#[component]
fn Clearing(panel: Panel, is_asked: RwSignal<bool>) -> impl IntoView {
    let book = panel.book;
    let n = move || book.with(|b| b.current.items.len());
    let keep = NodeRef::<html::Button>::new();
    effect(move || {
        if let Some(button) = keep.get() {
            // On what changes nothing; where it cannot be focused, it can still be reached.
            let _ = button.focus();
        }
    });
    let clear = move |_| {
        is_asked.set(false);
        panel.chosen.set(None);
        book.update(|b| b.current.items.clear());
    };
    let on_key = move |e: ev::KeyboardEvent| {
        if e.key() == "Escape" {
            e.stop_propagation();
            is_asked.set(false);
        }
    };
    view! {
        <Show when=move || is_asked.get() && { n() > 0 }>
            <div class="notice notice--warn annotations__ask" role="group" aria-label="Confirm clearing" data-clear-ask="" on:keydown=on_key>
                <span role="alert">{move || question(n(), book.with(Book::is_saved))}</span>
                <button type="button" class="button" data-clear="" on:click=clear>"Clear all"</button>
                <button type="button" class="button button--quiet" node_ref=keep on:click=move |_| is_asked.set(false)>"Cancel"</button>
            </div>
        </Show>
    }
}

/// What is asked before all are dropped.
fn question(n: usize, is_saved: bool) -> String {
    let what = counted(n as u64, "annotation");
    let saved = if is_saved { "The saved set is kept." } else { "They are not in a saved set: this cannot be undone." };
    format!("Remove {what} from the timeline? {saved}")
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
        <span class="annotations__group" role="group" aria-label="Annotation sets saved in this browser for this profile">
            <input
                class="input annotations__set" placeholder="Name of the set" aria-label="Name of the set" prop:value=move || name.get()
                on:input:target=move |e| name.set(e.target().value())
            />
            <button type="button" class="button" title="Save these annotations under a name in this browser" on:click=save>"Save set"</button>
            <Show when=move || saved.with(|s| !s.is_empty())>
                <select class="select" aria-label="Load a saved set" on:change:target=move |e| load(e.target().value())>
                    <option value="" selected=move || !is_saved() disabled=true>"Load a set"</option>
                    {options}
                </select>
            </Show>
            <Show when=is_saved>
                <button type="button" class="button button--quiet" title="Delete the saved set; the annotations on the timeline are kept" on:click=forget>"Delete set"</button>
            </Show>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn it_is_said_whether_anything_is_lost() {
        assert_eq!(question(1, true), "Remove 1 annotation from the timeline? The saved set is kept.");
        assert!(question(5, false).starts_with("Remove 5 annotations from the timeline? They are not in a saved set"));
    }
}
