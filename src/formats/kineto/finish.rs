//! From everything read to the profile.

use super::content::Content;
use super::flows::bind;
use super::graphs::Captures;
use super::torch::{backward, threads, torch};
use crate::base::{Ledger, Severity};
use crate::model::{Domain, Meta, Profile, RecordRef};

/// A `Record Window End` farther than this from all other events is ignored.
const WINDOW_END_MAX_NS: i64 = 86_400_000_000;
/// A part of a trace does not begin later than 30 days after the trace.
const PART_MAX_NS: i64 = 30 * 86_400 * 1_000_000_000;
/// Times beyond this (2001-09-09) are taken for times since 1970.
const EPOCH_MIN_NS: i64 = 1_000_000_000_000_000_000;

impl Content {
    /// The profile.
    pub(super) fn finish(mut self, title: String, captures: Option<Captures>, ledger: &mut Ledger) -> Profile {
        self.close_open(ledger);
        self.place_window_end(ledger);
        let n_slices = self.builder.n_slices() as u64;
        if let Some(captures) = captures {
            captures.attribute(&mut self, ledger);
        }
        self.lanes.settle(&mut self.builder);
        std::mem::take(&mut self.counters).settle(&mut self.builder);
        let first = self.builder.first_time().map(|first| self.first_of_whole(first));
        let offset = first.unwrap_or(0).saturating_neg();
        self.builder.shift(offset);
        let is_torch = self.is_torch();
        let meta = self.meta(title, first, is_torch);
        let threads = threads(&self.lanes, &mut self.builder);
        let kinds = ["fwdbwd", "forward_backward"].map(|kind| self.builder.strings.find(kind));
        let backward = backward(&self.flows, |kind| kinds.contains(&Some(kind)));
        let mut finished = self.builder.finish(meta);
        let bound = bind(&mut finished.profile, self.flows.into_vec(), offset, &finished.track_of_raw);
        ledger.shown += n_slices + self.n_used + bound.n_shown;
        let singles = "A flow with only one end in the file.";
        count(ledger, "flow_single", singles, bound.n_single);
        count(ledger, "flow_without_slice", "A flow event of an arrow that starts or ends outside any slice.", bound.n_without_slice);
        if is_torch {
            let torch = torch(&mut finished, &mut self.facts, self.tables, self.replays, &threads, backward, offset);
            finished.profile.domain = Domain::Torch(Box::new(torch));
        } else {
            ledger.note("A Chrome trace without PyTorch profiler data: it is shown as a timeline without PyTorch views.");
        }
        finished.profile
    }

    /// In a part of a trace: where the trace begins, unless that is too far away to be true.
    fn first_of_whole(&self, first: i64) -> i64 {
        let is_likely = |origin: &i64| first.checked_sub(*origin).is_some_and(|n| (0..=PART_MAX_NS).contains(&n));
        self.facts.origin_ns.filter(is_likely).unwrap_or(first)
    }

    fn is_torch(&self) -> bool {
        self.has_torch_marks || self.facts.has("schemaVersion") && self.facts.has("deviceProperties")
    }

    fn meta(&mut self, title: String, first: Option<i64>, is_torch: bool) -> Meta {
        let base = self.facts.base_ns;
        let origin_epoch_ns = match base {
            Some(base) => first.and_then(|f| f.checked_add(base)),
            None => first.filter(|f| *f > EPOCH_MIN_NS),
        };
        let mut not_available = Vec::new();
        if origin_epoch_ns.is_none() {
            not_available.push("Wall-clock time".into());
        }
        if is_torch && !self.lanes.threads.iter().any(|t| t.is_device) {
            not_available.push("Device activity".into());
        }
        Meta {
            format: super::ID.into(),
            title,
            origin_epoch_ns,
            origin: "first event".into(),
            facts: std::mem::take(&mut self.facts.facts),
            not_available,
            ..Meta::default()
        }
    }

    /// Slices without an end in the file last until the end of the trace.
    fn close_open(&mut self, ledger: &mut Ledger) {
        let threads = self.lanes.threads.iter_mut().flat_map(|t| t.open.drain(..));
        let mut open: Vec<u32> = threads.chain(self.asyncs.open.drain().flat_map(|(_, slices)| slices)).collect();
        open.sort_unstable();
        for slice in open {
            let name = self.builder.raw(slice).2;
            let reason = "The start of a slice without an end in the file; it is shown until the end of the trace.";
            ledger.skip(Severity::Warning, "unmatched_begin", reason, 0, || self.builder.strings.get(name).into());
            self.builder.end_slice(slice, self.last, RecordRef::default());
        }
    }

    fn place_window_end(&mut self, ledger: &mut Ledger) {
        let Some((track, time, name, record)) = self.window_end else {
            return;
        };
        let distance = time.saturating_sub(self.last);
        if self.last > i64::MIN && distance.saturating_abs() > WINDOW_END_MAX_NS {
            let reason = "`Record Window End` is more than 86.4 s away from all other events; this is a known wrong time written by torch.";
            ledger.skip(Severity::Warning, "window_end_far", reason, record.offset(), || format!("{distance} ns after the last event"));
            return;
        }
        self.builder.instant(track, time, name, record);
        self.n_used += 1;
    }
}

fn count(ledger: &mut Ledger, kind: &str, reason: &str, n: u64) {
    if n > 0 {
        ledger.skip_n(Severity::Info, kind, reason, n, 0, String::new);
    }
}
