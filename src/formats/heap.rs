//! The memory that an import needs, estimated before it.

use super::{Claim, ImportError, by_id};
use crate::base::{InputSet, Member, MemberHead, text};

/// Largest expected heap of an import, bytes: a 32-bit WebAssembly memory with some reserve.
pub const HEAP_MAX: u64 = 3_500_000_000;

/// Heap of a worker before an import, with its blocks, bytes: measured with small files.
const HEAP_BASE: u64 = 48 << 20;

/// Expected heap of the import of a claim, bytes, from the sizes of its files.
pub fn estimate_heap(input: &InputSet, heads: &[MemberHead], claim: &Claim) -> u64 {
    let text: u64 = claim.members.iter().filter_map(|&m| Some(text_len(heads.get(m)?, input.members.get(m)?))).sum();
    let format = by_id(&claim.format);
    if format.is_some_and(|f| f.streamed(claim, "").is_some()) {
        return text / 5 * 3 + HEAP_BASE;
    }
    let main = claim.members.first().and_then(|&m| heads.get(m));
    let own = format.zip(main).and_then(|(f, main)| f.heap_bytes(main, text));
    own.unwrap_or(text.saturating_mul(4)).saturating_add(HEAP_BASE)
}

/// Refuses a claim whose import would not fit in memory, before anything is read.
pub fn check_heap(input: &InputSet, heads: &[MemberHead], claim: &Claim) -> Result<(), ImportError> {
    let heap = estimate_heap(input, heads, claim);
    if heap <= HEAP_MAX {
        return Ok(());
    }
    let name = claim.members.first().and_then(|&m| heads.get(m)).map_or("", |h| &h.name);
    Err(ImportError::Unsupported(format!(
        "`{name}` needs about {} of memory; a browser tab has at most {}. Record fewer steps or split the file.",
        text::bytes(heap),
        text::bytes(HEAP_MAX)
    )))
}

/// Bytes of text in a member: its length, or what its gzip trailer says (modulo 2³², so the wrap nearest to a usual ratio is taken).
fn text_len(head: &MemberHead, member: &Member) -> u64 {
    const USUAL_RATIO: u64 = 8;
    if !head.is_gzip {
        return head.len;
    }
    let guess = head.len.saturating_mul(USUAL_RATIO);
    let Some(&[a, b, c, d]) = member.read(head.len.saturating_sub(4), 4).ok().as_deref() else {
        return guess;
    };
    let stated = u64::from(u32::from_le_bytes([a, b, c, d]));
    let wraps = (guess.saturating_sub(stated) + (1 << 31)) >> 32;
    (stated + (wraps << 32)).max(head.len)
}
