//! Semaphores in the operands of an instruction.
//!
//! `S[5] (Tensor)>=5` waits, `$S[2]==3` waits for exactly that value, `S[6] (Vector)++@complete` sets at the end,
//! `semaphore=24 sem_increment=16` has a DMA transfer raise it. `$` marks a number that the compiler wrote and the runtime kept.

use crate::model::SemaphoreRole;

/// One semaphore: (what is done with it, number, owner or empty, value).
pub(crate) type Found<'a> = (SemaphoreRole, &'a str, &'a str, i64);

/// More than these in one instruction are not read.
const MOST: usize = 16;

/// The semaphores that `operands` name.
pub(crate) fn semaphores(operands: &str) -> Vec<Found<'_>> {
    let mut out = Vec::new();
    let mut rest = operands;
    while let Some(at) = rest.find("S[").filter(|_| out.len() < MOST) {
        let is_word = at == 0 || matches!(rest.as_bytes()[at - 1], b' ' | b'$');
        rest = &rest[at + 2..];
        if let (true, Some((id, after))) = (is_word, rest.split_once(']')) {
            out.extend(one(id, after));
        }
    }
    let word = |key: &str| operands.split_ascii_whitespace().find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
    if let Some(id) = word("semaphore").filter(|id| is_number(id)) {
        let by = word("sem_increment").and_then(|n| n.parse().ok()).unwrap_or(1);
        out.push((SemaphoreRole::Transfers, id, "", by));
    }
    out
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
