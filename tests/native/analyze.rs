//! Support reports: the documented ones show exactly the figures of the tutorial, and no text breaks the reader.

use crate::common::conformance;
use axonscope::analysis::support::{Change, Support};
use axonscope::base::InputSet;
use axonscope::engine::Session;
use axonscope::engine::query::{DetailsQuery, SupportDiffQuery, SupportQuery, SupportTopQuery};
use axonscope::formats::import;
use proptest::prelude::*;

fn session(name: &str, bytes: Vec<u8>) -> Session {
    let (claim, outcome) = import::import(&InputSet::from_bytes(name, bytes)).unwrap().remove(0);
    assert_eq!(claim.format, "analyze");
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn support(session: &Session) -> Support {
    session.ask(&SupportQuery).expect("a report")
}

fn documented(name: &str) -> Option<Session> {
    let path = conformance("neuron/analyze")?.join(name);
    let session = session("unknown", std::fs::read(path).unwrap());
    assert!(session.ledger.skipped.is_empty(), "{:?}", session.ledger);
    Some(session)
}

#[test]
fn the_unsupported_model_reads_as_in_the_tutorial() {
    for (name, verbosity) in [("unsupported-verbosity1.json", 1), ("unsupported-verbosity2.json", 2)] {
        let Some(session) = documented(name) else { return };
        let s = support(&session);
        assert_eq!((s.support_percentage, s.verbosity, s.is_mismatch), (Some(60.0), Some(verbosity), false));
        assert_eq!(s.torch_neuronx_version.as_deref(), Some("1.13.0.1.6.1"));
        assert_eq!(s.neuronx_cc_version.as_deref(), Some("2.5.0.28+1be23f232"));
        let rows: Vec<_> = s.operators.iter().map(|r| (r.name.as_str(), r.supported, r.unsupported)).collect();
        assert_eq!(rows, [("aten::mul", Some(1), 1), ("aten::add", Some(2), 0)]);
        let f = &s.failures[0];
        assert_eq!((f.file.as_str(), f.line, f.failed_at.as_str(), f.stage()), ("test2_unsup.py", Some(24), "neuronx-cc", "Compiler"));
        assert!(s.remarks.iter().any(|r| r.kind == "both" && r.text.contains("`aten::mul`")));
        if verbosity == 1 {
            assert_eq!((s.computed_percentage, s.n_supported_hlo, s.n_unsupported_hlo), (Some(60.0), Some(3), Some(2)));
            assert_eq!((s.operator(f).instructions.clone(), s.operators[0].failed_dtypes.as_str()), (vec![0, 1], "c64"));
            let forms = s.instructions.iter().map(|r| s.form(r));
            let parts: Vec<_> = forms.map(|r| (r.opcode.as_str(), r.dtype.as_str(), r.shape.as_str())).collect();
            let works = [("multiply", "f32", "scalar"), ("broadcast", "f32", "4"), ("add", "f32", "4")];
            assert_eq!(parts, [&[("convert", "c64", "4"), ("multiply", "c64", "4")], &works[..]].concat());
            assert!(s.remarks.iter().any(|r| r.kind == "both" && r.text.contains("c64")));
        } else {
            assert_eq!((s.computed_percentage, s.n_supported_hlo), (None, None));
            assert!(s.remarks.iter().any(|r| r.kind == "verbosity" && r.text.contains("--analyze-verbosity 1")));
        }
    }
}

#[test]
fn the_supported_model_and_the_function_read_as_documented() {
    let Some(supported) = documented("supported.json") else { return };
    let s = support(&supported);
    assert_eq!((s.support_percentage, s.operators.len(), s.n_unsupported, s.failures.len()), (Some(100.0), 13, Some(0), 0));
    assert_eq!(s.n_supported, Some(8 + 8 + 8 + 18 + 10 + 12 + 3 + 4 + 4 + 4 + 2 + 2 + 2));
    assert_eq!((s.operators[0].name.as_str(), s.operators[0].supported), ("aten::expand", Some(18)));
    let Some(function) = documented("api-variant.json") else { return };
    let s = support(&function);
    assert_eq!((s.support_percentage, s.verbosity, s.source.as_str()), (Some(0.0), None, "torch_neuronx.analyze()"));
    let f = &s.failures[0];
    assert_eq!((f.file.as_str(), f.line, f.frames().count()), ("test.py", Some(6), 2));
    assert!(f.graph.starts_with("graph(%x"));
}

#[test]
fn two_reports_are_compared() {
    let (Some(before), Some(after)) = (documented("unsupported-verbosity1.json"), documented("supported.json")) else { return };
    let diff = after.ask(&SupportDiffQuery { before: support(&before) }).expect("a comparison");
    assert_eq!(diff.delta_percentage, Some(40.0));
    let changed: Vec<_> = diff.rows.iter().filter(|r| r.change != Change::OnlyAfter).map(|r| (r.name.as_str(), r.change)).collect();
    assert_eq!(changed, [("aten::mul", Change::BecameSupported), ("aten::add", Change::Same)]);
    assert_eq!(diff.rows[0].supported, (Some(1), Some(8)));
    assert!(after.ask(&DetailsQuery { item: axonscope::base::SliceId(0).into() }).is_err());
}

#[test]
fn a_report_has_no_views_of_a_timeline() {
    let session = session("x", br#"{"support_percentage":"100.00%","supported_operators":{"aten":{}}}"#.to_vec());
    assert_eq!(axonscope::engine::views::views(&session.profile), ["profile", "ledger", "support"]);
}

const SEED: &str = r#"{"torch_neuronx_version":"1.13","neuronx_cc_version":"2.5","support_percentage":"60.00%","supported_operators":{"aten":{"aten::mul":1,"aten::add":2},
"xla":["f32[] multiply(f32[], f32[])","(f32[2], s32[]) tuple(%a, %b), x={}"]},"unsupported_operators":{"aten":[{"kind":"aten::mul","failureAt":"neuronx-cc","call":"a.py(6): f\nb.py 7"}],
"xla":[{"hlo_instruction":"c64[4]{0} convert(f32[4]{0})","aten_op":"aten::mul"}]}}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_reports_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, prop::sample::select(b"\"\\{}[](),:0-9%= \n\xff\0".to_vec())), 0..8),
        noise in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut bytes = SEED.as_bytes().to_vec();
        for (at, what, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(bytes.len().min(at + bytes.len() / 2).max(1)),
            }
        }
        let noisy = [b"{\"support_percentage\":", &noise[..]].concat();
        let logged = [b"||ANALYZE||", &noise[..]].concat();
        for bytes in [bytes, noisy, logged, noise] {
            for (claim, outcome) in import::import(&InputSet::from_bytes("x", bytes)).into_iter().flatten() {
                if let Ok((imported, readable)) = outcome && claim.format == "analyze" {
                    let session = Session::new(claim, readable, imported);
                    let s = support(&session);
                    let diff = session.ask(&SupportDiffQuery { before: s.clone() });
                    prop_assert!(diff.is_ok());
                    prop_assert_eq!(s.operators.iter().map(|r| r.unsupported).sum::<u64>(), s.failures.len() as u64);
                }
            }
        }
    }
}

#[test]
fn a_long_report_is_recognised_by_its_beginning() {
    let failing: Vec<String> =
        (0..900).map(|i| format!(r#"{{"kind":"aten::bad_{i}","failureAt":"neuronx-cc","call":"m.py {i}"}}"#)).collect();
    let works: Vec<String> = (0..900).map(|i| format!(r#""aten::good_{i}":{i}"#)).collect();
    let text = format!(
        r#"{{"support_percentage":"50.00%","supported_operators":{{"aten":{{{}}}}},"unsupported_operators":{{"aten":[{}]}}}}"#,
        works.join(","),
        failing.join(",")
    );
    let session = session("result.json", text.into_bytes());
    let whole = support(&session);
    let top = |n| session.ask(&SupportTopQuery { n }).expect("an answer");
    let cut = top(500);
    assert_eq!((cut.is_cut(), cut.n_shown, cut.n_operators, cut.n_failures), (true, 500, 1800, 900));
    assert_eq!(cut.support.operators[..500], whole.operators[..500]);
    assert_eq!((cut.support.failures.len(), cut.support.n_unsupported, &cut.support.remarks), (500, Some(900), &whole.remarks));
    let all = top(u64::MAX);
    assert!(!all.is_cut());
    assert_eq!(all.support, whole);
}
