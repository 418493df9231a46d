//! Which capture traces belong to which run: those in `capture_traces/` beside it, of the same rank.

use crate::base::MemberHead;
use crate::formats::json::{Cursor, Value, number};

/// Directories that vLLM and SGLang write capture traces to.
pub(in crate::formats::kineto) const DIRECTORIES: [&str; 2] = ["capture_traces", "graph_capture_profile"];
/// What vLLM calls the list of its capture traces.
const DETAILS: &str = "execution_details.json";

/// What a capture trace alone is recognised as.
pub(in crate::formats::kineto) const ALONE: &str = "It records the capture of CUDA or HIP graphs: what was launched here runs when a graph is replayed. Open it together with the trace of the run.";

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The directory of the run that a capture trace at `path` belongs to.
fn run_directory(path: &str) -> Option<&str> {
    let (above, last) = split(split(path).0);
    DIRECTORIES.contains(&last).then_some(above)
}

/// Whether a companion is the list of capture traces, no trace itself.
pub(in crate::formats::kineto) fn is_details(path: &str) -> bool {
    split(path).1 == DETAILS
}

/// Whether a trace is one of captures: by its directory, its name, or the annotation that is at its beginning.
pub(in crate::formats::kineto) fn is_capture(head: &MemberHead) -> bool {
    let name = split(&head.name).1;
    let is_named = name.starts_with("graph_capture_") || name.starts_with("cuda_graph_capture");
    run_directory(&head.name).is_some() || is_named || is_annotated(&head.head)
}

/// `"capture_32_FULL"` in the part looked at.
fn is_annotated(head: &[u8]) -> bool {
    const MARK: &[u8] = b"\"capture_";
    let mut found = memchr::memmem::find_iter(head, MARK).map(|at| &head[at + MARK.len()..]);
    found.any(|rest| {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && matches!(rest.get(digits), Some(b'_' | b'"'))
    })
}

/// The rank near the beginning of a trace.
fn rank(head: &[u8]) -> Option<i64> {
    let at = memchr::memmem::find(head, b"\"distributedInfo\"")?;
    let object = head[at..].iter().position(|&b| b == b'{')? + at;
    let mut cursor = Cursor::new(&head[object..]);
    while let Ok(Some(key)) = cursor.key() {
        match cursor.value().ok()? {
            Value::Bare(text) if key == b"rank" => return number::scaled(text, 0),
            _ => {}
        }
    }
    None
}

/// The companions of the run at `main`: capture traces of its rank, then the list of them. `traces` are all traces of the drop.
pub(in crate::formats::kineto) fn companions(heads: &[MemberHead], traces: &[usize], main: usize) -> Vec<usize> {
    let run = &heads[main];
    let directory = split(&run.name).0;
    let of_run = rank(&run.head);
    let is_beside = |head: &MemberHead| match run_directory(&head.name) {
        Some(above) => above == directory,
        None => split(&head.name).0 == directory,
    };
    let is_of_rank = |head: &MemberHead| of_run.zip(rank(&head.head)).is_none_or(|(a, b)| a == b);
    let is_companion = |&&i: &&usize| i != main && is_capture(&heads[i]) && is_beside(&heads[i]) && is_of_rank(&heads[i]);
    let mut out: Vec<usize> = traces.iter().filter(is_companion).copied().collect();
    if !out.is_empty() {
        let is_list = |&i: &usize| split(&heads[i].name).1 == DETAILS && is_beside(&heads[i]);
        out.extend((0..heads.len()).filter(is_list));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &str, text: &str) -> MemberHead {
        MemberHead { name: name.into(), len: text.len() as u64, head: text.into(), is_gzip: false }
    }

    #[test]
    fn captures_are_recognised_by_place_name_and_content() {
        assert!(is_capture(&head("run/capture_traces/bs_32_rank0.json.gz", "{}")));
        assert!(is_capture(&head("graph_capture_rank_0.1.pt.trace.json.gz", "{}")));
        assert!(is_capture(&head("a.json", r#"{"name": "capture_32_FULL"}"#)));
        assert!(!is_capture(&head("a.json", r#"{"name": "capture_x", "kind": "capture_32a"}"#)));
    }

    #[test]
    fn captures_join_the_run_beside_them() {
        let info =
            |rank: u32| format!(r#"{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}}}, "traceEvents": ["#);
        let heads = [
            head("d/r0.json", &info(0)),
            head("d/r1.json", &info(1)),
            head("d/capture_traces/c0.json", &info(0)),
            head("d/capture_traces/c1.json", &info(1)),
            head("d/capture_traces/execution_details.json", "[]"),
            head("e/capture_traces/c0.json", &info(0)),
        ];
        let traces = [0, 1, 2, 3, 5];
        assert_eq!(companions(&heads, &traces, 0), [2, 4]);
        assert_eq!(companions(&heads, &traces, 1), [3, 4]);
    }
}
