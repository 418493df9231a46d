//! The State Buffer as address over time.

use super::areas;
use crate::analysis::device::sbuf::SbufMap;
use crate::base::{DurationNs, text};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{self, FONT, Look, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::views::ask::Asked;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use web_sys::CanvasRenderingContext2d;

/// Room for addresses at the left and times below.
const LEFT: f64 = 76.0;
const BELOW: f64 = 22.0;
/// Colour slots of instructions and of DMA.
const SLOTS: (u16, u16) = (4, 1);

fn paint(context: &CanvasRenderingContext2d, map: &SbufMap, size: Size, look: &Look) {
    let Some((time, (low, high))) = areas::extent(map) else { return };
    let (width, height) = ((size.width - LEFT).max(1.0), (size.height - BELOW).max(1.0));
    let x = |t: i64| LEFT + width * (t - time.start.0) as f64 / time.duration().0 as f64;
    let y = |a: i64| height * (1.0 - (a - low) as f64 / (high - low) as f64);
    context.set_font(FONT);
    for area in &map.areas {
        let (left, top) = (x(area.range.start.0), y(area.to_address.saturating_add(1)));
        let (wide, tall) = ((x(area.range.end.0) - left).max(1.0), (y(area.from_address) - top).max(1.0));
        context.set_fill_style_str(&look.slot(if area.is_dma { SLOTS.1 } else { SLOTS.0 }));
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
    for share in [0.0, 0.5, 1.0] {
        let address = low + ((high - low) as f64 * share) as i64;
        look::write(context, &format!("{address:#x}"), LEFT - 6.0, (y(address)).clamp(7.0, height - 7.0), "right");
        let at = DurationNs(time.start.0 + (time.duration().0 as f64 * share) as i64);
        let align = if share == 0.0 {
            "left"
        } else if share == 1.0 {
            "right"
        } else {
            "center"
        };
        look::write(context, &text::duration(at), LEFT + width * share, height + 12.0, align);
    }
}

/// The map of the chosen core and partition.
#[component]
pub(super) fn SbufChart(map: Asked<SbufMap>) -> impl IntoView {
    let value = map.value;
    let plot = Plot::new(move |context, size, look| value.with(|m| m.as_ref().into_iter().for_each(|m| paint(context, m, size, look))));
    let pointer = RwSignal::new(None::<(f64, f64, (f64, f64))>);
    let readout = Signal::derive(move || {
        let (px, py, at) = pointer.get()?;
        let size = plot.size.get();
        value.with(|map| {
            let map = map.as_ref()?;
            let (time, (low, high)) = areas::extent(map)?;
            let share = ((px - LEFT) / (size.width - LEFT).max(1.0), 1.0 - py / (size.height - BELOW).max(1.0));
            let time = time.start.0 + (time.duration().0 as f64 * share.0) as i64;
            let area = areas::area_at(map, time, low + ((high - low) as f64 * share.1) as i64)?;
            let slot = if area.is_dma { SLOTS.1 } else { SLOTS.0 };
            let row = |name: &str, figure: String| (None, name.to_string(), figure, false);
            let figures = vec![
                (Some(slot), if area.is_dma { "DMA" } else { "Instruction" }.into(), text::bytes(area.n_bytes().max(0) as u64), false),
                row("addresses", format!("{:#x} – {:#x}", area.from_address, area.to_address)),
                row("from", text::duration(DurationNs(area.range.start.0))),
                row("for", text::duration(area.range.duration())),
            ];
            Some(Readout { at, title: area.name.clone(), rows: figures, note: area.about.clone() })
        })
    });
    let columns = Signal::stored(Arc::new(areas::area_columns()));
    let figures = Figures { columns, rows: map.derive(areas::areas) };
    let on_save = Callback::new(move |()| {
        plot.save("State Buffer", &[(SLOTS.0, "Instruction".into()), (SLOTS.1, "DMA".into())], |context, size, look| {
            value.with_untracked(|m| m.as_ref().into_iter().for_each(|m| paint(context, m, size, look)));
        });
    });
    let is_empty = Signal::derive(move || value.with(|m| m.as_ref().is_none_or(|m| m.areas.is_empty())));
    let note = move || {
        value.with(|m| {
            let m = m.as_ref()?;
            let n = m.areas.len() as u64;
            let cut = (n < m.n_areas).then(|| format!("{} of {} areas are drawn. ", text::count(n), text::count(m.n_areas)));
            let bad = (m.n_unreadable > 0).then(|| format!("{} rows have no time or address.", text::count(m.n_unreadable)));
            (cut.is_some() || bad.is_some()).then(|| format!("{}{}", cut.unwrap_or_default(), bad.unwrap_or_default()))
        })
    };
    let follow = move |e: ev::PointerEvent| {
        let at = (f64::from(e.client_x()), f64::from(e.client_y()));
        pointer.set(Some((f64::from(e.offset_x()), f64::from(e.offset_y()), at)));
    };
    view! {
        <Frame id="sbuf-map" title="State Buffer: address over time" is_empty empty="This partition has no allocations." figures on_save>
            <canvas
                class="chart__plot tensors__map" role="img" aria-label="State Buffer: allocations by address and time; the values follow as a table"
                node_ref=plot.canvas on:pointermove=follow on:pointerleave=move |_| pointer.set(None) on:transitionend=move |_| plot.again()
            ></canvas>
            <ReadoutCard readout />
        </Frame>
        <p class="waiting">{note}</p>
    }
}
