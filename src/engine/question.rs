//! A question to an open profile: plain data that names the type of its answer. [`super::question_list`] has all of them.

use super::Session;
use super::range_records::RecordsError;
use crate::analysis::filter::SearchError;
use crate::analysis::matcher::PatternError;
use crate::analysis::snapshot::SnapshotError;
use crate::analysis::torch::diff::PathError;
use crate::analysis::torch::modules::TreeError;
use crate::formats::ImportError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A question to an open profile.
pub trait Question: Clone + PartialEq + std::fmt::Debug + 'static {
    /// What it is answered with.
    type Answer: Clone + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Answers it from a session.
    fn answer(&self, session: &Session) -> Result<Self::Answer, Refusal>;
}

/// Why a profile has no answer to a question. On the wire it is its sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Only profiles of another kind have an answer.
    #[error("This profile is not {0}.")]
    OtherKind(&'static str),
    /// The profile of that title has no row in a table of profiles.
    #[error("{0}: expected a Neuron device or system profile, a summary or a PyTorch trace.")]
    NoVariants(String),
    /// The slice or the instant is not in the profile.
    #[error("This profile has no such slice or instant.")]
    NoSuchItem,
    /// The table is not in the profile.
    #[error("This profile has no table `{0}`.")]
    NoTable(String),
    /// The profile has no column of that name.
    #[error("This profile has no column `{0}` to group by.")]
    NoColumn(String),
    /// No importer has that name.
    #[error("Unknown format `{0}`.")]
    UnknownFormat(String),
    /// The file could not be read again.
    #[error(transparent)]
    Unreadable(#[from] ImportError),
    /// What was searched for is no text, pattern or condition.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A pattern is no regular expression.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A memory snapshot has no such device or allocation.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A trace has no such tree or node.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Two traces have no such part.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The records of a range could not be read again.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// It needs what only the worker for all formats has.
    #[error("This profile needs the worker for all formats. Reload the page.")]
    OtherWorker,
    /// The answer has no bytes.
    #[error("The answer could not be written: {0}.")]
    Unwritable(postcard::Error),
    /// The answer of another session refuses; its sentence.
    #[error("{0}")]
    Refused(String),
    /// The answer of another session is to another question.
    #[error("The answer is of another question.")]
    OtherQuestion,
}

/// A question that can be sent. Implemented by the list of all questions.
pub trait Wire: Question + Serialize + DeserializeOwned {
    /// Its number in the list.
    const NUMBER: u32;
}

/// Answers to questions, each a line: `Question => Answer: what computes it from the session and the question`.
macro_rules! answers {
    ($($question:ty => $answer:ty: $compute:expr;)*) => {$(
        impl $crate::engine::Question for $question {
            type Answer = $answer;
            fn answer(&self, session: &$crate::engine::Session) -> Result<$answer, $crate::engine::Refusal> {
                let compute: fn(&$crate::engine::Session, &$question) -> Result<$answer, $crate::engine::Refusal> = $compute;
                compute(session, self)
            }
        }
    )*};
}
pub(in crate::engine) use answers;
