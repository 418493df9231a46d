//! Runs one target of `tests/support` under libFuzzer, with a limit on memory. `AXONSCOPE_FUZZ` is the name of the target.
#![no_main]

use peak_alloc::PeakAlloc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[path = "../../tests/support/mod.rs"]
#[allow(dead_code, reason = "cases are read by the native tests")]
mod support;

#[cfg(feature = "page")]
#[path = "../../tests/support/page_targets.rs"]
mod page_targets;

/// Memory of a run that does not depend on the input: tables of decoders, a Parquet page, the widest block.
const BASE: usize = 96 << 20;
/// Memory for each byte of input: gzip packs up to 1000 to 1, and a record of a few bytes takes some hundred bytes in the tables.
const PER_BYTE: usize = 12_000;

static TARGET: LazyLock<String> = LazyLock::new(|| std::env::var("AXONSCOPE_FUZZ").expect("AXONSCOPE_FUZZ: the name of a target"));

libfuzzer_sys::fuzz_target!(init: forgive_the_parquet_library(), |bytes: &[u8]| run(&TARGET, bytes));

/// The Parquet library panics on some damaged files. The importer catches that; a panic that nobody catches still ends the run.
fn forgive_the_parquet_library() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|at| at.file().contains("/parquet-")) {
            abort(info);
        }
    }));
}

/// Runs the target of that name on these bytes.
fn run(target: &str, bytes: &[u8]) {
    count(bytes.len() as u64);
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    run_target(target, bytes);
    let peak = PeakAlloc.peak_usage().saturating_sub(before);
    assert!(peak <= BASE + bytes.len() * PER_BYTE, "{peak} bytes of memory for {} bytes of input", bytes.len());
    let left = PeakAlloc.current_usage().saturating_sub(before);
    assert!(left <= 1 << 20, "{left} bytes are still allocated");
}

/// Prints the bytes of all runs so far, at every 16 MiB: libFuzzer counts runs alone.
fn count(n_bytes: u64) {
    static TOTAL: AtomicU64 = AtomicU64::new(0);
    let before = TOTAL.fetch_add(n_bytes, Ordering::Relaxed);
    if before >> 24 != (before + n_bytes) >> 24 {
        eprintln!("bytes: {}", before + n_bytes);
    }
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
