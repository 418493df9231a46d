//! What is painted beside slices: instants, counters, and what a closed group sums up.

use super::lane::Ink;
use super::scene::{Scene, Shot, Text, TextInk};
use super::theme::Theme;
use crate::base::colour_slots::by_index;
use crate::base::{StrId, TrackId};
use crate::engine::page_columns::PageMeta;
use crate::ui::raster::{Pixel, blend};
use crate::views::timeline::lookup::counter::{samples_in, value_text};
use crate::views::timeline::lookup::lod::seek;
use crate::views::timeline::rows::kinds::own_name;
use crate::views::timeline::rows::layout::{COUNTER, Row};

/// Evaluations a closed group may cost in a frame.
const SUMMARY_BUDGET: usize = 16_000;

/// The colour of a tick for instants of these names: red if one is an error, blue if all are warnings or notifications.
fn tick_colour(info: &PageMeta, theme: &Theme, track: TrackId, mut names: impl Iterator<Item = StrId>) -> Pixel {
    let strings = &info.strings;
    if own_name(strings.get(info.tracks[track.index()].name)) != "Errors" {
        return theme.text;
    }
    let is_remark = |name: StrId| ["Warning: ", "Notification: "].iter().any(|kind| strings.get(name).starts_with(kind));
    if names.all(is_remark) { theme.successor } else { theme.predecessor }
}

impl Scene {
    /// Mean busy share of what a closed group holds, from left to right.
    pub(crate) fn summary(&mut self, shot: &Shot, ink: &Ink, row: &Row, top: i32, bottom: i32) {
        let lanes = &shot.index.tracks[row.track.index()].outer_lanes;
        if lanes.is_empty() {
            return;
        }
        let width = self.raster.width;
        let step = (lanes.len() * width).div_ceil(SUMMARY_BUDGET).max(1);
        for x in (0..width).step_by(step) {
            let (t0, t1) = (ink.scale.time(x as f64), ink.scale.time((x + step) as f64));
            let lods = lanes.iter().filter_map(|&lane| shot.index.lod(shot.columns, lane));
            let busy: i64 = lods.map(|lod| lod.busy_between(&shot.columns.start, &shot.columns.duration, t0, t1)).sum();
            let share = busy as f64 / ((t1 - t0).max(1) as f64 * lanes.len() as f64);
            if busy > 0 {
                let colour = blend(shot.theme.raised, shot.theme.accent, (share as f32 * 0.85).max(0.12));
                self.raster.fill(x as i32, top, (x + step) as i32, bottom, colour);
            }
        }
    }

    pub(crate) fn instants(&mut self, shot: &Shot, ink: &Ink, row: &Row, top: i32, bottom: i32) {
        let range = shot.index.tracks[row.track.index()].instants.clone();
        if range.is_empty() || (row.header > 0 && !row.is_open) {
            return;
        }
        let (times, names) = (&shot.columns.info.instants.time, &shot.columns.info.instants.name);
        // Over slices a tick stays short, so that their names can be read.
        let has_slices = row.lanes.1 > 0;
        let bottom = if has_slices { top + (bottom - top) / 6 } else { bottom };
        let thick = shot.dpr.round().max(1.0) as i32;
        let mut i = times.partition_point(range.clone(), |t| t < ink.scale.time(0.0));
        while i < range.end {
            let x = ink.scale.px(times.value_at(i)).floor() as i32;
            if x > self.raster.width as i32 {
                break;
            }
            let last = i;
            i = seek(|i| times.value_at(i), i, range.end, ink.scale.time(f64::from(x + 1))).max(i + 1);
            let is_picked = |name: StrId| shot.picked.is_none_or(|picked| picked.get(name.index()).is_some_and(|p| *p));
            let of_column = (last..i).map(|i| names.value_at(i));
            if !of_column.clone().any(is_picked) {
                continue;
            }
            // The last moment of the profile is often an instant: it is drawn at the edge, not beyond it.
            let x = x.min(self.raster.width as i32 - thick);
            let colour = tick_colour(&shot.columns.info, shot.theme, row.track, of_column);
            self.raster.fill(x, top, x + thick, bottom, colour);
            if !has_slices {
                self.raster.fill(x - 2 * thick, top, x + 3 * thick, top + 2 * thick, colour);
            }
        }
    }

    pub(crate) fn counter(&mut self, shot: &Shot, ink: &Ink, counter: usize, y: f64) {
        let of_run = shot.columns.info.counters.get(counter).zip(shot.index.counters.get(counter));
        let Some((c, lod)) = shot.curves.get(counter).or(of_run) else { return };
        let dpx = |y: f64| (y * shot.dpr).round() as i32;
        let (top, base) = (dpx(y + 3.0), dpx(y + f64::from(COUNTER) - 2.0));
        let height = f64::from(base - top);
        let at = |v: f64| base - (lod.share(v) * height).round() as i32;
        let zero = at(0.0);
        let is_area = c.is_stacked || lod.n_series() == 1;
        let thick = shot.dpr.round().max(1.0) as i32;
        let last = ink.scale.px(shot.columns.range().end.0).ceil().clamp(0.0, self.raster.width as f64) as usize;
        let mut from = 0;
        for x in 0..last {
            let (a, b) = samples_in(c, from, ink.scale.time(x as f64), ink.scale.time((x + 1) as f64));
            from = a;
            for s in (0..lod.n_series()).rev() {
                let Some((low, high)) = lod.extent(s, a, b) else { continue };
                let slot = usize::from(by_index(s));
                let (area, colour) = (shot.theme.slots[slot], shot.theme.thin[slot]);
                let (low, high) = (at(f64::from(low)), at(f64::from(high)));
                if is_area {
                    let fill = blend(shot.theme.background, area, if c.is_stacked { 0.9 } else { 0.45 });
                    self.raster.column(x, high.min(zero), low.max(zero), fill);
                }
                self.raster.column(x, high, low.max(high + thick), colour);
            }
        }
        let text = value_text(if lod.high > 0.0 { lod.high } else { lod.low }, &c.unit);
        self.texts.push(Text { x: 4.0, y: y + 9.0, text, ink: TextInk::Axis });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::paint::theme::Tokens;

    #[test]
    fn errors_are_red_and_warnings_alone_are_blue() {
        let mut info = sample().info;
        let theme = Theme::new(&Tokens::fallback(false));
        let [error, warning] = ["DMA2D OOB", "Warning: DMA2D OOB"].map(|name| info.strings.push(name));
        assert_eq!(tick_colour(&info, &theme, TrackId(1), [error].into_iter()), theme.text);
        info.tracks[1].name = info.strings.push("Errors");
        let of = |names: &[StrId]| tick_colour(&info, &theme, TrackId(1), names.iter().copied());
        assert_eq!((of(&[error]), of(&[warning]), of(&[warning, error])), (theme.predecessor, theme.successor, theme.predecessor));
    }
}
