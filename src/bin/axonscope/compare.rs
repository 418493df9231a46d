//! `axonscope compare`: what differs between two profiles of a kind, as Markdown or JSON on standard output.

use crate::files;
use axonscope::analysis::explain::markdown::{markdown, of_metrics};
use axonscope::analysis::explain::{Explain, ExplainNode, ExplainPart, ExplainQuery, ExplainUnit, MetricChange, NodeValues};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::ExplainPairQuery;
use axonscope::formats::import;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Arguments of `axonscope compare`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The base, then the run: two files or directories, or more files that are two profiles together (NTFF with NEFF), the base first
    #[arg(required = true, num_args = 2..)]
    files: Vec<String>,
    /// Explain the difference of the time: sentences, and exclusive parts by region, opcode and line (or by operator and kernel)
    #[arg(long)]
    explain: bool,
    /// Answer in Markdown (the default)
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Only this range of the base and of the run, in nanoseconds
    #[arg(long, value_name = "START,END", value_parser = range)]
    range: Option<(i64, i64)>,
}

fn range(text: &str) -> Result<(i64, i64), String> {
    let parsed = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    parsed.filter(|(a, b)| a <= b).ok_or_else(|| format!("expected `START,END` in nanoseconds, found `{text}`"))
}

/// Opens both profiles and prints what differs.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let (base, run) = pair(&arguments.files)?;
    let query = ExplainQuery { range: arguments.range.map(|(a, b)| TimeRange { start: TimeNs(a), end: TimeNs(b) }), order: Vec::new() };
    let mut parts = ExplainPairQuery { base: part(&base, &query)?, run: part(&run, &query)? };
    (parts.base.title, parts.run.title) = titles(&base, &run);
    let mut found = run.ask(&parts).map_err(|e| e.to_string())?;
    if !arguments.explain {
        found.units.clear();
    }
    let text = match (arguments.json, arguments.explain) {
        (true, _) => format!("{}\n", value(&found)),
        (false, true) => markdown(&found),
        (false, false) => of_metrics(&found),
    };
    std::io::stdout().lock().write_all(text.as_bytes()).map_err(|e| e.to_string())
}

/// The two profiles. Two arguments are opened apart, so that a file can be compared with itself.
fn pair(paths: &[String]) -> Result<(Session, Session), String> {
    if let [base, run] = paths {
        return Ok((alone(base)?, alone(run)?));
    }
    let mut all = sessions(paths)?;
    // In the order of the arguments: claims are sorted by format.
    all.sort_by_key(|s| {
        paths.iter().position(|p| s.ledger.members.first().is_some_and(|m| p.ends_with(m.rsplit('/').next().unwrap_or(m))))
    });
    let (run, base) = (all.pop(), all.pop());
    match (base, run) {
        (Some(base), Some(run)) if all.is_empty() => Ok((base, run)),
        (base, run) => {
            let n = all.len() + usize::from(base.is_some()) + usize::from(run.is_some());
            Err(format!("Expected files of two profiles, found {n}: list the base first."))
        }
    }
}

fn alone(path: &str) -> Result<Session, String> {
    let mut all = sessions(&[path.to_string()])?;
    match (all.pop(), all.len()) {
        (Some(session), 0) => Ok(session),
        (_, n) => Err(format!("Expected one profile in `{path}`, found {}: name its files.", n + 1)),
    }
}

fn sessions(paths: &[String]) -> Result<Vec<Session>, String> {
    let input = files::input(paths)?;
    let mut out = Vec::new();
    for (claim, outcome) in import::import(&input).map_err(|e| e.to_string())? {
        let (imported, readable) = outcome.map_err(|e| e.to_string())?;
        out.push(Session::new(claim, readable, imported));
    }
    Ok(out)
}

fn part(session: &Session, query: &ExplainQuery) -> Result<ExplainPart, String> {
    session.ask(query).map_err(|_| format!("Expected a Neuron device profile or a PyTorch trace, found `{}`.", session.claim.format))
}

/// Titles of both; the files, where profiles have the same title.
fn titles(base: &Session, run: &Session) -> (String, String) {
    let title = |s: &Session| s.profile.meta.title.clone();
    let file = |s: &Session| s.ledger.members.first().map_or_else(|| title(s), Clone::clone);
    match title(base) == title(run) {
        true => (file(base), file(run)),
        false => (title(base), title(run)),
    }
}

/// The answer with children inside their parents.
fn value(found: &Explain) -> Value {
    json!({
        "base": found.base,
        "run": found.run,
        "kind": found.kind,
        "units": found.units.iter().map(unit).collect::<Vec<Value>>(),
        "metrics": found.metrics.iter().map(metric).collect::<Vec<Value>>(),
        "n_equal_metrics": found.n_equal,
        "notes": found.notes,
    })
}

fn unit(unit: &ExplainUnit) -> Value {
    let mut values: Vec<Value> = unit.nodes.iter().map(node).collect();
    // Children come after their parents: from the end, every node is complete when it is moved into its parent.
    for at in (1..values.len()).rev() {
        let child = values.pop().unwrap_or_default();
        let parent = unit.nodes[at].parent.unwrap_or(0) as usize;
        if let Some(Value::Array(children)) = values.get_mut(parent).and_then(|v| v.get_mut("children")) {
            children.insert(0, child);
        }
    }
    json!({
        "name": unit.name,
        "samples": [unit.n_samples.0, unit.n_samples.1],
        "sentences": unit.sentences,
        "total": values.pop().unwrap_or_default(),
    })
}

fn node(node: &ExplainNode) -> Value {
    let side = |v: &Option<NodeValues>| v.map(|v| json!({ "ns": v.time, "count": v.count, "bytes": v.bytes }));
    let mut out = Map::new();
    out.insert("name".into(), json!(node.name));
    out.insert("base".into(), json!(side(&node.base)));
    out.insert("run".into(), json!(side(&node.run)));
    out.insert("delta_ns".into(), json!(node.delta));
    if let Some(spread) = node.spread_ns {
        out.insert("spread_ns".into(), json!(spread));
        out.insert("is_within_spread".into(), json!(node.is_noise()));
    }
    if let Some(state) = node.state() {
        out.insert("state".into(), json!(state));
    }
    out.insert("children".into(), json!([]));
    Value::Object(out)
}

fn metric(change: &MetricChange) -> Value {
    json!({ "name": change.name, "base": change.base, "run": change.run, "ratio": change.ratio, "is_better": change.is_better })
}
