//! The picture of what was read so far: which pixels of each lane are busy, and in which colour.

use crate::base::Order as _;
use crate::worker::protocol::Preview;

/// Pixels side by side in one lane and one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Colour slot.
    pub slot: u16,
    /// From the top.
    pub lane: u32,
    /// First pixel.
    pub from_px: u32,
    /// One after the last pixel.
    pub to_px: u32,
}

/// No slice.
const FREE: u16 = u16::MAX;

/// What of the first `n_lanes` lanes is busy when everything so far fills `width_px` pixels; by colour slot. A slice takes one pixel at least;
/// where several meet, the last one read is seen. At most `width_px` × lanes runs, however many slices there are.
pub fn runs(preview: &Preview, width_px: u32, n_lanes: u32) -> Vec<Run> {
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
    let mut runs = Vec::new();
    for (lane, row) in pixels.chunks(width).enumerate() {
        let mut at = 0u32;
        for part in row.chunk_by(|a, b| a == b) {
            let from_px = at;
            at += part.len() as u32;
            if part[0] != FREE {
                runs.push(Run { slot: part[0], lane: lane as u32, from_px, to_px: at });
            }
        }
    }
    runs.order_by_key(|r| r.slot);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(slices: &[(u32, i64, i64, u16)], want: &[(u16, u32, u32, u32)]) {
        let preview = Preview { slices: slices.to_vec(), lanes: Vec::new() };
        let got: Vec<_> = runs(&preview, 10, 2).iter().map(|r| (r.slot, r.lane, r.from_px, r.to_px)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn slices_become_runs_of_pixels() {
        check(&[], &[]);
        check(&[(0, 5, 0, 3)], &[(3, 0, 0, 1)]);
        // The inner one is over the outer one; the third lane has no room.
        check(
            &[(0, 1000, 100, 1), (0, 1020, 30, 2), (1, 1099, 1, 1), (2, 1000, 100, 1)],
            &[(1, 0, 0, 2), (1, 0, 5, 10), (1, 1, 9, 10), (2, 0, 2, 5)],
        );
        check(&[(0, i64::MIN, 1, 1), (1, i64::MAX, i64::MAX, 2)], &[(1, 0, 0, 1), (2, 1, 9, 10)]);
    }
}
