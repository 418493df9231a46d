//! The error for files that no format claims: what was expected, what was found.

use super::gzip::is_gzip;
use super::json::{Root, root};
use super::{ALL, ImportError};
use crate::base::MemberHead;

/// One sentence for each of the first few files, and the known formats.
pub fn explain(heads: &[MemberHead]) -> ImportError {
    const N_NAMED: usize = 3;
    if heads.is_empty() {
        return ImportError::Unrecognised(format!("There is no file to open. {}", expected()));
    }
    let mut out: Vec<String> = heads.iter().take(N_NAMED).map(|h| format!("`{}` {}.", h.name, found(h))).collect();
    if heads.len() > N_NAMED {
        out.push(format!("The same applies to {} more.", heads.len() - N_NAMED));
    }
    out.extend(super::tensorboard_neuron::likely_causes(heads));
    out.push(expected());
    ImportError::Unrecognised(out.join(" "))
}

/// The titles of all formats.
fn expected() -> String {
    let known: Vec<String> = ALL.iter().map(|f| f.info().title).collect();
    format!("Expected one of: {}.", known.join("; "))
}

/// What the file seems to be: the end of a sentence that begins with its name.
fn found(head: &MemberHead) -> String {
    let bytes = &head.head[..];
    if head.len == 0 {
        return "is empty: 0 bytes".into();
    }
    if head.is_gzip && bytes.is_empty() {
        return "starts like gzip, but no text could be unpacked; it is damaged or truncated".into();
    }
    if head.is_gzip && is_gzip(bytes) {
        return "is gzip inside gzip; unpack it once (`gunzip FILE`) and open the result".into();
    }
    if let Some(answer) = super::exports::how_to_export(head) {
        return answer.into();
    }
    if let Some(kind) = binary_kind(bytes) {
        return format!("is {kind}, not a profile");
    }
    if is_html(bytes) {
        return "is an HTML page, not a profile; perhaps a download page or an error message was saved in its place".into();
    }
    match root(bytes) {
        Some(Root::Object { keys, .. }) if keys.is_empty() => "is a JSON object without keys, not a profile".into(),
        Some(Root::Object { keys, .. }) => {
            let keys: Vec<String> = keys.into_iter().map(|k| k.name).collect();
            format!("is JSON, but not a supported profile: its root has the keys {}", some_of(&keys))
        }
        Some(Root::List { keys }) => list(&keys),
        None if bytes.iter().all(|b| (0x20..0x7f).contains(b) || b.is_ascii_whitespace()) => {
            format!("is text that starts with `{}`, not a profile", beginning(bytes))
        }
        None => {
            let hex: Vec<String> = bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
            format!("has {} bytes of an unknown type; it starts with the bytes {}", head.len, hex.join(" "))
        }
    }
}

/// What a JSON list would need to be one of ours.
fn list(keys: &[String]) -> String {
    let wanted = "neither trace events (key `ph`) nor an operator table (names, times and devices, or the name \
                  `neuron_framework_op.json` or `neuron_hlo_op.json`)";
    match keys {
        [] => format!("is a JSON list without objects: {wanted}"),
        keys => format!("is a JSON list of objects with the keys {}: {wanted}", some_of(keys)),
    }
}

/// The first few of some keys.
fn some_of(keys: &[String]) -> String {
    let shown: Vec<String> = keys.iter().take(8).map(|k| format!("`{k}`")).collect();
    let more = if keys.len() > shown.len() { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).replace(['\n', '\r', '\t'], " ").trim().to_string()
}

fn is_html(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let start = String::from_utf8_lossy(&start[..start.len().min(64)]).to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body"].iter().any(|mark| start.starts_with(mark))
}

fn binary_kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 12] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
        (b"\xfd7zXZ", "an XZ archive"),
        (b"BZh", "a bzip2 archive"),
        (b"\x7fELF", "an ELF program"),
        (b"SQLite format 3", "an SQLite database (perhaps of Nsight Systems)"),
        (b"PAR1", "a Parquet table"),
        (b"\x80\x02", "a Python pickle (perhaps a memory snapshot)"),
    ];
    let tar = bytes.get(257..262) == Some(b"ustar");
    KINDS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|k| k.1).or(tar.then_some("a TAR archive"))
}
