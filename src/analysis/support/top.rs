//! The beginning of a report's lists: what a page shows before anybody looks further.

use super::{FailureRow, HloForm, HloRow, Support, SupportRow};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A report whose lists may be cut, and how long they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SupportTop {
    /// The report. Cut lists begin like the whole ones; operators that only a failing call needs stand behind the others.
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

/// The first `n` rows of each list; the whole report when no list is longer.
pub fn top(whole: &Support, n: usize) -> SupportTop {
    if [whole.operators.len(), whole.failures.len(), whole.instructions.len()].iter().all(|len| *len <= n) {
        return SupportTop::whole(whole.clone());
    }
    let (operators, failures) = operators_of(whole, n);
    let (forms, instructions) = instructions_of(whole, n);
    SupportTop {
        support: Support { operators, failures, forms, instructions, ..figures(whole) },
        n_shown: n.min(whole.operators.len()) as u64,
        n_operators: whole.operators.len() as u64,
        n_failures: whole.failures.len() as u64,
        n_instructions: whole.instructions.len() as u64,
    }
}

/// All but the lists.
fn figures(whole: &Support) -> Support {
    Support {
        support_percentage: whole.support_percentage,
        support_percentage_text: whole.support_percentage_text.clone(),
        computed_percentage: whole.computed_percentage,
        is_mismatch: whole.is_mismatch,
        n_supported_hlo: whole.n_supported_hlo,
        n_unsupported_hlo: whole.n_unsupported_hlo,
        n_supported: whole.n_supported,
        n_unsupported: whole.n_unsupported,
        verbosity: whole.verbosity,
        source: whole.source.clone(),
        torch_neuronx_version: whole.torch_neuronx_version.clone(),
        neuronx_cc_version: whole.neuronx_cc_version.clone(),
        remarks: whole.remarks.clone(),
        ..Support::default()
    }
}

/// The first operators and failing calls, and behind the operators those of the calls. Without their instructions.
fn operators_of(whole: &Support, n: usize) -> (Vec<SupportRow>, Vec<FailureRow>) {
    let row = |at: usize| SupportRow { instructions: Vec::new(), ..whole.operators[at].clone() };
    let mut operators: Vec<SupportRow> = (0..n.min(whole.operators.len())).map(row).collect();
    let mut place: FxHashMap<u32, u32> = FxHashMap::default();
    let failure = |f: &FailureRow| {
        let operator = if (f.operator as usize) < n {
            f.operator
        } else {
            *place.entry(f.operator).or_insert_with(|| {
                operators.push(row(f.operator as usize));
                operators.len() as u32 - 1
            })
        };
        FailureRow { operator, ..f.clone() }
    };
    let failures = whole.failures.iter().take(n).map(failure).collect();
    (operators, failures)
}

/// The first instructions and their texts.
fn instructions_of(whole: &Support, n: usize) -> (Vec<HloForm>, Vec<HloRow>) {
    let mut forms: Vec<HloForm> = Vec::new();
    let mut place: FxHashMap<u32, u32> = FxHashMap::default();
    let instruction = |r: &HloRow| {
        let form = *place.entry(r.form).or_insert_with(|| {
            forms.push(whole.form(r).clone());
            forms.len() as u32 - 1
        });
        HloRow { form, ..r.clone() }
    };
    let instructions = whole.instructions.iter().take(n).map(instruction).collect();
    (forms, instructions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Support {
        let operator = |i: u64| SupportRow { name: format!("op{i}"), instructions: vec![0], ..SupportRow::default() };
        let failure = |i: u32| FailureRow { operator: 9 - i, line: Some(i.into()), ..FailureRow::default() };
        let form = |i: u32| HloForm { text: format!("form{i}"), ..HloForm::default() };
        Support {
            operators: (0..10).map(operator).collect(),
            failures: (0..6).map(failure).collect(),
            instructions: (0..8).map(|i| HloRow { form: 4 - i / 2, count: 2, ..HloRow::default() }).collect(),
            forms: (0..5).map(form).collect(),
            n_supported: Some(7),
            ..Support::default()
        }
    }

    #[test]
    fn cut_lists_still_point_at_their_own() {
        let whole = report();
        let cut = top(&whole, 3);
        assert!(cut.is_cut());
        assert_eq!((cut.n_shown, cut.n_operators, cut.n_failures, cut.n_instructions), (3, 10, 6, 8));
        let s = &cut.support;
        assert_eq!((s.failures.len(), s.instructions.len(), s.forms.len(), s.n_supported), (3, 3, 2, Some(7)));
        assert_eq!(s.operators.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["op0", "op1", "op2", "op9", "op8", "op7"]);
        for (cut, all) in s.failures.iter().zip(&whole.failures) {
            assert_eq!((s.operator(cut).name.as_str(), cut.line), (whole.operator(all).name.as_str(), all.line));
        }
        for (cut, all) in s.instructions.iter().zip(&whole.instructions) {
            assert_eq!(s.form(cut), whole.form(all));
        }
    }

    #[test]
    fn short_reports_are_whole() {
        let whole = report();
        let all = top(&whole, 10);
        assert!(!all.is_cut());
        assert_eq!(all, SupportTop::whole(whole));
    }
}
