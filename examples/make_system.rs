//! Writes a synthetic Neuron system profile of LLM serving as large as wanted: `system_profile.json` as profilers since mid-2026 write it.
//!
//! `cargo run --release --example make_system -- --events 1900000 OUT.json`. No hardware was involved. The same writer makes the profiles of the
//! tests, whose executions, phases and gaps are known.

#[path = "../tests/native/common/made_system.rs"]
mod made_system;

use made_system::{Serving, write_system};
use std::io::{BufWriter, Write};

/// Events of a step, and steps of a request: a prefill and its decode steps.
const OF_STEP: u64 = 8;
const N_STEPS: u32 = 99;
const N_REQUESTS: u32 = 100;

fn main() -> Result<(), String> {
    let usage = "Usage: make_system [--events N] OUT.json";
    let (mut n_events, mut path) = (1_900_000u64, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--events" => n_events = args.next().and_then(|n| n.parse().ok()).ok_or(usage)?,
            _ => path = Some(arg),
        }
    }
    let path = path.ok_or(usage)?;
    let of_burst = OF_STEP * u64::from(N_STEPS + 1) * u64::from(N_REQUESTS);
    let n_bursts = u32::try_from(n_events.div_ceil(of_burst)).map_err(|e| e.to_string())?.max(1);
    let file = std::fs::File::create(&path).map_err(|e| format!("{path}: {e}"))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let serving = Serving { n_bursts, n_requests: N_REQUESTS, n_steps: N_STEPS, has_models: true };
    let n = write_system(&mut out, serving).and_then(|n| out.flush().map(|()| n)).map_err(|e| format!("{path}: {e}"))?;
    println!("{path}: {n} events");
    Ok(())
}
