//! The filter and arrangement of rows: changed at the rows, stored in the address.

use crate::engine::page_columns::PageColumns;
use crate::ui::effect::effect;
use crate::views::timeline::handle::TimelineHandle;
use crate::views::timeline::rows::choices::Settings;
use leptos::prelude::*;
use std::sync::Arc;

impl Settings {
    /// Keeps rows and address in sync.
    pub fn follow_filter(self, stage: TimelineHandle, columns: Signal<Option<Arc<PageColumns>>>) {
        effect(move || {
            let filter = self.filter.0.get();
            if columns.with(Option::is_some) {
                stage.change(move |core| {
                    if core.folding.filter != filter {
                        core.fold(|folding, _, _| folding.filter = filter);
                    }
                });
            }
        });
        // The filter is typed above the rows and cleared by going to a hidden row; the address follows.
        let (typed, chosen) = (stage.shown.filter, self.filter);
        let note = move |text: &String, _: Option<&String>, _: Option<()>| {
            if chosen.0.get_untracked() != *text {
                chosen.1.set(text.clone());
            }
        };
        Effect::watch(move || typed.get(), note, false);
    }

    /// The same of pins, order and folds.
    pub fn follow_rows(self, stage: TimelineHandle, columns: Signal<Option<Arc<PageColumns>>>) {
        effect(move || {
            let placed = self.placed.0.get();
            if columns.with(Option::is_some) {
                stage.change(move |core| core.place_rows(&placed));
            }
        });
        let (seen, chosen) = (stage.shown.placed, self.placed);
        let note = move |text: &String, _: Option<&String>, _: Option<()>| {
            if chosen.0.get_untracked() != *text {
                chosen.1.set(text.clone());
            }
        };
        Effect::watch(move || seen.get(), note, false);
    }
}
