//! Curves with legend, cursor, range and table.

use super::data::{self, Layout, Line, Mark, cell};
use super::draw::{self, Over};
use super::keys::key;
use super::zoom::Zoom;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Entry, Frame, Legend, Readout, ReadoutCard};
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{ev, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows of the table; the curve itself has no limit.
const N_ROWS: usize = 100_000;

type Range = Option<(i64, i64)>;
/// A pixel and the x beneath it.
type Spot = (f64, i64);

/// What a curve knows while it is shown.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) lines: Signal<Arc<Vec<Line>>>,
    pub(super) marks: Signal<Arc<Vec<Mark>>>,
    /// What the x axis shows at least where nothing is zoomed.
    whole: Signal<Range>,
    /// As the owner has it.
    pub(super) range: Signal<Range>,
    pub(super) on_range: Option<Callback<Range>>,
    /// Title and kind of x and y.
    pub(super) titles: StoredValue<(String, String)>,
    pub(super) kinds: (Kind, Kind),
    pub(super) hidden: RwSignal<BTreeSet<String>>,
    pub(super) lit: RwSignal<Option<usize>>,
    pub(super) cursor: RwSignal<Option<i64>>,
    pub(super) pointer: RwSignal<Option<(f64, f64)>>,
    /// While a range is dragged out: where it began and where it is, pixel and x.
    pub(super) drag: RwSignal<Option<(Spot, Spot)>>,
    /// The part of the x axis that is seen.
    pub(super) window: RwSignal<Range>,
    pub(super) plot: Plot,
}

impl State {
    /// Series that are drawn. Tracked.
    pub(super) fn shown<'a>(&self, lines: &'a [Line]) -> Vec<&'a Line> {
        self.hidden.with(|hidden| lines.iter().filter(|l| !hidden.contains(&l.name)).collect())
    }

    /// What is seen of the x axis. Tracked.
    pub(super) fn seen(&self) -> (i64, i64) {
        self.window.get().or_else(|| data::reach(self.lines.with(|l| data::extent(l)), self.whole.get())).unwrap_or((0, 1))
    }

    /// The range as it is drawn: the one being dragged, else the chosen one. Tracked.
    fn band(&self) -> Range {
        self.drag.get().map_or_else(|| self.range.get(), |(from, to)| data::dragged(from, to))
    }

    fn layout(&self, lines: &[&Line], size: Size) -> Layout {
        Layout::new(lines, self.seen(), self.kinds, size.width, size.height)
    }

    /// Where all stands now. Not tracked.
    fn layout_now(&self) -> Layout {
        untrack(|| {
            let lines = self.lines.get();
            self.layout(&self.shown(&lines), self.plot.size.get())
        })
    }

    fn draw(&self, context: &web_sys::CanvasRenderingContext2d, size: Size, look: &crate::ui::chart::look::Look) {
        let lines = self.lines.get();
        let shown = self.shown(&lines);
        let layout = self.layout(&shown, size);
        let marks = self.marks.get();
        let lit = self.lit.get().and_then(|i| lines.get(i)).map(|l| l.name.as_str());
        let over = Over { marks: &marks, range: self.band(), cursor: self.cursor.get(), lit };
        self.titles.with_value(|(x, y)| draw::paint(context, &layout, &shown, &over, (x, y), look));
    }

    pub(super) fn choose(&self, range: Range) {
        if let Some(on_range) = self.on_range {
            on_range.run(range);
        }
    }

    /// Back to everything: first the window, then the range.
    pub(super) fn reset(&self) {
        self.drag.set(None);
        self.window.set(None);
        self.choose(None);
    }

    fn readout(&self) -> Option<Readout> {
        let x = self.cursor.get()?;
        let figure = |v: f64, kind: Kind| cell(v, kind).shown(kind);
        let lines = self.lines.get();
        let shown = self.shown(&lines);
        let row = |l: &&Line| Some((Some(l.colour), l.name.clone(), figure(l.at(x)?.1, self.kinds.1), false));
        let rows = shown.iter().filter_map(row).collect();
        let at = self.pointer.get().unwrap_or_else(|| {
            let layout = self.layout_now();
            self.plot.on_page(layout.px(x), layout.top)
        });
        let title = self.titles.with_value(|t| format!("{} {}", t.0, Cell::Int(x).exact(self.kinds.0)));
        let note = self.band().map(|(a, b)| format!("Range {}", Cell::Int(b - a).shown(self.kinds.0))).unwrap_or_default();
        Some(Readout { at, title, rows, note })
    }

    fn figures(&self) -> Figures {
        let (lines, kinds) = (self.lines, self.kinds);
        let title = self.titles.with_value(|t| t.0.clone());
        let columns = Memo::new(move |_| {
            let x = [Column::new("x", &title, kinds.0, ""), Column::new("series", "Series", Kind::Text, "")];
            Arc::new(x.into_iter().chain([Column::new("value", "Value", kinds.1, "")]).collect::<Vec<_>>())
        });
        let rows = Memo::new(move |_| {
            let rows = lines.with(|lines| {
                let points = lines.iter().flat_map(|l| l.points.iter().map(move |p| (p, l)));
                let row = |((x, y), l): (&(i64, f64), &Line)| Row {
                    colour: Some(l.colour),
                    ..Row::new(vec![Cell::Int(*x), Cell::Text(l.name.clone()), cell(*y, kinds.1)])
                };
                points.take(N_ROWS).map(row).collect::<Vec<_>>()
            });
            Arc::new(rows)
        });
        Figures { columns: columns.into(), rows: rows.into() }
    }
}

/// Several series over time. Dragging chooses a range, right click or Esc gives everything back.
#[component]
pub fn Curve(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// What x and y are, and how they read: `("Time", Kind::Duration)`. A title may be empty.
    x: (&'static str, Kind),
    /// Likewise.
    y: (&'static str, Kind),
    /// The series; later ones are drawn over earlier ones.
    #[prop(into)]
    lines: Signal<Arc<Vec<Line>>>,
    /// What the x axis shows at least; `None` is as far as there are points.
    #[prop(optional, into)]
    whole: Signal<Option<(i64, i64)>>,
    /// Points with a name.
    #[prop(optional, into)]
    marks: Signal<Arc<Vec<Mark>>>,
    /// The chosen range, half open.
    #[prop(optional, into)]
    range: Signal<Option<(i64, i64)>>,
    /// A range was dragged out, or given back. Without it nothing can be chosen.
    #[prop(optional, into)]
    on_range: Option<Callback<Option<(i64, i64)>>>,
    /// What stands there when there are no points.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = make(lines, marks, (whole, range), on_range, (x, y));
    let is_empty = Memo::new(move |_| lines.with(|l| data::extent(l).is_none()));
    let entry = |l: &Line| Entry { name: l.name.clone(), colour: l.colour, figure: String::new(), help: String::new() };
    let entries: Signal<Arc<Vec<Entry>>> = Memo::new(move |_| Arc::new(lines.get().iter().map(entry).collect::<Vec<_>>())).into();
    let name = title.clone();
    let on_save = Callback::new(move |()| save(state, &name));
    let label = title.clone();
    let tools = move || view! { <Zoom state /> };
    view! {
        <Frame id title is_empty empty figures=state.figures() on_save tools=ViewFn::from(tools)>
            <Legend entries hidden=state.hidden lit=state.lit />
            <Plotted state label=label.clone() />
            <ReadoutCard readout=Signal::derive(move || state.readout()) />
        </Frame>
    }
}

fn make(
    lines: Signal<Arc<Vec<Line>>>,
    marks: Signal<Arc<Vec<Mark>>>,
    (whole, range): (Signal<Range>, Signal<Range>),
    on_range: Option<Callback<Range>>,
    (x, y): ((&str, Kind), (&str, Kind)),
) -> State {
    // The plot draws with the state that holds it: it is put there once it is made.
    let held = StoredValue::new(None::<State>);
    let plot = Plot::new(move |context, size, look| {
        if let Some(state) = held.get_value() {
            state.draw(context, size, look);
        }
    });
    let state = State {
        lines,
        marks,
        whole,
        range,
        on_range,
        titles: StoredValue::new((x.0.into(), y.0.into())),
        kinds: (x.1, y.1),
        hidden: RwSignal::new(BTreeSet::new()),
        lit: RwSignal::new(None),
        cursor: RwSignal::new(None),
        pointer: RwSignal::new(None),
        drag: RwSignal::new(None),
        window: RwSignal::new(None),
        plot,
    };
    held.set_value(Some(state));
    state
}

#[component]
fn Plotted(state: State, label: String) -> impl IntoView {
    let can_choose = state.on_range.is_some();
    let place = |e: &ev::PointerEvent| (f64::from(e.offset_x()), f64::from(e.offset_y()));
    let down = move |e: ev::PointerEvent| {
        let (px, py) = place(&e);
        let layout = state.layout_now();
        if can_choose && e.button() == 0 && layout.holds(px, py) {
            if let Some(canvas) = state.plot.canvas.get_untracked() {
                let _ = canvas.set_pointer_capture(e.pointer_id());
            }
            let at = (px, layout.x_at(px));
            state.drag.set(Some((at, at)));
        }
    };
    let point = move |e: ev::PointerEvent| {
        let (px, py) = place(&e);
        let layout = state.layout_now();
        if let Some((from, _)) = state.drag.get_untracked() {
            state.drag.set(Some((from, (px, layout.x_at(px)))));
        }
        let is_inside = layout.holds(px, py);
        state.pointer.set(is_inside.then(|| (f64::from(e.client_x()), f64::from(e.client_y()))));
        state.cursor.set(is_inside.then(|| layout.x_at(px)));
    };
    let up = move |_: ev::PointerEvent| {
        let Some((from, to)) = state.drag.get_untracked() else { return };
        let range = data::dragged(from, to);
        state.drag.set(None);
        if range.is_some() {
            state.choose(range);
        }
    };
    let menu = move |e: ev::MouseEvent| {
        if can_choose && (state.range.get_untracked().is_some() || state.window.get_untracked().is_some()) {
            e.prevent_default();
            state.reset();
        }
    };
    let leave = move || {
        state.cursor.set(None);
        state.pointer.set(None);
    };
    let hint = if can_choose { " Drag to select a range; right-click or press Esc to clear it." } else { "" };
    view! {
        <canvas
            class="chart__plot chart__plot--curve"
            class:can-drag=can_choose
            tabindex="0"
            role="img"
            data-cursor=move || state.cursor.get().map(|x| x.to_string())
            data-range=move || state.band().map(|(a, b)| format!("{a}-{b}"))
            aria-label=format!("{label}: line chart. Use the arrow keys to move between points; the values follow as a table.{hint}")
            node_ref=state.plot.canvas
            on:pointerdown=down
            on:pointermove=point
            on:pointerup=up
            on:pointercancel=move |_| state.drag.set(None)
            on:pointerleave=move |_| leave()
            on:contextmenu=menu
            on:keydown=move |e| key(state, &e)
            on:blur=move |_| leave()
            on:transitionend=move |_| state.plot.again()
        ></canvas>
    }
}

fn save(state: State, title: &str) {
    let lines = state.lines.get_untracked();
    let legend: Vec<_> = untrack(|| state.shown(&lines)).iter().map(|l| (l.colour, l.name.clone())).collect();
    state.plot.save(title, &legend, |context, size, look| untrack(|| state.draw(context, size, look)));
}
