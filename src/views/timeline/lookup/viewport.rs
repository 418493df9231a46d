//! The visible window of time and its place on the screen. Pure arithmetic; knows neither slices nor pixels' colours.

use crate::base::{TimeNs, TimeRange};

/// Never zoom in further than this many nanoseconds across the screen.
const MIN_SPAN_NS: f64 = 20.0;

/// What part of the profile is on screen. Offsets are kept as `f64` from the data's start, so panning is smooth below a pixel and exact to 104 days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// First and last moment of the data.
    pub data: TimeRange,
    /// Left edge, nanoseconds after the data's start.
    pub start: f64,
    /// Nanoseconds across the screen; positive.
    pub span: f64,
    /// Width of the drawing area in CSS pixels; positive.
    pub width_px: f64,
}

impl Viewport {
    /// All of `data`.
    pub fn whole(data: TimeRange, width_px: f64) -> Self {
        let span = (data.duration().0 as f64).max(MIN_SPAN_NS);
        Viewport { data, start: 0.0, span, width_px: width_px.max(1.0) }
    }

    /// As long as the data, or the least one can see.
    fn data_span(&self) -> f64 {
        (self.data.duration().0 as f64).max(MIN_SPAN_NS)
    }

    /// Position of a time, CSS pixels from the left edge of the drawing area.
    pub fn px_from_time(&self, t: i64) -> f64 {
        (t.saturating_sub(self.data.start.0) as f64 - self.start) / self.span * self.width_px
    }

    /// The moment at a pixel, rounded down to a nanosecond.
    pub fn time_from_px(&self, x: f64) -> i64 {
        self.data.start.0.saturating_add((self.start + x / self.width_px * self.span).floor() as i64)
    }

    /// The visible window.
    pub fn window(&self) -> TimeRange {
        TimeRange::new(TimeNs(self.time_from_px(0.0)), TimeNs(self.time_from_px(self.width_px)))
    }

    /// Shows `range`, within the bounds.
    pub fn show(&mut self, range: TimeRange) {
        self.start = range.start.0.saturating_sub(self.data.start.0) as f64;
        self.span = range.duration().0 as f64;
        self.clamp();
    }

    /// Shows `range` with some room on both sides.
    pub fn fit(&mut self, range: TimeRange) {
        let span = (range.duration().0 as f64).max(MIN_SPAN_NS / 2.0);
        self.start = range.start.0.saturating_sub(self.data.start.0) as f64 - span * 0.1;
        self.span = span * 1.2;
        self.clamp();
    }

    /// Makes the window `factor` times as long, keeping the moment at pixel `x` where it is.
    pub fn zoom_at(&mut self, x: f64, factor: f64) {
        let share = x / self.width_px;
        let span = (self.span * factor).clamp(MIN_SPAN_NS, self.data_span());
        self.start += share * (self.span - span);
        self.span = span;
        self.clamp();
    }

    /// Moves the window right by the time of `dx` pixels.
    pub fn pan(&mut self, dx: f64) {
        self.start += dx / self.width_px * self.span;
        self.clamp();
    }

    /// Moves so that `range` is on screen; zooms in only if it would be narrower than `min_px`, out if it is wider than the screen.
    pub fn reveal(&mut self, range: TimeRange, min_px: f64) {
        let length = (range.duration().0 as f64).max(1.0);
        if length > self.span || length / self.span * self.width_px < min_px {
            let span = (length * self.width_px / (min_px * 4.0)).clamp(length * 1.2, self.data_span().max(length * 1.2));
            self.span = if length > self.span { length * 1.2 } else { span };
        }
        let start = range.start.0.saturating_sub(self.data.start.0) as f64;
        if start < self.start + self.span * 0.05 || start + length > self.start + self.span * 0.95 {
            // An edge of the data stays at the edge of the window: nothing is beyond it.
            let most = (self.data_span() - self.span).max(0.0);
            self.start = (start + length / 2.0 - self.span / 2.0).clamp(0.0, most);
        }
        self.clamp();
    }

    /// Never beyond the data by more than half a window, never longer than the data.
    pub fn clamp(&mut self) {
        let whole = self.data_span();
        self.span = if self.span.is_finite() { self.span.clamp(MIN_SPAN_NS, whole) } else { whole };
        let half = self.span / 2.0;
        self.start = if self.start.is_finite() { self.start.clamp(-half, whole - half) } else { 0.0 };
    }

    /// A new width of the drawing area; the window stays.
    pub fn resize(&mut self, width_px: f64) {
        self.width_px = width_px.max(1.0);
    }

    /// The same window counted in device pixels, for painting.
    pub fn scale(&self, width_dpx: usize) -> Scale {
        Scale { origin: self.data.start.0, start: self.start, ns_per_px: self.span / width_dpx.max(1) as f64, width: width_dpx }
    }
}

/// Time to device pixels, for one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The data's start.
    pub origin: i64,
    /// Left edge, nanoseconds after `origin`.
    pub start: f64,
    /// Nanoseconds in a device pixel.
    pub ns_per_px: f64,
    /// Device pixels across.
    pub width: usize,
}

impl Scale {
    /// Position of a time in device pixels; may be outside the screen.
    pub fn px(&self, t: i64) -> f64 {
        (t.saturating_sub(self.origin) as f64 - self.start) / self.ns_per_px
    }

    /// First nanosecond at or right of the left border of column `x`.
    pub fn time(&self, x: f64) -> i64 {
        self.origin.saturating_add((self.start + x * self.ns_per_px).ceil() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> Viewport {
        Viewport::whole(TimeRange::new(TimeNs(-500), TimeNs(9_500)), 1000.0)
    }

    #[test]
    fn pixels_and_times_agree() {
        let v = view();
        assert_eq!(v.px_from_time(-500), 0.0);
        assert_eq!(v.px_from_time(9_500), 1000.0);
        assert_eq!(v.time_from_px(500.0), 4_500);
        let s = v.scale(2000);
        assert_eq!(s.px(4_500), 1000.0);
        assert_eq!(s.time(1000.0), 4_500);
    }

    #[test]
    fn zoom_keeps_the_moment_under_the_pointer() {
        let mut v = view();
        let before = v.time_from_px(250.0);
        v.zoom_at(250.0, 0.5);
        assert_eq!(v.time_from_px(250.0), before);
        assert_eq!(v.span, 5_000.0);
        for _ in 0..100 {
            v.zoom_at(250.0, 0.5);
        }
        assert_eq!(v.span, MIN_SPAN_NS);
        for _ in 0..100 {
            v.zoom_at(900.0, 3.0);
        }
        assert_eq!(v.span, 10_000.0);
    }

    #[test]
    fn half_a_window_beyond_the_data_at_most() {
        let mut v = view();
        v.zoom_at(0.0, 0.1);
        v.pan(-1e9);
        assert_eq!(v.window(), TimeRange::new(TimeNs(-1_000), TimeNs(0)));
        v.pan(1e9);
        assert_eq!(v.window(), TimeRange::new(TimeNs(9_000), TimeNs(10_000)));
        v.pan(f64::NAN);
        assert!(v.start.is_finite());
    }

    #[test]
    fn revealing_makes_it_wide_enough_and_no_more() {
        let mut v = view();
        let range = TimeRange::new(TimeNs(8_000), TimeNs(8_010));
        v.reveal(range, 24.0);
        assert!(v.px_from_time(8_010) - v.px_from_time(8_000) >= 24.0);
        let window = v.window();
        assert!(window.start < range.start && range.end < window.end);
        v.reveal(TimeRange::new(TimeNs(-500), TimeNs(9_500)), 24.0);
        assert_eq!(v.span, 10_000.0);
        let same = v;
        v.reveal(TimeRange::new(TimeNs(4_000), TimeNs(5_000)), 24.0);
        assert_eq!(v, same);
        let mut v = view();
        v.reveal(TimeRange::new(TimeNs(-500), TimeNs(2_500)), 24.0);
        assert_eq!(v, view(), "what begins with the data is seen already");
    }

    #[test]
    fn an_empty_range_is_still_a_window() {
        let v = Viewport::whole(TimeRange::default(), 0.0);
        assert!(v.span > 0.0 && v.px_from_time(0).is_finite());
    }
}
