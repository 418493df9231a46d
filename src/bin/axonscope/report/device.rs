//! Queries of the report on the rows of a device's timeline: `memory-map`, `dma-rows`, `merged-bar`, `name-rows`, `view-curves`.

use super::Arguments;
use axonscope::analysis::device::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
use axonscope::analysis::device::{CurvesQuery, MemoryMapQuery};
use axonscope::base::{SliceId, TimeRange};
use axonscope::engine::query::{DeviceAnswer, DeviceQuery};
use axonscope::engine::{Answer, Query, Session};
use serde_json::{Value, json};

/// What they are called.
pub const NAMES: &str = "memory-map, dma-rows, merged-bar, name-rows, view-curves";

/// The question of that name, if it is one of these. `window` is what `view-curves` has in view.
pub fn query(arguments: &Arguments, window: TimeRange) -> Result<Option<Query>, String> {
    let is_wanted = |key: &str| matches!(arguments.get(key), Some("1" | "true"));
    Ok(Some(Query::Device(match arguments.query.as_str() {
        "dma-rows" => DeviceQuery::DmaRows(dma_rows(arguments, "packets")?),
        "merged-bar" => {
            let slice = arguments.number("slice")?.and_then(|s| u32::try_from(s).ok()).ok_or("Expected `slice`.")?;
            DeviceQuery::MergedBar(dma_rows(arguments, "merged")?, SliceId(slice))
        }
        "memory-map" => {
            let core = arguments.number("core")?.unwrap_or(0).clamp(0, i64::from(u32::MAX)) as u32;
            DeviceQuery::MemoryMap(MemoryMapQuery { core, is_psum: arguments.get("memory") == Some("psum") })
        }
        "name-rows" => DeviceQuery::NameRows(arguments.get("group_by").unwrap_or("layer").into()),
        "view-curves" => DeviceQuery::ViewCurves(CurvesQuery { window, is_from_view: true, is_smooth: is_wanted("smooth") }),
        _ => return Ok(None),
    })))
}

/// The answer to `agreement`; `None` for another query.
pub fn agreement(name: &str, sessions: &[Session]) -> Option<Result<Value, String>> {
    if name != "agreement" {
        return None;
    }
    let [one, other] = sessions else {
        return Some(Err("Expected two profiles: a trace, and the profiler's output of the same run.".into()));
    };
    let part = match one.run(&Query::Device(DeviceQuery::AgreementPart)) {
        Answer::Device(DeviceAnswer::AgreementPart(part)) => part,
        Answer::Refused(sentence) => return Some(Err(sentence)),
        _ => return Some(Err("The first profile returned an unexpected answer.".into())),
    };
    Some(match other.run(&Query::Device(DeviceQuery::Agreement(part))) {
        Answer::Device(DeviceAnswer::Agreement(Some(found))) => {
            serde_json::to_value(found).map(|value| json!({ "sentence": found.sentence(), "agreement": value })).map_err(|e| e.to_string())
        }
        Answer::Device(DeviceAnswer::Agreement(None)) => Err("These are not a trace and the profiler's output of the same run.".into()),
        Answer::Refused(sentence) => Err(sentence),
        _ => Err("The second profile returned an unexpected answer.".into()),
    })
}

/// What a row and a bar hold, of the args `group_by` (`queue`, `engine`) and `detail` (`packets`, `rings`, `merged`).
fn dma_rows(arguments: &Arguments, detail: &str) -> Result<DmaRowsQuery, String> {
    let by = if arguments.get("group_by") == Some("engine") { DmaBy::Engine } else { DmaBy::Queue };
    let detail = match arguments.get("detail").unwrap_or(detail) {
        "packets" => DmaDetail::Packets,
        "rings" => DmaDetail::Rings,
        "merged" => DmaDetail::Merged,
        other => return Err(format!("Expected `packets`, `rings` or `merged` for `detail`, found `{other}`.")),
    };
    Ok(DmaRowsQuery { by, detail })
}
