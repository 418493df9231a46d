//! Queries of the report on memory snapshots.

use super::{Arguments, asked};
use crate::error::Fallible;
use axonscope::analysis::snapshot::GroupBy;
use axonscope::engine::Session;
use axonscope::engine::query::{AllocationQuery, AllocationsQuery, LiveQuery, SegmentsQuery, SnapshotQuery};
use serde_json::Value;

/// Names of these queries.
pub const NAMES: &str = "snapshot, snapshot-live, snapshot-allocations, snapshot-allocation, snapshot-segments";

/// The answers to one of these; `None` for other queries.
pub fn answers(sessions: &[Session], arguments: &Arguments) -> Option<Fallible<Vec<Value>>> {
    let is_ours = arguments.query.starts_with("snapshot");
    is_ours.then(|| sessions.iter().map(|session| answer(session, arguments)).collect())
}

fn answer(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    let number = |key: &str| -> Fallible<Option<u32>> {
        let number = arguments.number(key)?.map(u32::try_from).transpose();
        number.map_err(|_| format!("Expected a number from 0 to {} for `{key}`.", u32::MAX).into())
    };
    let device = number("device")?.unwrap_or(0);
    let state = number("state")?;
    match arguments.query.as_str() {
        "snapshot" => asked(session, &SnapshotQuery),
        "snapshot-live" => {
            let word = arguments.get("group").unwrap_or("frame");
            let by = GroupBy::of(word).ok_or_else(|| format!("Expected `group` to be frame, own or stack, found `{word}`."))?;
            asked(session, &LiveQuery { device, state, by })
        }
        "snapshot-allocations" => asked(session, &AllocationsQuery { device, state, limit: number("limit")?.unwrap_or(1000) }),
        "snapshot-allocation" => {
            let id = number("id")?.ok_or("Expected the number of an allocation: `--arg id=…`.")?;
            asked(session, &AllocationQuery { device, id })
        }
        "snapshot-segments" => asked(session, &SegmentsQuery { device }),
        other => Err(format!("Expected one of the queries {NAMES}, found `{other}`.").into()),
    }
}
