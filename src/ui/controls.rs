//! The small things: help mark, copy button, menu, error notice, colour swatch.

use super::{dom, palette};
use leptos::{ev, prelude::*};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wasm_bindgen::JsCast;

/// A number for `id` attributes that no other widget of the page has.
pub fn unique() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A question mark that states what something means: on hover as a title, on click and by keyboard as a note.
#[component]
pub fn Help(
    /// The sentence.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let id = format!("help-{}", unique());
    // Mark and note are the stylesheet's to write, so that the text of what they explain stays clean.
    let button = view! {
        <button type="button" class="help" title=text.clone() aria-label="Show the definition" on:click=|e: ev::MouseEvent| e.stop_propagation()></button>
    }
    .attr("popovertarget", id.clone());
    let note = view! { <span class="help__note" role="note" aria-label=text.clone() data-text=text></span> }
        .attr("popover", "auto")
        .attr("id", id);
    view! { {button} {note} }
}

/// Copies a text.
#[component]
pub fn CopyButton(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let (is_done, set_done) = signal(false);
    let copy = move |e: ev::MouseEvent| {
        e.stop_propagation();
        dom::copy_text(&text);
        set_done.set(true);
        let undo = move || {
            let _ = set_done.try_set(false);
        };
        set_timeout(undo, std::time::Duration::from_millis(1200));
    };
    let label = move || if is_done.get() { "Copied" } else { "Copy" };
    view! {
        <button type="button" class="copy" tabindex="-1" title=label aria-label=label data-done=move || is_done.get().then_some("") on:click=copy></button>
    }
}

/// A button that opens a panel; Escape and a click elsewhere close it.
#[component]
pub fn Menu(
    /// Text of the button.
    #[prop(into)]
    label: String,
    /// What the panel holds.
    children: ChildrenFn,
) -> impl IntoView {
    let (is_open, set_open) = signal(false);
    let on_key = move |e: ev::KeyboardEvent| {
        if e.key() == "Escape" && is_open.get_untracked() {
            e.stop_propagation();
            set_open.set(false);
        }
    };
    let on_leave = move |e: ev::FocusEvent| {
        let root = e.current_target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
        let next = e.related_target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
        if !root.is_some_and(|root| next.is_some_and(|next| root.contains(Some(&next)))) {
            set_open.set(false);
        }
    };
    view! {
        <div class="menu" on:keydown=on_key on:focusout=on_leave>
            <button type="button" class="button" aria-haspopup="true" aria-expanded=move || is_open.get().to_string() on:click=move |_| set_open.update(|o| *o = !*o)>
                {label}
                <span aria-hidden="true" class="menu__arrow">"▾"</span>
            </button>
            <Show when=move || is_open.get()>
                <div class="menu__panel" tabindex="-1">{children()}</div>
            </Show>
        </div>
    }
}

/// A sentence about something that went wrong; what was there before stays beside it.
#[component]
pub fn Problem(
    /// The sentence.
    #[prop(into)]
    text: Signal<Option<String>>,
) -> impl IntoView {
    move || text.get().map(|text| view! { <p class="notice notice--danger" role="alert">{text}</p> })
}

/// The colour of a slot, right in both themes.
pub fn swatch_colour(slot: u16) -> String {
    let [light, dark] = [false, true].map(|is_dark| palette::css(palette::colour(slot, is_dark)));
    format!("light-dark({light}, {dark})")
}

/// As [`swatch_colour`], of a step of the scale from little to much.
pub fn swatch_step(step: u16) -> String {
    let [light, dark] = [false, true].map(|is_dark| palette::css(palette::ramp(step, is_dark)));
    format!("light-dark({light}, {dark})")
}

/// A sentence in which words between back-ticks are code.
pub fn with_code(text: &str) -> impl IntoView + use<> {
    let part = |(is_code, part): (bool, &str)| match is_code {
        false => part.to_string().into_any(),
        true => view! { <code>{part.to_string()}</code> }.into_any(),
    };
    code_parts(text).into_iter().map(part).collect_view()
}

/// A sentence cut at its back-ticks, with whether each part is code. Where one has no partner the sentence stays whole.
fn code_parts(text: &str) -> Vec<(bool, &str)> {
    if text.matches('`').count() % 2 == 1 {
        return vec![(false, text)];
    }
    text.split('`').enumerate().map(|(i, part)| (i % 2 == 1, part)).filter(|(_, part)| !part.is_empty()).collect()
}

/// Sentences on what cannot be shown; absent without any.
#[component]
pub fn Notes(
    /// The sentences.
    notes: Signal<Arc<Vec<String>>>,
) -> impl IntoView {
    move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            let items = notes.iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view();
            view! { <ul class="torch__notes" data-notes>{items}</ul> }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::code_parts;

    #[test]
    fn words_between_back_ticks_are_code() {
        assert_eq!(code_parts("use `a` and `b`"), [(false, "use "), (true, "a"), (false, " and "), (true, "b")]);
        assert_eq!(code_parts("plain"), [(false, "plain")]);
        assert_eq!(code_parts("a lone ` stays"), [(false, "a lone ` stays")]);
    }
}
