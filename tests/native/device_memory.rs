//! Tensors, memory, tables, exports and comparisons of Neuron runs, beside figures counted from the JSON by themselves.

use crate::neuron_support::*;
use axonscope::analysis::device::compare;
use axonscope::analysis::device::memory::highlights::BandKind;
use axonscope::analysis::device::memory::tensors::tensors;
use axonscope::analysis::device::run_metrics::summary::summary;
use axonscope::engine::query::{BandsQuery, CompareQuery, ExportQuery, Exported};
use axonscope::engine::{Session, views::views};
use axonscope::formats::import;
use serde_json::{Value, json};

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

/// Session and raw JSON of a run.
fn run(run: &str, stem: &str) -> Option<(Session, Value)> {
    let json = file(&conformance()?, run, &format!("{stem}_exec_2_profile_full.json"));
    let value = serde_json::from_slice(&json.1).expect("JSON");
    Some((session(&[json]), value))
}

fn directory(run: &str, codec: &str) -> Option<Vec<Named>> {
    let folder = conformance()?.join(run).join(codec);
    let entries = std::fs::read_dir(folder).expect("the conformance data are whole").map(|e| e.expect("an entry"));
    let mut files: Vec<Named> =
        entries.map(|e| (format!("{codec}/{}", e.file_name().to_string_lossy()), std::fs::read(e.path()).expect("readable"))).collect();
    files.sort();
    Some(files)
}

#[test]
fn tensors_and_memory_are_those_of_the_json() {
    for (name, stem) in RUNS {
        let Some((session, json)) = run(name, stem) else { return };
        let got = tensors(&session.profile, None);
        let nodes = json["neff_node"].as_array().expect("nodes");
        let named: Vec<&Value> = nodes.iter().filter(|n| n["variable_name"] != "").collect();
        assert_eq!(got.rows.len(), named.len(), "bare nodes are no tensors");
        assert!(got.rows.is_sorted_by_key(|r| std::cmp::Reverse(r.size_bytes)), "largest first, where no load is told");
        for row in &got.rows {
            let node = named.iter().find(|n| n["variable_name"] == *row.name).expect("of the file");
            assert_eq!(row.size_bytes, node["size"].as_str().and_then(|s| s.parse().ok()));
            assert_eq!(row.shape.as_deref().unwrap_or_default(), node["shape"].as_str().unwrap_or_default());
            assert_eq!((row.transfers, row.load_factor), (None, None), "no DMA row of these runs names a variable");
        }
        let uses = json["nc_mem_usage"].as_array().expect("uses");
        assert_eq!(got.hbm.len(), uses.len());
        let total = got.hbm.iter().find(|u| u.core == "NC 4" && u.is_total).expect("a total");
        let parts: u64 =
            uses.iter().filter(|u| u["nc"] == 4 && u["usage_type"] != "Total").filter_map(|u| u["amount_bytes"].as_u64()).sum();
        assert_eq!((total.bytes, total.is_computed), (parts, false), "{name}");
        let banks: Vec<_> = got.curves.iter().filter(|c| c.core == "NC 4" && c.name == "PSUM Usage").collect();
        let samples: Vec<(i64, f64)> = {
            let all = json["instruction_usage"].as_array().expect("samples");
            let of_core = all.iter().filter(|s| s["type"] == "psum" && s["subgraph"] == "sg00");
            let mut all: Vec<_> =
                of_core.map(|s| (s["timestamp"].as_i64().expect("ns"), s["bank_2_usage"].as_f64().expect("a number"))).collect();
            all.sort_by_key(|s| s.0);
            all
        };
        assert_eq!(banks.len(), 8);
        assert_eq!(banks[2].n_samples as usize, samples.len());
        let top = samples.iter().map(|s| s.1).fold(f64::MIN, f64::max);
        assert!((banks[2].peak.expect("a peak").1 - top).abs() < 1e-6);
        assert!(got.notes.iter().any(|n| n.contains("DMA rows have no variable names")), "{:?}", got.notes);
        assert!(views(&session.profile).contains(&"tensors"));
    }
}

/// A tensor that is moved three times, and seventy small transfers: asked for alone or with the table of tensors.
#[test]
fn stretches_are_found_with_the_tensors_or_alone() {
    let transfer = |at: i64, size: i64, variable: &str| {
        let mut row = json!({"subgraph": "sg00", "dma_engine": "0", "dma_queue": "0", "timestamp": at, "duration": 50});
        row["transfer_size"] = size.into();
        row["variable"] = variable.into();
        row
    };
    let moved = [10, 2000, 4000].map(|at| transfer(at, 1000, "w"));
    let small = (0..70).map(|i| transfer(6000 + 100 * i, 8, ""));
    let file = |nodes: Value| {
        let rows: Vec<Value> = moved.iter().cloned().chain(small.clone()).collect();
        let file = json!({"metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 20000}], "instruction": [], "dma": rows, "neff_node": nodes,
            "pending_dma": [{"subgraph": "sg00", "timestamp": 1, "value": 0}]});
        session(&[("small.json".into(), file.to_string().into_bytes())])
    };
    let both = file(json!([{"variable_name": "w", "size": "1000", "type": "WEIGHT"}]));
    // Some rows name no variable: of a tensor that none names it is not told whether it moved.
    let other = tensors(&file(json!([{"variable_name": "v", "size": "8", "type": "WEIGHT"}])).profile, None);
    let transfers = |name: &str| other.rows.iter().find(|r| r.name == name).and_then(|r| r.transfers);
    assert_eq!((transfers("w"), transfers("v")), (Some(3), None));
    assert!(other.notes.iter().any(|n| n.starts_with("Some DMA rows have no variable name")), "{:?}", other.notes);
    let found = tensors(&both.profile, None).bands;
    let recorded: Vec<_> = found.iter().map(|b| (b.kind, b.range.start.0, b.range.end.0, b.transfers, b.bytes, b.factor)).collect();
    let crowd = (BandKind::SmallTransfers, 6000, 12950, 70, Some(560), None);
    assert_eq!(recorded, [(BandKind::Reloaded, 10, 4050, 3, Some(3000), Some(3.0)), crowd]);
    // Without sizes nothing is known to be moved again.
    let crowd_alone = file(json!([]));
    assert_eq!(tensors(&crowd_alone.profile, None).bands, found[1..]);
    for (session, want) in [(both, &found[..]), (crowd_alone, &found[1..])] {
        let alone = session.ask(&BandsQuery).expect("stretches");
        assert_eq!(alone, want);
    }
}

#[test]
fn the_three_sources_tell_the_same_memory() {
    let (Some((json, _)), Some(folder), Some(tables)) =
        (run("fused_attention", "fused"), conformance(), directory("fused_attention", "parquet-snappy"))
    else {
        return;
    };
    let trace = session(&[file(&folder, "fused_attention", "fused_exec_2.ntff"), file(&folder, "fused_attention", "fused.neff")]);
    let tables = session(&tables);
    let hbm = |s: &Session| {
        let mut all: Vec<_> =
            tensors(&s.profile, None).hbm.into_iter().filter(|u| u.bytes > 0).map(|u| (u.core, u.kind, u.bytes)).collect();
        all.sort();
        all
    };
    assert_eq!(hbm(&json), hbm(&tables));
    assert_eq!(hbm(&json), hbm(&trace));
    // Each source has the tables that people look for, or its file has none of them.
    let has = |s: &Session, names: &[&str]| names.iter().all(|n| s.profile.tables.iter().any(|t| t.id == *n && !t.columns.is_empty()));
    assert!(has(&json, &["neff_header", "neff_node", "model_info", "dma_queues_info", "nc_mem_usage", "warnings", "terminology"]));
    assert!(has(&trace, &["neff_header", "neff_node", "model_info", "dma_queues_info", "nc_mem_usage"]));
    assert!(has(&tables, &["NeffHeader", "DmaQueuesInfo", "HbmUsageSummaryByType", "Warning", "SchemaFields"]));
    let names = |s: &Session| tensors(&s.profile, None).rows.into_iter().map(|r| r.name).filter(|n| !n.is_empty()).collect::<Vec<_>>();
    let (mut a, mut b) = (names(&json), names(&trace));
    a.sort();
    b.sort();
    b.dedup();
    assert!(a.iter().all(|name| b.contains(name)), "{a:?} {b:?}");
    assert!(tensors(&tables.profile, None).notes[0].contains("not available"));
}

/// Lines of an export, and how many parts it took.
fn export(session: &Session, what: &Exported) -> (Vec<String>, u64, u32) {
    let (mut text, mut n_rows, mut n_parts, mut next) = (String::new(), 0, 0, Some(0));
    while let Some(cursor) = next {
        let part = session.ask(&ExportQuery { what: what.clone(), cursor }).expect("a part");
        text.push_str(&part.text);
        (n_rows, n_parts, next) = (n_rows + part.n_rows, n_parts + 1, part.next);
    }
    (text.split("\r\n").filter(|l| !l.is_empty()).map(Into::into).collect(), n_rows, n_parts)
}

fn pair(mut row: Vec<String>) -> (String, String) {
    let last = row.pop().unwrap_or_default();
    (row.pop().unwrap_or_default(), last)
}

#[test]
fn exports_hold_every_row() {
    for (name, stem) in RUNS {
        let Some((session, json)) = run(name, stem) else { return };
        for (what, section) in
            [(Exported::Instructions, "instruction"), (Exported::Transfers, "dma"), (Exported::Semaphores, "semaphore_update")]
        {
            let rows = json[section].as_array().expect("rows");
            let (lines, n, _) = export(&session, &what);
            assert_eq!((lines.len(), n), (rows.len() + 1, rows.len() as u64), "{name} {section}");
            assert!(lines[0].starts_with("timeline_track,"));
        }
        let transfers = export(&session, &Exported::Transfers).0;
        let column = |at: usize| transfers[1..].iter().filter_map(move |l| l.split(',').nth(at)?.parse::<i64>().ok());
        let times: Vec<i64> = json["dma"].as_array().expect("rows").iter().filter_map(|r| r["timestamp"].as_i64()).collect();
        assert_eq!(column(2).collect::<Vec<_>>(), times, "{name}: in the order of the file");
        let bytes = column(5).sum::<i64>() as u64;
        let recorded: u64 = json["dma"].as_array().expect("rows").iter().filter_map(|r| r["transfer_size"].as_u64()).sum();
        assert_eq!(bytes, recorded);
        // Whose semaphore it is stands beside its number: `S[24] (qSyncDynamicHW)`.
        let mut updates: Vec<(String, String)> = columns(&session, &Exported::Semaphores, &["id", "owner"]).into_iter().map(pair).collect();
        let split =
            |id: &str| id.strip_prefix("S[").and_then(|t| t.trim_end_matches(')').split_once("] (")).map(|p| (p.0.into(), p.1.into()));
        let rows = json["semaphore_update"].as_array().expect("rows").iter().filter_map(|r| r["id"].as_str());
        let mut want: Vec<(String, String)> = rows.map(|id| split(id).unwrap_or((id.into(), String::new()))).collect();
        want.sort();
        updates.sort();
        assert!(updates == want && want.iter().any(|u| u.1 == "Tensor"), "{name}: {:?} {:?}", &updates[..3], &want[..3]);
        // Work and traffic stand beside the times: their sums are those of the file.
        let instructions = export(&session, &Exported::Instructions).0;
        let sum = |name: &str| -> u64 {
            let at = instructions[0].split(',').position(|c| c == name).expect("a column");
            instructions[1..].iter().filter_map(|l| l.split(',').nth(at)?.parse::<u64>().ok()).sum()
        };
        let summary = &json["summary"][0];
        assert_eq!(Some(2 * sum("elements")), summary["hardware_flops"].as_f64().map(|f| f as u64));
        for name in ["hbm_read_bytes", "hbm_write_bytes"] {
            assert_eq!(Some(sum(name)), summary[name].as_f64().map(|b| b as u64), "{name}");
        }
        assert_eq!(export(&session, &Exported::Table("nc_mem_usage".into())).1, 46);
        assert!(session.ask(&ExportQuery { what: Exported::Table("none".into()), cursor: 0 }).is_err());
    }
}

#[test]
fn two_runs_beside_each_other() {
    let (Some((a, json_a)), Some((b, json_b))) = (run("baseline_attention", "baseline"), run("fused_attention", "fused")) else {
        return;
    };
    let parts: Vec<_> = [&a, &b].map(|s| compare::part(&s.profile)).into();
    let got = a.ask(&CompareQuery { parts, base: 0 }).expect("compared");
    for name in ["total_time", "hbm_read_bytes", "hfu_estimated_percent", "dma_transfer_count"] {
        let recorded = |json: &Value| json["summary"][0][name].as_f64();
        let Some((x, y)) = recorded(&json_a).zip(recorded(&json_b)) else { continue };
        let row = &got.metrics.iter().find(|m| m.row.name == name).expect("a metric of both").row;
        assert_eq!((row.values[0], row.values[1]), (Some(x), Some(y)));
        assert!((row.deltas[1].expect("of both") - (y - x)).abs() <= 1e-9 * x.abs(), "{name}");
    }
    let group = got.groups.iter().find(|g| g.by == "opcode").expect("opcodes");
    // Matrix products run on one engine of one core, and overlap.
    let time = |json: &Value, opcode: &str| {
        let rows = json["instruction"].as_array().expect("rows").iter().filter(|r| r["opcode"] == opcode);
        let span = |r: &Value| (r["timestamp"].as_i64().expect("ns"), r["duration"].as_i64().expect("ns"));
        let mut spans: Vec<(i64, i64)> = rows.map(span).map(|(start, ns)| (start, start + ns)).collect();
        spans.sort_unstable();
        let once = |(sum, until): (i64, i64), (from, to): (i64, i64)| (sum + (to - from.max(until)).max(0), until.max(to));
        spans.into_iter().fold((0, i64::MIN), once).0 as f64
    };
    let at = group.rows.iter().position(|r| r.name == "MATMUL").expect("both multiply");
    assert_eq!(group.rows[at].values, [Some(time(&json_a, "MATMUL")), Some(time(&json_b, "MATMUL"))]);
    assert_eq!(group.rows[at].deltas[0], Some(0.0));
    let n = json_a["instruction"].as_array().expect("rows").iter().filter(|r| r["opcode"] == "MATMUL").count() as u64;
    assert_eq!(group.counts[at][0], Some(n));
    let recorded = group.rows.iter().all(|r| r.deltas.iter().all(Option::is_some));
    assert!(recorded && group.counts.iter().flatten().all(Option::is_some), "what one run lacks took no time in it");
}

#[test]
fn a_summary_by_itself_fills_the_summary() {
    let Some((whole, json)) = run("fused_attention", "fused") else { return };
    let metrics = json["summary"][0].clone();
    let texts = [serde_json::json!({ "n_0a1b": metrics }), serde_json::json!([{ "subgraph": "sg00" }, metrics]), metrics.clone()];
    let recorded: Vec<_> = summary(&whole.profile, None).metrics.into_iter().filter_map(|m| Some((m.name, m.file?))).collect();
    for text in texts {
        let alone = session(&[("s.json".into(), serde_json::to_vec_pretty(&text).expect("JSON"))]);
        assert_eq!(alone.claim.format, "neuron_summary");
        assert_eq!(alone.profile.check(), Ok(()));
        let got = summary(&alone.profile, None);
        let last = got.nodes.len().saturating_sub(1) as u32;
        let mut of_file: Vec<_> = got.metrics.iter().filter(|m| m.node == last).filter_map(|m| Some((m.name.clone(), m.file?))).collect();
        let mut want = recorded.clone();
        of_file.sort_by(|a, b| a.0.cmp(&b.0));
        want.sort_by(|a, b| a.0.cmp(&b.0));
        // Written anew, a number may differ in its last bit.
        let is_same = |(a, b): (&(String, f64), &(String, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-14 * b.1.abs();
        assert!(of_file.len() == want.len() && of_file.iter().zip(&want).all(is_same), "{of_file:?} {want:?}");
        assert!(got.metrics.iter().all(|m| !m.differs && m.computed != Some(0.0) || m.file == Some(0.0)), "nothing is counted as 0");
        assert!(views(&alone.profile).contains(&"summary") && !views(&alone.profile).contains(&"timeline"));
    }
    let cut = serde_json::to_vec(&serde_json::json!({ "n": metrics })).expect("JSON");
    let error = import_one(&[("s.json".into(), cut[..cut.len() / 2].to_vec())]).expect_err("half of it");
    assert!(error.to_string().contains("valid JSON"), "{error}");
}

/// The fields of a line.
fn split(line: &str) -> Vec<String> {
    let (mut out, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            // A doubled quote ends and begins: it is put back where a quoted field goes on.
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => out.push(String::new()),
            c => out.last_mut().expect("one").push(c),
        }
    }
    out
}

/// The chosen columns of an export, row by row, sorted.
fn columns(session: &Session, what: &Exported, names: &[&str]) -> Vec<Vec<String>> {
    let lines = export(session, what).0;
    let head = split(&lines[0]);
    let at: Vec<usize> = names.iter().map(|name| head.iter().position(|c| c == name).expect("a column")).collect();
    let mut out: Vec<Vec<String>> = lines[1..].iter().map(|l| split(l)).map(|row| at.iter().map(|c| row[*c].clone()).collect()).collect();
    out.sort();
    out
}

#[test]
fn exports_hold_what_stays_in_the_file() {
    let plain = |v: &Value| v.as_str().map_or_else(|| v.as_i64().map(|n| n.to_string()).unwrap_or_default(), Into::into);
    for (name, stem) in RUNS {
        let Some((session, json)) = run(name, stem) else { return };
        let of_json = |section: &str, keys: &[&str]| -> Vec<Vec<String>> {
            let row = |r: &Value| keys.iter().map(|key| plain(&r[*key])).map(|t| if t == "-1" { String::new() } else { t }).collect();
            let mut out: Vec<Vec<String>> = json[section].as_array().expect("rows").iter().map(row).collect();
            out.sort();
            out
        };
        let operands = of_json("instruction", &["timestamp", "duration", "operands"]);
        assert!(operands.iter().any(|row| row[2].contains(',')));
        let (what, names) = (Exported::Instructions, ["start_ns", "duration_ns", "operands"]);
        assert_eq!(columns(&session, &what, &names), operands, "{name}");
        let sizes = of_json("dma", &["timestamp", "duration", "read_size", "write_size", "semaphore_id"]);
        let (moves, moved) = (Exported::Transfers, ["start_ns", "duration_ns", "read_bytes", "write_bytes", "semaphore"]);
        assert_eq!(columns(&session, &moves, &moved), sizes, "{name}");
        // As many predecessors as arrows, each a row of the export.
        let arrows = columns(&session, &what, &["slice", "predecessors"]);
        let own: Vec<&String> = arrows.iter().map(|row| &row[0]).collect();
        let recorded: Vec<&str> = arrows.iter().flat_map(|row| row[1].split("; ")).filter(|p| !p.is_empty()).collect();
        assert!(recorded.iter().all(|p| p.split_once(' ').is_some_and(|(from, _)| own.iter().any(|id| *id == from))), "{recorded:?}");
        assert_eq!(recorded.len(), session.profile.flows.from.len(), "{name}");
        // The same run as tables has the same.
        if let Some(files) = (name == "fused_attention").then(|| directory(name, "parquet-zstd")).flatten() {
            let tables = self::session(&files);
            assert_eq!(columns(&tables, &what, &names), operands);
            assert_eq!(columns(&tables, &moves, &moved[..4]), sizes.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>());
        }
    }
}
