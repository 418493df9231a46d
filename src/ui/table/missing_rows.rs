//! Rows that a table has not been given yet: a long list begins with a few, and gets the others when somebody looks for them.

pub use super::state::MissingRows;
use super::state::State;
use crate::base::text;
use crate::ui::effect::effect;
use leptos::prelude::*;

/// Lines before the end of the given ones at which the others are asked for.
const NEAR: usize = 100;

impl State {
    /// Rows there are, when some of them are still to come. Tracked.
    pub fn n_awaited(&self) -> Option<usize> {
        let n_given = self.rows.with(|r| r.len());
        self.rest.map(|rest| rest.n_total.get()).filter(|n| *n > n_given)
    }

    /// Whether rows are sorted or filtered, which takes all of them. Tracked.
    fn is_chosen_how(&self) -> bool {
        self.choices.with(|c| !c.filter.is_empty() || !c.sort.is_empty())
    }

    /// How many rows there are and match, in words. Tracked.
    pub fn count_words(&self) -> String {
        let of = |shown: usize, all: usize| format!("{} of {}", text::count(shown as u64), text::counted(all as u64, "row"));
        match self.n_awaited() {
            Some(n) if self.is_chosen_how() => format!("Loading {} rows…", text::count(n as u64)),
            Some(n) => of(n, n),
            None => of(self.order.with(|o| o.len()), self.rows.with(|r| r.len())),
        }
    }
}

/// Asks for the other rows when rows are sorted or filtered, or the last ones given come near.
pub(super) fn follow(state: State) {
    let Some(rest) = state.rest else { return };
    effect(move || {
        let is_near = move || state.window.get().end + NEAR > state.lines.with(|l| l.len());
        if state.n_awaited().is_some() && (state.is_chosen_how() || is_near()) {
            rest.load.run(());
        }
    });
}

/// Runs `act` as soon as all rows are there; returns how to ask for that.
pub(super) fn when_whole(state: State, act: impl Fn() + Send + Sync + 'static) -> impl Fn() + Copy + Send + Sync + 'static {
    let is_asked = RwSignal::new(false);
    effect(move || {
        if is_asked.get() && state.n_awaited().is_none() {
            is_asked.set(false);
            act();
        }
    });
    move || {
        if let (Some(rest), true) = (state.rest, untrack(|| state.n_awaited()).is_some()) {
            rest.load.run(());
        }
        is_asked.set(true);
    }
}
