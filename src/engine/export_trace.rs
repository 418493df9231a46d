//! The slices, instants, counters and arrows of a range as Chrome trace events, part by part: any length in bounded memory.
//!
//! Rows of a group are threads of a process. Slices of a row that overlap without containing each other go to further threads of it: viewers of
//! this format draw a thread as nested slices. A slice that touches the range is written whole. Nothing is remembered between two parts.

use super::question::Refusal;
use super::range_records::micros;
use super::{Session, record_fields};
use crate::base::{EventId, SliceId, TimeNs, TimeRange, TrackId};
use crate::formats::Field;
use crate::model::Profile;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Slices of a part with their fields.
const MOST_SLICES: usize = 16_384;
/// Other events of a part.
const MOST_OTHERS: usize = 65_536;
/// Slices visited in one part, inside or outside the range.
const MOST_SEEN: usize = 1 << 20;
/// A part ends after this many bytes.
const LONGEST: usize = 8 << 20;

/// One part of a profile as Chrome trace events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEventsQuery {
    /// Which part of the profile; `None` is the entire trace.
    pub range: Option<TimeRange>,
    /// Rows of it; none: all.
    pub tracks: Vec<TrackId>,
    /// Where the next part begins; the beginning by default.
    pub cursor: TraceCursor,
}

/// Where the next part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceCursor {
    stage: ExportPhase,
    at: u64,
    /// Samples of the counter `at` that are written.
    sample: u64,
    /// Whether an event is written, so that the next one follows a comma.
    has_events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum ExportPhase {
    #[default]
    Head,
    Slices,
    Instants,
    Counters,
    Flows,
}

/// One part of the events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceEvents {
    /// A part of a JSON text.
    pub text: String,
    /// Slices in it.
    pub n_slices: u64,
    /// Slices in it that could not be read again from the file: they have attributes, and no other fields.
    pub n_without_fields: u64,
    /// How much of the profile is done: of how much.
    pub progress: (u64, u64),
    /// Where the next part begins; `None` at the end.
    pub next: Option<TraceCursor>,
}

/// What writing a part needs.
struct Writer<'a> {
    session: &'a Session,
    profile: &'a Profile,
    query: &'a TraceEventsQuery,
    /// Indexed by track: process, and whether it is written.
    rows: Vec<(u32, bool)>,
    /// Added to every time, because viewers do not draw events with a negative time.
    offset: i64,
    out: TraceEvents,
    has_events: bool,
}

impl Session {
    /// The next events.
    pub(super) fn trace_events(&self, query: &TraceEventsQuery) -> Result<TraceEvents, Refusal> {
        let profile = &self.profile;
        if profile.tracks.is_empty() {
            return Err(Refusal::OtherKind("a timeline"));
        }
        let is_chosen = |t: usize| query.tracks.is_empty() || query.tracks.contains(&TrackId(t as u32));
        let rows = (0..profile.tracks.len()).map(|t| (root(profile, t), is_chosen(t))).collect();
        let offset = profile.meta.range.start.0.min(0).saturating_neg();
        let mut writer =
            Writer { session: self, profile, query, rows, offset, out: TraceEvents::default(), has_events: query.cursor.has_events };
        let next = writer.part();
        let n = [profile.slices.len(), profile.instants.time.len(), profile.counters.len(), profile.flows.from.len()].map(|n| n as u64);
        let done = next.map_or(n.iter().sum(), |c| n.iter().take(c.stage as usize - 1).sum::<u64>() + c.at);
        writer.out.progress = (done, n.iter().sum());
        writer.out.next = next.map(|c| TraceCursor { has_events: writer.has_events, ..c });
        Ok(writer.out)
    }
}

/// The group that a track is in at the top.
fn root(profile: &Profile, track: usize) -> u32 {
    let mut at = track;
    while let Some(parent) = profile.tracks[at].parent.filter(|p| p.index() < at) {
        at = parent.index();
    }
    at as u32
}

/// Which thread of its row a slice is in: 0, or the lane at which slices begin that overlap others without being in them.
fn thread_of(profile: &Profile, slice: SliceId) -> u16 {
    let depth = |s: SliceId| profile.lane_of(s).map_or(0, |lane| lane.depth);
    let mut at = (slice, depth(slice));
    while let Some(parent) = profile.slices.parent(at.0) {
        let above = depth(parent);
        if above + 1 != at.1 {
            return at.1;
        }
        at = (parent, above);
    }
    at.1
}

/// A text of JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".into())
}

/// A value of a field: numbers and lists unchanged, others as text.
fn value(text: &str) -> String {
    let is_json = text.starts_with(|c: char| c.is_ascii_digit() || "-[{".contains(c)) || matches!(text, "true" | "false" | "null");
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) if is_json => text.into(),
        _ => quoted(text),
    }
}

impl Writer<'_> {
    fn part(&mut self) -> Option<TraceCursor> {
        let TraceCursor { stage, at, sample, .. } = self.query.cursor;
        let start = |stage| Some(TraceCursor { stage, ..TraceCursor::default() });
        let go_on = |at: usize| Some(TraceCursor { stage, at: at as u64, ..TraceCursor::default() });
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        match stage {
            ExportPhase::Head => {
                self.head();
                start(ExportPhase::Slices)
            }
            ExportPhase::Slices => self.slices(at).map_or(start(ExportPhase::Instants), go_on),
            ExportPhase::Instants => self.instants(at).map_or(start(ExportPhase::Counters), go_on),
            ExportPhase::Counters => {
                let next = self.counters(at, usize::try_from(sample).unwrap_or(usize::MAX));
                next.map_or(start(ExportPhase::Flows), |(at, sample)| {
                    Some(TraceCursor { stage, at: at as u64, sample: sample as u64, ..TraceCursor::default() })
                })
            }
            ExportPhase::Flows => match self.flows(at) {
                Some(at) => go_on(at),
                None => {
                    self.out.text.push_str("\n]}\n");
                    None
                }
            },
        }
    }

    fn event(&mut self, event: &str) {
        self.out.text.push_str(if self.has_events { ",\n{" } else { "\n{" });
        self.out.text.push_str(event);
        self.out.text.push('}');
        self.has_events = true;
    }

    fn time(&self, ns: i64) -> String {
        micros(ns.saturating_add(self.offset))
    }

    fn touches(&self, start: i64, duration: i64) -> bool {
        self.query.range.is_none_or(|range| range.touches(TimeNs(start), crate::base::DurationNs(duration)))
    }

    /// Process and thread of a row.
    fn ids(&self, track: TrackId, thread: u16) -> String {
        let n = self.profile.tracks.len() as u64;
        let tid = n * u64::from(thread) + u64::from(track.0) + 1;
        format!("\"pid\":{},\"tid\":{tid}", self.rows.get(track.index()).map_or(0, |r| r.0) + 1)
    }

    /// The name of a row below its process.
    fn name_in_process(&self, track: TrackId) -> String {
        let path = self.profile.track_path(track);
        let process = self.profile.strings.get(self.profile.tracks[self.rows[track.index()].0 as usize].name);
        path.strip_prefix(process).and_then(|p| p.strip_prefix(" / ")).map_or(path.clone(), Into::into)
    }

    /// Root keys, and the names of processes and threads.
    fn head(&mut self) {
        let meta = &self.profile.meta;
        let _ = write!(self.out.text, "{{\"displayTimeUnit\":\"ns\",\"traceName\":{}", quoted(&meta.title));
        if let Some(epoch) = meta.origin_epoch_ns.map(|epoch| epoch.saturating_sub(self.offset)).filter(|epoch| *epoch > 0) {
            let _ = write!(self.out.text, ",\"baseTimeNanoseconds\":{epoch}");
        }
        if let Some(range) = self.query.range {
            let range = [range.start.0, range.end.0];
            let _ = write!(self.out.text, ",\"axonscopeRange\":{range:?}");
        }
        self.out.text.push_str(",\"traceEvents\":[");
        let tracks = &self.profile.tracks;
        let has_rows: BTreeSet<TrackId> = (self.profile.instants.track.runs().map(|run| run.0))
            .chain((0..tracks.len() as u32).map(TrackId).filter(|t| !tracks[t.index()].lanes.is_empty()))
            .filter(|t| self.rows.get(t.index()).is_some_and(|r| r.1))
            .collect();
        let of_counters = self.profile.counters.iter().map(|c| c.track);
        let processes: BTreeSet<u32> =
            has_rows.iter().copied().chain(of_counters).filter_map(|t| Some(self.rows.get(t.index()).filter(|r| r.1)?.0)).collect();
        for process in processes {
            let name = quoted(self.profile.strings.get(tracks[process as usize].name));
            let pid = process + 1;
            self.event(&format!("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":{name}}}"));
            self.event(&format!("\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{pid},\"args\":{{\"sort_index\":{process}}}"));
        }
        for track in has_rows {
            self.name_thread(track, 0);
        }
    }

    fn name_thread(&mut self, track: TrackId, thread: u16) {
        let name = self.name_in_process(track);
        let name = if thread == 0 { name } else { format!("{name} (overlapping {thread})") };
        let ids = self.ids(track, thread);
        self.event(&format!("\"ph\":\"M\",\"name\":\"thread_name\",{ids},\"args\":{{\"name\":{}}}", quoted(&name)));
        self.event(&format!("\"ph\":\"M\",\"name\":\"thread_sort_index\",{ids},\"args\":{{\"sort_index\":{}}}", track.0));
    }

    /// Slices from a position in the order by track and start; returns where the next part begins.
    fn slices(&mut self, from: usize) -> Option<usize> {
        let profile = self.profile;
        let all = &profile.slices.by_start;
        let mut chosen: Vec<(SliceId, TrackId)> = Vec::new();
        let mut at = from.min(all.len());
        while at < all.len() && at - from < MOST_SEEN && chosen.len() < MOST_SLICES {
            let slice = SliceId(all[at]);
            let i = slice.index();
            if let Some(track) = profile.track_of(slice).filter(|t| self.rows[t.index()].1)
                && self.touches(profile.slices.start[i], profile.slices.duration[i])
            {
                chosen.push((slice, track));
            }
            at += 1;
        }
        let fields = self.fields(&chosen);
        let mut named = BTreeSet::new();
        for (k, (&(slice, track), fields)) in chosen.iter().zip(fields).enumerate() {
            let thread = thread_of(profile, slice);
            if thread > 0 && named.insert((track, thread)) {
                self.name_thread(track, thread);
            }
            let text = self.slice(slice, &self.ids(track, thread), fields);
            self.event(&text);
            self.out.n_slices += 1;
            if self.out.text.len() > LONGEST && k + 1 < chosen.len() {
                // Places of the order, not of what was chosen.
                let next = chosen[k + 1].0.0;
                let place = all[from..at].iter().position(|&s| s == next)?;
                return Some(from + place);
            }
        }
        (at < all.len()).then_some(at)
    }

    /// The fields of each slice as its record has them; none where it has no record or the file cannot be read again.
    fn fields(&mut self, chosen: &[(SliceId, TrackId)]) -> Vec<Vec<Field>> {
        let mut out = vec![Vec::new(); chosen.len()];
        let has_record = |s: SliceId| self.profile.record_of(EventId::Slice(s)).is_some();
        let (at, slices): (Vec<usize>, Vec<SliceId>) =
            chosen.iter().enumerate().filter(|(_, c)| has_record(c.0)).map(|(i, c)| (i, c.0)).unzip();
        let mut n_read = 0;
        let read = self.session.format().and_then(|format| {
            let mut each = |i: usize, fields| {
                out[at[i]] = fields;
                n_read += 1;
            };
            Ok(record_fields::records(format, &self.session.input, self.profile, &slices, &mut each)?)
        });
        if read.is_err() {
            self.out.n_without_fields += (slices.len() - n_read) as u64;
        }
        out
    }

    fn slice(&self, slice: SliceId, ids: &str, fields: Vec<Field>) -> String {
        let (profile, i) = (self.profile, slice.index());
        let attribute = |id: &str| profile.attribute(id).map(|a| profile.strings.get(a.values[i])).filter(|v| !v.is_empty());
        let mut args: BTreeMap<String, String> = BTreeMap::new();
        let attributes = profile.attributes.iter().filter(|a| a.id != "category");
        args.extend(attributes.filter_map(|a| Some((a.id.clone(), quoted(attribute(&a.id)?)))));
        let is_event = |f: &Field| f.group.ends_with("Event");
        let is_own = |f: &Field| is_event(f) && ["ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "bp"].contains(&f.key.as_str());
        args.extend(fields.into_iter().filter(|f| !is_own(f)).map(|f| (f.key, value(&f.value))));
        let start = self.time(profile.slices.start[i]);
        let (name, duration) = (quoted(profile.name_of(slice)), micros(profile.slices.duration[i]));
        let mut out = format!("\"ph\":\"X\",\"name\":{name},{ids},\"ts\":{start},\"dur\":{duration}");
        if let Some(category) = attribute("category") {
            let _ = write!(out, ",\"cat\":{}", quoted(category));
        }
        if !args.is_empty() {
            let args: Vec<String> = args.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
            let _ = write!(out, ",\"args\":{{{}}}", args.join(","));
        }
        out
    }

    fn instants(&mut self, from: usize) -> Option<usize> {
        let all = &self.profile.instants;
        let end = from.saturating_add(MOST_OTHERS).min(all.time.len());
        for i in from.min(end)..end {
            let (track, time) = (all.track[i], all.time[i]);
            if self.rows.get(track.index()).is_some_and(|r| r.1) && self.touches(time, 0) {
                let (name, ids, time) = (quoted(self.profile.strings.get(all.name[i])), self.ids(track, 0), self.time(time));
                self.event(&format!("\"ph\":\"i\",\"s\":\"t\",\"name\":{name},{ids},\"ts\":{time}"));
            }
        }
        (end < all.time.len()).then_some(end)
    }

    /// Samples of a counter; returns where the next part begins. Includes the last sample before the range, which is in force there.
    fn counters(&mut self, from: usize, sample: usize) -> Option<(usize, usize)> {
        let profile = self.profile;
        let mut first = sample;
        let mut n_written = 0;
        for (c, counter) in profile.counters.iter().enumerate().skip(from) {
            let is_chosen = self.rows.get(counter.track.index()).is_some_and(|r| r.1);
            let (mut begin, mut end) = (0, if is_chosen { counter.times.len() } else { 0 });
            if let Some(range) = self.query.range.filter(|_| is_chosen) {
                begin = counter.times.partition_point(|&t| t <= range.start.0).saturating_sub(1);
                end = counter.times.partition_point(|&t| t < range.end.0).max(begin);
            }
            let (name, ids) = (quoted(&self.name_in_process(counter.track)), self.ids(counter.track, 0));
            for i in begin.max(first)..end {
                if n_written >= MOST_OTHERS || self.out.text.len() > LONGEST {
                    return Some((c, i));
                }
                let sampled = counter.series.iter().filter_map(|s| Some((s, *s.values.get(i)?))).filter(|(_, v)| v.is_finite());
                let name_of = |name: &str| if name.is_empty() { "value".to_string() } else { name.into() };
                let values: Vec<String> = sampled.map(|(s, v)| format!("{}:{v}", quoted(&name_of(&s.name)))).collect();
                let time = self.time(counter.times[i]);
                self.event(&format!("\"ph\":\"C\",\"name\":{name},{ids},\"ts\":{time},\"args\":{{{}}}", values.join(",")));
                n_written += 1;
            }
            first = 0;
        }
        None
    }

    /// Arrows with both ends among the slices that are written.
    fn flows(&mut self, from: usize) -> Option<usize> {
        let (profile, all) = (self.profile, &self.profile.flows);
        let end = from.saturating_add(MOST_OTHERS).min(all.from.len());
        for i in from.min(end)..end {
            let place = |slice: SliceId| {
                let (k, track) = (slice.index(), profile.track_of(slice)?);
                let is_seen = self.rows[track.index()].1 && self.touches(profile.slices.start[k], profile.slices.duration[k]);
                is_seen.then(|| format!("{},\"ts\":{}", self.ids(track, thread_of(profile, slice)), self.time(profile.slices.start[k])))
            };
            let (Some(out_of), Some(into)) = (place(all.from[i]), place(all.to[i])) else { continue };
            let kind = profile.strings.get(all.kind[i]);
            let kind = quoted(if kind.is_empty() { "flow" } else { kind });
            self.event(&format!("\"ph\":\"s\",\"name\":{kind},\"cat\":{kind},\"id\":{i},{out_of}"));
            self.event(&format!("\"ph\":\"f\",\"bp\":\"e\",\"name\":{kind},\"cat\":{kind},\"id\":{i},{into}"));
        }
        (end < all.from.len()).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!([1_234_567, 1_000, 7, -1_500].map(micros), ["1234.567", "1", "0.007", "-1.500"]);
    }

    #[test]
    fn values_are_json() {
        assert_eq!(
            ["12", "[1, 2]", "a\"b", "-", "01", "true", "1.5e3"].map(value),
            ["12", "[1, 2]", "\"a\\\"b\"", "\"-\"", "\"01\"", "true", "1.5e3"]
        );
    }
}
