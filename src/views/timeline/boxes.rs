//! Boxes across rows: a collective operation over the rows of the CC-cores that carry it out, a core barrier over the engine it holds up.

use super::lane::Ink;
use super::raster::{Pixel, blend};
use super::rows::Row;
use super::scene::{Scene, Shot};
use crate::base::TrackId;
use crate::engine::TrackKind;
use crate::engine::hot::HotColumns;

/// How much of a box's colour is laid over what is there.
const FILL: f32 = 0.16;
/// The same for its edges.
const EDGE: f32 = 0.6;

/// Rows whose slices are boxes on others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boxes {
    /// The rows with the boxes' times.
    pub of: TrackId,
    /// The rows that they lie over.
    pub over: Vec<TrackId>,
    /// Whether they are barriers, which are grey.
    pub is_barrier: bool,
}

/// The boxes of a device profile: among the rows of each core.
pub fn boxes(hot: &HotColumns) -> Vec<Boxes> {
    let info = &hot.info;
    let name = |t: usize| info.strings.get(info.tracks[t].name);
    let beside = |t: usize, is: &dyn Fn(&str) -> bool| -> Vec<TrackId> {
        let others = (0..info.tracks.len()).filter(|o| *o != t && info.tracks[*o].parent == info.tracks[t].parent && is(name(*o)));
        others.map(|o| TrackId(o as u32)).collect()
    };
    let one = |t: usize| {
        let is_barrier = info.tracks[t].kind == TrackKind::Wait && name(t).starts_with("Core barriers");
        let over = match name(t) {
            text if is_barrier => {
                // `Core barriers gpsimd` lies over that engine; without a name over GpSimd, which keeps them.
                let engine = text.trim_start_matches("Core barriers").trim().to_string();
                let engine = if engine.is_empty() || engine.bytes().all(|c| c.is_ascii_digit()) { "GpSimd".to_string() } else { engine };
                beside(t, &|other| other.eq_ignore_ascii_case(&engine))
            }
            text if text.starts_with("Collectives") => beside(t, &|other| other.starts_with("CC-core")),
            _ => return None,
        };
        (!over.is_empty()).then_some(Boxes { of: TrackId(t as u32), over, is_barrier })
    };
    (0..info.tracks.len()).filter_map(one).collect()
}

impl Scene {
    /// Lays the boxes over a row, from `top` to `bottom` in device pixels.
    pub(super) fn boxes(&mut self, shot: &Shot, ink: &Ink, row: &Row, (top, bottom): (i32, i32)) {
        for boxes in shot.index.boxes.iter().filter(|b| b.over.contains(&row.track)) {
            let colour = if boxes.is_barrier { shot.theme.quiet } else { shot.theme.hit };
            let Some(track) = shot.hot.info.tracks.get(boxes.of.index()) else { continue };
            for lane in shot.hot.info.lanes.get(track.lanes.start as usize..track.lanes.end as usize).unwrap_or_default() {
                let (first, end) = (lane.first as usize, lane.end as usize);
                let (start, length) = (&shot.hot.start, &shot.hot.duration);
                let mut i = first + start[first..end].partition_point(|&t| t < ink.scale.time(0.0));
                i = i.saturating_sub(1).max(first);
                while i < end {
                    let left = ink.scale.px(start[i]).floor();
                    if left >= self.raster.width as f64 {
                        break;
                    }
                    let right = ink.scale.px(start[i].saturating_add(length[i])).floor().clamp(left + 1.0, 1e9);
                    self.tint((left.max(-1.0) as i32, right as i32), (top, bottom), colour);
                    // Those that lie within the same pixels are not seen apart: about as many boxes as pixels.
                    let border = ink.scale.time(right.max(0.0));
                    let next = super::lod::seek(start, i, end, border).max(i + 1);
                    let is_last_long = next - i > 1 && ink.scale.px(start[next - 1].saturating_add(length[next - 1])) >= right + 1.0;
                    i = next - usize::from(is_last_long);
                }
            }
        }
    }

    /// Lays a colour over a rectangle, its edges stronger; clipped.
    fn tint(&mut self, (left, right): (i32, i32), (top, bottom): (i32, i32), colour: Pixel) {
        let (from, to) = (left.max(0) as usize, (right.max(0) as usize).min(self.raster.width));
        for y in top.max(0) as usize..(bottom.max(0) as usize).min(self.raster.height) {
            for x in from..to {
                let share = if x as i32 == left || x as i32 == right - 1 { EDGE } else { FILL };
                let at = y * self.raster.width + x;
                self.raster.pixels[at] = blend(self.raster.pixels[at], colour, share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn collectives_lie_over_cc_cores_and_barriers_over_their_engine() {
        let mut hot = sample();
        rename(&mut hot, 1, "Collectives stream 0");
        rename(&mut hot, 2, "Core barriers vector");
        rename(&mut hot, 3, "CC-core 8");
        rename(&mut hot, 5, "CC-core 9");
        let got = boxes(&hot);
        // The other core's rows are not its own, and there is no engine Vector.
        assert_eq!(got, [Boxes { of: TrackId(1), over: vec![TrackId(3)], is_barrier: false }]);
        rename(&mut hot, 3, "Vector");
        assert_eq!(boxes(&hot), [Boxes { of: TrackId(2), over: vec![TrackId(3)], is_barrier: true }]);
    }

    fn rename(hot: &mut HotColumns, t: usize, name: &str) {
        let name = hot.info.strings.push(name);
        hot.info.tracks[t].name = name;
    }
}
