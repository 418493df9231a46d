//! Programs and instructions: listings, operands, sources, and text from other output.

pub mod agreement;
pub mod grammar;
pub mod instruction;
pub mod learned;
pub mod origin;
pub mod program;
pub mod program_alignment;
pub mod source;
