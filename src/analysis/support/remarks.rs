//! Sentences about a report: what its values mean, what it does not contain, why an operator is in both lists.

use super::lists::{Lists, Operator};
use super::{HloForm, Remark, Support};
use crate::analysis::hlo::dtype_words;
use crate::base::text::count;
use crate::model::{SupportReport, SupportSource};
use rustc_hash::FxHashSet;

/// More operators in both halves than these are counted, not explained one by one.
const N_EXPLAINED: usize = 20;

/// All remarks, most important first. Of `support` only the values are needed.
pub(super) fn remarks(report: &SupportReport, support: &Support, lists: &Lists<'_>) -> Vec<Remark> {
    let mut out = Vec::new();
    let mut say = |kind: &str, text: String| out.push(Remark { kind: kind.into(), text });
    percentage(report, support, &mut say);
    if report.supported.is_none() {
        say("missing", "The report has no list of supported operators.".into());
    }
    if report.unsupported.is_none() {
        say("missing", "The report has no list of unsupported operators.".into());
    }
    let is_both = |at: &u32| lists.operators[*at as usize].is_supported && lists.operators[*at as usize].unsupported > 0;
    let both: Vec<u32> = (0..lists.operators.len() as u32).filter(is_both).collect();
    if !both.is_empty() {
        let works = Works::of(lists);
        for at in lists.in_order(both.clone(), N_EXPLAINED) {
            say("both", explained(&lists.operators[at as usize], support, lists, &works));
        }
    }
    if let Some(more) = both.len().checked_sub(N_EXPLAINED).filter(|n| *n > 0) {
        say("both", format!("The same applies to {more} more operators; the table of operators lists their data types."));
    }
    if support.verbosity == Some(2) {
        let text = "This report is at verbosity 2. For the HLO instructions behind each operator run the command again with \
                    `--analyze-verbosity 1`.";
        say("verbosity", text.into());
    }
    out
}

fn percentage(report: &SupportReport, support: &Support, say: &mut impl FnMut(&str, String)) {
    if report.percentage.is_none() {
        let found = report.percentage_text.as_deref().map_or("no such key".into(), |t| format!("`{t}`"));
        say("percentage", format!("The support percentage is not available: expected a number such as `60.00%`, found {found}."));
    }
    let counts = support.n_supported_hlo.zip(support.n_unsupported_hlo);
    match (counts, support.computed_percentage, report.percentage) {
        (Some((yes, no)), Some(is), Some(stated)) if support.is_mismatch => {
            say(
                "mismatch",
                format!(
                    "The report states {stated:.2}%, but {} of its {} HLO instructions are supported, which is {is:.2}%. The lists and \
                     the percentage belong to different runs.",
                    count(yes),
                    count(yes + no)
                ),
            );
        }
        (Some((yes, no)), Some(is), _) => {
            say("percentage", format!("{} of {} HLO instructions are supported: {is:.2}%.", count(yes), count(yes + no)));
        }
        _ => {}
    }
    if report.percentage.is_some() && report.source != SupportSource::Unknown {
        let text = "The percentage counts HLO instructions, not operators. One operator is lowered to several instructions, so the \
                    percentage does not follow from the counts of the operators below.";
        say("percentage", text.into());
    }
}

/// What the supported instructions work on.
struct Works<'a> {
    forms: Vec<&'a HloForm>,
    dtypes: FxHashSet<&'a str>,
}

impl<'a> Works<'a> {
    fn of(lists: &'a Lists<'_>) -> Self {
        let supported = lists.instructions.iter().filter(|i| i.is_supported);
        Works { forms: supported.map(|i| &lists.forms[i.form as usize]).collect(), dtypes: lists.works() }
    }
}

/// Why an operator is both supported and unsupported, by its data types.
fn explained(row: &Operator<'_>, support: &Support, lists: &Lists<'_>, works: &Works<'_>) -> String {
    let times = |n: u64| if n == 1 { "once".to_string() } else { format!("{n} times") };
    let n_works = row.supported.map_or("an unknown number of times".into(), times);
    let head = format!("`{}` is supported {n_works} and fails {}.", row.name, times(row.unsupported));
    if row.instructions.is_empty() {
        let why = match support.verbosity {
            Some(1) => "The report lists no HLO instruction of this operator, so its data types are not known.",
            _ => "Support depends on data types and shapes, which this report does not list.",
        };
        return format!("{head} {why}");
    }
    let failed = lists.dtypes_of(&row.instructions);
    let only_failed: Vec<String> = failed.iter().filter(|d| !works.dtypes.contains(*d)).map(|d| named(d)).collect();
    if only_failed.is_empty() {
        return format!("{head} Both use the same data types ({}), so the cause is a shape or an attribute.", failed.join(", "));
    }
    let own = row.instructions.iter().map(|i| &lists.forms[lists.instructions[*i as usize].form as usize]);
    let opcodes: Vec<&str> = own.map(|form| form.opcode.as_str()).collect();
    let same = works.forms.iter().find(|f| !f.opcode.is_empty() && opcodes.contains(&f.opcode.as_str()));
    let example = same.map_or(String::new(), |f| format!("; `{}` on {} is supported", f.opcode, f.dtypes.join(", ")));
    format!(
        "{head} The cause is the data type: failing instructions use {}, which no supported instruction uses{example}.",
        only_failed.join(", ")
    )
}

fn named(dtype: &str) -> String {
    dtype_words(dtype).map_or_else(|| dtype.into(), |words| format!("{dtype} ({words})"))
}
