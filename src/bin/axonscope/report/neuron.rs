//! Queries of the report that only Neuron's reports, logs and system profiles answer.

use axonscope::analysis::neuron_log::Level;
use axonscope::analysis::system::ServingQuery;
use axonscope::base::TimeRange;
use axonscope::engine::query::{NeuronAnswer, NeuronQuery};
use axonscope::engine::{Answer, Query, Session};
use serde_json::Value;

/// Names of these queries.
pub const NAMES: &str = "system, serving, support, support_diff, operator-framework, operator-hlo, operator-timeline, trace, operator-framework_diff, operator-hlo_diff";

/// The question of that name, if it is one of these; about a range where it can be, and of serving about a burst (from 0).
pub fn query(name: &str, range: Option<TimeRange>, burst: Option<u32>) -> Option<Query> {
    let query = match name {
        "serving" => NeuronQuery::Serving(ServingQuery { range, burst }),
        "support" => NeuronQuery::Support,
        "system" => NeuronQuery::System(range),
        "operator-framework" => NeuronQuery::LogOps(Level::Framework, range),
        "operator-hlo" => NeuronQuery::LogOps(Level::Hlo, range),
        "operator-timeline" => NeuronQuery::LogTimeline(range),
        "trace" => NeuronQuery::LogTrace(range),
        _ => return None,
    };
    Some(Query::Neuron(query))
}

/// What the second profile says compared with the first, for queries that take two; `None` for others.
pub fn compared(name: &str, sessions: &[Session]) -> Option<Result<Value, String>> {
    let level = match name {
        "support_diff" => None,
        "operator-framework_diff" => Some(Level::Framework),
        "operator-hlo_diff" => Some(Level::Hlo),
        _ => return None,
    };
    let [before, after] = sessions else {
        return Some(Err("Expected two profiles to compare: list the earlier one first.".into()));
    };
    let first = if level.is_some() { NeuronQuery::LogPart } else { NeuronQuery::Support };
    let query = match (before.run(&Query::Neuron(first)), level) {
        (Answer::Neuron(NeuronAnswer::Support(part)), None) => NeuronQuery::SupportDiff(part),
        (Answer::Neuron(NeuronAnswer::LogPart(part)), Some(level)) => NeuronQuery::LogDiff(part, level),
        (Answer::Refused(sentence), _) => return Some(Err(sentence)),
        _ => return Some(Err("The first profile returned an unexpected answer.".into())),
    };
    Some(match after.run(&Query::Neuron(query)) {
        Answer::Refused(sentence) => Err(sentence),
        Answer::Neuron(answer) => value(&answer),
        _ => Err("The second profile returned an unexpected answer.".into()),
    })
}

/// The bare answer, without the name of its variant.
pub fn value(answer: &NeuronAnswer) -> Result<Value, String> {
    let value = serde_json::to_value(answer).map_err(|e| e.to_string())?;
    Ok(match value {
        Value::Object(map) => map.into_iter().next().map_or(Value::Null, |(_, v)| v),
        other => other,
    })
}
