//! Messages between page and worker survive the way.

use axonscope::base::{InstantId, Ledger, SliceId, TimeNs, TimeRange, TrackId};
use axonscope::engine::query::{SearchQuery, TablePart, Within};
use axonscope::engine::{Answer, HotMeta, Query};
use axonscope::formats::{Claim, Preview, Progress};
use axonscope::model::Cell;
use axonscope::worker::protocol::{Found, Inspection, Opened, ToPage, ToWorker, decode, encode};

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
    to_page(ToPage::GaveUp("A sentence.".into()));
}

fn claim() -> Claim {
    Claim { format: "kineto".into(), members: vec![0, 2], recognised: "A sentence.".into() }
}

#[test]
fn questions_survive() {
    to_worker(ToWorker::WarmUp);
    to_worker(ToWorker::Prepare);
    to_worker(ToWorker::Inspect { names: vec!["a/b.json".into()] });
    to_worker(ToWorker::Open { claim: claim(), paths: vec!["a.zip/b.json".into()], names: Vec::new(), may_be_open: true });
    let range = TimeRange::new(TimeNs(-5), TimeNs(i64::MAX));
    for query in [
        Query::Import,
        Query::Details(SliceId(7).into()),
        Query::Search(SearchQuery { text: "ä".into(), limit: 3, ..SearchQuery::default() }),
        Query::Table("t".into(), 0, 10),
        Query::Find("p / t".into(), TimeNs(-1), "n".into()),
        Query::FindInstant("p / t".into(), TimeNs(-1), "n".into()),
        Query::Details(InstantId(7).into()),
        Query::HitTables(SearchQuery::default(), vec![SliceId(1)], Within { range: Some(range), tracks: vec![TrackId(1)] }),
    ] {
        to_worker(ToWorker::Ask { id: u32::MAX, query });
    }
}

#[test]
fn answers_survive() {
    let cells = vec![Cell::Absent, Cell::Int(-1), Cell::Float(0.5), Cell::Text("x".into())];
    let table = TablePart { columns: vec!["a".into()], rows: vec![cells], n_total: 9 };
    to_page(ToPage::Answer { id: 1, answer: Answer::Table(table) });
    to_page(ToPage::Answer { id: 1, answer: Answer::ColourKeys(vec![0, 43]) });
    let preview = Preview { slices: vec![(1, -2, 3, 4)], lanes: vec!["l".into()] };
    to_page(ToPage::Progress(Progress { bytes: 1, total: 2, records: 3, preview }));
    let opened =
        Opened { info: HotMeta::default(), ledger: Ledger::default(), hash: "0".into(), claim: claim(), memory: 1, rank: Some((0, 2)) };
    to_page(ToPage::Opened(Box::new(opened)));
    let found = Found { claim: claim(), paths: vec!["a.zip/b.json".into()], files: vec![0], n_bytes: 5, heap_bytes: 9 };
    to_page(ToPage::Inspected(Inspection { found: vec![found], unclaimed: vec!["x".into()], notes: vec!["A sentence.".into()] }));
    to_page(ToPage::Ready { build: "0".into(), formats: Vec::new(), lock: "l".into() });
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
