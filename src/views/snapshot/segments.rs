//! Segments and their blocks: a map of all reserved memory, and a table.

use super::{State, rows};
use crate::analysis::snapshot::{SegmentCell, SegmentMap};
use crate::base::text;
use crate::engine::query::SegmentsQuery;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{Look, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::controls::Problem;
use crate::ui::palette::fixed;
use crate::ui::table::Table;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use web_sys::CanvasRenderingContext2d;

/// Height of a line of the map and the gap below it, CSS pixels.
const LINE: f64 = 18.0;
const GAP: f64 = 4.0;

/// Bytes on one line of the map.
fn line_bytes(map: &SegmentMap, height: f64) -> f64 {
    let n_lines = (height / (LINE + GAP)).floor().max(1.0);
    (map.reserved as f64 / n_lines).max(1.0)
}

/// The parts of a cell on the lines of the map: x, y, width.
fn parts(from: u64, size: u64, line: f64, width: f64) -> impl Iterator<Item = (f64, f64, f64)> {
    let (from, to) = (from as f64, from as f64 + size as f64);
    let (first, last) = ((from / line).floor() as u64, ((to / line).ceil() as u64).max((from / line).floor() as u64 + 1));
    (first..last).map(move |at| {
        let (left, right) = ((from - at as f64 * line).max(0.0), (to - at as f64 * line).min(line));
        (left / line * width, at as f64 * (LINE + GAP), (right - left) / line * width)
    })
}

fn paint(context: &CanvasRenderingContext2d, map: &SegmentMap, size: Size, look: &Look) {
    let line = line_bytes(map, size.height);
    context.set_fill_style_str(&look.line);
    for (x, y, width) in parts(0, map.reserved, line, size.width) {
        context.fill_rect(x, y, width, LINE);
    }
    for cell in &map.cells {
        let colour = match cell.state {
            0 => look.slot(cell.slot),
            1 => look.slot(fixed::MORE),
            _ => continue,
        };
        context.set_fill_style_str(&colour);
        for (x, y, width) in parts(cell.start, cell.size, line, size.width) {
            context.fill_rect(x, y, (width - if width > 3.0 { 0.5 } else { 0.0 }).max(0.5), LINE);
        }
    }
    // Where a segment begins.
    context.set_fill_style_str(&look.text);
    let mut start = 0u64;
    for segment in &map.rows {
        if let Some((x, y, _)) = parts(start, 1, line, size.width).next() {
            context.fill_rect(x, y - 1.0, 1.0, LINE + 2.0);
        }
        start = start.saturating_add(segment.size);
    }
}

/// The cell at a point.
fn cell_at(map: &SegmentMap, size: Size, x: f64, y: f64) -> Option<&SegmentCell> {
    let line = line_bytes(map, size.height);
    if x < 0.0 || y < 0.0 || x >= size.width {
        return None;
    }
    let at = ((y / (LINE + GAP)).floor() + x / size.width.max(1.0)) * line;
    let after = map.cells.partition_point(|cell| cell.start as f64 <= at);
    map.cells.get(after.checked_sub(1)?).filter(|cell| at < (cell.start + cell.size) as f64)
}

/// Map and table of segments.
#[component]
pub(super) fn Segments(state: State, ask: Ask) -> impl IntoView {
    let query = Signal::derive(move || Some(SegmentsQuery { device: state.of_device(|d| d.device)? }));
    let found: QueryState<SegmentMap> = use_query(ask, query);
    let value = found.value;
    let plot = Plot::new(move |context, size, look| value.with(|m| m.iter().for_each(|m| paint(context, m, size, look))));
    let pointer = RwSignal::new(None::<(f64, f64)>);
    let readout = Signal::derive(move || {
        let (x, y) = pointer.get()?;
        let map = value.get()?;
        let cell = *cell_at(&map, plot.size.get(), x, y)?;
        let segment = map.rows.get(cell.segment as usize)?;
        let state = ["In use", "Released, in use on another stream", "Free"][usize::from(cell.state.min(2))];
        let row = |name: &str, figure: String| (None, name.to_string(), figure, false);
        let mut rows = vec![row("size", text::bytes(cell.size)), row("address", format!("{:#x}", cell.address))];
        if cell.n_blocks > 1 {
            rows.push(row("blocks drawn together", text::count(u64::from(cell.n_blocks))));
        }
        rows.push(row("lost to rounding", text::bytes(if cell.state == 2 { 0 } else { cell.size.saturating_sub(cell.used) })));
        rows.push(row("segment", format!("{} at {:#x}", text::bytes(segment.size), segment.address)));
        Some(Readout { at: plot.on_page(x, y), title: state.into(), rows, note: String::new() })
    });
    let columns = Signal::stored(Arc::new(rows::segment_columns()));
    let figures = Figures { columns, rows: found.derive(rows::segment_rows) };
    let on_save = plot.export("Segments", Vec::new(), move |context, size, look, _| {
        value.with_untracked(|m| m.iter().for_each(|m| paint(context, m, size, look)));
    });
    let is_empty = Signal::derive(move || value.with(|m| m.as_ref().is_none_or(|m| m.rows.is_empty())));
    let sentence = move || value.with(|m| m.as_ref().map(|m| rows::segment_sentence(m)));
    let has_pending = move || value.with(|m| m.as_ref().is_some_and(|m| m.pending > 0));
    view! {
        <section class="torch__part">
            <h2>"Segments at the snapshot"</h2>
            <p class="torch__figure" data-fragmentation>{sentence}</p>
            <Problem text=found.problem />
            <Frame id="snapshot-segments" title="Reserved memory by address" is_empty empty="No segments are recorded in this file." figures on_save>
                <canvas
                    class="chart__plot snapshot__segments" role="img" aria-label="Reserved memory by address, line after line; the segments follow as a table"
                    node_ref=plot.canvas on:pointermove=move |e: ev::PointerEvent| pointer.set(Some((f64::from(e.offset_x()), f64::from(e.offset_y()))))
                    on:pointerleave=move |_| pointer.set(None) on:transitionend=move |_| plot.again()
                ></canvas>
                <ReadoutCard readout />
            </Frame>
            <p class="torch__hint">
                "Segments one after the other, by address; a mark where each begins. Coloured: in use, by frame. Grey: free. "
                {move || has_pending().then_some("Red: released, in use on another stream.")}
            </p>
            <Table
                id="snapshot-segment-rows" label="Segments" columns rows=found.derive(rows::segment_rows)
                saved=state.choices.choice("segments", "-free|||".into()) empty="No segments are recorded in this file."
            />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_goes_on_in_the_next_line() {
        let got: Vec<_> = parts(80, 40, 100.0, 200.0).collect();
        assert_eq!(got, [(160.0, 0.0, 40.0), (0.0, LINE + GAP, 40.0)]);
        assert_eq!(parts(100, 100, 100.0, 200.0).collect::<Vec<_>>(), [(0.0, LINE + GAP, 200.0)]);
        assert_eq!(parts(5, 0, 100.0, 200.0).count(), 1);
    }

    #[test]
    fn the_cell_under_the_pointer_is_that_drawn_there() {
        let cell = |start, size| SegmentCell { start, size, ..SegmentCell::default() };
        let map = SegmentMap { reserved: 200, cells: vec![cell(0, 80), cell(80, 40), cell(150, 50)], ..SegmentMap::default() };
        let size = Size { width: 200.0, height: 2.0 * (LINE + GAP) };
        let start = |x: f64, y: f64| cell_at(&map, size, x, y).map(|c| c.start);
        assert_eq!([start(10.0, 3.0), start(190.0, 3.0), start(20.0, LINE + GAP + 1.0)], [Some(0), Some(80), Some(80)]);
        assert_eq!([start(60.0, LINE + GAP + 1.0), start(199.0, LINE + GAP + 1.0), start(-1.0, 0.0)], [None, Some(150), None]);
    }
}
