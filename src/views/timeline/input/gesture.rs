//! Pointers: click, drag, pan, pinch. Turns them into changes of the window, the range and the selection.

use crate::views::timeline::lookup::drawn::DrawnEvent;
use crate::views::timeline::rows::layout::LANE;
use crate::views::timeline::state::marks::MarkAct;
use crate::views::timeline::state::timeline_state::{Act, Drag, DragKind, TimelineState, Tool};

/// Movement below this is a click, CSS pixels.
const CLICK_PX: f64 = 4.0;
/// How near the edge of the committed range counts as on it.
const EDGE_PX: f64 = 4.0;

/// How a pointer went down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Press {
    /// Selects a range instead of what the tool does.
    pub has_shift: bool,
    /// The middle button: pans.
    pub is_middle: bool,
    /// A finger: pans.
    pub is_touch: bool,
    /// Identifies the finger.
    pub id: i32,
}

impl TimelineState {
    /// A pointer went down at (x, y).
    pub fn press(&mut self, x: f64, y: f64, press: Press) {
        if press.is_touch {
            self.fingers.push((press.id, x, y));
        }
        let mark = self.mark_at(x, y, press.is_touch).filter(|_| !press.has_shift && !press.is_middle);
        let kind = match self.edge_at(x) {
            _ if mark.is_some() => mark.map_or(DragKind::Tool(self.tool), |(id, part)| DragKind::Mark(id, part)),
            Some(other) if !press.is_touch && !press.is_middle => DragKind::Edge(other),
            _ if press.is_touch || press.is_middle => DragKind::Tool(Tool::Pan),
            _ if press.has_shift => DragKind::Tool(Tool::Select),
            _ => DragKind::Tool(self.tool),
        };
        self.measured = None;
        let is_pinch = self.fingers.len() > 1;
        self.drag = Some(Drag { kind, from: (x, y), to: (x, y), time: self.view.time_from_px(x), is_real: is_pinch });
    }

    /// The other edge of the committed range, if (x) is on one.
    pub fn edge_at(&self, x: f64) -> Option<i64> {
        let range = self.range?;
        let near = |t: i64| (self.view.px_from_time(t) - x).abs() <= EDGE_PX;
        if near(range.start.0) {
            return Some(range.end.0);
        }
        near(range.end.0).then_some(range.start.0)
    }

    /// A pointer moved to (x, y).
    pub fn moved(&mut self, x: f64, y: f64, id: i32) {
        if self.fingers.len() >= 2 {
            self.pinch(x, y, id);
            return;
        }
        for finger in self.fingers.iter_mut().filter(|f| f.0 == id) {
            *finger = (id, x, y);
        }
        let is_touch = !self.fingers.is_empty();
        self.pointer = (!is_touch).then_some((x, y));
        let Some(mut drag) = self.drag else { return };
        drag.is_real |= (x - drag.from.0).hypot(y - drag.from.1) >= CLICK_PX;
        if drag.is_real && drag.kind == DragKind::Tool(Tool::Pan) {
            self.view.pan(drag.to.0 - x);
            self.scroll_to(self.scroll + drag.to.1 - y);
        }
        drag.to = (x, y);
        self.drag = Some(drag);
    }

    /// Two fingers: the times under them stay under them.
    fn pinch(&mut self, x: f64, y: f64, id: i32) {
        let two = |f: &[(i32, f64, f64)]| ((f[0].1 + f[1].1) / 2.0, (f[0].1 - f[1].1).abs().max(20.0), (f[0].2 + f[1].2) / 2.0);
        let (middle, distance, height) = two(&self.fingers);
        for finger in self.fingers.iter_mut().filter(|f| f.0 == id) {
            *finger = (id, x, y);
        }
        let (new_middle, new_distance, new_height) = two(&self.fingers);
        self.view.pan(middle - new_middle);
        self.view.zoom_at(new_middle, distance / new_distance);
        self.scroll_to(self.scroll + height - new_height);
    }

    /// Releases the pointer at its last position.
    pub fn released(&mut self, id: i32) -> Option<Act> {
        let n_fingers = self.fingers.len();
        self.fingers.retain(|f| f.0 != id);
        if n_fingers > 1 {
            self.drag = self.fingers.first().map(|&(_, x, y)| Drag {
                kind: DragKind::Tool(Tool::Pan),
                from: (x, y),
                to: (x, y),
                time: 0,
                is_real: true,
            });
            return None;
        }
        let (marked, boxed) = (self.marked(), self.dragged_box());
        let drag = self.drag.take()?;
        if let DragKind::Mark(id, part) = drag.kind {
            let to = self.snapped(drag.to.0, drag.to.1);
            return Some(Act::Mark(if drag.is_real { MarkAct::Move(id, part, to) } else { MarkAct::Choose(id) }));
        }
        if !drag.is_real {
            let hit = self.hit(drag.from.0, drag.from.1);
            // As in the hover card: a tick is above the slice.
            if let Some(instant) = hit.and_then(|h| h.instant) {
                return Some(Act::Select(Some(self.instant_id(instant).into())));
            }
            let bar = hit.and_then(|h| h.bar);
            return Some(match bar.filter(|s| self.is_made(*s)) {
                Some(made) => Act::Box(self.span_of(made)?, Vec::new()),
                None => Act::Select(bar.map(Into::into)),
            });
        }
        let (range, kind) = marked?;
        match kind {
            DragKind::Tool(Tool::Zoom) => self.view.show(range),
            DragKind::Tool(Tool::Measure) => self.measured = Some(range),
            DragKind::Tool(Tool::Select) => {
                let rows = boxed.map(|(top, bottom)| self.paths_between(top, bottom)).unwrap_or_default();
                return Some(Act::Box(range, rows));
            }
            DragKind::Edge(_) => return Some(Act::Range(Some(range))),
            DragKind::Tool(Tool::Pan) | DragKind::Mark(..) => {}
        }
        None
    }

    /// The pointer was taken away: nothing happens.
    pub fn cancelled(&mut self) {
        self.drag = None;
        self.fingers.clear();
    }

    /// The wheel turned by (dx, dy) pixels over `x`; `zooms` with Ctrl or a pinch, `pans` with Shift. Whether it was used up.
    pub fn wheel(&mut self, x: f64, dx: f64, dy: f64, zooms: bool, pans: bool) -> bool {
        if zooms {
            self.view.zoom_at(x, (dy.clamp(-300.0, 300.0) * 0.004).exp());
            return true;
        }
        if pans {
            self.view.pan(if dx == 0.0 { dy } else { dx });
            return true;
        }
        if dx != 0.0 {
            self.view.pan(dx);
        }
        self.scroll_to(self.scroll + dy);
        true
    }

    /// A key, by its physical position. `None`: not handled; `Some(None)`: handled without an event for the page.
    pub fn key(&mut self, code: &str, has_shift: bool) -> Option<Option<Act>> {
        let x = self.pointer.map_or(self.view.width_px / 2.0, |p| p.0);
        let step = self.view.width_px * if has_shift { 0.5 } else { 0.15 };
        match code {
            "KeyW" => self.view.zoom_at(x, 0.7),
            "KeyS" => self.view.zoom_at(x, 1.0 / 0.7),
            "KeyA" | "ArrowLeft" => self.view.pan(-step),
            "KeyD" | "ArrowRight" => self.view.pan(step),
            "ArrowUp" => self.scroll_to(self.scroll - 2.0 * f64::from(LANE)),
            "ArrowDown" => self.scroll_to(self.scroll + 2.0 * f64::from(LANE)),
            "PageUp" => self.scroll_to(self.scroll - self.height_px * 0.9),
            "PageDown" => self.scroll_to(self.scroll + self.height_px * 0.9),
            "KeyF" => self.fit(),
            "KeyM" => return Some(Some(Act::Mark(self.drop_marker()))),
            "Digit0" | "Numpad0" => self.view.show(self.columns.range()),
            "BracketLeft" | "BracketRight" => return self.go(self.neighbour(code == "BracketRight")),
            "Enter" if self.selection.is_some() => return Some(Some(Act::Details)),
            "Escape" => return self.clear(),
            "Digit1" => self.tool = Tool::Select,
            "Digit2" => self.tool = Tool::Pan,
            "Digit3" => self.tool = Tool::Zoom,
            "Digit4" => self.tool = Tool::Measure,
            _ => return None,
        }
        Some(None)
    }

    /// Selects and reveals a slice or an instant.
    fn go(&mut self, item: Option<DrawnEvent>) -> Option<Option<Act>> {
        let item = item?;
        self.reveal(item);
        Some(Some(Act::Select(Some(item))))
    }

    /// Takes back the last thing marked: drag, measure, selection, range.
    fn clear(&mut self) -> Option<Option<Act>> {
        if self.drag.take().is_some() || self.measured.take().is_some() {
            return Some(None);
        }
        if self.selection.is_some() {
            return Some(Some(Act::Select(None)));
        }
        self.range.map(|_| Some(Act::Range(None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{TimeNs, TimeRange};
    use crate::views::timeline::lookup::drawn::BarId;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    fn core() -> TimelineState {
        TimelineState::new(Arc::new(sample()), 1000.0, 400.0)
    }

    fn drag(c: &mut TimelineState, press: Press, from: f64, to: f64) -> Option<Act> {
        c.press(from, 30.0, press);
        c.moved((from + to) / 2.0, 30.0, press.id);
        c.moved(to, 30.0, press.id);
        c.released(press.id)
    }

    fn range(a: i64, b: i64) -> TimeRange {
        TimeRange::new(TimeNs(a), TimeNs(b))
    }

    #[test]
    fn dragging_zooms_and_with_shift_selects() {
        let mut c = core();
        assert_eq!(drag(&mut c, Press { has_shift: true, ..Press::default() }, 600.0, 100.0), Some(Act::Box(range(200, 1200), Vec::new())));
        assert_eq!(c.view.window(), range(0, 2000));
        assert_eq!(drag(&mut c, Press::default(), 100.0, 600.0), None);
        assert_eq!(c.view.window(), range(200, 1200));
    }

    #[test]
    fn a_click_selects_or_clears() {
        let mut c = core();
        assert_eq!(drag(&mut c, Press::default(), 100.0, 101.0), Some(Act::Select(Some(BarId(0).into()))));
        c.press(500.0, 5.0, Press::default());
        assert_eq!(c.released(0), Some(Act::Select(None)));
    }

    #[test]
    fn edges_of_the_range_are_moved() {
        let mut c = core();
        c.range = Some(range(200, 1200));
        assert_eq!(drag(&mut c, Press::default(), 601.0, 700.0), Some(Act::Range(Some(range(200, 1400)))));
    }

    #[test]
    fn fingers_pan_and_pinch() {
        let mut c = core();
        c.view.show(range(500, 1500));
        let finger = |id| Press { is_touch: true, id, ..Press::default() };
        assert_eq!(drag(&mut c, finger(1), 500.0, 400.0), None);
        assert_eq!(c.view.window(), range(600, 1600));
        c.press(400.0, 30.0, finger(1));
        c.press(600.0, 30.0, finger(2));
        c.moved(300.0, 30.0, 1);
        c.moved(700.0, 30.0, 2);
        assert_eq!(c.view.window(), range(850, 1350));
        assert_eq!(c.released(1), None);
        assert_eq!(c.released(2), None);
        assert!(c.fingers.is_empty() && c.drag.is_none());
    }

    #[test]
    fn keys_move_zoom_and_clear() {
        let mut c = core();
        assert_eq!(c.key("KeyW", false), Some(None));
        assert!(c.view.span < 2000.0);
        c.key("Digit0", false);
        assert_eq!(c.view.window(), range(0, 2000));
        assert_eq!(c.key("Enter", false), None);
        c.selection = Some(BarId(6).into());
        c.key("KeyF", false);
        assert_eq!(c.view.window(), range(230, 1070));
        assert_eq!(c.key("BracketRight", false), Some(Some(Act::Select(Some(BarId(7).into())))));
        assert_eq!(c.key("Escape", false), Some(Some(Act::Select(None))));
        assert_eq!(c.key("KeyQ", false), None);
        c.key("Digit4", false);
        drag(&mut c, Press::default(), 100.0, 300.0);
        assert!(c.measured.is_some());
        assert_eq!(c.key("Escape", false), Some(None));
        assert!(c.measured.is_none());
    }
}
