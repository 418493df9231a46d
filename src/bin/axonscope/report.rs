//! `axonscope report`: what the engine answers about files, as JSON on standard output.
//!
//! A directory stands for all files in it. Each profile has its place: run, worker, span.

mod bounds;
mod device;
mod memory;
mod neuron;
mod timing;
mod torch;
mod torch_views;

use crate::files;
use axonscope::analysis::device::{LayersQuery, ProgramQuery};
use axonscope::analysis::operators::OperatorsQuery;
use axonscope::base::place;
use axonscope::base::{InstantId, Origin, Place, SliceId, TimeNs, TimeRange, TrackId};
use axonscope::engine::query::{DeviceAnswer, DeviceQuery, FlowsQuery, ScanQuery, SearchQuery, Term, Within};
use axonscope::engine::{Answer, Query, Session};
use axonscope::formats::import;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};

/// Queries and their arguments, as `--help` shows them.
pub const QUERIES: &str = "\
Queries of any profile (arguments in brackets):
  import               records read, and the ledger (the default)
  operators            time by name [group_by, group=name|shape, start_ns, end_ns, track]
  search               hits [text, field, regex=1, limit, category, field.NAME=TEXT, tables=1, records=1, key]
  flows                arrows in a window [start_ns, end_ns, limit]
  annotations          metrics between two times [start_ns, end_ns]
  details              one slice or instant [slice | instant | track, start_ns, name]
  slices               one JSON object for each slice
  tables               raw tables of the file [id, csv=1]

Queries of PyTorch traces:
  overview, kernels [group=name|properties, device], efficiency [module], steps [pattern], trace, memory, modules, distributed, diff

Queries of Neuron device profiles:
  bounds               what each core could reach, and where its time went [start_ns, end_ns, order=dma,tensor,…];
                       what made one gap [gap, core]
  regions              phases of one core, and where the time of each went [by=file|directory|line|layer|operator|hlo|opcode|name,
                       pattern, core, order, start_ns, end_ns]
  program              words of the image of one engine, with executions and times [engine=0…, slice]
  summary, layers, roofline [group_by, depth, start_ns, end_ns], gaps, critical-path, advice, source, bands,
  agreement            instructions of a trace compared with the profiler's output of the same run (two files),
  instructions (one JSON object for each, keys as in neuron-profile's JSON),
  memory-map           values in on-chip memory by address and time [core=0…, memory=sbuf|psum],
  dma-rows [group_by=queue|engine, detail=packets|rings|merged], tensors, compare [base]

Queries of other Neuron files:
  system, serving (executions by model and bucket, bursts of traffic, gaps) [burst=1, start_ns, end_ns],
  support, operator-framework, operator-hlo, operator-timeline, support_diff, operator-framework_diff, operator-hlo_diff";

/// Arguments of `axonscope report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Query to run (listed below)
    #[arg(long, default_value = "import")]
    query: String,
    /// An argument of the query
    #[arg(long = "arg", value_name = "KEY=VALUE", value_parser = key_and_value)]
    args: Vec<(String, String)>,
    /// Print the time of each phase of the import to standard error
    #[arg(long)]
    timing: bool,
    /// Files and directories
    #[arg(required = true)]
    files: Vec<String>,
}

fn key_and_value(pair: &str) -> Result<(String, String), String> {
    let (key, value) = pair.split_once('=').ok_or(format!("expected `key=value`, found `{pair}`"))?;
    Ok((key.into(), value.into()))
}

impl Arguments {
    fn get(&self, key: &str) -> Option<&str> {
        self.args.iter().rev().find(|a| a.0 == key).map(|a| a.1.as_str())
    }

    /// Conditions of a search: `field.NAME=text`.
    fn terms(&self) -> Vec<Term> {
        let named = self.args.iter().filter_map(|(key, text)| Some((key.strip_prefix("field.")?, text)));
        named.map(|(field, text)| Term { field: field.into(), text: text.clone() }).collect()
    }

    fn number(&self, key: &str) -> Result<Option<i64>, String> {
        let parse = |text: &str| text.parse().map_err(|_| format!("Expected a whole number for `{key}`, found `{text}`."));
        self.get(key).map(parse).transpose()
    }
}

/// Opens the files and prints the answer.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let input = files::input(&arguments.files)?;
    if arguments.timing {
        timing::listen();
    }
    let mut sessions = Vec::new();
    for (claim, outcome) in import::import(&input).map_err(|e| e.to_string())? {
        let (imported, readable) = outcome.map_err(|e| e.to_string())?;
        sessions.push(Session::new(claim, readable, imported));
    }
    if arguments.timing {
        timing::print();
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.query == "slices" {
        return sessions.iter().enumerate().try_for_each(|(i, session)| slices(&mut out, i, session)).map_err(|e| e.to_string());
    }
    if arguments.query == "instructions" {
        return sessions.iter().try_for_each(|session| instructions(&mut out, session));
    }
    let mut answers = Vec::new();
    if let Some(compared) = device::agreement(&arguments.query, &sessions) {
        answers.push(compared?);
    } else if let Some(compared) = neuron::compared(&arguments.query, &sessions) {
        answers.push(compared?);
    } else if let Some(all) = memory::answers(&sessions, arguments) {
        answers = all?;
    } else if let Some(all) = torch_views::answers(&sessions, arguments) {
        answers = all?;
    } else {
        for session in &sessions {
            answers.push(answer(session, arguments)?);
        }
    }
    let origin = |s: &Session| Origin { drop: 0, path: s.ledger.members.first().cloned().unwrap_or_default(), rank: s.rank() };
    let places = place::places(&sessions.iter().map(origin).collect::<Vec<Origin>>());
    let profile =
        |(s, place): (&Session, &Place)| json!({ "format": s.claim.format, "meta": s.profile.meta, "ledger": s.ledger, "place": place });
    let profiles: Vec<Value> = sessions.iter().zip(&places).map(profile).collect();
    let answer = if answers.len() == 1 { answers.remove(0) } else { Value::Array(answers) };
    writeln!(out, "{}", json!({ "profiles": profiles, "answer": answer })).map_err(|e| e.to_string())
}

fn answer(session: &Session, arguments: &Arguments) -> Result<Value, String> {
    let query = query(session, arguments)?;
    let value = match session.run(&query) {
        Answer::Import(a) => serde_json::to_value(a),
        Answer::Operators(a) => {
            let mut value = serde_json::to_value(a).map_err(|e| e.to_string())?;
            torch::add_operators(session, arguments, range(session, arguments)?, &mut value);
            Ok(value)
        }
        Answer::Details(a) => serde_json::to_value(a),
        Answer::Search(a) => return search(session, arguments, &query, serde_json::to_value(a).map_err(|e| e.to_string())?),
        Answer::Span(a) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::Summary(a)) => {
            let mut value = serde_json::to_value(a).map_err(|e| e.to_string())?;
            let range = range(session, arguments)?;
            if let Answer::Device(DeviceAnswer::Charts(charts)) = session.run(&Query::Device(DeviceQuery::Charts(range))) {
                value["charts"] = serde_json::to_value(charts).map_err(|e| e.to_string())?;
            }
            Ok(value)
        }
        Answer::Device(DeviceAnswer::Bounds(a)) => return Ok(bounds::value(&a)),
        Answer::Device(DeviceAnswer::Regions(a)) => return Ok(bounds::regions_value(&a)),
        Answer::Device(DeviceAnswer::BoundsEvidence(a)) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::Layers(a)) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::Roofline(a)) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::Gaps(a)) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::CriticalPath(a)) => serde_json::to_value(a),
        Answer::Device(DeviceAnswer::Advice(a)) => serde_json::to_value(a),
        Answer::Neuron(a) => return neuron::value(&a),
        Answer::Torch(a) => return torch::value(&a),
        Answer::Refused(sentence) => return Err(sentence),
        other => serde_json::to_value(other),
    };
    value.map_err(|e| e.to_string())
}

/// The hits of a search, with those in the records where they are asked for, and all of them summed up.
fn search(session: &Session, arguments: &Arguments, query: &Query, mut hits: Value) -> Result<Value, String> {
    let Query::Search(query) = query else { return Ok(hits) };
    let mut more = Vec::new();
    if matches!(arguments.get("records"), Some("1" | "true")) {
        let key = arguments.get("key").unwrap_or_default().to_string();
        let (category, terms) = (query.category.clone(), query.terms.clone());
        let mut next = Some(ScanQuery { text: query.text.clone(), is_regex: query.is_regex, key, category, terms, ..ScanQuery::default() });
        let (mut n_seen, mut n_unreadable) = (0, 0);
        while let Some(question) = next {
            match session.run(&Query::Scan(question.clone())) {
                Answer::Scan(part) => {
                    (n_seen, n_unreadable) = (n_seen + part.n_seen, n_unreadable + part.n_unreadable);
                    more.extend(part.slices);
                    next = part.next.map(|cursor| ScanQuery { cursor, ..question });
                }
                Answer::Refused(sentence) => return Err(sentence),
                _ => next = None,
            }
        }
        hits["records"] = json!({ "n_seen": n_seen, "n_unreadable": n_unreadable, "slices": more });
    }
    if matches!(arguments.get("tables"), Some("1" | "true")) {
        let within = Within { range: range(session, arguments)?, tracks: Vec::new() };
        if let Answer::HitTables(tables) = session.run(&Query::HitTables(query.clone(), more.clone(), within)) {
            hits["tables"] = serde_json::to_value(tables).map_err(|e| e.to_string())?;
        }
    }
    if let Answer::HitSummary(summary) = session.run(&Query::HitSummary(query.clone(), more)) {
        hits["summary"] = serde_json::to_value(summary).map_err(|e| e.to_string())?;
    }
    Ok(hits)
}

fn query(session: &Session, arguments: &Arguments) -> Result<Query, String> {
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let range = range(session, arguments)?;
    // `trace` is a question of both.
    if let ("tensorboard_neuron", Some(query)) = (session.claim.format.as_str(), neuron::query(&arguments.query, range, None)) {
        return Ok(query);
    }
    if let Some(query) = torch::query(arguments, range)? {
        return Ok(query);
    }
    if let Some(query) = device::query(arguments, range.unwrap_or(session.profile.meta.range))? {
        return Ok(query);
    }
    match arguments.query.as_str() {
        "import" => Ok(Query::Import),
        "operators" => {
            let track = arguments.get("track").map(|path| track(session, path)).transpose()?;
            Ok(Query::Operators(OperatorsQuery { group_by: text("group_by"), range, tracks: track.into_iter().collect() }))
        }
        "flows" => {
            let window = range.unwrap_or(session.profile.meta.range);
            let limit = arguments.number("limit")?.unwrap_or(1000).clamp(0, i64::from(u32::MAX)) as u32;
            Ok(Query::Flows(FlowsQuery { window, without: Vec::new(), limit }))
        }
        "search" => {
            let limit = arguments.number("limit")?.unwrap_or(1000).clamp(0, i64::from(u32::MAX)) as u32;
            let is_regex = matches!(arguments.get("regex"), Some("1" | "true"));
            Ok(Query::Search(SearchQuery { text: text("text"), is_regex, field: text("field"), limit, category: text("category"), terms: arguments.terms() }))
        }
        "annotations" => {
            let whole = session.profile.meta.range;
            let (start, end) = (arguments.number("start_ns")?, arguments.number("end_ns")?);
            Ok(Query::Span(TimeRange::new(start.map_or(whole.start, TimeNs), end.map_or(whole.end, TimeNs))))
        }
        "details" => details(arguments, session),
        "summary" => Ok(Query::Device(DeviceQuery::Summary(range))),
        "layers" => Ok(Query::Device(DeviceQuery::Layers(layers(arguments, range)?))),
        "roofline" => Ok(Query::Device(DeviceQuery::Roofline(layers(arguments, range)?, Vec::new()))),
        "bounds" => Ok(Query::Device(bounds::query(arguments, range)?)),
        "regions" => Ok(Query::Device(bounds::regions_query(arguments, range)?)),
        "gaps" => Ok(Query::Device(DeviceQuery::Gaps(range))),
        "critical-path" => Ok(Query::Device(DeviceQuery::CriticalPath)),
        "advice" => Ok(Query::Device(DeviceQuery::Advice)),
        "program" => {
            let number = |key: &str| Ok::<_, String>(arguments.number(key)?.map(|n| n.clamp(0, i64::from(u32::MAX)) as u32));
            Ok(Query::Device(DeviceQuery::Program(ProgramQuery { engine: number("engine")?, slice: number("slice")?.map(SliceId) })))
        }
        "source" => Ok(Query::Device(DeviceQuery::Source(range))),
        "bands" => Ok(Query::Device(DeviceQuery::Bands)),
        other => neuron::query(other, range, burst(arguments)?).ok_or_else(|| {
            format!(
                "Expected one of the queries import, operators, overview, kernels, trace, search, annotations, details, slices, instructions, summary, bounds, regions, layers, program, source, bands, roofline, {}, {}, {}, {}; found `{other}`.",
                device::NAMES,
                memory::NAMES,
                neuron::NAMES,
                torch_views::NAMES
            )
        }),
    }
}

/// Grouping and depth of the args `group_by` and `depth`.
/// A slice or an instant: by number, or as a link names it.
fn details(arguments: &Arguments, session: &Session) -> Result<Query, String> {
    let id = |n: i64| u32::try_from(n).map_err(|e| e.to_string());
    if let Some(slice) = arguments.number("slice")? {
        return Ok(Query::Details(SliceId(id(slice)?).into()));
    }
    if let Some(instant) = arguments.number("instant")? {
        return Ok(Query::Details(InstantId(id(instant)?).into()));
    }
    let start = arguments.number("start_ns")?.ok_or("Expected `slice`, `instant`, or `track`, `start_ns` and `name`.")?;
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let (track, start, name) = (text("track"), TimeNs(start), text("name"));
    let both = [Query::Find(track.clone(), start, name.clone()), Query::FindInstant(track, start, name)];
    let found = both.iter().find_map(|query| match session.run(query) {
        Answer::Find(found) => found,
        _ => None,
    });
    found.map(Query::Details).ok_or_else(|| "This profile has no such slice or instant.".into())
}

fn layers(arguments: &Arguments, range: Option<TimeRange>) -> Result<LayersQuery, String> {
    let depth = arguments.number("depth")?.unwrap_or(0).clamp(0, 64) as u32;
    Ok(LayersQuery { by: arguments.get("group_by").unwrap_or_default().into(), depth, range })
}

/// The range of the args `start_ns` and `end_ns`, or `start` and `end`; `None` without both.
fn range(session: &Session, arguments: &Arguments) -> Result<Option<TimeRange>, String> {
    let number = |key: &str, short: &str| Ok::<_, String>(arguments.number(key)?.or(arguments.number(short)?));
    let (start, end) = (number("start_ns", "start")?, number("end_ns", "end")?);
    let whole = session.profile.meta.range;
    Ok((start.is_some() || end.is_some()).then(|| TimeRange::new(start.map_or(whole.start, TimeNs), end.map_or(whole.end, TimeNs))))
}

/// The burst of traffic of the arg `burst`, counted from 1.
fn burst(arguments: &Arguments) -> Result<Option<u32>, String> {
    let Some(number) = arguments.number("burst")? else { return Ok(None) };
    let from_zero = number.checked_sub(1).and_then(|n| u32::try_from(n).ok());
    from_zero.map(Some).ok_or_else(|| format!("Expected a burst from 1 on, found `{number}`."))
}

fn track(session: &Session, path: &str) -> Result<TrackId, String> {
    let mut tracks = (0..session.profile.tracks.len() as u32).map(TrackId);
    tracks.find(|&t| session.profile.track_path(t) == path).ok_or_else(|| format!("This profile has no track `{path}`."))
}

/// One line per instruction, in the order of the file.
fn instructions(out: &mut impl Write, session: &Session) -> Result<(), String> {
    let mut next = Some(0);
    while let Some(from) = next {
        let (rows, after) = session.instruction_rows(from)?;
        for row in rows {
            let line = serde_json::to_string(&row).map_err(|e| e.to_string())?;
            writeln!(out, "{line}").map_err(|e| e.to_string())?;
        }
        next = after;
    }
    Ok(())
}

/// One line per slice, lane by lane.
fn slices(out: &mut impl Write, at: usize, session: &Session) -> std::io::Result<()> {
    let profile = &session.profile;
    let paths: Vec<String> = (0..profile.tracks.len() as u32).map(|t| profile.track_path(TrackId(t))).collect();
    for lane in &profile.lanes {
        for i in lane.first..lane.end {
            let line = json!({
                "profile": at,
                "track": paths[lane.track.index()],
                "name": profile.name_of(SliceId(i)),
                "start_ns": profile.slices.start[i as usize],
                "duration_ns": profile.slices.duration[i as usize],
                "depth": lane.depth,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
