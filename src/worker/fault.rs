//! What a worker reports to the page when its program panics.

use super::error::Sentence;
use super::protocol::ToPage;
use crate::formats::{import::file_name, neuron_parquet};

/// The message for a panic. Only the file name of `path` is sent, because the compiler's path can name directories of the build machine.
pub fn of_panic(path: &str, line: u32, words: &str) -> ToPage {
    match neuron_parquet::gave_up(path) {
        Some(sentence) => ToPage::GaveUp(Sentence(sentence)),
        None => ToPage::Died(format!("an error in the program ({}, line {line}: {words})", file_name(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_no_path_of_the_build() {
        let ToPage::Died(why) = of_panic("cargo/registry/src/x/parquet-60.1.0/src/column/page.rs", 7, "attempt to add") else {
            panic!("no table is being read")
        };
        assert_eq!(why, "an error in the program (page.rs, line 7: attempt to add)");
    }
}
