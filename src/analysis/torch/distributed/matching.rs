//! Which operations of several workers are the same one, and how long each waited in it.

use super::{CommunicationCall, DistributedPart};
use rustc_hash::FxHashMap;

/// When a call moved data, range by range; `None` of a call that could not be matched.
pub type Transfer = Option<Vec<(i64, i64)>>;

/// What each worker did in the operations that all of its group know.
#[derive(Debug, Default)]
pub struct Matched {
    /// Indexed by worker and call.
    pub transfer: Vec<Vec<Transfer>>,
    /// Indexed by worker and call: whether it came last of its group.
    pub is_last: Vec<Vec<bool>>,
    /// Calls without a counterpart.
    pub n_unmatched: u64,
    /// Operations that were matched.
    pub n_matched: u64,
}

/// A call: (worker, position).
type CallRef = (usize, usize);

/// Why calls of workers cannot be matched, so that waiting and data transfer cannot be separated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// A worker has none.
    #[error("Worker {0} has no communication operations, so waiting and data transfer cannot be separated.")]
    NoCalls(String),
    /// Two workers, with their numbers of calls.
    #[error(
        "{} has {} communication operations and {} has {}: they cannot be matched, so waiting and data transfer cannot be separated.",
        .0.0, .0.1, .1.0, .1.1
    )]
    Calls((String, usize), (String, usize)),
    /// The number of an operation, and two workers with its kernels on each.
    #[error(
        "Operation {} has {} kernels on {} and {} on {}: they cannot be matched, so waiting and data transfer cannot be separated.",
        .0, .1.1, .1.0, .2.1, .2.0
    )]
    Kernels(usize, (String, usize), (String, usize)),
    /// No call of a worker matches a call of another.
    #[error("No communication operation matches between workers, so waiting and data transfer cannot be separated.")]
    Nothing,
}

/// Matches the calls of at least two workers.
pub fn match_calls(parts: &[DistributedPart]) -> Result<Matched, MatchError> {
    if let Some(part) = parts.iter().find(|p| p.calls.is_empty()) {
        return Err(MatchError::NoCalls(part.worker.clone()));
    }
    let mut out = Matched {
        transfer: parts.iter().map(|p| vec![None; p.calls.len()]).collect(),
        is_last: parts.iter().map(|p| vec![false; p.calls.len()]).collect(),
        ..Matched::default()
    };
    let mut groups = by_number(parts);
    let rest = |p: &DistributedPart| (0..p.calls.len()).filter(|&i| !is_numbered(&p.calls[i])).collect::<Vec<usize>>();
    let rest: Vec<Vec<usize>> = parts.iter().map(rest).collect();
    match by_order(parts, &rest) {
        Ok(more) => groups.extend(more),
        // Some operations are numbered: those can be matched all the same.
        Err(_) if !groups.is_empty() => out.n_unmatched += rest.iter().map(|r| r.len() as u64).sum::<u64>(),
        Err(why) => return Err(why),
    }
    for group in groups {
        let call = |&(worker, at): &CallRef| &parts[worker].calls[at];
        let n_ranges = group.first().map_or(0, |p| call(p).ranges.len());
        if group.len() < 2 || group.iter().any(|p| call(p).ranges.len() != n_ranges) {
            out.n_unmatched += group.len() as u64;
            continue;
        }
        out.n_matched += 1;
        let shortest: Vec<i64> = (0..n_ranges).map(|r| group.iter().map(|p| length(call(p), r)).min().unwrap_or(0)).collect();
        for place in &group {
            let ranges = call(place).ranges.iter().zip(&shortest);
            out.transfer[place.0][place.1] =
                Some(ranges.map(|(range, shortest)| (range.1.0.saturating_sub(*shortest), range.1.0)).collect());
        }
        let total = |p: &CallRef| (0..n_ranges).fold(0i64, |sum, r| sum.saturating_add(length(call(p), r)));
        if let Some(last) = group.iter().min_by_key(|p| total(p)) {
            out.is_last[last.0][last.1] = true;
        }
    }
    if out.n_matched == 0 {
        return Err(MatchError::Nothing);
    }
    Ok(out)
}

fn length(call: &CommunicationCall, range: usize) -> i64 {
    call.ranges.get(range).map_or(0, |(start, end)| end.0.saturating_sub(start.0))
}

/// Calls with a number by process group, number and name; those that share all three in their order.
fn by_number(parts: &[DistributedPart]) -> Vec<Vec<CallRef>> {
    let mut at_of: FxHashMap<(&str, u32, &str, u32), usize> = FxHashMap::default();
    let mut out: Vec<Vec<CallRef>> = Vec::new();
    for (worker, part) in parts.iter().enumerate() {
        let mut repeats: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
        let name = |at: u32| part.names.get(at as usize).map_or("", String::as_str);
        for (i, call) in part.calls.iter().enumerate().filter(|(_, call)| is_numbered(call)) {
            let (group, seq) = (call.group.unwrap_or(0), call.seq.unwrap_or(0));
            let repeat = repeats.entry((group, seq, call.name)).or_default();
            let key = (name(group), seq, name(call.name), *repeat);
            *repeat += 1;
            let at = *at_of.entry(key).or_insert_with(|| {
                out.push(Vec::new());
                out.len() - 1
            });
            out[at].push((worker, i));
        }
    }
    out
}

/// Whether a call's record has its process group and its number in it.
fn is_numbered(call: &CommunicationCall) -> bool {
    call.seq.is_some() && call.group.is_some()
}

/// Calls without a number by their order, which must be the same everywhere. `rest` holds their positions by worker.
fn by_order(parts: &[DistributedPart], rest: &[Vec<usize>]) -> Result<Vec<Vec<CallRef>>, MatchError> {
    let n = rest.first().map_or(0, Vec::len);
    if let Some(other) = rest.iter().position(|r| r.len() != n) {
        return Err(MatchError::Calls((parts[0].worker.clone(), n), (parts[other].worker.clone(), rest[other].len())));
    }
    let n_ranges = |worker: usize, i: usize| parts[worker].calls[rest[worker][i]].ranges.len();
    for i in 0..n {
        if let Some(other) = (1..parts.len()).find(|&w| n_ranges(w, i) != n_ranges(0, i)) {
            let on = |worker: usize| (parts[worker].worker.clone(), n_ranges(worker, i));
            return Err(MatchError::Kernels(i + 1, on(0), on(other)));
        }
    }
    Ok((0..n).map(|i| rest.iter().enumerate().map(|(worker, rest)| (worker, rest[i])).collect()).collect())
}
