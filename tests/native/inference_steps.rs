//! Steps of serving traces: what their annotations say, and the device work that they launched.

use crate::common::conformance;
use axonscope::analysis::torch::inference::annotation::{Engine, StepKind};
use axonscope::analysis::torch::inference::{StepTable, StepsQuery};
use axonscope::base::{InputSet, TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::formats::import;

fn session(name: &str, bytes: Vec<u8>) -> Session {
    let (claim, done) = import::import(&InputSet::from_bytes(name, bytes)).unwrap().remove(0);
    let (imported, input) = done.unwrap();
    imported.profile.check().unwrap();
    Session::new(claim, input, imported)
}

fn steps(session: &Session, query: StepsQuery) -> Result<StepTable, String> {
    session.ask(&query).map_err(|refusal| refusal.to_string())
}

/// A step: name, start and duration of its annotation, and its kernels: when they are launched, start, duration; all µs.
type Step<'a> = (&'a str, u32, u32, &'a [(u32, u32, u32)]);

fn trace(steps: &[Step<'_>]) -> Vec<u8> {
    let mut events = Vec::new();
    let mut correlation = 0;
    for (name, start, duration, kernels) in steps {
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":5,"tid":5,"ts":{start},"dur":{duration},"args":{{}}}}"#
        ));
        for (launch, at, dur) in *kernels {
            correlation += 1;
            events.push(format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":{launch},"dur":1,"args":{{"correlation":{correlation}}}}}"#
            ));
            events.push(format!(
                r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{at},"dur":{dur},"args":{{"device":0,"stream":7,"correlation":{correlation}}}}}"#
            ));
        }
    }
    format!(r#"{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{}]}}"#, events.join(",\n")).into_bytes()
}

/// Trace, context, ns of the annotation, device work, ns of it (TraceLens `gpu_timeline.csv`: busy_time), ns between its parts.
type Case = (&'static str, u64, i64, u64, i64, i64);

const CASES: [Case; 2] = [
    ("sglang_decode/sglang_Qwen3-8B_decode.json.gz", 32_785, 465_716_634, 558, 9_772_929, 463_977_018),
    ("vllm_decode_full/graph_execution.json.gz", 55_086, 2_408_598, 434, 10_717_697, 25_482),
];

#[test]
fn steps_of_real_serving_runs() {
    let Some(graphs) = conformance("kineto/graphs") else { return };
    // Values of the traces, by a script of this project.
    for (file, context, host_ns, n_work, busy, gaps) in CASES {
        let all = steps(&session("run.json.gz", std::fs::read(graphs.join(file)).unwrap()), StepsQuery::default()).unwrap();
        let [step] = &all.steps[..] else { panic!("{file}: {:?}", all.steps) };
        assert_eq!(
            (step.engine, step.kind, step.requests, step.tokens),
            (Some(Engine::Vllm), StepKind::Decode, Some(32), Some(32)),
            "{file}"
        );
        assert_eq!((step.context, step.host.0, step.n_work), (Some(context), host_ns, n_work), "{file}");
        // The trace has microseconds with three digits, read exactly here and as binary fractions there.
        let near = |mine: i64, theirs: i64| (mine - theirs).abs() <= 2 * n_work as i64;
        assert!(near(step.busy.unwrap().0, busy) && near(step.gaps.unwrap().0, gaps), "{file}: {step:?}");
        let per_token = step.time_per_token_ns.unwrap();
        assert!((per_token - step.duration.0 as f64).abs() < 1.0, "each request generates one token: {per_token}");
        assert!((step.tokens_per_s.unwrap() * step.duration.0 as f64 / 1e9 - 32.0).abs() < 1e-6, "{file}");
        assert_eq!(all.groups.len(), 2, "all decode steps, and those of 32 requests");
    }
}

#[test]
fn device_work_belongs_to_the_step_that_launched_it() {
    let decode = "execute_context_0(0)_generation_4(4)";
    let bytes = trace(&[
        ("execute_context_1(100)_generation_0(0)", 0, 50, &[(10, 20, 60), (12, 90, 10)]),
        // Launched before the work of the step before ends; two kernels at once.
        (decode, 60, 20, &[(62, 100, 10), (64, 105, 15)]),
        (decode, 90, 20, &[(92, 130, 10)]),
    ]);
    let session = session("t.json", bytes);
    let found = steps(&session, StepsQuery::default()).unwrap();
    assert_eq!(found.source, "vLLM");
    let row = |i: usize| {
        let s = &found.steps[i];
        (
            s.kind,
            s.duration.0 / 1_000,
            s.busy.unwrap().0 / 1_000,
            s.gaps.unwrap().0 / 1_000,
            s.launch_delay.unwrap().0 / 1_000,
            s.n_launches,
        )
    };
    assert_eq!(row(0), (StepKind::Prefill, 100, 70, 10, 20, 2));
    assert_eq!(row(1), (StepKind::Decode, 60, 20, 0, 40, 2));
    assert_eq!(row(2), (StepKind::Decode, 50, 10, 0, 40, 1));
    assert_eq!(found.steps[0].time_per_token_ns, None, "a prompt generates no token");
    assert_eq!(found.steps[1].time_per_token_ns, Some(60_000.0));
    assert_eq!(found.steps[0].tokens_per_s, Some(1_000_000.0));
    let groups: Vec<_> = found.groups.iter().map(|g| (g.kind, g.requests, g.n, g.percentiles[0].0, g.percentiles[3].0)).collect();
    assert_eq!(
        groups,
        [
            (StepKind::Prefill, None, 1, 100_000, 100_000),
            (StepKind::Prefill, Some(1), 1, 100_000, 100_000),
            (StepKind::Decode, None, 2, 50_000, 60_000),
            (StepKind::Decode, Some(4), 2, 50_000, 60_000),
        ]
    );
    let range = Some(TimeRange::new(TimeNs(80_000), TimeNs(200_000)));
    assert_eq!(steps(&session, StepsQuery { range, ..StepsQuery::default() }).unwrap().steps.len(), 1);
}

#[test]
fn the_annotation_that_says_more_is_the_step() {
    let detailed = "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk900sqsq32sqsk900)";
    let bytes = trace(&[(detailed, 0, 100, &[(10, 20, 5)]), ("step[DECODE bs=32]", 5, 90, &[])]);
    let found = steps(&session("t.json", bytes), StepsQuery::default()).unwrap();
    assert_eq!((found.steps.len(), found.steps[0].context), (1, Some(900)));
}

#[test]
fn generations_of_xdit_are_steps() {
    let all: [Step<'_>; 2] = [("model_inference", 0, 500, &[(10, 20, 60)]), ("model_inference", 600, 400, &[(610, 700, 60)])];
    let found = steps(&session("t.json", trace(&all)), StepsQuery::default()).unwrap();
    assert_eq!(found.source, "model_inference");
    let rows: Vec<_> = found.steps.iter().map(|s| (s.kind, s.host.0, s.busy.unwrap().0, s.requests)).collect();
    assert_eq!(rows, [(StepKind::Step, 500_000, 60_000, None), (StepKind::Step, 400_000, 60_000, None)]);
    // The marks of the profiler's schedule, which xDiT sets too, go first.
    let marked: [Step<'_>; 2] = [("ProfilerStep#1", 0, 550, &[]), ("model_inference", 10, 500, &[(20, 30, 60)])];
    assert_eq!(steps(&session("t.json", trace(&marked)), StepsQuery::default()).unwrap().source, "ProfilerStep");
    let other: [Step<'_>; 1] = [("model_inference_2", 0, 500, &[(10, 20, 60)])];
    assert!(steps(&session("t.json", trace(&other)), StepsQuery::default()).unwrap().steps.is_empty());
}

#[test]
fn steps_of_tensorrt_llm_have_requests() {
    let name = "[Executor] _forward_step 7: 2 ctx reqs, 500 ctx tokens, 30 gen reqs";
    let found = steps(&session("t.json", trace(&[(name, 0, 100, &[(10, 20, 50)])])), StepsQuery::default()).unwrap();
    let [step] = &found.steps[..] else { panic!("{found:?}") };
    assert_eq!((found.source.as_str(), step.kind, step.requests, step.tokens), ("TensorRT-LLM", StepKind::Mixed, Some(32), Some(530)));
}

#[test]
fn any_annotation_can_be_a_step() {
    let denoise = |i: u32| format!("denoise {i}");
    let names: Vec<String> = (0..3).map(denoise).collect();
    let all: Vec<Step<'_>> = names.iter().enumerate().map(|(i, name)| (name.as_str(), 100 * i as u32, 50, &[][..])).collect();
    let session = session("t.json", trace(&all));
    let none = steps(&session, StepsQuery::default()).unwrap();
    assert!(none.steps.is_empty() && none.notes[0].contains("No steps are recorded"), "{none:?}");
    assert_eq!(none.candidates, [(r"^denoise \d+$".to_string(), 3)]);
    let found = steps(&session, StepsQuery { pattern: none.candidates[0].0.clone(), ..StepsQuery::default() }).unwrap();
    assert_eq!(found.steps.iter().map(|s| (s.kind, s.host.0, s.busy)).collect::<Vec<_>>(), vec![(StepKind::Step, 50_000, None); 3]);
    let nothing = steps(&session, StepsQuery { pattern: "xyz".into(), ..StepsQuery::default() }).unwrap();
    assert_eq!(nothing.notes, ["No annotation matches `xyz`."]);
    for bad in ["(", "[", "a{99999999}"] {
        let refused = steps(&session, StepsQuery { pattern: bad.into(), ..StepsQuery::default() }).unwrap_err();
        assert!(refused.contains("is not a valid regular expression"), "{refused}");
    }
}
