//! Tables whose rows several readers read side by side: the owner of an import, and helpers that read pieces for it. A helper is a thread natively and
//! a worker in the page.

use serde::{Deserialize, Serialize};
use std::any::Any;
use std::ops::Range;
use std::pin::Pin;

/// Rows of a file of a table: the piece that one reader reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRange {
    /// Name of the table.
    pub table: String,
    /// Place of the file among the readable ones of the table.
    pub file: u32,
    /// Rows of that file. The last range of a file has no end.
    pub rows: Range<u64>,
}

/// What a helper read.
pub trait RowPiece: Any + Send {
    /// Serialised for another program of the same build. `None`: not supported.
    fn packed(&self) -> Option<Vec<u8>>;
}

/// Reads pieces for the owner of an import.
pub trait RowReader {
    /// The piece; `None` where something of it cannot be read: the owner reads it then, and finds what is wrong.
    fn read(&mut self, rows: &RowRange) -> Option<Box<dyn RowPiece>>;
}

/// A piece, when its turn comes.
pub enum Turn {
    /// The owner reads it.
    Owner,
    /// A helper has read it.
    Read(Box<dyn RowPiece>),
    /// The helper that was to read it stopped, in the words of the ledger. The owner reads it.
    Stopped(&'static str),
}

/// A wait for a piece.
pub type WaitForTurn<'a> = Pin<Box<dyn Future<Output = Turn> + 'a>>;

/// The helpers of an import.
pub trait RowHelpers {
    /// Least rows of a piece.
    fn n_rows_min(&self) -> u64;
    /// Some will be needed: those that take time to start do so now.
    fn prepare(&mut self) {}
    /// Takes all pieces, in the order in which they are asked for.
    fn plan(&mut self, pieces: Vec<RowRange>);
    /// The piece of that place in the plan. Pieces before it are not asked for any more.
    fn turn(&mut self, piece: usize) -> WaitForTurn<'_>;
    /// Milliseconds spent on pieces that helpers read, so far: waiting for them, decoding them.
    fn spent_ms(&self) -> f64;
}

/// No helpers.
pub struct NoHelpers;

impl RowHelpers for NoHelpers {
    fn n_rows_min(&self) -> u64 {
        u64::MAX
    }

    fn plan(&mut self, _pieces: Vec<RowRange>) {}

    fn turn(&mut self, _piece: usize) -> WaitForTurn<'_> {
        Box::pin(std::future::ready(Turn::Owner))
    }
    fn spent_ms(&self) -> f64 {
        0.0
    }
}
