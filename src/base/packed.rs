//! Numbers of a message as one run of bytes, for `#[serde(with = …)]`: millions are copied at once, not read one by one. A format that people
//! read has them as a list.

use super::SliceId;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// The name around the bytes of [`slices`]: whoever renames slices in a message knows them by it.
pub const SLICES: &str = "PackedSliceIds";

/// Plain numbers.
pub mod numbers {
    use super::{Deserializer, Numbers, Pod, Serialize, Serializer, cast_slice};
    use serde::Deserialize;

    /// As bytes, or as a list.
    pub fn serialize<T: Pod + Serialize, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { values.serialize(to) } else { to.serialize_bytes(cast_slice(values)) }
    }

    /// What [`serialize`] wrote, there or of [`slices`](super::slices).
    pub fn deserialize<'de, T: Pod + Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        if from.is_human_readable() { Vec::deserialize(from) } else { from.deserialize_bytes(Numbers(std::marker::PhantomData)) }
    }
}

/// Ids of slices.
pub mod slices {
    use super::{Bytes, SLICES, Serialize as _, Serializer, cast_slice};
    use crate::base::SliceId;

    pub use super::numbers::deserialize;

    /// As bytes with a name around them, or as a list.
    pub fn serialize<S: Serializer>(values: &[SliceId], to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { values.serialize(to) } else { to.serialize_newtype_struct(SLICES, &Bytes(cast_slice(values))) }
    }
}

/// The numbers that these bytes are; `None` where the last one is cut.
pub fn unpacked<T: Pod>(bytes: &[u8]) -> Option<Vec<T>> {
    let mut out = vec![T::zeroed(); bytes.len().checked_div(size_of::<T>())?];
    let whole: &mut [u8] = cast_slice_mut(&mut out);
    (whole.len() == bytes.len()).then(|| whole.copy_from_slice(bytes))?;
    Some(out)
}

/// Slices as the whole of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SliceIds(#[serde(with = "slices")] pub Vec<SliceId>);

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(self.0)
    }
}

struct Numbers<T>(std::marker::PhantomData<T>);

impl<T: Pod> Visitor<'_> for Numbers<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes of whole numbers")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
        unpacked(bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
    }
}

#[cfg(test)]
mod tests {
    use crate::base::SliceId;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Message {
        #[serde(with = "super::numbers")]
        slots: Vec<u16>,
        #[serde(with = "super::slices")]
        slices: Vec<SliceId>,
    }

    #[test]
    fn numbers_go_there_and_back_as_bytes_and_as_text() {
        let message = Message { slots: vec![1, 0xabcd], slices: vec![SliceId(7), SliceId(u32::MAX)] };
        let bytes = postcard::to_allocvec(&message).expect("written");
        assert_eq!(bytes, [4, 1, 0, 0xcd, 0xab, 8, 7, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(postcard::from_bytes::<Message>(&bytes).expect("read"), message);
        let text = serde_json::to_string(&message).expect("written");
        assert_eq!(text, r#"{"slots":[1,43981],"slices":[7,4294967295]}"#);
        assert_eq!(serde_json::from_str::<Message>(&text).expect("read"), message);
    }

    #[test]
    fn half_a_number_is_refused() {
        assert!(postcard::from_bytes::<Message>(&[3, 1, 0, 2, 0]).is_err());
        assert!(postcard::from_bytes::<Message>(&[0, 5, 1, 2, 3, 4, 5]).is_err());
    }
}
