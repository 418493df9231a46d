//! Archives are directories: their members are found, read and named; what is hostile in them is refused with a sentence.

use crate::common::refusal;
use axonscope::base::{InputSet, Member, SliceId};
use axonscope::formats::{by_id, import, inspect};
use proptest::prelude::*;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn trace(name: &str, n: usize) -> Vec<u8> {
    let event =
        |i: usize| format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}{}","pid":1,"tid":1,"ts":{i},"dur":0.5,"args":{{"i":{i}}}}}"#, i % 7);
    let events: Vec<String> = (0..n).map(event).collect();
    format!(r#"{{"schemaVersion": 1, "traceEvents": [{}]}}"#, events.join(",\n")).into_bytes()
}

/// How a member of a test archive is written.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Stored,
    Deflated,
    Encrypted,
    /// Deflated, and said to be so long.
    Claims(u32),
}

/// A ZIP archive of (name, content, how).
fn zip(files: &[(&str, &[u8], How)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content, how) in files {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let data = if *how == How::Stored {
            content.to_vec()
        } else {
            let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(content).unwrap();
            packer.finish().unwrap()
        };
        let method: u16 = if *how == How::Stored { 0 } else { 8 };
        let flags = u16::from(*how == How::Encrypted);
        let unpacked = if let How::Claims(n) = how { *n } else { content.len() as u32 };
        let mut shared = Vec::new();
        for field in [20, flags, method, 0, 0] {
            shared.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), data.len() as u32, unpacked] {
            shared.extend(field.to_le_bytes());
        }
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend([0, 0]);
        let at = out.len() as u32;
        out.extend(b"PK\x03\x04");
        out.extend(&shared);
        out.extend(name.bytes());
        out.extend(&data);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&shared);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (n, size, from) = (files.len() as u16, directory.len() as u32, out.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([n.to_le_bytes(), n.to_le_bytes()].concat());
    out.extend([size.to_le_bytes(), from.to_le_bytes()].concat());
    out.extend([3, 0]);
    out.extend(b"end");
    out
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        out.append_data(&mut header, name, *content).unwrap();
    }
    out.into_inner().unwrap()
}

fn set(name: &str, bytes: Vec<u8>) -> InputSet {
    InputSet::from_bytes(name, bytes)
}

/// Names, slices and members of the profiles in it, and that their records can be read back.
#[track_caller]
fn profiles(input: &InputSet) -> Vec<(String, usize)> {
    import::import(input)
        .unwrap()
        .into_iter()
        .map(|(claim, outcome)| {
            let (imported, readable) = outcome.unwrap();
            let p = &imported.profile;
            assert_eq!(p.check(), Ok(()));
            assert_eq!(imported.ledger.members.len(), claim.members.len());
            for at in [0, p.slices.len() / 2, p.slices.len() - 1] {
                let fields = by_id(&claim.format).unwrap().record(&readable, p, SliceId(at as u32).into()).unwrap();
                assert!(fields.iter().any(|f| f.key == "name" && f.value == p.name_of(SliceId(at as u32))), "{fields:?}");
            }
            (imported.ledger.members[0].clone(), p.slices.len())
        })
        .collect()
}

#[test]
fn members_of_an_archive_are_profiles() {
    let (a, b) = (trace("a", 3000), trace("b", 40));
    let packed = gzip(&b);
    let want = [("logs.zip/run/a.json".to_string(), 3000), ("logs.zip/run/b.json.gz".to_string(), 40)];
    let litter: (&str, &[u8], How) = ("__MACOSX/run/._a.json", b"x", How::Stored);
    for how in [How::Stored, How::Deflated] {
        let archive = zip(&[("run/a.json", &a, how), ("run/b.json.gz", &packed, how), litter, ("readme.txt", b"hello", how)]);
        let input = set("logs.zip", archive);
        assert_eq!(profiles(&input), want);
        let inspection = inspect::inspect(&input).unwrap();
        assert_eq!((inspection.unclaimed, inspection.notes), (vec!["logs.zip/readme.txt".to_string()], vec![]));
        assert_eq!(inspection.found[1].files, [0]);
        // What is picked by name is what was found.
        let found = &inspection.found[1];
        let picked = inspect::pick(&input, &found.claim, &found.paths).unwrap();
        assert_eq!(import::import_claim(&picked, &found.claim, &mut |_| ()).unwrap().0.profile.slices.len(), 40);
    }
    let long = format!("{}/a.json", "d".repeat(150));
    let archive = tar(&[("run/a.json", &a), (&long, &a), ("run/b.json.gz", &packed)]);
    for (name, bytes) in [("logs.tar", archive.clone()), ("logs.tar.gz", gzip(&archive))] {
        let want: Vec<(String, usize)> =
            [("run/a.json", 3000), (&long, 3000), ("run/b.json.gz", 40)].iter().map(|(n, c)| (format!("{name}/{n}"), *c)).collect();
        assert_eq!(profiles(&set(name, bytes)), want);
    }
}

#[test]
fn archives_stand_beside_files() {
    let input = InputSet {
        members: vec![
            Member::from_bytes("one.zip", zip(&[("a.json", &trace("a", 5), How::Deflated)])),
            Member::from_bytes("b.json", trace("b", 6)),
        ],
    };
    assert_eq!(profiles(&input), [("one.zip/a.json".to_string(), 5), ("b.json".to_string(), 6)]);
    assert_eq!(inspect::inspect(&input).unwrap().found[1].files, [1]);
}

#[test]
fn a_hostile_member_is_refused_and_the_others_are_read() {
    let good = trace("a", 9);
    let check = |bytes: Vec<u8>, words: &[&str]| {
        let inspection = inspect::inspect(&set("x.zip", bytes)).unwrap();
        assert_eq!(inspection.found.len(), 1, "{inspection:?}");
        for word in words {
            assert!(inspection.notes.concat().contains(word), "`{word}` is not in {:?}", inspection.notes);
        }
    };
    check(zip(&[("../evil.json", &good, How::Stored), ("a.json", &good, How::Stored)]), &["../evil.json", "path outside the archive"]);
    check(zip(&[("secret.json", &good, How::Encrypted), ("a.json", &good, How::Stored)]), &["secret.json", "encrypted", "password"]);
    check(
        zip(&[("bomb.json", &good, How::Claims(u32::MAX)), ("a.json", &good, How::Stored)]),
        &["bomb.json", "unpack to 4.00 GiB", "malicious"],
    );
    let mut tarred = tar(&[("aa/evil.json", &good), ("a.json", &good)]);
    tarred[..2].copy_from_slice(b"..");
    let sum: u32 = tarred[..512].iter().enumerate().map(|(i, &b)| u32::from(if (148..156).contains(&i) { b' ' } else { b })).sum();
    tarred[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    check(tarred, &["../evil.json", "path outside the archive"]);
}

#[test]
fn an_archive_that_holds_nothing_gets_a_sentence() {
    let says = |bytes: Vec<u8>, words: &[&str]| {
        let sentence = refusal(&set("x.zip", bytes));
        for word in words {
            assert!(sentence.contains(word), "`{word}` is not in: {sentence}");
        }
    };
    let good = trace("a", 9);
    let whole = zip(&[("a.json", &good, How::Stored)]);
    says(whole[..whole.len() - 30].to_vec(), &["x.zip", "directory", "truncated"]);
    says(zip(&[("secret.json", &good, How::Encrypted)]), &["encrypted"]);
    says(zip(&[]), &["Expected one of"]);
    says(zip(&[("inner.zip", &whole, How::Stored)]), &["x.zip/inner.zip", "ZIP archive"]);
    // A directory whose members share bytes: small files that unpack without end are built so.
    let mut bomb = zip(&[("a.json", &good, How::Stored), ("b.json", &good, How::Stored)]);
    let second = memchr::memmem::rfind(&bomb, b"PK\x01\x02").unwrap();
    bomb[second + 42..second + 46].copy_from_slice(&[0; 4]);
    says(bomb, &["`a.json`", "`b.json`", "share bytes"]);
}

#[test]
fn a_member_that_is_longer_than_it_says_is_cut_off() {
    // Said to be nine bytes long; what inflates beyond is damage, and the records before stand.
    let good = trace("a", 900);
    let (_, outcome) = import::import(&set("x.zip", zip(&[("a.json", &good, How::Claims(9))]))).unwrap().remove(0);
    let ledger = outcome.unwrap().0.ledger;
    assert!(ledger.skipped.iter().any(|s| s.kind == "damaged_gzip"), "{ledger:?}");
}

#[test]
fn a_neff_serves_every_trace_of_its_uuid() {
    let Some(dir) = crate::common::conformance("neuron/fused_attention") else {
        return;
    };
    let read = |name: &str| std::fs::read(dir.join(name)).unwrap();
    let (ntff, neff) = (read("fused_exec_2.ntff"), read("fused.neff"));
    let archive = tar(&[("nc0.ntff", &ntff), ("fused.neff", &neff), ("nc1.ntff", &ntff)]);
    let found = inspect::inspect(&set("run.tar", archive)).unwrap().found;
    let paths: Vec<Vec<&str>> = found.iter().map(|f| f.paths.iter().map(String::as_str).collect()).collect();
    assert_eq!(paths, [["run.tar/nc0.ntff", "run.tar/fused.neff"], ["run.tar/nc1.ntff", "run.tar/fused.neff"]]);
    let files =
        ["a.ntff", "b.ntff", "c.neff"].map(|n| Member::from_bytes(n, if n.ends_with("neff") { neff.clone() } else { ntff.clone() }));
    let found = inspect::inspect(&InputSet { members: files.to_vec() }).unwrap().found;
    assert_eq!(found.iter().map(|f| f.files.clone()).collect::<Vec<_>>(), [[0, 2], [1, 2]]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_archives_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), cut in any::<prop::sample::Index>(), kind in 0..4,
    ) {
        let (a, b) = (trace("a", 20), gzip(&trace("b", 20)));
        let mut bytes = match kind {
            0 => zip(&[("r/a.json", &a, How::Stored), ("r/b.json.gz", &b, How::Deflated)]),
            1 => zip(&[("r/a.json", &a, How::Deflated)]),
            2 => tar(&[("r/a.json", &a), ("r/b.json.gz", &b)]),
            _ => gzip(&tar(&[("r/a.json", &a), ("r/b.json.gz", &b)])),
        };
        // Headers and directory are where changes tell most.
        let n = bytes.len();
        for (i, (at, byte)) in changes.iter().enumerate() {
            let at = match i % 3 { 0 => at.index(n.min(600)), 1 => n - 1 - at.index(n.min(200)), _ => at.index(n) };
            bytes[at] = *byte;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(n));
        }
        for (_, outcome) in import::import(&set("x", bytes)).into_iter().flatten() {
            if let Ok((imported, _)) = outcome {
                prop_assert_eq!(imported.profile.check(), Ok(()));
            }
        }
    }

    #[test]
    fn arbitrary_directories_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), fields in prop::collection::vec(any::<u32>(), 3)) {
        let mut archive = [b"PK\x03\x04".as_slice(), &bytes, b"PK\x01\x02", &bytes].concat();
        archive.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        archive.extend((fields[0] % 1000).to_le_bytes());
        archive.extend((fields[1] % 1000).to_le_bytes());
        archive.extend([0, 0]);
        // Whether it is refused or found empty, nothing breaks.
        prop_assert!(import::import(&set("x.zip", archive)).is_err());
    }
}
