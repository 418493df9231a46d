//! The panel of what the timeline shows.

pub mod device;
pub mod filter;
pub mod panel;
pub mod saved_defaults;
pub mod semaphore_numbers;
pub mod semaphores;
pub mod window;
