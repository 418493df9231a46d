//! What a drop becomes, as text that can be read and compared: one line for each thing, long lists cut with the number that is left.

use axonscope::analysis::neuron_log::Level;
use axonscope::analysis::torch::kernels::KernelsQuery;
use axonscope::analysis::torch::overview::OverviewQuery;
use axonscope::base::{EventId, InputSet, InstantId, SliceId, TrackId};
use axonscope::engine::query::*;
use axonscope::engine::{Answer, Query, Session, views};
use axonscope::formats::import;
use axonscope::model::{Profile, ProfileKind};
use serde_json::Value;
use std::fmt::Write as _;

/// How many slices, instants, samples and arrows are listed.
const N_LISTED: usize = 16;
/// How many items of a list of an answer are printed.
const N_ITEMS: usize = 5;
/// How many slices have their fields listed.
const N_RECORDS: u32 = 2;

/// All that `tests/cases` compares of a drop.
pub fn of_drop(input: &InputSet) -> String {
    let mut out = String::new();
    match import::import(input) {
        Err(error) => line(&mut out, 0, format!("nothing opens: {error}")),
        Ok(outcomes) => {
            for (claim, outcome) in outcomes {
                line(&mut out, 0, format!("profile: {} of {} file(s)", claim.format, claim.members.len()));
                match outcome {
                    Err(error) => line(&mut out, 1, format!("does not open: {error}")),
                    Ok((imported, readable)) => of_session(&mut out, &Session::new(claim, readable, imported)),
                }
            }
        }
    }
    out
}

fn line(out: &mut String, level: usize, text: impl std::fmt::Display) {
    let text = text.to_string();
    let indent = "  ".repeat(level);
    let _ = writeln!(out, "{indent}{}", text.trim_end().replace('\n', &format!("\n{indent}  ")));
}

/// A heading, the first lines, and how many more there are.
fn list(out: &mut String, heading: &str, n: usize, limit: usize, mut text: impl FnMut(usize) -> String) {
    if n == 0 {
        return;
    }
    line(out, 1, format!("{heading}: {n}"));
    (0..n.min(limit)).for_each(|at| line(out, 2, text(at)));
    if n > limit {
        line(out, 2, format!("… {} more", n - limit));
    }
}

fn of_session(out: &mut String, session: &Session) {
    let (profile, ledger) = (&session.profile, &session.ledger);
    let meta = &profile.meta;
    line(out, 1, format!("recognised: {}", ledger.recognised));
    line(out, 1, format!("members: {}", ledger.members.join(", ")));
    line(out, 1, format!("kind: {:?}; check: {:?}", profile.domain.kind(), profile.check()));
    line(out, 1, format!("title: {}", meta.title));
    line(out, 1, format!("range: {} to {} ns from {}", meta.range.start.0, meta.range.end.0, meta.origin));
    if let Some(epoch) = meta.origin_epoch_ns {
        line(out, 1, format!("epoch: {epoch} ns"));
    }
    line(out, 1, format!("views: {}", views::views(profile).join(" ")));
    list(out, "facts", meta.facts.len(), usize::MAX, |i| {
        let fact = &meta.facts[i];
        format!("{} / {} = {}", fact.group, fact.name, fact.value)
    });
    list(out, "not available", meta.not_available.len(), usize::MAX, |i| meta.not_available[i].clone());
    line(out, 1, format!("records: {} read, {} shown", ledger.read, ledger.shown));
    list(out, "skipped or flagged", ledger.skipped.len(), usize::MAX, |i| {
        let reason = &ledger.skipped[i];
        let mut text = format!("{:?} {} × {}: {}", reason.severity, reason.kind, reason.count, reason.reason);
        reason.examples.iter().for_each(|example| {
            let _ = write!(text, "\n@{}: {}", example.offset, example.text);
        });
        text
    });
    list(out, "notes", ledger.notes.len(), usize::MAX, |i| ledger.notes[i].clone());
    timeline(out, profile);
    list(out, "tables", profile.tables.len(), usize::MAX, |i| {
        let table = &profile.tables[i];
        let n = table.rows.len() as u64 + table.n_more + table.n_in_file;
        format!("{} ({n} rows): {}", table.id, table.columns.join(", "))
    });
    let n_records = N_RECORDS.min(profile.slices.len() as u32);
    (0..n_records).for_each(|i| record(out, session, SliceId(i).into()));
    if !profile.instants.time.is_empty() {
        record(out, session, InstantId(0).into());
    }
    for query in questions(profile) {
        answer(out, &query, &query.answer(session));
    }
}

fn timeline(out: &mut String, profile: &Profile) {
    let slices = &profile.slices;
    list(out, "tracks", profile.tracks.len(), usize::MAX, |i| {
        let track = TrackId(i as u32);
        let of = &profile.tracks[i];
        let n_instants = profile.instants.track.runs().filter(|r| r.0 == track).map(|r| r.1.len()).sum::<usize>();
        let mut text =
            format!("{} ({:?}): {} slices in {} lanes", profile.track_path(track), of.kind, profile.slices_of(track).len(), of.lanes.len());
        if n_instants > 0 {
            let _ = write!(text, ", {n_instants} instants");
        }
        text
    });
    list(out, "slices", slices.len(), N_LISTED, |i| {
        let lane = profile.lane_of(SliceId(i as u32)).expect("a slice has a lane");
        let mut text = format!(
            "{}: {} {}+{} in {}/{}",
            i,
            profile.name_of(SliceId(i as u32)),
            slices.start[i],
            slices.duration[i],
            profile.strings.get(profile.tracks[lane.track.index()].name),
            lane.depth
        );
        for attribute in &profile.attributes {
            let value = profile.strings.get(attribute.values[i]);
            if !value.is_empty() {
                let _ = write!(text, "; {}={value}", attribute.id);
            }
        }
        text
    });
    let instants = &profile.instants;
    list(out, "instants", instants.time.len(), N_LISTED, |i| {
        format!("{} at {} in {}", profile.strings.get(instants.name[i]), instants.time[i], profile.track_path(instants.track[i]))
    });
    list(out, "counters", profile.counters.len(), N_LISTED, |i| {
        let counter = &profile.counters[i];
        let series = counter.series.iter().map(|s| format!("{} {:?}", s.name, &s.values[..s.values.len().min(4)]));
        let times = &counter.times[..counter.times.len().min(4)];
        format!(
            "{} [{}]: {} samples, at {times:?}: {}",
            profile.track_path(counter.track),
            counter.unit,
            counter.times.len(),
            series.collect::<Vec<_>>().join(", ")
        )
    });
    let flows = &profile.flows;
    list(out, "flows", flows.from.len(), N_LISTED, |i| {
        format!("{} → {} {}", flows.from[i].0, flows.to[i].0, profile.strings.get(flows.kind[i]))
    });
}

fn record(out: &mut String, session: &Session, item: EventId) {
    match session.ask(&DetailsQuery { item }) {
        Err(refusal) => line(out, 1, format!("record of {item:?}: {refusal}")),
        Ok(details) => list(out, &format!("record of {item:?}"), details.fields.len(), usize::MAX, |i| {
            let field = &details.fields[i];
            format!("{} / {} = {} {}", field.group, field.key, field.value, field.unit)
        }),
    }
}

/// What is asked of a profile of that kind: the answers that its first views show.
fn questions(profile: &Profile) -> Vec<Query> {
    let mut out: Vec<Query> = vec![HeadlineQuery.into()];
    if !profile.slices.is_empty() {
        out.extend([OperatorsQuery::default().into(), SpanQuery { range: profile.meta.range }.into()]);
    }
    match profile.domain.kind() {
        ProfileKind::Torch => out.extend([OverviewQuery::default().into(), KernelsQuery::default().into()]),
        ProfileKind::NeuronDevice if !profile.slices.is_empty() => {
            out.extend([SummaryQuery { range: None }.into(), GapsQuery { range: None }.into()]);
        }
        ProfileKind::NeuronDevice => out.push(SummaryQuery { range: None }.into()),
        ProfileKind::NeuronLog => {
            let levels = [Level::Framework, Level::Hlo].map(|level| LogOpsQuery { level, range: None }.into());
            out.extend(levels.into_iter().chain([LogTimelineQuery { range: None }.into()]));
        }
        ProfileKind::NeuronSystem => out.push(SystemQuery { range: None }.into()),
        ProfileKind::MemorySnapshot => out.push(SnapshotQuery.into()),
        ProfileKind::SupportReport => out.push(SupportTopQuery { n: 10 }.into()),
        ProfileKind::Fleet => out.push(FleetQuery.into()),
        ProfileKind::Plain | ProfileKind::Perfetto => (),
    }
    out
}

fn answer(out: &mut String, query: &Query, answer: &Answer) {
    let value = serde_json::to_value(answer).expect("an answer is JSON");
    // `{"SummaryQuery": { … }}`: the question's name is the heading.
    let (name, value) = match &value {
        Value::Object(fields) if fields.len() == 1 => fields.iter().next().expect("one field"),
        _ => return line(out, 1, format!("{query:?}: {value}")),
    };
    line(out, 1, format!("answer to {name}"));
    values(out, 2, "", value);
}

fn is_flat(value: &Value) -> bool {
    let is_leaf = |v: &Value| !v.is_array() && !v.is_object();
    match value {
        Value::Array(items) => items.len() <= N_ITEMS && items.iter().all(is_leaf),
        Value::Object(fields) => fields.values().all(|v| is_leaf(v) || v.as_array().is_some_and(Vec::is_empty)),
        _ => true,
    }
}

/// A value without nested ones is a line; of a longer list the first items are printed.
fn values(out: &mut String, level: usize, key: &str, value: &Value) {
    let head = if key.is_empty() { String::new() } else { format!("{key}: ") };
    match value {
        _ if is_flat(value) => line(out, level, format!("{head}{value}")),
        Value::Array(items) => {
            line(out, level, format!("{head}{} items", items.len()));
            items.iter().take(N_ITEMS).for_each(|item| values(out, level + 1, "-", item));
        }
        Value::Object(fields) => {
            line(out, level, head.trim_end());
            fields.iter().for_each(|(key, value)| values(out, level + 1, key, value));
        }
        _ => (),
    }
}
