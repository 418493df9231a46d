//! Effects that are in the program once.

use leptos::prelude::Effect;

/// Runs `work`, and again whenever what it reads changes: as `Effect::new`, which is compiled for each closure it gets.
pub fn effect(work: impl FnMut() + 'static) {
    run_boxed(Box::new(work));
}

fn run_boxed(mut work: Box<dyn FnMut()>) {
    Effect::new(move |_: Option<()>| work());
}
