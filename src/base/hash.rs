//! The content hash of a profile: recognises a file again without reading all of it.

use crate::base::{InputError, Member};

const EDGE: u64 = 64 * 1024;
const BLOCK: u64 = 4 * 1024;
const N_BLOCKS: u64 = 64;

/// Sixteen hex digits over, for each member: its length, first and last 64 KiB, and 64 evenly spaced blocks of 4 KiB of its raw bytes.
pub fn content_hash(members: &[Member]) -> Result<String, InputError> {
    let mut hash = ContentHash::default();
    for member in members {
        hash.add(member.len(), &member.read_parts(&parts(member.len()))?);
    }
    Ok(hash.digits())
}

/// [`content_hash`] of members whose sampled bytes are read by others.
#[derive(Default)]
pub struct ContentHash(Hash64);

impl ContentHash {
    /// The next member: its length, and the bytes of its [`parts`] one after the other.
    pub fn add(&mut self, len: u64, bytes: &[u8]) {
        self.0.write(&len.to_le_bytes());
        let mut rest = bytes;
        for (_, n_bytes) in parts(len) {
            let (part, after) = rest.split_at(n_bytes.min(rest.len()));
            self.0.write(part);
            rest = after;
        }
    }

    /// Sixteen hex digits.
    pub fn digits(&self) -> String {
        self.0.digits()
    }
}

/// The content hash of one member, computed from the blocks that the import reads anyway.
pub struct PassingHash {
    len: u64,
    parts: Vec<(u64, usize)>,
    /// Hasher over the sampled parts, in order.
    bytes: Vec<u8>,
    n_passed: u64,
}

impl PassingHash {
    /// For a member of `len` bytes, before its first block.
    pub fn new(len: u64) -> Self {
        let parts = parts(len);
        PassingHash { len, bytes: vec![0; parts.iter().map(|p| p.1).sum()], parts, n_passed: 0 }
    }

    /// The next bytes.
    pub fn pass(&mut self, block: &[u8]) {
        let from = self.n_passed;
        let to = from + block.len() as u64;
        let mut place = 0;
        for &(offset, n_bytes) in &self.parts {
            let (first, last) = (offset.max(from), (offset + n_bytes as u64).min(to));
            if first < last {
                let n = (last - first) as usize;
                let (into, out_of) = (place + (first - offset) as usize, (first - from) as usize);
                self.bytes[into..into + n].copy_from_slice(&block[out_of..out_of + n]);
            }
            place += n_bytes;
        }
        self.n_passed = to;
    }

    /// As [`content_hash`]; `None` if the blocks were longer or shorter than the member.
    pub fn finish(self) -> Option<String> {
        let mut hash = ContentHash::default();
        hash.add(self.len, &self.bytes);
        (self.n_passed == self.len).then(|| hash.digits())
    }
}

/// What the hash samples of a member of `len` bytes: (offset, bytes).
pub fn parts(len: u64) -> Vec<(u64, usize)> {
    let edge = len.min(EDGE);
    let mut parts = vec![(0, edge as usize), (len - edge, edge as usize)];
    if len > 2 * EDGE {
        let offset = |i| (u128::from(len) * u128::from(i) / u128::from(N_BLOCKS)) as u64;
        parts.extend((0..N_BLOCKS).map(offset).map(|at| (at, BLOCK.min(len - at) as usize)));
    }
    parts
}

/// 64 bits on every platform, unlike the hashers of hash maps, so that the page and the command line compute the same hash.
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

    fn digits(&self) -> String {
        let folded = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        format!("{:016x}", folded ^ (folded >> 32))
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

    #[test]
    fn bytes_that_pass_have_the_hash_of_the_member() {
        for len in [0, 1, 5000, 65_536, 131_072, 131_073, 700_001] {
            let bytes: Vec<u8> = (0..len).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            for block in [1000, 65_536, 1 << 20] {
                let mut passing = PassingHash::new(bytes.len() as u64);
                bytes.chunks(block).for_each(|b| passing.pass(b));
                assert_eq!(passing.finish(), Some(check(bytes.clone())), "{len} bytes in blocks of {block}");
            }
        }
        let mut short = PassingHash::new(10);
        short.pass(&[1; 9]);
        assert_eq!(short.finish(), None);
    }
}
