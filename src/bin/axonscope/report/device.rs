//! Queries of the report on the rows of a device's timeline: `memory-map`, `dma-rows`, `merged-bar`, `name-rows`, `view-curves`.

use super::{Arguments, asked};
use crate::error::Fallible;
use axonscope::analysis::device::transfers::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
use axonscope::analysis::device::{CurvesQuery, MemoryMapQuery};
use axonscope::base::{SliceId, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{AgreementPartQuery, AgreementQuery, MergedBarQuery, NameRowsQuery};
use serde_json::{Value, json};

/// What they are called.
pub const NAMES: &str = "memory-map, dma-rows, merged-bar, name-rows, view-curves";

/// The answer to one of these; `None` for other queries. `window` is what `view-curves` has in view.
pub fn answer(session: &Session, arguments: &Arguments, window: TimeRange) -> Fallible<Option<Value>> {
    let is_wanted = |key: &str| matches!(arguments.get(key), Some("1" | "true"));
    let (name, value) = match arguments.query.as_str() {
        "dma-rows" => ("DmaRows", asked(session, &dma_rows(arguments, "packets")?)?),
        "merged-bar" => {
            let slice = arguments.number("slice")?.and_then(|s| u32::try_from(s).ok()).ok_or("Expected `slice`.")?;
            ("MergedBar", asked(session, &MergedBarQuery { rows: dma_rows(arguments, "merged")?, slice: SliceId(slice) })?)
        }
        "memory-map" => {
            let core = arguments.number("core")?.unwrap_or(0).clamp(0, i64::from(u32::MAX)) as u32;
            ("MemoryMap", asked(session, &MemoryMapQuery { core, is_psum: arguments.get("memory") == Some("psum") })?)
        }
        "name-rows" => ("NameRows", asked(session, &NameRowsQuery { by: arguments.get("group_by").unwrap_or("layer").into() })?),
        "view-curves" => ("ViewCurves", asked(session, &CurvesQuery { window, is_from_view: true, is_smooth: is_wanted("smooth") })?),
        _ => return Ok(None),
    };
    Ok(Some(named(name, value)))
}

/// `{"Device": {NAME: …}}`, as these answers have been printed since they exist.
pub fn named(name: &str, value: Value) -> Value {
    json!({ "Device": { name: value } })
}

/// The answer to `agreement`; `None` for another query.
pub fn agreement(name: &str, sessions: &[Session]) -> Option<Fallible<Value>> {
    if name != "agreement" {
        return None;
    }
    let [one, other] = sessions else {
        return Some(Err("Expected two profiles: a trace, and the profiler's output of the same run.".into()));
    };
    let found = one.ask(&AgreementPartQuery).and_then(|part| other.ask(&AgreementQuery { other: part }));
    Some(match found {
        Ok(Some(found)) => Ok(json!({ "sentence": found.sentence(), "agreement": found })),
        Ok(None) => Err("These are not a trace and the profiler's output of the same run.".into()),
        Err(refusal) => Err(refusal.into()),
    })
}

/// What a row and a bar hold, of the args `group_by` (`queue`, `engine`) and `detail` (`packets`, `rings`, `merged`).
fn dma_rows(arguments: &Arguments, detail: &str) -> Fallible<DmaRowsQuery> {
    let by = if arguments.get("group_by") == Some("engine") { DmaBy::Engine } else { DmaBy::Queue };
    let detail = match arguments.get("detail").unwrap_or(detail) {
        "packets" => DmaDetail::Packets,
        "rings" => DmaDetail::Rings,
        "merged" => DmaDetail::Merged,
        other => return Err(format!("Expected `packets`, `rings` or `merged` for `detail`, found `{other}`.").into()),
    };
    Ok(DmaRowsQuery { by, detail })
}
