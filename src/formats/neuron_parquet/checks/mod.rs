//! What a directory lacks, and whether its tables are of one profile.

pub mod consistency;
pub mod missing;
