//! Names of opcodes and of operands' codes that this browser learned from the profiler's output: kept, and given to every worker that opens a profile.

use crate::app::storage::local_storage::{store, stored};
use crate::app::wiring::device_views::other_devices;
use crate::state::{App, OpenProfile};
use crate::ui::effect::effect;
use crate::views::ledger::learned::{LearnedNames, LearnedWords, known_names, learned_words, names_text, with_new};
use leptos::prelude::*;

const KEY: &str = "axonscope.opcodes";

/// What was learned.
pub(in crate::app) fn names() -> LearnedNames {
    known_names(&stored(KEY).unwrap_or_default())
}

fn keep(all: &LearnedNames) {
    store(KEY, &names_text(all));
}

/// Text of undecoded words from other open files of the run, and from earlier runs.
pub(in crate::app) fn words(app: App, profile: &OpenProfile) -> AnyView {
    let found = learned_words(profile.ask.clone(), other_devices(app, profile));
    let known = RwSignal::new(names());
    effect(move || {
        let all = found.with(|found| with_new(known.get_untracked(), found));
        if known.with_untracked(|k| *k != all) {
            keep(&all);
            known.set(all);
        }
    });
    let on_forget = Callback::new(move |()| {
        keep(&LearnedNames::default());
        known.set(LearnedNames::default());
    });
    view! { <LearnedWords found known=known.into() on_forget /> }.into_any()
}
