//! Cases as files: `tests/cases/<format>/<case>/` holds the files of a drop, and `expected.txt` what they become. A new case is a folder.
//!
//! `make cases` writes what is expected anew and shows what changed; without a change of the format's reader nothing may.

use crate::support::{EXPECTED, cases, corpus, promises, targets, text};
use axonscope::base::InputSet;
use std::collections::{BTreeMap, BTreeSet};

/// Formats that must have a case of a whole file, and one of a bad one.
fn formats() -> Vec<&'static str> {
    axonscope::formats::ALL.iter().map(|format| format.id()).collect()
}

fn is_renewed() -> bool {
    std::env::var("AXONSCOPE_RENEW").as_deref() == Ok("1")
}

/// The first line that differs, with its number.
fn difference(expected: &str, found: &str) -> Option<String> {
    let (expected, found) = (expected.lines().chain([""]), found.lines().chain([""]));
    let differing = expected.zip(found).enumerate().find(|(_, (expected, found))| expected != found);
    differing.map(|(at, (expected, found))| format!("line {}:\n    expected {expected}\n    found    {found}", at + 1))
}

#[test]
fn every_case_becomes_what_its_folder_says() {
    let mut wrong = Vec::new();
    let all = cases();
    assert!(all.len() > 20, "the cases were not found");
    for case in &all {
        let found = text::of_drop(&case.input());
        let file = case.folder.join(EXPECTED);
        if is_renewed() {
            std::fs::write(&file, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if expected != found {
            let what = difference(&expected, &found).unwrap_or_else(|| "one is longer than the other".into());
            wrong.push(format!("{}: {what}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ (`make cases` renews them):\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn every_format_has_a_whole_case_and_a_bad_one() {
    let of = |is_bad: bool| -> BTreeSet<String> {
        let texts = cases().into_iter().map(|case| (case.name, std::fs::read_to_string(case.folder.join(EXPECTED)).unwrap()));
        let is_one = |text: &str| text.contains("does not open: ") || text.contains("nothing opens: ") || text.contains("DataLoss ");
        texts.filter(|(_, text)| is_one(text) == is_bad).map(|(name, _)| name.split('/').next().unwrap().to_string()).collect()
    };
    let (whole, bad) = (of(false), of(true));
    for format in formats() {
        assert!(whole.contains(format), "tests/cases/{format} has no case of a whole file");
        assert!(bad.contains(format), "tests/cases/{format} has no case of a cut, empty or wrong file");
    }
}

#[test]
fn every_case_keeps_the_promises() {
    for case in cases() {
        let input = case.input();
        println!("{}", case.name);
        promises::of_a_drop(&input);
        for member in &input.members {
            let bytes = member.read(0, member.len()).unwrap();
            promises::blocks_make_no_difference(&member.name, &bytes, &[1]);
            promises::blocks_make_no_difference(&member.name, &bytes, &[7, 64, 3, 1000]);
        }
    }
}

/// The first member of each case cut in eighths, the others whole.
#[test]
fn a_case_cut_anywhere_keeps_the_promises() {
    for case in cases() {
        let input = case.input();
        for eighth in 0..8 {
            let mut cut = InputSet { members: input.members.clone() };
            let Some(first) = cut.members.first_mut() else { continue };
            let bytes = first.read(0, first.len() * eighth / 8).unwrap();
            *first = axonscope::base::Member::from_bytes(first.name.clone(), bytes);
            promises::of_a_drop(&cut);
        }
    }
}

/// What fuzzing kept, run again: inputs that reach something, and every one that once broke something. `make fuzz` looks for more.
#[test]
fn the_kept_corpus_is_survived() {
    let all = corpus();
    for (target, path) in &all {
        println!("{}", path.display());
        targets::run(target, &std::fs::read(path).unwrap());
    }
}

/// The same with bytes changed, copied, removed and put in from other inputs of the target: what `make fuzz` does, without coverage and in seconds.
#[test]
fn the_kept_corpus_with_changes_is_survived() {
    const CHANGED: usize = 50;
    let mut of_target: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for (target, path) in corpus() {
        of_target.entry(target).or_default().push(std::fs::read(path).unwrap());
    }
    // A xorshift generator: the same changes in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    for (target, inputs) in &of_target {
        for input in inputs {
            for _ in 0..CHANGED {
                let mut bytes = input.clone();
                for _ in 0..1 + below(4) {
                    let at = below(bytes.len());
                    let end = (at + 1 + below(16)).min(bytes.len());
                    match below(5) {
                        0 if at < bytes.len() => bytes[at] = below(256) as u8,
                        1 if at < bytes.len() => bytes[at] ^= 1 << below(8),
                        2 => drop(bytes.drain(at..end)),
                        3 => bytes.extend_from_within(at..end),
                        _ => {
                            let other = &inputs[below(inputs.len())];
                            let from = below(other.len());
                            let until = (from + 1 + below(32)).min(other.len());
                            bytes.splice(at..at, other[from..until].iter().copied());
                        }
                    }
                }
                println!("{target}: {}", bytes.escape_ascii());
                targets::run(target, &bytes);
            }
        }
    }
}

/// The targets of importers, on the cases of all formats: each importer is given what is of another format too.
#[test]
fn every_importer_survives_every_case() {
    let cases: Vec<(String, Vec<u8>)> = cases().into_iter().map(|case| (case.name.clone(), case.as_one_text())).collect();
    for format in formats() {
        for (name, bytes) in cases.iter().filter(|case| case.1.len() < 20_000) {
            println!("{format} on {name}");
            targets::run(format, bytes);
        }
    }
    for (target, _) in targets::OTHERS {
        cases.iter().for_each(|case| targets::run(target, &case.1));
    }
}
