//! Bars: stacked or side by side over many columns, signed ones by name, and from one total to another.

pub mod data;
mod draw;
mod layout;
mod signed;
mod view;
mod waterfall;

pub use data::{Bar, Series};
pub use signed::{Signed, SignedBars, SignedBarsProps};
pub use view::{Bars, BarsProps};
pub use waterfall::{Fall, Waterfall, WaterfallProps};
