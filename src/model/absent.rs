//! The value of a column for what a record does not have.

/// In an id or number column: not recorded.
pub const ABSENT: u32 = u32::MAX;
