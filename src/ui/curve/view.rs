//! Curves with legend, cursor, range and table.

use super::data::{self, Layout, Line, Mark, cell};
use super::draw::{self, Over};
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Entry, Export, Frame, Key, Legend, Readout, Target};
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::prelude::*;
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
    pub(super) highlighted: RwSignal<Option<usize>>,
    /// While a range is dragged out: where it began and where it is, pixel and x.
    pub(super) drag: RwSignal<Option<(Spot, Spot)>>,
    /// The part of the x axis that is seen.
    pub(super) window: RwSignal<Range>,
    stage: ChartState,
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

impl Chart for State {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        let lines = self.lines.get();
        let shown = self.shown(&lines);
        let layout = self.layout(&shown, sheet.size);
        self.titles.with_value(|(x, y)| self.marks.with(|marks| draw::base(sheet, &layout, &shown, marks, (x, y))))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let (range, highlighted, cursor) = (self.band(), self.highlighted.get(), x_of(target));
        if (range, highlighted, cursor) == (None, None, None) {
            return Ok(());
        }
        untrack(|| {
            let lines = self.lines.get();
            let shown = self.shown(&lines);
            let highlighted = highlighted.and_then(|at| lines.get(at)).filter(|l| shown.iter().any(|s| s.name == l.name));
            draw::over(sheet, &self.layout(&shown, sheet.size), &shown, &Over { range, cursor, highlighted })
        })
    }

    fn hit(&self, size: Size, (x, y): (f64, f64)) -> Option<Target> {
        let lines = self.lines.get();
        let layout = self.layout(&self.shown(&lines), size);
        layout.holds(x, y).then(|| Target::X(layout.x_at(x)))
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        if !key.name.starts_with("Arrow") && !["Home", "End", "PageUp", "PageDown"].contains(&key.name) {
            return None;
        }
        let (lines, before) = (self.lines.get(), x_of(from));
        let next = data::moved(&self.shown(&lines), before, key.name, self.seen())?;
        // Shift draws a range out of where the cursor was.
        if let (true, Some(before)) = (key.is_shift, before) {
            let (from, to) = self.range.get().filter(|r| r.0 == before || r.1 == before).unwrap_or((before, before));
            let fixed = if from == before { to } else { from };
            if fixed != next {
                self.choose(Some((fixed.min(next), fixed.max(next))));
            }
        }
        Some(Target::X(next))
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let x = x_of(Some(target))?;
        let figure = |v: f64, kind: Kind| cell(v, kind).shown(kind);
        let lines = self.lines.get();
        let row = |l: &&Line| Some((Some(l.colour), l.name.clone(), figure(l.at(x)?.1, self.kinds.1), false));
        let rows = self.shown(&lines).iter().filter_map(row).collect();
        let title = self.titles.with_value(|t| format!("{} {}", t.0, Cell::Int(x).exact(self.kinds.0)));
        let note = self.band().map(|(a, b)| format!("Range {}", Cell::Int(b - a).shown(self.kinds.0))).unwrap_or_default();
        Some(Readout { title, rows, note, ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        let lines = self.lines.get();
        let layout = self.layout(&self.shown(&lines), size);
        (x_of(Some(target)).map_or(layout.left, |x| layout.px(x)), layout.top)
    }

    fn name(&self, _target: Target) -> Option<String> {
        None
    }

    fn legend(&self) -> Vec<(u16, String)> {
        let lines = self.lines.get();
        self.shown(&lines).iter().map(|l| (l.colour, l.name.clone())).collect()
    }

    fn press(&self, size: Size, (x, y): (f64, f64)) -> bool {
        let layout = untrack(|| {
            let lines = self.lines.get();
            self.layout(&self.shown(&lines), size)
        });
        let begins = self.on_range.is_some() && layout.holds(x, y);
        if begins {
            let at = (x, layout.x_at(x));
            self.drag.set(Some((at, at)));
        }
        begins
    }

    fn drag(&self, size: Size, (x, _): (f64, f64)) {
        let Some((from, _)) = self.drag.get_untracked() else { return };
        let at = untrack(|| {
            let lines = self.lines.get();
            self.layout(&self.shown(&lines), size).x_at(x)
        });
        self.drag.set(Some((from, (x, at))));
    }

    fn release(&self, is_chosen: bool) {
        let Some((from, to)) = self.drag.get_untracked() else { return };
        self.drag.set(None);
        if let (true, Some(range)) = (is_chosen, data::dragged(from, to)) {
            self.choose(Some(range));
        }
    }

    fn reset(&self) -> bool {
        let is_chosen = self.on_range.is_some() && self.range.get_untracked().is_some();
        let has_choice = is_chosen || self.window.get_untracked().is_some() || self.drag.get_untracked().is_some();
        if has_choice {
            State::reset(self);
        }
        has_choice
    }

    fn range(&self) -> Option<(i64, i64)> {
        self.band()
    }
}

fn x_of(target: Option<Target>) -> Option<i64> {
    match target {
        Some(Target::X(x)) => Some(x),
        _ => None,
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
    /// What is there when there are no points.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = make(lines, marks, (whole, range), on_range, (x, y));
    let is_empty = Memo::new(move |_| lines.with(|l| data::extent(l).is_none()));
    let entry = |l: &Line| Entry { name: l.name.clone(), colour: l.colour, figure: String::new(), help: String::new() };
    let entries: Signal<Arc<Vec<Entry>>> = Memo::new(move |_| Arc::new(lines.get().iter().map(entry).collect::<Vec<_>>())).into();
    let chart: Arc<dyn Chart> = Arc::new(state);
    let export = Export::new(&chart, state.stage, &title);
    let can_drag = on_range.is_some();
    let hint = if can_drag { " Drag to select a range; right-click or press Esc to clear it." } else { "" };
    let label = format!("{title}: line chart. Use the arrow keys to move between points; the values follow as a table.{hint}");
    let tools = move || view! { <Zoom state /> };
    view! {
        <Frame id title is_empty empty figures=state.figures() on_save=export tools=ViewFn::from(tools)>
            <Legend entries hidden=state.hidden highlighted=state.highlighted />
            <ChartCanvas
                chart=chart.clone() stage=state.stage label=label.clone() class="chart__plot chart__plot--curve" can_drag
            />
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
    State {
        lines,
        marks,
        whole,
        range,
        on_range,
        titles: StoredValue::new((x.0.into(), y.0.into())),
        kinds: (x.1, y.1),
        hidden: RwSignal::new(BTreeSet::new()),
        highlighted: RwSignal::new(None),
        drag: RwSignal::new(None),
        window: RwSignal::new(None),
        stage: ChartState::default(),
    }
}

/// Makes the chosen range fill the chart, and gives the whole back.
#[component]
fn Zoom(state: State) -> impl IntoView {
    let can_zoom = move || state.range.get().is_some_and(|r| state.window.get() != Some(r));
    view! {
        <Show when=can_zoom>
            <button type="button" class="link" title="Zoom the chart to the range" on:click=move |_| state.window.set(state.range.get_untracked())>
                "zoom in"
            </button>
        </Show>
        <Show when=move || state.window.get().is_some() || (state.range.get().is_some() && state.on_range.is_some())>
            <button type="button" class="link" title="Also right-click or Esc" on:click=move |_| state.reset()>"reset"</button>
        </Show>
    }
}
