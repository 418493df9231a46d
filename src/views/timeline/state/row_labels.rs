//! What the labels of the rows say. Knows no browser.

use super::timeline_state::TimelineState;
use crate::base::{TrackId, text};
use crate::engine::TrackKind;
use crate::views::timeline::rows::layout::Row;

/// A row's label. Places in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The row's track.
    pub track: TrackId,
    /// Top, in the layout.
    pub y: i32,
    /// Height.
    pub height: i32,
    /// Groups above.
    pub level: u16,
    /// The track's name.
    pub name: String,
    /// Names from the root.
    pub path: String,
    /// Bytes of the name that another row of its group begins with too.
    pub n_alike: usize,
    /// Whether it can be closed.
    pub can_fold: bool,
    /// Whether it is open.
    pub is_open: bool,
    /// Whether it is a group.
    pub is_group: bool,
    /// Whether it is pinned to the top.
    pub is_pinned: bool,
    /// What is inside a closed group, or how many lanes are folded.
    pub summary: String,
    /// Busy share of a closed group.
    pub busy_share: Option<f64>,
}

/// Labels of the pinned rows and of those between `top` and `bottom`.
pub fn labels(core: &TimelineState, top: i32, bottom: i32) -> Vec<Label> {
    core.rows.pinned.iter().chain(core.rows.between(top, bottom)).map(|row| label(core, row)).collect()
}

fn label(core: &TimelineState, row: &Row) -> Label {
    let info = &core.index.tracks[row.track.index()];
    let track = &core.columns.info.tracks[row.track.index()];
    let is_group = track.kind == TrackKind::Group || row.header > 0;
    let is_closed_group = is_group && !row.is_open;
    let share = info.busy_share.map_or(String::new(), |s| format!(", busy {}", text::percent(s)));
    let summary = match (is_closed_group, row.n_folded) {
        (true, _) => format!("{} rows inside{share}", info.children.len()),
        (false, 1) if row.picked.is_some() => {
            format!("{} of {} levels: Python functions are collapsed{share}", row.lanes.1, track.lanes.len())
        }
        (false, 2..) => format!("{} lanes merged{share}", row.n_folded),
        _ => share.trim_start_matches(", ").to_string(),
    };
    Label {
        track: row.track,
        y: row.y,
        height: row.height,
        level: row.level,
        name: core.columns.info.strings.get(track.name).to_string(),
        path: info.path.clone(),
        n_alike: info.n_alike,
        can_fold: row.can_fold,
        is_open: row.is_open,
        is_group,
        is_pinned: row.is_pinned,
        summary,
        busy_share: info.busy_share.filter(|_| is_closed_group),
    }
}
