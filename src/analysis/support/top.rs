//! The beginning of a report's lists, which a page shows first.

use super::lists::{Lists, Operator};
use super::{FailureRow, HloForm, HloRow, Support, SupportRow, figures, remarks};
use crate::model::SupportReport;
use crate::model::support::FailedOperator;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A report whose lists may be cut, and how long they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SupportTop {
    /// The report. Cut lists begin like the whole ones; operators that only a failing call needs are behind the others.
    pub support: Support,
    /// Operators to show of `support.operators`.
    pub n_shown: u64,
    /// Operators in the report.
    pub n_operators: u64,
    /// Failing calls in the report.
    pub n_failures: u64,
    /// Rows of HLO instructions in the report.
    pub n_instructions: u64,
}

impl SupportTop {
    /// Nothing cut.
    pub fn whole(support: Support) -> Self {
        let n_operators = support.operators.len() as u64;
        SupportTop {
            n_shown: n_operators,
            n_operators,
            n_failures: support.failures.len() as u64,
            n_instructions: support.instructions.len() as u64,
            support,
        }
    }

    /// Whether any list ends early.
    pub fn is_cut(&self) -> bool {
        let s = &self.support;
        self.n_shown < self.n_operators
            || (s.failures.len() as u64) < self.n_failures
            || (s.instructions.len() as u64) < self.n_instructions
    }
}

/// The report with the first `n` rows of each list.
pub fn top(report: &SupportReport, n: usize) -> SupportTop {
    let lists = Lists::of(report);
    let lengths = [lists.operators.len(), lists.of_call.len(), lists.instructions.len()];
    let is_cut = lengths.iter().any(|len| *len > n);
    let support = figures(report);
    let remarks = remarks::remarks(report, &support, &lists);
    let (operators, failures) = operators_of(report, &lists, n, is_cut);
    let (forms, instructions) = instructions_of(&lists, n);
    SupportTop {
        support: Support { operators, failures, forms, instructions, remarks, ..support },
        n_shown: n.min(lengths[0]) as u64,
        n_operators: lengths[0] as u64,
        n_failures: lengths[1] as u64,
        n_instructions: lengths[2] as u64,
    }
}

/// The first operators and failing calls, and behind the operators those of the calls. Without their instructions if any list is cut.
fn operators_of(report: &SupportReport, lists: &Lists<'_>, n: usize, is_cut: bool) -> (Vec<SupportRow>, Vec<FailureRow>) {
    let works = lists.works();
    let lists_hlo = report.unsupported_hlo.is_some();
    let row = |at: u32| {
        let operator = &lists.operators[at as usize];
        let instructions = if is_cut { Vec::new() } else { operator.instructions.clone() };
        SupportRow { instructions, ..operator_row(operator, lists, &works, lists_hlo) }
    };
    let first = lists.in_order((0..lists.operators.len() as u32).collect(), n);
    let mut place = vec![None; lists.operators.len()];
    first.iter().enumerate().for_each(|(now, &at)| place[at as usize] = Some(now as u32));
    let mut operators: Vec<SupportRow> = first.into_iter().map(row).collect();
    let calls = report.unsupported.iter().flatten().zip(&lists.of_call).take(n);
    let failure = |(call, &at): (&FailedOperator, &u32)| {
        let operator = *place[at as usize].get_or_insert_with(|| {
            operators.push(row(at));
            operators.len() as u32 - 1
        });
        failure_row(call, operator)
    };
    let failures = calls.map(failure).collect();
    (operators, failures)
}

/// All but the positions of its instructions.
#[inline(never)]
fn operator_row(operator: &Operator<'_>, lists: &Lists<'_>, works: &FxHashSet<&str>, lists_hlo: bool) -> SupportRow {
    let row = SupportRow {
        name: operator.name.into(),
        supported: operator.supported,
        is_supported: operator.is_supported,
        unsupported: operator.unsupported,
        failed_at: operator.failed_at.join(", "),
        ..SupportRow::default()
    };
    if operator.unsupported == 0 {
        return row;
    }
    // Data types that no supported instruction has; if there are none, all data types.
    let all = lists.dtypes_of(&operator.instructions);
    let own: Vec<&str> = all.iter().copied().filter(|d| !works.contains(d)).collect();
    let n_failed = || operator.instructions.iter().map(|&i| lists.instructions[i as usize].count).sum();
    SupportRow { failed_instructions: lists_hlo.then(n_failed), failed_dtypes: if own.is_empty() { all } else { own }.join(", "), ..row }
}

#[inline(never)]
fn failure_row(failed: &FailedOperator, operator: u32) -> FailureRow {
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

/// The first instructions and their texts.
fn instructions_of(lists: &Lists<'_>, n: usize) -> (Vec<HloForm>, Vec<HloRow>) {
    let mut forms: Vec<HloForm> = Vec::new();
    let mut place: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rows = Vec::with_capacity(n.min(lists.instructions.len()));
    for instruction in lists.instructions.iter().take(n) {
        let form = *place.entry(instruction.form).or_insert_with(|| {
            forms.push(lists.forms[instruction.form as usize].clone());
            forms.len() as u32 - 1
        });
        let (is_supported, operator, count) = (instruction.is_supported, instruction.operator.into(), instruction.count);
        rows.push(HloRow { form, is_supported, operator, count });
    }
    (forms, rows)
}

#[cfg(test)]
mod tests {
    use super::super::support;
    use super::*;
    use crate::model::support::{FailedInstruction, SupportedOperator};

    /// Operators 0 to 9 of which 4 to 9 fail, the last one most; every text occurs twice.
    fn report() -> SupportReport {
        let works = |i: u64| SupportedOperator { name: format!("op{i}"), count: Some(i) };
        let fails = |i: u64| FailedOperator { kind: format!("op{}", 9 - i % 6), call: format!("a.py {i}"), ..FailedOperator::default() };
        let instruction =
            |i: u64| FailedInstruction { text: format!("f32[{}] add(f32[])", 4 - i / 2), operator: format!("op{}", 9 - i % 6) };
        SupportReport {
            supported: Some((0..10).map(works).collect()),
            unsupported: Some((0..7).map(fails).collect()),
            unsupported_hlo: Some((0..8).map(instruction).collect()),
            supported_hlo: Some(vec!["f32[4] add(f32[])".into(); 3]),
            ..SupportReport::default()
        }
    }

    #[test]
    fn cut_lists_still_point_at_their_own() {
        let (whole, cut) = (support(&report()), top(&report(), 3));
        assert!(cut.is_cut());
        assert_eq!((cut.n_shown, cut.n_operators, cut.n_failures, cut.n_instructions), (3, 10, 7, 9));
        let s = &cut.support;
        assert_eq!((s.failures.len(), s.instructions.len(), s.forms.len(), s.n_supported), (3, 3, 2, Some(45)));
        assert_eq!(s.operators.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["op9", "op8", "op7"]);
        let last_first = |report: SupportReport| {
            let calls = report.unsupported.iter().flatten().rev().cloned().collect();
            SupportReport { unsupported: Some(calls), ..report }
        };
        let behind = top(&last_first(report()), 3).support;
        assert_eq!(behind.operators.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["op9", "op8", "op7", "op4", "op5"]);
        assert_eq!(behind.failures.iter().map(|f| behind.operator(f).name.as_str()).collect::<Vec<_>>(), ["op9", "op4", "op5"]);
        for (cut, all) in s.failures.iter().zip(&whole.failures) {
            assert_eq!((s.operator(cut).name.as_str(), cut.line), (whole.operator(all).name.as_str(), all.line));
        }
        for (cut, all) in s.instructions.iter().zip(&whole.instructions) {
            assert_eq!((s.form(cut), &cut.operator, cut.count), (whole.form(all), &all.operator, all.count));
        }
        for (cut, all) in s.operators.iter().zip(&whole.operators) {
            assert_eq!((cut, cut.instructions.len()), (&SupportRow { instructions: Vec::new(), ..all.clone() }, 0));
        }
        assert_eq!((&s.remarks, s.n_supported_hlo), (&whole.remarks, whole.n_supported_hlo));
    }

    #[test]
    fn short_reports_are_whole() {
        let all = top(&report(), 10);
        assert!(!all.is_cut());
        assert_eq!(all, SupportTop::whole(support(&report())));
    }
}
