//! A column of a batch: its type and its buffers.

/// Which type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Int64,
    Int32,
    Float64,
    Float32,
    Bool,
    Utf8,
    /// Positions in texts of their own.
    Dictionary,
}

/// A column: buffers in Arrow's layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub(super) kind: Type,
    pub(super) n_rows: usize,
    pub(super) n_null: usize,
    /// Validity, then the values (of texts: ends, then bytes).
    pub(super) buffers: Vec<Vec<u8>>,
    /// The texts of a dictionary.
    pub(super) words: Option<Box<Array>>,
}

/// Collects values of a fixed size and which of them there are.
struct Fixed {
    valid: Bits,
    bytes: Vec<u8>,
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    n: usize,
    n_unset: usize,
}

impl Bits {
    fn push(&mut self, is_set: bool) {
        if self.n.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(is_set) << (self.n % 8);
        }
        self.n += 1;
        self.n_unset += usize::from(!is_set);
    }

    /// Eight bits; a multiple of eight is there already.
    fn push_eight(&mut self, bits: u8) {
        self.bytes.push(bits);
        self.n += 8;
        self.n_unset += bits.count_zeros() as usize;
    }
}

impl Fixed {
    fn of<const N: usize>(values: impl Iterator<Item = Option<[u8; N]>>) -> Fixed {
        let n = values.size_hint().0;
        let mut out = Fixed { valid: Bits { bytes: Vec::with_capacity(n / 8 + 1), ..Bits::default() }, bytes: Vec::with_capacity(n * N) };
        // The bits of eight rows are gathered before they are written: half of the time.
        let mut bits = 0;
        let mut n_in_bits = 0;
        for value in values {
            bits |= u8::from(value.is_some()) << n_in_bits;
            n_in_bits += 1;
            if n_in_bits == 8 {
                out.valid.push_eight(bits);
                (bits, n_in_bits) = (0, 0);
            }
            out.bytes.extend_from_slice(&value.unwrap_or([0; N]));
        }
        (0..n_in_bits).for_each(|at| out.valid.push(bits >> at & 1 == 1));
        out
    }

    fn array(self, kind: Type) -> Array {
        Array { kind, n_rows: self.valid.n, n_null: self.valid.n_unset, buffers: vec![self.valid.bytes, self.bytes], words: None }
    }
}

impl Array {
    /// Whole numbers of 64 bits.
    pub fn ints(values: impl Iterator<Item = Option<i64>>) -> Array {
        Fixed::of(values.map(|v| v.map(i64::to_le_bytes))).array(Type::Int64)
    }

    /// Whole numbers of 32 bits.
    pub fn ints32(values: impl Iterator<Item = Option<i32>>) -> Array {
        Fixed::of(values.map(|v| v.map(i32::to_le_bytes))).array(Type::Int32)
    }

    /// Double precision.
    pub fn floats(values: impl Iterator<Item = Option<f64>>) -> Array {
        Fixed::of(values.map(|v| v.map(f64::to_le_bytes))).array(Type::Float64)
    }

    /// Single precision.
    pub fn floats32(values: impl Iterator<Item = Option<f32>>) -> Array {
        Fixed::of(values.map(|v| v.map(f32::to_le_bytes))).array(Type::Float32)
    }

    /// True or false.
    pub fn flags(values: impl Iterator<Item = Option<bool>>) -> Array {
        let (mut valid, mut bits) = (Bits::default(), Bits::default());
        for value in values {
            valid.push(value.is_some());
            bits.push(value.unwrap_or(false));
        }
        Array { kind: Type::Bool, n_rows: valid.n, n_null: valid.n_unset, buffers: vec![valid.bytes, bits.bytes], words: None }
    }

    /// Texts; those that no longer fit into 2 GiB are absent.
    pub fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Array {
        let (mut valid, mut ends, mut bytes) = (Bits::default(), vec![0; 4], Vec::new());
        for value in values {
            let value = value.filter(|text| bytes.len() + text.len() <= i32::MAX as usize);
            valid.push(value.is_some());
            bytes.extend_from_slice(value.unwrap_or("").as_bytes());
            ends.extend_from_slice(&(bytes.len() as i32).to_le_bytes());
        }
        Array { kind: Type::Utf8, n_rows: valid.n, n_null: valid.n_unset, buffers: vec![valid.bytes, ends, bytes], words: None }
    }

    /// Texts that repeat: for each row a position in `words`.
    pub fn words<'a>(codes: impl Iterator<Item = Option<u32>>, words: impl Iterator<Item = &'a str>) -> Array {
        let codes = Fixed::of(codes.map(|c| c.map(u32::to_le_bytes))).array(Type::Dictionary);
        Array { words: Some(Box::new(Array::texts(words.map(Some)))), ..codes }
    }
}
