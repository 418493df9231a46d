//! Above the rows: filter, columns, download; and the header whose cells sort.

use super::csv;
use super::data::{Column, Kind, Writer};
use super::json;
use super::missing_rows;
use super::order::{self, Direction, SortKeys};
use super::state::State;
use crate::base::text;
use crate::ui::controls::{Help, Menu, Problem};
use crate::ui::dom;
use leptos::{ev, prelude::*};

/// Filter, count, columns, CSV, JSON.
#[component]
pub(super) fn Tools(state: State, id: String) -> impl IntoView {
    let count = move || state.count_words();
    // The shown rows are complete only if no more are to be loaded.
    let save = |ending, kind, text: Writer| {
        let file = dom::file_name(&id, ending);
        missing_rows::when_whole(state, move || {
            let (columns, rows) = (state.columns.get_untracked(), state.rows.get_untracked());
            let (order, shown) = (state.order.get_untracked(), state.shown.get_untracked());
            dom::save_text(&file, kind, &text(&columns, &rows, &order, &shown));
        })
    };
    let save_csv = save("csv", "text/csv;charset=utf-8", csv::csv);
    let save_json = save("json", "application/json", json::json);
    view! {
        <div class="table__tools">
            <input
                type="search"
                class="input table__filter"
                placeholder="Filter rows"
                aria-label="Filter rows"
                title="Shows rows with a matching cell. The filter is case-sensitive only if it contains a capital letter."
                prop:value=move || state.choices.with(|c| c.filter.clone())
                on:input:target=move |e| state.choose_how(|c| c.filter = e.target().value())
            />
            <button
                type="button"
                class="button mono"
                title="Use the filter as a regular expression"
                aria-label="Regular expression"
                aria-pressed=move || state.choices.with(|c| c.is_regex).to_string()
                on:click=move |_| state.choose_how(|c| c.is_regex = !c.is_regex)
            >
                ".*"
            </button>
            <span class="table__count figure" role="status">{count}</span>
            <Menu label="Columns"><ColumnList state /></Menu>
            <button type="button" class="button" title="Save the rows shown as CSV with unrounded values" on:click=move |_| save_csv()>"CSV"</button>
            <button type="button" class="button" title="Save the rows shown as JSON with unrounded values" on:click=move |_| save_json()>"JSON"</button>
        </div>
        <Problem text=state.problem />
    }
}

/// Columns from which on the list of them has a filter.
const FILTERED_FROM: usize = 30;
/// Columns that the list shows at once.
const LISTED: usize = 200;

#[component]
fn ColumnList(state: State) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let item = move |column: &Column| {
        let id = column.id.clone();
        let is_shown = {
            let column = column.clone();
            move || state.choices.with(|c| c.shows(&column))
        };
        let toggle = move |_| {
            state.choose_how(|c| {
                if !c.switched.remove(&id) {
                    c.switched.insert(id.clone());
                }
            });
        };
        // The last one cannot be taken away.
        let is_last = {
            let is_shown = is_shown.clone();
            move || is_shown() && state.shown.with(|s| s.len() == 1)
        };
        view! {
            <label class="menu__item">
                <input type="checkbox" prop:checked=is_shown prop:disabled=is_last on:change=toggle />
                {column.label.clone()}
            </label>
        }
    };
    let filter = move || {
        (state.columns.with(|c| c.len()) >= FILTERED_FROM).then(|| {
            view! {
                <input
                    type="search"
                    class="input menu__filter"
                    placeholder="Filter columns"
                    aria-label="Filter columns"
                    prop:value=move || typed.get()
                    on:input:target=move |e| typed.set(e.target().value())
                />
            }
        })
    };
    let items = move || {
        let (columns, typed) = (state.columns.get(), typed.get().to_lowercase());
        let found: Vec<&Column> = columns.iter().filter(|c| c.label.to_lowercase().contains(&typed)).collect();
        let n_more = found.len().saturating_sub(LISTED);
        let more = (n_more > 0)
            .then(|| view! { <p class="menu__more">{format!("{} more; use the filter.", text::counted(n_more as u64, "column"))}</p> });
        view! { {found.into_iter().take(LISTED).map(item).collect_view()}{more} }
    };
    view! { {filter}{items} }
}

/// The header row.
#[component]
pub(super) fn Head(state: State) -> impl IntoView {
    let on_keys = Callback::new(move |keys: SortKeys| state.choose_how(|c| c.set_keys(&keys, &state.columns.read_untracked())));
    let cells = move || {
        let columns = state.columns.get();
        let cell = |at: usize| columns.get(at).map(|column| view! { <HeadCell keys=state.keys on_keys at column=column.clone() /> });
        state.shown.get().into_iter().map(cell).collect_view()
    };
    view! { <thead><tr>{cells}</tr></thead> }
}

/// A header that sorts.
#[component]
pub fn HeadCell(
    /// What rows are sorted by.
    #[prop(into)]
    keys: Signal<SortKeys>,
    /// The keys after a click.
    on_keys: Callback<SortKeys>,
    /// Position of the column.
    at: usize,
    /// The column.
    column: Column,
) -> impl IntoView {
    let held = move || keys.with(|keys| keys.iter().position(|k| k.0 == at).map(|i| (i, keys[i].1, keys.len())));
    let aria = move || match held() {
        Some((0, Direction::Descending, _)) => "descending",
        Some((0, Direction::Ascending, _)) => "ascending",
        Some(_) => "other",
        None => "none",
    };
    let arrow = move || {
        held().map(|(i, direction, n)| {
            let arrow = if direction == Direction::Descending { "▾" } else { "▴" };
            if n > 1 { format!("{arrow}{}", i + 1) } else { arrow.into() }
        })
    };
    let sort = move |e: ev::MouseEvent| {
        let is_added = e.shift_key();
        on_keys.run(order::clicked(&keys.get_untracked(), at, is_added));
    };
    let hint = "Click to sort; Shift+click to sort by a second column";
    let title = if column.help.is_empty() { hint.to_string() } else { format!("{}\n{hint}", column.help) };
    let help = (!column.help.is_empty()).then(|| view! { <Help text=column.help.clone() /> });
    let class = if column.kind.is_figure() && column.kind != Kind::Share { "figure" } else { "" };
    view! {
        <th scope="col" class=class data-column=column.id aria-sort=aria title=title on:click=sort>
            <span class="table__label">
                <button type="button" class="table__sort">{column.label}</button>
                <span class="table__arrow" aria-hidden="true">{arrow}</span>
                {help}
            </span>
        </th>
    }
}
