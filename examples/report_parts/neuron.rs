//! Queries of the report that only Neuron's reports, logs and system profiles answer.

use axonscope::engine::query::{NeuronAnswer, NeuronQuery};
use axonscope::engine::{Answer, Query, Session};
use serde_json::Value;

/// The question of that name, if it is one of these.
pub fn query(name: &str) -> Option<Query> {
    let query = match name {
        "support" => NeuronQuery::Support,
        _ => return None,
    };
    Some(Query::Neuron(query))
}

/// What the second profile says compared with the first, for queries that take two; `None` for others.
pub fn compared(name: &str, sessions: &[Session]) -> Option<Result<Value, String>> {
    if name != "support_diff" {
        return None;
    }
    let [before, after] = sessions else {
        return Some(Err("Expected two profiles to compare: name the earlier one first.".into()));
    };
    let query = match before.run(&Query::Neuron(NeuronQuery::Support)) {
        Answer::Neuron(NeuronAnswer::Support(part)) => NeuronQuery::SupportDiff(part),
        Answer::Refused(sentence) => return Some(Err(sentence)),
        _ => return Some(Err("The first profile gave another answer than asked.".into())),
    };
    Some(match after.run(&Query::Neuron(query)) {
        Answer::Refused(sentence) => Err(sentence),
        Answer::Neuron(answer) => value(&answer),
        _ => Err("The second profile gave another answer than asked.".into()),
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
