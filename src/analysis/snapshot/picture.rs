//! Allocated memory stacked by allocation, for a window of pixel columns: as many shapes as can be seen, however long the history is.
//!
//! Every column shows one state: that with the most allocated bytes of those it covers, so that no peak is lost. Allocations that are too small or
//! too short to be seen one by one are at the bottom, as a layer for each frame; the others are above, in the order in which they were made.

use super::View;
use super::pyramid::{ColumnLookup, HistoryPyramid};
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
    /// Its bytes in layers and bands; other bytes belong to other frames.
    pub drawn: Vec<u64>,
    /// Small allocations by frame, from the bottom up.
    pub layers: Vec<Layer>,
    /// Bands above the layers, in the order of their allocations.
    pub bands: Vec<Band>,
    /// Allocations below this many bytes are in layers.
    pub threshold: u64,
}

/// Small and short allocations of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Layer {
    /// The frame.
    pub label: String,
    /// Colour slot.
    pub slot: u16,
    /// Bytes in each column.
    pub bytes: Vec<u64>,
}

/// Columns of a picture at most.
const COLUMNS_MAX: u32 = 8192;
/// Bands of a picture at most, and columns that they cover: more can neither be distinguished nor drawn 60 times a second.
const BANDS_MAX: usize = 20_000;
const COVERED_MAX: u64 = 4_000_000;
/// Layers at most.
const LAYERS_MAX: usize = 16;
/// Pixels from which on an allocation is a band of its own.
const BAND_PX: u64 = 2;
/// Columns that an allocation has to cover, at most, to be a band where there are too many.
const SHORT_MAX: u16 = 32;

/// An allocation and the columns in which it is live.
#[derive(Clone, Copy)]
struct Covering {
    id: u32,
    from: u16,
    to: u16,
}

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
    let pyramid = view.pyramid(device);
    let states = states((device, pyramid), by_time, window, n_columns);
    let total: Vec<u64> = states.iter().map(|&s| device.allocated[s as usize]).collect();
    let reserved: Vec<u64> = states.iter().map(|&s| device.reserved_at(s)).collect();
    let (least, most) = (total.iter().copied().min().unwrap_or(0), total.iter().copied().max().unwrap_or(0));
    let bytes = if query.is_fitted {
        let room = ((most - least) / 20).max(1);
        (least.saturating_sub(room), most.saturating_add(room))
    } else {
        let highest = device.reserved.iter().map(|r| r.1).chain(device.allocated.iter().copied()).max().unwrap_or(0);
        (0, highest.saturating_add(highest / 50).max(1))
    };
    let all = covering((device, pyramid), &states);
    let mut threshold = ((bytes.1 - bytes.0) / u64::from(query.height.max(1))).saturating_mul(BAND_PX).max(1);
    let mut shortest = 1u16;
    let (layers, bands, drawn) = loop {
        let is_band = |c: &Covering| device.allocations.size[c.id as usize] >= threshold && c.to - c.from >= shortest;
        let (layers, mut below) = layers(view, device, all.iter().filter(|c| !is_band(c)), states.len());
        match stacked(view, device, all.iter().filter(|c| is_band(c)), bytes, &mut below) {
            Some(bands) => break (layers, bands, below),
            None if shortest < SHORT_MAX => shortest *= 2,
            None => threshold = threshold.saturating_mul(2),
        }
    };
    Picture { window, extent, bytes, states, total, reserved, drawn, layers, bands, threshold }
}

/// Allocations that are live in the state of a column, in their order.
fn covering((device, pyramid): (&SnapshotDevice, &HistoryPyramid), states: &[u32]) -> Vec<Covering> {
    let all = &device.allocations;
    let (Some(&first), Some(&last)) = (states.first(), states.last()) else { return Vec::new() };
    // Allocations begin in order: none after this one is in the window.
    let n = all.from.partition_point(|from| *from <= last);
    let columns = ColumnLookup::new(states);
    let of = |id: usize| Covering { id: id as u32, from: columns.column(all.from[id]), to: columns.column(all.to[id]) };
    pyramid.live_after(&all.to, n, first).map(of).filter(|c| c.from < c.to).collect()
}

/// Layers of the frames with the most bytes times columns, the most bytes at the peak first; and the bytes of all layers in each column.
fn layers<'a>(
    view: &View<'_>,
    device: &SnapshotDevice,
    small: impl Iterator<Item = &'a Covering> + Clone,
    n_columns: usize,
) -> (Vec<Layer>, Vec<u64>) {
    let all = &device.allocations;
    let label = |c: &Covering| view.model.label_of.get(all.stack[c.id as usize] as usize).copied().unwrap_or(0);
    let mut weights = vec![0.0f64; view.model.labels.len()];
    for c in small.clone() {
        weights[label(c) as usize] += all.size[c.id as usize] as f64 * f64::from(c.to - c.from);
    }
    let mut order: Vec<u32> = (0..weights.len() as u32).filter(|&at| weights[at as usize] > 0.0).collect();
    order.sort_unstable_by(|&a, &b| weights[b as usize].total_cmp(&weights[a as usize]).then(a.cmp(&b)));
    order.truncate(LAYERS_MAX);
    order.sort_unstable_by_key(|&at| (view.model.slots[at as usize], at));
    let mut place = vec![usize::MAX; weights.len()];
    order.iter().enumerate().for_each(|(to, &at)| place[at as usize] = to);
    // Changes from column to column, summed afterwards.
    let mut changes = vec![vec![0i64; n_columns + 1]; order.len()];
    for c in small {
        if let Some(changes) = changes.get_mut(place[label(c) as usize]) {
            let size = all.size[c.id as usize] as i64;
            changes[usize::from(c.from)] += size;
            changes[usize::from(c.to)] -= size;
        }
    }
    let mut below = vec![0u64; n_columns];
    let mut out = Vec::with_capacity(order.len());
    for (at, changes) in order.into_iter().zip(changes) {
        let mut sum = 0i64;
        let mut bytes = Vec::with_capacity(n_columns);
        for (change, below) in changes.iter().zip(&mut below) {
            sum += change;
            bytes.push(sum.unsigned_abs());
            *below = below.saturating_add(sum.unsigned_abs());
        }
        out.push(Layer { label: view.model.labels[at as usize].clone(), slot: view.model.slots[at as usize], bytes });
    }
    (out, below)
}

/// The state that each column shows: never going back.
fn states((device, pyramid): (&SnapshotDevice, &HistoryPyramid), by_time: bool, (from, to): (i64, i64), n_columns: usize) -> Vec<u32> {
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
        out.push(pyramid.highest(&device.allocated, first..end) as u32);
    }
    out
}

/// Bands of allocations, on top of what is `below` in each column, to which they are added. `None`: there are too many.
fn stacked<'a>(
    view: &View<'_>,
    device: &SnapshotDevice,
    large: impl Iterator<Item = &'a Covering>,
    bytes: (u64, u64),
    below: &mut [u64],
) -> Option<Vec<Band>> {
    let all = &device.allocations;
    let mut bands: Vec<Band> = Vec::new();
    let mut n_covered = 0u64;
    for c in large {
        n_covered += u64::from(c.to - c.from);
        if n_covered > COVERED_MAX || bands.len() > BANDS_MAX {
            return None;
        }
        let size = all.size[c.id as usize];
        let slot = view.model.named(all.stack[c.id as usize]).1;
        let is_seen = |b: &Band| b.low < bytes.1 && b.low.saturating_add(size) > bytes.0;
        let mut open: Option<Band> = None;
        for column in c.from..c.to {
            let below = &mut below[usize::from(column)];
            let low = *below;
            *below = low.saturating_add(size);
            match &mut open {
                Some(band) if band.low == low => band.n_columns += 1,
                _ => {
                    bands.extend(open.filter(is_seen));
                    open = Some(Band { id: c.id, column, n_columns: 1, low, size, slot });
                }
            }
        }
        bands.extend(open.filter(is_seen));
    }
    Some(bands)
}
