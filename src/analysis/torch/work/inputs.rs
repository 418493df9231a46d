//! The recorded inputs of an operator: shapes, dtypes, concrete values. Whatever is odd is unknown, never guessed.

use serde_json::Value;

/// What a number is, as far as rates depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dtype {
    /// `double`
    Fp64,
    /// `float`
    Fp32,
    /// `c10::BFloat16`
    Bf16,
    /// `c10::Half`
    Fp16,
    /// Any of the 8-bit floating-point types.
    Fp8,
    /// Two 4-bit floating-point values in a byte.
    Fp4,
    /// `signed char`, `unsigned char`
    Int8,
    /// Wider integers and booleans, by their size in bytes.
    Integer(u8),
    /// Complex numbers, by their size in bytes.
    Complex(u8),
}

impl Dtype {
    /// The type that PyTorch records by that name.
    pub fn of(name: &str) -> Option<Dtype> {
        Some(match name.strip_prefix("c10::").unwrap_or(name) {
            "double" => Dtype::Fp64,
            "float" => Dtype::Fp32,
            "BFloat16" => Dtype::Bf16,
            "Half" => Dtype::Fp16,
            "signed char" | "unsigned char" => Dtype::Int8,
            "bool" => Dtype::Integer(1),
            "short int" | "short" | "unsigned short" => Dtype::Integer(2),
            "int" | "unsigned int" => Dtype::Integer(4),
            "long int" | "long" | "unsigned long" => Dtype::Integer(8),
            "complex<c10::Half>" => Dtype::Complex(4),
            "complex<float>" => Dtype::Complex(8),
            "complex<double>" => Dtype::Complex(16),
            other if other.starts_with("Float8_") => Dtype::Fp8,
            other if other.starts_with("Float4_") => Dtype::Fp4,
            _ => return None,
        })
    }

    /// The type of a `ScalarType` number, as concrete inputs have it.
    pub fn of_number(number: &str) -> Option<Dtype> {
        Some(match number {
            "5" => Dtype::Fp16,
            "6" => Dtype::Fp32,
            "7" => Dtype::Fp64,
            "15" => Dtype::Bf16,
            "23" | "24" | "25" | "26" => Dtype::Fp8,
            _ => return None,
        })
    }

    /// Bytes of one element.
    pub fn size_bytes(self) -> u64 {
        match self {
            Dtype::Fp64 => 8,
            Dtype::Fp32 => 4,
            Dtype::Bf16 | Dtype::Fp16 => 2,
            Dtype::Fp8 | Dtype::Fp4 | Dtype::Int8 => 1,
            Dtype::Integer(n) | Dtype::Complex(n) => u64::from(n),
        }
    }

    /// `bf16`, as rates are labelled.
    pub fn label(self) -> &'static str {
        match self {
            Dtype::Fp64 => "fp64",
            Dtype::Fp32 => "fp32",
            Dtype::Bf16 => "bf16",
            Dtype::Fp16 => "fp16",
            Dtype::Fp8 => "fp8",
            Dtype::Fp4 => "fp4",
            Dtype::Int8 => "int8",
            Dtype::Integer(_) => "integer",
            Dtype::Complex(_) => "complex",
        }
    }
}

/// A tensor among the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Sizes; empty for one number in a tensor.
    pub dims: Vec<u64>,
    /// Element type.
    pub dtype: Dtype,
}

impl Tensor {
    /// Elements; `None` where there are more than can be counted.
    pub fn elements(&self) -> Option<u64> {
        product(&self.dims)
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> Option<u64> {
        self.elements()?.checked_mul(self.dtype.size_bytes())
    }
}

/// The product of sizes; `None` where it passes what can be counted.
pub fn product(sizes: &[u64]) -> Option<u64> {
    sizes.iter().try_fold(1u64, |product, &n| product.checked_mul(n))
}

/// The inputs of a call, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    tensors: Vec<Option<Tensor>>,
    concrete: Vec<String>,
}

/// More inputs or dimensions than any operator has.
const INPUTS_MAX: usize = 256;
const DIMS_MAX: usize = 16;

impl Inputs {
    /// From the texts of `Input Dims`, `Input type` and `Concrete Inputs`.
    pub fn new(dims: &str, types: &str, concrete: &str) -> Inputs {
        let list = |text: &str| match serde_json::from_str(text) {
            Ok(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let (dims, types) = (list(dims), list(types));
        let tensor = |(dims, dtype): (&Value, &Value)| Some(Tensor { dims: sizes(dims)?, dtype: Dtype::of(dtype.as_str()?)? });
        Inputs {
            tensors: dims.iter().zip(&types).take(INPUTS_MAX).map(tensor).collect(),
            concrete: list(concrete).into_iter().take(INPUTS_MAX).map(|v| v.as_str().unwrap_or_default().to_string()).collect(),
        }
    }

    /// How many inputs there are.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The tensor at a position; `None` where there is none, or its sizes or type are not known.
    pub fn tensor(&self, at: usize) -> Option<&Tensor> {
        self.tensors.get(at)?.as_ref()
    }

    /// A tensor with that many dimensions.
    pub fn tensor_of<const N: usize>(&self, at: usize) -> Option<([u64; N], Dtype)> {
        let tensor = self.tensor(at)?;
        Some((tensor.dims.clone().try_into().ok()?, tensor.dtype))
    }

    /// All tensors.
    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().flatten()
    }

    /// The concrete value at a position; empty where there is none.
    pub fn concrete(&self, at: usize) -> &str {
        self.concrete.get(at).map_or("", |s| s.trim())
    }

    /// A concrete truth value.
    pub fn flag(&self, at: usize) -> Option<bool> {
        match self.concrete(at) {
            "True" | "true" => Some(true),
            "False" | "false" => Some(false),
            _ => None,
        }
    }

    /// A concrete list of whole numbers.
    pub fn numbers(&self, at: usize) -> Option<Vec<i64>> {
        let inner = self.concrete(at).strip_prefix('[')?.strip_suffix(']')?;
        if inner.trim().is_empty() {
            return Some(Vec::new());
        }
        inner.split(',').take(DIMS_MAX + 1).map(|n| n.trim().parse().ok()).collect()
    }
}

/// Sizes that are whole, not negative and not too many; symbolic ones are none.
fn sizes(dims: &Value) -> Option<Vec<u64>> {
    let dims = dims.as_array()?;
    if dims.len() > DIMS_MAX {
        return None;
    }
    dims.iter().map(Value::as_u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_by_position() {
        let inputs = Inputs::new(
            "[[4, 3], [], [[1, 2]], [], [-1], [\"s0\"]]",
            r#"["c10::BFloat16", "Scalar", "TensorList", "double", "float", "float"]"#,
            r#"["", "2", "", "", "[1, -2]", "True"]"#,
        );
        assert_eq!(inputs.tensor(0), Some(&Tensor { dims: vec![4, 3], dtype: Dtype::Bf16 }));
        assert_eq!([1, 2, 4, 5, 9].map(|at| inputs.tensor(at)), [None; 5]);
        assert_eq!(inputs.tensor(3).and_then(Tensor::bytes), Some(8));
        assert_eq!((inputs.concrete(1), inputs.numbers(4), inputs.flag(5)), ("2", Some(vec![1, -2]), Some(true)));
        assert_eq!(inputs.tensor_of::<2>(0), Some(([4, 3], Dtype::Bf16)));
        assert_eq!(inputs.tensor_of::<3>(0), None);
    }

    #[test]
    fn odd_inputs_are_unknown() {
        for (dims, types) in [("", ""), ("{}", "[]"), ("[[1, 2", "[\"float\"]"), ("[[1.5]]", "[\"float\"]"), ("[[2]]", "[\"c10::New\"]")] {
            assert_eq!(Inputs::new(dims, types, "").tensor(0), None, "{dims}");
        }
        let many = format!("[[{}]]", vec!["2"; 40].join(","));
        assert_eq!(Inputs::new(&many, "[\"float\"]", "").tensor(0), None);
        let huge = Inputs::new("[[4294967296, 4294967296, 2]]", "[\"float\"]", "");
        assert_eq!(huge.tensor(0).and_then(Tensor::elements), None);
        assert_eq!(Inputs::new("[[1,1,1,1,1,1,1,1,1,3]]", "[\"float\"]", "").tensor(0).and_then(Tensor::bytes), Some(12));
    }
}
