//! Columns that grow in blocks: no doubling, no copy of what is there, and they are freed block by block when they are read.

const BLOCK_BITS: u32 = 16;
const BLOCK_LEN: usize = 1 << BLOCK_BITS;

/// Values in blocks of a fixed number: growing never copies.
#[derive(Debug, Clone)]
pub struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks { blocks: Vec::new(), len: 0 }
    }
}

impl<T: Copy> Blocks<T> {
    /// Adds a value.
    pub fn push(&mut self, value: T) {
        if self.len.is_multiple_of(BLOCK_LEN) {
            self.blocks.push(Vec::with_capacity(self.next_len()));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(value);
            self.len += 1;
        }
    }

    /// The first block grows as it is filled, so that a short column is small.
    fn next_len(&self) -> usize {
        if self.blocks.is_empty() { 0 } else { BLOCK_LEN }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value at `i`, which must be there.
    pub fn get(&self, i: usize) -> T {
        self.blocks[i >> BLOCK_BITS][i & (BLOCK_LEN - 1)]
    }

    /// Changes the value at `i`, which must be there.
    pub fn set(&mut self, i: usize, value: T) {
        self.blocks[i >> BLOCK_BITS][i & (BLOCK_LEN - 1)] = value;
    }

    /// In the order written.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }

    /// To change each.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.blocks.iter_mut().flatten()
    }

    /// One list in the order written; each block is freed when it was copied.
    pub fn into_vec(self) -> Vec<T> {
        let mut out = Vec::with_capacity(self.len);
        self.blocks.into_iter().for_each(|block| out.extend_from_slice(&block));
        out
    }

    /// The values in the order of `order`; the blocks are freed.
    pub fn gather(self, order: &[u32]) -> Vec<T> {
        order.iter().map(|&i| self.get(i as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_the_order_written() {
        let mut column = Blocks::default();
        assert!(column.is_empty());
        let n = BLOCK_LEN as u32 * 2 + 3;
        (0..n).for_each(|i| column.push(i));
        column.set(BLOCK_LEN, 7);
        assert_eq!((column.len(), column.get(BLOCK_LEN), column.get(BLOCK_LEN + 1)), (n as usize, 7, BLOCK_LEN as u32 + 1));
        assert_eq!(column.clone().gather(&[n - 1, 0]), [n - 1, 0]);
        column.set(BLOCK_LEN, BLOCK_LEN as u32);
        assert_eq!(column.into_vec(), (0..n).collect::<Vec<_>>());
    }
}
