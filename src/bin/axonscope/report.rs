//! `axonscope report`: what the engine answers about files, as JSON, CSV or a table on standard output.
//!
//! A directory means all files in it. Each profile has an identity: run, worker, span.

mod bounds;
mod device;
mod memory;
mod neuron;
mod rows;
mod snapshot;
mod timing;
mod torch;
mod torch_views;

use crate::error::{Error, Fallible};
use crate::files;
use axonscope::base::trace_identity;
use axonscope::base::{InstantId, Origin, SliceId, TimeNs, TimeRange, TraceIdentity, TrackId};
use axonscope::engine::query::{
    AdviceQuery, BandsQuery, ChartsQuery, CriticalPathQuery, DetailsQuery, FindQuery, FleetQuery, FlowsQuery, GapsQuery, HitSummaryQuery,
    HitTablesQuery, ImportQuery, LayersQuery, OccurrencesQuery, OperatorsQuery, ProgramQuery, RegionWindowsQuery, RooflineQuery, ScanQuery,
    ScopeQuery, SearchQuery, SourceQuery, SpanQuery, SummaryQuery, Term, Within,
};
use axonscope::engine::{Session, Wire};
use axonscope::formats::import;
use serde::Serialize;
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
  overview             steps by category, devices, advice
  kernels              time by kernel [group=name|properties, device]
  efficiency           FLOPs, bytes and rates of operators under the roof of the device [module]
  steps                steps of serving or training [pattern]
  modules              time by module
  memory               memory of each device over time, by operator
  trace                counters of each device over time
  distributed          communication and overlap of each rank
  diff                 operators and kernels of two traces side by side

Queries of memory snapshots:
  snapshot             values of each device
  snapshot-live        what is live in a state, by frame [device=0…, state (default: the peak), group=frame|own|stack]
  snapshot-allocations the largest allocations of a state [device, state, limit]
  snapshot-allocation  one allocation with its stack [device, id]
  snapshot-segments    segments, blocks and fragmentation [device]

Queries of Neuron device profiles:
  bounds               what each core could reach, and where its time went [start_ns, end_ns, order=dma,tensor,…];
                       what made one gap [gap, core]
  regions              phases of one core, and where the time of each went [by=file|directory|function|line|layer|operator|hlo|opcode|
                       name, pattern, core, order, start_ns, end_ns]; of any query with a range: region=NAME [by, pattern, core] takes
                       the windows of a region alone, of a trace those of the slices of that name
  program              words of the image of one engine, with executions and times [engine=0…, slice]
  summary              metrics of the run, with their definitions
  gaps                 idle time of each engine by cause
  critical-path        the longest chain of dependent work [data=1 follows dependencies from data too]
  advice               rules that apply, with their evidence
  layers               time by layer
  roofline             FLOPs and bytes against the peaks [group_by, depth, start_ns, end_ns]
  source               time by source line
  tensors              tensors, with what loads and stores them
  memory-map           values in on-chip memory by address and time [core=0…, memory=sbuf|psum]
  compare              differences of two profiles [base]
  instructions         one JSON object for each, with the keys of neuron-profile's JSON
  agreement            instructions of a trace compared with the profiler's output of the same run (two files)
  dma-rows             DMA transfers in rows [group_by=queue|engine, detail=packets|rings|merged]
  merged-bar           what one bar of merged transfers contains [slice, group_by, detail]
  name-rows            rows of names above the engines [group_by=layer|…]
  view-curves          curves that follow the window [start_ns, end_ns, smooth=1]
  bands                tensors that are loaded again, and many small DMA transfers in a row

Queries of run summaries (axonscope run):
  fleet                findings, ranks, stragglers, collectives, operators, hosts and devices

Queries of other Neuron files:
  system               a system profile: cores, processes, executions
  serving              executions by model and bucket, bursts of traffic, gaps [burst=1, start_ns, end_ns]
  support              operators that the compiler supports, of an `analyze` report
  operator-framework, operator-hlo, operator-timeline
                       tables of a TensorBoard log directory
  support_diff, operator-framework_diff, operator-hlo_diff
                       differences of two such files

Examples:
  axonscope report --query operators --table trace.json.gz
  axonscope report --query overview --csv --rows steps trace.json.gz
  axonscope report --query fleet --table --rows ranks run.axonrun

Exit codes: 0 done, 1 failed (one sentence on standard error), 2 wrong arguments.";

/// Arguments of `axonscope report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Query to run (listed below)
    #[arg(long, default_value = "import")]
    query: String,
    /// An argument of the query
    #[arg(long = "arg", value_name = "KEY=VALUE", value_parser = key_and_value)]
    args: Vec<(String, String)>,
    /// Print the rows of the answer as CSV (RFC 4180), all of them; an answer without rows as keys and values
    #[arg(long, conflicts_with = "table")]
    csv: bool,
    /// Print the rows of the answer as an aligned table
    #[arg(long)]
    table: bool,
    /// Print JSON (the default)
    #[arg(long, conflicts_with_all = ["csv", "table"])]
    json: bool,
    /// List of the answer to print with --csv or --table, where it has several, as `ranks` or `cores.0.by_opcode`
    #[arg(long, value_name = "NAME")]
    rows: Option<String>,
    /// Rows of each table at most; 0 prints all
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print the time of each phase of the import to standard error
    #[arg(long)]
    timing: bool,
    /// Files and directories
    #[arg(required = true)]
    files: Vec<String>,
}

fn key_and_value(pair: &str) -> Fallible<(String, String)> {
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

    fn number(&self, key: &str) -> Fallible<Option<i64>> {
        let parse = |text: &str| text.parse().map_err(|_| format!("Expected a whole number for `{key}`, found `{text}`."));
        Ok(self.get(key).map(parse).transpose()?)
    }
}

/// Opens the files and prints the answer.
pub fn run(arguments: &Arguments) -> Fallible<()> {
    let input = files::input(&arguments.files)?;
    if arguments.timing {
        timing::listen();
    }
    let mut sessions = Vec::new();
    for (claim, outcome) in import::import(&input)? {
        let (imported, readable) = outcome?;
        sessions.push(Session::new(claim, readable, imported));
    }
    if arguments.timing {
        timing::print();
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let form = match (arguments.csv, arguments.table) {
        (true, _) => Some(rows::Form::Csv),
        (_, true) => Some(rows::Form::Table(if arguments.limit == 0 { usize::MAX } else { arguments.limit })),
        _ => None,
    };
    if form.is_some() && ["slices", "instructions"].contains(&arguments.query.as_str()) {
        let name = &arguments.query;
        return Err(format!(
            "`{name}` is printed as lines of JSON. Use `axonscope convert` for tables of all events, or `--query tables --arg csv=instructions` for CSV."
        ).into());
    }
    if arguments.query == "slices" {
        return sessions.iter().enumerate().try_for_each(|(i, session)| slices(&mut out, i, session)).map_err(Into::into);
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
    } else if let Some(all) = snapshot::answers(&sessions, arguments) {
        answers = all?;
    } else if let Some(all) = torch_views::answers(&sessions, arguments) {
        answers = all?;
    } else {
        for session in &sessions {
            answers.push(answer(session, arguments)?);
        }
    }
    if let Some(form) = form {
        let is_one_each = answers.len() == sessions.len();
        let title = |at: usize| sessions.get(at).filter(|_| is_one_each).map(|s| s.profile.meta.title.clone()).unwrap_or_default();
        let titled: Vec<(String, Value)> = answers.into_iter().enumerate().map(|(at, answer)| (title(at), answer)).collect();
        let text = rows::written(&titled, arguments.rows.as_deref(), form)?;
        return out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Into::into);
    }
    let origin = |s: &Session| Origin { drop: 0, path: s.ledger.members.first().cloned().unwrap_or_default(), rank: s.rank() };
    let places = trace_identity::places(&sessions.iter().map(origin).collect::<Vec<Origin>>());
    let profile = |(s, place): (&Session, &TraceIdentity)| json!({ "format": s.claim.format, "meta": s.profile.meta, "ledger": s.ledger, "place": place });
    let profiles: Vec<Value> = sessions.iter().zip(&places).map(profile).collect();
    let answer = if answers.len() == 1 { answers.remove(0) } else { Value::Array(answers) };
    Ok(writeln!(out, "{}", json!({ "profiles": profiles, "answer": answer }))?)
}

/// The answer to a question; where a region is the scope and the question is about its wall span, of its windows alone.
fn ask<Q: Wire>(session: &Session, question: &Q) -> Fallible<Q::Answer> {
    Ok(session.ask_in_scope(question)?)
}

/// The same as JSON.
fn asked<Q: Wire<Answer: Serialize>>(session: &Session, question: &Q) -> Fallible<Value> {
    Ok(serde_json::to_value(ask(session, question)?)?)
}

/// The wall span of the region of the arg `region`, whose windows become the scope; without one the range as it is. A region is one of
/// `--query regions`, or the time in which slices of that name run.
fn in_region(session: &Session, arguments: &Arguments, range: Option<TimeRange>) -> Fallible<Option<TimeRange>> {
    let Some(name) = arguments.get("region") else { return Ok(range) };
    let query = RegionWindowsQuery { regions: bounds::regions_query(arguments, range)?, name: name.into() };
    let windows = ask(session, &query)?;
    let slices = match windows.is_empty() {
        true => ask(session, &OccurrencesQuery { by: "name".into(), value: name.into() })?.0,
        false => Vec::new(),
    };
    let scope = ask(session, &ScopeQuery { windows, slices, within: range.into_iter().collect() })?;
    scope.wall.map(Some).ok_or_else(|| format!("This profile has no region `{name}`: `--query regions` lists those of a device.").into())
}

fn answer(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let range = in_region(session, arguments, range(session, arguments)?)?;
    // `trace` is a question of both.
    if session.claim.format == "tensorboard_neuron"
        && let Some(answer) = neuron::answer(session, &arguments.query, range, None)
    {
        return answer;
    }
    if let Some(answer) = torch::answer(session, arguments, range) {
        return answer;
    }
    let whole = session.profile.meta.range;
    if let Some(answer) = device::answer(session, arguments, range.unwrap_or(whole))? {
        return Ok(answer);
    }
    let number = |key: &str| Ok::<_, Error>(arguments.number(key)?.map(|n| n.clamp(0, i64::from(u32::MAX)) as u32));
    match arguments.query.as_str() {
        "import" => asked(session, &ImportQuery),
        "fleet" => asked(session, &FleetQuery),
        "operators" => {
            let track = arguments.get("track").map(|path| track(session, path)).transpose()?;
            let query = OperatorsQuery { group_by: text("group_by"), range, tracks: track.into_iter().collect() };
            let mut value = asked(session, &query)?;
            torch::add_operators(session, arguments, range, &mut value);
            Ok(value)
        }
        "flows" => {
            let query = FlowsQuery { window: range.unwrap_or(whole), without: Vec::new(), limit: number("limit")?.unwrap_or(1000) };
            Ok(json!({ "Flows": asked(session, &query)? }))
        }
        "search" => search(session, arguments),
        "annotations" => {
            let (start, end) = (arguments.number("start_ns")?, arguments.number("end_ns")?);
            asked(session, &SpanQuery { range: TimeRange::new(start.map_or(whole.start, TimeNs), end.map_or(whole.end, TimeNs)) })
        }
        "details" => asked(session, &details(arguments, session)?),
        "summary" => {
            let mut value = asked(session, &SummaryQuery { range })?;
            value["charts"] = asked(session, &ChartsQuery { range })?;
            Ok(value)
        }
        "layers" => asked(session, &layers(arguments, range)?),
        "roofline" => asked(session, &RooflineQuery { layers: layers(arguments, range)?, regions: Vec::new() }),
        "bounds" => bounds::answer(session, arguments, range),
        "regions" => bounds::regions(session, arguments, range),
        "gaps" => asked(session, &GapsQuery { range }),
        "critical-path" => asked(session, &CriticalPathQuery { is_by_data: matches!(arguments.get("data"), Some("1" | "true")) }),
        "advice" => asked(session, &AdviceQuery),
        "program" => {
            let query = ProgramQuery { engine: number("engine")?, slice: number("slice")?.map(SliceId) };
            Ok(device::named("Program", asked(session, &query)?))
        }
        "source" => Ok(device::named("Source", asked(session, &SourceQuery { range })?)),
        "bands" => Ok(device::named("Bands", asked(session, &BandsQuery)?)),
        other => neuron::answer(session, other, range, burst(arguments)?).unwrap_or_else(|| {
            Err(format!(
                "Expected one of the queries import, fleet, operators, overview, kernels, trace, search, annotations, details, slices, instructions, summary, bounds, regions, layers, program, source, bands, roofline, {}, {}, {}, {}, {}; found `{other}`.",
                device::NAMES,
                memory::NAMES,
                snapshot::NAMES,
                neuron::NAMES,
                torch_views::NAMES
            ).into())
        }),
    }
}

/// The hits of a search, with those in the records where they are asked for, and all of them summed up.
fn search(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let is_wanted = |key: &str| matches!(arguments.get(key), Some("1" | "true"));
    let limit = arguments.number("limit")?.unwrap_or(1000).clamp(0, i64::from(u32::MAX)) as u32;
    let (is_regex, terms, category) = (is_wanted("regex"), arguments.terms(), text("category"));
    let search = SearchQuery { text: text("text"), is_regex, field: text("field"), limit, category, terms };
    let mut hits = asked(session, &search)?;
    let mut more = Vec::new();
    if is_wanted("records") {
        let (category, terms) = (search.category.clone(), search.terms.clone());
        let first = ScanQuery { text: search.text.clone(), is_regex, key: text("key"), category, terms, ..ScanQuery::default() };
        let mut next = Some(first.cursor);
        let (mut n_seen, mut n_unreadable) = (0, 0);
        while let Some(cursor) = next {
            let part = session.ask(&ScanQuery { cursor, ..first.clone() })?;
            (n_seen, n_unreadable) = (n_seen + part.n_seen, n_unreadable + part.n_unreadable);
            more.extend(part.slices);
            next = part.next;
        }
        hits["records"] = json!({ "n_seen": n_seen, "n_unreadable": n_unreadable, "slices": more });
    }
    if is_wanted("tables") {
        let within = Within { range: range(session, arguments)?, tracks: Vec::new() };
        hits["tables"] = asked(session, &HitTablesQuery { search: search.clone(), more: more.clone(), within })?;
    }
    hits["summary"] = asked(session, &HitSummaryQuery { search, more })?;
    Ok(hits)
}

/// A slice or an instant: by number, or as a link names it.
fn details(arguments: &Arguments, session: &Session) -> Fallible<DetailsQuery> {
    let id = |n: i64| u32::try_from(n);
    if let Some(slice) = arguments.number("slice")? {
        return Ok(DetailsQuery { item: SliceId(id(slice)?).into() });
    }
    if let Some(instant) = arguments.number("instant")? {
        return Ok(DetailsQuery { item: InstantId(id(instant)?).into() });
    }
    let time = TimeNs(arguments.number("start_ns")?.ok_or("Expected `slice`, `instant`, or `track`, `start_ns` and `name`.")?);
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let link = FindQuery { track: text("track"), time, name: text("name"), is_instant: false };
    let found = [link.clone(), FindQuery { is_instant: true, ..link }].iter().find_map(|link| session.ask(link).ok().flatten());
    found.map(|item| DetailsQuery { item }).ok_or_else(|| "This profile has no such slice or instant.".into())
}

/// Grouping and depth of the args `group_by` and `depth`.
fn layers(arguments: &Arguments, range: Option<TimeRange>) -> Fallible<LayersQuery> {
    let depth = arguments.number("depth")?.unwrap_or(0).clamp(0, 64) as u32;
    Ok(LayersQuery { by: arguments.get("group_by").unwrap_or_default().into(), depth, range })
}

/// The range of the args `start_ns` and `end_ns`, or `start` and `end`; `None` without both.
fn range(session: &Session, arguments: &Arguments) -> Fallible<Option<TimeRange>> {
    let number = |key: &str, short: &str| Ok::<_, Error>(arguments.number(key)?.or(arguments.number(short)?));
    let (start, end) = (number("start_ns", "start")?, number("end_ns", "end")?);
    let whole = session.profile.meta.range;
    Ok((start.is_some() || end.is_some()).then(|| TimeRange::new(start.map_or(whole.start, TimeNs), end.map_or(whole.end, TimeNs))))
}

/// The burst of traffic of the arg `burst`, counted from 1.
fn burst(arguments: &Arguments) -> Fallible<Option<u32>> {
    let Some(number) = arguments.number("burst")? else { return Ok(None) };
    let from_zero = number.checked_sub(1).and_then(|n| u32::try_from(n).ok());
    from_zero.map(Some).ok_or_else(|| format!("Expected a burst from 1 on, found `{number}`.").into())
}

fn track(session: &Session, path: &str) -> Fallible<TrackId> {
    let mut tracks = (0..session.profile.tracks.len() as u32).map(TrackId);
    tracks.find(|&t| session.profile.track_path(t) == path).ok_or_else(|| format!("This profile has no track `{path}`.").into())
}

/// One line per instruction, in the order of the file.
fn instructions(out: &mut impl Write, session: &Session) -> Fallible<()> {
    let mut next = Some(0);
    while let Some(from) = next {
        let (rows, after) = session.instruction_rows(from)?;
        for row in rows {
            let line = serde_json::to_string(&row)?;
            writeln!(out, "{line}")?;
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
