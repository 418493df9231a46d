//! Arrows: ends that share category and id, bound to the slices they begin and end in.

use crate::base::{SliceId, StrId, TimeNs, TrackId};
use crate::model::{FlowTable, Profile};
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
    let mut bound = Bound::default();
    let mut arrows: Vec<(SliceId, SliceId, StrId)> = Vec::new();
    // Stable: of ends at one moment, the one written first is first.
    ends.sort_by_key(|e| (e.kind, e.id, e.time, e.phase() != b's'));
    for group in ends.chunk_by(|a, b| (a.kind, a.id) == (b.kind, b.id)) {
        let slice_of = |end: &FlowEnd| {
            let track = (*track_of_raw.get(end.track().index())?)?;
            profile.slice_at(track, TimeNs(end.time.saturating_add(offset)))
        };
        // A record is one end. It is shown if one of its arrows is.
        let mut is_shown: Vec<Option<bool>> = vec![None; group.len()];
        for (from, to) in pairs(group, &mut bound) {
            let ends = slice_of(&group[from]).zip(slice_of(&group[to]));
            arrows.extend(ends.map(|(a, b)| (a, b, group[from].kind)));
            for end in [from, to] {
                is_shown[end] = Some(ends.is_some() || is_shown[end] == Some(true));
            }
        }
        bound.n_shown += is_shown.iter().filter(|shown| **shown == Some(true)).count() as u64;
        bound.n_without_slice += is_shown.iter().filter(|shown| **shown == Some(false)).count() as u64;
    }
    profile.flows = FlowTable::from_arrows(arrows);
    bound
}

/// Positions of the two ends of each arrow in a group that is sorted by time.
fn pairs(group: &[FlowEnd], bound: &mut Bound) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let starts: Vec<usize> = (0..group.len()).filter(|&i| group[i].phase() == b's').collect();
    // With one start, everything belongs to it, even what a skewed clock puts before it.
    let mut last = if starts.len() == 1 { starts.first().copied() } else { None };
    let mut has_end = false;
    for (i, end) in group.iter().enumerate() {
        if end.phase() == b's' {
            if starts.len() > 1 && last.is_some() && !has_end {
                bound.n_single += 1;
            }
            last = Some(i);
            has_end = starts.len() == 1 && has_end;
            continue;
        }
        match last {
            Some(from) => {
                out.push((from, i));
                has_end = true;
                // A step is where the next part begins.
                last = Some(if end.phase() == b't' { i } else { from });
            }
            None => bound.n_single += 1,
        }
    }
    if last.is_some() && !has_end {
        bound.n_single += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ends: &[(u8, i64)], want: &[(usize, usize)], n_single: u64) {
        let group: Vec<FlowEnd> = ends.iter().map(|&(phase, time)| FlowEnd::new(StrId(1), 1, TrackId(0), time, phase)).collect();
        let mut bound = Bound::default();
        assert_eq!(pairs(&group, &mut bound), want, "{ends:?}");
        assert_eq!(bound.n_single, n_single, "{ends:?}");
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
