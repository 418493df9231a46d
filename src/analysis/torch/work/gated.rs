//! Gated activations of serving engines: half of a row goes through SiLU (negation, exponential, sum, quotient) and multiplies the other half, five
//! operations a result; the row is read and the result written once. Source: vLLM `csrc/activation_kernels.cu`. TraceLens counts the same.

use super::inputs::Inputs;
use super::{Family, Work};

/// The work of a gated activation: result, rows; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    if !matches!(name, "_C::silu_and_mul" | "sgl_kernel::silu_and_mul" | "aiter::silu_and_mul") {
        return None;
    }
    let (out, rows) = (inputs.tensor(0)?, inputs.tensor(1)?);
    let n = out.elements()?;
    if rows.elements()? != n.checked_mul(2)? {
        return None;
    }
    let bytes = rows.bytes()?.checked_add(out.bytes()?)?;
    Some(Work { family: Family::Elementwise, flops: n.checked_mul(5)?, bytes, dtype: rows.dtype, is_matrix: false, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gated_activations_are_counted() {
        let found = |name: &str, dims: &str| {
            work(name, &Inputs::new(dims, r#"["c10::BFloat16", "c10::BFloat16"]"#, "[]")).map(|w| (w.flops, w.bytes))
        };
        assert_eq!(found("sgl_kernel::silu_and_mul", "[[32, 12288], [32, 24576]]"), Some((1_966_080, 2_359_296)));
        assert_eq!(found("_C::silu_and_mul", "[[32, 12288], [32, 12288]]"), None, "no gate");
        assert_eq!(found("aten::silu", "[[32, 12288], [32, 24576]]"), None);
    }
}
