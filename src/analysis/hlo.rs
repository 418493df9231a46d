//! HLO instructions out of their text: `c64[4]{0} multiply(c64[4]{0}, c64[4]{0})`, with or without `%name =` before it.

use serde::{Deserialize, Serialize};

/// An instruction, its parts still text. Lists are empty where the text has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// `%dot.36`, without `ROOT`; empty where the text names none.
    pub name: String,
    /// Shape of the result as written: `f32[4]{0}`, or a tuple of shapes.
    pub shape: String,
    /// `multiply`.
    pub opcode: String,
    /// What is between the brackets, at its commas.
    pub operands: Vec<String>,
    /// What follows them: `dimensions={}`.
    pub attributes: String,
}

impl Instruction {
    /// Data type of the result; of a tuple, all of them: `f32, s32`.
    pub fn dtype(&self) -> String {
        join(dtypes(&self.shape))
    }

    /// Distinct data types of result and operands, in order of occurrence.
    pub fn all_dtypes(&self) -> Vec<String> {
        let mut out = Vec::new();
        for dtype in dtypes(&self.shape).into_iter().chain(self.operands.iter().flat_map(|o| dtypes(o))) {
            if !out.contains(&dtype) {
                out.push(dtype);
            }
        }
        out
    }

    /// Sizes of the result: `4`, `2×3`; a scalar is `scalar`, a tuple has none.
    pub fn dimensions(&self) -> String {
        let Some((open, close)) = self.shape.find('[').zip(self.shape.find(']')).filter(|(o, c)| o < c && !self.shape.starts_with('('))
        else {
            return String::new();
        };
        match self.shape[open + 1..close].trim() {
            "" => "scalar".into(),
            sizes => sizes.split(',').map(str::trim).collect::<Vec<_>>().join("×"),
        }
    }
}

/// Takes an instruction apart; `None` when the text has no opcode with brackets.
pub fn parse(text: &str) -> Option<Instruction> {
    let mut rest = text.trim();
    let mut name = "";
    if let Some((left, right)) = rest.split_once(" = ") {
        name = left.trim().strip_prefix("ROOT ").unwrap_or(left).trim();
        rest = right.trim();
    }
    let (shape, call) = split_shape(rest);
    let open = call.find('(')?;
    let opcode = call[..open].trim();
    if opcode.is_empty() || !opcode.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return None;
    }
    let close = closing(&call[open..]).map_or(call.len(), |n| open + n);
    let attributes = call.get(close + 1..).unwrap_or_default().trim().trim_start_matches(',').trim();
    Some(Instruction {
        name: name.into(),
        shape: shape.into(),
        opcode: opcode.into(),
        operands: at_commas(&call[open + 1..close]),
        attributes: attributes.into(),
    })
}

/// The shape before an opcode, and the remaining text. A tuple's shape is in brackets.
fn split_shape(text: &str) -> (&str, &str) {
    if text.starts_with('(') {
        return closing(text).map_or(("", text), |n| (&text[..=n], text[n + 1..].trim_start()));
    }
    let mut depth = 0usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' if depth == 0 => break,
            b' ' if depth == 0 => return (&text[..i], text[i + 1..].trim_start()),
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    ("", text)
}

/// Position of the bracket that closes the one `text` begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
    }
    None
}

/// Parts of a list, split at the commas outside brackets.
fn at_commas(text: &str) -> Vec<String> {
    let (mut depth, mut from) = (0usize, 0);
    let mut out = Vec::new();
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.push(text[from..i].trim().to_string());
                from = i + 1;
            }
            _ => {}
        }
    }
    out.push(text[from..].trim().to_string());
    out.retain(|o| !o.is_empty());
    out
}

/// The data types in a text, with repetitions: every word right before a `[`.
fn dtypes(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices('[') {
        let word: String = text[..at].chars().rev().take_while(char::is_ascii_alphanumeric).collect();
        let word: String = word.chars().rev().collect();
        if is_dtype(&word) {
            out.push(word);
        }
    }
    out
}

fn is_dtype(word: &str) -> bool {
    matches!(word, "pred" | "token" | "bf16") || ["f", "s", "u", "c"].iter().any(|p| word.strip_prefix(p).is_some_and(is_width))
}

/// What follows the letter of a type: a width, and perhaps the layout of an 8-bit float.
fn is_width(rest: &str) -> bool {
    let n = rest.bytes().take_while(u8::is_ascii_digit).count();
    n > 0 && (n == rest.len() || rest.starts_with('8') && rest[n..].starts_with('e'))
}

fn join(dtypes: Vec<String>) -> String {
    let mut out: Vec<String> = Vec::new();
    for dtype in dtypes {
        if !out.contains(&dtype) {
            out.push(dtype);
        }
    }
    out.join(", ")
}

/// What a data type is, in words: `complex numbers of two 32-bit floats`. `None` for one that is not known.
pub fn dtype_words(dtype: &str) -> Option<String> {
    let fixed = match dtype {
        "pred" => "truth values",
        "bf16" => "16-bit brain floats",
        "c64" => "complex numbers of two 32-bit floats",
        "c128" => "complex numbers of two 64-bit floats",
        _ => "",
    };
    if !fixed.is_empty() {
        return Some(fixed.into());
    }
    let (letter, width) = dtype.split_at_checked(1)?;
    let digits: String = width.chars().take_while(char::is_ascii_digit).collect();
    let kind = match letter {
        "f" => "floats",
        "s" => "signed integers",
        "u" => "unsigned integers",
        _ => return None,
    };
    (!digits.is_empty()).then(|| format!("{digits}-bit {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_a_report_are_taken_apart() {
        let i = parse("c64[4]{0} multiply(c64[4]{0}, f32[2,3]{1,0})").expect("an instruction");
        assert_eq!((i.name.as_str(), i.shape.as_str(), i.opcode.as_str()), ("", "c64[4]{0}", "multiply"));
        assert_eq!(i.operands, ["c64[4]{0}", "f32[2,3]{1,0}"]);
        assert_eq!((i.dtype().as_str(), i.dimensions().as_str(), i.all_dtypes()), ("c64", "4", vec!["c64".to_string(), "f32".into()]));
        let i = parse("f32[4]{0} broadcast(f32[]), dimensions={}").expect("an instruction");
        assert_eq!((i.opcode.as_str(), i.attributes.as_str(), i.operands.len()), ("broadcast", "dimensions={}", 1));
        let i = parse("f32[] multiply(f32[], f32[])").expect("an instruction");
        assert_eq!((i.dimensions().as_str(), i.dtype().as_str()), ("scalar", "f32"));
    }

    #[test]
    fn names_tuples_and_layouts_are_read() {
        let i = parse("ROOT %tuple.9 = (f32[2,3]{1,0}, /*index=1*/s32[]) tuple(%a.1, %b)").expect("an instruction");
        assert_eq!((i.name.as_str(), i.opcode.as_str(), i.dtype().as_str()), ("%tuple.9", "tuple", "f32, s32"));
        assert_eq!(i.dimensions(), "");
        let i = parse("%dot.36 = dot(%p4.35, %transpose.34)").expect("an instruction");
        assert_eq!((i.name.as_str(), i.shape.as_str(), i.opcode.as_str(), i.operands.len()), ("%dot.36", "", "dot", 2));
        let i = parse("bf16[8,128]{1,0:T(8,128)(2,1)} all-reduce(bf16[8,128] %x), replica_groups={{0,1}}").expect("an instruction");
        assert_eq!((i.opcode.as_str(), i.dtype().as_str(), i.dimensions().as_str()), ("all-reduce", "bf16", "8×128"));
        assert_eq!(i.attributes, "replica_groups={{0,1}}");
    }

    #[test]
    fn what_is_no_instruction_is_none() {
        for text in ["", "f32[4]", "(", "a b c", "= (x)", "f32[] (y)", "é("] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("f32[4] add(f32[4]").map(|i| i.operands), Some(vec!["f32[4]".to_string()]));
    }

    #[test]
    fn types_have_words() {
        assert_eq!(dtype_words("c64").as_deref(), Some("complex numbers of two 32-bit floats"));
        assert_eq!(dtype_words("f8e4m3fn").as_deref(), Some("8-bit floats"));
        assert_eq!(dtype_words("s32").as_deref(), Some("32-bit signed integers"));
        assert_eq!(dtype_words("x"), None);
        assert_eq!(dtype_words(""), None);
    }
}
