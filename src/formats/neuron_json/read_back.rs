//! Fields of many records, and the records of measurements, read again from the file.

use super::sections::{Piece, SectionSplitter};
use super::tables::cell;
use super::value::{self, Fields};
use super::{is_recorded, read_record, schema};
use crate::base::Order as _;
use crate::base::{InputSet, SliceId};
use crate::formats::wording;
use crate::formats::{Columns, ImportError, Sample};
use crate::model::{Cell, Profile, RecordRef};
use std::borrow::Cow;

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// Of each of `slices` the fields of `keys`: of each key the first name that its record has.
pub(super) fn columns(input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Columns {
    let gone = || ImportError::Invalid(wording::NO_RECORD.into());
    let place = |(i, slice): (usize, &SliceId)| Ok((profile.record_of((*slice).into()).ok_or_else(gone)?, i));
    let mut order: Vec<(RecordRef, usize)> = slices.iter().enumerate().map(place).collect::<Result<_, ImportError>>()?;
    order.order_by_key(|(place, _)| (place.member(), place.offset()));
    let mut out = vec![Vec::new(); slices.len()];
    let mut at = 0;
    while let Some((first, _)) = order.get(at) {
        // Records within one block are read together.
        let end = |place: &RecordRef| place.offset().saturating_add(place.n_bytes().unwrap_or(u64::MAX));
        let is_near = |(place, _): &&(RecordRef, usize)| place.member() == first.member() && end(place) - first.offset() <= BLOCK;
        let n = order[at..].iter().take_while(is_near).count();
        let (block, from) = match order[at..at + n].last() {
            Some((last, _)) => {
                let member = input.members.get(first.member()).ok_or_else(|| ImportError::Invalid(wording::RECORD_FILE_NOT_OPEN.into()))?;
                (member.read(first.offset(), end(last) - first.offset())?, first.offset())
            }
            None => (read_record(input, *first)?.into_bytes(), first.offset()),
        };
        for (place, i) in &order[at..at + n.max(1)] {
            let start = (place.offset() - from) as usize;
            let bytes = place.n_bytes().map_or(Some(&block[..]), |n| block.get(start..start + n as usize)).unwrap_or_default();
            out[*i] = fields_of(bytes, place.offset(), keys)?;
        }
        at += n.max(1);
    }
    Ok(out)
}

/// The fields of one record as text.
fn fields_of(bytes: &[u8], offset: u64, keys: &[&[&str]]) -> Result<Vec<String>, ImportError> {
    let other = |why: String| ImportError::Invalid(format!("Expected a JSON record at byte {offset}, found something else: {why}."));
    let text = std::str::from_utf8(bytes).map_err(|e| other(e.to_string()))?;
    let mended = value::without_bare_nan(text);
    let read = value::fields(mended.as_deref().unwrap_or(text)).map_err(|e| other(e.to_string()))?;
    Ok(keys.iter().map(|names| names.iter().find_map(|name| field(&read, name)).unwrap_or_default()).collect())
}

/// The text of a field; `None` where the record has none, or a word or a number for "not recorded".
fn field(read: &Fields<'_>, name: &str) -> Option<String> {
    let text = |key: &str| read.iter().find(|f| f.0 == key).map(|f| f.1.text());
    let has = |key: &str| text(key).is_some_and(|text| !text.is_empty());
    let found = text(name)?;
    let is_one = match (name, found.as_ref()) {
        ("semaphore_id", "-1") => false,
        ("raw_bir_id", "0") => has("bir_id"),
        ("raw_penguin_id", "0") => has("penguin_id"),
        (_, value) => is_recorded(value),
    };
    is_one.then(|| found.into_owned())
}

/// Calls `each` with every record of the sections of measurements, and its section.
pub(super) fn samples(input: &InputSet, each: &mut dyn FnMut(&str, &Sample<'_>)) -> Result<(), ImportError> {
    let Some(member) = input.members.first() else { return Ok(()) };
    let mut splitter = SectionSplitter::new();
    let mut piece = |piece: &Piece<'_>| {
        let is_wanted = schema::on_timeline(piece.section) && !matches!(piece.section, "instruction" | "dma" | "semaphore_update");
        let Some(text) = std::str::from_utf8(piece.text).ok().filter(|_| is_wanted) else { return };
        let mended = value::without_bare_nan(text);
        // What cannot be read is in the ledger of the import.
        if let Ok(read) = value::fields(mended.as_deref().unwrap_or(text)) {
            let cells: Vec<(Cow<'_, str>, Cell)> = read.iter().map(|(key, raw)| (Cow::Borrowed(key.as_ref()), cell(*raw))).collect();
            each(piece.section, &Sample(&cells));
        }
    };
    let mut at = 0;
    while at < member.len() {
        let block = member.read_up_to(at, BLOCK)?;
        if block.is_empty() || splitter.is_done() {
            break;
        }
        splitter.feed(&block, &mut piece)?;
        at += block.len() as u64;
    }
    Ok(())
}
