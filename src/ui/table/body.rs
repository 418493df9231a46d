//! The rows in sight, and the total beneath them.

use super::data::{self, Cell, Column, Heat, Kind, Row};
use super::state::{Line, State};
use crate::base::{short_name, text};
use crate::ui::{controls::swatch_colour, dom};
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;

/// From this many characters on, a name is shortened in its middle when it does not fit.
const SPLIT_FROM: usize = 24;
/// Characters at its end that are always visible.
const TAIL: usize = 10;

/// The lines of the window, and spacers for those that are not in the document.
#[component]
pub(super) fn Body(state: State) -> impl IntoView {
    let in_sight = move || {
        let (window, lines, generation) = (state.window.get(), state.lines.get(), state.generation.get());
        let end = window.end.min(lines.len());
        lines.get(window.first.min(end)..end).unwrap_or_default().iter().map(|line| (generation, *line)).collect::<Vec<_>>()
    };
    view! {
        <Spacer height=Signal::derive(move || state.window.get().before) />
        <tbody>
            <For each=in_sight key=|line| *line let(line)>
                <BodyLine state line=line.1 />
            </For>
        </tbody>
        <Spacer height=Signal::derive(move || state.window.get().after) />
    }
}

#[component]
fn Spacer(height: Signal<f64>) -> impl IntoView {
    let is_there = move || height.get() > 0.0;
    view! {
        <Show when=is_there>
            <tbody class="table__spacer" aria-hidden="true"><tr style:height=move || format!("{}px", height.get())><td></td></tr></tbody>
        </Show>
    }
}

#[component]
fn BodyLine(state: State, line: Line) -> impl IntoView {
    let rows = state.rows.get_untracked();
    let Some(row) = rows.get(line.row as usize) else { return ().into_any() };
    let shown = state.shown.get_untracked();
    if let Some(member) = line.member {
        let name = row.members.get(member as usize).cloned().unwrap_or_default();
        let span = shown.len().to_string();
        return view! { <tr class="table__member"><td colspan=span class="mono" title=name.clone()>{name.clone()}</td></tr> }.into_any();
    }
    let columns = state.columns.get_untracked();
    let cells = shown.iter().enumerate().filter_map(|(i, at)| Some(body_cell(state, columns.get(*at)?, row, line.row, *at, i == 0)));
    let is_selected = move || state.selected.get() == Some(line.row as usize);
    let is_active = move || state.active.get() == Some(line);
    let can_choose = state.on_row.is_some();
    view! {
        <tr
            class:is-selected=is_selected
            class:is-active=is_active
            class:can-choose=can_choose
            aria-current=move || is_selected().then_some("true")
            data-row=line.row.to_string()
            on:click=move |e| on_click(state, line.row, &e)
        >
            {cells.collect_view()}
        </tr>
    }
    .into_any()
}

/// A click in a row: its copy button copies the name, everything else chooses the row.
fn on_click(state: State, row: u32, event: &ev::MouseEvent) {
    if !copied(event) {
        state.choose(row);
    }
}

/// Copies the name when the click was on its copy button; whether it was.
pub fn copied(event: &ev::MouseEvent) -> bool {
    let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let Some(button) = target.filter(|t| t.class_list().contains("copy")) else { return false };
    if let Some(name) = button.parent_element().and_then(|cell| cell.get_attribute("title")) {
        dom::copy_text(&name);
        // Says so for a moment.
        let done = button.set_attribute("title", "Copied").and_then(|()| button.set_attribute("data-done", ""));
        if done.is_ok() {
            let undo = move || drop(button.set_attribute("title", "Copy").and_then(|()| button.remove_attribute("data-done")));
            set_timeout(undo, std::time::Duration::from_millis(1200));
        }
    }
    true
}

fn body_cell(state: State, column: &Column, row: &Row, at_row: u32, at: usize, is_first: bool) -> AnyView {
    let cell = row.cell(at);
    let text = cell.shown(column.kind);
    let is_placeholder = matches!(cell, Cell::Placeholder(_));
    match column.kind {
        Kind::Name => {
            let opener = (is_first && !row.members.is_empty()).then(|| view! { <Opener state row=at_row members=row.members.clone() /> });
            let swatch = row.colour.filter(|_| is_first);
            let swatch = swatch.map(|slot| view! { <i class="swatch" style:background=swatch_colour(slot)></i> });
            let name = match is_placeholder {
                true => view! { <span class="table__placeholder">{text.clone()}</span> }.into_any(),
                false => {
                    view! { <Name text=text::brief(&short_name(&text)) /><button type="button" class="copy" tabindex="-1" title="Copy" aria-label="Copy"></button> }
                        .into_any()
                }
            };
            view! { <td class="table__name" title=text::brief(&text)>{opener}{swatch}{name}</td> }.into_any()
        }
        _ => match row.heat.get(at) {
            Some(heat) if !matches!(cell, Cell::Absent) => heated_cell(cell, column.kind, *heat),
            _ => plain_cell(cell, column.kind),
        },
    }
}

/// A value with the heat of its column; the best and the worst are marked.
fn heated_cell(cell: &Cell, kind: Kind, heat: Heat) -> AnyView {
    let note = match heat.is_best {
        Some(true) => " (best of the column)",
        Some(false) => " (worst of the column)",
        None => "",
    };
    let style = format!("--heat:{:.3}", heat.strength.clamp(0.0, 1.0));
    let (is_best, is_worst) = (heat.is_best == Some(true), heat.is_best == Some(false));
    view! {
        <td class="is-heated" class:figure=kind.is_figure() class:is-best=is_best class:is-worst=is_worst style=style title=format!("{}{note}", cell.exact(kind))>{cell.shown(kind)}</td>
    }
    .into_any()
}

/// A cell that is no name.
pub fn plain_cell(cell: &Cell, kind: Kind) -> AnyView {
    let text = cell.shown(kind);
    match kind {
        Kind::Name | Kind::Text if matches!(cell, Cell::Placeholder(_)) => view! { <td class="table__placeholder">{text}</td> }.into_any(),
        Kind::Name | Kind::Text => {
            let title = if matches!(cell, Cell::Formatted(..)) { cell.raw() } else { text.clone() };
            view! { <td title=title>{text::brief(&text)}</td> }.into_any()
        }
        Kind::Share => share_cell(cell),
        _ => view! { <td class="figure" title=cell.exact(kind)>{text}</td> }.into_any(),
    }
}

fn share_cell(cell: &Cell) -> AnyView {
    // No value, no bar: nothing is not 0%.
    let Some(share) = cell.number() else {
        return view! { <td class="figure table__share"></td> }.into_any();
    };
    let width = format!("{:.2}%", share.clamp(0.0, 1.0) * 100.0);
    view! {
        <td class="figure table__share">
            <span class="bar" aria-hidden="true"><i style:width=width></i></span>
            <span class="table__percent">{cell.shown(Kind::Share)}</span>
        </td>
    }
    .into_any()
}

/// A name that is shortened in the middle: the head shrinks, the tail stays visible. Copying gives the full text.
#[component]
pub fn Name(
    /// The whole text.
    text: String,
) -> impl IntoView {
    let n = text.chars().count();
    if n < SPLIT_FROM {
        return view! { <span class="mono">{text}</span> }.into_any();
    }
    let cut = text.char_indices().nth(n - TAIL).map_or(text.len(), |c| c.0);
    let (head, tail) = text.split_at(cut);
    view! { <span class="mono middle"><span class="middle__head">{head.to_string()}</span><span class="middle__tail">{tail.to_string()}</span></span> }
        .into_any()
}

#[component]
fn Opener(state: State, row: u32, members: Vec<String>) -> impl IntoView {
    let is_open = move || state.opened.with(|o| o.contains(&row));
    let toggle = move |e: ev::MouseEvent| {
        e.stop_propagation();
        state.opened.update(|opened| {
            if !opened.remove(&row) {
                opened.insert(row);
            }
        });
    };
    let title = format!("Members ({}):\n{}", members.len(), members.join("\n"));
    view! {
        <button type="button" class="table__opener" title=title aria-label="Members" aria-expanded=move || is_open().to_string() on:click=toggle>
        </button>
    }
}

/// Sums over the rows shown.
#[component]
pub(super) fn Total(state: State) -> impl IntoView {
    let cells = move || {
        let (columns, rows, order) = (state.columns.get(), state.rows.get(), state.order.get());
        let cell = |(i, at): (usize, usize)| {
            let column = columns.get(at)?;
            let sum = if column.is_summed { data::total(&rows, &order, at) } else { Cell::Absent };
            Some(match column.kind {
                _ if i == 0 && !column.is_summed => view! { <td>"Total"</td> }.into_any(),
                Kind::Share if column.is_summed => share_cell(&sum),
                kind => view! { <td class="figure" title=sum.exact(kind)>{sum.shown(kind)}</td> }.into_any(),
            })
        };
        state.shown.get().into_iter().enumerate().filter_map(cell).collect_view()
    };
    view! {
        <Show when=move || state.has_total()>
            <tfoot><tr>{cells}</tr></tfoot>
        </Show>
    }
}
