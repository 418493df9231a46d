//! A device profile read in pieces, each by a thread of its own.

use super::deferred::Deferred;
use super::reader::{Feed, Reader};
use super::schema;
use super::sections::SectionSplitter;
use super::value::fields;
use super::walk;
use crate::base::Ledger;
use crate::formats::json::nested_len;
use crate::formats::{Piece, Split};
use memchr::memchr_iter;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Objects that are looked at for a cut. More follow each other within one record only in a damaged file, where each may be read to the end of the text.
const MOST_LOOKED_AT: usize = 1024;

/// Profiles are cut before a record of the timeline.
pub(super) struct DevicePieces;

/// Records of a profile from one cut to the next.
#[derive(Serialize, Deserialize)]
pub(super) struct DevicePiece {
    pub from: u64,
    /// What was read; `None` before the first block, and where a piece cannot be read by itself.
    pub part: Option<Box<Part>>,
    is_refused: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Part {
    /// The section that the first record seems to be of.
    pub section: String,
    pub splitter: SectionSplitter,
    pub state: Reader,
    pub ledger: Ledger,
}

impl Split for DevicePieces {
    fn first_record(&self, text: &[u8]) -> Option<usize> {
        let objects = memchr_iter(b'}', text).filter_map(|at| {
            let rest = text[at + 1..].trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
            rest.starts_with(b"{").then_some(rest)
        });
        objects.take(MOST_LOOKED_AT).find(|rest| section_of(rest).is_some()).map(|rest| text.len() - rest.len())
    }

    fn piece(&self, _head: &[u8], offset: u64) -> Option<Box<dyn Piece>> {
        Some(Box::new(DevicePiece { from: offset, part: None, is_refused: false }))
    }

    fn unpacked(&self, bytes: &[u8]) -> Option<Box<dyn Piece>> {
        Some(Box::new(postcard::from_bytes::<DevicePiece>(bytes).ok()?))
    }
}

impl DevicePiece {
    /// Begins a piece with its first block; `None` where the section of its first record is not clear.
    fn begin(&self, block: &[u8]) -> Option<Box<Part>> {
        let section = section_of(block)?;
        let splitter = SectionSplitter::of_piece(section, self.from);
        let state = Reader::new("", Some(Deferred::default()));
        Some(Box::new(Part { section: section.into(), splitter, state, ledger: Ledger::default() }))
    }
}

impl Piece for DevicePiece {
    fn feed(&mut self, block: &[u8]) {
        if self.is_refused {
            return;
        }
        let mut part = self.part.take().or_else(|| self.begin(block));
        // What is wrong shows when the text is read in order.
        let is_read = part.as_mut().is_some_and(|part| {
            let Part { splitter, state, ledger, .. } = &mut **part;
            splitter.feed(block, &mut Feed { state, ledger }).is_ok()
        });
        (self.part, self.is_refused) = (part.filter(|_| is_read), !is_read);
    }

    fn packed(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }

    fn expect(&mut self, _read_bytes: u64, _total_bytes: u64) {}
}

/// The section that the record at the start of `text` seems to be of, by its keys: the one that knows most of them, and few others.
fn section_of(text: &[u8]) -> Option<&'static str> {
    let keys = keys_of(text)?;
    // No record has a place on the timeline without; lists within records have none.
    if !keys.iter().any(|key| key == "timestamp") {
        return None;
    }
    let known = |section: &&str| {
        schema::known_keys(section).map_or((0, 0), |known| {
            let n_known = keys.iter().filter(|key| known.contains(key.as_ref())).count();
            (n_known, usize::MAX - known.len())
        })
    };
    schema::timeline_sections().max_by_key(known).filter(|section| known(section).0 * 2 > keys.len())
}

/// The keys of the record at the start of `text`; `None` where it is none, or does not end in `text`.
fn keys_of(text: &[u8]) -> Option<Vec<Cow<'_, str>>> {
    text.first().filter(|first| **first == b'{')?;
    let mut keys = Vec::new();
    let mut each = |key: std::ops::Range<usize>, _| keys.extend(text.get(key).map(String::from_utf8_lossy));
    if walk::entries(text, &mut each).is_some() {
        return Some(keys);
    }
    // One with escapes, such as attributes of an HLO instruction as JSON.
    let record = text.get(..nested_len(text)?)?;
    Some(fields(std::str::from_utf8(record).ok()?).ok()?.into_iter().map(|field| field.0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_of_a_record_is_seen_by_its_keys() {
        let of = |text: &str| section_of(text.as_bytes());
        assert_eq!(of(r#"{"value":1,"timestamp":5,"subgraph":"sg00"},"#), Some("pending_dma"));
        assert_eq!(of(r#"{"id":"S[1]","value":1,"timestamp":5,"subgraph":"sg00"}"#), Some("semaphore_update"));
        assert_eq!(of(r#"{"dma_queue":"1","dma_engine":"3","timestamp":5,"duration":6,"new":7}"#), Some("dma"));
        assert_eq!(of(r#"{"opcode":"X","timestamp":5,"duration":6,"predecessors":[{"id":1}]}"#), Some("instruction"));
        assert_eq!(of(r#"{"opcode":"X","timestamp":5,"hlo_attrs":"{\"a\": \"b}\"}","duration":6}, "#), Some("instruction"));
        assert_eq!(of(r#"{"id":1,"type":"x"}, {"timestamp":5}"#), None);
        assert_eq!(of(r#"{"timestamp":5,"a":1,"b":2}"#), None);
        assert_eq!(of(r#"{"timestamp":5"#), None);
    }

    #[test]
    fn a_record_of_the_timeline_is_found() {
        let text = br#" 1}, {"id":1}, {"timestamp":5,"value":1,"subgraph":""}, {"timestamp":6}"#;
        assert_eq!(DevicePieces.first_record(text), Some(15));
        assert_eq!(DevicePieces.first_record(b"}, {"), None);
    }
}
