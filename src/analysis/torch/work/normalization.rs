//! Normalizations: mean, variance, subtraction, scaling and the affine part, five operations an element; with statistics, six for each channel.
//! Input and result are moved once, with weight, bias and two statistics in single precision for each channel.
//! RMS normalizations of serving engines: arguments by vLLM `csrc/torch_bindings.cpp`, SGLang `sgl-kernel/csrc/common_extension.cc`, AITER `aiter/ops/rmsnorm.py`.
//! Source: counted as TraceLens does, which takes all of them for batch normalization; the difference to counting statistics by row is below 0.4%.

use super::inputs::Inputs;
use super::{Family, Work};

/// The work of a normalization; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let (weight, bias) = match name {
        "aten::layer_norm" | "aten::native_layer_norm" => (2, 3),
        "aten::native_batch_norm" | "aten::cudnn_batch_norm" | "aten::miopen_batch_norm" | "aten::batch_norm" => (1, 2),
        "aten::rms_norm" | "aten::_fused_rms_norm" => return rms_norm(inputs, 0, 2, false),
        // input, weight
        "aiter::rms_norm" => return rms_norm(inputs, 0, 1, false),
        // output, input, weight
        "aiter::rmsnorm" | "_C::rms_norm" | "sgl_kernel::rmsnorm" => return rms_norm(inputs, 1, 2, false),
        // input, residual, weight: both are written over.
        "_C::fused_add_rms_norm" | "sgl_kernel::fused_add_rmsnorm" => return rms_norm(inputs, 0, 2, true),
        // output, input, residual, new residual, weight
        "aiter::add_rmsnorm" | "aiter::rmsnorm2d_fwd_with_add_ck" => return rms_norm(inputs, 1, 4, true),
        _ => return None,
    };
    let input = inputs.tensor(0)?;
    let n = input.elements()?;
    let channels = match weight {
        2 => inputs.tensor(weight).and_then(|w| w.elements()).or_else(|| last(inputs, input.dims.len()))?,
        _ => *input.dims.get(1)?,
    };
    let of = |at: usize| inputs.tensor(at).map_or(Some(0), |t| t.bytes());
    let flops = n.checked_mul(5)?.checked_add(channels.checked_mul(6)?)?;
    let parameters = of(weight)?.checked_add(of(bias)?)?.checked_add(channels.checked_mul(8)?)?;
    let bytes = input.bytes()?.checked_mul(2)?.checked_add(parameters)?;
    Some(Work { family: Family::Normalization, flops, bytes, dtype: input.dtype, is_matrix: false, gemm: None })
}

/// Elements of the shape that `layer_norm` is given.
fn last(inputs: &Inputs, n_dims: usize) -> Option<u64> {
    let shape = inputs.numbers(1).filter(|s| s.len() <= n_dims)?;
    shape.iter().try_fold(1u64, |product, &n| product.checked_mul(u64::try_from(n).ok()?))
}

/// Square, sum, scale, weight: four operations an element, two for each row. With a residual that is added first, one more; it is read and written too.
fn rms_norm(inputs: &Inputs, input: usize, weight: usize, has_residual: bool) -> Option<Work> {
    let input = inputs.tensor(input)?;
    let (n, width) = (input.elements()?, *input.dims.last()?);
    let (operations, tensors) = if has_residual { (5, 4) } else { (4, 2) };
    let flops = n.checked_mul(operations)?.checked_add(n.checked_div(width)?.checked_mul(2)?)?;
    let weight = inputs.tensor(weight).map_or(Some(0), |t| t.bytes())?;
    let bytes = input.bytes()?.checked_mul(tensors)?.checked_add(weight)?;
    Some(Work { family: Family::Normalization, flops, bytes, dtype: input.dtype, is_matrix: false, gemm: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizations_are_counted() {
        let types = r#"["c10::BFloat16", "ScalarList", "c10::BFloat16", "c10::BFloat16"]"#;
        let inputs = Inputs::new("[[4, 197, 768], [], [768], [768]]", types, r#"["", "[768]", "", ""]"#);
        let found = work("aten::layer_norm", &inputs).map(|w| (w.flops, w.bytes));
        assert_eq!(found, Some((3_030_528, 2_429_952)));
        let inputs = Inputs::new("[[32, 4096], [], [4096]]", types, r#"["", "[4096]", ""]"#);
        assert_eq!(work("aten::rms_norm", &inputs).map(|w| (w.flops, w.bytes)), Some((524_352, 532_480)));
        let bf16 = r#"["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]"#;
        let serving = |name: &str, dims: &str| work(name, &Inputs::new(dims, bf16, "[]")).map(|w| (w.flops, w.bytes));
        assert_eq!(serving("aiter::rms_norm", "[[32, 2880], [2880]]"), Some((368_704, 374_400)));
        assert_eq!(serving("_C::rms_norm", "[[32, 2880], [32, 2880], [2880]]"), Some((368_704, 374_400)));
        let added = Some((460_864, 743_040));
        assert_eq!(serving("sgl_kernel::fused_add_rmsnorm", "[[32, 2880], [32, 2880], [2880]]"), added);
        assert_eq!(serving("aiter::add_rmsnorm", "[[32, 2880], [32, 2880], [32, 2880], [32, 2880], [2880]]"), added);
        let empty = Inputs::new("[[32, 0], [], [0]]", types, r#"["", "[0]", ""]"#);
        assert_eq!(work("aten::rms_norm", &empty), None);
    }
}
