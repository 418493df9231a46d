//! What a piece of a timeline leaves to whoever adds it.

use serde::{Deserialize, Serialize};

/// What a piece may hold, bytes.
const MOST: usize = 4 << 20;

/// Records and values of the root, in the order of the file.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Deferred {
    pub all: Vec<Late>,
    n_bytes: usize,
}

/// A text that is read when the piece is added.
#[derive(Serialize, Deserialize)]
pub(super) struct Late {
    /// Key of the root; `None`: a record.
    pub key: Option<Vec<u8>>,
    pub text: Vec<u8>,
    /// Offset of its first byte.
    pub offset: u64,
}

impl Deferred {
    /// Keeps a record.
    pub fn record(&mut self, text: &[u8], offset: u64) {
        self.keep(None, text, offset);
    }

    /// Keeps a value of the root.
    pub fn value(&mut self, key: &[u8], text: &[u8], offset: u64) {
        self.keep(Some(key.to_vec()), text, offset);
    }

    fn keep(&mut self, key: Option<Vec<u8>>, text: &[u8], offset: u64) {
        self.n_bytes = self.n_bytes.saturating_add(text.len() + size_of::<Late>());
        if self.is_small() {
            self.all.push(Late { key, text: text.to_vec(), offset });
        }
    }

    /// Whether all were kept.
    pub fn is_small(&self) -> bool {
        self.n_bytes <= MOST
    }
}
