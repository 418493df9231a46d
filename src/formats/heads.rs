//! The beginnings of files, and files without their compression.

use super::ImportError;
use super::gzip::{INFLATED_MAX, InflatedSource, Inflater, Stop, is_gzip};
use crate::base::input::HEAD_LEN;
use crate::base::{InputError, InputSet, Member, MemberHead, text};

/// Bytes of one block.
pub(super) const BLOCK: u64 = 8 << 20;

/// What `claim` looks at: the first bytes of each member, inflated where it is gzip.
pub fn heads(input: &InputSet) -> Result<Vec<MemberHead>, InputError> {
    input.members.iter().map(head).collect()
}

fn head(member: &Member) -> Result<MemberHead, InputError> {
    let raw = member.read_up_to(0, HEAD_LEN as u64)?;
    let is_gzip = is_gzip(&raw);
    let head = if is_gzip { inflated_head(&raw) } else { raw };
    Ok(MemberHead { name: member.name.clone(), len: member.len(), head, is_gzip })
}

/// The first [`HEAD_LEN`] bytes of text in the beginning of a gzip file; fewer where it is damaged.
fn inflated_head(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut receive = |text: &[u8]| {
        out.extend_from_slice(&text[..text.len().min(HEAD_LEN - out.len())]);
        if out.len() == HEAD_LEN { Err(()) } else { Ok(()) }
    };
    // The first error is that there is enough; a damaged file shows when it is read.
    let _ = Inflater::default().push(raw, &mut receive);
    out
}

/// The member itself, or its inflated text when it is gzip.
pub fn inflated(member: &Member) -> Result<Member, ImportError> {
    if !is_gzip(&member.read_up_to(0, 2)?) {
        return Ok(member.clone());
    }
    let mut inflater = Inflater::default();
    let mut offset = 0;
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        inflater.push(&block, &mut |_| Ok::<_, ()>(())).map_err(|stop| match stop {
            Stop::Damaged { offset, why } => ImportError::Invalid(format!("`{}`: at byte {offset} {why}.", member.name)),
            _ => ImportError::Unsupported(format!("`{}` inflates to more than {}.", member.name, text::bytes(INFLATED_MAX))),
        })?;
    }
    match inflater.finish() {
        (index, true) => Ok(InflatedSource::member(member, index)),
        (_, false) => Err(ImportError::Invalid(format!("`{}` is gzip data that ends early; expected a complete file.", member.name))),
    }
}
