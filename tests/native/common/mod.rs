//! What tests of several formats share.

#![allow(dead_code, clippy::unwrap_used, reason = "shared by several test programs; a test may fail")]

pub mod made_fleet;
pub mod made_system;

use axonscope::base::InputSet;
use axonscope::formats::{Imported, import};
use std::io::Write as _;
use std::path::PathBuf;

/// A folder of the conformance data. `None`, after a line that names the test, where they are absent; a failure where they are required.
/// The line goes past the harness, which shows nothing of a test that passes: `make test` counts these lines.
pub fn conformance(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AXONSCOPE_CONFORMANCE").map_or_else(|| PathBuf::from("../shared/conformance"), PathBuf::from);
    let dir = root.join(part);
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(std::env::var("AXONSCOPE_CONFORMANCE_REQUIRED").as_deref() != Ok("1"), "no conformance data, but they are required");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "skipped: no conformance data: {test}");
    None
}

/// Imports the one profile of an input.
pub fn open(input: &InputSet) -> (Imported, InputSet) {
    let mut outcomes = import::import(input).unwrap();
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0).1.unwrap()
}

/// The sentence with which an input is refused.
pub fn refusal(input: &InputSet) -> String {
    match import::import(input) {
        Err(error) => error.to_string(),
        Ok(mut outcomes) => outcomes.remove(0).1.map(|_| ()).unwrap_err().to_string(),
    }
}
