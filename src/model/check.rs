//! Walks every index and every order of a profile.

use super::{NO_SLICE, Profile};

/// A rule that a table of a profile breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{table}{}: {rule}", row.map_or_else(String::new, |row| format!(" {row}")))]
pub struct BrokenRule {
    /// The table: "lanes".
    pub table: &'static str,
    /// The first row that breaks the rule, where one row does.
    pub row: Option<usize>,
    /// What is wrong.
    pub rule: &'static str,
}

impl From<(&'static str, &'static str)> for BrokenRule {
    fn from((table, rule): (&'static str, &'static str)) -> Self {
        BrokenRule { table, row: None, rule }
    }
}

impl From<(&'static str, usize, &'static str)> for BrokenRule {
    fn from((table, row, rule): (&'static str, usize, &'static str)) -> Self {
        BrokenRule { table, row: Some(row), rule }
    }
}

impl Profile {
    /// Fails with the first broken rule. For tests after every import; linear in the profile's size.
    pub fn check(&self) -> Result<(), BrokenRule> {
        self.check_columns()?;
        self.check_tracks()?;
        self.check_lanes()?;
        self.check_order()?;
        self.check_rest()?;
        self.check_domain()
    }

    fn check_columns(&self) -> Result<(), BrokenRule> {
        let n = self.slices.len();
        let s = &self.slices;
        let lengths = [s.duration.len(), s.name.len(), s.parent.len(), s.record.len(), s.by_start.len()];
        expect(lengths.iter().all(|&l| l == n), ("slices", "columns differ in length"))?;
        expect(self.attributes.iter().all(|a| a.values.len() == n), ("attributes", "as many values as there are slices are expected"))?;
        let ids = s.name.iter().chain(self.attributes.iter().flat_map(|a| &a.values)).chain(&self.instants.name).chain(&self.flows.kind);
        self.check_strings(ids.copied())
    }

    fn check_tracks(&self) -> Result<(), BrokenRule> {
        for (i, track) in self.tracks.iter().enumerate() {
            let level = track.parent.map(|p| {
                expect(p.index() < i, ("tracks", i, "is before its parent"))?;
                Ok::<_, BrokenRule>(self.tracks[p.index()].level + 1)
            });
            expect(track.level == level.transpose()?.unwrap_or(0), ("tracks", i, "is not one level below its parent"))?;
            expect(track.lanes.end as usize <= self.lanes.len(), ("tracks", i, "has lanes beyond the table"))?;
        }
        Ok(())
    }

    fn check_lanes(&self) -> Result<(), BrokenRule> {
        let mut next = 0;
        for (i, lane) in self.lanes.iter().enumerate() {
            expect(lane.first == next && lane.end > lane.first, ("lanes", i, "does not begin at the end of the lane before, or is empty"))?;
            next = lane.end;
            let range = &self.tracks.get(lane.track.index()).ok_or(("lanes", i, "has no track"))?.lanes;
            expect(range.start + u32::from(lane.depth) == i as u32 && range.contains(&(i as u32)), {
                ("lanes", i, "is not among the lanes of its track")
            })?;
            for s in lane.first as usize..lane.end as usize {
                expect(self.slices.duration[s] >= 0, ("slices", s, "has a negative duration"))?;
                let ok = s + 1 == lane.end as usize || self.slices.end(s) <= self.slices.start[s + 1];
                expect(ok, ("slices", s, "overlaps the next slice of its lane"))?;
            }
        }
        expect(next as usize == self.slices.len(), ("lanes", "do not cover the slices"))
    }

    fn check_order(&self) -> Result<(), BrokenRule> {
        let mut seen = vec![false; self.slices.len()];
        for t in 0..self.tracks.len() {
            let range = self.slices_of(crate::base::TrackId(t as u32));
            let ids = &self.slices.by_start[range.clone()];
            for &id in ids {
                expect(range.contains(&(id as usize)) && !std::mem::replace(&mut seen[id as usize], true), {
                    ("tracks", t, "has an order by start that is no permutation of its slices")
                })?;
            }
            expect(ids.is_sorted_by_key(|&i| (self.slices.start[i as usize], -self.slices.duration[i as usize])), {
                ("tracks", t, "has an order by start that is not sorted")
            })?;
        }
        for (i, &p) in self.slices.parent.iter().enumerate().filter(|(_, p)| **p != NO_SLICE) {
            let p = p as usize;
            expect(p < self.slices.len(), ("slices", i, "has a parent beyond the table"))?;
            let holds = self.slices.start[p] <= self.slices.start[i] && self.slices.end(p) >= self.slices.end(i);
            expect(holds, ("slices", i, "is not within its parent"))?;
        }
        Ok(())
    }

    fn check_rest(&self) -> Result<(), BrokenRule> {
        let n = self.slices.len();
        let f = &self.flows;
        expect(f.to.len() == f.from.len() && f.kind.len() == f.from.len() && f.by_to.len() == f.from.len(), {
            ("flows", "columns differ in length")
        })?;
        expect(f.from.iter().chain(&f.to).all(|s| s.index() < n), ("flows", "a flow points beyond the slices"))?;
        expect(f.from.is_sorted(), ("flows", "are not sorted"))?;
        for c in &self.counters {
            expect(c.track.index() < self.tracks.len(), ("counters", "a counter has no track"))?;
            expect(c.times.is_sorted() && c.series.iter().all(|s| s.values.len() == c.times.len()), {
                ("counters", "samples are not in order, or series differ in length")
            })?;
        }
        let i = &self.instants;
        let n = i.track.len();
        expect(i.time.len() == n && i.name.len() == n && i.record.len() == n, ("instants", "columns differ in length"))?;
        expect(i.track.runs().all(|run| run.0.index() < self.tracks.len()), ("instants", "an instant has no track"))
    }
}

pub(super) fn expect(holds: bool, rule: impl Into<BrokenRule>) -> Result<(), BrokenRule> {
    if holds { Ok(()) } else { Err(rule.into()) }
}
