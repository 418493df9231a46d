//! Pointer gestures, hit testing and the text of the hover card. No browser code.

pub mod card;
pub mod gesture;
pub mod hit_test;
