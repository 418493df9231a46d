//! The strip at the top: how busy the whole profile is, and the window as a brush that can be dragged.

use crate::base::{TimeNs, TimeRange};
use crate::views::timeline::state::timeline_state::TimelineState;

/// Height of the strip, CSS pixels.
pub const OVERVIEW_PX: f64 = 40.0;
/// Height of the ruler below it.
pub const RULER_PX: f64 = 24.0;
/// How near an edge of the brush counts as on it.
const EDGE_PX: f64 = 5.0;
/// Evaluations a density may cost.
const BUDGET: usize = 400_000;

/// What a drag on the strip or the ruler does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Brush {
    /// Moves the window; holds the distance from its start to the pointer in nanoseconds.
    Move(f64),
    /// Moves one edge; the other stays at this time.
    Edge(i64),
    /// Pans by dragging the ruler; holds the last place.
    Ruler(f64),
}

impl TimelineState {
    /// Busy share of the whole profile in `n` columns, the busiest being 1.
    pub fn density(&self, n: usize) -> Vec<f32> {
        let range = self.columns.range();
        let lanes: Vec<u32> = self.index.roots.iter().flat_map(|r| self.index.tracks[r.index()].outer_lanes.iter().copied()).collect();
        let n = n.min(BUDGET / lanes.len().max(1)).min(usize::try_from(range.duration().0).unwrap_or(usize::MAX)).max(1);
        let length = range.duration().0 as f64 / n as f64;
        let border = |i: usize| range.start.0.saturating_add((i as f64 * length) as i64);
        let mut out = vec![0.0f32; n];
        for &lane in &lanes {
            let Some(lod) = self.index.lod(&self.columns, lane) else { continue };
            for (i, sum) in out.iter_mut().enumerate() {
                let (from, to) = (border(i), border(i + 1));
                let busy = lod.busy_between(&self.columns.start, &self.columns.duration, from, to);
                *sum += busy as f32 / to.saturating_sub(from).max(1) as f32;
            }
        }
        let most = out.iter().copied().fold(0.0, f32::max);
        if most > 0.0 {
            out.iter_mut().for_each(|v| *v /= most);
        }
        out
    }

    /// Left and right edge of the brush, CSS pixels.
    pub fn brush(&self) -> (f64, f64) {
        let whole = (self.columns.range().duration().0 as f64).max(1.0);
        let px = |ns: f64| (ns / whole * self.view.width_px).clamp(0.0, self.view.width_px);
        (px(self.view.start), px(self.view.start + self.view.span))
    }

    fn time_at(&self, x: f64) -> i64 {
        let range = self.columns.range();
        range.start.0.saturating_add((x / self.view.width_px * range.duration().0 as f64) as i64)
    }

    /// The pointer went down on the strip, or on the ruler below it.
    pub fn press_brush(&mut self, x: f64, y: f64) -> Brush {
        if y >= OVERVIEW_PX {
            return Brush::Ruler(x);
        }
        let (left, right) = self.brush();
        let window = self.view.window();
        let is_all = right - left > self.view.width_px * 0.98;
        if is_all {
            return Brush::Edge(self.time_at(x));
        }
        let has_edges = right - left > 4.0 * EDGE_PX;
        if has_edges && (x - left).abs() <= EDGE_PX {
            return Brush::Edge(window.end.0);
        }
        if has_edges && (x - right).abs() <= EDGE_PX {
            return Brush::Edge(window.start.0);
        }
        if x < left - EDGE_PX || x > right + EDGE_PX {
            self.view.start = (self.time_at(x) - self.columns.range().start.0) as f64 - self.view.span / 2.0;
            self.view.clamp();
        }
        Brush::Move((self.time_at(x) - self.columns.range().start.0) as f64 - self.view.start)
    }

    /// The pointer moved while it drags the brush.
    pub fn move_brush(&mut self, brush: Brush, x: f64) -> Brush {
        match brush {
            Brush::Move(distance) => {
                self.view.start = (self.time_at(x) - self.columns.range().start.0) as f64 - distance;
                self.view.clamp();
                brush
            }
            Brush::Edge(other) => {
                let to = self.time_at(x.clamp(0.0, self.view.width_px));
                if to != other {
                    self.view.show(TimeRange::new(TimeNs(other), TimeNs(to)));
                }
                brush
            }
            Brush::Ruler(last) => {
                self.view.pan(last - x);
                Brush::Ruler(x)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    #[test]
    fn density_is_highest_where_most_runs() {
        let core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        let d = core.density(20);
        assert_eq!(d.len(), 20);
        assert_eq!(d.iter().copied().fold(0.0, f32::max), 1.0);
        assert!(d[4] > d[11], "{d:?}");
    }

    #[test]
    fn the_brush_is_moved_resized_and_drawn_anew() {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        let new = core.press_brush(100.0, 10.0);
        core.move_brush(new, 200.0);
        assert_eq!(core.view.window(), TimeRange::new(TimeNs(200), TimeNs(400)));
        assert_eq!(core.brush(), (100.0, 200.0));
        let grip = core.press_brush(150.0, 10.0);
        core.move_brush(grip, 250.0);
        assert_eq!(core.view.window(), TimeRange::new(TimeNs(400), TimeNs(600)));
        let edge = core.press_brush(301.0, 10.0);
        core.move_brush(edge, 400.0);
        assert_eq!(core.view.window(), TimeRange::new(TimeNs(400), TimeNs(800)));
        let ruler = core.press_brush(500.0, 50.0);
        core.move_brush(ruler, 400.0);
        assert_eq!(core.view.window(), TimeRange::new(TimeNs(440), TimeNs(840)));
    }
}
