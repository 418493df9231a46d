//! Bars with legend, read-out, keys and table.

use super::data::{self, Bar, Mark, Series};
use super::draw;
use super::layout::{Given, Layout};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Entry, Frame, Legend, Readout, ReadoutCard};
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{ev, html, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    series: Signal<Arc<Vec<Series>>>,
    bars: Signal<Arc<Vec<Bar>>>,
    hidden: RwSignal<BTreeSet<String>>,
    /// Lit from the legend.
    lit_series: RwSignal<Option<usize>>,
    lit: RwSignal<Option<Mark>>,
    /// Where the pointer is, in the window; else the read-out stands at the mark.
    pointer: RwSignal<Option<(f64, f64)>>,
    scroll: RwSignal<f64>,
    scroller: NodeRef<html::Div>,
    plot: Plot,
    kind: Kind,
    is_beside: bool,
}

impl State {
    fn new(series: Signal<Arc<Vec<Series>>>, bars: Signal<Arc<Vec<Bar>>>, kind: Kind, is_beside: bool) -> Self {
        let hidden = RwSignal::new(BTreeSet::new());
        let (lit, lit_series, scroll) = (RwSignal::new(None), RwSignal::new(None), RwSignal::new(0.0));
        let plot = Plot::new(move |context, size, look| {
            let (series, bars, shown) = (series.get(), bars.get(), shown(series, hidden));
            let shown = lit_series.get().filter(|s| shown.contains(s)).map_or(shown, |s| vec![s]);
            let layout = layout(&bars, shown, is_beside, kind, size, scroll.get());
            draw::paint(context, &layout, &series, &bars, lit.get(), look);
        });
        let (pointer, scroller) = (RwSignal::new(None), NodeRef::new());
        State { series, bars, hidden, lit_series, lit, pointer, scroll, scroller, plot, kind, is_beside }
    }

    /// Where all stands now. Not tracked.
    fn layout(&self) -> Layout {
        untrack(|| {
            let shown = shown(self.series, self.hidden);
            layout(&self.bars.get(), shown, self.is_beside, self.kind, self.plot.size.get(), self.scroll.get())
        })
    }

    fn entries(&self) -> Signal<Arc<Vec<Entry>>> {
        let series = self.series;
        let entry = |s: &Series| Entry { name: s.name.clone(), colour: s.colour, figure: String::new(), help: s.help.clone() };
        Memo::new(move |_| Arc::new(series.get().iter().map(entry).collect::<Vec<_>>())).into()
    }

    fn figures(&self, what: &str) -> Figures {
        let (series, bars, kind, is_beside) = (self.series, self.bars, self.kind, self.is_beside);
        let what = what.to_string();
        let has_groups = Memo::new(move |_| bars.with(|b| b.iter().any(|b| !b.group.is_empty())));
        let columns = Memo::new(move |_| {
            let mut columns = vec![Column::new("name", &what, Kind::Name, "")];
            columns.extend(has_groups.get().then(|| Column::new("group", "Group", Kind::Text, "")));
            columns.extend(series.get().iter().map(|s| Column::new(&s.name, &s.name, kind, &s.help)));
            columns.extend((!is_beside).then(|| Column::new("total", "Total", kind, "")));
            Arc::new(columns)
        });
        let rows = Memo::new(move |_| {
            let n = series.with(|s| s.len());
            let row = |b: &Bar| {
                let mut cells = vec![Cell::Text(b.name.clone())];
                cells.extend(has_groups.get().then(|| Cell::Text(b.group.clone())));
                cells.extend((0..n).map(|s| b.told(s).map_or(Cell::Absent, Cell::Float)));
                cells.extend((!is_beside).then(|| Cell::Float((0..n).map(|s| b.value(s)).sum())));
                Row::new(cells)
            };
            Arc::new(bars.with(|b| b.iter().map(row).collect::<Vec<_>>()))
        });
        Figures { columns: columns.into(), rows: rows.into() }
    }

    fn readout(&self, what: &str) -> Option<Readout> {
        let mark = self.lit.get()?;
        let (series, bars) = (self.series.get(), self.bars.get());
        let bar = bars.get(mark.bar)?;
        let shown = shown(self.series, self.hidden);
        let figure = |v: f64| Cell::Float(v).shown(self.kind);
        let row =
            |s: &usize| Some((Some(series.get(*s)?.colour), series.get(*s)?.name.clone(), figure(bar.told(*s)?), mark.series == Some(*s)));
        let mut rows: Vec<_> = shown.iter().rev().filter_map(row).collect();
        if !self.is_beside && rows.len() > 1 {
            rows.push((None, "Total".into(), figure(shown.iter().map(|s| bar.value(*s)).sum()), false));
        }
        let at = self.pointer.get().unwrap_or_else(|| {
            let layout = self.layout();
            self.plot.on_page(layout.column(mark.bar) + layout.pitch / 2.0, layout.top + 8.0)
        });
        let group = if bar.group.is_empty() { String::new() } else { format!("{} · ", bar.group) };
        Some(Readout { at, title: format!("{group}{what} {}", bar.name), rows, note: bar.note.clone() })
    }

    fn key(&self, event: &ev::KeyboardEvent, on_bar: Option<Callback<usize>>) {
        let key = event.key();
        match key.as_str() {
            "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End" => {
                let layout = self.layout();
                let next = data::moved(self.lit.get_untracked(), &key, layout.n, &layout.shown);
                self.pointer.set(None);
                if let (Some(mark), Some(scroller)) = (next, self.scroller.get_untracked()) {
                    scroller.set_scroll_left(layout.reveal(mark.bar).round() as i32);
                    self.scroll.set(f64::from(scroller.scroll_left()));
                }
                self.lit.set(next);
            }
            "Enter" => {
                if let (Some(mark), Some(on_bar)) = (self.lit.get_untracked(), on_bar) {
                    on_bar.run(mark.bar);
                }
            }
            "Escape" if self.lit.get_untracked().is_some() => self.lit.set(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Series that are drawn, by position. Tracked.
fn shown(series: Signal<Arc<Vec<Series>>>, hidden: RwSignal<BTreeSet<String>>) -> Vec<usize> {
    let (series, hidden) = (series.get(), hidden.get());
    (0..series.len()).filter(|s| !hidden.contains(&series[*s].name)).collect()
}

fn layout(bars: &[Bar], shown: Vec<usize>, is_beside: bool, kind: Kind, size: Size, scroll: f64) -> Layout {
    Layout::new(&Given { bars, shown, is_beside, kind }, size.width, size.height, scroll)
}

/// Bars from zero, stacked or side by side; more than fit scroll sideways beside their axis.
#[component]
pub fn Bars(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// What one bar is: `Step`.
    #[prop(into)]
    what: String,
    /// How figures read.
    kind: Kind,
    /// Colours, from the ground up.
    #[prop(into)]
    series: Signal<Arc<Vec<Series>>>,
    /// Bars from left to right.
    #[prop(into)]
    bars: Signal<Arc<Vec<Bar>>>,
    /// Side by side instead of stacked.
    #[prop(optional)]
    is_beside: bool,
    /// A bar was chosen by click or Enter, by its position.
    #[prop(optional, into)]
    on_bar: Option<Callback<usize>>,
    /// What stands there when there are no bars.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(series, bars, kind, is_beside);
    let is_empty = Memo::new(move |_| bars.with(|b| b.is_empty()) || series.with(|s| s.is_empty()));
    let name = title.clone();
    let on_save = Callback::new(move |()| save(state, &name));
    let (label, of_readout) = (title.clone(), what.clone());
    view! {
        <Frame id title is_empty empty figures=state.figures(&what) on_save>
            <Legend entries=state.entries() hidden=state.hidden lit=state.lit_series />
            <Plotted state label=label.clone() on_bar />
            <ReadoutCard readout={
                let what = of_readout.clone();
                Signal::derive(move || state.readout(&what))
            } />
        </Frame>
    }
}

#[component]
fn Plotted(state: State, label: String, on_bar: Option<Callback<usize>>) -> impl IntoView {
    let seen_width = RwSignal::new(0.0);
    Effect::new(move |_| {
        let Some(scroller) = state.scroller.get() else { return };
        let element = scroller.clone();
        crate::ui::dom::on_resize(&scroller, move || {
            let _ = seen_width.try_set(f64::from(element.client_width()));
        });
    });
    let whole_width = Memo::new(move |_| {
        state.plot.size.track();
        let shown = shown(state.series, state.hidden);
        let size = Size { width: seen_width.get(), height: 240.0 };
        state.bars.with(|bars| layout(bars, shown, state.is_beside, state.kind, size, 0.0).whole_width())
    });
    let find = move |e: &ev::PointerEvent| {
        let layout = state.layout();
        state.bars.with_untracked(|bars| layout.hit(bars, f64::from(e.offset_x()), f64::from(e.offset_y())))
    };
    let point = move |e: ev::PointerEvent| {
        let mark = find(&e);
        state.pointer.set(mark.map(|_| (f64::from(e.client_x()), f64::from(e.client_y()))));
        if state.lit.get_untracked() != mark {
            state.lit.set(mark);
        }
    };
    let choose = move |_: ev::MouseEvent| {
        if let (Some(mark), Some(on_bar)) = (state.lit.get_untracked(), on_bar) {
            on_bar.run(mark.bar);
        }
    };
    let lit = move || state.lit.get().map(|m| format!("{}:{}", m.bar, m.series.map_or(String::new(), |s| s.to_string())));
    view! {
        <div class="chart__scroll" node_ref=state.scroller on:scroll:target=move |e| state.scroll.set(f64::from(e.target().scroll_left()))>
            <div class="chart__wide" style:width=move || format!("{}px", whole_width.get().floor())>
                <canvas
                    class="chart__plot chart__plot--bars"
                    class:can-choose=on_bar.is_some()
                    style:width=move || format!("{}px", seen_width.get())
                    tabindex="0"
                    role="img"
                    data-lit=lit
                    aria-label=format!("{label}: bar chart. Use the arrow keys to move between bars; the values follow as a table")
                    node_ref=state.plot.canvas
                    on:pointermove=point
                    on:pointerdown=point
                    on:pointerleave=move |_| state.lit.set(None)
                    on:click=choose
                    on:keydown=move |e| state.key(&e, on_bar)
                    on:blur=move |_| state.lit.set(None)
                    on:transitionend=move |_| state.plot.again()
                ></canvas>
            </div>
        </div>
    }
}

fn save(state: State, title: &str) {
    let (series, bars) = (state.series.get_untracked(), state.bars.get_untracked());
    let shown = untrack(|| shown(state.series, state.hidden));
    let legend: Vec<_> = shown.iter().map(|s| (series[*s].colour, series[*s].name.clone())).collect();
    let scroll = state.scroll.get_untracked();
    state.plot.save(title, &legend, |context, size, look| {
        draw::paint(context, &layout(&bars, shown, state.is_beside, state.kind, size, scroll), &series, &bars, None, look);
    });
}
