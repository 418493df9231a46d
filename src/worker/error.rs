//! Why something between page and worker failed. The sentence is made where it is shown.

use crate::base::{InputError, SourceError, text};
use crate::formats::ImportError;
use crate::formats::gzip::INFLATED_MAX;
use crate::formats::zstd::NoUnpacker;
use serde::{Deserialize, Serialize};
use std::fmt;
use wasm_bindgen::{JsCast as _, JsValue};

/// A finished sentence for the user. It crosses between worker and page as text and is only shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct Sentence(pub String);

impl Sentence {
    /// The sentence of an error.
    pub fn of(error: &impl fmt::Display) -> Sentence {
        Sentence(error.to_string())
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        Sentence(text.into())
    }
}

/// A failure of the browser, in its words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BrowserError(pub String);

impl From<JsValue> for BrowserError {
    fn from(error: JsValue) -> Self {
        BrowserError(words(&error))
    }
}

/// Why a message between page and worker could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It has no bytes.
    #[error("A message between page and worker could not be written: {0}.")]
    Write(postcard::Error),
    /// The bytes are no such message.
    #[error("A message between page and worker could not be read ({0}). Their versions differ: reload the page.")]
    Read(postcard::Error),
}

/// Why the page cannot start a worker or send to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The browser refused to start it.
    #[error("The browser could not start a worker: {0}")]
    NotStarted(BrowserError),
    /// The browser failed otherwise.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The message could not be written.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The worker broke down, for this reason.
    #[error("The worker stopped: {}. Its profile is closed; open the file again to continue.", .0.trim_end_matches('.'))]
    Stopped(String),
}

/// Why a worker could not do what the page asked for.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The message could not be read.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// A file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A member of a drop could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The files are no profile.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The browser failed.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// No importer has that name.
    #[error("Unknown format `{0}`.")]
    UnknownFormat(String),
    /// A message that needs a file came without one.
    #[error("No file came with this.")]
    NoFile,
    /// A Zstandard file could not be decompressed.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// Tables could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why tables could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Only the program of every format links the writer.
    #[error("Tables are written by the worker for all formats.")]
    NotLinked,
    /// The writer failed. Boxed: the worker for traces links none of its errors.
    #[error(transparent)]
    Archive(Box<dyn std::error::Error>),
}

/// Why a Zstandard file could not be decompressed.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The program cannot decompress.
    #[error(transparent)]
    NoUnpacker(#[from] NoUnpacker),
    /// The file does not begin as such a file does.
    #[error("Expected Zstandard data: a file that ends in .zst begins with the bytes 28 b5 2f fd.")]
    NotZstandard,
    /// The browser took no more bytes.
    #[error("The decompressed file could not be stored: {0}")]
    NotStored(BrowserError),
    /// It is too long.
    #[error(
        "The Zstandard file decompresses to more than {}; expected at most this size. Record fewer steps or split the file.",
        text::bytes(INFLATED_MAX)
    )]
    TooLong,
    /// It has no data.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
}

/// What a Zstandard file lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incomplete {
    /// The data is damaged near a byte, for a reason that the library gives.
    #[error("The Zstandard data is damaged near byte {0} ({1}); data after the damage is not read.")]
    Damaged(u64, String),
    /// The file ends inside its data.
    #[error("The Zstandard file is truncated; the data before its end is read.")]
    Truncated,
    /// The file ends before its data.
    #[error("The Zstandard file is truncated: it ends before its first data.")]
    Empty,
}

/// What a JavaScript error says, ending in a full stop.
pub fn words(error: &JsValue) -> String {
    let text = match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => js_sys::Reflect::get(error, &"message".into()).ok().and_then(|m| m.as_string()).unwrap_or_else(|| format!("{error:?}")),
    };
    sentence(&text)
}

/// A reason that the browser gave, ending in a full stop.
pub(super) fn sentence(reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    format!("{}.", if reason.is_empty() { "The browser reported no reason" } else { reason })
}

/// The browser's error, as that of a source.
pub(super) fn refused(error: &JsValue) -> SourceError {
    SourceError::Platform(words(error))
}
