//! Tables of every profile with a timeline: slices, tracks, counters, instants, flows. Ids are positions in the profile.

use super::trace_tables::{TraceTables, id};
use super::{Column, Values, Words};
use crate::base::{StrId, TrackId};
use crate::model::TrackKind;
use std::ops::Range;

impl TraceTables<'_> {
    /// Rows of a table; 0 where the profile does not have it.
    pub fn n_rows(&self, table: &str) -> usize {
        let profile = self.profile;
        match table {
            "slice" => profile.slices.len(),
            "track" => profile.tracks.len(),
            "process" => self.processes().len(),
            "thread" => self.threads().len(),
            "counter" => profile.counters.iter().map(|c| c.times.len() * c.series.len()).sum(),
            "instant" => profile.instants.time.len(),
            "flow" => profile.flows.from.len(),
            _ => self.torch.as_ref().map_or(0, |(torch, rows)| rows.n_rows(torch, table)),
        }
    }

    /// Values of a column of some rows.
    pub fn values(&self, table: &str, column: &Column, rows: Range<usize>) -> Values {
        match table {
            "slice" => self.of_slices(column, rows),
            "track" => self.of_tracks(column, rows.map(|i| TrackId(i as u32)).collect()),
            "process" => self.of_tracks(column, self.processes()[rows].to_vec()),
            "thread" => self.of_tracks(column, self.threads()[rows].to_vec()),
            "counter" => self.of_counters(column, rows),
            "instant" => self.of_instants(column, rows),
            "flow" => self.of_flows(column, rows),
            _ => match &self.torch {
                Some((torch, found)) => found.values(self, torch, table, column, rows),
                None => Values::absent(column.kind, rows.len()),
            },
        }
    }

    /// Texts of the profile.
    pub fn words(&self, ids: impl Iterator<Item = Option<StrId>>) -> Values {
        Words::of_strings(&self.profile.strings, ids)
    }

    /// The step in which something starts.
    pub fn steps(&self, starts: impl Iterator<Item = i64>) -> Values {
        let Some((_, torch)) = &self.torch else {
            return Values::Words(Words { codes: starts.map(|_| Words::ABSENT).collect(), words: Vec::new() });
        };
        let steps = &torch.view.model.steps.steps;
        let code = |start: i64| {
            let after = steps.partition_point(|s| s.start <= start);
            after.checked_sub(1).filter(|at| start < steps[*at].end).map_or(Words::ABSENT, |at| at as u32)
        };
        Values::Words(Words { codes: starts.map(code).collect(), words: steps.iter().map(|s| s.name.clone()).collect() })
    }

    fn of_slices(&self, column: &Column, rows: Range<usize>) -> Values {
        let slices = &self.profile.slices;
        match column.name.as_ref() {
            "id" => Values::Ints(rows.map(|i| Some(i as i64)).collect()),
            "ts" => Values::Ints(slices.start[rows].iter().copied().map(Some).collect()),
            "dur" => Values::Ints(slices.duration[rows].iter().copied().map(Some).collect()),
            "name" => self.words(slices.name[rows].iter().copied().map(Some)),
            "parent_id" => Values::Ints(slices.parent[rows].iter().map(|p| id(*p)).collect()),
            "track_id" => self.of_lanes(rows, |lane| i64::from(lane.track.0)),
            "depth" => self.of_lanes(rows, |lane| i64::from(lane.depth)),
            "self_dur" => Values::Ints(self.index.self_durations(self.profile)[rows].iter().copied().map(Some).collect()),
            "step" => self.steps(slices.start[rows].iter().copied()),
            name => match self.profile.attribute(name) {
                Some(attribute) => self.words(rows.map(|i| attribute.values.get(i).copied())),
                None => Values::absent(column.kind, rows.len()),
            },
        }
    }

    /// A value of the lane of each slice.
    fn of_lanes(&self, rows: Range<usize>, value: impl Fn(&crate::model::Lane) -> i64) -> Values {
        let mut out = vec![None; rows.len()];
        for lane in &self.profile.lanes {
            let (from, to) = (rows.start.max(lane.first as usize), rows.end.min(lane.end as usize));
            if from < to {
                out[from - rows.start..to - rows.start].fill(Some(value(lane)));
            }
        }
        Values::Ints(out)
    }

    /// Groups without a parent that hold threads or streams.
    fn processes(&self) -> Vec<TrackId> {
        let tracks = &self.profile.tracks;
        let mut is_process = vec![false; tracks.len()];
        for track in self.threads() {
            if let Some(parent) = tracks[track.index()].parent.filter(|p| p.index() < tracks.len()) {
                is_process[parent.index()] = true;
            }
        }
        (0..tracks.len() as u32).map(TrackId).filter(|t| is_process[t.index()]).collect()
    }

    fn threads(&self) -> Vec<TrackId> {
        let is_thread = |t: &TrackId| matches!(self.profile.tracks[t.index()].kind, TrackKind::Thread | TrackKind::Stream);
        (0..self.profile.tracks.len() as u32).map(TrackId).filter(is_thread).collect()
    }

    fn of_tracks(&self, column: &Column, tracks: Vec<TrackId>) -> Values {
        let profile = self.profile;
        let track = |t: &TrackId| &profile.tracks[t.index()];
        let parent = |t: &TrackId| track(t).parent.map(|p| i64::from(p.0));
        let known = |t: &TrackId| self.torch.as_ref()?.0.threads.iter().find(|thread| thread.track == *t);
        // The id of a process is that of its first thread.
        let pid = |t: &TrackId| {
            let threads = &self.torch.as_ref()?.0.threads;
            let of_child = || threads.iter().find(|thread| profile.tracks[thread.track.index()].parent == Some(*t));
            known(t).or_else(of_child).map(|thread| thread.pid)
        };
        match column.name.as_ref() {
            "id" | "track_id" => Values::Ints(tracks.iter().map(|t| Some(i64::from(t.0))).collect()),
            "parent_id" | "process_track_id" => Values::Ints(tracks.iter().map(parent).collect()),
            "name" => self.words(tracks.iter().map(|t| Some(track(t).name))),
            "path" => Values::Texts(tracks.iter().map(|t| Some(profile.track_path(*t))).collect()),
            "kind" => Values::Texts(tracks.iter().map(|t| Some(kind_name(track(t).kind).to_string())).collect()),
            "level" => Values::Ints(tracks.iter().map(|t| Some(i64::from(track(t).level))).collect()),
            "n_slices" => Values::Ints(tracks.iter().map(|t| Some(profile.slices_of(*t).len() as i64)).collect()),
            "pid" => self.words(tracks.iter().map(pid)),
            "tid" => self.words(tracks.iter().map(|t| known(t).map(|thread| thread.tid))),
            _ => Values::absent(column.kind, tracks.len()),
        }
    }

    fn of_counters(&self, column: &Column, rows: Range<usize>) -> Values {
        let profile = self.profile;
        // (counter, series, sample) of each row.
        let mut at: Vec<(usize, usize, usize)> = Vec::with_capacity(rows.len());
        let mut first = 0;
        for (c, counter) in profile.counters.iter().enumerate() {
            let n = counter.times.len();
            for s in 0..counter.series.len() {
                let (from, to) = (rows.start.max(first), rows.end.min(first + n));
                at.extend((from..to).map(|row| (c, s, row - first)));
                first += n;
            }
        }
        let counter = |c: usize| &profile.counters[c];
        let text = |of: &dyn Fn(usize, usize) -> String| {
            let mut words = Words::default();
            let mut last = None;
            for &(c, s, _) in &at {
                if last != Some((c, s)) {
                    words.words.push(of(c, s));
                    last = Some((c, s));
                }
                words.codes.push(words.words.len() as u32 - 1);
            }
            Values::Words(words)
        };
        match column.name.as_ref() {
            "ts" => Values::Ints(at.iter().map(|&(c, _, i)| Some(counter(c).times[i])).collect()),
            "track_id" => Values::Ints(at.iter().map(|&(c, ..)| Some(i64::from(counter(c).track.0))).collect()),
            "name" => text(&|c, _| profile.strings.get(profile.tracks[counter(c).track.index()].name).to_string()),
            "series" => text(&|c, s| counter(c).series[s].name.clone()),
            "unit" => text(&|c, _| counter(c).unit.clone()),
            "value" => {
                Values::Floats(at.iter().map(|&(c, s, i)| counter(c).series[s].values.get(i).copied().filter(|v| v.is_finite())).collect())
            }
            _ => Values::absent(column.kind, at.len()),
        }
    }

    fn of_instants(&self, column: &Column, rows: Range<usize>) -> Values {
        let all = &self.profile.instants;
        match column.name.as_ref() {
            "id" => Values::Ints(rows.map(|i| Some(i as i64)).collect()),
            "ts" => Values::Ints(all.time[rows].iter().copied().map(Some).collect()),
            "name" => self.words(all.name[rows].iter().copied().map(Some)),
            "track_id" => Values::Ints(rows.map(|i| Some(i64::from(all.track[i].0))).collect()),
            _ => Values::absent(column.kind, rows.len()),
        }
    }

    fn of_flows(&self, column: &Column, rows: Range<usize>) -> Values {
        let flows = &self.profile.flows;
        match column.name.as_ref() {
            "id" => Values::Ints(rows.map(|i| Some(i as i64)).collect()),
            "slice_out" => Values::Ints(flows.from[rows].iter().map(|s| Some(i64::from(s.0))).collect()),
            "slice_in" => Values::Ints(flows.to[rows].iter().map(|s| Some(i64::from(s.0))).collect()),
            "kind" => self.words(rows.map(|i| flows.kind.get(i).copied())),
            _ => Values::absent(column.kind, rows.len()),
        }
    }
}

/// The word for a kind of track.
fn kind_name(kind: TrackKind) -> &'static str {
    match kind {
        TrackKind::Group => "group",
        TrackKind::Thread => "thread",
        TrackKind::Stream => "stream",
        TrackKind::Engine => "engine",
        TrackKind::Queue => "queue",
        TrackKind::Wait => "wait",
        TrackKind::Async => "async",
        TrackKind::Counter => "counter",
        TrackKind::Other => "other",
    }
}
