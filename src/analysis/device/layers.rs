//! The hierarchy of a Neuron run: cores, layers, and what the compiler made of them, with utilization and busy engines.

mod build;
mod figures;
mod rank;

use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange};
use crate::model::{Column, Domain, Dtype, NeuronDevice, Profile};
use serde::{Deserialize, Serialize};

/// Nodes at most; what is below the last ones is counted with the node above.
pub const MAX_NODES: usize = 20_000;
/// The engines of a core, in the order of [`LayerNode::engines`].
pub const ENGINES: [&str; 5] = ["Tensor", "Vector", "Scalar", "GpSimd", "Sync"];
/// What an instruction of the compiler without a layer is under.
pub const UNKNOWN: &str = "Unknown";
/// What an instruction that the loader put in is under: it has no debug info at all.
pub const RUNTIME: &str = "Added by the runtime";

/// What a level of the hierarchy can be: (id of the attribute, label).
const LEVELS: [(&str, &str); 8] = [
    ("layer", "Layer"),
    ("operator", "Operator"),
    ("hlo", "HLO"),
    ("tensorizer", "Tensorizer instruction"),
    ("bir", "Compiler instruction (BIR)"),
    ("source", "Source line"),
    ("engine", "Engine"),
    ("opcode", "Opcode"),
];

/// What to show of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct LayersQuery {
    /// The level beneath the cores: `layer` (the default), `operator`, `hlo`, `tensorizer`, `bir`, `source`, `engine`, `opcode`.
    pub by: String,
    /// Levels of a layer's path (`/model/block/attention`) that are separate rows; 0: all.
    pub depth: u32,
    /// Only instructions that touch this range.
    pub range: Option<TimeRange>,
}

/// What a node did on one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EngineShare {
    /// Instructions.
    pub count: u64,
    /// Time in which anything but a semaphore wait ran; what overlaps counts once.
    pub active: DurationNs,
}

/// A node of the hierarchy; values are of all that is below it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LayerNode {
    /// Its own part of the path.
    pub name: String,
    /// What it is: `Core`, `Layer`, `Opcode`.
    pub level: String,
    /// Position of the node above, always an earlier one.
    pub parent: Option<u32>,
    /// Start of its first instruction.
    pub start: TimeNs,
    /// End of its last.
    pub end: TimeNs,
    /// Time covered by its instructions on any engine, waits included.
    pub covered: DurationNs,
    /// Time in which any engine of it was active, waits omitted.
    pub active: DurationNs,
    /// Instructions.
    pub occurrences: u64,
    /// FLOPs of its matrix products, transposes included; `None` where the file does not record it.
    pub flops: Option<u64>,
    /// Part of `flops` that only transposes.
    pub transpose_flops: Option<u64>,
    /// `flops` without transposes in terms of BF16's rate: FP32 counts four times. `None` where the type of a product is not recorded.
    pub adjusted_flops: Option<u64>,
    /// `flops ÷ (peak of all cores × (end − start))`. The file's `layer_summary` agrees for cores to 0.1%; for layers it takes only the time until
    /// their last matrix product ends (so on the real runs, to a nanosecond; it is not documented), and gives up to a fifth more.
    pub hfu: Option<f64>,
    /// The same without transposes.
    pub mfu: Option<f64>,
    /// Indexed by engine, as in [`ENGINES`].
    pub engines: [EngineShare; 5],
    /// Bytes that its instructions read from HBM.
    pub hbm_read: Option<u64>,
    /// Bytes that they wrote.
    pub hbm_written: Option<u64>,
    /// Part of both that was spilled and loaded again.
    pub spilled: Option<u64>,
    /// Bytes that they read from and wrote to the State Buffer.
    pub sbuf_bytes: Option<u64>,
    /// Time in which a DMA queue of the core moved anything: the file records no layer of a transfer, so only cores have it.
    pub dma: Option<DurationNs>,
    /// Bytes of those transfers.
    pub dma_bytes: Option<u64>,
    /// Its first instruction.
    pub first: Option<SliceId>,
    /// Colour slot of its name.
    pub colour: u16,
}

/// The hierarchy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Layers {
    /// In pre-order: a node is followed by all that is below it, longest first.
    pub nodes: Vec<LayerNode>,
    /// Levels one can choose beneath the cores: (id, label).
    pub choices: Vec<(String, String)>,
    /// Parts of the longest layer's path.
    pub max_depth: u32,
    /// What cannot be determined, in sentences.
    pub notes: Vec<String>,
}

/// A level of the hierarchy with its column.
pub(super) struct Level<'a> {
    pub id: &'static str,
    pub label: &'static str,
    /// Of instructions: few of all slices, so that it is not made whole.
    pub values: Option<&'a Column<StrId>>,
}

/// The levels of a question, outermost first: the chosen one, then those that are finer.
fn levels<'a>(profile: &'a Profile, by: &str) -> Vec<Level<'a>> {
    let by = if by.is_empty() { "layer" } else { by };
    let below: &[&str] = match by {
        "layer" => &["layer", "hlo", "tensorizer", "opcode"],
        "operator" => &["operator", "hlo", "opcode"],
        "hlo" => &["hlo", "tensorizer", "opcode"],
        "tensorizer" => &["tensorizer", "bir", "opcode"],
        "source" => &["source", "opcode"],
        "engine" => &["engine", "opcode"],
        "bir" => &["bir"],
        _ => &["opcode"],
    };
    let level = |wanted: &&str| {
        let (id, label) = LEVELS.into_iter().find(|l| l.0 == *wanted)?;
        // The level of layers is useful even without layer names: it separates the program from instructions of the runtime.
        let values = profile.attribute(id).map(|a| &a.values);
        (values.is_some() || id == "layer").then_some(Level { id, label, values })
    };
    below.iter().filter_map(level).collect()
}

/// The hierarchy of the run, or of a range of it; `slots` are the colours of opcodes, as [`crate::analysis::colour::slots`] gives them.
pub fn layers(profile: &Profile, query: &LayersQuery, slots: &[u16]) -> Layers {
    let levels = levels(profile, &query.by);
    let tree = build::build(profile, &levels, query);
    let choices = LEVELS.iter().filter(|l| l.0 == "layer" || profile.attribute(l.0).is_some());
    let mut out = Layers { choices: choices.map(|l| (l.0.into(), l.1.into())).collect(), max_depth: tree.max_depth, ..Layers::default() };
    out.notes = notes(profile, &tree);
    out.nodes = rank::finish(profile, tree, &MetricSource::of(profile), slots);
    out
}

/// FLOPs of a matrix product in terms of BF16's rate, after the profiler's factors; `None` where its type, or what its rate depends on,
/// is not recorded.
pub(super) fn adjusted(device: &NeuronDevice, slice: usize, flops: u64) -> Option<u64> {
    let at = device.shapes.binary_search_by_key(&(slice as u32), |s| s.slice).ok()?;
    let is_new = device.instance_type.starts_with("trn2") || device.instance_type.starts_with("trn3");
    match device.shapes[at].dtype {
        Dtype::Fp32 => Some(flops.saturating_mul(4)),
        Dtype::Fp16 => Some(flops),
        // Its rate depends on the generation.
        Dtype::Fp8 if device.instance_type.is_empty() => None,
        Dtype::Fp8 => Some(if is_new { flops / 2 } else { flops }),
        Dtype::Int | Dtype::Other => None,
    }
}

/// The instructions of the node at a place of the answer to the same question, by start.
pub fn slices(profile: &Profile, query: &LayersQuery, node: u32) -> Vec<SliceId> {
    let tree = build::build(profile, &levels(profile, &query.by), query);
    let order = rank::order(&tree);
    let Some(&wanted) = order.get(node as usize) else {
        return Vec::new();
    };
    let is_below = |mut at: u32| loop {
        if at == wanted {
            return true;
        }
        match tree.nodes[at as usize].parent {
            Some(parent) => at = parent,
            None => return false,
        }
    };
    let below: Vec<bool> = (0..tree.nodes.len() as u32).map(is_below).collect();
    let mut out: Vec<SliceId> = tree.leaf_of.iter().filter(|(_, leaf)| below[*leaf as usize]).map(|(slice, _)| SliceId(*slice)).collect();
    out.sort_unstable_by_key(|s| (profile.slices.start[s.index()], s.0));
    out
}

fn notes(profile: &Profile, tree: &figures::LayerTree<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let Domain::NeuronDevice(device) = &profile.domain else {
        return out;
    };
    out.extend(crate::analysis::device::run_metrics::flops::missing(profile));
    if device.hbm.is_empty() {
        out.push("HBM bytes by layer are not available: they are not recorded with instructions in this file.".into());
    }
    if profile.attribute("instruction_type").is_none() {
        out.push(
            "Instructions have no layer in this file and are grouped under Unknown. For an NTFF, open it together with its NEFF.".into(),
        );
    } else if profile.attribute("layer").is_none() {
        out.push(
            "No instruction has a layer: compiler instructions are grouped under Unknown; instructions without debug info were added by the runtime."
                .into(),
        );
    }
    if tree.n_cut > 0 {
        out.push(format!("There are more than {MAX_NODES} nodes; {} instructions are counted in a parent of their node.", tree.n_cut));
    }
    out
}
