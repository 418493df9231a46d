//! Queries of the report that only a PyTorch trace answers: `overview`, `operators` by group, `kernels`, `trace`.

use super::{Arguments, ask, asked};
use crate::error::Fallible;
use axonscope::analysis::torch::efficiency::EfficiencyQuery;
use axonscope::analysis::torch::inference::StepsQuery;
use axonscope::analysis::torch::kernels::{KernelGrouping, KernelsQuery};
use axonscope::analysis::torch::ops::{OpGrouping, Ops, OpsQuery};
use axonscope::analysis::torch::overview::OverviewQuery;
use axonscope::analysis::torch::plugin;
use axonscope::analysis::torch::unattributed::{Reason, Unattributed};
use axonscope::base::TimeRange;
use axonscope::engine::Session;
use axonscope::engine::query::TraceCountersQuery;
use serde_json::{Value, json};

/// The answer to one of these; `None` for other queries. `group` is `name` or `shape` (operators), `name` or `properties` (kernels).
pub fn answer(session: &Session, arguments: &Arguments, range: Option<TimeRange>) -> Option<Fallible<Value>> {
    let group = arguments.get("group").unwrap_or_default();
    Some(match arguments.query.as_str() {
        "overview" => ask(session, &OverviewQuery { range }).map(|found| plugin::overview(&found)),
        "operators" if !group.is_empty() => {
            let is_by_shape = group.contains("shape") || group.contains("input");
            let grouping = if is_by_shape { OpGrouping::NameShape } else { OpGrouping::Name };
            ask(session, &OpsQuery { grouping, range, peaks: None }).map(|ops| operators(&ops))
        }
        "kernels" => kernels(session, arguments, range),
        "efficiency" => asked(session, &EfficiencyQuery { range, module: arguments.get("module").map(String::from), peaks: None }),
        "steps" => asked(session, &StepsQuery { range, pattern: arguments.get("pattern").unwrap_or_default().to_string(), peaks: None }),
        "trace" => session.ask(&TraceCountersQuery).map(|found| plugin::counters(&found)).map_err(Into::into),
        _ => return None,
    })
}

fn kernels(session: &Session, arguments: &Arguments, range: Option<TimeRange>) -> Fallible<Value> {
    let group = arguments.get("group").unwrap_or_default();
    let is_by_properties = group.contains("propert") || group.contains("op");
    let grouping = if is_by_properties { KernelGrouping::Properties } else { KernelGrouping::Name };
    let device = arguments.number("device")?.and_then(|d| u32::try_from(d).ok());
    ask(session, &KernelsQuery { grouping, range, device }).map(|found| plugin::kernels(&found))
}

fn operators(ops: &Ops) -> Value {
    let mut value = plugin::operators(ops);
    add_work(ops, &mut value);
    add_unattributed(ops, &mut value);
    value
}

/// Adds the work and the rates of operators that have a model.
fn add_work(ops: &Ops, value: &mut Value) {
    let rows = value["rows"].as_array_mut().into_iter().flatten();
    for (row, work) in rows.zip(&ops.rows).filter_map(|(row, op)| Some((row, op.work?))) {
        row["gflops"] = json!(work.flops as f64 / 1e9);
        row["gb_moved"] = json!(work.bytes as f64 / 1e9);
        row["tflops_per_s"] = json!(work.tflops());
        row["tb_per_s"] = json!(work.tb_per_s());
        row["peak_share"] = json!(work.peak_share());
        row["bandwidth_share"] = json!(work.bandwidth_share());
        row["bound_by"] = json!(work.roof.bound());
        row["flops_per_byte"] = json!(work.intensity());
    }
}

/// Adds a row for each launching call of work that was launched outside operators, and all work without an operator by its reason.
fn add_unattributed(ops: &Ops, value: &mut Value) {
    let outside = ops.unattributed.iter().filter(|u| u.reason == Reason::OutsideOperators);
    let row = |u: &Unattributed| {
        json!({
            "name": u.launch,
            "is_operator": false,
            "calls": u.n,
            "device_self_duration": plugin::rounded_micros(u.time.0 as f64),
            "device_total_duration": plugin::rounded_micros(u.time.0 as f64),
        })
    };
    let rows: Vec<Value> = outside.map(row).collect();
    if let Some(all) = value["rows"].as_array_mut() {
        all.extend(rows);
    }
    value["unattributed"] = json!(ops.unattributed);
}

/// Adds the plugin's operator table to the rows that every profile has.
pub fn add_operators(session: &Session, arguments: &Arguments, range: Option<TimeRange>, value: &mut Value) {
    if arguments.query != "operators" {
        return;
    }
    let query = OpsQuery { grouping: OpGrouping::Name, range, peaks: None };
    if let (Ok(ops), Some(object)) = (ask(session, &query), value.as_object_mut()) {
        object.insert("operators".into(), plugin::operators(&ops));
    }
}
