//! Streaming JSON: finding records, reading their fields, and the keys of the root.

pub mod compact;
pub mod cursor;
mod escape;
mod keys;
mod nested;
pub mod number;
mod resync;
mod root;
pub mod scan;
pub mod split;

pub use compact::compact;
pub use cursor::{Cursor, Value};
pub use escape::unescape;
pub use keys::Keys;
pub use nested::nested_len;
pub use resync::next_record;
pub use root::{Key, Root, root};
pub use split::{RootKeyAction, Sink, Splitter};
