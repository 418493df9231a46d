//! Errors and notices: shown until dismissed; those about dropped files until the next drop.

use crate::app::open::opening;
use crate::state::{App, AppStateStoreFields as _, actions};
use crate::ui::controls::with_code;
use leptos::prelude::*;

/// Panels over the view.
#[component]
pub fn Notices() -> impl IntoView {
    let app = App::expect();
    let stopped = move || app.front().and_then(|p| p.stopped.map(|sentence| (p.id, sentence)));
    view! {
        <div class="notices">
            <For each=move || app.state.notices().get() key=|n| n.id let(notice)>
                <div class="notice" class:notice--danger=notice.is_error role=if notice.is_error { "alert" } else { "status" }>
                    <p class="notice__text">{with_code(&notice.text)}</p>
                    <button
                        type="button" class="button button--icon" aria-label="Dismiss" title="Dismiss"
                        on:click=move |_| actions::dismiss(app, notice.id)
                    >
                        "×"
                    </button>
                </div>
            </For>
            {move || stopped().map(|(id, sentence)| view! {
                <div class="notice notice--danger" role="alert">
                    <p class="notice__text">{with_code(&sentence)}</p>
                    <button type="button" class="button" on:click=move |_| opening::reopen(app, id)>"Reopen"</button>
                </div>
            })}
        </div>
    }
}
