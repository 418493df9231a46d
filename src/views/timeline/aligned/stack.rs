//! Several profiles as one: the workers of a run below each other on one clock. Nothing is left out; ids of slices are shifted, and the columns of the
//! profiles are shared.

use super::clock::{align, shifted};
use crate::analysis::colour::NO_VALUE;
use crate::base::{EventId, InstantId, Order as _, SharedColumn, SliceId, StrId, TimeRange, TrackId};
use crate::engine::page_columns::{PageColumns, PageMeta, SliceColours, Step};
use crate::engine::{Counter, Lane, Meta, Track, TrackKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Where one profile is in the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    /// Its first slice in the stack.
    pub first: u32,
    /// Its slices.
    pub n: u32,
    /// The same of its instants.
    pub instants: (u32, u32),
    /// What is added to its times, nanoseconds.
    pub shift_ns: i64,
}

/// The stack and the way back.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    /// What is drawn.
    pub columns: Arc<PageColumns>,
    /// One for each profile, in the order given.
    pub parts: Vec<Part>,
    /// How the clocks were aligned, in a sentence.
    pub note: String,
}

impl Stack {
    /// Profile and slice of a slice of the stack.
    pub fn split(&self, slice: SliceId) -> Option<(usize, SliceId)> {
        let at = self.parts.partition_point(|p| p.first <= slice.0).checked_sub(1)?;
        let own = slice.0 - self.parts[at].first;
        (own < self.parts[at].n).then_some((at, SliceId(own)))
    }

    /// The slice of the stack that is `slice` of profile `at`.
    pub fn join(&self, at: usize, slice: SliceId) -> Option<SliceId> {
        self.parts.get(at).filter(|p| slice.0 < p.n).map(|p| SliceId(p.first + slice.0))
    }

    /// Profile and slice or instant of one of the stack.
    pub fn split_item(&self, item: EventId) -> Option<(usize, EventId)> {
        let instant = match item {
            EventId::Slice(slice) => return self.split(slice).map(|(at, slice)| (at, slice.into())),
            EventId::Instant(instant) => instant,
        };
        let at = self.parts.iter().position(|p| (p.instants.0..p.instants.0 + p.instants.1).contains(&instant.0))?;
        Some((at, InstantId(instant.0 - self.parts[at].instants.0).into()))
    }

    /// The slice or instant of the stack that is `item` of profile `at`.
    pub fn join_item(&self, at: usize, item: EventId) -> Option<EventId> {
        match item {
            EventId::Slice(slice) => self.join(at, slice).map(Into::into),
            EventId::Instant(instant) => {
                let (first, n) = self.parts.get(at)?.instants;
                (instant.0 < n).then_some(InstantId(first + instant.0).into())
            }
        }
    }

    /// A range of profile `at` on the common clock.
    pub fn range_in(&self, at: usize, range: TimeRange) -> TimeRange {
        let shift = self.parts.get(at).map_or(0, |p| p.shift_ns);
        shifted(range, shift)
    }

    /// A range of the common clock on that of profile `at`.
    pub fn range_out(&self, at: usize, range: TimeRange) -> TimeRange {
        let shift = self.parts.get(at).map_or(0, |p| p.shift_ns);
        shifted(range, shift.saturating_neg())
    }
}

/// Bytes that a stack of these profiles takes beside their own columns, when it is coloured by other values than names.
pub fn n_bytes<'a>(all: impl Iterator<Item = &'a PageColumns>) -> u64 {
    const COLOUR: u64 = 2;
    all.map(|one| one.start.len() as u64 * COLOUR).sum()
}

/// The profiles (label, columns) below each other, each in a group with its label.
pub fn stack(all: &[(String, Arc<PageColumns>)]) -> Stack {
    let (shifts, note) = align(all);
    stack_at(all, &shifts, note)
}

/// The same with `shifts` added to the times of each; `note` gives the reason.
pub fn stack_at(all: &[(String, Arc<PageColumns>)], shifts: &[i64], note: String) -> Stack {
    let mut info = PageMeta::default();
    let mut parts: Vec<Part> = Vec::with_capacity(all.len());
    let mut first_names = Vec::with_capacity(all.len());
    let mut first = 0;
    for ((label, one), &shift_ns) in all.iter().zip(shifts) {
        let instants = (info.instants.track.len() as u32, one.info.instants.time.len() as u32);
        let part = Part { first, n: one.start.len() as u32, instants, shift_ns };
        first_names.push(info.strings.len() as u32);
        add(&mut info, label, one, part);
        add_steps(&mut info.steps, one, part);
        add_kinds(&mut info.flow_kinds, one);
        first += part.n;
        parts.push(part);
    }
    let ranges = || all.iter().zip(shifts).map(|((_, h), &s)| shifted(h.range(), s));
    let range =
        TimeRange { start: ranges().map(|r| r.start).min().unwrap_or_default(), end: ranges().map(|r| r.end).max().unwrap_or_default() };
    let title = all.iter().map(|a| a.0.as_str()).collect::<Vec<_>>().join(" + ");
    info.meta = Meta { title, range, origin: note.clone(), ..all.first().map(|a| a.1.info.meta.clone()).unwrap_or_default() };
    info.n_slices = u64::from(first);
    let shifted = || all.iter().map(|(_, one)| one).zip(shifts);
    let named = || all.iter().map(|(_, one)| one).zip(&first_names);
    info.instants.time = SharedColumn::stacked(shifted().map(|(one, &shift_ns)| (&one.info.instants.time, shift_ns)));
    info.instants.name = SharedColumn::stacked(named().map(|(one, &first)| (&one.info.instants.name, StrId(first))));
    let columns = PageColumns {
        start: SharedColumn::stacked(shifted().map(|(one, &shift_ns)| (&one.start, shift_ns))),
        duration: SharedColumn::stacked(all.iter().map(|(_, one)| (&one.duration, 0))),
        name: SharedColumn::stacked(named().map(|(one, &first)| (&one.name, first))),
        colour: colours(all, &first_names, info.strings.len()),
        info,
    };
    Stack { columns: Arc::new(columns), parts, note }
}

/// Colours by name: each has that of the first profile which has slices of it. `first_names`: the first string of each profile in the stack.
fn colours(all: &[(String, Arc<PageColumns>)], first_names: &[u32], n_strings: usize) -> SliceColours {
    let own = |one: &PageColumns, name: StrId| one.colour.of_name(name).filter(|slot| *slot != NO_VALUE);
    let mut known: HashMap<&str, u16> = HashMap::new();
    for (_, one) in all {
        for (name, text) in one.info.strings.iter() {
            own(one, name).map(|slot| *known.entry(text).or_insert(slot));
        }
    }
    let mut slots = vec![NO_VALUE; n_strings];
    for ((_, one), &first) in all.iter().zip(first_names) {
        for (name, text) in one.info.strings.iter() {
            if let (Some(slot), Some(_)) = (known.get(text), own(one, name)) {
                slots[first as usize + name.index()] = *slot;
            }
        }
    }
    SliceColours::by_name(slots)
}

/// Adds the steps of a profile. Those of one name are one band, from where it first begins to where it last ends.
fn add_steps(steps: &mut Vec<Step>, one: &PageColumns, part: Part) {
    let mut place: HashMap<String, usize> = steps.iter().enumerate().map(|(i, s)| (s.name.clone(), i)).collect();
    for step in &one.info.steps {
        let range = shifted(step.range, part.shift_ns);
        let at = *place.entry(step.name.clone()).or_insert(steps.len());
        if at == steps.len() {
            steps.push(Step { name: step.name.clone(), slice: SliceId(step.slice.0 + part.first), range });
        }
        let known = &mut steps[at].range;
        *known = TimeRange { start: known.start.min(range.start), end: known.end.max(range.end) };
    }
    steps.order_by_key(|s| s.range.start);
}

/// Adds the kinds of a profile's arrows, by name.
fn add_kinds(kinds: &mut Vec<(String, u64)>, one: &PageColumns) {
    for (kind, n) in &one.info.flow_kinds {
        match kinds.iter_mut().find(|k| k.0 == *kind) {
            Some(known) => known.1 += n,
            None => kinds.push((kind.clone(), *n)),
        }
    }
    kinds.order();
}

/// Adds the rows and instants of a profile below the existing ones.
fn add(info: &mut PageMeta, label: &str, one: &PageColumns, Part { first: slice, shift_ns, .. }: Part) {
    let (string, lane) = (info.strings.len() as u32, info.lanes.len() as u32);
    for (_, text) in one.info.strings.iter() {
        info.strings.push(text);
    }
    let name = info.strings.push(label);
    let group = TrackId(info.tracks.len() as u32);
    let track = |t: TrackId| TrackId(t.0 + group.0 + 1);
    let id = |s: StrId| StrId(s.0 + string);
    info.tracks.push(Track { parent: None, level: 0, name, kind: TrackKind::Group, lanes: lane..lane });
    info.tracks.extend(one.info.tracks.iter().map(|t| Track {
        parent: Some(t.parent.map_or(group, track)),
        level: t.level + 1,
        name: id(t.name),
        kind: t.kind,
        lanes: t.lanes.start + lane..t.lanes.end + lane,
    }));
    info.lanes.extend(one.info.lanes.iter().map(|l| Lane {
        track: track(l.track),
        depth: l.depth,
        first: l.first + slice,
        end: l.end + slice,
    }));
    info.counters.extend(one.info.counters.iter().map(|c| Counter {
        track: track(c.track),
        times: c.times.iter().map(|t| t.saturating_add(shift_ns)).collect(),
        ..c.clone()
    }));
    one.info.instants.track.runs().for_each(|(t, part)| info.instants.track.push(track(t), part.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;
    use crate::views::timeline::lookup::drawn::BarId;
    use crate::views::timeline::lookup::index::Index;
    use crate::views::timeline::lookup::sample::sample;
    use std::borrow::Cow;

    fn at(epoch: Option<i64>) -> Arc<PageColumns> {
        let mut columns = sample();
        columns.info.meta.origin_epoch_ns = epoch;
        Arc::new(columns)
    }

    fn stacked(a: Option<i64>, b: Option<i64>) -> Stack {
        stack(&[("host_0".into(), at(a)), ("host_1".into(), at(b))])
    }

    #[test]
    fn workers_stand_below_each_other_on_one_clock() {
        let s = stacked(Some(1_000), Some(1_500));
        let n = sample().start.len();
        assert_eq!(s.columns.start.len(), 2 * n);
        assert_eq!(n_bytes([&*at(None), &*at(None)].into_iter()), n_bytes(std::iter::once(&*s.columns)));
        assert_eq!(s.columns.start.value_at(n), sample().start.value_at(0) + 500);
        assert_eq!(s.columns.range(), TimeRange::new(TimeNs(0), TimeNs(2_500)));
        let index = Index::new(&s.columns);
        assert_eq!(index.roots.len(), 2);
        assert_eq!(index.tracks[2].path, "host_0 / host / main");
        let lane = index.lane_of(&s.columns, BarId(n as u32)).expect("a lane");
        assert_eq!(index.tracks[s.columns.info.lanes[lane as usize].track.index()].path, "host_1 / host / main");
        assert!(s.note.starts_with("Aligned by the wall-clock time"), "{}", s.note);
    }

    #[test]
    fn columns_are_shared_and_instants_are_on_the_common_clock() {
        let s = stacked(Some(1_000), Some(1_500));
        let n = sample().start.len();
        assert!(matches!(s.columns.duration.run(n..2 * n), Some(Cow::Borrowed(_))), "not a copy");
        let instants = &s.columns.info.instants;
        assert_eq!(instants.time.iter().collect::<Vec<_>>(), [50, 1500, 550, 2000]);
        assert!(instants.name.iter().all(|name| s.columns.info.strings.get(name) == "mark"));
        let n_tracks = sample().info.tracks.len() as u32;
        let tracks: Vec<_> = instants.track.runs().map(|(track, part)| (track.0, part)).collect();
        assert_eq!(tracks, [(2, 0..2), (n_tracks + 3, 2..4)]);
    }

    #[test]
    fn ids_and_ranges_go_there_and_back() {
        let s = stacked(Some(1_000), Some(1_500));
        let n = sample().start.len() as u32;
        assert_eq!(s.split(SliceId(n + 3)), Some((1, SliceId(3))));
        assert_eq!(s.join(1, SliceId(3)), Some(SliceId(n + 3)));
        assert_eq!((s.split(SliceId(2 * n)), s.join(0, SliceId(n)), s.join(7, SliceId(0))), (None, None, None));
        let range = TimeRange::new(TimeNs(10), TimeNs(20));
        assert_eq!(s.range_out(1, s.range_in(1, range)), range);
        assert_eq!(s.range_in(1, range).start, TimeNs(510));
    }

    #[test]
    fn steps_of_one_name_are_one_band_and_kinds_add_up() {
        let step = |name: &str, from, to| Step { name: name.into(), slice: SliceId(1), range: TimeRange::new(TimeNs(from), TimeNs(to)) };
        let with = |epoch, steps: Vec<Step>, kinds: &[(&str, u64)]| {
            let mut columns = sample();
            columns.info.meta.origin_epoch_ns = Some(epoch);
            columns.info.steps = steps;
            columns.info.flow_kinds = kinds.iter().map(|k| (k.0.to_string(), k.1)).collect();
            Arc::new(columns)
        };
        let a = with(1_000, vec![step("1", 0, 100), step("2", 100, 200)], &[("fwdbwd", 1)]);
        let b = with(1_050, vec![step("2", 90, 210), step("3", 210, 300)], &[("ac2g", 2), ("fwdbwd", 3)]);
        let s = stack(&[("a".into(), a), ("b".into(), b)]);
        let n = sample().start.len() as u32;
        let bands: Vec<_> = s.columns.info.steps.iter().map(|s| (s.name.as_str(), s.slice.0, s.range.start.0, s.range.end.0)).collect();
        assert_eq!(bands, [("1", 1, 0, 100), ("2", 1, 100, 260), ("3", 1 + n, 260, 350)]);
        assert_eq!(s.columns.info.flow_kinds, [("ac2g".to_string(), 2), ("fwdbwd".to_string(), 4)]);
    }

    #[test]
    fn clocks_that_say_nothing_are_not_used() {
        assert!(stacked(Some(0), None).note.starts_with("Not every trace"));
        let far = stacked(Some(0), Some(3_600_000_000_000));
        assert!(far.note.contains("do not overlap"), "{}", far.note);
        assert_eq!(far.parts[1].shift_ns, 0);
        assert!(stack(&[]).parts.is_empty());
    }

    #[test]
    fn a_name_has_one_colour_in_the_whole_stack() {
        let columns = sample();
        let (step, matmul) = (columns.name.value_at(0) as u16, columns.name.value_at(2) as u16);
        let with = |slot: &dyn Fn(u16) -> u16| {
            let slots = (0..columns.info.strings.len() as u16).map(slot).collect();
            Arc::new(PageColumns { colour: SliceColours::by_name(slots), ..sample() })
        };
        // In the first profile `step` has no colour of its own, as if no slice had that name: the second one's counts.
        let one = with(&|slot| if slot == step { NO_VALUE } else { slot });
        let s = stack(&[("a".into(), one), ("b".into(), with(&|slot| 20 + slot))]);
        let (n, of) = (columns.start.len(), |i| s.columns.colour_of(i));
        assert_eq!((of(2), of(n + 2)), (Some(matmul), Some(matmul)));
        assert_eq!((of(0), of(n)), (Some(NO_VALUE), Some(20 + step)));
    }
}
