//! Run summaries (`.axonrun`): what `axonscope merge` and `axonscope run` write, the merged parts of many traces. See `docs/formats/axonrun.md`.
//!
//! A magic word, a version, and sections, each compressed by itself: the run without its cells, then the cells of each metric.

mod file;
#[cfg(test)]
mod tests;

pub use file::{MAGIC, decode, encode};

use super::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise};
use crate::base::{EventId, InputSet, Ledger, MemberHead, Severity, TimeRange, text};
use crate::formats::wording;
use crate::model::fleet::FleetRun;
use crate::model::{Domain, Fact, Meta, Profile};

/// The format's id.
pub const ID: &str = "axonrun";

/// Run summaries.
pub struct Axonrun;

impl Recognise for Axonrun {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Axonscope run summary".into(),
            files: ".axonrun".into(),
            shows: "Steps, stragglers, collectives and operators of up to thousands of ranks.".into(),
            capture: "axonscope run traces/ -o run.axonrun".into(),
            caveats: "Holds sums and percentiles, not the events: open the trace that a row names for those.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, head)| taken.get(*i) != Some(&true) && head.head.starts_with(MAGIC));
        let recognised = || "The first bytes are those of a run summary.".to_string();
        free.map(|(i, _)| Claim { format: ID.into(), members: vec![i], recognised: recognised() }).collect()
    }

    fn heap_bytes(&self, _main: &MemberHead, text: u64) -> Option<u64> {
        // Measured: cells compress to a third or less, other data to a quarter.
        Some(text.saturating_mul(6))
    }
}

impl Format for Axonrun {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        let main = input.members.first().ok_or_else(|| ImportError::Unrecognised(wording::NO_FILE.into()))?;
        let run = decode(&|offset, n| main.read(offset, n).map_err(ImportError::from), main.len(), &main.name)?;
        let sum = |of: fn(&crate::model::fleet::TraceMeta) -> u64| run.traces.iter().fold(0u64, |sum, t| sum.saturating_add(of(&t.meta)));
        (ledger.read, ledger.shown) = (sum(|m| m.n_read), sum(|m| m.n_shown));
        for row in &run.skipped {
            let severity = match row.skip.severity.as_str() {
                "info" => Severity::Info,
                "warning" => Severity::Warning,
                _ => Severity::DataLoss,
            };
            let example = || format!("in {}", text::counted(row.n_traces, "trace"));
            ledger.skip_n(severity, &row.skip.kind, &row.skip.reason, row.skip.count, 0, example);
        }
        let meta = meta(&main.name, &run);
        Ok(Profile { meta, domain: Domain::Fleet(Box::new(run)), ..Profile::default() })
    }

    fn record(&self, _input: &InputSet, _profile: &Profile, _item: EventId) -> Result<Vec<Field>, ImportError> {
        Err(ImportError::Invalid("A run summary has no timeline, so it has no slices.".into()))
    }
}

fn meta(name: &str, run: &FleetRun) -> Meta {
    let fact = |name: &str, value: String| Fact { group: "Run".into(), name: name.into(), value };
    let mut runs: Vec<&str> = run.traces.iter().map(|t| t.meta.run.as_str()).filter(|r| !r.is_empty()).collect();
    runs.sort_unstable();
    runs.dedup();
    let mut hosts: Vec<&str> = run.traces.iter().map(|t| t.meta.host.as_str()).filter(|h| !h.is_empty()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let sum = |of: fn(&crate::model::fleet::TraceMeta) -> u64| run.traces.iter().fold(0u64, |sum, t| sum.saturating_add(of(&t.meta)));
    let facts = vec![
        fact("Traces", text::count(run.traces.len() as u64)),
        fact("Runs", if runs.is_empty() { "not available".into() } else { runs.iter().take(5).copied().collect::<Vec<_>>().join(", ") }),
        fact("Hosts", if hosts.is_empty() { "not available".into() } else { text::count(hosts.len() as u64) }),
        fact("Steps of all traces", text::count(run.traces.iter().map(|t| t.steps.len() as u64).sum())),
        fact("Collectives", text::count(run.collectives.len() as u64)),
        fact("Records read", text::count(sum(|m| m.n_read))),
        fact("Records skipped with a warning or loss", text::count(sum(|m| m.n_concerns))),
    ];
    let file = name.rsplit('/').next().unwrap_or(name);
    Meta { format: ID.into(), title: file.into(), range: TimeRange::default(), facts, ..Meta::default() }
}
