//! The slices of a range summed by name, below the timeline they were marked in.

use super::{State, rows};
use crate::base::{TimeRange, text};
use crate::state::BoxedRows;
use crate::state::choices::ViewState;
use crate::ui::controls::Problem;
use crate::ui::table::{Row, Table};
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// A bar with the length of the range, which expands to a table of its content. Absent without a range.
#[component]
pub fn RangeSums(
    /// Answers for the open profile.
    ask: Ask,
    /// The committed range.
    range: Signal<Option<TimeRange>>,
    /// Its rows.
    rows: Signal<BoxedRows>,
    /// A row was chosen: what rows are grouped by, and its name.
    on_row: Callback<(String, String)>,
    /// Whether it is open; kept with the timeline's choices.
    choices: ViewState,
) -> impl IntoView {
    let (is_open, set_open) = choices.choice("sums", false);
    let has_range = Memo::new(move |_| range.get().is_some());
    let ask = StoredValue::new(ask);
    let description = move || {
        let of_rows = rows.with(|r| r.of_rows());
        range.get().map(|r| format!("Slices in the range of {}{of_rows}, by name", text::duration(r.duration())))
    };
    let mark = move || if is_open.get() { "▾" } else { "▸" };
    view! {
        <Show when=move || has_range.get()>
            <section class="range-sums" data-range-sums>
                <button type="button" class="range-sums__bar" aria-expanded=move || is_open.get().to_string() on:click=move |_| set_open.set(!is_open.get_untracked())>
                    <span aria-hidden="true">{mark}</span>
                    {description}
                </button>
                <Show when=move || is_open.get()>
                    <Sums ask=ask.get_value() range boxed=rows on_row />
                </Show>
            </section>
        </Show>
    }
}

#[component]
fn Sums(ask: Ask, range: Signal<Option<TimeRange>>, boxed: Signal<BoxedRows>, on_row: Callback<(String, String)>) -> impl IntoView {
    let tracks = Signal::derive(move || boxed.with(|b| b.tracks.clone()));
    let state = State::new(ask, range, tracks, ViewState::detached("range-sums"));
    let has_flops = Memo::new(move |_| state.found.value.with(|o| o.as_ref().is_some_and(|o| o.has_flops)));
    let columns = Memo::new(move |_| Arc::new(rows::columns("Name", has_flops.get())));
    let rows: Signal<Arc<Vec<Row>>> = state.found.derive(|o| rows::rows(o, "", "Name"));
    let choose = Callback::new(move |at: usize| {
        if let Some(name) = rows.with_untracked(|rows| rows.get(at).map(Row::name)) {
            on_row.run(("name".into(), name));
        }
    });
    let selected = RwSignal::new(None);
    view! {
        <Problem text=state.found.problem />
        <Table id="range-sums" label="Slices in the range, by name" columns rows selected on_row=choose empty=wording::NOTHING_RAN saved=state.table />
    }
}
