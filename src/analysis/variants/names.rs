//! Parts of a profile's name: kernel, dtype, length.

use serde::{Deserialize, Serialize};

/// Words that name a type of numbers.
const DTYPES: [&str; 22] = [
    "bf16", "bfloat16", "fp16", "float16", "f16", "half", "fp32", "float32", "f32", "fp64", "float64", "fp8", "float8", "e4m3", "e5m2",
    "int8", "i8", "u8", "uint8", "int4", "tf32", "fp4",
];

/// A name in parts; a part that the name does not have is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct NameParts {
    /// What is left: `fused`.
    pub kernel: String,
    /// `bf16`.
    pub dtype: String,
    /// `s1024`.
    pub length: String,
}

impl NameParts {
    /// Headings of the parts.
    pub const LABELS: [&str; 3] = ["Kernel", "Dtype", "Length"];

    /// The parts in the order of their headings.
    pub fn all(&self) -> [&str; 3] {
        [&self.kernel, &self.dtype, &self.length]
    }
}

/// Whether a word is a length: `s1024`, `seq1024`, `len512`, `b8`, `1024`, `4096x4096`.
fn is_length(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let prefix = &word[..word.len() - digits.len()];
    let is_known = ["", "s", "seq", "seqlen", "len", "l", "b", "bs", "batch", "n", "k"].contains(&prefix.to_ascii_lowercase().as_str());
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    is_known && digits.split('x').all(is_number) && (!prefix.is_empty() || digits.len() > 1)
}

/// The parts of a title: `fused_bf16_s1024.ntff` is kernel `fused`, dtype `bf16`, length `s1024`.
pub fn parts(title: &str) -> NameParts {
    let name = title.rsplit(['/', '\\']).next().unwrap_or(title);
    let mut out = NameParts::default();
    let mut rest: Vec<&str> = Vec::new();
    const ENDINGS: [&str; 8] = ["json", "ntff", "gz", "txt", "pt", "trace", "neff", "parquet"];
    let words = name.split(['_', '-', '.', ' ']).filter(|w| !w.is_empty() && !ENDINGS.contains(w));
    for word in words {
        if out.dtype.is_empty() && DTYPES.contains(&word.to_ascii_lowercase().as_str()) {
            out.dtype = word.into();
        } else if is_length(word) {
            out.length = if out.length.is_empty() { word.into() } else { format!("{} {word}", out.length) };
        } else {
            rest.push(word);
        }
    }
    out.kernel = rest.join("_");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_kernel_dtype_and_length() {
        let of = |title: &str| {
            let p = parts(title);
            (p.kernel, p.dtype, p.length)
        };
        let want = |a: &str, b: &str, c: &str| (a.to_string(), b.to_string(), c.to_string());
        assert_eq!(of("fused_bf16_s1024"), want("fused", "bf16", "s1024"));
        assert_eq!(of("runs/flash-attn_float32_4096x128.ntff"), want("flash_attn", "float32", "4096x128"));
        assert_eq!(of("V6 wide tiles"), want("V6_wide_tiles", "", ""));
        assert_eq!(of("b8_s512_fp8"), want("", "fp8", "b8 s512"));
        assert_eq!(of(""), want("", "", ""));
        assert_eq!(of("ünï_é9"), want("ünï_é9", "", ""));
    }
}
