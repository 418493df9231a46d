//! Search in the records of a file, part by part, against reading every record on its own; and what the answers round it say.

use axonscope::base::{InputSet, SliceId, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{BriefQuery, DetailsQuery, HitSummaryQuery, ScanPart, ScanQuery, SearchQuery, SpanQuery};
use axonscope::formats::import;

fn session(sample: &str) -> Session {
    let bytes = std::fs::read(format!("public/samples/{sample}")).unwrap();
    let (claim, outcome) = import::import(&InputSet::from_bytes(sample, bytes)).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn parts(session: &Session, text: &str, key: &str) -> Vec<ScanPart> {
    let mut out = Vec::new();
    let mut next = Some(ScanQuery { text: text.into(), key: key.into(), ..ScanQuery::default() });
    while let Some(query) = next {
        let part = session.ask(&query.clone()).expect("refused");
        next = part.next.map(|cursor| ScanQuery { cursor, ..query });
        out.push(part);
    }
    out
}

fn check(sample: &str, text: &str, key: &str) {
    let session = session(sample);
    let parts = parts(&session, text, key);
    let n = session.profile.slices.len();
    assert_eq!(parts.iter().map(|p| p.n_seen).sum::<u64>(), n as u64);
    assert!(parts.iter().all(|p| p.n_unreadable == 0 && p.n_seen <= 2_048));
    let mut found: Vec<SliceId> = parts.into_iter().flat_map(|p| p.slices).collect();
    found.sort_unstable();
    let is_hit = |slice: &SliceId| {
        let details = session.ask(&DetailsQuery { item: (*slice).into() }).expect("refused");
        details.fields.iter().any(|f| (key.is_empty() || f.key == key) && f.value.to_lowercase().contains(text))
    };
    // Every seventh: reading all of them one by one takes long.
    let some = (0..n as u32).step_by(7).map(SliceId);
    let wanted: Vec<SliceId> = some.filter(is_hit).collect();
    assert_eq!(found.iter().copied().filter(|s| s.0 % 7 == 0).collect::<Vec<_>>(), wanted, "{sample} {text} {key}");
    assert!(!wanted.is_empty(), "{sample} {text} {key}: the test would not notice a search that finds nothing");
}

#[test]
fn records_of_a_trace_are_searched_part_by_part() {
    check("cpu_single.pt.trace.json.gz", "float", "");
    check("cpu_single.pt.trace.json.gz", "1", "Sequence number");
}

#[test]
fn records_of_a_device_profile_are_searched_part_by_part() {
    check("synthetic-neuron.json", "1", "");
}

#[test]
fn a_field_that_is_nowhere_has_no_hits_and_a_bad_pattern_is_a_sentence() {
    let session = session("cpu_single.pt.trace.json.gz");
    assert!(parts(&session, "float", "no such key").iter().all(|p| p.slices.is_empty()));
    let bad = ScanQuery { text: "(".into(), is_regex: true, ..ScanQuery::default() };
    assert!(session.ask(&bad).unwrap_err().to_string().contains("is not a valid regular expression"));
}

#[test]
fn hits_and_spans_agree_with_the_profile() {
    let session = session("cpu_single.pt.trace.json.gz");
    let query = SearchQuery { text: "aten::".into(), field: "name".into(), limit: 10, ..SearchQuery::default() };
    let hits = session.ask(&query.clone()).expect("refused");
    let summary = session.ask(&HitSummaryQuery { search: query, more: vec![] }).expect("refused");
    assert!(hits.n_total > 10 && summary.n == hits.n_total);
    assert_eq!(summary.rows.iter().map(|r| r.n).sum::<u64>(), summary.n);
    let whole = session.profile.meta.range;
    let end = axonscope::base::TimeNs(whole.end.0 + 1);
    let span = session.ask(&SpanQuery { range: TimeRange::new(whole.start, end) }).expect("refused");
    assert_eq!(span.n_slices, session.profile.slices.len() as u64);
}

#[test]
fn a_glance_tells_own_time_and_fields() {
    let session = session("cpu_single.pt.trace.json.gz");
    let n = session.profile.slices.len() as u32;
    let brief = |s| session.ask(&BriefQuery { slice: SliceId(s) }).expect("an answer");
    assert!((0..n).step_by(50).any(|s| brief(s).fields.iter().any(|f| f.0 == "Input Dims" || f.0 == "External id")));
    assert!((0..n).step_by(50).all(|s| brief(s).self_time.expect("told").0 <= session.profile.slices.duration[s as usize]));
    assert!(session.ask(&BriefQuery { slice: SliceId(n) }).is_err());
}
