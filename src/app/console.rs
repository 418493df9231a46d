//! The console of the browser.

use wasm_bindgen::JsValue;

/// Logs a refusal of the browser that has no consequence for the user.
pub(in crate::app) fn log_failure(result: Result<(), JsValue>) {
    if let Err(error) = result {
        web_sys::console::warn_1(&error);
    }
}
