//! `axonscope part`: one Parquet file of tables for each trace.

use super::traces::{self, Refused};
use super::{SKIPPED, part_file, progress, whole_file};
use crate::error::Fallible;
use crate::warn;
use axonscope::base::text::counted;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope part traces/ -o parts/
  axonscope part rank7.json.gz -o parts/ --root traces/     # one task of many: names are those of `part traces/`
  duckdb -c \"select name, sum(device_self_ns) from 'parts/*.parquet' where \\\"table\\\" = 'operator' group by 1\"

Standard output is one JSON object for each part, then one for each file that was skipped. docs/formats/part.md describes the tables.
Exit codes: 0 done, 1 failed, 2 wrong arguments, 4 done, but traces were skipped (each is named on standard error).";

/// Arguments of `axonscope part`.
#[derive(clap::Args)]
pub struct Arguments {
    /// PyTorch traces; of a directory, the files in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Directory to write to; made where it is missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Directory of the whole run: files are named by their paths in it
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// Writes the parts.
pub fn run(arguments: &Arguments) -> Fallible<u8> {
    let found = traces::traces(&arguments.files, arguments.root.as_deref())?;
    found.copies.iter().for_each(warn::line);
    std::fs::create_dir_all(&arguments.output).map_err(|e| format!("`{}` could not be created: {e}.", arguments.output.display()))?;
    let bar = progress::bytes(found.traces.iter().map(|t| t.len).sum(), "parts");
    let each = |trace: &traces::Trace, own: &mut Outcome| {
        let written = traces::part(trace).and_then(|part| {
            let name = trace.name.rsplit('/').next().unwrap_or(&trace.name);
            let stem = name.trim_end_matches(".gz").trim_end_matches(".json");
            let path = arguments.output.join(format!("{stem}.{:08x}.part.parquet", trace.id >> 32));
            let bytes = part_file::encode(&part).map_err(|e| Refused::Unwritten(e.to_string()))?;
            whole_file::write(&path, &bytes).map_err(|e| Refused::Unwritten(e.to_string()))?;
            Ok(json!({ "part": path, "trace": trace.name, "id": format!("{:016x}", trace.id), "bytes": bytes.len(), "rank": part.meta.rank }))
        });
        match written {
            Ok(line) => own.written.push(line),
            Err(Refused::Other(sentence)) => own.other.push(sentence),
            Err(Refused::Broken(sentence)) => own.broken.push(sentence),
            Err(Refused::Unwritten(sentence)) => own.unwritten.push(sentence),
        }
        bar.inc(trace.len);
    };
    let mut all = Outcome { broken: found.unread, ..Outcome::default() };
    for own in traces::in_threads(&found.traces, Outcome::default, each)? {
        all.written.extend(own.written);
        all.other.extend(own.other);
        all.broken.extend(own.broken);
        all.unwritten.extend(own.unwritten);
    }
    bar.finish_and_clear();
    all.written.sort_by_key(|line| line["trace"].as_str().unwrap_or_default().to_string());
    let skipped = |sentence: &String, is_trace: bool| json!({ "skipped": sentence, "is_trace": is_trace });
    let lines = all.other.iter().map(|s| skipped(s, false)).chain(all.broken.iter().map(|s| skipped(s, true)));
    let lines: String = all.written.iter().cloned().chain(lines).map(|line| format!("{line}\n")).collect();
    std::io::stdout().lock().write_all(lines.as_bytes()).map_err(|e| format!("Standard output could not be written: {e}."))?;
    all.unwritten.sort();
    if let Some(first) = all.unwritten.first() {
        let n = all.unwritten.len() as u64;
        let sentence = if n > 1 { format!("{} could not be written. The first: {first}", counted(n, "part")) } else { first.clone() };
        return Err(sentence.into());
    }
    finished(all.written.is_empty(), all.other, all.broken)
}

#[derive(Default)]
struct Outcome {
    written: Vec<Value>,
    other: Vec<String>,
    broken: Vec<String>,
    unwritten: Vec<String>,
}

/// Names what was skipped, and the exit code.
pub fn finished(is_nothing: bool, mut other: Vec<String>, mut broken: Vec<String>) -> Fallible<u8> {
    other.sort();
    broken.sort();
    if is_nothing {
        let first = broken.first().or(other.first()).map_or("There are no files.", String::as_str);
        return Err(format!("No PyTorch trace could be read. {first}").into());
    }
    broken.iter().for_each(warn::line);
    if let Some(first) = other.first() {
        warn::line(format_args!("{} skipped: no PyTorch traces. The first: {first}", counted(other.len() as u64, "file")));
    }
    Ok(if broken.is_empty() { 0 } else { SKIPPED })
}
