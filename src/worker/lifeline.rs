//! Detects that a worker stopped for any reason. A killed worker sends no event, but the browser releases its lock.
//!
//! Without Web Locks (a page that is not served securely) only what the browser reports is noticed.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

/// Requests the lock of that name. `on_hold` runs when it is granted and returns the promise that keeps it. `None` if the browser has no locks.
fn request(name: &str, on_hold: JsValue) -> Option<Promise> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(JsValue::is_object)?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    request.call2(&locks, &name.into(), &on_hold).ok()?.dyn_into().ok()
}

/// In a worker: takes a lock for its lifetime and calls `ready` with the lock's name; empty if the browser has no locks.
pub(super) fn hold(ready: impl Fn(String) + Clone + 'static) {
    let name = format!("axonscope {} {}", js_sys::Date::now(), js_sys::Math::random());
    let on_hold = {
        let (ready, name) = (ready.clone(), name.clone());
        Closure::once_into_js(move || {
            ready(name);
            Promise::new(&mut |_, _| {})
        })
    };
    let Some(promise) = request(&name, on_hold) else {
        return ready(String::new());
    };
    // The promise never resolves; it fails where the page may not use locks.
    let refused = Closure::<dyn FnMut(JsValue)>::new(move |_| ready(String::new()));
    let _ = promise.catch(&refused);
    refused.forget();
}

/// On the page: calls `gone` when the lock becomes free.
pub(super) fn watch(name: &str, gone: impl FnOnce() + 'static) {
    if name.is_empty() {
        return;
    }
    if let Some(promise) = request(name, Closure::once_into_js(gone)) {
        // Nothing more can be noticed where the browser refuses.
        let refused = Closure::<dyn FnMut(JsValue)>::new(|_| {});
        let _ = promise.catch(&refused);
        refused.forget();
    }
}
