//! Busy time of the rows of a run.

use super::{slices, span, tracks};
use crate::analysis::spans::Spans;
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Role};

/// Busy time of each row that these values are of, computed once for all of them.
pub(super) struct Busy<'a> {
    pub log: &'a NeuronLog,
    /// Indexed by track; empty for rows of other kinds.
    pub of_track: Vec<Spans>,
}

impl<'a> Busy<'a> {
    pub fn new(profile: &Profile, log: &'a NeuronLog) -> Self {
        let mut of_track = vec![Spans::default(); log.roles.len()];
        for track in tracks(log, is_listed) {
            of_track[track.index()] = Spans::union(slices(profile, track).map(|s| span(profile, s)));
        }
        Busy { log, of_track }
    }

    /// Busy time of some rows together.
    pub fn of(&self, is_wanted: impl Fn(Role) -> bool) -> Spans {
        let wanted = tracks(self.log, |r| is_listed(r) && is_wanted(r));
        match wanted.as_slice() {
            [one] => self.of_track[one.index()].clone(),
            _ => Spans::union(wanted.iter().flat_map(|t| self.of_track[t.index()].0.iter().copied())),
        }
    }
}

/// Whether a row is listed with its busy time.
pub(super) fn is_listed(role: Role) -> bool {
    role != Role::Other && role != Role::Host
}
