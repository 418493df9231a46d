//! An open profile with its input.

/// An open profile with its input. (To be completed.)
pub struct Session;
