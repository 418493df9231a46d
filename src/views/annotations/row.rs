//! One annotation as a row of editable cells.

use super::Panel;
use crate::base::{TimeNs, TimeRange};
use crate::state::annotations::{Annotation, N_COLOURS, Part};
use crate::ui::controls::{swatch_colour, unique};
use leptos::prelude::*;

/// The row of one annotation.
#[component]
pub(super) fn RowOf(panel: Panel, id: u32) -> impl IntoView {
    let book = panel.book;
    let name = Memo::new(move |_| panel.of(id, |a| a.name.clone()));
    let end = Memo::new(move |_| panel.of(id, |a| a.end));
    let rename = move |name: String| book.update(|b| b.current.change(id, |a| a.name = name));
    let remove = move |_| book.update(|b| b.current.remove(id));
    let choose = move |_| panel.chosen.set(Some(id));
    let length = move || end.get().map(|_| panel.unit().write(panel.of(id, |a| a.range().duration().0)));
    let difference = move || book.with(|b| b.current.difference_ns(id)).map(|ns| panel.unit().write(ns));
    let is_chosen = move || panel.chosen.get() == Some(id);
    let end_cell = move || end.get().map(|_| view! { <TimeInput panel id part=Part::End /> });
    view! {
        <tr data-row="" class:is-selected=is_chosen on:click=choose>
            <td><Colour panel id name /></td>
            <td>
                <input
                    class="input annotations__name" aria-label="Name" maxlength="200" prop:value=move || name.get()
                    on:change:target=move |e| rename(e.target().value())
                />
            </td>
            <td class="figure"><TimeInput panel id part=Part::Start /></td>
            <td class="figure">{end_cell}</td>
            <td class="figure">{length}</td>
            <td><Versus panel id /></td>
            <td class="figure" data-difference="">{difference}</td>
            <td class="annotations__actions">
                <button type="button" class="button button--quiet" title="Show in the timeline" on:click=move |_| go_to(panel, id)>"Go to"</button>
                <button type="button" class="button button--quiet" aria-label=move || format!("Delete {}", name.get()) title="Delete" on:click=remove>"×"</button>
            </td>
        </tr>
    }
}

/// The colour, and a palette to choose another from: in the top layer, since the list would cut it.
#[component]
fn Colour(panel: Panel, id: u32, name: Memo<String>) -> impl IntoView {
    let chosen = Memo::new(move |_| panel.of(id, |a| a.colour));
    let palette = format!("colours-{}", unique());
    let swatch = |colour: u16| {
        view! {
            <button
                type="button" class="annotations__colour" data-colour=colour.to_string()
                aria-label=format!("Colour {} of {N_COLOURS}", colour + 1) aria-pressed=move || (chosen.get() == colour).to_string()
                style:background=swatch_colour(colour)
                on:click=move |_| panel.book.update(|b| b.current.change(id, |a| a.colour = colour))
            ></button>
        }
        .attr("popovertarget", palette.clone())
        .attr("popovertargetaction", "hide")
    };
    let swatches = (0..N_COLOURS).map(swatch).collect_view();
    let button = view! {
        <button
            type="button" class="annotations__colour" title="Choose a colour" aria-label=move || format!("Colour of {}", name.get())
            style:background=move || swatch_colour(chosen.get())
        ></button>
    }
    .attr("popovertarget", palette.clone());
    view! {
        {button}
        <div class="annotations__palette" popover="auto" id=palette role="group" aria-label="Colours">{swatches}</div>
    }
}

/// Shows a region, or a marker centred in a window of a tenth of the distance to its neighbour.
fn go_to(panel: Panel, id: u32) {
    let range = panel.book.with_untracked(|b| {
        let own = b.current.get(id)?.range();
        let span = b.current.span(id).map_or(1_000, |s| s.duration().0);
        let room = if own.duration().0 > 0 { own.duration().0 / 5 } else { (span / 10).max(100) };
        Some(TimeRange::new(TimeNs(own.start.0.saturating_sub(room)), TimeNs(own.end.0.saturating_add(room))))
    });
    panel.chosen.set(Some(id));
    if let Some(range) = range {
        panel.on_go.run(range);
    }
}

/// A time that can be typed, with a unit or in that of the panel.
#[component]
fn TimeInput(panel: Panel, id: u32, part: Part) -> impl IntoView {
    let time = move |a: &Annotation| if part == Part::End { a.end.unwrap_or(a.start) } else { a.start };
    let shown = move || panel.unit().write(panel.of(id, time).0);
    let write = move |input: web_sys::HtmlInputElement| {
        let typed = input.value();
        match panel.book.with_untracked(|b| b.current.unit).read(&typed) {
            Some(to) => {
                panel.problem.set(None);
                panel.book.update(|b| b.current.move_part(id, part, to));
            }
            None => panel.problem.set(Some(format!("Expected a time such as `12.5 ms`, found `{typed}`."))),
        }
        // Shows the stored value again if the typed one is invalid.
        input.set_value(&untrack(shown));
    };
    view! {
        <input
            class="input annotations__time mono" aria-label=if part == Part::End { "End" } else { "Time" }
            title="Enter a time: 12.5 ms, 300 us, or a number in the unit of the panel"
            prop:value=shown
            on:change:target=move |e| write(e.target())
        />
    }
}

/// To which other annotation the distance is recorded.
#[component]
fn Versus(panel: Panel, id: u32) -> impl IntoView {
    let options = move || {
        let chosen = panel.of(id, |a| a.versus);
        let others = panel.book.with(|b| b.current.items.iter().filter(|a| a.id != id).map(|a| (a.id, a.name.clone())).collect::<Vec<_>>());
        others
            .into_iter()
            .map(|(other, name)| view! { <option value=other.to_string() selected=chosen == Some(other)>{name}</option> })
            .collect_view()
    };
    let set = move |value: String| panel.book.update(|b| b.current.change(id, |a| a.versus = value.parse().ok()));
    let is_default = move || panel.of(id, |a| a.versus).is_none();
    view! {
        <select class="select annotations__versus" aria-label="Difference to" on:change:target=move |e| set(e.target().value())>
            <option value="" selected=is_default>"Previous marker"</option>
            {options}
        </select>
    }
}
