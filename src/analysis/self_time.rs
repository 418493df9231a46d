//! Who owns each moment of a track: the innermost slice, by lanes.
//!
//! A slice owns the time in its lane that no deeper lane of its track covers. So the self times of a track's slices add up to its busy time,
//! also where slices only partly overlap.

use crate::base::{TimeNs, TimeRange, TrackId, for_each_chunk};
use crate::model::Profile;
use std::ops::Range;

/// Calls `out` with (slice, owned nanoseconds) for every slice of `track` that touches `range`.
pub fn self_times(profile: &Profile, track: TrackId, range: Option<TimeRange>, mut out: impl FnMut(usize, i64)) {
    let range = range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
    let (from, to) = (range.start.0, range.end.0);
    let slices = &profile.slices;
    // Covered by deeper lanes: disjoint, ascending.
    let mut covered: Vec<(i64, i64)> = Vec::new();
    let mut next: Vec<(i64, i64)> = Vec::new();
    let lanes = profile.tracks[track.index()].lanes.clone();
    for number in lanes.clone().rev() {
        // Nothing is above the topmost lane that its slices could cover.
        let is_top = number == lanes.start;
        let lane = profile.lanes[number as usize];
        let (first, end) = (lane.first as usize, lane.end as usize);
        let first = first + slices.start[first..end].partition_point(|&s| s < from);
        // The one before may reach into the range.
        let first = if first > lane.first as usize { first - 1 } else { first };
        if is_top && covered.is_empty() {
            uncovered(profile, first..end, (from, to), &mut out);
            continue;
        }
        // `at`: the first covered span that is not over yet; `merged`: the first not yet in `next`.
        let (mut at, mut merged) = (0, 0);
        next.clear();
        for_each_chunk(end - first, &mut |part| {
            for i in part.start + first..part.end + first {
                let (start, stop) = (slices.start[i], slices.end(i));
                if start >= to {
                    return;
                }
                if stop <= from && start < from {
                    continue;
                }
                let (start, stop) = (start.max(from), stop.min(to));
                while at < covered.len() && covered[at].1 <= start {
                    at += 1;
                }
                let inside = covered[at..].iter().take_while(|span| span.0 < stop);
                let hidden: i64 = inside.map(|span| span.1.min(stop) - span.0.max(start)).sum();
                out(i, (stop - start - hidden).max(0));
                if is_top {
                    continue;
                }
                while merged < covered.len() && covered[merged].0 < start {
                    push(&mut next, covered[merged]);
                    merged += 1;
                }
                push(&mut next, (start, stop));
            }
        });
        if !is_top {
            covered[merged..].iter().for_each(|&span| push(&mut next, span));
            std::mem::swap(&mut covered, &mut next);
        }
    }
}

/// Slices of a lane without deeper ones own all their time: most lanes of a device.
fn uncovered(profile: &Profile, lane: Range<usize>, (from, to): (i64, i64), out: &mut impl FnMut(usize, i64)) {
    let slices = &profile.slices;
    for_each_chunk(lane.len(), &mut |part| {
        for i in lane.start + part.start..lane.start + part.end {
            let (start, stop) = (slices.start[i], slices.end(i));
            if start >= to {
                return;
            }
            if stop > from || start >= from {
                out(i, (stop.min(to) - start.max(from)).max(0));
            }
        }
    });
}

/// Adds a span that begins no earlier than the last; joins them where they meet.
fn push(spans: &mut Vec<(i64, i64)>, span: (i64, i64)) {
    match spans.last_mut() {
        Some(last) if last.1 >= span.0 => last.1 = last.1.max(span.1),
        _ if span.1 > span.0 => spans.push(span),
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::base::StrId;
    use crate::model::{Meta, ProfileBuilder, RawSlice, RecordRef, TrackKind, TrackSpec};

    /// A profile drawn as text. A line is `track: name start+duration, …`; `a / b` is track b in group a; flows are not drawn.
    pub(crate) fn drawn(text: &str) -> Profile {
        let mut builder = ProfileBuilder::new();
        let category = builder.attribute("category", "Category");
        let mut groups: Vec<(String, TrackId)> = Vec::new();
        for (line_no, line) in text.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate() {
            let (path, slices) = line.split_once(':').expect("track: slices");
            let (group, name) = path.split_once(" / ").unwrap_or(("", path));
            let spec = |parent, name: &str, kind| TrackSpec { parent, name: name.into(), kind, sort: line_no as i64 };
            let parent = (!group.is_empty()).then(|| match groups.iter().find(|g| g.0 == group) {
                Some(known) => known.1,
                None => {
                    let id = builder.track(spec(None, group, TrackKind::Group));
                    groups.push((group.into(), id));
                    id
                }
            });
            let kind = if name.starts_with("q") { TrackKind::Engine } else { TrackKind::Thread };
            let track = builder.track(spec(parent, name, kind));
            for slice in slices.split(',').map(str::trim) {
                let (name, span) = slice.split_once(' ').expect("name span");
                let (start, duration) = span.split_once('+').expect("start+duration");
                let name: StrId = builder.strings.intern(name);
                let value = builder.strings.intern("compute");
                let raw = builder.slice(RawSlice {
                    track,
                    start: start.parse().expect("start"),
                    duration: duration.parse().expect("duration"),
                    name,
                    record: RecordRef::default(),
                });
                builder.set(category, raw, value.0);
            }
        }
        let profile = builder.finish(Meta::default()).profile;
        profile.check().expect("drawn well");
        profile
    }

    fn check(text: &str, range: Option<(i64, i64)>, want: &[(&str, i64)]) {
        let profile = drawn(text);
        let mut got: Vec<(String, i64)> = Vec::new();
        let range = range.map(|(a, b)| TimeRange::new(TimeNs(a), TimeNs(b)));
        self_times(&profile, TrackId(0), range, |i, ns| got.push((profile.name_of(crate::base::SliceId(i as u32)).into(), ns)));
        got.sort();
        let got: Vec<(&str, i64)> = got.iter().map(|g| (g.0.as_str(), g.1)).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn the_innermost_owns_the_time() {
        check("t: a 0+100, b 10+20, c 15+5, d 50+10", None, &[("a", 70), ("b", 15), ("c", 5), ("d", 10)]);
    }

    #[test]
    fn overlaps_are_not_counted_twice() {
        // b begins inside a and outlasts it: it lies one lane deeper, and owns its whole time.
        check("t: a 0+100, b 50+100", None, &[("a", 50), ("b", 100)]);
        check("t: a 0+10, a 0+10, a 0+10", None, &[("a", 0), ("a", 0), ("a", 10)]);
        check("t: a 0+10, b 5+10, c 8+20, d 40+1", None, &[("a", 5), ("b", 3), ("c", 20), ("d", 1)]);
    }

    #[test]
    fn a_range_clips() {
        check("t: a 0+100, b 10+20, c 90+5", Some((20, 50)), &[("a", 20), ("b", 10)]);
        check("t: a 0+10, b 20+0, c 30+10", Some((10, 30)), &[("b", 0)]);
    }

    #[test]
    fn self_times_add_up_to_the_busy_time() {
        // A fixed pseudo-random heap of overlapping slices, against a count by nanosecond.
        let mut seed = 12345u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..50 {
            let slices: Vec<(u64, u64)> = (0..40).map(|_| (random(200), random(40))).collect();
            let text: Vec<String> = slices.iter().map(|(s, d)| format!("x {s}+{d}")).collect();
            let profile = drawn(&format!("t: {}", text.join(", ")));
            let busy = (30..150).filter(|t| slices.iter().any(|(s, d)| s <= t && *t < s + d)).count() as i64;
            let mut sum = 0;
            self_times(&profile, TrackId(0), Some(TimeRange::new(TimeNs(30), TimeNs(150))), |_, ns| sum += ns);
            assert_eq!(sum, busy, "{text:?}");
        }
    }
}
