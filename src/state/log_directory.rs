//! A log directory as a library: the profiles in it by run, worker and span, listed without reading them whole.

use crate::base::{Order as _, Origin, TraceIdentity, trace_identity};
use crate::worker::protocol::Found;

/// A profile in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogProfile {
    /// Path of its first file below the directory, the directory's name first.
    pub path: String,
    /// Run, worker and span by its path; a profile of no worker has its directory as the run.
    pub place: TraceIdentity,
    /// Id of its format.
    pub format: String,
    /// Size of its files, bytes.
    pub n_bytes: u64,
    /// Whether it was not there when the directory was listed before.
    pub is_new: bool,
    /// Its position among the profiles found.
    pub at: usize,
}

/// A directory, as the user chose it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogDirectory {
    /// What `public/library.js` knows it by.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Ordered by run, rank, worker and span; `None` until it is listed.
    pub profiles: Option<Vec<LogProfile>>,
    /// Why it could not be listed, or which files were skipped; a sentence.
    pub problem: String,
    /// Whether it is being listed.
    pub is_busy: bool,
}

/// The profiles found in a directory, in order; `before` is the previous list.
pub fn profiles(found: &[Found], before: Option<&[LogProfile]>) -> Vec<LogProfile> {
    let path = |f: &Found| f.paths.first().cloned().unwrap_or_default();
    let origins: Vec<Origin> = found.iter().map(|f| Origin { drop: 0, path: path(f), rank: None }).collect();
    let places = trace_identity::places(&origins);
    let made = |((at, found), place): ((usize, &Found), TraceIdentity)| {
        let path = path(found);
        let is_new = before.is_some_and(|all| all.iter().all(|p| p.path != path));
        LogProfile { path, place, format: found.claim.format.clone(), n_bytes: found.n_bytes, is_new, at }
    };
    let mut out: Vec<LogProfile> = found.iter().enumerate().zip(places).map(made).collect();
    out.order_by(|a, b| a.place.order(&b.place));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::Claim;

    fn found(path: &str) -> Found {
        let claim = Claim { format: "kineto".into(), ..Claim::default() };
        Found { claim, paths: vec![path.into()], files: vec![0], needs_full: false, n_bytes: 5, heap_bytes: 9 }
    }

    #[test]
    fn profiles_are_listed_by_run_worker_and_span() {
        let paths = [
            "log/run2/w1.30.pt.trace.json",
            "log/run1/w10.20.pt.trace.json",
            "log/run1/w2.20.pt.trace.json",
            "log/run1/w2.9.pt.trace.json.gz",
            "log/hta/rank-1.json.gz",
            "log/hta/rank-0.json.gz",
        ];
        let all: Vec<Found> = paths.iter().map(|p| found(p)).collect();
        let listed = profiles(&all[..5], None);
        let rows_of = |all: &[LogProfile]| {
            all.iter().map(|p| (p.place.run.clone(), p.place.worker.clone(), p.place.span, p.is_new)).collect::<Vec<_>>()
        };
        let row = |run: &str, worker: &str, span, is_new| (run.to_string(), worker.to_string(), span, is_new);
        let want = [
            row("hta", "rank 1", None, false),
            row("run1", "w2", Some(1), false),
            row("run1", "w2", Some(2), false),
            row("run1", "w10", Some(1), false),
            row("run2", "w1", Some(1), false),
        ];
        assert_eq!(rows_of(&listed), want);
        assert_eq!(listed[1].at, 3);
        let again = profiles(&all, Some(&listed));
        assert_eq!(rows_of(&again)[0], row("hta", "rank 0", None, true));
        assert_eq!(again.iter().filter(|p| p.is_new).count(), 1);
    }
}
