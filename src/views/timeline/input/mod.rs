//! What a pointer does, what is under it, and what is said of that. Knows no browser.

pub mod card;
pub mod gesture;
pub mod hit_test;
