//! Queries of the report on the rows of a device's timeline: `memory-map`, `dma-rows`, `merged-bar`, `name-rows`, `view-curves`.

use super::Arguments;
use axonscope::analysis::device::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
use axonscope::analysis::device::{CurvesQuery, MemoryMapQuery};
use axonscope::base::{SliceId, TimeRange};
use axonscope::engine::Query;
use axonscope::engine::query::DeviceQuery;

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
