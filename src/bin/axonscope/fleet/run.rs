//! `axonscope run`: traces to a run summary, on all cores of this machine.

use super::traces::{self, Refused};
use super::{part, progress, whole_file};
use axonscope::analysis::fleet::Merger;
use axonscope::formats::axonrun;
use std::path::PathBuf;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope run traces/ -o run.axonrun          # then drop run.axonrun on the page
  axonscope run traces/*.json.gz -o run.axonrun
  axonscope report run.axonrun --query fleet    # the same answers as JSON

The result is that of `part` and `merge`, byte for byte, without files in between.
Exit codes: 0 done, 1 failed, 2 wrong arguments, 4 done, but traces were skipped (each is named on standard error).";

/// Arguments of `axonscope run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// PyTorch traces; directories stand for the files in them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// File to write
    #[arg(short, long, value_name = "run.axonrun")]
    output: PathBuf,
}

#[derive(Default)]
struct Outcome {
    merger: Merger,
    n: u64,
    other: Vec<String>,
    broken: Vec<String>,
}

/// Writes the run.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let found = traces::traces(&arguments.files, None)?;
    found.left_out.iter().for_each(|sentence| eprintln!("{sentence}"));
    let bar = progress::bytes(found.traces.iter().map(|t| t.len).sum(), "traces");
    let each = |trace: &traces::Trace, own: &mut Outcome| {
        let added = traces::part(trace).and_then(|part| own.merger.add(&part).map_err(|e| Refused::Broken(e.to_string())));
        match added {
            Ok(()) => own.n += 1,
            Err(Refused::Other(sentence)) => own.other.push(sentence),
            Err(Refused::Broken(sentence)) => own.broken.push(sentence),
        }
        bar.inc(trace.len);
    };
    let mut all = Outcome::default();
    for own in traces::in_threads(&found.traces, Outcome::default, each)? {
        all.merger.add_run(own.merger.finish()).map_err(|e| e.to_string())?;
        all.n += own.n;
        all.other.extend(own.other);
        all.broken.extend(own.broken);
    }
    bar.finish_and_clear();
    let code = part::finished(all.n == 0, all.other, all.broken)?;
    whole_file::write(&arguments.output, &axonrun::encode(&all.merger.finish())?)?;
    Ok(code)
}
