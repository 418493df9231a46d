//! What a PyTorch trace gives to an explanation: the mean step by category, then operator, then kernel, then input shape.
//!
//! Categories are those of the overview, and sum to the step. Device time belongs to the operator that launched it; of several kernels at a time it
//! is that of the last to start. Host time belongs to the innermost call.

use super::core::events::NONE;
use super::core::roles::{self, N_ROLES};
use super::kernel_rows;
use super::overview::Category;
use super::{View, overview_rows};
use crate::analysis::explain::tree::Tree;
use crate::analysis::explain::{ExplainKind, ExplainPart, ExplainQuery, StepFacts, UnitFacts, UnitPart, assign};
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::StrId;
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Kernels without a launch in the trace, and calls without an operator.
const NO_OPERATOR: &str = "Operator not recorded";
/// Operators without input shapes, in a trace that has some.
const NO_SHAPE: &str = "Shape not recorded";

/// What the steps of the trace, or of a range of it, contribute.
pub fn part(view: &View<'_>, query: &ExplainQuery) -> ExplainPart {
    let found = overview_rows::without_advice(view, &super::overview::OverviewQuery { range: query.range });
    let mut out = ExplainPart { title: view.profile.meta.title.clone(), kind: ExplainKind::Steps, ..ExplainPart::default() };
    out.architecture = found.devices.iter().find_map(|d| d.name.clone()).unwrap_or_default();
    out.notes = found.notes.clone();
    if !view.model.rules.sums_to_step {
        let note = "In Overview, categories of this trace follow the rules of the TensorBoard plugin, which may count an instant twice; here each counts once.";
        out.notes.push(note.into());
    }
    let windows: Vec<(i64, i64)> = found.steps.iter().map(|s| (s.start.0, s.end.0)).collect();
    if windows.is_empty() {
        return out;
    }
    let n_samples = u32::try_from(windows.len()).unwrap_or(u32::MAX);
    let steps = Steps::new(windows);
    let mut walk =
        Walk { view, steps: &steps, tree: Tree::new("Step", n_samples), leaves: FxHashMap::default(), facts: StepFacts::default() };
    walk.categories();
    let n = f64::from(n_samples);
    let busy = spans::union(view.model.events.work.iter().map(|&i| walk.span(i)).collect());
    let within = |set: &Ranges| steps.windows.iter().map(|w| spans::length_in(set, w.0, w.1)).fold(0, i64::saturating_add) as f64 / n;
    walk.facts.device_busy_ns = (!view.model.gpus.is_empty()).then(|| within(&busy));
    walk.facts.communication_ns = found.steps.iter().map(|s| s.communication.0 as f64).sum::<f64>() / n;
    walk.facts.exposed_ns = found.steps.iter().map(|s| (s.communication.0 - s.overlap.0) as f64).sum::<f64>() / n;
    walk.count_work(n);
    let facts = UnitFacts::Step(walk.facts);
    out.units.push(UnitPart { name: "Mean step".into(), n_samples, nodes: walk.tree.finish(), facts });
    out
}

/// The windows of the steps, by start.
struct Steps {
    windows: Vec<(i64, i64)>,
    /// The latest end of the windows up to each.
    ends: Vec<i64>,
}

impl Steps {
    fn new(windows: Vec<(i64, i64)>) -> Self {
        let latest = |end: &mut i64, w: &(i64, i64)| {
            *end = (*end).max(w.1);
            Some(*end)
        };
        let ends = windows.iter().scan(i64::MIN, latest).collect();
        Steps { windows, ends }
    }

    /// The steps that a span touches: (number, start, end), cut to each.
    fn cut(&self, start: i64, end: i64) -> impl Iterator<Item = (u32, i64, i64)> + '_ {
        let first = self.ends.partition_point(|e| *e <= start);
        let touching = self.windows.iter().enumerate().skip(first).take_while(move |(_, w)| w.0 < end);
        touching.map(move |(i, w)| (i as u32, w.0.max(start), w.1.min(end))).filter(|(_, a, b)| a < b)
    }

    /// Whether an instant is inside a step.
    fn holds(&self, at: i64) -> bool {
        self.cut(at, at.saturating_add(1)).next().is_some()
    }
}

/// What makes two slices of a category one leaf: category, name, operator's node name, shape.
type Key = (u8, StrId, Option<kernel_rows::Operator>, StrId);

struct Walk<'a> {
    view: &'a View<'a>,
    steps: &'a Steps,
    tree: Tree,
    leaves: FxHashMap<Key, u32>,
    facts: StepFacts,
}

impl Walk<'_> {
    fn span(&self, slice: u32) -> (i64, i64) {
        let slices = &self.view.profile.slices;
        (slices.start[slice as usize], slices.end(slice as usize))
    }

    /// The time of every category, given to what runs then.
    fn categories(&mut self) {
        let model = self.view.model;
        for category in Category::ALL {
            self.tree.child(0, category.label());
        }
        let mut rest = spans::union(self.steps.windows.clone());
        let mut slices: [Vec<(i64, i64, u32)>; N_ROLES] = Default::default();
        self.device_slices(&mut slices);
        self.host_slices(&mut slices);
        for (role, mut of_role) in slices.into_iter().enumerate() {
            let category = Category::ALL[role];
            let node = self.tree.child(0, category.label());
            let set = spans::common(&rest, &model.roles.ranges[role]);
            rest = spans::without(&rest, &set);
            of_role.order_by_key(|s| s.0);
            let (tree, steps) = (&mut self.tree, self.steps);
            let mut covered = Ranges::new();
            assign::innermost(&set, of_role.into_iter(), |leaf, start, end| {
                spans::push(&mut covered, (start, end));
                steps.cut(start, end).for_each(|(step, from, to)| tree.time(leaf, step, to - from));
            });
            // What no slice of the category explains stays with the category.
            for (start, end) in spans::without(&set, &covered) {
                steps.cut(start, end).for_each(|(step, from, to)| tree.time(node, step, to - from));
            }
        }
        let other = self.tree.child(0, Category::Other.label());
        for (start, end) in rest {
            self.steps.cut(start, end).for_each(|(step, from, to)| self.tree.time(other, step, to - from));
        }
    }

    fn device_slices(&mut self, out: &mut [Vec<(i64, i64, u32)>; N_ROLES]) {
        let model = self.view.model;
        for (work, &slice) in model.events.work.iter().enumerate() {
            let role = roles::device_role(model.class[slice as usize], model.roles.is_communication[work]);
            let node = model.node_of_work[work];
            let operator = kernel_rows::operator(self.view, node);
            let shape = if node == NONE { StrId(0) } else { self.shape(model.trees.slice[node as usize]) };
            let leaf = self.leaf(role, slice, Some(operator), shape);
            self.put(role, slice, leaf, out);
        }
    }

    fn host_slices(&mut self, out: &mut [Vec<(i64, i64, u32)>; N_ROLES]) {
        let model = self.view.model;
        for &slice in &model.events.runtimes {
            let leaf = self.leaf(4, slice, None, StrId(0));
            self.put(4, slice, leaf, out);
        }
        let has_kernel = model.roles.is_communication.contains(&true);
        for &slice in &model.events.host {
            let flags = model.names.of(self.view.profile.slices.name[slice as usize]);
            let Some(role) = roles::host_role(model.class[slice as usize], flags, &model.rules, has_kernel) else { continue };
            let shape = self.shape(slice);
            let leaf = self.leaf(role, slice, None, shape);
            self.put(role, slice, leaf, out);
        }
    }

    fn put(&mut self, role: usize, slice: u32, leaf: u32, out: &mut [Vec<(i64, i64, u32)>; N_ROLES]) {
        let (start, end) = self.span(slice);
        if self.steps.cut(start, end).next().is_some() {
            out[role].push((start, end, leaf));
        }
        if self.steps.holds(start) {
            self.tree.count(leaf, 1);
        }
    }

    fn shape(&self, slice: u32) -> StrId {
        let column = self.view.profile.attribute("input_shape");
        column.filter(|_| slice != NO_SLICE).and_then(|c| c.values.get(slice as usize).copied()).unwrap_or_default()
    }

    /// The leaf of a slice; `operator` is what launched it, for slices of a device.
    fn leaf(&mut self, role: usize, slice: u32, operator: Option<Option<kernel_rows::Operator>>, shape: StrId) -> u32 {
        let name = self.view.profile.slices.name[slice as usize];
        let key = (role as u8, name, operator.flatten(), shape);
        if let Some(&leaf) = self.leaves.get(&key) {
            return leaf;
        }
        let strings = &self.view.profile.strings;
        let mut names: Vec<String> = Vec::with_capacity(3);
        if let Some(operator) = operator {
            names.push(operator.map_or(NO_OPERATOR.into(), |o| kernel_rows::operator_name(self.view, o)));
        }
        names.push(strings.get(name).to_string());
        if shape != StrId(0) {
            names.push(strings.get(shape).to_string());
        } else if self.view.profile.attribute("input_shape").is_some() && role != 4 {
            names.push(NO_SHAPE.into());
        }
        let category = self.tree.child(0, Category::ALL[role].label());
        let leaf = self.tree.path(category, &names.iter().map(String::as_str).collect::<Vec<_>>());
        self.leaves.insert(key, leaf);
        leaf
    }

    /// Launches and kernels of the mean step.
    fn count_work(&mut self, n: f64) {
        let model = self.view.model;
        let starts_in_step = |slice: u32| self.steps.holds(self.view.profile.slices.start[slice as usize]);
        let kernels = model.events.work.iter().filter(|i| starts_in_step(**i)).count();
        let mut launches: Vec<u32> = model.launch.iter().copied().filter(|l| *l != NO_SLICE && starts_in_step(*l)).collect();
        launches.sort_unstable();
        launches.dedup();
        (self.facts.kernels, self.facts.launches) = (kernels as f64 / n, launches.len() as f64 / n);
    }
}
