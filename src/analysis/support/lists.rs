//! The lists of a report: operators, failing calls, HLO instructions.

use super::{FailureRow, HloForm, HloRow, SupportRow};
use crate::analysis::hlo;
use crate::base::Order as _;
use crate::model::SupportReport;
use crate::model::support::FailedOperator;
use rustc_hash::{FxHashMap, FxHashSet};

/// Texts and instructions, both in the order first met, failed ones first. A text is taken apart once.
pub(super) fn instructions(report: &SupportReport) -> (Vec<HloForm>, Vec<HloRow>) {
    let (mut forms, mut rows) = (Vec::new(), Vec::<HloRow>::new());
    let mut form_of: FxHashMap<&str, u32> = FxHashMap::default();
    let mut row_of: FxHashMap<(u32, &str, bool), usize> = FxHashMap::default();
    let failed = report.unsupported_hlo.iter().flatten().map(|f| (f.text.as_str(), f.operator.as_str(), false));
    let works = report.supported_hlo.iter().flatten().map(|text| (text.as_str(), "", true));
    for (text, operator, is_supported) in failed.chain(works) {
        let form = *form_of.entry(text).or_insert_with(|| {
            forms.push(taken_apart(text));
            forms.len() as u32 - 1
        });
        let row = *row_of.entry((form, operator, is_supported)).or_insert_with(|| {
            rows.push(HloRow { form, is_supported, operator: operator.into(), count: 0 });
            rows.len() - 1
        });
        rows[row].count += 1;
    }
    (forms, rows)
}

fn taken_apart(text: &str) -> HloForm {
    let parsed = hlo::parse(text).unwrap_or_default();
    HloForm {
        text: text.into(),
        dtype: parsed.dtype(),
        shape: parsed.dimensions(),
        dtypes: parsed.all_dtypes(),
        operands: parsed.operands.join(", "),
        opcode: parsed.opcode,
    }
}

/// Operators, those that fail most first, and the failing calls in the order written.
pub(super) fn operators(report: &SupportReport, forms: &[HloForm], instructions: &[HloRow]) -> (Vec<SupportRow>, Vec<FailureRow>) {
    let failed = || report.unsupported.iter().flatten();
    let mut rows: Vec<SupportRow> = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    for operator in report.supported.iter().flatten() {
        by_name.insert(&operator.name, rows.len());
        rows.push(SupportRow { name: operator.name.clone(), supported: operator.count, is_supported: true, ..SupportRow::default() });
    }
    for call in failed() {
        let at = *by_name.entry(&call.kind).or_insert_with(|| {
            rows.push(SupportRow { name: call.kind.clone(), ..SupportRow::default() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.unsupported += 1;
        if !call.failure_at.is_empty() && !row.failed_at.split(", ").any(|f| f == call.failure_at) {
            let separator = if row.failed_at.is_empty() { "" } else { ", " };
            row.failed_at = format!("{}{separator}{}", row.failed_at, call.failure_at);
        }
    }
    let is_failed = |(_, r): &(usize, &HloRow)| !r.is_supported && !r.operator.is_empty();
    for (i, instruction) in instructions.iter().enumerate().filter(is_failed) {
        if let Some(&at) = by_name.get(instruction.operator.as_str()) {
            rows[at].instructions.push(i as u32);
        }
    }
    let lists_hlo = report.unsupported_hlo.is_some();
    let works: FxHashSet<&str> =
        instructions.iter().filter(|i| i.is_supported).flat_map(|i| &forms[i.form as usize].dtypes).map(String::as_str).collect();
    for row in rows.iter_mut().filter(|r| r.unsupported > 0) {
        let own = || row.instructions.iter().map(|&i| &instructions[i as usize]);
        row.failed_instructions = lists_hlo.then(|| own().map(|i| i.count).sum());
        let all = dtypes_of(&row.instructions, forms, instructions);
        let own: Vec<String> = all.iter().filter(|d| !works.contains(d.as_str())).cloned().collect();
        row.failed_dtypes = if own.is_empty() { all } else { own }.join(", ");
    }
    rows.order_by_key(|r| (std::cmp::Reverse(r.unsupported), std::cmp::Reverse(r.supported)));
    let place: FxHashMap<&str, u32> = rows.iter().enumerate().map(|(i, r)| (r.name.as_str(), i as u32)).collect();
    let failures = failed().map(|call| failure(call, place.get(call.kind.as_str()).copied().unwrap_or_default())).collect();
    (rows, failures)
}

fn failure(failed: &FailedOperator, operator: u32) -> FailureRow {
    let mut row = FailureRow {
        operator,
        failed_at: failed.failure_at.clone(),
        call: failed.call.clone(),
        graph: failed.graph.clone(),
        ..FailureRow::default()
    };
    (row.file, row.line) = row.frames().next().map(frame).unwrap_or_default();
    row
}

/// Data types in some instructions, each once.
pub(super) fn dtypes_of(which: &[u32], forms: &[HloForm], instructions: &[HloRow]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for dtype in which.iter().filter_map(|i| instructions.get(*i as usize)).flat_map(|r| &forms[r.form as usize].dtypes) {
        if !out.contains(dtype) {
            out.push(dtype.clone());
        }
    }
    out
}

/// File and line of a frame: `test.py 24`, `test.py(6): fft`, `File "test.py", line 6, in fft`, `test.py:6`.
pub(super) fn frame(text: &str) -> (String, Option<u64>) {
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
