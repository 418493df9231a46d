//! A waterfall: from one total to another, each bar between them starts where the one before it ends.

use super::signed::{LINE, hit, with_sign};
use crate::ui::chart::draw::{Align, Drawn, Face, Sheet, Write, fill, stroke};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::{Chart, ChartCanvas, ChartState, Export, Frame, Key, Readout, Target, next_item};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::prelude::*;
use std::sync::Arc;

/// One bar of a waterfall.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fall {
    /// Its name.
    pub name: String,
    /// A total, or the difference with its sign.
    pub value: f64,
    /// Whether it is a total: it starts at zero.
    pub is_total: bool,
    /// Colour slot; totals are neutral.
    pub colour: u16,
    /// A line for the read-out; may be empty.
    pub note: String,
}

/// Room for a value beside the bars.
const FIGURE: f64 = 84.0;

/// Where each bar starts and ends, in the unit of the values.
fn spans(bars: &[Fall]) -> Vec<(f64, f64)> {
    let mut at = 0.0;
    let span = |bar: &Fall| {
        let from = if bar.is_total { 0.0 } else { at };
        at = from + if bar.value.is_finite() { bar.value } else { 0.0 };
        (from, at)
    };
    bars.iter().map(span).collect()
}

/// Where things are, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Layout {
    names: f64,
    zero: f64,
    scale: f64,
}

fn layout(spans: &[(f64, f64)], width: f64) -> Layout {
    let names = (width * 0.3).clamp(80.0, 220.0);
    let lo = spans.iter().map(|s| s.0.min(s.1)).fold(0.0, f64::min);
    let hi = spans.iter().map(|s| s.0.max(s.1)).fold(0.0, f64::max);
    let scale = (width - names - FIGURE).max(20.0) / if hi > lo { hi - lo } else { 1.0 };
    Layout { names, zero: names - lo * scale, scale }
}

/// Draws the bars at these positions with their names and values, and the lines that join each to the next.
fn draw(sheet: &Sheet<'_>, bars: &[Fall], kind: Kind, at: std::ops::Range<usize>) -> Drawn {
    let spans = spans(bars);
    let layout = layout(&spans, sheet.size.width);
    let x = |value: f64| layout.zero + value * layout.scale;
    for i in at {
        let (Some(bar), Some(&(from, to))) = (bars.get(i), spans.get(i)) else { break };
        let (top, y) = (i as f64 * LINE, (i as f64 + 0.5) * LINE);
        let colour = sheet.ink.slot(if bar.is_total { fixed::OTHER } else { bar.colour });
        // A difference too small for a pixel has a mark of one.
        let width = ((to - from).abs() * layout.scale).max(if bar.value == 0.0 { 0.0 } else { 1.0 });
        if width > 0.0 {
            sheet.rect([x(from.min(to)), top + 4.0, width, LINE - 8.0], fill(colour, 1.0))?;
        }
        if i + 1 < bars.len() {
            sheet.line(&[(x(to), top + LINE - 4.0), (x(to), top + LINE + 4.0)], stroke(sheet.ink.axis, 1.0))?;
        }
        if let Some(name) = sheet.fitted(&bar.name, Face::Plain, layout.names - 10.0) {
            sheet.text(&name, (2.0, y), Write { face: Face::Plain, align: Align::Left, colour: sheet.ink.text })?;
        }
        let place = (x(from.max(to)) + 6.0, y);
        sheet.text(&value(bar, kind), place, Write { face: Face::Plain, align: Align::Left, colour: sheet.ink.quiet })?;
    }
    Ok(())
}

fn value(bar: &Fall, kind: Kind) -> String {
    if bar.is_total { Cell::Float(bar.value).shown(kind) } else { with_sign(bar.value, kind) }
}

/// The bars as a chart.
struct Drawing {
    bars: Signal<Arc<Vec<Fall>>>,
    kind: Kind,
}

impl Chart for Drawing {
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn {
        self.bars.with(|bars| draw(sheet, bars, self.kind, 0..bars.len()))
    }

    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn {
        let Some(Target::Item(at)) = target else { return Ok(()) };
        self.bars.with_untracked(|bars| {
            if at >= bars.len() {
                return Ok(());
            }
            sheet.rect([0.0, at as f64 * LINE, sheet.size.width, LINE], fill(sheet.ink.line, 0.5))?;
            draw(sheet, bars, self.kind, at..at + 1)
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
        let what = if bar.is_total { "Total" } else { "Difference" };
        let rows = vec![(None, what.into(), value(&bar, self.kind), false)];
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

/// A waterfall, from top to bottom.
#[component]
pub fn Waterfall(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows.
    #[prop(into)]
    title: String,
    /// What one bar is: `Part`.
    #[prop(into)]
    what: String,
    /// How values read.
    kind: Kind,
    /// Bars from top to bottom.
    #[prop(into)]
    bars: Signal<Arc<Vec<Fall>>>,
    /// What is shown when there are no bars.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let stage = ChartState::default();
    let is_empty = Memo::new(move |_| bars.with(|b| b.is_empty()));
    let chart: Arc<dyn Chart> = Arc::new(Drawing { bars, kind });
    let export = Export::new(&chart, stage, &title);
    let style = Signal::derive(move || format!("height:{}px", bars.with(|b| b.len()) as f64 * LINE));
    let label = format!("{title}: waterfall chart. Use the arrow keys to move between bars; the values follow as a table");
    let figures = figures(bars, &what, kind);
    view! {
        <Frame id title is_empty empty figures on_save=export>
            <ChartCanvas chart=chart.clone() stage label=label.clone() style />
        </Frame>
    }
}

fn figures(bars: Signal<Arc<Vec<Fall>>>, what: &str, kind: Kind) -> Figures {
    let columns = vec![
        Column::new("name", what, Kind::Name, ""),
        Column::new("difference", "Difference", kind, "").summed(),
        Column::new("total", "Total", kind, ""),
    ];
    let row = |b: &Fall| {
        let (total, difference) = if b.is_total { (Cell::Float(b.value), Cell::Absent) } else { (Cell::Absent, Cell::Float(b.value)) };
        Row::new(vec![Cell::Text(b.name.clone()), difference, total])
    };
    let rows = Memo::new(move |_| Arc::new(bars.with(|b| b.iter().map(row).collect::<Vec<_>>())));
    Figures { columns: Signal::stored(Arc::new(columns)), rows: rows.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;

    fn bars() -> Vec<Fall> {
        let bar = |name: &str, value: f64, is_total: bool| Fall { name: name.into(), value, is_total, ..Fall::default() };
        vec![
            bar("base", 60_000.0, true),
            bar("DMA", -20_000.0, false),
            bar("Sync", 1_000.0, false),
            bar("Idle", 0.0, false),
            bar("run", 41_000.0, true),
        ]
    }

    #[test]
    fn each_bar_starts_where_the_last_one_ended() {
        let want = [(0.0, 60_000.0), (60_000.0, 40_000.0), (40_000.0, 41_000.0), (41_000.0, 41_000.0), (0.0, 41_000.0)];
        assert_eq!(spans(&bars()), want);
        let odd = Fall { value: f64::NAN, ..Fall::default() };
        assert_eq!(spans(&[odd]), [(0.0, 0.0)]);
    }

    #[test]
    fn bars_and_values_stay_inside() {
        for width in [320.0, 900.0] {
            let l = layout(&spans(&bars()), width);
            assert!((l.zero + 60_000.0 * l.scale - (width - FIGURE)).abs() < 1e-9);
        }
        assert!(layout(&[], 10.0).scale.is_finite());
    }

    #[test]
    fn what_is_zero_has_no_bar() {
        let all = bars();
        let svg = drawn((600.0, all.len() as f64 * LINE), |sheet| draw(sheet, &all, Kind::Duration, 0..all.len()));
        assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
        assert!(svg.contains("60.0 µs") && svg.contains("−20.0 µs") && svg.contains("+1.00 µs"), "{svg}");
    }
}
