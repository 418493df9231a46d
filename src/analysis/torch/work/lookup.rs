//! Rows that are moved without operations: embeddings read a row of their table for each index; keys and values are written to their place in the cache.
//! Sources: PyTorch `aten/src/ATen/native/native_functions.yaml`; vLLM `csrc/cache_kernels.cu`; SGLang `python/sglang/srt/mem_cache/memory_pool.py`.

use super::inputs::{Inputs, Tensor};
use super::{Family, Work};

/// The work of a lookup or a write to a cache; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    match name {
        "aten::embedding" => {
            let ([_, width], dtype) = inputs.tensor_of::<2>(0)?;
            let indices = inputs.tensor(1)?;
            let rows = indices.elements()?.checked_mul(width)?.checked_mul(dtype.size_bytes())?;
            of(inputs.tensor(0)?, &[rows, rows, indices.bytes()?])
        }
        // key, value, cache of keys, cache of values, places
        "sglang::store_cache" | "_C_cache_ops::reshape_and_cache_flash" => {
            let (key, value) = (inputs.tensor(0)?, inputs.tensor(1)?);
            let written = |from: &Tensor, cache: usize| from.elements()?.checked_mul(inputs.tensor(cache)?.dtype.size_bytes());
            of(key, &[key.bytes()?, value.bytes()?, written(key, 2)?, written(value, 3)?])
        }
        _ => None,
    }
}

fn of(moved: &Tensor, parts: &[u64]) -> Option<Work> {
    let bytes = parts.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))?;
    Some(Work { family: Family::Lookup, flops: 0, bytes, dtype: moved.dtype, is_matrix: false, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted() {
        let found = |name: &str, dims: &str, types: &str| work(name, &Inputs::new(dims, types, "[]")).map(|w| (w.flops, w.bytes));
        // 6 rows of 64: read, written, and the indices.
        let types = r#"["c10::Half", "long int"]"#;
        assert_eq!(found("aten::embedding", "[[1000, 64], [2, 3]]", types), Some((0, 2 * 6 * 64 * 2 + 48)));
        assert_eq!(found("aten::embedding", "[[1000], [2, 3]]", types), None);
        let cache = "[[32, 1024], [32, 1024], [835874, 1024], [835874, 1024], [32]]";
        let half = r#"["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "long int"]"#;
        assert_eq!(found("sglang::store_cache", cache, half), Some((0, 262_144)));
        // A cache of 8-bit values takes half of what is read.
        let small = half.replacen(r#""c10::BFloat16", "c10::BFloat16", "long int""#, r#""unsigned char", "unsigned char", "long int""#, 1);
        assert_eq!(found("_C_cache_ops::reshape_and_cache_flash", cache, &small), Some((0, 131_072 + 65_536)));
    }
}
