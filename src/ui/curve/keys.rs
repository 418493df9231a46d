//! A curve by keyboard.

use super::data;
use super::view::State;
use leptos::{ev, prelude::*};

/// Arrow keys, Home, End and Page move the cursor; with Shift they draw a range; Escape takes the choice back.
pub(super) fn key(state: State, event: &ev::KeyboardEvent) {
    let name = event.key();
    let has_choice = state.range.get_untracked().is_some() || state.window.get_untracked().is_some();
    if name == "Escape" {
        if !(has_choice || state.drag.get_untracked().is_some()) {
            return;
        }
        state.reset();
    } else {
        let next = untrack(|| {
            let lines = state.lines.get();
            data::moved(&state.shown(&lines), state.cursor.get(), &name, state.seen())
        });
        let Some(next) = next.filter(|_| name.starts_with("Arrow") || ["Home", "End", "PageUp", "PageDown"].contains(&name.as_str()))
        else {
            return;
        };
        let before = state.cursor.get_untracked();
        state.pointer.set(None);
        state.cursor.set(Some(next));
        // Shift draws a range out of where the cursor was.
        if let (true, Some(before)) = (event.shift_key(), before) {
            let (from, to) = state.range.get_untracked().filter(|r| r.0 == before || r.1 == before).unwrap_or((before, before));
            let fixed = if from == before { to } else { from };
            if fixed != next {
                state.choose(Some((fixed.min(next), fixed.max(next))));
            }
        }
    }
    event.prevent_default();
    event.stop_propagation();
}
