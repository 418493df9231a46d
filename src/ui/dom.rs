//! Small errands in the document: saving a file, copying a text, watching a size. All of them do nothing where there is no browser.

use js_sys::{Function, Promise, Reflect};
use leptos::{html, prelude::*};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlCanvasElement, ResizeObserver, Url};

/// Offers `text` as a download, unless a script takes it: a report asks charts for their pictures this way.
pub fn save_text(name: &str, kind: &str, text: &str) {
    let init = web_sys::CustomEventInit::new();
    init.set_cancelable(true);
    init.set_detail(&text.into());
    let is_taken = web_sys::CustomEvent::new_with_event_init_dict("axonscope-save", &init)
        .is_ok_and(|event| window().dispatch_event(&event) == Ok(false));
    if is_taken {
        return;
    }
    let parts = js_sys::Array::of1(&text.into());
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) else { return };
    save_blob(name, &blob);
}

fn save_blob(name: &str, blob: &Blob) {
    let Ok(url) = Url::create_object_url_with_blob(blob) else { return };
    follow(name, &url);
    // After the click has been handled, the download keeps the blob alive.
    set_timeout(move || drop(Url::revoke_object_url(&url)), std::time::Duration::from_secs(10));
}

/// A file that is being written: each part moves from WebAssembly memory to the browser.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    blobs: js_sys::Array,
}

impl Parts {
    /// Adds text at the end.
    pub fn push(&mut self, text: &str) {
        if let Ok(blob) = Blob::new_with_str_sequence(&js_sys::Array::of1(&text.into())) {
            self.blobs.push(&blob);
        }
    }

    /// Offers all of it as a download.
    pub fn save(&self, name: &str, kind: &str) {
        let options = BlobPropertyBag::new();
        options.set_type(kind);
        let Ok(blob) = Blob::new_with_blob_sequence_and_options(&self.blobs, &options) else { return };
        save_blob(name, &blob);
    }
}

/// Offers what is drawn on `canvas` as a PNG.
pub fn save_canvas(name: &str, canvas: &HtmlCanvasElement) {
    if let Ok(url) = canvas.to_data_url_with_type("image/png") {
        follow(name, &url);
    }
}

/// Scrolls the parent of `element` horizontally until `element` is visible. Other ancestors do not scroll.
pub fn scroll_into_row(element: &Element) {
    let Some(row) = element.parent_element() else { return };
    let (own, around) = (element.get_bounding_client_rect(), row.get_bounding_client_rect());
    let before = own.left() - around.left();
    let after = own.right() - around.right();
    if before < 0.0 || after > 0.0 {
        let by = if before < 0.0 { before } else { after };
        row.set_scroll_left(row.scroll_left() + by.round() as i32);
    }
}

/// Like [`scroll_into_row`], vertically.
pub fn scroll_into_list(element: &Element) {
    let Some(list) = element.parent_element() else { return };
    let (own, around) = (element.get_bounding_client_rect(), list.get_bounding_client_rect());
    let (before, after) = (own.top() - around.top(), own.bottom() - around.bottom());
    if before < 0.0 || after > 0.0 {
        let by = if before < 0.0 { before } else { after };
        list.set_scroll_top(list.scroll_top() + by.round() as i32);
    }
}

fn follow(name: &str, url: &str) {
    let Ok(link) = document().create_element("a") else { return };
    let link: HtmlAnchorElement = link.unchecked_into();
    link.set_href(url);
    link.set_download(name);
    link.click();
}

/// Puts `text` on the clipboard.
pub fn copy_text(text: &str) {
    // The browser reports a refusal itself; there is no fallback.
    let _ = window().navigator().clipboard().write_text(text);
}

/// Calls a function of a script of the site, which is loaded when it is first needed. Fails with what the script throws.
pub async fn call_script(file: &str, name: &str, arguments: &[JsValue]) -> Result<JsValue, JsValue> {
    let early = Reflect::get(&window(), &"axonscopeEarly".into())?;
    let load: Function = Reflect::get(&early, &"load".into())?.dyn_into()?;
    let module = JsFuture::from(load.call1(&early, &file.into())?.dyn_into::<Promise>()?).await?;
    let function: Function = Reflect::get(&module, &name.into())?.dyn_into()?;
    JsFuture::from(function.apply(&module, &arguments.iter().collect())?.dyn_into::<Promise>()?).await
}

/// Whether a panel of the top layer is open, which Escape belongs to.
pub fn is_panel_open() -> bool {
    // A browser without popovers does not know the selector, and has none open.
    document().query_selector(":popover-open").is_ok_and(|found| found.is_some())
}

/// Calls `run` whenever the element's size changes, and once at the start; ends with the owner.
pub fn on_resize(element: &Element, run: impl FnMut() + 'static) {
    let closure = Closure::<dyn FnMut()>::new(run);
    let Ok(observer) = ResizeObserver::new(closure.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let held = StoredValue::new_local((observer, closure));
    on_cleanup(move || {
        held.try_with_value(|held| held.0.disconnect());
    });
}

/// Frees the pixels of a canvas when its owner is disposed. A browser keeps those of a removed canvas until it next collects
/// garbage, and several megabytes of them do not make it collect.
pub fn free_on_cleanup(canvas: NodeRef<html::Canvas>) {
    on_cleanup(move || {
        if let Some(canvas) = canvas.try_get_untracked().flatten() {
            canvas.set_width(0);
        }
    });
}

/// Whether a dialog is open. Its `close` event comes later than it closes: by then it may be open again.
pub fn is_dialog_open(dialog: NodeRef<html::Dialog>) -> bool {
    dialog.get_untracked().is_some_and(|dialog| dialog.open())
}

/// A file name made of `text`: letters, digits, dots and dashes.
pub fn file_name(text: &str, ending: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '-' };
    format!("{}.{ending}", text.chars().map(plain).collect::<String>().trim_matches('-'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn file_names_are_plain() {
        assert_eq!(super::file_name("Time by device/engine ", "png"), "Time-by-device-engine.png");
    }
}
