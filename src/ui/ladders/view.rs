//! The ladders with card, keys and table.

use super::data::{self, Ladder, Layout};
use super::draw;
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target, next_item};
use leptos::prelude::*;
use std::sync::Arc;

struct Drawing {
    ladders: Signal<Arc<Vec<Ladder>>>,
    chosen: Signal<Option<usize>>,
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.ladders.with(|l| draw::base(sheet, &Layout::new(l, sheet.size.width), l, self.chosen.get()))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(gap) = target.and_then(Target::item) else { return Ok(()) };
        self.ladders.with_untracked(|l| draw::over(sheet, &Layout::new(l, sheet.size.width), gap))
    }

    fn hit(&self, size: Size, (_, y): (f64, f64)) -> Option<Target> {
        self.ladders.with(|l| Layout::new(l, size.width).hit(y)).map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        self.ladders.with(|l| next_item(data::gaps(l).len(), from.and_then(Target::item), key.name)).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let ladders = self.ladders.get();
        let (l, r) = *data::gaps(&ladders).get(target.item()?)?;
        let rung = &ladders[l].rungs[r];
        let gap = rung.gap.as_ref()?;
        let mut rows =
            vec![(None, gap.name.clone(), gap.text.clone(), true), (Some(rung.colour), rung.name.clone(), rung.text.clone(), false)];
        rows.extend(gap.facts.iter().map(|(name, value)| (None, name.clone(), value.clone(), false)));
        Some(Readout { title: ladders[l].name.clone(), rows, note: gap.note.clone(), ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        let line = self.ladders.with(|l| Layout::new(l, size.width).line_of(target.item()?).copied());
        line.map_or((0.0, 0.0), |line| (size.width / 2.0, line.y + data::BAR))
    }

    fn name(&self, target: Target) -> Option<String> {
        let ladders = self.ladders.get();
        let (l, r) = *data::gaps(&ladders).get(target.item()?)?;
        ladders[l].rungs[r].gap.as_ref().map(|g| g.name.clone())
    }

    fn legend(&self) -> Vec<(u16, String)> {
        Vec::new()
    }
}

/// Bars from zero on one scale, each with the gap to the one above it. A click on a line chooses its gap.
#[component]
pub fn Ladders(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// From top to bottom.
    #[prop(into)]
    ladders: Signal<Arc<Vec<Ladder>>>,
    /// The chosen gap, by its number over all ladders.
    #[prop(into)]
    chosen: Signal<Option<usize>>,
    /// A gap was chosen.
    on_gap: Callback<usize>,
    /// All of it as a table.
    figures: Figures,
    /// What is shown when there is none.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let stage = ChartState::default();
    let is_empty = Memo::new(move |_| ladders.with(|l| l.is_empty()));
    let chart: Arc<dyn Chart> = Arc::new(Drawing { ladders, chosen });
    let export = Export::new(&chart, stage, &title);
    let style = Signal::derive(move || {
        let width = stage.size.with(|s| s.width);
        format!("height:{}px", ladders.with(|l| Layout::new(l, width).height))
    });
    let on_choose = Callback::new(move |target: Target| {
        if let Some(gap) = target.item() {
            on_gap.run(gap);
        }
    });
    let label = format!("{title}: bars. Use the arrow keys to move between gaps and Enter to open one; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <ChartCanvas chart=chart.clone() stage label=label.clone() style on_choose=Some(on_choose) />
        </Frame>
    }
}
