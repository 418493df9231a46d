//! Phases of an opening as measures `axonscope:…` on the performance timeline of the page and of its workers.

use crate::base::phases::{self, Listener, Phase};
use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::Performance;

/// Puts the phases that this program times on its performance timeline.
pub fn mark_phases() {
    phases::listen(Listener { now_ms, report });
}

fn performance() -> Option<Performance> {
    Reflect::get(&js_sys::global(), &"performance".into()).ok()?.dyn_into().ok()
}

fn now_ms() -> f64 {
    performance().map_or(0.0, |p| p.now())
}

/// A browser that refuses shows one measure less.
fn report(phase: Phase, from_ms: f64, to_ms: f64) {
    let Some(performance) = performance() else { return };
    let options = Object::new();
    let both = [("start", from_ms), ("end", to_ms)];
    if both.iter().any(|(key, at)| Reflect::set(&options, &(*key).into(), &(*at).into()).is_err()) {
        return;
    }
    let measure = Reflect::get(&performance, &"measure".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
    let _ = measure.map(|f| f.call2(&performance, &format!("axonscope:{}", phase.name()).into(), &options));
}
