//! State Buffer and PSUM as address over time, from what instructions and transfers read and wrote.

use super::access_rows as rows;
use super::address_plot::{self, Area};
use crate::analysis::device::accesses::map::{Fate, MemoryArea};
use crate::analysis::device::accesses::{MemoryMap, MemoryMapQuery};
use crate::base::{DurationNs, SliceId, text};
use crate::state::choices::ViewState;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::Size;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::controls::{Notes, Problem};
use crate::ui::table::Table;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::{ev, prelude::*};
use std::sync::Arc;

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

/// Where the values of the map are. Addresses of a partition are far below 2^63.
fn placed(map: &MemoryMap) -> Vec<Area> {
    let address = |a: u64| i64::try_from(a).unwrap_or(i64::MAX);
    let area = |a: &MemoryArea| Area { range: a.range, addresses: (address(a.from), address(a.to)), colour: slot(a.fate) };
    map.areas.iter().map(area).collect()
}

/// The map with its choice of core and memory; a click goes to the instruction that wrote.
#[component]
pub(super) fn AccessMap(ask: Ask, choices: ViewState, on_slice: Callback<SliceId>) -> impl IntoView {
    let (memory, set_memory) = choices.choice("accesses", "0.sbuf".to_string());
    let query = Signal::derive(move || {
        let chosen = memory.get();
        let (core, memory) = chosen.split_once('.').unwrap_or(("0", "sbuf"));
        let query = MemoryMapQuery { core: core.parse().unwrap_or(0), is_psum: memory == "psum" };
        Some(query)
    });
    let map: QueryState<MemoryMap> = use_query(ask, query);
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
fn AccessChart(map: QueryState<MemoryMap>, on_slice: Callback<SliceId>) -> impl IntoView {
    let value = map.value;
    let plot = Plot::new(move |context, size, look| {
        value.with(|m| m.as_ref().into_iter().for_each(|m| address_plot::paint(context, &placed(m), size, look)))
    });
    let pointer = RwSignal::new(None::<(f64, f64, (f64, f64))>);
    let under =
        move |map: &MemoryMap, px: f64, py: f64, size: Size| map.areas.get(address_plot::under(&placed(map), size, (px, py))?).cloned();
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
    let legend = Fate::ALL.map(|fate| (slot(fate), fate.label().to_string())).to_vec();
    let on_save = plot.export("On-chip memory by access", legend, move |context, size, look, _| {
        value.with_untracked(|m| m.as_ref().into_iter().for_each(|m| address_plot::paint(context, &placed(m), size, look)));
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
