//! Reads tables of FlatBuffers: every place is checked, and what is outside is absent.

/// A table within a message.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    array(bytes, at).map(|b| u32::from_le_bytes(b) as usize)
}

impl<'a> Table<'a> {
    /// The root table.
    pub fn root(bytes: &'a [u8]) -> Option<Table<'a>> {
        Some(Table { bytes, at: u32_at(bytes, 0)? })
    }

    /// Offset of the field of that number.
    fn slot(&self, field: usize) -> Option<usize> {
        let back = i32::from_le_bytes(array(self.bytes, self.at)?);
        let sizes = i64::try_from(self.at).ok()?.checked_sub(i64::from(back))?;
        let sizes = usize::try_from(sizes).ok()?;
        let n_sizes = usize::from(u16::from_le_bytes(array(self.bytes, sizes)?));
        let at = 4 + 2 * field;
        if at + 2 > n_sizes {
            return None;
        }
        let place = usize::from(u16::from_le_bytes(array(self.bytes, sizes.checked_add(at)?)?));
        (place > 0).then(|| self.at.checked_add(place)).flatten()
    }

    pub fn u8(&self, field: usize) -> Option<u8> {
        self.bytes.get(self.slot(field)?).copied()
    }

    pub fn i16(&self, field: usize) -> Option<i16> {
        array(self.bytes, self.slot(field)?).map(i16::from_le_bytes)
    }

    pub fn i32(&self, field: usize) -> Option<i32> {
        array(self.bytes, self.slot(field)?).map(i32::from_le_bytes)
    }

    pub fn i64(&self, field: usize) -> Option<i64> {
        array(self.bytes, self.slot(field)?).map(i64::from_le_bytes)
    }

    fn target(&self, slot: usize) -> Option<usize> {
        slot.checked_add(u32_at(self.bytes, slot)?)
    }

    pub fn table(&self, field: usize) -> Option<Table<'a>> {
        Some(Table { bytes: self.bytes, at: self.target(self.slot(field)?)? })
    }

    /// First element and length of a vector.
    fn vector(&self, field: usize) -> Option<(usize, usize)> {
        let at = self.target(self.slot(field)?)?;
        Some((at.checked_add(4)?, u32_at(self.bytes, at)?))
    }

    pub fn text(&self, field: usize) -> Option<&'a str> {
        let (at, len) = self.vector(field)?;
        std::str::from_utf8(self.bytes.get(at..at.checked_add(len)?)?).ok()
    }

    /// Tables of a vector; none where one is outside.
    pub fn tables(&self, field: usize) -> Option<Vec<Table<'a>>> {
        let (at, len) = self.vector(field)?;
        self.bytes.get(at..at.checked_add(len.checked_mul(4)?)?)?;
        (0..len).map(|i| Some(Table { bytes: self.bytes, at: self.target(at + 4 * i)? })).collect()
    }

    /// Structs of two numbers.
    pub fn pairs(&self, field: usize) -> Option<Vec<[i64; 2]>> {
        let (at, len) = self.vector(field)?;
        let bytes = self.bytes.get(at..at.checked_add(len.checked_mul(16)?)?)?;
        let number = |b: &[u8]| array(b, 0).map(i64::from_le_bytes);
        bytes.chunks_exact(16).map(|pair| Some([number(pair)?, number(&pair[8..])?])).collect()
    }
}
