//! The panel of what the timeline shows.

pub mod device;
pub mod filter;
pub mod own;
pub mod panel;
pub mod semaphore_numbers;
pub mod semaphores;
pub mod window;
