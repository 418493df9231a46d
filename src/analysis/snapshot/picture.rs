//! Allocated memory stacked by allocation, for a window of pixel columns: as many shapes as can be seen, however long the history is.
//!
//! Every column shows one state: that with the most allocated bytes of those it covers, so that no peak is lost. In it the allocations stand on
//! each other in the order in which they were made; those lower than a pixel are one band on top.

use super::View;
use crate::model::snapshot::SnapshotDevice;
use serde::{Deserialize, Serialize};

/// A window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PictureQuery {
    /// Device.
    pub device: u32,
    /// Whether the axis is time (nanoseconds since the profile's origin) or states.
    pub by_time: bool,
    /// First and last position on the axis; `None` is all.
    pub window: Option<(i64, i64)>,
    /// Pixel columns.
    pub columns: u32,
    /// Pixels in height.
    pub height: u32,
    /// Whether the axis of bytes covers what is in the window only, not everything from 0 to the peak.
    pub is_fitted: bool,
}

/// A part of an allocation with one height above the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Band {
    /// Allocation.
    pub id: u32,
    /// First column.
    pub column: u16,
    /// Columns.
    pub n_columns: u16,
    /// Bytes below it.
    pub low: u64,
    /// Its bytes.
    pub size: u64,
    /// Colour slot.
    pub slot: u16,
}

/// The picture.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Picture {
    /// The window, as it was cut to the history.
    pub window: (i64, i64),
    /// Ends of the history on the same axis.
    pub extent: (i64, i64),
    /// Lowest and highest bytes of the picture.
    pub bytes: (u64, u64),
    /// The state that each column shows.
    pub states: Vec<u32>,
    /// Bytes allocated in it.
    pub total: Vec<u64>,
    /// Bytes reserved in it.
    pub reserved: Vec<u64>,
    /// Bytes of it that are drawn as bands; the rest is of smaller allocations.
    pub drawn: Vec<u64>,
    /// Bands, in the order of their allocations.
    pub bands: Vec<Band>,
    /// Allocations below this many bytes are in the band on top.
    pub threshold: u64,
}

/// Columns of a picture at most.
const COLUMNS_MAX: u32 = 8192;
/// Bands of a picture at most, and columns that they cover: more cannot be told apart, nor drawn 60 times a second.
const BANDS_MAX: usize = 40_000;
const COVERED_MAX: u64 = 6_000_000;

/// The picture of a window.
pub fn picture(view: &View<'_>, device: &SnapshotDevice, query: &PictureQuery) -> Picture {
    let n_columns = query.columns.clamp(1, COLUMNS_MAX) as usize;
    let last_state = device.allocated.len().saturating_sub(1) as i64;
    let by_time = query.by_time && !device.times.is_empty();
    let extent = match (by_time, device.times.first(), device.times.last()) {
        (true, Some(&first), Some(&last)) => (first, last.max(first.saturating_add(1))),
        _ => (0, last_state.max(1)),
    };
    let window = query.window.map_or(extent, |(from, to)| {
        let from = from.clamp(extent.0, extent.1 - 1);
        (from, to.clamp(from + 1, extent.1))
    });
    let states = states(device, by_time, window, n_columns);
    let total: Vec<u64> = states.iter().map(|&s| device.allocated[s as usize]).collect();
    let reserved: Vec<u64> = states.iter().map(|&s| device.reserved_at(s)).collect();
    let (least, most) = (total.iter().copied().min().unwrap_or(0), total.iter().copied().max().unwrap_or(0));
    let bytes = if query.is_fitted {
        let room = ((most - least) / 20).max(1);
        (least.saturating_sub(room), most.saturating_add(room))
    } else {
        let highest = device.reserved.iter().map(|r| r.1).chain(device.allocated.iter().copied()).max();
        (0, highest.unwrap_or(0).max(1))
    };
    let mut threshold = ((bytes.1 - bytes.0) / u64::from(query.height.max(1))).max(1);
    let (bands, drawn) = loop {
        match stacked(view, device, &states, bytes, threshold) {
            Some(found) => break found,
            None => threshold = threshold.saturating_mul(2),
        }
    };
    Picture { window, extent, bytes, states, total, reserved, drawn, bands, threshold }
}

/// The state that each column shows: never going back.
fn states(device: &SnapshotDevice, by_time: bool, (from, to): (i64, i64), n_columns: usize) -> Vec<u32> {
    let last = device.allocated.len().saturating_sub(1);
    let span = i128::from(to) - i128::from(from);
    let edge = |column: usize| (i128::from(from) + span * column as i128 / n_columns as i128) as i64;
    // The state that holds at a time: after the last event at or before it.
    let at_time = |time: i64| device.times.partition_point(|t| *t <= time);
    let mut out = Vec::with_capacity(n_columns);
    for column in 0..n_columns {
        let (left, right) = (edge(column), edge(column + 1));
        let (first, end) = if by_time {
            (at_time(left), device.times.partition_point(|t| *t < right) + 1)
        } else {
            // The last column shows the last state.
            let is_last = column + 1 == n_columns;
            (left as usize, right as usize + usize::from(is_last))
        };
        let first = first.min(last);
        let end = end.clamp(first + 1, last + 1);
        let part = &device.allocated[first..end];
        let mut best = 0;
        for (i, bytes) in part.iter().enumerate() {
            if *bytes > part[best] {
                best = i;
            }
        }
        out.push((first + best) as u32);
    }
    out
}

/// Bands of the allocations of at least `threshold` bytes, and the bytes of these in each column. `None`: there are too many.
fn stacked(view: &View<'_>, device: &SnapshotDevice, states: &[u32], bytes: (u64, u64), threshold: u64) -> Option<(Vec<Band>, Vec<u64>)> {
    let all = &device.allocations;
    let (first, last) = (states.first().copied()?, states.last().copied()?);
    let mut below = vec![0u64; states.len()];
    let mut bands: Vec<Band> = Vec::new();
    let mut n_covered = 0u64;
    // Allocations begin in order: none after this one is in the window.
    let n = all.from.partition_point(|from| *from <= last);
    for i in 0..n {
        let size = all.size[i];
        if size < threshold || all.to[i] <= first {
            continue;
        }
        let from = states.partition_point(|s| *s < all.from[i]);
        let to = states.partition_point(|s| *s < all.to[i]);
        if from >= to {
            continue;
        }
        n_covered += (to - from) as u64;
        if n_covered > COVERED_MAX || bands.len() > BANDS_MAX {
            return None;
        }
        let slot = view.model.named(all.stack[i]).1;
        let mut open: Option<Band> = None;
        for (column, below) in below.iter_mut().enumerate().take(to).skip(from) {
            let low = *below;
            *below = low.saturating_add(size);
            match &mut open {
                Some(band) if band.low == low => band.n_columns += 1,
                _ => {
                    bands.extend(open.filter(|b| b.low < bytes.1 && b.low.saturating_add(size) > bytes.0));
                    open = Some(Band { id: i as u32, column: column as u16, n_columns: 1, low, size, slot });
                }
            }
        }
        bands.extend(open.filter(|b| b.low < bytes.1 && b.low.saturating_add(size) > bytes.0));
    }
    Some((bands, below))
}
