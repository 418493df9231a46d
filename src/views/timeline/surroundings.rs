//! What the running timeline has to do with the page around it: the window that others see, its size, the theme.

use super::handle::TimelineHandle;
use super::rows::choices::{Settings, split};
use super::settings::semaphore_numbers::picked;
use crate::base::TimeRange;
use crate::engine::page_columns::PageColumns;
use crate::ui::dom::on_resize;
use crate::ui::effect::effect;
use leptos::{ev, prelude::*};
use std::sync::Arc;

impl Settings {
    /// Keeps the timeline as chosen.
    pub fn follow(self, stage: TimelineHandle, columns: Signal<Option<Arc<PageColumns>>>) {
        effect(move || {
            let (hidden, has_text, hides_tiny) = (split(&self.hidden.0.get()), self.has_text.0.get(), self.hides_tiny.0.get());
            let picked = columns.with(|h| h.as_ref().and_then(|h| picked(&h.info, &self.semaphores.0.get())));
            stage.change(move |core| {
                (core.has_text, core.picked, core.hides_tiny) = (has_text, picked, hides_tiny);
                if core.folding.hidden != hidden {
                    core.fold(|folding, _, _| folding.hidden = hidden);
                }
            });
        });
        self.follow_filter(stage, columns);
        self.follow_rows(stage, columns);
    }
}

/// Joins the visible window to a signal of the page.
pub(super) fn share_window(
    stage: TimelineHandle,
    columns: Signal<Option<Arc<PageColumns>>>,
    window: RwSignal<Option<TimeRange>>,
    is_moving: Option<RwSignal<bool>>,
) {
    const REST: std::time::Duration = std::time::Duration::from_millis(150);
    effect(move || {
        // A window that was wanted before there was a profile.
        columns.track();
        let wanted = window.get();
        let is_elsewhere = stage.look(|core| core.view.window()) != wanted;
        if let Some(wanted) = wanted.filter(|_| is_elsewhere) {
            stage.change(|core| core.view.show(wanted));
        }
    });
    Effect::new(move |before: Option<Option<TimeRange>>| {
        let seen = stage.shown.window.get();
        let Some(before) = before else { return seen };
        let set_moving = move |moves: bool| {
            if let Some(is_moving) = is_moving.filter(|m| m.try_get_untracked().is_some_and(|now| now != moves)) {
                is_moving.set(moves);
            }
        };
        // The first window has not moved.
        set_moving(before.is_some());
        let write = move || match stage.shown.window.try_get_untracked() {
            Some(now) if now == seen => {
                if window.try_get_untracked() != Some(seen) {
                    window.set(seen);
                }
                set_moving(false);
            }
            // The view was closed.
            None => set_moving(false),
            Some(_) => {}
        };
        set_timeout(write, REST);
        seen
    });
}

/// Size, resolution and theme.
pub(super) fn watch_surroundings(stage: TimelineHandle) {
    effect(move || {
        if let Some(plot) = stage.nodes.plot.get() {
            stage.restyle();
            on_resize(&plot, move || stage.resize());
        }
    });
    let handle = window_event_listener(ev::resize, move |_| stage.resize());
    on_cleanup(move || handle.remove());
}
