//! Which members make a run.

use super::{ID, listed};
use crate::base::MemberHead;
use crate::base::Order as _;
use crate::formats::Claim;
use crate::formats::file_name::file_name;
use crate::formats::json::{Root, root};
use memchr::memmem::find;
use std::collections::BTreeMap;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// `neuron_op_timeline.json`.
    Timeline,
    /// `neuron_op_timeline_split.json`: an intermediate file.
    Split,
    /// `neuron_trace.json`.
    Trace,
    /// `neuron_framework_op.json`.
    Framework,
    /// `neuron_hlo_op.json`.
    Hlo,
    /// `xplane.pb`.
    XPlane,
}

/// Rows that only an operator timeline has, and rows that only a trace has.
const TIMELINE_ROWS: [&[u8]; 5] =
    [b"\"Framework Ops\"", b"\"HLO Ops\"", b"\"Compute Busy\"", b"\"Neuron Runtime Setup\"", b"Process Data Transfer"];
const TRACE_ROWS: [&[u8]; 3] = [b"\"NeuronDevice Execution\"", b"\"IO Data Transfer\"", b"\"CC Synchronization\""];

/// What a member is, by content; its name decides only between kinds of one shape. `None`: not of this format.
pub(super) fn kind(head: &MemberHead) -> Option<Kind> {
    let name = file_name(&head.name);
    if super::xplane::is_xspace(&head.head) {
        return Some(Kind::XPlane);
    }
    let keys = match root(&head.head)? {
        Root::Object { keys, .. } => keys,
        Root::List { keys } => return list_kind(name, &head.head, keys),
    };
    let has = |key: &str, begins: u8| keys.iter().any(|k| k.name == key && (k.begins == begins || begins == 0));
    if has("ops", b'[') && (has("total_time", 0) || name.contains("_op")) {
        return Some(table_kind(name, &head.head));
    }
    if !has("traceEvents", 0) && !has("neuronStartTimestampNs", 0) {
        return None;
    }
    let says = |rows: &[&[u8]]| rows.iter().any(|row| find(&head.head, row).is_some());
    let is_split = name.contains("split");
    match (says(&TRACE_ROWS), says(&TIMELINE_ROWS)) {
        (false, true) if is_split => Some(Kind::Split),
        (false, true) => Some(Kind::Timeline),
        (true, _) => Some(Kind::Trace),
        _ if name.contains("neuron_op_timeline") => Some(if is_split { Kind::Split } else { Kind::Timeline }),
        _ if name.contains("neuron_trace") || has("neuronStartTimestampNs", 0) => Some(Kind::Trace),
        _ => None,
    }
}

/// A list is a table by the names of its columns, or by its own name when its items are no events.
fn list_kind(name: &str, head: &[u8], keys: Vec<String>) -> Option<Kind> {
    let is_named = name.contains("framework_op") || name.contains("hlo_op");
    let is_trace = keys.iter().any(|k| k == "ph");
    let is_table = is_named && !is_trace || listed::is_table(&listed::columns(head, keys));
    is_table.then(|| table_kind(name, head))
}

/// Framework or HLO: by the name, else by how the operators are called.
fn table_kind(name: &str, head: &[u8]) -> Kind {
    let is_framework = find(head, b"aten::").is_some() || find(head, b"aten__").is_some() || find(head, b"xla__").is_some();
    match (name.contains("framework"), name.contains("hlo")) {
        (true, false) => Kind::Framework,
        (false, true) => Kind::Hlo,
        _ if is_framework => Kind::Framework,
        _ => Kind::Hlo,
    }
}

/// One claim for each run, and one for each trace.
pub(super) fn claims(heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
    let mut runs: BTreeMap<String, Vec<Vec<(Kind, usize)>>> = BTreeMap::new();
    for (i, head) in heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true)) {
        let Some(kind) = kind(head) else {
            continue;
        };
        let folder = head.name.rsplit_once('/').map_or("", |f| f.0);
        let key = if kind == Kind::Trace { format!("{folder}\0trace{i}") } else { folder.to_string() };
        let parts = runs.entry(key).or_default();
        // The same kind again, in one directory, is another run.
        match parts.iter_mut().find(|p| p.iter().all(|(k, _)| *k != kind)) {
            Some(part) => part.push((kind, i)),
            None => parts.push(vec![(kind, i)]),
        }
    }
    runs.into_values().flatten().map(claim).collect()
}

fn claim(mut members: Vec<(Kind, usize)>) -> Claim {
    members.order();
    let words = |kind: Kind| match kind {
        Kind::Timeline => "an operator timeline",
        Kind::Split => "an intermediate operator timeline",
        Kind::Trace => "a trace of host and device",
        Kind::Framework => "a table of framework operators",
        Kind::Hlo => "a table of HLO operators",
        Kind::XPlane => "an XSpace",
    };
    let found: Vec<&str> = members.iter().map(|m| words(m.0)).collect();
    Claim {
        format: ID.into(),
        members: members.into_iter().map(|m| m.1).collect(),
        recognised: format!("A run of the TensorBoard Neuron plugin: {}.", found.join(", ")),
    }
}

/// Name of the run a path is in; empty when it has no directory.
pub(super) fn run_name(path: &str) -> &str {
    let Some((folder, _)) = path.rsplit_once('/') else {
        return "";
    };
    folder.rsplit('/').next().unwrap_or(folder)
}
