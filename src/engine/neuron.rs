//! Questions of Neuron's reports, logs and system profiles.

use super::Session;
use super::question::{Refusal, answers};
use crate::analysis::neuron_log::{self, Level, LogDiff, LogOps, LogOverlap, LogPart, LogTimeline, LogTrace};
use crate::analysis::support::{self, Support, SupportDiff, SupportTop};
use crate::analysis::system::{self, Chain, ExecutionRow, Grouping, RowOf, Serving, ServingQuery, System};
use crate::base::{SliceId, TimeRange};
use crate::model::neuron_log::NeuronLog;
use crate::model::support::SupportReport;
use crate::model::{Domain, NeuronSystem};
use serde::{Deserialize, Serialize};

/// The content of an `analyze` report: operators, failures, instructions, remarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportQuery;

/// The same with only the first rows of each list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportTopQuery {
    /// How many.
    pub n: u64,
}

/// The report compared with an earlier one: operators by what changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupportDiffQuery {
    /// The earlier one's answer to [`SupportQuery`].
    pub before: Support,
}

/// Operators of a run of the TensorBoard plugin, longest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOpsQuery {
    /// Operators of the framework, or of HLO.
    pub level: Level,
    /// Only this range; then they are computed from the run's timeline.
    pub range: Option<TimeRange>,
}

/// Compute and transfer of the run or of a range, with observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTimelineQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// What overlaps a slice (most time in common first), and its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOverlapQuery {
    /// Which.
    pub slice: SliceId,
}

/// Steps of the host by start, and what the device did in each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTraceQuery {
    /// Only those that touch this range.
    pub range: Option<TimeRange>,
}

/// What the run contributes to a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPartQuery;

/// The run compared with an earlier one: operators by difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogDiffQuery {
    /// The earlier one's answer to [`LogPartQuery`].
    pub before: LogPart,
    /// Operators of the framework, or of HLO.
    pub level: Level,
}

/// A system profile in numbers: executions, transfers, memory, advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
}

/// The model execution that an event of a system profile belongs to; `None` if it is not an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionQuery {
    /// The event.
    pub slice: SliceId,
}

/// Predecessors and successors of an event of a system profile, nearest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainQuery {
    /// The event.
    pub slice: SliceId,
}

/// Rows of its timeline, in display order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemRowsQuery {
    /// Their order.
    pub grouping: Grouping,
}

impl Session {
    fn report(&self) -> Result<&SupportReport, Refusal> {
        match &self.profile.domain {
            Domain::SupportReport(report) => Ok(report),
            _ => Err(Refusal::OtherKind("an analyze report")),
        }
    }

    fn support(&self) -> Result<&Support, Refusal> {
        let report = self.report()?;
        Ok(self.support.get_or_init(|| support::support(report)))
    }

    fn log(&self) -> Result<&NeuronLog, Refusal> {
        match &self.profile.domain {
            Domain::NeuronLog(log) => Ok(log),
            _ => Err(Refusal::OtherKind("a run of the TensorBoard Neuron plugin")),
        }
    }

    fn system(&self) -> Result<&NeuronSystem, Refusal> {
        match &self.profile.domain {
            Domain::NeuronSystem(system) => Ok(system),
            _ => Err(Refusal::OtherKind("a system profile")),
        }
    }

    /// The slice, where the profile has it.
    fn known(&self, slice: SliceId) -> Result<SliceId, Refusal> {
        if slice.index() < self.profile.slices.len() { Ok(slice) } else { Err(Refusal::NoSuchItem) }
    }
}

answers! {
    SupportQuery => Support: |s, _| Ok(s.support()?.clone());
    SupportTopQuery => SupportTop: |s, q| Ok(support::top(s.report()?, usize::try_from(q.n).unwrap_or(usize::MAX)));
    SupportDiffQuery => SupportDiff: |s, q| Ok(support::diff(&q.before, s.support()?));
    LogOpsQuery => LogOps: |s, q| Ok(neuron_log::ops(&s.profile, s.log()?, q.level, q.range));
    LogTimelineQuery => LogTimeline: |s, q| Ok(neuron_log::timeline(&s.profile, s.log()?, q.range));
    LogOverlapQuery => LogOverlap: |s, q| Ok(neuron_log::overlap(&s.profile, s.log()?, s.known(q.slice)?));
    LogTraceQuery => LogTrace: |s, q| Ok(neuron_log::trace(&s.profile, s.log()?, q.range));
    LogPartQuery => LogPart: |s, _| Ok(neuron_log::part(&s.profile, s.log()?));
    LogDiffQuery => LogDiff: |s, q| Ok(neuron_log::diff(&q.before, &neuron_log::part(&s.profile, s.log()?), q.level));
    SystemQuery => System: |s, q| Ok(system::system(&s.profile, s.system()?, q.range));
    ServingQuery => Serving: |s, q| Ok(system::serving(&s.profile, s.system()?, *q));
    ExecutionQuery => Option<ExecutionRow>: |s, q| Ok(system::execution(&s.profile, s.system()?, s.known(q.slice)?));
    ChainQuery => Chain: |s, q| Ok(system::chain(&s.profile, s.system()?, s.known(q.slice)?));
    SystemRowsQuery => Vec<RowOf>: |s, q| Ok(system::grouped(&s.profile, s.system()?, q.grouping));
}
