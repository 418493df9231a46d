//! Attention: two products of queries with keys and of weights with values, half of them under a causal mask; backward five instead of two.
//! Queries, keys, values and the result are moved once. Source: FlashAttention-2 (Dao 2023), section 4.1. TraceLens counts the same.

use super::inputs::{Dtype, Inputs};
use super::{Family, Work};

/// B, heads, length, width.
type Shape = [u64; 4];

/// The work of an attention operator; `None` for others.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let plain = |at: usize| inputs.tensor_of::<4>(at);
    // The heads are after the length.
    let swapped = |at: usize| inputs.tensor_of::<4>(at).map(|([b, n, h, d], dtype)| ([b, h, n, d], dtype));
    match name {
        "aten::_scaled_dot_product_flash_attention" => of([plain(0)?, plain(1)?, plain(2)?], inputs.flag(4)?, 2, 1),
        "aten::_scaled_dot_product_efficient_attention" => of([plain(0)?, plain(1)?, plain(2)?], inputs.flag(6)?, 2, 1),
        "aten::_scaled_dot_product_cudnn_attention" => of([plain(0)?, plain(1)?, plain(2)?], inputs.flag(6)?, 2, 1),
        "aten::_scaled_dot_product_flash_attention_backward" => of([plain(1)?, plain(2)?, plain(3)?], inputs.flag(11)?, 5, 2),
        "aten::_scaled_dot_product_efficient_attention_backward" => of([plain(1)?, plain(2)?, plain(3)?], inputs.flag(11)?, 5, 2),
        "aten::_scaled_dot_product_cudnn_attention_backward" => of([plain(1)?, plain(2)?, plain(3)?], inputs.flag(14)?, 5, 2),
        "flash_attn::_flash_attn_backward" => of([swapped(1)?, swapped(2)?, swapped(3)?], inputs.flag(11)?, 5, 2),
        "flash_attn::_flash_attn_forward" => of([swapped(0)?, swapped(1)?, swapped(2)?], inputs.flag(5)?, 2, 1),
        _ => None,
    }
}

/// `products`: matrix products, two in the forward pass; `passes` over all tensors.
fn of([q, k, v]: [(Shape, Dtype); 3], is_causal: bool, products: u64, passes: u64) -> Option<Work> {
    let ([b, h, n_q, d], dtype) = q;
    let ([b_k, h_k, n_k, d_k], _) = k;
    let ([b_v, h_v, n_v, d_v], _) = v;
    if b != b_k || b != b_v || d != d_k || n_k != n_v || h_k != h_v {
        return None;
    }
    let pairs = b.checked_mul(h)?.checked_mul(n_q)?.checked_mul(n_k)?;
    let forward = pairs.checked_mul(d.checked_add(d_v)?)?.checked_mul(2)?;
    let flops = forward.checked_mul(products)? / 2 / if is_causal { 2 } else { 1 };
    let rows = |heads: u64, n: u64, width: u64| b.checked_mul(heads)?.checked_mul(n)?.checked_mul(width);
    let parts = [rows(h, n_q, d)?, rows(h_k, n_k, d)?, rows(h_v, n_v, d_v)?, rows(h, n_q, d_v)?];
    let elements = parts.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))?;
    let bytes = elements.checked_mul(dtype.size_bytes())?.checked_mul(passes)?;
    Some(Work { family: Family::Attention, flops, bytes, dtype, is_matrix: true, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_is_counted() {
        let found = |causal: &str| {
            let types = r#"["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"]"#;
            let dims = "[[4, 12, 197, 64], [4, 12, 197, 64], [4, 12, 197, 64], [], []]";
            let inputs = Inputs::new(dims, types, &format!(r#"["", "", "", "0.", "{causal}"]"#));
            work("aten::_scaled_dot_product_flash_attention", &inputs).map(|w| (w.flops, w.bytes))
        };
        assert_eq!(found("False"), Some((476_884_992, 4_841_472)));
        assert_eq!(found("True"), Some((238_442_496, 4_841_472)));
        // Backward: five products of which the forward pass has two, and all tensors twice.
        let backward = |name: &str, at: usize| {
            let n = at + 1;
            let types = format!("[{}]", [r#""c10::BFloat16""#; 4].join(","));
            let dims = "[[4, 12, 197, 64], [4, 12, 197, 64], [4, 12, 197, 64], [4, 12, 197, 64]]";
            let concrete: Vec<&str> = (0..n).map(|i| if i == at { r#""False""# } else { r#""""# }).collect();
            work(name, &Inputs::new(dims, &types, &format!("[{}]", concrete.join(",")))).map(|w| (w.flops, w.bytes))
        };
        let twice = Some((1_192_212_480, 9_682_944));
        assert_eq!(backward("aten::_scaled_dot_product_flash_attention_backward", 11), twice);
        assert_eq!(backward("aten::_scaled_dot_product_efficient_attention_backward", 11), twice);
        assert_eq!(backward("aten::_scaled_dot_product_cudnn_attention_backward", 14), twice);
        assert_eq!(backward("aten::_scaled_dot_product_cudnn_attention_backward", 11), None, "another argument");
        // Whether a mask applies is not recorded.
        assert_eq!(found(""), None);
    }
}
