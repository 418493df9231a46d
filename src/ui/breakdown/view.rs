//! The bar with its legend, read-out and table.

use super::data::{self, Share};
use super::draw;
use crate::base::text;
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target};
use crate::ui::controls::swatch_colour;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::prelude::*;
use std::sync::Arc;

type Parts = Signal<Arc<Vec<Share>>>;

struct Drawing {
    parts: Parts,
    kind: Kind,
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.parts.with(|p| draw::base(sheet, p, self.kind))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(at) = target.and_then(Target::item) else { return Ok(()) };
        self.parts.with_untracked(|p| draw::over(sheet, p, at))
    }

    fn hit(&self, size: Size, (x, _): (f64, f64)) -> Option<Target> {
        self.parts.with(|p| data::hit(p, size.width, x)).map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        self.parts.with(|p| data::step(p, from.and_then(Target::item), key.name)).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let parts = self.parts.get();
        let part = target.item().and_then(|at| parts.get(at))?;
        let total = data::total(&parts);
        let value = (Some(part.colour), "Time".to_string(), Cell::Float(part.value).shown(self.kind), true);
        let share = (None, "Share".to_string(), share_of(part.value, total), false);
        Some(Readout { title: part.name.clone(), rows: vec![value, share], note: part.help.clone(), ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        let place = self.parts.with(|p| data::places(p, size.width).get(target.item().unwrap_or(usize::MAX)).copied());
        place.map_or((0.0, 0.0), |(from, wide)| (from + wide / 2.0, draw::HEIGHT))
    }

    fn name(&self, target: Target) -> Option<String> {
        target.item().and_then(|at| self.parts.with(|p| p.get(at).map(|p| p.name.clone())))
    }

    fn legend(&self) -> Vec<(u16, String)> {
        let parts = self.parts.get();
        let total = data::total(&parts);
        let line = |p: &Share| format!("{}  {}  {}", p.name, Cell::Float(p.value).shown(self.kind), share_of(p.value, total));
        parts.iter().map(|p| (p.colour, line(p))).collect()
    }
}

fn share_of(value: f64, total: f64) -> String {
    if total > 0.0 { text::percent(value / total) } else { String::new() }
}

fn figures(parts: Parts, kind: Kind) -> Figures {
    let columns = vec![
        Column::new("part", "Part", Kind::Name, ""),
        Column::new("value", "Time", kind, "Every instant counts for one part only.").summed(),
        Column::new("share", "Share", Kind::Share, "Share of the total.").summed(),
    ];
    let rows = Memo::new(move |_| {
        let parts = parts.get();
        let total = data::total(&parts);
        let share = |p: &Share| if total > 0.0 { Cell::Float(p.value / total) } else { Cell::Absent };
        let row = |p: &Share| Row { colour: Some(p.colour), ..Row::new(vec![Cell::Text(p.name.clone()), Cell::plain(p.value), share(p)]) };
        Arc::new(parts.iter().map(row).collect::<Vec<_>>())
    });
    Figures { columns: Signal::stored(Arc::new(columns)), rows: rows.into() }
}

/// One bar of parts that sum to a total. The legend has every part, also those without a size, and changes their order.
#[component]
pub fn Breakdown(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// How values read.
    kind: Kind,
    /// From left to right.
    #[prop(into)]
    parts: Parts,
    /// A part was moved: (from, to), positions among the parts.
    #[prop(optional_no_strip)]
    on_move: Option<Callback<(usize, usize)>>,
    /// What is shown where there is no total.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let stage = ChartState::default();
    let is_empty = Memo::new(move |_| parts.with(|p| data::total(p) <= 0.0));
    let chart: Arc<dyn Chart> = Arc::new(Drawing { parts, kind });
    let export = Export::new(&chart, stage, &title);
    let style = Signal::stored(format!("height:{}px", draw::HEIGHT));
    let label = format!("{title}: one bar of parts. Use the arrow keys to move between parts; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures=figures(parts, kind) on_save=export>
            <ChartCanvas chart=chart.clone() stage label=label.clone() style />
            <Keys parts kind stage on_move />
        </Frame>
    }
}

/// Every part with its value and share, and the buttons that change the order.
#[component]
fn Keys(parts: Parts, kind: Kind, stage: ChartState, on_move: Option<Callback<(usize, usize)>>) -> impl IntoView {
    let items = move || {
        let all = parts.get();
        let total = data::total(&all);
        let button = |at: usize, is_earlier: bool| {
            let on_move = on_move.filter(|_| all[at].is_movable)?;
            let to = data::moved(&all, at, is_earlier);
            let (word, sign) = if is_earlier { ("earlier", "‹") } else { ("later", "›") };
            let label = format!("Count {} {word}", all[at].name);
            let press = move |_| {
                if let Some(to) = to {
                    on_move.run((at, to));
                }
            };
            Some(view! {
                <button type="button" class="breakdown__move" title=label.clone() aria-label=label disabled=to.is_none() on:click=press>{sign}</button>
            })
        };
        let item = |(at, part): (usize, &Share)| {
            view! {
                <li
                    class="breakdown__part" class:is-nothing=part.value <= 0.0 title=part.help.clone() data-part-name=part.name.clone()
                    on:pointerenter=move |_| stage.point_out(Target::Item(at)) on:pointerleave=move |_| stage.clear()
                >
                    <i class="swatch" style:background=swatch_colour(part.colour)></i>
                    <span>{part.name.clone()}</span>
                    <span class="figure">{Cell::Float(part.value).shown(kind)}</span>
                    <span class="figure breakdown__share">{share_of(part.value, total)}</span>
                    {button(at, true)}
                    {button(at, false)}
                </li>
            }
        };
        all.iter().enumerate().map(item).collect_view()
    };
    view! { <ul class="breakdown">{items}</ul> }
}
