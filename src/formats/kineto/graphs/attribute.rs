//! Adds the operators and modules of each replay to the run: as slices on a row of their device, and as tables.

use super::super::content::Content;
use super::matching::{self, Fit, Kind, NONE, Work};
use super::units::Unit;
use crate::base::Order as _;
use crate::base::{Ledger, StrId, TrackId, text};
use crate::model::replays::{ReplayLaunch, ReplayNode, ReplayOutcome, Replays};
use crate::model::torch::{ABSENT, Function, OperatorInputs};
use crate::model::{RawSlice, RawSliceId, RecordRef, TrackKind, TrackSpec};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::rc::Rc;

/// Name of the row of a device's replayed operators.
pub(super) const ROW: &str = "Operators (from capture)";
/// Members beyond this cannot be named by a record.
const MEMBER_MAX: usize = 14;

/// A graph launch and its kernels.
struct Replay {
    call: RawSliceId,
    start: i64,
    /// (start, raw slice, work), by start.
    work: Vec<(i64, RawSliceId, Work)>,
}

/// What was decided for a sequence of kernels.
struct Decision {
    outcome: ReplayOutcome,
    /// Position of the unit, and how it fits.
    fit: Option<(usize, Rc<Fit>)>,
    /// Units that fit as well.
    others: Vec<(usize, Rc<Fit>)>,
}

/// The work of a replay, and the chosen capture.
type Decided = (Vec<Work>, Rc<Decision>);

/// Attributes every replay of the run.
pub(super) fn attribute(content: &mut Content, units: &[Unit], ledger: &mut Ledger) {
    if units.is_empty() {
        return;
    }
    let replays = replays(content);
    let mut known: FxHashMap<u64, Vec<Decided>> = FxHashMap::default();
    let mut writer = Writer::new(content, units);
    let mut previous: Option<usize> = None;
    let (mut n_skipped, mut n_ambiguous) = (0, 0);
    for replay in &replays {
        let work: Vec<Work> = replay.work.iter().map(|w| w.2).collect();
        let hash = FxBuildHasher.hash_one(&work);
        let same = known.entry(hash).or_default();
        let decision = match same.iter().find(|(w, _)| *w == work) {
            Some((_, decision)) => decision.clone(),
            None => {
                let decision = Rc::new(decide(&work, units));
                same.push((work, decision.clone()));
                decision
            }
        };
        let step = writer.step(replay);
        let chosen = choose(&decision, units, previous, step.map(|s| s.tokens));
        if let Some((unit, fit, mut outcome, mut common)) = chosen {
            previous = Some(unit);
            // A graph holds at least the requests of its step.
            if step.zip(units[unit].batch).is_some_and(|(step, batch)| batch < step.requests) {
                (outcome, common.has_shapes) = (ReplayOutcome::MatchedSmaller, false);
            }
            n_skipped += (replay.work.len() - fit.n_matched) as u64;
            writer.replay(replay, unit, &fit, &common);
            writer.launch(replay.call, outcome);
        } else {
            n_ambiguous += u64::from(decision.outcome == ReplayOutcome::Ambiguous);
            writer.launch(replay.call, decision.outcome);
        }
    }
    let out = writer.finish();
    let n_matched = out.launches.iter().filter(|l| l.outcome.is_matched()).count() as u64;
    let n = replays.len() as u64;
    ledger.note(format!("{} of {} graph launches match a capture.", text::count(n_matched), text::count(n)));
    let n_several = out.launches.iter().filter(|l| l.outcome == ReplayOutcome::MatchedSeveral).count() as u64;
    if n_several > 0 {
        ledger.note(format!(
            "{} graph launches fit several captures equally well: shapes and modules in which these differ are not attributed.",
            text::count(n_several)
        ));
    }
    let n_smaller = out.launches.iter().filter(|l| l.outcome == ReplayOutcome::MatchedSmaller).count() as u64;
    if n_smaller > 0 {
        ledger.note(format!(
            "{} graph launches fit only a capture of a smaller batch than their step has requests: shapes are not attributed.",
            text::count(n_smaller)
        ));
    }
    if n_ambiguous > 0 {
        ledger.note(format!(
            "{} graph launches fit several captures equally well, with different operators; they are not attributed.",
            text::count(n_ambiguous)
        ));
    }
    if n_skipped > 0 {
        let n_skipped = text::count(n_skipped);
        ledger.note(format!("{n_skipped} kernels of matched graph replays are not in their capture; they are shown without an operator."));
    }
    content.replays = out;
}

/// The graph launches of the run with their work, by start.
fn replays(content: &Content) -> Vec<Replay> {
    let builder = &content.builder;
    let n_strings = builder.strings.table().len();
    let is_launch: Vec<bool> = (0..n_strings as u32)
        .map(|id| {
            let name = builder.strings.get(StrId(id));
            name.contains("GraphLaunch") && (name.starts_with("cuda") || name.starts_with("hip") || name.starts_with("cu"))
        })
        .collect();
    let mut out: Vec<Replay> = Vec::new();
    let mut by_correlation: FxHashMap<u32, usize> = FxHashMap::default();
    for raw in 0..builder.n_slices() as RawSliceId {
        let (start, _, name) = builder.raw(raw);
        let correlation = content.correlation_of(raw);
        if is_launch.get(name.index()) == Some(&true) && !matches!(correlation, 0 | ABSENT) {
            by_correlation.insert(correlation, out.len());
            out.push(Replay { call: raw, start, work: Vec::new() });
        }
    }
    if out.is_empty() {
        return out;
    }
    let mut kinds: FxHashMap<u32, Kind> = FxHashMap::default();
    for kernel in content.tables.kernels.iter() {
        let Some(&at) = by_correlation.get(&content.correlation_of(kernel.slice)) else {
            continue;
        };
        let category = content.category_of(kernel.slice);
        let kind = *kinds.entry(category.0).or_insert_with(|| kind(builder.strings.get(category)));
        let (start, _, name) = builder.raw(kernel.slice);
        let track = builder.track_of(kernel.slice).0;
        out[at].work.push((start, kernel.slice, Work { kind, name, stream: track }));
    }
    for replay in &mut out {
        replay.work.order_by_key(|w| (w.0, w.1));
        let mut streams: FxHashMap<u32, u32> = FxHashMap::default();
        for (_, _, work) in &mut replay.work {
            let n = streams.len() as u32;
            work.stream = *streams.entry(work.stream).or_insert(n);
        }
    }
    out.order_by_key(|r| (r.start, r.call));
    out
}

fn kind(category: &str) -> Kind {
    let category = category.to_ascii_lowercase();
    match () {
        () if category.contains("memcpy") => Kind::Memcpy,
        () if category.contains("memset") => Kind::Memset,
        () => Kind::Kernel,
    }
}

/// The captures that fit a sequence of kernels best.
fn decide(work: &[Work], units: &[Unit]) -> Decision {
    let fits = units.iter().enumerate().filter_map(|(u, unit)| Some((u, matching::fit(work, &unit.launches)?)));
    let fits: Vec<(usize, Fit)> = fits.collect();
    let best = matching::best(&fits);
    let mut fits: Vec<Option<(usize, Rc<Fit>)>> = fits.into_iter().map(|(u, fit)| Some((u, Rc::new(fit)))).collect();
    let mut best = best.into_iter().filter_map(|i| fits.get_mut(i)?.take());
    let fit = best.next();
    let others: Vec<_> = best.collect();
    let outcome = match (&fit, others.is_empty()) {
        (None, _) => ReplayOutcome::NoFit,
        (Some(_), true) => ReplayOutcome::Matched,
        (Some(_), false) => ReplayOutcome::Ambiguous,
    };
    Decision { outcome, fit, others }
}

/// What captures that fit equally well have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    has_shapes: bool,
    has_modules: bool,
}

type Chosen = (usize, Rc<Fit>, ReplayOutcome, Common);

/// One of the captures that fit best: the only one, the one after the capture replayed before, the one of the step's batch size; else what they
/// have in common. `None` where they differ in their operators.
fn choose(decision: &Decision, units: &[Unit], previous: Option<usize>, batch: Option<u64>) -> Option<Chosen> {
    let all = Common { has_shapes: true, has_modules: true };
    let (first, fit) = decision.fit.as_ref()?;
    if decision.others.is_empty() {
        return Some((*first, fit.clone(), ReplayOutcome::Matched, all));
    }
    let candidates: Vec<&(usize, Rc<Fit>)> = decision.fit.iter().chain(&decision.others).collect();
    let found = |unit: usize| candidates.iter().find(|c| c.0 == unit).copied();
    let of_batch = batch.and_then(|tokens| units_of_batch(&candidates, units, tokens));
    let narrowed = of_batch.unwrap_or_else(|| candidates.clone());
    // Pieces of one model are replayed in the order of their captures.
    let next = previous.and_then(|p| p.checked_add(1)).filter(|n| units.get(*n).map(|u| u.member) == previous.map(|p| units[p].member));
    if let Some((unit, fit)) = next.and_then(found).filter(|c| narrowed.iter().any(|n| n.0 == c.0)) {
        return Some((*unit, fit.clone(), ReplayOutcome::Matched, all));
    }
    let (one, fit) = *narrowed.first()?;
    let mut common = all;
    for (other, _) in narrowed.iter().skip(1).map(|c| (c.0, &c.1)) {
        let (a, b) = (&units[*one], &units[other]);
        if !same_operators(a, b, &mut common) {
            return None;
        }
    }
    let outcome = if common == all { ReplayOutcome::Matched } else { ReplayOutcome::MatchedSeveral };
    Some((*one, fit.clone(), outcome, common))
}

/// The candidates with the smallest batch size for this number of tokens.
fn units_of_batch<'a>(candidates: &[&'a (usize, Rc<Fit>)], units: &[Unit], tokens: u64) -> Option<Vec<&'a (usize, Rc<Fit>)>> {
    let batch_of = |c: &(usize, Rc<Fit>)| units[c.0].batch.filter(|b| *b >= tokens);
    let smallest = candidates.iter().filter_map(|c| batch_of(c)).min()?;
    Some(candidates.iter().filter(|c| batch_of(c) == Some(smallest)).copied().collect())
}

/// Whether two captures launch from the same operators; notes whether shapes and modules are the same too.
fn same_operators(a: &Unit, b: &Unit, common: &mut Common) -> bool {
    if a.launches.len() != b.launches.len() {
        return false;
    }
    for (x, y) in a.launches.iter().zip(&b.launches) {
        let (mut x, mut y) = (x.node, y.node);
        loop {
            let (left, right) = (a.nodes.get(x as usize), b.nodes.get(y as usize));
            match (left, right) {
                (None, None) => break,
                (Some(l), _) if l.module != ABSENT && right.is_none_or(|r| r.module == ABSENT || r.name != l.name) => {
                    common.has_modules = false;
                    x = l.parent;
                    if let Some(r) = right.filter(|r| r.module != ABSENT) {
                        y = r.parent;
                    }
                }
                (_, Some(r)) if r.module != ABSENT && left.is_none_or(|l| l.module == ABSENT) => {
                    common.has_modules = false;
                    y = r.parent;
                }
                (Some(l), Some(r)) => {
                    if l.name != r.name {
                        return false;
                    }
                    common.has_shapes &= l.shape == r.shape;
                    (x, y) = (l.parent, r.parent);
                }
                _ => return false,
            }
        }
    }
    true
}

/// Writes slices and tables.
struct Writer<'a> {
    content: &'a mut Content,
    units: &'a [Unit],
    out: Replays,
    /// Row by process.
    rows: FxHashMap<usize, TrackId>,
    process_of: FxHashMap<TrackId, usize>,
    /// The track asked for last, and its row: neighbours are on one stream.
    last_row: Option<(TrackId, TrackId)>,
    next_id: u32,
    /// Annotations that name the size of a step, by start.
    steps: Vec<Step>,
}

impl<'a> Writer<'a> {
    fn new(content: &'a mut Content, units: &'a [Unit]) -> Self {
        let process_of = content.lanes.threads.iter().map(|t| (t.track, t.process)).collect();
        let next_id = content.tables.functions.iter().map(|f| f.id).filter(|id| *id != ABSENT).max().map_or(1, |id| id.saturating_add(1));
        let steps = steps(content);
        Writer { content, units, out: Replays::default(), rows: FxHashMap::default(), process_of, last_row: None, next_id, steps }
    }

    /// The step that launched a replay.
    fn step(&self, replay: &Replay) -> Option<Step> {
        let after = self.steps.partition_point(|s| s.start <= replay.start);
        self.steps[..after].iter().rev().take(64).find(|s| s.end > replay.start).copied()
    }

    fn launch(&mut self, slice: RawSliceId, outcome: ReplayOutcome) {
        self.out.launches.push(ReplayLaunch { slice, outcome });
    }

    /// The row of the device that a slice ran on.
    fn row(&mut self, slice: RawSliceId) -> TrackId {
        let Writer { content, rows, process_of, last_row, .. } = self;
        let track = content.builder.track_of(slice);
        if let Some((_, row)) = last_row.filter(|(known, _)| *known == track) {
            return row;
        }
        let process = process_of.get(&track).copied().unwrap_or(0);
        let row = *rows.entry(process).or_insert_with(|| {
            let parent = content.lanes.processes.get(process).map(|p| p.track);
            content.builder.track(TrackSpec { parent, name: ROW.into(), kind: TrackKind::Other, sort: -1 })
        });
        *last_row = Some((track, row));
        row
    }

    /// Adds the operators and modules of one replay: those with work, each from its first kernel to its last.
    fn replay(&mut self, replay: &Replay, unit: usize, fit: &Fit, common: &Common) {
        let units = self.units;
        let unit = &units[unit];
        let is_left_out = |node: u32| unit.nodes.get(node as usize).is_some_and(|n| n.module != ABSENT && !common.has_modules);
        let mut span: Vec<Option<(i64, i64, RawSliceId)>> = vec![None; unit.nodes.len()];
        for (&(start, raw, _), &launch) in replay.work.iter().zip(&fit.launch) {
            let end = start.saturating_add(self.content.builder.raw(raw).1);
            let mut at = unit.launches.get(launch as usize).map_or(NONE, |l| l.node);
            while let Some(known) = span.get_mut(at as usize) {
                *known = Some(known.map_or((start, end, raw), |(s, e, first)| (s.min(start), e.max(end), first)));
                at = unit.nodes[at as usize].parent;
            }
        }
        let mut place = vec![ABSENT; unit.nodes.len()];
        let mut ids = vec![ABSENT; unit.nodes.len()];
        for (i, node) in unit.nodes.iter().enumerate() {
            let mut parent = node.parent;
            while is_left_out(parent) {
                parent = unit.nodes[parent as usize].parent;
            }
            let of_parent = |list: &[u32]| list.get(parent as usize).copied().unwrap_or(ABSENT);
            ids[i] = of_parent(&ids);
            let Some((start, end, first)) = span[i].filter(|_| !is_left_out(i as u32)) else {
                continue;
            };
            let track = self.row(first);
            let member = unit.member;
            let record = match node.record.n_bytes() {
                Some(n) if member <= MEMBER_MAX => RecordRef::new(member, node.record.offset(), n),
                _ => RecordRef::default(),
            };
            let content = &mut *self.content;
            let slice = content.builder.slice(RawSlice { track, start, duration: end.saturating_sub(start), name: node.name, record });
            content.describe(slice, node.category, if common.has_shapes { node.shape } else { StrId(0) });
            let is_module = node.module != ABSENT;
            let (types, concrete) = node.inputs;
            if common.has_shapes && types != StrId(0) {
                content.tables.inputs.push(OperatorInputs { slice, types, concrete });
            }
            if is_module {
                let parent = ids[i];
                ids[i] = self.next_id;
                self.next_id = self.next_id.saturating_add(1);
                content.tables.functions.push(Function { slice, id: ids[i], parent, module: node.module });
            } else if node.stack != StrId(0) {
                content.tables.stacks.push((slice, node.stack));
            }
            place[i] = self.out.nodes.len() as u32;
            self.out.nodes.push(ReplayNode { slice, parent: of_parent(&place), is_module });
        }
        for (&(_, raw, _), &launch) in replay.work.iter().zip(&fit.launch) {
            let mut node = unit.launches.get(launch as usize).map_or(NONE, |l| l.node);
            while is_left_out(node) {
                node = unit.nodes[node as usize].parent;
            }
            if let Some(&at) = place.get(node as usize).filter(|at| **at != ABSENT) {
                self.out.work.push((raw, at));
            }
        }
    }

    fn finish(self) -> Replays {
        self.out
    }
}

/// The annotation of a step and the size that its name gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    start: i64,
    end: i64,
    /// Tokens that the step computes, or requests where tokens are not recorded.
    tokens: u64,
    /// Requests.
    requests: u64,
}

/// Annotations that name the size of a step: `execute_32_context_0(…)_generation_32(…)`, `execute_context_0(0)_generation_32(32)`,
/// `step[DECODE bs=32]`, `decode[bs=30/32 tok=30]`.
fn steps(content: &Content) -> Vec<Step> {
    let builder = &content.builder;
    let sizes: Vec<Option<(u64, u64)>> =
        (0..builder.strings.table().len() as u32).map(|id| size_of_step(builder.strings.get(StrId(id)))).collect();
    let mut out = Vec::new();
    if sizes.iter().any(Option::is_some) {
        for raw in 0..builder.n_slices() as RawSliceId {
            let (start, duration, name) = builder.raw(raw);
            if let Some((tokens, requests)) = sizes.get(name.index()).copied().flatten() {
                out.push(Step { start, end: start.saturating_add(duration), tokens, requests });
            }
        }
    }
    out.sort_unstable();
    out
}

/// Tokens and requests that the annotation of a step names; one of both where it names one.
fn size_of_step(name: &str) -> Option<(u64, u64)> {
    if let Some(rest) = name.strip_prefix("execute_") {
        let (total, phases) = match rest.strip_prefix("context_") {
            Some(phases) => (None, Some(phases)),
            None => (Some(number(rest)?), rest.split_once("_context_").map(|(_, phases)| phases)),
        };
        // Requests, and their tokens in parentheses.
        let both = phases.and_then(|p| p.split_once("_generation_"));
        let sum = |of: fn(&str) -> Option<u64>| both.and_then(|(prefill, decode)| of(prefill)?.checked_add(of(decode)?));
        let requests = sum(number);
        let tokens = total.or_else(|| sum(|phase| number(phase.split_once('(')?.1)))?;
        return Some((tokens, requests.unwrap_or(tokens)));
    }
    let is_step = ["step[", "decode[", "prefill["].iter().any(|prefix| name.starts_with(prefix));
    let requests = number(name.split_once("bs=").filter(|_| is_step)?.1)?;
    Some((requests, requests))
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_name_their_size() {
        assert_eq!(size_of_step("execute_128_context_0(sq0)_generation_32(sq128)"), Some((128, 32)));
        assert_eq!(size_of_step("execute_3_x"), Some((3, 3)));
        assert_eq!(size_of_step("step[DECODE bs=8]"), Some((8, 8)));
        assert_eq!(size_of_step("execute_context_1(40)_generation_3(3)"), Some((43, 4)));
        assert_eq!(size_of_step("decode[bs=30/32 tok=30]"), Some((30, 30)));
        for other in ["execute_context_1(4)", "execute_context_1()_generation_(3", "execute_model", "aten::mm", "step[", "bs=3"] {
            assert_eq!(size_of_step(other), None, "{other}");
        }
    }
}
