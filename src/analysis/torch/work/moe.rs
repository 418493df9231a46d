//! Mixture of experts in one operator: each token passes through `top_k` experts, each two products (hidden to gate and up, half of that back to hidden).
//! Tokens, results and the choice are moved once, and the weights of every expert that can be chosen: at most `tokens × top_k` of them. Source: Mixtral
//! (Jiang et al. 2024), section 2; vLLM `fused_experts`, SGLang `fused_experts`, AITER `fused_moe_`: hidden states, both weights, weights and ids of the choice.
//!
//! The chosen experts are not recorded: if tokens share experts, fewer weights are read.

use super::inputs::{Dtype, Inputs};
use super::{Family, Work};

/// The work of a fused mixture of experts; `None` for other operators, and where the sizes do not fit (packed 4-bit weights).
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let is_fused = matches!(
        name,
        "vllm::inplace_fused_experts"
            | "vllm::outplace_fused_experts"
            | "sglang::inplace_fused_experts"
            | "sglang::outplace_fused_experts"
            | "aiter::fused_moe_"
    );
    if !is_fused {
        return None;
    }
    let ([tokens, hidden], dtype) = inputs.tensor_of::<2>(0)?;
    let ([experts, up, h1], weight) = inputs.tensor_of::<3>(1)?;
    let ([experts2, h2, inner], weight2) = inputs.tensor_of::<3>(2)?;
    let ([t1, top_k], scale) = inputs.tensor_of::<2>(3)?;
    let ([t2, k2], id) = inputs.tensor_of::<2>(4)?;
    let is_gated = inner.checked_mul(2)? == up;
    if experts != experts2 || h1 != hidden || h2 != hidden || (t1, t2, k2) != (tokens, tokens, top_k) || !(is_gated || inner == up) {
        return None;
    }
    let routed = tokens.checked_mul(top_k)?;
    let flops = routed.checked_mul(2)?.checked_mul(hidden)?.checked_mul(up.checked_add(inner)?)?;
    let chosen = routed.min(experts);
    let weights = |a: u64, b: u64, dtype: Dtype| chosen.checked_mul(a)?.checked_mul(b)?.checked_mul(dtype.size_bytes());
    let own = tokens.checked_mul(hidden)?.checked_mul(2 * dtype.size_bytes())?;
    let choice = routed.checked_mul(scale.size_bytes().checked_add(id.size_bytes())?)?;
    let parts = [weights(up, hidden, weight)?, weights(hidden, inner, weight2)?, own, choice];
    let bytes = parts.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))?;
    // 8-bit weights meet activations that are quantized before the product.
    let dtype = if matches!(weight, Dtype::Fp8 | Dtype::Int8) { weight } else { dtype };
    Some(Work { family: Family::Moe, flops, bytes, dtype, is_matrix: true, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dims: &str, weight: &str) -> Option<(u64, u64, Dtype)> {
        let types = format!(r#"["c10::BFloat16", "{weight}", "{weight}", "float", "int"]"#);
        work("vllm::inplace_fused_experts", &Inputs::new(dims, &types, "[]")).map(|w| (w.flops, w.bytes, w.dtype))
    }

    #[test]
    fn experts_are_counted() {
        // 3 tokens of 4 to 2 of 8 experts of 5.
        let dims = "[[3, 4], [8, 10, 4], [8, 4, 5], [3, 2], [3, 2]]";
        let weights = 6 * (10 * 4 + 4 * 5);
        assert_eq!(found(dims, "c10::BFloat16"), Some((6 * 2 * 4 * 15, 2 * weights + 3 * 4 * 4 + 6 * 8, Dtype::Bf16)));
        assert_eq!(found(dims, "c10::Float8_e4m3fn"), Some((720, weights + 48 + 48, Dtype::Fp8)));
        // More choices than experts: each is read once.
        let many = "[[30, 4], [8, 10, 4], [8, 4, 5], [30, 2], [30, 2]]";
        assert_eq!(found(many, "c10::BFloat16").map(|w| w.1), Some(2 * 8 * 60 + 30 * 16 + 60 * 8));
        for odd in [
            "[[3, 4], [8, 10, 2], [8, 4, 5], [3, 2], [3, 2]]",
            "[[3, 4], [7, 10, 4], [8, 4, 5], [3, 2], [3, 2]]",
            "[[3, 4], [8, 9, 4], [8, 4, 5], [3, 2], [3, 2]]",
            "[[3, 4], [8, 10, 4], [8, 4, 5], [3, 2], [4, 2]]",
            "[[3, 4], [32, 32], [], []]",
        ] {
            assert_eq!(found(odd, "c10::BFloat16"), None, "{odd}");
        }
        assert_eq!(work("vllm::moe_forward", &Inputs::new(dims, "[]", "[]")), None);
    }
}
