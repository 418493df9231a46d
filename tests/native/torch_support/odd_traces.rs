//! Traces that lack something, or hold something odd: each gives what can be shown and a sentence on what cannot.

use super::Trace;
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::core::rules::Rules;
use axonscope::analysis::torch::kernels::{KernelGrouping, Kernels, KernelsQuery};
use axonscope::analysis::torch::ops::{OpGrouping, OpMembersQuery, Ops, OpsQuery};
use axonscope::analysis::torch::overview::{Overview, OverviewQuery};
use axonscope::analysis::torch::trace::TraceCounters;
use axonscope::base::SliceId;
use axonscope::engine::TraceQuestion;
use axonscope::engine::query::{LinksQuery, TraceCountersQuery};
use proptest::prelude::*;

struct All {
    overview: Overview,
    ops: Ops,
    kernels: Kernels,
    counters: TraceCounters,
}

fn ask<Q: TraceQuestion>(view: &View<'_>, question: Q) -> Q::Answer {
    question.of(view).unwrap()
}

fn all(trace: &Trace, rules: Rules) -> All {
    let model = trace.model(rules);
    let view = trace.view(&model);
    for slice in 0..trace.profile.slices.len().min(50) as u32 {
        ask(&view, LinksQuery { slice: SliceId(slice) });
    }
    let overview = ask(&view, OverviewQuery::default());
    let ops = ask(&view, OpsQuery { grouping: OpGrouping::NameShape, ..OpsQuery::default() });
    if let Some(row) = ops.rows.first() {
        let query = OpMembersQuery { name: row.name.clone(), shape: row.shape.clone(), range: None };
        let members = ask(&view, query);
        assert_eq!(members.n_calls, row.calls);
    }
    let query = KernelsQuery { grouping: KernelGrouping::Properties, ..KernelsQuery::default() };
    let kernels = ask(&view, query);
    let counters = ask(&view, TraceCountersQuery);
    if rules.sums_to_step {
        for step in &overview.steps {
            assert_eq!(step.parts.iter().map(|p| p.0).sum::<i64>(), step.total.0, "the parts of a step sum to it");
        }
    }
    All { overview, ops, kernels, counters }
}

fn events(events: &[&str]) -> Trace {
    Trace::from_json(&format!(r#"{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{}]}}"#, events.join(",")))
}

const OP: &str = r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":20,"args":{"External id":5}}"#;
const LAUNCH: &str =
    r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":3,"args":{"correlation":9}}"#;
const KERNEL: &str =
    r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40,"dur":8,"args":{"correlation":9,"device":200,"stream":7}}"#;
const STEP: &str = r#"{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":0,"dur":35,"args":{}}"#;

fn says(notes: &[String], words: &str) {
    assert!(notes.iter().any(|n| n.contains(words)), "{notes:?} do not say `{words}`");
}

#[test]
fn a_whole_trace_is_linked() {
    let a = all(&events(&[STEP, OP, LAUNCH, KERNEL]), Rules::CORRECTED);
    assert_eq!((a.ops.rows[0].times.device_self.0, a.ops.rows[0].times.host_self.0), (8_000, 17_000));
    assert_eq!(a.kernels.rows[0].properties.as_ref().unwrap().operator.as_deref(), Some("aten::mm"));
    assert_eq!(a.overview.devices[0].device, 200);
    assert_eq!((a.overview.steps[0].name.as_str(), a.overview.steps[0].total.0), ("3", 48_000));
    assert_eq!(a.overview.devices[0].utilization, Some(8.0 / 48.0));
    assert_eq!(a.counters.devices[0].device, 200);
}

#[test]
fn no_operators() {
    let a = all(&events(&[LAUNCH, KERNEL]), Rules::CORRECTED);
    says(&a.ops.notes, "No operators");
    says(&a.kernels.notes, "are not attributed");
    assert_eq!((a.kernels.rows.len(), a.overview.steps.len()), (1, 1));
}

#[test]
fn no_kernels() {
    let a = all(&events(&[STEP, OP]), Rules::CORRECTED);
    says(&a.kernels.notes, "No kernels");
    says(&a.ops.notes, "No kernels are recorded");
    says(&a.overview.notes, "No device activity");
    assert_eq!(a.overview.device_type, "CPU");
}

#[test]
fn no_steps_and_one_event() {
    let a = all(&events(&[OP]), Rules::CORRECTED);
    says(&a.overview.notes, "Steps are not recorded");
    assert_eq!(a.overview.steps[0].total.0, 20_000);
    let a = all(&events(&[KERNEL]), Rules::CORRECTED);
    says(&a.overview.notes, "No host activity");
    let a = all(&events(&[r#"{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{}}"#]), Rules::CORRECTED);
    assert!(a.overview.steps.is_empty() && !a.overview.notes.is_empty());
}

#[test]
fn steps_that_overlap() {
    let second = STEP.replace("#3", "#4").replace("\"ts\":0", "\"ts\":20");
    let a = all(&events(&[STEP, &second, OP]), Rules::CORRECTED);
    says(&a.overview.notes, "overlap");
    assert_eq!(a.overview.steps.iter().map(|s| s.total.0).collect::<Vec<_>>(), [35_000, 35_000]);
}

#[test]
fn kernels_before_any_launch_and_text_threads() {
    let early = KERNEL.replace("\"ts\":40", "\"ts\":1");
    let a =
        all(&events(&[&OP.replace("\"tid\":1", "\"tid\":\"1\""), &early, &LAUNCH.replace("\"tid\":1", "\"tid\":\"1\"")]), Rules::CORRECTED);
    assert_eq!(a.ops.rows[0].times.device_self.0, 8_000);
    let a = all(&events(&[OP, &early]), Rules::CORRECTED);
    says(&a.overview.notes, "no launch");
}

#[test]
fn nesting_of_100_000_levels() {
    let n = 100_000;
    let deep: Vec<String> = (0..n)
        .map(|i| format!(r#"{{"ph":"X","cat":"cpu_op","name":"op{}","pid":1,"tid":1,"ts":{i},"dur":{}}}"#, i % 3, 2 * n - 2 * i))
        .collect();
    let trace = events(&deep.iter().map(String::as_str).collect::<Vec<_>>());
    for rules in [Rules::PLUGIN, Rules::CORRECTED] {
        assert_eq!(all(&trace, rules).ops.rows.iter().map(|r| r.calls).sum::<u64>(), n);
    }
}

#[test]
fn kernels_of_a_graph_go_to_the_operator_their_record_names() {
    let graph = |name: &str, correlation: u32, id: u32, node: u32, ts: u32| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{ts},"dur":4,"args":{{"correlation":{correlation},"External id":{id},"device":0,"graph node id":{node}}}}}"#
        )
    };
    let replay = r#"{"ph":"X","cat":"cpu_op","name":"replay","pid":1,"tid":1,"ts":100,"dur":20,"args":{"External id":6}}"#;
    let launch = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":105,"dur":3,"args":{"correlation":20,"External id":6}}"#;
    let trace = events(&[OP, replay, launch, &graph("a", 20, 5, 70, 130), &graph("b", 20, 6, 71, 140), &graph("c", 20, 6, 70, 150)]);
    let ops = all(&trace, Rules::CORRECTED).ops;
    let device = |name: &str| ops.rows.iter().find(|r| r.name == name).unwrap().times.device_self.0;
    assert_eq!((device("aten::mm"), device("replay")), (8_000, 4_000));
}

#[test]
fn advice_on_launches_gaps_and_waits() {
    // 120 kernels of 1 µs, each launched 50 µs after the one before, and a synchronisation.
    let mut trace = vec![STEP.replace("\"dur\":35", "\"dur\":7000")];
    for i in 0..120 {
        let (ts, correlation) = (10 + i * 50, 1000 + i);
        trace.push(format!(r#"{{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":{ts},"dur":40,"args":{{}}}}"#));
        trace.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{correlation}}}}}"#,
            ts + 5
        ));
        trace.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"correlation":{correlation},"device":0}}}}"#,
            ts + 15
        ));
    }
    trace.push(
        r#"{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":6100,"dur":500,"args":{"correlation":1}}"#
            .into(),
    );
    let a = all(&events(&trace.iter().map(String::as_str).collect::<Vec<_>>()), Rules::CORRECTED);
    let ids: Vec<&str> = a.overview.recommendations.iter().map(|r| r.id.as_str()).collect();
    for id in ["launch_bound", "idle_gaps", "small_kernels", "synchronising_calls", "utilization"] {
        let advice = a.overview.recommendations.iter().find(|r| r.id == id);
        assert!(advice.is_some_and(|a| !a.evidence.is_empty() && !a.threshold.is_empty() && a.cost.is_some()), "{id} among {ids:?}");
    }
    let waiting = a.overview.recommendations.iter().find(|r| r.id == "synchronising_calls").unwrap();
    assert_eq!(waiting.cost.unwrap().0, 500_000);
    // 119 gaps of 49 µs.
    let idle = a.overview.recommendations.iter().find(|r| r.id == "idle_gaps").unwrap();
    assert_eq!(idle.cost.unwrap().0, 119 * 49_000);
}

#[test]
fn counters_in_buckets() {
    let span =
        r#"{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":250,"args":{}}"#;
    let kernel = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":15,"dur":10,"args":{"device":0,"blocks per SM":0.5}}"#;
    let a = all(&events(&[span, kernel]), Rules::CORRECTED);
    let device = &a.counters.devices[0];
    assert_eq!((device.bucket.0, device.utilization.times.len()), (10_000, 26));
    assert_eq!(device.utilization.values[..4], [0.0, 0.5, 0.5, 0.0]);
    assert_eq!(device.sm_efficiency.values, [0.5, 0.0]);
}

fn event() -> impl Strategy<Value = String> {
    let cats = [
        "cpu_op",
        "Operator",
        "cuda_runtime",
        "Runtime",
        "cuda_driver",
        "kernel",
        "Kernel",
        "gpu_memcpy",
        "user_annotation",
        "gpu_user_annotation",
        "python_function",
        "odd",
    ];
    let names = [
        "aten::mm",
        "aten::mm",
        "ProfilerStep#1",
        "ProfilerStep#",
        "nccl:all_reduce",
        "ncclDevKernel_x",
        "nn.Module: A_0",
        "cudaGraphLaunch",
        "autograd::engine::evaluate_function: X",
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
        "enumerate(DataLoader)#x.__next__",
        "Optimizer.step#SGD",
        "Memcpy HtoD (Pageable -> Device)",
        "cudaDeviceSynchronize",
    ];
    let args = (0u32..4, 0u32..4, 0u32..3, prop::bool::ANY);
    (prop::sample::select(cats.to_vec()), prop::sample::select(names.to_vec()), 0u32..3, 0i64..40, 0i64..30, args).prop_map(
        |(cat, name, tid, ts, dur, (correlation, id, device, is_module))| {
            let module = if is_module { ",\"Python module id\":1,\"Python id\":1" } else { "" };
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{"correlation":{correlation},"External id":{id},"device":{device}{module}}}}}"#
            )
        },
    )
}

fn flow() -> impl Strategy<Value = String> {
    (0u32..3, 0i64..40, prop::bool::ANY, 0u32..4).prop_map(|(tid, ts, is_start, id)| {
        let phase = if is_start { "s" } else { "f" };
        format!(r#"{{"ph":"{phase}","cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":{tid},"ts":{ts},"id":{id},"bp":"e"}}"#)
    })
}

proptest! {
    #[test]
    fn arbitrary_traces_are_answered(mut list in prop::collection::vec(event(), 0..40), flows in prop::collection::vec(flow(), 0..10)) {
        list.extend(flows);
        let trace = events(&list.iter().map(String::as_str).collect::<Vec<_>>());
        for rules in [Rules::PLUGIN, Rules::CORRECTED] {
            let a = all(&trace, rules);
            let n_linked: u64 = a.kernels.rows.iter().map(|r| r.calls).sum();
            prop_assert!(rules == Rules::PLUGIN || n_linked as usize <= list.len());
        }
    }
}
