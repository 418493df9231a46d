//! Arrows: ends that share category and id, bound to the slices they begin and end in.

use crate::base::{SliceId, StrId, TimeNs, TrackId};
use crate::model::{FlowTable, Profile, SliceFinder};
use bytemuck::{Pod, Zeroable};

/// One end of an arrow as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FlowEnd {
    /// Id, numbers and texts apart.
    pub id: u64,
    /// When.
    pub time: i64,
    /// Category.
    pub kind: StrId,
    /// Raw track, and in the lowest two bits the phase: there are as many of these as of launches and kernels together.
    track_and_phase: u32,
}

const PHASES: &[u8; 3] = b"stf";

impl FlowEnd {
    /// An end; `phase` is `s`, `t` or `f`.
    pub fn new(kind: StrId, id: u64, track: TrackId, time: i64, phase: u8) -> Self {
        let phase = PHASES.iter().position(|p| *p == phase).unwrap_or(2) as u32;
        FlowEnd { id, time, kind, track_and_phase: track.0 << 2 | phase }
    }

    /// Raw track.
    pub fn track(&self) -> TrackId {
        TrackId(self.track_and_phase >> 2)
    }

    /// `s`, `t` or `f`.
    pub fn phase(&self) -> u8 {
        PHASES[(self.track_and_phase & 3) as usize % PHASES.len()]
    }
}

/// What became of the ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    /// Ends that are part of an arrow.
    pub n_shown: u64,
    /// Ends without their other end in the file.
    pub n_single: u64,
    /// Ends with another end, but no slice at their time.
    pub n_without_slice: u64,
}

/// Turns ends into arrows of a finished profile. Times of ends are moved by `offset`, as those of the slices were.
pub fn bind(profile: &mut Profile, mut ends: Vec<FlowEnd>, offset: i64, track_of_raw: &[Option<TrackId>]) -> Bound {
    // Stable: of ends at one moment, the one written first is first.
    ends.sort_by_key(|e| (e.kind, e.id, e.time, e.phase() != b's'));
    let mut binder =
        Binder { finder: SliceFinder::new(profile), offset, track_of_raw, bound: Bound::default(), arrows: Vec::new(), shown: Vec::new() };
    ends.chunk_by(|a, b| (a.kind, a.id) == (b.kind, b.id)).for_each(|group| binder.group(group));
    let Binder { bound, arrows, .. } = binder;
    profile.flows = FlowTable::from_arrows(arrows);
    bound
}

/// Ends that become arrows, group by group.
struct Binder<'a> {
    finder: SliceFinder<'a>,
    offset: i64,
    track_of_raw: &'a [Option<TrackId>],
    bound: Bound,
    arrows: Vec<(SliceId, SliceId, StrId)>,
    /// Of a group: whether an end is of an arrow that is shown; `None` while it is of none.
    shown: Vec<Option<bool>>,
}

impl Binder<'_> {
    /// The ends that share category and id, by time. A function of its own, since a browser enters an optimized build only at a call.
    #[inline(never)]
    fn group(&mut self, group: &[FlowEnd]) {
        self.shown.clear();
        self.shown.resize(group.len(), None);
        let n_single = pairs(group, &mut |from, to| self.arrow(group, from, to));
        // A record is one end. It is shown if one of its arrows is.
        let n_of = |shown| self.shown.iter().filter(|s| **s == Some(shown)).count() as u64;
        let (n_shown, n_without_slice) = (n_of(true), n_of(false));
        self.bound.n_shown += n_shown;
        self.bound.n_single += n_single;
        self.bound.n_without_slice += n_without_slice;
    }

    fn arrow(&mut self, group: &[FlowEnd], from: usize, to: usize) {
        let ends = self.slice_of(&group[from]).zip(self.slice_of(&group[to]));
        self.arrows.extend(ends.map(|(a, b)| (a, b, group[from].kind)));
        for end in [from, to] {
            self.shown[end] = Some(ends.is_some() || self.shown[end] == Some(true));
        }
    }

    fn slice_of(&mut self, end: &FlowEnd) -> Option<SliceId> {
        let track = (*self.track_of_raw.get(end.track().index())?)?;
        self.finder.at(track, TimeNs(end.time.saturating_add(self.offset)))
    }
}

/// Calls `arrow` with the positions of its two ends, for each arrow in a group that is sorted by time. Returns how many ends are of no arrow.
fn pairs(group: &[FlowEnd], arrow: &mut dyn FnMut(usize, usize)) -> u64 {
    let is_start = |end: &FlowEnd| end.phase() == b's';
    let n_starts = group.iter().filter(|end| is_start(end)).count();
    // With one start, everything belongs to it, even what a skewed clock puts before it.
    let mut last = if n_starts == 1 { group.iter().position(is_start) } else { None };
    let (mut has_end, mut n_single) = (false, 0);
    for (i, end) in group.iter().enumerate() {
        if is_start(end) {
            n_single += u64::from(n_starts > 1 && last.is_some() && !has_end);
            last = Some(i);
            has_end = n_starts == 1 && has_end;
            continue;
        }
        match last {
            Some(from) => {
                arrow(from, i);
                has_end = true;
                // A step is where the next part begins.
                last = Some(if end.phase() == b't' { i } else { from });
            }
            None => n_single += 1,
        }
    }
    n_single + u64::from(last.is_some() && !has_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ends: &[(u8, i64)], want: &[(usize, usize)], n_single: u64) {
        let group: Vec<FlowEnd> = ends.iter().map(|&(phase, time)| FlowEnd::new(StrId(1), 1, TrackId(0), time, phase)).collect();
        let mut found = Vec::new();
        assert_eq!(pairs(&group, &mut |from, to| found.push((from, to))), n_single, "{ends:?}");
        assert_eq!(found, want, "{ends:?}");
    }

    #[test]
    fn ends_are_paired_within_an_id() {
        check(&[(b's', 0), (b'f', 5)], &[(0, 1)], 0);
        check(&[(b'f', 0), (b's', 5)], &[(1, 0)], 0);
        check(&[(b's', 0), (b't', 5), (b'f', 9)], &[(0, 1), (1, 2)], 0);
        check(&[(b's', 0), (b'f', 1), (b's', 2), (b'f', 3)], &[(0, 1), (2, 3)], 0);
        check(&[(b's', 0), (b's', 2), (b'f', 3)], &[(1, 2)], 1);
        check(&[(b'f', 0)], &[], 1);
        check(&[(b's', 0)], &[], 1);
        check(&[(b's', 0), (b'f', 1), (b'f', 2)], &[(0, 1), (0, 2)], 0);
    }
}
