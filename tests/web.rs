//! The page inside a real browser: it mounts, says what it opens, and takes a file.
#![cfg(target_arch = "wasm32")]

use leptos::prelude::*;
use wasm_bindgen_test::*;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn the_page_mounts_and_can_be_given_a_file() {
    leptos::mount::mount_to_body(|| view! { <axonscope::app::App /> });
    leptos::task::tick().await;
    let document = web_sys::window().expect("a window").document().expect("a document");
    let body = document.body().expect("a body");
    assert!(body.inner_text().len() > 10, "the start page says something");
}
