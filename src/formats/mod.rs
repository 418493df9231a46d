//! A folder per format, and the list of them. Recognises by content, imports a claim, reads single records again.

pub mod analyze;
pub mod archive;
pub mod axonrun;
mod exports;
mod feeder;
mod file_name;
pub mod gzip;
mod heads;
pub mod heap;
pub mod import;
pub mod inspect;
pub mod json;
pub mod kineto;
pub mod memory_snapshot;
pub mod neff;
pub mod neuron_json;
pub mod neuron_parquet;
pub mod neuron_summary;
pub mod neuron_system;
pub mod ntff;
pub mod parallel;
pub mod pftrace;
mod progress;
pub mod read_ahead;
pub mod row_pieces;
pub mod system_events;
pub mod tensorboard_neuron;
mod unrecognised;
pub mod wording;
pub mod zstd;

pub use progress::{Pace, ProgressReporter};
use read_ahead::ReadAhead;
use row_pieces::{RowHelpers, RowPiece, RowReader};

use crate::base::{EventId, InputError, InputSet, Ledger, MemberHead, SliceId};
use crate::model::program::{EngineProgram, LearnedCode};
use crate::model::{Cell, Profile};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::pin::Pin;
use std::sync::OnceLock;

/// Every format, most specific first, for recognising: light, and linked into every program.
pub static ALL: &[&dyn Recognise] = &[
    &ntff::Ntff,
    &neff::NeffFile,
    &neuron_parquet::NeuronParquet,
    &neuron_json::NeuronJson,
    &neuron_summary::NeuronSummary,
    &analyze::Analyze,
    &axonrun::Axonrun,
    &neuron_system::NeuronSystem,
    &tensorboard_neuron::TensorboardNeuron,
    &memory_snapshot::MemorySnapshotFile,
    &pftrace::Pftrace,
    &kineto::Kineto,
];

/// The formats that the common worker reads.
static COMMON: &[&dyn Format] = &[&kineto::Kineto];

/// The formats that [`link_all`] adds.
static FULL: &[&dyn Format] = &[
    &ntff::Ntff,
    &neff::NeffFile,
    &neuron_parquet::NeuronParquet,
    &neuron_json::NeuronJson,
    &neuron_summary::NeuronSummary,
    &analyze::Analyze,
    &axonrun::Axonrun,
    &neuron_system::NeuronSystem,
    &tensorboard_neuron::TensorboardNeuron,
    &memory_snapshot::MemorySnapshotFile,
    &pftrace::Pftrace,
];

static LINKED: OnceLock<&'static [&'static dyn Format]> = OnceLock::new();

/// Links the importers of all formats into this program. Natively they are there without it.
pub fn link_all() {
    // The second call finds the same list there.
    let _ = LINKED.set(FULL);
}

/// Why a file cannot be read at all. Each message says what was expected, what was found and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No format claims any of the files.
    #[error("{0}")]
    Unrecognised(String),
    /// The content breaks the format's rules.
    #[error("{0}")]
    Invalid(String),
    /// Valid, but of an unsupported version or size.
    #[error("{0}")]
    Unsupported(String),
    /// The bytes could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Cancelled by the user.
    #[error("Stopped at your request.")]
    Cancelled,
}

/// The members of one profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Id of the format that claims them.
    pub format: String,
    /// Positions in the input set, the main member first.
    pub members: Vec<usize>,
    /// How it was recognised, one sentence.
    pub recognised: String,
}

/// Texts about a format for the start page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatInfo {
    /// Stable word.
    pub id: String,
    /// "PyTorch profiler trace".
    pub title: String,
    /// File names: ".json, .json.gz".
    pub files: String,
    /// What opens: one sentence.
    pub shows: String,
    /// Command or lines of code that capture it.
    pub capture: String,
    /// What to know before capturing.
    pub caveats: String,
}

/// An import that succeeded.
#[derive(Debug)]
pub struct Imported {
    /// The profile.
    pub profile: Profile,
    /// What was read, shown and skipped.
    pub ledger: Ledger,
}

/// Progress of an import; sent between blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes of the file read.
    pub bytes: u64,
    /// Bytes of the file.
    pub total: u64,
    /// Records read.
    pub records: u64,
    /// Slices to draw while reading; only those since the last progress.
    pub preview: Preview,
}

/// Raw slices for the picture while reading: local origin, no names, at most 200,000.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// New slices: (lane, start ns, duration ns, colour slot). What will be one track has one lane.
    pub slices: Vec<(u32, i64, i64, u16)>,
}

/// One field of a record, for the details drawer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Heading: "Event", "Args", "Links".
    pub group: String,
    /// Key as in the file.
    pub key: String,
    /// Value as text, not cut.
    pub value: String,
    /// "ns", "bytes"; empty when the value has none.
    pub unit: String,
    /// Meaning of the field according to a schema, if there is one.
    pub help: String,
}

/// A further member of a claim that is read as a stream.
pub enum Companion {
    /// Read by the importer that [`Streamed::companion`] gave.
    Trace(Box<Imported>),
    /// All its bytes.
    Bytes(Vec<u8>),
    /// It could not be read.
    Failed(ImportError),
}

/// Splits a member of a format into pieces that are read in parallel.
pub trait Split: Sync {
    /// The offset of a record in `text`, which begins anywhere in a member: a guess that [`Streamed::absorb`] verifies.
    fn first_record(&self, text: &[u8]) -> Option<usize>;
    /// An importer of the records from `offset` on; `head` are the first bytes of the member.
    fn piece(&self, head: &[u8], offset: u64) -> Option<Box<dyn Piece>>;
    /// A piece that [`Piece::packed`] wrote in another program of the same build; `None`: the bytes are something else.
    fn unpacked(&self, bytes: &[u8]) -> Option<Box<dyn Piece>>;
}

/// An importer of records from the middle of a member.
pub trait Piece: Any + Send {
    /// Takes the next block.
    fn feed(&mut self, block: &[u8]);
    /// Bytes of the piece fed so far, and its length.
    fn expect(&mut self, read_bytes: u64, total_bytes: u64);
    /// Serialised for another program of the same build, with columns as in memory. `None`: not supported.
    fn packed(&self) -> Option<Vec<u8>>;
}

/// An importer that is fed blocks in order. Gzip is inflated before.
pub trait Streamed {
    /// Reads the next block.
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError>;
    /// Bytes of the file fed so far, and its length, to reserve memory.
    fn expect(&mut self, _read_bytes: u64, _total_bytes: u64) {}
    /// The splitter of the member; `None` if it can only be read in order.
    fn split(&self) -> Option<&'static dyn Split> {
        None
    }
    /// Adds a piece instead of feeding its bytes, with the same result. `false`: nothing was added, because the piece does not begin at a record, or
    /// depends on text before it.
    fn absorb(&mut self, _piece: Box<dyn Piece>, _ledger: &mut Ledger) -> bool {
        false
    }
    /// Records seen so far.
    fn n_records(&self) -> u64;
    /// New preview slices since the last call.
    fn preview(&mut self) -> Preview {
        Preview::default()
    }
    /// An importer for a further member of the claim; `None` if [`Streamed::join`] takes its raw bytes.
    fn companion(&self, _path: &str) -> Option<Box<dyn Streamed>> {
        None
    }
    /// Takes the further member with index `member`, after the first one was fed completely.
    fn join(&mut self, _member: usize, _path: &str, _companion: Companion, _ledger: &mut Ledger) {}
    /// The profile. `is_truncated`: the input ended early; what was read is kept, and noted in the ledger.
    fn finish(self: Box<Self>, is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError>;
}

/// An import that waits for bytes.
pub type Importing<'a> = Pin<Box<dyn Future<Output = Result<Profile, ImportError>> + 'a>>;

/// Fields of some slices, slice by slice.
pub type Columns = Result<Vec<Vec<String>>, ImportError>;

/// A record of values at one point in time.
#[derive(Debug)]
pub struct Sample<'a>(pub &'a [(std::borrow::Cow<'a, str>, Cell)]);

impl Sample<'_> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Cell> {
        self.0.iter().find(|field| field.0 == key).map(|field| &field.1)
    }
}

/// What every program knows of a format.
pub trait Recognise: Sync {
    /// Stable word: folder, URL, `data-profile`.
    fn id(&self) -> &'static str;
    /// For the start page.
    fn info(&self) -> FormatInfo;
    /// The profiles of this format among `heads`, by content; names are hints. `taken[i]`: another format has claimed that member.
    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim>;
    /// Expected heap for `text_bytes` of a format that is read at random access, bytes; `None`: four times the text.
    fn heap_bytes(&self, _main: &MemberHead, _text_bytes: u64) -> Option<u64> {
        None
    }
}

/// A file format with its importer: see [`link_all`].
pub trait Format: Recognise {
    /// The streamed importer, if the format has one. It is fed the claim's first member; further members join it ([`Streamed::join`]). `path`: the
    /// member's path below the drop.
    fn streamed(&self, _claim: &Claim, _path: &str) -> Option<Box<dyn Streamed>> {
        None
    }
    /// Imports at random access; only called if `streamed` returns `None`. `input` has the claim's members, in its order. `watch` receives progress.
    fn import(
        &self,
        _input: &InputSet,
        _claim: &Claim,
        _ledger: &mut Ledger,
        _watch: &mut ProgressReporter,
    ) -> Result<Profile, ImportError> {
        Err(ImportError::Unsupported("This format is read as a stream.".into()))
    }
    /// [`Format::import`] that reads the main member with `reader`, which reads ahead of it; `None` where the format has no such importer.
    fn import_ahead<'a>(
        &self,
        _input: &'a InputSet,
        _ledger: &'a mut Ledger,
        _watch: &'a mut ProgressReporter<'_>,
        _reader: &'a mut dyn ReadAhead,
    ) -> Option<Importing<'a>> {
        None
    }
    /// [`Format::import`] with `helpers` that read rows of long tables beside it; `None` where the format has no such tables. The profile is the same.
    fn import_side_by_side<'a>(
        &self,
        _input: &'a InputSet,
        _claim: &'a Claim,
        _ledger: &'a mut Ledger,
        _watch: &'a mut ProgressReporter<'_>,
        _helpers: &'a mut dyn RowHelpers,
    ) -> Option<Importing<'a>> {
        None
    }
    /// What a helper of [`Format::import_side_by_side`] reads with. `input` as there.
    fn row_reader(&self, _input: &InputSet) -> Option<Box<dyn RowReader>> {
        None
    }
    /// A piece that [`RowPiece::packed`] wrote in another program of the same build; `None`: the bytes are something else.
    fn unpacked_rows(&self, _bytes: &[u8]) -> Option<Box<dyn RowPiece>> {
        None
    }
    /// Reads every field of a slice or an instant from the file. `input` has the claim's members, inflated.
    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError>;
    /// Of each slice the fields of `keys`, as text, where the format reads many records faster by columns than one by one: of each key the first
    /// name that its table has; empty where the file records none. `input` as in `record`.
    fn columns(&self, _input: &InputSet, _profile: &Profile, _slices: &[SliceId], _keys: &[&[&str]]) -> Option<Columns> {
        None
    }
    /// Calls `each` with the section and every record of values over time and of throttling limits, as the file has them, with the keys of the device
    /// JSON: what the curves of a profile omit is in them. A format without such records gives none. `input` as in `record`.
    fn samples(&self, _input: &InputSet, _profile: &Profile, _each: &mut dyn FnMut(&str, &Sample<'_>)) -> Result<(), ImportError> {
        Ok(())
    }
    /// The programs of the engines, where the file holds them. `input` as in `record`.
    fn programs(&self, _input: &InputSet, _profile: &Profile) -> Option<Result<Vec<EngineProgram>, ImportError>> {
        None
    }
    /// The codes of operands that instruction words of this file give with the texts that the profiler's output of the run has for them.
    fn learned_codes(&self, _input: &InputSet, _profile: &Profile, _pairs: &[WordText]) -> Result<Vec<LearnedCode>, ImportError> {
        Ok(Vec::new())
    }
    /// Reads `n` rows of a table from the file, from row `first`. `input` as in `record`.
    fn rows(&self, _input: &InputSet, _table: &str, _first: u64, _n: u64) -> Result<Vec<Vec<Cell>>, ImportError> {
        Ok(Vec::new())
    }
}

/// An instruction word of a trace, and the text of its operands in the profiler's output of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordText {
    /// `NC 4`.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Program counter.
    pub pc: u32,
    /// Operands as the profiler writes them.
    pub operands: String,
}

/// Whether only programs with [`link_all`] read the format of that id.
pub fn needs_full(id: &str) -> bool {
    COMMON.iter().all(|format| format.id() != id)
}

/// The importer of the format of that id, where this program has it.
pub fn by_id(id: &str) -> Option<&'static dyn Format> {
    #[cfg(not(target_arch = "wasm32"))]
    link_all();
    COMMON.iter().chain(LINKED.get().copied().unwrap_or_default()).copied().find(|f| f.id() == id)
}

/// Sorts a drop into profiles. A member is the main member of at most one claim; several claims of one format may share a companion (the NEFF of
/// several NTFFs). Two formats never share a member. Also returns the unclaimed members.
pub fn claim(heads: &[MemberHead]) -> (Vec<Claim>, Vec<usize>) {
    let mut taken = vec![false; heads.len()];
    let mut claims = Vec::new();
    for format in ALL {
        let before = taken.clone();
        let mut mains = vec![false; heads.len()];
        for claim in format.claim(heads, &taken) {
            let Some((&main, companions)) = claim.members.split_first() else {
                continue;
            };
            let is_free = |&m: &usize| m < heads.len() && !before[m] && !mains[m];
            if main < heads.len() && !taken[main] && companions.iter().all(is_free) {
                mains[main] = true;
                claim.members.iter().for_each(|&m| taken[m] = true);
                claims.push(claim);
            }
        }
    }
    let unclaimed = (0..heads.len()).filter(|&i| !taken[i]).collect();
    (claims, unclaimed)
}
