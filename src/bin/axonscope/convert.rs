//! `axonscope convert`: profiles of Neuron as Parquet tables with the names, types and units of Neuron Explorer; traces as those of docs/sql.md.

mod directory;
mod table_file;

use crate::error::Fallible;
use crate::files;
use axonscope::base::text::counted;
use axonscope::engine::Session;
pub use axonscope::engine::tables::parquet as parquet_table;
use axonscope::engine::tables::{Part, Table, TableError};
use axonscope::formats::import;
use directory::NewDirectory;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use table_file::TableFile;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope convert profile.ntff model.neff -o tables/
  axonscope convert profile.json -o tables/ && duckdb -c \"select engine, sum(duration_ns) from 'tables/ActiveTime.parquet' group by 1\"
  axonscope convert runs/ -o tables/                  # several profiles: a directory for each
  axonscope convert trace.json.gz -o tables/ && duckdb -c \"select name, sum(dur) from 'tables/kernel.parquet' group by 1 order by 2 desc\"

Standard output is one JSON object: the directories written, with the rows of each table.
What a profile does not record is NULL. A table without rows has no file.
Exit codes: 0 done, 1 failed, 2 wrong arguments.";

/// Arguments of `axonscope convert`.
#[derive(clap::Args)]
pub struct Arguments {
    /// NTFF (better with its NEFF), JSON of neuron-profile, a system profile, or a PyTorch, Chrome or Perfetto trace; of a directory, the files in it
    #[arg(required = true, value_name = "IN")]
    files: Vec<String>,
    /// Directory to write; with several profiles, each gets a directory of its own in it
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace the Parquet tables of an earlier run
    #[arg(long)]
    overwrite: bool,
}

/// Formats that are converted.
const FORMATS: [&str; 5] = ["ntff", "neuron_json", "neuron_system", "kineto", "pftrace"];

/// Writes the tables of every profile among the files, all or none.
pub fn run(arguments: &Arguments) -> Fallible<()> {
    let target = NewDirectory::create(&arguments.output, arguments.overwrite)?;
    let input = files::input(&arguments.files)?;
    let mut sessions = Vec::new();
    for (claim, outcome) in import::import(&input)? {
        let (imported, readable) = outcome?;
        sessions.push(Session::new(claim, readable, imported));
    }
    if let Some(other) = sessions.iter().find(|s| !FORMATS.contains(&s.claim.format.as_str())) {
        let members = other.ledger.members.join("`, `");
        return Err(format!(
            "Expected a Neuron device or system profile (NTFF or JSON), or a PyTorch, Chrome or Perfetto trace, found `{members}` of the format `{}`.",
            other.claim.format
        ).into());
    }
    let names = names(&sessions);
    let mut written: Vec<Value> = Vec::new();
    for (session, name) in sessions.iter().zip(&names) {
        let directory = if sessions.len() == 1 { target.path().to_path_buf() } else { target.path().join(name) };
        let shown = if sessions.len() == 1 { arguments.output.clone() } else { arguments.output.join(name) };
        let tables = write(session, &directory)?;
        let mut notes = Vec::new();
        let n = session.transfers_without_row();
        if n > 0 {
            let n = counted(n, "DMA transfer");
            notes.push(format!("{n} without a row: instruction fetches that neuron-profile omits, and second records of a packet."));
        }
        written.push(json!({ "directory": shown, "profile": session.profile.meta.title, "tables": tables, "notes": notes }));
    }
    target.finish()?;
    let line = format!("{}\n", json!({ "written": written }));
    std::io::stdout().lock().write_all(line.as_bytes()).map_err(|e| format!("Standard output could not be written: {e}."))?;
    Ok(())
}

/// Writes the tables of a profile; rows by table.
fn write(session: &Session, directory: &Path) -> Fallible<BTreeMap<String, u64>> {
    std::fs::create_dir_all(directory).map_err(|e| format!("`{}` could not be created: {e}.", directory.display()))?;
    let mut open: Option<TableFile> = None;
    let mut n_rows = BTreeMap::new();
    let mut add = |table: &Table, part: &Part| -> Fallible<()> {
        if open.as_ref().is_none_or(|file| file.name() != table.name) {
            open.take().map_or(Ok(()), TableFile::finish)?;
            open = Some(TableFile::create(directory, table)?);
        }
        *n_rows.entry(table.name.to_string()).or_default() += part.n_rows as u64;
        open.as_mut().map_or(Ok(()), |file| file.write(part))
    };
    let mut receive = |table: &Table, part: Part| add(table, &part).map_err(TableError::Receiver);
    match session.claim.format.as_str() {
        "ntff" | "neuron_json" => session.device_tables(&mut receive)?,
        _ => session.trace_tables(&mut receive)?,
    }
    open.map_or(Ok(()), TableFile::finish)?;
    Ok(n_rows)
}

/// A directory name for each profile: that of its file, numbered where two are equal.
fn names(sessions: &[Session]) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let name = |session: &Session| {
        let path = session.ledger.members.first().map(String::as_str).unwrap_or("profile");
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split_once('.').map_or(file, |parts| parts.0);
        let stem = if stem.is_empty() { "profile" } else { stem };
        let n = seen.entry(stem.into()).or_default();
        *n += 1;
        if *n == 1 { stem.to_string() } else { format!("{stem}-{n}") }
    };
    sessions.iter().map(name).collect()
}
