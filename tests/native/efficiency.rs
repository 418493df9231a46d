//! Work and rates of operators equal TraceLens's tables, shape by shape.

use crate::common::conformance;
use axonscope::analysis::torch::efficiency::{Efficiency, EfficiencyQuery, EfficiencyRow};
use axonscope::base::{InputSet, Member};
use axonscope::engine::Session;
use axonscope::formats::import;
use std::collections::HashMap;

fn efficiency(name: &str, bytes: Vec<u8>) -> Efficiency {
    let (claim, done) = import::import(&InputSet::from_bytes(name, bytes)).unwrap().remove(0);
    let (imported, input) = done.unwrap();
    imported.profile.check().unwrap();
    let session = Session::new(claim, input, imported);
    session.ask(&EfficiencyQuery::default()).expect("an answer")
}

/// Rows of a CSV file as maps; quoted cells may hold commas and line breaks.
fn csv(text: &str) -> Vec<HashMap<String, String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => cell.extend(rest.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !is_quoted => {}
            c => cell.push(c),
        }
    }
    let head = rows.remove(0);
    rows.into_iter().map(|row| head.iter().cloned().zip(row).collect()).collect()
}

/// Python's tuples as its lists.
fn listed(text: &str) -> String {
    text.replace(",)", ")").replace('(', "[").replace(')', "]")
}

type Key = (String, String, String);

fn key(row: &EfficiencyRow) -> Key {
    (row.name.clone(), row.shape.clone(), row.types.clone())
}

#[test]
fn work_and_rates_equal_tracelens() {
    let Some(kineto) = conformance("kineto") else { return };
    let (mut n, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(kineto.join("rates")).unwrap().map(|e| e.unwrap()) {
        let case = entry.file_name().to_string_lossy().into_owned();
        let (gpu, trace) = case.split_once('.').unwrap();
        let path = kineto.join("traces/tracelens-traces").join(gpu).join(format!("{trace}.json.gz"));
        let found = efficiency("trace.json.gz", std::fs::read(path).unwrap());
        for table in ["GEMM", "SDPA_fwd", "CONV_fwd", "Normalization", "BinaryElementwise", "UnaryElementwise"] {
            let Ok(text) = std::fs::read_to_string(entry.path().join(format!("{table}.csv"))) else { continue };
            // Rows that differ in strides alone are one here.
            let mut wanted: HashMap<Key, (f64, f64, f64, f64)> = HashMap::new();
            // Calls without kernel time have no rate.
            for row in csv(&text).into_iter().filter(|row| !row["TFLOPS/s_mean"].is_empty()) {
                let value = |column: &str| row[column].parse::<f64>().unwrap();
                let key = (row["name"].clone(), listed(&row["Input Dims_first"]), listed(&row["Input type_first"]));
                let sum = wanted.entry(key).or_insert((value("GFLOPS_first"), value("Data Moved (MB)_first"), 0.0, 0.0));
                let calls = value("name_count");
                *sum = (sum.0, sum.1, sum.2 + value("TFLOPS/s_mean") * calls, sum.3 + calls);
            }
            for (wanted_key, (gflops, mib, tflops, calls)) in wanted {
                n += 1;
                let rows: Vec<&EfficiencyRow> = found.rows.iter().filter(|r| key(r) == wanted_key).collect();
                let Some(row) = rows.first() else {
                    wrong.push(format!("{case} {table} {wanted_key:?}: no model"));
                    continue;
                };
                let n_calls: u64 = rows.iter().map(|r| r.calls).sum();
                let mean = rows.iter().map(|r| r.tflops * r.calls as f64).sum::<f64>() / n_calls as f64;
                // A call that the trace records twice, the overload of the composite operator around the other, is one call here and in TraceLens's own
                // `unified_perf_summary.csv`; its table of elementwise operators counts both records, each with the one kernel.
                let is_recorded_twice =
                    case == "h100.facebook_timesformer-base-finetuned-k400__1016002" && wanted_key.0 == "aten::upsample_nearest1d";
                let n_wanted = if is_recorded_twice { calls / 2.0 } else { calls };
                if n_calls as f64 != n_wanted {
                    wrong.push(format!("{case} {table} {wanted_key:?}: {n_calls} calls, TraceLens {calls}"));
                }
                let ours = [row.flops as f64 / 1e9, row.bytes as f64 / f64::from(1 << 20), mean];
                for (mine, theirs) in ours.into_iter().zip([gflops, mib, tflops / calls]) {
                    if (mine - theirs).abs() > theirs.abs() * 1e-3 {
                        wrong.push(format!("{case} {table} {wanted_key:?}: {mine}, TraceLens {theirs}"));
                    }
                }
            }
        }
        // Of the kernel time that TraceLens models, 90% is modelled here.
        let (mut modelled, mut all) = (0.0, 0.0);
        for row in csv(&std::fs::read_to_string(entry.path().join("unified_perf_summary.csv")).unwrap()) {
            if row["has_perf_model"] == "True" {
                let time: f64 = row["Kernel Time (µs)_sum"].parse().unwrap();
                let (name, shape) = (&row["name"], listed(&row["Input Dims"]));
                all += time;
                modelled += if found.rows.iter().any(|r| r.name == *name && r.shape == shape) { time } else { 0.0 };
            }
        }
        println!("{case}: {:.1}% of the kernel time that TraceLens models", 100.0 * modelled / all);
        assert!(modelled >= 0.9 * all, "{case}: {modelled} of {all} µs");
    }
    assert!(wrong.is_empty(), "{} of {n} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n > 60, "{n} rows compared");
}

/// A trace of one operator call with one kernel.
fn one(operator: &str, args: &str, dur_us: &str, device: &str) -> Vec<u8> {
    format!(
        r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "{device}"}}], "traceEvents": [
{{"ph":"X","cat":"cpu_op","name":"{operator}","pid":5,"tid":5,"ts":0,"dur":50,"args":{{"External id": 1, {args}}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":2,"dur":5,"args":{{"External id": 1, "correlation": 7}}}},
{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":{dur_us},"args":{{"External id": 1, "device": 0, "stream": 7, "correlation": 7}}}}
]}}"#
    )
    .into_bytes()
}

const MM: &str =
    r#""Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::BFloat16", "c10::BFloat16"], "Concrete Inputs": ["", ""]"#;

#[test]
fn rates_are_set_against_the_roof() {
    let found = efficiency("t.json", one("aten::mm", MM, "10", "NVIDIA H100 80GB HBM3"));
    let [row] = &found.rows[..] else { panic!("{found:?}") };
    assert_eq!((row.flops, row.bytes, row.calls, row.kernel_time.0), (2_000_000_000, 6_000_000, 1, 10_000));
    assert_eq!((row.tflops, row.tb_per_s), (200.0, 0.6));
    // 2 GFLOP at 989.4 TFLOP/s take 2.02 µs, 6 MB at 3.35 TB/s 1.79 µs.
    assert_eq!(row.bound, Some(axonscope::analysis::torch::efficiency::Bound::Compute));
    assert!((7_978..=7_979).contains(&row.recoverable.unwrap().0), "{:?}", row.recoverable);
    assert!((row.peak_share.unwrap() - 200.0 / 989.4).abs() < 1e-9);
}

#[test]
fn what_is_not_known_is_not_said() {
    let unknown = efficiency("t.json", one("aten::mm", MM, "10", "NVIDIA Imagined 1"));
    assert_eq!((unknown.rows[0].peak_share, unknown.rows[0].recoverable, unknown.rows[0].tflops), (None, None, 200.0));
    assert!(unknown.notes.iter().any(|n| n.contains("not in the table")), "{:?}", unknown.notes);
    // Without time there is no rate.
    assert!(efficiency("t.json", one("aten::mm", MM, "0", "NVIDIA H100")).rows.is_empty());
    let odd = [
        r#""Input Dims": [[-1, 4], [4, 4]], "Input type": ["float", "float"]"#,
        r#""Input Dims": [["s0", 4], [4, 4]], "Input type": ["float", "float"]"#,
        r#""Input Dims": [[4, 4, 1, 1, 1, 1, 1, 1, 1, 1], [4, 4]], "Input type": ["float", "float"]"#,
        r#""Input Dims": [[4, 4], [4, 4]], "Input type": ["c10::Posit", "float"]"#,
        r#""Input Dims": [[4, 4], [4, 4]]"#,
        r#""Input type": ["float", "float"]"#,
        r#""Input Dims": [[18446744073709551615, 4], [4, 4]], "Input type": ["float", "float"]"#,
    ];
    for args in odd {
        let found = efficiency("t.json", one("aten::mm", args, "10", "NVIDIA H100"));
        assert!(found.rows.is_empty(), "{args}: {:?}", found.rows);
        assert_eq!(found.device_time.0, 10_000, "{args}");
    }
}

#[test]
fn devices_of_one_name_need_no_number() {
    let text = String::from_utf8(one("aten::mm", MM, "10", "AMD Instinct MI300X")).unwrap();
    let agent = text.replace(r#""device": 0"#, r#""device": 9"#);
    let found = efficiency("t.json", agent.clone().into_bytes());
    assert_eq!((found.device.as_str(), found.rows[0].peak_share.is_some()), ("AMD Instinct MI300X", true));
    // Of two kinds it is not known which one is number 9.
    let second = r#""deviceProperties": [{"id": 1, "name": "AMD Instinct MI210"}, "#;
    let mixed = efficiency("t.json", agent.replace(r#""deviceProperties": ["#, second).into_bytes());
    assert_eq!((mixed.device.as_str(), mixed.rows[0].peak_share), ("", None));
}

/// A run of a serving engine with its captures.
fn serving_run(directory: &std::path::Path) -> Efficiency {
    let mut members = Vec::new();
    for folder in [directory.to_path_buf(), directory.join("capture_traces")] {
        for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap()).filter(|e| e.path().is_file()) {
            let name = entry.path().strip_prefix(directory.parent().unwrap()).unwrap().to_string_lossy().into_owned();
            members.push(Member::from_bytes(name, std::fs::read(entry.path()).unwrap()));
        }
    }
    let (claim, done) = import::import(&InputSet { members }).unwrap().remove(0);
    let (imported, input) = done.unwrap();
    Session::new(claim, input, imported).ask(&EfficiencyQuery::default()).expect("an answer")
}

/// Sums of a row there: operations and MiB of one call, TFLOP/s × calls, calls.
type Wanted = (f64, f64, f64, f64);

#[test]
fn work_of_serving_runs_equals_tracelens() {
    let Some(graphs) = conformance("kineto/graphs") else { return };
    let mut n = 0;
    for run in ["vllm_decode_full", "sglang_decode"] {
        let found = serving_run(&graphs.join(run));
        for table in ["GEMM", "InferenceAttention_fwd", "RoPE_fwd", "RMSNorm_fwd", "UnaryElementwise"] {
            let Ok(text) = std::fs::read_to_string(graphs.join(run).join(format!("perf_csvs/{table}.csv"))) else { continue };
            // A row for each set of kernels and strides there, one here. The bytes of a copy of truth values are not counted there.
            let mut wanted: HashMap<Key, Wanted> = HashMap::new();
            for row in csv(&text).into_iter().filter(|row| !row["TFLOPS/s_mean"].is_empty() && !row["Data Moved (MB)_first"].is_empty()) {
                let value = |column: &str| row[column].parse::<f64>().unwrap();
                let key = (row["name"].clone(), listed(&row["Input Dims_first"]), listed(&row["Input type_first"]));
                let sum = wanted.entry(key).or_insert((value("GFLOPS_first"), value("Data Moved (MB)_first"), 0.0, 0.0));
                let calls = value("name_count");
                *sum = (sum.0, sum.1, sum.2 + value("TFLOPS/s_mean") * calls, sum.3 + calls);
            }
            for (wanted_key, (gflops, mib, tflops, calls)) in wanted {
                n += 1;
                let rows: Vec<&EfficiencyRow> = found.rows.iter().filter(|r| key(r) == wanted_key).collect();
                assert!(!rows.is_empty(), "{run} {wanted_key:?} has no model");
                let n_calls: u64 = rows.iter().map(|r| r.calls).sum();
                assert_eq!(n_calls as f64, calls, "{run} {wanted_key:?}");
                let mean = rows.iter().map(|r| r.tflops * r.calls as f64).sum::<f64>() / calls;
                let ours = [rows[0].flops as f64 / 1e9, rows[0].bytes as f64 / f64::from(1 << 20), mean];
                for (mine, theirs) in ours.into_iter().zip([gflops, mib, tflops / calls]) {
                    assert!((mine - theirs).abs() <= theirs * 1e-3, "{run} {wanted_key:?}: {mine}, TraceLens {theirs}");
                }
            }
        }
        // TraceLens takes the inner size of experts for the hidden size where it is not recorded. Nothing is guessed here: these have no work.
        let (mut modelled, mut all) = (0.0, 0.0);
        for row in csv(&std::fs::read_to_string(graphs.join(run).join("perf_csvs/unified_perf_summary.csv")).unwrap()) {
            if row["has_perf_model"] == "True" && !row["name"].starts_with("pseudo_op::moe_triton_unfused") {
                let time: f64 = row["Kernel Time (µs)_sum"].parse().unwrap();
                let shape = listed(&row["Input Dims"]);
                all += time;
                modelled += if found.rows.iter().any(|r| r.name == row["name"] && r.shape == shape) { time } else { 0.0 };
            }
        }
        println!("{run}: {:.1}% of the kernel time that TraceLens models from recorded sizes", 100.0 * modelled / all);
        assert!(modelled >= 0.98 * all, "{run}: {modelled} of {all} µs");
    }
    assert!(n > 20, "{n} rows compared");
    let vllm = serving_run(&graphs.join("vllm_decode_full"));
    assert_eq!(vllm.without_model[0].0, "vllm::moe_forward");
    assert!(vllm.notes.iter().any(|n| n.contains("`vllm::moe_forward`") && n.contains("its weights are not recorded")), "{:?}", vllm.notes);
}

#[test]
fn work_that_may_be_less_is_an_upper_bound() {
    let Some(graphs) = conformance("kineto/graphs") else { return };
    let found = serving_run(&graphs.join("vllm_decode_full"));
    let bounds: Vec<&str> = found.rows.iter().filter(|r| r.upper_bound.is_some()).map(|r| r.name.as_str()).collect();
    assert!(bounds.iter().all(|name| *name == "vllm::unified_attention_with_output") && !bounds.is_empty(), "{bounds:?}");
    assert!(found.notes.iter().any(|n| n.contains("upper bounds: a sliding window is not recorded")), "{:?}", found.notes);
}

/// An operator with another one in it, or alone.
fn linear(has_inner: bool) -> Vec<u8> {
    let args =
        r#""Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::BFloat16", "c10::BFloat16"], "Concrete Inputs": ["", ""]"#;
    let text = String::from_utf8(one("aten::linear", args, "10", "NVIDIA H100")).unwrap();
    let inner =
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":1,"dur":40,"args":{{"External id": 2, {MM}}}}},"#);
    text.replacen(
        r#"{"ph":"X","cat":"cuda_runtime""#,
        &format!(r#"{}{{"ph":"X","cat":"cuda_runtime""#, if has_inner { &inner } else { "" }),
        1,
    )
    .into_bytes()
}

#[test]
fn composite_operators_are_counted_where_nothing_else_is_recorded() {
    let names =
        |bytes: Vec<u8>| -> Vec<(String, u64)> { efficiency("t.json", bytes).rows.into_iter().map(|r| (r.name, r.flops)).collect() };
    assert_eq!(names(linear(false)), [("aten::linear".to_string(), 2_000_000_000)]);
    assert_eq!(names(linear(true)), [("aten::mm".to_string(), 2_000_000_000)]);
}

#[test]
fn attention_over_a_cache_needs_the_lengths_of_its_step() {
    let args = r#""Input Dims": [[2, 8, 64], [2, 4, 64], [2, 4, 64], [2, 8, 64]], "Input type": ["c10::Half", "c10::Half", "c10::Half", "c10::Half"]"#;
    let with_step = |name: &str, at: u32| {
        let step = format!(r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":5,"tid":5,"ts":{at},"dur":90}},"#);
        let text = String::from_utf8(one("vllm::unified_attention_with_output", args, "10", "NVIDIA H100")).unwrap();
        efficiency("t.json", text.replace(r#""traceEvents": ["#, &format!(r#""traceEvents": [{step}"#)).into_bytes())
    };
    let lengths = "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk300sqsq2sqsk300)";
    let found = with_step(lengths, 0);
    assert_eq!((found.rows[0].flops, found.rows[0].bytes), (4 * 8 * 64 * 300, 2 * 4 * 64 * 300 * 2 + 2 * 2 * 8 * 64 * 2));
    assert!(with_step("execute_context_0(0)_generation_2(2)", 0).rows.is_empty(), "lengths are not recorded");
    assert!(with_step(lengths, 200).rows.is_empty(), "outside of the step");
    // One request of 4 queries after 6 others, causal: 7 + 8 + 9 + 10 pairs.
    let prefill = with_step("execute_4_context_1(sq4sk10sqsq16sqsk40)_generation_0(sq0sk0sqsq0sqsk0)", 0);
    assert_eq!(prefill.rows[0].flops, 4 * 8 * 64 * 34);
}
