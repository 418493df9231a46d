//! How our answers on memory, communication, modules and differences are compared with the plugin's.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "shared by several test programs; a test may fail")]

pub mod diff;
pub mod distributed;
pub mod memory;
pub mod modules;

use axonscope::analysis::torch::View;
use axonscope::engine::TraceQuestion;
use serde_json::Value;
use std::fmt::Debug;

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Check {
    /// Figures or rows compared.
    pub n: usize,
    /// What differs, the first few in words.
    pub differences: Vec<String>,
    /// How many differ.
    pub n_different: usize,
}

impl Check {
    /// Counts a comparison; says what was found if it does not hold.
    pub fn holds(&mut self, say: impl FnOnce() -> String, holds: bool) {
        self.n += 1;
        if !holds {
            self.wrong(say());
            self.n -= 1;
        }
    }

    /// Two values are one.
    pub fn same<T: PartialEq + Debug>(&mut self, what: &str, got: T, want: T) {
        let holds = got == want;
        self.holds(|| format!("{what}: {got:?}, expected {want:?}"), holds);
    }

    /// Counts a difference.
    pub fn wrong(&mut self, sentence: String) {
        self.n += 1;
        self.n_different += 1;
        if self.differences.len() < 5 {
            self.differences.push(sentence);
        }
    }
}

/// Asks a trace.
pub fn ask<Q: TraceQuestion>(view: &View<'_>, question: Q) -> Q::Answer {
    question.of(view).unwrap()
}

/// A number, or 0.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// A text, or nothing.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The items of a list.
pub fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Whether two numbers differ by no more than `by`.
pub fn close(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= by
}
