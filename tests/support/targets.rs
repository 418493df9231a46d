//! What is run on hostile bytes: by libFuzzer (`fuzz/`), and on the kept corpus by the native tests. Each returns or panics.

use super::promises;
use axonscope::base::{InputSet, Member};
use axonscope::engine::{Answer, Query};
use axonscope::formats::{self, Claim, import};
use axonscope::worker::protocol::{ToPage, ToWorker, decode, encode};

/// A drop of several files as one text: this line, then of each file its name and its length, a line each, and its bytes.
pub const SEVERAL: &[u8] = b"several files\n";

/// What a target does with bytes.
pub type Target = fn(&[u8]);

/// The targets that are no importer, by name.
pub const OTHERS: &[(&str, Target)] = &[("archives", archives), ("gzip", gzip), ("wire", wire), ("arrow", arrow)];

/// Runs the target of that name: an importer's id, or one of [`OTHERS`].
#[track_caller]
pub fn run(target: &str, bytes: &[u8]) {
    match OTHERS.iter().find(|other| other.0 == target) {
        Some((_, other)) => other(bytes),
        None => importer(target, bytes),
    }
}

/// The files that the bytes stand for.
pub fn drop_of(bytes: &[u8]) -> InputSet {
    let Some(mut rest) = bytes.strip_prefix(SEVERAL) else { return InputSet::from_bytes("given", bytes.to_vec()) };
    let line = |rest: &mut &[u8]| {
        let end = rest.iter().position(|b| *b == b'\n')?;
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        *rest = &rest[end + 1..];
        Some(text)
    };
    let mut members = Vec::new();
    while let (Some(name), Some(n_bytes)) = (line(&mut rest), line(&mut rest)) {
        let n_bytes = n_bytes.parse().unwrap_or(usize::MAX).min(rest.len());
        let (content, after) = rest.split_at(n_bytes);
        members.push(Member::from_bytes(name, content.to_vec()));
        rest = after.strip_prefix(b"\n").unwrap_or(after);
        // An importer takes a directory; a thousand empty files are another test.
        if members.len() == 16 {
            break;
        }
    }
    InputSet { members }
}

/// An importer on a claim of all files, whether it would have claimed them or not, and on what it claims itself.
#[track_caller]
fn importer(id: &str, bytes: &[u8]) {
    let format = formats::by_id(id).expect("a format");
    let input = drop_of(bytes);
    let forced = Claim { format: id.into(), members: (0..input.members.len()).collect(), recognised: String::new() };
    if let Ok((imported, readable)) = import::import_claim(&input, &forced, &mut |_| ()) {
        promises::sound(&imported, input.n_bytes());
        for slice in 0..imported.profile.slices.len().min(4) as u32 {
            let _ = format.record(&readable, &imported.profile, axonscope::base::SliceId(slice).into());
        }
    }
    promises::of_a_drop(&input);
    if let [member] = input.members.as_slice() {
        // Sizes that depend on the bytes: every run cuts elsewhere.
        let size = 1 + bytes.iter().fold(bytes.len(), |sum, b| sum.wrapping_mul(31).wrapping_add(usize::from(*b))) % 97;
        promises::blocks_make_no_difference(&member.name, bytes, &[size, 3, 61]);
    }
}

/// ZIP, tar and gzip by content, with all that is in them.
fn archives(bytes: &[u8]) {
    for name in ["given.zip", "given.tar", "given"] {
        promises::of_a_drop(&InputSet::from_bytes(name, bytes.to_vec()));
    }
}

/// The inflated text of a member is the same from any offset.
fn gzip(bytes: &[u8]) {
    let Ok(member) = import::inflated(&Member::from_bytes("given.gz", bytes.to_vec())) else { return };
    // What is not gzip is left as it is.
    let n_bytes = member.len().min(1 << 22);
    let Ok(whole) = member.read_up_to(0, n_bytes) else { return };
    for offset in (0..n_bytes).step_by(n_bytes as usize / 5 + 1) {
        let part = member.read_up_to(offset, 100).expect("it was read before");
        assert!(part == whole[offset as usize..(offset as usize + part.len()).min(whole.len())], "at {offset}");
    }
}

/// A message that is read is written as bytes that are read as the same one. Floats may be NaN: bytes are compared.
fn wire(bytes: &[u8]) {
    fn survives<T: serde::Serialize + serde::de::DeserializeOwned>(bytes: &[u8]) {
        let Ok(message) = decode::<T>(bytes) else { return };
        let written = encode(&message).expect("encoded");
        let again: T = decode(&written).expect("what was written is read");
        assert!(encode(&again).expect("encoded") == written);
    }
    survives::<ToWorker>(bytes);
    survives::<ToPage>(bytes);
    survives::<Query>(bytes);
    survives::<Answer>(bytes);
}

/// A stream of Arrow, as DuckDB gives it.
fn arrow(bytes: &[u8]) {
    let _ = axonscope::base::arrow::read(bytes);
}
