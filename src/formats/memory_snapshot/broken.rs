//! What is wrong with a pickle.

/// Why the data cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The stack has less than the instruction takes.
    EmptyStack,
    /// Something else is there than the instruction needs.
    WrongObject(&'static str),
    /// A place of the memo that holds nothing.
    NoMemo,
    /// More values at once than are taken.
    TooMany(&'static str),
}
