//! Reading JSON of any size: where records begin and end, what stands in one, what the root holds.

mod root;

pub use root::{Key, Root, root};
