//! Streams of Apache Arrow, as far as tables of ours and results of queries need them: whole numbers, floats, flags and texts.
//! <https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format>

mod array;
mod message;
mod read;
mod view;
mod write;

pub use array::Array;
pub use read::{Batch, ReadError, Values, read};
pub use write::stream;

/// Version 5 of the metadata.
const VERSION: i16 = 4;
/// Where a stream is in a file: before it, and then a footer after its end.
const MAGIC: &[u8] = b"ARROW1\0\0";
/// Before the length of a message.
const CONTINUATION: u32 = u32::MAX;

/// Kinds of messages: the union `MessageHeader`.
mod header {
    pub const SCHEMA: u8 = 1;
    pub const DICTIONARY: u8 = 2;
    pub const RECORDS: u8 = 3;
}

/// Types of columns: the union `Type`.
mod kind {
    pub const INT: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const UTF8: u8 = 5;
    pub const BOOL: u8 = 6;
}

#[cfg(test)]
mod tests;
