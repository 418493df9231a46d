//! Instructions of a pickle, protocols 0 to 5: those that build plain data. Every other one is refused before anything is built.

use std::borrow::Cow;

/// Maximum bytes of a text or number.
pub const ARGUMENT_MAX: usize = 16 << 20;

/// One instruction with its argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Op<'a> {
    /// Marks the stack: what follows belongs to one container.
    Mark,
    /// The value on top is the result.
    Stop,
    /// Drops the value on top, or the mark.
    Pop,
    /// Drops everything down to the mark, and the mark.
    PopMark,
    /// Puts the value on top there once more.
    Dup,
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`.
    Unsigned(u64),
    /// A whole number of more than 64 bits: its value is not kept.
    WideInt,
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// `[]`.
    EmptyList,
    /// `{}`.
    EmptyDict,
    /// A list of everything above the mark.
    List,
    /// A dict of the pairs above the mark.
    Dict,
    /// A tuple of everything above the mark.
    Tuple,
    /// A tuple of this many values from the top of the stack.
    TupleOf(usize),
    /// Adds the value on top to the list below it.
    Append,
    /// Adds everything above the mark to the list below it.
    Appends,
    /// Adds a pair to the dict below it.
    SetItem,
    /// Adds the pairs above the mark to the dict below it.
    SetItems,
    /// Puts a value of the memo on the stack.
    Get(u64),
    /// Notes the value on top in the memo.
    Put(u64),
    /// Notes the value on top at the next place of the memo.
    Memoize,
    /// Protocol or frame: builds nothing.
    Nothing,
}

/// Why an instruction is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The opcode loads or calls code.
    Code(&'static str),
    /// The opcode builds data that a snapshot does not have.
    NotPlain(&'static str),
    /// No pickle has this byte here.
    Unknown(u8),
    /// The argument is invalid.
    Argument(&'static str),
}

type Parsed<'a> = Result<Option<(Op<'a>, usize)>, Refusal>;

/// The first instruction in `bytes` and its length. `None`: more bytes are needed.
pub fn parse(bytes: &[u8]) -> Parsed<'_> {
    let Some((&code, rest)) = bytes.split_first() else { return Ok(None) };
    let plain = |op| Ok(Some((op, 1)));
    match code {
        b'(' => plain(Op::Mark),
        b'.' => plain(Op::Stop),
        b'0' => plain(Op::Pop),
        b'1' => plain(Op::PopMark),
        b'2' => plain(Op::Dup),
        b'N' => plain(Op::None),
        0x88 => plain(Op::Bool(true)),
        0x89 => plain(Op::Bool(false)),
        b'l' => plain(Op::List),
        b'd' => plain(Op::Dict),
        b't' => plain(Op::Tuple),
        b']' => plain(Op::EmptyList),
        b'}' => plain(Op::EmptyDict),
        b')' => plain(Op::TupleOf(0)),
        0x85..=0x87 => plain(Op::TupleOf(usize::from(code - 0x84))),
        b'a' => plain(Op::Append),
        b'e' => plain(Op::Appends),
        b's' => plain(Op::SetItem),
        b'u' => plain(Op::SetItems),
        0x94 => plain(Op::Memoize),
        0x80 => of_argument(rest, 1, |_| Op::Nothing),
        0x95 => of_argument(rest, 8, |_| Op::Nothing),
        b'K' => of_argument(rest, 1, |b| Op::Int(little(b) as i64)),
        b'M' => of_argument(rest, 2, |b| Op::Int(little(b) as i64)),
        b'J' => of_argument(rest, 4, |b| Op::Int(i64::from(little(b) as u32 as i32))),
        b'G' => of_argument(rest, 8, |b| Op::Float(f64::from_bits(little(b).swap_bytes()))),
        b'h' => of_argument(rest, 1, |b| Op::Get(little(b))),
        b'j' => of_argument(rest, 4, |b| Op::Get(little(b))),
        b'q' => of_argument(rest, 1, |b| Op::Put(little(b))),
        b'r' => of_argument(rest, 4, |b| Op::Put(little(b))),
        0x8a => counted(rest, 1, long),
        0x8b => counted(rest, 4, long),
        // BINUNICODE in its three widths, and the two texts of Python 2.
        0x8c | b'U' => counted(rest, 1, text),
        b'X' | b'T' => counted(rest, 4, text),
        0x8d => counted(rest, 8, text),
        b'I' | b'L' => line(rest, |b| whole_number(b, code)),
        b'F' => line(rest, |b| decimal(b).and_then(|t| t.parse().ok()).map(Op::Float).ok_or(Refusal::Argument("a number"))),
        b'V' => line(rest, |b| Ok(Op::Text(escaped(b, false)))),
        b'S' => line(rest, |b| quoted(b).map(|inner| Op::Text(escaped(inner, true))).ok_or(Refusal::Argument("a quoted text"))),
        b'g' => line(rest, |b| place(b).map(Op::Get)),
        b'p' => line(rest, |b| place(b).map(Op::Put)),
        _ => Err(refusal(code)),
    }
}

/// Instructions that are not of plain data, by name.
fn refusal(code: u8) -> Refusal {
    match code {
        b'c' => Refusal::Code("GLOBAL"),
        0x93 => Refusal::Code("STACK_GLOBAL"),
        b'R' => Refusal::Code("REDUCE"),
        b'b' => Refusal::Code("BUILD"),
        b'i' => Refusal::Code("INST"),
        b'o' => Refusal::Code("OBJ"),
        0x81 => Refusal::Code("NEWOBJ"),
        0x92 => Refusal::Code("NEWOBJ_EX"),
        0x82..=0x84 => Refusal::Code("EXT"),
        b'P' => Refusal::Code("PERSID"),
        b'Q' => Refusal::Code("BINPERSID"),
        b'B' | b'C' | 0x8e | 0x96 => Refusal::NotPlain("bytes"),
        0x8f..=0x91 => Refusal::NotPlain("a set"),
        0x97 | 0x98 => Refusal::NotPlain("an external buffer"),
        _ => Refusal::Unknown(code),
    }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

/// An argument of `n` bytes.
fn of_argument(rest: &[u8], n: usize, op: impl FnOnce(&[u8]) -> Op<'static>) -> Parsed<'_> {
    Ok(rest.get(..n).map(|argument| (op(argument), 1 + n)))
}

/// An argument behind its length of `width` bytes.
fn counted<'a>(rest: &'a [u8], width: usize, op: fn(&'a [u8]) -> Op<'a>) -> Parsed<'a> {
    let Some(length) = rest.get(..width) else { return Ok(None) };
    let length = usize::try_from(little(length)).unwrap_or(usize::MAX);
    if length > ARGUMENT_MAX {
        return Err(Refusal::Argument("a text or number of at most 16 MiB"));
    }
    Ok(rest.get(width..width + length).map(|argument| (op(argument), 1 + width + length)))
}

/// An argument up to the end of the line.
fn line<'a>(rest: &'a [u8], op: impl FnOnce(&'a [u8]) -> Result<Op<'a>, Refusal>) -> Parsed<'a> {
    match memchr::memchr(b'\n', &rest[..rest.len().min(ARGUMENT_MAX)]) {
        Some(end) => Ok(Some((op(&rest[..end])?, end + 2))),
        None if rest.len() >= ARGUMENT_MAX => Err(Refusal::Argument("the end of a line within 16 MiB")),
        None => Ok(None),
    }
}

fn text(bytes: &[u8]) -> Op<'_> {
    Op::Text(String::from_utf8_lossy(bytes))
}

/// A number in two's complement, lowest byte first.
fn long(bytes: &[u8]) -> Op<'_> {
    match bytes {
        [] => Op::Int(0),
        _ if bytes.len() <= 8 => {
            let unused = 64 - 8 * bytes.len() as u32;
            Op::Int((little(bytes) << unused) as i64 >> unused)
        }
        [value @ .., 0] if bytes.len() == 9 => i64::try_from(little(value)).map_or(Op::Unsigned(little(value)), Op::Int),
        _ => Op::WideInt,
    }
}

fn decimal(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok().map(str::trim)
}

/// `I` with `00` and `01` for the two truths, and `L` with its letter at the end.
fn whole_number(line: &[u8], code: u8) -> Result<Op<'static>, Refusal> {
    let digits = decimal(line).ok_or(Refusal::Argument("a number"))?;
    match (code, digits) {
        (b'I', "00") => return Ok(Op::Bool(false)),
        (b'I', "01") => return Ok(Op::Bool(true)),
        _ => {}
    }
    let digits = digits.strip_suffix('L').unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.strip_prefix('-').unwrap_or(digits).bytes().all(|b| b.is_ascii_digit());
    match (digits.parse::<i64>(), digits.parse::<u64>()) {
        (Ok(n), _) => Ok(Op::Int(n)),
        (_, Ok(n)) => Ok(Op::Unsigned(n)),
        _ if is_number => Ok(Op::WideInt),
        _ => Err(Refusal::Argument("a number")),
    }
}

fn place(line: &[u8]) -> Result<u64, Refusal> {
    decimal(line).and_then(|t| t.parse().ok()).ok_or(Refusal::Argument("a place of the memo"))
}

fn quoted(line: &[u8]) -> Option<&[u8]> {
    let (first, last) = (line.first()?, line.last()?);
    (line.len() >= 2 && first == last && matches!(first, b'\'' | b'"')).then(|| &line[1..line.len() - 1])
}

/// Text with Python's escapes: `\u` and `\U` of UNICODE, and those of a string literal where `is_literal`.
fn escaped(line: &[u8], is_literal: bool) -> Cow<'_, str> {
    if !line.contains(&b'\\') {
        return String::from_utf8_lossy(line);
    }
    let text = String::from_utf8_lossy(line);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let kind = tail.chars().next();
        let digits = match kind {
            Some('u') => 4,
            Some('U') => 8,
            Some('x') if is_literal => 2,
            _ => 0,
        };
        let number = tail.get(1..1 + digits).filter(|_| digits > 0).and_then(|t| u32::from_str_radix(t, 16).ok());
        let simple = match kind {
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some(c @ ('\\' | '\'' | '"')) => Some(c),
            _ => None,
        };
        match (number, simple.filter(|_| is_literal)) {
            (Some(number), _) => {
                out.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = &tail[1 + digits..];
            }
            (None, Some(c)) => {
                out.push(c);
                rest = &tail[1..];
            }
            (None, None) => {
                out.push('\\');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bytes: &[u8]) -> Op<'_> {
        parse(bytes).expect("plain").expect("whole").0
    }

    #[test]
    fn numbers_of_every_protocol() {
        assert_eq!(one(b"K\xff"), Op::Int(255));
        assert_eq!(one(b"M\x01\x02"), Op::Int(0x0201));
        assert_eq!(one(b"J\xff\xff\xff\xff"), Op::Int(-1));
        assert_eq!(one(b"\x8a\x00"), Op::Int(0));
        assert_eq!(one(b"\x8a\x02\x00\xff"), Op::Int(-256));
        assert_eq!(one(b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"), Op::Unsigned(u64::MAX));
        assert_eq!(one(b"\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01"), Op::WideInt);
        assert_eq!(one(b"\x8b\x01\x00\x00\x00\x80"), Op::Int(-128));
        assert_eq!(one(b"I01\n"), Op::Bool(true));
        assert_eq!(one(b"I-7\n"), Op::Int(-7));
        assert_eq!(one(b"L18446744073709551615L\n"), Op::Unsigned(u64::MAX));
        assert_eq!(one(b"L99999999999999999999999L\n"), Op::WideInt);
        assert_eq!(one(b"F1.5\n"), Op::Float(1.5));
        assert_eq!(one(b"G\x3f\xf8\0\0\0\0\0\0"), Op::Float(1.5));
        assert_eq!(parse(b"Iseven\n"), Err(Refusal::Argument("a number")));
    }

    #[test]
    fn texts_of_every_protocol() {
        assert_eq!(one(b"\x8c\x02ab"), Op::Text("ab".into()));
        assert_eq!(one(b"X\x02\0\0\0ab"), Op::Text("ab".into()));
        assert_eq!(one(b"\x8d\x02\0\0\0\0\0\0\0ab"), Op::Text("ab".into()));
        assert_eq!(one(b"U\x02ab"), Op::Text("ab".into()));
        assert_eq!(one(b"Va\\u00e4\\n\n"), Op::Text("aä\\n".into()));
        assert_eq!(one(b"S'a\\'\\x41\\n'\n"), Op::Text("a'A\n".into()));
        assert_eq!(parse(b"Sab\n"), Err(Refusal::Argument("a quoted text")));
    }

    #[test]
    fn incomplete_instructions_wait_for_more() {
        for bytes in [&b""[..], b"K", b"J\0\0", b"\x8c\x05abc", b"X\x05", b"I12", b"\x95\0\0"] {
            assert_eq!(parse(bytes), Ok(None), "{bytes:?}");
        }
    }

    #[test]
    fn code_and_what_is_not_plain_data_are_refused() {
        for code in [b'c', b'R', b'b', b'i', b'o', b'P', b'Q', 0x81, 0x82, 0x83, 0x84, 0x92, 0x93] {
            assert!(matches!(parse(&[code, 0, 0]), Err(Refusal::Code(_))), "{code:#x}");
        }
        for code in [b'B', b'C', 0x8e, 0x8f, 0x90, 0x91, 0x96, 0x97, 0x98] {
            assert!(matches!(parse(&[code, 0, 0]), Err(Refusal::NotPlain(_))), "{code:#x}");
        }
        assert_eq!(parse(b"\xff"), Err(Refusal::Unknown(0xff)));
        let claimed = [b"X".as_slice(), &u32::MAX.to_le_bytes()].concat();
        assert_eq!(parse(&claimed), Err(Refusal::Argument("a text or number of at most 16 MiB")), "no room is made for a claimed length");
    }
}
