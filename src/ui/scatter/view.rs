//! The chart of points under ceilings, with legend, read-out, keys and table.

use super::data::{self, Ceiling, Dot, Layout, Mark};
use super::draw::{self, Picture};
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Entry, Export, Frame, Key, Legend, Readout, Target};
use crate::ui::effect::effect;
use leptos::prelude::*;
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
    /// Dots that are drawn, by position, and where all is.
    layout: Memo<(Layout, Arc<Vec<usize>>)>,
    stage: ChartState,
}

impl State {
    fn new(dots: Signal<Arc<Vec<Dot>>>, (ceilings, slope, mark): Ceilings, titles: (&'static str, &'static str)) -> State {
        let (hidden, stage) = (RwSignal::new(BTreeSet::new()), ChartState::default());
        let layout = Memo::new(move |_| {
            let all = dots.get();
            let shown: Vec<usize> = hidden.with(|hidden| (0..all.len()).filter(|i| !hidden.contains(&all[*i].series)).collect());
            (layout(&all, &shown, ceilings, slope, stage.size.get()), Arc::new(shown))
        });
        // New points: the highlight is reset.
        effect(move || {
            dots.track();
            stage.target.set(None);
        });
        State { dots, ceilings, slope, mark, titles, hidden, layout, stage }
    }

    fn dot(&self, target: Option<Target>) -> Option<Dot> {
        let Some(Target::Item(at)) = target else { return None };
        self.dots.with(|d| d.get(at).cloned())
    }
}

fn layout(all: &[Dot], shown: &[usize], ceilings: Signal<Arc<Vec<Ceiling>>>, slope: Signal<Option<(String, f64)>>, size: Size) -> Layout {
    let dots: Vec<&Dot> = shown.iter().filter_map(|i| all.get(*i)).collect();
    let slope = slope.with(|s| s.as_ref().map(|s| s.1));
    ceilings.with(|c| Layout::new(&dots, c, slope, (size.width, size.height)))
}

impl Chart for State {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        let (all, ceilings, slope, mark) = (self.dots.get(), self.ceilings.get(), self.slope.get(), self.mark.get());
        let (on_screen, shown) = self.layout.get();
        let dots: Vec<&Dot> = shown.iter().filter_map(|i| all.get(*i)).collect();
        let slope = slope.as_ref().map(|s| (s.0.as_str(), s.1));
        let picture = Picture { dots: &dots, ceilings: &ceilings, slope, mark: mark.as_ref(), titles: self.titles };
        // A saved picture may have another size.
        let is_on_screen = sheet.size == self.stage.size.get_untracked();
        let layout = if is_on_screen { on_screen } else { layout(&all, &shown, self.ceilings, self.slope, sheet.size) };
        draw::base(sheet, &layout, &picture)
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        untrack(|| self.dot(target).map_or(Ok(()), |dot| self.layout.with(|l| draw::over(sheet, &l.0, &dot))))
    }

    fn hit(&self, _size: Size, (x, y): (f64, f64)) -> Option<Target> {
        self.dots
            .with(|dots| {
                self.layout.with(|(layout, shown)| {
                    let drawn: Vec<&Dot> = shown.iter().filter_map(|i| dots.get(*i)).collect();
                    layout.hit(&drawn, x, y).and_then(|at| shown.get(at).copied())
                })
            })
            .map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        let at = from.and_then(Target::item);
        self.layout.with(|l| data::step(&l.1, at, key.name)).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let dot = self.dot(Some(target))?;
        let rows = dot.rows.iter().map(|(name, value)| (None, name.clone(), value.clone(), false)).collect();
        Some(Readout { title: dot.name, rows, note: dot.note, ..Readout::default() })
    }

    fn place(&self, _size: Size, target: Target) -> (f64, f64) {
        let dot = self.dot(Some(target));
        self.layout.with(|(l, _)| dot.map_or((l.left, l.top), |dot| (l.px(dot.x), l.py(dot.y))))
    }

    fn name(&self, target: Target) -> Option<String> {
        self.dot(Some(target)).map(|dot| dot.name)
    }

    fn legend(&self) -> Vec<(u16, String)> {
        self.dots.with(|d| entries(d)).into_iter().map(|e| (e.colour, e.name)).collect()
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
    /// What is there when there is nothing to draw.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(dots, (ceilings, slope, mark), titles);
    let is_empty = Memo::new(move |_| dots.with(|d| d.is_empty()) && ceilings.with(|c| c.is_empty()));
    let entries: Signal<Arc<Vec<Entry>>> = Memo::new(move |_| Arc::new(dots.with(|d| entries(d)))).into();
    let chart: Arc<dyn Chart> = Arc::new(state);
    let export = Export::new(&chart, state.stage, &title);
    let on_choose = on_dot.map(|on_dot| {
        Callback::new(move |target| {
            if let Target::Item(at) = target {
                on_dot.run(at);
            }
        })
    });
    let label = format!("{title}: scatter chart with ceilings. Use the arrow keys to move between points; the values follow as a table.");
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <Legend entries hidden=state.hidden />
            <ChartCanvas
                chart=chart.clone() stage=state.stage label=label.clone() class="chart__plot chart__plot--scatter" on_choose
            />
        </Frame>
    }
}

/// The series of the points, in the order first seen.
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
