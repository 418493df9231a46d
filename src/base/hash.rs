//! The content hash of a profile: recognises a file again without reading all of it.

use crate::base::{InputError, Member};

const EDGE: u64 = 64 * 1024;
const BLOCK: u64 = 4 * 1024;
const N_BLOCKS: u64 = 64;

/// Sixteen hex digits over, for each member: its length, first and last 64 KiB, and 64 evenly spaced blocks of 4 KiB of its raw bytes.
pub fn content_hash(members: &[Member]) -> Result<String, InputError> {
    let mut hasher = Hash64::default();
    for member in members {
        hasher.write(&member.len().to_le_bytes());
        let parts = parts(member.len());
        let bytes = member.read_parts(&parts)?;
        let mut rest = &bytes[..];
        for (_, n_bytes) in parts {
            let (part, after) = rest.split_at(n_bytes);
            hasher.write(part);
            rest = after;
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The parts of a member of `len` bytes that are looked at: (offset, bytes).
fn parts(len: u64) -> Vec<(u64, usize)> {
    let edge = len.min(EDGE);
    let mut parts = vec![(0, edge as usize), (len - edge, edge as usize)];
    if len > 2 * EDGE {
        let offset = |i| (u128::from(len) * u128::from(i) / u128::from(N_BLOCKS)) as u64;
        parts.extend((0..N_BLOCKS).map(offset).map(|at| (at, BLOCK.min(len - at) as usize)));
    }
    parts
}

/// Sixty-four bits on every platform, unlike the hashers of hash maps: the page and the native report agree.
#[derive(Default)]
struct Hash64(u64);

impl Hash64 {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        rest.iter().for_each(|&byte| self.mix(u64::from(byte) | 0x100));
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn finish(&self) -> u64 {
        let folded = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        folded ^ (folded >> 32)
    }
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
        // The same on every platform.
        assert_eq!(check(b"axonscope".to_vec()), "be79556ca99b1853");
    }
}
