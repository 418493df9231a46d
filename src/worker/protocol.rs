//! What page and worker say to each other: postcard bytes in front, `File`s or column buffers beside them in the same JavaScript array.

use super::error::{MessageError, Sentence};
use crate::base::Ledger;
pub use crate::engine::query::{
    BriefQuery, ColourKeysQuery, ConvertedTablesQuery, Details, DetailsQuery, FindQuery, HeadlineQuery, OccurrencesQuery,
    RangeRecordsQuery, RecordsCursor, ScanQuery, Scope, ScopeQuery, SearchQuery, SliceSummary, TableInfo, TablePartQuery, TableStream,
    Term, TraceCursor, TraceEventsQuery, Within,
};
use crate::engine::{EncodedAnswer, EncodedQuery};
pub use crate::engine::{Meta, PageColumns, PageMeta, Preparation, ProfileKind};
pub use crate::formats::inspect::{Found, Inspection};
pub use crate::formats::row_pieces::RowRange;
pub use crate::formats::{Claim, FormatInfo, Preview, Progress};
use crate::model::program::LearnedNames;
use serde::{Deserialize, Serialize};

/// From the page to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Sort the files that come with this into profiles. Names are paths below the drop.
    Inspect {
        /// One per file.
        names: Vec<String>,
    },
    /// Read the profile of `claim`; the files are those that it needs, named as before.
    Open {
        /// The claim to read.
        claim: Claim,
        /// Paths of the claim's members.
        paths: Vec<String>,
        /// One per file.
        names: Vec<String>,
        /// What it is opened for.
        occasion: Occasion,
        /// Names of opcodes and of operands' codes that this browser learned from other runs.
        learned: LearnedNames,
        /// Workers that may read the file side by side, that one included.
        n_readers: u32,
    },
    /// Read files through the port that comes with this. To a helper, before its first piece of a file.
    BorrowReader,
    /// The reader behind that port stopped.
    ReaderStopped,
    /// Read a piece of the file that comes with this, for the worker that opens it.
    ReadPiece(PieceOrder),
    /// The same for a piece that is sent with this message.
    ReadText(PieceOrder),
    /// Read rows of a table, for the worker that opens its profile; the files are those that the profile needs.
    ReadRows(RowsOrder),
    /// Decompress the attached Zstandard file into a file of that name. Only [`super::page::Program::Full`] can.
    Unpack {
        /// Path below the drop.
        name: String,
    },
    /// A question to the open profile, attached as [`crate::engine::EncodedQuery`].
    Ask {
        /// Comes back with the answer.
        id: u32,
    },
    /// Get fast before the first file comes. No answer.
    WarmUp {
        /// Workers that may read a file side by side: with more than one a helper starts too.
        n_readers: u32,
    },
    /// Get fast before the first run of a device comes. No answer. Only [`super::page::Program::Full`] can.
    WarmUpForRuns,
    /// Compute intermediate results that many answers need, and what is asked first. No answer.
    Prepare(Preparation),
    /// Open a small synthetic trace as if it were a file, so that the page gets fast as well.
    OpenSynthetic,
    /// Write tables of any profile into an archive; answered by `Written`. Needs no open profile.
    Write(WriteStep),
}

/// What a profile is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Occasion {
    /// To be shown; no other one is open.
    First,
    /// To be shown beside others: the same content may be open, so its hash is sent before it is read.
    Further,
    /// It is shown, and gets a worker again.
    Again,
}

/// A step of writing tables as Parquet files of one archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteStep {
    /// Rows of a table.
    Rows {
        /// Its name.
        table: String,
        /// The rows.
        rows: TableStream,
    },
    /// The table ends; with it come the bytes that are before its first ones.
    EndTable,
    /// The archive ends.
    End,
}

/// A piece of a file, to be read by a helper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PieceOrder {
    /// Comes back with the piece.
    pub number: u32,
    /// The claim that the file belongs to.
    pub claim: Claim,
    /// The file's path below the drop.
    pub path: String,
    /// First byte: that of a record.
    pub from: u64,
    /// One after the last byte.
    pub to: u64,
    /// First bytes of the file.
    pub head: Vec<u8>,
}

/// Rows of a table, to be read by a helper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowsOrder {
    /// Comes back with the piece.
    pub number: u32,
    /// The claim of the profile.
    pub claim: Claim,
    /// Paths of the claim's members.
    pub paths: Vec<String>,
    /// One per file.
    pub names: Vec<String>,
    /// The rows.
    pub rows: RowRange,
}

/// From a worker to the page, or from a helper to the worker that started it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToPage {
    /// The worker listens. Sent once, first.
    Ready {
        /// Build of the worker. The page compares it with its own.
        build: String,
        /// What opens, for the start page.
        formats: Vec<FormatInfo>,
        /// Name of a lock that becomes free when the worker stops; empty if the browser has no locks.
        lock: String,
    },
    /// The profiles among the files of `Inspect`.
    Inspected(Inspection),
    /// The file of `Unpack`, which comes beside; a sentence where it is not complete.
    Unpacked(Option<Sentence>),
    /// What the files of `Open` are known by; sent before they are read, if the same content may be open.
    Hashed(String),
    /// How far the reading is.
    Progress(Progress),
    /// Columns of the profile that is announced next come beside this: see [`N_COLUMNS`]. The page copies them while the rest is computed.
    Columns,
    /// The profile is open; its columns were sent before. The colours of names come beside this, as a column does.
    Opened(Box<Opened>),
    /// The answer to the question of that id, attached as [`crate::engine::EncodedAnswer`].
    Answer {
        /// Number of the question.
        id: u32,
    },
    /// A piece was read; it comes beside as one buffer, or not at all where its text cannot be read. From a helper alone.
    PieceRead {
        /// Number of the order.
        number: u32,
        /// From the order's turn to this, milliseconds.
        took_ms: f64,
    },
    /// The files cannot be opened; a sentence says why.
    Failed(Sentence),
    /// The worker failed; the browser's message.
    Died(String),
    /// The worker broke down over a damaged file; a sentence.
    GaveUp(Sentence),
    /// The next bytes of an archive.
    Written(Written),
}

/// The next bytes of an archive of tables.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Written {
    /// At the end of a table: its header, which goes before all its bytes. Otherwise empty.
    pub header: Vec<u8>,
    /// What follows the bytes before.
    pub bytes: Vec<u8>,
}

/// An opened profile: all but its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// What the page draws with.
    pub info: PageMeta,
    /// What was read and skipped.
    pub ledger: Ledger,
    /// What its files are known by.
    pub hash: String,
    /// What was recognised.
    pub claim: Claim,
    /// Memory of the worker, bytes.
    pub memory: u64,
    /// Rank and world size, where the file records it.
    pub rank: Option<(u32, u32)>,
    /// What the page asks first, with its answer, where that takes no time.
    pub first_answer: Option<(EncodedQuery, EncodedAnswer)>,
}

/// Beside `Columns`: start, duration and name of slices; of instants the tracks and ends of their runs, time and name. Each is an array of buffers of
/// [`COLUMN_BLOCK`] elements, the last one shorter.
pub const N_COLUMNS: usize = 7;
/// Elements in a transferred buffer.
pub const COLUMN_BLOCK: usize = 1 << 20;

/// What page and worker must agree on. The release scripts set the commit.
pub fn build_id() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), option_env!("AXONSCOPE_BUILD").unwrap_or("development"))
}

/// The bytes of a message.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, MessageError> {
    crate::engine::encode(message).map_err(MessageError::Write)
}

/// The message of `bytes`.
pub fn decode<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, MessageError> {
    postcard::from_bytes(bytes).map_err(MessageError::Read)
}
