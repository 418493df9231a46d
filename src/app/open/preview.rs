//! The preview of an import: busy pixels of each lane, and their colours.

use crate::worker::protocol::Preview;

/// Height of a lane; its first and its last line stay free.
pub const LANE_HEIGHT_PX: u32 = 12;
/// Opacity of 255: the text about the import must stay readable over the picture.
const OPACITY: u8 = 140;

/// No slice.
const FREE: u16 = u16::MAX;

/// The first `n_lanes` lanes as RGBA, `width_px` by at most `n_lanes` × [`LANE_HEIGHT_PX`]; `colour` of a slot is red, green, blue. Empty where
/// there is nothing to draw. One picture, since filling rectangles costs the more the further an import is: twenty thousand each time.
pub fn picture(preview: &Preview, width_px: u32, n_lanes: u32, colour: impl Fn(u16) -> [u8; 3]) -> Vec<u8> {
    let mut out: Vec<[u8; 4]> = Vec::new();
    let pixel = |&slot: &u16| (slot != FREE).then(|| colour(slot)).map_or([0; 4], |[r, g, b]| [r, g, b, OPACITY]);
    for lane in busy(preview, width_px, n_lanes).chunks(width_px.max(1) as usize) {
        let (free, line) = (vec![[0; 4]; lane.len()], lane.iter().map(pixel).collect::<Vec<_>>());
        out.extend_from_slice(&free);
        (0..LANE_HEIGHT_PX - 2).for_each(|_| out.extend_from_slice(&line));
        out.extend_from_slice(&free);
    }
    out.into_flattened()
}

/// The slot of each pixel, lane by lane, when everything so far fills `width_px` pixels. A slice takes one pixel at least; where several meet,
/// the last one read is seen.
fn busy(preview: &Preview, width_px: u32, n_lanes: u32) -> Vec<u16> {
    let n_lanes = n_lanes.min(preview.slices.iter().map(|s| s.0.saturating_add(1)).max().unwrap_or(0));
    let Some(first) = preview.slices.iter().map(|s| s.1).min().filter(|_| width_px > 0) else {
        return Vec::new();
    };
    let last = preview.slices.iter().map(|s| s.1.saturating_add(s.2)).max().unwrap_or(first);
    let scale = f64::from(width_px) / (last.saturating_sub(first)).max(1) as f64;
    let width = width_px as usize;
    let mut pixels = vec![FREE; width * n_lanes as usize];
    for &(lane, start, duration, slot) in preview.slices.iter().filter(|s| s.0 < n_lanes) {
        let x = start.saturating_sub(first) as f64 * scale;
        let from = (x as usize).min(width - 1);
        let to = ((x + duration as f64 * scale) as usize).clamp(from + 1, width);
        pixels[lane as usize * width..][from..to].fill(slot);
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(slices: &[(u32, i64, i64, u16)], want: &[&str]) {
        let preview = Preview { slices: slices.to_vec() };
        let shown = |slot: &u16| if *slot == FREE { '.' } else { char::from(b'0' + *slot as u8) };
        let got: Vec<String> = busy(&preview, 10, 2).chunks(10).map(|lane| lane.iter().map(shown).collect()).collect();
        assert_eq!(got, want);
        let bytes = picture(&preview, 10, 2, |slot| [slot as u8, 7, 9]);
        assert_eq!(bytes.len(), want.len() * 10 * 4 * LANE_HEIGHT_PX as usize);
        for (y, line) in bytes.chunks(10 * 4).enumerate() {
            let (lane, y) = (y / LANE_HEIGHT_PX as usize, y % LANE_HEIGHT_PX as usize);
            for (pixel, slot) in line.chunks(4).zip(want[lane].bytes()) {
                let is_free = slot == b'.' || y == 0 || y + 1 == LANE_HEIGHT_PX as usize;
                assert_eq!(pixel, if is_free { [0; 4] } else { [slot - b'0', 7, 9, OPACITY] });
            }
        }
    }

    #[test]
    fn slices_become_pixels() {
        check(&[], &[]);
        check(&[(0, 5, 0, 3)], &["3........."]);
        // The inner one is over the outer one; the third lane has no room.
        check(&[(0, 1000, 100, 1), (0, 1020, 30, 2), (1, 1099, 1, 1), (2, 1000, 100, 1)], &["1122211111", ".........1"]);
        check(&[(0, i64::MIN, 1, 1), (1, i64::MAX, i64::MAX, 2)], &["1.........", ".........2"]);
    }
}
