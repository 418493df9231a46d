//! First stage of the splitter: brackets outside strings, 64 bytes at a time.

use serde::{Deserialize, Serialize};
use wide::u8x16;

/// Bytes of one step.
pub const STEP: usize = 64;

/// Brackets of 64 bytes that are outside strings, a bit per byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brackets {
    /// `{` and `[`.
    pub opens: u64,
    /// `}` and `]`.
    pub closes: u64,
}

/// State between steps: whether the text is inside a string, and whether its next byte is escaped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strings {
    /// All ones in a string, else 0.
    in_string: u64,
    /// 1 when the next byte is escaped.
    is_escaped: u64,
}

impl Strings {
    /// Whether the text read so far ends inside a string.
    pub fn is_open(&self) -> bool {
        self.in_string != 0
    }

    /// The brackets of the next 64 bytes.
    #[inline(always)]
    pub fn step(&mut self, bytes: &[u8; STEP]) -> Brackets {
        let (quotes, backslashes, opens, closes) = masks(bytes);
        let escaped = self.escaped(backslashes);
        let inside = self.inside(quotes & !escaped);
        self.in_string = ((inside as i64) >> 63) as u64;
        Brackets { opens: opens & !inside, closes: closes & !inside }
    }

    /// The same for the last `bytes` of a block, fewer than 64; the next block continues after them.
    pub fn tail(&mut self, bytes: &[u8]) -> Brackets {
        let mut padded = [b' '; STEP];
        let n = bytes.len().min(STEP - 1);
        padded[..n].copy_from_slice(&bytes[..n]);
        let (quotes, backslashes, opens, closes) = masks(&padded);
        let escaped = self.escaped(backslashes);
        self.is_escaped = (escaped >> n) & 1;
        let inside = self.inside(quotes & !escaped);
        self.in_string = 0u64.wrapping_sub((inside >> 63) & 1);
        Brackets { opens: opens & !inside, closes: closes & !inside }
    }

    /// Bits of bytes that are after an odd number of backslashes.
    #[inline(always)]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let before = self.is_escaped;
        if backslashes == 0 {
            self.is_escaped = 0;
            return before;
        }
        let backslashes = backslashes & !before;
        let follows = backslashes << 1 | before;
        let odd_starts = backslashes & !EVEN & !follows;
        let (runs, overflow) = odd_starts.overflowing_add(backslashes);
        self.is_escaped = u64::from(overflow);
        (EVEN ^ (runs << 1)) & follows
    }

    /// Bits from an opening quote up to, not with, the closing one.
    #[inline(always)]
    fn inside(&self, quotes: u64) -> u64 {
        let mut x = quotes;
        x ^= x << 1;
        x ^= x << 2;
        x ^= x << 4;
        x ^= x << 8;
        x ^= x << 16;
        x ^= x << 32;
        x ^ self.in_string
    }
}

/// Bits of quotes, backslashes, opening and closing brackets. `[` and `{` differ in one bit, and so do `]` and `}`.
#[inline(always)]
fn masks(bytes: &[u8; STEP]) -> (u64, u64, u64, u64) {
    let mut out = (0, 0, 0, 0);
    let (parts, _) = bytes.as_chunks::<16>();
    for (i, part) in parts.iter().enumerate() {
        let v = u8x16::new(*part);
        let folded = v | u8x16::splat(0x20);
        let bits = |mask: u8x16| u64::from(mask.to_bitmask()) << (i * 16);
        out.0 |= bits(v.simd_eq(u8x16::splat(b'"')));
        out.1 |= bits(v.simd_eq(u8x16::splat(b'\\')));
        out.2 |= bits(folded.simd_eq(u8x16::splat(b'{')));
        out.3 |= bits(folded.simd_eq(u8x16::splat(b'}')));
    }
    out
}

/// Position of the first quote or backslash at or after `at`.
#[inline(always)]
pub fn quote_or_backslash(text: &[u8], mut at: usize) -> Option<usize> {
    while let Some(part) = text.get(at..).and_then(|t| t.first_chunk::<16>()) {
        let v = u8x16::new(*part);
        let bits = (v.simd_eq(u8x16::splat(b'"')) | v.simd_eq(u8x16::splat(b'\\'))).to_bitmask();
        if bits != 0 {
            return Some(at + bits.trailing_zeros() as usize);
        }
        at += 16;
    }
    let rest = text.get(at..)?;
    rest.iter().position(|&b| b == b'"' || b == b'\\').map(|n| at + n)
}

/// Position of the quote that ends the string whose text begins at `at`; `None` where it holds escapes or control characters, or does not end.
#[inline(always)]
pub fn plain_string_end(text: &[u8], mut at: usize) -> Option<usize> {
    while let Some(part) = text.get(at..).and_then(|t| t.first_chunk::<16>()) {
        let v = u8x16::new(*part);
        let ends = v.simd_eq(u8x16::splat(b'"')) | v.simd_eq(u8x16::splat(b'\\')) | v.min(u8x16::splat(0x1f)).simd_eq(v);
        let bits = ends.to_bitmask();
        if bits != 0 {
            at += bits.trailing_zeros() as usize;
            return (text[at] == b'"').then_some(at);
        }
        at += 16;
    }
    let n = text.get(at..)?.iter().position(|&b| b == b'"' || b == b'\\' || b < b' ')?;
    (text[at + n] == b'"').then_some(at + n)
}

/// Position of the first comma or closing bracket at or after `at`, else the length of the text.
#[inline(always)]
pub fn bare_end(text: &[u8], mut at: usize) -> usize {
    while let Some(part) = text.get(at..).and_then(|t| t.first_chunk::<16>()) {
        let v = u8x16::new(*part);
        let bits = (v.simd_eq(u8x16::splat(b',')) | (v | u8x16::splat(0x20)).simd_eq(u8x16::splat(b'}'))).to_bitmask();
        if bits != 0 {
            return at + bits.trailing_zeros() as usize;
        }
        at += 16;
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| matches!(b, b',' | b'}' | b']')).unwrap_or(rest.len())
}

/// Position of the first byte at or after `at` that is no white space (any byte up to a blank counts as such).
#[inline(always)]
pub fn not_space(text: &[u8], mut at: usize) -> usize {
    while let Some(part) = text.get(at..).and_then(|t| t.first_chunk::<16>()) {
        let v = u8x16::new(*part);
        let bits = !v.min(u8x16::splat(b' ')).simd_eq(v).to_bitmask() & 0xffff;
        if bits != 0 {
            return at + bits.trailing_zeros() as usize;
        }
        at += 16;
    }
    while text.get(at).is_some_and(|&b| b <= b' ') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brackets outside strings, byte by byte.
    fn slow(text: &[u8]) -> Vec<usize> {
        let (mut inside, mut escaped, mut out) = (false, false, Vec::new());
        for (i, &b) in text.iter().enumerate() {
            let was = std::mem::take(&mut escaped);
            match b {
                b'\\' if !was => escaped = true,
                b'"' if !was => inside = !inside,
                b'{' | b'[' | b'}' | b']' if !inside => out.push(i),
                _ => {}
            }
        }
        out
    }

    fn fast(text: &[u8], block: usize) -> Vec<usize> {
        let (mut strings, mut out, mut from) = (Strings::default(), Vec::new(), 0);
        for part in text.chunks(block) {
            for step in part.chunks(STEP) {
                let b = match step.first_chunk::<STEP>() {
                    Some(whole) => strings.step(whole),
                    None => strings.tail(step),
                };
                out.extend((0..64).filter(|i| (b.opens | b.closes) >> i & 1 == 1).map(|i| from + i));
                from += step.len();
            }
        }
        out
    }

    #[test]
    fn a_bare_value_ends_at_a_comma_or_a_closing_bracket() {
        for n in 0..40 {
            let value = "-1.5e+3[{|^NaN\"x".chars().cycle().take(n).collect::<String>();
            for end in ["", ",", "}", "]", ",}0123456789abcdef"] {
                let text = format!("{value}{end}");
                assert_eq!((0..=n).map(|at| bare_end(text.as_bytes(), at)).collect::<Vec<_>>(), vec![n; n + 1], "{text}");
            }
        }
    }

    #[test]
    fn brackets_are_those_outside_strings_at_any_block_size() {
        let mut seed = 1u32;
        let text: Vec<u8> = (0..5000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"\\\\\\\"\"{}[] a"[(seed >> 20) as usize % 11]
            })
            .collect();
        for block in [1, 7, 63, 64, 65, 1000, 5000] {
            assert_eq!(fast(&text, block), slow(&text), "blocks of {block}");
        }
    }
}
