//! Builds the profile: pairs starts with stops, aligns device clocks with the host, extracts transfers and executions.

use super::event::{Phase, Source};
use super::store::{Store, StoredEvent};
use crate::base::Order as _;
use crate::base::{DurationNs, Ledger, Severity, SliceId, StrId, text};
use crate::model::system::{Clock, EventFlow, Execution, NeuronSystem, Row, RowKind, Submit, Transfer};
use crate::model::{CounterSpec, Domain, Fact, Meta, Profile, RawSlice, RawSliceId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What slices turn out to be, by their raw ids.
#[derive(Default)]
struct Found {
    /// Copies of the runtime: to the device or from it, bytes.
    copies: Vec<(RawSliceId, bool, Option<u64>)>,
    /// Reads and writes of tensors.
    tensors: Vec<(RawSliceId, bool, Option<u64>)>,
    /// Model, device profile, id.
    executions: Vec<(RawSliceId, [StrId; 3])>,
    submits: Vec<(RawSliceId, StrId)>,
    flows: Vec<(RawSliceId, StrId, Vec<StrId>)>,
}

/// Direction of a transfer by the event's name: (to the device, a copy of the runtime).
fn transfer(name: &str) -> Option<(bool, bool)> {
    const NAMES: [(&str, (bool, bool)); 4] = [
        ("dmem_buf_copyin", (true, true)),
        ("dmem_buf_copyout", (false, true)),
        ("nrt_tensor_write", (true, false)),
        ("nrt_tensor_read", (false, false)),
    ];
    NAMES.iter().find(|n| name == n.0).map(|n| n.1)
}

/// Calls that submit an execution.
const SUBMITS: [&str; 3] = ["nrt_model_submit", "nrta_execute_schedule", "nrt_execute"];

impl Store {
    /// The profile.
    pub(in crate::formats) fn finish(mut self, title: String, ledger: &mut Ledger) -> Profile {
        self.clocks.sort();
        let (times, n_placed) = self.times();
        let clock = self.clocks.summary(n_placed);
        far_apart(&times, ledger);
        let mut found = Found::default();
        let mut flows: FxHashMap<usize, (StrId, Vec<StrId>)> =
            std::mem::take(&mut self.flows).into_iter().map(|f| (f.0, (f.1, f.2))).collect();
        let mut open: FxHashMap<(StrId, StrId, StrId), Vec<usize>> = FxHashMap::default();
        let stored = std::mem::take(&mut self.stored);
        for (at, event) in stored.iter().enumerate() {
            let process = self.rows.facts.get(event.track.index()).map_or(StrId(0), |r| r.process);
            let key = (event.tracking, event.name, process);
            match event.phase {
                Phase::Whole => self.slice(event, (times[at], event.duration), flows.remove(&at), &mut found, ledger),
                Phase::Start => open.entry(key).or_default().push(at),
                Phase::Instant => self.builder.instant(event.track, times[at], event.name, event.record),
                Phase::Stop => {
                    let Some(from) = open.get_mut(&key).and_then(Vec::pop) else {
                        let reason = "A stop event without a start event of the same tracking id; it is not shown.";
                        ledger.shown -= 1;
                        ledger.skip(Severity::Warning, "stray_stop", reason, event.record.offset(), || self.name(event));
                        continue;
                    };
                    let start = StoredEvent { size: stored[from].size.or(event.size), ..stored[from] };
                    let span = (times[from], times[at].checked_sub(times[from]));
                    self.slice(&start, span, flows.remove(&from).or_else(|| flows.remove(&at)), &mut found, ledger);
                }
            }
        }
        let mut left: Vec<usize> = open.into_values().flatten().collect();
        left.sort_unstable();
        for at in left {
            let reason = "The event has no stop; it is shown without duration.";
            ledger.skip(Severity::Warning, "missing_stop", reason, stored[at].record.offset(), || self.name(&stored[at]));
            self.slice(&stored[at], (times[at], Some(0)), flows.remove(&at), &mut found, ledger);
        }
        drop(stored);
        self.rows.name_apart(&mut self.builder);
        self.draw_flows(&found.flows);
        let transfers = if found.copies.is_empty() { std::mem::take(&mut found.tensors) } else { std::mem::take(&mut found.copies) };
        super::bandwidth::curves(&mut self, &transfers);
        self.draw_curves();
        self.freeze(title, clock, (transfers, found), ledger)
    }

    fn name(&self, event: &StoredEvent) -> String {
        self.builder.strings.get(event.name).into()
    }

    /// When each event is on the host's clock, and how many a sync point has placed.
    fn times(&self) -> (Vec<i64>, u64) {
        let mut n_placed = 0;
        let time = |event: &StoredEvent| {
            let is_device = event.source == Source::Hardware && !event.is_sync;
            let placed = event.device_ns.filter(|_| is_device).and_then(|ns| self.clocks.adjusted(self.clock_of(event), ns));
            n_placed += u64::from(placed.is_some());
            placed.unwrap_or(event.time)
        };
        (self.stored.iter().map(time).collect(), n_placed)
    }

    fn slice(
        &mut self,
        event: &StoredEvent,
        (start, length): (i64, Option<i64>),
        flows: Option<(StrId, Vec<StrId>)>,
        found: &mut Found,
        ledger: &mut Ledger,
    ) {
        let duration = length.filter(|d| *d >= 0).unwrap_or_else(|| {
            let reason = "The event has no duration or stops before its start; it is shown without duration.";
            ledger.skip(Severity::Warning, "bad_duration", reason, event.record.offset(), || self.name(event));
            0
        });
        let row = self.rows.facts.get(event.track.index()).copied().unwrap_or_default();
        let slice = self.builder.slice(RawSlice { track: event.track, start, duration, name: event.name, record: event.record });
        let source = match event.source {
            Source::Framework => "framework",
            Source::Runtime => "neuron_rt",
            Source::Hardware => "neuron_hw",
        };
        let source = self.builder.strings.intern(source);
        for (column, value) in self.columns.into_iter().zip([source, row.core, row.process, row.instance]) {
            self.builder.set(column, slice, value.0);
        }
        if let Some((event, flows)) = flows {
            found.flows.push((slice, event, flows));
        }
        let name = self.builder.strings.get(event.name);
        if let Some((is_to_device, is_copy)) = transfer(name) {
            let list = if is_copy { &mut found.copies } else { &mut found.tensors };
            list.push((slice, is_to_device, event.size));
        } else if let Some(rest) = name.strip_prefix("nc_exec_running") {
            // `nc_exec_running /path/model.neff`: the file after the name.
            let recorded = rest.trim().to_string();
            let model = if event.model == StrId(0) { self.builder.strings.intern(&recorded) } else { event.model };
            found.executions.push((slice, [model, event.profile, event.execution]));
        } else if SUBMITS.contains(&name) {
            found.submits.push((slice, event.execution));
        }
    }

    /// Arrows from each event of a flow to the next one in time.
    fn draw_flows(&mut self, all: &[(RawSliceId, StrId, Vec<StrId>)]) {
        let mut by_flow: BTreeMap<StrId, Vec<(i64, RawSliceId)>> = BTreeMap::new();
        for (slice, _, flows) in all {
            let start = self.builder.raw(*slice).0;
            flows.iter().for_each(|f| by_flow.entry(*f).or_default().push((start, *slice)));
        }
        let kind = self.builder.strings.intern("flow");
        for mut events in by_flow.into_values() {
            events.sort_unstable();
            events.windows(2).filter(|w| w[0].1 != w[1].1).for_each(|w| self.builder.flow(w[0].1, w[1].1, kind));
        }
    }

    fn draw_curves(&mut self) {
        for (curve, samples) in std::mem::take(&mut self.curves) {
            let (track, unit, is_stacked) = self.curve_row(&curve);
            let name = self.builder.track_mut(track).name.clone();
            let series = if samples.series.is_empty() { vec![name] } else { samples.series };
            let mut samples = samples.values;
            samples.iter_mut().for_each(|s| s.1.resize(series.len(), 0.0));
            self.builder.counter(track, CounterSpec { unit: unit.into(), is_stacked, series, samples });
        }
    }

    fn freeze(
        mut self,
        title: String,
        clock: Clock,
        (transfers, found): (Vec<(RawSliceId, bool, Option<u64>)>, Found),
        ledger: &mut Ledger,
    ) -> Profile {
        let first = self.builder.first_time().unwrap_or(0);
        self.builder.shift(first.saturating_neg());
        let mut not_available = Vec::new();
        if found.executions.is_empty() {
            not_available.push("Device executions: the profile has no event nc_exec_running.".into());
        }
        if !self.rows.facts.iter().any(|r| r.kind == RowKind::Hbm) {
            not_available.push("HBM usage by category: needs the section `device_mem_usage` (profilers since mid-2026), or the Parquet tables of Neuron Explorer.".into());
        }
        let meta = Meta {
            format: super::ID.into(),
            title,
            origin_epoch_ns: Some(first),
            origin: "first event".into(),
            facts: facts(&clock, ledger),
            not_available,
            is_experimental: true,
            ..Meta::default()
        };
        let facts = std::mem::take(&mut self.rows.facts);
        let done = self.builder.finish(meta);
        let mut profile = done.profile;
        let slice = |raw: RawSliceId| done.slice_of_raw.get(raw as usize).copied().unwrap_or(SliceId(0));
        let mut rows = vec![Row::default(); profile.tracks.len()];
        for (raw, row) in facts.into_iter().enumerate() {
            if let Some(track) = done.track_of_raw.get(raw).copied().flatten() {
                rows[track.index()] = row;
            }
        }
        let mut system = NeuronSystem {
            rows,
            transfers: transfers.into_iter().map(|(s, is_to_device, bytes)| Transfer { slice: slice(s), is_to_device, bytes }).collect(),
            executions: found
                .executions
                .into_iter()
                .map(|(s, [model, profile, execution])| Execution { slice: slice(s), model, profile, execution })
                .collect(),
            submits: found.submits.into_iter().map(|(s, execution)| Submit { slice: slice(s), execution }).collect(),
            flows: found.flows.into_iter().map(|(s, event, flows)| EventFlow { slice: slice(s), event, flows }).collect(),
            hbm_capacity: self.hbm_capacity,
            device_profiles: self.device_profiles,
            clock,
        };
        system.transfers.order_by_key(|t| t.slice);
        system.executions.order_by_key(|e| e.slice);
        system.submits.order_by_key(|s| s.slice);
        system.flows.order_by_key(|f| f.slice);
        profile.domain = Domain::NeuronSystem(Box::new(system));
        profile
    }
}

/// Notes events that are too far apart for one run: a clock that jumps, or that has another origin.
fn far_apart(times: &[i64], ledger: &mut Ledger) {
    /// Longest pause within a profile, nanoseconds: an hour.
    const MOST_NS: i64 = 3_600_000_000_000;
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let gaps = sorted.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|gap| *gap > MOST_NS);
    let (n, longest) = gaps.fold((0, 0), |(n, longest), gap| (n + 1, gap.max(longest)));
    if n > 0 {
        let reason = "No events for more than an hour: a clock jumps, or events use different time origins. Times before and after the \
                      gap are not comparable.";
        ledger.skip_n(Severity::Warning, "far_apart", reason, n, 0, || format!("a gap of {}", text::duration(DurationNs(longest))));
    }
}

/// What is known of the clocks, for the profile's facts and the ledger.
fn facts(clock: &Clock, ledger: &mut Ledger) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { group: "Clocks".into(), name: name.into(), value };
    let mut out = vec![fact("Sync points", clock.n_points.to_string())];
    if clock.n_placed > 0 {
        out.push(fact("Device events aligned by them", clock.n_placed.to_string()));
    }
    let residual = clock.residual_ns.map_or("not available: needs two sync points of one execution or core".into(), |r| format!("{r} ns"));
    out.push(fact("Residual", residual.clone()));
    if clock.n_points > 0 {
        ledger.note(format!("Device events are aligned by the sync points; the largest residual is {residual}."));
    }
    if clock.n_jumps > 0 {
        let most = text::duration(DurationNs(clock.residual_ns.unwrap_or(0)));
        let reason =
            "A clock jumps between two sync points by more than a millisecond; times of events between them may be wrong by this amount.";
        ledger.skip_n(Severity::Warning, "clock_jump", reason, clock.n_jumps, 0, || format!("by up to {most}"));
    }
    out
}
