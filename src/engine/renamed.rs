//! A value with other ids and times in it: questions and answers between a profile and its condensed form. Written once for all of them, as a
//! serializer that passes everything on and replaces what is a `SliceId`, an `InstantId` or a `TimeNs`.

use crate::base::packed;
use serde::de::DeserializeOwned;
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

/// What ids and times become.
pub(super) trait Rename {
    /// A moment, nanoseconds; `is_end` for the end of a range.
    fn time(&self, time: i64, is_end: bool) -> i64;
    /// A slice.
    fn slice(&self, slice: u32) -> u32;
    /// An instant.
    fn instant(&self, instant: u32) -> u32;
}

/// The value with its ids and times renamed.
pub(super) fn renamed<T: Serialize + DeserializeOwned>(value: &T, names: &dyn Rename) -> Result<T, postcard::Error> {
    encode_renamed(value, names).and_then(|bytes| postcard::from_bytes(&bytes))
}

/// The bytes of a message with its ids and times renamed.
pub(super) fn encode_renamed<T: Serialize>(message: &T, names: &dyn Rename) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(&Renamed { value: message, names: Some(names), field: Field::Other })
}

/// The bytes of a message. Messages and renamed values share one compiled serializer.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(&Renamed { value: message, names: None, field: Field::Other })
}

/// What a value is a field of, or the number inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// The end of a range.
    End,
    /// Sample times of a curve, which are plain numbers.
    Times,
    /// Inside a `TimeNs` that is the end of a range.
    InEnd,
    /// Inside any other `TimeNs`.
    Start,
    /// Inside a `SliceId`.
    Slice,
    /// Many slices as bytes.
    Slices,
    /// Inside an `InstantId`.
    Instant,
    Other,
}

impl Field {
    fn named(key: &str) -> Field {
        match key {
            "end" => Field::End,
            "times" => Field::Times,
            _ => Field::Other,
        }
    }
}

struct Renamed<'a, T: ?Sized> {
    value: &'a T,
    /// `None`: nothing is renamed.
    names: Option<&'a dyn Rename>,
    field: Field,
}

impl<T: Serialize + ?Sized> Serialize for Renamed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Renaming { inner: serializer, names: self.names, field: self.field })
    }
}

/// A serializer, or a part of one, that renames what passes.
struct Renaming<'a, S> {
    inner: S,
    /// `None`: nothing is renamed.
    names: Option<&'a dyn Rename>,
    field: Field,
}

impl<'a, S> Renaming<'a, S> {
    fn of<'v, T: ?Sized>(&self, value: &'v T, field: Field) -> Renamed<'v, T>
    where
        'a: 'v,
    {
        Renamed { value, names: self.names, field }
    }
}

/// Methods that pass a value on unchanged.
macro_rules! pass_on {
    ($($method:ident($type:ty)),* $(,)?) => {$(
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        }
    )*};
}

impl<'a, S: Serializer> Serializer for Renaming<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Renaming<'a, S::SerializeSeq>;
    type SerializeTuple = Renaming<'a, S::SerializeTuple>;
    type SerializeTupleStruct = Renaming<'a, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Renaming<'a, S::SerializeTupleVariant>;
    type SerializeMap = Renaming<'a, S::SerializeMap>;
    type SerializeStruct = Renaming<'a, S::SerializeStruct>;
    type SerializeStructVariant = Renaming<'a, S::SerializeStructVariant>;

    pass_on!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_str(&str),
        serialize_unit_struct(&'static str),
    );

    fn serialize_i64(self, value: i64) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i64(match (self.field, self.names) {
            (Field::Times | Field::Start, Some(names)) => names.time(value, false),
            (Field::InEnd, Some(names)) => names.time(value, true),
            _ => value,
        })
    }

    fn serialize_u32(self, value: u32) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u32(match (self.field, self.names) {
            (Field::Slice, Some(names)) => names.slice(value),
            (Field::Instant, Some(names)) => names.instant(value),
            _ => value,
        })
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<S::Ok, S::Error> {
        let (Field::Slices, Some(names)) = (self.field, self.names) else { return self.inner.serialize_bytes(value) };
        let mut slices: Vec<u32> = packed::unpacked(value).unwrap_or_default();
        slices.iter_mut().for_each(|slice| *slice = names.slice(*slice));
        self.inner.serialize_bytes(bytemuck::cast_slice(&slices))
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.of(value, self.field);
        self.inner.serialize_some(&value)
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        let field = match name {
            "TimeNs" if self.field == Field::End => Field::InEnd,
            "TimeNs" => Field::Start,
            "SliceId" => Field::Slice,
            "InstantId" => Field::Instant,
            packed::SLICES => Field::Slices,
            _ => self.field,
        };
        let value = self.of(value, field);
        self.inner.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = self.of(value, Field::Other);
        self.inner.serialize_newtype_variant(name, index, variant, &value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let (names, field) = (self.names, self.field);
        Ok(Renaming { inner: self.inner.serialize_seq(len)?, names, field })
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        let (names, field) = (self.names, self.field);
        Ok(Renaming { inner: self.inner.serialize_tuple(len)?, names, field })
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        let (names, field) = (self.names, self.field);
        Ok(Renaming { inner: self.inner.serialize_tuple_struct(name, len)?, names, field })
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let (names, field) = (self.names, self.field);
        Ok(Renaming { inner: self.inner.serialize_tuple_variant(name, index, variant, len)?, names, field })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let (names, field) = (self.names, self.field);
        Ok(Renaming { inner: self.inner.serialize_map(len)?, names, field })
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        let names = self.names;
        Ok(Renaming { inner: self.inner.serialize_struct(name, len)?, names, field: Field::Other })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let names = self.names;
        Ok(Renaming { inner: self.inner.serialize_struct_variant(name, index, variant, len)?, names, field: Field::Other })
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// A compound without keys.
macro_rules! compound {
    ($($trait:ident: $add:ident),*) => {$(
        impl<S: $trait> $trait for Renaming<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                let value = Renamed { value, names: self.names, field: self.field };
                self.inner.$add(&value)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )*};
}

compound!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

/// A compound with named fields.
macro_rules! named_compound {
    ($($trait:ident),*) => {$(
        impl<S: $trait> $trait for Renaming<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), S::Error> {
                let value = Renamed { value, names: self.names, field: Field::named(key) };
                self.inner.serialize_field(key, &value)
            }

            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.inner.skip_field(key)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )*};
}

named_compound!(SerializeStruct, SerializeStructVariant);

impl<S: SerializeMap> SerializeMap for Renaming<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        let key = Renamed { value: key, names: self.names, field: Field::Other };
        self.inner.serialize_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = Renamed { value, names: self.names, field: self.field };
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{EventId, InstantId, SliceId, TimeNs, TimeRange};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        EventId(EventId),
        Pair(SliceId, u32),
        Named { end: TimeNs, text: String },
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Value {
        range: Option<TimeRange>,
        ranges: Vec<(String, TimeRange)>,
        times: Vec<i64>,
        number: i64,
        kinds: Vec<Kind>,
        map: BTreeMap<u8, SliceId>,
        count: (u32, f64, char, bool),
        #[serde(with = "packed::slices")]
        many: Vec<SliceId>,
        #[serde(with = "packed::numbers")]
        numbers: Vec<u32>,
    }

    struct Shift;

    impl Rename for Shift {
        fn time(&self, time: i64, is_end: bool) -> i64 {
            time + if is_end { 1_000 } else { 100 }
        }

        fn slice(&self, slice: u32) -> u32 {
            slice + 10
        }

        fn instant(&self, instant: u32) -> u32 {
            instant + 20
        }
    }

    #[test]
    fn only_ids_and_times_change() {
        let range = |start, end| TimeRange { start: TimeNs(start), end: TimeNs(end) };
        let value = |shift: bool| {
            let (start, end, slice, instant) = if shift { (100, 1_000, 10, 20) } else { (0, 0, 0, 0) };
            Value {
                range: Some(range(1 + start, 2 + end)),
                ranges: vec![("a".into(), range(3 + start, 4 + end))],
                times: vec![5 + start, 6 + start],
                number: 7,
                kinds: vec![
                    Kind::Unit,
                    Kind::EventId(EventId::Slice(SliceId(8 + slice))),
                    Kind::EventId(EventId::Instant(InstantId(9 + instant))),
                    Kind::Pair(SliceId(1 + slice), 2),
                    Kind::Named { end: TimeNs(3 + end), text: "b".into() },
                ],
                map: BTreeMap::from([(1, SliceId(2 + slice))]),
                count: (1, 2.5, 'c', true),
                many: vec![SliceId(3 + slice), SliceId(300 + slice)],
                numbers: vec![4, 5],
            }
        };
        assert_eq!(renamed(&value(false), &Shift), Ok(value(true)));
    }
}
