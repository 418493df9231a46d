//! Collectives of a run: who waited, who arrived last, how fast data moved.
//!
//! A collective ends on all ranks at about the same time. The rank with the shortest duration arrived last, and that duration is the transfer; what the
//! others took longer, they waited. This needs no common clock.

use super::summary::TraceName;
use crate::base::Order as _;
use crate::model::fleet::{FleetCollective, FleetRun, stable_hash};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The last rank counts as such when the others waited, on average, more than this share of the transfer.
const WAIT_SHARE_MIN: i64 = 10;
/// And more than this, nanoseconds: below it lies the jitter of kernels.
const WAIT_MIN_NS: i64 = 2_000;
/// Rows of [`slowest`].
pub const SLOWEST: usize = 200;

/// A collective of many ranks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CollectiveRow {
    /// Process group.
    pub group: String,
    /// Operation.
    pub op: String,
    /// Number in the group.
    pub seq: u32,
    /// Number of the step; `None` where it is in none.
    pub step: Option<u32>,
    /// Ranks in it.
    pub n: u32,
    /// Bytes of its tensors on a rank; `None` where they are not recorded.
    pub bytes: Option<u64>,
    /// Shortest duration: the transfer, nanoseconds.
    pub transfer_ns: i64,
    /// Longest duration, nanoseconds.
    pub longest_ns: i64,
    /// Mean time that a rank waited for the last, nanoseconds.
    pub mean_wait_ns: i64,
    /// Bytes a second over the slowest link, as nccl-tests compute it; `None` without bytes, or for an unknown operation.
    pub bus_bytes_per_s: Option<f64>,
    /// The rank that arrived last.
    pub last: TraceName,
}

/// Bytes over the slowest link for each byte that goes in on a rank, by operation and number of ranks (nccl-tests, PERFORMANCE.md).
pub fn bus_factor(op: &str, n: u32) -> Option<f64> {
    let n = f64::from(n.max(1));
    let op = op.to_ascii_lowercase().replace('_', "");
    Some(match () {
        () if op.contains("allreduce") => 2.0 * (n - 1.0) / n,
        () if op.contains("reducescatter") || op.contains("alltoall") => (n - 1.0) / n,
        // What goes in is one rank's share of what comes out.
        () if op.contains("allgather") => n - 1.0,
        () if op.contains("broadcast") || op.contains("reduce") || op.contains("send") || op.contains("recv") => 1.0,
        () => return None,
    })
}

/// Waiting of one trace.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waits {
    /// Collectives that at least two traces have.
    pub n: u64,
    /// Those in which it arrived last and the others waited.
    pub n_last: u64,
    /// How long each of the others waited for it, on average, in sum.
    pub caused_ns: i64,
    /// How long it waited itself; `None` where not all of its collectives are matched.
    pub waited_ns: Option<i64>,
}

/// How long the ranks of a collective waited, on average of the others.
fn mean_wait(call: &FleetCollective) -> i64 {
    let others = i64::from(call.n.saturating_sub(1));
    let all = call.shortest.value.saturating_mul(i64::from(call.n));
    call.total_ns.saturating_sub(all).checked_div(others).unwrap_or(0).max(0)
}

/// Waiting of each trace.
pub fn waits(run: &FleetRun, place: &FxHashMap<u64, u32>) -> Vec<Waits> {
    let mut out = vec![Waits::default(); run.traces.len()];
    // By (group, op): matched collectives and the sum of their transfers.
    let mut groups: FxHashMap<u64, (u64, i64, bool)> = FxHashMap::default();
    let text = |at: u32| run.texts.get(at as usize).map_or("", String::as_str);
    let mut hashes: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for call in &run.collectives {
        let hash = *hashes.entry((call.group, call.op)).or_insert_with(|| stable_hash(&[text(call.group), text(call.op)]));
        let sum = groups.entry(hash).or_insert((0, 0, true));
        *sum = (sum.0 + 1, sum.1.saturating_add(call.shortest.value), sum.2 && call.n > 1);
        let wait = mean_wait(call);
        if call.n < 2 || wait < WAIT_MIN_NS || wait < call.shortest.value / WAIT_SHARE_MIN {
            continue;
        }
        if let Some(waits) = place.get(&call.shortest.trace).and_then(|at| out.get_mut(*at as usize)) {
            waits.n_last += 1;
            waits.caused_ns = waits.caused_ns.saturating_add(wait);
        }
    }
    for (waits, trace) in out.iter_mut().zip(&run.traces) {
        let mut waited = Some(0i64);
        for (group, n, total) in &trace.groups {
            waits.n += n;
            let matched = groups.get(group).filter(|(all, _, is_matched)| all == n && *is_matched);
            waited = waited.zip(matched).map(|(sum, (_, transfer, _))| sum.saturating_add(total.saturating_sub(*transfer)));
        }
        waits.waited_ns = waited.filter(|_| !trace.groups.is_empty());
    }
    out
}

/// The collectives that took longest.
pub fn slowest(run: &FleetRun, name: impl Fn(u64) -> TraceName) -> Vec<CollectiveRow> {
    let mut order: Vec<&FleetCollective> = run.collectives.iter().filter(|c| c.n > 1).collect();
    order.order_by_key(|c| std::cmp::Reverse(c.longest.value));
    let text = |at: u32| run.texts.get(at as usize).cloned().unwrap_or_default();
    let row = |call: &&FleetCollective| {
        let op = text(call.op);
        let rate = |bytes: u64| Some(bytes as f64 * bus_factor(&op, call.n)? / (call.shortest.value.max(1) as f64 / 1e9));
        CollectiveRow {
            group: text(call.group),
            seq: call.seq,
            step: call.step,
            n: call.n,
            bytes: call.bytes,
            transfer_ns: call.shortest.value,
            longest_ns: call.longest.value,
            mean_wait_ns: mean_wait(call),
            bus_bytes_per_s: call.bytes.and_then(rate),
            last: name(call.shortest.trace),
            op,
        }
    };
    order.iter().take(SLOWEST).map(row).collect()
}

/// The collectives of a process group with one operation and size.
#[derive(Debug, Clone, Default)]
pub struct GroupTime {
    /// Process group.
    pub group: String,
    /// Operation.
    pub op: String,
    /// Bytes.
    pub bytes: Option<u64>,
    /// Ranks.
    pub n: u32,
    /// Calls.
    pub calls: u64,
    /// Median transfer, nanoseconds.
    pub transfer_ns: i64,
}

/// Transfers by group, operation, size and number of ranks.
pub fn group_times(run: &FleetRun) -> Vec<GroupTime> {
    let mut all: std::collections::BTreeMap<(u32, u32, Option<u64>, u32), Vec<i64>> = std::collections::BTreeMap::new();
    for call in run.collectives.iter().filter(|c| c.n > 1) {
        all.entry((call.group, call.op, call.bytes, call.n)).or_default().push(call.shortest.value);
    }
    let text = |at: u32| run.texts.get(at as usize).cloned().unwrap_or_default();
    let row = |((group, op, bytes, n), mut times): ((u32, u32, Option<u64>, u32), Vec<i64>)| {
        times.sort_unstable();
        let transfer_ns = times[times.len() / 2];
        GroupTime { group: text(group), op: text(op), bytes, n, calls: times.len() as u64, transfer_ns }
    };
    all.into_iter().map(row).collect()
}

/// How far clocks are apart at least, nanoseconds: collectives that one rank ended before another began. `None` where they agree.
pub fn clock_difference(run: &FleetRun) -> Option<i64> {
    let apart =
        run.collectives.iter().filter(|c| c.n > 1).filter_map(|c| c.common).map(|(latest, earliest)| latest.saturating_sub(earliest));
    apart.max().filter(|&ns| ns > 0)
}
