//! Bounds and time that adds up: equal to values computed apart from this program, from every source of both real runs, and on small profiles.

use crate::neuron_support::runs::RUNS;
use crate::neuron_support::*;
use axonscope::analysis::device::bounds::evidence::evidence;
use axonscope::analysis::device::bounds::rows::{CoreRows, rows};
use axonscope::analysis::device::bounds::{Bound, Bounds, BoundsQuery, CoreBounds, Evidence, EvidenceQuery, GapKind, Part, bounds};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::model::{Domain, Profile};
use serde_json::{Value, json};

/// Row times of a raw trace and of Parquet are whole nanoseconds after rounding: each edge of a merged interval may differ by one. No value differs by
/// more than this, however many edges it has.
const MOST_NS: f64 = 30.0;

/// Edges of the merged intervals that values of a core are made of.
struct Edges {
    parts: [usize; 6],
    queue_types: Vec<usize>,
}

impl Edges {
    /// By core, in the order of the bounds.
    fn of(profile: &Profile, range: TimeRange) -> Vec<Edges> {
        let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
        let edges = |core: CoreRows| Edges {
            parts: core.sets.each_ref().map(|set| 2 * set.len()),
            queue_types: core.queue_types.iter().map(|q| 2 * q.1.len()).collect(),
        };
        rows(profile, device, range).into_iter().map(edges).collect()
    }

    fn part(&self, part: Part) -> usize {
        self.parts[part.place()]
    }
}

fn range(start: i64, end: i64) -> TimeRange {
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

fn of(profile: &Profile, range: Option<TimeRange>) -> Bounds {
    bounds(profile, &BoundsQuery { range, order: Vec::new() })
}

/// Each source of a run: name, files.
pub fn sources(folder: &std::path::Path, run: &str, stem: &str) -> Vec<(&'static str, Vec<Named>)> {
    let named = |name: String| file(folder, run, &name);
    let trace = named(format!("{stem}_exec_2.ntff"));
    let mut out = vec![
        ("JSON", vec![named(format!("{stem}_exec_2_profile_full.json"))]),
        ("NTFF", vec![trace.clone()]),
        ("NTFF and NEFF", vec![trace, named(format!("{stem}.neff"))]),
    ];
    for kind in ["parquet-snappy", "parquet-zstd"] {
        if let Ok(all) = std::fs::read_dir(folder.join(run).join(kind)) {
            let name = |e: std::fs::DirEntry| format!("{kind}/{}", e.file_name().to_string_lossy());
            out.push(("Parquet", all.flatten().map(name).map(named).collect()));
        }
    }
    out
}

fn step(core: &CoreBounds, bound: Bound) -> Option<f64> {
    core.ladders.iter().flat_map(|l| &l.steps).find(|s| s.bound == bound).map(|s| s.time_ns)
}

/// Equal, but for one nanosecond at each of so many edges.
fn close(have: Option<f64>, want: &Value, edges: usize, what: &str) {
    let (have, want) = (have.unwrap_or(f64::NAN), want.as_f64().unwrap());
    let slack = (edges as f64).min(MOST_NS) + 1e-3;
    assert!((have - want).abs() <= slack, "{what}: {have} instead of {want}, {edges} edges");
}

/// Compares a core with its truth.
fn compare(core: &CoreBounds, want: &Value, edges: &Edges, what: &str) {
    let (dma, tensor) = (edges.part(Part::Dma), edges.part(Part::Tensor));
    let longest = core.bottleneck.map_or(0, |part| edges.part(part));
    for (bound, name, n) in [
        (Bound::Total, "total", 0),
        (Bound::Memory, "memory_bound", dma),
        (Bound::MemoryIdeal, "memory_bound_ideal", 0),
        (Bound::Compute, "compute_bound", tensor),
        (Bound::ComputeIdeal, "compute_bound_ideal", 0),
        (Bound::ComputeUseful, "compute_bound_useful", 0),
        (Bound::PerfectPipeline, "perfect_pipeline", longest),
    ] {
        close(step(core, bound), &want["bounds"][name], n, &format!("{what}, {name}"));
    }
    assert_eq!(core.bottleneck.map(Part::id), want["bottleneck"].as_str(), "{what}");
    assert_eq!((core.moved_bytes, core.moves), (want["moved_bytes"].as_u64(), want["moves"].as_u64().unwrap()), "{what}");
    assert_eq!((core.flops, core.useful_flops), (want["flops"].as_u64(), want["useful_flops"].as_u64()), "{what}");
    for part in Part::ALL {
        close(core.busy(part).map(|t| t.0 as f64), &want["busy"][part.id()], edges.part(part), &format!("{what}, busy {}", part.id()));
    }
    let mut before = 0;
    for time in &core.exclusive {
        // What is left to a part depends on all parts before it.
        before += time.part.map_or(0, |part| edges.part(part));
        let part = time.part.map_or("idle", Part::id);
        close(Some(time.time.0 as f64), &want["exclusive"][part], before, &format!("{what}, exclusive {part}"));
    }
    for o in &core.overlaps {
        let pair = [format!("{} and {}", o.a.id(), o.b.id()), format!("{} and {}", o.b.id(), o.a.id())];
        let want = pair.iter().map(|p| &want["overlap"][p]).find(|v| !v.is_null()).expect("each pair");
        close(Some(o.both.0 as f64), want, edges.part(o.a) + edges.part(o.b), &format!("{what}, {}", pair[0]));
    }
    for ((name, time), n) in core.queue_types.iter().zip(&edges.queue_types) {
        close(Some(time.0 as f64), &want["busy"][format!("dma {name}")], *n, &format!("{what}, dma {name}"));
    }
    let states = want["dma_states"].as_object().unwrap();
    assert_eq!(core.dma_states.len(), states.len(), "{what}");
    for (names, time) in &core.dma_states {
        let name = if names.is_empty() { "none".into() } else { names.iter().map(|n| format!("dma {n}")).collect::<Vec<_>>().join("+") };
        close(Some(time.0 as f64), &states[&name], edges.queue_types.iter().sum(), &format!("{what}, state {name}"));
    }
    // Starts of products are rows' own: two edges for each.
    close(core.excess_interval_ns, &want["matmul_excess_interval"], 2, &format!("{what}, excess interval"));
    let opcodes = want["by_opcode"].as_object().unwrap();
    assert_eq!(core.opcodes.len(), opcodes.len(), "{what}");
    for o in &core.opcodes {
        let want = &opcodes[&format!("{} {}", o.engine, o.opcode)];
        let what = format!("{what}, {} {}", o.engine, o.opcode);
        assert_eq!((o.count, o.waiting), (want["count"].as_u64().unwrap(), want["waiting"].as_u64().unwrap()), "{what}");
        close(Some(o.time.0 as f64), &want["time"], 2 * o.count as usize, &what);
        close(o.wait.map(|w| w.0 as f64), &want["wait"], 2 * o.count as usize, &format!("{what}, wait"));
    }
}

#[test]
fn bounds_equal_the_truth_from_every_source() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let truth = std::fs::read(folder.join("bounds").join(format!("{run}.truth.json"))).expect("the conformance data are whole");
        let truth: Value = serde_json::from_slice(&truth).expect("JSON");
        for (source, files) in sources(&folder, run, stem) {
            let imported = import_one(&files).expect("it opens");
            assert_eq!(imported.profile.check(), Ok(()), "{run}, {source}");
            let total = truth["total_time_ns"].as_f64().unwrap() as i64;
            for (part, within) in [("whole", None), ("first_half", Some(range(0, total / 2)))] {
                let found = of(&imported.profile, within);
                assert_eq!((found.range.start.0, found.is_run), (0, within.is_none()), "{run}, {source}");
                let cores = truth["cores"].as_object().unwrap();
                assert_eq!(found.cores.len(), cores.len());
                let edges = Edges::of(&imported.profile, found.range);
                for (at, (core, edges)) in found.cores.iter().zip(&edges).enumerate() {
                    compare(core, &cores[&at.to_string()][part], edges, &format!("{run}, {source}, core {at}, {part}"));
                }
                if source != "NTFF" {
                    assert_eq!(found.necessary_bytes, truth["necessary_bytes"].as_u64(), "{run}, {source}");
                }
                if source == "JSON" {
                    close(found.no_reloads_ns(), &truth["memory_bound_no_reloads"], 0, "without reloads");
                }
            }
        }
    }
}

#[test]
fn exclusive_parts_add_up_over_any_range_in_any_order() {
    let Some(folder) = conformance() else { return };
    let mut random = Random(7);
    for (run, stem) in RUNS {
        for (source, files) in sources(&folder, run, stem) {
            let profile = import_one(&files).expect("it opens").profile;
            for _ in 0..60 {
                let start = random.below(90_000) as i64 - 10_000;
                let within = range(start, start + random.below(40_000) as i64);
                let mut order = Part::ALL.to_vec();
                order.rotate_left(random.below(6));
                let found = bounds(&profile, &BoundsQuery { range: Some(within), order });
                for core in &found.cores {
                    let sum: i64 = core.exclusive.iter().map(|e| e.time.0).sum();
                    assert_eq!(sum, within.duration().0, "{run}, {source}, {within:?}");
                    let states: i64 = core.dma_states.iter().map(|s| s.1.0).sum();
                    assert_eq!(states, within.duration().0, "{run}, {source}, {within:?}");
                }
            }
            // Two halves have what the whole has.
            let whole = of(&profile, None);
            let middle = whole.range.start.0 + whole.range.duration().0 / 3;
            let parts = [of(&profile, Some(range(whole.range.start.0, middle))), of(&profile, Some(range(middle, whole.range.end.0)))];
            for (at, core) in whole.cores.iter().enumerate() {
                for (k, e) in core.exclusive.iter().enumerate() {
                    assert_eq!(e.time.0, parts.iter().map(|p| p.cores[at].exclusive[k].time.0).sum::<i64>(), "{run}, {source}");
                }
                assert_eq!(core.moved_bytes, parts.iter().map(|p| p.cores[at].moved_bytes).sum::<Option<u64>>());
            }
        }
    }
}

fn small(rows: &[(&str, &str, i64, i64, &str)], transfers: &[(i64, i64, i64, &str)]) -> Profile {
    let instruction = |(at, r): (usize, &(&str, &str, i64, i64, &str))| {
        json!({"id": at, "label": r.0, "subgroup": r.0, "subgraph": "sg00", "opcode": r.1, "timestamp": r.2, "duration": r.3,
            "operands": r.4, "elements": if r.1 == "MATMUL" { json!(128 * 128 * 512) } else { Value::Null }, "evt_wait_time": 0})
    };
    let transfer = |r: &(i64, i64, i64, &str)| {
        json!({"subgraph": "sg00", "subgroup": "Q0-E64", "dma_engine": "64", "dma_queue": "0", "timestamp": r.0, "duration": r.1,
            "transfer_size": r.2, "queue_type": r.3, "duplicate": "no", "is_cc_dma": "no", "variable": "unknown"})
    };
    let mut file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 10_000, "pe_num_rows": 128, "pe_num_cols": 128, "pe_clock_freq": 2.4,
            "dma_ddr_bandwidth": 435_000_000_000i64, "num_physical_cores": 1}],
        "instruction": rows.iter().enumerate().map(instruction).collect::<Vec<_>>(),
    });
    if !transfers.is_empty() {
        file["dma"] = transfers.iter().map(transfer).collect();
    }
    let imported = import_one(&[("small.json".into(), file.to_string().into_bytes())]).expect("it opens");
    assert_eq!(imported.profile.check(), Ok(()));
    imported.profile
}

const LOW_HIGH: &str = "fp32_mode=LOW_HIGH src=fp32@0x36ff8[1,0,0][512,1,1] dst=0x2002000[1,0,0][512,1,1] 128*128 ";
const FP32: &str = "src=fp32@0x36ff8[1,0,0][512,1,1] dst=0x2002000[1,0,0][512,1,1] 128*128 ";
const BF16: &str = "src=bf16@0x36ff8[1,0,0][512,1,1] dst=0x2002000[1,0,0][512,1,1] 128*128 ";

#[test]
fn products_count_the_passes_that_they_take() {
    let once = 2 * 128 * 128 * 512u64;
    for (operands, passes, profiler) in [(LOW_HIGH, 2, 4), (FP32, 4, 4), (BF16, 1, 1)] {
        let found = of(&small(&[("Tensor", "MATMUL", 100, 450, operands), ("Tensor", "MATMUL", 600, 450, operands)], &[]), None);
        let core = &found.cores[0];
        assert_eq!((core.flops, core.profiler_flops), (Some(2 * passes * once), Some(2 * profiler * once)), "{operands}");
        // 512 columns take 213.3 ns and pass.
        let late = 500.0 - passes as f64 * 512.0 / 2.4;
        assert!((core.excess_interval_ns.unwrap() - late.max(0.0)).abs() < 1e-6, "{operands}");
        assert_eq!(found.notes.iter().any(|n| n.contains("LOW_HIGH")), passes != profiler, "{operands}");
    }
}

#[test]
fn what_is_missing_is_said_and_never_0() {
    let found = of(&small(&[("Vector", "COPY", 100, 900, "")], &[]), None);
    let core = &found.cores[0];
    assert_eq!((core.busy(Part::Dma), core.moved_bytes, core.flops), (None, None, None));
    assert_eq!((step(core, Bound::Memory), step(core, Bound::ComputeIdeal)), (None, None));
    assert_eq!(core.bottleneck, Some(Part::Vector));
    assert!(found.notes.iter().any(|n| n.contains("NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1")), "{:?}", found.notes);
    assert!(found.notes.iter().any(|n| n.contains("operands of matrix products")), "{:?}", found.notes);
    let opcode = &core.opcodes[0];
    assert_eq!((opcode.engine.as_str(), opcode.opcode.as_str(), opcode.count, opcode.time.0), ("Vector", "COPY", 1, 900));
}

#[test]
fn without_constants_of_the_hardware_what_needs_them_is_missing() {
    let file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 1_000}],
        "instruction": [{"id": 0, "label": "Tensor", "subgroup": "Tensor", "subgraph": "sg00", "opcode": "MATMUL", "timestamp": 0, "duration": 400,
            "operands": BF16, "elements": 128 * 128 * 512, "evt_wait_time": 0}],
        "dma": [{"subgraph": "sg00", "subgroup": "Q0-E64", "dma_engine": "64", "dma_queue": "0", "timestamp": 0, "duration": 500, "transfer_size": 4096,
            "queue_type": "hardware_dynamic", "duplicate": "no", "is_cc_dma": "no", "variable": "unknown"}],
    });
    let imported = import_one(&[("bare.json".into(), file.to_string().into_bytes())]).expect("it opens");
    let found = of(&imported.profile, None);
    let core = &found.cores[0];
    assert_eq!((core.moved_bytes, core.busy(Part::Dma).map(|t| t.0)), (Some(4096), Some(500)));
    assert_eq!((step(core, Bound::MemoryNoReloads), step(core, Bound::ComputeIdeal)), (None, None), "no rate is guessed");
    assert!(!found.notes.is_empty());
    assert!(core.ladders.iter().flat_map(|l| &l.steps).all(|s| s.time_ns.is_finite()));
}

#[test]
fn of_two_cores_one_may_be_idle() {
    let row = |core: &str, opcode: &str, start: i64| {
        json!({"id": start, "label": "Vector", "subgroup": "Vector", "subgraph": core, "opcode": opcode, "timestamp": start, "duration": 300,
            "operands": "", "evt_wait_time": 0})
    };
    let file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 1_000, "num_physical_cores": 2, "dma_ddr_bandwidth": 435_000_000_000i64}],
        "instruction": [row("sg00", "COPY", 0), row("sg00", "COPY", 400), row("sg01", "EVENT_SEMAPHORE", 500)],
    });
    let imported = import_one(&[("two.json".into(), file.to_string().into_bytes())]).expect("it opens");
    let found = of(&imported.profile, None);
    assert_eq!(found.cores.len(), 2);
    let busy: Vec<Option<i64>> = found.cores.iter().map(|c| c.busy(Part::Vector).map(|t| t.0)).collect();
    assert_eq!(busy[0], Some(600));
    assert!(busy[1].is_none_or(|t| t == 0), "a wait is no work: {busy:?}");
    assert_eq!(found.cores[1].bottleneck, None);
    for core in &found.cores {
        assert_eq!(core.exclusive.iter().map(|e| e.time.0).sum::<i64>(), found.range.duration().0);
    }
}

#[test]
fn bytes_are_of_transfers_that_start_in_the_range_and_move_data() {
    let transfers = [
        (1000, 500, 4096, "hardware_dynamic"),
        (1400, 400, 2048, "software_dynamic"),
        (3000, 50, 4, "hardware_dynamic"),
        (5000, 100, 64, "instruction"),
    ];
    let profile = small(&[("Tensor", "MATMUL", 1000, 1000, BF16)], &transfers);
    let core = &of(&profile, None).cores[0];
    assert_eq!((core.moved_bytes, core.moves, core.busy(Part::Dma).map(|t| t.0)), (Some(6144), 2, Some(950)));
    let states: Vec<(usize, i64)> = core.dma_states.iter().map(|s| (s.0.len(), s.1.0)).collect();
    assert_eq!(states, [(0, 9150), (1, 450), (1, 300), (2, 100)]);
    // From within both transfers on: one starts before it.
    let part = of(&profile, Some(range(1200, 1700)));
    let core = &part.cores[0];
    assert_eq!((core.moved_bytes, core.busy(Part::Dma).map(|t| t.0)), (Some(2048), Some(500)));
    assert!(!part.is_run && step(core, Bound::MemoryNoReloads).is_none());
    assert_eq!(core.flops, Some(0), "the product starts before");
}

#[test]
fn any_range_has_an_answer() {
    let profile = small(&[("Tensor", "MATMUL", 1000, 1000, BF16)], &[(1000, 500, 4096, "hardware_dynamic")]);
    for within in [range(500, 500), range(20_000, 30_000), range(-500, -100), range(1200, 1201), range(i64::MIN / 4, i64::MAX / 4)] {
        let found = of(&profile, Some(within));
        let core = &found.cores[0];
        assert_eq!(core.exclusive.iter().map(|e| e.time.0).sum::<i64>(), within.duration().0, "{within:?}");
        let gaps = || core.ladders.iter().flat_map(|l| &l.steps).filter_map(|s| s.gap);
        assert!(gaps().all(|g| g.time_ns >= 0.0 && g.share.is_finite() && g.speed_up.is_none_or(f64::is_finite)), "{within:?}");
    }
    let inside = of(&profile, Some(range(1200, 1201)));
    assert_eq!(inside.cores[0].exclusive[0].time.0, 1);
    let gaps: Vec<GapKind> = inside.cores[0].ladders[0].steps.iter().filter_map(|s| s.gap).map(|g| g.kind).collect();
    assert_eq!(gaps[0], GapKind::DmaIdle);
}

fn causes(profile: &Profile, gap: GapKind) -> Evidence {
    evidence(profile, &EvidenceQuery { range: None, core: 0, gap })
}

#[test]
fn each_gap_leads_to_what_made_it() {
    let profile = small(
        &[("Vector", "COPY", 0, 900, ""), ("Tensor", "MATMUL", 1000, 400, LOW_HIGH), ("Tensor", "MATMUL", 4000, 400, LOW_HIGH)],
        &[(1000, 500, 4096, "hardware_dynamic"), (2000, 400, 512, "hardware_dynamic"), (9000, 1000, 512, "hardware_dynamic")],
    );
    let rows = |gap| causes(&profile, gap).rows;
    // 0–1000 goes to the copy, 2400–9000 to the products; 1500–2000 to nothing.
    let idle = rows(GapKind::DmaIdle);
    let recorded: Vec<(&str, i64)> = idle.iter().map(|r| (r.name.as_str(), r.time.unwrap().0)).collect();
    assert_eq!(recorded, [("Tensor MATMUL", 6600), ("Vector COPY", 1000), ("No instruction ran", 500)]);
    let slow = rows(GapKind::SlowTransfers);
    let recorded: Vec<_> = slow.iter().map(|r| (r.size, r.bytes, r.count, r.time.unwrap().0)).collect();
    assert_eq!(recorded, [(Some(512), Some(1024), 2, 1400), (Some(4096), Some(4096), 1, 500)]);
    assert!(causes(&profile, GapKind::SlowTransfers).notes[0].contains("2 of 3"));
    let tiles = rows(GapKind::BelowPeak);
    assert_eq!((tiles[0].name.as_str(), tiles[0].count, tiles[0].flops), ("128 × 128 × 512", 2, Some(4 * 2 * 128 * 128 * 512)));
    // 3000 ns from start to start, of which two passes of 512 columns take 426.
    let late = rows(GapKind::TensorIdle);
    assert_eq!((late[0].count, late[0].time.unwrap().0), (1, 2574));
    assert!(rows(GapKind::Transposes).is_empty() && rows(GapKind::Unoverlapped).is_empty());
    let reloads = causes(&profile, GapKind::Reloads);
    assert!(reloads.notes[0].contains("NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1"), "{:?}", reloads.notes);
}

#[test]
fn causes_of_the_real_runs_are_whole() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        for (source, files) in sources(&folder, run, stem) {
            let profile = import_one(&files).expect("it opens").profile;
            let found = of(&profile, None);
            for gap in GapKind::ALL {
                let causes = causes(&profile, gap);
                assert!(causes.rows.iter().flat_map(|r| &r.slices).all(|s| s.index() < profile.slices.len()), "{run}, {source}, {gap:?}");
                assert!(!causes.rows.is_empty() || !causes.notes.is_empty(), "{run}, {source}, {gap:?}");
            }
            let sum = |gap, of: &dyn Fn(&axonscope::analysis::device::bounds::EvidenceRow) -> u64| {
                causes(&profile, gap).rows.iter().map(of).sum::<u64>()
            };
            let core = &found.cores[0];
            assert_eq!(Some(sum(GapKind::SlowTransfers, &|r| r.bytes.unwrap_or(0))), core.moved_bytes, "{run}, {source}");
            // Packets that name the instruction that asked for them give source lines; without them the page says what is missing.
            let slow = causes(&profile, GapKind::SlowTransfers);
            let has_lines = slow.rows.iter().any(|r| !r.line.is_empty());
            assert!(has_lines != slow.notes.iter().any(|n| n.contains("open the NTFF with its NEFF")), "{run}, {source}: {:?}", slow.notes);
            assert!(source != "NTFF and NEFF" || has_lines, "{run}, {source}: {:?}", slow.notes);
            if let (Some(flops), Some(useful)) = (core.flops, core.useful_flops) {
                assert_eq!(sum(GapKind::BelowPeak, &|r| r.flops.unwrap_or(0)), flops, "{run}, {source}");
                assert_eq!(sum(GapKind::Transposes, &|r| r.flops.unwrap_or(0)), flops - useful, "{run}, {source}");
            }
        }
    }
}
