//! Any number of profiles in one table, and what `axonscope table` prints.

use crate::neuron_support::{Named, conformance, set};
use axonscope::analysis::variants::table::{Mode, sentence, shown};
use axonscope::analysis::variants::text::{Layout, csv, differing_parts, markdown};
use axonscope::analysis::variants::{VariantCell, VariantPart, Variants, variants};
use axonscope::engine::Session;
use axonscope::engine::query::VariantPartsQuery;
use axonscope::formats::import;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

fn parts(files: &[Named]) -> Vec<VariantPart> {
    let mut out = Vec::new();
    for (claim, outcome) in import::import(&set(files)).expect("it opens") {
        let (imported, readable) = outcome.expect("it opens");
        let found = Session::new(claim, readable, imported).ask(&VariantPartsQuery).expect("parts");
        out.extend(found);
    }
    out
}

fn summary(name: &str, metrics: Value) -> Named {
    (name.into(), json!({ "n_1": metrics }).to_string().into_bytes())
}

fn metrics(seconds: f64, reloads: u64) -> Value {
    json!({"total_time": seconds, "tensor_engine_active_time": seconds / 2.0, "hbm_read_bytes": 4096, "spill_reload_bytes": reloads, "compiler_version": "2.31"})
}

fn number(all: &Variants, row: usize, id: &str) -> Option<f64> {
    all.rows[row].cells[all.column(id)?].number()
}

#[test]
fn full_profiles_and_bare_summaries_share_columns() {
    let Some(folder) = conformance() else { return };
    let mut files: Vec<Named> = Vec::new();
    for (run, stem) in [("baseline_attention", "baseline"), ("fused_attention", "fused")] {
        let name = format!("{stem}_exec_2_profile_full.json");
        let bytes = std::fs::read(folder.join(run).join(&name)).expect("the conformance data are whole");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        files.push(summary(&format!("{stem}_summary.json"), value["summary"][0].clone()));
        files.push((name, bytes));
    }
    let found: Vec<VariantPart> = files.iter().flat_map(|file| parts(std::slice::from_ref(file))).collect();
    let all = variants(&found);
    assert_eq!(all.rows.len(), 4);
    for (bare, full) in [(0, 1), (2, 3)] {
        for id in ["total_time", "dma_active_time", "hbm_read_bytes"] {
            assert_eq!(number(&all, bare, id), number(&all, full, id), "{id}");
            assert!(number(&all, bare, id).is_some(), "{id}");
        }
    }
    assert_eq!((number(&all, 1, "nc0.moved_bytes"), number(&all, 3, "nc0.moved_bytes")), (Some(5_308_416.0), Some(1_114_112.0)));
    let exclusive: f64 = ["tensor", "vector", "scalar", "gpsimd", "dma", "sync", "idle"]
        .iter()
        .filter_map(|p| number(&all, 3, &format!("nc0.part.{p}")))
        .sum();
    assert_eq!(exclusive, 38_624.0, "parts sum to the run");
    let bottleneck = all.column("nc0.bottleneck").expect("a column");
    assert_eq!(all.rows[1].cells[bottleneck], VariantCell::Text("DMA".into()));
    assert_eq!(all.rows[0].cells[bottleneck], VariantCell::Absent, "a bare summary has no bounds");
    let columns = all.chosen(&[]);
    assert!(columns.len() >= 8, "{columns:?}");
    let cells = shown(&all, &columns, Mode::Values, 0);
    let total = columns.iter().position(|c| all.columns[*c].id == "total_time").expect("a default");
    assert_eq!((cells[1][total].is_best, cells[3][total].is_best), (Some(false), Some(true)));
    assert!(sentence(&all, 0).is_some_and(|s| s.contains("1.54 ×")), "{:?}", sentence(&all, 0));
}

#[test]
fn one_and_five_hundred_variants_are_tables() {
    let one = variants(&parts(&[summary("only.json", metrics(2e-6, 0))]));
    assert_eq!((one.rows.len(), sentence(&one, 0)), (1, None));
    let columns = one.chosen(&[]);
    assert!(markdown(&one, Layout { columns: &columns, mode: Mode::Ratios, base: 0 }).contains("1.00 ×"));
    let files: Vec<Named> =
        (0..500u32).map(|i| summary(&format!("fused_bf16_s{i}.json"), metrics(f64::from(600 - i) * 1e-6, u64::from(i)))).collect();
    let all = variants(&parts(&files));
    assert_eq!(all.rows.len(), 500);
    let text = csv(&all, Layout { columns: &all.chosen(&["total_time".into(), "spill_reload_bytes".into()]), mode: Mode::Values, base: 0 });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (501, "profile,length,total_time,spill_reload_bytes"));
    assert!(lines.contains(&"fused_bf16_s7.json,s7,0.000593,7"), "{}", lines[8]);
    let row = all.row("fused_bf16_s499.json").expect("a row");
    assert!(sentence(&all, 0).is_some_and(|s| s.starts_with(&all.rows[row].title)));
}

#[test]
fn nan_null_text_and_zero_are_not_mixed_up() {
    let odd = |name: &str, text: &str| (name.to_string(), text.as_bytes().to_vec());
    let files = [
        summary("a.json", metrics(2e-6, 0)),
        odd(
            "b.json",
            r#"{"n_1":{"total_time":1e-6,"tensor_engine_active_time":null,"hbm_read_bytes":"many","hbm_write_bytes":0,"hardware_flops":NaN}}"#,
        ),
        odd("c.json", r#"{"n_1":{"total_time":0,"hbm_read_bytes":4096,"hbm_write_bytes":1,"transpose_flops":null}}"#),
    ];
    let found: Vec<VariantPart> = files
        .iter()
        .filter(|f| import::import(&set(std::slice::from_ref(f))).is_ok_and(|o| o.iter().all(|o| o.1.is_ok())))
        .flat_map(|f| parts(std::slice::from_ref(f)))
        .collect();
    let all = variants(&found);
    let row = |name: &str| all.rows.iter().position(|r| r.title == name);
    let c = row("c.json").expect("it opens");
    assert_eq!((number(&all, c, "total_time"), number(&all, c, "transpose_flops")), (Some(0.0), None));
    let columns: Vec<usize> = (0..all.columns.len()).collect();
    for mode in Mode::ALL {
        for cells in shown(&all, &columns, mode, c) {
            assert!(cells.iter().all(|cell| !cell.text.contains("NaN") && !cell.text.contains("inf")), "{cells:?}");
            assert!(cells.iter().all(|cell| cell.heat.is_none_or(|h| (0.0..=1.0).contains(&h))), "{cells:?}");
        }
    }
    if let Some(b) = row("b.json") {
        assert_eq!(number(&all, b, "tensor_engine_active_time"), None);
        assert_eq!(number(&all, b, "hbm_write_bytes"), Some(0.0));
    }
}

#[test]
fn the_same_file_twice_and_other_hardware_are_rows() {
    let same = summary("run.json", metrics(2e-6, 5));
    let mut other = metrics(3e-6, 5);
    other["instance_type"] = json!("inf2.xlarge");
    let found = [parts(std::slice::from_ref(&same)), parts(&[same]), parts(&[summary("old.json", other)])].concat();
    let all = variants(&found);
    let titles: Vec<&str> = all.rows.iter().map(|r| r.title.as_str()).collect();
    assert_eq!(titles, ["run.json (1)", "run.json (2)", "old.json"]);
    let instance = all.column("instance_type").expect("a text is a column");
    assert_eq!(all.rows[2].cells[instance], VariantCell::Text("inf2.xlarge".into()));
    assert_eq!(all.rows[0].cells[instance], VariantCell::Absent);
}

fn table(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_axonscope")).arg("table").args(arguments).output().expect("the program runs")
}

/// A folder with these files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[Named]) -> Self {
        let path = std::env::temp_dir().join(format!("axonscope-table-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a place for files");
        for (name, bytes) in files {
            std::fs::write(path.join(name), bytes).expect("written");
        }
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_command_prints_the_same_bytes() {
    let folder =
        Folder::new("bytes", &[summary("fused_bf16_s512.json", metrics(2e-6, 0)), summary("naive_fp32_s512.json", metrics(4e-6, 4096))]);
    let path = folder.0.to_str().expect("a path in UTF-8");
    let text = |arguments: &[&str]| {
        let output = table(&[&[path], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let columns = ["--columns", "total_time,spill_reload_bytes,compiler_version"];
    let want = "fused_bf16_s512.json is the fastest: 2.00 µs, 2.00 × naive_fp32_s512.json (−50.0%).\n\n\
        | Profile | Kernel | Dtype | Total | Reloads | compiler_version |\n\
        | --- | --- | --- | ---: | ---: | ---: |\n\
        | fused_bf16_s512.json | fused | bf16 | **2.00 µs** | **0 B** | 2.31 |\n\
        | naive_fp32_s512.json | naive | fp32 | 4.00 µs | 4.00 KiB | 2.31 |\n";
    assert_eq!(text(&[&columns[..], &["--base", "naive"]].concat()), want);
    let want = "profile,kernel,dtype,total_time,spill_reload_bytes,compiler_version\r\n\
        fused_bf16_s512.json,fused,bf16,0.000002,0,2.31\r\nnaive_fp32_s512.json,naive,fp32,0.000004,4096,2.31\r\n";
    assert_eq!(text(&[&columns[..], &["--format", "csv"]].concat()), want);
    let value: Value = serde_json::from_str(&text(&["--format", "json", "--show", "ratios", "--base", "naive"])).expect("JSON");
    assert_eq!((&value["base"], &value["rows"][0]["values"]["total_time"]), (&json!("naive_fp32_s512.json"), &json!(0.5)));
    assert!(text(&["--columns", "list"]).starts_with("total_time\tSummary\tTotal\n"));
    assert!(text(&["--columns", "all"]).contains("compiler_version"));
}

#[test]
fn parts_of_names_are_columns_where_they_say_more_than_the_title() {
    let of = |names: &[&str]| {
        let files: Vec<_> = names.iter().map(|name| summary(name, metrics(2e-6, 0))).collect();
        differing_parts(&variants(&parts(&files)))
    };
    assert_eq!(of(&["fused.json", "naive.json"]), Vec::<usize>::new(), "each row has a kernel of its own");
    assert_eq!(of(&["fused_s512.json", "naive_s1024.json"]), [0, 2]);
    assert_eq!(of(&["fused.json", "fused.trace.json", "naive.json"]), [0], "kernels of two rows are a group");
    assert_eq!(of(&["fused_bf16.json", "fused_fp32.json"]), [1]);
}

#[test]
fn wrong_names_end_in_a_sentence() {
    let folder = Folder::new("wrong", &[summary("a.json", metrics(2e-6, 0))]);
    let path = folder.0.to_str().expect("a path in UTF-8");
    let said = |arguments: &[&str]| String::from_utf8_lossy(&table(&[&[path], arguments].concat()).stderr).into_owned();
    assert!(said(&["--columns", "nonsense"]).contains("No profile has the columns nonsense"), "{}", said(&["--columns", "nonsense"]));
    assert!(said(&["--base", "other"]).contains("profiles: a.json"), "{}", said(&["--base", "other"]));
    assert_eq!(table(&["Cargo.toml"]).status.code(), Some(1));
    assert_eq!(table(&[path, "--show", "x"]).status.code(), Some(2));
}

#[test]
fn traces_of_pytorch_are_rows_too() {
    let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("public/samples/gloo_ddp_rank0.pt.trace.json.gz");
    let file = ("gloo_ddp_rank0.pt.trace.json.gz".to_string(), std::fs::read(sample).expect("the sample is part of the project"));
    let all = variants(&parts(&[file]));
    assert_eq!(all.rows.len(), 1);
    let (step, other) = (number(&all, 0, "step").expect("a step"), number(&all, 0, "category.other").expect("a category"));
    assert!(step > other && other >= 0.0);
}
