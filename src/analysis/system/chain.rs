//! What leads to an event and what follows from it, along the flows.

use super::View;
use crate::base::{DurationNs, SliceId, StrId, TimeNs};
use crate::model::{NeuronSystem, Profile};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Events before and after one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The event.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// What leads to it, nearest first.
    pub upstream: Vec<ChainRow>,
    /// What follows from it, nearest first.
    pub downstream: Vec<ChainRow>,
    /// Events beyond these are not listed.
    pub is_cut: bool,
}

/// An event of a chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainRow {
    /// Its slice.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// Its id in the file.
    pub event: String,
    /// The flows that lead there.
    pub flows: String,
    /// framework, neuron_rt or neuron_hw.
    pub source: String,
    /// When it begins.
    pub start: TimeNs,
    /// How long it takes.
    pub duration: DurationNs,
    /// How many arrows away.
    pub depth: u32,
}

/// The most events of one direction.
const MOST: usize = 200;

/// The chain of `slice`, which exists.
pub fn chain(profile: &Profile, system: &NeuronSystem, slice: SliceId) -> Chain {
    let view = View { profile, system, range: None };
    let (upstream, is_cut_up) = walk(&view, slice, |s| profile.flows.incoming(s).map(|f| f.0).take(MOST).collect());
    let (downstream, is_cut_down) = walk(&view, slice, |s| profile.flows.outgoing(s).map(|f| f.0).take(MOST).collect());
    Chain { slice, name: profile.name_of(slice).into(), upstream, downstream, is_cut: is_cut_up || is_cut_down }
}

fn walk(view: &View<'_>, from: SliceId, next: impl Fn(SliceId) -> Vec<SliceId>) -> (Vec<ChainRow>, bool) {
    let mut seen: FxHashSet<SliceId> = [from].into_iter().collect();
    let mut out = Vec::new();
    let mut ring = vec![from];
    let mut depth = 1;
    while !ring.is_empty() {
        let mut outer = Vec::new();
        for (near, slice) in ring.iter().flat_map(|&s| next(s).into_iter().map(move |n| (s, n))) {
            if !seen.insert(slice) {
                continue;
            }
            if out.len() == MOST {
                return (out, true);
            }
            out.push(row(view, near, slice, depth));
            outer.push(slice);
        }
        (ring, depth) = (outer, depth + 1);
    }
    (out, false)
}

fn row(view: &View<'_>, near: SliceId, slice: SliceId, depth: u32) -> ChainRow {
    let (profile, system) = (view.profile, view.system);
    let flow_of = |s: SliceId| system.flows.binary_search_by_key(&s, |f| f.slice).ok().map(|at| &system.flows[at]);
    let text = |id: StrId| profile.strings.get(id);
    let shared = flow_of(near).zip(flow_of(slice)).map(|(a, b)| b.flows.iter().filter(|f| a.flows.contains(f)).map(|f| text(*f)).collect());
    let source = profile.attribute("source").and_then(|a| a.values.get(slice.index()).copied());
    ChainRow {
        slice,
        name: profile.name_of(slice).into(),
        event: flow_of(slice).map_or(String::new(), |f| text(f.event).into()),
        flows: shared.map(|all: Vec<&str>| all.join(", ")).unwrap_or_default(),
        source: source.map_or(String::new(), |s| text(s).into()),
        start: TimeNs(profile.slices.start[slice.index()]),
        duration: DurationNs(profile.slices.duration[slice.index()]),
        depth,
    }
}
