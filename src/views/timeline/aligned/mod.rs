//! Several profiles on one clock, below each other.

pub mod asks;
pub(crate) mod clock;
pub mod colours;
pub(crate) mod flows;
pub mod stack;
