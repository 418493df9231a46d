//! Kernels that Inductor generates with Triton: the bytes of their arguments, each read or written once, and no operations, since what is fused is not
//! recorded. An argument counts for as many elements as the kernel has at most (`xnumel`, `rnumel`): of a table that is looked up, the rest is not read.
//! Sources: PyTorch `torch/_inductor/codegen/triton.py` (names, arguments, sizes), and `runtime/benchmark_utils.py`, which counts the bytes of arguments.

use super::inputs::{Dtype, Inputs, product};
use super::{Family, Work};

/// Pointwise, reduction, persistent reduction, split scan.
const KINDS: [&str; 4] = ["poi", "red", "per", "spl"];

/// The bytes of a generated kernel; `None` for other operators, and where its size is not recorded.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let rest = name.strip_prefix("triton_")?;
    KINDS.iter().find(|kind| rest.strip_prefix(**kind).is_some_and(|rest| rest.starts_with('_')))?;
    let sizes: Vec<u64> =
        (0..inputs.len()).filter(|at| inputs.tensor(*at).is_none()).filter_map(|at| inputs.concrete(at).parse().ok()).collect();
    let elements = product(&sizes).filter(|n| *n > 0 && !sizes.is_empty())?;
    let bytes = inputs
        .tensors()
        .try_fold(0u64, |sum, tensor| sum.checked_add(tensor.elements()?.min(elements).checked_mul(tensor.dtype.size_bytes())?))?;
    // The widest floating-point type of its arguments; without operations it decides nothing.
    let is_integer = |d: &Dtype| matches!(d, Dtype::Integer(_) | Dtype::Complex(_));
    let dtype = inputs.tensors().map(|t| t.dtype).max_by_key(|d| (!is_integer(d), d.size_bytes()))?;
    Some(Work { family: Family::Triton, flops: 0, bytes, dtype, is_matrix: false, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_arguments_are_counted() {
        let found = |name: &str, dims: &str, types: &str, concrete: &str| {
            work(name, &Inputs::new(dims, types, concrete)).map(|w| (w.flops, w.bytes))
        };
        let silu = ("[[8, 16], [128], []]", r#"["c10::BFloat16", "float", "Scalar"]"#, r#"["", "", "128"]"#);
        assert_eq!(found("triton_poi_fused__unsafe_view_mul_silu_2", silu.0, silu.1, silu.2), Some((0, 128 * 6)));
        // Two sizes: rows and what is summed over.
        let rms = ("[[8, 16], [16], [8], [], []]", r#"["c10::BFloat16", "c10::BFloat16", "float", "Scalar", "Scalar"]"#);
        assert_eq!(found("triton_red_fused_mean_pow_rsqrt_0", rms.0, rms.1, r#"["", "", "", "8", "16"]"#), Some((0, 256 + 32 + 32)));
        // 64 elements out of a table of 1,000 × 64.
        let table = ("[[1], [1000, 64], [1, 64], []]", r#"["long int", "float", "float", "Scalar"]"#, r#"["", "", "", "64"]"#);
        assert_eq!(found("triton_poi_fused_embedding_0", table.0, table.1, table.2), Some((0, 8 + 256 + 256)));
        assert_eq!(found("triton_poi_fused_0", "[[8]]", r#"["float"]"#, r#"[""]"#), None, "its size is not recorded");
        assert_eq!(found("triton_poi_fused_0", "[[8], []]", r#"["float", "Scalar"]"#, r#"["", "0"]"#), None);
        assert_eq!(found("triton_tem_fused_mm_0", silu.0, silu.1, silu.2), None, "a template is a matrix product");
        assert_eq!(found("triton_poison", silu.0, silu.1, silu.2), None);
    }
}
