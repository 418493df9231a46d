//! Operators that compute each result from the elements at its place: one operation a result, whatever the function; each input is read and the
//! result written once. Source: TraceLens counts the same; a transcendental function takes more instructions, but these are bound by memory.

use super::inputs::{Inputs, Tensor, product};
use super::{Family, Work};

const BINARY: [&str; 14] = [
    "add",
    "add_",
    "sub",
    "sub_",
    "rsub",
    "mul",
    "mul_",
    "div",
    "div_",
    "maximum",
    "minimum",
    "atan2",
    "silu_backward",
    "threshold_backward",
];
const UNARY: [&str; 26] = [
    "abs",
    "cos",
    "sin",
    "exp",
    "gelu",
    "log",
    "neg",
    "pow",
    "reciprocal",
    "relu",
    "relu_",
    "rsqrt",
    "sigmoid",
    "silu",
    "silu_",
    "sqrt",
    "tanh",
    "clamp",
    "clamp_min",
    "clamp_max",
    "floor",
    "round",
    "erf",
    "leaky_relu",
    "square",
    "bitwise_not",
];

/// The work of an elementwise operator; `None` for others.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let name = name.strip_prefix("aten::")?;
    let first = inputs.tensor(0)?;
    if name == "copy_" {
        let source = inputs.tensor(1)?;
        return of(first, first.elements()?, &[source]);
    }
    if matches!(name, "upsample_nearest1d" | "upsample_nearest2d" | "upsample_bilinear2d") {
        let size = inputs.numbers(1)?.into_iter().map(|n| u64::try_from(n).ok()).collect::<Option<Vec<u64>>>()?;
        let dims: Vec<u64> = first.dims.iter().take(2).copied().chain(size).collect();
        return of(first, product(&dims).filter(|_| dims.len() == first.dims.len())?, &[first]);
    }
    if UNARY.contains(&name) {
        return of(first, first.elements()?, &[first]);
    }
    if !BINARY.contains(&name) {
        return None;
    }
    let Some(second) = inputs.tensor(1) else {
        // The other operand is a number.
        return of(first, first.elements()?, &[first]);
    };
    let n = product(&broadcast(&first.dims, &second.dims)?)?;
    // A tensor of one number does not decide the result's type.
    let wider = match (first.dims.is_empty(), second.dims.is_empty()) {
        (false, true) => first,
        (true, false) => second,
        _ if name.ends_with('_') || first.dtype.size_bytes() >= second.dtype.size_bytes() => first,
        _ => second,
    };
    of(wider, n, &[first, second])
}

/// `n` results of the type of `out`, from `read`.
fn of(out: &Tensor, n: u64, read: &[&Tensor]) -> Option<Work> {
    let written = n.checked_mul(out.dtype.size_bytes())?;
    let bytes = read.iter().try_fold(written, |sum, tensor| sum.checked_add(tensor.bytes()?))?;
    Some(Work { family: Family::Elementwise, flops: n, bytes, dtype: out.dtype, is_matrix: false, gemm: None })
}

/// The shape that two shapes are stretched to.
fn broadcast(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let n = a.len().max(b.len());
    let at = |dims: &[u64], i: usize| (i + dims.len()).checked_sub(n).and_then(|i| dims.get(i).copied()).unwrap_or(1);
    (0..n)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, dims: &str, types: &str) -> Option<(u64, u64)> {
        work(name, &Inputs::new(dims, types, r#"["", "[8]"]"#)).map(|w| (w.flops, w.bytes))
    }

    #[test]
    fn elements_are_counted() {
        let floats = r#"["float", "float"]"#;
        assert_eq!(found("aten::add", "[[4, 3], [4, 3]]", floats), Some((12, 144)));
        assert_eq!(found("aten::mul", "[[4, 3], [1, 3]]", floats), Some((12, (12 + 3 + 12) * 4)));
        assert_eq!(found("aten::mul", "[[4, 3], []]", r#"["c10::BFloat16", "double"]"#), Some((12, 24 + 8 + 24)));
        assert_eq!(found("aten::add", "[[4, 3], []]", r#"["float", "Scalar"]"#), Some((12, 96)));
        assert_eq!(found("aten::copy_", "[[4], [4]]", r#"["int", "long int"]"#), Some((4, 48)));
        assert_eq!(found("aten::silu", "[[4]]", r#"["c10::Half"]"#), Some((4, 16)));
        assert_eq!(found("aten::upsample_nearest1d", "[[1, 2, 4], []]", r#"["c10::Half", "ScalarList"]"#), Some((16, 16 + 32)));
        assert_eq!(found("aten::add", "[[4, 3], [4, 2]]", floats), None);
        assert_eq!(found("aten::cat", "[[4, 3], [4, 3]]", floats), None);
    }
}
