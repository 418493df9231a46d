//! The page inside a real browser: it mounts, and what it keeps in the browser's storage is there.
#![cfg(target_arch = "wasm32")]

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::*;
use web_sys::HtmlElement;

wasm_bindgen_test_configure!(run_in_browser);

const THEME: &str = "axonscope.theme";

#[wasm_bindgen_test]
async fn the_page_mounts_in_the_theme_that_was_chosen_and_stores_another() {
    let storage = window().local_storage().expect("storage").expect("storage");
    storage.set_item(THEME, "dark").expect("stored");
    leptos::mount::mount_to_body(|| view! { <axonscope::app::App /> });
    leptos::task::tick().await;
    let body = document().body().expect("a body");
    assert!(body.inner_text().len() > 10, "the start page says something");
    let theme = || document().document_element().and_then(|root| root.get_attribute("data-theme"));
    assert_eq!(theme().as_deref(), Some("dark"));
    let switch = body.query_selector("[aria-label='Switch between light and dark']").expect("a selector").expect("a switch");
    switch.unchecked_into::<HtmlElement>().click();
    leptos::task::tick().await;
    assert_eq!((theme().as_deref(), storage.get_item(THEME).expect("read").as_deref()), (Some("light"), Some("light")));
}
