//! Rules of places, over names of files.

use super::*;

/// Drop, path, rank and world size by the file itself.
type File<'a> = (u32, &'a str, Option<(u32, u32)>);
/// Run, worker, span, rank.
type Row<'a> = (&'a str, &'a str, Option<u32>, Option<u32>);

fn origins(files: &[File]) -> Vec<Origin> {
    files.iter().map(|&(drop, path, rank)| Origin { drop, path: path.into(), rank }).collect()
}

#[track_caller]
fn check(files: &[File], want: &[Row]) {
    let places = places(&origins(files));
    let got: Vec<Row> = places.iter().map(|p| (p.run.as_str(), p.worker.as_str(), p.span, p.rank)).collect();
    assert_eq!(got, want);
}

#[test]
fn a_run_is_a_directory_and_a_span_the_rank_of_a_stamp() {
    check(
        &[
            (1, "logs/resnet50/host_12.1623143089861.pt.trace.json", None),
            (1, "logs/resnet50/host_12.999.pt.trace.json.gz", None),
            (1, "logs/resnet50/host_13.1623143090000.pt.trace.json", None),
            (1, "logs/worker0.pt.trace.json", None),
            (1, "logs/a/b/worker.1.2.pt.trace.json", None),
        ],
        &[
            ("resnet50", "host_12", Some(2), None),
            ("resnet50", "host_12", Some(1), None),
            ("resnet50", "host_13", Some(1), None),
            ("logs", "worker0", None, None),
            ("a/b", "worker.1", Some(1), None),
        ],
    );
    check(&[(1, "a/x/w.pt.trace.json", None), (1, "b/x/w.pt.trace.json", None)], &[("a/x", "w", None, None), ("b/x", "w", None, None)]);
}

#[test]
fn stamps_are_ordered_as_numbers() {
    let stamp = |s: &str| format!("r/w.{s}.pt.trace.json");
    let paths: Vec<String> =
        ["1623212756351000000", "1623212755351", "007", "8", "99999999999999999999999"].iter().map(|s| stamp(s)).collect();
    let files: Vec<_> = paths.iter().map(|p| (1, p.as_str(), None)).collect();
    let spans: Vec<Option<u32>> = places(&origins(&files)).iter().map(|p| p.span).collect();
    assert_eq!(spans, [Some(4), Some(3), Some(1), Some(2), Some(5)]);
}

#[test]
fn other_names_take_the_rank_of_the_file() {
    check(
        &[
            (1, "iteration_10/rank0_trace.json.gz", None),
            (1, "iteration_10/rank-10.json.gz", None),
            (1, "iteration_10/trace.json", Some((3, 8))),
            (1, "iteration_10/rank1_trace.json", Some((5, 8))),
            (1, "iteration_10/other.json", None),
        ],
        &[
            ("iteration_10", "rank 0", None, Some(0)),
            ("iteration_10", "rank 10", None, Some(10)),
            ("iteration_10", "rank 3", None, Some(3)),
            ("iteration_10", "rank 5", None, Some(5)),
            ("iteration_10", "other", None, None),
        ],
    );
}

#[test]
fn loose_files_are_a_run_when_they_are_of_a_set() {
    check(&[(1, "trace.json", None)], &[("trace", "trace", None, None)]);
    check(&[(1, "a.json", None), (1, "b.pt.trace.json", None)], &[("a", "a", None, None), ("b", "b", None, None)]);
    check(
        &[(1, "ddp_rank0.json", None), (1, "ddp_rank1.json", Some((1, 2))), (1, "cpu.json", None)],
        &[("ddp", "rank 0", None, Some(0)), ("ddp", "rank 1", None, Some(1)), ("cpu", "cpu", None, None)],
    );
    check(
        &[(1, "worker0.16.pt.trace.json", None), (1, "worker1.17.pt.trace.json", None)],
        &[("worker", "worker0", Some(1), None), ("worker", "worker1", Some(1), None)],
    );
    check(
        &[(1, "x0.json", Some((0, 2))), (1, "y1.json", Some((1, 2)))],
        &[("Run", "rank 0", None, Some(0)), ("Run", "rank 1", None, Some(1))],
    );
}

#[test]
fn drops_have_runs_of_their_own() {
    check(
        &[(1, "r/w.pt.trace.json", None), (2, "r/w.pt.trace.json", None), (1, "r/v.pt.trace.json", None), (2, "r/u.pt.trace.json", None)],
        &[("r", "w", None, None), ("r (2)", "w", None, None), ("r", "v", None, None), ("r (2)", "u", None, None)],
    );
}

#[test]
fn two_of_the_same_place_are_both_kept() {
    let places = places(&origins(&[(1, "r/a.json", Some((0, 2))), (1, "r/b.json", Some((0, 2))), (1, "r/c.json", Some((1, 2)))]));
    let got: Vec<(&str, bool)> = places.iter().map(|p| (p.worker.as_str(), p.is_double)).collect();
    assert_eq!(got, [("rank 0", false), ("rank 0 (2)", true), ("rank 1", false)]);
}

#[test]
fn order_is_by_rank_then_by_numbers_in_names() {
    let mut places = places(&origins(&[
        (1, "r/w10.2.pt.trace.json", None),
        (1, "r/w2.20.pt.trace.json", None),
        (1, "r/w2.3.pt.trace.json", None),
        (1, "r/x.json", Some((0, 2))),
    ]));
    places.sort_by(TraceIdentity::order);
    let got: Vec<(&str, Option<u32>)> = places.iter().map(|p| (p.worker.as_str(), p.span)).collect();
    assert_eq!(got, [("rank 0", None), ("w2", Some(1)), ("w2", Some(2)), ("w10", Some(1))]);
    assert!(natural("a9", "a10").is_lt() && natural("a010", "a10").is_eq() && natural("b", "a10").is_gt());
}
