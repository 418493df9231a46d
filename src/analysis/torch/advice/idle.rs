//! Why a device was idle: each gap between its work, and what the host did meanwhile.

use crate::analysis::spans::{Ranges, length_in, union};
use crate::analysis::torch::View;
use crate::analysis::torch::core::names;
use crate::analysis::torch::overview::Overview;
use crate::base::SliceId;
use crate::model::NO_SLICE;
use crate::model::torch::ABSENT;
use rustc_hash::FxHashMap;

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The host had not launched the next work yet, and was busy with operators.
    HostLate,
    /// The host had not launched the next work yet: it waited for the device.
    HostWaited,
    /// The host had not launched the next work yet: it waited for data.
    HostLoaded,
    /// The next work was launched before the gap began: it waited in the queue, or for the launch to reach the device.
    Queued,
    /// The next work's launch is not in the trace.
    Unknown,
}

impl Cause {
    pub const ALL: [Cause; 5] = [Cause::HostLate, Cause::HostWaited, Cause::HostLoaded, Cause::Queued, Cause::Unknown];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Cause::HostLate => "the next kernel was not launched yet",
            Cause::HostWaited => "the host waited for the device before the next launch",
            Cause::HostLoaded => "the host waited for data",
            Cause::Queued => "the next kernel was launched but had not started",
            Cause::Unknown => "the launch is not recorded",
        }
    }
}

/// A time in which a device did nothing, within the steps.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    pub start: i64,
    pub end: i64,
    pub cause: Cause,
    /// The work that ends it.
    pub next: SliceId,
}

impl Gap {
    pub fn length(&self) -> i64 {
        self.end - self.start
    }
}

/// Gaps of all devices that are within the steps, by device and time.
pub fn gaps(view: &View<'_>, overview: &Overview) -> Vec<Gap> {
    let (Some(first), Some(last)) = (overview.steps.first(), overview.steps.last()) else {
        return Vec::new();
    };
    let (from, to) = (first.start.0, last.end.0);
    let model = view.model;
    let slices = &view.profile.slices;
    let waits = union(
        model
            .events
            .runtimes
            .iter()
            .filter(|&&r| model.names.of(slices.name[r as usize]) & names::WAITS_FOR_DEVICE != 0)
            .map(|&r| (slices.start[r as usize], slices.end(r as usize)))
            .collect(),
    );
    let mut busy_until: FxHashMap<u32, i64> = FxHashMap::default();
    let mut out = Vec::with_capacity(model.events.work.len());
    for (w, &slice) in model.events.work.iter().enumerate() {
        let device = model.kernel(view.torch, w as u32).map_or(ABSENT, |k| k.device);
        let (start, end) = (slices.start[slice as usize], slices.end(slice as usize));
        let until = busy_until.entry(device).or_insert(start);
        let (gap_start, gap_end) = ((*until).max(from), start.min(to));
        if gap_start < gap_end {
            let cause = cause(view, model.launch[w], gap_start, &waits);
            out.push(Gap { start: gap_start, end: gap_end, cause, next: SliceId(slice) });
        }
        *until = (*until).max(end);
    }
    out
}

fn cause(view: &View<'_>, launch: u32, gap_start: i64, waits: &Ranges) -> Cause {
    if launch == NO_SLICE {
        return Cause::Unknown;
    }
    let launched = view.profile.slices.start[launch as usize];
    if launched <= gap_start {
        return Cause::Queued;
    }
    // What the host did from the begin of the gap until it launched.
    let half = (launched - gap_start) / 2;
    if length_in(&view.model.roles.ranges[5], gap_start, launched) > half {
        Cause::HostLoaded
    } else if length_in(waits, gap_start, launched) > half {
        Cause::HostWaited
    } else {
        Cause::HostLate
    }
}
