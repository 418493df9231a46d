//! `axonscope run`: traces to a run summary, on all cores of this machine or on a Ray cluster.

use super::traces::{self, Refused};
use super::{part, progress, whole_file};
use crate::error::Fallible;
use crate::warn;
use axonscope::analysis::fleet::Merger;
use axonscope::formats::axonrun;
use std::path::PathBuf;
use std::process::Command;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope run traces/ -o run.axonrun          # then drop run.axonrun on the page
  axonscope run traces/*.json.gz -o run.axonrun
  axonscope report run.axonrun --query fleet    # the same answers as JSON
  axonscope run traces/ -o run.axonrun --ray                    # tasks on the Ray cluster of this machine
  axonscope run s3://bucket/run/ -o run.axonrun --ray HOST:6379 # traces at an address of fsspec (s3fs, gcsfs)

--ray needs `pip install axonscope[ray]` on every node; AXONSCOPE_PYTHON names another Python than python3.
The result is that of `part` and `merge`, byte for byte, without files in between.
Exit codes: 0 done, 1 failed, 2 wrong arguments, 4 done, but traces were skipped (each is named on standard error).";

/// Arguments of `axonscope run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// PyTorch traces; of a directory, the files in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// File to write
    #[arg(short, long, value_name = "run.axonrun")]
    output: PathBuf,
    /// Run tasks on a Ray cluster: its address; without a value the one that Ray finds, `local` starts one here
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "auto")]
    ray: Option<String>,
}

#[derive(Default)]
struct Outcome {
    merger: Merger,
    n: u64,
    other: Vec<String>,
    broken: Vec<String>,
}

/// Writes the run.
pub fn run(arguments: &Arguments) -> Fallible<u8> {
    if let Some(address) = &arguments.ray {
        return on_ray(arguments, address);
    }
    let found = traces::traces(&arguments.files, None)?;
    found.copies.iter().for_each(warn::line);
    let bar = progress::bytes(found.traces.iter().map(|t| t.len).sum(), "traces");
    let each = |trace: &traces::Trace, own: &mut Outcome| {
        let added = traces::part(trace).and_then(|part| own.merger.add(&part).map_err(|e| Refused::Broken(e.to_string())));
        match added {
            Ok(()) => own.n += 1,
            Err(Refused::Other(sentence)) => own.other.push(sentence),
            Err(Refused::Broken(sentence) | Refused::Unwritten(sentence)) => own.broken.push(sentence),
        }
        bar.inc(trace.len);
    };
    let mut all = Outcome { broken: found.unread, ..Outcome::default() };
    for own in traces::in_threads(&found.traces, Outcome::default, each)? {
        all.merger.add_run(own.merger.finish())?;
        all.n += own.n;
        all.other.extend(own.other);
        all.broken.extend(own.broken);
    }
    bar.finish_and_clear();
    let code = part::finished(all.n == 0, all.other, all.broken)?;
    whole_file::write(&arguments.output, &axonrun::encode(&all.merger.finish())?)?;
    Ok(code)
}

/// The same on Ray: the Python package calls `part` and `merge` of this program on every node.
fn on_ray(arguments: &Arguments, address: &str) -> Fallible<u8> {
    let [root] = arguments.files.as_slice() else {
        return Err(format!("Expected one directory or address with --ray, found {}.", arguments.files.len()).into());
    };
    let python = std::env::var_os("AXONSCOPE_PYTHON").unwrap_or_else(|| "python3".into());
    let program = std::env::current_exe().map_err(|e| format!("The path of this program is not known: {e}."))?;
    let mut command = Command::new(&python);
    command.args(["-m", "axonscope.ray", "--address", address, "--binary"]).arg(program);
    let status = command.arg("-o").arg(&arguments.output).arg("--").arg(root).status();
    let status = status.map_err(|e| format!("`{}` could not be started: {e}. --ray needs Python.", python.to_string_lossy()))?;
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(code @ (0 | super::SKIPPED)) => Ok(code),
        _ => Err("The run on Ray failed. It needs `pip install axonscope[ray]` in this Python, and on every node.".into()),
    }
}
