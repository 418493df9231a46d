//! The communication operations of one worker.

use super::super::View;
use super::super::core::class::Class;
use super::super::core::events::NONE;
use super::super::core::names;
use super::size;
use crate::base::Order as _;
use crate::base::{SliceId, StrId};
use crate::model::torch::{ABSENT, Collective};
use crate::model::{NO_SLICE, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

/// One operation.
#[derive(Debug, Clone)]
pub struct Call {
    /// `nccl:all_reduce`.
    pub name: String,
    /// Start and end of the operation, used for sorting and for assigning a step.
    pub span: (i64, i64),
    /// When it ran.
    pub ranges: Vec<(i64, i64)>,
    /// As its record has.
    pub size_bytes: Option<u64>,
    /// Process group.
    pub group: Option<StrId>,
    /// Number in the group.
    pub seq: Option<u32>,
    /// Host call or kernel.
    pub slice: SliceId,
}

/// The operations, by start; with them what each of the backends is called.
pub fn calls(view: &View<'_>) -> (Vec<Call>, Vec<String>) {
    let mut calls = if view.model.rules.is_communication_by_kernel { by_kernel(view) } else { by_id(view) };
    // Stable: calls that begin at once stay in the order they were found.
    calls.order_by_key(|c| c.span.0);
    let mut backends: Vec<String> = calls.iter().filter_map(|c| backend(&c.name)).collect();
    backends.order();
    backends.dedup();
    let runs_on_amd = view.torch.memory.iter().any(|m| m.device_type == 6)
        || view.torch.devices.iter().any(|d| d.name.contains("AMD") || d.name.contains("Instinct"));
    if runs_on_amd {
        for backend in backends.iter_mut().filter(|b| *b == "NCCL") {
            *backend = "RCCL".into();
        }
    }
    (calls, backends)
}

/// How a backend is written, by the prefix of an operation.
fn backend(name: &str) -> Option<String> {
    let (prefix, _) = name.split_once(':')?;
    Some(match prefix {
        "nccl" => "NCCL".into(),
        "gloo" => "Gloo".into(),
        other => other.to_ascii_uppercase(),
    })
}

/// A slice's start and end.
fn span(profile: &Profile, slice: u32) -> (i64, i64) {
    (profile.slices.start[slice as usize], profile.slices.end(slice as usize))
}

fn flags(view: &View<'_>, slice: u32) -> names::Flags {
    view.model.names.of(view.profile.slices.name[slice as usize])
}

fn row<'a>(view: &View<'a>, slice: u32) -> Option<&'a Collective> {
    let rows = &view.torch.collectives;
    rows.binary_search_by_key(&slice, |c| c.slice).ok().map(|at| &rows[at])
}

/// Bytes from the record of a slice: by elements, else by the shapes of its inputs.
fn size_of(view: &View<'_>, slice: u32) -> Option<u64> {
    let row = row(view, slice)?;
    size::by_elements(view.profile, row).or_else(|| {
        let shapes = view.profile.attribute("input_shape")?.values.get(slice as usize)?;
        size::by_shapes(view.profile.strings.get(*shapes), view.profile.strings.get(row.input_types))
    })
}

/// The plugin's way: host ranges of ten names, and with NCCL the kernels that carry the same id. The last range of an id counts.
fn by_id(view: &View<'_>) -> Vec<Call> {
    let id = |slice: u32| view.torch.external_id.get(slice as usize).copied().unwrap_or(ABSENT);
    let mut at_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut out: Vec<Call> = Vec::new();
    let mut has_nccl = false;
    for &slice in &view.model.events.host {
        let f = flags(view, slice);
        let is_host = matches!(view.model.class[slice as usize], Class::Operator | Class::Annotation);
        if !is_host || f & names::COLLECTIVE_OF_TEN == 0 {
            continue;
        }
        has_nccl |= f & names::NCCL != 0;
        let own = span(view.profile, slice);
        let call = Call {
            name: view.profile.name_of(SliceId(slice)).into(),
            span: own,
            ranges: vec![own],
            size_bytes: size_of(view, slice),
            group: None,
            seq: None,
            slice: SliceId(slice),
        };
        match at_of.get(&id(slice)) {
            Some(&at) => out[at] = call,
            None => {
                at_of.insert(id(slice), out.len());
                out.push(call);
            }
        }
    }
    for &slice in view.model.events.work.iter().filter(|_| has_nccl) {
        if view.model.class[slice as usize] == Class::Kernel
            && let Some(&at) = at_of.get(&id(slice))
        {
            out[at].ranges.push(span(view.profile, slice));
        }
    }
    out
}

/// The corrected way: each communication kernel, named and sized by its own record or by the host call that launched it; and the host
/// ranges of backends that run on the host.
fn by_kernel(view: &View<'_>) -> Vec<Call> {
    let mut out: Vec<Call> = Vec::new();
    let mut has_kernel = false;
    let mut of_host: FxHashMap<u32, usize> = FxHashMap::default();
    for (work, &slice) in view.model.events.work.iter().enumerate() {
        if !view.model.roles.is_communication.get(work).is_some_and(|is| *is) {
            continue;
        }
        has_kernel = true;
        let host = Host::of(view, view.model.node_of_work.get(work).copied().unwrap_or(NONE));
        let own = span(view.profile, slice);
        if let Some(&at) = host.range.and_then(|h| of_host.get(&h)) {
            let call: &mut Call = &mut out[at];
            call.ranges.push(own);
            call.span = (call.span.0.min(own.0), call.span.1.max(own.1));
            continue;
        }
        of_host.extend(host.range.map(|h| (h, out.len())));
        out.push(kernel_call(view, slice, &host));
    }
    for &slice in &view.model.events.host {
        let f = flags(view, slice);
        let is_host = matches!(view.model.class[slice as usize], Class::Operator | Class::Annotation);
        if !is_host || f & names::COLLECTIVE == 0 || f & names::NCCL != 0 && has_kernel {
            continue;
        }
        let own = span(view.profile, slice);
        let around = Host::at(view, slice);
        let recorded = around.recorded(view, slice);
        out.push(Call {
            name: view.profile.name_of(SliceId(slice)).into(),
            span: own,
            ranges: vec![own],
            size_bytes: size_of(view, slice).or_else(|| around.record.and_then(|r| size_of(view, r))),
            group: recorded.and_then(group),
            seq: recorded.and_then(seq),
            slice: SliceId(slice),
        });
    }
    out
}

fn group(row: &Collective) -> Option<StrId> {
    (row.group != StrId(0)).then_some(row.group)
}

fn seq(row: &Collective) -> Option<u32> {
    (row.seq != ABSENT).then_some(row.seq)
}

fn kernel_call(view: &View<'_>, slice: u32, host: &Host) -> Call {
    let own = span(view.profile, slice);
    let recorded = row(view, slice).or_else(|| host.recorded(view, slice));
    let collective = recorded.map(|r| view.profile.strings.get(r.name)).filter(|n| !n.is_empty());
    let name = match (host.range, collective) {
        (Some(range), _) => view.profile.name_of(SliceId(range)).to_string(),
        (None, Some(collective)) => format!("nccl:{collective}"),
        (None, None) => format!("nccl:{}", of_kernel(view.profile.name_of(SliceId(slice)))),
    };
    Call {
        name,
        span: own,
        ranges: vec![own],
        size_bytes: size_of(view, slice)
            .or_else(|| host.record.and_then(|r| size_of(view, r)))
            .or_else(|| host.range.and_then(|r| size_of(view, r))),
        group: recorded.and_then(group),
        seq: recorded.and_then(seq),
        slice: SliceId(slice),
    }
}

/// What a communication kernel does, by its name: `ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)` gives `AllReduce`.
fn of_kernel(name: &str) -> &str {
    let rest = name.split_once("ernel_").map_or(name, |(_, rest)| rest);
    rest.split(['_', '(']).next().unwrap_or(rest)
}

/// The host's side of an operation.
#[derive(Default)]
struct Host {
    /// The range `nccl:…`.
    range: Option<u32>,
    /// The range `record_param_comms`, or another one with data about the collective.
    record: Option<u32>,
}

impl Host {
    /// Looks from a node upwards, a few levels.
    fn of(view: &View<'_>, node: u32) -> Host {
        let trees = &view.model.trees;
        let mut out = Host::default();
        let mut at = node;
        for _ in 0..8 {
            let Some(&slice) = trees.slice.get(at as usize) else { break };
            if slice != NO_SLICE {
                out.look_at(view, slice);
            }
            at = trees.parent[at as usize];
        }
        out
    }

    /// Looks from a host range upwards, a few levels.
    fn at(view: &View<'_>, slice: u32) -> Host {
        let mut out = Host::default();
        let mut at = Some(SliceId(slice));
        for _ in 0..8 {
            let Some(slice) = at else { break };
            out.look_at(view, slice.0);
            at = view.profile.slices.parent(slice);
        }
        out
    }

    fn look_at(&mut self, view: &View<'_>, slice: u32) {
        let is_host = matches!(view.model.class.get(slice as usize), Some(Class::Operator | Class::Annotation));
        if is_host && self.range.is_none() && flags(view, slice) & names::COLLECTIVE != 0 {
            self.range = Some(slice);
        } else if self.record.is_none() && row(view, slice).is_some() {
            self.record = Some(slice);
        }
    }

    /// The record with most data: with a number, else with a name.
    fn recorded<'a>(&self, view: &View<'a>, own: u32) -> Option<&'a Collective> {
        let rows = [Some(own), self.record, self.range].into_iter().flatten().filter_map(|s| row(view, s));
        rows.max_by_key(|r| (r.seq != ABSENT, r.group != StrId(0)))
    }
}

/// Devices that work ran on: as kernels name them, else by the process they are listed under.
pub fn used_devices(view: &View<'_>) -> Vec<u32> {
    let track_of = super::super::core::events::tracks_by_slice(view.profile);
    let pids: FxHashMap<u32, u32> =
        view.torch.threads.iter().filter_map(|t| Some((t.track.0, view.profile.strings.get(t.pid).trim().parse().ok()?))).collect();
    let mut out: FxHashSet<u32> = FxHashSet::default();
    for (work, &slice) in view.model.events.work.iter().enumerate() {
        let recorded = view.model.kernel(view.torch, work as u32).map(|k| k.device).filter(|&d| d != ABSENT);
        out.extend(recorded.or_else(|| pids.get(&track_of(slice).0).copied()));
    }
    let mut out: Vec<u32> = out.into_iter().collect();
    out.order();
    out
}
