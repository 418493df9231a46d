//! Why something that the user asked for failed. The sentence is made where it is shown.

use crate::state::workspace::WorkspaceError;
use crate::worker::client::EngineError;
use crate::worker::error::{BrowserError, LinkError, Sentence};

/// Why a worker does not listen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// It could not be started, or not be sent to.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// It broke down.
    #[error(transparent)]
    Died(Sentence),
    /// Its first message was another one.
    #[error("The worker did not start. Reload the page.")]
    NotReady,
}

/// Why files could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// No worker listens.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A message could not be sent.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The browser gave no files.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The worker's message.
    #[error(transparent)]
    Worker(Sentence),
    /// The worker ended without a word.
    #[error("The worker stopped.")]
    Stopped,
    /// The content has changed.
    #[error("The file has changed since it was opened.")]
    Changed,
    /// About one of several files.
    #[error("`{path}`: {why}")]
    InFile {
        /// Path below the drop.
        path: String,
        /// What is wrong with it.
        why: Box<OpenError>,
    },
}

impl OpenError {
    /// The same with the file it is about, unless its sentence names that.
    pub fn of_file(self, path: &str) -> OpenError {
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.to_string().contains(name) { self } else { OpenError::InFile { path: path.into(), why: Box::new(self) } }
    }
}

/// Why a drop has no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DropError {
    /// More than the given number.
    #[error("The directory contains more than {0} files. Drop the directory of one profile.")]
    TooMany(usize),
    /// Directories without files.
    #[error(
        "The dropped directory contains no files. If it is a log directory of the TensorBoard Neuron plugin, likely causes are: \
         a release before 2.6, a model moved to the device outside the profiler context, or a traced model without `traced_only=True`."
    )]
    Empty,
    /// The browser could not list or open them.
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

/// Why a workspace was not loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceFileError {
    /// The file is too large for a workspace.
    #[error("Expected a workspace of at most 8 MB.")]
    TooLarge,
    /// The browser could not read it.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// It is no workspace.
    #[error(transparent)]
    Content(#[from] WorkspaceError),
}

/// Why tables were not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableZipError {
    /// The profile gave no rows.
    #[error(transparent)]
    Rows(#[from] EngineError),
    /// The writer could not be sent to.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The writer failed.
    #[error(transparent)]
    Worker(Sentence),
    /// The worker of the writer stopped.
    #[error("The worker that writes Parquet tables has stopped, possibly because of insufficient memory.")]
    Stopped,
}
