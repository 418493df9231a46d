//! Semaphores in the operands of an instruction.
//!
//! `S[5] (Tensor)>=5` waits, `$S[2]==3` waits for exactly that value, `S[6] (Vector)++@complete` sets at the end,
//! `semaphore=24 sem_increment=16`: a DMA transfer raises the semaphore. `$` marks a number of the compiler that the runtime did not change.

use crate::model::domain::Shape;
use crate::model::{Dtype, SemaphoreRole};

/// One semaphore: (what is done with it, number, owner or empty, value).
pub(crate) type Found<'a> = (SemaphoreRole, &'a str, &'a str, i64);

/// More than these in one instruction are not read.
const MOST: usize = 16;

/// The semaphores that `operands` name.
pub(crate) fn semaphores(operands: &str) -> Vec<Found<'_>> {
    let mut out = Vec::new();
    let bytes = operands.as_bytes();
    for at in memchr::memchr_iter(b'S', bytes) {
        let is_word = at == 0 || matches!(bytes[at - 1], b' ' | b'$');
        let named = operands[at..].strip_prefix("S[").filter(|_| is_word && out.len() < MOST);
        out.extend(named.and_then(|rest| rest.split_once(']')).and_then(|(id, after)| one(id, after)));
    }
    if let Some(id) = word(operands, "semaphore").filter(|id| is_number(id)) {
        let by = word(operands, "sem_increment").and_then(|n| n.parse().ok()).unwrap_or(1);
        out.push((SemaphoreRole::Transfers, id, "", by));
    }
    out
}

/// What is behind `key=`, up to the next space.
fn word<'a>(operands: &'a str, key: &str) -> Option<&'a str> {
    memchr::memchr_iter(b'=', operands.as_bytes()).find_map(|at| {
        let before = operands[..at].strip_suffix(key)?;
        (before.is_empty() || before.ends_with(' ')).then_some(())?;
        operands[at + 1..].split(' ').next()
    })
}

/// The size of the first source: `src=fp32@0x36500[1,0,0][512,1,1] … channels=128`, or `… 128*128` of a matrix product.
/// The slice is left for the caller.
pub(crate) fn shape(operands: &str) -> Option<Shape> {
    let source = word(operands, "src").or_else(|| word(operands, "src0"))?;
    let (dtype, rest) = source.split_once('@')?;
    let dims = rest.strip_suffix(']')?.rsplit_once('[')?.1;
    let elements = dims.split(',').try_fold(1u32, |n, d| n.checked_mul(d.parse().ok()?))?;
    let channels = word(operands, "channels").and_then(|n| n.parse().ok());
    let tail = operands.split_ascii_whitespace().next_back().and_then(|word| word.split_once('*'));
    let held: Option<(u16, u16)> = tail.and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
    let (partitions, columns) = held.or(channels.map(|n| (n, 0))).unwrap_or_default();
    let is_low_high = word(operands, "fp32_mode") == Some("LOW_HIGH");
    Some(Shape { slice: 0, elements, partitions, columns, dtype: self::dtype(dtype), is_low_high })
}

fn dtype(name: &str) -> Dtype {
    let is = |names: &[&str]| names.iter().any(|n| name.eq_ignore_ascii_case(n));
    let begins = |with: &str| name.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    match () {
        () if is(&["fp32", "float32", "f32"]) => Dtype::Fp32,
        () if is(&["bf16", "bfloat16", "fp16", "float16", "f16", "tf32", "fp32r"]) => Dtype::Fp16,
        () if begins("fp8") || begins("float8") => Dtype::Fp8,
        () if begins("int") || begins("uint") => Dtype::Int,
        () => Dtype::Other,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 10 && text.bytes().all(|c| c.is_ascii_digit())
}

fn one<'a>(id: &'a str, after: &'a str) -> Option<Found<'a>> {
    if !is_number(id) {
        return None;
    }
    let (owner, rest) = match after.strip_prefix(" (") {
        Some(named) => named.split_once(')')?,
        None => ("", after),
    };
    let end = rest.find(' ').unwrap_or(rest.len());
    let rest = &rest[..end];
    let number = |text: &str| text.split('@').next().and_then(|n| n.parse::<i64>().ok());
    let (role, value) = match rest {
        _ if rest.starts_with(">=") => (SemaphoreRole::AtLeast, number(&rest[2..])?),
        _ if rest.starts_with("==") => (SemaphoreRole::Exactly, number(&rest[2..])?),
        _ if rest.starts_with("++") => (SemaphoreRole::Sets, 1),
        _ if rest.starts_with("--") => (SemaphoreRole::Sets, -1),
        _ if rest.starts_with("+=") => (SemaphoreRole::Sets, number(&rest[2..])?),
        _ if rest.starts_with("-=") => (SemaphoreRole::Sets, number(&rest[2..])?.checked_neg()?),
        _ if rest.starts_with('=') => (SemaphoreRole::Sets, 0),
        _ => return None,
    };
    Some((role, id, owner, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use SemaphoreRole::*;

    #[test]
    fn sizes_of_sources() {
        let of = |text| shape(text).map(|s| (s.elements, s.partitions, s.columns, s.dtype));
        let reduce = "S[5] (Tensor)>=5 op=MAX dim=X src=fp32@0x2002000[1,1,1,1][512,1,1,1] dst=fp32@0x4800[1,1,1,1][1,1,1,1] channels=64 ";
        assert_eq!(of(reduce), Some((512, 64, 0, Dtype::Fp32)));
        assert_eq!(
            of(" acc_flags=1 src=bf16@0x36ff8[1,0,0][128,2,1] dst=0x2002000[1,0,0][512,1,1] 128*32 "),
            Some((256, 128, 32, Dtype::Fp16))
        );
        let is_low_high = |text| shape(text).map(|s| s.is_low_high);
        assert_eq!(is_low_high("acc_flags=2 fp32_mode=LOW_HIGH src=fp32@0x36ff8[1,0,0][512,1,1] dst=0x2[1][1] 128*128 "), Some(true));
        assert_eq!(is_low_high("acc_flags=2 src=fp32@0x36ff8[1,0,0][512,1,1] dst=0x2[1][1] 128*128 "), Some(false));
        assert_eq!(of(" src=fp32@0x1[1][x,1] "), None);
        assert_eq!(of("semaphore=8  src_elem_size=512 src_pattern=[512,1][128,1]"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn waits_updates_and_transfers() {
        let check = |text, want: &[Found<'_>]| assert_eq!(semaphores(text), want, "{text}");
        check("S[5] (Tensor)>=5 S[6] (Vector)++@complete op=MAX", &[(AtLeast, "5", "Tensor", 5), (Sets, "6", "Vector", 1)]);
        check(" setter=0 $S[2]==3 $S[2]++@complete ", &[(Exactly, "2", "", 3), (Sets, "2", "", 1)]);
        check("$S[2]=0@complete $S[1]--@complete $S[3]+=4@complete", &[(Sets, "2", "", 0), (Sets, "1", "", -1), (Sets, "3", "", 4)]);
        check("S[6] (Vector)>=16 semaphore=27 sem_increment=16 ", &[(AtLeast, "6", "Vector", 16), (Transfers, "27", "", 16)]);
        check("dst=FOO-S[1]>=2 S[x]>=1 S[3 S[4]?1 S[5] (a", &[]);
        check("", &[]);
    }
}
