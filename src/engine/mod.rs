//! One open profile and its queries: the only door from the page to analysis.

mod cells;
pub mod hot;
pub mod query;
pub mod session;

pub use crate::model::Cell;
pub use hot::{HotColumns, HotMeta};
pub use query::{Answer, Query};
pub use session::Session;
