//! Everything the model knows of one slice: its times, what holds it, what it waits for and what waits for it.

use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange};
use crate::model::{Domain, Profile};
use serde::{Deserialize, Serialize};

/// The other end of an arrow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The slice.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// Path of its track.
    pub track: String,
    /// What the arrow means.
    pub kind: String,
    /// From the end of the earlier one to the start of the later one; negative when they overlap.
    pub gap_ns: i64,
}

/// What surrounds a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// Duration without its children. `None` for instructions and transfers of a Neuron device: where they overlap, none holds the other.
    pub self_time: Option<DurationNs>,
    /// Slices it depends on or was launched by.
    pub predecessors: Vec<Neighbour>,
    /// Slices that depend on it.
    pub successors: Vec<Neighbour>,
    /// The chain of slices that hold it, innermost first. None on a Neuron device: see `self_time`.
    pub parents: Vec<Neighbour>,
}

const MAX_PARENTS: usize = 256;
const MAX_NEIGHBOURS: usize = 1000;

/// Own time and neighbours of `slice`, which exists.
pub fn surroundings(profile: &Profile, slice: SliceId) -> Surroundings {
    let slices = &profile.slices;
    let incoming = profile.flows.incoming(slice).take(MAX_NEIGHBOURS);
    let outgoing = profile.flows.outgoing(slice).take(MAX_NEIGHBOURS);
    let innermost = slices.parent(slice).filter(|_| can_hold(profile));
    let parents = std::iter::successors(innermost, |&p| slices.parent(p)).take(MAX_PARENTS);
    Surroundings {
        self_time: self_time(profile, slice),
        predecessors: incoming.map(|(from, kind)| neighbour(profile, from, kind, gap(profile, from, slice))).collect(),
        successors: outgoing.map(|(to, kind)| neighbour(profile, to, kind, gap(profile, slice, to))).collect(),
        parents: parents.map(|p| neighbour(profile, p, StrId(0), 0)).collect(),
    }
}

/// The time of `slice` that no deeper lane of its track covers: as in the Operators view. `None` for instructions and transfers of a Neuron device: where they overlap, none holds the other.
pub fn self_time(profile: &Profile, slice: SliceId) -> Option<DurationNs> {
    if !can_hold(profile) {
        return None;
    }
    let slices = &profile.slices;
    let range = TimeRange { start: TimeNs(slices.start[slice.index()]), end: TimeNs(slices.end(slice.index())) };
    let track = profile.track_of(slice)?;
    let mut own = 0;
    super::self_time::self_times(profile, track, Some(range), |i, owned| {
        if i == slice.index() {
            own = owned;
        }
    });
    Some(DurationNs(own))
}

/// Whether a slice in a deeper lane is a part of the one above it. Instructions and transfers of a Neuron device only overlap.
fn can_hold(profile: &Profile) -> bool {
    !matches!(profile.domain, Domain::NeuronDevice(_))
}

/// From the end of the earlier to the start of the later.
fn gap(profile: &Profile, from: SliceId, to: SliceId) -> i64 {
    profile.slices.start[to.index()].saturating_sub(profile.slices.end(from.index()))
}

/// `slice` as the other end of an arrow of that kind.
pub fn neighbour(profile: &Profile, slice: SliceId, kind: StrId, gap_ns: i64) -> Neighbour {
    Neighbour { slice, name: profile.name_of(slice).into(), track: path_of(profile, slice), kind: profile.strings.get(kind).into(), gap_ns }
}

fn path_of(profile: &Profile, slice: SliceId) -> String {
    profile.track_of(slice).map(|t| profile.track_path(t)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::model::FlowTable;

    #[test]
    fn neighbours_parents_and_gaps() {
        let mut profile = drawn("p / t: a 0+100, b 10+20, c 15+5\n p / u: k 50+10");
        let at = |name: &str| (0..4).map(SliceId).find(|&s| profile.name_of(s) == name).expect("slice");
        let (b, c, k) = (at("b"), at("c"), at("k"));
        profile.flows = FlowTable::from_arrows(vec![(c, k, StrId(0))]);
        let got = surroundings(&profile, c);
        assert_eq!(got.parents.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(got.successors.iter().map(|n| (n.name.as_str(), n.gap_ns)).collect::<Vec<_>>(), [("k", 30)]);
        assert_eq!(surroundings(&profile, k).predecessors[0].track, "p / t");
        assert_eq!(surroundings(&profile, b).self_time, Some(DurationNs(15)));
    }

    #[test]
    fn on_a_device_nothing_holds_another() {
        let mut profile = drawn("p / t: a 0+100, b 10+20");
        profile.domain = Domain::NeuronDevice(Default::default());
        let got = (0..2).map(|i| surroundings(&profile, SliceId(i)));
        assert!(got.into_iter().all(|s| s.parents.is_empty() && s.self_time.is_none()));
    }
}
