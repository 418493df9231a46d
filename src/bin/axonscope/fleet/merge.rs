//! `axonscope merge`: parts, and runs of other parts, to a run summary.

use super::{SKIPPED, part_file, progress, traces, whole_file};
use crate::error::Fallible;
use crate::{files, warn};
use axonscope::analysis::fleet::Merger;
use axonscope::base::text::counted;
use axonscope::formats::axonrun;
use axonscope::model::fleet::FleetRun;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope merge parts/ -o run.axonrun
  axonscope merge half1.axonrun half2.axonrun -o run.axonrun

Merging in any order and in any tree gives the same bytes.
Exit codes: 0 done, 1 failed, 2 wrong arguments, 4 done, but parts were skipped (each is named on standard error).";

/// Arguments of `axonscope merge`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Parts (.part.parquet) and runs (.axonrun); of a directory, the files in it
    #[arg(required = true, value_name = "PART")]
    files: Vec<String>,
    /// File to write
    #[arg(short, long, value_name = "run.axonrun")]
    output: PathBuf,
}

/// Writes the run.
pub fn run(arguments: &Arguments) -> Fallible<u8> {
    let mut paths = Vec::new();
    for argument in &arguments.files {
        files::walk(Path::new(argument), &mut paths).map_err(|e| format!("`{argument}` could not be read: {e}."))?;
    }
    let is_run = |path: &PathBuf| path.extension().is_some_and(|e| e == "axonrun");
    let (runs, others): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_run);
    let (parts, strangers): (Vec<PathBuf>, Vec<PathBuf>) =
        others.into_iter().partition(|path| path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(".part.parquet")));
    let mut merger = Merger::default();
    let mut broken = Vec::new();
    let mut n_added = 0u64;
    for path in &runs {
        match open_run(path) {
            Ok(run) => {
                n_added += run.traces.len() as u64;
                merger.add_run(run)?;
            }
            Err(error) => broken.push(error.to_string()),
        }
    }
    // Copies are skipped before anything is read in full: of equal ones the first by name, whatever the order of the arguments.
    let mut unique: BTreeMap<u64, (String, PathBuf)> = BTreeMap::new();
    for path in parts {
        match part_file::id(&path) {
            Err(error) => broken.push(error.to_string()),
            Ok((id, name)) => {
                let copy = match unique.get(&id) {
                    _ if merger.has(id) => Some(name),
                    Some((known, _)) if *known <= name => Some(name),
                    _ => unique.insert(id, (name, path)).map(|known| known.0),
                };
                if let Some(copy) = copy {
                    warn::line(format_args!("`{copy}` is in the run already and counts once."));
                }
            }
        }
    }
    let items: Vec<PathBuf> = unique.into_values().map(|u| u.1).collect();
    let bar = progress::files(items.len() as u64, "parts");
    let each = |path: &PathBuf, own: &mut (Merger, u64, Vec<String>)| {
        match part_file::read(path).and_then(|part| Ok(own.0.add(&part)?)) {
            Ok(()) => own.1 += 1,
            Err(error) => own.2.push(error.to_string()),
        }
        bar.inc(1);
    };
    for (own, n, refused) in traces::in_threads(&items, Default::default, each)? {
        merger.add_run(own.finish())?;
        n_added += n;
        broken.extend(refused);
    }
    bar.finish_and_clear();
    broken.sort();
    if n_added == 0 {
        let first = broken.first().map_or("There are no files with names that end in .part.parquet or .axonrun.", String::as_str);
        return Err(format!("No part could be read. {first}").into());
    }
    broken.iter().for_each(warn::line);
    if let Some(first) = strangers.first() {
        let n = counted(strangers.len() as u64, "file");
        warn::line(format_args!("{n} skipped: neither parts nor runs. The first: `{}`.", first.display()));
    }
    whole_file::write(&arguments.output, &axonrun::encode(&merger.finish())?)?;
    Ok(if broken.is_empty() { 0 } else { SKIPPED })
}

fn open_run(path: &Path) -> Fallible<FleetRun> {
    let name = path.to_string_lossy().into_owned();
    let member = files::member(path, name.clone())?;
    Ok(axonrun::decode(&|at, n| member.read(at, n).map_err(Into::into), member.len(), &name)?)
}
