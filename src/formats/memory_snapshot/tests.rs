use super::importer::Importer;
use crate::base::{Ledger, text};
use crate::formats::{ImportError, Streamed};
use crate::model::snapshot::{BlockState, NO_STATE, SnapshotDevice};
use crate::model::{Domain, MemorySnapshot, Profile};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A pickle of a JSON value: text instructions of protocol 0, or those of protocol 4.
fn pickle(value: &Value, protocol: u8) -> Vec<u8> {
    let mut out = if protocol == 0 { Vec::new() } else { vec![0x80, protocol] };
    write(value, protocol, &mut out);
    out.push(b'.');
    out
}

fn write(value: &Value, protocol: u8, out: &mut Vec<u8>) {
    let is_text = protocol == 0;
    match value {
        Value::Null => out.push(b'N'),
        Value::Bool(true) => out.extend(if is_text { b"I01\n".as_slice() } else { &[0x88] }),
        Value::Bool(false) => out.extend(if is_text { b"I00\n".as_slice() } else { &[0x89] }),
        Value::Number(n) if is_text => out.extend(format!("L{n}L\n").bytes()),
        Value::Number(n) => {
            out.extend([0x8a, 9]);
            out.extend(&i128::from(n.as_i64().unwrap_or_default()).to_le_bytes()[..9]);
        }
        Value::String(s) if is_text => out.extend(format!("V{s}\n").bytes()),
        Value::String(s) => {
            out.push(b'X');
            out.extend((s.len() as u32).to_le_bytes());
            out.extend(s.bytes());
        }
        Value::Array(all) if is_text => {
            out.extend(b"(l");
            for item in all {
                write(item, protocol, out);
                out.push(b'a');
            }
        }
        Value::Array(all) => {
            out.extend(b"]\x94(");
            all.iter().for_each(|item| write(item, protocol, out));
            out.push(b'e');
        }
        Value::Object(all) if is_text => {
            out.extend(b"(d");
            for (key, item) in all {
                write(&json!(key), protocol, out);
                write(item, protocol, out);
                out.push(b's');
            }
        }
        Value::Object(all) => {
            out.extend(b"}\x94(");
            for (key, item) in all {
                write(&json!(key), protocol, out);
                write(item, protocol, out);
            }
            out.push(b'u');
        }
    }
}

fn import(bytes: &[u8], block: usize) -> Result<(Profile, Ledger), ImportError> {
    let mut ledger = Ledger::default();
    let mut importer = Box::new(Importer::new("test.pickle"));
    for part in bytes.chunks(block.max(1)) {
        importer.feed(part, &mut ledger)?;
    }
    let profile = importer.finish(false, &mut ledger)?;
    profile.check().expect("a sound profile");
    Ok((profile, ledger))
}

fn snapshot(profile: &Profile) -> &MemorySnapshot {
    let Domain::MemorySnapshot(snapshot) = &profile.domain else { panic!("no memory snapshot") };
    snapshot
}

fn device(profile: &Profile) -> &SnapshotDevice {
    &snapshot(profile).devices[0]
}

fn frames(names: &[&str]) -> Value {
    names.iter().enumerate().map(|(i, name)| json!({ "name": name, "filename": "/src/train.py", "line": i + 1 })).collect()
}

/// Two allocations, one of them released; a third from before the recording; a failed one.
fn usual() -> Value {
    let event = |action: &str, addr: u64, size: u64, time: u64| json!({ "action": action, "addr": addr, "size": size, "stream": 0, "time_us": time, "frames": frames(&["step", "main"]) });
    json!({
        "segments": [{
            "device": 0, "address": 4096, "total_size": 2048, "stream": 0, "segment_type": "small", "segment_pool_id": [0, 1], "is_expandable": true,
            "frames": [], "blocks": [
                { "address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": frames(&["init"]) },
                { "address": 4608, "size": 512, "requested_size": 400, "state": "active_pending_free", "frames": [] },
                { "address": 5120, "size": 1024, "requested_size": 0, "state": "inactive", "frames": [] },
            ],
        }],
        "device_traces": [[
            event("segment_alloc", 4096, 2048, 100), event("alloc", 4608, 400, 110), event("alloc", 5120, 300, 120),
            event("free_requested", 5120, 300, 130), event("free_completed", 5120, 300, 140),
            json!({ "action": "oom", "device_free": 77, "size": 9999, "stream": 0, "time_us": 150, "frames": frames(&["big"]) }),
            json!({ "action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 160, "compile_context": "0/1", "user_metadata": { "k": [1, "x"] } }),
        ]],
        "allocator_settings": { "expandable_segments": true, "roundup": { "1": 0 } },
        "external_annotations": [
            { "stage": "START", "name": "step 1", "device": 0, "time_us": 105 }, { "stage": "END", "name": "step 1", "device": 0, "time_us": 145 },
            { "stage": "END", "name": "other", "device": 0, "time_us": 146 },
        ],
    })
}

#[test]
fn a_snapshot_of_every_protocol_and_block_size() {
    for (protocol, block) in [(0, 1), (0, 1000), (2, 3), (4, 1), (4, 7), (5, 1 << 20)] {
        let (profile, ledger) = import(&pickle(&usual(), protocol), block).expect("plain");
        let device = device(&profile);
        assert_eq!(device.allocated, [500, 500, 900, 1200, 1200, 900, 900, 900], "{protocol}");
        assert_eq!(device.allocations.address, [4096, 4608, 5120]);
        assert_eq!(device.allocations.to, [NO_STATE, NO_STATE, 5]);
        assert_eq!(device.allocations.requested, [NO_STATE, NO_STATE, 4]);
        assert_eq!(device.reserved, [(0, 0), (1, 2048)]);
        assert_eq!(device.times, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
        assert_eq!((device.ooms[0].state, device.ooms[0].size, device.ooms[0].device_free), (6, 9999, Some(77)));
        assert_eq!(
            device.blocks.iter().map(|b| b.state).collect::<Vec<_>>(),
            [BlockState::Allocated, BlockState::PendingFree, BlockState::Free]
        );
        let names =
            snapshot(&profile).stack(device.allocations.stack[1]).map(|f| (profile.strings.get(f.name), f.line)).collect::<Vec<_>>();
        assert_eq!(names, [("step", 1), ("main", 2)]);
        assert_eq!(profile.name_of(crate::base::SliceId(0)), "step 1");
        assert_eq!((profile.slices.start[0], profile.slices.duration[0]), (5_000, 40_000));
        let setting = profile.meta.facts.iter().find(|f| f.name == "roundup").expect("a setting");
        assert_eq!(setting.value, "1: 0");
        // Seven events, one segment, three blocks, three ends of annotations: one of them without a start.
        assert_eq!((ledger.read, ledger.shown), (14, 13));
        assert_eq!(ledger.skipped[0].kind, "loose_annotation");
    }
}

#[test]
fn texts_of_an_allocation_are_kept_and_blank_ones_are_not() {
    let mut value = usual();
    value["device_traces"][0][1]["user_metadata"] = json!({ "k": [1, "x"] });
    value["device_traces"][0][1]["compile_context"] = json!("N/A");
    value["device_traces"][0][2]["category"] = json!("activation");
    value["device_traces"][0][2]["new_key"] = json!(1);
    let (profile, ledger) = import(&pickle(&value, 4), 64).expect("plain");
    let texts: Vec<_> =
        device(&profile).allocations.extras.iter().map(|e| (e.0, profile.strings.get(e.1), profile.strings.get(e.2))).collect();
    assert_eq!(texts, [(1, "user_metadata", "k: 1, x"), (2, "category", "activation")]);
    assert!(ledger.notes.iter().any(|note| note.contains("`new_key`")), "{:?}", ledger.notes);
}

#[test]
fn older_snapshots_have_no_times_and_histories_in_place_of_frames() {
    let blocks = json!([
        { "size": 512, "state": "active_allocated", "history": [{ "addr": 4096, "real_size": 500, "frames": frames(&["old"]) }] },
        { "size": 512, "state": "active_awaiting_free" },
        { "size": 1024, "state": "inactive", "history": [] },
    ]);
    let segments = json!([{ "device": 1, "address": 4096, "total_size": 2048, "blocks": blocks }]);
    let trace =
        json!([{ "action": "alloc", "addr": 8192, "size": 8, "stream": 0 }, { "action": "free", "addr": 8192, "size": 8, "stream": 0 }]);
    let (profile, _) = import(&pickle(&json!({ "segments": segments, "device_traces": [[], trace] }), 4), 64).expect("plain");
    assert_eq!(device(&profile).device, 1);
    assert_eq!(device(&profile).allocated, [1012, 1020, 1012]);
    assert_eq!(
        device(&profile).blocks.iter().map(|b| (b.address, b.requested)).collect::<Vec<_>>(),
        [(4096, 500), (4608, 512), (5120, 1024)]
    );
    assert!(!snapshot(&profile).has_times && profile.tracks.is_empty());
    assert_eq!(snapshot(&profile).stack(device(&profile).blocks[0].stack).count(), 1);
    // The list of segments alone is the oldest form.
    let (profile, _) = import(&pickle(&segments, 2), 64).expect("plain");
    assert_eq!(device(&profile).allocated, [1012]);
}

#[test]
fn code_is_refused_with_a_sentence() {
    let code = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R.";
    let error = import(code, 3).expect_err("code").to_string();
    assert!(error.contains("STACK_GLOBAL at byte 17") && error.contains("Nothing of the file was run"), "{error}");
    let error = import(b"cos\nsystem\n(S'ls'\ntR.", 64).expect_err("code").to_string();
    assert!(error.contains("GLOBAL at byte 0"), "{error}");
    for (bytes, words) in [
        (&b"\x80\x04C\x01a."[..], "found bytes at byte 2"),
        (b"\x80\x04K\x01.", "found a pickle of a single value"),
        (b"\x80\x04}.", "found a pickle of an empty dict"),
        (b"\x80\x04].", "a list of other values"),
        (b"\x80\x04}X\x01\0\0\0aK\x01s.", "a dict with the keys `a`"),
        (b"\x80\x04e", "Expected a mark"),
        (b"\x80\x04h\x07.", "refers to a value that is not in the file"),
        (b"\x80\x04K\x01K\x02a", "Expected a list or a dict"),
        (b"\x80\x04\xff", "no instruction of a pickle"),
    ] {
        let error = import(bytes, 64).expect_err("no snapshot").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_cut_snapshot_keeps_what_is_there_and_says_so() {
    let whole = pickle(&usual(), 4);
    let n_events = |bytes: &[u8]| {
        import(bytes, 1 << 20).map(|(profile, ledger)| {
            assert!(ledger.skipped.iter().any(|s| s.kind == "truncated_pickle"));
            snapshot(&profile).devices.first().map_or(0, |d| d.allocated.len() - 1)
        })
    };
    let found: Vec<usize> = (1..whole.len()).filter_map(|n| n_events(&whole[..n]).ok()).collect();
    assert!(found.is_sorted() || found.iter().max() == Some(&7), "{found:?}");
    assert!([0, 1, 3, 7].iter().all(|n| found.contains(n)), "{found:?}");
}

#[test]
fn limits_hold() {
    let error = import(&[b'(', b'('].repeat(5000), 1 << 20).expect_err("too deep").to_string();
    assert!(error.contains("containers inside each other"), "{error}");
    let error = import(&[b"\x80\x04".as_slice(), &b"N".repeat((1 << 22) + 1)].concat(), 1 << 20).expect_err("too many").to_string();
    assert!(error.contains("values in one container"), "{error}");
    let error = import(b"\x80\x04]r\xff\xff\xff\xff.", 64).expect_err("a jump").to_string();
    assert!(error.contains("places of the memo"), "{error}");
    // A list that holds itself many times over does not grow.
    let mut value = b"\x80\x04}(X\x08\0\0\0segments]X\x03\0\0\0odd".to_vec();
    value.extend(b"]\x94(");
    value.extend(b"h\x00".repeat(50));
    value.extend(b"eX\x12\0\0\0allocator_settings}X\x01\0\0\0ah\x00su.");
    let (profile, _) = import(&value, 64).expect("plain");
    assert!(profile.meta.facts.iter().all(|f| f.value.len() < 10_000), "{}", text::count(profile.meta.facts.len() as u64));
}

#[test]
fn a_list_named_twice_counts_once() {
    // The trace of device 0 is that of device 1 as well.
    let mut bytes = b"\x80\x04}(X\x0d\0\0\0device_traces](]\x94(".to_vec();
    write(&json!({ "action": "alloc", "addr": 1, "size": 5 }), 2, &mut bytes);
    bytes.extend(b"eh\x00eu.");
    let (profile, ledger) = import(&bytes, 64).expect("plain");
    assert_eq!(snapshot(&profile).devices.len(), 1);
    assert_eq!(ledger.skipped[0].kind, "repeated_record");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), block in 1usize..50) {
        let _ = import(&[b"\x80\x04".as_slice(), &bytes].concat(), block);
    }

    #[test]
    fn instructions_in_any_order_never_panic(ops in proptest::collection::vec(proptest::sample::select(b"(.012N]}ldtaesuKhq\x94\x85\x86\x87)\x88".to_vec()), 0..200)) {
        let _ = import(&[b"\x80\x04".as_slice(), &ops].concat(), 64);
    }

    #[test]
    fn mutated_snapshots_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(), protocol in proptest::sample::select(vec![0u8, 4])) {
        let mut bytes = pickle(&usual(), protocol);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let _ = import(&bytes, 97);
    }
}
