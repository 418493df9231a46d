//! The rules of a report on small ones.

use super::top::frame;
use super::*;
use crate::model::support::SupportedOperator;
use crate::model::support::{FailedInstruction, FailedOperator};

fn failed(kind: &str, call: &str) -> FailedOperator {
    FailedOperator { kind: kind.into(), failure_at: "neuronx-cc".into(), call: call.into(), graph: String::new() }
}

fn report() -> SupportReport {
    let works = |name: &str, n| SupportedOperator { name: name.into(), count: Some(n) };
    let fails = |text: &str| FailedInstruction { text: text.into(), operator: "aten::mul".into() };
    SupportReport {
        source: SupportSource::Command,
        percentage: Some(75.0),
        percentage_text: Some("75.00%".into()),
        supported: Some(vec![works("aten::mul", 1), works("aten::add", 2)]),
        supported_hlo: Some(["f32[] multiply(f32[], f32[])", "f32[4]{0} add(f32[4]{0}, f32[4]{0})", "?"].map(Into::into).into()),
        unsupported: Some(vec![failed("aten::mul", "a.py 24")]),
        unsupported_hlo: Some(vec![fails("c64[4]{0} multiply(c64[4]{0}, c64[4]{0})")]),
        ..SupportReport::default()
    }
}

fn kinds(s: &Support) -> Vec<&str> {
    s.remarks.iter().map(|r| r.kind.as_str()).collect()
}

#[test]
fn the_percentage_is_that_of_the_instructions() {
    let s = support(&report());
    assert_eq!((s.computed_percentage, s.is_mismatch, s.n_supported, s.n_unsupported), (Some(75.0), false, Some(3), Some(1)));
    assert_eq!((s.verbosity, kinds(&s)), (Some(1), vec!["percentage", "percentage", "both"]));
    let s = support(&SupportReport { percentage: Some(74.98), ..report() });
    assert!(s.is_mismatch && s.remarks[0].text.contains("74.98%") && s.remarks[0].text.contains("75.00%"), "{:?}", s.remarks);
}

#[test]
fn an_operator_in_both_halves_is_explained_by_its_data_types() {
    let s = support(&report());
    let text = &s.remarks.iter().find(|r| r.kind == "both").expect("explained").text;
    assert!(text.contains("c64 (complex numbers of two 32-bit floats)") && text.contains("`multiply` on f32 is supported"), "{text}");
    let row = &s.operators[0];
    assert_eq!((row.name.as_str(), row.supported, row.unsupported, row.failed_dtypes.as_str()), ("aten::mul", Some(1), 1, "c64"));
    // An operand of a type that works elsewhere is not what fails.
    let convert = FailedInstruction { text: "c64[4]{0} convert(f32[4]{0})".into(), operator: "aten::mul".into() };
    let s = support(&SupportReport { unsupported_hlo: Some(vec![convert]), ..report() });
    assert_eq!(s.operators[0].failed_dtypes, "c64");
    let s = support(&SupportReport { supported_hlo: None, unsupported_hlo: None, ..report() });
    assert_eq!(s.verbosity, Some(2));
    assert!(kinds(&s).contains(&"verbosity") && s.computed_percentage.is_none() && s.operators[0].failed_instructions.is_none());
}

#[test]
fn an_unreadable_instruction_counts_but_has_no_parts() {
    let s = support(&report());
    let row = s.instructions.last().expect("rows");
    let form = s.form(row);
    assert_eq!((form.text.as_str(), form.opcode.as_str(), row.is_supported), ("?", "", true));
    assert_eq!(s.operator(&s.failures[0]).instructions, [0]);
}

#[test]
fn equal_instructions_are_one_row_with_a_count() {
    let add = || "f32[4]{0} add(f32[4]{0}, f32[4]{0})".to_string();
    let fails = |operator: &str| FailedInstruction { text: add(), operator: operator.into() };
    let unsupported_hlo = Some(vec![fails("aten::mul"), fails("aten::sub"), fails("aten::mul")]);
    let s = support(&SupportReport { supported_hlo: Some(vec![add(), add()]), unsupported_hlo, ..report() });
    let rows: Vec<_> = s.instructions.iter().map(|r| (r.operator.as_str(), r.is_supported, r.count)).collect();
    assert_eq!(rows, [("aten::mul", false, 2), ("aten::sub", false, 1), ("", true, 2)]);
    assert_eq!((s.forms.len(), s.n_supported_hlo, s.n_unsupported_hlo, s.operators[0].failed_instructions), (1, Some(2), Some(3), Some(2)));
}

#[test]
fn frames_have_a_file_and_a_line() {
    let check = |text: &str, file: &str, line| assert_eq!(frame(text), (file.to_string(), line), "{text}");
    check("test2_unsup.py 24", "test2_unsup.py", Some(24));
    check("my dir/a.py 24", "my dir/a.py", Some(24));
    check("test.py(6): fft", "test.py", Some(6));
    check("File \"a/b.py\", line 12, in f", "a/b.py", Some(12));
    check("a.py:7", "a.py", Some(7));
    check("<unknown>", "<unknown>", None);
    check("a(b)", "a(b)", None);
}

#[test]
fn nothing_is_claimed_of_what_is_missing() {
    let s = support(&SupportReport { percentage_text: Some("nan%".into()), ..SupportReport::default() });
    assert_eq!((s.n_supported, s.n_unsupported, s.support_percentage, s.computed_percentage), (None, None, None, None));
    assert!(s.remarks[0].text.contains("found `nan%`"), "{:?}", s.remarks);
    assert_eq!(kinds(&s), ["percentage", "missing", "missing"]);
}

#[test]
fn a_diff_says_what_became_supported() {
    let fixed = SupportReport {
        percentage: Some(100.0),
        supported: Some(vec![SupportedOperator { name: "aten::mul".into(), count: Some(2) }]),
        unsupported: Some(vec![failed("aten::fft", "")]),
        ..report()
    };
    let d = diff(&support(&report()), &support(&fixed));
    let rows: Vec<_> = d.rows.iter().map(|r| (r.name.as_str(), r.change)).collect();
    assert_eq!(rows, [("aten::mul", Change::BecameSupported), ("aten::fft", Change::OnlyAfter), ("aten::add", Change::OnlyBefore)]);
    assert_eq!((d.delta_percentage, d.totals.len(), d.rows[0].supported), (Some(25.0), 3, (Some(1), Some(2))));
    let d = diff(&support(&fixed), &support(&report()));
    assert_eq!(d.rows[0].change, Change::BecameUnsupported);
}
