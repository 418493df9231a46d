//! Queries of the report over memory, modules, and over several PyTorch traces.

use super::{Arguments, ask, in_region};
use crate::error::{Error, Fallible};
use axonscope::analysis::torch::diff::{DiffQuery, FlatBy, FlatDiffQuery};
use axonscope::analysis::torch::distributed::DistributedPartQuery;
use axonscope::analysis::torch::memory::{MemoryEventsQuery, MemoryQuery};
use axonscope::analysis::torch::modules::TreeQuery;
use axonscope::analysis::torch::plugin_views as plugin;
use axonscope::base::trace_identity::{Origin, places};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{DiffPartQuery, DistributedQuery, ModulesQuery};
use axonscope::model::Domain;
use serde_json::Value;

/// Names of these queries.
pub const NAMES: &str = "memory, modules, distributed, diff";

/// The answer to a query over all sessions, if it is one of these. `memory` and `modules` answer one by one.
pub fn answers(sessions: &[Session], arguments: &Arguments) -> Option<Fallible<Vec<Value>>> {
    match arguments.query.as_str() {
        "memory" => Some(sessions.iter().map(|s| memory(s, arguments)).collect()),
        "modules" => Some(sessions.iter().map(|s| modules(s, arguments)).collect()),
        "distributed" => Some(distributed(sessions, arguments).map(|v| vec![v])),
        "diff" => Some(diff(sessions, arguments).map(|v| vec![v])),
        _ => None,
    }
}

fn range(session: &Session, arguments: &Arguments) -> Fallible<Option<TimeRange>> {
    let (start, end) = (arguments.number("start_ns")?, arguments.number("end_ns")?);
    let whole = session.profile.meta.range;
    let is_asked = start.is_some() || end.is_some();
    in_region(session, arguments, is_asked.then(|| TimeRange::new(start.map_or(whole.start, TimeNs), end.map_or(whole.end, TimeNs))))
}

/// Args `start_ns`, `end_ns`, `device`, `limit` (of single allocations), `min_bytes`.
fn memory(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    let range = range(session, arguments)?;
    let mut memory = ask(session, &MemoryQuery { range })?;
    if let Some(device) = arguments.get("device") {
        let there: Vec<String> = memory.devices.iter().map(|d| d.name.clone()).collect();
        memory.devices.retain(|d| d.name == device);
        memory.default_device = 0;
        if memory.devices.is_empty() {
            return Err(format!("No records of `{device}`; available devices: {}.", there.join(", ")).into());
        }
    }
    let limit = arguments.number("limit")?.unwrap_or(0).clamp(0, i64::from(u32::MAX)) as u32;
    let min_bytes = arguments.number("min_bytes")?.and_then(|n| u64::try_from(n).ok());
    let mut events = Vec::new();
    for device in &memory.devices {
        let query = MemoryEventsQuery { device: device.name.clone(), range, min_bytes, max_bytes: None, limit };
        let answer = ask(session, &query)?;
        events.push((device.name.clone(), answer));
    }
    Ok(plugin::memory(&memory, &events))
}

/// Args `thread`, `below`, `levels` (of the tree; 3 unless given, 0 is all), `limit`, `start_ns`, `end_ns`.
fn modules(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    let modules = ask(session, &ModulesQuery)?;
    let number = |key: &str| Ok::<_, Error>(arguments.number(key)?.and_then(|n| u32::try_from(n).ok()));
    let query = TreeQuery {
        thread: number("thread")?,
        below: number("below")?,
        levels: number("levels")?.unwrap_or(3),
        range: range(session, arguments)?,
        limit: number("limit")?.unwrap_or(0),
    };
    let tree = ask(session, &query)?;
    Ok(plugin::modules(&modules, &tree))
}

/// Where the files belong, by their paths and what they say about ranks.
fn origins(sessions: &[Session], arguments: &Arguments) -> Vec<Origin> {
    let is_one_each = sessions.len() == arguments.files.len();
    let origin = |(i, session): (usize, &Session)| Origin {
        drop: 0,
        path: if is_one_each { arguments.files[i].clone() } else { session.profile.meta.title.clone() },
        rank: match &session.profile.domain {
            Domain::Torch(torch) => torch.rank,
            _ => None,
        },
    };
    sessions.iter().enumerate().map(origin).collect()
}

/// Args `worker`, `span`: only these of the files.
fn distributed(sessions: &[Session], arguments: &Arguments) -> Fallible<Value> {
    let mut parts = Vec::new();
    for (session, place) in sessions.iter().zip(places(&origins(sessions, arguments))) {
        let span = place.span.map_or(String::new(), |s| s.to_string());
        let is_wanted = |key: &str, is: &str| arguments.get(key).is_none_or(|wanted| wanted == is);
        if is_wanted("worker", &place.worker) && is_wanted("span", &span) {
            let query = DistributedPartQuery { worker: place.worker, span };
            let part = ask(session, &query)?;
            parts.push(part);
        }
    }
    let first = sessions.first().filter(|_| !parts.is_empty()).ok_or("No file belongs to this worker and span.")?;
    let merged = ask(first, &DistributedQuery { parts })?;
    Ok(plugin::distributed(&merged))
}

/// Args `base` (name of the file to compare with; the first unless given), `path` (`0-2`), `by` (`operator`, `operator_shape`, `kernel`: a
/// flat diff).
fn diff(sessions: &[Session], arguments: &Arguments) -> Fallible<Value> {
    let [_, _] = sessions else {
        return Err("Expected two traces to compare.".into());
    };
    let at = match arguments.get("base") {
        None => 0,
        Some(name) => {
            let is_it = |file: &String| file == name || file.rsplit('/').next() == Some(name);
            arguments.files.iter().position(is_it).filter(|&at| at < 2).ok_or(format!("No file has the name `{name}`."))?
        }
    };
    let (base, experiment) = (&sessions[at], &sessions[1 - at]);
    let part = ask(base, &DiffPartQuery)?;
    let by = match arguments.get("by") {
        None => {
            let query = DiffQuery { base: part, path: arguments.get("path").unwrap_or_default().into() };
            let diff = ask(experiment, &query)?;
            return Ok(plugin::diff(&diff));
        }
        Some("operator") => FlatBy::Operator,
        Some("operator_shape") => FlatBy::OperatorShape,
        Some("kernel") => FlatBy::Kernel,
        Some(by) => return Err(format!("Expected `operator`, `operator_shape` or `kernel` for `by`, found `{by}`.").into()),
    };
    let diff = ask(experiment, &FlatDiffQuery { base: part, by })?;
    Ok(plugin::flat_diff(&diff))
}
