//! Adds what another builder wrote from a later part of the same file.

use super::{ColumnId, Extra, ExtraKind, ProfileBuilder, RawSliceId};
use crate::base::{StrId, TrackId};

/// Ids of one builder in another.
pub struct Renamed<'a> {
    /// Indexed by string of the one that is added.
    pub strings: &'a [StrId],
    /// Indexed by track of the one that is added.
    pub tracks: &'a [TrackId],
}

impl Renamed<'_> {
    /// A string.
    #[inline]
    pub fn string(&self, id: StrId) -> StrId {
        self.strings.get(id.index()).copied().unwrap_or_default()
    }

    /// A track.
    #[inline]
    pub fn track(&self, id: TrackId) -> TrackId {
        self.tracks.get(id.index()).copied().unwrap_or_default()
    }
}

impl ProfileBuilder {
    /// Adds slices and instants of `later`, which has the same columns, after those of this one. Returns the raw id of its first slice.
    /// Its tracks and strings are added before, by whoever knows what they are; it has no counters, arrows and tables yet.
    pub fn append(&mut self, later: ProfileBuilder, renamed: &Renamed<'_>) -> RawSliceId {
        debug_assert!(
            later.counters.is_empty() && later.flows.is_empty() && later.tables.is_empty() && later.rows.is_empty(),
            "they are made at the end"
        );
        let first = self.start.len() as RawSliceId;
        self.track.append(later.track, |track| renamed.track(TrackId(track)).0);
        self.start.append(later.start, |start| start);
        self.duration.append(later.duration);
        self.name.pad(first as usize, StrId(0));
        self.name.append(later.name, |name| renamed.string(name));
        self.record.append(first as usize, later.record);
        self.second.extend(later.second.into_iter().map(|(slice, record)| (slice + first, record)));
        for (column, Extra { kind, values: more, .. }) in self.extras.iter_mut().zip(later.extras) {
            if more.is_empty() {
                continue;
            }
            let Extra { default, values, .. } = column;
            if values.is_empty() {
                values.expect(self.n_expected);
            }
            values.pad(first as usize, *default);
            match kind {
                ExtraKind::Attribute { .. } => values.append(more, |value| renamed.string(StrId(value)).0),
                ExtraKind::Number => values.append(more, |value| value),
            }
        }
        self.instants.append(later.instants, |track| renamed.track(track), |string| renamed.string(string));
        first
    }

    /// Gives every number that was set in a further column another one.
    pub fn renumber(&mut self, column: ColumnId, number: impl Fn(u32) -> u32) {
        let Extra { default, values, .. } = &mut self.extras[column.0];
        values.iter_mut().filter(|value| *value != default).for_each(|value| *value = number(*value));
    }

    /// What tracks were asked for, by id.
    pub fn track_specs(&self) -> &[super::TrackSpec] {
        &self.tracks
    }
}
