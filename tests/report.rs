//! `examples/report.rs` answers in JSON, and in a sentence when it cannot.
#![cfg(not(target_arch = "wasm32"))]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn report(arguments: &[&str]) -> Output {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["run", "--quiet", "--example", "report", "--"]).args(arguments);
    command.output().expect("cargo runs")
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/gloo_ddp_rank0.pt.trace.json.gz")
}

fn json(arguments: &[&str]) -> Value {
    let path = sample();
    let mut all = arguments.to_vec();
    all.push(path.to_str().expect("a path in UTF-8"));
    let output = report(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn every_query_answers() {
    let import = json(&[]);
    assert_eq!(import["profiles"][0]["format"], "kineto");
    let n = import["answer"]["n_slices"].as_u64().expect("a count");
    assert!(n > 1000);
    let rows = json(&["--query", "operators"]);
    let rows = rows["answer"]["rows"].as_array().expect("rows");
    let times: Vec<i64> = rows.iter().map(|r| r["self_time"].as_i64().expect("ns")).collect();
    assert!(times.is_sorted_by(|a, b| a >= b));
    let hits = json(&["--query", "search", "--arg", "text=aten::", "--arg", "limit=3"]);
    assert_eq!(hits["answer"]["slices"].as_array().map(Vec::len), Some(3));
    let details = json(&["--query", "details", "--arg", "slice=0"]);
    assert!(!details["answer"]["fields"].as_array().expect("fields").is_empty());
    let path = sample();
    let lines = report(&["--query", "slices", path.to_str().expect("a path in UTF-8")]).stdout;
    assert_eq!(lines.split(|b| *b == b'\n').filter(|l| !l.is_empty()).count() as u64, n);
}

#[test]
fn what_cannot_be_read_ends_in_a_sentence() {
    let output = report(&["Cargo.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(sentence.contains("Cargo.toml") && sentence.trim_end().ends_with('.'), "{sentence}");
    assert!(output.stdout.is_empty());
}
