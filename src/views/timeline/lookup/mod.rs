//! What a frame looks things up in, worked out once for a profile; and the visible window. Knows no browser.

pub mod boxes;
pub mod counter;
pub(crate) mod deep_stacks;
pub mod drawn;
pub mod index;
pub mod lod;
pub mod sample;
pub mod viewport;
