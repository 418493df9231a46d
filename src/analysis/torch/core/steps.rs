//! Steps: the host's marks, moved so that each holds the device work it launched.

use super::class::Class;
use super::events::{Events, NONE};
use super::link::{Links, Sources};
use crate::model::{NO_SLICE, Profile};

/// A step including its device work; with device work, steps are contiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number as text.
    pub name: String,
    /// Its mark; [`NO_SLICE`] for the step of the entire trace.
    pub slice: u32,
    /// Start, nanoseconds.
    pub start: i64,
    /// End, nanoseconds.
    pub end: i64,
}

/// The steps of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// Ordered by start.
    pub steps: Vec<Step>,
    /// All marks in the file, including skipped ones.
    pub marks: Vec<Step>,
    /// Steps at the end that were omitted, since their device work is not all in the trace.
    pub n_left_out: usize,
}

/// Finds them.
pub fn steps(s: &Sources<'_>, events: &Events, links: &Links) -> Steps {
    let marked = events.host.iter().copied().filter(|&i| s.class[i as usize] == Class::Step);
    let marks = marks(s.profile, marked);
    let mut steps = marks.clone();
    if steps.is_empty() {
        steps.extend(whole(s, events));
    }
    let matched = Matched::new(s, events, links, &steps);
    matched.move_steps(s, events, &mut steps);
    let n = steps.len();
    if !events.work.is_empty() || !events.runtimes.is_empty() {
        matched.leave_out_tail(&mut steps);
    }
    Steps { n_left_out: n - steps.len(), steps, marks }
}

/// The slices `marked` as steps, as they are in the file.
pub fn marks(profile: &Profile, marked: impl Iterator<Item = u32>) -> Vec<Step> {
    let slices = &profile.slices;
    let step = |slice: u32| {
        let name = profile.strings.get(slices.name[slice as usize]);
        let number = name.split_once('#').map_or(name, |(_, number)| number).trim();
        Step { name: number.into(), slice, start: slices.start[slice as usize], end: slices.end(slice as usize) }
    };
    marked.map(step).collect()
}

/// One step for a trace without marks.
fn whole(s: &Sources<'_>, events: &Events) -> Option<Step> {
    let slices = &s.profile.slices;
    let is_host = |i: &&u32| matches!(s.class[**i as usize], Class::Operator | Class::Python);
    let mut all: Vec<u32> = events.host.iter().filter(is_host).copied().collect();
    if all.is_empty() && s.rules.sums_to_step {
        all = events.host.iter().chain(&events.work).chain(&events.runtimes).copied().collect();
    }
    let start = all.iter().map(|&i| slices.start[i as usize]).min()?;
    let end = all.iter().map(|&i| slices.end(i as usize)).max()?;
    Some(Step { name: "0".into(), slice: NO_SLICE, start, end })
}

/// Which device work each step launched.
struct Matched {
    /// First start, last end, how many; by step.
    by_step: Vec<(i64, i64, usize)>,
    /// Indexed by work.
    is_matched: Vec<bool>,
}

impl Matched {
    /// A call belongs to a step if it is completely inside it.
    fn new(s: &Sources<'_>, events: &Events, links: &Links, steps: &[Step]) -> Self {
        let slices = &s.profile.slices;
        let mut out = Matched { by_step: vec![(i64::MAX, i64::MIN, 0); steps.len()], is_matched: vec![false; events.work.len()] };
        let mut launched: Vec<(u32, u32)> =
            links.launch.iter().enumerate().filter(|(_, call)| **call != NONE).map(|(w, &call)| (call, w as u32)).collect();
        // Calls are numbered by start.
        launched.sort_unstable();
        let (mut step, mut next) = (0, 0);
        while step < steps.len() && next < launched.len() {
            let (call, work) = launched[next];
            let call = events.runtimes[call as usize] as usize;
            if slices.start[call] >= steps[step].start && slices.end(call) <= steps[step].end {
                let slice = events.work[work as usize] as usize;
                let (first, last, n) = out.by_step[step];
                out.by_step[step] = (first.min(slices.start[slice]), last.max(slices.end(slice)), n + 1);
                out.is_matched[work as usize] = true;
            } else if slices.start[call] >= steps[step].end {
                step += 1;
                continue;
            }
            next += 1;
        }
        out
    }

    fn move_steps(&self, s: &Sources<'_>, events: &Events, steps: &mut [Step]) {
        let (Some(first), true) = (steps.first(), self.is_matched.contains(&true)) else {
            return;
        };
        let slices = &s.profile.slices;
        let mut previous = first.start;
        if self.by_step[0].2 > 0 {
            let ends = events.work.iter().zip(&self.is_matched).filter(|(_, matched)| !**matched).map(|(&i, _)| slices.end(i as usize));
            previous = ends.filter(|&end| end < self.by_step[0].0).fold(previous, i64::max);
        }
        for (step, (_, last, n)) in steps.iter_mut().zip(&self.by_step) {
            step.start = step.start.max(previous);
            if *n > 0 {
                step.end = step.end.max(*last);
            }
            step.end = step.end.max(step.start);
            previous = step.end;
        }
    }

    fn leave_out_tail(&self, steps: &mut Vec<Step>) {
        if steps.len() < 2 {
            return;
        }
        let Some(last) = self.by_step.iter().rposition(|m| m.2 > 0) else {
            return;
        };
        let is_cut = last > 0 && self.by_step[last - 1].2 as f64 * 0.8 > self.by_step[last].2 as f64;
        steps.truncate(if is_cut { last } else { last + 1 });
    }
}
