//! The lists of a report: operators, failing calls, HLO instructions.

use super::{FailureRow, HloForm, HloRow, SupportRow};
use crate::analysis::hlo;
use crate::base::Order as _;
use crate::model::SupportReport;
use crate::model::support::FailedOperator;
use rustc_hash::{FxHashMap, FxHashSet};

/// Texts and instructions, both in the order first met, failed ones first. A text is taken apart once.
pub(super) fn instructions(report: &SupportReport) -> (Vec<HloForm>, Vec<HloRow>) {
    let mut lists = Instructions::default();
    report.unsupported_hlo.iter().flatten().for_each(|f| lists.fails(&f.text, &f.operator));
    report.supported_hlo.iter().flatten().for_each(|text| lists.works(text));
    (lists.forms, lists.rows)
}

/// Rows as they grow. What is done for each instruction is a function of its own: browsers make those fast while a long report is read.
#[derive(Default)]
struct Instructions<'r> {
    forms: Vec<HloForm>,
    rows: Vec<HloRow>,
    form_of: FxHashMap<&'r str, u32>,
    /// Row of the supported instructions of each form.
    works: Vec<Option<u32>>,
    /// Row of the failed ones of a form and an operator.
    fails: FxHashMap<(u32, &'r str), u32>,
}

impl<'r> Instructions<'r> {
    #[inline(never)]
    fn fails(&mut self, text: &'r str, operator: &'r str) {
        let form = self.form(text);
        let row = *self.fails.entry((form, operator)).or_insert(self.rows.len() as u32);
        self.count(row, form, operator, false);
    }

    #[inline(never)]
    fn works(&mut self, text: &'r str) {
        let form = self.form(text);
        let row = *self.works[form as usize].get_or_insert(self.rows.len() as u32);
        self.count(row, form, "", true);
    }

    fn form(&mut self, text: &'r str) -> u32 {
        if let Some(&known) = self.form_of.get(text) {
            return known;
        }
        let form = self.forms.len() as u32;
        self.forms.push(taken_apart(text));
        self.works.push(None);
        self.form_of.insert(text, form);
        form
    }

    /// One more of a row, which may be the next new one.
    fn count(&mut self, row: u32, form: u32, operator: &str, is_supported: bool) {
        if row as usize == self.rows.len() {
            self.rows.push(HloRow { form, is_supported, operator: operator.into(), count: 0 });
        }
        self.rows[row as usize].count += 1;
    }
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
    let mut all = Operators::default();
    report.supported.iter().flatten().for_each(|o| all.works(&o.name, o.count));
    let of_call: Vec<u32> = report.unsupported.iter().flatten().map(|call| all.fails(call)).collect();
    for (i, instruction) in instructions.iter().enumerate().filter(|(_, r)| !r.is_supported && !r.operator.is_empty()) {
        all.instruction(i as u32, &instruction.operator);
    }
    let mut rows = all.rows;
    let lists_hlo = report.unsupported_hlo.is_some();
    let works: FxHashSet<&str> =
        instructions.iter().filter(|i| i.is_supported).flat_map(|i| &forms[i.form as usize].dtypes).map(String::as_str).collect();
    for row in rows.iter_mut().filter(|r| r.unsupported > 0) {
        let own = || row.instructions.iter().map(|&i| &instructions[i as usize]);
        row.failed_instructions = lists_hlo.then(|| own().map(|i| i.count).sum());
        row.failed_dtypes = failed_dtypes(row, forms, instructions, &works);
    }
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.order_by_key(|&i| {
        let row = &rows[i as usize];
        (std::cmp::Reverse(row.unsupported), std::cmp::Reverse(row.supported))
    });
    let mut place = vec![0u32; rows.len()];
    order.iter().enumerate().for_each(|(now, &before)| place[before as usize] = now as u32);
    let calls = report.unsupported.iter().flatten().zip(of_call);
    let failures = calls.map(|(call, operator)| failure(call, place[operator as usize])).collect();
    (order.iter().map(|&i| std::mem::take(&mut rows[i as usize])).collect(), failures)
}

/// Rows as they grow, in the order first met.
#[derive(Default)]
struct Operators<'r> {
    rows: Vec<SupportRow>,
    by_name: FxHashMap<&'r str, u32>,
}

impl<'r> Operators<'r> {
    #[inline(never)]
    fn works(&mut self, name: &'r str, count: Option<u64>) {
        self.by_name.insert(name, self.rows.len() as u32);
        self.rows.push(SupportRow { name: name.into(), supported: count, is_supported: true, ..SupportRow::default() });
    }

    /// One more failed call. Returns its operator's row.
    #[inline(never)]
    fn fails(&mut self, call: &'r FailedOperator) -> u32 {
        let at = *self.by_name.entry(&call.kind).or_insert(self.rows.len() as u32);
        if at as usize == self.rows.len() {
            self.rows.push(SupportRow { name: call.kind.clone(), ..SupportRow::default() });
        }
        let row = &mut self.rows[at as usize];
        row.unsupported += 1;
        if row.failed_at.is_empty() {
            row.failed_at.push_str(&call.failure_at);
        } else if !call.failure_at.is_empty() && !row.failed_at.split(", ").any(|f| f == call.failure_at) {
            row.failed_at.push_str(", ");
            row.failed_at.push_str(&call.failure_at);
        }
        at
    }

    /// An instruction that failed for an operator.
    #[inline(never)]
    fn instruction(&mut self, instruction: u32, operator: &str) {
        if let Some(&at) = self.by_name.get(operator) {
            self.rows[at as usize].instructions.push(instruction);
        }
    }
}

/// The data types that no supported instruction works on; where there are none, all of the failed ones.
#[inline(never)]
fn failed_dtypes(row: &SupportRow, forms: &[HloForm], instructions: &[HloRow], works: &FxHashSet<&str>) -> String {
    let all = dtypes_of(&row.instructions, forms, instructions);
    let own: Vec<&str> = all.iter().map(String::as_str).filter(|d| !works.contains(d)).collect();
    if own.is_empty() { all.join(", ") } else { own.join(", ") }
}

#[inline(never)]
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
