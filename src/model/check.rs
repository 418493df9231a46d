//! Walks every index and every order of a profile.

use super::{NO_SLICE, Profile};

impl Profile {
    /// Fails with the first broken rule. For tests after every import; linear in the profile's size.
    pub fn check(&self) -> Result<(), String> {
        self.check_columns()?;
        self.check_tracks()?;
        self.check_lanes()?;
        self.check_order()?;
        self.check_rest()?;
        self.check_domain()
    }

    fn check_columns(&self) -> Result<(), String> {
        let n = self.slices.len();
        let s = &self.slices;
        let lengths = [s.duration.len(), s.name.len(), s.parent.len(), s.record.len(), s.by_start.len()];
        expect(lengths.iter().all(|&l| l == n), || format!("slice columns differ in length: {n}, {lengths:?}"))?;
        expect(self.attributes.iter().all(|a| a.values.len() == n), || "an attribute has another length than the slices".into())?;
        let ids = s.name.iter().chain(self.attributes.iter().flat_map(|a| &a.values)).chain(&self.instants.name).chain(&self.flows.kind);
        self.check_strings(ids.copied())
    }

    fn check_tracks(&self) -> Result<(), String> {
        for (i, track) in self.tracks.iter().enumerate() {
            let level = track.parent.map(|p| {
                expect(p.index() < i, || format!("track {i} stands before its parent"))?;
                Ok::<_, String>(self.tracks[p.index()].level + 1)
            });
            expect(track.level == level.transpose()?.unwrap_or(0), || format!("track {i} has a wrong level"))?;
            expect(track.lanes.end as usize <= self.lanes.len(), || format!("track {i} has lanes beyond the table"))?;
        }
        Ok(())
    }

    fn check_lanes(&self) -> Result<(), String> {
        let mut next = 0;
        for (i, lane) in self.lanes.iter().enumerate() {
            expect(lane.first == next && lane.end > lane.first, || format!("lane {i} does not follow the one before"))?;
            next = lane.end;
            let range = &self.tracks.get(lane.track.index()).ok_or_else(|| format!("lane {i} has no track"))?.lanes;
            expect(range.start + u32::from(lane.depth) == i as u32 && range.contains(&(i as u32)), || {
                format!("lane {i} is not its track's")
            })?;
            for s in lane.first as usize..lane.end as usize {
                expect(self.slices.duration[s] >= 0, || format!("slice {s} has a negative duration"))?;
                let ok = s + 1 == lane.end as usize || self.slices.end(s) <= self.slices.start[s + 1];
                expect(ok, || format!("slices {s} and {} of lane {i} overlap", s + 1))?;
            }
        }
        expect(next as usize == self.slices.len(), || "lanes do not cover the slices".into())
    }

    fn check_order(&self) -> Result<(), String> {
        let mut seen = vec![false; self.slices.len()];
        for t in 0..self.tracks.len() {
            let range = self.slices_of(crate::base::TrackId(t as u32));
            let ids = &self.slices.by_start[range.clone()];
            for &id in ids {
                expect(range.contains(&(id as usize)) && !std::mem::replace(&mut seen[id as usize], true), || {
                    format!("by_start of track {t} is no permutation")
                })?;
            }
            expect(ids.is_sorted_by_key(|&i| (self.slices.start[i as usize], -self.slices.duration[i as usize])), || {
                format!("by_start of track {t} is not sorted")
            })?;
        }
        for (i, &p) in self.slices.parent.iter().enumerate().filter(|(_, p)| **p != NO_SLICE) {
            let p = p as usize;
            expect(p < self.slices.len(), || format!("slice {i} has a parent beyond the table"))?;
            let holds = self.slices.start[p] <= self.slices.start[i] && self.slices.end(p) >= self.slices.end(i);
            expect(holds, || format!("slice {i} is not inside its parent {p}"))?;
        }
        Ok(())
    }

    fn check_rest(&self) -> Result<(), String> {
        let n = self.slices.len();
        let f = &self.flows;
        expect(f.to.len() == f.from.len() && f.kind.len() == f.from.len() && f.by_to.len() == f.from.len(), || {
            "flow columns differ in length".into()
        })?;
        expect(f.from.iter().chain(&f.to).all(|s| s.index() < n), || "a flow points beyond the slices".into())?;
        expect(f.from.is_sorted(), || "flows are not sorted".into())?;
        for c in &self.counters {
            expect(c.track.index() < self.tracks.len(), || "a counter has no track".into())?;
            expect(c.times.is_sorted() && c.series.iter().all(|s| s.values.len() == c.times.len()), || {
                "a counter's samples are not in order".into()
            })?;
        }
        let i = &self.instants;
        let n = i.track.len();
        expect(i.time.len() == n && i.name.len() == n && i.record.len() == n, || "instant columns differ in length".into())?;
        expect(i.track.iter().all(|t| t.index() < self.tracks.len()), || "an instant has no track".into())
    }
}

pub(super) fn expect(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}
