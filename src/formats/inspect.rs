//! Sorts a drop into profiles, archives included. Reads heads and directories only.

use super::archive::{self, Expanded};
use super::heads::heads;
use super::heap::{check_heap, estimate_heap};
use super::{Claim, ImportError, claim, unrecognised};
use crate::base::InputSet;
use serde::{Deserialize, Serialize};

/// A profile in a drop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its members are numbered as `paths` are.
    pub claim: Claim,
    /// Names of its members, the main one first: paths below the drop, those in an archive as `archive.zip/path`.
    pub paths: Vec<String>,
    /// Indices of the dropped files that contain these members, each once, in the members' order.
    pub files: Vec<usize>,
    /// Whether only the worker for all formats reads it.
    pub needs_full: bool,
    /// Bytes of its members, compressed as in their files.
    pub n_bytes: u64,
    /// Expected heap of its import, bytes, from the sizes of its members.
    pub heap_bytes: u64,
}

impl Found {
    /// Whether it is a trace and a NEFF of different models. Dropped together they are an error; dropped one after the other they are two profiles.
    pub fn is_misfit(&self) -> bool {
        super::ntff::is_misfit(&self.claim)
    }

    /// Whether it is a trace of graph captures without the trace of its run.
    pub fn is_capture(&self) -> bool {
        super::kineto::is_capture(&self.claim)
    }

    /// The path under which a file of captures belongs to this run; `None` for another format.
    pub fn capture_path(&self, file: &str) -> Option<String> {
        let is_run = self.claim.format == super::kineto::ID && !self.is_capture();
        Some(super::kineto::capture_path(self.paths.first().filter(|_| is_run)?, file))
    }
}

/// The profiles of a drop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// At least one.
    pub found: Vec<Found>,
    /// Names of members that belong to no profile.
    pub unclaimed: Vec<String>,
    /// Sentences on members of archives that were refused.
    pub notes: Vec<String>,
}

/// Sorts a drop into profiles. Fails with a sentence on each file when there is none.
pub fn inspect(input: &InputSet) -> Result<Inspection, ImportError> {
    sort(&archive::expand(input, None))
}

/// As [`inspect`] for a drop with expanded archives.
pub(super) fn sort(expanded: &Expanded) -> Result<Inspection, ImportError> {
    let heads = heads(&expanded.input)?;
    let (claims, unclaimed) = claim(&heads);
    if claims.is_empty() {
        let sentence = unrecognised::explain(&heads).to_string();
        return Err(match expanded.notes.is_empty() {
            true => ImportError::Unrecognised(sentence),
            false => ImportError::Unrecognised(format!("{} {sentence}", expanded.notes.join(" "))),
        });
    }
    let found = claims.into_iter().map(|c| {
        let heap_bytes = estimate_heap(&expanded.input, &heads, &c);
        let members = || c.members.iter().filter(|&&m| m < heads.len());
        let mut files = Vec::new();
        for file in members().map(|&m| expanded.files[m]) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let paths: Vec<String> = members().map(|&m| heads[m].name.clone()).collect();
        let n_bytes = members().map(|&m| heads[m].len).sum();
        let needs_full = super::needs_full(&c.format);
        Found { needs_full, claim: Claim { members: (0..paths.len()).collect(), ..c }, paths, files, n_bytes, heap_bytes }
    });
    let unclaimed = unclaimed.into_iter().map(|i| heads[i].name.clone()).collect();
    Ok(Inspection { found: found.collect(), unclaimed, notes: expanded.notes.clone() })
}

/// The members of a found profile. An error if the import would not fit in memory.
pub fn pick(input: &InputSet, claim: &Claim, paths: &[String]) -> Result<InputSet, ImportError> {
    select(&archive::expand(input, Some(paths)), claim, paths)
}

/// As [`pick`] for files with expanded archives.
pub(super) fn select(expanded: &Expanded, claim: &Claim, paths: &[String]) -> Result<InputSet, ImportError> {
    let all = &expanded.input.members;
    let gone = |path: &String| ImportError::Invalid(format!("`{path}` no longer exists: its archive has changed. Drop it again."));
    let members = paths.iter().map(|path| all.iter().find(|m| m.name == *path).cloned().ok_or_else(|| gone(path)));
    let picked = InputSet { members: members.collect::<Result<_, _>>()? };
    check_heap(&picked, &heads(&picked)?, claim)?;
    Ok(picked)
}
