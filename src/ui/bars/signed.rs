//! Signed horizontal bars by name: what became less stands left of zero, what became more right of it.

use crate::ui::chart::Frame;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{self, FONT, Look, MONO, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Readout, ReadoutCard};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{ev, prelude::*};
use std::sync::Arc;
use web_sys::CanvasRenderingContext2d;

/// One bar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Signed {
    /// Its name.
    pub name: String,
    /// How much, with its sign.
    pub value: f64,
    /// A line for the read-out; may be empty.
    pub note: String,
}

/// Height of one bar with its gap.
const LINE: f64 = 24.0;

/// Where things stand, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Layout {
    /// Width of the names.
    names: f64,
    /// Where zero is.
    zero: f64,
    /// Pixels for one unit.
    scale: f64,
}

/// Room for a figure at either end of the bars.
const FIGURE: f64 = 76.0;

fn layout(bars: &[Signed], width: f64) -> Layout {
    let names = (width * 0.34).clamp(90.0, 320.0);
    let lo = bars.iter().map(|b| b.value).fold(0.0, f64::min);
    let hi = bars.iter().map(|b| b.value).fold(0.0, f64::max);
    let room = |is_needed: bool| if is_needed { FIGURE } else { 8.0 };
    let (left, right) = (room(lo < 0.0), room(hi > 0.0));
    let scale = (width - names - left - right).max(20.0) / if hi > lo { hi - lo } else { 1.0 };
    Layout { names, zero: names + left - lo * scale, scale }
}

fn hit(n: usize, y: f64) -> Option<usize> {
    (y >= 0.0).then_some((y / LINE) as usize).filter(|at| *at < n)
}

fn paint(context: &CanvasRenderingContext2d, bars: &[Signed], kind: Kind, size: Size, lit: Option<usize>, look: &Look) {
    let layout = layout(bars, size.width);
    for (i, bar) in bars.iter().enumerate() {
        let (y, length) = (i as f64 * LINE, bar.value * layout.scale);
        if lit == Some(i) {
            context.set_global_alpha(0.5);
            context.set_fill_style_str(&look.line);
            context.fill_rect(0.0, y, size.width, LINE);
            context.set_global_alpha(1.0);
        }
        context.set_fill_style_str(&look.text);
        context.set_font(MONO);
        if let Some(name) = look::fitted(context, &bar.name, layout.names - 10.0) {
            look::write(context, &name, 2.0, y + LINE / 2.0, "left");
        }
        context.set_fill_style_str(&look.slot(if bar.value < 0.0 { fixed::LESS } else { fixed::MORE }));
        context.fill_rect(layout.zero.min(layout.zero + length), y + 5.0, length.abs().max(0.5), LINE - 10.0);
        context.set_fill_style_str(&look.quiet);
        context.set_font(FONT);
        let (x, align) = if bar.value < 0.0 { (layout.zero + length - 6.0, "right") } else { (layout.zero + length + 6.0, "left") };
        look::write(context, &with_sign(bar.value, kind), x, y + LINE / 2.0, align);
    }
    look::rule(context, (layout.zero, 0.0), (layout.zero, bars.len() as f64 * LINE), &look.axis);
}

/// A figure with its sign, also when it is above zero.
pub fn with_sign(value: f64, kind: Kind) -> String {
    let text = Cell::Float(value).shown(kind);
    if value > 0.0 { format!("+{text}") } else { text }
}

/// Signed bars by name, from top to bottom.
#[component]
pub fn SignedBars(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// What one bar is: `Operator`.
    #[prop(into)]
    what: String,
    /// How figures read.
    kind: Kind,
    /// Bars from top to bottom.
    #[prop(into)]
    bars: Signal<Arc<Vec<Signed>>>,
    /// A bar was chosen by click or Enter, by its position.
    #[prop(optional, into)]
    on_bar: Option<Callback<usize>>,
    /// What stands there when there are no bars.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let lit = RwSignal::new(None::<usize>);
    let pointer = RwSignal::new(None::<(f64, f64)>);
    let plot = Plot::new(move |context, size, look| paint(context, &bars.get(), kind, size, lit.get(), look));
    let is_empty = Memo::new(move |_| bars.with(|b| b.is_empty()));
    let n = move || bars.with_untracked(|b| b.len());
    let readout = Signal::derive(move || {
        let at = lit.get()?;
        let bar = bars.with(|b| b.get(at).cloned())?;
        let place = pointer.get().unwrap_or_else(|| plot.on_page(40.0, (at as f64 + 1.0) * LINE));
        Some(Readout {
            at: place,
            title: bar.name,
            rows: vec![(None, "Difference".into(), with_sign(bar.value, kind), false)],
            note: bar.note,
        })
    });
    let choose = move || {
        if let (Some(at), Some(on_bar)) = (lit.get_untracked(), on_bar) {
            on_bar.run(at);
        }
    };
    let point = move |e: ev::PointerEvent| {
        lit.set(hit(n(), f64::from(e.offset_y())));
        pointer.set(Some((f64::from(e.client_x()), f64::from(e.client_y()))));
    };
    let key = move |e: ev::KeyboardEvent| {
        let Some(last) = n().checked_sub(1) else { return };
        let next = match (e.key().as_str(), lit.get_untracked()) {
            ("ArrowDown", at) => at.map_or(0, |at| (at + 1).min(last)),
            ("ArrowUp", at) => at.map_or(last, |at| at.saturating_sub(1)),
            ("Home", _) => 0,
            ("End", _) => last,
            ("Enter", Some(_)) => return choose(),
            _ => return,
        };
        e.prevent_default();
        pointer.set(None);
        lit.set(Some(next));
    };
    let name = title.clone();
    let on_save = Callback::new(move |()| {
        let bars = bars.get_untracked();
        plot.save(&name, &[], |context, size, look| paint(context, &bars, kind, size, None, look));
    });
    let label = title.clone();
    let figures = figures(bars, &what, kind);
    view! {
        <Frame id title is_empty empty figures on_save>
            <canvas
                class="chart__plot"
                class:can-choose=on_bar.is_some()
                style:height=move || format!("{}px", bars.with(|b| b.len()) as f64 * LINE)
                tabindex="0"
                role="img"
                data-lit=move || lit.get().map(|at| at.to_string())
                aria-label=format!("{label}: bar chart. Use the arrow keys to move between bars; the values follow as a table")
                node_ref=plot.canvas
                on:pointermove=point
                on:pointerdown=point
                on:pointerleave=move |_| lit.set(None)
                on:click=move |_| choose()
                on:keydown=key
                on:blur=move |_| lit.set(None)
                on:transitionend=move |_| plot.again()
            ></canvas>
            <ReadoutCard readout />
        </Frame>
    }
}

fn figures(bars: Signal<Arc<Vec<Signed>>>, what: &str, kind: Kind) -> Figures {
    let columns = vec![Column::new("name", what, Kind::Name, ""), Column::new("difference", "Difference", kind, "").summed()];
    let row = |b: &Signed| Row::new(vec![Cell::Text(b.name.clone()), Cell::Float(b.value)]);
    let rows = Memo::new(move |_| Arc::new(bars.with(|b| b.iter().map(row).collect::<Vec<_>>())));
    Figures { columns: Signal::stored(Arc::new(columns)), rows: rows.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64]) -> Vec<Signed> {
        values.iter().map(|v| Signed { value: *v, ..Signed::default() }).collect()
    }

    #[test]
    fn both_sides_share_one_scale() {
        let l = layout(&bars(&[100.0, -50.0]), 800.0);
        assert!(l.zero - 50.0 * l.scale >= l.names + FIGURE - 1e-9);
        assert!((l.zero + 100.0 * l.scale - (800.0 - FIGURE)).abs() < 1e-9);
        let l = layout(&bars(&[5.0]), 800.0);
        assert_eq!(l.zero, l.names + 8.0);
        assert!(layout(&bars(&[0.0]), 10.0).scale.is_finite());
    }

    #[test]
    fn hits_go_by_line() {
        assert_eq!(hit(3, 0.0), Some(0));
        assert_eq!(hit(3, LINE * 2.5), Some(2));
        assert_eq!(hit(3, LINE * 3.0), None);
        assert_eq!(hit(3, -1.0), None);
    }

    #[test]
    fn a_sign_stands_before_what_is_more() {
        assert_eq!(with_sign(1_500.0, Kind::Duration), "+1.50 µs");
        assert_eq!(with_sign(-1_500.0, Kind::Duration), "−1.50 µs");
        assert_eq!(with_sign(0.0, Kind::Duration), "0 ns");
    }
}
