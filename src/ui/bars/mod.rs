//! Bars: stacked or side by side over many columns, and signed ones by name.

pub mod data;
mod draw;
mod layout;
mod signed;
mod view;

pub use data::{Bar, Series};
pub use signed::{Signed, SignedBars, SignedBarsProps};
pub use view::{Bars, BarsProps};
