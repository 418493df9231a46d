//! A support report as table rows.

use crate::analysis::support::{Change, FailureRow, HloRow, Support, SupportDiff, SupportRow, SupportTop};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

/// Which operators are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    /// All of them.
    #[default]
    All,
    /// Those with a call that fails.
    Failing,
    /// Those that work somewhere.
    Supported,
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Which::All => "all",
            Which::Failing => "failing",
            Which::Supported => "supported",
        })
    }
}

impl std::str::FromStr for Which {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Which::All, Which::Failing, Which::Supported].into_iter().find(|w| w.to_string() == text).ok_or(())
    }
}

fn operator_specs() -> Columns<SupportRow> {
    Columns::<SupportRow>::new()
        .column("name", "Operator", Kind::Name, "Name of the operator in the framework.", |r| Cell::Text(r.name.clone()))
        .column("support", "Support", Kind::Text, "A supported operator can still fail: support depends on data types and shapes.", |r| Cell::Text(support_word(r).into()))
        .column("supported", "Supported", Kind::Count, "Supported occurrences, as counted in the report.", |r| Cell::from(r.supported)).summed()
        .column("unsupported", "Failing calls", Kind::Count, "Failing calls.", |r| Cell::from((r.unsupported > 0).then_some(r.unsupported))).summed()
        .column("failed_instructions", "Failing HLO", Kind::Count, "Failing HLO instructions of this operator; needs a report with verbosity 1.", |r| Cell::from(r.failed_instructions))
        .column("failed_dtypes", "Failing data types", Kind::Text, "Data types of results and operands of the failing instructions; only those that no supported instruction has, if there are any.", |r| Cell::Text(r.failed_dtypes.clone()))
        .column("failed_at", "Fails at", Kind::Text, "Stage that failed, as listed in the report.", |r| Cell::Text(r.failed_at.clone()))
}

/// Columns of the operators.
pub fn operator_columns() -> Vec<Column> {
    operator_specs().headers()
}

fn support_word(row: &SupportRow) -> &'static str {
    match (row.is_supported, row.unsupported > 0) {
        (true, true) => "both",
        (true, false) => "supported",
        _ => "unsupported",
    }
}

/// Operators as rows; of a partly loaded list only the contiguous first part.
pub fn operators(top: &SupportTop, which: Which) -> Vec<Row> {
    let is_shown = |r: &&SupportRow| match which {
        Which::All => true,
        Which::Failing => r.unsupported > 0,
        Which::Supported => r.is_supported,
    };
    operator_specs().rows(top.support.operators.iter().take(top.n_shown as usize).filter(is_shown))
}

/// Columns of the failing calls.
pub fn failure_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Operator", Kind::Name, "Failing operator."),
        column(
            "failed_at",
            "Fails at",
            Kind::Text,
            "neuronx-cc: the compiler rejects the instruction. Lowering to HLO: no HLO instruction exists for it.",
        ),
        column("file", "File", Kind::Text, "File of the call: the innermost frame."),
        column("line", "Line", Kind::Number, "Line in that file."),
        column("frames", "Frames", Kind::Count, "Frames of the call stack in the report; expand the row to see all."),
        column("instructions", "HLO", Kind::Count, "Failing HLO instructions of this operator."),
    ]
}

/// Failing calls as rows; the stack opens beneath.
pub fn failures(support: &Support) -> Vec<Row> {
    let has_hlo = support.n_unsupported_hlo.is_some();
    let row = |f: &FailureRow| {
        let frames: Vec<String> = f.frames().map(Into::into).collect();
        let operator = support.operator(f);
        Row {
            cells: vec![
                Cell::Text(operator.name.clone()),
                Cell::Text(f.failed_at.clone()),
                Cell::Text(f.file.clone()),
                Cell::from(f.line),
                Cell::from(frames.len() as u64),
                Cell::from(operator.failed_instructions.filter(|_| has_hlo)),
            ],
            colour: None,
            members: if frames.len() > 1 { frames } else { Vec::new() },
            ..Row::default()
        }
    };
    support.failures.iter().map(row).collect()
}

/// Columns of the HLO instructions.
pub fn instruction_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("text", "HLO instruction", Kind::Name, "Text in the report."),
        column("support", "Support", Kind::Text, "Whether the compiler supports it."),
        column("count", "Count", Kind::Count, "Number of entries in the report.").summed(),
        column("operator", "Operator", Kind::Text, "Source operator; recorded for failing instructions only."),
        column("opcode", "Opcode", Kind::Text, ""),
        column("dtype", "Data type", Kind::Text, "Of the result."),
        column("shape", "Shape", Kind::Text, "Of the result."),
        column("operands", "Operands", Kind::Text, ""),
    ]
}

/// HLO instructions as rows.
pub fn instructions(support: &Support) -> Vec<Row> {
    let row = |r: &HloRow| {
        let word = if r.is_supported { "supported" } else { "unsupported" };
        let form = support.form(r);
        let text = |t: &str| Cell::Text(t.into());
        let parts = [&r.operator, &form.opcode, &form.dtype, &form.shape, &form.operands].map(|t| text(t));
        Row::new([text(&form.text), text(word), Cell::from(r.count)].into_iter().chain(parts).collect())
    };
    support.instructions.iter().map(row).collect()
}

fn change_specs() -> Columns<crate::analysis::support::ChangeRow> {
    Columns::<crate::analysis::support::ChangeRow>::new()
        .column("name", "Operator", Kind::Name, "", |r| Cell::Text(r.name.clone()))
        .column("change", "Change", Kind::Text, "Change from the baseline report to this report.", |r| {
            Cell::Text(change_words(r.change).into())
        })
        .column("supported_before", "Supported before", Kind::Count, "", |r| Cell::from(r.supported.0))
        .summed()
        .column("supported_after", "Supported now", Kind::Count, "", |r| Cell::from(r.supported.1))
        .summed()
        .column("unsupported_before", "Failing before", Kind::Count, "", |r| Cell::from(r.unsupported.0))
        .summed()
        .column("unsupported_after", "Failing now", Kind::Count, "", |r| Cell::from(r.unsupported.1))
        .summed()
}

/// Columns of a comparison.
pub fn diff_columns() -> Vec<Column> {
    change_specs().headers()
}

/// Changes as rows.
pub fn changes(diff: &SupportDiff) -> Vec<Row> {
    change_specs().rows(&diff.rows)
}

/// A change in words.
pub fn change_words(change: Change) -> &'static str {
    match change {
        Change::BecameSupported => "became supported",
        Change::BecameUnsupported => "became unsupported",
        Change::FewerFailures => "fewer failures",
        Change::MoreFailures => "more failures",
        Change::OnlyAfter => "only in this report",
        Change::OnlyBefore => "only in the baseline report",
        Change::Same => "unchanged",
    }
}

/// A percentage as reports write it: two decimals.
pub fn percent(percentage: Option<f64>) -> String {
    percentage.map_or("not available".into(), |p| format!("{p:.2}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::support::HloForm;

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let support = Support {
            operators: vec![
                SupportRow { unsupported: 1, ..SupportRow::default() },
                SupportRow { is_supported: true, ..SupportRow::default() },
            ],
            failures: vec![FailureRow { call: "a\nb".into(), ..FailureRow::default() }],
            instructions: vec![HloRow::default()],
            forms: vec![HloForm::default()],
            ..Support::default()
        };
        let top = SupportTop::whole(support.clone());
        assert!(operators(&top, Which::All).iter().all(|r| r.cells.len() == operator_columns().len()));
        assert_eq!((operators(&top, Which::Failing).len(), operators(&top, Which::Supported).len()), (1, 1));
        assert_eq!((failures(&support)[0].cells.len(), failures(&support)[0].members.len()), (failure_columns().len(), 2));
        assert_eq!(instructions(&support)[0].cells.len(), instruction_columns().len());
        assert_eq!(percent(Some(60.0)), "60.00%");
        assert_eq!(percent(None), "not available");
    }
}
