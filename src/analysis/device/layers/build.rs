//! The tree itself: instructions are walked by start, core by core, and counted with every node above them.

use super::figures::{Context, LayerTree, Step};
use super::{ENGINES, LayerNode, LayersQuery, Level, MAX_NODES, RUNTIME, UNKNOWN};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::share;
use crate::analysis::device::waiting::waits;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, SortedIndex, StrId, TimeNs, TimeRange, TrackId, for_each_chunk};
use crate::model::{Domain, NeuronDevice, Profile, TrackKind};

/// Levels of a path that are read; deeper ones stay together.
const MAX_PATH: usize = 64;

pub(super) fn build<'a>(profile: &'a Profile, levels: &[Level<'_>], query: &LayersQuery) -> LayerTree<'a> {
    let types = profile.attribute("instruction_type").map(|a| &a.values);
    let mut out = LayerTree { types, ..LayerTree::default() };
    let Domain::NeuronDevice(device) = &profile.domain else {
        return out;
    };
    let range = query.range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
    let given = Context {
        profile,
        device,
        range,
        transpose: profile.strings.iter().find(|(_, text)| *text == "TRANSPOSE").map(|(id, _)| id),
        hbm: SortedIndex::of(device.hbm.len(), |at| device.hbm[at].slice),
    };
    let roots = (0..profile.tracks.len() as u32).map(TrackId).filter(|t| profile.tracks[t.index()].parent.is_none());
    for core in roots {
        let steps = steps(profile, core, range);
        let Some(first) = steps.first() else {
            continue;
        };
        let name = profile.strings.get(profile.tracks[core.index()].name).to_string();
        let node = LayerNode { name, level: "Core".into(), first: Some(SliceId(first.slice as u32)), ..LayerNode::default() };
        let root = out.node(node);
        transfers(profile, device, core, range, &mut out.nodes[root as usize]);
        for_each_chunk(steps.len(), &mut |part| {
            for step in &steps[part] {
                let leaf = out.leaf(profile, levels, query.depth, root, step);
                out.leaf_of.push((step.slice as u32, leaf));
                out.add(&given, step, leaf);
            }
        });
    }
    out.roll_up();
    out
}

/// The tracks of a core, its own included.
fn below(profile: &Profile, core: TrackId) -> impl Iterator<Item = TrackId> {
    crate::analysis::operators::tracks_below(profile, &[core]).into_iter()
}

/// Instructions of a core that touch the range, by start.
fn steps(profile: &Profile, core: TrackId, range: TimeRange) -> Vec<Step> {
    let mut out = Vec::new();
    let engines = profile.attribute("engine");
    let is_wait = waits::names(profile);
    for track in below(profile, core).filter(|t| profile.tracks[t.index()].kind == TrackKind::Engine) {
        let own = profile.strings.get(profile.tracks[track.index()].name);
        let engine_of = |id: StrId| {
            let recorded = Some(profile.strings.get(id)).filter(|e| !e.is_empty()).unwrap_or(own);
            ENGINES.iter().position(|e| e.eq_ignore_ascii_case(recorded))
        };
        let mut last = (StrId(0), engine_of(StrId(0)));
        let by_start = &profile.slices.by_start[profile.slices_of(track)];
        for_each_chunk(by_start.len(), &mut |part| {
            for i in by_start[part].iter().map(|i| *i as usize) {
                let (start, end) = (profile.slices.start[i], profile.slices.end(i));
                if start >= range.end.0 || end < range.start.0 {
                    continue;
                }
                let id = engines.and_then(|a| a.values.at(i)).unwrap_or_default();
                if last.0 != id {
                    last = (id, engine_of(id));
                }
                let is_wait = is_wait[profile.slices.name[i].index()];
                out.push(Step { slice: i, start: start.max(range.start.0), end: end.min(range.end.0), engine: last.1, is_wait });
            }
        });
    }
    if !out.is_sorted_by_key(|s| s.start) {
        out.order_by_key(|s| s.start);
    }
    out
}

/// Time and bytes of the DMA queues of a core; duplicates move nothing.
fn transfers(profile: &Profile, device: &NeuronDevice, core: TrackId, range: TimeRange, node: &mut LayerNode) {
    let (mut sets, mut bytes, mut is_recorded) = (Vec::new(), 0u64, false);
    let sizes = device.bytes.as_slice();
    for track in below(profile, core).filter(|t| profile.tracks[t.index()].kind == TrackKind::Queue) {
        let mut of_lanes = Vec::new();
        for (_, slices) in lanes::touching(profile, track, range) {
            let mut spans = Ranges::new();
            let mut twice = lanes::Listed::from(&device.duplicates, slices.start);
            for_each_chunk(slices.len(), &mut |part| {
                for i in part.map(|at| slices.start + at).filter(|i| !twice.has(*i)) {
                    let (start, end) = (profile.slices.start[i], profile.slices.end(i));
                    spans::push(&mut spans, (start.max(range.start.0), end.min(range.end.0)));
                    if let Some(n) = sizes.get(i).filter(|n| **n != NeuronDevice::ABSENT) {
                        bytes = bytes.saturating_add(share::within(u64::from(*n), (start, end), range));
                        is_recorded = true;
                    }
                }
            });
            of_lanes.push(spans);
        }
        sets.push(spans::union_of_lanes(of_lanes));
    }
    let spans = spans::union_of(sets);
    if !spans.is_empty() {
        node.dma = Some(DurationNs(spans::length(&spans)));
        node.dma_bytes = is_recorded.then_some(bytes);
    }
}

impl LayerTree<'_> {
    /// The innermost node of an instruction, made where it is new.
    fn leaf(&mut self, profile: &Profile, levels: &[Level<'_>], depth: u32, root: u32, step: &Step) -> u32 {
        // If no instruction has debug info, as in an NTFF without its NEFF, instructions of runtime and compiler cannot be distinguished.
        let has_program = self.types.is_none_or(|types| types.at(step.slice).is_some_and(|kind| kind != StrId(0)));
        let mut at = root;
        for (number, level) in levels.iter().enumerate() {
            let value = level.values.and_then(|values| values.at(step.slice)).unwrap_or_default();
            let is_layer = level.id == "layer";
            if value == StrId(0) && !(is_layer || number == 0) {
                continue;
            }
            // The two kinds of "no name" are distinguished by their number.
            let key = (at, number as u8 | if value == StrId(0) && !has_program { 0x80 } else { 0 }, value);
            let hint = at.wrapping_mul(31).wrapping_add(value.0);
            at = match self.recent.get(hint, key).or_else(|| self.known.get(&key).copied()) {
                Some(node) => node,
                None => {
                    let text = match profile.strings.get(value) {
                        "" if has_program => UNKNOWN,
                        "" => RUNTIME,
                        text => text,
                    };
                    let Some(node) = self.path(at, level, text, if is_layer { depth } else { 1 }, step) else {
                        self.n_cut += 1;
                        return at;
                    };
                    self.known.insert(key, node);
                    node
                }
            };
            self.recent.set(hint, key, at);
        }
        at
    }

    /// The node of a name; a layer's parts are below each other down to `depth`.
    fn path(&mut self, mut at: u32, level: &Level<'_>, text: &str, depth: u32, step: &Step) -> Option<u32> {
        let parts: Vec<&str> = text.split('/').filter(|p| !p.is_empty()).collect();
        let is_whole = level.id != "layer" || parts.len() < 2 || text == RUNTIME;
        let wanted = if is_whole { vec![text] } else { parts };
        if level.id == "layer" {
            self.max_depth = self.max_depth.max(wanted.len().min(MAX_PATH) as u32);
        }
        let n = if depth == 0 { MAX_PATH } else { (depth as usize).min(MAX_PATH) };
        for part in wanted.into_iter().take(n) {
            at = match self.child.get(&(at, level.id, part.to_string())) {
                Some(&node) => node,
                None if self.nodes.len() >= MAX_NODES => return None,
                None => {
                    let first = Some(SliceId(step.slice as u32));
                    let node = LayerNode { name: part.into(), level: level.label.into(), parent: Some(at), first, ..LayerNode::default() };
                    let node = self.node(node);
                    self.child.insert((at, level.id, part.to_string()), node);
                    node
                }
            };
        }
        Some(at)
    }
}
