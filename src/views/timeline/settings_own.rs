//! The part of the panel of choices that keeps them for the next profile of the kind.

use crate::state::own::Mine;
use leptos::prelude::*;

/// Saves what is chosen as the user's own, shows it again, forgets it.
#[component]
pub(super) fn OwnChoices(mine: Mine) -> impl IntoView {
    let (is_saved, is_shown) = (Memo::new(move |_| mine.is_saved()), Memo::new(move |_| mine.is_shown()));
    let note = move || {
        let all = mine.kind.label();
        match (is_saved.get(), is_shown.get()) {
            (false, true) => format!("{all} begin like this: nothing is saved."),
            (false, false) => format!("{all} begin with everything."),
            (true, true) => format!("{all} begin like this, as you saved it."),
            (true, false) => format!("{all} begin with what you saved, which is not what is shown now."),
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
                    title="Rows, colours and the rest of this panel as they are now, for profiles of this kind that you open; kept in this browser. A link shows what its sender saw"
                    on:click=move |_| mine.save()
                >
                    "Save as mine"
                </button>
                <Show when=move || is_saved.get()>
                    <button
                        type="button" class="button" data-own-show="" disabled=move || is_shown.get() title="As you saved it"
                        on:click=move |_| mine.show()
                    >
                        "Mine"
                    </button>
                    <button
                        type="button" class="button button--quiet" data-own-forget="" title="Profiles begin with everything again; what is shown stays"
                        on:click=move |_| mine.forget()
                    >
                        "Forget mine"
                    </button>
                </Show>
            </p>
            <p class="flows__note" role="status">{note}</p>
        </div>
    }
}
