//! Collectives of a run: who waited, who arrived last, how fast data moved.
//!
//! A collective ends on all ranks at about the same time. The rank with the shortest duration arrived last, and that duration is the transfer; what the
//! others took longer, they waited. This needs no common clock.

use super::trace_name::TraceName;
use crate::base::Order as _;
use crate::model::fleet::{FleetCollective, FleetRun, stable_hash};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The last rank counts as such when the others waited, on average, more than this share of the transfer.
const WAIT_SHARE_MIN: i64 = 10;
/// And more than this, nanoseconds: smaller differences are jitter of kernels.
const WAIT_MIN_NS: i64 = 2_000;
/// Fewer values than this have no median to compare with.
pub const PEERS_MIN: usize = 3;
/// Rows of [`slowest`].
pub const SLOWEST: usize = 200;
/// Rows of [`group_rows`].
const GROUPS_MAX: usize = 500;

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
    /// The same for the median collective with this operation, bytes and number of ranks.
    pub usual_bus_bytes_per_s: Option<f64>,
    /// The rank that arrived last.
    pub last: TraceName,
}

impl CollectiveRow {
    /// How far apart the ranks arrived: longest duration − shortest, nanoseconds.
    pub fn spread_ns(&self) -> i64 {
        self.longest_ns.saturating_sub(self.transfer_ns)
    }
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

/// The collectives at which a rank makes others wait most.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WaitPlace {
    /// Process group.
    pub group: String,
    /// Operation.
    pub op: String,
    /// Calls in which it arrived last and the others waited.
    pub n_last: u64,
    /// How long each of the others waited, on average, in sum; nanoseconds.
    pub caused_ns: i64,
    /// Step of the longest wait.
    pub step: Option<u32>,
}

/// Waiting of one trace.
#[derive(Debug, Clone, Default)]
pub struct Waits {
    /// Collectives that at least two traces have.
    pub n: u64,
    /// Those in which it arrived last and the others waited.
    pub n_last: u64,
    /// How long each of the others waited for it, on average, in sum.
    pub caused_ns: i64,
    /// How long it waited itself; `None` where not all of its collectives are matched.
    pub waited_ns: Option<i64>,
    /// Where the others waited most for it.
    pub place: Option<WaitPlace>,
}

/// How long the ranks of a collective waited, on average of the others.
fn mean_wait(call: &FleetCollective) -> i64 {
    let others = i64::from(call.n.saturating_sub(1));
    let all = call.shortest.value.saturating_mul(i64::from(call.n));
    call.total_ns.saturating_sub(all).checked_div(others).unwrap_or(0).max(0)
}

/// Collectives of one group and operation at which others wait for a trace.
#[derive(Default)]
struct WaitsAt {
    n: u64,
    /// Sum of the mean waits.
    caused_ns: i64,
    longest_ns: i64,
    /// Step of the longest.
    step: Option<u32>,
}

/// Waiting of each trace.
pub fn waits(run: &FleetRun, place: &FxHashMap<u64, u32>) -> Vec<Waits> {
    let mut out = vec![Waits::default(); run.traces.len()];
    // Keyed by (group, op): matched collectives and the sum of their transfers.
    let mut groups: FxHashMap<u64, (u64, i64, bool)> = FxHashMap::default();
    let text = |at: u32| run.texts.get(at as usize).map_or("", String::as_str);
    let mut hashes: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    // Keyed by (trace, group, op). Sorted, so that equal ones are chosen by text.
    let mut places: BTreeMap<(u32, u32, u32), WaitsAt> = BTreeMap::new();
    for call in &run.collectives {
        let hash = *hashes.entry((call.group, call.op)).or_insert_with(|| stable_hash(&[text(call.group), text(call.op)]));
        let sum = groups.entry(hash).or_insert((0, 0, true));
        *sum = (sum.0 + 1, sum.1.saturating_add(call.shortest.value), sum.2 && call.n > 1);
        let wait = mean_wait(call);
        if call.n < 2 || wait < WAIT_MIN_NS || wait < call.shortest.value / WAIT_SHARE_MIN {
            continue;
        }
        if let Some((at, waits)) = place.get(&call.shortest.trace).and_then(|at| Some((*at, out.get_mut(*at as usize)?))) {
            waits.n_last += 1;
            waits.caused_ns = waits.caused_ns.saturating_add(wait);
            let sum = places.entry((at, call.group, call.op)).or_default();
            if wait > sum.longest_ns {
                (sum.longest_ns, sum.step) = (wait, call.step);
            }
            sum.n += 1;
            sum.caused_ns = sum.caused_ns.saturating_add(wait);
        }
    }
    for ((at, group, op), WaitsAt { n: n_last, caused_ns, step, .. }) in places {
        let waits = &mut out[at as usize];
        if waits.place.as_ref().is_none_or(|known| known.caused_ns < caused_ns) {
            waits.place = Some(WaitPlace { group: text(group).into(), op: text(op).into(), n_last, caused_ns, step });
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
    order.truncate(SLOWEST);
    // Transfers of all collectives like those that are listed.
    let like = |c: &FleetCollective| (c.op, c.bytes, c.n);
    let mut usual: FxHashMap<(u32, Option<u64>, u32), Vec<i64>> = order.iter().map(|c| (like(c), Vec::new())).collect();
    for call in &run.collectives {
        if let Some(times) = usual.get_mut(&like(call)) {
            times.push(call.shortest.value);
        }
    }
    let usual: FxHashMap<(u32, Option<u64>, u32), i64> = usual.into_iter().map(|(key, mut times)| (key, median(&mut times))).collect();
    let text = |at: u32| run.texts.get(at as usize).cloned().unwrap_or_default();
    let row = |call: &&FleetCollective| {
        let op = text(call.op);
        CollectiveRow {
            group: text(call.group),
            seq: call.seq,
            step: call.step,
            n: call.n,
            bytes: call.bytes,
            transfer_ns: call.shortest.value,
            longest_ns: call.longest.value,
            mean_wait_ns: mean_wait(call),
            bus_bytes_per_s: bus_rate(&op, call.n, call.bytes, call.shortest.value),
            usual_bus_bytes_per_s: usual.get(&like(call)).and_then(|ns| bus_rate(&op, call.n, call.bytes, *ns)),
            last: name(call.shortest.trace),
            op,
        }
    };
    order.iter().map(row).collect()
}

/// Bus bandwidth, bytes per second; `None` without bytes, or for an unknown operation.
fn bus_rate(op: &str, n: u32, bytes: Option<u64>, transfer_ns: i64) -> Option<f64> {
    Some(bytes? as f64 * bus_factor(op, n)? / (transfer_ns.max(1) as f64 / 1e9))
}

/// The middle one; 0 without values.
fn median(times: &mut [i64]) -> i64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

/// A process group with one operation and size, beside groups like it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupRow {
    /// Process group.
    pub group: String,
    /// Operation.
    pub op: String,
    /// Ranks.
    pub n: u32,
    /// Bytes of its tensors on a rank.
    pub bytes: Option<u64>,
    /// Calls.
    pub calls: u64,
    /// Median transfer, nanoseconds.
    pub transfer_ns: i64,
    /// Bus bandwidth of the median transfer, bytes per second.
    pub bus_bytes_per_s: Option<f64>,
    /// Median transfer ÷ that of groups with this operation, bytes and number of ranks, in thousandths; `None` for fewer than three groups.
    pub ratio_thousandths: Option<i64>,
}

/// Process groups, the slowest beside its like first.
pub fn group_rows(groups: &[GroupTime]) -> Vec<GroupRow> {
    let mut alike: FxHashMap<(&str, Option<u64>, u32), Vec<i64>> = FxHashMap::default();
    for group in groups {
        alike.entry((&group.op, group.bytes, group.n)).or_default().push(group.transfer_ns);
    }
    alike.retain(|_, times| times.len() >= PEERS_MIN);
    let usual: FxHashMap<(&str, Option<u64>, u32), i64> = alike.into_iter().map(|(key, mut times)| (key, median(&mut times))).collect();
    let row = |group: &GroupTime| {
        let usual = usual.get(&(group.op.as_str(), group.bytes, group.n)).filter(|ns| **ns > 0);
        GroupRow {
            group: group.group.clone(),
            op: group.op.clone(),
            n: group.n,
            bytes: group.bytes,
            calls: group.calls,
            transfer_ns: group.transfer_ns,
            bus_bytes_per_s: bus_rate(&group.op, group.n, group.bytes, group.transfer_ns),
            ratio_thousandths: usual.and_then(|ns| i64::try_from(i128::from(group.transfer_ns) * 1000 / i128::from(*ns)).ok()),
        }
    };
    let mut out: Vec<GroupRow> = groups.iter().map(row).collect();
    out.order_by_key(|r| std::cmp::Reverse((r.ratio_thousandths, r.transfer_ns)));
    out.truncate(GROUPS_MAX);
    out
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
    let mut all: BTreeMap<(u32, u32, Option<u64>, u32), Vec<i64>> = BTreeMap::new();
    for call in run.collectives.iter().filter(|c| c.n > 1) {
        all.entry((call.group, call.op, call.bytes, call.n)).or_default().push(call.shortest.value);
    }
    let text = |at: u32| run.texts.get(at as usize).cloned().unwrap_or_default();
    let row = |((group, op, bytes, n), mut times): ((u32, u32, Option<u64>, u32), Vec<i64>)| GroupTime {
        group: text(group),
        op: text(op),
        bytes,
        n,
        calls: times.len() as u64,
        transfer_ns: median(&mut times),
    };
    all.into_iter().map(row).collect()
}

/// How far clocks are apart at least, nanoseconds: collectives that one rank ended before another began. `None` where they agree.
pub fn clock_difference(run: &FleetRun) -> Option<i64> {
    let apart =
        run.collectives.iter().filter(|c| c.n > 1).filter_map(|c| c.common).map(|(latest, earliest)| latest.saturating_sub(earliest));
    apart.max().filter(|&ns| ns > 0)
}
