//! Convolutions: two operations for each weight of each result; input, weights and result are moved once. A bias is added by another operator.
//! Source: the definition. TraceLens counts the same.

use super::inputs::{Inputs, Tensor, product};
use super::{Family, Work};

/// The work of a convolution, forward or backward; `None` for other operators.
pub fn work(name: &str, inputs: &Inputs) -> Option<Work> {
    match name {
        "aten::convolution" | "aten::_convolution" => {
            let sizes = Sizes::new(inputs, inputs.tensor(0)?, inputs.tensor(1)?, 3)?;
            sizes.work(sizes.flops()?, 1, 1, 1)
        }
        "aten::convolution_backward" => {
            let sizes = Sizes::new(inputs, inputs.tensor(1)?, inputs.tensor(2)?, 4)?;
            let mask = inputs.concrete(10);
            let mut wanted = mask.trim_matches(['[', ']']).split(',').map(|m| matches!(m.trim(), "True" | "true"));
            let (of_input, of_weight) = (u64::from(wanted.next()?), u64::from(wanted.next()?));
            let flops = sizes.flops()?.checked_mul(of_input + of_weight)?;
            // The gradient is read for each; with it the weight, or the input; one of the same size is written.
            sizes.work(flops, of_input + of_weight, of_input + of_weight, of_input + of_weight)
        }
        _ => None,
    }
}

struct Sizes<'a> {
    input: &'a Tensor,
    weight: &'a Tensor,
    /// Elements of the result.
    n_out: u64,
    is_transposed: bool,
}

impl<'a> Sizes<'a> {
    /// `at`: position of the stride; padding, dilation, transposed, output padding and groups follow.
    fn new(inputs: &Inputs, input: &'a Tensor, weight: &'a Tensor, at: usize) -> Option<Self> {
        let n = input.dims.len().checked_sub(2).filter(|n| (1..=3).contains(n))?;
        if weight.dims.len() != n + 2 {
            return None;
        }
        let list = |at: usize| {
            let numbers = inputs.numbers(at)?;
            // One number applies to all dimensions.
            let at = |i: usize| numbers.get(if numbers.len() == 1 { 0 } else { i }).copied();
            (0..n).map(at).collect::<Option<Vec<i64>>>()
        };
        let (stride, padding, dilation) = (list(at)?, list(at + 1)?, list(at + 2)?);
        let is_transposed = inputs.flag(at + 3)?;
        let extra = list(at + 4).unwrap_or_else(|| vec![0; n]);
        let groups: u64 = inputs.concrete(at + 5).parse().ok()?;
        let channels = if is_transposed { weight.dims[1].checked_mul(groups)? } else { weight.dims[0] };
        let mut out = vec![input.dims[0], channels];
        for i in 0..n {
            let (size, kernel) = (i64::try_from(input.dims[i + 2]).ok()?, i64::try_from(weight.dims[i + 2]).ok()?);
            let reach = dilation[i].checked_mul(kernel.checked_sub(1)?)?;
            let border = padding[i].checked_mul(2)?;
            let length = if is_transposed {
                let strided = size.checked_sub(1)?.checked_mul(stride[i])?;
                strided.checked_sub(border)?.checked_add(reach)?.checked_add(extra[i])?.checked_add(1)?
            } else {
                let room = size.checked_add(border)?.checked_sub(reach)?.checked_sub(1)?;
                room.checked_div(stride[i])?.checked_add(1)?
            };
            out.push(u64::try_from(length).ok()?);
        }
        Some(Sizes { input, weight, n_out: product(&out)?, is_transposed })
    }

    /// Operations of one pass.
    fn flops(&self) -> Option<u64> {
        // Every result is multiplied with the weights of its output channel; transposed, every input with those of its input channel.
        let of_one = product(self.weight.dims.get(1..)?)?;
        let n = if self.is_transposed { self.input.elements()? } else { self.n_out };
        n.checked_mul(of_one)?.checked_mul(2)
    }

    fn work(&self, flops: u64, inputs: u64, weights: u64, outs: u64) -> Option<Work> {
        let dtype = self.input.dtype;
        let moved = [
            self.input.bytes()?.checked_mul(inputs)?,
            self.weight.bytes()?.checked_mul(weights)?,
            self.n_out.checked_mul(dtype.size_bytes())?.checked_mul(outs)?,
        ];
        let bytes = moved.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))?;
        Some(Work { family: Family::Convolution, flops, bytes, dtype, is_matrix: true, gemm: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(concrete: &str) -> Option<(u64, u64)> {
        let types = r#"["c10::BFloat16", "c10::BFloat16", "", "ScalarList"]"#;
        let inputs = Inputs::new("[[4, 3, 224, 224], [768, 3, 16, 16], [], []]", types, concrete);
        work("aten::convolution", &inputs).map(|w| (w.flops, w.bytes))
    }

    #[test]
    fn convolutions_are_counted() {
        let concrete = |stride: &str| format!(r#"["", "", "", "{stride}", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"]"#);
        assert_eq!(found(&concrete("[16, 16]")), Some((924_844_032, 3_588_096)));
        assert_eq!(found(&concrete("[16]")), Some((924_844_032, 3_588_096)));
        assert_eq!(found(&concrete("[0, 0]")), None);
        assert_eq!(found("[]"), None);
    }
}
