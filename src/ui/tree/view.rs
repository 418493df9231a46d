//! The tree table itself.

use super::data::{Branch, Line};
use super::state::State;
use crate::base::text;
use crate::ui::controls::{Problem, swatch_colour};
use crate::ui::dom;
use crate::ui::effect::effect;
use crate::ui::table::window::ROW;
use crate::ui::table::{Column, HeadCell, Kind, Name, copied, csv, data, json, plain_cell};
use leptos::{ev, prelude::*};
use std::sync::Arc;

/// A tree with filter, sort and CSV, of any number of rows.
#[component]
pub fn TreeTable(
    /// Its name: `data-table`, and the name of the file that CSV saves.
    #[prop(into)]
    id: String,
    /// What it shows, for screen readers.
    #[prop(into)]
    label: String,
    /// Columns from left to right; the first is the name.
    #[prop(into)]
    columns: Signal<Arc<Vec<Column>>>,
    /// Rows in pre-order.
    #[prop(into)]
    branches: Signal<Arc<Vec<Branch>>>,
    /// Levels that are open at first.
    #[prop(default = 2)]
    levels: usize,
    /// The row that is marked and kept in sight, by its position in `branches`.
    #[prop(optional, into)]
    selected: Signal<Option<usize>>,
    /// A row was chosen, by its position in `branches`.
    #[prop(optional, into)]
    on_row: Option<Callback<usize>>,
    /// What is instead of rows when there are none.
    #[prop(default = "There are no rows.".into(), into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(columns, branches, selected, on_row);
    follow(state, levels);
    let blank = move || {
        let is_blank = state.lines.with(|l| l.is_empty());
        let sentence = if branches.with(|b| b.is_empty()) { empty.clone() } else { "No row matches the filter.".into() };
        is_blank.then(|| view! { <p class="table__empty">{sentence}</p> })
    };
    let on_keys = Callback::new(move |keys| state.keys.set(keys));
    let head_cell = move |(at, c): (usize, &Column)| view! { <HeadCell keys=state.keys on_keys at column=c.clone() /> };
    let head = move || columns.get().iter().enumerate().map(head_cell).collect_view();
    let sizes = Memo::new(move |_| widths(&columns.get(), &branches.get()));
    let cols = move || sizes.get().into_iter().map(|w| view! { <col style:width=w.map(|w| format!("{w}ch")) /> }).collect_view();
    let least = move || format!("calc({}ch + var(--tree-name, 36ch))", sizes.get().into_iter().flatten().sum::<usize>());
    let box_label = label.clone();
    view! {
        <div class="table-part">
            <Tools state id=id.clone() levels />
            <div
                class="table-box"
                tabindex="0"
                role="group"
                aria-label=box_label
                node_ref=state.scroller
                on:scroll:target=move |e| state.scroll.set(f64::from(e.target().scroll_top()))
                on:keydown=move |e| on_key(state, &e)
            >
                <table class="table table--fixed" role="treegrid" data-table=id aria-label=label style:min-width=least>
                    <colgroup>{cols}</colgroup>
                    <thead><tr>{head}</tr></thead>
                    <Body state />
                </table>
                {blank}
            </div>
        </div>
    }
}

/// Keeps size, selection and opened rows in step with what they depend on.
fn follow(state: State, levels: usize) {
    effect(move || {
        let Some(scroller) = state.scroller.get() else { return };
        let seen = scroller.clone();
        dom::on_resize(&scroller, move || {
            let _ = state.height.try_set(f64::from(seen.client_height()));
        });
    });
    effect(move || {
        state.branches.track();
        state.active.set(None);
        state.open_levels(levels);
    });
    effect(move || {
        if let Some(row) = state.selected.get() {
            state.reveal(row as u32);
        }
    });
}

/// Widths of the columns in digits; the name takes what is left.
fn widths(columns: &[Column], branches: &[Branch]) -> Vec<Option<usize>> {
    let rows: Vec<_> = branches.iter().take(200).map(|b| b.row.clone()).collect();
    columns.iter().enumerate().map(|(at, column)| (at > 0).then(|| data::width(column, &rows, at))).collect()
}

#[component]
fn Tools(state: State, id: String, levels: usize) -> impl IntoView {
    let count = move || {
        let (shown, all) = (state.lines.with(|l| l.len()), state.branches.with(|b| b.len()));
        format!("{} of {}", text::count(shown as u64), text::counted(all as u64, "row"))
    };
    let save = |ending, kind, text: data::Writer| {
        let file = dom::file_name(&id, ending);
        move |_: leptos::ev::MouseEvent| {
            let (columns, rows) = state.flat();
            let (order, shown): (Vec<u32>, Vec<usize>) = ((0..rows.len() as u32).collect(), (0..columns.len()).collect());
            dom::save_text(&file, kind, &text(&columns, &rows, &order, &shown));
        }
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
                title="Shows rows with a matching cell, and their parents. The filter is case-sensitive only if it contains a capital letter."
                prop:value=move || state.typed.get()
                on:input:target=move |e| state.typed.set(e.target().value())
            />
            <button
                type="button"
                class="button mono"
                title="Use the filter as a regular expression"
                aria-label="Regular expression"
                aria-pressed=move || state.is_regex.get().to_string()
                on:click=move |_| state.is_regex.update(|r| *r = !*r)
            >
                ".*"
            </button>
            <span class="table__count figure" role="status">{count}</span>
            <button type="button" class="button" data-tree="open" on:click=move |_| state.open_levels(usize::MAX)>"Expand all"</button>
            <button type="button" class="button" data-tree="close" title="Collapse to the initial levels" on:click=move |_| state.open_levels(levels)>"Collapse"</button>
            <button type="button" class="button" title="Save all rows as CSV with unrounded values" on:click=save_csv>"CSV"</button>
            <button type="button" class="button" title="Save all rows as JSON with unrounded values" on:click=save_json>"JSON"</button>
        </div>
        <Problem text=state.problem />
    }
}

#[component]
fn Body(state: State) -> impl IntoView {
    let in_sight = move || {
        let (window, lines, generation) = (state.window.get(), state.lines.get(), state.generation.get());
        let end = window.end.min(lines.len());
        lines.get(window.first.min(end)..end).unwrap_or_default().iter().map(|line| (generation, *line)).collect::<Vec<_>>()
    };
    let spacer = move |height: f64| {
        (height > 0.0).then(
            || view! { <tbody class="table__spacer" aria-hidden="true"><tr style:height=format!("{height}px")><td></td></tr></tbody> },
        )
    };
    view! {
        {move || spacer(state.window.get().before)}
        <tbody>
            <For each=in_sight key=|line| *line let(line)>
                <BodyLine state line=line.1 />
            </For>
        </tbody>
        {move || spacer(state.window.get().after)}
    }
}

#[component]
fn BodyLine(state: State, line: Line) -> impl IntoView {
    let branches = state.branches.get_untracked();
    let Some(branch) = branches.get(line.at as usize) else { return ().into_any() };
    let columns = state.columns.get_untracked();
    let cell = |(at, column): (usize, &Column)| match at {
        0 => name_cell(state, branch, line).into_any(),
        _ => plain_cell(branch.row.cell(at), column.kind),
    };
    let cells = columns.iter().enumerate().map(cell).collect_view();
    let is_selected = move || state.selected.get() == Some(line.at as usize);
    let has_children = state.has_children(line.at);
    let is_open = move || has_children.then(|| state.opened.with(|o| o.contains(&line.at)).to_string());
    let click = move |e: ev::MouseEvent| {
        if !copied(&e) {
            state.choose(line.at);
        }
    };
    view! {
        <tr
            class:is-selected=is_selected
            class:is-active=move || state.active.get() == Some(line.at)
            class:can-choose=state.on_row.is_some()
            aria-expanded=is_open
            aria-current=move || is_selected().then_some("true")
            data-row=line.at.to_string()
            on:click=click
        >
            {cells}
        </tr>
    }
    .attr("aria-level", (line.level + 1).to_string())
    .into_any()
}

/// The name, indented by its level, behind a button that opens and closes.
fn name_cell(state: State, branch: &Branch, line: Line) -> impl IntoView + use<> {
    let text = branch.row.cell(0).shown(Kind::Name);
    let indent = format!("{}px", 8 + usize::from(line.level).min(40) * 16);
    let toggle = move |e: ev::MouseEvent| {
        e.stop_propagation();
        state.toggle(line.at);
    };
    let opener = if state.has_children(line.at) {
        let is_open = move || state.opened.with(|o| o.contains(&line.at)).to_string();
        view! { <button type="button" class="table__opener" tabindex="-1" aria-label="Expand or collapse" aria-expanded=is_open on:click=toggle></button> }.into_any()
    } else {
        view! { <span class="table__leaf"></span> }.into_any()
    };
    let swatch = branch.row.colour.map(|slot| view! { <i class="swatch" style:background=swatch_colour(slot)></i> });
    view! {
        <td class="table__name" title=text::brief(&text) style:padding-left=indent>
            {opener}
            {swatch}
            <Name text=text::brief(&text) />
            <button type="button" class="copy" tabindex="-1" title="Copy" aria-label="Copy"></button>
        </td>
    }
}

fn on_key(state: State, event: &ev::KeyboardEvent) {
    // Keys in a button of the table are the button's.
    if event.target() != event.current_target() || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let page = ((state.height.get_untracked() / ROW) as isize - 3).max(1);
    match event.key().as_str() {
        "ArrowDown" => state.step(1),
        "ArrowUp" => state.step(-1),
        "ArrowRight" => state.inward(),
        "ArrowLeft" => state.outward(),
        "PageDown" => state.step(page),
        "PageUp" => state.step(-page),
        "Home" => state.step(-(u32::MAX as isize / 2)),
        "End" => state.step(u32::MAX as isize / 2),
        "Enter" => {
            if let Some(row) = state.active.get_untracked() {
                state.choose(row);
            }
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
