//! The boxes with their read-out and their table.

use super::data::{self, Boxed, Layout};
use super::draw;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::table::{Cell, Kind};
use leptos::{ev, prelude::*};
use std::sync::Arc;

/// Groups of values, one below the other: line from least to most, box of the middle half, line of the median, point of the mean.
#[component]
pub fn Boxes(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// How figures read.
    kind: Kind,
    /// From top to bottom.
    #[prop(into)]
    boxes: Signal<Arc<Vec<Boxed>>>,
    /// All of it as a table.
    figures: Figures,
    /// What stands there when there are none.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let (lit, pointer) = (RwSignal::new(None::<usize>), RwSignal::new((0.0, 0.0)));
    let plot = Plot::new(move |context, size, look| {
        boxes.with(|b| draw::paint(context, &Layout::new(b, kind, size.width), b, lit.get(), look));
    });
    let is_empty = Memo::new(move |_| boxes.with(|b| b.is_empty()));
    let name = title.clone();
    let on_save = Callback::new(move |()| {
        let boxes = boxes.get_untracked();
        plot.save(&name, &[], |context, size, look| draw::paint(context, &Layout::new(&boxes, kind, size.width), &boxes, None, look));
    });
    let point = move |e: ev::PointerEvent| {
        let hit = boxes.with_untracked(|b| Layout::new(b, kind, plot.size.get_untracked().width).hit(f64::from(e.offset_y()), b.len()));
        pointer.set((f64::from(e.client_x()), f64::from(e.client_y())));
        if lit.get_untracked() != hit {
            lit.set(hit);
        }
    };
    let readout = Signal::derive(move || {
        let one = lit.get().and_then(|at| boxes.with(|b| b.get(at).cloned()))?;
        let figure = |v: f64| Cell::Float(v).shown(kind);
        let names = ["Minimum", "First quartile", "Median", "Third quartile", "Maximum"];
        let mut rows: Vec<_> = names.iter().zip(one.five).map(|(n, v)| (None, n.to_string(), figure(v), *n == "Median")).collect();
        rows.push((None, "Mean".into(), figure(one.mean), false));
        rows.push((None, "Operations".into(), Cell::from(one.count).shown(Kind::Count), false));
        Some(Readout { at: pointer.get(), title: one.name, rows, note: String::new() })
    });
    let height = move || format!("{}px", data::height(boxes.with(|b| b.len())));
    let label = format!("{title}: box plots; the values follow as a table");
    view! {
        <Frame id title is_empty empty figures on_save>
            <div class="chart__tall">
                <canvas
                    class="chart__plot" style:height=height role="img" aria-label=label.clone() node_ref=plot.canvas on:pointermove=point
                    on:pointerleave=move |_| lit.set(None) on:transitionend=move |_| plot.again()
                ></canvas>
            </div>
            <ReadoutCard readout />
        </Frame>
    }
}
