//! Reports of `neuron_parallel_compile --command analyze` and `torch_neuronx.analyze()`: which operators of a model Neuron supports.
//!
//! The two are distinguished by their halves: objects with `aten` (and `xla` at verbosity 1) from the command, operators directly from the function.
//! The command's log is known by `||ANALYZE||` and answered with the path of the report. See `docs/formats/analyze.md`.

mod log;
mod read;
mod values;

use super::json::{Root, root};
use super::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise};
use crate::base::{EventId, InputSet, Ledger, MemberHead, TimeRange};
use crate::formats::wording;
use crate::model::{Domain, Fact, Meta, Profile, SupportReport, SupportSource};

/// The format's id.
pub const ID: &str = "analyze";

/// Root keys; one of them is enough to recognise a report.
const TELLING_KEYS: [&str; 4] = ["support_percentage", "supported_operators", "unsupported_operators", "torch_neuronx_version"];

/// Support reports.
pub struct Analyze;

impl Recognise for Analyze {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron support report (analyze)".into(),
            files: "result.json".into(),
            shows: "Supported and failing operators of a model for the Neuron compiler, with their call sites.".into(),
            capture: "neuron_parallel_compile --command analyze --analyze-verbosity 1 python train.py".into(),
            caveats: "The report is written to model_analysis_result/result.json and overwritten by every run; HLO instructions need verbosity 1."
                .into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = || heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        let mut claims: Vec<Claim> = free().filter_map(|(i, head)| Some(claim(i, recognise(head)?))).collect();
        let logs: Vec<usize> = free().filter(|(_, head)| log::is_log(&head.head)).map(|(i, _)| i).collect();
        match claims.as_mut_slice() {
            // A log beside its one report belongs to it.
            [report] => report.members.extend(logs),
            _ => claims.extend(logs.into_iter().map(|i| claim(i, "Lines of `||ANALYZE||`: the log of an analyze run.".into()))),
        }
        claims
    }
}

impl Format for Analyze {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        let main = input.members.first().ok_or_else(|| ImportError::Unrecognised(wording::NO_FILE.into()))?;
        if log::is_log(&main.read_up_to(0, crate::base::input::HEAD_LEN as u64)?) {
            return Err(log::answer(main)?);
        }
        for member in &input.members[1..] {
            ledger.note(log::remark(member)?);
        }
        let text = main.read(0, main.len())?;
        let (report, facts) = read::report(&text, ledger)?;
        let meta = meta(&main.name, &report, facts);
        Ok(Profile { meta, domain: Domain::SupportReport(Box::new(report)), ..Profile::default() })
    }

    fn record(&self, _input: &InputSet, _profile: &Profile, _item: EventId) -> Result<Vec<Field>, ImportError> {
        Err(ImportError::Invalid("A support report has no timeline, so it has no slices.".into()))
    }
}

fn claim(member: usize, recognised: String) -> Claim {
    Claim { format: ID.into(), members: vec![member], recognised }
}

/// How a report was recognised.
fn recognise(head: &MemberHead) -> Option<String> {
    let Root::Object { keys, .. } = root(&head.head)? else {
        return None;
    };
    let is_other = keys.iter().any(|k| k.name == "traceEvents");
    let key = keys.iter().find(|k| TELLING_KEYS.contains(&k.name.as_str())).filter(|_| !is_other)?;
    Some(format!("A JSON object with the key `{}` of an analyze report.", key.name))
}

fn meta(name: &str, report: &SupportReport, more: Vec<Fact>) -> Meta {
    let fact = |name: &str, value: &Option<String>| {
        let value = value.clone().unwrap_or_else(|| "not available".into());
        Fact { group: "Report".into(), name: name.into(), value }
    };
    let source = match report.source {
        SupportSource::Command => "neuron_parallel_compile --command analyze",
        SupportSource::Function => "torch_neuronx.analyze()",
        SupportSource::Unknown => "not available: the report has no list of operators",
    };
    let mut facts = vec![
        fact("torch_neuronx", &report.torch_neuronx_version),
        fact("neuronx_cc", &report.neuronx_cc_version),
        fact("Support percentage, as written", &report.percentage_text),
        Fact { group: "Report".into(), name: "Written by".into(), value: source.into() },
    ];
    facts.extend(more);
    let mut not_available = Vec::new();
    if report.supported_hlo.is_none() && report.unsupported_hlo.is_none() {
        not_available.push("HLO instructions: needs a report with verbosity 1.".into());
    }
    if report.supported.is_none() {
        not_available.push("Supported operators: not listed in this report.".into());
    }
    if report.unsupported.is_none() {
        not_available.push("Unsupported operators: not listed in this report.".into());
    }
    // Every report is called result.json: the directory distinguishes them.
    let mut parts = name.rsplit('/');
    let (file, folder) = (parts.next().unwrap_or(name), parts.next());
    let title = folder.map_or_else(|| file.to_string(), |f| format!("{f}/{file}"));
    Meta { format: ID.into(), title, range: TimeRange::default(), facts, not_available, ..Meta::default() }
}

#[cfg(test)]
mod tests;
