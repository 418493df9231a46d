//! Every rule of the advice on rows on both sides of its threshold, and without what it needs. Rules on metrics alone are in `device_advice`.

use crate::neuron_support::*;
use axonscope::analysis::device::advice::{Advice, advice};
use axonscope::base::{StrId, TrackId};
use axonscope::model::domain::{CollectiveOp, TransposingDma};
use axonscope::model::{Domain, Profile};
use serde_json::{Map, Value, json};

/// A run of 20 µs to be: sections of the profiler's JSON, and what that format cannot tell.
struct Run {
    sections: Map<String, Value>,
    /// (bytes, delay) of the operations on the collective row, by start.
    operations: Vec<(Option<u64>, Option<i64>)>,
    transposing: Option<TransposingDma>,
}

/// An instruction: engine, opcode, start, duration, operands.
type Row<'a> = (&'a str, &'a str, i64, i64, &'a str);

fn empty() -> Run {
    let metadata = json!([{"first_hw_timestamp": 0, "last_hw_timestamp": 20000, "pe_num_rows": 128, "pe_num_cols": 128, "pe_clock_freq": 2.4,
        "pe_clock_others": 1.2, "num_physical_cores": 1, "hbm_ddr_bandwidth": 716_000_000_000i64, "dma_ddr_bandwidth": 435_000_000_000i64}]);
    let mut sections = Map::new();
    sections.insert("metadata".into(), metadata);
    // What makes the file a device profile, whatever else is in it.
    sections.insert("pending_dma".into(), json!([{"subgraph": "sg00", "timestamp": 1, "value": 0}]));
    Run { sections, operations: Vec::new(), transposing: None }.section("instruction", &[])
}

impl Run {
    fn section(mut self, name: &str, rows: &[Value]) -> Run {
        let list = self.sections.entry(name).or_insert_with(|| json!([]));
        list.as_array_mut().expect("a list").extend_from_slice(rows);
        self
    }

    fn rows(self, rows: &[Row<'_>]) -> Run {
        let n = self.sections["instruction"].as_array().map_or(0, Vec::len) as i64;
        let one = |(i, r): (usize, &Row<'_>)| json!({"id": n + i as i64 + 1, "label": r.0, "subgroup": r.0, "subgraph": "sg00", "opcode": r.1, "timestamp": r.2, "duration": r.3, "operands": r.4});
        let rows: Vec<Value> = rows.iter().enumerate().map(one).collect();
        self.section("instruction", &rows)
    }

    /// The same instruction over and over, each 10 ns after the one before: how many, engine, opcode, duration, operands, further keys.
    fn many(mut self, n: i64, engine: &str, opcode: &str, duration: i64, operands: &str, more: &Value) -> Run {
        let one = |i: i64| {
            let mut row = json!({"id": 1000 + i, "label": engine, "subgroup": engine, "subgraph": "sg00", "opcode": opcode, "operands": operands,
                "timestamp": 100 + i * (duration + 10), "duration": duration});
            row.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            row
        };
        let rows: Vec<Value> = (0..n).map(one).collect();
        self = self.section("instruction", &rows);
        self
    }

    /// Each of the repeated instructions depends on the one before.
    fn chained(mut self) -> Run {
        for row in self.sections["instruction"].as_array_mut().expect("a list") {
            let id = row["id"].as_i64().unwrap_or(0);
            row["predecessors"] = if id > 1000 { json!([{"id": id - 1, "type": "FLOW_DEPENDENCE"}]) } else { json!([]) };
        }
        self
    }

    fn dma(self, n: i64, queue_type: &str, duration: i64, size: i64, more: &Value) -> Run {
        let one = |i: i64| {
            let mut row = json!({"subgraph": "sg00", "dma_engine": (i % 16).to_string(), "dma_queue": "0", "timestamp": 10 + i, "duration": duration,
                "transfer_size": size, "queue_type": queue_type});
            row.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            row
        };
        let rows: Vec<Value> = (0..n).map(one).collect();
        let queue = json!({"subgraph": "sg00", "q_idx": 0, "q_name": "qSyncDynamicHW", "q_type": "weights"});
        self.section("dma", &rows).section("dma_queues_info", &[queue])
    }

    fn summary(self, metrics: Value) -> Run {
        self.section("summary", &[metrics])
    }

    fn warning(self, message: &str) -> Run {
        self.section("warnings", &[json!({"message": message, "category": "Missing Data"})])
    }

    fn semaphore(self, name: &str, at: i64, value: i64) -> Run {
        self.section("semaphore_update", &[json!({"id": name, "subgraph": "sg00", "timestamp": at, "value": value})])
    }

    /// Operations of one name, one after the other: durations, and what the table tells of each.
    fn collectives(mut self, durations: &[i64], recorded: (Option<u64>, Option<i64>)) -> Run {
        let mut at = 1000;
        for duration in durations {
            self = self.rows(&[("Collectives stream 0", "AllGather", at, *duration, "")]);
            at += duration + 100;
            self.operations.push(recorded);
        }
        self
    }

    fn open(self) -> Profile {
        let text = Value::Object(self.sections).to_string();
        let mut profile = import_one(&[("small.json".into(), text.into_bytes())]).expect("it opens").profile;
        let is_row = |t: &usize| profile.strings.get(profile.tracks[*t].name).starts_with("Collectives");
        let tracks: Vec<usize> = (0..profile.tracks.len()).filter(is_row).collect();
        let slices: Vec<usize> = tracks.into_iter().flat_map(|t| profile.slices_of(TrackId(t as u32))).collect();
        for column in &mut profile.attributes {
            let mut values = column.values.to_vec();
            slices.iter().for_each(|i| values[*i] = StrId(0));
            column.values = values.into();
        }
        let Domain::NeuronDevice(device) = &mut profile.domain else { panic!("a device profile") };
        let recorded = slices.iter().zip(&self.operations);
        device.operations = recorded.map(|(i, o)| CollectiveOp { slice: *i as u32, bytes: o.0, delay_ns: o.1 }).collect();
        device.transposing = self.transposing;
        assert_eq!(profile.check(), Ok(()));
        profile
    }
}

fn verdict(advice: &Advice, id: &str) -> &'static str {
    match () {
        () if advice.findings.iter().any(|f| f.id == id) => "fires",
        () if advice.quiet.iter().any(|q| q.0 == id) => "quiet",
        () if advice.unjudged.iter().any(|u| u.id == id) => "missing",
        () => "absent",
    }
}

const VECTOR: &str = "src=fp32@0x100[1,1][64,1] dst=fp32@0x200[1,1][64,1] channels=128 ";
const LONG: &str = "src=fp32@0x100[1,1][512,1] dst=fp32@0x200[1,1][512,1] channels=128 ";
const NARROW: &str = "src=fp32@0x100[1,1][512,1] dst=fp32@0x200[1,1][512,1] channels=32 ";
const BF16: &str = " src=bf16@0x100[1,0][512,1] dst=0x2000000[1,0][512,1] 128*128 ";
const FP32: &str = " src=fp32@0x100[1,0][512,1] dst=0x2000000[1,0][512,1] 128*128 ";
const HELD: &str = " src=bf16@0x100[1,0][512,1] dst=0x2000000[1,0][512,1] 128*32 ";

fn product(n: i64, operands: &str) -> Run {
    empty().many(
        n,
        "TensorMatrix",
        "MATMUL",
        500,
        operands,
        &json!({"elements": 8_388_608, "subgroup": "Tensor", "instruction_type": "REGULAR"}),
    )
}

fn vector(n: i64, operands: &str) -> Run {
    empty().many(n, "Vector", "TENSOR_SCALAR", 100, operands, &json!({}))
}

/// Tensor works, then Vector waits for `owner` until 15 µs.
fn waiting(owner: &str, setter: &str) -> Run {
    let wait = format!("S[5] ({owner})>=1 ");
    empty()
        .rows(&[("Vector", "COPY", 100, 900, ""), ("Tensor", "MATMUL", 100, 14_800, setter), ("Vector", "COPY", 15_000, 1000, &wait)])
        .semaphore(&format!("S[5] ({owner})"), 14_950, 1)
}

fn tensors(factor: f64) -> Run {
    product(2, BF16)
        .section("neff_node", &[json!({"variable_name": "w", "size": "1000000", "type": "WEIGHT", "load_to_sbuf_repeat_factor": factor})])
}

fn sourced(n: i64) -> Run {
    product(10 - n, BF16).many(
        n,
        "Vector",
        "COPY",
        50,
        "",
        &json!({"instruction_type": "REGULAR", "nki_source_location": "k.py:3", "id": 5000}),
    )
}

fn named(name: &str) -> Run {
    product(1, BF16).section("profile_info", &[json!({"profile_name": name})])
}

fn throttled(after: i64) -> Run {
    empty()
        .rows(&[("Tensor", "MATMUL", 0, 5000, ""), ("Tensor", "MATMUL", after, 1000, "")])
        .section("ham", &[json!({"subgraph": "sg00", "timestamp": after + 500, "duration": 3000, "k": 4, "n": 8, "type": 1})])
}

fn transposing(bytes: u64) -> Run {
    let recorded = TransposingDma { count: (bytes / 10, 100), bytes: (bytes, 1000), time_ns: (10, 100) };
    Run { transposing: Some(recorded), ..product(1, BF16) }
}

/// So many of the banks are in use.
fn psum(n: usize) -> Run {
    let mut row = json!({"subgraph": "sg00", "type": "psum", "timestamp": 10});
    for bank in 0..8 {
        row[format!("bank_{bank}_usage")] = json!(f64::from(u8::from(bank < n)));
    }
    product(1, BF16).section("instruction_usage", &[row])
}

fn port(vector: i64) -> Run {
    empty()
        .rows(&[("Vector", "COPY", 1000, vector, ""), ("GpSimd", "COPY", 1000, vector, "")])
        .summary(json!({"instance_type": "trn1.32xlarge", "total_time": 2e-5}))
}

/// Vector and GpSimd of two cores: each has a port of its own.
fn ports() -> Run {
    let row = |id: i64, engine: &str, core: &str| json!({"id": id, "label": engine, "subgroup": engine, "subgraph": core, "opcode": "COPY", "timestamp": 1000, "duration": 9000, "operands": ""});
    empty().section("instruction", &[row(1, "Vector", "sg00"), row(2, "GpSimd", "sg01")]).summary(json!({"instance_type": "trn1.32xlarge"}))
}

/// Operations of one name, of which the last takes longest and has that size.
fn sized(last: u64) -> Run {
    let mut run = empty().collectives(&[100, 100, 100, 900], (Some(1 << 20), None));
    run.operations[3].0 = Some(last);
    run
}

fn engine(name: &str) -> Run {
    empty().rows(&[(name, "COPY", 0, 19_000, ""), ("Vector", "COPY", 0, 100, "")])
}

type Make = fn() -> Run;

/// (rule, a run on which it fires, one on which it does not, one that lacks what it needs).
const RULES: [(&str, Make, Make, Option<Make>); 49] = [
    (
        "R5",
        || empty().rows(&[("Tensor", "MATMUL", 0, 900, "")]).collectives(&[9000], (None, None)),
        || empty().rows(&[("Tensor", "MATMUL", 0, 19_000, "")]).collectives(&[9000], (None, None)),
        Some(|| product(2, BF16)),
    ),
    // Sync computes nothing.
    ("R1", || engine("GpSimd"), || engine("Sync"), Some(empty)),
    ("R10", || tensors(5.0), || tensors(1.5), Some(|| product(2, BF16))),
    (
        "R14",
        || waiting("Tensor", "S[5] (Tensor)++@complete"),
        || product(20, "S[5] (Tensor)++@complete"),
        Some(|| empty().rows(&[("Vector", "COPY", 5, 10, "")])),
    ),
    ("R15 load", || waiting("qSyncIO0", ""), || waiting("Tensor", "S[5] (Tensor)++@complete"), Some(empty)),
    (
        "R15 store",
        || {
            waiting("qSyncOut0", "")
                .section("dma_queues_info", &[json!({"subgraph": "sg00", "q_idx": 3, "q_name": "qSyncOut0", "q_type": "output"})])
        },
        || waiting("Tensor", "S[5] (Tensor)++@complete"),
        Some(empty),
    ),
    ("R16", || waiting("qActSpillReload0", ""), || waiting("qSyncIO0", ""), Some(empty)),
    ("R17", || waiting("qGpSimdDynamic", ""), || waiting("qSyncIO0", ""), Some(empty)),
    ("R18", || waiting("TopSp", ""), || waiting("qSyncIO0", ""), Some(empty)),
    ("R19", || empty().rows(&[("Tensor", "MATMUL", 9000, 900, "")]), || empty().rows(&[("Tensor", "MATMUL", 10, 900, "")]), Some(empty)),
    ("R22", || vector(40, VECTOR), || vector(40, LONG), Some(|| vector(40, ""))),
    ("R22", || vector(40, VECTOR), || vector(8, VECTOR), Some(|| product(9, BF16))),
    ("R23", || vector(40, NARROW), || vector(40, LONG), Some(|| vector(40, ""))),
    ("R23", || product(9, HELD), || product(9, BF16), None),
    ("R24", || vector(160, LONG).chained(), || vector(40, LONG).chained(), Some(|| vector(160, LONG))),
    ("R25", || product(9, HELD), || product(9, BF16), Some(|| vector(40, LONG))),
    ("R26", || product(9, FP32), || product(9, BF16), Some(|| vector(40, LONG))),
    ("R26", || product(9, FP32), || product(1, FP32), None),
    (
        "R27",
        || {
            let gap = |i: i64| ("Vector", "COPY", 300 * i, 50, "$S[9]++@complete");
            empty().rows(&(1..60).map(gap).collect::<Vec<_>>())
        },
        || vector(60, "$S[9]++@complete "),
        None,
    ),
    ("R28", || port(9000), || port(1000), Some(|| vector(3, LONG))),
    ("R28", || port(9000), ports, None),
    (
        "R29",
        || empty().rows(&[("GpSimd", "COPY", 0, 15_000, "")]).summary(json!({"software_dynamic_dma_packet_count": 5})),
        || empty().rows(&[("GpSimd", "COPY", 0, 1000, "")]).summary(json!({"software_dynamic_dma_packet_count": 5})),
        Some(empty),
    ),
    ("R29c", || sourced(2), || sourced(8), Some(|| product(10, BF16))),
    ("R29d", || psum(8), || psum(7), Some(empty)),
    ("R33", || transposing(500), || transposing(50), Some(|| product(1, BF16))),
    (
        "R34",
        || empty().dma(150, "hardware_dynamic", 10, 64, &json!({})),
        || empty().dma(150, "hardware_dynamic", 10, 4096, &json!({})),
        Some(empty),
    ),
    ("R31", || empty().dma(32, "input", 100, 64, &json!({})), || empty().dma(32, "input", 100, 8192, &json!({})), Some(empty)),
    // Packets that stand twice in the file are no evidence.
    (
        "R31",
        || empty().dma(32, "input", 100, 64, &json!({})),
        || empty().dma(32, "input", 100, 64, &json!({"duplicate": "yes"})).dma(16, "input", 100, 8192, &json!({})),
        Some(|| empty().dma(32, "input", 100, 64, &json!({"duplicate": "yes"}))),
    ),
    ("R31", || empty().dma(32, "input", 100, 3000, &json!({})), || empty().dma(32, "input", 100, 4096, &json!({})), None),
    (
        "R32",
        || empty().dma(8, "input", 100, 64, &json!({})),
        || empty().dma(8, "input", 100, 64, &json!({})).metadata("num_dma_engines_per_neuroncore", 8),
        None,
    ),
    (
        "R32",
        || empty().dma(32, "input", 100, 64, &json!({"dma_engine": "3"})),
        || empty().dma(32, "input", 100, 64, &json!({})),
        Some(empty),
    ),
    (
        "R35",
        || empty().dma(16, "input", 15_000, 64, &json!({})),
        || empty().dma(16, "input", 15_000, 500_000, &json!({})),
        Some(|| empty().dma(16, "input", 15_000, 500_000, &json!({"duplicate": "yes"}))),
    ),
    (
        "R37",
        || empty().collectives(&[100, 100, 100, 900], (None, None)),
        || empty().collectives(&[100, 110, 120, 130], (None, None)),
        Some(empty),
    ),
    ("R37", || sized(1 << 20), || sized(16 << 20), None),
    (
        "R38",
        || empty().collectives(&[500; 3], (None, Some(900))),
        || empty().collectives(&[500; 3], (None, Some(9))),
        Some(|| empty().collectives(&[500; 3], (None, None))),
    ),
    (
        "R39",
        || empty().collectives(&[500; 5], (Some(1024), None)),
        || empty().collectives(&[500; 5], (Some(1 << 20), None)),
        Some(|| empty().collectives(&[500; 3], (None, None))),
    ),
    // A limit costs nothing while the engine is idle.
    ("R41", || throttled(0), || throttled(12_000), Some(|| product(3, BF16))),
    ("R42", || throttled(12_000), || throttled(5_100), Some(|| product(3, BF16))),
    (
        "capture a",
        || product(1, BF16).warning("Try --enable-dge-notifs"),
        || product(1, BF16).warning("another"),
        Some(|| product(1, BF16)),
    ),
    // Where the file has no warnings, its transfers tell.
    (
        "capture a",
        || empty().dma(9, "hardware_dynamic", 10, 64, &json!({"variable": "unknown"})),
        || empty().dma(9, "hardware_dynamic", 10, 64, &json!({"variable": "w"})),
        Some(|| empty().dma(9, "input", 10, 64, &json!({"variable": "unknown"}))),
    ),
    ("capture b", || empty().rows(&[("Tensor", "MATMUL", 600_000, 900, "")]), || product(1, BF16), Some(empty)),
    ("capture c", || product(1, BF16).warning("Dropped 17 events"), || product(1, BF16).warning("another"), Some(|| product(1, BF16))),
    ("capture f", || product(3, BF16), || sourced(3), Some(empty)),
    (
        "capture g",
        || product(9, BF16).rows(&[("Vector", "Operation(117)", 10, 50, "")]),
        || product(40, BF16).rows(&[("Vector", "Operation(117)", 10, 50, "")]),
        Some(empty),
    ),
    ("capture i", || product(3, BF16).cores(2), || product(3, BF16).cores(1), Some(empty)),
    ("capture j", empty, || product(1, BF16), None),
    (
        "capture k",
        || product(1, BF16).warning("Missing HLO stats in the NEFF"),
        || product(1, BF16).warning("another"),
        Some(|| product(1, BF16)),
    ),
    ("capture l", || held(5_000_000_000), || held(1000), Some(empty)),
    ("capture m", || named("model_exec_1"), || named("model_exec_12"), Some(|| named("model"))),
];

impl Run {
    fn metadata(mut self, name: &str, value: i64) -> Run {
        self.sections["metadata"][0][name] = json!(value);
        self
    }

    /// How many cores the metadata tell.
    fn cores(self, n: i64) -> Run {
        self.metadata("num_physical_cores", n)
    }
}

fn held(bytes: i64) -> Run {
    product(1, BF16).section("nc_mem_usage", &[json!({"nd": 0, "nc": 4, "usage_type": "Profiler Buffers", "amount_bytes": bytes})])
}

#[test]
fn each_rule_fires_stays_quiet_and_says_what_it_lacks() {
    let mut wrong = Vec::new();
    for (id, fires, quiet, missing) in RULES {
        let mut check = |run: Run, want: &str| {
            let got = advice(&run.open());
            let found = verdict(&got, id);
            if found != want {
                let reason = got.unjudged.iter().find(|u| u.id == id).map(|u| u.missing.clone());
                wrong.push(format!("{id}: {found} instead of {want} {reason:?}"));
            }
            for f in got.findings.iter().filter(|f| f.id == id) {
                assert!(!f.why.is_empty() && !f.action.is_empty() && !f.how.is_empty(), "{f:?}");
                assert!(f.cost.is_none_or(|c| c.0 > 0 && c.0 <= 1_000_000), "{f:?}");
                assert!(!["R31", "R32", "R34", "R35", "R41"].contains(&id) || !f.places.is_empty(), "{f:?}");
            }
        };
        check(fires(), "fires");
        check(quiet(), "quiet");
        if let Some(missing) = missing {
            check(missing(), "missing");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_no_device_profile_tells_is_never_judged() {
    for run in [empty(), product(9, FP32), vector(40, NARROW)] {
        let got = advice(&run.open());
        for id in ["R40", "capture e", "capture n", "capture d"] {
            let reason = got.unjudged.iter().find(|u| u.id == id).map(|u| u.missing.as_str()).unwrap_or_default();
            assert!(reason.len() > 20, "{id}: {reason}");
        }
    }
}

#[test]
fn a_trace_and_its_neff_are_of_one_run() {
    let trace = ("a.ntff".to_string(), writer::trace(6, &writer::regions(), 0));
    let alone = import_one(std::slice::from_ref(&trace)).expect("opens").profile;
    assert_eq!(verdict(&advice(&alone), "capture d"), "missing");
    let neff = ("a.neff".to_string(), writer::neff(writer::UUID, &[("info.json", br#"{"tool_version":"1"}"#)], None));
    let both = import_one(&[neff, trace]).expect("opens").profile;
    assert_eq!(verdict(&advice(&both), "capture d"), "quiet");
}
