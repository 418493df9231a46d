//! One open profile and its queries: the only door from the page to analysis.

pub mod hot;
pub mod query;
pub mod session;

pub use hot::{HotColumns, HotMeta};
pub use query::{Answer, Query};
pub use session::Session;
