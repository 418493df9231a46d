//! The pie with its legend, its table and its read-out.

use super::data::{self, Part, Slice};
use super::draw::{self, Look};
use crate::base::text;
use crate::ui::dom;
use crate::ui::small::swatch_colour;
use crate::ui::table::{Cell, Kind};
use leptos::{ev, html, prelude::*};
use std::sync::Arc;

/// What the parts of a pie depend on, and which is lit.
#[derive(Clone, Copy)]
struct State {
    parts: Memo<Vec<Part>>,
    lit: RwSignal<Option<usize>>,
    canvas: NodeRef<html::Canvas>,
    kind: Kind,
}

impl State {
    fn amount(&self, part: &Part) -> String {
        Cell::Int(part.value).shown(self.kind)
    }

    fn line(&self, part: &Part) -> String {
        format!("{} · {} · {}", part.name, text::percent(part.share), self.amount(part))
    }
}

/// Shares of a whole.
#[component]
pub fn Pie(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What the whole is and by what it is parted, with the unit: `Self time by device`.
    #[prop(into)]
    title: String,
    /// What one part is: the header of the table's first column.
    #[prop(into)]
    what: String,
    /// How figures read.
    kind: Kind,
    /// What has a share.
    #[prop(into)]
    slices: Signal<Arc<Vec<Slice>>>,
    /// How many parts have a name; the rest are one.
    #[prop(into)]
    limit: Signal<usize>,
    /// What stands there when nothing has a share.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let parts = Memo::new(move |_| data::parts(&slices.get(), limit.get()));
    let state = State { parts, lit: RwSignal::new(None), canvas: NodeRef::new(), kind };
    let (is_table, set_is_table) = signal(false);
    let is_empty = Memo::new(move |_| parts.with(|p| p.is_empty()));
    let save = {
        let title = title.clone();
        move |_| save(state, &title)
    };
    let name = title.clone();
    view! {
        <figure class="chart" data-chart=id>
            <figcaption class="chart__head">
                <h3>{title.clone()}</h3>
                <Show when=move || !is_empty.get()>
                    <button type="button" class="link" aria-pressed=move || is_table.get().to_string() on:click=move |_| set_is_table.update(|t| *t = !*t)>
                        {move || if is_table.get() { "as chart" } else { "as table" }}
                    </button>
                    <button type="button" class="link" title="Save as a picture" on:click=save.clone()>"PNG"</button>
                </Show>
            </figcaption>
            <p class="chart__empty" class:is-hidden=move || !is_empty.get()>{empty}</p>
            <div class="chart__body" class:is-hidden=move || is_empty.get() || is_table.get()>
                <Plot state label=name />
                <Legend state />
            </div>
            <div class=move || if is_table.get() && !is_empty.get() { "chart__table" } else { "visually-hidden" }>
                <Figures state title what />
            </div>
        </figure>
    }
}

#[component]
fn Plot(state: State, label: String) -> impl IntoView {
    let (pulse, set_pulse) = signal(());
    let again = move || {
        let _ = set_pulse.try_set(());
    };
    Effect::new(move |_| {
        if let Some(canvas) = state.canvas.get() {
            dom::on_resize(&canvas, again);
        }
    });
    // The page's zoom changes how many pixels a point has, without changing the size in points.
    let zoom = window_event_listener(ev::resize, move |_| again());
    on_cleanup(move || zoom.remove());
    Effect::new(move |_| {
        pulse.track();
        let (parts, lit) = (state.parts.get(), state.lit.get());
        if let Some(canvas) = state.canvas.get() {
            draw::draw(&canvas, &parts, lit);
        }
    });
    let point = move |e: ev::PointerEvent| {
        let Some(canvas) = state.canvas.get_untracked() else { return };
        let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        let (x, y) = (f64::from(e.offset_x()) - width / 2.0, f64::from(e.offset_y()) - height / 2.0);
        let hit = state.parts.with_untracked(|parts| data::hit(parts, x, y, draw::radius(width.min(height))));
        if state.lit.get_untracked() != hit {
            state.lit.set(hit);
        }
    };
    let title = move || state.lit.get().and_then(|i| state.parts.with(|p| p.get(i).map(|p| state.line(p))));
    // The stylesheet lets the canvas's colour change by a transition of no length: its end tells of a new theme.
    view! {
        <canvas
            class="chart__canvas"
            role="img"
            aria-label=format!("{label}: a pie; its figures follow as a table")
            title=title
            node_ref=state.canvas
            on:pointermove=point
            on:pointerdown=point
            on:pointerleave=move |_| state.lit.set(None)
            on:transitionend=move |_| again()
        ></canvas>
    }
}

#[component]
fn Legend(state: State) -> impl IntoView {
    let items = move || {
        let item = |(i, part): (usize, Part)| {
            let light = move || state.lit.set(Some(i));
            let dim = move || state.lit.set(None);
            let colour = part.colour.map_or("var(--line-strong)".into(), swatch_colour);
            view! {
                <li
                    class="legend__item"
                    class:is-lit=move || state.lit.get() == Some(i)
                    tabindex="0"
                    title=state.line(&part)
                    on:pointerenter=move |_| light()
                    on:pointerleave=move |_| dim()
                    on:focus=move |_| light()
                    on:blur=move |_| dim()
                >
                    <i class="swatch" style:background=colour></i>
                    <span class="legend__name mono">{part.name.clone()}</span>
                    <span class="figure">{text::percent(part.share)}</span>
                    <span class="figure legend__amount">{state.amount(&part)}</span>
                </li>
            }
        };
        state.parts.get().into_iter().enumerate().map(item).collect_view()
    };
    view! { <ul class="legend">{items}</ul> }
}

#[component]
fn Figures(state: State, title: String, what: String) -> impl IntoView {
    let row = move |part: Part| {
        let exact = Cell::Int(part.value).exact(state.kind);
        view! {
            <tr>
                <td class="mono">{part.name.clone()}</td>
                <td class="figure">{text::percent(part.share)}</td>
                <td class="figure" title=exact>{state.amount(&part)}</td>
            </tr>
        }
    };
    view! {
        <table class="table">
            <caption class="visually-hidden">{title}</caption>
            <thead>
                <tr><th scope="col">{what}</th><th scope="col" class="figure">"Share"</th><th scope="col" class="figure">"Absolute"</th></tr>
            </thead>
            <tbody>{move || state.parts.get().into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

fn save(state: State, title: &str) {
    let Some(canvas) = state.canvas.get_untracked() else { return };
    let parts = state.parts.get_untracked();
    let lines: Vec<String> = parts.iter().map(|part| text::middle_ellipsis(&state.line(part), 68)).collect();
    if let Some(picture) = draw::picture(&Look::of(&canvas), title, &parts, &lines) {
        dom::save_canvas(&dom::file_name(title, "png"), &picture);
    }
}
