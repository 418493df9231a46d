//! A command palette: a field in a dialog, and below it a list of what matches; all by keyboard.

pub mod matching;

use super::dom::{is_dialog_open, scroll_into_list};
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What the list's owner knows it by.
    pub id: usize,
    /// What it is.
    pub text: String,
    /// What kind of thing it is.
    pub group: &'static str,
}

/// Lines of a page, for PageUp and PageDown.
const PAGE: usize = 8;
const LIST: &str = "commands-list";

/// The dialog; open while `is_open`.
#[component]
pub fn Commands(
    /// Whether it is shown; closing it writes here.
    is_open: RwSignal<bool>,
    /// What matches a text, best first.
    find: Callback<String, Vec<Line>>,
    /// A line was chosen; the dialog is closed.
    on_choose: Callback<usize>,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let typed = RwSignal::new(String::new());
    let lines = Memo::new(move |_| if is_open.get() { find.run(typed.get()) } else { Vec::new() });
    let at = RwSignal::new(0usize);
    effect(move || {
        let is_open = is_open.get();
        let Some(dialog) = dialog.get() else { return };
        if is_open && !dialog.open() {
            typed.set(String::new());
            at.set(0);
            // A dialog that is in the document can be shown.
            let _ = dialog.show_modal();
        } else if !is_open && dialog.open() {
            dialog.close();
        }
    });
    // The active line is always seen.
    effect(move || {
        let id = line_id(at.get());
        lines.track();
        request_animation_frame(move || {
            if let Some(line) = document().get_element_by_id(&id) {
                scroll_into_list(&line);
            }
        });
    });
    let choose = move |at: usize| {
        if let Some(id) = lines.with_untracked(|all| all.get(at).map(|l| l.id)) {
            is_open.set(false);
            on_choose.run(id);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let n = lines.with_untracked(Vec::len);
        let now = at.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" => (now + 1) % n.max(1),
            "ArrowUp" => now.checked_sub(1).unwrap_or(n.saturating_sub(1)),
            "PageDown" => (now + PAGE).min(n.saturating_sub(1)),
            "PageUp" => now.saturating_sub(PAGE),
            "Enter" => {
                event.prevent_default();
                return choose(now);
            }
            _ => return,
        };
        event.prevent_default();
        at.set(to);
    };
    // A click beside the panel is one on the dialog itself.
    let on_click = move |event: ev::MouseEvent| {
        if event.target().and_then(|t| t.dyn_into::<web_sys::HtmlDialogElement>().ok()).is_some() {
            is_open.set(false);
        }
    };
    let line = move |(i, line): (usize, Line)| {
        let is_active = Memo::new(move |_| at.get() == i);
        view! {
            <li
                role="option" id=line_id(i) class="commands__line" aria-selected=move || is_active.get().to_string()
                on:click=move |_| choose(i) on:pointermove=move |_| if at.get_untracked() != i { at.set(i) }
            >
                <span class="commands__text">{line.text}</span>
                <span class="commands__group">{line.group}</span>
            </li>
        }
    };
    view! {
        <dialog class="commands" node_ref=dialog aria-label="Commands" data-commands="" on:close=move |_| if is_open.get_untracked() && !is_dialog_open(dialog) { is_open.set(false) } on:click=on_click>
            <div class="commands__panel">
                <input
                    type="text" class="commands__input" role="combobox" aria-expanded="true" aria-controls=LIST aria-autocomplete="list" autofocus
                    aria-label="Command" placeholder="Go to a view, profile, track or operator; run an action" autocomplete="off" spellcheck="false"
                    aria-activedescendant=move || lines.with(|l| (!l.is_empty()).then(|| line_id(at.get())))
                    prop:value=typed
                    on:input:target=move |e| { at.set(0); typed.set(e.target().value()); }
                    on:keydown=on_key
                />
                <ul id=LIST class="commands__list" role="listbox" aria-label="Commands" tabindex="-1">
                    {move || lines.get().into_iter().enumerate().map(line).collect_view()}
                </ul>
                <Show when=move || lines.with(Vec::is_empty)><p class="commands__none" role="status">"Nothing matches."</p></Show>
            </div>
        </dialog>
    }
}

fn line_id(at: usize) -> String {
    format!("command-{at}")
}
