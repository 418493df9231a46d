//! Valid and invalid reports.

use super::*;
use crate::base::{Member, Severity};
use crate::formats::Imported;
use crate::formats::import;

fn open(text: &str) -> Result<Imported, ImportError> {
    let (_, outcome) = import::import(&InputSet::from_bytes("unknown", text.as_bytes().to_vec()))?.remove(0);
    outcome.map(|(imported, _)| imported)
}

#[track_caller]
fn report(text: &str) -> (SupportReport, Ledger) {
    let imported = open(text).expect("opens");
    assert_eq!(imported.profile.check(), Ok(()));
    let Domain::SupportReport(report) = imported.profile.domain else { panic!("a report") };
    (*report, imported.ledger)
}

fn kinds(ledger: &Ledger) -> Vec<(&str, Severity, u64)> {
    ledger.skipped.iter().map(|s| (s.kind.as_str(), s.severity, s.count)).collect()
}

#[test]
fn both_variants_are_read() {
    let (r, ledger) = report(
        r#"{"support_percentage":"60.00%","supported_operators":{"aten":{"aten::add":2},"xla":["f32[] add(f32[], f32[])"]},
        "unsupported_operators":{"aten":[{"kind":"aten::mul","failureAt":"neuronx-cc","call":"a.py 24"}],"xla":[{"hlo_instruction":"c64[] x(c64[])","aten_op":"aten::mul"}]}}"#,
    );
    assert_eq!((r.source, r.percentage, ledger.read, ledger.shown), (SupportSource::Command, Some(60.0), 4, 4));
    assert_eq!(r.unsupported_hlo.expect("listed")[0].operator, "aten::mul");
    assert_eq!(kinds(&ledger), []);
    let (r, ledger) = report(
        r#"{"torch_neuronx_version":"1","support_percentage":"0.00%","supported_operators":{"aten::add":3},
        "unsupported_operators":[{"kind":"aten::fft_fft","failureAt":"Lowering to HLO","call":"a.py(6): f\nb.py(7): g","opGraph":"graph(%x)"}]}"#,
    );
    let failed = &r.unsupported.expect("listed")[0];
    assert_eq!((r.source, failed.graph.as_str(), failed.call.as_str()), (SupportSource::Function, "graph(%x)", "a.py(6): f\nb.py(7): g"));
    assert_eq!((r.supported_hlo, kinds(&ledger)), (None, vec![]));
}

#[test]
fn what_is_odd_is_counted() {
    let (r, ledger) = report(r#"{"support_percentage":"nan%","supported_operators":{"aten":{"a":1,"a":2,"b":"x"}},"more":[1]}"#);
    assert_eq!((r.percentage, r.unsupported.is_none()), (None, true));
    let supported = r.supported.expect("listed");
    assert_eq!((supported.len(), supported[0].count, supported[1].count), (2, Some(3), None));
    let wanted = [
        ("unreadable_percentage", Severity::Warning, 1),
        ("operator_twice", Severity::Warning, 1),
        ("unreadable_count", Severity::Warning, 1),
        ("other_key", Severity::Info, 1),
    ];
    assert_eq!(kinds(&ledger), wanted);
    let (_, ledger) =
        report(r#"{"support_percentage":"1%","supported_operators":7,"unsupported_operators":{"aten":[{},{"kind":"a"}],"xla":[{}]}}"#);
    assert_eq!(kinds(&ledger).iter().map(|k| k.0).collect::<Vec<_>>(), ["unreadable_half", "empty_failure", "empty_instruction"]);
    assert_eq!((ledger.read, ledger.shown), (4, 1));
}

#[test]
fn a_cut_report_keeps_what_was_read() {
    let whole =
        r#"{"support_percentage":"50.00%","supported_operators":{"aten":{"a":1,"b":2}},"unsupported_operators":{"aten":[{"kind":"c"}]}}"#;
    let cut = whole.find("2}").expect("a count") + 1;
    let (r, ledger) = report(&whole[..cut]);
    assert_eq!((r.supported.map(|s| s.len()), r.unsupported), (Some(1), None));
    assert_eq!(kinds(&ledger), [("broken_json", Severity::DataLoss, 1)]);
    assert!(open(r#"{"support_percentage""#).is_err_and(|e| e.to_string().contains("Expected")));
}

#[test]
fn a_log_gives_the_path_of_its_report() {
    let log = "2023-05-25 00:43:43.000394:  776642  INFO ||ANALYZE||: Compiling x\nCompiler status PASS\n\
               2023-05-25 00:43:49.000252:  776642  INFO ||ANALYZE||: Removing existing report /old/result.json\n\
               2023-05-25 00:43:49.000252:  776642  INFO ||ANALYZE||: Model analysis completed. Report - /a b/result.json\n";
    let sentence = open(log).expect_err("a sentence").to_string();
    assert!(sentence.contains("its report is `/a b/result.json`"), "{sentence}");
    let sentence = open(log.lines().next().expect("a line")).expect_err("a sentence").to_string();
    assert!(sentence.contains("without a line `Report - PATH`"), "{sentence}");
    let both = InputSet {
        members: vec![
            Member::from_bytes("run.log", log.as_bytes().to_vec()),
            Member::from_bytes("x/result.json", br#"{"support_percentage":"100.00%","supported_operators":{"aten":{}}}"#.to_vec()),
        ],
    };
    let mut outcomes = import::import(&both).expect("claims");
    assert_eq!(outcomes.len(), 1);
    let (imported, _) = outcomes.remove(0).1.expect("opens");
    assert_eq!((imported.profile.meta.title.as_str(), imported.ledger.notes.len()), ("x/result.json", 1));
}
