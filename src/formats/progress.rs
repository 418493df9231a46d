//! Progress of a running import, with slices to draw meanwhile.

use super::{Preview, Progress};
use crate::base::colour_slots::by_index;
use crate::base::phases::{self, Began};
use crate::base::{InputSet, Member, StrId, TrackId};
use crate::model::ProfileBuilder;

/// Most slices of a preview.
const MOST: usize = 200_000;
/// A track without a lane.
const NONE: u32 = u32::MAX;
/// Records between two reports of an import at random access.
const STRIDE: u64 = 1 << 17;

/// One raw lane for each track with a slice.
#[derive(Default)]
pub(super) struct Lanes {
    /// Indexed by track of the builder.
    lane_of: Vec<u32>,
    n_lanes: u32,
    new: Preview,
    n: usize,
}

impl Lanes {
    /// Adds a slice.
    pub fn slice(&mut self, track: TrackId, (start, duration): (i64, i64), name: StrId) {
        if self.n == MOST {
            return;
        }
        self.n += 1;
        if self.lane_of.len() <= track.index() {
            self.lane_of.resize(track.index() + 1, NONE);
        }
        let lane = &mut self.lane_of[track.index()];
        if *lane == NONE {
            *lane = self.n_lanes;
            self.n_lanes += 1;
        }
        self.new.slices.push((*lane, start, duration, by_index(name.index())));
    }

    /// Whether it takes no more slices.
    pub fn is_full(&self) -> bool {
        self.n == MOST
    }

    /// The slices since the last call.
    pub fn take(&mut self) -> Preview {
        std::mem::take(&mut self.new)
    }
}

/// When the progress of an import is reported again: seldom in a long one. A page draws each report, and where there are two processors, both are busy
/// with the import.
pub struct Pace {
    began: Began,
    /// Milliseconds from the beginning to the last report.
    last_ms: Option<f64>,
}

/// Between two reports, milliseconds: at first, and later.
const SHORTEST_MS: f64 = 50.0;
const LONGEST_MS: f64 = 250.0;
/// That part of the time so far is between two reports, where it is between those.
const PART: f64 = 0.125;

impl Pace {
    /// An import begins.
    pub fn begin() -> Self {
        Pace { began: phases::begin(), last_ms: None }
    }

    /// Whether to report now; always without a clock.
    pub fn is_due(&mut self) -> bool {
        self.began.elapsed().is_none_or(|ms| self.is_due_at(ms))
    }

    /// Whether the import has taken long enough for its end to be worth a report.
    pub fn is_long(&self) -> bool {
        self.began.elapsed().is_some_and(|ms| ms > SHORTEST_MS)
    }

    fn is_due_at(&mut self, ms: f64) -> bool {
        let between = (ms * PART).clamp(SHORTEST_MS, LONGEST_MS);
        let is_due = self.last_ms.is_none_or(|last| ms - last >= between);
        if is_due {
            self.last_ms = Some(ms);
        }
        is_due
    }
}

/// Reports the progress of an import at random access.
pub struct ProgressReporter<'a> {
    report: &'a mut dyn FnMut(Progress),
    pace: Pace,
    lanes: Lanes,
    bytes: u64,
    total: u64,
    records: u64,
    /// Records at the next report.
    due: u64,
    /// The next slice of the preview, and how many are between two.
    next: usize,
    step: usize,
}

impl<'a> ProgressReporter<'a> {
    /// Reports the progress of an import of `input`.
    pub fn new(input: &InputSet, report: &'a mut dyn FnMut(Progress)) -> Self {
        let total = input.members.iter().map(Member::len).fold(0, u64::saturating_add);
        ProgressReporter { report, pace: Pace::begin(), lanes: Lanes::default(), bytes: 0, total, records: 0, due: 0, next: 0, step: 1 }
    }

    /// Expected number of slices, so that the preview samples all of them evenly.
    pub fn expect_slices(&mut self, n: usize) {
        self.step = n.div_ceil(MOST).max(1);
    }

    /// Counts bytes and records that were read into `builder`.
    pub fn read(&mut self, bytes: u64, records: u64, builder: &ProfileBuilder) {
        (self.bytes, self.records) = (self.bytes.saturating_add(bytes), self.records.saturating_add(records));
        if self.records < self.due || !self.pace.is_due() {
            return;
        }
        self.due = self.records.saturating_add(STRIDE);
        self.report(builder);
    }

    /// Everything was read: what follows is sorting.
    pub fn end(&mut self, builder: &ProfileBuilder) {
        self.bytes = self.total;
        if self.pace.is_long() {
            self.report(builder);
        }
    }

    fn report(&mut self, builder: &ProfileBuilder) {
        while self.next < builder.n_slices() {
            let slice = self.next as u32;
            let (start, duration, name) = builder.raw(slice);
            self.lanes.slice(builder.track_of(slice), (start, duration), name);
            self.next += self.step;
        }
        let (bytes, total, records) = (self.bytes.min(self.total), self.total, self.records);
        (self.report)(Progress { bytes, total, records, preview: self.lanes.take() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::MemorySource;
    use crate::model::{RawSlice, RecordRef, TrackKind, TrackSpec};
    use std::collections::BTreeSet;

    #[test]
    fn a_long_import_reports_seldom() {
        let mut pace = Pace::begin();
        let due: Vec<u32> = (0..=8_000).filter(|ms| pace.is_due_at(f64::from(*ms))).collect();
        assert_eq!(due[..5], [0, 50, 100, 150, 200]);
        let in_second = |from: u32| due.iter().filter(|ms| (from..from + 1_000).contains(*ms)).count();
        assert_eq!([0, 1_000, 2_000, 7_000].map(in_second), [15, 6, 4, 4]);
    }

    #[test]
    fn a_report_holds_what_is_new() {
        let mut builder = ProfileBuilder::new();
        let spec = |name: &str| TrackSpec { parent: None, name: name.into(), kind: TrackKind::Engine, sort: 0 };
        let tracks = ["Vector", "Tensor"].map(|name| builder.track(spec(name)));
        let (mut reports, n) = (Vec::new(), 3 * MOST);
        let mut report = |progress: Progress| reports.push(progress);
        let input = InputSet { members: vec![Member::new("a", std::sync::Arc::new(MemorySource(vec![0; 10])))] };
        let mut watch = ProgressReporter::new(&input, &mut report);
        watch.expect_slices(n);
        for i in 0..n {
            let raw = RawSlice { track: tracks[i & 1], start: i as i64, duration: 1, name: StrId(0), record: RecordRef::default() };
            builder.slice(raw);
            watch.read(1, 1, &builder);
        }
        assert_eq!(reports.len(), n.div_ceil(STRIDE as usize));
        let lanes = |progress: &Progress| progress.preview.slices.iter().map(|s| s.0).collect::<BTreeSet<_>>();
        assert_eq!(lanes(&reports[0]), BTreeSet::from([0]));
        let last = &reports[reports.len() - 1];
        assert_eq!((last.bytes, last.total, lanes(last)), (10, 10, BTreeSet::from([0, 1])));
        let starts: Vec<i64> = reports.iter().flat_map(|t| t.preview.slices.iter().map(|s| s.1)).collect();
        assert!(starts.len() > MOST / 2 && starts.windows(2).all(|pair| pair[1] == pair[0] + 3));
    }
}
