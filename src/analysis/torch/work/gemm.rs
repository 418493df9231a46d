//! Matrix products: 2·M·N·K operations each, one more for each result where a bias is added; every matrix is read or written once.
//! Source: the definition of the product. TraceLens counts the same.

use super::inputs::{Dtype, Inputs, product};
use super::{Family, Gemm, Work};

/// The work of a matrix product; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    let plain = |a: usize, b: usize| {
        let ([m, k], dtype) = inputs.tensor_of::<2>(a)?;
        let ([k2, n], other) = inputs.tensor_of::<2>(b)?;
        (k == k2).then_some((Gemm { b: 1, m, n, k }, dtype, other))
    };
    let batched = |a: usize, b: usize| {
        let ([b1, m, k], dtype) = inputs.tensor_of::<3>(a)?;
        let ([b2, k2, n], other) = inputs.tensor_of::<3>(b)?;
        (k == k2 && b1 == b2).then_some((Gemm { b: b1, m, n, k }, dtype, other))
    };
    match name {
        "aten::mm" => of(plain(0, 1)?, None, false),
        "aten::addmm" | "aten::addmm_" | "aten::_addmm_activation" => of(plain(1, 2)?, None, true),
        "aten::bmm" => of(batched(0, 1)?, None, false),
        "aten::baddbmm" | "aten::baddbmm_" => of(batched(1, 2)?, None, true),
        "aten::_scaled_mm" => {
            of(plain(0, 1)?, Some(Dtype::of_number(inputs.concrete(6)).unwrap_or(Dtype::Bf16)), inputs.tensor(4).is_some())
        }
        "aiter::hipb_mm" | "hipbsolidxgemm_::hipb_mm" => of(plain(0, 1)?, None, false),
        "aiter::gemm_a16w16" | "aiter::tgemm_mm" | "vllm::rocm_unquantized_gemm" | "aten::linear" => linear(inputs),
        "aten::matmul" => matmul(inputs),
        // Rows are distributed over the groups, each with one of the matrices.
        "aten::_grouped_mm" => {
            let ([m, k], dtype) = inputs.tensor_of::<2>(0)?;
            let ([groups, k2, n], _) = inputs.tensor_of::<3>(1)?;
            let all = of((k == k2).then_some((Gemm { b: 1, m, n, k }, dtype, dtype))?, None, false)?;
            let matrix = k.checked_mul(n)?.checked_mul(dtype.size_bytes())?;
            Some(Work { bytes: all.bytes.checked_add(matrix.checked_mul(groups.saturating_sub(1))?)?, ..all })
        }
        _ => None,
    }
}

/// Rows times a transposed weight (N, K), and a bias. Dimensions before the last are rows.
fn linear(inputs: &Inputs) -> Option<Work> {
    let rows = inputs.tensor(0)?;
    let (k, outer) = rows.dims.split_last()?;
    let ([n, k2], other) = inputs.tensor_of::<2>(1)?;
    let gemm = Gemm { b: 1, m: product(outer)?, n, k: *k };
    of((*k == k2).then_some((gemm, rows.dtype, other))?, None, inputs.tensor(2).is_some())
}

/// The same matrices for each place of the dimensions before the last two. Vectors and stretched batches have no model.
fn matmul(inputs: &Inputs) -> Option<Work> {
    let (a, b) = (inputs.tensor(0)?, inputs.tensor(1)?);
    let ([batch @ .., m, k], [batch2 @ .., k2, n]) = (&a.dims[..], &b.dims[..]) else { return None };
    let gemm = match batch2.is_empty() {
        // One matrix for all: its rows are those of all places.
        true => Gemm { b: 1, m: product(batch)?.checked_mul(*m)?, n: *n, k: *k },
        false => (batch == batch2).then_some(Gemm { b: product(batch)?, m: *m, n: *n, k: *k })?,
    };
    of((k == k2).then_some((gemm, a.dtype, b.dtype))?, None, false)
}

/// Operators that call another matrix product, which is counted where it is recorded.
pub fn is_composite(name: &str) -> bool {
    matches!(name, "aten::linear" | "aten::matmul")
}

/// `out`: type of the result where it is not that of the first matrix.
fn of((gemm, dtype, other): (Gemm, Dtype, Dtype), out: Option<Dtype>, has_bias: bool) -> Option<Work> {
    let Gemm { b, m, n, k } = gemm;
    let out = out.unwrap_or(dtype);
    let results = m.checked_mul(n)?;
    let flops = results.checked_mul(k)?.checked_mul(2)?.checked_add(if has_bias { results } else { 0 })?.checked_mul(b)?;
    let first = m.checked_mul(k)?.checked_mul(dtype.size_bytes())?;
    let second = k.checked_mul(n)?.checked_mul(other.size_bytes())?;
    let third = results.checked_mul(out.size_bytes())?;
    let bias = if has_bias { n.checked_mul(out.size_bytes())? } else { 0 };
    let bytes = first.checked_add(second)?.checked_add(third)?.checked_mul(b)?.checked_add(bias)?;
    Some(Work { family: Family::Gemm, flops, bytes, dtype, is_matrix: true, gemm: Some(gemm) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, dims: &str, dtype: &str) -> Option<(u64, u64)> {
        let n = dims.matches("],").count() + 1;
        let types = format!("[{}]", vec![format!("\"{dtype}\""); n].join(","));
        work(name, &Inputs::new(dims, &types, "[]")).map(|w| (w.flops, w.bytes))
    }

    #[test]
    fn products_are_counted() {
        assert_eq!(found("aten::mm", "[[2, 3], [3, 5]]", "float"), Some((60, (6 + 15 + 10) * 4)));
        assert_eq!(found("aten::addmm", "[[5], [2, 3], [3, 5]]", "c10::Half"), Some((70, (6 + 15 + 10 + 5) * 2)));
        assert_eq!(found("aten::bmm", "[[7, 2, 3], [7, 3, 5]]", "float"), Some((420, 7 * 31 * 4)));
        assert_eq!(found("aten::_grouped_mm", "[[6, 3], [2, 3, 5]]", "c10::Half"), Some((180, (18 + 30 + 30) * 2)));
        assert_eq!(found("vllm::rocm_unquantized_gemm", "[[2, 3], [5, 3], [5]]", "float"), Some((70, (6 + 15 + 10 + 5) * 4)));
        assert_eq!(found("aten::linear", "[[7, 2, 3], [5, 3]]", "float"), Some((420, (42 + 15 + 70) * 4)));
        assert_eq!(found("aten::matmul", "[[7, 2, 3], [3, 5]]", "float"), Some((420, (42 + 15 + 70) * 4)));
        assert_eq!(found("aten::matmul", "[[7, 2, 3], [7, 3, 5]]", "float"), Some((420, 7 * 31 * 4)));
        for odd in ["[[7, 2, 3], [6, 3, 5]]", "[[3], [3, 5]]", "[[2, 3], [2, 5]]"] {
            assert_eq!(found("aten::matmul", odd, "float"), None, "{odd}");
        }
        assert_eq!(found("aten::linear", "[[2, 3], [5, 4]]", "float"), None);
        assert_eq!(found("aten::mm", "[[2, 3], [4, 5]]", "float"), None);
        assert_eq!(found("aten::mm", "[[2, 3, 1], [4, 5]]", "float"), None);
        assert_eq!(found("aten::add", "[[2, 3], [3, 5]]", "float"), None);
        assert_eq!(found("aten::mm", "[[9999999999, 9999999999], [9999999999, 9]]", "float"), None);
    }
}
