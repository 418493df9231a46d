//! The steps that a chain can have, in the order in which they are visited.

use crate::analysis::device::activity::lanes;
use crate::base::{StrId, for_each_of};
use crate::model::{Column, Lane, Profile, TrackKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Instructions, and what arrows lead to or from.
pub(super) struct Steps<'a> {
    profile: &'a Profile,
    engines: Option<&'a Column<StrId>>,
    /// Slice by slice, whether an arrow begins or ends there; empty without arrows.
    has_arrow: Vec<bool>,
    lanes: Vec<Lane>,
}

/// A step as it goes by.
pub(super) struct Step {
    pub slice: usize,
    /// Number of its engine, counted from 0 over the cores; `None` for what no engine ran.
    pub engine: Option<u32>,
    /// Number of its lane, counted from 0 over the lanes with steps.
    pub lane: u32,
}

impl<'a> Steps<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let mut has_arrow = Vec::new();
        if !profile.flows.from.is_empty() {
            has_arrow.resize(profile.slices.len(), false);
            for_each_of(&profile.flows.from, |slice| has_arrow[slice.index()] = true);
            for_each_of(&profile.flows.to, |slice| has_arrow[slice.index()] = true);
        }
        let engines = profile.attribute("engine").map(|a| &a.values);
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

    fn has_engine(&self, slice: usize) -> bool {
        self.engine(slice).is_some()
    }

    fn engine(&self, slice: usize) -> Option<StrId> {
        self.engines?.at(slice).filter(|engine| *engine != StrId(0))
    }

    /// How many lanes have steps.
    pub fn n_lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Calls `each` with the steps by (start, slice).
    pub fn for_each(&self, mut each: impl FnMut(Step)) {
        let profile = self.profile;
        let roots = crate::analysis::device::waiting::signals::roots(profile);
        let core = |lane: &Lane| profile.tracks[roots[lane.track.index()] as usize].name;
        let cores: Vec<Option<StrId>> = self.lanes.iter().map(|lane| self.is_of_engines(lane).then(|| core(lane))).collect();
        let mut numbers: FxHashMap<(StrId, StrId), u32> = FxHashMap::default();
        // The engine of the last step of each lane, with its number: most lanes are of one engine.
        let mut last: Vec<Option<(StrId, u32)>> = vec![None; self.lanes.len()];
        let mut number = |lane: usize, slice: usize| {
            let (core, engine) = (cores[lane]?, self.engine(slice)?);
            let known = last[lane].filter(|last| last.0 == engine).unwrap_or_else(|| {
                let n = numbers.len() as u32;
                (engine, *numbers.entry((core, engine)).or_insert(n))
            });
            last[lane] = Some(known);
            Some(known.1)
        };
        let is_step = |lane: u32, slice: usize| {
            let is_executed = cores[lane as usize].is_some() && self.has_engine(slice);
            is_executed || self.has_arrow.get(slice).copied().unwrap_or(false)
        };
        let pick = |lane: &mut u32, slice: usize| is_step(*lane, slice).then_some((slice as u32, *lane));
        let lanes = self.lanes.iter().map(slices_of).zip(0u32..);
        lanes::for_each_by_start(profile, profile.meta.range, lanes, pick, |_, (slice, lane)| {
            let slice = slice as usize;
            each(Step { slice, engine: number(lane as usize, slice), lane });
        });
    }

    fn is_of_engines(&self, lane: &Lane) -> bool {
        self.engines.is_some() && self.profile.tracks[lane.track.index()].kind == TrackKind::Engine
    }
}

fn slices_of(lane: &Lane) -> Range<usize> {
    lane.first as usize..lane.end as usize
}
