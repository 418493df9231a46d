//! The records of a PyTorch or Chrome trace that a range needs, as the file has them, part by part: the text of a smaller trace.
//!
//! Kept are the slices that touch the range, with all that the calls of the range call and launch, and of device work the call that launched it and the
//! operators around that call: every kernel of the range keeps its operator, and every call of the range its kernels. What the root says beside the events (devices, process groups, metadata) is copied. Times stay those of the file:
//! `axonscopeOrigin` says which of them is 0, since the first event of the file may be omitted. Nothing is remembered between two parts.

use crate::analysis::torch::TorchModel;
use crate::base::{DurationNs, InputError, InputSet, Member, SliceId, TimeNs, TimeRange, TrackId};
use crate::formats::json::{Cursor, Value, nested_len, number::micros_to_nanos};
use crate::model::{NO_SLICE, Profile};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Bytes of the file read for a part.
const PART: u64 = 8 << 20;
/// The longest record or root value that is read.
const LONGEST: u64 = 256 << 20;
/// Number of bytes searched for the time of a record.
const RECORD: u64 = 64 << 10;

/// The next records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeRecordsQuery {
    /// Which part of the trace.
    pub range: TimeRange,
    /// Rows of it; none: all.
    pub tracks: Vec<TrackId>,
    /// Where the next part begins; the beginning by default.
    pub cursor: RecordsCursor,
}

/// Where the next part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordsCursor {
    stage: Stage,
    /// Offset in the file.
    at: u64,
    /// Whether an event is written, so that the next one follows a comma.
    has_events: bool,
    /// Whether the root is the list of events.
    is_list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Stage {
    #[default]
    Head,
    Events,
    Tail,
}

/// One part of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangeRecords {
    /// A part of a JSON text.
    pub text: String,
    /// Name of the file that it is of.
    pub member: String,
    /// Events in it.
    pub n_events: u64,
    /// How much of the file is done: of how much.
    pub progress: (u64, u64),
    /// Where the next part begins; `None` at the end.
    pub next: Option<RecordsCursor>,
}

/// Why the records of a range could not be read again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// The session has no file.
    #[error("The file of this trace is not open.")]
    NotOpen,
    /// None of the first records is where it was.
    #[error("No record of this trace could be read again: the file may have changed after it was opened.")]
    NoRecord,
    /// The root has no list of events any more.
    #[error("The list of events was not found in the file again: it may have changed after it was opened.")]
    NoEvents,
    /// The record at this byte does not end.
    #[error("The record at byte {0} does not end.")]
    NoEnd(u64),
    /// The bytes could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// The next records of a range of a trace; `model` is there for a PyTorch trace.
pub(super) fn range_records(
    input: &InputSet,
    profile: &Profile,
    model: Option<&TorchModel>,
    query: &RangeRecordsQuery,
) -> Result<RangeRecords, RecordsError> {
    let member = input.members.first().ok_or(RecordsError::NotOpen)?;
    let origin = origin(member, profile)?;
    let mut out = RangeRecords { member: member.name.clone(), ..RangeRecords::default() };
    let next = match query.cursor.stage {
        Stage::Head => Some(head(member, origin, &mut out)?),
        Stage::Events => {
            let selection = RecordSelection::new(profile, model, query, origin);
            Some(events(member, &selection, query.cursor, &mut out)?)
        }
        Stage::Tail => tail(member, query.cursor, &mut out)?,
    };
    out.progress = (next.map_or(member.len(), |c| c.at), member.len());
    out.next = next;
    Ok(out)
}

/// Nanoseconds as microseconds, exactly.
pub(super) fn micros(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let (whole, rest) = (ns.unsigned_abs() / 1000, ns.unsigned_abs() % 1000);
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:03}") }
}

/// The time of a record's text, nanoseconds as the file counts them.
fn time_of(record: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(record);
    while let Ok(Some(key)) = cursor.key() {
        match cursor.value() {
            Ok(value) if key == b"ts" => return micros_to_nanos(value.plain()),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
    None
}

/// The time of the file that the profile counts from.
fn origin(member: &Member, profile: &Profile) -> Result<i64, RecordsError> {
    let slices = (0..profile.slices.len()).map(|i| SliceId(i as u32));
    let with_record = slices.filter_map(|slice| Some((slice, profile.record_of(slice.into())?))).filter(|(_, record)| record.member() == 0);
    for (slice, record) in with_record.take(16) {
        let text = member.read_up_to(record.offset(), RECORD)?;
        if let Some(time) = time_of(&text) {
            return Ok(time.saturating_sub(profile.slices.start[slice.index()]));
        }
    }
    Err(RecordsError::NoRecord)
}

/// The root up to its list of events.
fn head(member: &Member, origin: i64, out: &mut RangeRecords) -> Result<RecordsCursor, RecordsError> {
    let mut n_bytes = PART;
    loop {
        let text = member.read_up_to(0, n_bytes)?;
        if let Some((from, to)) = root(&text) {
            let is_list = from == to;
            out.text = format!("{{\"axonscopeOrigin\":\"{}\"", micros(origin));
            let keys = String::from_utf8_lossy(&text[from..to]);
            let keys = if is_list { "\"traceEvents\":[" } else { keys.trim_start_matches([',', ' ', '\n', '\r', '\t']) };
            out.text.push(',');
            out.text.push_str(keys);
            return Ok(RecordsCursor { stage: Stage::Events, at: to as u64, has_events: false, is_list });
        }
        if text.len() as u64 == member.len() || n_bytes >= LONGEST {
            return Err(RecordsError::NoEvents);
        }
        n_bytes *= 4;
    }
}

/// Where the root's keys begin, and where its events do; both are one for a list.
fn root(text: &[u8]) -> Option<(usize, usize)> {
    let begin = text.iter().position(|b| matches!(b, b'{' | b'['))?;
    if text[begin] == b'[' {
        return Some((begin + 1, begin + 1));
    }
    let mut cursor = Cursor::new(&text[begin..]);
    while let Ok(Some(key)) = cursor.key() {
        if key == b"traceEvents" {
            let at = begin + cursor.at();
            let list = at + text[at..].iter().position(|b| !b.is_ascii_whitespace())?;
            return (text[list] == b'[').then_some((begin + 1, list + 1));
        }
        cursor.value().ok()?;
    }
    None
}

/// Which events are kept.
struct RecordSelection {
    range: TimeRange,
    origin: i64,
    /// Offsets of the records of slices in this part of the file, sorted.
    records: Vec<u64>,
    /// Starts of kept slices outside of the range: flows begin and end there.
    starts: FxHashSet<i64>,
}

impl RecordSelection {
    fn new(profile: &Profile, model: Option<&TorchModel>, query: &RangeRecordsQuery, origin: i64) -> RecordSelection {
        let (slices, range) = (&profile.slices, query.range);
        let is_row: Vec<bool> =
            (0..profile.tracks.len()).map(|t| query.tracks.is_empty() || query.tracks.contains(&TrackId(t as u32))).collect();
        let touches = |i: usize| range.touches(TimeNs(slices.start[i]), DurationNs(slices.duration[i]));
        let mut is_selected = vec![false; slices.len()];
        for lane in &profile.lanes {
            if is_row.get(lane.track.index()) == Some(&true) {
                let first = lane.first as usize;
                for (at, flag) in is_selected[first..lane.end as usize].iter_mut().enumerate() {
                    *flag = touches(first + at);
                }
            }
        }
        if let Some(model) = model {
            select_linked(model, &slices.start, range, &mut is_selected);
        }
        let part = query.cursor.at..query.cursor.at.saturating_add(LONGEST);
        let (mut records, mut starts) = (Vec::new(), FxHashSet::default());
        for (i, _) in is_selected.iter().enumerate().filter(|(_, flag)| **flag) {
            let item = SliceId(i as u32).into();
            let both = [profile.record_of(item), profile.end_record_of(item)];
            records.extend(both.into_iter().flatten().filter(|r| r.member() == 0 && part.contains(&r.offset())).map(|r| r.offset()));
            if slices.start[i] < range.start.0 || slices.start[i] >= range.end.0 {
                starts.insert(slices.start[i]);
            }
        }
        records.sort_unstable();
        RecordSelection { range, origin, records, starts }
    }

    fn keeps(&self, record: &[u8], offset: u64) -> bool {
        if self.records.binary_search(&offset).is_ok() {
            return true;
        }
        let mut cursor = Cursor::new(record);
        let mut phase: &[u8] = b"";
        while let Ok(Some(key)) = cursor.key() {
            match cursor.value() {
                Ok(Value::Text(text)) if key == b"ph" => {
                    phase = text;
                    break;
                }
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        match phase {
            // Names, and counters with their last value before the range, which is in force there.
            b"M" | b"C" => true,
            // Slices are known by their records.
            b"X" | b"B" | b"E" | b"b" | b"e" | b"S" | b"F" | b"T" => false,
            _ => time_of(record).is_some_and(|time| {
                let time = time.saturating_sub(self.origin);
                let is_flow = matches!(phase, b"s" | b"t" | b"f");
                self.range.touches(TimeNs(time), DurationNs(0)) || is_flow && self.starts.contains(&time)
            }),
        }
    }
}

/// Host ranges below those that begin in the range; of device work that is kept, or launched by what is kept: its launch and the operators around it.
fn select_linked(model: &TorchModel, starts: &[i64], range: TimeRange, is_selected: &mut [bool]) {
    let trees = &model.trees;
    // Calls that begin in the range are counted whole: with what they call, and what that launches.
    let mut is_called = vec![false; trees.len()];
    for node in 0..trees.len() {
        let slice = trees.slice[node] as usize;
        let begins = is_selected.get(slice) == Some(&true) && (range.start.0..range.end.0).contains(&starts[slice]);
        // Parents are before their children.
        is_called[node] = begins || is_called.get(trees.parent[node] as usize) == Some(&true);
        if let Some(flag) = is_selected.get_mut(slice).filter(|_| is_called[node]) {
            *flag = true;
        }
    }
    for (at, &work) in model.events.work.iter().enumerate() {
        let launch = model.launch.get(at).copied().filter(|s| *s != NO_SLICE);
        let mut node = model.node_of_work.get(at).copied().filter(|n| (*n as usize) < trees.len());
        let is_wanted = |slice: u32| is_selected.get(slice as usize) == Some(&true);
        let is_launched = node.is_some_and(|node| is_called[node as usize]) || launch.is_some_and(is_wanted);
        if !is_launched && !is_wanted(work) {
            continue;
        }
        let mut keep = |slice: u32| {
            if let Some(flag) = is_selected.get_mut(slice as usize) {
                *flag = true;
            }
        };
        keep(work);
        launch.into_iter().for_each(&mut keep);
        while let Some(here) = node {
            keep(trees.slice[here as usize]);
            node = trees.parent.get(here as usize).copied().filter(|parent| *parent < here);
        }
    }
}

/// Events from a place of the list.
fn events(
    member: &Member,
    selection: &RecordSelection,
    from: RecordsCursor,
    out: &mut RangeRecords,
) -> Result<RecordsCursor, RecordsError> {
    let mut n_bytes = PART;
    let mut cursor = from;
    loop {
        let text = member.read_up_to(from.at, n_bytes)?;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b']' => return Ok(RecordsCursor { stage: Stage::Tail, at: from.at + at as u64, ..cursor }),
                b'{' => {
                    let Some(len) = nested_len(&text[at..]) else { break };
                    let record = &text[at..at + len];
                    if selection.keeps(record, from.at + at as u64) {
                        out.text.push_str(if cursor.has_events { ",\n" } else { "\n" });
                        out.text.push_str(&String::from_utf8_lossy(record));
                        cursor.has_events = true;
                        out.n_events += 1;
                    }
                    at += len;
                }
                // Commas and spaces; what else is between records is none.
                _ => at += 1,
            }
        }
        let is_end = from.at + text.len() as u64 >= member.len();
        // A record that is cut is the last of the file.
        if is_end {
            return Ok(RecordsCursor { stage: Stage::Tail, at: member.len(), ..cursor });
        }
        if at > 0 {
            return Ok(RecordsCursor { at: from.at + at as u64, ..cursor });
        }
        if n_bytes >= LONGEST {
            return Err(RecordsError::NoEnd(from.at));
        }
        n_bytes *= 4;
    }
}

/// What follows the events.
fn tail(member: &Member, from: RecordsCursor, out: &mut RangeRecords) -> Result<Option<RecordsCursor>, RecordsError> {
    if from.is_list || from.at >= member.len() {
        out.text.push_str("\n]}\n");
        return Ok(None);
    }
    let bytes = member.read_up_to(from.at, PART)?;
    // A character is not cut in two.
    let whole = match std::str::from_utf8(&bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    };
    out.text.push_str(&String::from_utf8_lossy(&bytes[..whole]));
    let at = from.at + whole as u64;
    Ok((at < member.len()).then_some(RecordsCursor { at, ..from }))
}
