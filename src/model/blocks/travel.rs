//! Columns on their way between two programs of one build: block by block, the bytes of each as they are in memory.

use super::{BLOCK_LEN, Blocks};
use bytemuck::Pod;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

impl<T: Pod> Serialize for Blocks<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut blocks = to.serialize_seq(Some(1 + self.rest.len()))?;
        for block in std::iter::once(&self.first).chain(&self.rest) {
            blocks.serialize_element(&Bytes(bytemuck::cast_slice(block)))?;
        }
        blocks.end()
    }
}

/// Bytes at one go, not one by one.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(self.0)
    }
}

impl<'de, T: Pod> Deserialize<'de> for Blocks<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(OfBlocks(PhantomData))
    }
}

struct OfBlocks<T>(PhantomData<T>);

impl<'de, T: Pod> Visitor<'de> for OfBlocks<T> {
    type Value = Blocks<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the blocks of a column")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Blocks<T>, A::Error> {
        let mut blocks = Vec::new();
        while let Some(Values(values)) = seq.next_element()? {
            blocks.push(values);
        }
        let mut blocks = blocks.into_iter();
        let first: Vec<T> = blocks.next().unwrap_or_default();
        let rest: Vec<Vec<T>> = blocks.collect();
        let is_uneven = rest.iter().rev().skip(1).any(|block| block.len() != BLOCK_LEN);
        if is_uneven || rest.last().is_some_and(|block| block.is_empty() || block.len() > BLOCK_LEN) {
            return Err(A::Error::custom("blocks of another length"));
        }
        let room = if rest.is_empty() { first.len().max(BLOCK_LEN) } else { first.len() };
        Ok(Blocks { first, room, rest })
    }
}

struct Values<T>(Vec<T>);

impl<'de, T: Pod> Deserialize<'de> for Values<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(OfBytes(PhantomData))
    }
}

struct OfBytes<T>(PhantomData<T>);

impl<T: Pod> Visitor<'_> for OfBytes<T> {
    type Value = Values<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the values of a block")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Values<T>, E> {
        if !bytes.len().is_multiple_of(size_of::<T>()) {
            return Err(E::custom("a value is cut"));
        }
        let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>().max(1)];
        bytemuck::cast_slice_mut::<T, u8>(&mut values).copy_from_slice(bytes);
        Ok(Values(values))
    }
}

/// For rows that are no plain bytes: one by one, each in its own form.
pub mod one_by_one {
    use super::Blocks;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the rows.
    pub fn serialize<T: Serialize + Copy, S: Serializer>(column: &Blocks<T>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(column.iter().collect::<Vec<_>>())
    }

    /// Reads the rows.
    pub fn deserialize<'de, T: Deserialize<'de> + Copy, D: Deserializer<'de>>(from: D) -> Result<Blocks<T>, D::Error> {
        let rows = Vec::<T>::deserialize(from)?;
        let mut column = Blocks::default();
        column.extend(rows.len(), |i| rows[i]);
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_survives_the_way() -> postcard::Result<()> {
        for n in [0, 1, BLOCK_LEN, BLOCK_LEN + 1, 3 * BLOCK_LEN, 3 * BLOCK_LEN + 7] {
            for expected in [0, 2 * BLOCK_LEN] {
                let mut column = Blocks::default();
                column.expect(expected);
                column.extend(n, |i| i as u64 * 3);
                let there: Blocks<u64> = postcard::from_bytes(&postcard::to_allocvec(&column)?)?;
                assert_eq!(there.len(), n);
                assert!(there.iter().eq(column.iter()) && (0..n).all(|i| there.get(i) == i as u64 * 3));
            }
        }
        Ok(())
    }

    #[test]
    fn rows_with_a_form_of_their_own_survive_too() -> postcard::Result<()> {
        #[derive(Serialize, Deserialize)]
        struct Rows(#[serde(with = "one_by_one")] Blocks<(u32, Option<u64>)>);
        let mut column = Blocks::default();
        column.extend(BLOCK_LEN + 9, |i| (i as u32, (i % 3 == 0).then_some(i as u64)));
        let there: Rows = postcard::from_bytes(&postcard::to_allocvec(&Rows(column.clone()))?)?;
        assert!(there.0.iter().eq(column.iter()));
        Ok(())
    }

    #[test]
    fn damaged_bytes_are_refused() -> postcard::Result<()> {
        let mut column = Blocks::default();
        column.extend(5, |i| i as u32);
        let mut bytes = postcard::to_allocvec(&column)?;
        assert!(postcard::from_bytes::<Blocks<u64>>(&bytes).is_err(), "20 bytes are no whole number of values");
        bytes.truncate(bytes.len() - 1);
        assert!(postcard::from_bytes::<Blocks<u32>>(&bytes).is_err());
        Ok(())
    }
}
