//! What a device run gives to an explanation: the exclusive parts of each physical core, opened by region, opcode, and source line or shape.
//!
//! Time in which several slices of a part run belongs to the one that started last. Idle time belongs to what ends it: the work that starts then.

use crate::analysis::device::activity::lanes;
use crate::analysis::device::bounds::rows::{self, CoreRows};
use crate::analysis::device::bounds::{BoundsQuery, CoreBounds, Part, bounds_of, time_parts};
use crate::analysis::device::compare;
use crate::analysis::device::instructions::origin;
use crate::analysis::device::layers::RUNTIME;
use crate::analysis::device::run_metrics::summary;
use crate::analysis::device::waiting::signals;
use crate::analysis::device::waiting::waits;
use crate::analysis::explain::assign::Sweep;
use crate::analysis::explain::tree::Tree;
use crate::analysis::explain::{CoreFacts, ExplainKind, ExplainPart, ExplainQuery, UnitFacts, UnitPart};
use crate::analysis::recent_cache::RecentCache;
use crate::analysis::spans::Ranges;
use crate::base::{SliceId, StrId, TimeRange, TrackId, text};
use crate::model::domain::Shape;
use crate::model::{Column, Domain, Dtype, NeuronDevice, Profile, Track, TrackKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Instructions without a layer and a source line.
const NO_REGION: &str = "Region not recorded";
/// Idle time that nothing on this core ends in the range.
const AT_END: &str = "Until the end";

/// What a run, or a range of it, contributes.
pub fn part(profile: &Profile, query: &ExplainQuery) -> ExplainPart {
    part_of(profile, query, &summary::summary(profile, query.range), &rows::rows_of(profile, query.range))
}

/// The same with the given summary and rows of the range.
pub fn part_of(profile: &Profile, query: &ExplainQuery, figures: &summary::Summary, rows: &[CoreRows]) -> ExplainPart {
    let mut out = ExplainPart { title: profile.meta.title.clone(), kind: ExplainKind::Device, ..ExplainPart::default() };
    let Domain::NeuronDevice(device) = &profile.domain else {
        out.notes.push("Times of engines need a Neuron device profile.".into());
        return out;
    };
    out.architecture = device.instance_type.clone();
    let asked = BoundsQuery { range: query.range, order: query.order.clone() };
    let found = bounds_of(profile, &asked, rows);
    out.notes = found.notes.clone();
    out.metrics = compare::metrics_of(figures);
    let given = WalkColumns::of(profile, device, found.range);
    for (core, bounds) in rows.iter().zip(found.cores) {
        let necessary = found.necessary_bytes.zip(bounds.moved_bytes).filter(|_| found.is_run).map(|(all, moved)| all.min(moved));
        out.units.push(given.unit(core, bounds, &query.order, necessary));
    }
    let has_lines = given.sources.is_some_and(|s| s.iter().any(|id| *id != StrId(0)));
    if !has_lines && !out.units.is_empty() {
        let note = "Source lines are not recorded: instructions are matched by opcode and shape. Set `NEURON_FRAMEWORK_DEBUG=1`, `XLA_IR_DEBUG=1` and \
                    `XLA_HLO_DEBUG=1`, then compile and capture again.";
        out.notes.push(note.into());
    }
    out
}

/// Columns that the walk reads.
struct WalkColumns<'a> {
    profile: &'a Profile,
    device: &'a NeuronDevice,
    range: TimeRange,
    roots: Vec<u32>,
    is_wait: Vec<bool>,
    // Of instructions, which are few of all slices: not made whole.
    engines: Option<&'a Column<StrId>>,
    layers: Option<&'a Column<StrId>>,
    sources: Option<&'a Column<StrId>>,
    kinds: Option<&'a Column<StrId>>,
    queue_types: Option<&'a [StrId]>,
    variables: Option<&'a [StrId]>,
}

/// What makes two slices of a part one leaf: part, then region, name, line as their columns have them, and the shape or size.
type Key = (u8, StrId, StrId, StrId, u64);

/// A slice that runs in the exclusive time of its part, or ends idle time.
#[derive(Clone, Copy)]
struct Run {
    start: i64,
    end: i64,
    leaf: u32,
}

/// Slices of a lane that are not walked yet.
struct LaneWalk<'a> {
    kind: TrackKind,
    /// The part of an engine's track, for slices that do not name their engine.
    own_name: &'a str,
    left: Range<usize>,
    shapes: lanes::Shapes<'a>,
    counted: lanes::Counted<'a>,
    /// The part of the engine named last.
    last: (StrId, Option<Part>),
    cursor: Cursor,
}

/// The tree of a core, while it is built.
struct Walk<'a> {
    tree: Tree,
    /// Nodes of the exclusive parts by [`Part::place`], then of idle time.
    parts: [u32; 7],
    leaves: FxHashMap<Key, u32>,
    /// Those of the last keys: a run asks for the same few again and again.
    recent: RecentCache<Key>,
    /// Exclusive times by [`Part::place`].
    sets: &'a [Ranges; 6],
    /// Slices of the window by part that overlap its exclusive time.
    runs: [Vec<Run>; 6],
    /// Indexed by part: what has its exclusive time.
    sweeps: [Sweep<'a, u32>; 6],
    idle: &'a [(i64, i64)],
    /// What ends each idle time: rank of the part, slice.
    ends: Vec<Option<(usize, u32)>>,
}

impl<'a> WalkColumns<'a> {
    fn of(profile: &'a Profile, device: &'a NeuronDevice, range: TimeRange) -> Self {
        let column = |id: &str| profile.attribute(id).map(|a| &a.values);
        WalkColumns {
            profile,
            device,
            range,
            roots: signals::roots(profile),
            is_wait: waits::names(profile),
            engines: column("engine"),
            layers: column("layer"),
            sources: column("source"),
            kinds: column("instruction_type"),
            queue_types: column("queue_type").map(Column::as_slice),
            variables: column("variable").map(Column::as_slice),
        }
    }

    fn unit(&self, core: &CoreRows, bounds: CoreBounds, order: &[Part], necessary_bytes: Option<u64>) -> UnitPart {
        let mut sets: [Ranges; 6] = Default::default();
        let mut idle = Ranges::new();
        let mut tree = Tree::new("Total", 1);
        let mut parts = [0; 7];
        for (part, set) in time_parts::cut(&core.sets, &time_parts::order(order), self.range) {
            match part {
                // Without any transfer in the file its time is not known, not 0.
                Some(part) if bounds.busy(part).is_none() => {}
                Some(part) => {
                    parts[part.place()] = tree.child(0, part.label());
                    sets[part.place()] = set;
                }
                None => {
                    parts[6] = tree.child(0, "Idle");
                    idle = set;
                }
            }
        }
        let ends = vec![None; idle.len()];
        let mut walk = Walk {
            tree,
            parts,
            leaves: FxHashMap::default(),
            recent: RecentCache::default(),
            sets: &sets,
            runs: Default::default(),
            sweeps: sets.each_ref().map(|set| Sweep::new(set)),
            idle: &idle,
            ends,
        };
        let mut lanes = self.lanes(core.root);
        // Slices of all lanes are merged by their starts, window by window: those of a long run at once would not fit into any cache.
        let n = lanes.iter().map(|lane| lane.left.len()).sum();
        lanes::for_each_window(self.range, n, &mut |to| {
            for lane in &mut lanes {
                let slices = lanes::take_before(self.profile, &mut lane.left, to);
                match lane.kind {
                    TrackKind::Engine => self.engine(lane, slices, &mut walk),
                    _ => self.queue(lane, slices, &mut walk),
                }
            }
            walk.assign();
        });
        walk.finish();
        self.idle(&mut walk);
        let spilled_bytes = self.spilled_bytes(core.root);
        let facts = CoreFacts { necessary_bytes, spilled_bytes, n_products: core.products.len() as u64, bounds };
        UnitPart { name: facts.bounds.core.clone(), n_samples: 1, nodes: walk.tree.finish(), facts: UnitFacts::Core(Box::new(facts)) }
    }

    /// The part of a slice in the range.
    fn span(&self, i: usize) -> (i64, i64) {
        let slices = &self.profile.slices;
        (slices.start[i].max(self.range.start.0), slices.end(i).min(self.range.end.0))
    }

    fn starts_here(&self, i: usize) -> bool {
        (self.range.start.0..self.range.end.0).contains(&self.profile.slices.start[i])
    }

    /// A value of an instruction.
    fn value(column: Option<&Column<StrId>>, i: usize) -> StrId {
        column.and_then(|values| values.at(i)).unwrap_or_default()
    }

    /// Whether an instruction has a kind: those without were added by the runtime.
    fn has_kind(&self, i: usize) -> bool {
        self.kinds.is_none_or(|kinds| kinds.at(i).is_some_and(|id| id != StrId(0)))
    }

    fn queue_type(&self, i: usize) -> StrId {
        self.queue_types.and_then(|types| types.get(i).copied()).unwrap_or_default()
    }

    /// The lanes of a core that explain its time: the same rows as [`crate::analysis::device::bounds::rows::rows`] takes for busy time.
    fn lanes(&self, root: u32) -> Vec<LaneWalk<'_>> {
        let is_walked = |kind: TrackKind| matches!(kind, TrackKind::Engine | TrackKind::Queue);
        let tracks = self.profile.tracks.iter().enumerate().filter(|(t, track)| self.roots[*t] == root && is_walked(track.kind));
        let of_track =
            tracks.flat_map(|(t, track)| lanes::touching(self.profile, TrackId(t as u32), self.range).map(move |lane| (track, lane.1)));
        let lane = |(track, left): (&'_ Track, Range<usize>)| LaneWalk {
            kind: track.kind,
            own_name: self.profile.strings.get(track.name),
            shapes: lanes::Shapes::from(&self.device.shapes, left.start),
            counted: lanes::Counted::from(self.device, left.start),
            last: (StrId(u32::MAX), None),
            cursor: Cursor::default(),
            left,
        };
        of_track.map(lane).collect()
    }

    fn engine(&self, lane: &mut LaneWalk<'_>, slices: Range<usize>, walk: &mut Walk<'_>) {
        let of_name = |name: &str| Part::named(name).filter(|p| *p != Part::Dma && p.label() == name);
        for i in slices {
            let engine = Self::value(self.engines, i);
            if engine != lane.last.0 {
                let name = self.profile.strings.get(engine);
                lane.last = (engine, of_name(if name.is_empty() { lane.own_name } else { name }));
            }
            let Some(part) = lane.last.1 else { continue };
            if self.is_wait[self.profile.slices.name[i].index()] {
                continue;
            }
            let leaf = self.engine_leaf(part, i, lane.shapes.of(i), walk);
            walk.run(part, i as u32, self.span(i), leaf, &mut lane.cursor);
            if self.starts_here(i) {
                walk.tree.count(leaf, 1);
            }
        }
    }

    fn queue(&self, lane: &mut LaneWalk<'_>, slices: Range<usize>, walk: &mut Walk<'_>) {
        for i in slices.filter(|i| lane.counted.has(*i)) {
            let bytes = self.device.bytes.get(i).copied().filter(|b| *b != NeuronDevice::ABSENT);
            let leaf = self.queue_leaf(i, bytes, walk);
            walk.run(Part::Dma, i as u32, self.span(i), leaf, &mut lane.cursor);
            if self.starts_here(i) {
                walk.tree.count(leaf, 1);
                bytes.into_iter().for_each(|b| walk.tree.bytes(leaf, b.into()));
            }
        }
    }

    /// What an instruction has in common with others of its leaf.
    fn key(&self, place: usize, i: usize, shape: Option<Shape>) -> Key {
        let source = Self::value(self.sources, i);
        // A line distinguishes instructions better than their shapes.
        let shape = shape.filter(|_| source == StrId(0)).map_or(0, number);
        (place as u8, Self::value(self.layers, i), self.profile.slices.name[i], source, shape << 1 | u64::from(self.has_kind(i)))
    }

    fn engine_leaf(&self, part: Part, i: usize, shape: Option<Shape>, walk: &mut Walk<'_>) -> u32 {
        let key = self.key(part.place(), i, shape);
        if let Some(leaf) = walk.leaf(key) {
            return leaf;
        }
        let names = self.names(i);
        let at = walk.parts[part.place()];
        let leaf = walk.tree.path(at, &names.iter().map(String::as_str).collect::<Vec<_>>());
        walk.leaves.insert(key, leaf);
        leaf
    }

    /// Region, opcode, and line or shape of an instruction.
    fn names(&self, i: usize) -> [String; 3] {
        let strings = &self.profile.strings;
        let place = origin::places(strings.get(Self::value(self.sources, i))).into_iter().next();
        let file = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_string();
        let layer = strings.get(Self::value(self.layers, i));
        let has_kind = self.has_kind(i);
        let region = match &place {
            _ if !layer.is_empty() && layer != crate::analysis::device::layers::UNKNOWN => layer.to_string(),
            Some(place) => file(&place.file),
            None if has_kind => NO_REGION.into(),
            None => RUNTIME.into(),
        };
        let line = place.map_or_else(|| self.shape_text(i), |p| format!("{}:{}", file(&p.file), p.line));
        [region, strings.get(self.profile.slices.name[i]).to_string(), line]
    }

    fn shape_of(&self, i: usize) -> Option<Shape> {
        let shapes = &self.device.shapes;
        shapes.binary_search_by_key(&(i as u32), |s| s.slice).ok().map(|at| shapes[at])
    }

    /// `128 × 128 × 512 FP32` (K × M × N) of a product, `128 × 512 FP32` (partitions × elements) of others.
    fn shape_text(&self, i: usize) -> String {
        let Some(s) = self.shape_of(i) else { return "Shape not recorded".into() };
        let dtype = match s.dtype {
            Dtype::Fp32 => " FP32",
            Dtype::Fp16 => " FP16",
            Dtype::Fp8 => " FP8",
            Dtype::Int => " integer",
            Dtype::Other => "",
        };
        let partitions = if s.partitions > 0 { format!("{} × ", s.partitions) } else { String::new() };
        let columns = if s.columns > 0 { format!("{} × ", s.columns) } else { String::new() };
        format!("{partitions}{columns}{}{dtype}", s.elements)
    }

    /// Type of the queue, tensor, size of the transfer.
    fn queue_leaf(&self, i: usize, bytes: Option<u32>, walk: &mut Walk<'_>) -> u32 {
        let variable = self.variables.and_then(|variables| variables.get(i).copied()).unwrap_or_default();
        let queue_type = self.queue_type(i);
        let key = (Part::Dma.place() as u8, queue_type, variable, StrId(0), bytes.map_or(0, |b| u64::from(b) + 1));
        if let Some(leaf) = walk.leaf(key) {
            return leaf;
        }
        let named = |id: StrId, other: &str| match self.profile.strings.get(id) {
            "" | "unknown" => other.to_string(),
            name => name.to_string(),
        };
        let queue_type = named(queue_type, "Queue type not recorded");
        let variable = named(variable, "Tensor not recorded");
        let size = bytes.map_or("Size not recorded".into(), |b| format!("{} each", text::bytes(b.into())));
        let leaf = walk.tree.path(walk.parts[Part::Dma.place()], &[&queue_type, &variable, &size]);
        walk.leaves.insert(key, leaf);
        leaf
    }

    /// Idle time by what ends it.
    fn idle(&self, walk: &mut Walk<'_>) {
        let mut leaves: FxHashMap<Key, u32> = FxHashMap::default();
        for at in 0..walk.idle.len() {
            let (start, end) = walk.idle[at];
            let leaf = match walk.ends[at] {
                None => walk.tree.child(walk.parts[6], AT_END),
                Some((place, slice)) if place == Part::Dma.place() => {
                    let queue_type = self.queue_type(slice as usize);
                    let tree = &mut walk.tree;
                    *leaves.entry((place as u8, queue_type, StrId(0), StrId(0), 0)).or_insert_with(|| {
                        let queue_type = self.profile.strings.get(queue_type);
                        tree.path(walk.parts[6], &["Before a DMA transfer", if queue_type.is_empty() { "DMA" } else { queue_type }])
                    })
                }
                Some((place, slice)) => {
                    let tree = &mut walk.tree;
                    *leaves.entry(self.key(place, slice as usize, self.shape_of(slice as usize))).or_insert_with(|| {
                        let [region, opcode, line] = self.names(slice as usize);
                        let engine = Part::ALL.get(place).map_or("", |p| p.label());
                        tree.path(walk.parts[6], &[&region, &format!("Before {engine} {opcode}"), &line])
                    })
                }
            };
            walk.tree.time(leaf, 0, end.saturating_sub(start));
            walk.tree.count(leaf, 1);
        }
    }

    /// Spills and reloads of the instructions of a core that start in the range; `None` where none is recorded.
    fn spilled_bytes(&self, root: u32) -> Option<u64> {
        let is_here = |slice: u32| {
            self.starts_here(slice as usize) && self.profile.track_of(SliceId(slice)).is_some_and(|t| self.roots[t.index()] == root)
        };
        self.device.hbm.iter().filter(|h| h.spilled.is_some() && is_here(h.slice)).filter_map(|h| h.spilled).reduce(u64::saturating_add)
    }
}

/// A number for each shape; 0 is that of none.
fn number(s: Shape) -> u64 {
    let dtype = s.dtype as u64;
    1 | dtype << 1 | u64::from(s.columns.min(0x3ff)) << 4 | u64::from(s.partitions.min(0x3ff)) << 14 | u64::from(s.elements) << 24
}

/// Positions in sorted spans while the slices of a lane go by.
#[derive(Default)]
struct Cursor {
    set: usize,
    idle: usize,
    part: Option<Part>,
}

impl Walk<'_> {
    /// The leaf of a key that came before.
    fn leaf(&mut self, key: Key) -> Option<u32> {
        let hint = key.1.0 ^ key.2.0 ^ key.3.0 ^ (key.4 >> 24) as u32 ^ (key.4 >> 12) as u32 ^ key.4 as u32;
        if let Some(leaf) = self.recent.get(hint, key) {
            return Some(leaf);
        }
        let leaf = *self.leaves.get(&key)?;
        self.recent.set(hint, key, leaf);
        Some(leaf)
    }

    /// Notes a slice: it may have exclusive time of its part, and may end idle time.
    fn run(&mut self, part: Part, slice: u32, (start, end): (i64, i64), leaf: u32, cursor: &mut Cursor) {
        if start >= end {
            return;
        }
        // A lane may hold several engines.
        if cursor.part != Some(part) {
            *cursor = Cursor { part: Some(part), idle: cursor.idle, set: 0 };
        }
        let set = &self.sets[part.place()];
        cursor.set += set[cursor.set..].iter().take_while(|s| s.1 <= start).count();
        if set.get(cursor.set).is_some_and(|s| s.0 < end) {
            self.runs[part.place()].push(Run { start, end, leaf });
        }
        cursor.idle += self.idle[cursor.idle..].iter().take_while(|s| s.1 < start).count();
        if self.idle.get(cursor.idle).is_some_and(|s| s.1 == start) {
            let ends = &mut self.ends[cursor.idle];
            let own = (part.place(), slice);
            *ends = Some(ends.map_or(own, |other| other.min(own)));
        }
    }

    /// Gives the exclusive time of every part to its slices of the window.
    fn assign(&mut self) {
        let Walk { tree, runs, sweeps, .. } = self;
        for (runs, sweep) in runs.iter_mut().zip(sweeps) {
            // Lanes are sorted already: a stable sort merges them.
            runs.sort_by_key(|r| r.start);
            for run in runs.drain(..) {
                sweep.slice((run.start, run.end), run.leaf, &mut |leaf, start, end| tree.time(leaf, 0, end.saturating_sub(start)));
            }
        }
    }

    /// Gives what is left of the exclusive times to the last slices.
    fn finish(&mut self) {
        let Walk { tree, sweeps, sets, .. } = self;
        let sweeps = std::mem::replace(sweeps, sets.each_ref().map(|set| Sweep::new(set)));
        for sweep in sweeps {
            sweep.finish(&mut |leaf, start, end| tree.time(leaf, 0, end.saturating_sub(start)));
        }
    }
}
