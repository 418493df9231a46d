//! The boxes with their read-out and their table.

use super::data::{self, Boxed, Layout};
use super::draw;
use crate::ui::chart::draw::{Drawn, Sheet};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target, next_item};
use crate::ui::table::{Cell, Kind};
use leptos::prelude::*;
use std::sync::Arc;

/// The boxes as a chart.
struct Drawing {
    boxes: Signal<Arc<Vec<Boxed>>>,
    kind: Kind,
}

impl Drawing {
    fn layout(&self, boxes: &[Boxed], size: Size) -> Layout {
        Layout::new(boxes, self.kind, size.width)
    }
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.boxes.with(|b| draw::base(sheet, &self.layout(b, sheet.size), b))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(at) = target.and_then(Target::item) else { return Ok(()) };
        self.boxes.with_untracked(|b| draw::over(sheet, &self.layout(b, sheet.size), b, at))
    }

    fn hit(&self, size: Size, (_, y): (f64, f64)) -> Option<Target> {
        self.boxes.with(|b| self.layout(b, size).hit(y, b.len())).map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        next_item(self.boxes.with(|b| b.len()), from.and_then(Target::item), key.name).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let one = target.item().and_then(|at| self.boxes.with(|b| b.get(at).cloned()))?;
        let figure = |v: f64| Cell::Float(v).shown(self.kind);
        let names = ["Minimum", "First quartile", "Median", "Third quartile", "Maximum"];
        let mut rows: Vec<_> = names.iter().zip(one.five).map(|(n, v)| (None, n.to_string(), figure(v), *n == "Median")).collect();
        rows.push((None, "Mean".into(), figure(one.mean), false));
        rows.push((None, "Operations".into(), Cell::from(one.count).shown(Kind::Count), false));
        Some(Readout { title: one.name, rows, ..Readout::default() })
    }

    fn place(&self, size: Size, target: Target) -> (f64, f64) {
        self.boxes.with(|b| {
            let layout = self.layout(b, size);
            target.item().and_then(|at| Some((layout.x(b.get(at)?.five[2]), layout.y(at) + data::PITCH))).unwrap_or((layout.left, 0.0))
        })
    }

    fn name(&self, target: Target) -> Option<String> {
        target.item().and_then(|at| self.boxes.with(|b| b.get(at).map(|b| b.name.clone())))
    }

    fn legend(&self) -> Vec<(u16, String)> {
        Vec::new()
    }
}

/// Groups of values, one below the other: line from least to most, box of the middle half, line of the median, point of the mean.
#[component]
pub fn Boxes(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// How values read.
    kind: Kind,
    /// From top to bottom.
    #[prop(into)]
    boxes: Signal<Arc<Vec<Boxed>>>,
    /// All of it as a table.
    figures: Figures,
    /// What is there when there are none.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let stage = ChartState::default();
    let is_empty = Memo::new(move |_| boxes.with(|b| b.is_empty()));
    let chart: Arc<dyn Chart> = Arc::new(Drawing { boxes, kind });
    let export = Export::new(&chart, stage, &title);
    let style = Signal::derive(move || format!("height:{}px", data::height(boxes.with(|b| b.len()))));
    let label = format!("{title}: box plots. Use the arrow keys to move between boxes; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <div class="chart__tall">
                <ChartCanvas chart=chart.clone() stage label=label.clone() style />
            </div>
        </Frame>
    }
}
