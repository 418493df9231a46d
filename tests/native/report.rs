//! `axonscope report` answers in JSON, and in a sentence when it cannot.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn report(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_axonscope")).arg("report").args(arguments).output().expect("the program runs")
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
fn tables_are_listed_and_shown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/synthetic-neuron.json");
    let name = path.to_str().expect("a path in UTF-8");
    let truth: Value = serde_json::from_slice(&std::fs::read(&path).expect("the sample is part of the project")).expect("JSON");
    let answer = |arguments: &[&str]| {
        let output = report(&[&["--query", "tables"], arguments, &[name]].concat());
        serde_json::from_slice::<Value>(&output.stdout).map(|v| v["answer"].clone()).map_err(|_| output)
    };
    let list = answer(&[]).expect("a list");
    let list = list.as_array().expect("tables");
    for id in ["dma_queues_info", "metadata", "model_info", "summary", "warnings"] {
        let table = list.iter().find(|t| t["id"] == id).unwrap_or_else(|| panic!("no {id}"));
        assert_eq!(table["n_rows"].as_u64(), truth[id].as_array().map(|rows| rows.len() as u64), "{id}");
    }
    let summary = answer(&["--arg", "id=summary"]).expect("a table");
    let columns = summary["columns"].as_array().expect("columns");
    let at = columns.iter().position(|c| c == "hardware_flops").expect("a column");
    assert!(summary["rows"][0][at].to_string().contains(&truth["summary"][0]["hardware_flops"].to_string()), "{}", summary["rows"][0][at]);
    let refused = answer(&["--arg", "id=nonsense"]).expect_err("there is no such table");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("no table `nonsense`"));
}

#[test]
fn what_cannot_be_read_ends_in_a_sentence() {
    let output = report(&["Cargo.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(sentence.contains("Cargo.toml") && sentence.trim_end().ends_with('.'), "{sentence}");
    assert!(output.stdout.is_empty());
}

/// The answer to a query about made files.
fn asked(query: &str, files: &[(&str, Vec<u8>)]) -> Value {
    let folder = std::env::temp_dir().join(format!("axonscope-report-{}-{query}", std::process::id()));
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
    for (path, (_, bytes)) in paths.iter().zip(files) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a place for files");
        std::fs::write(path, bytes).expect("written");
    }
    let arguments: Vec<&str> = ["--query", query].into_iter().chain(paths.iter().map(|p| p.to_str().expect("a path in UTF-8"))).collect();
    let output = report(&arguments);
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(output.status.success(), "{query}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("one JSON object")["answer"].take()
}

#[test]
fn views_of_neuron_logs_reports_and_system_profiles_have_their_queries() {
    let timeline = || ("run/neuron_op_timeline.json", crate::neuron_logs::timeline(&crate::neuron_logs::bars()));
    let table = || ("run/neuron_framework_op.json", crate::neuron_logs::table(&[("aten__addmm_dot", 2, 279)], 279));
    for files in [vec![timeline()], vec![table()], vec![("run/xplane.pb", crate::neuron_logs::xspace())]] {
        let answer = asked("operator-framework", &files);
        assert!(answer["rows"].as_array().is_some_and(|r| r.iter().any(|r| r["name"] == "aten__addmm_dot")), "{answer}");
    }
    assert_eq!(asked("operator-hlo", &[timeline()])["is_from_file"], false);
    assert_eq!(asked("operator-timeline", &[timeline()])["compute"], 800);
    assert_eq!(asked("trace", &[("neuron_trace.json", crate::neuron_logs::trace())])["steps"][0]["host_name"], "Compile");
    let report = br#"{"support_percentage":"60.00%","supported_operators":{"aten":{"aten::add":2}},"unsupported_operators":{"aten":[]}}"#;
    assert_eq!(asked("support", &[("result.json", report.to_vec())])["operators"][0]["name"], "aten::add");
    let json = vec![("system_profile.json", crate::neuron_systems::host_bound().into_bytes())];
    assert_eq!(asked("system", &json)["executions"][0]["calls"], 3);
    let tables = crate::neuron_systems::directory();
    let tables: Vec<(&str, Vec<u8>)> = tables.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    assert_eq!(asked("system", &tables)["hbm"][0]["bytes"], 95);
}

/// A trace with names that a terminal and a CSV reader must survive.
fn hostile() -> Vec<u8> {
    let names = ["plain", "a,b", "say \"x\"", "two\nlines", "\u{1b}[2Jescape"];
    let events: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(i, name)| serde_json::json!({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": i * 10, "dur": i + 1}))
        .collect();
    serde_json::json!({ "schemaVersion": 1, "traceEvents": events }).to_string().into_bytes()
}

struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("axonscope-report-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("written");
        File(path)
    }

    fn text(&self, arguments: &[&str]) -> String {
        let path = self.0.to_str().expect("a path in UTF-8");
        let output = report(&[arguments, &[path]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Records of a CSV text, read character by character as RFC 4180 says.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut out, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.push(chars.next().expect("a quote")),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => (),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                out.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty() && !is_quoted, "the last record ends");
    out
}

#[test]
fn csv_has_every_row_of_the_answer() {
    let file = File::new("hostile.json", &hostile());
    let answer: Value = serde_json::from_str(&file.text(&["--query", "operators"])).expect("JSON");
    let want = answer["answer"]["rows"].as_array().expect("rows");
    let rows = records(&file.text(&["--query", "operators", "--csv", "--rows", "rows"]));
    assert_eq!(rows.len(), want.len() + 1);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let at = |name: &str| rows[0].iter().position(|c| c == name).unwrap_or_else(|| panic!("no {name} in {:?}", rows[0]));
    for (row, want) in rows[1..].iter().zip(want) {
        assert_eq!(row[at("name")], want["name"].as_str().expect("a name"));
        assert_eq!(row[at("self_time")], want["self_time"].to_string());
    }
    let names: Vec<&str> = rows[1..].iter().map(|r| r[at("name")].as_str()).collect();
    for name in ["a,b", "say \"x\"", "two\nlines", "\u{1b}[2Jescape"] {
        assert!(names.contains(&name), "{name:?} in {names:?}");
    }
    let two = |path: &str| {
        records(&String::from_utf8(report(&["--query", "operators", "--csv", "--rows", "rows", path, path]).stdout).expect("UTF-8"))
    };
    let both = two(file.0.to_str().expect("a path"));
    assert_eq!((both.len(), both[0][0].as_str()), (2 * want.len() + 1, "profile"), "rows of several profiles are in one table");
}

#[test]
fn a_table_is_aligned_and_says_what_it_lacks() {
    let file = File::new("table.json", &hostile());
    let text = file.text(&["--query", "operators", "--table", "--rows", "rows", "--limit", "3"]);
    assert!(text.contains("3 of 5 rows; --limit 0 prints all."), "{text}");
    assert_eq!(text.lines().count(), 1 + 3 + 1);
    let all = file.text(&["--query", "operators", "--table", "--rows", "rows", "--limit", "0"]);
    assert_eq!(all.lines().count(), 6, "a name with two lines is one line: {all}");
    assert!(!all.contains('\u{1b}') && all.contains("·[2Jescape") && all.contains("two·lines"), "{all}");
    // Numbers end at the same place.
    let at = all.lines().next().and_then(|h| h.find("self_time")).expect("a column") + "self_time".len();
    assert!(all.lines().skip(1).all(|l| l.chars().nth(at - 1).is_some_and(|c| c.is_ascii_digit())), "{all}");
}

#[test]
fn an_answer_without_rows_is_keys_and_values() {
    let file = File::new("record.json", &hostile());
    let csv = records(&file.text(&["--query", "kernels", "--csv"]));
    assert_eq!(csv[0], ["key", "value"]);
    assert!(csv.iter().any(|r| r == &["total_ns", "0"]), "{csv:?}");
    let table = file.text(&["--query", "kernels", "--table"]);
    assert!(table.lines().any(|l| l.split_whitespace().eq(["total_ns", "0"])), "{table}");
    let path = file.0.to_str().expect("a path");
    for (arguments, sentence) in [
        (vec!["--query", "operators", "--csv", "--rows", "nonsense", path], "no list `nonsense`"),
        (vec!["--query", "slices", "--csv", path], "lines of JSON"),
    ] {
        let output = report(&arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && text.contains(sentence) && output.stdout.is_empty(), "{text}");
    }
    assert_eq!(report(&["--csv", "--table", path]).status.code(), Some(2));
}

#[test]
fn help_has_every_query_and_the_exit_codes() {
    let help = String::from_utf8(report(&["--help"]).stdout).expect("UTF-8");
    assert!(help.contains("Exit codes: 0 done, 1 failed"), "{help}");
    // The sentence for a query that does not exist lists all.
    let path = sample();
    let output = report(&["--query", "nonsense", path.to_str().expect("a path")]);
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    let list = sentence.split_once("queries ").and_then(|(_, rest)| rest.split_once("; found")).expect("a list").0;
    let without_notes: String = list.split('(').map(|part| part.split_once(')').map_or(part, |p| p.1)).collect();
    for name in without_notes.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        assert!(help.contains(name), "`{name}` in the help");
    }
}

#[test]
fn a_region_is_the_scope_of_a_query() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/public/samples/synthetic-neuron.json");
    let ask = |arguments: &[&str]| -> Value {
        let mut all = vec!["report"];
        all.extend(arguments);
        all.push(sample);
        let output = Command::new(env!("CARGO_BIN_EXE_axonscope")).args(all).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let regions = ask(&["--query", "regions", "--arg", "by=opcode"]);
    let region =
        regions["answer"]["regions"].as_array().expect("regions").iter().find(|r| r["name"] == "ACTIVATE").expect("a region").clone();
    assert!(region["windows"].as_u64() > Some(1), "{region}");
    let bounds = ask(&["--query", "bounds", "--arg", "by=opcode", "--arg", "region=ACTIVATE"]);
    let core = &bounds["answer"]["cores"]["0"];
    assert_eq!((&core["bounds"]["total"], &core["exclusive"]), (&region["time"], &region["exclusive"]));
    assert_eq!(core["moved_bytes"], region["moved_bytes"]);
    let output = Command::new(env!("CARGO_BIN_EXE_axonscope"))
        .args(["report", "--query", "bounds", "--arg", "region=NO_SUCH", sample])
        .output()
        .expect("the program runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no region `NO_SUCH`"));
}
