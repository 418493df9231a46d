//! Reductions: one operation an element that is read; softmax five (maximum, difference, exponential, sum, quotient) and a result for each.
//! Source: the definition; TraceLens counts reductions the same, but takes their result for one number.

use super::inputs::Inputs;
use super::{Family, Work};

/// The work of a reduction or a softmax; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let name = name.strip_prefix("aten::")?;
    let input = inputs.tensor(0)?;
    let n = input.elements()?;
    let (flops, results) = match name {
        "sum" | "mean" | "amax" | "amin" | "cumsum" | "norm" | "linalg_vector_norm" | "prod" => {
            let results = if name == "cumsum" { n } else { results(inputs, &input.dims) };
            (n, results)
        }
        "_softmax" | "_log_softmax" => (n.checked_mul(5)?, n),
        "argmax" | "argmin" => return position(inputs, n),
        _ => return None,
    };
    let bytes = input.bytes()?.checked_add(results.checked_mul(input.dtype.size_bytes())?)?;
    Some(Work { family: Family::Reduction, flops, bytes, dtype: input.dtype, is_matrix: false, gemm: None })
}

/// The place of the largest or smallest element, of a dimension or of all: a comparison an element, a result of 8 bytes each.
fn position(inputs: &Inputs, n: u64) -> Option<Work> {
    let input = inputs.tensor(0)?;
    let results = match inputs.concrete(1) {
        "" => 1,
        dim => {
            let dim: i64 = dim.parse().ok()?;
            let at = usize::try_from(if dim < 0 { dim.checked_add(input.dims.len() as i64)? } else { dim }).ok()?;
            n.checked_div(*input.dims.get(at)?)?
        }
    };
    let bytes = input.bytes()?.checked_add(results.checked_mul(8)?)?;
    Some(Work { family: Family::Reduction, flops: n, bytes, dtype: input.dtype, is_matrix: false, gemm: None })
}

/// How many results remain: all but the dimensions that the second input names; one where it names none.
fn results(inputs: &Inputs, dims: &[u64]) -> u64 {
    let Some(reduced) = inputs.numbers(1).filter(|r| !r.is_empty()) else {
        return 1;
    };
    let n = dims.len() as i64;
    let is_reduced = |i: usize| reduced.iter().any(|&r| r == i as i64 || r + n == i as i64);
    dims.iter().enumerate().filter(|(i, _)| !is_reduced(*i)).fold(1u64, |product, (_, &size)| product.saturating_mul(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_are_counted() {
        let found = |name: &str, dim: &str| {
            let inputs = Inputs::new("[[4, 6], []]", r#"["float", "ScalarList"]"#, &format!(r#"["", "{dim}"]"#));
            work(name, &inputs).map(|w| (w.flops, w.bytes))
        };
        assert_eq!(found("aten::mean", "[-1]"), Some((24, 96 + 16)));
        assert_eq!(found("aten::sum", "[0]"), Some((24, 96 + 24)));
        assert_eq!(found("aten::sum", ""), Some((24, 96 + 4)));
        assert_eq!(found("aten::_softmax", "-1"), Some((120, 192)));
        assert_eq!(found("aten::argmax", "-1"), Some((24, 96 + 32)));
        assert_eq!(found("aten::argmax", ""), Some((24, 96 + 8)));
        assert_eq!(found("aten::argmin", "3"), None, "no such dimension");
        assert_eq!(found("aten::all", ""), None);
    }
}
