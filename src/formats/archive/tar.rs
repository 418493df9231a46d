//! TAR: headers of 512 bytes, each before its content. Old (v7), POSIX (ustar, pax) and GNU names are read.

use super::{ArchiveError, Entry, Listing, MAX_MEMBERS, MAX_NAME, is_litter, is_plain, part};
use crate::base::Member;

const BLOCK: usize = 512;
/// A pax header or GNU long name may be so long; what is longer is not looked into.
const MAX_EXTENDED: u64 = 64 * 1024;

/// Whether bytes begin with the header of a member: its checksum is right.
pub(super) fn is_tar(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(|header| is_header(header) && header[0] != 0)
}

fn is_header(header: &[u8]) -> bool {
    // The checksum counts itself as spaces. Some old programs summed signed bytes.
    let bytes = || header.iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { b' ' } else { b });
    let sum: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|b| i64::from(b as i8)).sum();
    number(&header[148..156]).is_some_and(|want| want == sum || i64::try_from(want) == Ok(signed))
}

/// Octal digits among spaces and zeros, or GNU's binary form.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|b| b & 0x80 != 0) {
        let first = u64::from(field[0] & 0x7f);
        return field[1..].iter().try_fold(first, |n, &b| n.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits = field.iter().skip_while(|b| **b == b' ').take_while(|b| (b'0'..=b'7').contains(*b));
    digits.clone().next()?;
    digits.into_iter().try_fold(0u64, |n, &b| n.checked_mul(8)?.checked_add(u64::from(b - b'0')))
}

/// Text up to the first zero.
fn text(field: &[u8]) -> String {
    let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn name_of(header: &[u8]) -> String {
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    // GNU keeps times where ustar keeps the beginning of the name.
    let is_posix = header.get(257..263) == Some(b"ustar\0");
    if is_posix && !prefix.is_empty() { format!("{prefix}/{name}") } else { name }
}

/// Values of an extended header for the next member.
#[derive(Default)]
struct Extended {
    name: Option<String>,
    size: Option<u64>,
}

impl Extended {
    /// Records `12 key=value\n` of a pax header.
    fn pax(&mut self, mut records: &[u8]) {
        while let Some(space) = records.iter().position(|b| *b == b' ') {
            let Some(len) = std::str::from_utf8(&records[..space]).ok().and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > space + 1)
            else {
                return;
            };
            let Some(record) = records.get(space + 1..len) else {
                return;
            };
            let record = String::from_utf8_lossy(record);
            match record.trim_end_matches('\n').split_once('=') {
                Some(("path", path)) => self.name = Some(path.into()),
                Some(("size", size)) => self.size = size.parse().ok(),
                _ => {}
            }
            records = &records[len..];
        }
    }
}

/// The members of an archive. Members after a damaged header are not found; a note reports it.
pub(super) fn list(archive: &Member) -> Result<Listing, ArchiveError> {
    let mut out = Listing::default();
    let mut extended = Extended::default();
    let mut at = 0;
    let mut n_members = 0;
    while at + BLOCK as u64 <= archive.len() {
        let header = archive.read(at, BLOCK as u64)?;
        if header.iter().all(|b| *b == 0) {
            return Ok(out);
        }
        if !is_header(&header) {
            out.note(format!("expected a member header at byte {at}, found other bytes; the rest is not read."));
            return Ok(out);
        }
        let kind = header[156];
        let is_extended = matches!(kind, b'x' | b'g' | b'L' | b'K');
        let size = extended.size.filter(|_| !is_extended).or(number(&header[124..136]));
        let content = at + BLOCK as u64;
        let end = size.and_then(|size| content.checked_add(size)).filter(|end| *end <= archive.len());
        let (Some(size), Some(end)) = (size, end) else {
            out.note(format!("the member `{}` at byte {at} is longer than the truncated archive; it is not read.", name_of(&header)));
            return Ok(out);
        };
        match kind {
            b'x' | b'L' if size <= MAX_EXTENDED => {
                let bytes = archive.read(content, size)?;
                if kind == b'x' { extended.pax(&bytes) } else { extended.name = Some(text(&bytes)) }
            }
            b'x' | b'L' | b'g' | b'K' => {}
            b'0' | b'7' | 0 => {
                file(&mut out, archive, std::mem::take(&mut extended).name.unwrap_or_else(|| name_of(&header)), (content, size))
            }
            _ => extended = Extended::default(),
        }
        n_members += 1;
        if n_members >= MAX_MEMBERS {
            out.note(format!("it has more than {MAX_MEMBERS} members; the first ones are used."));
            return Ok(out);
        }
        at = end.next_multiple_of(BLOCK as u64);
    }
    Ok(out)
}

fn file(out: &mut Listing, archive: &Member, name: String, (content, size): (u64, u64)) {
    let name = name.trim_start_matches("./");
    if !is_plain(name) || name.len() > MAX_NAME {
        out.note(ArchiveError::UnsafeName(name.into()).to_string());
    } else if !is_litter(name) && !name.ends_with('/') {
        out.entries.push(Entry { name: name.into(), member: part(archive, content, size), is_packed: false });
    }
}
