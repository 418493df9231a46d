//! The roofline of a Neuron run: limits of compute and memory by arithmetic intensity, and points for the run and its parts.
//!
//! Peak is of all physical cores (`P × N`), bandwidth of the one HBM stack that they share (`B`): the ridge is at `P × N ÷ B`, not at the
//! `P ÷ B` of the file's `peak_flops_bandwidth_ratio`. Parts are of one core each, and stand against `P`.

mod answer;

pub use answer::{Basis, Bound, Ceiling, Point, Roofline};

use crate::analysis::device::layers::{LayerNode, Layers, LayersQuery, layers};
use crate::analysis::device::run_metrics::metrics::{Hardware, MetricSource};
use crate::analysis::device::share;
use crate::base::Order as _;
use crate::base::{DurationNs, TimeRange, for_each_chunk, text};
use crate::model::{Domain, NeuronDevice, Profile};

/// Bytes of all tensors, each once.
const LEAST: &str = "inputs_outputs_weights_size_bytes";

/// Points of parts at most, those with most FLOPs.
const MAX_POINTS: usize = 500;
/// Regions at most.
const MOST_REGIONS: usize = 100;

/// The roofline of the run, or of a range; `query.by` says which parts have points. Each of `regions` (name, range) has one as well.
pub fn roofline(profile: &Profile, query: &LayersQuery, regions: &[(String, TimeRange)]) -> Roofline {
    let facts = MetricSource::of(profile);
    let hardware = facts.hardware();
    let mut out = Roofline::default();
    ceilings(profile, &facts, &mut out);
    let tree = layers(profile, query, &[]);
    whole(profile, &facts, query.range, &tree, &mut out, hardware);
    of_regions(profile, regions, &mut out, hardware);
    parts(&tree, &mut out, hardware);
    (out.choices, out.max_depth) = (tree.choices, tree.max_depth);
    out.notes.extend(tree.notes);
    out
}

/// Factors by which a data type is faster than BF16: the inverse of the profiler's adjustment of FLOPs. That of FP8 depends on the generation.
fn factors(instance: &str) -> Vec<(&'static str, f64)> {
    let is_new = instance.starts_with("trn2") || instance.starts_with("trn3");
    let mut out = Vec::new();
    if instance.starts_with("trn3") {
        out.push(("MXFP8, MXFP4", 4.0));
    }
    if is_new {
        out.push(("FP8", 2.0));
    }
    out.push((if is_new || instance.is_empty() { "BF16, FP16, TF32" } else { "BF16, FP16, TF32, FP8" }, 1.0));
    out.push(("FP32", 0.25));
    out
}

fn ceilings(profile: &Profile, facts: &MetricSource<'_>, out: &mut Roofline) {
    let instance = match &profile.domain {
        Domain::NeuronDevice(device) => device.instance_type.as_str(),
        _ => "",
    };
    out.bandwidth = facts.hbm_bandwidth();
    let Some(peak) = facts.peak_flops() else {
        out.notes
            .push("No compute ceilings: the metadata do not record the clock or size of the tensor engine, or the number of cores.".into());
        if out.bandwidth.is_none() {
            out.notes.push("No memory ceiling: the metadata do not record the HBM bandwidth.".into());
        }
        return;
    };
    out.ceilings =
        factors(instance).into_iter().map(|(name, f)| Ceiling { name: name.into(), flops: peak * f, is_throttled: false }).collect();
    if instance.is_empty() {
        out.notes.push("No FP8 ceiling: it depends on the instance type, which is not recorded in this file.".into());
    }
    if let Some(limit) = crate::analysis::device::run_metrics::limits::lowest(profile, facts).filter(|l| *l > 0.0 && *l < 1.0) {
        let name = format!("BF16, throttled ({:.0}%)", 100.0 * limit);
        out.ceilings.push(Ceiling { name, flops: peak * limit, is_throttled: true });
    }
    match out.bandwidth {
        Some(bandwidth) => out.ridge = Some(peak / bandwidth),
        None => out.notes.push("No memory ceiling: the metadata do not record the HBM bandwidth.".into()),
    }
}

fn point(
    name: &str,
    level: &str,
    basis: Basis,
    (flops, bytes, duration): (u64, u64, DurationNs),
    hardware: Option<Hardware>,
) -> Option<Point> {
    if flops == 0 || bytes == 0 || duration.0 <= 0 {
        return None;
    }
    let intensity = flops as f64 / bytes as f64;
    let peak = hardware.map(|h| (h.core_flops * h.n_cores, h.hbm_bandwidth));
    let (roof, bound) = match (basis, peak) {
        (Basis::Hbm, Some((peak, b))) if intensity * b < peak => (Some(intensity * b), Bound::Memory),
        (Basis::Hbm, Some((peak, _))) => (Some(peak), Bound::Compute),
        _ => (None, Bound::NotRecorded),
    };
    let rate = flops as f64 / (duration.0 as f64 / 1e9);
    let (name, level) = (name.into(), level.into());
    Some(Point {
        name,
        level,
        basis,
        flops,
        bytes,
        duration,
        intensity,
        rate,
        roof,
        peak: peak.map(|p| p.0),
        bound,
        core: String::new(),
        adjusted: None,
        is_potential: false,
        first: None,
    })
}

/// Useful FLOPs of a node.
fn useful(node: &LayerNode) -> u64 {
    node.flops.unwrap_or(0).saturating_sub(node.transpose_flops.unwrap_or(0))
}

fn traffic(node: &LayerNode) -> Option<u64> {
    (node.hbm_read.is_some() || node.hbm_written.is_some())
        .then(|| node.hbm_read.unwrap_or(0).saturating_add(node.hbm_written.unwrap_or(0)))
}

/// Adds up something over the cores.
fn sum(tree: &Layers, of: impl Fn(&LayerNode) -> Option<u64>) -> Option<u64> {
    tree.nodes.iter().filter(|n| n.parent.is_none()).filter_map(of).reduce(u64::saturating_add)
}

/// Useful FLOPs and bytes of HBM, of the run or of a range; `None` where the file does not record them. A range without products, or without
/// transfers, has none: that is recorded.
fn amounts(profile: &Profile, of_file: &dyn Fn(&str) -> Option<u64>, tree: &Layers) -> (Option<u64>, Option<u64>) {
    let (records_flops, records_bytes) = match &profile.domain {
        Domain::NeuronDevice(d) => (d.elements.is_recorded(), !d.hbm.is_empty()),
        _ => (false, false),
    };
    let flops = of_file("hardware_flops").zip(of_file("transpose_flops")).map(|(all, moved)| all.saturating_sub(moved));
    let flops = flops.or_else(|| sum(tree, |n| n.flops.map(|_| useful(n)))).or(records_flops.then_some(0));
    let bytes = of_file("hbm_read_bytes").zip(of_file("hbm_write_bytes")).map(|(r, w)| r.saturating_add(w));
    (flops, bytes.or_else(|| sum(tree, traffic)).or(records_bytes.then_some(0)))
}

/// The run, or the range, against HBM; and what it would be without the bytes that need not have moved.
fn whole(
    profile: &Profile,
    facts: &MetricSource<'_>,
    range: Option<TimeRange>,
    tree: &Layers,
    out: &mut Roofline,
    hardware: Option<Hardware>,
) {
    let is_run = range.is_none();
    let of_file = |name: &str| if is_run { facts.number(name).filter(|v| *v >= 0.0).map(|v| v as u64) } else { None };
    let window = match &profile.domain {
        Domain::NeuronDevice(d) if d.window_ns > 0 => DurationNs(d.window_ns),
        _ => profile.meta.range.duration(),
    };
    // The file's own length has a fraction of a nanosecond; the rate is of whole ones.
    let duration = range.map_or(window, |r| r.duration());
    let name = if is_run { "Entire trace" } else { "Selected range" };
    let (flops, bytes) = amounts(profile, &of_file, tree);
    let (Some(flops), Some(bytes)) = (flops, bytes) else {
        let what = if flops.is_none() { "FLOPs" } else { "bytes from and to HBM" };
        out.notes.push(format!("No point for the {}: {what} are not recorded in this file.", name.to_lowercase()));
        return;
    };
    let level = if is_run { "Run" } else { "Range" };
    let Some(main) = point(name, level, Basis::Hbm, (flops, bytes, duration), hardware) else {
        out.notes.push(format!("No point for the {}: it has no useful FLOPs or no HBM bytes.", name.to_lowercase()));
        return;
    };
    let adjusted =
        if tree.nodes.iter().any(|n| n.flops.is_some() && n.adjusted_flops.is_none()) { None } else { sum(tree, |n| n.adjusted_flops) };
    let main = Point { adjusted, ..main };
    out.achievable = main.roof.map(|roof| (main.intensity, roof));
    out.points.push(main);
    let mut potential = |name: &str, bytes: u64| {
        if let Some(p) = point(name, level, Basis::Hbm, (flops, bytes, duration), hardware) {
            out.points.push(Point { is_potential: true, ..p });
        }
    };
    let spilled = of_file("spill_save_bytes").zip(of_file("spill_reload_bytes")).map(|(s, r)| s.saturating_add(r));
    match spilled.or_else(|| sum(tree, |n| n.spilled)) {
        Some(spilled) if spilled > 0 => potential(&format!("{name} without spills"), bytes.saturating_sub(spilled)),
        Some(_) => (),
        None => out.notes.push("No point without spills: spilled bytes are not recorded in this file.".into()),
    }
    let of_tensors =
        || crate::analysis::device::run_metrics::packets::tensor_sizes(profile).into_iter().find(|c| c.0 == LEAST).map(|c| c.1 as u64);
    if let Some(least) = of_file(LEAST).or_else(|| of_tensors().filter(|_| is_run)).filter(|least| *least > 0 && *least < bytes) {
        potential("Each input, output and weight transferred once", least);
    }
}

/// A point for each named range against HBM over all of its time: its part of the FLOPs, and bytes of the instructions that start in it.
fn of_regions(profile: &Profile, regions: &[(String, TimeRange)], out: &mut Roofline, hardware: Option<Hardware>) {
    let Domain::NeuronDevice(device) = &profile.domain else { return };
    let types = profile.attribute("instruction_type");
    let is_transpose = |i: usize| types.and_then(|t| t.values.at(i)).is_some_and(|id| profile.strings.get(id) == "TRANSPOSE");
    let mut n_bare = 0;
    for (name, range) in regions.iter().take(MOST_REGIONS) {
        let is_in = |i: usize| (range.start.0..range.end.0).contains(&profile.slices.start[i]);
        let (mut flops, mut adjusted) = (0u64, Some(0u64));
        let mut elements = Vec::new();
        for_each_chunk(device.elements.len(), &mut |part| {
            device.elements.part(part.clone(), &mut elements);
            for (i, elements) in part.zip(&elements).filter(|(i, elements)| **elements != NeuronDevice::ABSENT && !is_transpose(*i)) {
                let own = share::within(2 * u64::from(*elements), (profile.slices.start[i], profile.slices.end(i)), *range);
                flops = flops.saturating_add(own);
                adjusted = adjusted.zip(crate::analysis::device::layers::adjusted(device, i, own)).map(|(sum, n)| sum.saturating_add(n));
            }
        });
        let moved = device.hbm.iter().filter(|h| is_in(h.slice as usize));
        let bytes = moved.fold(0u64, |sum, h| sum.saturating_add(h.read).saturating_add(h.written));
        match point(name, "Region", Basis::Hbm, (flops, bytes, range.duration()), hardware) {
            Some(p) => out.points.push(Point { adjusted, ..p }),
            None => n_bare += 1,
        }
    }
    if n_bare > 0 {
        out.notes.push(format!("Regions without a point: {n_bare}. They have no useful FLOPs or no HBM bytes."));
    }
}

/// The nodes of the chosen kind that have none of that kind beneath them: (place, node).
fn innermost(tree: &Layers) -> impl Iterator<Item = (usize, &LayerNode)> {
    let is_of_core = |n: &LayerNode| n.parent.is_some_and(|p| tree.nodes.get(p as usize).is_some_and(|c| c.parent.is_none()));
    let level = tree.nodes.iter().find(|n| is_of_core(n)).map(|n| n.level.as_str()).unwrap_or_default();
    let is_it = move |n: &&LayerNode| n.parent.is_some() && n.level == level;
    let mut has_below = vec![false; tree.nodes.len()];
    for parent in tree.nodes.iter().filter(is_it).filter_map(|n| n.parent) {
        if let Some(has) = has_below.get_mut(parent as usize) {
            *has = true;
        }
    }
    tree.nodes.iter().enumerate().filter(move |(at, n)| !has_below[*at] && is_it(n))
}

/// The name of a node with those above it of the same kind: `model/block/attention`.
fn full_name(tree: &Layers, mut at: usize) -> String {
    let level = &tree.nodes[at].level;
    let mut parts = vec![tree.nodes[at].name.as_str()];
    // A node is behind the one above it, so that this ends.
    while let Some(above) = tree.nodes[at].parent.map(|p| p as usize).filter(|p| *p < at && tree.nodes[*p].level == *level) {
        parts.push(&tree.nodes[above].name);
        at = above;
    }
    parts.reverse();
    parts.join("/")
}

/// The core above a node.
fn core_of(tree: &Layers, mut at: usize) -> &str {
    while let Some(above) = tree.nodes[at].parent.map(|p| p as usize).filter(|p| *p < at) {
        at = above;
    }
    &tree.nodes[at].name
}

/// A point for each part of a core, against what that core can: against HBM where its instructions record, else against the State Buffer. Parts stand beneath the cores; of layers those at
/// the depth asked for, whose parts below are of another kind.
fn parts(tree: &Layers, out: &mut Roofline, hardware: Option<Hardware>) {
    let (mut found, mut n_idle, mut n_sbuf) = (Vec::new(), 0, 0);
    let n_cores = hardware.map_or(1.0, |h| h.n_cores);
    let hardware = hardware.map(|h| Hardware { n_cores: 1.0, ..h });
    for (at, node) in innermost(tree) {
        let (name, core) = (full_name(tree, at), core_of(tree, at));
        let flops = useful(node);
        let (basis, bytes) = match traffic(node).filter(|b| *b > 0) {
            Some(bytes) => (Basis::Hbm, bytes),
            None => (Basis::Sbuf, node.sbuf_bytes.unwrap_or(0)),
        };
        let Some(p) = point(&name, &node.level, basis, (flops, bytes, node.active), hardware) else {
            n_idle += 1;
            continue;
        };
        n_sbuf += usize::from(basis == Basis::Sbuf);
        let without = node.spilled.filter(|s| *s > 0 && basis == Basis::Hbm).and_then(|spilled| {
            let name = format!("{name} without spills");
            point(&name, &node.level, basis, (flops, bytes.saturating_sub(spilled), node.active), hardware)
        });
        let (first, adjusted) = (node.first, node.adjusted_flops);
        found.push(Point { first, adjusted, core: core.into(), ..p });
        found.extend(without.map(|p| Point { is_potential: true, first, adjusted, core: core.into(), ..p }));
    }
    found.order_by(|a, b| b.flops.cmp(&a.flops).then_with(|| (&a.name, &a.core).cmp(&(&b.name, &b.core))));
    if let Some(one) = hardware.filter(|_| n_cores > 1.0 && !found.is_empty()) {
        let rate = text::three_digits(one.core_flops / 1e12);
        out.notes.push(format!("Each part runs on one core and is compared with the peak of one core: {rate} TFLOP/s in BF16."));
    }
    if found.len() > MAX_POINTS {
        out.notes.push(format!("The {MAX_POINTS} parts with most FLOPs are shown, of {}.", found.len()));
        found.truncate(MAX_POINTS);
    }
    if n_idle > 0 {
        out.notes.push(format!("Parts without a point: {n_idle}. They have no useful FLOPs or no recorded bytes."));
    }
    if n_sbuf > 0 {
        out.notes.push(format!(
            "Parts without HBM bytes: {n_sbuf}. Their intensity uses State Buffer bytes; no ceiling for these is recorded in this file."
        ));
    }
    out.points.extend(found);
}
