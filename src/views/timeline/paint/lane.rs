//! One lane as one line of pixels. Costs the pixels across, not the slices.

use super::lines::Lines;
use super::theme::{Theme, place};
use crate::engine::Lane;
use crate::engine::page_columns::PageColumns;
use crate::ui::raster::{Pixel, blend};
use crate::views::timeline::lookup::drawn::BarId;
use crate::views::timeline::lookup::lod::{LaneLod, seek};
use crate::views::timeline::lookup::viewport::Scale;
use std::ops::Range;

/// Colour of a column with many slices is never fainter than this: nothing is hidden by zoom.
const LEAST_SHARE: f32 = 0.3;
/// Columns that are busier than this are not painted again by another lane of a folded row.
const TAKEN_FROM_SHARE: f32 = 0.5;
/// Slices at least this wide get a seam on the right, which separates neighbours of one colour.
const SEAM_FROM_DPX: i32 = 5;

/// What the lines of a frame have in common.
pub struct Ink<'a> {
    /// The columns.
    pub columns: &'a PageColumns,
    /// The colours.
    pub theme: &'a Theme,
    /// Slices in yellow, sorted; all others step back if there are any.
    pub highlights: &'a [BarId],
    /// Whether no other slices are drawn.
    pub is_alone: bool,
    /// Time to pixels.
    pub scale: Scale,
}

/// A bar wide enough for its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideBar {
    /// Which one.
    pub id: BarId,
    /// First device pixel on screen.
    pub left: i32,
    /// One after the last.
    pub right: i32,
}

impl Ink<'_> {
    /// Colour of one slice.
    fn colour(&self, slice: usize) -> Pixel {
        let slot = self.columns.colour_of(slice).map_or(0, place);
        if self.highlights.is_empty() {
            return self.theme.slots[slot];
        }
        if self.highlights.binary_search(&BarId(slice as u32)).is_ok() {
            return self.theme.hit;
        }
        self.theme.dimmed[slot]
    }

    /// Whether a slice is not drawn.
    fn hides(&self, slice: usize) -> bool {
        self.is_alone && !self.highlights.is_empty() && self.highlights.binary_search(&BarId(slice as u32)).is_err()
    }

    fn has_highlight(&self, run: &Range<usize>) -> bool {
        let at = self.highlights.partition_point(|h| h.index() < run.start);
        self.highlights.get(at).is_some_and(|h| h.index() < run.end)
    }

    /// Paints `lane`. Slices at least `text_dpx` wide are added to `wide`.
    pub fn paint(&self, lane: Lane, lod: &LaneLod, lines: &mut Lines, text_dpx: i32, wide: &mut Vec<WideBar>) {
        let (start, duration) = (&self.columns.start, &self.columns.duration);
        let (first, end) = (lane.first as usize, lane.end as usize);
        let s = &self.scale;
        let width = lines.full.len() as i32;
        let left_edge = s.time(0.0);
        let mut i = start.partition_point(first..end, |t| t < left_edge);
        if i > first && start.value_at(i - 1).saturating_add(duration.value_at(i - 1)) > left_edge {
            i -= 1;
        }
        let mut free = 0i32;
        while i < end {
            let x0 = s.px(start.value_at(i));
            let natural = x0.floor() as i32;
            let column = natural.max(free);
            if column >= width {
                break;
            }
            let next_free = lines.free_from(column);
            if next_free > column {
                // What begins below what is drawn already is passed over, but for the last: it may reach out.
                let next = seek(|i| start.value_at(i), i, end, s.time(f64::from(next_free))).max(i + 1);
                let reaches_out = s.px(start.value_at(next - 1).saturating_add(duration.value_at(next - 1))) > f64::from(next_free);
                (i, free) = (next - usize::from(reaches_out), next_free);
                continue;
            }
            let x1 = s.px(start.value_at(i).saturating_add(duration.value_at(i)));
            if x1 - x0 >= 1.0 {
                let right = (x1.floor().min(1e9) as i32).max(column + 1);
                let bar = WideBar { id: BarId(i as u32), left: column, right: right.min(width) };
                let is_full = self.bar(lines, bar, x1 <= f64::from(width));
                if is_full && bar.right - bar.left >= text_dpx {
                    wide.push(bar);
                }
                free = right;
                i += 1;
                continue;
            }
            let border = s.time(f64::from(column + 1));
            let mut next = seek(|i| start.value_at(i), i, end, border).max(i + 1);
            // A long slice that begins in this column is a bar of its own.
            let is_last_long =
                next - i > 1 && s.px(start.value_at(next - 1).saturating_add(duration.value_at(next - 1))) >= f64::from(column + 2);
            next -= usize::from(is_last_long);
            self.many(lod, i..next, lines, column as usize);
            free = column + 1;
            i = next;
        }
    }

    /// Paints only the slices of `lane` that last at least `least_ns`.
    pub fn paint_long(&self, lane: Lane, least_ns: i64, lines: &mut Lines, text_dpx: i32, wide: &mut Vec<WideBar>) {
        let (first, end) = (lane.first as usize, lane.end as usize);
        let (s, width) = (&self.scale, lines.full.len() as i32);
        let from = self.columns.start.partition_point(first..end, |t| t < s.time(0.0));
        for i in from.saturating_sub(1).max(first)..end {
            let stop = self.columns.start.value_at(i).saturating_add(self.columns.duration.value_at(i));
            let left = s.px(self.columns.start.value_at(i)).floor().max(0.0) as i32;
            if left >= width {
                break;
            }
            if self.columns.duration.value_at(i) < least_ns || s.px(stop) < 0.0 {
                continue;
            }
            let right = (s.px(stop).floor().min(1e9) as i32).max(left + 1);
            let bar = WideBar { id: BarId(i as u32), left, right: right.min(width) };
            if self.bar(lines, bar, right <= width) && bar.right - bar.left >= text_dpx {
                wide.push(bar);
            }
        }
    }

    /// Whether a slice is drawn thin.
    fn is_thin(&self, lines: &Lines, slice: usize) -> bool {
        !lines.is_wait.is_empty() && self.columns.name.get(slice).and_then(|n| lines.is_wait.get(n as usize)).is_some_and(|&w| w)
    }

    /// Fills the columns of one slice; whether over the whole height.
    fn bar(&self, lines: &mut Lines, bar: WideBar, ends_here: bool) -> bool {
        if self.hides(bar.id.index()) {
            return false;
        }
        let colour = self.colour(bar.id.index());
        let is_thin = self.is_thin(lines, bar.id.index());
        let columns = bar.left as usize..bar.right as usize;
        let has_seam = bar.right - bar.left >= SEAM_FROM_DPX && ends_here;
        let seam = |column: usize| has_seam && column + 1 == columns.end;
        let ink = |column: usize| if seam(column) { blend(colour, self.theme.background, 0.6) } else { colour };
        if is_thin {
            columns.clone().for_each(|c| lines.thin[c] = ink(c));
        } else {
            columns.clone().filter(|c| lines.taken.get(*c) != Some(&true)).for_each(|c| lines.full[c] = ink(c));
            lines.take(columns);
        }
        !is_thin
    }

    /// Paints a column with the slices of `run` in it.
    fn many(&self, lod: &LaneLod, run: Range<usize>, lines: &mut Lines, column: usize) {
        let is_hit = !self.highlights.is_empty() && self.has_highlight(&run);
        if self.is_alone && !self.highlights.is_empty() && !is_hit {
            return;
        }
        let longest = lod.longest(&self.columns.duration, run.clone());
        let share = match (run.len(), is_hit) {
            (1, _) | (_, true) => 1.0,
            _ => ((lod.busy(&self.columns.duration, run) as f64 / self.scale.ns_per_px) as f32).max(LEAST_SHARE),
        };
        let colour = if is_hit { self.theme.hit } else { self.colour(longest) };
        let pixel = blend(lines.full[column], colour, share);
        let is_thin = self.is_thin(lines, longest);
        let line = if is_thin { &mut lines.thin } else { &mut lines.full };
        line[column] = pixel;
        if share >= TAKEN_FROM_SHARE && !is_thin {
            lines.take(column..column + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{TimeNs, TimeRange, TrackId};
    use crate::views::timeline::lookup::viewport::Viewport;
    use crate::views::timeline::paint::theme::Tokens;

    /// Slices (start, duration) on a screen of one pixel per ten nanoseconds: a digit per column for the colour's slot, `.` free, `+` blended.
    fn check(slices: &[(i64, i64)], want: &str) {
        let columns = PageColumns {
            start: slices.iter().map(|s| s.0).collect(),
            duration: slices.iter().map(|s| s.1).collect(),
            name: vec![0; slices.len()].into(),
            colour: (0..slices.len() as u16).collect(),
            ..PageColumns::default()
        };
        let theme = Theme::new(&Tokens::fallback(false));
        let n = want.len();
        let view = Viewport::whole(TimeRange::new(TimeNs(0), TimeNs(n as i64 * 10)), n as f64);
        let ink = Ink { columns: &columns, theme: &theme, highlights: &[], is_alone: false, scale: view.scale(n) };
        let lane = Lane { track: TrackId(0), depth: 0, first: 0, end: slices.len() as u32 };
        let lod = LaneLod::new(&columns.duration, 0..slices.len());
        let (mut full, mut thin) = (vec![theme.background; n], vec![0; n]);
        let is_wait = [false, true];
        ink.paint(lane, &lod, &mut Lines { full: &mut full, thin: &mut thin, is_wait: &is_wait, taken: &mut [] }, 1000, &mut Vec::new());
        let got: String = full
            .iter()
            .zip(&thin)
            .map(|(f, t)| if *t == 0 { f } else { t })
            .map(|p| match theme.slots.iter().position(|s| s == p) {
                Some(slot) => (b'0' + slot as u8) as char,
                None if *p == theme.background => '.',
                None => '+',
            })
            .collect();
        assert_eq!(got, want);
    }

    #[test]
    fn wide_slices_tile_and_small_ones_are_seen() {
        check(&[(0, 20), (20, 20), (60, 1)], "0011..2.");
        check(&[(5, 10), (15, 10), (25, 10)], "012.");
        check(&[(0, 0), (30, 0)], "0..1");
    }

    #[test]
    fn a_set_is_drawn_alone() {
        let columns = PageColumns {
            start: vec![0, 10, 20, 40, 43, 60, 63].into(),
            duration: vec![10, 10, 10, 2, 2, 2, 2].into(),
            name: vec![0; 7].into(),
            colour: (0..7).collect(),
            ..PageColumns::default()
        };
        let theme = Theme::new(&Tokens::fallback(false));
        let scale = Viewport::whole(TimeRange::new(TimeNs(0), TimeNs(80)), 8.0).scale(8);
        let drawn = |highlights: &[BarId]| {
            let ink = Ink { columns: &columns, theme: &theme, highlights, is_alone: true, scale };
            let (mut full, mut thin) = (vec![theme.background; 8], vec![0; 8]);
            let lane = Lane { track: TrackId(0), depth: 0, first: 0, end: 7 };
            let mut lines = Lines { full: &mut full, thin: &mut thin, is_wait: &[], taken: &mut [] };
            ink.paint(lane, &LaneLod::new(&columns.duration, 0..7), &mut lines, 1000, &mut Vec::new());
            full.iter()
                .map(|p| {
                    if *p == theme.hit {
                        'x'
                    } else if *p == theme.background {
                        '.'
                    } else {
                        'o'
                    }
                })
                .collect::<String>()
        };
        assert_eq!(drawn(&[BarId(1), BarId(6)]), ".x....x.");
        assert_eq!(drawn(&[]), "ooo.o.o.", "without a set nothing is hidden");
    }

    #[test]
    fn waits_are_on_the_thin_line() {
        let columns = PageColumns {
            start: vec![0, 20].into(),
            duration: vec![20, 20].into(),
            name: vec![1, 0].into(),
            colour: vec![0, 1].into(),
            ..PageColumns::default()
        };
        let theme = Theme::new(&Tokens::fallback(false));
        let scale = Viewport::whole(TimeRange::new(TimeNs(0), TimeNs(40)), 4.0).scale(4);
        let ink = Ink { columns: &columns, theme: &theme, highlights: &[], is_alone: false, scale };
        let lane = Lane { track: TrackId(0), depth: 0, first: 0, end: 2 };
        let (mut full, mut thin, mut wide) = (vec![7; 4], vec![0; 4], Vec::new());
        let lod = LaneLod::new(&columns.duration, 0..2);
        ink.paint(lane, &lod, &mut Lines { full: &mut full, thin: &mut thin, is_wait: &[false, true], taken: &mut [] }, 2, &mut wide);
        assert_eq!((full[..2].to_vec(), thin[..2].to_vec()), (vec![7; 2], vec![theme.slots[0]; 2]));
        assert_eq!((full[2], thin[2], wide.len()), (theme.slots[1], 0, 1));
    }

    #[test]
    fn many_in_a_column_are_blended() {
        check(&[(10, 2), (13, 2), (16, 2), (40, 30)], ".+..333.");
        check(&[(10, 2), (13, 2), (16, 34)], ".+222...");
    }

    #[test]
    fn a_lane_below_shows_where_nothing_is_drawn() {
        let columns = PageColumns {
            start: vec![0, 12, 15, 60, 62].into(),
            duration: vec![25, 2, 30, 1, 40].into(),
            name: vec![0; 5].into(),
            colour: (0..5).collect(),
            ..PageColumns::default()
        };
        let theme = Theme::new(&Tokens::fallback(false));
        let scale = Viewport::whole(TimeRange::new(TimeNs(0), TimeNs(100)), 10.0).scale(10);
        let ink = Ink { columns: &columns, theme: &theme, highlights: &[], is_alone: false, scale };
        let (mut full, mut thin, mut taken) = (vec![theme.background; 10], vec![0; 10], vec![false; 10]);
        taken[7] = true;
        let lod = LaneLod::new(&columns.duration, 0..5);
        for (first, end) in [(0, 1), (1, 5)] {
            let mut lines = Lines { full: &mut full, thin: &mut thin, is_wait: &[], taken: &mut taken };
            ink.paint(Lane { track: TrackId(0), depth: 0, first, end }, &lod, &mut lines, 1000, &mut Vec::new());
        }
        let drawn: Vec<usize> = full.iter().map(|p| theme.slots.iter().position(|s| s == p).unwrap_or(9)).collect();
        assert_eq!(drawn, [0, 0, 2, 2, 9, 9, 3, 9, 4, 4]);
    }

    #[test]
    fn slices_that_begin_or_end_outside_are_cut() {
        check(&[(-500, 510), (70, 900)], "0......1");
        check(&[(-500, 9_000)], "0000");
    }
}
