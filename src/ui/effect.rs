//! Effects that are in the program once.

use leptos::prelude::Effect;

/// Runs `work` again whenever its signals change. As `Effect::new`, but compiled once instead of once per closure.
pub fn effect(work: impl FnMut() + 'static) {
    run_boxed(Box::new(work));
}

fn run_boxed(mut work: Box<dyn FnMut()>) {
    Effect::new(move |_: Option<()>| work());
}
