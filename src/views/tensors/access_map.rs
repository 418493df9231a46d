//! State Buffer and PSUM as address over time, from what instructions and transfers read and wrote.

use super::access_rows as rows;
use crate::analysis::device::accesses::map::Fate;
use crate::analysis::device::accesses::{MemoryMap, MemoryMapQuery};
use crate::base::{DurationNs, SliceId, text};
use crate::engine::query::{DeviceAnswer, DeviceQuery};
use crate::engine::{Answer, Query};
use crate::state::choices::ViewState;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{self, FONT, Look, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::small::Problem;
use crate::ui::table::Table;
use crate::views::ask::{Asked, asked};
use crate::views::asked::Notes;
use crate::worker::client::Ask;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use web_sys::CanvasRenderingContext2d;

/// Room for addresses at the left and times below.
const LEFT: f64 = 76.0;
const BELOW: f64 = 22.0;

/// Colour slot of a fate.
fn slot(fate: Fate) -> u16 {
    match fate {
        Fate::Read => 4,
        Fate::ReadAgain => 1,
        Fate::OverwrittenUnread => 3,
        Fate::NotRead => 7,
        Fate::NotWritten => 0,
    }
}

/// Time and address at a share of the plot's width and of its height from below.
fn at(map: &MemoryMap, (across, up): (f64, f64)) -> Option<(i64, u64)> {
    let (time, (low, high)) = rows::extent(map)?;
    let address = low as f64 + (high - low) as f64 * up;
    Some((time.start.0 + (time.duration().0 as f64 * across) as i64, address.max(0.0) as u64))
}

fn paint(context: &CanvasRenderingContext2d, map: &MemoryMap, size: Size, look: &Look) {
    let Some((time, (low, high))) = rows::extent(map) else { return };
    let (width, height) = ((size.width - LEFT).max(1.0), (size.height - BELOW).max(1.0));
    let x = |t: i64| LEFT + width * (t - time.start.0) as f64 / time.duration().0 as f64;
    let y = |a: u64| height * (1.0 - (a - low) as f64 / (high - low) as f64);
    context.set_font(FONT);
    for area in &map.areas {
        let (left, top) = (x(area.range.start.0), y(area.to + 1));
        let (wide, tall) = ((x(area.range.end.0) - left).max(1.0), (y(area.from) - top).max(1.0));
        context.set_fill_style_str(&look.slot(slot(area.fate)));
        context.fill_rect(left, top, wide, tall);
        if wide > 4.0 && tall > 4.0 {
            context.set_stroke_style_str(&look.line);
            context.set_line_width(1.0);
            context.stroke_rect(left + 0.5, top + 0.5, wide - 1.0, tall - 1.0);
        }
    }
    look::rule(context, (LEFT, 0.0), (LEFT, height), &look.axis);
    look::rule(context, (LEFT, height), (size.width, height), &look.axis);
    context.set_fill_style_str(&look.quiet);
    for (share, align) in [(0.0, "left"), (0.5, "center"), (1.0, "right")] {
        let address = low + ((high - low) as f64 * share) as u64;
        look::write(context, &format!("{address:#x}"), LEFT - 6.0, y(address).clamp(7.0, height - 7.0), "right");
        let moment = DurationNs(time.start.0 + (time.duration().0 as f64 * share) as i64);
        look::write(context, &text::duration(moment), LEFT + width * share, height + 12.0, align);
    }
}

/// The map with its choice of core and memory; a click goes to the instruction that wrote.
#[component]
pub(super) fn AccessMap(ask: Ask, choices: ViewState, on_slice: Callback<SliceId>) -> impl IntoView {
    let (memory, set_memory) = choices.choice("accesses", "0.sbuf".to_string());
    let query = Signal::derive(move || {
        let chosen = memory.get();
        let (core, memory) = chosen.split_once('.').unwrap_or(("0", "sbuf"));
        let query = MemoryMapQuery { core: core.parse().unwrap_or(0), is_psum: memory == "psum" };
        Some(Query::Device(DeviceQuery::MemoryMap(query)))
    });
    let map: Asked<MemoryMap> = asked(ask, query, |answer| match answer {
        Answer::Device(DeviceAnswer::MemoryMap(map)) => Some(*map),
        _ => None,
    });
    let options = move || {
        let cores = map.value.with(|m| m.as_ref().map(|m| m.cores.clone()).unwrap_or_default());
        let all = cores.iter().enumerate().flat_map(|(at, core)| {
            [("sbuf", "State Buffer"), ("psum", "PSUM")].map(|(id, label)| (format!("{at}.{id}"), format!("{core}, {label}")))
        });
        all.map(|(id, label)| view! { <option selected=id == memory.get() value=id>{label}</option> }).collect_view()
    };
    let sentence = move || map.value.with(|m| m.as_ref().map(|m| rows::sentence(m)));
    let has_areas = move || map.value.with(|m| m.as_ref().is_some_and(|m| !m.cores.is_empty()));
    view! {
        <Show when=has_areas>
            <h2>"On-chip memory by access"</h2>
            <label class="field">
                "Core and memory"
                <select class="select" data-field="accesses" on:change:target=move |e| set_memory.set(e.target().value())>{options}</select>
            </label>
            <Problem text=map.problem />
            <Notes notes=map.derive(|m| m.notes.clone()) />
            <p data-part="access-sums">{sentence}</p>
            <AccessChart map on_slice />
        </Show>
    }
}

#[component]
fn AccessChart(map: Asked<MemoryMap>, on_slice: Callback<SliceId>) -> impl IntoView {
    let value = map.value;
    let plot = Plot::new(move |context, size, look| value.with(|m| m.as_ref().into_iter().for_each(|m| paint(context, m, size, look))));
    let pointer = RwSignal::new(None::<(f64, f64, (f64, f64))>);
    let under = move |map: &MemoryMap, px: f64, py: f64, size: Size| {
        let share = ((px - LEFT) / (size.width - LEFT).max(1.0), 1.0 - py / (size.height - BELOW).max(1.0));
        let (time, address) = at(map, share)?;
        rows::area_at(map, time, address).cloned()
    };
    let readout = Signal::derive(move || {
        let (px, py, place) = pointer.get()?;
        let size = plot.size.get();
        let area = value.with(|map| under(map.as_ref()?, px, py, size))?;
        let row = |name: &str, figure: String| (None, name.to_string(), figure, false);
        let mut figures = vec![(Some(slot(area.fate)), area.fate.label().to_string(), text::bytes(area.n_bytes()), false)];
        figures.push(row("addresses", format!("{:#x} – {:#x}", area.from, area.to)));
        figures.push(row("partitions", format!("{} – {}", area.partitions.0, area.partitions.1)));
        figures.push(row("from", text::duration(DurationNs(area.range.start.0))));
        figures.push(row("for", text::duration(area.range.duration())));
        figures.push(row("reads", text::count(u64::from(area.n_reads))));
        let note = if area.reader_name.is_empty() { String::new() } else { format!("Last read by {}", area.reader_name) };
        let title = if area.writer_name.is_empty() { "Not written in this run".into() } else { area.writer_name };
        Some(Readout { at: place, title, rows: figures, note })
    });
    let columns = Signal::stored(Arc::new(rows::columns()));
    let figures = Figures { columns, rows: map.derive(rows::rows) };
    let on_save = Callback::new(move |()| {
        let legend = Fate::ALL.map(|fate| (slot(fate), fate.label().to_string()));
        plot.save("On-chip memory by access", &legend, |context, size, look| {
            value.with_untracked(|m| m.as_ref().into_iter().for_each(|m| paint(context, m, size, look)));
        });
    });
    let is_empty = Signal::derive(move || value.with(|m| m.as_ref().is_none_or(|m| m.areas.is_empty())));
    let follow = move |e: ev::PointerEvent| {
        let place = (f64::from(e.client_x()), f64::from(e.client_y()));
        pointer.set(Some((f64::from(e.offset_x()), f64::from(e.offset_y()), place)));
    };
    let choose = move |e: ev::MouseEvent| {
        let size = plot.size.get_untracked();
        let area = value.with_untracked(|m| under(m.as_ref()?, f64::from(e.offset_x()), f64::from(e.offset_y()), size));
        area.and_then(|area| area.writer.or(area.reader)).into_iter().for_each(|slice| on_slice.run(slice));
    };
    let on_row = Callback::new(move |at: usize| {
        let slice = value.with_untracked(|m| m.as_ref()?.areas.get(at).and_then(|area| area.writer.or(area.reader)));
        slice.into_iter().for_each(|slice| on_slice.run(slice));
    });
    view! {
        <Frame id="access-map" title="Address over time" is_empty empty="No instruction accesses this memory." figures on_save>
            <canvas
                class="chart__plot tensors__map" role="img" aria-label="On-chip memory: values by address and time; they follow as a table"
                node_ref=plot.canvas on:pointermove=follow on:pointerleave=move |_| pointer.set(None) on:click=choose on:transitionend=move |_| plot.again()
            ></canvas>
            <ReadoutCard readout />
        </Frame>
        <p class="torch__hint">"Click a value, or its row, to show the instruction that wrote it."</p>
        <Table
            id="access-values" label="Values in this memory" columns rows=map.derive(rows::rows) on_row empty="No instruction accesses this memory."
        />
    }
}
