//! Merging parts: a set of traces gives the same run in whatever order and tree it is merged.
//!
//! Every value is a set, a sum, a minimum or a maximum of integers that are not negative, or a histogram; sums saturate, which keeps the order
//! free. Rows are sorted when the merge is finished.

use crate::analysis::torch::core::names::is_collective_kernel;
use crate::base::Order as _;
use crate::model::fleet::{
    Extreme, FleetAdvice, FleetCollective, FleetRun, FleetSkip, FleetTrace, Histogram, N_METRICS, PartOperator, RunPart, Spread, StepTimes,
    bucket, stable_hash,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Kernels that a trace keeps for itself, to compare its speed with other traces.
const OWN_KERNELS: usize = 16;

/// Parts and runs added so far.
#[derive(Debug, Default)]
pub struct Merger {
    ids: FxHashSet<u64>,
    traces: Vec<FleetTrace>,
    operators: Spreads,
    kernels: Spreads,
    texts: FxHashMap<String, u32>,
    collectives: FxHashMap<(u32, u32, u32), FleetCollective>,
    advice: BTreeMap<String, FleetAdvice>,
    skipped: BTreeMap<(String, String), FleetSkip>,
}

/// Why a part or a run was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A copy of a part that is in the run; leaving it out loses nothing.
    #[error("`{0}` is in the run already: it was skipped.")]
    Duplicate(String),
    /// Runs that share some traces: sums cannot be taken apart again.
    #[error("`{0}` is in two of the runs to merge: merge the parts instead.")]
    Overlap(String),
}

/// The run of all parts, and what was skipped of it.
pub fn merge<'a>(parts: impl IntoIterator<Item = &'a RunPart>) -> (FleetRun, Vec<MergeError>) {
    let mut merger = Merger::default();
    let skipped = parts.into_iter().filter_map(|part| merger.add(part).err()).collect();
    (merger.finish(), skipped)
}

impl Merger {
    /// Adds the part of a trace. A trace with the same content as one before is refused; of copies under several names the caller adds the one
    /// with the first name, so that the result does not depend on the order.
    pub fn add(&mut self, part: &RunPart) -> Result<(), MergeError> {
        if !self.ids.insert(part.meta.id) {
            return Err(MergeError::Duplicate(part.meta.name.clone()));
        }
        let trace = part.meta.id;
        let mut own = FleetTrace { meta: part.meta.clone(), ..FleetTrace::default() };
        let mut cells = vec![0u16; part.steps.len() * N_METRICS];
        for (at, step) in part.steps.iter().enumerate() {
            own.totals.add(&step.times);
            own.steps.push(step.number);
            for (metric, value) in step.times.metrics().into_iter().enumerate() {
                cells[metric * part.steps.len() + at] = bucket(value);
            }
        }
        own.cells = cells;
        // A collective takes as long as the slowest rank, so it does not measure this rank's speed.
        let mut longest: Vec<&PartOperator> = part.kernels.iter().filter(|k| !is_collective_kernel(&k.name)).collect();
        longest.order_by(|a, b| (b.device_self, &a.name).cmp(&(a.device_self, &b.name)));
        own.kernels = longest.iter().take(OWN_KERNELS).map(|k| (stable_hash(&[&k.name]), k.calls, k.device_self)).collect();
        let mut groups: BTreeMap<u64, (u64, i64)> = BTreeMap::new();
        for call in &part.collectives {
            let sum = groups.entry(stable_hash(&[&call.group, &call.op])).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(call.duration_ns));
            let at = Extreme { value: call.duration_ns, trace };
            let start = part.meta.origin_epoch_ns.map(|origin| origin.saturating_add(call.start_ns));
            self.collective(
                (&call.group, &call.op),
                FleetCollective {
                    group: 0,
                    op: 0,
                    seq: call.seq,
                    n: 1,
                    bytes: call.bytes,
                    step: call.step,
                    total_ns: call.duration_ns,
                    shortest: at,
                    longest: at,
                    common: start.map(|start| (start, start.saturating_add(call.duration_ns))),
                },
            );
        }
        own.groups = groups.into_iter().map(|(group, (n, time))| (group, n, time)).collect();
        self.traces.push(own);
        part.operators.iter().for_each(|row| self.operators.add_part(row, trace));
        part.kernels.iter().for_each(|row| self.kernels.add_part(row, trace));
        for row in &part.advice {
            let cost_ns = row.cost_ns.unwrap_or(0).max(0);
            let most = Extreme { value: cost_ns, trace };
            self.advice(FleetAdvice { id: row.id.clone(), title: row.title.clone(), n_traces: 1, cost_ns, most });
        }
        part.skipped.iter().for_each(|skip| self.skipped(FleetSkip { skip: skip.clone(), n_traces: 1 }));
        Ok(())
    }

    /// Adds a run. Nothing is added when it shares a trace with what was added before.
    pub fn add_run(&mut self, run: FleetRun) -> Result<(), MergeError> {
        if let Some(trace) = run.traces.iter().find(|t| self.ids.contains(&t.meta.id)) {
            return Err(MergeError::Overlap(trace.meta.name.clone()));
        }
        self.ids.extend(run.traces.iter().map(|t| t.meta.id));
        self.traces.extend(run.traces);
        run.operators.into_iter().for_each(|row| self.operators.add(row));
        run.kernels.into_iter().for_each(|row| self.kernels.add(row));
        run.advice.into_iter().for_each(|row| self.advice(row));
        run.skipped.into_iter().for_each(|row| self.skipped(row));
        let text = |at: u32| run.texts.get(at as usize).map_or("", String::as_str);
        for call in run.collectives {
            self.collective((text(call.group), text(call.op)), call);
        }
        Ok(())
    }

    /// Whether a trace with this content was added.
    pub fn has(&self, id: u64) -> bool {
        self.ids.contains(&id)
    }

    /// The run, in its one form.
    pub fn finish(self) -> FleetRun {
        let mut texts: Vec<(String, u32)> = self.texts.into_iter().collect();
        texts.order();
        let mut place = vec![0u32; texts.len()];
        texts.iter().enumerate().for_each(|(to, (_, from))| place[*from as usize] = to as u32);
        let renamed = |mut call: FleetCollective| {
            (call.group, call.op) = (place[call.group as usize], place[call.op as usize]);
            call
        };
        let mut out = FleetRun {
            traces: self.traces,
            texts: texts.into_iter().map(|t| t.0).collect(),
            operators: self.operators.finish(),
            kernels: self.kernels.finish(),
            collectives: self.collectives.into_values().map(renamed).collect(),
            advice: self.advice.into_values().collect(),
            skipped: self.skipped.into_values().collect(),
        };
        out.traces.order_by(|a, b| (a.meta.rank.is_none(), &a.meta).cmp(&(b.meta.rank.is_none(), &b.meta)));
        out.collectives.order_by_key(|c| (c.group, c.op, c.seq));
        out
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(&at) = self.texts.get(text) {
            return at;
        }
        let at = self.texts.len() as u32;
        self.texts.insert(text.into(), at);
        at
    }

    fn collective(&mut self, (group, op): (&str, &str), mut call: FleetCollective) {
        (call.group, call.op) = (self.text(group), self.text(op));
        let key = (call.group, call.op, call.seq);
        let Some(known) = self.collectives.get_mut(&key) else {
            self.collectives.insert(key, call);
            return;
        };
        known.n = known.n.saturating_add(call.n);
        known.bytes = known.bytes.max(call.bytes);
        known.step = known.step.into_iter().chain(call.step).min();
        known.total_ns = known.total_ns.saturating_add(call.total_ns);
        known.shortest = known.shortest.min(call.shortest);
        known.longest = known.longest.max(call.longest);
        known.common = known.common.zip(call.common).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
    }

    fn skipped(&mut self, row: FleetSkip) {
        let key = (row.skip.kind.clone(), row.skip.severity.clone());
        let Some(known) = self.skipped.get_mut(&key) else {
            self.skipped.insert(key, row);
            return;
        };
        known.n_traces = known.n_traces.saturating_add(row.n_traces);
        known.skip.count = known.skip.count.saturating_add(row.skip.count);
        if row.skip.reason < known.skip.reason {
            known.skip.reason = row.skip.reason;
        }
    }

    fn advice(&mut self, row: FleetAdvice) {
        let Some(known) = self.advice.get_mut(&row.id) else {
            self.advice.insert(row.id.clone(), row);
            return;
        };
        known.n_traces = known.n_traces.saturating_add(row.n_traces);
        known.cost_ns = known.cost_ns.saturating_add(row.cost_ns);
        known.most = known.most.max(row.most);
        if row.title < known.title {
            known.title = row.title;
        }
    }
}

/// Operators or kernels by name, then by shape: a known row is found without a copy of its texts.
#[derive(Debug, Default)]
struct Spreads(FxHashMap<String, FxHashMap<String, Spread>>);

impl Spreads {
    fn known(&mut self, name: &str, shape: &str) -> Option<&mut Spread> {
        self.0.get_mut(name)?.get_mut(shape)
    }

    /// Adds the row of a trace.
    fn add_part(&mut self, row: &PartOperator, trace: u64) {
        let value = if row.device_self > 0 { row.device_self } else { row.host_self };
        let at = Extreme { value, trace };
        let Some(known) = self.known(&row.name, &row.shape) else {
            let mut by_trace = Histogram::default();
            by_trace.add(value);
            return self.add(Spread {
                name: row.name.clone(),
                shape: row.shape.clone(),
                n_traces: 1,
                calls: row.calls,
                host_self: row.host_self,
                device_self: row.device_self,
                by_trace,
                least: at,
                most: at,
            });
        };
        known.n_traces = known.n_traces.saturating_add(1);
        known.calls = known.calls.saturating_add(row.calls);
        known.host_self = known.host_self.saturating_add(row.host_self);
        known.device_self = known.device_self.saturating_add(row.device_self);
        known.by_trace.add(value);
        known.least = known.least.min(at);
        known.most = known.most.max(at);
    }

    /// Adds a row of a run.
    fn add(&mut self, row: Spread) {
        let Some(known) = self.known(&row.name, &row.shape) else {
            self.0.entry(row.name.clone()).or_default().insert(row.shape.clone(), row);
            return;
        };
        known.n_traces = known.n_traces.saturating_add(row.n_traces);
        known.calls = known.calls.saturating_add(row.calls);
        known.host_self = known.host_self.saturating_add(row.host_self);
        known.device_self = known.device_self.saturating_add(row.device_self);
        known.by_trace.merge(&row.by_trace);
        known.least = known.least.min(row.least);
        known.most = known.most.max(row.most);
    }

    /// All rows, by name and shape.
    fn finish(self) -> Vec<Spread> {
        let mut out: Vec<Spread> = self.0.into_values().flat_map(FxHashMap::into_values).collect();
        out.order_by(|a, b| (&a.name, &a.shape).cmp(&(&b.name, &b.shape)));
        out
    }
}

/// Sum over all traces.
pub fn totals(run: &FleetRun) -> StepTimes {
    let mut out = StepTimes::default();
    run.traces.iter().for_each(|t| out.add(&t.totals));
    out
}
