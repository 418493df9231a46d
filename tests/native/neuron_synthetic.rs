//! Neuron formats on files written here: what is right opens, what is wrong gets a sentence, nothing panics.

use crate::neuron_support::writer::{self, UUID};
use crate::neuron_support::*;
use axonscope::base::{Ledger, SliceId};
use axonscope::formats::{Claim, by_id};
use axonscope::model::{Domain, Profile};
use proptest::prelude::*;

fn named(name: &str, bytes: Vec<u8>) -> Named {
    (name.into(), bytes)
}

/// Slices as "track: name start+duration".
fn slices(profile: &Profile) -> Vec<String> {
    let row = |i: usize| {
        let path = profile.track_path(profile.track_of(SliceId(i as u32)).expect("a track"));
        format!("{path}: {} {}+{}", profile.name_of(SliceId(i as u32)), profile.slices.start[i], profile.slices.duration[i])
    };
    (0..profile.slices.len()).map(row).collect()
}

#[test]
fn a_small_trace_of_each_version_opens() {
    for version in [4, 5, 6] {
        let imported = import_one(&[named("a.ntff", writer::trace(version, &writer::regions(), 0))]).expect("opens");
        let profile = &imported.profile;
        assert_eq!(profile.check(), Ok(()));
        // Without a stored window the first record is the origin.
        let first = if version == 6 { 1000 } else { 0 };
        let wanted = [
            format!("NC 4 / DMA / Q1 qSyncDynamicHW: DMA-E66 {first}+618"),
            format!("NC 4 / Tensor: opcode 0x41 {}+700", first + 2000),
            format!("NC 4 / TensorMatrix: MATMUL {first}+1500"),
        ];
        assert_eq!(slices(profile), wanted, "version {version}: {:?}", imported.ledger);
        assert_eq!(profile.strings.get(profile.instants.name[0]), "S[5] = 3");
        assert_eq!(profile.counters[0].series[0].values, [50.0]);
        assert!(profile.meta.is_experimental && !profile.meta.not_available.is_empty());
        let Domain::NeuronDevice(domain) = &profile.domain else { panic!("a Neuron domain") };
        assert_eq!((domain.bytes[0], domain.pc[2], domain.wait_ns[2]), (4096, 0, 500));
        assert!(imported.ledger.skipped.iter().any(|s| s.kind == "unknown_opcode" && s.count == 1));
    }
}

#[test]
fn a_json_of_warnings_alone_opens() {
    let warnings = r#"{"warnings":[{"message":"Missing HLO stats in the NEFF","category":"Missing Data"},{"category":"Missing Data","message":"no stats"}]}"#;
    let empty = warnings.replacen('{', r#"{"instruction":[],"dma":[],"#, 1);
    for text in [warnings, &empty] {
        let imported = import_one(&[named("profile.json", text.into())]).expect("opens");
        let profile = &imported.profile;
        assert_eq!((profile.check(), profile.slices.len(), profile.meta.format.as_str()), (Ok(()), 0, "neuron_json"));
        assert_eq!((imported.ledger.read, imported.ledger.shown), (2, 2));
        let recorded: Vec<&str> = profile.meta.facts.iter().map(|f| f.value.as_str()).collect();
        assert_eq!(recorded, ["Missing HLO stats in the NEFF", "no stats"]);
        assert!(imported.ledger.notes.iter().any(|n| n.contains("section `instruction`")), "{:?}", imported.ledger.notes);
        assert_eq!(profile.meta.not_available.len(), 2, "{:?}", profile.meta.not_available);
    }
    // Messages of another program.
    import_one(&[named("other.json", br#"{"warnings":[{"message":"m","level":1}]}"#.into())]).expect_err("nobody's");
}

#[test]
fn without_a_stored_window_the_last_run_is_shown() {
    let mut regions = writer::regions();
    // A GpSimd instruction whose end carries the flag of a run's end; its word is outside every image.
    let flagged = |kind, flag, at| writer::record([0, 0, flag, kind, 0, 0, 0, 0], writer::START + at);
    let run_end = [flagged(0x8c, 0, 11_000_000), flagged(0x8d, 0x20, 11_999_167)].concat();
    regions[0].2.extend_from_slice(&run_end);
    let imported = import_one(&[named("a.ntff", writer::trace(5, &regions, 0))]).expect("opens");
    let Domain::NeuronDevice(domain) = &imported.profile.domain else { panic!("a Neuron domain") };
    assert_eq!(domain.window_ns, 10_000, "the stored duration");
    // The window begins 2 µs after the device's time of reference: the first MATMUL began before.
    let rows = slices(&imported.profile);
    assert!(rows.contains(&"NC 4 / Tensor: opcode 0x41 1000+700".into()) && !rows.iter().any(|r| r.contains("MATMUL")), "{rows:?}");
    assert!(rows.contains(&"NC 4 / GpSimd: opcode unknown 9000+999".into()), "{rows:?}");
    let count = |kind: &str| imported.ledger.skipped.iter().find(|s| s.kind == kind).map_or(0, |s| s.count);
    assert_eq!((count("pc_outside_image"), count("outside_window") > 0), (1, true));
    assert!(imported.ledger.notes.iter().any(|n| n.contains("The start of the execution window is not recorded")));
}

#[test]
fn unknown_records_are_shown_and_counted() {
    let mut regions = writer::regions();
    regions[0].2.extend_from_slice(&writer::record([0, 0, 0, 0xc3, 0, 0, 0, 0], writer::START + 4_000_000));
    regions.push((7, 2, writer::record([1; 8], writer::START + 4_500_000).to_vec()));
    let imported = import_one(&[named("a.ntff", writer::trace(6, &regions, 0))]).expect("opens");
    let unknown = imported.ledger.skipped.iter().find(|s| s.kind == "unknown_record").expect("counted");
    assert_eq!(unknown.count, 2);
    let profile = &imported.profile;
    let names: Vec<&str> = profile.instants.name.iter().map(|n| profile.strings.get(*n)).collect();
    assert!(names.contains(&"instruction record 0xc3") && names.contains(&"record of trace kind 7, block 2"), "{names:?}");
}

#[test]
fn wrong_ranges_and_versions_get_a_sentence() {
    let error = |bytes| import_one(&[named("x.ntff", bytes)]).expect_err("refused").to_string();
    assert!(error(writer::trace(6, &writer::regions(), 1 << 40)).contains("Expected a range inside"));
    assert!(error(writer::trace(6, &writer::regions(), u64::MAX - 500)).contains("Expected a range inside"));
    let whole = writer::trace(6, &writer::regions(), 0);
    let mut overlapping = writer::regions();
    overlapping.push((1, 0, vec![0; 16]));
    let mut bytes = writer::trace(6, &overlapping, 0);
    // The last region is said to begin where the image does.
    let at = bytes.windows(4).rposition(|w| w[..2] == [0x18, 0x00] && w[2] == 0x28).expect("the last region's offset") + 3;
    (bytes[at], bytes[at + 1]) = (0x80, 0x00);
    assert!(error(bytes).contains("do not overlap"));
    for version in [0, 1, 3, 7, 9, 16, 255] {
        let mut bytes = whole.clone();
        bytes[0] = version;
        let text = error(bytes);
        assert!(text.contains(&format!("Expected Neuron trace version 4–6, found {version} in `x.ntff`")), "{text}");
    }
}

fn small_neff(uuid: [u8; 16]) -> Vec<u8> {
    let asm = writer::debug_file(&[
        writer::debug_entry(0, "", &[1], &[]),
        writer::debug_entry(0, "", &[], &[]),
        writer::debug_entry(0, "", &[2], &[]),
    ]);
    let backend = writer::debug_file(&[writer::debug_entry(1, "I-1", &[7], &[]), writer::debug_entry(2, "I-2", &[7], &[1])]);
    let penguin = writer::debug_file(&[writer::debug_entry(7, "$7", &[8], &[])]);
    let hlo = writer::debug_file(&[writer::debug_entry(8, "%dot", &[], &[])]);
    let members: [(&str, &[u8]); 7] = [
        ("sg00/debug_info_asm_PE.dbg", &asm),
        ("sg00/debug_info_backend_PE.dbg", &backend),
        ("debug_info/debug_info_penguin.dbg_sg000000", &penguin),
        ("debug_info/debug_info_hlo.dbg_sg000000", &hlo),
        ("sg00/PE.bin", &[0; 192]),
        ("../../outside.json", b"{}"),
        ("hlo_stats.json", br#"{"HloMacCount": 5}"#),
    ];
    writer::neff(uuid, &members, None)
}

#[test]
fn a_neff_names_the_instructions_of_its_trace() {
    let trace = named("a.ntff", writer::trace(6, &writer::regions(), 0));
    let imported = import_one(&[named("a.neff", small_neff(UUID)), trace.clone()]).expect("opens");
    let profile = &imported.profile;
    let text = |id: &str, i: usize| profile.attribute(id).map_or("", |a| profile.strings.get(a.values[i]));
    assert_eq!((text("bir", 2), text("hlo", 2)), ("I-1", "%dot"));
    assert_eq!(text("bir", 1), "I-2");
    assert_eq!(profile.flows.from.len(), 1);
    assert!(imported.ledger.skipped.iter().any(|s| s.kind == "unsafe_member" && s.count == 1));
    let error = import_one(&[named("b.neff", small_neff(*b"another uuid 16!")), trace]).expect_err("another run").to_string();
    assert!(error.contains("30313233343536373839616263646566") && error.contains("616e6f746865722075756964203136"), "{error}");
}

#[test]
fn a_neff_with_wrong_sizes_keeps_what_it_has() {
    for size in [0, 1, 100, u64::MAX, 1 << 50] {
        let bytes = writer::neff(UUID, &[("info.json", br#"{"tool_version":"1"}"#)], Some(size));
        let imported = import_one(&[named("a.neff", bytes)]).expect("the header still tells something");
        assert!(
            imported.ledger.skipped.iter().any(|s| s.kind == "truncated" || s.kind == "broken_archive"),
            "{size}: {:?}",
            imported.ledger
        );
    }
    let error = import_one(&[named("a.neff", vec![2; 500])]).expect_err("too short").to_string();
    assert!(error.contains("Expected a NEFF header of 1024 bytes"), "{error}");
}

const ODD: &[u8] = include_bytes!("../cases/neuron_json/odd/odd.json");

#[test]
fn odd_json_is_read_and_accounted_for() {
    let imported = import_one(&[named("any name", ODD.to_vec())]).expect("opens");
    let profile = &imported.profile;
    assert_eq!(profile.check(), Ok(()));
    let wanted = ["NC 2 / DMA / Q0 qSyncDynamicHW: weights 20+30", "NC 2 / Tensor: LDWEIGHTS 10+80", "NC 2 / TensorMatrix: MATMUL 100+40"];
    assert_eq!(slices(profile), wanted);
    assert_eq!((profile.flows.from.as_slice(), profile.flows.to.as_slice()), (&[SliceId(1)][..], &[SliceId(2)][..]));
    let count = |kind: &str| imported.ledger.skipped.iter().find(|s| s.kind == kind).map_or(0, |s| s.count);
    let counts = ["unknown_section", "unknown_key", "bare_nan", "missing_value", "unreadable_record", "unknown_predecessor"].map(count);
    assert_eq!(counts, [1, 1, 1, 1, 1, 1], "{:?}", imported.ledger.skipped);
    let table = profile.tables.iter().find(|t| t.id == "future_section").expect("kept");
    assert_eq!((table.rows.len(), table.columns.len()), (2, 3));
    let fields =
        by_id("neuron_json").expect("known").record(&set(&[named("x", ODD.to_vec())]), profile, SliceId(2).into()).expect("read back");
    assert!(fields.iter().any(|f| f.group == "Other keys" && f.key == "future_key" && f.value == "kept"));
    assert!(fields.iter().any(|f| f.key == "id" && f.value == "7226855968308522714"));
}

#[test]
fn blocks_of_any_size_give_the_same_profile() {
    let claim = Claim { format: "neuron_json".into(), members: vec![0], recognised: String::new() };
    let read = |block: usize| {
        let mut ledger = Ledger::default();
        let mut importer = by_id("neuron_json").expect("known").streamed(&claim, "x").expect("streamed");
        ODD.chunks(block).for_each(|chunk| importer.feed(chunk, &mut ledger).expect("well formed"));
        (slices(&importer.finish(false, &mut ledger).expect("opens")), ledger)
    };
    let whole = read(1 << 20);
    for block in [1, 2, 7, 64, 333] {
        assert_eq!(read(block), whole);
    }
    let mut ledger = Ledger::default();
    let mut importer = by_id("neuron_json").expect("known").streamed(&claim, "x").expect("streamed");
    importer.feed(&ODD[..600], &mut ledger).expect("well formed so far");
    assert_eq!(importer.finish(true, &mut ledger).expect("keeps what it has").check(), Ok(()));
    assert!(ledger.skipped.iter().any(|s| s.kind == "truncated"));
}

#[test]
fn the_sample_is_what_its_totals_say() {
    let bytes = std::fs::read("public/samples/synthetic-neuron.json").expect("the sample is part of the project");
    let truth: serde_json::Value = serde_json::from_slice(&bytes).expect("well formed");
    let imported = import_one(&[named("synthetic-neuron.json", bytes)]).expect("opens");
    let profile = &imported.profile;
    assert_eq!(profile.check(), Ok(()));
    assert_eq!(imported.ledger.skipped, []);
    assert_eq!(imported.ledger.read, imported.ledger.shown);
    assert!(profile.flows.from.len() > 500 && profile.counters.len() >= 8 && profile.instants.time.len() > 300);
    let elements: i64 = truth["instruction"].as_array().expect("rows").iter().filter_map(|i| i["elements"].as_i64()).sum();
    assert_eq!(truth["summary"][0]["hardware_flops"].as_i64(), Some(2 * elements));
    let bytes: i64 = truth["dma"].as_array().expect("rows").iter().filter_map(|i| i["transfer_size"].as_i64()).sum();
    let hbm = |key: &str| truth["summary"][0][key].as_i64().unwrap_or(0);
    assert_eq!(bytes, hbm("hbm_read_bytes") + hbm("hbm_write_bytes"));
    let paths: Vec<String> = (0..profile.tracks.len() as u32).map(|t| profile.track_path(axonscope::base::TrackId(t))).collect();
    let rows = ["DMA", "Sync", "Tensor", "TensorMatrix", "Vector", "Scalar", "GpSimd"];
    let wanted: Vec<String> = rows.iter().map(|e| format!("NC 0 / {e}")).collect();
    let recorded: Vec<&String> = paths.iter().filter(|p| wanted.contains(p)).collect();
    assert_eq!(recorded, wanted.iter().collect::<Vec<_>>(), "the rows stand in the known order");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        for name in ["a.ntff", "a.neff", "a.json"] {
            try_import(&[named(name, bytes.clone())]);
        }
        let wrapped = [b"{\"instruction\":[{\"timestamp\":1,", &bytes[..]].concat();
        try_import(&[named("a.json", wrapped)]);
    }

    #[test]
    fn mutated_files_never_panic(seed in any::<u64>()) {
        let mut random = Random(seed);
        for version in [4, 5, 6] {
            let trace = named("a.ntff", writer::trace(version, &writer::regions(), 0));
            let n = trace.1.len();
            try_import(&[mutated(&trace, n, &mut random)]);
            let neff = named("a.neff", small_neff(UUID));
            let n = neff.1.len();
            try_import(&[mutated(&neff, n, &mut random), trace]);
        }
        let json = named("a.json", ODD.to_vec());
        try_import(&[mutated(&json, ODD.len(), &mut random)]);
    }
}
