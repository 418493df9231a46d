//! The bars round a view: tabs and search above, views at the side, range and scope over the view.

use crate::app::shell::runs;
use crate::app::shell::search::SearchBox;
use crate::app::storage::browser_state;
use crate::app::storage::share;
use crate::base::{Severity, text};
use crate::state::{App, AppStateStoreFields as _, actions, slice_set};
use leptos::prelude::*;

/// Logo, tabs, search, ledger badge, theme, help.
#[component]
pub fn TopBar(
    /// Asks for files, or a directory.
    on_pick: Callback<bool>,
) -> impl IntoView {
    let app = App::expect();
    let has_profile = move || app.state.front().get().is_some();
    view! {
        <header class="topbar">
            <button type="button" class="topbar__logo" title="Start page: library, samples, supported profiles" aria-label="Axonscope: start page" on:click=move |_| actions::show_start(app)>
                <Logo />
                <span class="topbar__name">"Axonscope"</span>
            </button>
            <div class="tabs"><runs::Tabs /></div>
            <button type="button" class="button button--quiet topbar__open" title="Open more files" on:click=move |_| on_pick.run(false)>
                "+ Open"
            </button>
            <span class="topbar__space"></span>
            <Show when=has_profile>
                <SearchBox />
                <LedgerBadge />
                <button type="button" class="button button--quiet" data-share="" title="Save or copy a picture, a report, data, or one HTML file" on:click=move |_| share::act(app, share::PANEL)>
                    "Share"
                </button>
            </Show>
            <button type="button" class="button button--icon" aria-label="Switch between light and dark" title="Switch between light and dark" on:click=move |_| browser_state::toggle_theme(app)>
                <Icon path="M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13" />
            </button>
            <button
                type="button" class="button button--icon" aria-label="Help" title="Keyboard shortcuts and help (?)"
                on:click=move |_| app.state.is_help_open().set(true)
            >
                "?"
            </button>
        </header>
    }
}

/// Puts the address, which holds the view and no data, on the clipboard.
pub(in crate::app) fn copy_link() {
    crate::ui::dom::copy_text(&location().href().unwrap_or_default());
}

#[component]
fn Logo() -> impl IntoView {
    view! {
        <svg class="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path d="M2 14 L7 5 L11 12 L14 7 L18 14" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round" />
            <circle cx="7" cy="5" r="2" fill="currentColor" />
            <circle cx="14" cy="7" r="2" fill="currentColor" />
        </svg>
    }
}

/// A line drawing in the colour of the text.
#[component]
pub(in crate::app) fn Icon(path: &'static str) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=path fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
        </svg>
    }
}

/// How much was omitted; leads to the ledger.
#[component]
fn LedgerBadge() -> impl IntoView {
    let app = App::expect();
    let ledger = Memo::new(move |_| app.front().map(|p| p.ledger));
    let worst = move || ledger.get().and_then(|l| l.worst());
    let n = move || ledger.get().map_or(0, |l| l.n_concerns());
    let title = move || match worst() {
        Some(Severity::DataLoss) => "Some records of the file are not shown: open the ledger for the reasons",
        Some(Severity::Warning) => "Some records were changed during import: open the ledger for the reasons",
        _ => "Every record of the file is shown: open the ledger for the counts",
    };
    view! {
        <button
            type="button" class="ledgerbadge" title=title
            class:ledgerbadge--warn=move || worst() == Some(Severity::Warning)
            class:ledgerbadge--danger=move || worst() == Some(Severity::DataLoss)
            on:click=move |_| actions::show_view(app, "ledger")
        >
            <Icon path="M3.5 2h9v12h-9zM6 5.5h4M6 8h4M6 10.5h2" />
            <span class="ledgerbadge__count">{move || text::count(n())}</span>
            <span class="visually-hidden">" records changed or skipped"</span>
        </button>
    }
}

/// How many rows the range is of, where they are not all; a click takes all.
#[component]
fn BoxedRowsChip() -> impl IntoView {
    const MOST_NAMED: usize = 12;
    let app = App::expect();
    let boxed = app.boxed_rows();
    let description = move || boxed.with(|b| b.of_rows().trim_start_matches(" in ").to_string());
    let title = move || {
        let mut names: Vec<String> = app.rows.with(|rows| rows.iter().take(MOST_NAMED).cloned().collect());
        let n_more = app.rows.with(|rows| rows.len().saturating_sub(MOST_NAMED));
        names.extend((n_more > 0).then(|| format!("and {n_more} more")));
        format!(
            "The table below the timeline and the values in Search cover these rows only. Click to include all rows.\n{}",
            names.join("\n")
        )
    };
    view! {
        <Show when=move || boxed.with(|b| !b.tracks.is_empty())>
            <button type="button" class="button scopebar__rows" data-boxed-rows="" title=title on:click=move |_| actions::all_rows(app)>
                {description} " ×"
            </button>
        </Show>
    }
}

/// The marked set of slices: its name, whether it is drawn alone, the way to make it the scope.
#[component]
fn SetChip() -> impl IntoView {
    let app = App::expect();
    let set = app.slice_set;
    let has_set = Memo::new(move |_| set.with(Option::is_some));
    let name = move || set.with(|s| s.as_ref().map(|s| s.name.clone()).unwrap_or_default());
    let count = move || set.with(|s| s.as_ref().map(|s| text::counted(s.n as u64, "slice")).unwrap_or_default());
    let is_alone = move || set.with(|s| s.as_ref().is_some_and(|s| s.is_alone)).to_string();
    view! {
        <Show when=move || has_set.get()>
            <span class="scopebar__set" data-slice-set="" role="group" aria-label="Marked set of slices">
                <input
                    class="input scopebar__setname" type="text" aria-label="Name of the set" title="Name of the set of slices that is marked in the timeline"
                    prop:value=name on:change:target=move |e| slice_set::rename(app, &e.target().value())
                />
                <span class="figure">{count}</span>
                <button type="button" class="button" data-set-alone="" aria-pressed=is_alone title="Draw no other slices in the timeline" on:click=move |_| slice_set::toggle_alone(app)>"Only these"</button>
                <button type="button" class="button" data-set-scope="" title="Every view then covers the time in which slices of the set run; values by row cover its rows only" on:click=move |_| slice_set::use_as_scope(app)>"Use as scope"</button>
                <button type="button" class="button button--quiet" data-set-clear="" aria-label="Remove the set" on:click=move |_| actions::set_highlights(app, Vec::new())>"×"</button>
            </span>
        </Show>
    }
}

/// The scope of every view, and what slices are coloured by.
#[component]
pub fn ScopeBar() -> impl IntoView {
    let app = App::expect();
    let whole = Memo::new(move |_| app.front().map(|p| p.columns.range()).unwrap_or_default());
    let range = move || match (app.range.get(), app.region()) {
        (Some(_), Some(region)) => region.sentence(),
        (Some(r), None) => {
            format!("Selected range {} – {} ({})", text::time_exact(r.start.0), text::time_exact(r.end.0), text::duration(r.duration()))
        }
        (None, _) if whole.get().duration().0 == 0 => String::new(),
        (None, _) => format!("Entire trace: {}", text::duration(whole.get().duration())),
    };
    let has_range = move || app.range.with(Option::is_some);
    let colourings = Memo::new(move |_| app.front().map(|p| p.columns.info.colourings.clone()).unwrap_or_default());
    let (_, set_colour) = app.colour_choice();
    let colour_by = Memo::new(move |_| app.colour_by());
    let can_colour = move || app.state.view().with(|v| v == "timeline") && colourings.with(|c| c.len() > 1);
    let option = move |(id, label): (String, String)| {
        let this = id.clone();
        view! { <option value=id selected=move || colour_by.get() == this>{label}</option> }
    };
    view! {
        <div class="scopebar">
            <Show when=has_range fallback=move || view! { <span class="scopebar__range figure" data-range="">{range}</span> }>
                <button
                    type="button" class="button scopebar__range scopebar__chip figure" data-range="" data-clear-range=""
                    title="Every view is of this scope. Click for the entire trace (Esc)." on:click=move |_| actions::commit_range(app, None)
                >
                    <span>{range}</span>
                    <span aria-hidden="true">"×"</span>
                    <span class="visually-hidden">": return to the entire trace"</span>
                </button>
                <BoxedRowsChip />
            </Show>
            <SetChip />
            <runs::RunPanel />
            <Show when=can_colour>
                <label class="scopebar__colour">
                    "Colour by "
                    <select class="select" data-field="colour" on:change:target=move |e| set_colour.set(e.target().value())>
                        {move || colourings.get().into_iter().map(option).collect_view()}
                    </select>
                </label>
            </Show>
        </div>
    }
}
