//! Arrows of the profile in the window: which are wanted, and the menu of them.

pub mod in_window;
pub(crate) mod menu;
