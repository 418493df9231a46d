//! What an `analyze` report tells: how much of a model Neuron supports, what fails, where, and why an operator can do both.

mod diff;
mod remarks;

pub use diff::{Change, ChangeRow, SupportDiff, diff};

use super::hlo;
use crate::base::Order as _;
use crate::model::support::{FailedInstruction, FailedOperator};
use crate::model::{SupportReport, SupportSource};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The whole report, as views show it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// What the report says, 0 to 100; `None` where it cannot be read.
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
    /// `neuron_parallel_compile` or `torch_neuronx.analyze()`; empty when it cannot be told.
    pub source: String,
    /// `torch_neuronx_version`.
    pub torch_neuronx_version: Option<String>,
    /// `neuronx_cc_version`.
    pub neuronx_cc_version: Option<String>,
    /// Each operator once: those that fail first, by failed calls; then by occurrences.
    pub operators: Vec<SupportRow>,
    /// Each failed call, in the order written.
    pub failures: Vec<FailureRow>,
    /// Each HLO instruction, failed ones first, else in the order written.
    pub instructions: Vec<HloRow>,
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
    /// Data types of those instructions: `c64, f32`.
    pub failed_dtypes: String,
    /// Where it failed: `neuronx-cc`.
    pub failed_at: String,
}

/// One failed call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FailureRow {
    /// `aten::mul`.
    pub name: String,
    /// As written: `neuronx-cc`, `Lowering to HLO`.
    pub failed_at: String,
    /// The stage in words: "Compiler", "Lowering to HLO".
    pub stage: String,
    /// Innermost frame: file.
    pub file: String,
    /// Innermost frame: line.
    pub line: Option<u64>,
    /// All lines of the call as written, innermost first.
    pub stack: Vec<String>,
    /// TorchScript text; empty where there is none.
    pub graph: String,
    /// Positions in `instructions` of those of this operator that failed.
    pub instructions: Vec<u32>,
}

/// One HLO instruction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HloRow {
    /// As written.
    pub text: String,
    /// Whether the compiler takes it.
    pub is_supported: bool,
    /// The operator it comes from; empty for supported ones, of which the report does not tell.
    pub operator: String,
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

/// The report as rows and figures.
pub fn support(report: &SupportReport) -> Support {
    let instructions = instructions(report);
    let failures = failures(report, &instructions);
    let operators = operators(report, &failures, &instructions);
    let n_supported_hlo = report.supported_hlo.as_ref().map(|l| l.len() as u64);
    let n_unsupported_hlo = report.unsupported_hlo.as_ref().map(|l| l.len() as u64);
    let computed_percentage = n_supported_hlo.zip(n_unsupported_hlo).and_then(|(yes, no)| percentage(yes, no));
    let is_mismatch = report.percentage.zip(computed_percentage).is_some_and(|(said, is)| (said - is).abs() > TOLERANCE);
    let counted = report.supported.iter().flatten().filter_map(|o| o.count);
    let has_count = report.supported.as_ref().is_some_and(|s| s.is_empty() || s.iter().any(|o| o.count.is_some()));
    let mut out = Support {
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
        operators,
        failures,
        instructions,
        remarks: Vec::new(),
    };
    out.remarks = remarks::remarks(report, &out);
    out
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

fn instructions(report: &SupportReport) -> Vec<HloRow> {
    let failed = report.unsupported_hlo.iter().flatten();
    let works = report.supported_hlo.iter().flatten();
    let failed = failed.map(|FailedInstruction { text, operator }| hlo_row(text, operator, false));
    failed.chain(works.map(|text| hlo_row(text, "", true))).collect()
}

fn hlo_row(text: &str, operator: &str, is_supported: bool) -> HloRow {
    let parsed = hlo::parse(text).unwrap_or_default();
    HloRow {
        text: text.into(),
        is_supported,
        operator: operator.into(),
        dtype: parsed.dtype(),
        shape: parsed.dimensions(),
        dtypes: parsed.all_dtypes(),
        operands: parsed.operands.join(", "),
        opcode: parsed.opcode,
    }
}

fn failures(report: &SupportReport, instructions: &[HloRow]) -> Vec<FailureRow> {
    let mut of_operator: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    for (i, row) in instructions.iter().enumerate().filter(|(_, r)| !r.is_supported && !r.operator.is_empty()) {
        of_operator.entry(&row.operator).or_default().push(i as u32);
    }
    let row = |failed: &FailedOperator| {
        let stack: Vec<String> = failed.call.lines().map(str::trim).filter(|l| !l.is_empty()).map(Into::into).collect();
        let (file, line) = stack.first().map(|l| frame(l)).unwrap_or_default();
        FailureRow {
            name: failed.kind.clone(),
            failed_at: failed.failure_at.clone(),
            stage: stage(&failed.failure_at).into(),
            file,
            line,
            stack,
            graph: failed.graph.clone(),
            instructions: of_operator.get(failed.kind.as_str()).cloned().unwrap_or_default(),
        }
    };
    report.unsupported.iter().flatten().map(row).collect()
}

/// The stage at which an operator fails, in words.
fn stage(failed_at: &str) -> &str {
    let lower = failed_at.to_ascii_lowercase();
    if lower.contains("neuronx-cc") || lower.contains("compil") {
        "Compiler"
    } else if lower.contains("lowering") {
        "Lowering to HLO"
    } else if failed_at.is_empty() {
        "Not available"
    } else {
        failed_at
    }
}

/// File and line of a frame: `test.py 24`, `test.py(6): fft`, `File "test.py", line 6, in fft`, `test.py:6`.
fn frame(text: &str) -> (String, Option<u64>) {
    let number = |t: &str| t.trim().parse::<u64>().ok();
    if let Some((file, rest)) = text.strip_prefix("File \"").and_then(|t| t.split_once('"')) {
        let line = rest.split_once("line ").map(|(_, l)| l.chars().take_while(char::is_ascii_digit).collect::<String>());
        return (file.into(), line.and_then(|l| number(&l)));
    }
    if let Some((file, rest)) = text.split_once('(')
        && let Some(line) = rest.split_once(')').and_then(|(line, _)| number(line))
    {
        return (file.trim().into(), Some(line));
    }
    for separator in [' ', ':'] {
        if let Some((file, line)) = text.rsplit_once(separator).and_then(|(f, l)| Some((f, number(l)?))) {
            return (file.trim().into(), Some(line));
        }
    }
    (text.into(), None)
}

fn operators(report: &SupportReport, failures: &[FailureRow], instructions: &[HloRow]) -> Vec<SupportRow> {
    let mut rows: Vec<SupportRow> = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    for operator in report.supported.iter().flatten() {
        by_name.insert(&operator.name, rows.len());
        rows.push(SupportRow { name: operator.name.clone(), supported: operator.count, is_supported: true, ..SupportRow::default() });
    }
    for failure in failures {
        let at = *by_name.entry(&failure.name).or_insert_with(|| {
            rows.push(SupportRow { name: failure.name.clone(), ..SupportRow::default() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.unsupported += 1;
        if row.unsupported == 1 {
            row.failed_instructions = report.unsupported_hlo.as_ref().map(|_| failure.instructions.len() as u64);
            row.failed_dtypes = dtypes_of(&failure.instructions, instructions).join(", ");
        }
        if !failure.failed_at.is_empty() && !row.failed_at.split(", ").any(|f| f == failure.failed_at) {
            let separator = if row.failed_at.is_empty() { "" } else { ", " };
            row.failed_at = format!("{}{separator}{}", row.failed_at, failure.failed_at);
        }
    }
    rows.order_by_key(|r| (std::cmp::Reverse(r.unsupported), std::cmp::Reverse(r.supported)));
    rows
}

/// Data types in some instructions, each once.
fn dtypes_of(which: &[u32], instructions: &[HloRow]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for dtype in which.iter().filter_map(|i| instructions.get(*i as usize)).flat_map(|r| &r.dtypes) {
        if !out.contains(dtype) {
            out.push(dtype.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests;
