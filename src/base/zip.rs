//! Writes a ZIP archive of stored members: headers and directory; the data stay where they are.
//! <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>

/// A member that is written.
struct Member {
    name: String,
    crc: u32,
    n_bytes: u64,
    /// Where its header begins, bytes from the start of the archive.
    at: u64,
}

/// The directory of an archive in the making.
#[derive(Default)]
pub struct ZipDirectory {
    members: Vec<Member>,
    at: u64,
}

/// Version that a reader needs: 2.0, or 4.5 for sizes beyond 4 GB.
const VERSION: [u16; 2] = [20, 45];
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// 1980-01-01, the first date there is: the same profile gives the same bytes.
const DATE: u16 = 1 << 5 | 1;
/// In place of a number that is in the extra field.
const LARGE: u32 = u32::MAX;

struct Record(Vec<u8>);

impl Record {
    fn u16(&mut self, n: u16) -> &mut Self {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }

    fn u32(&mut self, n: u32) -> &mut Self {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }

    fn u64(&mut self, n: u64) -> &mut Self {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(LARGE)
}

fn is_large(n: u64) -> bool {
    n >= u64::from(LARGE)
}

impl ZipDirectory {
    /// Adds a member; returns the header that is before its data. Names are paths with `/`, at most 65 535 bytes.
    pub fn add(&mut self, name: &str, crc: u32, n_bytes: u64) -> Vec<u8> {
        let name: String = name.chars().take(1_000).collect();
        let is_large = is_large(n_bytes);
        let mut out = Record(Vec::new());
        out.u32(0x0403_4b50).u16(VERSION[usize::from(is_large)]).u16(FLAGS).u16(0).u16(0).u16(DATE).u32(crc);
        out.u32(if is_large { LARGE } else { small(n_bytes) }).u32(if is_large { LARGE } else { small(n_bytes) });
        out.u16(name.len() as u16).u16(if is_large { 20 } else { 0 }).bytes(name.as_bytes());
        if is_large {
            out.u16(1).u16(16).u64(n_bytes).u64(n_bytes);
        }
        let at = self.at;
        self.at += out.0.len() as u64 + n_bytes;
        self.members.push(Member { name, crc, n_bytes, at });
        out.0
    }

    /// The end of the archive.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Record(Vec::new());
        for member in &self.members {
            let large: Vec<u64> = [member.n_bytes, member.n_bytes, member.at].into_iter().filter(|n| is_large(*n)).collect();
            let version = VERSION[usize::from(!large.is_empty())];
            out.u32(0x0201_4b50).u16(version).u16(version).u16(FLAGS).u16(0).u16(0).u16(DATE).u32(member.crc);
            out.u32(small(member.n_bytes)).u32(small(member.n_bytes)).u16(member.name.len() as u16);
            out.u16(if large.is_empty() { 0 } else { 4 + 8 * large.len() as u16 }).u16(0).u16(0).u16(0).u32(0).u32(small(member.at));
            out.bytes(member.name.as_bytes());
            if !large.is_empty() {
                out.u16(1).u16(8 * large.len() as u16);
                large.iter().for_each(|n| {
                    out.u64(*n);
                });
            }
        }
        let (n, size, from) = (self.members.len() as u64, out.0.len() as u64, self.at);
        if n >= u64::from(u16::MAX) || is_large(size) || is_large(from) {
            out.u32(0x0606_4b50).u64(44).u16(VERSION[1]).u16(VERSION[1]).u32(0).u32(0).u64(n).u64(n).u64(size).u64(from);
            out.u32(0x0706_4b50).u32(0).u64(from + size).u32(1);
        }
        let n = u16::try_from(n).unwrap_or(u16::MAX);
        out.u32(0x0605_4b50).u16(0).u16(0).u16(n).u16(n).u32(small(size)).u32(small(from)).u16(0);
        out.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_4_gb_are_in_extra_fields() {
        let mut zip = ZipDirectory::default();
        let small = zip.add("a.parquet", 1, 5);
        assert_eq!((small.len(), &small[..4]), (30 + 9, &b"PK\x03\x04"[..]));
        let large = zip.add("b", 2, 5_000_000_000);
        assert_eq!(large.len(), 30 + 1 + 20);
        assert_eq!(large[large.len() - 8..], 5_000_000_000u64.to_le_bytes());
        zip.add("c", 3, 1);
        let end = zip.finish();
        // Three entries (the second with two sizes, the third with its place), the long end, its locator, the end.
        assert_eq!(end.len(), (46 + 9) + (46 + 1 + 20) + (46 + 1 + 12) + 56 + 20 + 22);
        assert_eq!(end[end.len() - 22..end.len() - 18], *b"PK\x05\x06");
    }
}
