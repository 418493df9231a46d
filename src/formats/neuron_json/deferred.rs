//! Records that a piece of the file leaves to whoever adds it.

use super::sections::Piece;
use serde::{Deserialize, Serialize};

/// Text that a piece may hold, bytes.
const MOST: usize = 16 << 20;

/// Records of tables of a piece, as text: whether a table is full depends on the text before it.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Deferred {
    text: Vec<u8>,
    records: Vec<Record>,
    n_omitted: u64,
}

/// A record in the text.
#[derive(Serialize, Deserialize)]
struct Record {
    section: String,
    is_element: bool,
    /// Where it ends in the text; it begins where the one before it ends.
    end: usize,
    /// Offset in the member.
    offset: u64,
}

impl Deferred {
    /// Keeps a record.
    pub fn push(&mut self, record: &Piece<'_>) {
        if self.text.len() + record.text.len() > MOST {
            self.n_omitted += 1;
            return;
        }
        self.text.extend_from_slice(record.text);
        let (section, is_element) = (record.section.into(), record.is_element);
        self.records.push(Record { section, is_element, end: self.text.len(), offset: record.offset });
    }

    /// Whether all were kept.
    pub fn is_small(&self) -> bool {
        self.n_omitted == 0
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Piece<'_>> {
        let begins = std::iter::once(0).chain(self.records.iter().map(|record| record.end));
        self.records.iter().zip(begins).map(|(record, begin)| Piece {
            section: &record.section,
            is_element: record.is_element,
            text: self.text.get(begin..record.end).unwrap_or_default(),
            offset: record.offset,
        })
    }
}
