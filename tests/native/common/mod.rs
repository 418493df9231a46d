//! What tests of several formats share.

#![allow(dead_code, clippy::unwrap_used, reason = "shared by several test programs; a test may fail")]

pub mod made_fleet;
pub mod made_system;

use axonscope::base::InputSet;
use axonscope::formats::{Imported, import};
use std::path::PathBuf;

/// A folder of the conformance data. `None`, after one line saying so, where they are absent; a failure where they are required.
pub fn conformance(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AXONSCOPE_CONFORMANCE").map_or_else(|| PathBuf::from("../shared/conformance"), PathBuf::from);
    let dir = root.join(part);
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(std::env::var("AXONSCOPE_CONFORMANCE_REQUIRED").as_deref() != Ok("1"), "no conformance data, but they are required");
    println!("skipped: no conformance data");
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
