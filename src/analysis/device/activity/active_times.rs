//! When each engine was active, and how long each opcode ran: the tables `ActiveTime` and `OpcodeSummary` of Neuron Explorer's schema.

use crate::analysis::device::activity::busy;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::StrId;
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
pub struct OpcodeTime {
    /// `Tensor`.
    pub engine: String,
    /// `MATMUL`.
    pub opcode: String,
    /// Instructions.
    pub count: u64,
    /// Σ duration, nanoseconds: what overlaps counts twice.
    pub time_ns: i64,
}

/// The same, with the time that they cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpcodeActivity {
    /// Count and sum.
    pub total: OpcodeTime,
    /// Nanoseconds in which at least one ran.
    pub active_ns: i64,
}

/// Active times by core and engine; engines that never ran are omitted.
pub fn active_times(profile: &Profile) -> Vec<ActiveTimes> {
    let engines = busy::busy(profile, None).into_iter().filter(|b| b.engine != busy::DMA && !b.ranges.is_empty());
    engines.map(|b| ActiveTimes { core: b.core, engine: b.engine, spans: b.ranges }).collect()
}

/// An engine and an opcode, as string ids.
type Key = (u32, u32);

/// Calls `found` with each instruction of an engine.
fn for_each_instruction(profile: &Profile, mut found: impl FnMut(Key, usize)) {
    let (Some(engines), Some(opcodes)) = (profile.attribute("engine"), profile.attribute("opcode")) else { return };
    let (engines, opcodes) = (engines.values.as_slice(), opcodes.values.as_slice());
    for lane in profile.lanes.iter().filter(|lane| profile.tracks[lane.track.index()].kind == TrackKind::Engine) {
        for i in lane.first as usize..lane.end as usize {
            if !profile.strings.get(engines[i]).is_empty() {
                found((engines[i].0, opcodes[i].0), i);
            }
        }
    }
}

/// Times with their keys, in no order.
fn totals(profile: &Profile) -> BTreeMap<Key, OpcodeTime> {
    let mut found: BTreeMap<Key, (u64, i64)> = BTreeMap::new();
    for_each_instruction(profile, |key, i| {
        let sum = found.entry(key).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(profile.slices.duration[i]));
    });
    let name = |id: u32| profile.strings.get(StrId(id)).to_string();
    let time = |(key, (count, time_ns)): (Key, (u64, i64))| (key, OpcodeTime { engine: name(key.0), opcode: name(key.1), count, time_ns });
    found.into_iter().map(time).collect()
}

/// Times by engine and opcode, in that order.
pub fn opcode_times(profile: &Profile) -> Vec<OpcodeTime> {
    let mut out: Vec<OpcodeTime> = totals(profile).into_values().collect();
    out.order_by(|a, b| (&a.engine, &a.opcode).cmp(&(&b.engine, &b.opcode)));
    out
}

/// The same with the time that each opcode covers. Takes 16 bytes of memory for each instruction that touches no other.
pub fn opcode_activity(profile: &Profile) -> Vec<OpcodeActivity> {
    let mut covered: BTreeMap<Key, Ranges> = BTreeMap::new();
    for_each_instruction(profile, |key, i| {
        spans::push(covered.entry(key).or_default(), (profile.slices.start[i], profile.slices.end(i)));
    });
    let mut active_ns = |key: Key| covered.remove(&key).map_or(0, |ranges| spans::length(&spans::union(ranges)));
    let mut out: Vec<OpcodeActivity> =
        totals(profile).into_iter().map(|(key, total)| OpcodeActivity { total, active_ns: active_ns(key) }).collect();
    out.order_by(|a, b| (&a.total.engine, &a.total.opcode).cmp(&(&b.total.engine, &b.total.opcode)));
    out
}
