//! Pairs the events of a device to allocations: a block is live from `alloc` to `free` or `free_completed`.

use super::records::{Action, EventColumns};
use crate::model::snapshot::{Allocations, NO_STATE, Oom};
use rustc_hash::FxHashMap;

/// A block in use at the moment of the snapshot.
pub struct LiveBlock {
    pub address: u64,
    pub size: u64,
    pub stream: u64,
    pub stack: u32,
}

/// The history of a device.
#[derive(Default)]
pub struct History {
    pub allocations: Allocations,
    /// Bytes in each state.
    pub allocated: Vec<u64>,
    pub ooms: Vec<Oom>,
    /// Changes of reserved memory: (state, bytes more).
    pub reserved: Vec<(u32, i64)>,
    /// Allocations at an address that was still in use: its release is not in the file.
    pub n_unreleased: u64,
    /// Sizes beyond what can be added up.
    pub n_too_large: u64,
    /// Allocations that are live after the last event but match no block of the segments.
    pub n_without_block: u64,
}

/// Allocations that began before the first event.
#[derive(Default)]
struct Before {
    /// (end, requested, address, size, stream, stack)
    rows: Vec<(u32, u32, u64, u64, u64, u32)>,
    total: u64,
    /// States in which the release of an unknown address was asked for.
    requested: FxHashMap<u64, u32>,
}

impl Before {
    /// `false`: the size is beyond what can be added up.
    fn push(&mut self, to: u32, block: &LiveBlock) -> bool {
        let total = self.total.checked_add(block.size).filter(|total| *total <= i64::MAX as u64);
        let Some(total) = total else { return false };
        self.total = total;
        let requested = self.requested.remove(&block.address).unwrap_or(NO_STATE);
        self.rows.push((to, requested, block.address, block.size, block.stream, block.stack));
        true
    }
}

/// Pairs the events, in order of their rows. `live`: blocks at the end; `None` if the file has no segments.
pub fn history(events: &EventColumns, rows: &[u32], streams: &[u64], live: Option<&[LiveBlock]>) -> History {
    let mut out = History::default();
    let mut before = Before::default();
    let mut all = Allocations::default();
    let mut open: FxHashMap<u64, u32> = FxHashMap::default();
    // Bytes of allocations of the trace; those from before it are added at the end.
    let mut changes: Vec<i64> = Vec::with_capacity(rows.len());
    // Bytes of allocations of the trace: always the sum of those in `open`.
    let mut total = 0u64;
    for (at, &row) in rows.iter().enumerate() {
        let row = row as usize;
        let state = at as u32 + 1;
        let (address, size, stack) = (events.addr[row], events.size[row], events.stack[row]);
        let stream = streams.get(events.stream[row] as usize).copied().unwrap_or(0);
        let mut change = 0i64;
        match events.action[row] {
            Action::Alloc => {
                if total.checked_add(size).is_none_or(|sum| sum > i64::MAX as u64) {
                    out.n_too_large += 1;
                } else {
                    if let Some(old) = open.insert(address, all.len() as u32) {
                        out.n_unreleased += 1;
                        all.to[old as usize] = state;
                        change -= all.size[old as usize] as i64;
                        total -= all.size[old as usize];
                    }
                    extras(events, row as u32, all.len() as u32, &mut all);
                    all.address.push(address);
                    all.size.push(size);
                    all.from.push(state);
                    all.to.push(NO_STATE);
                    all.requested.push(NO_STATE);
                    all.stream.push(stream);
                    all.stack.push(stack);
                    change += size as i64;
                    total += size;
                }
            }
            Action::Free => match open.remove(&address) {
                Some(i) => {
                    all.to[i as usize] = state;
                    change -= all.size[i as usize] as i64;
                    total -= all.size[i as usize];
                }
                None if before.push(state, &LiveBlock { address, size, stream, stack }) => change -= size as i64,
                None => out.n_too_large += 1,
            },
            Action::FreeRequested => match open.get(&address) {
                Some(&i) => all.requested[i as usize] = state,
                None => _ = before.requested.insert(address, state),
            },
            Action::SegmentAlloc | Action::SegmentMap => out.reserved.push((state, size as i64)),
            Action::SegmentFree | Action::SegmentUnmap => out.reserved.push((state, -(size as i64))),
            Action::Oom => {
                let device_free = (address != crate::model::snapshot::NO_VALUE).then_some(address);
                out.ooms.push(Oom { state, size, device_free, stack });
            }
            Action::Snapshot | Action::Other => {}
        }
        changes.push(change);
    }
    if let Some(live) = live {
        for block in live {
            if open.remove(&block.address).is_none() && !before.push(NO_STATE, block) {
                out.n_too_large += 1;
            }
        }
        out.n_without_block = open.len() as u64;
    }
    let base = before.total;
    out.allocations = joined(before, all);
    out.allocated = Vec::with_capacity(changes.len() + 1);
    let mut sum = base;
    out.allocated.push(sum);
    for change in changes {
        // Each release subtracts an earlier addition, so the sum never falls below 0.
        sum = if change < 0 { sum.saturating_sub(change.unsigned_abs()) } else { sum.saturating_add(change.unsigned_abs()) };
        out.allocated.push(sum);
    }
    out
}

fn extras(events: &EventColumns, row: u32, allocation: u32, all: &mut Allocations) {
    let from = events.extras.partition_point(|e| e.0 < row);
    all.extras.extend(events.extras[from..].iter().take_while(|e| e.0 == row).map(|e| (allocation, e.1, e.2)));
}

/// Allocations from before the history come first, so that long-lived ones are lowest in the picture.
fn joined(before: Before, mut all: Allocations) -> Allocations {
    let mut rows = before.rows;
    if rows.is_empty() {
        return all;
    }
    rows.sort_unstable_by_key(|row| (std::cmp::Reverse(row.0), row.2));
    let n = rows.len() as u32;
    fn put<T: Copy>(column: &mut Vec<T>, first: impl Iterator<Item = T>) {
        column.splice(0..0, first);
    }
    put(&mut all.to, rows.iter().map(|r| r.0));
    put(&mut all.requested, rows.iter().map(|r| r.1));
    put(&mut all.address, rows.iter().map(|r| r.2));
    put(&mut all.size, rows.iter().map(|r| r.3));
    put(&mut all.stream, rows.iter().map(|r| r.4));
    put(&mut all.stack, rows.iter().map(|r| r.5));
    put(&mut all.from, rows.iter().map(|_| 0));
    all.extras.iter_mut().for_each(|extra| extra.0 += n);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::StrId;

    fn events(all: &[(Action, u64, u64)]) -> EventColumns {
        let mut out = EventColumns::default();
        for &(action, addr, size) in all {
            out.action.push(action);
            out.name.push(StrId(0));
            out.addr.push(addr);
            out.size.push(size);
            out.stream.push(0);
            out.time_us.push(0);
            out.stack.push(0);
        }
        out
    }

    fn follow(all: &[(Action, u64, u64)], live: &[(u64, u64)]) -> History {
        let rows: Vec<u32> = (0..all.len() as u32).collect();
        let live: Vec<LiveBlock> = live.iter().map(|&(address, size)| LiveBlock { address, size, stream: 0, stack: 0 }).collect();
        history(&events(all), &rows, &[0], Some(&live))
    }

    #[test]
    fn blocks_live_from_alloc_to_the_completed_release() {
        use Action::{Alloc, Free, FreeRequested};
        let got = follow(&[(Alloc, 1, 10), (FreeRequested, 1, 10), (Alloc, 2, 5), (Free, 1, 10)], &[(2, 5)]);
        assert_eq!(got.allocated, [0, 10, 10, 15, 5]);
        let all = &got.allocations;
        assert_eq!((all.from[0], all.requested[0], all.to[0]), (1, 2, 4));
        assert_eq!((all.from[1], all.requested[1], all.to[1]), (3, NO_STATE, NO_STATE));
        assert_eq!((got.n_unreleased, got.n_without_block), (0, 0));
    }

    #[test]
    fn what_was_there_before_is_known_by_its_release_or_by_its_block() {
        use Action::{Alloc, Free};
        let got = follow(&[(Free, 7, 3), (Alloc, 7, 4)], &[(7, 4), (9, 100)]);
        assert_eq!(got.allocated, [103, 100, 104]);
        assert_eq!(got.allocations.address, [9, 7, 7], "what stays is lowest");
        assert_eq!(got.allocations.to, [NO_STATE, 1, NO_STATE]);
    }

    #[test]
    fn an_address_that_is_given_twice_was_released_in_between() {
        use Action::Alloc;
        let got = follow(&[(Alloc, 1, 10), (Alloc, 1, 20)], &[]);
        assert_eq!(got.allocated, [0, 10, 20]);
        assert_eq!((got.n_unreleased, got.n_without_block), (1, 1));
    }

    #[test]
    fn sums_that_overflow_are_left_out() {
        use Action::{Alloc, Free};
        let huge = 1u64 << 62;
        let got = follow(&[(Alloc, 1, huge), (Alloc, 2, huge), (Alloc, 3, huge), (Free, 4, huge), (Free, 5, huge), (Free, 6, huge)], &[]);
        assert!(got.n_too_large > 0);
        assert_eq!(got.allocated.len(), 7);
    }
}
