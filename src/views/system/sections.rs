//! The parts of the view: advice and tables.

use super::devices::{Device, Utilization, is_of, utilizations};
use super::links::DeviceLinks;
use super::{SystemActions, rows};
use crate::analysis::system::{ExecutionRow, Finding, Location, System};
use crate::base::text;
use crate::ui::table::{Row, Table};
use crate::views::query::QueryState;
use crate::views::{device_tables, wording};
use leptos::prelude::*;
use std::sync::Arc;

/// What to do, most expensive first.
#[component]
pub(super) fn Advice(found: QueryState<System>, ways: SystemActions) -> impl IntoView {
    let all = found.derive(|s| s.advice.clone());
    let item = move |f: &Finding| view! { <EventId found=f.clone() ways /> };
    let list = move || {
        let all = all.get();
        if all.is_empty() {
            return view! { <p class="system__text">{wording::NO_ADVICE}</p> }.into_any();
        }
        view! { <ul class="advice system__advice">{all.iter().map(item).collect_view()}</ul> }.into_any()
    };
    view! { <section class="system__part" data-part="advice"><h2>"Advice"</h2>{list}</section> }
}

#[component]
fn EventId(found: Finding, ways: SystemActions) -> impl IntoView {
    let cost = found.cost.map(|c| view! { <span class="advice__cost figure" title=wording::COST>{text::duration(c)}</span> });
    let place = move |p: &Location| {
        let (range, slice) = (p.range, p.slice);
        let title = format!("Show in the timeline: {} – {}", text::time(range.start), text::time(range.end));
        view! {
            <li><button type="button" class="button advice__go" data-evidence title=title on:click=move |_| ways.on_place.run((range, slice))>
                <span class="advice__label">{p.label.clone()}</span>
            </button></li>
        }
    };
    let places = found.places.iter().map(place).collect_view();
    view! {
        <li class="advice__item" data-finding=found.id.clone() data-severity=found.severity.clone()>
            <div class="advice__head"><h3>{found.title.clone()}</h3>{cost}</div>
            <p class="advice__text">{found.text.clone()}</p>
            <ul class="advice__places" aria-label="Evidence in the timeline">{places}</ul>
            <details class="advice__how"><summary>"Evidence and rule"</summary><p>{found.threshold.clone()}</p></details>
        </li>
    }
}

/// Device executions; the chosen row leads to the timeline and to its device profile.
#[component]
pub(super) fn Executions(found: QueryState<System>, devices: Signal<Vec<Device>>, ways: SystemActions) -> impl IntoView {
    let utilization = utilizations(devices);
    let of = move |row: &ExecutionRow| {
        let of_row = devices.with(|all| all.iter().find(|d| is_of(&d.words, row)).map(|d| d.id));
        utilization.with(|all| all.iter().find(|u| Some(u.0) == of_row).map_or(Utilization::default(), |u| u.1))
    };
    let columns = Signal::stored(Arc::new(rows::execution_columns()));
    let shown: Signal<Arc<Vec<Row>>> =
        Memo::new(move |_| Arc::new(found.value.get().map(|s| rows::executions(&s, of)).unwrap_or_default())).into();
    let selected = RwSignal::new(None::<usize>);
    let detail = move || {
        let row = found.value.get()?.executions.get(selected.get()?)?.clone();
        Some(view! { <Execution row devices ways /> })
    };
    view! {
        <section class="system__part" data-part="executions">
            <h2>"Device executions"</h2>
            <Table id="executions" label="Device executions" columns rows=shown selected on_row=Callback::new(move |at| selected.set(Some(at))) empty="No device executions are recorded in this file (event nc_exec_running)." />
            {detail}
        </section>
    }
}

#[component]
fn Execution(row: ExecutionRow, devices: Signal<Vec<Device>>, ways: SystemActions) -> impl IntoView {
    let slices = row.slices.clone();
    let first = row.slices.first().copied();
    let label = if row.calls == 1 {
        "Show in the timeline".to_string()
    } else {
        format!("Show its {} calls in the timeline", text::count(row.calls))
    };
    let go = first.map(|slice| {
        view! { <button type="button" class="button" data-jump on:click=move |_| ways.on_slice.run((slice, slices.clone()))>{label}</button> }
    });
    let title = if row.model.is_empty() { "Model not recorded".to_string() } else { row.model.clone() };
    view! {
        <div class="system__detail">
            <p class="mono"><strong>{title}</strong></p>
            {go}
            <DeviceLinks row devices on_device=ways.on_device />
        </div>
    }
}

/// NeuronCores.
#[component]
pub(super) fn Cores(found: QueryState<System>, ways: SystemActions) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::core_columns()));
    let choose = Callback::new(move |at: usize| {
        let gap = found.value.get_untracked().and_then(|s| s.cores.get(at).and_then(|c| c.longest_gap));
        if let Some(range) = gap {
            ways.on_place.run((range, None));
        }
    });
    let is_there = move || found.value.with(|s| s.as_ref().is_some_and(|s| !s.cores.is_empty()));
    view! {
        <Show when=is_there>
            <section class="system__part">
                <h2>"NeuronCores"</h2>
                <Table id="cores" label="NeuronCores" columns rows=found.derive(rows::cores) on_row=choose />
            </section>
        </Show>
    }
}

/// Transfers between host and device.
#[component]
pub(super) fn Transfers(found: QueryState<System>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(device_tables::transfer_columns()));
    view! {
        <section class="system__part">
            <h2>"Transfers between host and device"</h2>
            <Table id="transfers" label="Transfers between host and device" columns rows=found.derive(|s| device_tables::transfers(&s.transfers)) empty="No transfers are recorded in this file: neither runtime copies nor tensor reads or writes." />
        </section>
    }
}

/// CPUs of the host.
#[component]
pub(super) fn Cpus(found: QueryState<System>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::cpu_columns()));
    view! {
        <section class="system__part">
            <h2>"Host CPUs"</h2>
            <Table id="cpus" label="Host CPUs" columns rows=found.derive(rows::cpus) empty="CPU use is not recorded in this file." />
        </section>
    }
}
