//! PyTorch profiler traces (Chrome trace events written by Kineto), and plain Chrome traces. See `docs/formats/kineto.md`.

mod args;
mod class;
mod content;
mod counters;
mod deferred;
pub(in crate::formats) mod event;
mod facts;
mod finish;
mod flows;
mod graphs;
mod importer;
mod lanes;
mod others;
mod pieces;
mod record;
mod sink;
mod spans;
mod table_rows;
mod tables;
mod thread_roles;
mod torch;

use super::file_name::file_name;
use super::json::{Key, Root, root};
use super::{Claim, Field, Format, FormatInfo, ImportError, Recognise, Streamed};
use crate::base::Order as _;
use crate::base::{EventId, InputSet, MemberHead};
use crate::model::Profile;

/// The format's id.
pub const ID: &str = "kineto";

/// Root keys that Kineto and its users write before the events.
const KNOWN_KEYS: [&str; 10] = [
    "schemaVersion",
    "deviceProperties",
    "distributedInfo",
    "trace_id",
    "metadata",
    "displayTimeUnit",
    "baseTimeNanoseconds",
    "traceName",
    "record_shapes",
    "with_stack",
];

/// PyTorch profiler traces.
pub struct Kineto;

impl Recognise for Kineto {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "PyTorch profiler trace".into(),
            files: ".json, .json.gz".into(),
            shows: "Threads, operators, kernels, streams, memory events and counters of a PyTorch run; also any Chrome trace.".into(),
            capture: "with torch.profiler.profile(record_shapes=True, with_stack=True) as prof:\n    step()\nprof.export_chrome_trace(\"trace.json.gz\")"
                .into(),
            caveats: "Profile a few steps after a warm-up; with_stack makes the trace several times larger.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        let traces: Vec<(usize, String)> = free.filter_map(|(i, head)| Some((i, recognise(head)?))).collect();
        let places: Vec<usize> = traces.iter().map(|t| t.0).collect();
        let (captures, runs): (Vec<_>, Vec<_>) = traces.into_iter().partition(|t| graphs::claim::is_capture(&heads[t.0]));
        let mut joined: Vec<usize> = Vec::new();
        let mut out = Vec::new();
        for (main, mut recognised) in runs {
            let mut members = vec![main];
            let companions = graphs::claim::companions(heads, &places, main);
            // Another format may have claimed the other files.
            members.extend(companions.into_iter().filter(|m| taken.get(*m) != Some(&true)));
            if members.len() > 1 {
                recognised.push_str(" With traces of the capture of its graphs.");
            }
            joined.extend_from_slice(&members[1..]);
            out.push(Claim { format: ID.into(), members, recognised });
        }
        let alone = captures.into_iter().filter(|(i, _)| !joined.contains(i));
        out.extend(alone.map(|(i, recognised)| Claim {
            format: ID.into(),
            members: vec![i],
            recognised: format!("{recognised} {}", graphs::claim::ALONE),
        }));
        out.order_by_key(|claim| claim.members.first().copied());
        out
    }
}

impl Format for Kineto {
    fn streamed(&self, _claim: &Claim, path: &str) -> Option<Box<dyn Streamed>> {
        Some(Box::new(importer::Importer::new(file_name(path))))
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        record::fields(input, profile, item)
    }
}

/// Whether a claim is of a trace of graph captures without the trace of its run.
pub(crate) fn is_capture(claim: &Claim) -> bool {
    claim.format == ID && claim.recognised.ends_with(graphs::claim::ALONE)
}

/// The path that puts a file of captures beside the run at `run`: `run/capture_traces/c.json` from `c.json`.
pub(crate) fn capture_path(run: &str, file: &str) -> String {
    let directory = run.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("{directory}/"));
    format!("{directory}{}/{}", graphs::claim::DIRECTORIES[0], file_name(file))
}

/// How a member was recognised; `None` when it is something else.
fn recognise(head: &MemberHead) -> Option<String> {
    match root(&head.head)? {
        Root::Object { keys, is_whole } => recognise_object(&keys, is_whole, head),
        Root::List { keys } if keys.iter().any(|k| k == "ph") => Some("A JSON list of objects with `ph`: trace events.".into()),
        Root::List { .. } => None,
    }
}

fn recognise_object(keys: &[Key], is_whole: bool, head: &MemberHead) -> Option<String> {
    if keys.iter().any(|k| k.name == "traceEvents") {
        return Some("A JSON object with the key `traceEvents`: trace events.".into());
    }
    let known = keys.iter().find(|k| KNOWN_KEYS.contains(&k.name.as_str()));
    let goes_on = !is_whole && (head.is_gzip || head.len > head.head.len() as u64);
    known
        .filter(|_| goes_on)
        .map(|k| format!("A JSON object with the PyTorch key `{}`; `traceEvents` is expected later in the file.", k.name))
}
