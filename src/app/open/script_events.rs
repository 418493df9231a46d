//! What scripts around the program learn of the files that they gave (`public/connect`): events on the window, named by the drop.

use js_sys::{Object, Reflect};
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use wasm_bindgen::JsValue;
use web_sys::{CustomEvent, CustomEventInit};

/// Event with `{ files, entries }` to open; gets the number of its drop as `drop`.
pub const OPEN: &str = "axonscope-open";
/// Event with what became of a profile: `{ drop, hash }`, `{ drop, error }` or `{ drop, cancelled }`.
const DONE: &str = "axonscope-done";

thread_local! {
    /// Drops of imports.
    static DROPS: RefCell<HashMap<u32, u32>> = RefCell::default();
}

/// Writes the number of its drop on what a script gave.
pub fn name_drop(item: &JsValue, drop: u32) {
    set(item, "drop", drop.into());
}

/// An import belongs to a drop.
pub fn expect(import: u32, drop: u32) {
    DROPS.with_borrow_mut(|drops| drops.insert(import, drop));
}

/// A profile of a drop is open.
pub fn opened(drop: u32, hash: &str) {
    dispatch(drop, "hash", hash.into());
}

/// A drop, or a profile in it, cannot be opened; a sentence.
pub fn failed(drop: u32, sentence: &str) {
    dispatch(drop, "error", sentence.into());
}

/// The user has stopped an import.
pub fn cancelled(import: u32) {
    let drop = DROPS.with_borrow_mut(|drops| drops.remove(&import));
    if let Some(drop) = drop {
        dispatch(drop, "cancelled", true.into());
    }
}

fn dispatch(drop: u32, key: &str, value: JsValue) {
    let detail = Object::new();
    name_drop(&detail, drop);
    set(&detail, key, value);
    let init = CustomEventInit::new();
    init.set_detail(&detail);
    // An event of ours, with a plain object, is always made and never cancelled.
    let _ = CustomEvent::new_with_event_init_dict(DONE, &init).and_then(|event| window().dispatch_event(&event));
}

fn set(object: &JsValue, key: &str, value: JsValue) {
    // Objects of our own scripts take properties.
    let _ = Reflect::set(object, &key.into(), &value);
}
