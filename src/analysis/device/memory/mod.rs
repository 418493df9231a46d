//! Tensors, the State Buffer, and ranges of the timeline in which memory is used badly.

pub mod highlights;
pub mod sbuf;
pub mod tensor_row;
pub mod tensors;
