//! The error of a command. Library errors keep their types up to `main`, which prints one sentence.

/// Any error.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A step of a command that can fail.
pub type Fallible<T> = Result<T, Error>;
