//! Perfetto traces: the conformance cases against what Perfetto's trace processor answers, and damaged ones.

use crate::common::{conformance, open, refusal};
use axonscope::base::{InputSet, Severity, SliceId};
use axonscope::formats::import::Feeder;
use axonscope::formats::{Imported, by_id, claim};
use axonscope::model::Profile;
use proptest::prelude::*;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

fn traces() -> Option<Vec<PathBuf>> {
    let folder = conformance("pftrace")?;
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    out.retain(|path| path.extension().is_some_and(|e| e == "pftrace"));
    out.sort();
    assert!(out.len() > 10);
    Some(out)
}

fn truth(path: &Path) -> Option<Value> {
    let plain = path.with_extension("truth.json");
    if let Ok(text) = std::fs::read_to_string(&plain) {
        return Some(serde_json::from_str(&text).unwrap());
    }
    let packed = std::fs::read(path.with_extension("truth.json.gz")).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn imported(path: &Path) -> (Imported, InputSet) {
    open(&InputSet::from_bytes(path.file_name().unwrap().to_string_lossy(), std::fs::read(path).unwrap()))
}

/// Depth to compare: slices without a duration that start together share a lane here.
fn depth(duration: i64, depth: u16) -> u16 {
    if duration == 0 { 0 } else { depth }
}

/// (start, duration, name, category, depth), sorted.
fn slices(profile: &Profile) -> Vec<(i64, i64, String, String, u16)> {
    let category = profile.attributes.iter().find(|a| a.id == "category");
    let mut out = Vec::new();
    for lane in &profile.lanes {
        for i in lane.first..lane.end {
            let at = i as usize;
            let category = category.map_or("", |c| profile.strings.get(c.values[at]));
            let name = profile.name_of(SliceId(i)).to_string();
            out.push((
                profile.slices.start[at],
                profile.slices.duration[at],
                name,
                category.to_string(),
                depth(profile.slices.duration[at], lane.depth),
            ));
        }
    }
    out.sort();
    out
}

#[test]
fn slices_flows_and_counters_equal_the_trace_processors() {
    let Some(traces) = traces() else { return };
    for path in traces {
        let (imported, _) = imported(&path);
        let Some(truth) = truth(&path) else { continue };
        imported.profile.check().unwrap();
        let rows = truth["slices"]["rows"].as_array().unwrap();
        let counters = truth["counters"]["rows"].as_array().unwrap();
        let times = rows.iter().map(|r| number(&r[2])).chain(counters.iter().map(|r| number(&r[0])));
        let base = times.min().unwrap_or(0);
        let text = |value: &Value, none: &str| value.as_str().unwrap_or(none).to_string();
        let mut want: Vec<(i64, i64, String, String, u16)> = rows
            .iter()
            .map(|r| {
                (number(&r[2]) - base, number(&r[3]), text(&r[5], "(no name)"), text(&r[6], ""), depth(number(&r[3]), number(&r[4]) as u16))
            })
            .collect();
        want.sort();
        // Its second slice is 292 years late: Perfetto's sum wraps around, ours leaves the step out that does not fit.
        if path.ends_with("streaming_profile_timestamp_delta_overflow.pftrace") {
            assert_eq!(imported.profile.slices.len(), want.len());
            continue;
        }
        assert_eq!(slices(&imported.profile), want, "{}", path.display());
        assert_eq!(imported.profile.flows.from.len(), truth["flows"]["rows"].as_array().unwrap().len(), "{}", path.display());
        let mut samples: Vec<(i64, f64)> = Vec::new();
        for counter in &imported.profile.counters {
            samples.extend(counter.times.iter().copied().zip(counter.series[0].values.iter().copied()));
        }
        samples.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut want: Vec<(i64, f64)> = counters.iter().map(|r| (number(&r[0]) - base, r[1].as_f64().unwrap())).collect();
        want.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(samples, want, "{}", path.display());
        let ledger = &imported.ledger;
        assert_eq!(ledger.read, ledger.shown + ledger.skipped.iter().map(|s| s.count).sum::<u64>(), "{}", path.display());
    }
}

#[test]
fn details_read_names_and_arguments_again() {
    let Some(folder) = conformance("pftrace") else { return };
    let path = folder.join("qwen_h100.pftrace");
    let (imported, input) = imported(&path);
    let truth = truth(&path).unwrap();
    let rows = truth["slices"]["rows"].as_array().unwrap();
    let wanted = rows.iter().find(|r| r[5] == "aten::mm" || r[5] == "aten::addmm").unwrap();
    let profile = &imported.profile;
    let base = rows.iter().map(|r| number(&r[2])).min().unwrap();
    let name = wanted[5].as_str().unwrap();
    let is_it = |i: &usize| profile.slices.start[*i] == number(&wanted[2]) - base && profile.name_of(SliceId(*i as u32)) == name;
    let slice = (0..profile.slices.len()).find(is_it).unwrap();
    let fields = by_id("pftrace").unwrap().record(&input, profile, SliceId(slice as u32).into()).unwrap();
    assert!(fields.iter().any(|f| f.key == "name" && f.value == name));
    let args = truth["args"]["rows"].as_array().unwrap().iter().filter(|a| a[0] == wanted[0]);
    let mut n = 0;
    for arg in args {
        let key = arg[2].as_str().unwrap().trim_start_matches("debug.");
        let field = fields.iter().find(|f| f.key == key).unwrap_or_else(|| panic!("{key} is missing"));
        let value = [&arg[4], &arg[5], &arg[6]].into_iter().find(|v| !v.is_null()).unwrap();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let is_bool = arg[3] == "bool";
        assert!(field.value == text || is_bool && field.value == (value == 1).to_string(), "{key}: {} instead of {text}", field.value);
        n += 1;
    }
    assert!(n > 2);
}

/// A packet: field 1 of the trace with `body`.
fn packet(body: &[u8]) -> Vec<u8> {
    let mut out = vec![0x0A];
    varint(body.len() as u64, &mut out);
    out.extend_from_slice(body);
    out
}

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn field(number: u64, value: u64, out: &mut Vec<u8>) {
    varint(number << 3, out);
    varint(value, out);
}

fn message(number: u64, body: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(body.len() as u64, out);
    out.extend_from_slice(body);
}

/// An event of `kind` at `time` on track 0 of sequence 1, with a name.
fn event(time: u64, kind: u64, name: &str) -> Vec<u8> {
    let (mut event, mut body) = (Vec::new(), Vec::new());
    field(9, kind, &mut event);
    message(23, name.as_bytes(), &mut event);
    field(8, time, &mut body);
    field(10, 1, &mut body);
    message(11, &event, &mut body);
    packet(&body)
}

fn small() -> Vec<u8> {
    [event(100, 1, "outer"), event(150, 3, "moment"), event(200, 2, ""), event(300, 1, "open")].concat()
}

fn skipped(imported: &Imported) -> Vec<(&str, Severity, u64)> {
    imported.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.severity, s.count)).collect()
}

#[test]
fn unknown_packets_missing_state_and_cut_files_are_counted() {
    let given = |bytes: Vec<u8>| open(&InputSet::from_bytes("a.pftrace", bytes)).0;
    let whole = given(small());
    assert_eq!(slices(&whole.profile).iter().map(|s| (s.0, s.1)).collect::<Vec<_>>(), [(0, 100), (50, 0), (200, 0)]);
    assert_eq!(whole.ledger.notes.len(), 1, "the slice without an end is noted");
    let mut cut = small();
    cut.truncate(cut.len() - 3);
    assert_eq!(skipped(&given(cut)), [("truncated_packet", Severity::DataLoss, 1)]);
    let mut unknown = Vec::new();
    field(10, 1, &mut unknown);
    message(777, b"something", &mut unknown);
    assert_eq!(skipped(&given([small(), packet(&unknown)].concat())), [("other_packet", Severity::Info, 1)]);
    let mut needs = Vec::new();
    field(10, 9, &mut needs);
    field(13, 2, &mut needs);
    message(11, &[0x48, 1], &mut needs);
    assert_eq!(skipped(&given([small(), packet(&needs)].concat())), [("missing_state", Severity::DataLoss, 1)]);
    assert_eq!(skipped(&given([small(), event(400, 2, ""), event(410, 2, "")].concat())), [("unmatched_end", Severity::DataLoss, 1)]);
    assert_eq!(skipped(&given([small(), vec![0xFF; 9]].concat())), [("not_a_packet", Severity::DataLoss, 1)]);
    let mut late = Vec::new();
    field(8, u64::MAX, &mut late);
    field(10, 1, &mut late);
    message(11, &[0x48, 3], &mut late);
    assert_eq!(skipped(&given([small(), packet(&late)].concat())), [("time_overflow", Severity::DataLoss, 1)]);
}

#[test]
fn compressed_packets_are_inflated_and_never_nested() {
    use std::io::Write;
    let deflated = |bytes: &[u8]| {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        let mut body = Vec::new();
        message(50, &out.finish().unwrap(), &mut body);
        packet(&body)
    };
    let (imported, input) = open(&InputSet::from_bytes("a.pftrace", deflated(&small())));
    assert_eq!(imported.profile.slices.len(), 3);
    let sentence = by_id("pftrace").unwrap().record(&input, &imported.profile, SliceId(0).into()).unwrap_err().to_string();
    assert!(sentence.contains("compressed"), "{sentence}");
    let (nested, _) = open(&InputSet::from_bytes("a.pftrace", [event(1, 3, "a"), deflated(&deflated(&small()))].concat()));
    assert_eq!(skipped(&nested), [("nested_compression", Severity::DataLoss, 1)]);
}

#[test]
fn what_is_no_trace_is_not_claimed() {
    for bytes in [b"\x0A\x03abc".to_vec(), vec![0x0A], vec![0x0A; 64], b"\x0A\x00\x0A\x00".to_vec()] {
        let sentence = refusal(&InputSet::from_bytes("a.pftrace", bytes));
        assert!(sentence.contains("Expected"), "{sentence}");
    }
}

/// The profile when the file comes in blocks of `size` bytes.
fn in_blocks(bytes: &[u8], size: usize) -> Imported {
    let format = by_id("pftrace").unwrap();
    let heads = axonscope::formats::import::heads(&InputSet::from_bytes("a.pftrace", bytes.to_vec())).unwrap();
    let claim = claim(&heads).0.remove(0);
    let mut feeder = Feeder::new(format, &claim, "a.pftrace", bytes.len() as u64, false).unwrap();
    bytes.chunks(size.max(1)).for_each(|block| feeder.feed(block).unwrap());
    feeder.finish().unwrap().0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_of_any_size_give_the_same(size in 1usize..200) {
        let whole = in_blocks(&small(), 1 << 20);
        let parts = in_blocks(&small(), size);
        prop_assert_eq!(slices(&whole.profile), slices(&parts.profile));
        prop_assert_eq!(whole.ledger, parts.ledger);
    }

    #[test]
    fn any_bytes_give_a_profile_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let input = InputSet::from_bytes("a.pftrace", [small(), packet(&bytes), bytes].concat());
        for (_, outcome) in axonscope::formats::import::import(&input).into_iter().flatten() {
            if let Ok((imported, input)) = outcome {
                imported.profile.check().unwrap();
                let format = by_id(&imported.profile.meta.format).unwrap();
                for slice in 0..imported.profile.slices.len().min(50) {
                    // A sentence is as good as fields; a panic is not.
                    let _ = format.record(&input, &imported.profile, SliceId(slice as u32).into());
                }
            }
        }
    }
}

#[test]
fn damaged_real_traces_never_panic() {
    let Some(traces) = traces() else { return };
    for path in traces.iter().filter(|p| std::fs::metadata(p).unwrap().len() < 4096) {
        let bytes = std::fs::read(path).unwrap();
        for at in 0..bytes.len() {
            for value in [0, 0x7f, 0xff, bytes[at] ^ 1] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                for (_, outcome) in axonscope::formats::import::import(&InputSet::from_bytes("a.pftrace", damaged)).into_iter().flatten() {
                    if let Ok((imported, _)) = outcome {
                        imported.profile.check().unwrap();
                    }
                }
            }
        }
    }
}
