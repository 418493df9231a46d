//! The ring with its legend, its table and its read-out.

use super::data::{self, Part, Slice};
use super::draw::{self, Ring};
use crate::base::{short_name, text};
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target};
use crate::ui::controls::swatch_colour;
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parts with a name at most: more cannot be distinguished.
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

/// What the parts of a pie depend on, and which is highlighted.
#[derive(Clone, Copy)]
struct State {
    parts: Memo<Vec<Part>>,
    hidden: RwSignal<BTreeSet<String>>,
    stage: ChartState,
    kind: Kind,
}

impl State {
    fn new(slices: Signal<Arc<Vec<Slice>>>, limit: Signal<usize>, kind: Kind) -> Self {
        let hidden = RwSignal::new(BTreeSet::new());
        let parts = Memo::new(move |_| hidden.with(|hidden| data::parts(&slices.get(), limit.get().clamp(1, MOST), hidden)));
        State { parts, hidden, stage: ChartState::default(), kind }
    }

    fn amount(&self, part: &Part) -> String {
        Cell::Int(part.value).shown(self.kind)
    }

    /// A line with the name as it is given.
    fn line(&self, part: &Part, name: &str) -> String {
        format!("{} · {} · {}", text::brief(name), text::percent(part.share), self.amount(part))
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
}

impl Chart for State {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.parts.with(|parts| {
            let total = Cell::Int(data::total(parts)).shown(self.kind);
            draw::parts(sheet, parts, Ring::new(sheet.size), &total)
        })
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(Target::Item(at)) = target else { return Ok(()) };
        self.parts.with(|parts| parts.get(at).map_or(Ok(()), |part| draw::lifted(sheet, part, Ring::new(sheet.size))))
    }

    fn hit(&self, size: Size, (x, y): (f64, f64)) -> Option<Target> {
        let Ring { centre, radius, hole } = Ring::new(size);
        self.parts.with(|parts| data::hit(parts, x - centre.0, y - centre.1, (hole, radius))).map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        let at = from.and_then(Target::item);
        self.parts.with(|parts| data::step(parts, at, key.name)).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let Target::Item(at) = target else { return None };
        let part = self.parts.with(|p| p.get(at).cloned())?;
        let rows = vec![(None, text::percent(part.share), self.amount(&part), false)];
        Some(Readout { title: text::brief(&part.name), rows, ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        let place = Ring::new(size);
        let Target::Item(at) = target else { return place.centre };
        self.parts.with(|p| p.get(at).map_or(place.centre, |part| place.middle(part)))
    }

    fn name(&self, target: Target) -> Option<String> {
        let Target::Item(at) = target else { return None };
        self.parts.with(|p| p.get(at).map(|p| p.name.clone()))
    }

    fn legend(&self) -> Vec<(u16, String)> {
        let line = |p: &Part| (p.colour.unwrap_or(fixed::OTHER), text::middle_ellipsis(&self.line(p, &short_name(&p.name)), 68));
        self.parts.with(|parts| parts.iter().filter(|p| !p.is_hidden).map(line).collect())
    }
}

/// Shares of a whole.
#[component]
pub fn Pie(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// Quantity and grouping: `Self time by device`.
    #[prop(into)]
    title: String,
    /// What one part is: the header of the table's first column.
    #[prop(into)]
    what: String,
    /// How values read.
    kind: Kind,
    /// What has a share.
    #[prop(into)]
    slices: Signal<Arc<Vec<Slice>>>,
    /// Number of named parts; the others are one part.
    #[prop(into)]
    limit: Signal<usize>,
    /// Text for an empty chart.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(slices, limit, kind);
    let is_empty = Memo::new(move |_| state.parts.with(|p| p.is_empty()));
    let chart: Arc<dyn Chart> = Arc::new(state);
    let export = Export::new(&chart, state.stage, &title);
    let label = format!("{title}: doughnut chart. Use the arrow keys to move between parts; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures=state.figures(&what) on_save=export>
            <div class="chart__body">
                <ChartCanvas chart=chart.clone() stage=state.stage label=label.clone() class="chart__canvas" />
                <Legend state />
            </div>
        </Frame>
    }
}

/// The parts with their values. Hover and focus light a part, a click takes it out of the whole and puts it back.
#[component]
fn Legend(state: State) -> impl IntoView {
    let items = move || {
        let item = |(i, part): (usize, Part)| {
            let light = move || state.stage.point_out(Target::Item(i));
            let dim = move || state.stage.clear();
            let key = part.key().to_string();
            let act = if part.is_hidden { "Click to include it again" } else { "Click to exclude it" };
            let share = if part.is_hidden { "excluded".into() } else { text::percent(part.share) };
            view! {
                <li>
                    <button
                        type="button"
                        class="legend__item"
                        class:is-off=part.is_hidden
                        class:is-lit=move || state.stage.target.get() == Some(Target::Item(i))
                        aria-pressed=(!part.is_hidden).to_string()
                        title=format!("{}\n{act}", state.line(&part, &part.name))
                        on:click=move |_| crate::ui::chart::toggle(state.hidden, &key)
                        on:pointerenter=move |_| light()
                        on:pointerleave=move |_| dim()
                        on:focus=move |_| light()
                        on:blur=move |_| dim()
                    >
                        <i class="swatch" style:background=swatch_colour(part.colour.unwrap_or(fixed::OTHER))></i>
                        <span class="legend__name mono">{text::brief(&short_name(&part.name))}</span>
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
