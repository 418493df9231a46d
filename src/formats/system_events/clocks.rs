//! Clocks of devices on the host's, by sync points.

use crate::base::StrId;
use crate::model::system::Clock;
use rustc_hash::FxHashMap;

/// What points belong to: an execution (process, its id), or a core (process, core) where points name no execution.
pub(in crate::formats) type Key = (bool, StrId, StrId);

/// A sync point that differs from the one before by more than this is a jump, nanoseconds.
const JUMP_NS: i64 = 1_000_000;

/// Sync points: pairs of device time and host time.
#[derive(Default)]
pub(in crate::formats) struct Clocks {
    /// (device, host), by device time once sorted.
    points: FxHashMap<Key, Vec<(i64, i64)>>,
    n_points: u64,
}

impl Clocks {
    /// Takes a sync point.
    pub fn add(&mut self, key: Key, device: i64, host: i64) {
        self.points.entry(key).or_default().push((device, host));
        self.n_points += 1;
    }

    /// All points are there.
    pub fn sort(&mut self) {
        self.points.values_mut().for_each(|p| p.sort_unstable());
    }

    /// The host's time of a moment of the device: by the last sync point at or before it, else the first. `None` without one.
    pub fn adjusted(&self, key: Key, device: i64) -> Option<i64> {
        let points = self.points.get(&key)?;
        let at = points.partition_point(|p| p.0 <= device).saturating_sub(1);
        let (sync_device, sync_host) = *points.get(at)?;
        sync_host.checked_add(device.checked_sub(sync_device)?)
    }

    /// In values.
    pub fn summary(&self, n_placed: u64) -> Clock {
        let mut out = Clock { n_points: self.n_points, n_placed, ..Clock::default() };
        for pair in self.points.values().flat_map(|p| p.windows(2)) {
            let (device, host) = (pair[1].0.saturating_sub(pair[0].0), pair[1].1.saturating_sub(pair[0].1));
            let off = host.saturating_sub(device).saturating_abs();
            out.residual_ns = Some(out.residual_ns.unwrap_or(0).max(off));
            out.n_jumps += u64::from(off > JUMP_NS);
        }
        out
    }
}
