//! Layers and the roofline of a Neuron run, against the file's own figures.

use crate::neuron_support::runs::{RUNS, query, run};
use crate::neuron_support::*;
use axonscope::analysis::device::layers::{ENGINES, LayerNode, LayersQuery, layers, slices};
use axonscope::analysis::device::roofline::{Basis, Bound, roofline};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::formats::Imported;
use axonscope::model::{Domain, NeuronDevice, Profile};
use std::collections::BTreeSet;

fn device(imported: &Imported) -> &NeuronDevice {
    match &imported.profile.domain {
        Domain::NeuronDevice(device) => device,
        _ => panic!("a Neuron profile has a Neuron domain"),
    }
}

#[test]
fn columns_of_instructions_add_up_to_the_summary() {
    for (folder, stem) in RUNS {
        let Some((imported, json)) = run(folder, stem) else {
            return;
        };
        let (d, summary) = (device(&imported), &json["summary"][0]);
        assert_eq!(imported.profile.check(), Ok(()));
        let recorded = |column: &[u32]| column.iter().filter(|v| **v != NeuronDevice::ABSENT).map(|v| u64::from(*v)).sum::<u64>();
        let number = |key: &str| summary[key].as_u64().expect("a number");
        assert_eq!(2 * recorded(&d.elements), number("hardware_flops"), "{folder}");
        assert_eq!(recorded(&d.sbuf_bytes), number("sbuf_read_bytes") + number("sbuf_write_bytes"), "{folder}");
        assert_eq!(d.hbm.iter().map(|h| h.read).sum::<u64>(), number("hbm_read_bytes"), "{folder}");
        assert_eq!(d.hbm.iter().map(|h| h.written).sum::<u64>(), number("hbm_write_bytes"), "{folder}");
        let types = imported.profile.attribute("queue_type").expect("a queue type");
        let n = types.values.iter().filter(|v| imported.profile.strings.get(**v) == "software_dynamic").count();
        assert_eq!(n as u64, number("software_dynamic_dma_packet_count"), "{folder}");
    }
}

#[test]
fn a_trace_of_another_architecture_has_no_elements() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = import_one(&[other_architecture(file(&folder, "fused_attention", "fused_exec_2.ntff"))]).expect("the trace opens");
    let d = device(&trace);
    assert!(d.elements.iter().chain(&d.sbuf_bytes).all(|v| *v == NeuronDevice::ABSENT) && d.hbm.is_empty() && d.shapes.is_empty());
    assert!(trace.profile.meta.not_available.iter().any(|n| n.contains("FLOPs")));
    assert!(trace.ledger.notes.iter().any(|n| n.contains("architecture 1")), "{:?}", trace.ledger.notes);
    let whole = import_one(&[file(&folder, "fused_attention", "fused_exec_2.ntff")]).expect("the trace opens");
    assert_eq!(whole.profile.slices.start.as_slice(), trace.profile.slices.start.as_slice(), "everything else is the same");
}

/// Length of the union of spans.
fn union(mut spans: Vec<(i64, i64)>) -> i64 {
    spans.sort_unstable();
    let (mut total, mut until) = (0, i64::MIN);
    for (from, to) in spans {
        total += (to - from.max(until)).max(0);
        until = until.max(to);
    }
    total
}

/// The instructions of a row of `layer_summary`.
fn instructions<'a>(json: &'a serde_json::Value, row: &serde_json::Value) -> Vec<&'a serde_json::Value> {
    let name = row["name"].as_str().expect("a name");
    let mut parts = name.split('/').skip(1);
    let (core, layer) = (parts.next().expect("a core"), parts.next());
    let all = json["instruction"].as_array().expect("instructions").iter();
    all.filter(|i| i["subgraph"] == core && layer.is_none_or(|l| i["layer"] == l)).collect()
}

#[test]
fn nodes_have_the_figures_of_the_layer_summary() {
    for (folder, stem) in RUNS {
        let Some((imported, json)) = run(folder, stem) else {
            return;
        };
        let tree = layers(&imported.profile, &query("layer"), &[]);
        assert_eq!(tree.nodes.iter().map(|n| n.occurrences).max(), tree.nodes.first().map(|n| n.occurrences));
        for row in json["layer_summary"].as_array().expect("rows") {
            let core = if row["fully_qualified_subgraph"] == "/sg00" { "NC 4" } else { "NC 5" };
            let at = tree.nodes.iter().position(|n| n.name == core).expect("the core");
            let is_layer = row["name"].as_str().is_some_and(|n| n.ends_with("Unknown"));
            let node = match is_layer {
                true => tree.nodes.iter().find(|n| n.parent == Some(at as u32) && n.name == "Unknown").expect("the layer"),
                false => &tree.nodes[at],
            };
            check_row(folder, node, row, &instructions(&json, row));
        }
    }
}

/// What is the same in the file, and how far off the rest is: the profiler counts a semaphore wait as some 30 ns of work, we as none; and
/// its times are not floored to whole nanoseconds.
fn check_row(run: &str, node: &LayerNode, row: &serde_json::Value, rows: &[&serde_json::Value]) {
    let name = &row["name"];
    let number = |key: &str| row[key].as_f64().expect("a number");
    let span = |i: &&serde_json::Value| {
        (i["timestamp"].as_i64().expect("ns"), i["timestamp"].as_i64().expect("ns") + i["duration"].as_i64().expect("ns"))
    };
    assert_eq!(node.start.0 as f64, number("start"), "{run} {name}");
    assert!((node.end.0 as f64 - number("end")).abs() <= 1.0, "{run} {name}: floored to whole nanoseconds");
    assert_eq!(node.flops.unwrap_or(0) as f64, number("tensor_engine_flop_count"), "{run} {name}");
    let useful = node.flops.unwrap_or(0) - node.transpose_flops.unwrap_or(0);
    assert_eq!(useful as f64, number("tensor_engine_model_flop_count"), "{run} {name}");
    assert_eq!(node.covered.0, union(rows.iter().map(span).collect()));
    for (at, engine) in ENGINES.iter().enumerate() {
        let key = |what: &str| number(&format!("{}_engine_{what}", engine.to_lowercase()));
        let share = node.engines[at];
        assert_eq!(share.count as f64, key("instruction_count"), "{run} {name} {engine}");
        let of: Vec<_> = rows.iter().filter(|i| i["subgroup"] == *engine).collect();
        let is_wait = |i: &&&&serde_json::Value| i["opcode"] == "EVENT_SEMAPHORE";
        // Each instruction is floored to whole nanoseconds in the rows, not in the summary.
        let work = of.iter().filter(|i| !is_wait(i)).map(|i| span(i)).collect();
        assert_eq!(share.active.0, union(work), "{run} {name} {engine}");
        let off = key("active_time") - share.active.0 as f64;
        assert!(off.abs() <= share.count as f64, "{run} {name} {engine}: {off} ns");
    }
    // Of a core's time the file leaves out a few nanoseconds, of a layer's what comes after its last matrix product.
    if name.as_str().is_some_and(|n| n.matches('/').count() == 2) {
        let end = rows.iter().filter(|i| i.get("elements").is_some()).map(|i| span(i).1).max().expect("products");
        let shorter = (node.end.0 - node.start.0) as f64 / (end - node.start.0) as f64;
        let (ours, theirs) = (node.hfu.expect("told") * shorter, number("tensor_engine_hfu"));
        assert!((ours - theirs).abs() <= 1e-4 * theirs, "{run} {name}: {ours} and {theirs}");
    }
    let most = if name.as_str().is_some_and(|n| n.matches('/').count() == 1) { 0.001 } else { 0.2 };
    for (ours, theirs) in [(node.hfu, "tensor_engine_hfu"), (node.mfu, "tensor_engine_mfu")] {
        let (ours, theirs) = (ours.unwrap_or(0.0), number(theirs));
        assert!(ours <= theirs && theirs - ours <= most * theirs, "{run} {name}: {ours} and {theirs}");
    }
}

#[test]
fn every_grouping_holds_every_instruction_once() {
    let Some((imported, json)) = run("baseline_attention", "baseline") else {
        return;
    };
    let n = json["instruction"].as_array().expect("instructions").len();
    let flops = json["summary"][0]["hardware_flops"].as_u64();
    for by in ["layer", "hlo", "tensorizer", "bir", "engine", "opcode", "source", "no such level"] {
        let tree = layers(&imported.profile, &query(by), &[]);
        let roots = || tree.nodes.iter().filter(|n| n.parent.is_none());
        assert_eq!(roots().map(|r| r.occurrences).sum::<u64>() as usize, n, "{by}");
        assert_eq!(roots().filter_map(|r| r.flops).reduce(|a, b| a + b), flops, "{by}");
        for (at, node) in tree.nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|p| (p as usize) < at), "{by}: parents come first");
            assert_eq!(slices(&imported.profile, &query(by), at as u32).len() as u64, node.occurrences, "{by}: {}", node.name);
        }
    }
    assert!(slices(&imported.profile, &query("layer"), 9_999).is_empty());
    let half = TimeRange::new(TimeNs(0), TimeNs(20_000));
    let part = layers(&imported.profile, &LayersQuery { range: Some(half), ..query("layer") }, &[]);
    assert!(part.nodes.iter().all(|n| n.end.0 <= 20_000 && n.covered.0 <= 20_000));
}

#[test]
fn the_run_stands_under_the_roof_where_the_summary_says() {
    for (folder, stem) in RUNS {
        let Some((imported, json)) = run(folder, stem) else {
            return;
        };
        let (summary, roof) = (&json["summary"][0], roofline(&imported.profile, &query("tensorizer"), &[]));
        let number = |key: &str| summary[key].as_f64().expect("a number");
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 5e-5 * b.abs(), "{folder}: {a} and {b}");
        close(roof.ridge.expect("a ridge"), 2.0 * number("peak_flops_bandwidth_ratio"));
        let peak = roof.ceilings.iter().find(|c| c.name.starts_with("BF16,")).expect("a ceiling").flops;
        assert!(roof.ceilings.iter().any(|c| c.name == "FP8"));
        let main = &roof.points[0];
        close(main.intensity, number("mm_arithmetic_intensity"));
        close(main.rate / peak, number("mfu_inst_estimated_percent"));
        close(roof.achievable.expect("a mark").1 / peak, number("mfu_inst_max_achievable_estimated_percent"));
        assert_eq!(main.bound, if folder == "fused_attention" { Bound::Compute } else { Bound::Memory });
        let least = roof.points.iter().find(|p| p.is_potential);
        match folder {
            "fused_attention" => assert!(least.is_none(), "its traffic is the least already"),
            _ => close(least.expect("a point").bytes as f64, number("inputs_outputs_weights_size_bytes")),
        }
        assert!(roof.ceilings.iter().any(|c| c.is_throttled));
        // Matrix products move no bytes from or to HBM themselves, and say so.
        assert!(roof.points.iter().any(|p| p.basis == Basis::Sbuf && p.roof.is_none()));
        assert!(roof.notes.iter().any(|n| n.contains("State Buffer")) && roof.notes.iter().any(|n| n.contains("spilled")));
        let named = [("all of it".to_string(), imported.profile.meta.range), ("before".into(), TimeRange::new(TimeNs(-9), TimeNs(-8)))];
        let layer = roofline(&imported.profile, &query("layer"), &named);
        let region = layer.points.iter().find(|p| p.level == "Region").expect("a point of the region");
        assert_eq!((region.name.as_str(), region.flops, region.bytes), ("all of it", main.flops, main.bytes), "{folder}");
        assert_eq!(region.adjusted, Some(4 * main.flops), "every product of these runs is of FP32");
        assert!(layer.notes.iter().any(|n| n.starts_with("Regions without a point: 1")), "{:?}", layer.notes);
        assert_eq!(main.adjusted, region.adjusted);
        // A part is of one core, and stands against what that can; the run against all of them.
        let part = layer.points.iter().find(|p| p.name == "Unknown" && p.basis == Basis::Hbm).expect("a part");
        assert_eq!((part.core.as_str(), main.core.as_str()), ("NC 4", ""), "{folder}");
        close(part.peak.expect("told"), peak / 2.0);
        close(part.roof.expect("told"), (peak / 2.0).min(part.intensity * roof.bandwidth.expect("told")));
        assert!(layer.notes.iter().any(|n| n.starts_with("Each part runs on one core")), "{:?}", layer.notes);
    }
}

#[test]
fn a_trace_with_its_neff_has_the_instructions_of_the_tensorizer() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem) in RUNS {
        let json = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens");
        let trace = import_one(&[file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))]);
        let trace = trace.expect("the trace opens");
        let of = |i: &Imported| {
            let nodes = layers(&i.profile, &query("tensorizer"), &[]).nodes.into_iter();
            nodes.map(|n| (n.level, n.name, n.occurrences, n.active)).collect::<BTreeSet<_>>()
        };
        assert!(of(&trace).iter().any(|n| n.1.starts_with("sg0000:")), "{run}");
        assert_eq!(of(&trace), of(&json), "{run}");
    }
}

#[test]
fn tables_give_the_tree_of_the_json() {
    let Some(folder) = conformance() else {
        return;
    };
    let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens");
    let directory = folder.join("fused_attention/parquet-zstd");
    let files = std::fs::read_dir(directory).expect("the directory").map(|e| e.expect("an entry"));
    let files: Vec<Named> =
        files.map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).expect("bytes"))).collect();
    let tables = import_one(&files).expect("the tables open");
    for by in ["layer", "tensorizer", "opcode"] {
        // These tables hold no bytes from and to HBM of instructions; a queue's transfers are told in both.
        let plain = |n: &LayerNode| LayerNode { hbm_read: None, hbm_written: None, first: None, ..n.clone() };
        let of = |i: &Imported| layers(&i.profile, &query(by), &[]).nodes.iter().map(plain).collect::<Vec<_>>();
        assert_eq!(of(&json), of(&tables), "{by}");
    }
    assert!(layers(&tables.profile, &query("layer"), &[]).notes.iter().any(|n| n.contains("HBM")));
    let (a, b) = (roofline(&json.profile, &query("layer"), &[]), roofline(&tables.profile, &query("layer"), &[]));
    assert_eq!((&a.ceilings[..3], a.ridge, &a.points[0]), (&b.ceilings[..3], b.ridge, &b.points[0]));
    // These tables' summary has no figures of throttling: its ceiling is of the rows of `Throttle`.
    assert_eq!((a.ceilings.len(), b.ceilings.len(), &a.ceilings[3].name), (4, 4, &b.ceilings[3].name));
    let (recorded, counted) = (a.ceilings[3].flops, b.ceilings[3].flops);
    assert!(b.ceilings[3].is_throttled && (recorded - counted).abs() <= 5e-5 * recorded, "{recorded} and {counted}");
}

/// Whole nanoseconds against shares of the run: the mean limit of the rows is that of the summary, and of a table that has it ready.
#[test]
fn the_throttled_ceiling_is_the_same_from_summary_and_rows() {
    for (folder, stem) in RUNS {
        let Some((imported, mut json)) = run(folder, stem) else { return };
        let ceiling = |profile: &Profile| roofline(profile, &query("layer"), &[]).ceilings.into_iter().find(|c| c.is_throttled);
        let recorded = ceiling(&imported.profile).expect("of the summary").flops;
        json["summary"][0].as_object_mut().expect("an object").retain(|name, _| !name.starts_with("throttle_"));
        let open = |json: &serde_json::Value| import_one(&[("x.json".into(), json.to_string().into_bytes())]).expect("opens").profile;
        let counted = ceiling(&open(&json)).expect("of the rows").flops;
        assert!((recorded - counted).abs() <= 5e-5 * recorded, "{folder}: {recorded} and {counted}");
        json["ham"] = serde_json::json!([]);
        assert_eq!(ceiling(&open(&json)), None, "{folder}: nothing tells");
        let row = |kind: &str, limit: f64| serde_json::json!({"throttle_type": kind, "max_achievable_util_with_throttling_percent": limit});
        json["ThrottleSummary"] = serde_json::json!([row("all", 1.0), row("activity_1", 0.25), row("all", 0.5)]);
        let ready = ceiling(&open(&json)).expect("of the table");
        assert_eq!(ready.name, "BF16, throttled (50%)", "{folder}");
    }
}

#[test]
fn what_a_file_cannot_tell_is_said() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = import_one(&[other_architecture(file(&folder, "fused_attention", "fused_exec_2.ntff"))]).expect("the trace opens");
    let tree = layers(&trace.profile, &query("layer"), &[]);
    assert!(tree.nodes.iter().all(|n| n.flops.is_none() && n.hfu.is_none() && n.hbm_read.is_none()));
    assert!(tree.notes.iter().any(|n| n.contains("FLOPs")));
    let roof = roofline(&trace.profile, &query("layer"), &[]);
    assert!(roof.points.is_empty() && roof.ceilings.is_empty() && roof.bandwidth.is_none() && !roof.notes.is_empty());
    // The same file without clock, without bandwidth, without instructions, with absurd elements.
    let (name, bytes) = file(&folder, "fused_attention", "fused_exec_2_profile_full.json");
    let whole: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let open = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = whole.clone();
        change(&mut json);
        import_one(&[(name.clone(), serde_json::to_vec(&json).expect("JSON"))]).expect("it opens").profile
    };
    let no_clock = open(&|j| drop(j["metadata"][0].as_object_mut().expect("an object").remove("pe_clock_freq")));
    let roof = roofline(&no_clock, &query("layer"), &[]);
    assert!(roof.ceilings.is_empty() && roof.points.iter().all(|p| p.roof.is_none()) && roof.notes[0].contains("No compute ceilings"));
    assert!(layers(&no_clock, &query("layer"), &[]).nodes.iter().all(|n| n.hfu.is_none()));
    let no_memory = open(&|j| j["metadata"][0]["hbm_ddr_bandwidth"] = 0.into());
    let roof = roofline(&no_memory, &query("layer"), &[]);
    assert!(roof.ridge.is_none() && roof.achievable.is_none() && !roof.ceilings.is_empty());
    assert!(layers(&no_memory, &query("layer"), &[]).nodes.iter().any(|n| n.hfu.is_some()));
    // What FP8 can hangs on the generation, which only the summary tells.
    let unknown = roofline(&open(&|j| drop(j.as_object_mut().expect("an object").remove("summary"))), &query("layer"), &[]);
    assert!(!unknown.ceilings.is_empty() && unknown.ceilings.iter().all(|c| !c.name.contains("FP8")), "{:?}", unknown.ceilings);
    assert!(unknown.notes.iter().any(|n| n.contains("FP8")));
    let empty = open(&|j| j["instruction"] = serde_json::json!([]));
    assert!(layers(&empty, &query("layer"), &[]).nodes.is_empty());
    let absurd = open(&|j| {
        for i in j["instruction"].as_array_mut().expect("an array") {
            i["elements"] = u64::MAX.into();
            i["layer"] = "/".repeat(200).into();
        }
    });
    assert!(!layers(&absurd, &query("layer"), &[]).nodes.is_empty());
    let deep = open(&|j| {
        for i in j["instruction"].as_array_mut().expect("an array") {
            i["layer"] = "/model/block_1/attention".into();
        }
    });
    let names = |depth| {
        let tree = layers(&deep, &LayersQuery { depth, ..query("layer") }, &[]);
        (tree.max_depth, tree.nodes.iter().filter(|n| n.level == "Layer").map(|n| n.name.clone()).take(3).collect::<Vec<_>>())
    };
    assert_eq!(names(0), (3, ["model", "block_1", "attention"].map(String::from).to_vec()));
    assert_eq!(names(1), (3, ["model", "model"].map(String::from).to_vec()));
    // Points stand at the depth asked for, by their whole path.
    let points = |depth| {
        let roof = roofline(&deep, &LayersQuery { depth, ..query("layer") }, &[]);
        let mut names: Vec<_> = roof.points.iter().filter(|p| p.level == "Layer").map(|p| p.name.clone()).collect();
        names.dedup();
        (roof.max_depth, names)
    };
    assert_eq!(points(0), (3, vec!["model/block_1/attention".to_string()]));
    assert_eq!(points(2), (3, vec!["model/block_1".to_string()]));
}
