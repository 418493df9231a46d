//! Signed horizontal bars by name: decreases left of zero, increases right of it.

use crate::ui::chart::draw::{Align, Drawn, Face, Scale, Sheet, Write, fill, stroke};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target, next_item};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::prelude::*;
use plotters::element::Rectangle;
use std::sync::Arc;

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
pub(super) const LINE: f64 = 24.0;

/// Layout in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Layout {
    /// Width of the names.
    names: f64,
    /// Where zero is.
    zero: f64,
    /// Pixels for one unit.
    scale: f64,
    /// The values at both ends.
    range: (f64, f64),
}

/// Room for a value at either end of the bars.
const FIGURE: f64 = 76.0;

fn layout(bars: &[Signed], width: f64) -> Layout {
    let names = (width * 0.34).clamp(90.0, 320.0);
    let lo = bars.iter().map(|b| b.value).fold(0.0, f64::min);
    let hi = bars.iter().map(|b| b.value).fold(0.0, f64::max);
    let room = |is_needed: bool| if is_needed { FIGURE } else { 8.0 };
    let (left, right) = (room(lo < 0.0), room(hi > 0.0));
    let scale = (width - names - left - right).max(20.0) / if hi > lo { hi - lo } else { 1.0 };
    Layout { names, zero: names + left - lo * scale, scale, range: (lo, if hi > lo { hi } else { lo + 1.0 }) }
}

pub(super) fn hit(n: usize, y: f64) -> Option<usize> {
    (y >= 0.0).then_some((y / LINE) as usize).filter(|at| *at < n)
}

/// Draws the bars at these positions.
fn rects(sheet: &Sheet<'_>, bars: &[Signed], at: std::ops::Range<usize>) -> Drawn {
    let layout = layout(bars, sheet.size.width);
    let (lo, hi) = layout.range;
    let n = bars.len() as f64;
    let place = [layout.zero + lo * layout.scale, 0.0, (hi - lo) * layout.scale, n * LINE];
    let mut plane = sheet.plane(place, (Scale::plain(lo..hi), Scale::plain(0.0..n)))?;
    for (i, bar) in bars.iter().enumerate().take(at.end).skip(at.start).filter(|(_, b)| b.value != 0.0) {
        let slot = if bar.value < 0.0 { fixed::LESS } else { fixed::MORE };
        // The first bar is at the top.
        let top = n - i as f64;
        let corners = [(0.0, top - 5.0 / LINE), (bar.value, top - 1.0 + 5.0 / LINE)];
        plane.draw_series([Rectangle::new(corners, fill(sheet.ink.slot(slot), 1.0))])?;
    }
    Ok(())
}

/// Draws names and values of the bars at these positions, and the line at zero.
fn labels(sheet: &Sheet<'_>, bars: &[Signed], kind: Kind, at: std::ops::Range<usize>) -> Drawn {
    let layout = layout(bars, sheet.size.width);
    for (i, bar) in bars.iter().enumerate().take(at.end).skip(at.start) {
        let y = (i as f64 + 0.5) * LINE;
        if let Some(name) = sheet.fitted(&bar.name, Face::Mono, layout.names - 10.0) {
            sheet.text(&name, (2.0, y), Write { face: Face::Mono, align: Align::Left, colour: sheet.ink.text })?;
        }
        let (off, align) = if bar.value < 0.0 { (-6.0, Align::Right) } else { (6.0, Align::Left) };
        let x = layout.zero + bar.value * layout.scale + off;
        sheet.text(&with_sign(bar.value, kind), (x, y), Write { face: Face::Plain, align, colour: sheet.ink.quiet })?;
    }
    let zero = [(layout.zero, at.start as f64 * LINE), (layout.zero, at.end as f64 * LINE)];
    sheet.line(&zero, stroke(sheet.ink.axis, 1.0))
}

/// The bars as a chart.
struct Drawing {
    bars: Signal<Arc<Vec<Signed>>>,
    kind: Kind,
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.bars.with(|bars| {
            rects(sheet, bars, 0..bars.len())?;
            labels(sheet, bars, self.kind, 0..bars.len())
        })
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(Target::Item(at)) = target else { return Ok(()) };
        self.bars.with_untracked(|bars| {
            if at >= bars.len() {
                return Ok(());
            }
            sheet.rect([0.0, at as f64 * LINE, sheet.size.width, LINE], fill(sheet.ink.line, 0.5))?;
            rects(sheet, bars, at..at + 1)?;
            labels(sheet, bars, self.kind, at..at + 1)
        })
    }

    fn hit(&self, _size: Size, (_, y): (f64, f64)) -> Option<Target> {
        self.bars.with(|bars| hit(bars.len(), y)).map(Target::Item)
    }

    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target> {
        let at = from.and_then(Target::item);
        self.bars.with(|bars| next_item(bars.len(), at, key.name)).map(Target::Item)
    }

    fn readout(&self, target: Target) -> Option<Readout> {
        let Target::Item(at) = target else { return None };
        let bar = self.bars.with(|b| b.get(at).cloned())?;
        let rows = vec![(None, "Difference".into(), with_sign(bar.value, self.kind), false)];
        Some(Readout { title: bar.name, rows, note: bar.note, ..Readout::default() })
    }

    fn place(&self, _size: Size, target: Target) -> (f64, f64) {
        let Target::Item(at) = target else { return (40.0, 0.0) };
        (40.0, (at as f64 + 1.0) * LINE)
    }

    fn name(&self, target: Target) -> Option<String> {
        let Target::Item(at) = target else { return None };
        Some(at.to_string())
    }

    fn legend(&self) -> Vec<(u16, String)> {
        Vec::new()
    }
}

/// A value with its sign, also when it is above zero.
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
    /// How values read.
    kind: Kind,
    /// Bars from top to bottom.
    #[prop(into)]
    bars: Signal<Arc<Vec<Signed>>>,
    /// A bar was chosen by click or Enter, by its position.
    #[prop(optional, into)]
    on_bar: Option<Callback<usize>>,
    /// What is there when there are no bars.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let stage = ChartState::default();
    let is_empty = Memo::new(move |_| bars.with(|b| b.is_empty()));
    let chart: Arc<dyn Chart> = Arc::new(Drawing { bars, kind });
    let export = Export::new(&chart, stage, &title);
    let on_choose = on_bar.map(|on_bar| {
        Callback::new(move |target| {
            if let Target::Item(at) = target {
                on_bar.run(at);
            }
        })
    });
    let style = Signal::derive(move || format!("height:{}px", bars.with(|b| b.len()) as f64 * LINE));
    let label = format!("{title}: bar chart. Use the arrow keys to move between bars; the values follow as a table");
    let figures = figures(bars, &what, kind);
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <ChartCanvas chart=chart.clone() stage label=label.clone() style on_choose />
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
    use crate::ui::chart::draw::drawn;

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
    fn bars_are_drawn_on_their_side_of_zero() {
        let svg = |values: &[f64]| {
            let bars = bars(values);
            drawn((600.0, bars.len() as f64 * LINE), |sheet| {
                rects(sheet, &bars, 0..bars.len())?;
                labels(sheet, &bars, Kind::Duration, 0..bars.len())
            })
        };
        let found = svg(&[1_500.0, -2_000.0, 0.0]);
        assert_eq!(found.matches("<rect").count(), 2, "{found}");
        assert!(found.contains("+1.50 µs") && found.contains("−2.00 µs"));
        assert!(!svg(&[]).contains("<rect") && !svg(&[0.0]).contains("<rect"));
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
