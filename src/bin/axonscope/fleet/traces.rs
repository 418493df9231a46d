//! The traces of a command: found below files and directories, each once, and the part of each.

use crate::error::Fallible;
use crate::files;
use axonscope::analysis::torch::run_part::RunPartQuery;
use axonscope::base::{InputSet, Member, Origin, hash, trace_identity};
use axonscope::engine::Session;
use axonscope::formats::import;
use axonscope::formats::parallel::Plan;
use axonscope::model::fleet::RunPart;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file of the command line.
pub struct Trace {
    /// Its path on this machine.
    pub path: PathBuf,
    /// How the run names it.
    pub name: String,
    /// Hash of its content.
    pub id: u64,
    /// Bytes.
    pub len: u64,
}

/// The traces, and what was skipped.
#[derive(Default)]
pub struct Traces {
    /// By content, each once: of copies the one with the first name.
    pub traces: Vec<Trace>,
    /// A sentence for each copy that was skipped.
    pub copies: Vec<String>,
    /// A sentence for each file that cannot be read.
    pub unread: Vec<String>,
}

/// The files below `arguments`. Names are paths below the directory that holds `root`, so that a task for one file names it as a task for all does;
/// without `root` the directory that holds all.
pub fn traces(arguments: &[String], root: Option<&Path>) -> Fallible<Traces> {
    let mut paths = Vec::new();
    for argument in arguments {
        files::walk(Path::new(argument), &mut paths).map_err(|e| format!("`{argument}` could not be read: {e}."))?;
    }
    let common = match (root, arguments) {
        (Some(root), _) => parent(root),
        (None, [one]) if Path::new(one).is_dir() => parent(Path::new(one)),
        _ => files::root(&paths),
    };
    let mut out = Traces::default();
    let mut by_id: BTreeMap<u64, Trace> = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(&common).unwrap_or(&path).to_string_lossy().into_owned();
        let member = match files::member(&path, name.clone()) {
            Ok(member) => member,
            Err(error) => {
                out.unread.push(error.to_string());
                continue;
            }
        };
        let id = match hash::content_hash(std::slice::from_ref(&member)) {
            Ok(digits) => u64::from_str_radix(&digits, 16).unwrap_or(0),
            Err(error) => {
                out.unread.push(error.to_string());
                continue;
            }
        };
        let trace = Trace { path, name, id, len: member.len() };
        let copy = match by_id.remove(&id) {
            None => {
                by_id.insert(id, trace);
                continue;
            }
            Some(known) => {
                let (first, copy) = if known.name <= trace.name { (known, trace) } else { (trace, known) };
                let sentence = format!("`{}` has the same content as `{}` and counts once.", copy.name, first.name);
                by_id.insert(id, first);
                sentence
            }
        };
        out.copies.push(copy);
    }
    out.traces = by_id.into_values().collect();
    out.traces.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}

/// The directory above, with the name of the directory itself: `.` and `..` are resolved.
fn parent(directory: &Path) -> PathBuf {
    if directory.file_name().is_some() {
        return directory.parent().unwrap_or(Path::new("")).into();
    }
    directory.to_path_buf()
}

/// Why a file gave no part.
pub enum Refused {
    /// It is no PyTorch trace: a run may have such files beside its traces.
    Other(String),
    /// It is one, and cannot be read.
    Broken(String),
    /// Its part cannot be written: what is wrong is not the trace.
    Unwritten(String),
}

/// The part of a trace, read on this thread alone.
pub fn part(trace: &Trace) -> Result<RunPart, Refused> {
    let member = files::member(&trace.path, trace.name.clone()).map_err(|e| Refused::Broken(e.to_string()))?;
    part_of(member, trace.id)
}

fn part_of(member: Member, id: u64) -> Result<RunPart, Refused> {
    let name = member.name.clone();
    let input = InputSet { members: vec![member] };
    let outcomes = import::import_planned(&input, Plan::SERIAL).map_err(|e| Refused::Other(e.to_string()))?;
    let mut found = Vec::new();
    for (claim, outcome) in outcomes {
        if claim.format != "kineto" {
            return Err(Refused::Other(format!("`{name}`: expected a PyTorch trace, found the format `{}`.", claim.format)));
        }
        let (imported, readable) = outcome.map_err(|e| Refused::Broken(e.to_string()))?;
        found.push(Session::new(claim, readable, imported));
    }
    let [session] = found.as_slice() else {
        return Err(Refused::Other(format!("`{name}`: expected one trace, found {}: unpack the archive first.", found.len())));
    };
    let origin = Origin { drop: 0, path: name.clone(), rank: session.rank() };
    let place = trace_identity::places(std::slice::from_ref(&origin)).pop().unwrap_or_default();
    let run = Path::new(&name).parent().map(|p| p.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    let query = RunPartQuery { name, id, run, worker: place.worker, rank: place.rank };
    session.run_part(&query).map_err(|e| Refused::Other(e.to_string()))
}

/// Calls `each` with every item on as many threads as `AXONSCOPE_THREADS` says, else as the machine runs at once; `local` makes what each thread
/// keeps, which is returned.
pub fn in_threads<T: Sync, L: Send>(items: &[T], local: impl Fn() -> L + Sync, each: impl Fn(&T, &mut L) + Sync) -> Fallible<Vec<L>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = local();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            each(item, &mut own);
        }
        own
    };
    let n = Plan::usual().n_threads.min(items.len()).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().map_err(|_| "A thread stopped unexpectedly.".into())).collect()
    })
}
