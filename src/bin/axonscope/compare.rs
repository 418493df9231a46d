//! `axonscope compare`: what differs between two profiles of a kind, and what got slower than allowed, as text, Markdown or JSON.

mod times;

use crate::error::Fallible;
use crate::files;
use axonscope::analysis::explain::markdown::{markdown, of_metrics};
use axonscope::analysis::explain::slower::{SlowerBy, SlowerRow, Verdict, slower};
use axonscope::analysis::explain::{Explain, ExplainKind, ExplainNode, ExplainPart, ExplainQuery, ExplainUnit, MetricChange, NodeValues};
use axonscope::base::{TimeNs, TimeRange, text};
use axonscope::engine::Session;
use axonscope::engine::query::{ExplainPairQuery, OverviewQuery};
use axonscope::formats::import;
use serde_json::{Map, Value, json};
use std::io::Write;
use times::Times;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope compare base.json.gz run.json.gz                       # step, GPU time, operators
  axonscope compare base.json.gz run.json.gz --by kernel,shape
  axonscope compare base.json.gz run.json.gz --fail-over 5%        # exit code 3 when slower: for CI
  axonscope compare base.ntff base.neff run.ntff run.neff --explain

A time is slower than allowed when it grew by more than --fail-over, by more than the spread over steps (the root of the sum of both variances;
not with one step), and by at least 0.1% of the step. Names that only one profile has do not fail: their time is part of the totals.
Checked are the mean step, the total GPU time and the listed names; of a Neuron profile the total, the busy time of each engine and the listed names.
Times are exclusive and sum to the step: an operator has the time in which no category of higher priority runs.

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 slower than allowed.";

/// What `--by` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Operators; of a Neuron profile opcodes
    Operator,
    /// Kernels; of a Neuron profile regions
    Kernel,
    /// Operators with shapes; of a Neuron profile opcodes with source line or shape
    Shape,
    /// Steps one by one, not checked
    Step,
}

/// Arguments of `axonscope compare`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The base, then the run: two files or directories, or more files that are two profiles together (NTFF with NEFF), the base first
    #[arg(required = true, num_args = 2..)]
    files: Vec<String>,
    /// Explain the difference of the time: sentences, and exclusive parts by region, opcode and line (or by operator and kernel)
    #[arg(long)]
    explain: bool,
    /// Lists beside the totals, separated by commas; without it operators of PyTorch traces
    #[arg(long, value_enum, value_delimiter = ',')]
    by: Vec<By>,
    /// End with exit code 3 when a time grew by more than this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_over: Option<f64>,
    /// Answer in Markdown (the default with --explain)
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Only this range of the base and of the run, in nanoseconds
    #[arg(long, value_name = "START,END", value_parser = range)]
    range: Option<(i64, i64)>,
}

fn range(text: &str) -> Fallible<(i64, i64)> {
    let parsed = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    parsed.filter(|(a, b)| a <= b).ok_or_else(|| format!("expected `START,END` in nanoseconds, found `{text}`").into())
}

/// `5%` or `5` as 0.05.
fn percent(text: &str) -> Fallible<f64> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number
        .filter(|n| n.is_finite() && *n >= 0.0)
        .map(|n| n / 100.0)
        .ok_or_else(|| format!("expected a percentage such as `5%`, found `{text}`").into())
}

/// Exit code where something is slower than allowed.
const TOO_SLOW: u8 = 3;

/// Opens both profiles and prints what differs.
pub fn run(arguments: &Arguments) -> Fallible<u8> {
    let (base, run) = pair(&arguments.files)?;
    let query = ExplainQuery { range: arguments.range.map(|(a, b)| TimeRange { start: TimeNs(a), end: TimeNs(b) }), order: Vec::new() };
    let mut parts = ExplainPairQuery { base: part(&base, &query)?, run: part(&run, &query)? };
    (parts.base.title, parts.run.title) = titles(&base, &run);
    let mut found = run.ask(&parts)?;
    let times = times(arguments, &parts, &found, &base, &run);
    if arguments.fail_over.is_some() && times.rows.is_empty() {
        let why = found.notes.first().map_or("Neither has a step or a core.", String::as_str);
        return Err(format!("The profiles have no times that can be compared. {why}").into());
    }
    if !arguments.explain {
        found.units.clear();
    }
    let is_explanation_alone = arguments.explain && arguments.by.is_empty() && arguments.fail_over.is_none();
    let (table, n_more) = times.table();
    let rest = if n_more > 0 { format!("\n{n_more} more rows are in --json.\n") } else { String::new() };
    let verdict = times.sentence().map(|s| format!("{s}\n")).unwrap_or_default();
    let text = if arguments.json {
        let mut value = value(&found);
        value["times"] = times.value();
        value["fail_over"] = json!(arguments.fail_over);
        format!("{value}\n")
    } else if is_explanation_alone {
        markdown(&found)
    } else if arguments.markdown || arguments.explain {
        let explained = if arguments.explain { markdown(&found) } else { of_metrics(&found) };
        let first = if verdict.is_empty() { String::new() } else { format!("**{}**\n\n", verdict.trim_end()) };
        let times = if times.rows.is_empty() { String::new() } else { format!("\n## Times\n\n{first}{}{rest}", table.markdown()) };
        format!("{explained}{times}")
    } else {
        let metrics = match found.metrics.len() as u64 {
            0 => String::new(),
            n => format!("\nMetrics of the summary that differ: {}; --markdown and --json print them.\n", text::count(n)),
        };
        let notes: String = found.notes.iter().map(|note| format!("\n{note}\n")).collect();
        let times = if times.rows.is_empty() { String::new() } else { format!("{}{rest}", table.aligned()) };
        let heading = format!("{} → {}\n\n", found.base, found.run);
        format!("{heading}{times}{metrics}{notes}{}{verdict}", if verdict.is_empty() { "" } else { "\n" })
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if times.too_slow().next().is_some() { TOO_SLOW } else { 0 })
}

/// Totals and lists of both.
fn times(arguments: &Arguments, parts: &ExplainPairQuery, found: &Explain, base: &Session, run: &Session) -> Times {
    let mut by: Vec<SlowerBy> = Vec::new();
    for wanted in &arguments.by {
        match wanted {
            By::Operator => by.push(SlowerBy::Operator),
            By::Kernel => by.push(SlowerBy::Kernel),
            By::Shape => by.push(SlowerBy::Shape),
            By::Step => (),
        }
    }
    if arguments.by.is_empty() && found.kind == ExplainKind::Steps {
        by.push(SlowerBy::Operator);
    }
    let mut rows = slower(&parts.base, &parts.run, found, &by, arguments.fail_over.unwrap_or(0.0));
    if arguments.by.contains(&By::Step) {
        rows.extend(steps(arguments, base, run));
    }
    Times { rows, limit: arguments.fail_over }
}

/// Steps in their order: two of one place have their times in one row.
fn steps(arguments: &Arguments, base: &Session, run: &Session) -> Vec<SlowerRow> {
    let range = arguments.range.map(|(a, b)| TimeRange { start: TimeNs(a), end: TimeNs(b) });
    let of = |session: &Session| session.ask(&OverviewQuery { range }).map(|found| found.steps).unwrap_or_default();
    let (a, b) = (of(base), of(run));
    let row = |at: usize| {
        let (base, run) = (a.get(at), b.get(at));
        let name = match (base.map(|s| &s.name), run.map(|s| &s.name)) {
            (Some(a), Some(b)) if a != b => format!("{a} → {b}"),
            (a, b) => a.or(b).cloned().unwrap_or_default(),
        };
        let verdict = match (base, run) {
            (None, _) => Verdict::New,
            (_, None) => Verdict::Gone,
            _ => Verdict::Within,
        };
        let (base, run) = (base.map(|s| s.total.0), run.map(|s| s.total.0));
        SlowerRow { group: "Step".into(), name, base, run, spread_ns: None, verdict }
    };
    (0..a.len().max(b.len())).map(row).collect()
}

/// The two profiles. Two arguments are opened apart, so that a file can be compared with itself.
fn pair(paths: &[String]) -> Fallible<(Session, Session)> {
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
            Err(format!("Expected files of two profiles, found {n}: list the base first.").into())
        }
    }
}

fn alone(path: &str) -> Fallible<Session> {
    let mut all = sessions(&[path.to_string()])?;
    match (all.pop(), all.len()) {
        (Some(session), 0) => Ok(session),
        (_, n) => Err(format!("Expected one profile in `{path}`, found {}: name its files.", n + 1).into()),
    }
}

fn sessions(paths: &[String]) -> Fallible<Vec<Session>> {
    let input = files::input(paths)?;
    let mut out = Vec::new();
    for (claim, outcome) in import::import(&input)? {
        let (imported, readable) = outcome?;
        out.push(Session::new(claim, readable, imported));
    }
    Ok(out)
}

fn part(session: &Session, query: &ExplainQuery) -> Fallible<ExplainPart> {
    session
        .ask(query)
        .map_err(|_| format!("Expected a Neuron device or system profile, or a PyTorch trace, found `{}`.", session.claim.format).into())
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
