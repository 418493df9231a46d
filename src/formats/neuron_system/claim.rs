//! Which members make a system profile.

use crate::base::MemberHead;
use crate::formats::file_name::file_name;
use crate::formats::json::{Root, root};
use crate::formats::system_events::ID;
use crate::formats::{Claim, neuron_parquet};
use std::collections::BTreeMap;

/// More traces beside a profile than these are not read with it.
const TRACES_MAX: usize = 12;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `system_profile.json`, or events of the runtime.
    Json,
    /// A trace of the framework.
    Framework,
    /// A table of Neuron Explorer.
    Parquet,
}

/// How a single member was recognised as a system profile.
fn recognise(head: &MemberHead) -> Option<&'static str> {
    let Root::Object { keys, .. } = root(&head.head)? else {
        return None;
    };
    let has = |key: &str, begins: &[u8]| keys.iter().any(|k| k.name == key && begins.contains(&k.begins));
    let says = |text: &[u8]| memchr::memmem::find(&head.head, text).is_some();
    let n_of = |names: &[&str]| names.iter().filter(|name| has(name, b"[{")).count();
    if has("trace_events", b"[{") || (has("mem_usage", b"[") && has("cpu_util", b"[")) {
        return Some("A JSON object with the sections of a Neuron system profile.");
    }
    // A section that only this file has, or two that others might have.
    let is_recent = n_of(&["trace_event", "device_mem_usage", "system_profile_metadata"]) > 0;
    if is_recent || n_of(&["cpu_util", "host_mem_usage", "device_profile_list"]) > 1 {
        return Some("A JSON object with the sections of a Neuron system profile (since mid-2026).");
    }
    let is_runtime = has("events", b"[") && says(b"\"event_type\"") && (says(b"\"tracking_id\"") || says(b"\"nc_idx\""));
    is_runtime.then_some("A JSON object with the list `events` of the Neuron runtime's system trace.")
}

/// Whether a member is a trace of the framework that Neuron's tools write beside a system profile.
fn is_framework(head: &MemberHead) -> bool {
    let name = file_name(&head.name);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let is_named = name == "trace.json" || (name.contains("framework_trace") && name.ends_with(".json"));
    is_named && memchr::memmem::find(&head.head, b"\"traceEvents\"").is_some()
}

/// What a member is; `None`: no part of a system profile.
pub(super) fn kind(head: &MemberHead) -> Option<Kind> {
    if neuron_parquet::is_table(head) {
        return Some(Kind::Parquet);
    }
    if recognise(head).is_some() {
        return Some(Kind::Json);
    }
    is_framework(head).then_some(Kind::Framework)
}

/// One claim for each file, and for each directory of tables; a trace of the framework beside the only one belongs to it.
pub(super) fn claims(heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
    let is_free = |i: usize| taken.get(i) != Some(&true);
    let mut out = Vec::new();
    for (i, head) in heads.iter().enumerate().filter(|(i, _)| is_free(*i)) {
        if let Some(recognised) = recognise(head) {
            out.push(Claim { format: ID.into(), members: vec![i], recognised: recognised.into() });
        }
    }
    let mut directories: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, head) in heads.iter().enumerate().filter(|(i, h)| is_free(*i) && neuron_parquet::is_table(h)) {
        directories.entry(head.name.rsplit_once('/').map_or("", |p| p.0)).or_default().push(i);
    }
    for members in directories.into_values().filter(|m| m.iter().any(|&i| neuron_parquet::is_system_table(&heads[i].name))) {
        let recognised = format!("{} Parquet tables with the names of a Neuron Explorer system profile.", members.len());
        out.push(Claim { format: ID.into(), members, recognised });
    }
    if let [only] = out.as_mut_slice() {
        let traces: Vec<usize> = (0..heads.len()).filter(|&i| is_free(i) && is_framework(&heads[i])).take(TRACES_MAX).collect();
        if !traces.is_empty() {
            only.recognised.push_str(" With the framework trace.");
        }
        // Traces first: only the first few members can be named by a slice's record.
        only.members.splice(1..1, traces);
    }
    out
}
