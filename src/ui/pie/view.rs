//! The pie with its legend, its table and its read-out.

use super::data::{self, Part, Slice};
use super::draw::{self, Place};
use crate::base::text;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::palette::fixed;
use crate::ui::small::swatch_colour;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{ev, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parts with a name at most: more cannot be told apart.
const MOST: usize = 40;

/// How many parts of a pie have a name, for the user to say.
#[component]
pub fn PieLimit(
    /// The number, and how to change it.
    limit: (Signal<usize>, SignalSetter<usize>),
) -> impl IntoView {
    let (limit, set_limit) = limit;
    let change = move |typed: String| {
        if let Ok(n) = typed.trim().parse::<usize>() {
            set_limit.set(n.clamp(1, MOST));
        }
    };
    view! {
        <label class="field">
            "Slices per pie"
            <input
                class="input input--number" data-field="top" type="number" min="1" max=MOST prop:value=move || limit.get().to_string()
                on:change:target=move |e| change(e.target().value())
            />
        </label>
    }
}

/// What the parts of a pie depend on, and which is lit.
#[derive(Clone, Copy)]
struct State {
    parts: Memo<Vec<Part>>,
    hidden: RwSignal<BTreeSet<String>>,
    lit: RwSignal<Option<usize>>,
    /// Where the pointer is, in the window; `None` when a part is lit from the legend.
    pointer: RwSignal<Option<(f64, f64)>>,
    plot: Plot,
    kind: Kind,
    /// Share of the radius that is hole.
    hole: f64,
}

impl State {
    fn new(slices: Signal<Arc<Vec<Slice>>>, limit: Signal<usize>, kind: Kind, hole: f64) -> Self {
        let hidden = RwSignal::new(BTreeSet::new());
        let parts = Memo::new(move |_| hidden.with(|hidden| data::parts(&slices.get(), limit.get().clamp(1, MOST), hidden)));
        let lit = RwSignal::new(None);
        let plot = Plot::new(move |context, size, look| {
            let place = Place::new((size.width / 2.0, size.height / 2.0), size.width.min(size.height), hole);
            draw::paint(context, &parts.get(), place, lit.get(), look);
        });
        State { parts, hidden, lit, pointer: RwSignal::new(None), plot, kind, hole }
    }

    fn amount(&self, part: &Part) -> String {
        Cell::Int(part.value).shown(self.kind)
    }

    fn line(&self, part: &Part) -> String {
        format!("{} · {} · {}", text::brief(&part.name), text::percent(part.share), self.amount(part))
    }

    fn figures(&self, what: &str) -> Figures {
        let (parts, kind) = (self.parts, self.kind);
        let columns = vec![
            Column::new("name", what, Kind::Name, ""),
            Column::new("share", "Share", Kind::Share, "").summed(),
            Column::new("absolute", "Absolute", kind, "").summed(),
        ];
        let row = |p: &Part| Row {
            colour: p.colour.or(Some(fixed::OTHER)),
            ..Row::new(vec![Cell::Text(p.name.clone()), Cell::Float(p.share), Cell::Int(p.value)])
        };
        let rows = Memo::new(move |_| Arc::new(parts.with(|p| p.iter().map(row).collect::<Vec<_>>())));
        Figures { columns: Signal::stored(Arc::new(columns)), rows: rows.into() }
    }

    fn readout(&self) -> Option<Readout> {
        let at = self.pointer.get()?;
        let part = self.lit.get().and_then(|i| self.parts.with(|p| p.get(i).cloned()))?;
        let rows = vec![(None, text::percent(part.share), self.amount(&part), false)];
        Some(Readout { at, title: text::brief(&part.name), rows, note: String::new() })
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
    /// Share of the radius that is hole, for a doughnut; 0 is a pie.
    #[prop(optional)]
    hole: f64,
    /// What stands there when nothing has a share.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(slices, limit, kind, hole);
    let is_empty = Memo::new(move |_| state.parts.with(|p| p.is_empty()));
    let name = title.clone();
    let on_save = Callback::new(move |()| save(state, &name));
    let label = title.clone();
    view! {
        <Frame id title is_empty empty figures=state.figures(&what) on_save>
            <div class="chart__body">
                <Plotted state label=label.clone() />
                <Legend state />
            </div>
        </Frame>
    }
}

#[component]
fn Plotted(state: State, label: String) -> impl IntoView {
    let point = move |e: ev::PointerEvent| {
        let Size { width, height } = state.plot.size.get_untracked();
        let (x, y) = (f64::from(e.offset_x()) - width / 2.0, f64::from(e.offset_y()) - height / 2.0);
        let place = Place::new((0.0, 0.0), width.min(height), state.hole);
        let hit = state.parts.with_untracked(|parts| data::hit(parts, x, y, (place.hole, place.radius)));
        state.pointer.set(hit.map(|_| (f64::from(e.client_x()), f64::from(e.client_y()))));
        if state.lit.get_untracked() != hit {
            state.lit.set(hit);
        }
    };
    let leave = move |_| {
        state.lit.set(None);
        state.pointer.set(None);
    };
    view! {
        <canvas
            class="chart__canvas"
            role="img"
            aria-label=format!("{label}: {}; the values follow as a table", if state.hole > 0.0 { "doughnut chart" } else { "pie chart" })
            node_ref=state.plot.canvas
            on:pointermove=point
            on:pointerdown=point
            on:pointerleave=leave
            on:transitionend=move |_| state.plot.again()
        ></canvas>
        <ReadoutCard readout=Signal::derive(move || state.readout()) />
    }
}

/// The parts with their figures. Hover and focus light a part, a click takes it out of the whole and puts it back.
#[component]
fn Legend(state: State) -> impl IntoView {
    let items = move || {
        let item = |(i, part): (usize, Part)| {
            let light = move || state.lit.set(Some(i));
            let dim = move || state.lit.set(None);
            let key = part.key().to_string();
            let act = if part.is_hidden { "Click to include it again" } else { "Click to exclude it" };
            let share = if part.is_hidden { "excluded".into() } else { text::percent(part.share) };
            view! {
                <li>
                    <button
                        type="button"
                        class="legend__item"
                        class:is-off=part.is_hidden
                        class:is-lit=move || state.lit.get() == Some(i)
                        aria-pressed=(!part.is_hidden).to_string()
                        title=format!("{}\n{act}", state.line(&part))
                        on:click=move |_| crate::ui::chart::toggle(state.hidden, &key)
                        on:pointerenter=move |_| light()
                        on:pointerleave=move |_| dim()
                        on:focus=move |_| light()
                        on:blur=move |_| dim()
                    >
                        <i class="swatch" style:background=swatch_colour(part.colour.unwrap_or(fixed::OTHER))></i>
                        <span class="legend__name mono">{text::brief(&part.name)}</span>
                        <span class="figure">{share}</span>
                        <span class="figure legend__amount">{state.amount(&part)}</span>
                    </button>
                </li>
            }
        };
        state.parts.get().into_iter().enumerate().map(item).collect_view()
    };
    view! { <ul class="legend">{items}</ul> }
}

fn save(state: State, title: &str) {
    let parts = state.parts.get_untracked();
    let line = |p: &Part| (p.colour.unwrap_or(fixed::OTHER), text::middle_ellipsis(&state.line(p), 68));
    let legend: Vec<_> = parts.iter().filter(|p| !p.is_hidden).map(line).collect();
    state.plot.save(title, &legend, |context, size, look| {
        let width = size.width.min(size.height);
        draw::paint(context, &parts, Place::new((width / 2.0, size.height / 2.0), width, state.hole), None, look);
    });
}
