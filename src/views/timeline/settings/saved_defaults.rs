//! The part of the panel of choices that keeps them for the next profile of the kind.

use crate::state::saved_defaults::FrontDefaults;
use leptos::prelude::*;

/// Saves what is chosen as the user's own, shows it again, forgets it.
#[component]
pub fn SavedDefaultsMenu(front_defaults: FrontDefaults) -> impl IntoView {
    let (is_saved, is_shown) = (Memo::new(move |_| front_defaults.is_saved()), Memo::new(move |_| front_defaults.is_shown()));
    let note = move || {
        let all = front_defaults.kind.label();
        match (is_saved.get(), is_shown.get()) {
            (false, true) => format!("{all} open with these settings: nothing is saved."),
            (false, false) => format!("{all} open with every row."),
            (true, true) => format!("{all} open with these settings, as you saved them."),
            (true, false) => format!("{all} open with your saved settings, which differ from the current ones."),
        }
    };
    let state = move || match (is_saved.get(), is_shown.get()) {
        (false, _) => "none",
        (true, true) => "shown",
        (true, false) => "other",
    };
    view! {
        <div class="settings-panel__own" data-own-choices=state>
            <p class="settings-panel__buttons">
                <button
                    type="button" class="button" data-own-save="" disabled=move || is_shown.get()
                    title="Save the current settings of this panel in this browser for profiles of this kind. A shared link keeps the settings of its sender"
                    on:click=move |_| front_defaults.save()
                >
                    "Save as default"
                </button>
                <Show when=move || is_saved.get()>
                    <button
                        type="button" class="button" data-own-show="" disabled=move || is_shown.get() title="Apply your saved settings"
                        on:click=move |_| front_defaults.show()
                    >
                        "My default"
                    </button>
                    <button
                        type="button" class="button button--quiet" data-own-forget="" title="Delete your saved settings; the current view is kept"
                        on:click=move |_| front_defaults.forget()
                    >
                        "Delete my default"
                    </button>
                </Show>
            </p>
            <p class="flows__note" role="status">{note}</p>
        </div>
    }
}
