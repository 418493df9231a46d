//! Bars with legend, read-out, keys and table.

use super::data::{self, Bar, Mark, Series};
use super::draw;
use super::layout::{Layout, LayoutInput};
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Entry, Export, Frame, Key, Legend, Readout, Target};
use crate::ui::effect::effect;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{html, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    series: Signal<Arc<Vec<Series>>>,
    bars: Signal<Arc<Vec<Bar>>>,
    hidden: RwSignal<BTreeSet<String>>,
    /// Lit from the legend.
    highlighted_series: RwSignal<Option<usize>>,
    scroll: RwSignal<f64>,
    scroller: NodeRef<html::Div>,
    stage: ChartState,
    kind: Kind,
    is_beside: bool,
}

impl State {
    fn new(series: Signal<Arc<Vec<Series>>>, bars: Signal<Arc<Vec<Bar>>>, kind: Kind, is_beside: bool) -> Self {
        State {
            series,
            bars,
            hidden: RwSignal::new(BTreeSet::new()),
            highlighted_series: RwSignal::new(None),
            scroll: RwSignal::new(0.0),
            scroller: NodeRef::new(),
            stage: ChartState::default(),
            kind,
            is_beside,
        }
    }

    /// Layout for the current canvas size. Tracked.
    fn layout(&self, size: Size) -> Layout {
        let shown = shown(self.series, self.hidden);
        let shown = self.highlighted_series.get().filter(|s| shown.contains(s)).map_or(shown, |s| vec![s]);
        self.bars.with(|bars| layout(bars, shown, self.is_beside, self.kind, size, self.scroll.get()))
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
                cells.extend((0..n).map(|s| b.recorded(s).map_or(Cell::Absent, Cell::Float)));
                cells.extend((!is_beside).then(|| Cell::Float((0..n).map(|s| b.value(s)).sum())));
                Row::new(cells)
            };
            Arc::new(bars.with(|b| b.iter().map(row).collect::<Vec<_>>()))
        });
        Figures { columns: columns.into(), rows: rows.into() }
    }
}

/// The bars as a chart; `what` is what one bar is.
struct Drawing {
    state: State,
    what: String,
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        let layout = self.state.layout(sheet.size);
        self.state.series.with(|series| self.state.bars.with(|bars| draw::base(sheet, &layout, series, bars)))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(Target::Bar(at, series)) = target else { return Ok(()) };
        let state = self.state;
        untrack(|| {
            let layout = state.layout(sheet.size);
            state.series.with(|all| state.bars.with(|bars| draw::over(sheet, &layout, all, bars, (at, series))))
        })
    }

    fn hit(&self, size: Size, (x, y): (f64, f64)) -> Option<Target> {
        let layout = self.state.layout(size);
        self.state.bars.with(|bars| layout.hit(bars, x, y)).map(|mark| Target::Bar(mark.bar, mark.series))
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        if !key.name.starts_with("Arrow") && !["Home", "End"].contains(&key.name) {
            return None;
        }
        let before = match from {
            Some(Target::Bar(bar, series)) => Some(Mark { bar, series }),
            _ => None,
        };
        let layout = self.state.layout(self.state.stage.size.get());
        let next = data::moved(before, key.name, layout.n, &layout.shown)?;
        if let Some(scroller) = self.state.scroller.get() {
            scroller.set_scroll_left(layout.reveal(next.bar).round() as i32);
            self.state.scroll.set(f64::from(scroller.scroll_left()));
        }
        Some(Target::Bar(next.bar, next.series))
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let Target::Bar(at, highlighted) = target else { return None };
        let state = self.state;
        let (series, bars) = (state.series.get(), state.bars.get());
        let bar = bars.get(at)?;
        let shown = shown(state.series, state.hidden);
        let figure = |v: f64| Cell::Float(v).shown(state.kind);
        let row = |s: &usize| {
            Some((Some(series.get(*s)?.colour), series.get(*s)?.name.clone(), figure(bar.recorded(*s)?), highlighted == Some(*s)))
        };
        let mut rows: Vec<_> = shown.iter().rev().filter_map(row).collect();
        if !state.is_beside && rows.len() > 1 {
            rows.push((None, "Total".into(), figure(shown.iter().map(|s| bar.value(*s)).sum()), false));
        }
        let group = if bar.group.is_empty() { String::new() } else { format!("{} · ", bar.group) };
        Some(Readout { title: format!("{group}{} {}", self.what, bar.name), rows, note: bar.note.clone(), ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        let layout = self.state.layout(size);
        let Target::Bar(at, _) = target else { return (layout.left, layout.top) };
        (layout.column(at) + layout.pitch / 2.0, layout.top + 8.0)
    }

    fn name(&self, target: Target) -> Option<String> {
        let Target::Bar(at, series) = target else { return None };
        Some(format!("{at}:{}", series.map_or(String::new(), |s| s.to_string())))
    }

    fn legend(&self) -> Vec<(u16, String)> {
        let series = self.state.series.get();
        shown(self.state.series, self.state.hidden).iter().map(|s| (series[*s].colour, series[*s].name.clone())).collect()
    }
}

/// Series that are drawn, by position. Tracked.
fn shown(series: Signal<Arc<Vec<Series>>>, hidden: RwSignal<BTreeSet<String>>) -> Vec<usize> {
    let (series, hidden) = (series.get(), hidden.get());
    (0..series.len()).filter(|s| !hidden.contains(&series[*s].name)).collect()
}

fn layout(bars: &[Bar], shown: Vec<usize>, is_beside: bool, kind: Kind, size: Size, scroll: f64) -> Layout {
    Layout::new(&LayoutInput { bars, shown, is_beside, kind }, size.width, size.height, scroll)
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
    /// How values read.
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
    /// What is there when there are no bars.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(series, bars, kind, is_beside);
    let is_empty = Memo::new(move |_| bars.with(|b| b.is_empty()) || series.with(|s| s.is_empty()));
    let figures = state.figures(&what);
    let chart: Arc<dyn Chart> = Arc::new(Drawing { state, what });
    let export = Export::new(&chart, state.stage, &title);
    let label = format!("{title}: bar chart. Use the arrow keys to move between bars; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <Legend entries=state.entries() hidden=state.hidden highlighted=state.highlighted_series />
            <Plotted state chart=chart.clone() label=label.clone() on_bar />
        </Frame>
    }
}

#[component]
fn Plotted(state: State, chart: Arc<dyn Chart>, label: String, on_bar: Option<Callback<usize>>) -> impl IntoView {
    let seen_width = RwSignal::new(0.0);
    effect(move || {
        let Some(scroller) = state.scroller.get() else { return };
        let element = scroller.clone();
        crate::ui::dom::on_resize(&scroller, move || {
            let _ = seen_width.try_set(f64::from(element.client_width()));
        });
    });
    let whole_width = Memo::new(move |_| {
        state.stage.size.track();
        let shown = shown(state.series, state.hidden);
        let size = Size { width: seen_width.get(), height: 240.0 };
        state.bars.with(|bars| layout(bars, shown, state.is_beside, state.kind, size, 0.0).whole_width())
    });
    let on_choose = on_bar.map(|on_bar| {
        Callback::new(move |target| {
            if let Target::Bar(at, _) = target {
                on_bar.run(at);
            }
        })
    });
    let style = Signal::derive(move || format!("width:{}px", seen_width.get()));
    view! {
        <div class="chart__scroll" node_ref=state.scroller on:scroll:target=move |e| state.scroll.set(f64::from(e.target().scroll_left()))>
            <div class="chart__wide" style:width=move || format!("{}px", whole_width.get().floor())>
                <ChartCanvas chart stage=state.stage label class="chart__plot chart__plot--bars" style on_choose />
            </div>
        </div>
    }
}
