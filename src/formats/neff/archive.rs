//! The members of a NEFF: a tar, usually packed. Read once, front to back; only what we look into is kept.

use super::header::HEADER;
use crate::base::{Ledger, Member, Severity};
use crate::formats::archive::is_plain;
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// Longest member that is kept, and how much is kept and unpacked in total.
const MAX_MEMBER_BYTES: u64 = 64 << 20;
const MAX_TOTAL_BYTES: u64 = 256 << 20;
const MAX_UNPACKED: u64 = 8 << 30;
/// A file unpacks to at most this much and this many times its size: what is more is made to exhaust us.
const MIN_UNPACKED: u64 = 256 << 20;
const MAX_RATIO: u64 = 200;
const MAX_MEMBERS: usize = 200_000;
const CHUNK: u64 = 1 << 20;

/// Content of an archive.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    /// Name and size of each member.
    pub members: Vec<(String, u64)>,
    sizes: FxHashMap<String, u64>,
    /// Content of the members that are read.
    pub files: FxHashMap<String, Vec<u8>>,
}

impl Archive {
    /// The content of a member; none when it is not there.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// The size of a member.
    pub fn size(&self, name: &str) -> Option<u64> {
        self.sizes.get(name).copied()
    }
}

/// Reads the archive after the header. Of a truncated or damaged archive the readable members are used, with an entry in the ledger.
pub(crate) fn read(member: &Member, data_size: u64, ledger: &mut Ledger) -> Archive {
    let start = HEADER as u64;
    let end = match start.checked_add(data_size) {
        Some(end) if end <= member.len() => end,
        _ => {
            let reason = "The header lists more data than the file has: the file is truncated.";
            ledger.skip(Severity::DataLoss, "truncated", reason, 0x10, || {
                format!("{data_size} bytes of data, file of {} bytes", member.len())
            });
            member.len()
        }
    };
    let is_packed = member.read_up_to(start, 2).is_ok_and(|b| b == [0x1f, 0x8b]);
    let limit = MIN_UNPACKED.saturating_add(member.len().saturating_mul(MAX_RATIO)).min(MAX_UNPACKED);
    let bytes = MemberReader { member, at: start, end, chunk: Vec::new(), used: 0 };
    let mut out = Archive::default();
    let outcome = match is_packed {
        true => read_tar(flate2::read::GzDecoder::new(bytes).take(limit), &mut out, ledger),
        false => read_tar(bytes.take(limit), &mut out, ledger),
    };
    if let Err(error) = outcome {
        let reason = "The archive ends early or is damaged; the members before this point are used.";
        ledger.skip(Severity::DataLoss, "broken_archive", reason, start, || format!("after {} members: {error}", out.members.len()));
    }
    out
}

fn read_tar(reader: impl Read, out: &mut Archive, ledger: &mut Ledger) -> io::Result<()> {
    let mut n_bytes = 0;
    let mut archive = tar::Archive::new(reader);
    // Raw: long names of unbounded length are not for us to assemble.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        let size = entry.header().entry_size()?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        ledger.read += 1;
        if out.members.len() >= MAX_MEMBERS {
            return Err(io::Error::other("more members than the limit"));
        }
        if !is_plain(&name) {
            let reason = "A member with a path outside the archive; it is not read.";
            ledger.skip(Severity::Warning, "unsafe_member", reason, 0, || name.clone());
            continue;
        }
        if !entry.header().entry_type().is_file() {
            let reason = "A directory, link or other special member has no content.";
            ledger.skip(Severity::Info, "special_member", reason, 0, || name.clone());
            continue;
        }
        ledger.shown += 1;
        let name = name.trim_start_matches("./").to_string();
        out.members.push((name.clone(), size));
        out.sizes.insert(name.clone(), size);
        if !is_wanted(&name) {
            continue;
        }
        if size > MAX_MEMBER_BYTES || n_bytes + size > MAX_TOTAL_BYTES {
            let reason = "A member too large to read: only its size is shown.";
            ledger.skip(Severity::Warning, "long_member", reason, 0, || format!("{name}: {size} bytes"));
            continue;
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        n_bytes += content.len() as u64;
        out.files.insert(name, content);
    }
    Ok(())
}

fn is_wanted(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_program = crate::formats::ntff::NEFF_ENGINES.iter().any(|engine| file.strip_suffix(".bin") == Some(engine));
    file.starts_with("debug_info")
        || is_program
        || file.ends_with(super::functions::MEMBER)
        || ["info.json", "kelf-0.json", "hlo_stats.json", "def.json", "tensor_map.json"].contains(&file)
}

/// An interval of a member as a stream.
struct MemberReader<'a> {
    member: &'a Member,
    at: u64,
    end: u64,
    chunk: Vec<u8>,
    used: usize,
}

impl Read for MemberReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.chunk.len() {
            let n = CHUNK.min(self.end.saturating_sub(self.at));
            self.chunk = self.member.read_up_to(self.at, n).map_err(io::Error::other)?;
            self.at += self.chunk.len() as u64;
            self.used = 0;
        }
        let n = out.len().min(self.chunk.len() - self.used);
        out[..n].copy_from_slice(&self.chunk[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}
