//! `axonscope part`, `merge` and `run`: from one trace to a run of many.

pub mod merge;
pub mod part;
mod part_file;
mod progress;
pub mod run;
mod traces;
mod whole_file;

/// Exit code of a command that succeeded but skipped files.
pub const SKIPPED: u8 = 4;
