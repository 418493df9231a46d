//! How many bytes a collective operation moves, from what its record has.

use crate::model::Profile;
use crate::model::torch::Collective;

/// Bytes of one element of a type, in the words of C++ (`c10::Half`, `long int`) or of torch (`BFloat16`); `None` for an unknown one.
pub fn type_bytes(name: &str) -> Option<u64> {
    let name = name.trim().trim_start_matches("c10::");
    Some(match name {
        "Bool" | "bool" | "Byte" | "Char" | "unsigned char" | "signed char" | "char" | "QInt8" | "QUInt8" => 1,
        "Half" | "BFloat16" | "Short" | "short" | "short int" | "UInt16" | "unsigned short" => 2,
        "Float" | "float" | "Int" | "int" | "UInt32" | "unsigned int" | "ComplexHalf" => 4,
        "Double" | "double" | "Long" | "long" | "long int" | "long long" | "UInt64" | "unsigned long" | "ComplexFloat"
        | "complex<float>" => 8,
        "ComplexDouble" | "complex<double>" => 16,
        _ if name.starts_with("Float8") || name.starts_with("Float4") => 1,
        _ => return None,
    })
}

/// Bytes by element type and number of elements: of the input, or of the output without input.
pub fn by_elements(profile: &Profile, collective: &Collective) -> Option<u64> {
    let of_type = type_bytes(profile.strings.get(collective.dtype))?;
    let present = |n: u64| (n != u64::MAX).then_some(n);
    let n = present(collective.n_in).filter(|&n| n > 0).or(present(collective.n_out)).or(present(collective.n_in))?;
    n.checked_mul(of_type)
}

/// Bytes by the shapes (`[[8, 3], []]`) and types (`["float", ""]`) of the inputs. Inputs of an unknown type count nothing;
/// `None` where no type is known.
pub fn by_shapes(shapes: &str, types: &str) -> Option<u64> {
    let types: Vec<&str> = items(types).into_iter().map(|t| t.trim().trim_matches(['"', '\''])).collect();
    let mut sum: Option<u64> = None;
    for (shape, name) in items(shapes).into_iter().zip(types) {
        if let Some(of_type) = type_bytes(name) {
            let bytes = elements(shape).and_then(|n| n.checked_mul(of_type)).unwrap_or(0);
            sum = Some(sum.unwrap_or(0).saturating_add(bytes));
        }
    }
    sum
}

/// The text of each item of a list, nested lists whole.
fn items(list: &str) -> Vec<&str> {
    let Some(inner) = list.trim().strip_prefix('[').and_then(|l| l.strip_suffix(']')) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let (mut depth, mut from) = (0u32, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !inner.trim().is_empty() {
        out.push(&inner[from..]);
    }
    out
}

/// Elements of a tensor of this shape, or of a list of tensors. An empty shape is a scalar: one element.
fn elements(shape: &str) -> Option<u64> {
    let parts = items(shape);
    if parts.iter().any(|p| p.trim().starts_with('[')) {
        return parts.into_iter().try_fold(0u64, |sum, p| sum.checked_add(product(&items(p))?));
    }
    product(&parts)
}

fn product(sizes: &[&str]) -> Option<u64> {
    sizes.iter().try_fold(1u64, |n, size| n.checked_mul(size.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_inputs() {
        assert_eq!(by_shapes("[[53120]]", "[\"float\"]"), Some(212_480));
        assert_eq!(by_shapes("[[2, 3], [4]]", "[\"c10::Half\", \"long int\"]"), Some(44));
        assert_eq!(by_shapes("[[[10], [2, 5]], []]", "[\"float\", \"Scalar\"]"), Some(80));
        assert_eq!(by_shapes("[[5]]", "[\"\"]"), None);
        assert_eq!(by_shapes("", ""), None);
        assert_eq!(by_shapes("[[18446744073709551615, 2]]", "[\"float\"]"), Some(0));
        assert_eq!(by_shapes("[[", "["), None);
    }

    #[test]
    fn types_have_sizes() {
        for (name, want) in
            [("c10::BFloat16", Some(2)), ("Float8_e4m3fn", Some(1)), ("double", Some(8)), ("unsigned char", Some(1)), ("Tensor", None)]
        {
            assert_eq!(type_bytes(name), want, "{name}");
        }
    }
}
