//! Messages between page and worker survive the way.

use axonscope::base::{InstantId, Ledger, SliceId, TimeNs, TimeRange, TrackId};
use axonscope::engine::query::{
    ColourKeys, DetailsQuery, FindQuery, HitTablesQuery, ImportQuery, SearchQuery, TableHelpQuery, TablePart, TableQuery, Within,
};
use axonscope::engine::{Answer, EncodedAnswer, EncodedQuery, NoAnswer, PageMeta, Preparation, Query};
use axonscope::formats::{Claim, Preview, Progress};
use axonscope::model::Cell;
use axonscope::model::program::LearnedNames;
use axonscope::worker::error::Sentence;
use axonscope::worker::protocol::{Found, Inspection, Occasion, Opened, PieceOrder, RowRange, RowsOrder, ToPage, ToWorker, decode, encode};
use proptest::prelude::*;

fn to_worker(message: ToWorker) {
    let bytes = encode(&message).expect("encoded");
    assert_eq!(decode::<ToWorker>(&bytes), Ok(message));
}

fn to_page(message: ToPage) {
    let bytes = encode(&message).expect("encoded");
    assert_eq!(decode::<ToPage>(&bytes), Ok(message));
}

/// A library that panics on a file is told with the file; no message has a path of the build.
#[test]
fn a_panic_over_a_table_names_it() {
    use axonscope::worker::fault::of_panic;
    let died = of_panic("src/base/place.rs", 3, "so it is");
    assert_eq!(died, ToPage::Died("an error in the program (place.rs, line 3: so it is)".into()));
    to_page(ToPage::GaveUp(Sentence("A sentence.".into())));
}

fn claim() -> Claim {
    Claim { format: "kineto".into(), members: vec![0, 2], recognised: "A sentence.".into() }
}

#[test]
fn questions_survive() {
    to_worker(ToWorker::WarmUp { n_readers: 2 });
    to_worker(ToWorker::WarmUpForRuns);
    to_worker(ToWorker::Prepare(Preparation::Comparison));
    to_worker(ToWorker::Inspect { names: vec!["a/b.json".into()] });
    to_worker(ToWorker::Open {
        claim: claim(),
        paths: vec!["a.zip/b.json".into()],
        names: Vec::new(),
        occasion: Occasion::Further,
        learned: LearnedNames { opcodes: vec![(0x41, "NAME".into())], codes: Vec::new() },
        n_readers: 2,
    });
    let order = PieceOrder { number: 1, claim: claim(), path: "b.json".into(), from: 7, to: u64::MAX, head: b"[".to_vec() };
    to_worker(ToWorker::ReadText(order.clone()));
    to_worker(ToWorker::ReadPiece(order));
    let rows = RowRange { table: "Instruction".into(), file: 1, rows: 7..u64::MAX };
    let (paths, names) = (vec!["d/Instruction.parquet".into()], vec!["d.zip".into()]);
    to_worker(ToWorker::ReadRows(RowsOrder { number: 2, claim: claim(), paths, names, rows }));
    to_worker(ToWorker::BorrowReader);
    to_worker(ToWorker::ReaderStopped);
    let range = TimeRange::new(TimeNs(-5), TimeNs(i64::MAX));
    let find = FindQuery { track: "p / t".into(), time: TimeNs(-1), name: "n".into(), is_instant: true };
    let within = Within { range: Some(range), tracks: vec![TrackId(1)] };
    for query in [
        Query::from(SearchQuery { text: "ä".into(), limit: 3, ..SearchQuery::default() }),
        TableQuery { id: "t".into(), first: 0, n: 10 }.into(),
        find.into(),
        DetailsQuery { item: InstantId(7).into() }.into(),
        HitTablesQuery { search: SearchQuery::default(), more: vec![SliceId(1)], within }.into(),
    ] {
        assert_eq!(decode::<Query>(&encode(&query).expect("bytes")), Ok(query));
    }
    to_worker(ToWorker::Ask { id: u32::MAX });
}

/// Whether bytes that are read as a message are written as bytes that are read as the same one. Floats may be NaN: bytes are compared.
fn survives<T: serde::Serialize + serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<bool> {
    let message: T = decode(bytes).ok()?;
    let written = encode(&message).expect("encoded");
    let again: T = decode(&written).expect("what was written is read");
    Some(encode(&again).expect("encoded") == written)
}

/// Every question of the list is read from some bytes: of zeros each is the shortest of its kind. So is every answer.
#[test]
fn every_question_and_every_answer_of_the_list_survives() {
    for (at, name) in Query::NAMES.iter().enumerate() {
        let mut bytes = vec![u8::try_from(at).expect("less than 128 questions")];
        bytes.resize(4096, 0);
        assert_eq!(survives::<Query>(&bytes), Some(true), "{name}");
        assert_eq!(survives::<Answer>(&bytes), Some(true), "the answer to {name}");
    }
    assert_eq!(survives::<Query>(&[Query::NAMES.len() as u8]), None, "the list ends there");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Small numbers are lengths, variants and flags: enough of these texts are messages of some size.
    #[test]
    fn messages_of_any_content_survive(at in 0..Query::NAMES.len() as u8, mut rest in proptest::collection::vec(prop_oneof![8 => 0u8..3, 1 => any::<u8>()], 0..200)) {
        rest.insert(0, at);
        rest.resize(rest.len() + 400, 0);
        prop_assert_ne!(survives::<Query>(&rest), Some(false));
        prop_assert_ne!(survives::<Answer>(&rest), Some(false));
    }
}

#[test]
fn answers_survive() {
    let cells = vec![Cell::Absent, Cell::Int(-1), Cell::Float(0.5), Cell::Text("x".into())];
    let table = TablePart { columns: vec!["a".into()], rows: vec![cells], n_total: 9 };
    for answer in [Answer::TableQuery(Box::new(table)), Answer::ColourKeysQuery(Box::new(ColourKeys { slots: vec![0, 43] }))] {
        assert_eq!(decode::<Answer>(&encode(&answer).expect("bytes")), Ok(answer));
    }
    to_page(ToPage::Answer { id: 1 });
    let preview = Preview { slices: vec![(1, -2, 3, 4)] };
    to_page(ToPage::Progress(Progress { bytes: 1, total: 2, records: 3, preview }));
    let opened = Opened {
        info: PageMeta::default(),
        ledger: Ledger::default(),
        hash: "0".into(),
        claim: claim(),
        memory: 1,
        rank: Some((0, 2)),
        first_answer: Some((EncodedQuery::of(&ImportQuery), EncodedAnswer::refused("no"))),
    };
    to_page(ToPage::Columns);
    to_page(ToPage::Opened(Box::new(opened)));
    let found = Found { claim: claim(), paths: vec!["a.zip/b.json".into()], files: vec![0], needs_full: false, n_bytes: 5, heap_bytes: 9 };
    to_page(ToPage::Inspected(Inspection { found: vec![found], unclaimed: vec!["x".into()], notes: vec!["A sentence.".into()] }));
    to_page(ToPage::PieceRead { number: 1, took_ms: 0.5 });
    to_page(ToPage::Ready { build: "0".into(), formats: Vec::new(), lock: "l".into() });
}

/// Who asks by type and who reads all questions alike see the same bytes.
#[test]
fn a_question_and_its_answer_travel_by_number_and_value() {
    let question = TableQuery { id: "t".into(), first: 3, n: 10 };
    let encoded = EncodedQuery::of(&question);
    assert_eq!(encoded.bytes(), encode(&Query::from(question.clone())).expect("bytes"));
    assert_eq!((encoded.read::<TableQuery>(), encoded.read::<FindQuery>()), (Some(question), None));

    let help = vec!["a".to_string()];
    let answer = EncodedAnswer::of::<TableHelpQuery>(Ok(&help));
    assert_eq!(answer.bytes(), encode(&Answer::TableHelpQuery(Box::new(help.clone()))).expect("bytes"));
    assert_eq!((answer.read::<TableHelpQuery>(), answer.read::<TableQuery>()), (Ok(help), Err(NoAnswer::Other)));
    let refused = EncodedAnswer::refused("No.");
    assert_eq!(refused.bytes(), encode(&Answer::Refused("No.".into())).expect("bytes"));
    assert_eq!(refused.read::<TableQuery>(), Err(NoAnswer::Refused("No.".into())));
    assert!(refused.is_refused() && !answer.is_refused());
    assert_eq!(EncodedAnswer::from_bytes(vec![250]).read::<TableQuery>(), Err(NoAnswer::Other));
}

#[test]
fn a_foreign_message_is_an_error_not_a_panic() {
    assert!(decode::<ToPage>(&[250, 1, 2]).is_err());
    assert!(decode::<ToWorker>(&[]).is_err());
}

#[test]
fn a_table_in_json_shows_bare_values() {
    let part = TablePart { columns: vec!["a".into()], rows: vec![vec![Cell::Absent, Cell::Int(3)]], n_total: 1 };
    let text = serde_json::to_string(&part).expect("JSON");
    assert_eq!(text, r#"{"columns":["a"],"rows":[[null,3]],"n_total":1}"#);
    assert_eq!(serde_json::from_str::<TablePart>(&text).expect("back"), part);
}
