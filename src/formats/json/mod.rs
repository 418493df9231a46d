//! Reading JSON of any size: where records begin and end, what stands in one, what the root holds.

pub mod compact;
pub mod cursor;
pub mod number;
mod resync;
mod root;
pub mod scan;
pub mod split;

pub use compact::compact;
pub use cursor::{Cursor, Value, unescape};
pub use root::{Key, Root, root};
pub use split::{Sink, Splitter, Take};
