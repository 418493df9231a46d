//! A small import ahead of the first one. Browsers run WebAssembly slowly until a function has been busy for a while, then compile it
//! well, beside the running program, for all workers of the page. A trace of 100 MB is nearly over before that has paid: it opens in nine
//! tenths of the time when what is busy was compiled before. Only small functions are compiled soon enough: see `index.html`.

use super::Session;
use crate::analysis::torch::overview::OverviewQuery;
use crate::base::{InputSet, Member};
use crate::formats::import::{self, Feeder};
use crate::formats::{self, Claim, ImportError, kineto, ntff};
use std::fmt::Write as _;

/// Launches in the synthetic trace: enough for the browser to compile every hot function; about 40 ms of work.
const N_LAUNCHES: usize = 3000;
/// Fed in pieces, so that a function that has been compiled is entered again.
const PIECE: usize = 128 << 10;

/// Launches in the trace that page and worker rehearse with.
const N_LAUNCHES_SHOWN: usize = 200;

/// Imports a synthetic trace and drops it. Returns its number of slices.
///
/// # Errors
/// When the synthetic trace does not open.
pub fn warm_up() -> Result<usize, ImportError> {
    let text = trace(N_LAUNCHES);
    let claim = Claim { format: kineto::ID.into(), members: vec![0], recognised: String::new() };
    let mut feeder = formats::by_id(kineto::ID)
        .and_then(|format| Feeder::new(format, &claim, "warm-up", text.len() as u64, false))
        .ok_or_else(|| ImportError::Unrecognised("Traces are read at random access.".into()))?;
    for piece in text.as_bytes().chunks(PIECE) {
        feeder.feed(piece)?;
        feeder.progress();
    }
    let (imported, _) = feeder.finish()?;
    let session = Session::new(claim, InputSet::from_bytes("warm-up", Vec::new()), imported);
    session.name_slots();
    // Where a trace opens, and what every other view of it builds on.
    drop(session.ask(&OverviewQuery::default()));
    Ok(session.profile.slices.len())
}

/// Imports a run of our own with its program, a few hundred bytes: functions are compiled when they are first called, and most traces of a device
/// are short. Returns its number of slices.
///
/// # Errors
/// When this program does not read runs.
pub fn warm_up_for_runs() -> Result<usize, ImportError> {
    let input = InputSet { members: RUN.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.to_vec())).collect() };
    let claim = Claim { format: ntff::ID.into(), members: vec![0, 1], recognised: String::new() };
    let (imported, readable) = import::import_claim(&input, &claim, &mut |_| ())?;
    let session = Session::new(claim, readable, imported);
    session.name_slots();
    session.page_meta();
    drop(session.first_question().map(|question| question.answer(&session)));
    Ok(session.profile.slices.len())
}

/// A case of the importer's tests.
const RUN: [(&str, &[u8]); 2] = [
    ("a.ntff", include_bytes!("../../tests/cases/ntff/with_neff/a.ntff")),
    ("a.neff", include_bytes!("../../tests/cases/ntff/with_neff/a.neff")),
];

/// The text of a small synthetic trace, to open where nobody sees it.
pub fn synthetic_trace() -> String {
    trace(N_LAUNCHES_SHOWN)
}

/// Operators that launch kernels, as PyTorch writes them.
fn trace(n_launches: usize) -> String {
    let mut out = String::from("{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"GPU\"}], \"traceEvents\": [\n");
    for i in 0..n_launches {
        let (at, kind) = (i as f64 * 40.25, i % 37);
        // Writing to a string does not fail.
        let _ = write!(
            out,
            r#"  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op{kind}", "pid": 1, "tid": {thread},
    "ts": {at:.3}, "dur": 30.125,
    "args": {{"External id": {i}, "Record function id": 0, "Concrete Inputs": ["", "2"], "Input type": ["float", "int"], "Input Dims": [[{kind}, 128], []], "Ev Idx": {i}}}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": {thread},
    "ts": {launch:.3}, "dur": 5.5,
    "args": {{"External id": {i}, "cbid": 211, "correlation": {correlation}}}
  }},
  {{
    "ph": "s", "id": {correlation}, "pid": 1, "tid": {thread}, "ts": {launch:.3}, "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void kernel_{kind}<float, {kind}>(int, float*)", "pid": 0, "tid": 7,
    "ts": {kernel:.3}, "dur": 20.032,
    "args": {{"External id": {i}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {correlation}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 1.5, "warps per SM": 12, "grid": [{kind}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 18}}
  }},
  {{
    "ph": "f", "id": {correlation}, "pid": 0, "tid": 7, "ts": {kernel:.3}, "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
"#,
            thread = 10 + i % 2,
            launch = at + 10.0,
            kernel = at + 18.5,
            correlation = i + 1,
        );
    }
    out.push_str(r#"  {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}}]}"#);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_of_the_made_up_trace_is_read() {
        assert_eq!(warm_up().expect("it opens"), 3 * N_LAUNCHES);
    }

    #[test]
    fn every_slice_of_the_run_is_read() {
        assert_eq!(warm_up_for_runs().expect("it opens"), 3);
    }
}
