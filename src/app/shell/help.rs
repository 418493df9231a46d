//! Keys and how to, in a dialog.

use crate::app::shell::guide;
use crate::state::{App, AppStateStoreFields as _};
use crate::ui::dom::is_dialog_open;
use crate::ui::effect::effect;
use crate::views::start::SAMPLES;
use leptos::{html, prelude::*};

const KEYS: [(&str, &str); 20] = [
    ("W, S", "zoom in and out at the pointer"),
    ("A, D", "pan left and right"),
    ("Ctrl + wheel", "zoom at the pointer"),
    ("wheel", "scroll the tracks"),
    ("drag", "zoom to a range"),
    ("Shift + drag", "select a range without zooming; drag over rows to select a box"),
    ("0", "show the entire trace"),
    ("F", "fit the selection, or the range"),
    ("1, 2, 3, 4", "tools: select, pan, zoom, measure"),
    ("[, ]", "previous and next occurrence of the selected row or slice name"),
    ("M", "add a marker at the pointer (also right-click or long press)"),
    ("K, O", "go from a launch or operator to its kernel and back to the launch; to the operator"),
    ("B", "go from a forward operator to its backward operator and back"),
    ("Enter", "open the details of the selected slice"),
    ("Esc", "close details, clear the selection, return to the entire trace"),
    ("/", "search; Enter and Shift + Enter go to the next and previous hit"),
    ("Ctrl + K, Cmd + K", "command palette: go to a view, profile, track or operator; run an action"),
    ("?", "open this help"),
    ("drop, paste", "open more files, or a pasted summary text"),
    ("click in a table", "show the row in the timeline"),
];

/// The dialog, open while its state is set.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::expect();
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        let is_open = app.state.is_help_open().get();
        if let Some(dialog) = dialog.get() {
            match is_open {
                true if !dialog.open() => drop(dialog.show_modal()),
                false if dialog.open() => dialog.close(),
                _ => {}
            }
        }
    });
    let close = move || app.state.is_help_open().set(false);
    let rows = KEYS.into_iter().map(|(key, what)| view! { <dt class="mono">{key}</dt><dd>{what}</dd> }).collect_view();
    let readings = SAMPLES.into_iter().map(|(name, what)| {
        view! { <li><button type="button" class="link" data-reading=name on:click=move |_| guide::begin(app, name)>{what}</button></li> }
    });
    let readings = readings.collect_view();
    view! {
        <dialog class="dialog" node_ref=dialog aria-labelledby="help-title" on:close=move |_| if !is_dialog_open(dialog) { close() }>
            <header class="dialog__head">
                <h2 id="help-title">"Help"</h2>
                <button type="button" class="button button--icon" aria-label="Close help" on:click=move |_| close()>"×"</button>
            </header>
            <dl class="help-keys">{rows}</dl>
            <section data-readings="">
                <h3>"Guided readings of the samples"</h3>
                <ul class="help-readings">{readings}</ul>
            </section>
            <p>"Everything is computed on this machine; nothing is uploaded. The URL stores the view and the selection, never the data."</p>
        </dialog>
    }
}
