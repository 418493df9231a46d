//! A frame of the rows: every visible lane, counter and instant on one raster, and the texts on top. No canvas code.

use super::lane::{Ink, WideBar};
use super::lines::Lines;
use super::theme::{Theme, place};
use crate::base::Order as _;
use crate::engine::page_columns::PageColumns;
use crate::ui::raster::{Pixel, Raster};
use crate::views::timeline::lookup::counter::Curves;
use crate::views::timeline::lookup::drawn::BarId;
use crate::views::timeline::lookup::index::Index;
use crate::views::timeline::lookup::viewport::Viewport;
use crate::views::timeline::rows::layout::{COUNTER, LANE, Row, Rows};

/// Slices get their name from this width on, CSS pixels.
const TEXT_FROM_PX: f64 = 32.0;
/// Lanes looked at for one folded row.
const MAX_FOLDED: u32 = 256;

/// All a frame depends on.
pub struct Shot<'a> {
    /// The columns.
    pub columns: &'a PageColumns,
    /// Lookups over them.
    pub index: &'a Index,
    /// The rows.
    pub rows: &'a Rows,
    /// The colours.
    pub theme: &'a Theme,
    /// The window.
    pub view: &'a Viewport,
    /// Moments of the grid lines.
    pub grid: &'a [i64],
    /// How far the rows are scrolled, CSS pixels.
    pub scroll: f64,
    /// Height of the drawing area, CSS pixels.
    pub height_px: f64,
    /// Device pixels per CSS pixel.
    pub dpr: f64,
    /// Yellow slices, sorted.
    pub highlights: &'a [BarId],
    /// Whether no other slices are drawn.
    pub is_alone: bool,
    /// Whether names are written on slices.
    pub has_text: bool,
    /// Indexed by string: instants of that name are drawn; `None`: all.
    pub picked: Option<&'a [bool]>,
    /// Bars of the row of names that are shorter are left out, nanoseconds.
    pub least_ns: i64,
    /// Curves of the visible window; they replace those of the run.
    pub curves: &'a Curves,
}

/// A text to be drawn; places in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Left edge.
    pub x: f64,
    /// Middle of the line.
    pub y: f64,
    /// What.
    pub text: String,
    /// Colour.
    pub ink: TextInk,
}

/// What a text is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextInk {
    /// On a slice, in the ink of its colour.
    On(Pixel),
    /// On a slice that steps back.
    Quiet,
    /// Figures of an axis, over the curve.
    Axis,
}

/// The picture of the rows, reused between frames to avoid allocation.
#[derive(Debug, Default)]
pub struct Scene {
    /// The picture, in device pixels.
    pub raster: Raster,
    /// Texts on it, by ink.
    pub texts: Vec<Text>,
    /// Rows that are on screen.
    pub n_rows: usize,
    line: Vec<Pixel>,
    thin: Vec<Pixel>,
    /// Columns that the lanes of a folded row have taken so far.
    taken: Vec<bool>,
    blank: Vec<Pixel>,
    wide: Vec<WideBar>,
}

impl Scene {
    /// Paints a frame; `char_px` is the width of a character.
    pub fn paint(&mut self, shot: &Shot, char_px: f64) {
        let (w, h) = ((shot.view.width_px * shot.dpr).round() as usize, (shot.height_px * shot.dpr).round() as usize);
        self.raster.resize(w.max(1), h.max(1));
        self.raster.pixels.fill(shot.theme.background);
        self.texts.clear();
        let scale = shot.view.scale(self.raster.width);
        self.blank.clear();
        self.blank.resize(self.raster.width, shot.theme.background);
        for &t in shot.grid {
            if let Some(p) = self.blank.get_mut(scale.px(t).floor().max(-1.0) as usize) {
                *p = shot.theme.line;
            }
        }
        let ink = Ink { columns: shot.columns, theme: shot.theme, highlights: shot.highlights, is_alone: shot.is_alone, scale };
        let pinned = shot.rows.pinned_height;
        let bottom = (shot.scroll + shot.height_px).ceil() as i32 - pinned;
        let visible = shot.rows.between(shot.scroll as i32, bottom);
        self.n_rows = visible.len() + shot.rows.pinned.len();
        for row in visible {
            self.row(shot, &ink, row, f64::from(pinned) - shot.scroll, char_px);
        }
        if pinned > 0 {
            self.raster.fill(0, 0, i32::MAX, (f64::from(pinned) * shot.dpr).round() as i32, shot.theme.background);
            self.texts.retain(|t| t.y > f64::from(pinned));
            for row in &shot.rows.pinned {
                self.row(shot, &ink, row, 0.0, char_px);
            }
            let y = (f64::from(pinned) * shot.dpr).round() as i32;
            self.raster.fill(0, y - 1, i32::MAX, y, shot.theme.quiet);
        }
        self.texts.order_by_key(|t| t.ink);
    }

    /// One row, `offset` CSS pixels below its place in the layout.
    fn row(&mut self, shot: &Shot, ink: &Ink, row: &Row, offset: f64, char_px: f64) {
        let dpx = |y: i32| ((f64::from(y) + offset) * shot.dpr).round() as i32;
        let (top, bottom) = (dpx(row.y), dpx(row.y + row.height));
        if row.header > 0 {
            let header_end = dpx(row.y + row.header);
            self.raster.fill(0, top, i32::MAX, header_end, shot.theme.raised);
            if !row.is_open {
                self.summary(shot, ink, row, top + 4 * shot.dpr as i32, header_end - 4 * shot.dpr as i32);
            }
        }
        let blank = std::mem::take(&mut self.blank);
        self.raster.stamp(&blank, dpx(row.y + row.header), bottom);
        for i in 0..row.lanes.1 {
            let y = f64::from(row.lane_y(i)) + offset;
            if y < shot.height_px && y + f64::from(LANE) > 0.0 {
                self.lane(shot, ink, row, i, &blank, y, char_px);
            }
        }
        self.blank = blank;
        self.boxes(shot, ink, row, (dpx(row.y + row.header), bottom));
        self.instants(shot, ink, row, dpx(row.y + row.header), dpx(row.y + row.header + LANE));
        let counters = &shot.index.tracks[row.track.index()].counters;
        if row.height > row.header + row.lanes_height() {
            for (i, &counter) in counters.iter().enumerate() {
                let y = f64::from(row.counters_y() + i as i32 * COUNTER) + offset;
                self.counter(shot, ink, counter as usize, y);
            }
        }
        self.raster.fill(0, bottom - 1, i32::MAX, bottom, shot.theme.line);
    }

    #[allow(clippy::too_many_arguments)]
    fn lane(&mut self, shot: &Shot, ink: &Ink, row: &Row, i: u32, blank: &[Pixel], y: f64, char_px: f64) {
        self.line.clear();
        self.line.extend_from_slice(blank);
        let text_dpx = if row.is_thin || !shot.has_text { i32::MAX } else { (TEXT_FROM_PX * shot.dpr) as i32 };
        self.thin.clear();
        self.thin.resize(blank.len(), 0);
        let first = row.lane(i);
        let n_lanes = row.n_folded.min(MAX_FOLDED);
        self.wide.clear();
        self.taken.clear();
        // With several lanes in one row, upper lanes are painted first and lower ones fill the space between. Names are from the uppermost.
        self.taken.resize(if n_lanes > 1 { blank.len() } else { 0 }, false);
        for lane in first..first + n_lanes {
            let text_dpx = if lane == first { text_dpx } else { i32::MAX };
            if let (Some(&l), Some(lod)) = (shot.columns.info.lanes.get(lane as usize), shot.index.lod(shot.columns, lane)) {
                let is_wait = if row.has_waits { &shot.index.is_wait[..] } else { &[] };
                let mut lines = Lines { full: &mut self.line, thin: &mut self.thin, is_wait, taken: &mut self.taken };
                if shot.least_ns > 0 && u64::from(l.first) >= shot.columns.info.n_slices {
                    ink.paint_long(l, shot.least_ns, &mut lines, text_dpx, &mut self.wide);
                } else {
                    ink.paint(l, lod, &mut lines, text_dpx, &mut self.wide);
                }
            }
        }
        let dpx = |y: f64| (y * shot.dpr).round() as i32;
        let (thin_top, thin_bottom) = (dpx(y + 7.0), dpx(y + 11.0));
        if row.is_thin {
            self.raster.stamp(&self.line, thin_top, thin_bottom);
        } else {
            self.raster.stamp(&self.line, dpx(y + 1.0), dpx(y + f64::from(LANE)));
        }
        if row.has_waits {
            for (thin, full) in self.thin.iter_mut().zip(&self.line) {
                *thin = if *thin == 0 { *full } else { *thin };
            }
            self.raster.stamp(&self.thin, thin_top, thin_bottom);
        }
        let middle = y + f64::from(LANE) / 2.0 + 0.5;
        for k in 0..self.wide.len() {
            let w = self.wide[k];
            let room = ((f64::from(w.right - w.left) / shot.dpr - 7.0) / char_px).floor() as usize;
            if let Some(text) = clip_text(shot.index.short_name(shot.columns, w.id), room) {
                let ink = self.ink_on(shot, w.id);
                self.texts.push(Text { x: f64::from(w.left) / shot.dpr + 4.0, y: middle, text, ink });
            }
        }
    }

    fn ink_on(&self, shot: &Shot, bar: BarId) -> TextInk {
        if !shot.highlights.is_empty() {
            if shot.highlights.binary_search(&bar).is_ok() {
                return TextInk::On(shot.theme.text_on_hit);
            }
            return TextInk::Quiet;
        }
        let slot = shot.columns.colour_of(bar.index()).map_or(0, place);
        TextInk::On(shot.theme.text_on[slot])
    }
}

/// `text` in at most `room` characters, with an ellipsis if it is cut; `None` if nothing telling would be left.
pub fn clip_text(text: &str, room: usize) -> Option<String> {
    if text.len() <= room {
        return (!text.is_empty()).then(|| text.to_string());
    }
    if text.chars().nth(room).is_none() {
        return Some(text.to_string());
    }
    (room >= 3).then(|| text.chars().take(room - 1).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::paint::theme::Tokens;
    use crate::views::timeline::rows::layout::{Folding, rows};

    fn paint(folding: &Folding, scroll: f64, dpr: f64) -> Scene {
        let columns = sample();
        let index = Index::new(&columns);
        let rows = rows(&columns, &index, folding);
        let theme = Theme::new(&Tokens::fallback(false));
        let view = Viewport::whole(columns.range(), 400.0);
        let mut scene = Scene::default();
        let shot = Shot {
            columns: &columns,
            index: &index,
            rows: &rows,
            theme: &theme,
            view: &view,
            grid: &[1000],
            scroll,
            height_px: 160.0,
            dpr,
            highlights: &[],
            is_alone: false,
            has_text: true,
            picked: None,
            least_ns: 0,
            curves: &Curves::default(),
        };
        scene.paint(&shot, 7.0);
        scene
    }

    #[test]
    fn names_are_on_slices_with_room() {
        let scene = paint(&Folding::default(), 0.0, 1.0);
        let texts: Vec<&str> = scene.texts.iter().map(|t| t.text.as_str()).collect();
        assert!(texts.contains(&"step") && texts.contains(&"matmul") && texts.contains(&"40 B"), "{texts:?}");
        assert!(!texts.contains(&"barrier") && !texts.contains(&"relu"), "{texts:?}");
        assert_eq!(scene.n_rows, 6);
    }

    #[test]
    fn device_pixels_double() {
        let (one, two) = (paint(&Folding::default(), 0.0, 1.0), paint(&Folding::default(), 0.0, 2.0));
        assert_eq!((two.raster.width, two.raster.height), (one.raster.width * 2, one.raster.height * 2));
        assert_eq!(one.raster.pixels[30 * 400 + 100], two.raster.pixels[60 * 800 + 200]);
    }

    #[test]
    fn pinned_rows_stay_when_scrolled() {
        let mut f = Folding::default();
        f.toggle_pin(crate::base::TrackId(5));
        let scene = paint(&f, 60.0, 1.0);
        assert!(scene.texts.iter().any(|t| t.text == "gemm" && t.y < 18.0));
    }

    #[test]
    fn texts_are_cut_with_an_ellipsis() {
        assert_eq!(clip_text("matmul", 6).as_deref(), Some("matmul"));
        assert_eq!(clip_text("matmul", 4).as_deref(), Some("mat…"));
        assert_eq!(clip_text("matmul", 2), None);
        assert_eq!(clip_text("äöü", 3).as_deref(), Some("äöü"));
        assert_eq!(clip_text("", 9), None);
    }
}
