//! What follows from the parts of all workers of a span.

use super::matching::{Matched, Transfer, match_calls};
use super::straggler;
use super::waits::waits;
use super::{CommunicationRow, Distributed, DistributedPart, NodeInfo, OverlapTimes, ProcessInfo, WaitTimes, WorkerTimes};
use crate::analysis::spans::{Ranges, length, union};
use crate::base::DurationNs;
use crate::base::Order as _;
use rustc_hash::FxHashSet;

/// Merges parts in any order; one is enough for what needs no second.
pub fn merge(parts: &[DistributedPart]) -> Distributed {
    let mut notes = Vec::new();
    let parts = checked(parts, &mut notes);
    let matched = if parts.len() < 2 {
        notes.push("Only one worker is open, so its waiting time is not available. Open the traces of all workers of the run.".into());
        None
    } else {
        match match_calls(&parts) {
            Ok(matched) => {
                if matched.n_unmatched > 0 {
                    notes.push(format!(
                        "{} operations have no match in the open workers; they count neither as waiting nor as data transfer.",
                        matched.n_unmatched
                    ));
                }
                Some(matched)
            }
            Err(why) => {
                notes.push(why.to_string());
                None
            }
        }
    };
    let workers: Vec<WorkerTimes> = parts.iter().enumerate().map(|(i, part)| times(part, i, matched.as_ref())).collect();
    for part in &parts {
        notes.extend(part.notes.iter().map(|n| format!("{}: {n}", part.worker)));
    }
    let mut known: FxHashSet<&str> = FxHashSet::default();
    let all_steps = parts.iter().flat_map(|p| &p.steps).map(|s| s.name.as_str());
    let steps: Vec<String> = all_steps.filter(|name| known.insert(name)).map(str::to_string).collect();
    let stragglers = matched.as_ref().map_or_else(Vec::new, |m| straggler::stragglers(&parts, &workers, &steps, m));
    Distributed { nodes: nodes(&parts), workers, steps, is_matched: matched.is_some(), stragglers, notes }
}

/// The parts in order, each worker once; what does not fit is noted.
fn checked(parts: &[DistributedPart], notes: &mut Vec<String>) -> Vec<DistributedPart> {
    let mut parts = parts.to_vec();
    let has_ranks = parts.iter().all(|p| p.rank.is_some());
    parts.order_by(|a, b| {
        let rank = |p: &DistributedPart| p.rank.filter(|_| has_ranks).map(|r| r.0);
        (rank(a), &a.worker, &a.span).cmp(&(rank(b), &b.worker, &b.span))
    });
    let mut spans: Vec<&str> = parts.iter().map(|p| p.span.as_str()).collect();
    spans.order();
    spans.dedup();
    if spans.len() > 1 {
        notes.push(format!("The traces cover different spans ({}), so their times cannot be compared.", spans.join(", ")));
    }
    let mut out: Vec<DistributedPart> = Vec::with_capacity(parts.len());
    for part in parts {
        let is_same = |o: &&DistributedPart| {
            o.worker == part.worker && o.span == part.span || has_ranks && o.rank == part.rank && o.span == part.span
        };
        match out.iter().find(is_same) {
            Some(other) => notes.push(format!(
                "{} and {} are the same worker{}: only the first is shown.",
                other.worker,
                part.worker,
                part.rank.map_or(String::new(), |r| format!(" (rank {})", r.0))
            )),
            None => out.push(part),
        }
    }
    let world = out.iter().filter_map(|p| p.rank).map(|r| r.1).max();
    if let Some(world) = world.filter(|&w| has_ranks && w as usize > out.len()) {
        notes.push(format!("{} of {world} ranks are open: the last to arrive can be one of the others.", out.len()));
    }
    out
}

/// Machine and process in a worker's name: `host_1234` is process 1234 of `host`.
fn place(worker: &str, index: usize) -> (String, String) {
    let split = worker.char_indices().rev().find(|&(at, c)| c == '_' && worker[at + 1..].starts_with(|d: char| d.is_ascii_digit()));
    match split {
        Some((at, _)) => {
            let digits: String = worker[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            (worker[..at].to_string(), format!("Process {digits}"))
        }
        None => (worker.to_string(), format!("Process {index}")),
    }
}

fn nodes(parts: &[DistributedPart]) -> Vec<NodeInfo> {
    let mut out: Vec<NodeInfo> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let (node, process) = place(&part.worker, i);
        let process = ProcessInfo { name: process, worker: part.worker.clone(), rank: part.rank, devices: part.devices.clone() };
        match out.iter_mut().find(|n| n.name == node) {
            Some(known) => known.processes.push(process),
            None => out.push(NodeInfo { name: node, processes: vec![process] }),
        }
    }
    out.order_by(|a, b| a.name.cmp(&b.name));
    out
}

/// `sum / n`, towards zero.
fn mean(sum: i64, n: usize) -> DurationNs {
    DurationNs(sum.checked_div(n as i64).unwrap_or(0))
}

fn times(part: &DistributedPart, worker: usize, matched: Option<&Matched>) -> WorkerTimes {
    let n = part.steps.len();
    let sum = |of: fn(&OverlapTimes) -> DurationNs| part.steps.iter().fold(0i64, |s, step| s.saturating_add(of(&step.times).0));
    let overlap = OverlapTimes {
        computation_only: mean(sum(|t| t.computation_only), n),
        overlap: mean(sum(|t| t.overlap), n),
        communication_only: mean(sum(|t| t.communication_only), n),
        other: mean(sum(|t| t.other), n),
    };
    let wait_steps: Vec<(String, WaitTimes)> = matched.map_or_else(Vec::new, |m| {
        let transfer = &m.transfer[worker];
        let mut by_step: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, call) in part.calls.iter().enumerate() {
            if let Some(list) = call.step.and_then(|s| by_step.get_mut(s as usize)) {
                list.push(i);
            }
        }
        part.steps.iter().zip(&by_step).map(|(step, calls)| (step.name.clone(), waits(part, transfer, calls.iter().copied()))).collect()
    });
    let wait_sum = |of: fn(&WaitTimes) -> DurationNs| wait_steps.iter().fold(0i64, |s, step| s.saturating_add(of(&step.1).0));
    let wait =
        matched.map(|_| WaitTimes { transfer: mean(wait_sum(|w| w.transfer), n), synchronizing: mean(wait_sum(|w| w.synchronizing), n) });
    WorkerTimes {
        worker: part.worker.clone(),
        rank: part.rank.map(|r| r.0),
        overlap,
        overlap_steps: part.steps.iter().map(|s| (s.name.clone(), s.times)).collect(),
        wait,
        wait_steps,
        operations: operations(part, matched.map(|m| m.transfer[worker].as_slice())),
    }
}

/// The table of one worker, in the order its operations were first seen.
fn operations(part: &DistributedPart, transfer: Option<&[Transfer]>) -> Vec<CommunicationRow> {
    let mut at_of = vec![usize::MAX; part.names.len()];
    let mut sums: Vec<(CommunicationRow, Ranges, Ranges, i64, u64)> = Vec::new();
    for (i, call) in part.calls.iter().enumerate() {
        let Some(at) = at_of.get_mut(call.name as usize) else { continue };
        if *at == usize::MAX {
            *at = sums.len();
            let name = part.names[call.name as usize].clone();
            sums.push((CommunicationRow { name, ..CommunicationRow::default() }, Vec::new(), Vec::new(), -1, 0));
        }
        let (row, all, moving, longest, n_sized) = &mut sums[*at];
        row.calls += 1;
        if let Some(bytes) = call.size_bytes {
            row.size_bytes = Some(row.size_bytes.unwrap_or(0).saturating_add(bytes));
            *n_sized += 1;
        }
        let own = call.ranges.iter().fold(0i64, |sum, r| sum.saturating_add(r.1.since(r.0).0));
        if own > *longest {
            (*longest, row.longest) = (own, call.slice);
        }
        all.extend(call.ranges.iter().map(|r| (r.0.0, r.1.0)));
        moving.extend(transfer.and_then(|t| t.get(i)?.as_ref()).into_iter().flatten());
    }
    let mean_of = |sum: i64, calls: u64| DurationNs((sum as f64 / calls.max(1) as f64).round_ties_even() as i64);
    sums.into_iter()
        .map(|(row, all, moving, _, n_sized)| {
            let latency = length(&union(all));
            let moved = transfer.map(|_| length(&union(moving)));
            CommunicationRow {
                mean_size_bytes: row.size_bytes.map(|b| (b as f64 / n_sized.max(1) as f64).round_ties_even() as u64),
                latency: DurationNs(latency),
                mean_latency: mean_of(latency, row.calls),
                transfer: moved.map(DurationNs),
                mean_transfer: moved.map(|m| mean_of(m, row.calls)),
                ..row
            }
        })
        .collect()
}
