//! Segments of a device at the moment of the snapshot, with their blocks: fragmentation.

use super::View;
use crate::model::snapshot::{Block, BlockState, Segment, SnapshotDevice};
use serde::{Deserialize, Serialize};

/// Segments side by side, by address.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SegmentMap {
    /// Ordered by address.
    pub rows: Vec<SegmentRow>,
    /// Segments there are; more than `rows` only beyond [`ROWS_MAX`].
    pub n_segments: u64,
    /// Blocks one after the other, segment after segment, as the map draws them.
    pub cells: Vec<SegmentCell>,
    /// Bytes of all segments.
    pub reserved: u64,
    /// Bytes of blocks in use.
    pub allocated: u64,
    /// Bytes of blocks that another stream still uses.
    pub pending: u64,
    /// Bytes of free blocks.
    pub free: u64,
    /// Bytes of the largest free block.
    pub largest_free: u64,
    /// Share of the free bytes outside of the largest free block: 0 is no fragmentation. `None` without free bytes.
    pub fragmentation: Option<f64>,
}

/// A segment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SegmentRow {
    /// Address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Stream.
    pub stream: u64,
    /// `large` or `small`.
    pub kind: String,
    /// Private pool.
    pub pool: String,
    /// Whether it can grow.
    pub is_expandable: bool,
    /// Blocks.
    pub n_blocks: u64,
    /// Bytes of its blocks in use.
    pub allocated: u64,
    /// Bytes of its free blocks.
    pub free: u64,
    /// Bytes of its largest free block.
    pub largest_free: u64,
    /// Innermost Python frame that asked for it.
    pub frame: String,
}

/// Neighbouring blocks of one state; small ones are drawn together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SegmentCell {
    /// Segment: place in the rows by address.
    pub segment: u32,
    /// Bytes before it, over all segments.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes of it that are in use.
    pub used: u64,
    /// 0 in use, 1 in use on another stream, 2 free; of several blocks that with the most bytes.
    pub state: u8,
    /// Blocks in it.
    pub n_blocks: u32,
    /// Address.
    pub address: u64,
    /// Stack of the block, where it is one.
    pub slot: u16,
}

/// Segments that are listed at most.
pub const ROWS_MAX: usize = 20_000;
/// Cells at most: beyond it the smallest blocks are drawn together with their neighbours.
const CELLS_MAX: usize = 20_000;

/// The map of a device.
pub fn segments(view: &View<'_>, device: &SnapshotDevice) -> SegmentMap {
    let sum = |state: BlockState| device.blocks.iter().filter(|b| b.state == state).map(|b| b.size).sum::<u64>();
    let free = sum(BlockState::Free);
    let largest_free = device.blocks.iter().filter(|b| b.state == BlockState::Free).map(|b| b.size).max().unwrap_or(0);
    let reserved = device.segments.iter().fold(0u64, |sum, s| sum.saturating_add(s.size));
    let mut least = if device.blocks.len() > CELLS_MAX { reserved / CELLS_MAX as u64 } else { 0 };
    let mut cells = cells(view, device, least);
    while cells.len() > 4 * CELLS_MAX && least < reserved {
        least = least.saturating_mul(2).max(1);
        cells = self::cells(view, device, least);
    }
    SegmentMap {
        rows: device.segments.iter().take(ROWS_MAX).map(|s| row(view, device, s)).collect(),
        n_segments: device.segments.len() as u64,
        cells,
        reserved,
        allocated: sum(BlockState::Allocated),
        pending: sum(BlockState::PendingFree),
        free,
        largest_free,
        fragmentation: (free > 0).then(|| 1.0 - largest_free as f64 / free as f64),
    }
}

fn blocks<'a>(device: &'a SnapshotDevice, segment: &Segment) -> &'a [Block] {
    device.blocks.get(segment.blocks.start as usize..segment.blocks.end as usize).unwrap_or_default()
}

fn row(view: &View<'_>, device: &SnapshotDevice, segment: &Segment) -> SegmentRow {
    let blocks = blocks(device, segment);
    let of = |is_free: bool| blocks.iter().filter(move |b| (b.state == BlockState::Free) == is_free).map(|b| b.size);
    let text = |id| view.profile.strings.get(id).to_string();
    SegmentRow {
        address: segment.address,
        size: segment.size,
        stream: segment.stream,
        kind: text(segment.kind),
        pool: text(segment.pool),
        is_expandable: segment.is_expandable,
        n_blocks: blocks.len() as u64,
        allocated: of(false).sum(),
        free: of(true).sum(),
        largest_free: of(true).max().unwrap_or(0),
        frame: view.model.named(segment.stack).0.into(),
    }
}

/// Blocks as cells; those below `least` bytes join the cell before them within their segment.
fn cells(view: &View<'_>, device: &SnapshotDevice, least: u64) -> Vec<SegmentCell> {
    let mut out: Vec<SegmentCell> = Vec::new();
    // Bytes of the last cell by state, while blocks join it.
    let mut bytes = [0u64; 3];
    let mut start = 0u64;
    for (at, segment) in device.segments.iter().enumerate() {
        for block in blocks(device, segment) {
            let state = block.state as u8;
            let offset = start.saturating_add(block.address.saturating_sub(segment.address).min(segment.size));
            let used = if block.state == BlockState::Free { 0 } else { block.requested.min(block.size) };
            let joins = out.last().is_some_and(|last| last.segment == at as u32 && (block.size < least || last.size < least));
            match out.last_mut().filter(|_| joins) {
                Some(last) => {
                    last.size = last.size.saturating_add(block.size);
                    last.used = last.used.saturating_add(used);
                    last.n_blocks += 1;
                    bytes[usize::from(state)] += block.size;
                    last.state = (0..3).max_by_key(|&s: &u8| bytes[usize::from(s)]).unwrap_or(0);
                }
                None => {
                    bytes = [0; 3];
                    bytes[usize::from(state)] = block.size;
                    let slot = view.model.named(block.stack).1;
                    let cell = SegmentCell {
                        segment: at as u32,
                        start: offset,
                        size: block.size,
                        used,
                        state,
                        n_blocks: 1,
                        address: block.address,
                        slot,
                    };
                    out.push(cell);
                }
            }
        }
        start = start.saturating_add(segment.size);
    }
    out
}
