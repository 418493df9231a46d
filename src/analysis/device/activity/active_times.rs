//! When each engine was active, and how long each opcode ran: the tables `ActiveTime` and `OpcodeSummary` of Neuron Explorer's schema.

use crate::analysis::device::activity::busy;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::model::{Profile, TrackKind};
use std::collections::BTreeMap;

/// Times in which an engine of a core ran at least one instruction that is no semaphore wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveTimes {
    /// The core's row: `NC 4`.
    pub core: String,
    /// `Tensor`.
    pub engine: String,
    /// Disjoint spans (start, end), ascending, nanoseconds.
    pub spans: Ranges,
}

/// Instructions of one opcode on one engine, over all cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpcodeTimes {
    /// `Tensor`.
    pub engine: String,
    /// `MATMUL`.
    pub opcode: String,
    /// Instructions.
    pub count: u64,
    /// Σ duration, nanoseconds: what overlaps counts twice.
    pub time_ns: i64,
    /// Nanoseconds in which at least one ran.
    pub active_ns: i64,
}

/// Active times by core and engine; engines that never ran are omitted.
pub fn active_times(profile: &Profile) -> Vec<ActiveTimes> {
    let engines = busy::busy(profile, None).into_iter().filter(|b| b.engine != busy::DMA && !b.ranges.is_empty());
    engines.map(|b| ActiveTimes { core: b.core, engine: b.engine, spans: b.ranges }).collect()
}

/// Times by engine and opcode, in that order.
pub fn opcode_times(profile: &Profile) -> Vec<OpcodeTimes> {
    let (Some(engines), Some(opcodes)) = (profile.attribute("engine"), profile.attribute("opcode")) else { return Vec::new() };
    let mut found: BTreeMap<(u32, u32), (u64, i64, Ranges)> = BTreeMap::new();
    for lane in &profile.lanes {
        if profile.tracks[lane.track.index()].kind != TrackKind::Engine {
            continue;
        }
        for i in lane.first as usize..lane.end as usize {
            let (engine, opcode) = (engines.values[i], opcodes.values[i]);
            if profile.strings.get(engine).is_empty() {
                continue;
            }
            let sum = found.entry((engine.0, opcode.0)).or_default();
            sum.0 += 1;
            sum.1 = sum.1.saturating_add(profile.slices.duration[i]);
            spans::push(&mut sum.2, (profile.slices.start[i], profile.slices.end(i)));
        }
    }
    let name = |id: u32| profile.strings.get(crate::base::StrId(id)).to_string();
    let row = |((engine, opcode), (count, time_ns, ranges)): ((u32, u32), (u64, i64, Ranges))| {
        let active_ns = spans::length(&spans::union(ranges));
        OpcodeTimes { engine: name(engine), opcode: name(opcode), count, time_ns, active_ns }
    };
    let mut out: Vec<OpcodeTimes> = found.into_iter().map(row).collect();
    out.order_by(|a, b| (&a.engine, &a.opcode).cmp(&(&b.engine, &b.opcode)));
    out
}
