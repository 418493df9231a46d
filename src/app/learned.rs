//! Names of opcodes that this browser learned from the profiler's output: kept, and given to every worker that opens a profile.

use super::device_views::other_devices;
use super::link::{store, stored};
use crate::state::{App, OpenProfile};
use crate::ui::effect::effect;
use crate::views::ledger::learned::{LearnedWords, known_names, learned_names, learned_words, names_text};
use leptos::prelude::*;

const KEY: &str = "axonscope.opcodes";

/// The names by number.
pub(super) fn opcodes() -> Vec<(u8, String)> {
    known_names(&stored(KEY).unwrap_or_default())
}

fn keep(all: &[(u8, String)]) {
    store(KEY, &names_text(all));
}

/// What other open files of the run say of words that are not decoded, and what was learned before.
pub(super) fn words(app: App, profile: &OpenProfile) -> AnyView {
    let found = learned_words(profile.ask.clone(), other_devices(app, profile));
    let known = RwSignal::new(opcodes());
    effect(move || {
        let new = found.with(|words| learned_names(words));
        let mut all = known.get_untracked();
        all.retain(|(code, _)| !new.contains_key(code));
        all.extend(new);
        all.sort();
        if known.with_untracked(|k| *k != all) {
            keep(&all);
            known.set(all);
        }
    });
    let on_forget = Callback::new(move |()| {
        keep(&[]);
        known.set(Vec::new());
    });
    view! { <LearnedWords words=found known=known.into() on_forget /> }.into_any()
}
