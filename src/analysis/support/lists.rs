//! What the lists of a report come to: operators, HLO instructions and their texts, by position. All words stay in the report.

use super::HloForm;
use crate::analysis::hlo;
use crate::base::Order as _;
use crate::model::SupportReport;
use crate::model::support::FailedOperator;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The lists of a report.
///
/// What is done for each entry is a function of its own, never put into its caller: browsers make those fast while a long report is read.
#[derive(Default)]
pub(super) struct Lists<'r> {
    /// Texts of instructions, taken apart once each, in the order of `instructions`.
    pub forms: Vec<HloForm>,
    /// Failed ones first, else in the order first seen; equal ones of one operator once.
    pub instructions: Vec<Instruction<'r>>,
    /// In the order first seen.
    pub operators: Vec<Operator<'r>>,
    /// Operator of each failing call.
    pub of_call: Vec<u32>,
    by_name: FxHashMap<&'r str, u32>,
    form_of: FxHashMap<&'r str, u32>,
    /// The last text and its parsed form: equal texts are neighbours.
    last: Option<(&'r str, u32)>,
}

/// Instructions of one form and one operator.
pub(super) struct Instruction<'r> {
    pub form: u32,
    pub is_supported: bool,
    /// Empty for supported ones.
    pub operator: &'r str,
    pub count: u64,
}

/// An operator.
#[derive(Default)]
pub(super) struct Operator<'r> {
    pub name: &'r str,
    /// Supported occurrences.
    pub supported: Option<u64>,
    pub is_supported: bool,
    /// Failed calls.
    pub unsupported: u64,
    /// Where they fail, each once.
    pub failed_at: Vec<&'r str>,
    /// Positions of its failed instructions.
    pub instructions: Vec<u32>,
}

impl<'r> Lists<'r> {
    /// The lists of a report.
    pub fn of(report: &'r SupportReport) -> Self {
        let mut lists = Lists::default();
        report.supported.iter().flatten().for_each(|o| lists.operator_works(&o.name, o.count));
        report.unsupported.iter().flatten().for_each(|call| lists.operator_fails(call));
        let mut known = FxHashMap::default();
        report.unsupported_hlo.iter().flatten().for_each(|f| lists.instruction_fails(&mut known, &f.text, &f.operator));
        let mut known = vec![None; lists.forms.len()];
        report.supported_hlo.iter().flatten().for_each(|text| lists.instruction_works(&mut known, text));
        lists
    }

    #[inline(never)]
    fn operator_works(&mut self, name: &'r str, supported: Option<u64>) {
        self.by_name.insert(name, self.operators.len() as u32);
        self.operators.push(Operator { name, supported, is_supported: true, ..Operator::default() });
    }

    #[inline(never)]
    fn operator_fails(&mut self, call: &'r FailedOperator) {
        let at = *self.by_name.entry(&call.kind).or_insert(self.operators.len() as u32);
        if at as usize == self.operators.len() {
            self.operators.push(Operator { name: &call.kind, ..Operator::default() });
        }
        let operator = &mut self.operators[at as usize];
        operator.unsupported += 1;
        if !call.failure_at.is_empty() && !operator.failed_at.contains(&call.failure_at.as_str()) {
            operator.failed_at.push(&call.failure_at);
        }
        self.of_call.push(at);
    }

    /// `known`: instructions by form and operator.
    #[inline(never)]
    fn instruction_fails(&mut self, known: &mut FxHashMap<(u32, &'r str), u32>, text: &'r str, operator: &'r str) {
        let form = self.form(text);
        let at = *known.entry((form, operator)).or_insert(self.instructions.len() as u32);
        if at as usize == self.instructions.len() {
            self.instructions.push(Instruction { form, is_supported: false, operator, count: 0 });
            if let Some(&owner) = self.by_name.get(operator).filter(|_| !operator.is_empty()) {
                self.operators[owner as usize].instructions.push(at);
            }
        }
        self.instructions[at as usize].count += 1;
    }

    /// `known`: instructions by form.
    #[inline(never)]
    fn instruction_works(&mut self, known: &mut Vec<Option<u32>>, text: &'r str) {
        let form = self.form(text);
        known.resize(self.forms.len(), None);
        let at = *known[form as usize].get_or_insert(self.instructions.len() as u32);
        if at as usize == self.instructions.len() {
            self.instructions.push(Instruction { form, is_supported: true, operator: "", count: 0 });
        }
        self.instructions[at as usize].count += 1;
    }

    fn form(&mut self, text: &'r str) -> u32 {
        if let Some((_, form)) = self.last.filter(|last| last.0 == text) {
            return form;
        }
        let form = *self.form_of.entry(text).or_insert(self.forms.len() as u32);
        if form as usize == self.forms.len() {
            self.forms.push(parsed(text));
        }
        self.last = Some((text, form));
        form
    }

    /// The first `n` of some operators, by position: those that fail most, then those that occur most.
    pub fn in_order(&self, mut order: Vec<u32>, n: usize) -> Vec<u32> {
        let key = |&i: &u32| {
            let operator = &self.operators[i as usize];
            (Reverse(operator.unsupported), Reverse(operator.supported), i)
        };
        if n < order.len() {
            order.select_nth_unstable_by_key(n, key);
            order.truncate(n);
        }
        order.order_by_key(key);
        order
    }

    /// Distinct data types of some instructions, in order of occurrence.
    pub fn dtypes_of(&self, which: &[u32]) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        let of_form = |i: &u32| &self.forms[self.instructions[*i as usize].form as usize].dtypes;
        for dtype in which.iter().flat_map(of_form) {
            if !out.contains(&dtype.as_str()) {
                out.push(dtype);
            }
        }
        out
    }

    /// Data types that supported instructions work on.
    pub fn works(&self) -> FxHashSet<&str> {
        let works = self.instructions.iter().filter(|i| i.is_supported);
        works.flat_map(|i| &self.forms[i.form as usize].dtypes).map(String::as_str).collect()
    }
}

fn parsed(text: &str) -> HloForm {
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
