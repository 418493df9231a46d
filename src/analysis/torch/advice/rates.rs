//! Advice from the work of operators: matrix products below their roof, sizes that fill their last tile badly, tensor cores that are not used, elementwise
//! chains, attention without a fused kernel, conversions of types.

use super::savings::{COST_MIN, Saving, evidence, sum};
use super::{percent, share, waves, whole};
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::core::names::operator_name;
use crate::analysis::torch::core::{NodeTimes, events::NONE};
use crate::analysis::torch::efficiency::{Call, calls, device_peaks, work_below};
use crate::analysis::torch::overview::{Overview, Recommendation};
use crate::analysis::torch::work::inputs::{Dtype, Inputs};
use crate::analysis::torch::work::{Bound, Family};
use crate::base::{SliceId, StrId, text};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// A matrix product below this share of its roof is reported.
const ROOF_MIN: f64 = 0.5;
/// Rows and columns that a thread block of a matrix product computes, at least: M or N just over a multiple leaves the last tile nearly empty.
const TILE: u64 = 128;
/// The last tile is nearly empty below this share.
const LAST_TILE_MAX: f64 = 0.25;
/// Consecutive elementwise operators from which a chain is reported.
const CHAIN_MIN: usize = 3;
const CONVERSIONS_MIN: f64 = 0.03;

pub fn recommendations(view: &View<'_>, overview: &Overview) -> Vec<Recommendation> {
    if view.torch.inputs.is_empty() || view.torch.kernels.is_empty() {
        return Vec::new();
    }
    let times = NodeTimes::new(view.profile, view.model);
    let (start, end) = (overview.steps.first().map_or(0, |s| s.start.0), overview.steps.last().map_or(0, |s| s.end.0));
    let mut all: Vec<Call> = Vec::new();
    let starts = &view.profile.slices.start;
    calls(view, &times, |call| {
        if !call.is_inner && (start..end).contains(&starts[call.slice as usize]) {
            all.push(call);
        }
    });
    let found = [
        below_roof(view, overview, &all),
        tiles(view, overview, &all),
        waves::recommendation(view, overview, &all),
        tensor_cores(view, overview, &all),
        chains(view, overview, &all),
        math_attention(view, overview, &times, (start, end)),
        conversions(view, overview, &all),
    ];
    found.into_iter().flatten().collect()
}

/// Names of slices that are calls of an operator: of each distinct name once.
fn named(view: &View<'_>, operator: &str) -> Vec<StrId> {
    view.profile.strings.iter().filter(|(_, name)| operator_name(name) == operator).map(|(id, _)| id).collect()
}

/// Matrix products that reach less than half of what operations and bytes allow.
fn below_roof(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let peaks = device_peaks(view, None).1?;
    let won = |call: &Call| {
        let best = peaks.roof(&call.work).best_ns()?;
        (best < call.time as f64 * ROOF_MIN).then_some((call.slice, call.time - best.ceil() as i64))
    };
    let slow: Vec<Saving> = all.iter().filter(|c| c.work.family == Family::Gemm).filter_map(won).collect();
    let cost = sum(&slow);
    (share(cost, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "gemm_below_roof".into(),
        title: "Matrix products below half of the roof".into(),
        text: format!(
            "{} of {} matrix products reach less than half of what the device allows; {} could be saved. See Efficiency for their sizes: try larger batches, padded sizes, another layout, or tuned kernels (TunableOp, max-autotune).",
            text::count(slow.len() as u64),
            text::count(all.iter().filter(|c| c.work.family == Family::Gemm).count() as u64),
            text::duration(cost)
        ),
        threshold: "under 50% of the roof, over 2% of the time of the steps to win".into(),
        how: format!(
            "Kernel time of each call minus the longer of operations ÷ peak and bytes ÷ bandwidth, by the {} of {}.",
            crate::analysis::torch::work::peaks::LABEL, peaks.device
        ),
        cost: Some(cost),
        evidence: evidence(view, &slow),
        link: "https://pytorch.org/docs/stable/cuda.tunable.html".into(),
    })
}

/// Share (0 to 1) of the tiles that hold no result, where M or N is just over a multiple of the tile.
fn empty_share(size: u64) -> Option<f64> {
    let rest = size % TILE;
    let is_just_over = size > TILE && rest > 0 && (rest as f64) < TILE as f64 * LAST_TILE_MAX;
    is_just_over.then(|| (TILE - rest) as f64 / size.div_ceil(TILE).saturating_mul(TILE) as f64)
}

/// Matrix products with M or N just over a multiple of the tile.
fn tiles(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let peaks = device_peaks(view, None).1;
    let won = |call: &Call| {
        let gemm = call.work.gemm?;
        // A product that memory limits waits for its bytes, not for its tiles.
        if peaks.and_then(|p| p.roof(&call.work).bound()) == Some(Bound::Memory) {
            return None;
        }
        let (m, n) = (empty_share(gemm.m).unwrap_or(0.0), empty_share(gemm.n).unwrap_or(0.0));
        let empty = 1.0 - (1.0 - m) * (1.0 - n);
        (empty > 0.0).then_some((call.slice, (call.time as f64 * empty) as i64))
    };
    let found: Vec<Saving> = all.iter().filter_map(won).collect();
    let cost = sum(&found);
    (share(cost, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "tile_quantization".into(),
        title: "Sizes just over a multiple of the tile".into(),
        text: format!(
            "{} matrix products have M or N just over a multiple of {TILE}, so their last tiles are nearly empty: about {}. Try sizes that are multiples of {TILE} (padded vocabulary, hidden sizes, batch).",
            text::count(found.len() as u64),
            text::duration(cost)
        ),
        threshold: "last tile under 25% full, over 2% of the time of the steps".into(),
        how: format!("Kernel time of compute-bound calls × the share of tiles of {TILE} × {TILE} that hold no result. Kernels with other tiles lose another share."),
        cost: Some(cost),
        evidence: evidence(view, &found),
        link: String::new(),
    })
}

/// Matrix operations in half precision or 8 bits with no kernel that uses tensor cores.
fn tensor_cores(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let peaks = device_peaks(view, None).1?;
    let is_nvidia = peaks.source.contains("NVIDIA");
    let won = |call: &Call| {
        let best = peaks.roof(&call.work).best_ns()?;
        let is_small = matches!(call.work.dtype, Dtype::Bf16 | Dtype::Fp16 | Dtype::Fp8 | Dtype::Int8);
        if !call.work.is_matrix || !is_small || !is_nvidia || peaks.roof(&call.work).bound() == Some(Bound::Memory) {
            return None;
        }
        let mut kernels = work_below(view, call.node).map(|work| view.model.events.work[work as usize]);
        let is_used =
            kernels.any(|s| view.model.class[s as usize] == Class::Kernel && view.model.uses_tensor_cores(view.profile, SliceId(s)));
        (!is_used).then_some((call.slice, call.time - best.ceil() as i64))
    };
    let found: Vec<Saving> = all.iter().filter_map(won).filter(|w| w.1 > 0).collect();
    let cost = sum(&found);
    (share(cost, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "tensor_cores_unused".into(),
        title: "Tensor cores are not used".into(),
        text: format!(
            "{} matrix operations in a type that tensor cores support ran kernels without them; up to {} could be saved. Check that sizes are multiples of 8 (16 for 8-bit types) and that operands are contiguous.",
            text::count(found.len() as u64),
            text::duration(cost)
        ),
        threshold: "over 2% of the time of the steps".into(),
        how: "Compute-bound calls in FP16, BF16, FP8 or INT8 without a kernel that uses tensor cores by its name; kernel time minus time at the roof.".into(),
        cost: Some(cost),
        evidence: evidence(view, &found),
        link: String::new(),
    })
}

/// Elementwise operators of one shape that follow each other: each reads what the one before wrote.
fn chains(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let trees = &view.model.trees;
    let is_next = |a: &Call, b: &Call| {
        let (parent_a, parent_b) = (trees.parent[a.node as usize], trees.parent[b.node as usize]);
        parent_a == parent_b
            && trees.end[a.node as usize] == b.node
            && a.work.bytes.abs_diff(b.work.bytes) <= a.work.bytes.max(b.work.bytes) / 2
    };
    let is_elementwise = |c: &Call| c.work.family == Family::Elementwise;
    let (mut chains, mut won): (u64, Vec<Saving>) = (0, Vec::new());
    let mut at = 0;
    while at < all.len() {
        let mut end = at + 1;
        while end < all.len() && is_elementwise(&all[at]) && is_elementwise(&all[end]) && is_next(&all[end - 1], &all[end]) {
            end += 1;
        }
        if end - at >= CHAIN_MIN && is_elementwise(&all[at]) {
            // A fused kernel reads once and writes once: the time of the longest remains.
            let time: i64 = all[at..end].iter().map(|c| c.time).sum();
            let longest = all[at..end].iter().map(|c| c.time).max().unwrap_or(0);
            chains += 1;
            won.push((all[at].slice, time - longest));
        }
        at = end;
    }
    let cost = sum(&won);
    (share(cost, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "elementwise_chains".into(),
        title: "Elementwise operators that could be fused".into(),
        text: format!(
            "{} chains of {CHAIN_MIN} or more elementwise operators on tensors of one size read and write memory each; fused, about {} could be saved. Try torch.compile or a fused kernel.",
            text::count(chains),
            text::duration(cost)
        ),
        threshold: "over 2% of the time of the steps".into(),
        how: "Elementwise operators that follow each other under one parent, with bytes within a factor of two; their kernel time minus the longest of each chain.".into(),
        cost: Some(cost),
        evidence: evidence(view, &won),
        link: "https://pytorch.org/docs/stable/torch.compiler.html".into(),
    })
}

/// Attention by the math backend, which writes the matrix of weights to memory.
fn math_attention(view: &View<'_>, overview: &Overview, times: &NodeTimes, (start, end): (i64, i64)) -> Option<Recommendation> {
    let (trees, slices) = (&view.model.trees, &view.profile.slices);
    let names = named(view, "aten::_scaled_dot_product_attention_math");
    if names.is_empty() {
        return None;
    }
    let is_math = |node: usize| {
        let slice = trees.slice[node];
        slice != NO_SLICE && names.contains(&slices.name[slice as usize]) && (start..end).contains(&slices.start[slice as usize])
    };
    // Autograd may call it inside itself.
    let is_outer = |node: usize| trees.parent[node] == NONE || !is_math(trees.parent[node] as usize);
    let found: Vec<Saving> =
        (0..trees.len()).filter(|&n| is_math(n) && is_outer(n)).map(|n| (trees.slice[n], times.device_total[n])).collect();
    let time = sum(&found);
    (share(time, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "math_attention".into(),
        title: "Attention without a fused kernel".into(),
        text: format!(
            "{} calls of attention ({}) use the math backend, which writes the matrix of weights to memory. FlashAttention needs FP16 or BF16, a supported head size and no arbitrary mask; see `torch.nn.attention.sdpa_kernel`.",
            text::count(found.len() as u64),
            text::duration(time)
        ),
        threshold: "over 2% of the time of the steps".into(),
        how: "Device time of `aten::_scaled_dot_product_attention_math`. What a fused kernel would take is not known.".into(),
        cost: None,
        evidence: evidence(view, &found),
        link: "https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html".into(),
    })
}

/// Copies between tensors of different types.
fn conversions(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let string = |id: StrId| view.profile.strings.get(id);
    let copies = named(view, "aten::copy_");
    let mut by_types: FxHashMap<(StrId, StrId), bool> = FxHashMap::default();
    let is_conversion = |call: &&Call| {
        copies.contains(&call.key.0)
            && *by_types.entry((call.key.1, call.key.2)).or_insert_with(|| {
                let inputs = Inputs::new(string(call.key.1), string(call.key.2), "");
                inputs.tensor(0).zip(inputs.tensor(1)).is_some_and(|(to, from)| to.dtype != from.dtype)
            })
    };
    let found: Vec<Saving> = all.iter().filter(is_conversion).map(|c| (c.slice, c.time)).collect();
    let cost = sum(&found);
    let part = share(cost, whole(overview));
    (part > CONVERSIONS_MIN).then(|| Recommendation {
        id: "dtype_conversions".into(),
        title: "Conversions between types".into(),
        text: format!(
            "{} copies convert between types and take {} ({} of the steps). Keep weights and activations in one type, or let torch.compile fuse the conversions.",
            text::count(found.len() as u64),
            text::duration(cost),
            percent(part)
        ),
        threshold: "over 3% of the time of the steps".into(),
        how: "Kernel time of `aten::copy_` calls with different types of source and destination.".into(),
        cost: Some(cost),
        evidence: evidence(view, &found),
        link: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::empty_share;

    #[test]
    fn sizes_just_over_a_tile_leave_it_empty() {
        assert_eq!(empty_share(129), Some(127.0 / 256.0));
        assert_eq!(empty_share(4_097).map(|s| (s * 1e4).round()), Some((127.0f64 / 4_224.0 * 1e4).round()));
        for fine in [0, 1, 64, 128, 160, 256, 4_096] {
            assert_eq!(empty_share(fine), None, "{fine}");
        }
    }
}
