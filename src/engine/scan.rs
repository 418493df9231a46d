//! Full-text search in the records of the file, in parts, so that other questions are answered in between.
//!
//! Records are visited in file order. The cursor is the start of the next part; the engine keeps no state.

use crate::analysis::filter::{Filter, SearchError, Term};
use crate::analysis::matcher::matcher;
use crate::base::{ByteSource, InputSet, Member, SliceId, SourceError, packed};
use crate::formats::Format;
use crate::model::{Profile, RecordRef};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Records visited in one part.
const MOST_RECORDS: usize = 2_048;
/// Bytes of the file read in one part.
const PART: u64 = 1 << 20;
/// Bytes read beyond the part, for the record that begins at its end.
const TAIL: u64 = 64 << 10;
/// Most distinct keys reported for one part.
const MOST_KEYS: usize = 200;

/// Start of a part: an offset in the file, and an index among the slices with that record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// Member and offset.
    pub place: u64,
    /// Slice.
    pub slice: u32,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScanQuery {
    /// Text, or a pattern when `is_regex`; case as in the search of names. Not empty.
    pub text: String,
    /// Whether `text` is a regular expression.
    pub is_regex: bool,
    /// Only the field of this key; empty is every field.
    pub key: String,
    /// Only slices of this category; empty is all.
    pub category: String,
    /// Further conditions on the slices: all must hold.
    pub terms: Vec<Term>,
    /// Where the next part begins; the default is the beginning.
    pub cursor: Cursor,
}

/// One part of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScanPart {
    /// Hits of this part, by id.
    #[serde(with = "packed::slices")]
    pub slices: Vec<SliceId>,
    /// Records searched in this part.
    pub n_seen: u64,
    /// Scanned records that could not be read back.
    pub n_unreadable: u64,
    /// Where the next part begins; `None` at the end.
    pub next: Option<Cursor>,
    /// Keys of the fields seen, by name, at most 200.
    pub keys: Vec<String>,
}

/// Looks at the next records. Fails with a sentence if the pattern cannot be read.
pub fn scan(format: &dyn Format, input: &InputSet, profile: &Profile, query: &ScanQuery) -> Result<ScanPart, SearchError> {
    if query.text.is_empty() {
        return Ok(ScanPart::default());
    }
    let matcher = matcher(&query.text, query.is_regex)?;
    let filter = Filter::new(profile, &query.category, &query.terms)?;
    let (batch, next) = batch(&profile.slices.record, query.cursor);
    let input = with_window(input, &batch);
    let mut part = ScanPart { n_seen: batch.len() as u64, next, ..ScanPart::default() };
    for at in &batch {
        let slice = SliceId(at.slice);
        let Ok(fields) = format.record(&input, profile, slice.into()) else {
            part.n_unreadable += 1;
            continue;
        };
        if filter.keeps(slice) && fields.iter().any(|f| (query.key.is_empty() || f.key == query.key) && matcher.is_hit(&f.value)) {
            part.slices.push(slice);
        }
        for field in fields {
            if let (Err(to), true) = (part.keys.binary_search(&field.key), part.keys.len() < MOST_KEYS) {
                part.keys.insert(to, field.key);
            }
        }
    }
    part.slices.sort_unstable();
    Ok(part)
}

/// The next records in the order of the file, and where the part after them begins.
fn batch(records: &[RecordRef], from: Cursor) -> (Vec<Cursor>, Option<Cursor>) {
    let at = |i: usize| Cursor { place: place(records[i]), slice: i as u32 };
    let Some(first) = (0..records.len()).map(at).filter(|c| *c >= from).min() else {
        return (Vec::new(), None);
    };
    let border = Cursor { place: first.place.saturating_add(PART), slice: 0 };
    let mut beyond: Option<Cursor> = None;
    let mut batch: Vec<Cursor> = Vec::new();
    for cursor in (0..records.len()).map(at).filter(|c| *c >= first) {
        if cursor < border {
            batch.push(cursor);
        } else if beyond.is_none_or(|b| cursor < b) {
            beyond = Some(cursor);
        }
    }
    if batch.len() > MOST_RECORDS {
        let (_, next, _) = batch.select_nth_unstable(MOST_RECORDS);
        beyond = Some(*next);
        batch.truncate(MOST_RECORDS);
    }
    batch.sort_unstable();
    (batch, beyond)
}

/// Member and offset as one number that sorts as the file does.
pub(super) fn place(record: RecordRef) -> u64 {
    (record.member() as u64) << 40 | record.offset()
}

/// The input with the bytes of the batch in memory, so that not every record is a read of its own.
#[allow(clippy::arc_with_non_send_sync, reason = "a member's source is shared within one thread")]
pub(super) fn with_window(input: &InputSet, batch: &[Cursor]) -> InputSet {
    let (Some(first), Some(last)) = (batch.first(), batch.last()) else {
        return input.clone();
    };
    let (at, offset) = ((first.place >> 40) as usize, first.place & ((1 << 40) - 1));
    let mut input = input.clone();
    if let Some(member) = input.members.get_mut(at) {
        let n_bytes = last.place.saturating_sub(first.place).min(PART) + TAIL;
        // What cannot be read now is read record by record, and counted there.
        if let Ok(bytes) = member.read_up_to(offset, n_bytes) {
            *member = Member::new(member.name.clone(), Arc::new(Window { member: member.clone(), offset, bytes }));
        }
    }
    input
}

/// A member with one byte range in memory.
struct Window {
    member: Member,
    offset: u64,
    bytes: Vec<u8>,
}

impl ByteSource for Window {
    fn len(&self) -> u64 {
        self.member.len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let inside = offset.checked_sub(self.offset).and_then(|from| usize::try_from(from).ok());
        if let Some(bytes) = inside.and_then(|from| self.bytes.get(from..from.checked_add(out.len())?)) {
            out.copy_from_slice(bytes);
            return Ok(());
        }
        let bytes = self.member.read(offset, out.len() as u64)?;
        out.copy_from_slice(&bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_in_one_batch() {
        // Far apart, out of order, many at one place, in two members.
        let far = (0..50u64).map(|i| RecordRef::new((i % 2) as usize, (i * 7_919 * 4_096) % (64 << 20), 10));
        let same = (0..2 * MOST_RECORDS as u64 + 10).map(|_| RecordRef::default());
        let records: Vec<RecordRef> = far.chain(same).collect();
        let (mut seen, mut cursor, mut n_parts) = (Vec::new(), Some(Cursor::default()), 0);
        while let Some(from) = cursor {
            let (batch, next) = batch(&records, from);
            assert!(batch.len() <= MOST_RECORDS && next.is_none_or(|n| n > from));
            seen.extend(batch.iter().map(|c| c.slice));
            cursor = next;
            n_parts += 1;
        }
        assert!(n_parts > 5);
        let places: Vec<u64> = seen.iter().map(|s| place(records[*s as usize])).collect();
        assert!(places.is_sorted());
        seen.sort_unstable();
        assert_eq!(seen, (0..records.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    #[allow(clippy::arc_with_non_send_sync, reason = "as above")]
    fn a_window_reads_as_its_member_does() {
        let member = Member::from_bytes("x", (0..100).collect());
        let bytes = member.read(10, 20).expect("inside");
        let window = Member::new("x", Arc::new(Window { member: member.clone(), offset: 10, bytes }));
        for (offset, n) in [(0, 100), (10, 20), (12, 3), (25, 10), (0, 5), (99, 1), (90, 11), (100, 0)] {
            assert_eq!(window.read(offset, n), member.read(offset, n), "{offset}+{n}");
        }
    }
}
