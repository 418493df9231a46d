//! Rotary position embedding: each pair of elements takes four products and two sums, three operations an element; queries and keys are read and written
//! once. Sources: RoFormer (Su et al. 2021), equation 34; vLLM `csrc/pos_encoding_kernels.cu`. TraceLens counts the same.
//!
//! Rows of the table of cosines are not counted: how many distinct ones are read is not recorded, and they are few bytes.

use super::inputs::Inputs;
use super::{Family, Work};

/// The work of a rotary embedding: positions, queries, keys, size of a head, table; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    if !matches!(name, "_C::rotary_embedding" | "sgl_kernel::rotary_embedding") {
        return None;
    }
    let query = inputs.tensor(1)?;
    let head: u64 = inputs.concrete(3).parse().ok().filter(|n| *n > 0)?;
    let ([_, rotated], _) = inputs.tensor_of::<2>(4)?;
    if rotated > head {
        return None;
    }
    // Without keys the queries alone are rotated.
    let elements = query.elements()?.checked_add(inputs.tensor(2).map_or(Some(0), |key| key.elements())?)?;
    let turned = (elements / head).checked_mul(rotated)?;
    let bytes = turned.checked_mul(2 * query.dtype.size_bytes())?;
    Some(Work { family: Family::Rope, flops: turned.checked_mul(3)?, bytes, dtype: query.dtype, is_matrix: false, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_counted() {
        let types = r#"["long int", "c10::BFloat16", "c10::BFloat16", "Scalar", "c10::BFloat16", "Scalar"]"#;
        let found = |dims: &str, head: &str| {
            let inputs = Inputs::new(dims, types, &format!(r#"["", "", "", "{head}", "", "True"]"#));
            work("sgl_kernel::rotary_embedding", &inputs).map(|w| (w.flops, w.bytes))
        };
        let dims = "[[32], [32, 4096], [32, 1024], [], [41216, 128], []]";
        assert_eq!(found(dims, "128"), Some((491_520, 655_360)));
        // Half of each head is rotated.
        assert_eq!(found(dims, "256"), Some((245_760, 327_680)));
        assert_eq!(found(dims, "64"), None, "more than a head");
        for head in ["0", "", "-1"] {
            assert_eq!(found(dims, head), None, "{head}");
        }
    }
}
