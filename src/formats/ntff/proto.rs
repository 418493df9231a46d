//! Reads the protobuf wire format: bounded, no schema, no allocation but the list of fields.

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// Wire types 0, 1 and 5.
    Number(u64),
    /// Wire type 2: text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The number, 0 for anything else.
    pub fn number(self) -> u64 {
        if let Value::Number(n) = self { n } else { 0 }
    }

    /// The bytes, none for anything else.
    pub fn bytes(self) -> &'a [u8] {
        if let Value::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// The bytes as text; broken UTF-8 is replaced.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// A packed list of numbers, or the one number.
    pub fn numbers(self) -> Vec<u64> {
        match self {
            Value::Number(n) => vec![n],
            Value::Bytes(mut bytes) => {
                let mut out = Vec::new();
                while let Some(n) = varint(&mut bytes) {
                    out.push(n);
                }
                out
            }
        }
    }
}

/// The fields of a message, in order. Ends at the first byte that breaks the format: see [`Message::is_broken`].
#[derive(Debug, Clone)]
pub(crate) struct Message<'a> {
    rest: &'a [u8],
    is_broken: bool,
}

impl<'a> Message<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Message { rest: bytes, is_broken: false }
    }

    /// Whether the message ended in something that is no field.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Bytes not read yet.
    pub fn n_left(&self) -> usize {
        self.rest.len()
    }

    /// The first field of that number, `Number(0)` when it is absent.
    pub fn field(bytes: &'a [u8], number: u64) -> Value<'a> {
        Message::new(bytes).find(|f| f.0 == number).map_or(Value::Number(0), |f| f.1)
    }

    fn take(&mut self, n: u64) -> Option<&'a [u8]> {
        let n = usize::try_from(n).ok().filter(|n| *n <= self.rest.len())?;
        let (head, rest) = self.rest.split_at(n);
        self.rest = rest;
        Some(head)
    }

    fn read(&mut self) -> Option<(u64, Value<'a>)> {
        let tag = varint(&mut self.rest).filter(|tag| tag >> 3 > 0)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut self.rest)?),
            1 => Value::Number(little_endian(self.take(8)?)),
            2 => {
                let n = varint(&mut self.rest)?;
                Value::Bytes(self.take(n)?)
            }
            5 => Value::Number(little_endian(self.take(4)?)),
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.is_broken {
            return None;
        }
        let field = self.read();
        self.is_broken = field.is_none();
        field
    }
}

/// Up to eight bytes as a number.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut out = 0u64;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        out |= u64::from(byte & 0x7f) << (7 * i as u32).min(63);
        if byte & 0x80 == 0 {
            *bytes = &bytes[i + 1..];
            return Some(out);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_until_the_bytes_make_no_sense() {
        let mut message = Message::new(&[0x0a, 2, b'o', b'k', 0x18, 0xac, 0x02, 0x22, 9, 1]);
        assert_eq!(message.next(), Some((1, Value::Bytes(b"ok"))));
        assert_eq!(message.next(), Some((3, Value::Number(300))));
        assert_eq!(message.next(), None);
        assert!(message.is_broken());
        assert_eq!(Message::new(&[0xff; 20]).next(), None);
        assert_eq!(Value::Bytes(&[1, 0x80, 1]).numbers(), [1, 128]);
    }
}
