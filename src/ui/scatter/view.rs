//! The chart of points under ceilings, with legend, read-out, keys and table.

use super::data::{Ceiling, Dot, Layout, Mark};
use super::draw::{self, Picture};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{Look, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Entry, Frame, Legend, Readout, ReadoutCard};
use leptos::{ev, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    dots: Signal<Arc<Vec<Dot>>>,
    ceilings: Signal<Arc<Vec<Ceiling>>>,
    slope: Signal<Option<(String, f64)>>,
    mark: Signal<Option<Mark>>,
    titles: (&'static str, &'static str),
    hidden: RwSignal<BTreeSet<String>>,
    /// Position among all dots.
    lit: RwSignal<Option<usize>>,
    pointer: RwSignal<Option<(f64, f64)>>,
    on_dot: Option<Callback<usize>>,
    plot: Plot,
}

impl State {
    /// Dots that are drawn, by position. Tracked.
    fn shown(&self, dots: &[Dot]) -> Vec<usize> {
        self.hidden.with(|hidden| (0..dots.len()).filter(|i| !hidden.contains(&dots[*i].series)).collect())
    }

    fn layout(&self, dots: &[&Dot], size: Size) -> Layout {
        let slope = self.slope.with(|s| s.as_ref().map(|s| s.1));
        self.ceilings.with(|c| Layout::new(dots, c, slope, (size.width, size.height)))
    }

    fn draw(&self, context: &web_sys::CanvasRenderingContext2d, size: Size, look: &Look) {
        let (all, ceilings, slope, mark) = (self.dots.get(), self.ceilings.get(), self.slope.get(), self.mark.get());
        let shown = self.shown(&all);
        let dots: Vec<&Dot> = shown.iter().map(|i| &all[*i]).collect();
        let lit = self.lit.get().and_then(|lit| shown.iter().position(|i| *i == lit));
        let slope = slope.as_ref().map(|s| (s.0.as_str(), s.1));
        let picture = Picture { dots: &dots, ceilings: &ceilings, slope, mark: mark.as_ref(), lit, titles: self.titles };
        draw::paint(context, &self.layout(&dots, size), &picture, look);
    }

    /// The dot at a pixel, and where a dot stands. Not tracked.
    fn with_layout<T>(&self, of: impl FnOnce(&Layout, &[usize], &[&Dot]) -> T) -> T {
        untrack(|| {
            let all = self.dots.get();
            let shown = self.shown(&all);
            let dots: Vec<&Dot> = shown.iter().map(|i| &all[*i]).collect();
            of(&self.layout(&dots, self.plot.size.get()), &shown, &dots)
        })
    }

    fn readout(&self) -> Option<Readout> {
        let lit = self.lit.get()?;
        let dot = self.dots.with(|d| d.get(lit).cloned())?;
        let at = self.pointer.get().unwrap_or_else(|| self.with_layout(|l, _, _| self.plot.on_page(l.px(dot.x), l.py(dot.y))));
        let rows = dot.rows.iter().map(|(name, value)| (None, name.clone(), value.clone(), false)).collect();
        Some(Readout { at, title: dot.name, rows, note: dot.note })
    }

    /// Lights the next of the drawn dots, or the one before.
    fn step(&self, by: isize) {
        let next = self.with_layout(|_, shown, _| {
            let here = self.lit.get().and_then(|lit| shown.iter().position(|i| *i == lit));
            let n = isize::try_from(shown.len()).ok().filter(|n| *n > 0)?;
            let at = here.map_or(if by > 0 { 0 } else { n - 1 }, |at| (at as isize + by).rem_euclid(n));
            shown.get(at as usize).copied()
        });
        self.pointer.set(None);
        self.lit.set(next);
    }

    fn choose(&self) {
        if let (Some(on_dot), Some(lit)) = (self.on_dot, self.lit.get_untracked()) {
            on_dot.run(lit);
        }
    }
}

/// Points under ceilings. Arrow keys go from point to point, click or Enter chooses one.
#[component]
pub fn Scatter(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// What x and y are, with their units.
    titles: (&'static str, &'static str),
    /// The points.
    #[prop(into)]
    dots: Signal<Arc<Vec<Dot>>>,
    /// Levels that no point can pass.
    #[prop(into)]
    ceilings: Signal<Arc<Vec<Ceiling>>>,
    /// A ceiling `y = factor × x`, with its name.
    #[prop(into)]
    slope: Signal<Option<(String, f64)>>,
    /// A named place.
    #[prop(into)]
    mark: Signal<Option<Mark>>,
    /// All of it as a table.
    figures: Figures,
    /// A point was chosen, by its position.
    #[prop(optional, into)]
    on_dot: Option<Callback<usize>>,
    /// What stands there when there is nothing to draw.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = make(dots, (ceilings, slope, mark), titles, on_dot);
    let is_empty = Memo::new(move |_| dots.with(|d| d.is_empty()) && ceilings.with(|c| c.is_empty()));
    let entries: Signal<Arc<Vec<Entry>>> = Memo::new(move |_| Arc::new(dots.with(|d| entries(d)))).into();
    let (name, label) = (title.clone(), title.clone());
    let on_save = Callback::new(move |()| {
        let legend: Vec<(u16, String)> = entries.get_untracked().iter().map(|e| (e.colour, e.name.clone())).collect();
        state.plot.save(&name, &legend, |context, size, look| untrack(|| state.draw(context, size, look)));
    });
    view! {
        <Frame id title is_empty empty figures on_save>
            <Legend entries hidden=state.hidden />
            <Plotted state label=label.clone() />
            <ReadoutCard readout=Signal::derive(move || state.readout()) />
        </Frame>
    }
}

/// The series of the points, in the order first met.
fn entries(dots: &[Dot]) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for dot in dots.iter().filter(|d| !d.is_hollow) {
        if !out.iter().any(|e| e.name == dot.series) {
            out.push(Entry { name: dot.series.clone(), colour: dot.colour, figure: String::new(), help: String::new() });
        }
    }
    out
}

type Ceilings = (Signal<Arc<Vec<Ceiling>>>, Signal<Option<(String, f64)>>, Signal<Option<Mark>>);

fn make(
    dots: Signal<Arc<Vec<Dot>>>,
    (ceilings, slope, mark): Ceilings,
    titles: (&'static str, &'static str),
    on_dot: Option<Callback<usize>>,
) -> State {
    // The plot draws with the state that holds it: it is put there once it is made.
    let held = StoredValue::new(None::<State>);
    let plot = Plot::new(move |context, size, look| {
        if let Some(state) = held.get_value() {
            state.draw(context, size, look);
        }
    });
    let (hidden, lit, pointer) = (RwSignal::new(BTreeSet::new()), RwSignal::new(None), RwSignal::new(None));
    let state = State { dots, ceilings, slope, mark, titles, hidden, lit, pointer, on_dot, plot };
    held.set_value(Some(state));
    // Other points: what was lit is gone.
    Effect::new(move |_| {
        dots.track();
        lit.set(None);
    });
    state
}

#[component]
fn Plotted(state: State, label: String) -> impl IntoView {
    let point = move |e: ev::PointerEvent| {
        let place = (f64::from(e.offset_x()), f64::from(e.offset_y()));
        let hit = state.with_layout(|l, shown, dots| l.hit(dots, place.0, place.1).and_then(|at| shown.get(at).copied()));
        state.pointer.set(hit.map(|_| (f64::from(e.client_x()), f64::from(e.client_y()))));
        if state.lit.get_untracked() != hit {
            state.lit.set(hit);
        }
    };
    let leave = move || {
        state.lit.set(None);
        state.pointer.set(None);
    };
    let key = move |e: ev::KeyboardEvent| {
        match e.key().as_str() {
            "ArrowRight" | "ArrowDown" => state.step(1),
            "ArrowLeft" | "ArrowUp" => state.step(-1),
            "Enter" | " " => state.choose(),
            "Escape" if state.lit.get_untracked().is_some() => leave(),
            _ => return,
        }
        e.prevent_default();
        e.stop_propagation();
    };
    let lit = move || state.lit.get().and_then(|lit| state.dots.with(|d| d.get(lit).map(|d| d.name.clone())));
    view! {
        <canvas
            class="chart__plot chart__plot--scatter"
            tabindex="0"
            role="img"
            data-lit=lit
            aria-label=format!("{label}: scatter chart with ceilings. Use the arrow keys to move between points; the values follow as a table.")
            node_ref=state.plot.canvas
            on:pointermove=point
            on:pointerleave=move |_| leave()
            on:click=move |_| state.choose()
            on:keydown=key
            on:blur=move |_| leave()
            on:transitionend=move |_| state.plot.again()
        ></canvas>
    }
}
