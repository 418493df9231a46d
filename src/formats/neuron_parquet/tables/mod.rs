//! The content of each table of a profile, and where it goes.

pub mod curves;
pub mod facts;
pub mod fields;
pub mod framework;
pub mod functions;
pub mod generic;
pub mod instructions;
pub mod pieces;
pub mod reading;
pub mod rows;
pub mod system;
pub mod table;
pub mod transfers;
pub mod types;
