//! Boxes across rows onto the raster.

use super::lane::Ink;
use super::scene::{Scene, Shot};
use crate::ui::raster::{Pixel, blend};
use crate::views::timeline::rows::layout::Row;

/// How much of a box's colour is laid over what is there.
const FILL: f32 = 0.16;
/// The same for its edges.
const EDGE: f32 = 0.6;

impl Scene {
    /// Lays the boxes over a row, from `top` to `bottom` in device pixels.
    pub(crate) fn boxes(&mut self, shot: &Shot, ink: &Ink, row: &Row, (top, bottom): (i32, i32)) {
        for boxes in shot.index.boxes.iter().filter(|b| b.over.contains(&row.track)) {
            let colour = if boxes.is_barrier { shot.theme.quiet } else { shot.theme.hit };
            let Some(track) = shot.columns.info.tracks.get(boxes.of.index()) else { continue };
            for lane in shot.columns.info.lanes.get(track.lanes.start as usize..track.lanes.end as usize).unwrap_or_default() {
                let (first, end) = (lane.first as usize, lane.end as usize);
                let (start, length) = (&shot.columns.start, &shot.columns.duration);
                let mut i = start.partition_point(first..end, |t| t < ink.scale.time(0.0));
                i = i.saturating_sub(1).max(first);
                while i < end {
                    let left = ink.scale.px(start.value_at(i)).floor();
                    if left >= self.raster.width as f64 {
                        break;
                    }
                    let right = ink.scale.px(start.value_at(i).saturating_add(length.value_at(i))).floor().clamp(left + 1.0, 1e9);
                    self.tint((left.max(-1.0) as i32, right as i32), (top, bottom), colour);
                    // Those that lie within the same pixels are not seen apart: about as many boxes as pixels.
                    let border = ink.scale.time(right.max(0.0));
                    let next = crate::views::timeline::lookup::lod::seek(|i| start.value_at(i), i, end, border).max(i + 1);
                    let is_last_long =
                        next - i > 1 && ink.scale.px(start.value_at(next - 1).saturating_add(length.value_at(next - 1))) >= right + 1.0;
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
