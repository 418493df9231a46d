//! Questions that only Neuron's reports, logs and system profiles answer.

use super::Answer;
use crate::analysis::neuron_log::{self, Level, LogDiff, LogOps, LogOverlap, LogPart, LogTimeline, LogTrace};
use crate::analysis::support::{self, Support, SupportDiff, SupportTop};
use crate::analysis::system::{self, Chain, ExecutionRow, Grouping, RowOf, Serving, ServingQuery, System};
use crate::base::{SliceId, TimeRange};
use crate::model::neuron_log::NeuronLog;
use crate::model::{Domain, NeuronSystem, Profile};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;

/// A question to a report, a log or a system profile of Neuron.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NeuronQuery {
    /// What an `analyze` report tells.
    Support,
    /// The same, of each list only as many rows.
    SupportTop(u64),
    /// The report compared with an earlier one (the answer of its worker to `Support`).
    SupportDiff(Box<Support>),
    /// Operators of a run of the TensorBoard plugin, or of a range where they are computed from its timeline.
    LogOps(Level, Option<TimeRange>),
    /// Compute and transfer of the run or of a range, and what is to be seen in its timeline.
    LogTimeline(Option<TimeRange>),
    /// What overlaps a slice, and its members.
    LogOverlap(SliceId),
    /// Steps of the host that touch a range, or all, and what the device did in each.
    LogTrace(Option<TimeRange>),
    /// What the run gives to a comparison.
    LogPart,
    /// The run compared with an earlier one (the answer of its worker to `LogPart`).
    LogDiff(Box<LogPart>, Level),
    /// A system profile in figures: all of it, or a range.
    System(Option<TimeRange>),
    /// Its executions as those of serving.
    Serving(ServingQuery),
    /// What an event is the execution of, if it is one.
    SystemExecution(SliceId),
    /// What an event of it depends on, and what depends on it.
    SystemChain(SliceId),
    /// Its rows in another order.
    SystemRows(Grouping),
}

/// The answer to the question of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NeuronAnswer {
    /// Operators, failures, instructions, remarks.
    Support(Box<Support>),
    /// The beginning of each list.
    SupportTop(Box<SupportTop>),
    /// Operators by what changed.
    SupportDiff(Box<SupportDiff>),
    /// Longest first.
    LogOps(Box<LogOps>),
    /// Figures, rows, captions.
    LogTimeline(Box<LogTimeline>),
    /// Most time in common first.
    LogOverlap(Box<LogOverlap>),
    /// Steps by start.
    LogTrace(Box<LogTrace>),
    /// Names and times.
    LogPart(Box<LogPart>),
    /// Operators by difference.
    LogDiff(Box<LogDiff>),
    /// Cards, executions, transfers, memory, advice.
    System(Box<System>),
    /// Models, bursts, cores, gaps.
    Serving(Box<Serving>),
    /// `None`: the event is no execution.
    SystemExecution(Option<Box<ExecutionRow>>),
    /// Nearest first.
    SystemChain(Chain),
    /// In display order.
    SystemRows(Vec<RowOf>),
}

/// Answers from the open profile; `made` keeps what the answers of a report share.
pub(super) fn answer(profile: &Profile, made: &OnceCell<Support>, query: &NeuronQuery) -> Answer {
    let answer = match (&profile.domain, query) {
        (Domain::SupportReport(report), NeuronQuery::SupportTop(n)) => {
            Ok(NeuronAnswer::SupportTop(Box::new(support::top(report, usize::try_from(*n).unwrap_or(usize::MAX)))))
        }
        (Domain::SupportReport(report), NeuronQuery::Support | NeuronQuery::SupportDiff(_)) => {
            Ok(of_report(made.get_or_init(|| support::support(report)), query))
        }
        (_, NeuronQuery::Support | NeuronQuery::SupportTop(_) | NeuronQuery::SupportDiff(_)) => {
            Err("This profile is not an analyze report.")
        }
        (Domain::NeuronSystem(system), _) => of_system(profile, system, query),
        (
            _,
            NeuronQuery::System(_)
            | NeuronQuery::Serving(_)
            | NeuronQuery::SystemExecution(_)
            | NeuronQuery::SystemChain(_)
            | NeuronQuery::SystemRows(_),
        ) => Err("This profile is not a system profile."),
        (Domain::NeuronLog(log), _) => of_log(profile, log, query),
        _ => Err("This profile is not a run of the TensorBoard Neuron plugin."),
    };
    answer.map_or_else(|sentence| Answer::Refused(sentence.into()), Answer::Neuron)
}

fn of_report(own: &Support, query: &NeuronQuery) -> NeuronAnswer {
    match query {
        NeuronQuery::SupportDiff(before) => NeuronAnswer::SupportDiff(Box::new(support::diff(before, own))),
        _ => NeuronAnswer::Support(Box::new(own.clone())),
    }
}

fn of_log(profile: &Profile, log: &NeuronLog, query: &NeuronQuery) -> Result<NeuronAnswer, &'static str> {
    Ok(match query {
        NeuronQuery::LogOps(level, range) => NeuronAnswer::LogOps(Box::new(neuron_log::ops(profile, log, *level, *range))),
        NeuronQuery::LogTimeline(range) => NeuronAnswer::LogTimeline(Box::new(neuron_log::timeline(profile, log, *range))),
        NeuronQuery::LogOverlap(slice) if slice.index() >= profile.slices.len() => return Err("This profile has no such slice."),
        NeuronQuery::LogOverlap(slice) => NeuronAnswer::LogOverlap(Box::new(neuron_log::overlap(profile, log, *slice))),
        NeuronQuery::LogTrace(range) => NeuronAnswer::LogTrace(Box::new(neuron_log::trace(profile, log, *range))),
        NeuronQuery::LogPart => NeuronAnswer::LogPart(Box::new(neuron_log::part(profile, log))),
        NeuronQuery::LogDiff(before, level) => {
            NeuronAnswer::LogDiff(Box::new(neuron_log::diff(before, &neuron_log::part(profile, log), *level)))
        }
        _ => return Err("This query is not available for a run of the TensorBoard Neuron plugin."),
    })
}

fn of_system(profile: &Profile, system: &NeuronSystem, query: &NeuronQuery) -> Result<NeuronAnswer, &'static str> {
    Ok(match query {
        NeuronQuery::System(range) => NeuronAnswer::System(Box::new(system::system(profile, system, *range))),
        NeuronQuery::Serving(asked) => NeuronAnswer::Serving(Box::new(system::serving(profile, system, *asked))),
        NeuronQuery::SystemRows(by) => NeuronAnswer::SystemRows(system::grouped(profile, system, *by)),
        NeuronQuery::SystemChain(slice) | NeuronQuery::SystemExecution(slice) if slice.index() >= profile.slices.len() => {
            return Err("This profile has no such slice.");
        }
        NeuronQuery::SystemExecution(slice) => NeuronAnswer::SystemExecution(system::execution(profile, system, *slice).map(Box::new)),
        NeuronQuery::SystemChain(slice) => NeuronAnswer::SystemChain(system::chain(profile, system, *slice)),
        _ => return Err("This query is not available for a system profile."),
    })
}
