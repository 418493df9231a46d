//! The table itself.

use super::body::{Body, Total};
use super::data::{self, Column, Kind, Row};
use super::head::{Head, Tools};
use super::missing_rows::{self, MissingRows};
use super::state::{SavedChoices, State};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::{ev, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A table with filter, sort, columns and CSV, of any number of rows.
#[component]
pub fn Table(
    /// Its name: `data-table`, and the name of the file that CSV saves.
    #[prop(into)]
    id: String,
    /// What it shows, for screen readers.
    #[prop(into)]
    label: String,
    /// Columns from left to right.
    #[prop(into)]
    columns: Signal<Arc<Vec<Column>>>,
    /// Rows in their original order.
    #[prop(into)]
    rows: Signal<Arc<Vec<Row>>>,
    /// The row that is marked and kept in sight, by its position in `rows`.
    #[prop(optional, into)]
    selected: Signal<Option<usize>>,
    /// A row was chosen, by its position in `rows`.
    #[prop(optional, into)]
    on_row: Option<Callback<usize>>,
    /// What is instead of rows when there are none.
    #[prop(default = "There are no rows.".into(), into)]
    empty: String,
    /// Where sorting, columns and filter are kept; without it they are as long as the table.
    #[prop(optional)]
    saved: Option<SavedChoices>,
    /// Rows that are still to come when `rows` are only the first ones.
    #[prop(optional)]
    rest: Option<MissingRows>,
) -> impl IntoView {
    let state = State::new(columns, rows, selected, on_row, saved, rest);
    follow(state);
    missing_rows::follow(state);
    let box_label = label.clone();
    let sizes = move || widths(state);
    let blank = move || {
        let is_blank = state.order.with(|o| o.is_empty());
        let sentence = if state.rows.with(|r| r.is_empty()) { empty.clone() } else { "No row matches the filter.".into() };
        is_blank.then(|| view! { <p class="table__empty">{sentence}</p> })
    };
    view! {
        <div class="table-part">
            <Tools state id=id.clone() />
            <div
                class="table-box"
                tabindex="0"
                role="group"
                aria-label=box_label
                node_ref=state.scroller
                on:scroll:target=move |e| state.scroll.set(f64::from(e.target().scroll_top()))
                on:keydown=move |e| on_key(state, &e)
            >
                <table class="table table--fixed" data-table=id aria-label=label style:min-width=move || least_width(sizes().1)>
                    <colgroup>{move || sizes().0.into_iter().map(col).collect_view()}</colgroup>
                    <Head state />
                    <Body state />
                    <Total state />
                </table>
                {blank}
            </div>
        </div>
    }
}

/// Keeps size, selection and opened rows in step with what they depend on.
fn follow(state: State) {
    effect(move || {
        let Some(scroller) = state.scroller.get() else { return };
        let seen = scroller.clone();
        dom::on_resize(&scroller, move || {
            let _ = state.height.try_set(f64::from(seen.client_height()));
        });
    });
    effect(move || {
        state.rows.track();
        state.opened.set(BTreeSet::new());
        state.active.set(None);
    });
    effect(move || {
        if let Some(row) = state.selected.get() {
            state.reveal_row(row);
        }
    });
}

fn on_key(state: State, event: &ev::KeyboardEvent) {
    // Keys in a button of the table are the button's.
    if event.target() != event.current_target() || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let page = (state.height.get_untracked() / super::window::ROW) as isize - 3;
    match event.key().as_str() {
        "ArrowDown" => state.step(1),
        "ArrowUp" => state.step(-1),
        "PageDown" => state.step(page.max(1)),
        "PageUp" => state.step(-page.max(1)),
        "Home" => state.step(-(u32::MAX as isize / 2)),
        "End" => state.step(u32::MAX as isize / 2),
        "Enter" => {
            if let Some(active) = state.active.get_untracked() {
                state.choose(active.row);
            }
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Digits of a column, and whether it is a name; `None` takes what is left.
type Width = Option<(usize, bool)>;

/// Widths of the columns shown; and how wide those that have one are together, and the one that takes what is left and whether it is a wide one.
fn widths(state: State) -> (Vec<Width>, (usize, usize, bool)) {
    let (columns, rows) = (state.columns.get(), state.rows.get());
    let shown = state.shown.get();
    let wide: Vec<_> = shown.iter().filter_map(|c| Some((columns.get(*c)?, data::width(columns.get(*c)?, &rows, *c)))).collect();
    let rest = data::takes_the_rest(wide.iter().map(|w| w.0));
    let others = wide.iter().enumerate().filter(|(i, _)| Some(*i) != rest).map(|(_, (_, w))| *w).sum();
    let (of_rest, is_wide) = rest.map_or((0, false), |i| (wide[i].1, wide[i].0.is_wide));
    let width = |(i, (column, w)): (usize, (&Column, usize))| (Some(i) != rest).then_some((w, column.kind == Kind::Name));
    (wide.into_iter().enumerate().map(width).collect(), (others, of_rest, is_wide))
}

/// The table is as wide as its columns need; of the one that takes what is left that is at most what the style sheet grants it.
fn least_width((others, name, is_wide): (usize, usize, bool)) -> String {
    let most = if is_wide { "var(--table-wide, 56ch)" } else { "var(--table-name, 36ch)" };
    format!("calc({others}ch + min({name}ch, {most}))")
}

/// A name with a width of its own is on a narrow screen no wider than the style sheet grants it.
fn col(width: Width) -> impl IntoView {
    let width = width.map(|(w, is_name)| if is_name { format!("min({w}ch, var(--table-name, {w}ch))") } else { format!("{w}ch") });
    view! { <col style:width=width /> }
}
