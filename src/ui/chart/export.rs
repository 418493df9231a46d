//! A chart with title and legend as a file: pixels or vectors.

use super::chart_state::{self, Chart, ChartState};
use super::draw::{Align, Drawn, Face, Ink, Sheet, Write, fill};
use super::look::Size;
use crate::ui::dom;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;

/// Around everything.
const EDGE: f64 = 16.0;
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Above the chart.
const HEAD: f64 = 44.0;
/// Pixels of a saved picture in a CSS pixel.
const SCALE: f64 = 2.0;

/// The buttons that save a chart as PNG and as SVG, or copy it.
#[derive(Debug, Clone, Copy)]
pub struct Export {
    /// Saves pixels.
    pub on_png: Callback<()>,
    /// Saves vectors.
    pub on_svg: Callback<()>,
    /// Copies pixels to the clipboard; writes the button's next label.
    pub on_copy: Callback<RwSignal<&'static str>>,
}

impl Export {
    /// Exports a chart under its title.
    pub fn new(chart: &Arc<dyn Chart>, stage: ChartState, title: &str) -> Export {
        let with = |run: fn(&dyn Chart, ChartState, &str)| {
            let (chart, title) = (chart.clone(), title.to_string());
            Callback::new(move |()| untrack(|| run(&*chart, stage, &title)))
        };
        let on_copy = {
            let (chart, title) = (chart.clone(), title.to_string());
            Callback::new(move |label| untrack(|| copy(&*chart, stage, &title, label)))
        };
        Export { on_png: with(save_png), on_svg: with(save_svg), on_copy }
    }
}

/// The size of a chart in a picture: as on screen, or what a picture needs.
fn inner(stage: ChartState) -> Size {
    let seen = stage.size.get_untracked();
    Size { width: seen.width.clamp(480.0, 1600.0), height: seen.height.clamp(160.0, 1200.0) }
}

/// The size of a picture with this number of legend lines.
fn outer(chart: Size, n_lines: usize) -> Size {
    Size { width: chart.width + 2.0 * EDGE, height: HEAD + chart.height + 12.0 + n_lines as f64 * LINE + EDGE }
}

/// Draws ground, title, chart and legend.
fn picture(chart: &dyn Chart, title: &str, size: Size, legend: &[(u16, String)], sheet: &Sheet<'_>) -> Drawn {
    let left = |face, colour| Write { face, align: Align::Left, colour };
    sheet.rect([0.0, 0.0, sheet.size.width, sheet.size.height], fill(sheet.ink.surface, 1.0))?;
    sheet.text(title, (EDGE, 22.0), left(Face::Title, sheet.ink.text))?;
    chart.draw(&sheet.part((EDGE, HEAD), size))?;
    for (i, (slot, line)) in legend.iter().enumerate() {
        let y = HEAD + size.height + 16.0 + i as f64 * LINE;
        sheet.rect([EDGE, y - 5.0, 10.0, 10.0], fill(sheet.ink.slot(*slot), 1.0))?;
        sheet.text(line, (EDGE + 18.0, y), left(Face::Plain, sheet.ink.text))?;
    }
    Ok(())
}

/// The picture at twice the resolution of the page.
fn pixels(chart: &dyn Chart, stage: ChartState, title: &str) -> Option<HtmlCanvasElement> {
    let (seen, canvas) = (stage.element()?, chart_state::new_canvas()?);
    let (size, legend) = (inner(stage), chart.legend());
    let whole = outer(size, legend.len());
    chart_state::fit(&canvas, whole, SCALE);
    let sheet = Sheet::on_canvas(&canvas, whole, SCALE, Ink::of(&seen))?;
    chart_state::report(picture(chart, title, size, &legend, &sheet));
    Some(canvas)
}

fn save_png(chart: &dyn Chart, stage: ChartState, title: &str) {
    if let Some(canvas) = pixels(chart, stage, title) {
        dom::save_canvas(&dom::file_name(title, "png"), &canvas);
    }
}

fn copy(chart: &dyn Chart, stage: ChartState, title: &str, label: RwSignal<&'static str>) {
    let Some(canvas) = pixels(chart, stage, title) else { return };
    spawn_local(async move {
        let copied = dom::call_script("share/picture.js", "copyCanvas", &[canvas.into()]).await;
        label.try_set(if copied.is_ok() { "Copied" } else { "Not allowed" });
    });
}

fn save_svg(chart: &dyn Chart, stage: ChartState, title: &str) {
    let Some(seen) = stage.element() else { return };
    let ruler = chart_state::new_canvas().and_then(|c| c.get_context("2d").ok()?).and_then(|c| c.dyn_into().ok());
    let svg = svg(chart, title, inner(stage), Ink::of(&seen), ruler);
    dom::save_text(&dom::file_name(title, "svg"), "image/svg+xml", &svg);
}

/// A chart as SVG, measured in CSS pixels.
pub fn svg(chart: &dyn Chart, title: &str, size: Size, ink: Ink, ruler: Option<web_sys::CanvasRenderingContext2d>) -> String {
    let legend = chart.legend();
    let whole = outer(size, legend.len());
    let mut text = String::new();
    let sheet = Sheet::on_svg(&mut text, whole, ink, ruler);
    chart_state::report(picture(chart, title, size, &legend, &sheet).and_then(|()| sheet.finish()));
    // The backend counts in parts of a pixel: what it has as size is only the size of its grid.
    let Some((_, rest)) = text.split_once(" viewBox=") else { return text };
    format!("<svg width=\"{}\" height=\"{}\" viewBox={rest}", whole.width, whole.height)
}
