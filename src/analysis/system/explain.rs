//! What a system profile gives to an explanation: its time by device, runtime, framework and idle, and the mean invocation of each model with the
//! spread over its invocations.
//!
//! The parts are those of the System view: an instant belongs to the first layer that is active. An invocation lasts until the next one on its core
//! starts; the last one of a burst, and one that the next overlaps, lasts as long as it executes.

use super::View;
use super::serving::{BURST_IDLE_NS, Invocation, invocations};
use crate::analysis::device::compare::PartMetric;
use crate::analysis::explain::tree::Tree;
use crate::analysis::explain::{ExplainKind, ExplainPart, ExplainQuery, UnitFacts, UnitPart, assign};
use crate::analysis::spans::{self, Ranges};
use crate::base::{Order as _, SliceId, StrId, TrackId};
use crate::model::system::RowKind;
use crate::model::{NeuronSystem, Profile};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The layers in the order in which an instant belongs to them.
const LAYERS: [(&str, RowKind); 3] = [("Device", RowKind::Hardware), ("Runtime", RowKind::Runtime), ("Framework", RowKind::Framework)];
const IDLE: &str = "Idle";
/// Executions without a recorded model.
const NO_MODEL: &str = "Model not recorded";
/// Models with a unit of their own: those with most time.
const MOST_MODELS: usize = 12;
/// Invocations of one model that are averaged.
const MOST_SAMPLES: usize = 200_000;

/// What the profile, or a range of it, contributes. `metrics` are its values as a profile of serving.
pub fn part(profile: &Profile, system: &NeuronSystem, query: &ExplainQuery, metrics: Vec<PartMetric>) -> ExplainPart {
    let view = View { profile, system, range: query.range };
    let mut out = ExplainPart { title: profile.meta.title.clone(), kind: ExplainKind::System, metrics, ..ExplainPart::default() };
    let layers = layers(&view);
    let whole = view.whole();
    let mut rest: Ranges = if whole.start < whole.end { vec![(whole.start.0, whole.end.0)] } else { Vec::new() };
    let mut tree = Tree::new("Total", 1);
    for ((name, _), layer) in LAYERS.iter().zip(&layers) {
        let node = tree.child(0, name);
        let set = spans::common(&rest, &layer.busy);
        rest = spans::without(&rest, &set);
        layer.fill(&view, &set, &mut tree, node);
    }
    let idle = tree.child(0, IDLE);
    tree.time(idle, 0, spans::length(&rest));
    out.units.push(UnitPart { name: "Entire profile".into(), n_samples: 1, nodes: tree.finish(), facts: UnitFacts::Invocations });
    out.units.extend(models(&view, &layers));
    if system.executions.is_empty() {
        out.notes.push("Executions are not recorded in this file (event `nc_exec_running`): only the entire profile is compared.".into());
    }
    out
}

/// A layer: what runs in it, by start, and when any of it does.
struct Layer {
    slices: Vec<(i64, i64, u32)>,
    busy: Ranges,
}

fn layers(view: &View<'_>) -> [Layer; 3] {
    LAYERS.map(|(_, kind)| {
        let mut slices: Vec<(i64, i64, u32)> = match kind {
            RowKind::Hardware => {
                let of = |slice: SliceId| view.span(slice).map(|(start, end)| (start, end, slice.0));
                view.system.executions.iter().filter_map(|e| of(e.slice)).collect()
            }
            _ => {
                let of = |at: usize| view.span(SliceId(at as u32)).map(|(start, end)| (start, end, at as u32));
                view.tracks(kind).flat_map(|t| view.profile.slices_of(t)).filter_map(of).collect()
            }
        };
        slices.sort_unstable();
        let busy = spans::union(slices.iter().filter(|s| s.0 < s.1).map(|s| (s.0, s.1)).collect());
        Layer { slices, busy }
    })
}

impl Layer {
    /// Gives the time of a set to what runs then: event or model, then row.
    fn fill(&self, view: &View<'_>, set: &Ranges, tree: &mut Tree, node: u32) {
        let mut leaves: FxHashMap<(StrId, Option<TrackId>), u32> = FxHashMap::default();
        let models: FxHashMap<u32, StrId> = view.system.executions.iter().map(|e| (e.slice.0, e.model)).collect();
        let profile = view.profile;
        let mut leaf = |tree: &mut Tree, slice: u32| {
            let model = models.get(&slice).copied();
            let (name, track) = (model.unwrap_or(profile.slices.name[slice as usize]), profile.track_of(SliceId(slice)));
            *leaves.entry((name, track)).or_insert_with(|| {
                let text = profile.strings.get(name);
                let text = if text.is_empty() { NO_MODEL } else { text };
                tree.path(node, &[text, &track.map(|t| profile.track_path(t)).unwrap_or_default()])
            })
        };
        let with_leaves: Vec<(i64, i64, u32)> = self.slices.iter().map(|&(start, end, slice)| (start, end, leaf(tree, slice))).collect();
        with_leaves.iter().for_each(|s| tree.count(s.2, 1));
        assign::innermost(set, with_leaves.into_iter(), |leaf, start, end| tree.time(leaf, 0, end - start));
    }
}

/// The mean invocation of each model, most time first.
fn models(view: &View<'_>, layers: &[Layer; 3]) -> Vec<UnitPart> {
    let all = invocations(view.profile, view.system);
    let is_asked = |i: &Invocation| view.range.is_none_or(|r| i.span.0 >= r.start.0 && i.span.0 < r.end.0);
    let mut by_model: BTreeMap<&str, Vec<Window>> = BTreeMap::new();
    for (invocation, until) in with_ends(&all).into_iter().filter(|(i, _)| is_asked(i)) {
        let model = view.profile.strings.get(invocation.model);
        let windows = by_model.entry(if model.is_empty() { NO_MODEL } else { model }).or_default();
        windows.push(Window { executes: invocation.span, until });
    }
    let time = |windows: &[Window]| windows.iter().map(|w| w.until - w.executes.0).fold(0, i64::saturating_add);
    let mut found: Vec<(&str, Vec<Window>)> = by_model.into_iter().collect();
    found.order_by(|a, b| time(&b.1).cmp(&time(&a.1)).then_with(|| a.0.cmp(b.0)));
    found.truncate(MOST_MODELS);
    found.into_iter().map(|(model, windows)| mean(model, &windows, layers)).collect()
}

/// An invocation, and until when it lasts.
struct Window {
    executes: (i64, i64),
    until: i64,
}

/// Each invocation with the start of the next one on its core.
fn with_ends(all: &[Invocation]) -> Vec<(&Invocation, i64)> {
    let mut next: BTreeMap<_, i64> = BTreeMap::new();
    let mut out: Vec<(&Invocation, i64)> = Vec::with_capacity(all.len());
    for invocation in all.iter().rev() {
        let end = invocation.span.1;
        let follows = next.insert(invocation.core, invocation.span.0);
        out.push((invocation, follows.filter(|next| *next > end && next - end < BURST_IDLE_NS).unwrap_or(end)));
    }
    out.reverse();
    out
}

fn mean(model: &str, windows: &[Window], layers: &[Layer; 3]) -> UnitPart {
    let windows = &windows[..windows.len().min(MOST_SAMPLES)];
    let n_samples = windows.len().max(1) as u32;
    let mut tree = Tree::new("Invocation", n_samples);
    let names = LAYERS.map(|l| l.0).into_iter().chain([IDLE]);
    let nodes: Vec<u32> = names.map(|name| tree.child(0, name)).collect();
    for (sample, window) in windows.iter().enumerate() {
        let sample = sample as u32;
        tree.time(nodes[0], sample, window.executes.1 - window.executes.0);
        tree.count(nodes[0], 1);
        // Between two executions of its core the host has the time.
        let mut rest: Ranges = if window.executes.1 < window.until { vec![(window.executes.1, window.until)] } else { Vec::new() };
        for (layer, node) in layers.iter().zip(&nodes).skip(1) {
            let busy: Ranges = spans::inside(&layer.busy, window.executes.1, window.until).collect();
            let set = spans::common(&rest, &busy);
            rest = spans::without(&rest, &set);
            tree.time(*node, sample, spans::length(&set));
        }
        tree.time(nodes[3], sample, spans::length(&rest));
    }
    UnitPart { name: format!("Mean invocation of {model}"), n_samples, nodes: tree.finish(), facts: UnitFacts::Invocations }
}
