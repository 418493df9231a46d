//! The page's root: open, tabs, layout.

use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    view! { <main class="app">"Axonscope"</main> }
}
