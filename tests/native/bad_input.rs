//! Bad input gets a sentence: what was expected, what was found. Nothing panics, nothing hangs.

use crate::common::{open, refusal};
use axonscope::base::{InputSet, Severity};
use axonscope::formats::import::{self, Feeder};
use axonscope::formats::{Imported, by_id, claim};
use proptest::prelude::*;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn trace(events: &str) -> Vec<u8> {
    format!(r#"{{"schemaVersion": 1, "traceEvents": [{events}]}}"#).into_bytes()
}

fn x(name: &str, ts: &str, dur: &str) -> String {
    format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
}

fn named(name: &str, bytes: Vec<u8>) -> InputSet {
    InputSet::from_bytes(name, bytes)
}

#[track_caller]
fn refuses(bytes: Vec<u8>, words: &[&str]) {
    let sentence = refusal(&named("given.file", bytes));
    for word in words {
        assert!(sentence.contains(word), "`{word}` is not in: {sentence}");
    }
}

fn kinds(imported: &Imported) -> Vec<(&str, Severity, u64)> {
    imported.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.severity, s.count)).collect()
}

#[test]
fn what_is_no_profile_is_named() {
    refuses(vec![], &["`given.file`", "empty", "0 bytes", "Expected one of", "PyTorch profiler trace"]);
    refuses(vec![b'{'], &["`given.file`", "JSON object without keys", "Expected one of"]);
    refuses(vec![7], &["07", "Expected one of"]);
    refuses(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), &["PNG image", "Expected one of"]);
    refuses(b"<!DOCTYPE html><html><body>404</body></html>".to_vec(), &["HTML page", "Expected one of"]);
    refuses(b"step,loss\n1,2\n".to_vec(), &["text that starts with `step,loss", "Expected one of"]);
    refuses(br#"{"name": "package", "version": 1}"#.to_vec(), &["`name`, `version`", "PyTorch profiler trace"]);
    refuses(b"[1, 2, 3]".to_vec(), &["JSON list", "`ph`"]);
    refuses(br#"{"traceEvents": 5}"#.to_vec(), &["Expected", "`traceEvents`"]);
}

#[test]
fn gzip_says_what_is_wrong_with_it() {
    let text = trace(&[x("a", "1", "1"), x("b", "5", "1")].join(","));
    let whole = gzip(&text);
    refuses(gzip(&whole), &["gzip inside gzip", "gunzip"]);
    refuses(whole[..12].to_vec(), &["gzip", "truncated"]);
    refuses(gzip(b"\x89PNG\r\n"), &["PNG image"]);
    let two = [gzip(&text[..40]), gzip(&text[40..])].concat();
    assert_eq!(open(&named("two members", two)).0.profile.slices.len(), 2);
    let padded = [whole.clone(), vec![0; 100]].concat();
    assert!(open(&named("padded", padded)).0.ledger.skipped.is_empty());
    let mut wrong = whole.clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    let (imported, _) = open(&named("wrong checksum", wrong));
    assert_eq!((imported.profile.slices.len(), kinds(&imported)[0]), (2, ("damaged_gzip", Severity::DataLoss, 1)));
}

#[test]
fn inflated_text_is_read_at_any_offset() {
    let text: Vec<u8> = (0..36u32 << 18).flat_map(|i| (i.wrapping_mul(i) >> 7).to_le_bytes()).collect();
    let (first, second) = text.split_at(21 << 20);
    let raw = axonscope::base::Member::from_bytes("x.gz", [gzip(first), gzip(second)].concat());
    let member = import::inflated(&raw).unwrap();
    assert_eq!(member.len(), text.len() as u64);
    for offset in [0, 5, 16 << 20, (16 << 20) - 3, 21 << 20, (21 << 20) - 7, 33 << 20, text.len() - 10] {
        assert!(member.read(offset as u64, 10).unwrap() == text[offset..offset + 10], "at {offset}");
    }
    assert!(member.read(1, text.len() as u64 - 1).unwrap() == text[1..]);
    assert!(member.read(text.len() as u64, 1).is_err());
}

#[test]
fn what_is_cut_keeps_what_was_read() {
    let events: Vec<String> = (0..20_000).map(|i| x(&format!("op{i}"), &i.to_string(), "0.5")).collect();
    let text = trace(&events.join(",\n"));
    let (imported, _) = open(&named("cut.json", text[..text.len() / 2].to_vec()));
    let n = imported.profile.slices.len();
    assert!((9_900..10_300).contains(&n), "{n}");
    let found: Vec<&str> = kinds(&imported).iter().map(|k| k.0).collect();
    assert_eq!(found, ["truncated_record", "truncated_json"]);
    let packed = gzip(&text);
    let (imported, _) = open(&named("cut.json.gz", packed[..packed.len() / 2].to_vec()));
    assert!(imported.profile.slices.len() > 5_000, "{}", imported.profile.slices.len());
    let kinds = kinds(&imported);
    assert_eq!((kinds[0].0, kinds[0].1), ("truncated_gzip", Severity::DataLoss));
    assert!(kinds.iter().any(|k| k.0 == "truncated_record"), "{kinds:?}");
}

#[test]
fn times_beyond_reason_are_counted() {
    let events = [
        x("negative", "1", "-5"),
        x("nan", "2", "NaN"),
        x("huge", "3", "1e300"),
        x("long", "4", "9000000000000000"),
        x("far", "-9223372036854775", "1"),
        x("late", "9223372036854775", "9223372036854775"),
    ];
    let (imported, _) = open(&named("x", trace(&events.join(","))));
    assert_eq!(imported.profile.check(), Ok(()));
    assert_eq!(imported.profile.slices.len(), 6);
    assert_eq!(kinds(&imported), [("negative_duration", Severity::Warning, 1), ("missing_duration", Severity::Warning, 2)]);
}

#[test]
fn deep_and_long_texts_are_read() {
    let deep = format!(
        r#"{{"ph":"X","name":"deep","pid":1,"tid":1,"ts":1,"dur":1,"args":{{"a":{}1{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let long = x(&"n".repeat(10 << 20), "2", "1");
    let html = x("<script>alert('x')</script>", "3", "1");
    let (imported, readable) = open(&named("x", trace(&[deep, long, html].join(","))));
    let p = &imported.profile;
    assert_eq!((p.check(), p.slices.len(), imported.ledger.skipped.len()), (Ok(()), 3, 0));
    let mut lengths: Vec<usize> = (0..3).map(|i| p.name_of(axonscope::base::SliceId(i)).len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [4, 27, 10 << 20]);
    for i in 0..3 {
        let fields = by_id("kineto").unwrap().record(&readable, p, axonscope::base::SliceId(i).into()).unwrap();
        assert!(fields.iter().any(|f| f.key == "name" && f.value == p.name_of(axonscope::base::SliceId(i))));
    }
    let text = format!(r#"{{"schemaVersion": 1, "traceEvents": {}"#, "[".repeat(100_000));
    let (imported, _) = open(&named("x", text.into_bytes()));
    assert_eq!(kinds(&imported)[0].0, "truncated_record");
}

#[test]
fn the_same_event_twice_stays_two() {
    let (imported, _) = open(&named("x", trace(&[x("a", "1", "1"), x("a", "1", "1")].join(","))));
    assert_eq!(imported.profile.slices.len(), 2);
    assert_eq!(imported.profile.check(), Ok(()));
    let id = r#"{"ph":"s","id":1,"pid":1,"tid":1,"ts":1,"cat":"c","name":"c"}"#;
    let (imported, _) = open(&named("x", trace(&[&x("a", "1", "1"), id, id, id].join(","))));
    assert_eq!(kinds(&imported), [("flow_single", Severity::Info, 3)]);
}

#[test]
fn a_quote_too_many_costs_one_record() {
    let mut events: Vec<String> = (0..5_000).map(|i| x(&format!("op{i}"), &i.to_string(), "0.5")).collect();
    events[10] = x("a \\\" quoted \\\" and \" one more", "10", "0.5");
    events[2_000] = x("broken \" too", "2000", "0.5");
    let (imported, _) = open(&named("x", trace(&events.join(",\n"))));
    assert_eq!((imported.profile.slices.len(), imported.profile.check()), (5_000, Ok(())));
    assert_eq!(kinds(&imported), [("repaired_quotes", Severity::Warning, 2)]);
}

/// Imports in blocks of the given sizes, over and over.
fn feed(bytes: &[u8], sizes: &[usize]) -> Option<Imported> {
    let input = named("x", bytes.to_vec());
    let heads = import::heads(&input).unwrap();
    let (claims, _) = claim(&heads);
    let claim = claims.first().filter(|c| c.format == "kineto")?;
    let mut feeder = Feeder::new(by_id("kineto").unwrap(), claim, "x", bytes.len() as u64, heads[0].is_gzip)?;
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (block, after) = rest.split_at((*size).clamp(1, rest.len()));
        feeder.feed(block).ok()?;
        rest = after;
    }
    feeder.finish().ok().map(|f| f.0)
}

type Shape = (Vec<i64>, Vec<i64>, Vec<String>, Vec<i64>, Vec<(String, u64)>);

fn shape(imported: &Imported) -> Shape {
    let p = &imported.profile;
    let names = p.slices.name.iter().map(|n| p.strings.get(*n).to_string()).collect();
    let skipped = imported.ledger.skipped.iter().filter(|s| s.kind != "stray_text");
    let skipped = skipped.map(|s| (s.kind.clone(), s.count)).collect();
    (p.slices.start.clone(), p.slices.duration.clone(), names, p.instants.time.clone(), skipped)
}

const SEEDS: [&[u8]; 3] = [
    include_bytes!("../cases/kineto/phases/phases.json"),
    include_bytes!("../cases/kineto/hazards/hazards.json"),
    include_bytes!("../cases/kineto/chrome_list/list.json"),
];

/// A fixture with some bytes changed, dropped or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), 0u8..4, prop::sample::select(b"\"\\{}[],:0-9eEaN\n\xff\0".to_vec()));
    (0..SEEDS.len(), prop::collection::vec(change, 0..8)).prop_map(|(seed, changes)| {
        let mut bytes = SEEDS[seed].to_vec();
        for (at, what, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(bytes.len().min(at + bytes.len() / 2)),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), packed: bool) {
        let text = [b"{\"traceEvents\": [", &bytes[..]].concat();
        for bytes in [bytes.clone(), text.clone(), [b"\x1f\x8b\x08", &bytes[..]].concat()] {
            let bytes = if packed { gzip(&bytes) } else { bytes };
            for (_, outcome) in import::import(&named("x", bytes)).into_iter().flatten() {
                if let Ok((imported, _)) = outcome {
                    prop_assert_eq!(imported.profile.check(), Ok(()));
                }
            }
        }
    }

    #[test]
    fn block_sizes_make_no_difference(bytes in mutated(), sizes in prop::collection::vec(1usize..700, 1..6), packed: bool) {
        let raw = if packed { gzip(&bytes) } else { bytes };
        let (once, often) = (feed(&raw, &[raw.len().max(1)]), feed(&raw, &sizes));
        prop_assert_eq!(once.is_some(), often.is_some());
        if let (Some(once), Some(often)) = (once, often) {
            prop_assert_eq!(once.profile.check(), Ok(()));
            prop_assert_eq!(shape(&once), shape(&often));
        }
    }
}

/// A file that is as long as it says and holds a head and blanks; counts what is read of it.
struct Sparse {
    head: Vec<u8>,
    len: u64,
    n_read: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl axonscope::base::ByteSource for Sparse {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), axonscope::base::SourceError> {
        self.n_read.fetch_add(out.len() as u64, std::sync::atomic::Ordering::Relaxed);
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = self.head.get(offset as usize + i).copied().unwrap_or(b' ');
        }
        Ok(())
    }
}

#[test]
fn what_would_not_fit_in_memory_is_refused_before_it_is_read() {
    let n_read = std::sync::Arc::default();
    let head = trace(&x("a", "1", "1"));
    let source = Sparse { head, len: 9_000_000_000, n_read: std::sync::Arc::clone(&n_read) };
    let input = InputSet { members: vec![axonscope::base::Member::new("huge.json", std::sync::Arc::new(source))] };
    let sentence = refusal(&input);
    for word in ["`huge.json`", "needs about", "GiB", "at most 3.26 GiB", "Record fewer steps"] {
        assert!(sentence.contains(word), "`{word}` is not in: {sentence}");
    }
    assert!(n_read.load(std::sync::atomic::Ordering::Relaxed) < 1 << 20);
}
