//! Sentences on standard error.

use std::fmt::Display;
use std::io::Write;

/// Prints a line. `eprintln!` would end the program where standard error cannot be written: a log on a disk that is full.
pub fn line(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
