//! Operators of a run: two pies and a table, at one level or both side by side.

use super::compare::Compare;
use super::generic::GenericTable;
use super::panel::Overlap;
use super::{LogContext, Run, rows};
use crate::analysis::neuron_log::{Level, LogOps, OpRow};
use crate::base::text;
use crate::engine::query::LogOpsQuery;
use crate::ui::controls::Problem;
use crate::ui::effect::effect;
use crate::ui::pie::{Pie, PieLimit, Slice};
use crate::ui::table::{Kind, Row, Table};
use crate::views::query::{QueryState, use_query};
use leptos::prelude::*;
use std::sync::Arc;

fn ask_ops(context: &LogContext, level: Level) -> QueryState<LogOps> {
    let range = context.range;
    use_query(context.ask.clone(), Signal::derive(move || Some(LogOpsQuery { level, range: range.get() })))
}

/// Operators at a level.
#[component]
pub fn LogOpsView(
    /// The page.
    context: LogContext,
    /// Which level is first.
    level: Level,
) -> impl IntoView {
    let (id, title, other) = match level {
        Level::Framework => ("operator-framework", "Framework operators", Level::Hlo),
        Level::Hlo => ("operator-hlo", "HLO operators", Level::Framework),
    };
    let ops = ask_ops(&context, level);
    let (is_both, set_both) = context.choices.choice("both", false);
    let (device, set_device) = context.choices.choice("device", String::new());
    let limit = context.choices.choice("top", 10usize);
    let devices = ops.derive(rows::devices);
    let option = move |d: &String| view! { <option value=d.clone() selected=device.get() == *d>{d.clone()}</option> };
    let device_options = move || devices.get().iter().map(option).collect_view();
    let sum = move || ops.value.get().and_then(|o| o.total_time).map(|t| format!("{} in all operators", text::duration(t)));
    let range = context.range;
    let scope = move || ops.value.with(|o| rows::ops_scope(o.as_deref(), range.get()));
    let second = {
        let context = context.clone();
        move || {
            is_both.get().then(|| {
                let ops = ask_ops(&context, other);
                view! { <Operators context=context.clone() ops level=other device=Signal::stored(String::new()) is_first=false /> }
            })
        }
    };
    view! {
        <section class="neuronlog" data-view=id aria-busy=move || ops.is_waiting.get().to_string()>
            <header class="neuronlog__head"><h1>{title}</h1><span class="neuronlog__sum">{sum}</span><span class="summary__scope" data-scope>{scope}</span></header>
            <Problem text=ops.problem />
            <div class="neuronlog__choices">
                <Run context=context.clone() />
                <label class="field">
                    "Device "
                    <select class="select" data-field="device" on:change:target=move |e| set_device.set(e.target().value())>
                        <option value="">"All devices"</option>
                        {device_options}
                    </select>
                </label>
                <PieLimit limit />
                <label class="field"><input type="checkbox" data-field="both" prop:checked=is_both on:change:target=move |e| set_both.set(e.target().checked()) />" Both levels"</label>
            </div>
            <Pies ops device limit=limit.0 />
            <div class="neuronlog__levels">
                <Operators context=context.clone() ops level device is_first=true />
                {second}
            </div>
            <Compare context level />
        </section>
    }
}

#[component]
fn Pies(ops: QueryState<LogOps>, device: Signal<String>, limit: Signal<usize>) -> impl IntoView {
    let by_device = ops.derive(rows::by_device);
    let by_operator: Signal<Arc<Vec<Slice>>> =
        Memo::new(move |_| Arc::new(ops.value.get().map(|o| rows::by_operator(&o, &device.get())).unwrap_or_default())).into();
    let has_time = move || ops.value.get().is_some_and(|o| o.total_time.is_some());
    let empty = "No operator has a recorded time.";
    view! {
        <Show when=has_time>
            <div class="neuronlog__pies">
                <Pie id="log-by-device" title="Time by device" what="Device" kind=Kind::Duration slices=by_device limit empty />
                <Pie id="log-by-operator" title="Time per operator" what="Operator" kind=Kind::Duration slices=by_operator limit empty />
            </div>
        </Show>
    }
}

/// The table of a level, and what the chosen row is made of.
#[component]
fn Operators(context: LogContext, ops: QueryState<LogOps>, level: Level, device: Signal<String>, is_first: bool) -> impl IntoView {
    let id = if level == Level::Framework { "operator-framework" } else { "operator-hlo" };
    let columns = ops.derive(rows::op_columns);
    let shown: Signal<Arc<Vec<Row>>> =
        Memo::new(move |_| Arc::new(ops.value.get().map(|o| rows::op_rows(&o, &device.get())).unwrap_or_default())).into();
    let selected = RwSignal::new(None::<usize>);
    // Rows of another range are other rows.
    effect(move || {
        ops.value.track();
        selected.set(None);
    });
    let range = context.range;
    // With two levels shown, each table has a heading.
    let own_scope = (!is_first).then(|| view! { <p class="summary__scope" data-scope-of=id>{move || ops.value.with(|o| rows::ops_scope(o.as_deref(), range.get()))}</p> });
    let remarks = move || ops.value.get().map(|o| o.remarks.iter().map(|r| view! { <li>{r.clone()}</li> }).collect_view());
    let detail = {
        let context = context.clone();
        move || {
            let ops = ops.value.get()?;
            let row = rows::of_device(&ops, &device.get()).nth(selected.get()?).cloned()?;
            Some(view! { <Detail context=context.clone() row /> })
        }
    };
    let saved = context.choices.choice(&format!("table.{id}"), String::new());
    let ask = StoredValue::new(context.ask.clone());
    // Without names or times the file's own table has more information than ours.
    let generic = Memo::new(move |_| ops.value.with(|o| o.as_ref().and_then(|o| o.generic_table.clone())));
    let table = move || {
        match generic.get() {
        Some(table) => view! { <GenericTable ask=ask.get_value() id=table saved /> }.into_any(),
        None => view! {
            <Table id label="Operators" columns rows=shown selected on_row=Callback::new(move |at| selected.set(Some(at))) saved empty="This run lists no operator at this level." />
        }
        .into_any(),
    }
    };
    view! {
        <div class="neuronlog__level">
            {own_scope}
            <ul class="neuronlog__remarks">{remarks}</ul>
            {table}
            {detail}
        </div>
    }
}

/// The chosen operator: its bars, members, what runs meanwhile.
#[component]
fn Detail(context: LogContext, row: OpRow) -> impl IntoView {
    let go = context.on_timeline;
    let n = row.slices.len();
    let jump = row.slices.first().copied().map(|slice| {
        let all = row.slices.clone();
        let label =
            if n == 1 { "Show its bar in the timeline".into() } else { format!("Show its {} bars in the timeline", text::count(n as u64)) };
        let overlap = view! { <Overlap context slice=Signal::stored(Some(slice)) is_timeline=false /> };
        view! { <button type="button" class="button" data-jump="" on:click=move |_| go.run((slice, all.clone()))>{label}</button>{overlap} }
    });
    let nothing = (n == 0).then(|| view! { <p>"Not on this run's timeline."</p> });
    view! { <div class="neuronlog__detail" data-operator=row.name.clone()><p class="mono"><strong>{row.name.clone()}</strong></p>{jump}{nothing}</div> }
}
