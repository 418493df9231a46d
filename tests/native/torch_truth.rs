//! Every case of the truth data through every view: equal, different by a named rule, or wrong. The scoreboard stands in `docs/pytorch-views.md`.

use crate::torch_support::board::{Board, Pair, ViewTest};
use crate::torch_support::compare::Table;
use crate::torch_support::{Case, Trace};
use axonscope::analysis::spans::{length, union};
use axonscope::analysis::torch::core::class::Class;
use axonscope::analysis::torch::core::rules::Rules;
use axonscope::analysis::torch::kernels::{KernelGrouping, KernelsQuery};
use axonscope::analysis::torch::ops::{OpGrouping, OpMembersQuery, OpsQuery};
use axonscope::analysis::torch::overview::OverviewQuery;
use axonscope::analysis::torch::{View, plugin};
use axonscope::engine::TraceQuestion;
use axonscope::model::NO_SLICE;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const VIEWS: &[ViewTest] = &[
    ViewTest { id: "overview", figures: overview },
    ViewTest { id: "steps", figures: steps },
    ViewTest { id: "devices", figures: devices },
    ViewTest { id: "advice", figures: advice },
    ViewTest { id: "operators", figures: |view, case| operators(view, case, OpGrouping::Name, "operation_table_by_name") },
    ViewTest {
        id: "operators by shape",
        figures: |view, case| operators(view, case, OpGrouping::NameShape, "operation_table_by_name_input"),
    },
    ViewTest { id: "call stacks", figures: stacks },
    ViewTest { id: "kernels", figures: |view, case| kernels(view, case, KernelGrouping::Name, "kernel_table", &["Name"]) },
    ViewTest {
        id: "kernels by operator",
        figures: |view, case| kernels(view, case, KernelGrouping::Properties, "kernel_op_table", PROPERTIES),
    },
    ViewTest { id: "tensor cores", figures: tensor_cores },
    ViewTest { id: "internals", figures: internals },
    ViewTest { id: "trees", figures: trees },
];

const PROPERTIES: &[&str] = &["Name", "Operator", "Grid", "Block", "Register Per Thread", "Shared Memory"];

fn ask<Q: TraceQuestion>(view: &View<'_>, question: Q) -> Q::Answer {
    question.of(view).unwrap()
}

fn shown(view: &View<'_>) -> Value {
    let a = ask(view, OverviewQuery::default());
    plugin::overview(&a)
}

fn array(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn overview(view: &View<'_>, case: &Case) -> Pair {
    let table = |performance: &Value| {
        let mut rows = array(&performance["children"]);
        rows.push(json!({ "name": performance["name"], "value": performance["value"], "extra": performance["extra"] }));
        Table::of_objects(&rows, &["name"], None)
    };
    let truth = case.answer("overview").map(|t| table(&t["performance"][0]));
    (Some(table(&shown(view)["performance"])), truth.map(without_description))
}

fn without_description(mut table: Table) -> Table {
    for (_, row) in &mut table.rows {
        row.remove("description");
        row.remove("children");
    }
    table
}

fn steps(view: &View<'_>, case: &Case) -> Pair {
    let truth = case.answer("overview").map(|t| Table::of_objects(&Table::objects(&t["steps"]), &["Step"], None));
    (Some(Table::of_objects(&array(&shown(view)["steps"]), &["Step"], None)), truth)
}

fn devices(view: &View<'_>, case: &Case) -> Pair {
    let table = |rows: &Value| {
        let mut device = String::new();
        let figures = array(rows).into_iter().map(|row| {
            let title = row["title"].as_str().unwrap_or_default().to_string();
            if title.starts_with("GPU ") && title.ends_with(':') {
                device.clone_from(&title);
            }
            (format!("{device} {title}"), row["value"].clone())
        });
        Table::figures(figures.collect::<Vec<_>>())
    };
    let truth = case.answer("overview").map(|t| table(&t["gpu_metrics"]["data"]));
    (Some(table(&shown(view)["gpu_metrics"])), truth)
}

/// Which of the plugin's seven pieces of advice are given, told by words of their texts.
fn advice(view: &View<'_>, case: &Case) -> Pair {
    const WORDS: [(&str, &str); 7] = [
        ("data_loading", "input data loading"),
        ("data_parallel", "DistributedDataParallel"),
        ("nccl", "NCCL"),
        ("communication", "communication"),
        ("utilization", "low utilization"),
        ("tensor_cores", "Tensor Cores eligible"),
        ("memory", "memory"),
    ];
    let ours: Vec<String> = array(&shown(view)["recommendations"]).iter().map(|r| r["id"].as_str().unwrap_or_default().into()).collect();
    let ours = WORDS.iter().map(|(id, _)| ((*id).to_string(), json!(ours.iter().any(|o| o == id))));
    let truth = case.answer("internals").map(|t| {
        let texts: Vec<String> = array(&t["recommendations"]).iter().map(|r| r.as_str().unwrap_or_default().into()).collect();
        Table::figures(WORDS.iter().map(|(id, word)| ((*id).to_string(), json!(texts.iter().any(|t| t.contains(word))))))
    });
    (Some(Table::figures(ours)), truth)
}

fn sorted_by(truth: &Value) -> &'static str {
    if truth["metadata"]["sort"] == "device_self_duration" { "device_self_duration" } else { "host_self_duration" }
}

fn operators(view: &View<'_>, case: &Case, grouping: OpGrouping, name: &str) -> Pair {
    let ops = ask(view, OpsQuery { grouping, ..OpsQuery::default() });
    let keys = ["name", "input_shape"];
    let truth = case.answer(name);
    let sort = truth.as_ref().map(sorted_by);
    let ours = Table::of_objects(&array(&plugin::operators(&ops)["rows"]), &keys, sort);
    (Some(ours), truth.map(|t| Table::of_objects(&array(&t["data"]), &keys, sort)))
}

fn stacks(view: &View<'_>, case: &Case) -> Pair {
    let Some(truth) = case.answer("operation_stack_by_name") else {
        return (None, None);
    };
    let has_device = !view.model.events.work.is_empty();
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for (name, table) in truth.as_object().into_iter().flatten() {
        let query = OpMembersQuery { name: name.clone(), ..OpMembersQuery::default() };
        let members = ask(view, query);
        ours.extend(plugin::stacks(name, None, &members.stacks, has_device));
        theirs.extend(array(&table["data"]));
    }
    let keys = ["name", "call_stack"];
    (Some(Table::of_objects(&ours, &keys, None)), Some(Table::of_objects(&theirs, &keys, None)))
}

fn kernels(view: &View<'_>, case: &Case, grouping: KernelGrouping, name: &str, keys: &[&str]) -> Pair {
    let kernels = ask(view, KernelsQuery { grouping, ..KernelsQuery::default() });
    let table = |rows: &[Value]| Table::of_objects(rows, keys, Some("Total Duration (us)"));
    let truth = case.answer(name).map(|t| table(&Table::objects(&t["data"])));
    (Some(table(&array(&plugin::kernels(&kernels)["rows"]))), truth)
}

fn tensor_cores(view: &View<'_>, case: &Case) -> Pair {
    let kernels = ask(view, KernelsQuery::default());
    let truth = case.answer("kernel_tc_pie").map(|t| Table::of_objects(&Table::objects(&t["total"]), &["name"], None));
    let share = kernels.tensor_core.0 as f64 / kernels.total.0.max(1) as f64;
    let ours = [json!({ "name": "Using Tensor Cores", "value": share }), json!({ "name": "Not Using Tensor Cores", "value": 1.0 - share })];
    (Some(Table::of_objects(&ours, &["name"], None)), truth)
}

/// Unrounded steps, categories and figures of devices.
fn internals(view: &View<'_>, case: &Case) -> Pair {
    let Some(truth) = case.answer("internals") else {
        return (None, None);
    };
    let model = view.model;
    let overview = ask(view, OverviewQuery::default());
    let micros = |ns: i64| json!(ns as f64 / 1e3);
    let names: Vec<&str> = overview.steps.iter().map(|s| s.name.as_str()).collect();
    let costs = overview.steps.iter().map(|s| s.parts.iter().chain([&s.total]).map(|d| micros(d.0)).collect::<Vec<_>>());
    let roles = &model.roles.ranges;
    let sums = roles.iter().map(|r| micros(r.iter().map(|r| r.1 - r.0).sum()));
    let share = |f: &dyn Fn(&axonscope::analysis::torch::overview::DeviceRow) -> Option<f64>| {
        let figures = overview.devices.iter().map(|d| (d.device.to_string(), json!(f(d))));
        Value::Object(figures.collect())
    };
    let ours = [
        ("steps_names", json!(names)),
        ("steps_costs", json!(costs.collect::<Vec<_>>())),
        ("role_ranges_sum", json!(sums.collect::<Vec<_>>())),
        ("gpu_ids", json!(overview.devices.iter().map(|d| d.device).collect::<Vec<_>>())),
        ("gpu_utilization", share(&|d| d.utilization)),
        ("sm_efficiency", share(&|d| d.sm_efficiency)),
        ("occupancy", share(&|d| d.occupancy_percent)),
        ("tc_ratio", share(&|d| d.tensor_core_share)),
    ];
    let keys: Vec<&str> = ours.iter().map(|o| o.0).collect();
    let truth = keys.iter().map(|k| ((*k).to_string(), flat(&truth[*k])));
    (Some(Table::figures(ours.iter().map(|(k, v)| ((*k).to_string(), flat(v))))), Some(Table::figures(truth)))
}

/// Objects as lists of pairs, nulls left out.
fn flat(value: &Value) -> Value {
    match value.as_object() {
        Some(object) => json!(object.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| json!([k, v])).collect::<Vec<_>>()),
        None => value.clone(),
    }
}

/// The tree of each thread: children of its root, start, end, calls on the root itself.
fn trees(view: &View<'_>, case: &Case) -> Pair {
    let Some(truth) = case.answer("internals") else {
        return (None, None);
    };
    let trees = &view.model.trees;
    let first = truth["profiler_start_ts"].as_f64().unwrap_or(0.0);
    let shape = |children: usize, length: f64, calls: u64| json!([children, length, calls]);
    let _ = first;
    let ours = trees.roots.iter().map(|root| {
        let thread = view.torch.threads.iter().find(|t| t.track == root.track);
        let (start, end) = trees.span(&view.profile.slices, root.node);
        let tid = thread.map_or(String::new(), |t| view.profile.strings.get(t.tid).to_string());
        (tid, shape(trees.children(root.node).count(), (end - start) as f64 / 1e3, u64::from(root.n_calls)))
    });
    let truth = truth["tids"].as_object().into_iter().flatten().map(|(tid, t)| {
        let length = t["end"].as_f64().unwrap_or(0.0) - t["start"].as_f64().unwrap_or(0.0);
        (tid.clone(), shape(t["children"].as_u64().unwrap_or(0) as usize, length, t["runtimes"].as_u64().unwrap_or(0)))
    });
    (Some(Table::figures(ours)), Some(Table::figures(truth)))
}

#[test]
fn every_view_of_every_case() {
    let Some(kineto) = crate::common::conformance("kineto") else { return };
    let only = std::env::var("AXONSCOPE_CASE").unwrap_or_default();
    let mut board = Board::default();
    let mut cases = Case::all(&kineto);
    cases.retain(|c| c.traces.len() == 1 && !c.name.starts_with("dist.") && c.name.contains(&only));
    board.run(&cases, VIEWS);
    let markdown = board.markdown();
    println!("{markdown}");
    let wrong = board.wrong();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let page = std::fs::read_to_string("docs/pytorch-views.md").unwrap();
    assert!(!only.is_empty() || page.contains(&markdown), "the scoreboard of docs/pytorch-views.md is stale; it should be\n{markdown}");
    for rule in board.rules() {
        assert!(page.contains(&format!("| `{rule}` |")), "docs/pytorch-views.md does not explain the rule {rule}");
    }
}

/// Rows of a CSV without quotes around the columns asked for: the first column and the one named `column`.
fn csv(text: &str, column: &str) -> Vec<(String, f64)> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|c| c == column).unwrap();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].to_string(), cells[at].parse().unwrap())
        })
        .collect()
}

/// Time of device work that operators of each name launched themselves, microseconds.
fn direct_times(view: &View<'_>) -> BTreeMap<String, f64> {
    let ops = ask(view, OpsQuery::default());
    let rows = ops.rows.into_iter().filter(|r| r.times.device_self.0 > 0);
    rows.map(|r| (r.name, r.times.device_self.0 as f64 / 1e3)).collect()
}

#[test]
fn operators_and_busy_time_equal_tracelens() {
    let Some(kineto) = crate::common::conformance("kineto") else { return };
    let folder = kineto.join("tracelens-reference");
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()) {
        let Some(name) = entry.strip_suffix(".ops_summary.csv") else { continue };
        let (gpu, trace) = name.split_once('.').unwrap();
        let path = kineto.join("traces/tracelens-traces").join(gpu).join(format!("{trace}.json.gz"));
        let trace = Trace::open(&path);
        let model = trace.model(Rules::of(trace.era()));
        let view = trace.view(&model);
        let ours = direct_times(&view);
        let summary = csv(&std::fs::read_to_string(folder.join(&entry)).unwrap(), "total_direct_kernel_time_sum");
        for (operator, time) in summary.iter().filter(|(_, time)| *time > 0.0) {
            let mine = ours.get(operator).copied().unwrap_or(0.0);
            if (mine - time).abs() > time * 0.001 {
                wrong.push(format!("{name} {operator}: {mine} µs, TraceLens {time}"));
            }
        }
        let all: f64 = ours.values().sum();
        let known: f64 = summary.iter().map(|s| s.1).sum();
        if (all - known).abs() > known * 0.001 {
            wrong.push(format!("{name}: {all} µs in all operators, TraceLens {known}"));
        }
        let timeline = csv(&std::fs::read_to_string(folder.join(format!("{name}.gpu_timeline.csv"))).unwrap(), "time ms");
        wrong.extend(busy(&view, &timeline).into_iter().map(|w| format!("{name} {w}")));
        println!("{name}: {} operators", summary.len());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Busy, idle and total time of the device, from its first work to its last; TraceLens looks at work whose launch is in the trace.
fn busy(view: &View<'_>, timeline: &[(String, f64)]) -> Vec<String> {
    let slices = &view.profile.slices;
    let model = view.model;
    let launched = (0..model.events.work.len()).filter(|&w| model.launch[w] != NO_SLICE).map(|w| model.events.work[w]);
    let span = |w: u32| (slices.start[w as usize], slices.end(w as usize));
    let is_copy = |w: &u32| model.class[*w as usize] == Class::Memcpy;
    let computation = union(launched.clone().filter(|w| !is_copy(w)).map(span).collect());
    let busy = union(launched.map(span).collect());
    let total = busy.last().map_or(0, |l| l.1) - busy.first().map_or(0, |f| f.0);
    let ours = [
        ("busy_time", length(&busy)),
        ("total_time", total),
        ("idle_time", total - length(&busy)),
        ("computation_time", length(&computation)),
    ];
    let theirs = |id: &str| timeline.iter().find(|t| t.0 == id).map(|t| t.1 * 1e6);
    let is_wrong = |(id, ns): &&(&str, i64)| theirs(id).is_none_or(|t| (t - *ns as f64).abs() > (t * 0.001).max(2_000.0));
    ours.iter().filter(is_wrong).map(|(id, ns)| format!("{id}: {ns} ns, TraceLens {:?}", theirs(id))).collect()
}
