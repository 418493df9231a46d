//! `--timing`: how long each phase of an import took.

use crate::warn;
use axonscope::base::phases::{self, Listener, Phase};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Milliseconds by phase, summed over threads.
static SUMS: Mutex<BTreeMap<Phase, f64>> = Mutex::new(BTreeMap::new());

/// Sums phases from now on.
pub fn listen() {
    LazyLock::force(&START);
    phases::listen(Listener { now_ms, report });
}

fn now_ms() -> f64 {
    START.elapsed().as_secs_f64() * 1000.0
}

fn report(phase: Phase, from_ms: f64, to_ms: f64) {
    // A thread that panicked while it held the lock ends the program.
    if let Ok(mut sums) = SUMS.lock() {
        *sums.entry(phase).or_default() += to_ms - from_ms;
    }
}

/// One line for each phase that was found, and one for the time since [`listen`], on standard error.
pub fn print() {
    let Ok(sums) = SUMS.lock() else { return };
    for phase in Phase::ALL {
        if let Some(ms) = sums.get(&phase) {
            warn::line(format_args!("{:<12} {ms:>9.1} ms", phase.name()));
        }
    }
    warn::line(format_args!("{:<12} {:>9.1} ms", "import", now_ms()));
}
