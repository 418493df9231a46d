//! When each engine was active, and how long each opcode ran: the tables `ActiveTime` and `OpcodeSummary` of Neuron Explorer's schema.

use crate::analysis::device::activity::busy;
use crate::analysis::recent_cache::Groups;
use crate::analysis::spans::{self, Ranges};
use crate::base::{Order as _, StrId, for_each_chunk};
use crate::model::{Profile, TrackKind};

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

/// Active times by core and engine; engines that never ran are omitted.
pub fn active_times(profile: &Profile) -> Vec<ActiveTimes> {
    let engines = busy::busy(profile, None).into_iter().filter(|b| b.engine != busy::DMA && !b.ranges.is_empty());
    engines.map(|b| ActiveTimes { core: b.core, engine: b.engine, spans: b.ranges }).collect()
}

/// What `add` gathers from the instructions of each engine and opcode, by their names.
fn by_opcode<T: Default>(profile: &Profile, add: impl Fn(&mut T, usize)) -> Vec<(OpcodeTime, T)> {
    let (Some(engines), Some(opcodes)) = (profile.attribute("engine"), profile.attribute("opcode")) else { return Vec::new() };
    let is_engine: Vec<bool> = profile.strings.iter().map(|(_, name)| !name.is_empty()).collect();
    let mut found: Groups<(StrId, StrId), (u64, i64, T)> = Groups::default();
    let (mut of_engine, mut of_opcode) = (Vec::new(), Vec::new());
    for lane in profile.lanes.iter().filter(|lane| profile.tracks[lane.track.index()].kind == TrackKind::Engine) {
        let first = lane.first as usize;
        for_each_chunk(lane.end as usize - first, &mut |part| {
            let slices = first + part.start..first + part.end;
            engines.values.part(slices.clone(), &mut of_engine);
            opcodes.values.part(slices.clone(), &mut of_opcode);
            for ((i, engine), opcode) in slices.zip(&of_engine).zip(&of_opcode).filter(|((_, engine), _)| is_engine[engine.index()]) {
                let sum = found.of(opcode.0, (*engine, *opcode));
                sum.0 += 1;
                sum.1 = sum.1.saturating_add(profile.slices.duration[i]);
                add(&mut sum.2, i);
            }
        });
    }
    let name = |id: StrId| profile.strings.get(id).to_string();
    let row = |((engine, opcode), (count, time_ns, gathered))| {
        (OpcodeTime { engine: name(engine), opcode: name(opcode), count, time_ns }, gathered)
    };
    let mut out: Vec<(OpcodeTime, T)> = found.all.into_iter().map(row).collect();
    out.order_by(|(a, _), (b, _)| (&a.engine, &a.opcode).cmp(&(&b.engine, &b.opcode)));
    out
}

/// Times by engine and opcode, in that order.
pub fn opcode_times(profile: &Profile) -> Vec<OpcodeTime> {
    by_opcode(profile, |(), _| ()).into_iter().map(|(time, ())| time).collect()
}

/// The same, each with the nanoseconds in which at least one ran. Takes 16 bytes of memory for each instruction that touches no other.
pub fn opcode_activity(profile: &Profile) -> Vec<(OpcodeTime, i64)> {
    let covered = by_opcode(profile, |covered: &mut Ranges, i| {
        spans::push(covered, (profile.slices.start[i], profile.slices.end(i)));
    });
    covered.into_iter().map(|(time, covered)| (time, spans::length(&spans::union(covered)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::SliceId;
    use crate::model::Attribute;

    #[test]
    fn what_overlaps_counts_twice_and_is_covered_once() {
        let mut profile = drawn("nc 0 / tensor: a 0+10, b 12+8\n nc 1 / tensor: a 5+10, c 16+2");
        profile.tracks.iter_mut().filter(|t| t.parent.is_some()).for_each(|t| t.kind = TrackKind::Engine);
        let engine = |i: u32| profile.tracks[profile.track_of(SliceId(i)).expect("a track").index()].name;
        let engines: Vec<StrId> = (0..profile.slices.len() as u32).map(engine).collect();
        for (id, values) in [("engine", engines), ("opcode", profile.slices.name.clone())] {
            profile.attributes.push(Attribute { id: id.into(), label: id.into(), values: values.into() });
        }
        let activity = opcode_activity(&profile);
        let got: Vec<(&str, &str, u64, i64, i64)> =
            activity.iter().map(|(t, active_ns)| (t.engine.as_str(), t.opcode.as_str(), t.count, t.time_ns, *active_ns)).collect();
        assert_eq!(got, [("tensor", "a", 2, 20, 15), ("tensor", "b", 1, 8, 8), ("tensor", "c", 1, 2, 2)]);
        assert!(opcode_times(&profile).iter().eq(activity.iter().map(|(time, _)| time)));
    }
}
