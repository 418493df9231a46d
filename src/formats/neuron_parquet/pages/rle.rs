//! Parquet's runs of small numbers: codes of a dictionary and definition levels ("RLE / bit-packing hybrid" of the format's description).

use super::errors::Found;
use bytes::Bytes;

/// Reads the numbers front to back; holds no more than the bytes they are in.
pub struct Hybrid {
    bytes: Bytes,
    /// Where the next run begins.
    at: usize,
    /// Bits of a number, at most 32.
    width: u32,
    run: Run,
}

enum Run {
    /// One number and its count.
    Same(u32, usize),
    /// The position of the next number in bits, and how many there are.
    Packed(usize, usize),
}

impl Hybrid {
    /// Numbers of `width` bits.
    pub fn new(bytes: Bytes, width: u32) -> Result<Hybrid, Found> {
        if width > 32 {
            return Err(Found::Width(width));
        }
        Ok(Hybrid { bytes, at: 0, width, run: Run::Same(0, 0) })
    }

    /// Adds the next `n` numbers to `out`.
    pub fn take(&mut self, mut n: usize, out: &mut Vec<u32>) -> Result<(), Found> {
        while n > 0 {
            let taken = match &mut self.run {
                Run::Same(_, 0) | Run::Packed(_, 0) => {
                    self.next_run()?;
                    continue;
                }
                Run::Same(value, left) => {
                    let k = n.min(*left);
                    out.resize(out.len() + k, *value);
                    *left -= k;
                    k
                }
                Run::Packed(at, left) => {
                    let k = n.min(*left);
                    let (bytes, width, from) = (&self.bytes[..], self.width as usize, *at);
                    out.extend((0..k).map(|i| unpacked(bytes, from + i * width, self.width)));
                    (*at, *left) = (from + k * width, *left - k);
                    k
                }
            };
            n -= taken;
        }
        Ok(())
    }

    fn next_run(&mut self) -> Result<(), Found> {
        let header = self.header()?;
        let n = (header >> 1) as usize;
        if header & 1 == 1 {
            let from = self.at * 8;
            let n_bytes = n.saturating_mul(self.width as usize).min(self.bytes.len() - self.at);
            self.at += n_bytes;
            // The last bytes of a cut run may be missing: numbers there are none.
            let n_whole = if self.width == 0 { n.saturating_mul(8) } else { n_bytes * 8 / self.width as usize };
            self.run = Run::Packed(from, n_whole);
        } else {
            let n_bytes = self.width.div_ceil(8) as usize;
            let value = self.bytes.get(self.at..self.at + n_bytes).ok_or(Found::ShortPage)?;
            let value = value.iter().rev().fold(0u32, |sum, b| sum << 8 | u32::from(*b));
            self.at += n_bytes;
            self.run = Run::Same(value, n);
        }
        Ok(())
    }

    fn header(&mut self) -> Result<u32, Found> {
        let (mut header, mut shift) = (0u32, 0);
        loop {
            let byte = *self.bytes.get(self.at).ok_or(Found::ShortPage)?;
            self.at += 1;
            header |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(header);
            }
            shift += 7;
        }
    }
}

/// The number of `width` bits that begins at `bit`.
#[inline(always)]
fn unpacked(bytes: &[u8], bit: usize, width: u32) -> u32 {
    let at = bit / 8;
    let word = match bytes.get(at..at + 8).and_then(|b| b.first_chunk::<8>()) {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.get(at..).unwrap_or_default().iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b)),
    };
    (word >> (bit % 8) & ((1u64 << width) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_numbers_are_read_in_any_portions() {
        // Three times 5, eight numbers of three bits (0 to 7), twice 1: the example of the format's description in the middle.
        let bytes = Bytes::from_static(&[6, 5, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010, 4, 1]);
        let all = [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 1, 1];
        for step in 1..=all.len() {
            let mut numbers = Hybrid::new(bytes.clone(), 3).expect("narrow");
            let mut out = Vec::new();
            while out.len() < all.len() {
                numbers.take(step.min(all.len() - out.len()), &mut out).expect("there are enough");
            }
            assert_eq!(out, all);
            assert!(numbers.take(1, &mut out).is_err());
        }
    }

    #[test]
    fn wide_and_empty_numbers() {
        let take = |bytes: &'static [u8], width, n| {
            let mut out = Vec::new();
            Hybrid::new(Bytes::from_static(bytes), width)?.take(n, &mut out).map(|()| out)
        };
        assert_eq!(take(&[4, 1, 2, 3, 4], 32, 2), Ok(vec![0x0403_0201; 2]));
        assert_eq!(take(&[4, 1, 2], 12, 2), Ok(vec![0x0201; 2]));
        assert_eq!(take(&[3], 0, 8), Ok(vec![0; 8]));
        assert_eq!(take(&[6], 0, 3), Ok(vec![0; 3]));
        assert!(take(&[], 1, 1).is_err() && take(&[2], 1, 1).is_err() && take(&[0x80; 9], 1, 1).is_err());
        assert!(take(&[3], 33, 1).is_err());
        // A packed run of eight 16-bit numbers that ends after three.
        assert_eq!(take(&[3, 1, 0, 2, 0, 3, 0], 16, 3), Ok(vec![1, 2, 3]));
        assert!(take(&[3, 1, 0, 2, 0, 3, 0], 16, 4).is_err());
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn any_bytes_give_numbers_or_an_error(bytes: Vec<u8>, width in 0u32..40, n in 0usize..5000) {
            let mut out = Vec::new();
            if let Ok(mut numbers) = Hybrid::new(bytes.into(), width) {
                let is_done = numbers.take(n, &mut out).is_ok();
                proptest::prop_assert!(out.len() <= n && (!is_done || out.len() == n));
                proptest::prop_assert!(width == 32 || out.iter().all(|v| u64::from(*v) < 1u64 << width.next_multiple_of(8).max(1)));
            }
        }
    }
}
