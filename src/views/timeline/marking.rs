//! Joins the annotations of the page to the running timeline.

use super::handle::TimelineHandle;
use super::state::marks::MarkAct;
use crate::state::annotations::Book;
use crate::ui::effect::effect;
use leptos::prelude::*;
use std::sync::Arc;

/// The annotations of the profile in front, and what is shown of them.
#[derive(Debug, Clone, Copy)]
pub struct Marking {
    /// All annotations of the profile.
    pub book: RwSignal<Book>,
    /// The chosen one.
    pub chosen: RwSignal<Option<u32>>,
    /// Whether the panel is open.
    pub is_open: Signal<bool>,
    /// Opens and closes the panel.
    pub set_open: SignalSetter<bool>,
}

impl Marking {
    /// Annotations of this timeline only.
    pub fn detached() -> Self {
        let is_open = RwSignal::new(false);
        Marking { book: RwSignal::default(), chosen: RwSignal::new(None), is_open: is_open.into(), set_open: is_open.into() }
    }

    /// Does what the user did on the timeline. A new annotation is the chosen one.
    pub fn act(self, act: MarkAct) {
        let new = match act {
            MarkAct::Add(at) => self.book.try_update(|b| b.current.add_marker(at)).flatten(),
            MarkAct::AddRegion(range) => self.book.try_update(|b| b.current.add_region(range)).flatten(),
            MarkAct::Move(id, part, to) => {
                self.book.update(|b| b.current.move_part(id, part, to));
                Some(id)
            }
            MarkAct::Choose(id) => {
                self.set_open.set(true);
                Some(id)
            }
        };
        if new.is_some() {
            self.chosen.set(new);
        }
    }

    /// Keeps the timeline's copy up to date.
    pub(super) fn follow(self, stage: TimelineHandle, columns: Signal<impl Send + Sync + Clone + 'static>) {
        effect(move || {
            // A profile that comes later starts without them.
            columns.track();
            let set = Arc::new(self.book.with(|b| b.current.clone()));
            let chosen = self.chosen.get();
            stage.change(|core| (core.annotations, core.chosen_mark) = (set, chosen));
        });
    }
}
