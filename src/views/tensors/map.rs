//! The State Buffer as address over time.

use super::address_plot::{self, Area};
use super::areas;
use crate::analysis::device::memory::sbuf::{SbufArea, SbufMap};
use crate::base::{DurationNs, text};
use crate::ui::chart::figures::Figures;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::views::query::QueryState;
use leptos::{ev, prelude::*};
use std::sync::Arc;

/// Colour slots of instructions and of DMA.
const SLOTS: (u16, u16) = (4, 1);

fn slot(area: &SbufArea) -> u16 {
    if area.is_dma { SLOTS.1 } else { SLOTS.0 }
}

/// Where the areas of the map are.
fn placed(map: &SbufMap) -> Vec<Area> {
    let area = |a: &SbufArea| Area { range: a.range, addresses: (a.from_address, a.to_address), colour: slot(a) };
    map.areas.iter().map(area).collect()
}

/// The map of the chosen core and partition.
#[component]
pub(super) fn SbufChart(map: QueryState<SbufMap>) -> impl IntoView {
    let value = map.value;
    let plot = Plot::new(move |context, size, look| {
        value.with(|m| m.as_ref().into_iter().for_each(|m| address_plot::paint(context, &placed(m), size, look)))
    });
    let pointer = RwSignal::new(None::<(f64, f64, (f64, f64))>);
    let readout = Signal::derive(move || {
        let (px, py, at) = pointer.get()?;
        let size = plot.size.get();
        value.with(|map| {
            let map = map.as_ref()?;
            let area = map.areas.get(address_plot::under(&placed(map), size, (px, py))?)?;
            let row = |name: &str, figure: String| (None, name.to_string(), figure, false);
            let figures = vec![
                (
                    Some(slot(area)),
                    if area.is_dma { "DMA" } else { "Instruction" }.into(),
                    text::bytes(area.n_bytes().max(0) as u64),
                    false,
                ),
                row("addresses", format!("{:#x} – {:#x}", area.from_address, area.to_address)),
                row("from", text::duration(DurationNs(area.range.start.0))),
                row("for", text::duration(area.range.duration())),
            ];
            Some(Readout { at, title: area.name.clone(), rows: figures, note: area.about.clone() })
        })
    });
    let columns = Signal::stored(Arc::new(areas::area_columns()));
    let figures = Figures { columns, rows: map.derive(areas::areas) };
    let legend = vec![(SLOTS.0, "Instruction".into()), (SLOTS.1, "DMA".into())];
    let on_save = plot.export("State Buffer", legend, move |context, size, look, _| {
        value.with_untracked(|m| m.as_ref().into_iter().for_each(|m| address_plot::paint(context, &placed(m), size, look)));
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
