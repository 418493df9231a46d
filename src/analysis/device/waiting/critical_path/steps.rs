//! The steps that a chain can have, in the order in which they are visited.

use crate::analysis::device::activity::lanes;
use crate::base::{StrId, for_each_of};
use crate::model::{Lane, Profile, TrackKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Instructions, and what arrows lead to or from.
pub(super) struct Steps<'a> {
    profile: &'a Profile,
    /// Slice by slice; empty where engines are not recorded.
    engines: &'a [StrId],
    /// Slice by slice, whether an arrow begins or ends there; empty without arrows.
    has_arrow: Vec<bool>,
    lanes: Vec<Lane>,
}

/// What is known of a lane while its steps go by.
struct StepLane {
    /// The core's name, where it is a lane of engines.
    core: Option<StrId>,
    /// The engine of the last step, with its number.
    last: Option<(StrId, u32)>,
}

impl<'a> Steps<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let mut has_arrow = Vec::new();
        if !profile.flows.from.is_empty() {
            has_arrow.resize(profile.slices.len(), false);
            for_each_of(&profile.flows.from, |slice| has_arrow[slice.index()] = true);
            for_each_of(&profile.flows.to, |slice| has_arrow[slice.index()] = true);
        }
        let engines = profile.attribute("engine").map_or(&[][..], |a| a.values.as_slice());
        let mut out = Steps { profile, engines, has_arrow, lanes: Vec::new() };
        let has_steps = |lane: &&Lane| out.is_of_engines(lane) || out.has_arrow.get(slices_of(lane)).is_some_and(|all| all.contains(&true));
        out.lanes = profile.lanes.iter().filter(has_steps).copied().collect();
        out
    }

    /// Slices among which all steps are.
    pub fn slices(&self) -> Range<usize> {
        let first = self.lanes.iter().map(|lane| lane.first).min().unwrap_or(0);
        first as usize..self.lanes.iter().map(|lane| lane.end).max().unwrap_or(0) as usize
    }

    /// Whether an instruction of an engine is recorded as one.
    pub fn has_engine(&self, slice: usize) -> bool {
        self.engines.get(slice).is_some_and(|engine| *engine != StrId(0))
    }

    /// Calls `each` with the steps by (start, slice); those of an engine come with its number, counted from 0 over the cores.
    pub fn for_each(&self, mut each: impl FnMut(usize, Option<u32>)) {
        let profile = self.profile;
        let roots = crate::analysis::device::waiting::signals::roots(profile);
        let of_lane = |lane: &Lane| {
            let root = &profile.tracks[roots[lane.track.index()] as usize];
            (slices_of(lane), StepLane { core: self.is_of_engines(lane).then_some(root.name), last: None })
        };
        let mut known: FxHashMap<(StrId, StrId), u32> = FxHashMap::default();
        let mut number = |key| {
            let n = known.len() as u32;
            *known.entry(key).or_insert(n)
        };
        let pick = |lane: &mut StepLane, slice: usize| {
            let Some(core) = lane.core.filter(|_| self.has_engine(slice)) else {
                return self.has_arrow.get(slice).copied().unwrap_or(false).then_some((slice, None));
            };
            let engine = self.engines[slice];
            let at = lane.last.filter(|last| last.0 == engine).map_or_else(|| number((core, engine)), |last| last.1);
            lane.last = Some((engine, at));
            Some((slice, Some(at)))
        };
        lanes::for_each_by_start(profile, profile.meta.range, self.lanes.iter().map(of_lane), pick, |_, (slice, engine)| {
            each(slice, engine)
        });
    }

    fn is_of_engines(&self, lane: &Lane) -> bool {
        !self.engines.is_empty() && self.profile.tracks[lane.track.index()].kind == TrackKind::Engine
    }
}

fn slices_of(lane: &Lane) -> Range<usize> {
    lane.first as usize..lane.end as usize
}
