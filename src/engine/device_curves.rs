//! Computed counters of a device profile, added to the columns for the page.

use super::page_columns::PageMeta;
use crate::analysis::device::activity::curves;
use crate::base::TrackId;
use crate::model::{Counter, NeuronDevice, Profile, Series, Track, TrackKind};

/// Adds the curves of a device profile.
pub(super) fn add(profile: &Profile, device: &NeuronDevice, meta: &mut PageMeta) {
    curves::lines(profile, device).into_iter().for_each(|line| add_line(meta, line));
}

/// A row of its own for a curve of a core.
fn add_line(meta: &mut PageMeta, line: curves::Line) {
    let level = line.group.and_then(|g| meta.tracks.get(g.index())).map_or(0, |g| g.level + 1);
    let track = Track { parent: line.group, level, name: meta.strings.push(line.name), kind: TrackKind::Counter, lanes: 0..0 };
    meta.counters.push(Counter {
        track: TrackId(meta.tracks.len() as u32),
        unit: line.unit.into(),
        is_stacked: false,
        times: line.times,
        series: vec![Series { name: line.name.into(), values: line.values }],
    });
    meta.tracks.push(track);
}
