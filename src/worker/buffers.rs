//! Buffers that go from one thread to another, and are freed once they are read.
//!
//! A browser keeps the memory of a moved buffer for as long as the message it came with, until it collects garbage: detaching the buffer frees
//! nothing. One that can be resized gives its memory back when it is made empty.

use crate::base::SourceError;
use js_sys::{ArrayBuffer, ArrayBufferOptions, Uint8Array};

/// A buffer with these bytes, to be moved.
pub(super) fn filled(bytes: &[u8]) -> ArrayBuffer {
    // A browser that knows no such buffers ignores the option.
    let buffer = ArrayBuffer::new_with_options(bytes.len(), &ArrayBufferOptions::new(bytes.len()));
    Uint8Array::new(&buffer).copy_from(bytes);
    buffer
}

/// Copies all bytes of a buffer.
pub(super) fn copy_out(buffer: &ArrayBuffer, out: &mut [u8]) -> Result<(), SourceError> {
    let bytes = Uint8Array::new(buffer);
    if bytes.length() as usize != out.len() {
        return Err(SourceError::Length { wanted: out.len() as u64, found: bytes.length().into() });
    }
    bytes.copy_to(out);
    Ok(())
}

/// Frees the memory of a buffer after use. Without browser support it is freed by garbage collection.
pub(super) fn free(buffer: &ArrayBuffer) {
    if buffer.resize(0).is_err() {
        let _ = buffer.transfer_with_length(0);
    }
}
