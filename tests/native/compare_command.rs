//! `axonscope compare`: what it prints, to the byte.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn compare(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_axonscope")).arg("compare").args(arguments).output().expect("the program runs")
}

/// A folder with two small device profiles, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("axonscope-compare-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a place for files");
        Folder(path)
    }

    fn file(&self, name: &str, value: &Value) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, value.to_string()).expect("written");
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn device(rows: &[(&str, &str, i64, i64)]) -> Value {
    let row = |(id, r): (usize, &(&str, &str, i64, i64))| {
        json!({"id": id, "label": r.0, "subgroup": r.0, "subgraph": "sg00", "opcode": r.1, "timestamp": r.2, "duration": r.3, "operands": "",
            "evt_wait_time": 0, "nki_source_location": format!("/src/kernel.py:{}", id + 3)})
    };
    json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": rows.last().map_or(0, |r| r.2 + r.3)}],
        "summary": [{"total_time": 1e-6, "tensor_engine_active_time": 2e-7}],
        "instruction": rows.iter().enumerate().map(row).collect::<Vec<Value>>(),
    })
}

fn two(folder: &Folder) -> [String; 2] {
    let base = folder.file("before.json", &device(&[("Tensor", "MATMUL", 0, 400), ("Vector", "COPY", 500, 500)]));
    let run = folder.file("after.json", &device(&[("Tensor", "MATMUL", 0, 400), ("Vector", "ADD", 450, 300)]));
    [base, run]
}

const MARKDOWN: &str = include_str!("../fixtures/compare/explain.md");

#[test]
fn markdown_is_the_same_to_the_byte() {
    let folder = Folder::new("markdown");
    let [base, run] = two(&folder);
    for arguments in [vec![&*base, &run, "--explain"], vec!["--explain", "--markdown", &base, &run]] {
        let output = compare(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(text, MARKDOWN, "have:\n{text}");
    }
}

#[test]
fn json_has_children_inside_their_parents() {
    let folder = Folder::new("json");
    let [base, run] = two(&folder);
    let output = compare(&[&base, &run, "--explain", "--json"]);
    let value: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let total = &value["units"][0]["total"];
    assert_eq!((&total["base"]["ns"], &total["run"]["ns"], &total["delta_ns"]), (&json!(1000), &json!(750), &json!(-250)));
    fn check(node: &Value) {
        let children = node["children"].as_array().expect("a list");
        if !children.is_empty() {
            let sum: i64 = children.iter().map(|c| c["delta_ns"].as_i64().expect("a number")).sum();
            assert_eq!(sum, node["delta_ns"].as_i64().expect("a number"), "{}", node["name"]);
        }
        children.iter().for_each(check);
    }
    check(total);
    let vector = total["children"].as_array().expect("parts").iter().find(|p| p["name"] == "Vector").expect("a part");
    let line = &vector["children"][0]["children"][0];
    assert_eq!((&line["name"], &line["state"], &line["run"]), (&json!("COPY"), &json!("gone"), &Value::Null));
    assert!(value["units"][0]["sentences"][0]["text"].as_str().is_some_and(|t| t.starts_with("250 ns faster")), "{value}");
    let bare: Value = serde_json::from_slice(&compare(&[&base, &run, "--json"]).stdout).expect("one JSON object");
    assert_eq!((&bare["units"], &bare["metrics"]), (&json!([]), &value["metrics"]));
    let half: Value = serde_json::from_slice(&compare(&[&base, &run, "--explain", "--json", "--range", "0,400"]).stdout).expect("JSON");
    assert_eq!(half["units"][0]["total"]["base"]["ns"], json!(400));
}

#[test]
fn a_file_is_compared_with_itself_and_traces_of_pytorch_too() {
    let folder = Folder::new("same");
    let [base, _] = two(&folder);
    let text = String::from_utf8(compare(&[&base, &base, "--explain"]).stdout).expect("UTF-8");
    assert!(text.contains("Both take 1.00 µs: no part differs."), "{text}");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/gloo_ddp_rank0.pt.trace.json.gz");
    let sample = sample.to_str().expect("a path in UTF-8");
    let text = String::from_utf8(compare(&[sample, sample, "--explain"]).stdout).expect("UTF-8");
    assert!(text.contains("## Mean step"), "{text}");
    let output = compare(&[&base, sample, "--explain"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("Expected two profiles of a kind"), "{output:?}");
}

#[test]
fn a_trace_and_its_program_are_one_profile() {
    let Some(folder) = crate::neuron_support::conformance() else { return };
    let path = |run: &str, name: &str| folder.join(run).join(name).to_string_lossy().into_owned();
    let files = [
        path("fused_attention", "fused_exec_2.ntff"),
        path("fused_attention", "fused.neff"),
        path("baseline_attention", "baseline_exec_2.ntff"),
        path("baseline_attention", "baseline.neff"),
    ];
    let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
    let text = String::from_utf8(compare(&[&arguments[..], &["--explain"]].concat()).stdout).expect("UTF-8");
    assert!(text.contains("20.9 µs slower (38.6 µs → 59.5 µs"), "the first profile is the base: {text}");
    arguments.rotate_left(2);
    let text = String::from_utf8(compare(&[&arguments[..], &["--explain"]].concat()).stdout).expect("UTF-8");
    assert!(text.contains("The bottleneck moved from DMA"), "{text}");
    assert!(text.contains("4\u{202f}194\u{202f}304 fewer bytes are moved"), "{text}");
}

#[test]
fn what_cannot_be_compared_ends_in_a_sentence() {
    let folder = Folder::new("wrong");
    let [base, run] = two(&folder);
    let output = compare(&[&base, &run, &base]);
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && sentence.contains("Expected files of two profiles"), "{sentence}");
    let output = compare(&[&base, "Cargo.toml"]);
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{output:?}");
    assert_eq!(compare(&[&base, &run, "--json", "--markdown"]).status.code(), Some(2));
    assert_eq!(compare(&[&base, &run, "--range", "5,2"]).status.code(), Some(2));
}

/// A trace with as many steps as durations: one kernel of `aten::mm` fills each.
fn steps(durations: &[i64]) -> Value {
    let mut events = Vec::new();
    for (i, us) in durations.iter().enumerate() {
        let (at, id) = (i as i64 * 10_000, i + 1);
        let mut event = |cat: &str, name: &str, tid: i64, ts: i64, dur: i64, args: Value| {
            events.push(json!({"ph": "X", "cat": cat, "name": name, "pid": if cat == "kernel" { 0 } else { 1 }, "tid": tid, "ts": ts, "dur": dur, "args": args}));
        };
        event("user_annotation", &format!("ProfilerStep#{id}"), 1, at, us + 20, json!({}));
        event("cpu_op", "aten::mm", 1, at + 2, 8, json!({"External id": id}));
        event("cuda_runtime", "cudaLaunchKernel", 1, at + 3, 2, json!({"correlation": id, "External id": id}));
        event("kernel", "gemm", 7, at + 10, *us, json!({"device": 0, "stream": 7, "correlation": id, "External id": id}));
    }
    json!({ "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events })
}

#[test]
fn what_got_slower_than_allowed_ends_with_code_3() {
    let folder = Folder::new("slower");
    let base = folder.file("base.json", &steps(&[1000, 1000, 1000]));
    let same = folder.file("same.json", &steps(&[1010, 1010, 1010]));
    let slow = folder.file("slow.json", &steps(&[1200, 1200, 1200]));
    let noisy = folder.file("noisy.json", &steps(&[700, 1200, 1700]));
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let output = compare(&[&base, &slow]);
    assert_eq!(output.status.code(), Some(0), "nothing is checked");
    assert!(text(&output).lines().any(|l| l.contains("GPU time") && l.contains("1.20 ms") && l.contains("+20.0%")), "{}", text(&output));
    assert!(!text(&output).contains("slower than allowed"));
    let output = compare(&[&base, &slow, "--fail-over", "5%"]);
    assert_eq!(output.status.code(), Some(3));
    let all = text(&output);
    for name in ["Mean step", "GPU time", "aten::mm"] {
        assert!(all.lines().any(|l| l.contains(name) && l.ends_with("slower than allowed")), "{name}: {all}");
    }
    assert!(all.contains("More than 5.0% slower than the base: Mean step, GPU time, aten::mm."), "{all}");
    for (run, limit, code) in [(&same, "5", 0), (&slow, "25%", 0), (&noisy, "5%", 0), (&base, "0", 0), (&same, "0.5%", 3)] {
        let output = compare(&[&base, run, "--fail-over", limit]);
        assert_eq!(output.status.code(), Some(code), "{run} {limit}: {}", text(&output));
    }
    assert!(text(&compare(&[&base, &noisy, "--fail-over", "5%"])).contains("within spread"));
    assert_eq!(compare(&[&slow, &base, "--fail-over", "5%"]).status.code(), Some(0), "faster");
    let json: Value =
        serde_json::from_slice(&compare(&[&base, &slow, "--json", "--by", "kernel,step", "--fail-over", "5%"]).stdout).expect("JSON");
    let times = json["times"].as_array().expect("rows");
    let of = |group: &str| times.iter().filter(|r| r["group"] == group).collect::<Vec<_>>();
    assert_eq!((of("Kernel").len(), of("Step").len(), of("Operator").len()), (1, 3, 0));
    assert_eq!(
        (&of("Kernel")[0]["name"], &of("Kernel")[0]["delta_ns"], &of("Kernel")[0]["is_too_slow"]),
        (&json!("gemm"), &json!(200_000), &json!(true))
    );
    let markdown = text(&compare(&[&base, &slow, "--markdown", "--fail-over", "5%"]));
    assert!(markdown.contains("## Times") && markdown.contains("| Operator | aten::mm | 1.01 ms | 1.21 ms |"), "{markdown}");
}

#[test]
fn a_neuron_profile_is_checked_by_total_and_engines() {
    let folder = Folder::new("neuron-slower");
    let [base, run] = two(&folder);
    assert_eq!(compare(&[&base, &run, "--fail-over", "5%"]).status.code(), Some(0), "faster");
    let output = compare(&[&run, &base, "--fail-over", "5%"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.lines().any(|l| l.contains("Vector busy") && l.ends_with("slower than allowed")), "{text}");
    assert!(!text.lines().any(|l| l.contains("Tensor busy") && l.ends_with("slower than allowed")), "{text}");
}

#[test]
fn a_check_that_cannot_be_made_fails() {
    let folder = Folder::new("unchecked");
    let [device, _] = two(&folder);
    let trace = folder.file("trace.json", &steps(&[1000]));
    let output = compare(&[&device, &trace, "--fail-over", "5%"]);
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && sentence.contains("no times that can be compared"), "{sentence}");
    for wrong in ["-1%", "x", "inf", ""] {
        assert_eq!(compare(&[&trace, &trace, &format!("--fail-over={wrong}")]).status.code(), Some(2), "{wrong}");
    }
    assert_eq!(compare(&[&trace, &trace, "--by", "nonsense"]).status.code(), Some(2));
}
