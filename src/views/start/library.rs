//! The library on the start page: profiles that were opened before.

use crate::state::library::{Entry, StoredAs};
use crate::ui::effect::effect;
use leptos::html;
use leptos::prelude::*;

/// What the user does with an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Opens its files.
    Open,
    /// Stars it, or takes the star away.
    Star,
    /// Gives it a name and tags, separated by commas.
    Rename(String, String),
    /// Copies its files to the browser's storage.
    Copy,
    /// Takes it out of the list, with its copy.
    Delete,
    /// Takes all out of the list.
    DeleteAll,
    /// Saves what is noted on the open profiles as a file.
    SaveWorkspace,
}

/// Entries shown before "Show all"; `public/early.js` draws as many.
const N_SHOWN: usize = 10;

/// Entries, filter, use of the browser's storage.
#[component]
pub fn Library(
    /// Starred first, then the newest first.
    entries: Signal<Vec<Entry>>,
    /// Use of the browser's storage, a sentence.
    storage: Signal<Option<String>>,
    /// Whether a profile of that content hash can be read now: it is open.
    is_open: Callback<String, bool>,
    /// An entry's hash, and what to do with it.
    on_action: Callback<(String, Action)>,
) -> impl IntoView {
    let filter = RwSignal::new(String::new());
    let is_all = RwSignal::new(false);
    let found = Memo::new(move |_| {
        let filter = filter.get();
        entries.with(|all| all.iter().filter(|e| e.matches(&filter)).cloned().collect::<Vec<_>>())
    });
    let n_more = move || found.with(Vec::len).saturating_sub(N_SHOWN);
    let shown = move || found.with(|all| all[..if is_all.get() { all.len() } else { all.len().min(N_SHOWN) }].to_vec());
    // Everything that a row shows: it is made anew when that changes.
    let key = |e: &Entry| (e.hash.clone(), e.line(), e.label().to_string(), e.tags.clone(), e.is_starred, e.compared.clone());
    view! {
        <section class="start__library" data-library="">
            <div class="library__head">
                <h2>"Library"</h2>
                <input
                    type="search" class="library__filter" placeholder="Filter" aria-label="Filter the library" prop:value=filter
                    on:input:target=move |e| filter.set(e.target().value())
                />
            </div>
            <ul class="library__list">
                <For each=shown key=key let(entry)><Row entry is_open on_action /></For>
            </ul>
            <Show when=move || found.with(Vec::is_empty)><p class="start__kind">"No entry of the library matches."</p></Show>
            <Show when=move || { n_more() > 0 && !is_all.get() }>
                <button type="button" class="link" on:click=move |_| is_all.set(true)>{move || format!("Show {} more", n_more())}</button>
            </Show>
            <p class="start__kind library__foot">
                "Only names and values are saved, unless you keep a copy. "
                <button type="button" class="link" on:click=move |_| on_action.run((String::new(), Action::DeleteAll))>"Delete all"</button>
                " "
                <Show when=move || entries.with(|all| all.iter().any(|e| is_open.run(e.hash.clone())))>
                    <button type="button" class="link" title="One file with the views and annotations of the open profiles; drop it here to load it" on:click=move |_| on_action.run((String::new(), Action::SaveWorkspace))>
                        "Save workspace"
                    </button>
                    " "
                </Show>
                <span data-storage="">{storage}</span>
            </p>
        </section>
    }
}

#[component]
fn Row(entry: Entry, is_open: Callback<String, bool>, on_action: Callback<(String, Action)>) -> impl IntoView {
    let is_edited = RwSignal::new(false);
    let act = {
        let hash = entry.hash.clone();
        move |action| on_action.run((hash.clone(), action))
    };
    let (open, star, copy, delete, rename) = (act.clone(), act.clone(), act.clone(), act.clone(), act);
    let label = entry.label().to_string();
    let can_copy = entry.stored == StoredAs::File || entry.stored == StoredAs::Nothing && is_open.run(entry.hash.clone());
    let compared = (!entry.compared.is_empty())
        .then(|| view! { <div class="start__kind">{format!("compared with {}", entry.compared.join(", "))}</div> });
    let tags = entry.tags.iter().map(|tag| view! { " "<span class="library__tag">{tag.clone()}</span> }).collect_view();
    let edited = entry.clone();
    view! {
        <li class="library__entry" data-entry=entry.hash.clone()>
            <button
                type="button" class="button button--icon library__star" aria-label=format!("Star {label}") title="Starred profiles are listed first"
                aria-pressed=entry.is_starred.to_string() on:click=move |_| star(Action::Star)
            >
                {if entry.is_starred { "★" } else { "☆" }}
            </button>
            <div class="library__text">
                <button type="button" class="link mono" title=format!("Content hash {}", entry.hash) on:click=move |_| open(Action::Open)>{label.clone()}</button>
                {tags}
                <div class="start__kind">{entry.line()}</div>
                {compared}
                {move || is_edited.get().then(|| {
                    let (rename, edited) = (rename.clone(), edited.clone());
                    view! { <Edit entry=edited on_done=Callback::new(move |names: Option<(String, String)>| {
                        is_edited.set(false);
                        if let Some((title, tags)) = names {
                            rename(Action::Rename(title, tags));
                        }
                    }) /> }
                })}
            </div>
            <div class="library__actions">
                {can_copy.then(|| view! {
                    <button
                        type="button" class="link" data-action="copy" aria-label=format!("Keep a copy of {label}")
                        title="Copies the file to the browser's storage on this machine, so that it opens without asking" on:click=move |_| copy(Action::Copy)
                    >
                        "Keep a copy"
                    </button>
                })}
                <button type="button" class="link" data-action="edit" aria-label=format!("Edit name and tags of {label}") on:click=move |_| is_edited.update(|e| *e = !*e)>"Edit"</button>
                <button
                    type="button" class="link" data-action="delete" aria-label=format!("Delete {label} from the library")
                    title="Deletes the entry and its copy; the file itself stays" on:click=move |_| delete(Action::Delete)
                >
                    "Delete"
                </button>
            </div>
        </li>
    }
}

/// Name and tags of an entry.
#[component]
fn Edit(entry: Entry, on_done: Callback<Option<(String, String)>>) -> impl IntoView {
    let (title, tags) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let value = |input: NodeRef<html::Input>| input.get_untracked().map(|i| i.value()).unwrap_or_default();
    effect(move || {
        if let Some(input) = title.get() {
            // Where it cannot be focused, it is clicked.
            let _ = input.focus();
        }
    });
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        on_done.run(Some((value(title), value(tags))));
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            on_done.run(None);
        }
    };
    view! {
        <form class="library__edit" on:submit=on_submit on:keydown=on_key>
            <label>"Name " <input node_ref=title class="library__input" value=entry.label().to_string() /></label>
            <label>"Tags " <input node_ref=tags class="library__input" value=entry.tags.join(", ") placeholder="h100, baseline" /></label>
            <button type="submit" class="button">"Save"</button>
        </form>
    }
}
