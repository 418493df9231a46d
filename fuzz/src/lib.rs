//! A run of a target: the shared function, and a bound on the memory that it takes.

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[path = "../../tests/support/mod.rs"]
#[allow(dead_code, reason = "cases are read by the native tests")]
mod support;

#[cfg(feature = "page")]
#[path = "../../tests/support/page_targets.rs"]
mod page_targets;

/// What a run may take beside its input: tables of decoders, a Parquet page, the widest block.
const BASE: usize = 96 << 20;
/// And for each byte of it: gzip packs a thousand to one, and a record of a few bytes is some hundred in the tables.
const FOR_A_BYTE: usize = 12_000;

/// Runs the target of that name on these bytes.
pub fn run(target: &str, bytes: &[u8]) {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    run_target(target, bytes);
    let taken = PeakAlloc.peak_usage().saturating_sub(before);
    assert!(taken <= BASE + bytes.len() * FOR_A_BYTE, "{taken} bytes of memory for {} bytes of input", bytes.len());
    let left = PeakAlloc.current_usage().saturating_sub(before);
    assert!(left <= 1 << 20, "{left} bytes are still allocated");
}

#[cfg(feature = "page")]
fn run_target(target: &str, bytes: &[u8]) {
    match page_targets::PAGE.iter().find(|other| other.0 == target) {
        Some((_, other)) => other(bytes),
        None => support::targets::run(target, bytes),
    }
}

#[cfg(not(feature = "page"))]
fn run_target(target: &str, bytes: &[u8]) {
    support::targets::run(target, bytes);
}

/// A program of libFuzzer for one target.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run($name, bytes));
    };
}
