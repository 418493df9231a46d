//! `axonscope convert`: tables of the schema, whole or not at all, that give the same answers when they are read back.

use crate::common::{conformance, open};
use axonscope::base::{InputSet, Member};
use axonscope::engine::tables::{self, Kind};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory for one test, removed when it is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("axonscope-convert-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Names in it, sorted.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn axonscope(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_axonscope")).args(arguments).output().unwrap()
}

fn convert(inputs: &[PathBuf], out: &Path, more: &[&str]) -> Output {
    let mut arguments: Vec<&Path> = vec![Path::new("convert")];
    arguments.extend(inputs.iter().map(PathBuf::as_path));
    arguments.extend([Path::new("-o"), out]);
    arguments.extend(more.iter().map(Path::new));
    axonscope(&arguments)
}

fn report(query: &str, inputs: &[PathBuf]) -> Value {
    let mut arguments = vec![Path::new("report"), Path::new("--query"), Path::new(query)];
    arguments.extend(inputs.iter().map(PathBuf::as_path));
    let out = axonscope(&arguments);
    assert!(out.status.success(), "{query}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice::<Value>(&out.stdout).unwrap()["answer"].clone()
}

fn sentence(out: &Output) -> String {
    assert!(!out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
    let text = String::from_utf8_lossy(&out.stderr).trim_end().to_string();
    assert_eq!(text.lines().count(), 1, "one sentence: {text}");
    text
}

/// The JSON of a run, or its NTFF with the NEFF.
fn inputs(run: &str, is_json: bool) -> Option<Vec<PathBuf>> {
    let short = run.split('_').next().unwrap();
    let folder = conformance("neuron")?.join(run);
    Some(match is_json {
        true => vec![folder.join(format!("{short}_exec_2_profile_full.json"))],
        false => vec![folder.join(format!("{short}_exec_2.ntff")), folder.join(format!("{short}.neff"))],
    })
}

#[test]
fn columns_are_those_of_the_schema() {
    let Some(folder) = conformance("neuron") else { return };
    let text = std::fs::read_to_string(folder.join("parquet-schema-7.4.0.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    for table in tables::all() {
        let rows = schema["tables"][table.name.as_ref()]["rows"].as_array().unwrap_or_else(|| panic!("no table {}", table.name));
        let expected = rows.iter().map(|row| {
            let cell = |at: usize| row[at].as_str().unwrap().trim().trim_matches('`').replace('\\', "");
            let kind = match cell(1).as_str() {
                "integer (int64)" => Kind::Int64,
                "integer (int32)" => Kind::Int32,
                "number (float)" => Kind::Float,
                "boolean" => Kind::Flag,
                text if text.starts_with("string") => Kind::Text,
                other => panic!("{other}"),
            };
            (cell(0), kind, cell(2))
        });
        let found = table.columns.iter().map(|c| (c.name.to_string(), c.kind, c.unit.to_string()));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{}", table.name);
    }
}

/// Whether two answers are the same, up to the single precision that the schema has for measured values.
fn differ(a: &Value, b: &Value, at: &str, out: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            for key in x.keys().chain(y.keys().filter(|k| !x.contains_key(*k))) {
                differ(x.get(key).unwrap_or(&Value::Null), y.get(key).unwrap_or(&Value::Null), &format!("{at}.{key}"), out);
            }
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            x.iter().zip(y).enumerate().for_each(|(i, (x, y))| differ(x, y, &format!("{at}[{i}]"), out));
        }
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            if (x - y).abs() > 2e-7 * x.abs().max(y.abs()) {
                out.push(format!("{at}: {x} {y}"));
            }
        }
        _ if a == b => (),
        _ => out.push(format!("{at}: {a} {b}").chars().take(300).collect()),
    }
}

#[test]
fn tables_of_the_json_give_the_answers_of_the_json() {
    for run in ["fused_attention", "baseline_attention"] {
        let Some(json) = inputs(run, true) else { return };
        let scratch = Scratch::new(&format!("json-{run}"));
        let out = scratch.at("tables");
        let done = convert(&json, &out, &[]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        for query in ["bounds", "operators", "flows", "layers", "critical-path", "gaps"] {
            let (before, after) = (report(query, &json), report(query, std::slice::from_ref(&out)));
            let mut found = Vec::new();
            differ(&before, &after, query, &mut found);
            assert!(found.is_empty(), "{run} {query}: {} differences, {:#?}", found.len(), &found[..found.len().min(12)]);
        }
        // Every metric of the summary, by name: also those that the schema does not have.
        let metrics = |answer: &Value| -> Vec<(String, Value)> {
            let all = answer["metrics"].as_array().unwrap();
            let mut all: Vec<(String, Value)> =
                all.iter().map(|m| (m["name"].as_str().unwrap().into(), m["file"].clone())).filter(|m| !m.1.is_null()).collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        let (before, after) = (metrics(&report("summary", &json)), metrics(&report("summary", std::slice::from_ref(&out))));
        assert!(before.len() > 80);
        let mut found = Vec::new();
        for (name, value) in &before {
            let other = after.iter().find(|m| m.0 == *name).map_or(Value::Null, |m| m.1.clone());
            differ(value, &other, name, &mut found);
        }
        assert_eq!(found, Vec::<String>::new(), "{run}");
    }
}

#[test]
fn tables_of_a_trace_give_the_bounds_of_the_trace() {
    for run in ["fused_attention", "baseline_attention"] {
        let Some(ntff) = inputs(run, false) else { return };
        let scratch = Scratch::new(&format!("ntff-{run}"));
        let out = scratch.at("tables");
        let done = convert(&ntff, &out, &[]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let (before, after) = (report("bounds", &ntff), report("bounds", std::slice::from_ref(&out)));
        let mut found = Vec::new();
        differ(&before["cores"], &after["cores"], "cores", &mut found);
        assert_eq!(found, Vec::<String>::new(), "{run}");
    }
}

#[test]
fn what_is_written_is_said_and_nothing_else_is_left() {
    let Some(json) = inputs("fused_attention", true) else { return };
    let scratch = Scratch::new("said");
    let out = scratch.at("tables");
    let done = convert(&json, &out, &[]);
    assert!(done.status.success());
    let said: Value = serde_json::from_slice(&done.stdout).unwrap();
    let tables = said["written"][0]["tables"].as_object().unwrap();
    assert_eq!((&tables["Instruction"], &tables["DmaPacket"], &tables["SemaphoreUpdate"]), (&442.into(), &481.into(), &730.into()));
    let mut files: Vec<String> = tables.keys().map(|name| format!("{name}.parquet")).collect();
    files.sort();
    let mut found: Vec<String> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    assert_eq!(found, files);
    assert_eq!(scratch.names(), ["tables"]);
}

#[test]
fn several_profiles_get_a_directory_each() {
    let (Some(a), Some(b)) = (inputs("fused_attention", true), inputs("baseline_attention", false)) else { return };
    let scratch = Scratch::new("several");
    let out = scratch.at("deep/tables");
    let done = convert(&[a, b].concat(), &out, &[]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for name in ["fused_exec_2_profile_full", "baseline_exec_2"] {
        assert!(out.join(name).join("Instruction.parquet").is_file(), "{name}");
    }
    // Both are found again, and nothing else.
    let mut set = InputSet::default();
    for name in ["fused_exec_2_profile_full", "baseline_exec_2"] {
        for entry in std::fs::read_dir(out.join(name)).unwrap() {
            let path = entry.unwrap().path();
            let member = format!("{name}/{}", path.file_name().unwrap().to_string_lossy());
            set.members.push(Member::from_bytes(member, std::fs::read(&path).unwrap()));
        }
    }
    assert_eq!(axonscope::formats::import::import(&set).unwrap().len(), 2);
}

#[test]
fn a_directory_with_something_in_it_is_not_touched() {
    let Some(json) = inputs("fused_attention", true) else { return };
    let scratch = Scratch::new("exists");
    let out = scratch.at("tables");
    std::fs::create_dir(&out).unwrap();
    // Empty: taken as it is.
    assert!(convert(&json, &out, &[]).status.success());
    let before = std::fs::read(out.join("Instruction.parquet")).unwrap();
    let text = sentence(&convert(&json, &out, &[]));
    assert!(text.contains("exists and is not empty") && text.contains("--overwrite"), "{text}");
    assert_eq!(std::fs::read(out.join("Instruction.parquet")).unwrap(), before);
    assert!(convert(&json, &out, &["--overwrite"]).status.success());
    assert_eq!(std::fs::read(out.join("Instruction.parquet")).unwrap(), before, "the same input gives the same bytes");
    // Something that is no table: not even with --overwrite.
    std::fs::write(out.join("notes.txt"), "mine").unwrap();
    let text = sentence(&convert(&json, &out, &["--overwrite"]));
    assert!(text.contains("notes.txt"), "{text}");
    assert_eq!(std::fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
    // A file in its place.
    std::fs::write(scratch.at("file"), "mine").unwrap();
    let text = sentence(&convert(&json, &scratch.at("file"), &[]));
    assert!(text.contains("Expected a directory"), "{text}");
    assert_eq!(scratch.names(), ["file", "tables"]);
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_leaves_nothing() {
    let Some(json) = inputs("fused_attention", true) else { return };
    let scratch = Scratch::new("full");
    let out = scratch.at("tables");
    // Files may have 8 KiB each: as on a full disk, a write fails in the middle of a table.
    let script = "ulimit -f 8; trap '' XFSZ; exec \"$0\" convert \"$1\" -o \"$2\"";
    let run = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_axonscope")]).args([&json[0], &out]).output().unwrap();
    let text = sentence(&run);
    assert!(text.contains("could not be written"), "{text}");
    assert_eq!(scratch.names(), Vec::<String>::new(), "no half result is left");
}

#[test]
fn other_files_are_refused_in_a_sentence() {
    let scratch = Scratch::new("refused");
    let out = scratch.at("tables");
    let report = scratch.at("report.json");
    std::fs::write(&report, r#"{"support_percentage":"100.00%","supported_operators":{"aten":{}}}"#).unwrap();
    let text = sentence(&convert(std::slice::from_ref(&report), &out, &[]));
    assert!(
        text.contains("Expected a Neuron device or system profile (NTFF or JSON), or a PyTorch, Chrome or Perfetto trace")
            && text.contains("report.json"),
        "{text}"
    );
    let text = sentence(&convert(&[scratch.at("absent.ntff")], &out, &[]));
    assert!(text.contains("absent.ntff"), "{text}");
    assert_eq!(scratch.names(), ["report.json"]);
}

#[test]
fn a_trace_becomes_tables() {
    let scratch = Scratch::new("trace");
    let out = scratch.at("tables");
    let trace = scratch.at("trace.json");
    std::fs::write(&trace, r#"{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1,"args":{"n":3}}]}"#).unwrap();
    let done = convert(std::slice::from_ref(&trace), &out, &[]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let written: Value = serde_json::from_slice(&done.stdout).unwrap();
    let tables = &written["written"][0]["tables"];
    assert_eq!((&tables["slice"], &tables["thread"]), (&Value::from(1), &Value::from(1)), "{tables}");
    assert!(tables["args"].as_u64() > Some(0), "{tables}");
    assert!(out.join("slice.parquet").is_file() && !out.join("kernel.parquet").exists(), "a table without rows has no file");
}

#[test]
fn what_is_not_recorded_is_null() {
    let Some(ntff) = inputs("fused_attention", false) else { return };
    let scratch = Scratch::new("null");
    let out = scratch.at("tables");
    assert!(convert(&ntff, &out, &[]).status.success());
    let member = |name: &str| Member::from_bytes(format!("t/{name}"), std::fs::read(out.join(name)).unwrap());
    let (imported, input) = open(&InputSet { members: vec![member("DmaPacket.parquet"), member("Instruction.parquet")] });
    let table = imported.profile.tables.iter().find(|t| t.id == "DmaPacket").unwrap();
    let rows = axonscope::formats::by_id("neuron_parquet").unwrap().rows(&input, "DmaPacket", 0, 1000).unwrap();
    assert_eq!(rows.len(), 481);
    let is_absent = |column: &str| {
        let at = table.columns.iter().position(|c| c == column).unwrap();
        rows.iter().all(|row| row[at] == axonscope::model::Cell::Absent)
    };
    for column in ["packet_aggregation_id", "packet_idx", "read_bytes", "write_bytes"] {
        assert!(is_absent(column), "{column} is not recorded in a trace");
    }
    for column in ["start_ts", "transfer_bytes", "crc", "engine_idx", "queue_idx", "pcore_idx", "id", "variable"] {
        assert!(!is_absent(column), "{column}");
    }
    // The NEFF names what the packets of dynamic queues move; instruction fetches have no variable.
    let at = table.columns.iter().position(|c| c == "variable").unwrap();
    assert_eq!(rows.iter().filter(|row| row[at] != axonscope::model::Cell::Absent).count(), 464);
}
