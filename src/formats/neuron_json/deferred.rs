//! Records that a piece of the file leaves to whoever adds it.

use super::sections::Piece;
use serde::{Deserialize, Serialize};

/// What a piece may hold, bytes.
const MOST: usize = 16 << 20;

/// Records of tables of a piece, as text: whether a table is full depends on the text before it.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Deferred {
    text: Vec<u8>,
    records: Vec<Record>,
    /// Names of sections; the last one is that of the last record.
    sections: Vec<String>,
    n_bytes: usize,
}

/// A record in the text.
#[derive(Serialize, Deserialize)]
struct Record {
    /// Place among the names of sections.
    section: usize,
    is_element: bool,
    /// Where it ends in the text; it begins where the one before it ends.
    end: usize,
    /// Offset in the member.
    offset: u64,
}

impl Deferred {
    /// Keeps a record.
    pub fn push(&mut self, record: &Piece<'_>) {
        let is_new = self.sections.last().is_none_or(|last| last != record.section);
        let n_section = if is_new { record.section.len() + size_of::<String>() } else { 0 };
        self.n_bytes = self.n_bytes.saturating_add(record.text.len() + size_of::<Record>() + n_section);
        if !self.is_small() {
            return;
        }
        if is_new {
            self.sections.push(record.section.into());
        }
        self.text.extend_from_slice(record.text);
        let section = self.sections.len() - 1;
        self.records.push(Record { section, is_element: record.is_element, end: self.text.len(), offset: record.offset });
    }

    /// Whether all were kept.
    pub fn is_small(&self) -> bool {
        self.n_bytes <= MOST
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Piece<'_>> {
        let begins = std::iter::once(0).chain(self.records.iter().map(|record| record.end));
        self.records.iter().zip(begins).map(|(record, begin)| Piece {
            section: self.sections.get(record.section).map_or("", String::as_str),
            is_element: record.is_element,
            text: self.text.get(begin..record.end).unwrap_or_default(),
            offset: record.offset,
        })
    }
}
