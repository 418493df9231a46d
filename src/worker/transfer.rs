//! Buffers that go from one thread to another beside a message.

use super::buffers;
use super::protocol::COLUMN_BLOCK;
use js_sys::{Array, ArrayBuffer};

/// Buffers that go to the page without being copied again.
#[derive(Default)]
pub(super) struct Transfer {
    /// Each a buffer, or an array of buffers.
    pub columns: Array,
    /// All of them, flat.
    pub buffers: Array,
}

impl Transfer {
    /// A column as buffers of at most [`COLUMN_BLOCK`] elements.
    pub fn add<T: bytemuck::NoUninit>(&mut self, column: &[T]) {
        let blocks = Array::new();
        for block in column.chunks(COLUMN_BLOCK) {
            let buffer = buffers::filled(bytemuck::cast_slice::<T, u8>(block));
            blocks.push(&buffer);
            self.buffers.push(&buffer);
        }
        self.columns.push(&blocks);
    }

    /// One buffer.
    pub fn add_buffer(&mut self, buffer: &ArrayBuffer) {
        self.columns.push(buffer);
        self.buffers.push(buffer);
    }
}
