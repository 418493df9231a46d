//! Attention over a paged cache, in steps that record the lengths of their sequences: for each pair of a query and a key that the causal mask leaves, two
//! products of the width of a head; the keys and values of the sequences are read once, queries and the result moved once. Source: FlashAttention-2 (Dao
//! 2023), section 4.1, with the sums of lengths in the annotation of the step (vLLM RFC 45069, SGLang pull request 24370). TraceLens counts the same.
//!
//! A sliding window is not recorded: a layer with one reads and computes less.

use super::inputs::Inputs;
use super::{Family, Work};

/// Lengths of the sequences that a step works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SequenceLengths {
    /// Keys of all requests.
    pub keys: u64,
    /// Pairs of a query and a key that the causal mask leaves.
    pub pairs: u64,
}

/// Places of queries, result and keys among the inputs: the last gives heads and width of the cache.
fn places(name: &str) -> Option<(usize, usize, usize)> {
    match name {
        // query, key, value, output
        "vllm::unified_attention_with_output" => Some((0, 3, 1)),
        // q, workspace, out, k_cache, v_cache
        "sglang_profiler::attention_paged_attention_ragged" => Some((0, 2, 3)),
        _ => None,
    }
}

/// Whether the work of an operator depends on the lengths of sequences.
pub fn needs_lengths(name: &str) -> bool {
    places(name).is_some()
}

/// The work of a call in a step with these lengths; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs, lengths: SequenceLengths) -> Option<Work> {
    let (query, out, key) = places(name)?;
    let ([tokens, heads, width], dtype) = inputs.tensor_of::<3>(query)?;
    let out = inputs.tensor(out)?;
    let cache = inputs.tensor(key)?;
    let [.., kv_heads, kv_width] = cache.dims[..] else { return None };
    if kv_width != width || kv_heads == 0 || heads % kv_heads != 0 || out.elements()? != tokens.checked_mul(heads)?.checked_mul(width)? {
        return None;
    }
    let flops = lengths.pairs.checked_mul(heads)?.checked_mul(width)?.checked_mul(4)?;
    let moved = lengths.keys.checked_mul(kv_heads)?.checked_mul(kv_width)?.checked_mul(2 * cache.dtype.size_bytes())?;
    let own = tokens.checked_mul(heads)?.checked_mul(width)?.checked_mul(dtype.size_bytes())?.checked_add(out.bytes()?)?;
    Some(Work { family: Family::Attention, flops, bytes: moved.checked_add(own)?, dtype, is_matrix: true, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BF16: &str = r#"["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]"#;

    fn found(dims: &str, keys: u64) -> Option<(u64, u64)> {
        work("vllm::unified_attention_with_output", &Inputs::new(dims, BF16, "[]"), SequenceLengths { keys, pairs: keys })
            .map(|w| (w.flops, w.bytes))
    }

    #[test]
    fn attention_reads_the_keys_of_its_sequences() {
        // 32 requests with 55,086 keys; 64 heads, 8 of them in the cache.
        let dims = "[[32, 64, 64], [32, 8, 64], [32, 8, 64], [32, 64, 64]]";
        assert_eq!(found(dims, 55_086), Some((902_529_024, 113_340_416)));
        assert_eq!(found(dims, u64::MAX), None);
        assert_eq!(found("[[32, 64, 64], [32, 7, 64], [32, 8, 64], [32, 64, 64]]", 9), None, "heads that share no key");
        assert_eq!(found("[[32, 64, 64], [32, 8, 32], [32, 8, 64], [32, 64, 64]]", 9), None, "another width");
        assert_eq!(found("[[32, 4096], [32, 8, 64], [32, 8, 64], [32, 64, 64]]", 9), None);
        assert_eq!(found("[[32, 64, 64], [], [], [32, 64, 64]]", 9), None);
        assert!(needs_lengths("vllm::unified_attention_with_output") && !needs_lengths("aten::mm"));
    }
}
