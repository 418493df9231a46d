//! From a kernel to the call that launched it, and from that call to the operator it was made in.

use super::class::Class;
use super::events::{Events, HostNodes, NONE, NodeKind, Threads, by_list, tracks_by_slice};
use super::names::{self, Names};
use super::rules::{Era, Rules};
use crate::base::radix_sort::order_many;
use crate::base::{Order as _, for_each_chunk, for_each_of};
use crate::model::torch::ABSENT;
use crate::model::{Profile, Torch};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A node before the trees are made: host nodes in the order of the file, then a root for each list.
pub type Raw = u32;

/// What links need to look at.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its tables.
    pub torch: &'a Torch,
    /// Indexed by slice.
    pub class: &'a [Class],
    /// Indexed by string.
    pub names: &'a Names,
    /// What holds for this trace.
    pub rules: Rules,
    /// Its era: whether the ids of launches can be trusted.
    pub era: Era,
}

impl Sources<'_> {
    fn correlation(&self, slice: u32) -> u32 {
        self.torch.correlation.get(slice as usize).copied().unwrap_or(ABSENT)
    }

    fn external_id(&self, slice: u32) -> u32 {
        self.torch.external_id.get(slice as usize).copied().unwrap_or(ABSENT)
    }

    fn start(&self, slice: u32) -> i64 {
        self.profile.slices.start[slice as usize]
    }

    fn end(&self, slice: u32) -> i64 {
        self.profile.slices.end(slice as usize)
    }
}

/// Launches and what depends on which node.
#[derive(Debug, Default)]
pub struct Links {
    /// Position in `Events::runtimes` of the call that launched each work, or [`NONE`].
    pub launch: Vec<u32>,
    /// (node, runtime): calls that count against the node's own host time and whose work is the node's.
    pub calls: Vec<(Raw, u32)>,
    /// (node, work): work that belongs to a node for another reason than its launch.
    pub work: Vec<(Raw, u32)>,
    /// Work whose node is identified by `work`, not by its launch.
    pub is_matched_by_id: Vec<bool>,
    /// (node, runtime): calls inside another call; their work is the node's, their time is not counted again.
    pub inner_calls: Vec<(Raw, u32)>,
}

/// Finds the launch of each work by correlation: the latest call before it, else the first after it. Returns it with the work that has none.
fn launches(s: &Sources<'_>, events: &Events) -> (Vec<u32>, Vec<u32>) {
    let mut launch = vec![NONE; events.work.len()];
    let mut call_of: FxHashMap<u32, u32> = FxHashMap::with_capacity_and_hasher(events.runtimes.len(), FxBuildHasher);
    let mut parked: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let order = |slice: u32| (s.start(slice), s.profile.slices.record[slice as usize].offset());
    let (mut r, mut w) = (0, 0);
    let mut next = || {
        let takes_call = match (events.runtimes.get(r), events.work.get(w)) {
            (Some(&call), Some(&work)) => order(call) < order(work),
            (call, _) => call.is_some(),
        };
        if takes_call {
            let correlation = s.correlation(events.runtimes[r]);
            if !(s.rules.is_linked_by_time && matches!(correlation, 0 | ABSENT)) {
                for work in parked.remove(&correlation).unwrap_or_default() {
                    launch[work as usize] = r as u32;
                }
                call_of.insert(correlation, r as u32);
            }
            r += 1;
        } else {
            let correlation = s.correlation(events.work[w]);
            match call_of.get(&correlation) {
                Some(&call) => launch[w] = call,
                None => parked.entry(correlation).or_default().push(w as u32),
            }
            w += 1;
        }
    };
    for_each_chunk(events.runtimes.len() + events.work.len(), &mut |part| part.for_each(|_| next()));
    let without = (0..launch.len() as u32).filter(|&w| launch[w as usize] == NONE).collect();
    (launch, without)
}

/// Links everything. Nodes are numbered as in `nodes`, roots after them, by list.
pub fn link(s: &Sources<'_>, events: &Events, nodes: &HostNodes, threads: &Threads) -> Links {
    let (launch, without) = launches(s, events);
    let mut links = Links { launch, ..Links::default() };
    if s.rules.is_linked_by_time {
        by_time(s, events, nodes, threads, &mut links);
        match_by_id(s, events, nodes, &mut links);
    } else {
        by_id(s, events, nodes, threads, &mut links);
        // Kernels without a launch depend on the root of each thread that has steps.
        let n_lists = nodes.track.len();
        let mut has_step = vec![false; n_lists];
        for (kind, list) in nodes.kind.iter().zip(&nodes.list) {
            has_step[*list as usize] |= *kind == NodeKind::Step;
        }
        for list in (0..n_lists).filter(|&l| has_step[l]) {
            let root = (nodes.slice.len() + list) as Raw;
            let kernels = without.iter().filter(|&&w| s.class[events.work[w as usize] as usize] == Class::Kernel);
            links.work.extend(kernels.map(|&w| (root, w)));
        }
    }
    links
}

/// The plugin's way: a node takes the calls that are filed under its external id; calls of id 0 are their thread's.
fn by_id(s: &Sources<'_>, events: &Events, nodes: &HostNodes, threads: &Threads, links: &mut Links) {
    let mut filed: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let track_of = tracks_by_slice(s.profile);
    for (r, &call) in events.runtimes.iter().enumerate() {
        let id = s.external_id(call);
        filed.entry(id).or_default().push(r as u32);
        // The plugin never finds the thread of such a call when its id is written as a text.
        if id == 0
            && !s.torch.has_text_thread_ids
            && let Some(&list) = nodes.list_of.get(&threads.key(track_of(call)))
        {
            links.calls.push((nodes.slice.len() as Raw + list, r as u32));
        }
    }
    let mut by_list: Vec<Raw> = (0..nodes.slice.len() as Raw).collect();
    order_many(&mut by_list, |&n| i64::from(nodes.list[n as usize]));
    for node in by_list {
        let i = node as usize;
        let id = if nodes.kind[i] == NodeKind::Module { ABSENT } else { s.external_id(nodes.slice[i]) };
        for call in filed.remove(&id).unwrap_or_default() {
            links.calls.push((node, call));
        }
    }
}

/// The corrected way: a call belongs to the innermost host range of its thread at the time it began.
fn by_time(s: &Sources<'_>, events: &Events, nodes: &HostNodes, threads: &Threads, links: &mut Links) {
    let track_of = tracks_by_slice(s.profile);
    let n_lists = nodes.track.len();
    let mut calls: Vec<Vec<u32>> = vec![Vec::new(); n_lists];
    let mut homeless = Vec::new();
    for_each_chunk(events.runtimes.len(), &mut |part| {
        for r in part {
            match nodes.list_of.get(&threads.key(track_of(events.runtimes[r]))) {
                Some(&list) => calls[list as usize].push(r as u32),
                None => homeless.push(r as u32),
            }
        }
    });
    links.calls.reserve(events.runtimes.len());
    for (ranges, calls) in by_list(&nodes.list, n_lists).iter_mut().zip(&calls) {
        sweep(s, events, nodes, ranges, calls, links, &mut homeless);
    }
    // The id is the second-best way: the operator of that id, wherever it ran.
    if s.era == Era::C && !homeless.is_empty() {
        let by_id = operators_by_id(s, nodes);
        for call in homeless {
            if let Some(&node) = by_id.get(&s.external_id(events.runtimes[call as usize])) {
                links.inner_calls.push((node, call));
            }
        }
    }
}

/// Walks the ranges and the calls of one thread together.
fn sweep(
    s: &Sources<'_>,
    events: &Events,
    nodes: &HostNodes,
    ranges: &mut [Raw],
    calls: &[u32],
    links: &mut Links,
    homeless: &mut Vec<u32>,
) {
    let slice = |node: Raw| nodes.slice[node as usize];
    ranges.order_by_key(|&n| (s.start(slice(n)), std::cmp::Reverse(s.end(slice(n)))));
    let mut open: Vec<Raw> = Vec::new();
    let mut next = 0;
    let mut call_end = i64::MIN;
    let mut settle = |call: u32| {
        let (start, end) = (s.start(events.runtimes[call as usize]), s.end(events.runtimes[call as usize]));
        while next < ranges.len() && s.start(slice(ranges[next])) <= start {
            let begins = s.start(slice(ranges[next]));
            while open.last().is_some_and(|&o| s.end(slice(o)) <= begins && s.start(slice(o)) < begins) {
                open.pop();
            }
            open.push(ranges[next]);
            next += 1;
        }
        // A range that ends where the call begins does not hold it, unless both have no length.
        while open.last().is_some_and(|&o| s.end(slice(o)) <= start && !(end == start && s.start(slice(o)) == start)) {
            open.pop();
        }
        let is_inner = start < call_end && end <= call_end;
        call_end = call_end.max(end);
        match open.last() {
            Some(&node) if is_inner => links.inner_calls.push((node, call)),
            Some(&node) => links.calls.push((node, call)),
            None => homeless.push(call),
        }
    };
    for_each_of(calls, |call| settle(*call));
}

fn operators_by_id(s: &Sources<'_>, nodes: &HostNodes) -> FxHashMap<u32, Raw> {
    let mut out = FxHashMap::default();
    for (node, &slice) in nodes.slice.iter().enumerate() {
        let id = s.external_id(slice);
        if nodes.kind[node] == NodeKind::Operator && !matches!(id, 0 | ABSENT) {
            out.entry(id).or_insert(node as Raw);
        }
    }
    out
}

/// Work with an operator from its own record, or from the same graph node elsewhere: kernels of graphs, kernels without a launch in the trace.
fn match_by_id(s: &Sources<'_>, events: &Events, nodes: &HostNodes, links: &mut Links) {
    links.is_matched_by_id = vec![false; events.work.len()];
    if s.era != Era::C {
        return;
    }
    let is_graph = |r: u32| {
        let call = events.runtimes[r as usize];
        s.names.of(s.profile.slices.name[call as usize]) & names::GRAPH_LAUNCH != 0
    };
    let unsure: Vec<u32> = (0..links.launch.len() as u32)
        .filter(|&w| match links.launch[w as usize] {
            NONE => true,
            r => is_graph(r),
        })
        .collect();
    if unsure.is_empty() {
        return;
    }
    let by_id = operators_by_id(s, nodes);
    let graph_node: FxHashMap<u32, u64> = s.torch.kernels.iter().filter(|k| k.graph_node != 0).map(|k| (k.slice, k.graph_node)).collect();
    let mut by_graph_node: FxHashMap<u64, Raw> = FxHashMap::default();
    let mut open = Vec::new();
    for w in unsure {
        let slice = events.work[w as usize];
        // A graph launch has an id too; a kernel with the same id has no operator by it.
        let of_launch = match links.launch[w as usize] {
            NONE => ABSENT,
            r => s.external_id(events.runtimes[r as usize]),
        };
        let id = s.external_id(slice);
        match by_id.get(&id).filter(|_| id != of_launch) {
            Some(&node) => {
                links.is_matched_by_id[w as usize] = true;
                links.work.push((node, w));
                if let Some(&graph_node) = graph_node.get(&slice) {
                    by_graph_node.entry(graph_node).or_insert(node);
                }
            }
            None => open.push((w, slice)),
        }
    }
    for (w, slice) in open {
        if let Some(&node) = graph_node.get(&slice).and_then(|id| by_graph_node.get(id)) {
            links.is_matched_by_id[w as usize] = true;
            links.work.push((node, w));
        }
    }
}
