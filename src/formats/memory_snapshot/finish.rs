//! From the rows of a snapshot to the profile.

use super::containers::Containers;
use super::pairing::{self, LiveBlock};
use super::records::{Action, Records, Row};
use super::timeline;
use super::value::Value;
use crate::base::Order as _;
use crate::base::{Ledger, Severity, StrId, text};
use crate::formats::ImportError;
use crate::model::snapshot::{Block, BlockState, NO_VALUE, Segment, SnapshotDevice};
use crate::model::{Domain, Fact, MemorySnapshot, Meta, Profile, ProfileBuilder};
use std::collections::BTreeMap;

/// Devices beyond this number are taken for a damaged file.
const DEVICES_MAX: u64 = 1 << 16;

/// A device's rows, before they are followed.
#[derive(Default)]
struct Rows {
    events: Vec<u32>,
    segments: Vec<u32>,
}

/// The profile of a snapshot, from what its pickle built.
pub fn finish(
    containers: Containers,
    root: Option<Value>,
    title: String,
    is_truncated: bool,
    ledger: &mut Ledger,
) -> Result<Profile, ImportError> {
    let plain = root.filter(|root| containers.dict(*root).is_some() || containers.is_list(*root));
    let Some(root) = plain else { return Err(other(&containers, root)) };
    // Before `device_traces` a snapshot was the list of its segments.
    let segments = if containers.is_list(root) { Some(root) } else { containers.value(root, "segments") };
    let traces = containers.value(root, "device_traces");
    let is_snapshot = traces.is_some() || segments.is_some_and(|s| containers.dict(root).is_some() || has_segments(&containers, s));
    if !is_snapshot {
        return Err(other(&containers, Some(root)));
    }
    let mut devices: BTreeMap<u32, Rows> = BTreeMap::new();
    let records = &containers.records;
    let mut n_repeated = 0u64;
    let mut is_used = vec![false; records.events.action.len()];
    for (device, trace) in
        traces.and_then(|t| containers.list(t)).into_iter().flat_map(|l| &l.values).enumerate().take(DEVICES_MAX as usize)
    {
        let rows = &mut devices.entry(device as u32).or_default().events;
        each(containers.list(*trace).map_or(&[], |l| &l.runs), |row| match row {
            Row::Event(at) if is_used.get(at as usize) == Some(&false) => {
                is_used[at as usize] = true;
                rows.push(at);
            }
            _ => n_repeated += 1,
        });
    }
    let n_loose = is_used.iter().filter(|used| !**used).count() as u64;
    drop(is_used);
    let mut is_used = vec![false; records.segments.len()];
    each(segments.and_then(|s| containers.list(s)).map_or(&[], |l| &l.runs), |row| match row {
        Row::Segment(at) if is_used.get(at as usize) == Some(&false) && records.segments[at as usize].device < DEVICES_MAX => {
            is_used[at as usize] = true;
            devices.entry(records.segments[at as usize].device as u32).or_default().segments.push(at);
        }
        _ => n_repeated += 1,
    });
    let mut n_unplaced = is_used.iter().filter(|used| !**used).count() as u64;
    devices.retain(|_, rows| !rows.events.is_empty() || !rows.segments.is_empty());
    ledger.read += (records.events.action.len() + records.blocks.len() + records.segments.len()) as u64 + n_repeated;
    let facts = settings(&containers, root);
    let annotations = timeline::annotations(&containers, root, ledger);
    let n_late = containers.n_late;
    let mut records = containers.into_records();
    let first_us = devices.values().flat_map(|rows| &rows.events).map(|&row| records.events.time_us[row as usize]);
    let first_us = first_us.chain(annotations.iter().map(|a| a.start_us)).filter(|t| *t != i64::MIN).min();
    let mut snapshot = MemorySnapshot { has_times: first_us.is_some(), ..MemorySnapshot::default() };
    let mut n_placed = 0;
    // The block's size was moved to a segment.
    let n_taken = |records: &Records| records.blocks.iter().filter(|block| block.size == NO_VALUE).count() as u64;
    let n_without_size = n_taken(&records);
    for (device, rows) in devices {
        let made = of_device(device, &rows, &mut records, first_us, segments.is_some(), is_truncated, ledger);
        n_placed += rows.events.len() as u64 + rows.segments.len() as u64 + made.blocks.len() as u64;
        snapshot.devices.push(made);
    }
    ledger.shown += n_placed;
    n_unplaced += records.blocks.len() as u64 - (n_taken(&records) - n_without_size);
    account(&records, n_repeated, n_loose, n_late, ledger);
    if n_unplaced > 0 {
        let reason = "A segment that belongs to no device, or a block without a size or a segment.";
        ledger.skip_n(Severity::DataLoss, "row_without_device", reason, n_unplaced, 0, String::new);
    }
    if is_truncated {
        ledger.note("The file is truncated: blocks that were allocated after its last event are shown as allocated before the first one.");
    }
    let Records { frames, stack_ends, stack_frames, strings, .. } = records;
    let mut builder = ProfileBuilder::new();
    builder.strings = strings;
    (snapshot.frames, snapshot.stack_ends, snapshot.stack_frames) = (frames, stack_ends, stack_frames);
    timeline::rows(&mut builder, &snapshot, &annotations, first_us);
    let mut meta = Meta {
        format: super::ID.into(),
        title,
        origin: "first event".into(),
        origin_epoch_ns: first_us.and_then(|t| t.checked_mul(1000)),
        facts,
        ..Meta::default()
    };
    for device in &snapshot.devices {
        meta.facts.extend(timeline::facts(device));
    }
    if !snapshot.has_times {
        meta.not_available.push("Times of events: this version of PyTorch does not record them".into());
    }
    if snapshot.devices.iter().all(|d| d.allocated.len() <= 1) {
        meta.not_available.push("Allocations over time: call torch.cuda.memory._record_memory_history() before the run".into());
    }
    let mut profile = builder.finish(meta).profile;
    profile.domain = Domain::MemorySnapshot(Box::new(snapshot));
    Ok(profile)
}

fn has_segments(containers: &Containers, segments: Value) -> bool {
    containers.list(segments).is_some_and(|list| list.runs.iter().any(|run| matches!(run.0, Row::Segment(_))))
}

/// Calls `each` with every row of the runs.
fn each(runs: &[(Row, u32)], mut each: impl FnMut(Row)) {
    for &(first, n) in runs {
        (0..n).filter_map(|i| if i == 0 { Some(first) } else { first.plus(i) }).for_each(&mut each);
    }
}

/// A pickle of something else.
fn other(containers: &Containers, root: Option<Value>) -> ImportError {
    const EXPECTED: &str = "Expected a memory snapshot of PyTorch (a dict with `segments` and `device_traces`)";
    let found = match root {
        None => "no value".to_string(),
        Some(root) if containers.dict(root).is_some_and(|pairs| pairs.is_empty()) => "an empty dict".into(),
        Some(root) => match containers.dict(root) {
            Some(pairs) => {
                let keys: Vec<String> = pairs.iter().take(5).map(|(key, _)| format!("`{}`", text::brief(&containers.text(*key)))).collect();
                format!("a dict with the keys {}", keys.join(", "))
            }
            None if containers.is_list(root) => "a list of other values".into(),
            None => "a single value".into(),
        },
    };
    ImportError::Invalid(format!(
        "{EXPECTED}, found a pickle of {found}. Save one with `torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")`."
    ))
}

fn settings(containers: &Containers, root: Value) -> Vec<Fact> {
    let all = containers.value(root, "allocator_settings").and_then(|s| containers.dict(s)).unwrap_or_default();
    let fact = |(key, value): &(Value, Value)| Fact {
        group: "Allocator settings".into(),
        name: containers.text(*key),
        value: containers.text(*value),
    };
    all.iter().take(100).map(fact).filter(|fact| !fact.value.is_empty()).collect()
}

fn of_device(
    device: u32,
    rows: &Rows,
    records: &mut Records,
    first_us: Option<i64>,
    has_segments: bool,
    is_truncated: bool,
    ledger: &mut Ledger,
) -> SnapshotDevice {
    let (segments, blocks) = blocks_of(&rows.segments, records, ledger);
    let live: Vec<LiveBlock> = segments
        .iter()
        .flat_map(|s| blocks[s.blocks.start as usize..s.blocks.end as usize].iter().map(move |b| (s, b)))
        .filter(|(_, b)| b.state != BlockState::Free)
        .map(|(s, b)| LiveBlock { address: b.address, size: b.requested, stream: s.stream, stack: b.stack })
        .collect();
    let history = pairing::history(&records.events, &rows.events, &records.streams, has_segments.then_some(&live[..]));
    let name = |n: u64, what: &str| format!("Device {device}: {} {what}", text::count(n));
    if history.n_unreleased > 0 {
        ledger.note(name(history.n_unreleased, "allocations reuse an address without a recorded release; the earlier one ends there."));
    }
    if history.n_without_block > 0 && !is_truncated {
        ledger.note(name(
            history.n_without_block,
            "allocations have no release and no block in the segments; they are shown until the last event.",
        ));
    }
    if history.n_too_large > 0 {
        let reason = "The size exceeds what 64 bits can sum.";
        ledger.skip_n(Severity::DataLoss, "size_overflow", reason, history.n_too_large, 0, String::new);
    }
    let mut actions: Vec<(StrId, u64)> = Vec::new();
    for &row in &rows.events {
        let name = records.events.name[row as usize];
        match actions.iter().position(|known| known.0 == name) {
            Some(at) => actions[at].1 += 1,
            None if actions.len() < 64 => actions.push((name, 1)),
            None => {}
        }
    }
    let mut n_back = 0u64;
    let mut times = Vec::new();
    if let Some(first_us) = first_us {
        let mut last = 0;
        times = Vec::with_capacity(rows.events.len());
        for &row in &rows.events {
            let time = records.events.time_us[row as usize].saturating_sub(first_us).saturating_mul(1000);
            n_back += u64::from(time < last);
            last = last.max(time);
            times.push(last);
        }
    }
    if n_back > 0 {
        ledger.note(name(n_back, "events have no time or an earlier one than the event before; they are shown at its time."));
    }
    let end: i128 = segments.iter().map(|s| i128::from(s.size)).sum();
    let mut sum = end - history.reserved.iter().map(|r| i128::from(r.1)).sum::<i128>();
    let clamped = |sum: i128| u64::try_from(sum.max(0)).unwrap_or(u64::MAX);
    let mut reserved = vec![(0, clamped(sum))];
    for (state, change) in history.reserved {
        sum += i128::from(change);
        reserved.push((state, clamped(sum)));
    }
    SnapshotDevice {
        device,
        allocated: history.allocated,
        times,
        reserved,
        allocations: history.allocations,
        segments,
        blocks,
        ooms: history.ooms,
        actions,
    }
}

fn blocks_of(rows: &[u32], records: &mut Records, ledger: &mut Ledger) -> (Vec<Segment>, Vec<Block>) {
    let mut rows = rows.to_vec();
    rows.order_by_key(|&row| records.segments[row as usize].address);
    let (mut segments, mut blocks) = (Vec::new(), Vec::new());
    for row in rows {
        let raw = records.segments[row as usize].clone();
        // Taken, so that a list that several segments name counts once.
        let runs = raw.blocks.and_then(|at| records.block_lists.get_mut(at as usize)).map(std::mem::take).unwrap_or_default();
        let first = blocks.len() as u32;
        let mut next = raw.address;
        each(&runs, |row| {
            let Row::Block(at) = row else { return };
            let Some(block) = records.blocks.get_mut(at as usize).filter(|b| b.size != NO_VALUE) else { return };
            let state = match records.strings.get(block.state) {
                "active_allocated" => BlockState::Allocated,
                // `active_awaiting_free` since PyTorch 2.2; both words for a release that other streams delay.
                "active_pending_free" | "active_awaiting_free" => BlockState::PendingFree,
                _ => BlockState::Free,
            };
            // Older versions have no addresses of blocks: one follows the other.
            let address = if block.address == NO_VALUE { next } else { block.address };
            next = address.saturating_add(block.size);
            let requested = if block.requested == NO_VALUE { block.size } else { block.requested };
            blocks.push(Block { address, size: block.size, requested, state, stack: block.stack });
            // Used: a second list with this block does not show it again.
            block.size = NO_VALUE;
        });
        segments.push(Segment {
            address: raw.address,
            size: raw.total_size,
            stream: records.streams.get(raw.stream as usize).copied().unwrap_or(0),
            kind: raw.kind,
            pool: raw.pool,
            is_expandable: raw.is_expandable,
            stack: raw.stack,
            blocks: first..blocks.len() as u32,
        });
    }
    let total: u128 = blocks.iter().map(|b: &Block| u128::from(b.size) + u128::from(b.requested)).sum();
    if total > u128::from(u64::MAX) {
        let n = blocks.len() as u64;
        ledger.skip_n(Severity::DataLoss, "size_overflow", "The size exceeds what 64 bits can sum.", n, 0, String::new);
        segments.iter_mut().for_each(|s| s.blocks = 0..0);
        blocks.clear();
    }
    (segments, blocks)
}

/// What is not shown, by reason.
fn account(records: &Records, n_repeated: u64, n_loose: u64, n_late: u64, ledger: &mut Ledger) {
    if records.n_incomplete > 0 {
        let reason = "An allocation or release without address or size; it is not counted.";
        ledger.skip_n(Severity::DataLoss, "incomplete_event", reason, records.n_incomplete, 0, String::new);
        ledger.shown = ledger.shown.saturating_sub(records.n_incomplete);
    }
    if n_repeated > 0 {
        let reason = "The same record is listed a second time; it is counted once.";
        ledger.skip_n(Severity::Warning, "repeated_record", reason, n_repeated, 0, String::new);
    }
    if n_loose > 0 {
        let reason = "An event that belongs to no device.";
        ledger.skip_n(Severity::DataLoss, "event_without_device", reason, n_loose, 0, String::new);
    }
    if n_late > 0 {
        ledger.note(format!("{} values were added to records after their end; they are not read.", text::count(n_late)));
    }
    let is_other = |at: usize| records.events.action[at] == Action::Other && records.events.name[at] != StrId(0);
    let unknown: Vec<usize> = (0..records.events.action.len()).filter(|&at| is_other(at)).collect();
    if let Some(&first) = unknown.first() {
        let name = records.strings.get(records.events.name[first]);
        ledger.note(format!(
            "{} events have an action that is not known, for example `{}`.",
            text::count(unknown.len() as u64),
            text::brief(name)
        ));
    }
    for (key, n) in &records.unread {
        ledger.note(format!("The key `{}` of {} records is not read.", text::brief(records.strings.get(*key)), text::count(*n)));
    }
}
