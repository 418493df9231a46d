//! The query `bounds` of the report: bounds, exclusive times, overlaps and waits by physical core, counted from 0.

use super::{Arguments, ask, asked};
use crate::error::Fallible;
use axonscope::analysis::device::bounds::{
    Bounds, BoundsQuery, CoreBounds, EvidenceQuery, ExclusiveTime, GapKind, OpcodeTime, Overlap, Part, Region, Regions, RegionsQuery,
};
use axonscope::base::TimeRange;
use axonscope::engine::Session;
use serde_json::{Map, Value, json};

/// Bounds of a range, with the parts of the arg `order` first; with the arg `gap` what made it, on the core counted by `core`.
pub fn answer(session: &Session, arguments: &Arguments, range: Option<TimeRange>) -> Fallible<Value> {
    if let Some(name) = arguments.get("gap") {
        let names = || GapKind::ALL.map(GapKind::id).join(", ");
        let gap = GapKind::ALL.into_iter().find(|g| g.id() == name);
        let gap = gap.ok_or_else(|| format!("Expected one of {} for `gap`, found `{name}`.", names()))?;
        return asked(session, &EvidenceQuery { range, core: core(arguments)?, gap });
    }
    ask(session, &BoundsQuery { range, order: order(arguments)? }).map(|found| value(&found))
}

fn core(arguments: &Arguments) -> Fallible<u32> {
    u32::try_from(arguments.number("core")?.unwrap_or(0)).map_err(|_| "Expected a core counted from 0.".into())
}

/// Parts of the arg `order`.
fn order(arguments: &Arguments) -> Fallible<Vec<Part>> {
    let part = |name: &str| {
        let names = || Part::ALL.map(Part::id).join(", ");
        Part::named(name.trim()).ok_or_else(|| format!("Expected parts among {} for `order`, found `{name}`.", names()))
    };
    let order = arguments.get("order").map(|names| names.split(',').map(part).collect::<Result<_, _>>()).transpose()?;
    Ok(order.unwrap_or_default())
}

/// Regions, by the args `by`, `pattern`, `core` and `order`.
pub fn regions(session: &Session, arguments: &Arguments, range: Option<TimeRange>) -> Fallible<Value> {
    ask(session, &regions_query(arguments, range)?).map(|found| regions_value(&found))
}

/// The question by these args.
pub fn regions_query(arguments: &Arguments, range: Option<TimeRange>) -> Fallible<RegionsQuery> {
    let text = |key: &str| arguments.get(key).unwrap_or_default().to_string();
    let (by, pattern, order) = (text("by"), text("pattern"), order(arguments)?);
    Ok(RegionsQuery { by, pattern, named: Vec::new(), range, core: core(arguments)?, order })
}

/// Regions, with their parts by name.
fn regions_value(found: &Regions) -> Value {
    let region = |r: &Region| {
        let named = |part: Option<Part>| part.map_or("idle", Part::id).to_string();
        let exclusive: Map<String, Value> = r.exclusive.iter().map(|e| (named(e.part), json!(e.time))).collect();
        json!({
            "name": r.name,
            "wall": r.wall,
            "windows": r.n_windows,
            "time": r.time,
            "exclusive": exclusive,
            "instructions": r.instructions,
            "moved_bytes": r.moved_bytes,
            "bytes_per_s": r.bandwidth(),
            "issued_bytes": r.issued_bytes,
            "flops": r.flops,
        })
    };
    let choices: Vec<&String> = found.choices.iter().map(|c| &c.0).collect();
    json!({
        "by": found.by,
        "choices": choices,
        "range": found.range,
        "regions": found.regions.iter().map(region).collect::<Vec<_>>(),
        "n_more": found.n_more,
        "notes": found.notes,
    })
}

/// The answer by the names that AWS's method gives.
fn value(found: &Bounds) -> Value {
    let cores: Map<String, Value> = found.cores.iter().enumerate().map(|(i, core)| (i.to_string(), of_core(core))).collect();
    json!({
        "start_ns": found.range.start,
        "end_ns": found.range.end,
        "total_time_ns": found.range.duration(),
        "is_entire_run": found.is_run,
        "necessary_bytes": found.necessary_bytes,
        "memory_bound_no_reloads": found.no_reloads_ns(),
        "dma_bytes_per_s": found.dma_bandwidth,
        "peak_flops_per_s": found.peak_flops,
        "cores": cores,
        "notes": found.notes,
    })
}

fn of_core(core: &CoreBounds) -> Value {
    let steps = || core.ladders.iter().flat_map(|ladder| &ladder.steps);
    let bounds: Map<String, Value> = steps().map(|s| (s.bound.id().into(), whole(s.time_ns))).collect();
    let gap = |g: axonscope::analysis::device::bounds::Gap| {
        (g.kind.id().to_string(), json!({ "ns": whole(g.time_ns), "share": g.share, "speed_up": g.speed_up }))
    };
    let gaps: Map<String, Value> = steps().filter_map(|s| s.gap).map(gap).collect();
    let parts = Part::ALL.into_iter().map(|p| (p.id().to_string(), json!(core.busy(p))));
    let queues = core.queue_types.iter().map(|(name, time)| (format!("dma {name}"), json!(time)));
    let busy: Map<String, Value> = parts.chain(queues).collect();
    let named = |part: Option<Part>| part.map_or("idle", Part::id).to_string();
    let exclusive: Map<String, Value> = core.exclusive.iter().map(|e: &ExclusiveTime| (named(e.part), json!(e.time))).collect();
    let pair = |o: &Overlap| (format!("{} and {}", o.a.id(), o.b.id()), json!(o.both));
    let overlap: Map<String, Value> = core.overlaps.iter().map(pair).collect();
    let state = |names: &Vec<String>| match names.is_empty() {
        true => "none".to_string(),
        false => names.iter().map(|n| format!("dma {n}")).collect::<Vec<String>>().join("+"),
    };
    let states: Map<String, Value> = core.dma_states.iter().map(|(names, time)| (state(names), json!(time))).collect();
    let opcode = |o: &OpcodeTime| {
        let value = json!({ "count": o.count, "time": o.time, "wait": o.wait, "waiting": o.waiting });
        (format!("{} {}", o.engine, o.opcode), value)
    };
    let by_opcode: Map<String, Value> = core.opcodes.iter().map(opcode).collect();
    json!({
        "name": core.core,
        "bounds": bounds,
        "gaps": gaps,
        "bottleneck": core.bottleneck.map(Part::id),
        "moved_bytes": core.moved_bytes,
        "moves": core.moves,
        "flops": core.flops,
        "useful_flops": core.useful_flops,
        "profiler_flops": core.profiler_flops,
        "matmul_excess_interval": core.excess_interval_ns,
        "busy": busy,
        "exclusive": exclusive,
        "overlap": overlap,
        "dma_states": states,
        "by_opcode": by_opcode,
    })
}

/// Whole nanoseconds without a fraction.
fn whole(ns: f64) -> Value {
    if ns.fract() == 0.0 && ns.abs() < 9e15 { json!(ns as i64) } else { json!(ns) }
}
