//! The work of an operator, from its name and inputs: operations, bytes that must move, the type it computes in. A family a file, each with its
//! formula and source; what has no model has no work. `docs/pytorch-views.md` lists them.

mod attention;
mod convolution;
mod elementwise;
mod gated;
mod gemm;
pub mod inputs;
pub mod layout;
mod lookup;
mod moe;
mod normalization;
pub mod paged;
pub mod peaks;
mod reduction;
mod rope;
mod triton;

use super::View;
use crate::base::StrId;
use inputs::{Dtype, Inputs};
use paged::SequenceLengths;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Operators whose work is counted the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Matrix products.
    Gemm,
    /// Attention.
    Attention,
    /// Convolutions.
    Convolution,
    /// Normalizations.
    Normalization,
    /// One result for each element.
    Elementwise,
    /// Sums, means, softmax.
    Reduction,
    /// Mixtures of experts.
    Moe,
    /// Rotary position embeddings.
    Rope,
    /// Kernels that a compiler generated.
    Triton,
    /// Rows that are moved without operations.
    Lookup,
}

impl Family {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Family::Gemm => "GEMM",
            Family::Attention => "Attention",
            Family::Convolution => "Convolution",
            Family::Normalization => "Normalization",
            Family::Elementwise => "Elementwise",
            Family::Reduction => "Reduction",
            Family::Moe => "MoE",
            Family::Rope => "RoPE",
            Family::Triton => "Triton",
            Family::Lookup => "Lookup",
        }
    }
}

/// Sizes of a matrix product: `b` times M × K by K × N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gemm {
    /// Products.
    pub b: u64,
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// What is summed over.
    pub k: u64,
}

/// The work of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// How it is counted.
    pub family: Family,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes that must be read or written at least once.
    pub bytes: u64,
    /// The type it computes in.
    pub dtype: Dtype,
    /// Whether matrix units (tensor cores) can do it.
    pub is_matrix: bool,
    /// Sizes of a matrix product.
    pub gemm: Option<Gemm>,
}

/// How long a work takes at a device's peaks, nanoseconds. `None` where the peak is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Roof {
    /// Operations at the peak of their type.
    pub compute_ns: Option<f64>,
    /// Bytes at the memory bandwidth.
    pub memory_ns: Option<f64>,
}

/// What limits a call at its best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Operations.
    Compute,
    /// Bytes.
    Memory,
}

impl Bound {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Bound::Compute => "Compute",
            Bound::Memory => "Memory",
        }
    }
}

impl Roof {
    /// Bound of several calls in sequence; unknown if one is unknown.
    pub fn and(self, other: Roof) -> Roof {
        let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        Roof { compute_ns: sum(self.compute_ns, other.compute_ns), memory_ns: sum(self.memory_ns, other.memory_ns) }
    }

    /// The longer of both.
    pub fn best_ns(self) -> Option<f64> {
        Some(self.compute_ns?.max(self.memory_ns?))
    }

    /// What takes longer.
    pub fn bound(self) -> Option<Bound> {
        Some(if self.compute_ns? >= self.memory_ns? { Bound::Compute } else { Bound::Memory })
    }
}

/// The work of a call; `None` where the operator has no model or its inputs do not fit it.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let families = [
        gemm::work,
        attention::work,
        convolution::work,
        normalization::work,
        elementwise::work,
        gated::work,
        reduction::work,
        moe::work,
        rope::work,
        triton::work,
        lookup::work,
    ];
    families.iter().find_map(|family| family(name, inputs)).filter(|work| work.bytes > 0)
}

/// Whether an operator calls another one with the same work. If that is recorded, only it is counted.
pub fn is_composite(name: &str) -> bool {
    gemm::is_composite(name)
}

/// Which input an operator without a model would need; `None` where it has a model, or none is known.
pub fn missing(name: &str) -> Option<&'static str> {
    matches!(name, "vllm::moe_forward" | "vllm::moe_forward_shared").then_some("its weights are not recorded")
}

/// What makes the work of an operator an upper bound; `None` where it is exact.
pub fn upper_bound(name: &str, family: Family) -> Option<&'static str> {
    match family {
        _ if paged::needs_lengths(name) => Some("a sliding window is not recorded"),
        Family::Moe => Some("the experts that tokens share are not recorded"),
        _ => None,
    }
}

/// Name, shapes, types and concrete inputs of a call: equal ones have equal work.
pub type CallKey = (StrId, StrId, StrId, StrId);

/// Lengths of the sequences of each step, by start: (start, end, lengths), nanoseconds.
pub type StepLengths = Vec<(i64, i64, SequenceLengths)>;

/// The work of the calls of a trace, each distinct one counted once.
pub struct Works<'a> {
    view: View<'a>,
    shapes: Option<&'a [StrId]>,
    /// Indexed by slice: its row of inputs, from 1; 0 where it has none.
    rows: Vec<u32>,
    lengths: StepLengths,
    known: FxHashMap<(CallKey, Option<SequenceLengths>), Option<Work>>,
}

impl<'a> Works<'a> {
    /// None counted yet. `lengths`: of the steps, where they are recorded.
    pub fn new(view: &View<'a>, lengths: StepLengths) -> Self {
        let shapes = view.profile.attribute("input_shape").map(|a| &a.values[..]);
        // Searched for call by call they would be half of the time of an answer that looks at every operator.
        let mut rows = vec![0; shapes.map_or(0, <[StrId]>::len)];
        for (at, inputs) in (1..).zip(&view.torch.inputs) {
            if let Some(row) = rows.get_mut(inputs.slice as usize) {
                *row = at;
            }
        }
        Works { view: *view, shapes, rows, lengths, known: FxHashMap::default() }
    }

    /// What makes the work of an operator's call; `None` where no inputs are recorded.
    pub fn key(&self, slice: u32) -> Option<CallKey> {
        let shape = *self.shapes?.get(slice as usize)?;
        let row = self.rows.get(slice as usize)?.checked_sub(1)?;
        let inputs = self.view.torch.inputs.get(row as usize)?;
        Some((self.view.profile.slices.name[slice as usize], shape, inputs.types, inputs.concrete))
    }

    /// The work of a call with that key. `launched`: when, for operators whose work depends on their step.
    pub fn of(&mut self, key: CallKey, launched: impl FnOnce() -> Option<i64>) -> Option<Work> {
        let strings = &self.view.profile.strings;
        let name = || super::core::names::operator_name(strings.get(key.0));
        let needs_lengths = !self.lengths.is_empty() && paged::needs_lengths(name());
        let lengths = if needs_lengths { self.lengths_at(launched()?) } else { None };
        *self.known.entry((key, lengths)).or_insert_with(|| {
            let inputs = Inputs::new(strings.get(key.1), strings.get(key.2), strings.get(key.3));
            let paged = lengths.and_then(|lengths| paged::work(name(), &inputs, lengths));
            paged.or_else(|| work(name(), &inputs))
        })
    }

    fn lengths_at(&self, time: i64) -> Option<SequenceLengths> {
        let after = self.lengths.partition_point(|step| step.0 <= time);
        let (_, end, lengths) = self.lengths.get(after.checked_sub(1)?)?;
        (time < *end).then_some(*lengths)
    }
}
