//! What an `analyze` report records: how much of a model Neuron supports, what fails, where, and why an operator can do both.

mod diff;
mod lists;
mod remarks;
mod top;

pub use diff::{Change, ChangeRow, SupportDiff, diff};
pub use top::{SupportTop, top};

use crate::model::{SupportReport, SupportSource};
use serde::{Deserialize, Serialize};

/// The whole report, as views show it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// The stated percentage, 0 to 100; `None` if unreadable.
    pub support_percentage: Option<f64>,
    /// As written.
    pub support_percentage_text: String,
    /// Supported HLO instructions as a share of all, 0 to 100; only where both lists are there.
    pub computed_percentage: Option<f64>,
    /// Whether the two differ by more than the two decimals that are written.
    pub is_mismatch: bool,
    /// Supported HLO instructions; `None` where the report does not list them.
    pub n_supported_hlo: Option<u64>,
    /// Unsupported HLO instructions; `None` where the report does not list them.
    pub n_unsupported_hlo: Option<u64>,
    /// Occurrences of supported operators; `None` without that half, or when no count could be read.
    pub n_supported: Option<u64>,
    /// Calls that fail; `None` without that half.
    pub n_unsupported: Option<u64>,
    /// 1 or 2; `None` for a report of `torch_neuronx.analyze()`, which has no levels.
    pub verbosity: Option<u8>,
    /// `neuron_parallel_compile` or `torch_neuronx.analyze()`; empty when it cannot be determined.
    pub source: String,
    /// `torch_neuronx_version`.
    pub torch_neuronx_version: Option<String>,
    /// `neuronx_cc_version`.
    pub neuronx_cc_version: Option<String>,
    /// Each operator once: those that fail first, by failed calls; then by occurrences.
    pub operators: Vec<SupportRow>,
    /// Each failed call, in the order written.
    pub failures: Vec<FailureRow>,
    /// Each HLO instruction, failed ones first, else in the order first seen; equal ones of one operator once.
    pub instructions: Vec<HloRow>,
    /// Their texts taken apart, each text once.
    pub forms: Vec<HloForm>,
    /// What to know about this report, most important first.
    pub remarks: Vec<Remark>,
}

/// One operator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SupportRow {
    /// `aten::add`.
    pub name: String,
    /// Supported occurrences; `None` where it is not among them, or its count cannot be read.
    pub supported: Option<u64>,
    /// Whether it is among the supported ones.
    pub is_supported: bool,
    /// Failed calls.
    pub unsupported: u64,
    /// HLO instructions that failed for it; `None` where the report does not list them.
    pub failed_instructions: Option<u64>,
    /// Positions of those in `instructions`.
    pub instructions: Vec<u32>,
    /// Data types of those instructions: `c64, f32`.
    pub failed_dtypes: String,
    /// Where it failed: `neuronx-cc`.
    pub failed_at: String,
}

/// One failed call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FailureRow {
    /// Position of its operator in `operators`.
    pub operator: u32,
    /// As written: `neuronx-cc`, `Lowering to HLO`.
    pub failed_at: String,
    /// Innermost frame: file.
    pub file: String,
    /// Innermost frame: line.
    pub line: Option<u64>,
    /// The call as written, a line for each frame, innermost first.
    pub call: String,
    /// TorchScript text; empty where there is none.
    pub graph: String,
}

impl FailureRow {
    /// The frames of the call, innermost first.
    pub fn frames(&self) -> impl Iterator<Item = &str> {
        self.call.lines().map(str::trim).filter(|l| !l.is_empty())
    }

    /// The stage at which it fails, in words: "Compiler", "Lowering to HLO".
    pub fn stage(&self) -> &str {
        let lower = self.failed_at.to_ascii_lowercase();
        if lower.contains("neuronx-cc") || lower.contains("compil") {
            "Compiler"
        } else if lower.contains("lowering") {
            "Lowering to HLO"
        } else if self.failed_at.is_empty() {
            "Not available"
        } else {
            &self.failed_at
        }
    }
}

/// HLO instructions of one text and one operator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HloRow {
    /// Position of its text in `forms`.
    pub form: u32,
    /// Whether the compiler takes it.
    pub is_supported: bool,
    /// The operator it comes from; empty for supported ones, because the report does not record it.
    pub operator: String,
    /// How often the report lists it.
    pub count: u64,
}

/// The text of an HLO instruction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HloForm {
    /// As written.
    pub text: String,
    /// `multiply`; empty when the text cannot be taken apart.
    pub opcode: String,
    /// Data type of the result.
    pub dtype: String,
    /// Sizes of the result.
    pub shape: String,
    /// Data types of result and operands, each once.
    pub dtypes: Vec<String>,
    /// Operands, as written.
    pub operands: String,
}

impl Support {
    /// The text of an instruction of this report.
    pub fn form(&self, row: &HloRow) -> &HloForm {
        &self.forms[row.form as usize]
    }

    /// The operator of a failed call of this report.
    pub fn operator(&self, failure: &FailureRow) -> &SupportRow {
        &self.operators[failure.operator as usize]
    }
}

/// A sentence about the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// Stable word: `both`, `mismatch`, `verbosity`, `percentage`, `missing`.
    pub kind: String,
    /// The sentence.
    pub text: String,
}

/// Two decimals are written; the last one is rounded.
const TOLERANCE: f64 = 0.005 + 1e-9;

/// The report as rows and values.
pub fn support(report: &SupportReport) -> Support {
    top(report, usize::MAX).support
}

/// All but the lists and the remarks.
fn figures(report: &SupportReport) -> Support {
    let n_supported_hlo = report.supported_hlo.as_ref().map(|l| l.len() as u64);
    let n_unsupported_hlo = report.unsupported_hlo.as_ref().map(|l| l.len() as u64);
    let computed_percentage = n_supported_hlo.zip(n_unsupported_hlo).and_then(|(yes, no)| percentage(yes, no));
    let is_mismatch = report.percentage.zip(computed_percentage).is_some_and(|(stated, is)| (stated - is).abs() > TOLERANCE);
    let counted = report.supported.iter().flatten().filter_map(|o| o.count);
    let has_count = report.supported.as_ref().is_some_and(|s| s.is_empty() || s.iter().any(|o| o.count.is_some()));
    Support {
        support_percentage: report.percentage,
        support_percentage_text: report.percentage_text.clone().unwrap_or_default(),
        computed_percentage,
        is_mismatch,
        n_supported_hlo,
        n_unsupported_hlo,
        n_supported: has_count.then(|| counted.fold(0, u64::saturating_add)),
        n_unsupported: report.unsupported.as_ref().map(|u| u.len() as u64),
        verbosity: verbosity(report),
        source: source(report.source).into(),
        torch_neuronx_version: report.torch_neuronx_version.clone(),
        neuronx_cc_version: report.neuronx_cc_version.clone(),
        ..Support::default()
    }
}

/// `supported` of all, 0 to 100; `None` of nothing.
fn percentage(supported: u64, unsupported: u64) -> Option<f64> {
    let all = supported + unsupported;
    (all > 0).then(|| supported as f64 * 100.0 / all as f64)
}

fn source(source: SupportSource) -> &'static str {
    match source {
        SupportSource::Unknown => "",
        SupportSource::Command => "neuron_parallel_compile",
        SupportSource::Function => "torch_neuronx.analyze()",
    }
}

/// The level that the lists of a report show.
fn verbosity(report: &SupportReport) -> Option<u8> {
    let has_hlo = report.supported_hlo.is_some() || report.unsupported_hlo.is_some();
    (report.source == SupportSource::Command).then_some(if has_hlo { 1 } else { 2 })
}

#[cfg(test)]
mod tests;
