//! Pure functions from a profile to an answer; a file per question.

pub mod operators;
