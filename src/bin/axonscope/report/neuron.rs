//! Queries of the report that only Neuron's reports, logs and system profiles answer.

use super::asked;
use crate::error::Fallible;
use axonscope::analysis::neuron_log::Level;
use axonscope::analysis::system::ServingQuery;
use axonscope::base::TimeRange;
use axonscope::engine::Session;
use axonscope::engine::query::{
    LogDiffQuery, LogOpsQuery, LogPartQuery, LogTimelineQuery, LogTraceQuery, SupportDiffQuery, SupportQuery, SystemQuery,
};
use serde_json::Value;

/// Names of these queries.
pub const NAMES: &str = "system, serving, support, support_diff, operator-framework, operator-hlo, operator-timeline, trace, operator-framework_diff, operator-hlo_diff";

/// The answer to one of these; `None` for other queries. Of a range where it can be, and of serving about a burst (from 0).
pub fn answer(session: &Session, name: &str, range: Option<TimeRange>, burst: Option<u32>) -> Option<Fallible<Value>> {
    Some(match name {
        "serving" => asked(session, &ServingQuery { range, burst }),
        "support" => asked(session, &SupportQuery),
        "system" => asked(session, &SystemQuery { range }),
        "operator-framework" => asked(session, &LogOpsQuery { level: Level::Framework, range }),
        "operator-hlo" => asked(session, &LogOpsQuery { level: Level::Hlo, range }),
        "operator-timeline" => asked(session, &LogTimelineQuery { range }),
        "trace" => asked(session, &LogTraceQuery { range }),
        _ => return None,
    })
}

/// The comparison of the second profile with the first, for queries of two profiles; `None` for others.
pub fn compared(name: &str, sessions: &[Session]) -> Option<Fallible<Value>> {
    let level = match name {
        "support_diff" => None,
        "operator-framework_diff" => Some(Level::Framework),
        "operator-hlo_diff" => Some(Level::Hlo),
        _ => return None,
    };
    let [before, after] = sessions else {
        return Some(Err("Expected two profiles to compare: list the earlier one first.".into()));
    };
    let compared = match level {
        None => before.ask(&SupportQuery).map(|before| asked(after, &SupportDiffQuery { before })),
        Some(level) => before.ask(&LogPartQuery).map(|before| asked(after, &LogDiffQuery { before, level })),
    };
    Some(compared.unwrap_or_else(|refusal| Err(refusal.into())))
}
