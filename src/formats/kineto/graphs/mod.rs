//! Replays of CUDA and HIP graphs, attributed to the operators of their capture.
//!
//! A replay is one call (`cudaGraphLaunch`, `hipGraphLaunch`) and its kernels; operators, modules, stacks and shapes are recorded only while the
//! graph is captured. vLLM and SGLang write a trace of that phase beside the run: `capture_traces/`, with or without `execution_details.json`
//! (vLLM RFC 45069, SGLang pull request 24370). `claim` finds these files, `units` reads the captures in them, `matching` finds the capture of a
//! replay, and `attribute` adds operators and modules to the profile of the run.

mod attribute;
pub(super) mod claim;
mod details;
mod matching;
mod units;

use super::content::Content;
use crate::base::{Ledger, Severity, text};
use crate::formats::{Companion, import::file_name};
use units::Unit;

/// What the companions of a run say.
#[derive(Debug, Default)]
pub(super) struct Captures {
    units: Vec<Unit>,
    /// (file name, batch size) of `execution_details.json`.
    details: Vec<(String, u64)>,
    /// File names of the members that were read, by their position in the claim.
    files: Vec<(usize, String)>,
    n_cut: u64,
}

impl Captures {
    /// Takes a companion of the run: a trace of captures, or what describes them.
    pub(super) fn join(&mut self, content: &mut Content, member: usize, path: &str, companion: Companion, ledger: &mut Ledger) {
        let name = file_name(path);
        match companion {
            Companion::Bytes(bytes) => match details::read(&bytes) {
                Some(details) => self.details.extend(details),
                None => ledger.note(format!("`{name}`: expected a JSON list of objects with `file` and `batch_size`; it was not used.")),
            },
            Companion::Failed(error) => ledger.note(format!("The capture trace `{name}` was not read: {error}")),
            Companion::Trace(imported) => {
                let found = units::units(&imported.profile, member, &mut content.builder.strings);
                let n_launches: usize = found.units.iter().map(|u| u.launches.len()).sum();
                let (n_units, records) = (found.units.len() as u64, text::count(imported.ledger.read));
                ledger.note(format!(
                    "Capture trace `{name}`: {} graph captures with {} launches ({records} records read).",
                    text::count(n_units),
                    text::count(n_launches as u64)
                ));
                if found.n_cut > 0 {
                    let reason = "A graph capture that begins and does not end in its trace; it is not used.";
                    ledger.skip_n(Severity::Warning, "capture_cut", reason, found.n_cut, 0, || name.into());
                }
                if imported.ledger.worst() == Some(Severity::DataLoss) {
                    ledger.note(format!(
                        "The capture trace `{name}` was not read whole; graphs captured in the lost part stay unattributed."
                    ));
                }
                self.n_cut += found.n_cut;
                self.units.extend(found.units);
                self.files.push((member, name.into()));
            }
        }
    }

    /// Adds operators and modules of replays to the run.
    pub(super) fn attribute(mut self, content: &mut Content, ledger: &mut Ledger) {
        // A file without a batch size in its annotations has that of `execution_details.json`.
        for unit in self.units.iter_mut().filter(|u| u.batch.is_none()) {
            let file = self.files.iter().find(|f| f.0 == unit.member).map(|f| f.1.as_str());
            let mut recorded = self.details.iter().filter(|d| Some(d.0.as_str()) == file).map(|d| d.1);
            // Several batch sizes in one file name none of its captures.
            unit.batch = recorded.next().filter(|first| recorded.all(|other| other == *first));
        }
        attribute::attribute(content, &self.units, ledger);
    }
}
