//! ZIP: a directory at the end names the members. Stored and deflated ones are read, ZIP64 included; encrypted ones are refused.
//!
//! A reader of our own, because the members must stay in the file: a deflated one is presented as the gzip file of the same data.

use super::{ArchiveError, Entry, Listing, MAX_MEMBERS, is_litter, is_plain, part};
use crate::base::Order as _;
use crate::base::{ByteSource, Member, SourceError};
use crate::formats::gzip::INFLATED_MAX;
use std::sync::Arc;

const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// The end record and the longest comment after it.
const END_MAX: u64 = 22 + 65_535;
/// The longest directory that is read, bytes.
const DIRECTORY_MAX: u64 = 32 << 20;
/// Deflate cannot pack more tightly: a member that claims to was made to exhaust us.
const RATIO_MAX: u64 = 1_100;

/// Whether bytes begin as a ZIP archive does.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(LOCAL) || head.starts_with(END)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A member's entry in the directory.
struct Record {
    name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    local: u64,
}

/// The members of an archive, in the order of its directory.
pub(super) fn list(archive: &Member) -> Result<Listing, ArchiveError> {
    let directory = directory(archive)?;
    let mut out = Listing::default();
    let mut taken: Vec<(u64, u64, String)> = Vec::new();
    let mut at = 0;
    let mut n_members = 0;
    while directory.get(at..at + 4) == Some(CENTRAL) {
        let Some((record, next)) = record(&directory, at) else {
            out.note("its directory is truncated; the rest is not read.".into());
            break;
        };
        at = next;
        n_members += 1;
        if n_members > MAX_MEMBERS {
            out.note(format!("it has more than {MAX_MEMBERS} members; the first ones are used."));
            break;
        }
        if record.name.ends_with('/') || is_litter(&record.name) {
            continue;
        }
        match entry(archive, &record) {
            Ok((entry, from)) => {
                taken.push((from, from + record.packed, record.name.clone()));
                out.entries.push(entry);
            }
            Err(why) => out.note(why.to_string()),
        }
    }
    taken.order();
    if let Some(pair) = taken.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        return Err(ArchiveError::SharedBytes(pair[0].2.clone(), pair[1].2.clone()));
    }
    Ok(out)
}

/// The bytes of the directory.
fn directory(archive: &Member) -> Result<Vec<u8>, ArchiveError> {
    let n_tail = END_MAX.min(archive.len());
    let tail_from = archive.len() - n_tail;
    let tail = archive.read(tail_from, n_tail)?;
    let at = memchr::memmem::rfind(&tail, END).ok_or(ArchiveError::NoDirectory)?;
    let (mut size, mut from) = (u32_at(&tail, at + 12).map(u64::from), u32_at(&tail, at + 16).map(u64::from));
    if let Some(locator) = at.checked_sub(20).filter(|&l| tail.get(l..l + 4) == Some(LOCATOR_64)) {
        let end_64 = u64_at(&tail, locator + 8).ok_or(ArchiveError::NoDirectory)?;
        let end_64 = archive.read(end_64, 56)?;
        if end_64.starts_with(END_64) {
            (size, from) = (u64_at(&end_64, 40), u64_at(&end_64, 48));
        }
    }
    let (size, from) = size.zip(from).ok_or(ArchiveError::NoDirectory)?;
    if size > DIRECTORY_MAX {
        return Err(ArchiveError::LongDirectory { found: size, most: DIRECTORY_MAX });
    }
    archive.read(from, size).map_err(|_| ArchiveError::NoDirectory)
}

/// The record at `at`, and where the next one begins.
fn record(directory: &[u8], at: usize) -> Option<(Record, usize)> {
    let head = directory.get(at..at + 46)?;
    let (n_name, n_extra, n_comment) = (u16_at(head, 28)?, u16_at(head, 30)?, u16_at(head, 32)?);
    let name_from = at + 46;
    let extra_from = name_from + usize::from(n_name);
    let next = extra_from + usize::from(n_extra) + usize::from(n_comment);
    let mut out = Record {
        name: String::from_utf8_lossy(directory.get(name_from..extra_from)?).into_owned(),
        flags: u16_at(head, 8)?,
        method: u16_at(head, 10)?,
        crc: u32_at(head, 16)?,
        packed: u32_at(head, 20)?.into(),
        unpacked: u32_at(head, 24)?.into(),
        local: u32_at(head, 42)?.into(),
    };
    zip64(&mut out, directory.get(extra_from..extra_from + usize::from(n_extra))?);
    Some((out, next))
}

/// 64-bit sizes and offsets, in an extra field if they do not fit in 32 bits.
fn zip64(record: &mut Record, mut extra: &[u8]) {
    while let (Some(id), Some(n)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let Some(field) = extra.get(4..4 + usize::from(n)) else {
            return;
        };
        if id == 1 {
            let mut at = 0;
            for value in [&mut record.unpacked, &mut record.packed, &mut record.local] {
                if *value == u64::from(u32::MAX) {
                    let Some(wide) = u64_at(field, at) else {
                        return;
                    };
                    *value = wide;
                    at += 8;
                }
            }
        }
        extra = &extra[4 + usize::from(n)..];
    }
}

/// The member of a record and where its data begin, or why it is refused.
fn entry(archive: &Member, record: &Record) -> Result<(Entry, u64), ArchiveError> {
    let name = record.name.trim_start_matches("./");
    if !is_plain(name) {
        return Err(ArchiveError::UnsafeName(name.into()));
    }
    if record.flags & 1 != 0 {
        return Err(ArchiveError::Encrypted(name.into()));
    }
    if record.unpacked > INFLATED_MAX {
        return Err(ArchiveError::TooLong { name: name.into(), len: record.unpacked });
    }
    if record.unpacked / RATIO_MAX > record.packed {
        return Err(ArchiveError::Ratio { name: name.into(), packed: record.packed, unpacked: record.unpacked });
    }
    let damaged = || ArchiveError::Misplaced(name.into());
    let local = archive.read(record.local, 30).map_err(|_| damaged())?;
    let (n_name, n_extra) = u16_at(&local, 26).zip(u16_at(&local, 28)).filter(|_| local.starts_with(LOCAL)).ok_or_else(damaged)?;
    let from = record.local + 30 + u64::from(n_name) + u64::from(n_extra);
    if from.checked_add(record.packed).is_none_or(|end| end > archive.len()) {
        return Err(damaged());
    }
    let member = match record.method {
        0 => part(archive, from, record.packed),
        8 => deflated(archive, from, record),
        method => return Err(ArchiveError::Method { name: name.into(), method }),
    };
    Ok((Entry { name: name.into(), member, is_packed: record.method == 8 }, from))
}

/// Deflated data between the header and the trailer that make a gzip file of them.
struct AsGzip {
    archive: Member,
    from: u64,
    packed: u64,
    trailer: [u8; 8],
}

const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

#[allow(clippy::arc_with_non_send_sync, reason = "a member is shared within one thread; `Member` wants an `Arc`")]
fn deflated(archive: &Member, from: u64, record: &Record) -> Member {
    let mut trailer = [0; 8];
    trailer[..4].copy_from_slice(&record.crc.to_le_bytes());
    // As gzip does it: modulo 2³².
    trailer[4..].copy_from_slice(&(record.unpacked as u32).to_le_bytes());
    Member::new(archive.name.clone(), Arc::new(AsGzip { archive: archive.clone(), from, packed: record.packed, trailer }))
}

impl ByteSource for AsGzip {
    fn len(&self) -> u64 {
        HEADER.len() as u64 + self.packed + self.trailer.len() as u64
    }

    fn read_at(&self, mut offset: u64, mut out: &mut [u8]) -> Result<(), SourceError> {
        let body = HEADER.len() as u64;
        while !out.is_empty() {
            let n = if offset < body {
                copy(&HEADER[offset as usize..], out)
            } else if offset < body + self.packed {
                let at = offset - body;
                let n = (out.len() as u64).min(self.packed - at);
                copy(&self.archive.read(self.from + at, n)?, out)
            } else {
                copy(self.trailer.get((offset - body - self.packed) as usize..).unwrap_or_default(), out)
            };
            if n == 0 {
                return Err(SourceError::Outside);
            }
            offset += n as u64;
            out = &mut out[n..];
        }
        Ok(())
    }
}

/// Copies as many bytes as fit; returns their number.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let n = from.len().min(to.len());
    to[..n].copy_from_slice(&from[..n]);
    n
}
