//! The content hash of a profile: recognises a file again without reading all of it.

use crate::base::{InputError, Member};
use rustc_hash::FxHasher;
use std::hash::Hasher;

const EDGE: u64 = 64 * 1024;
const BLOCK: u64 = 4 * 1024;
const N_BLOCKS: u64 = 64;

/// Sixteen hex digits over, for each member: its length, first and last 64 KiB, and 64 evenly spaced blocks of 4 KiB of its raw bytes.
pub fn content_hash(members: &[Member]) -> Result<String, InputError> {
    let mut hasher = FxHasher::default();
    for member in members {
        let len = member.len();
        hasher.write_u64(len);
        hasher.write(&member.read_up_to(0, EDGE)?);
        hasher.write(&member.read_up_to(len.saturating_sub(EDGE), EDGE)?);
        if len > 2 * EDGE {
            for i in 0..N_BLOCKS {
                let offset = (u128::from(len) * u128::from(i) / u128::from(N_BLOCKS)) as u64;
                hasher.write(&member.read_up_to(offset, BLOCK)?);
            }
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: Vec<u8>) -> String {
        content_hash(&[Member::from_bytes("any", bytes)]).expect("in memory")
    }

    #[test]
    fn length_edges_and_middle_count() {
        let mut bytes = vec![7; 1 << 20];
        let base = check(bytes.clone());
        bytes[1 << 19] = 8;
        assert_ne!(check(bytes.clone()), base);
        bytes.pop();
        assert_ne!(check(bytes), base);
        assert_eq!(check(Vec::new()).len(), 16);
    }
}
