//! What each table of a profile holds, and what of it goes where.

pub mod curves;
pub mod facts;
pub mod fields;
pub mod framework;
pub mod functions;
pub mod generic;
pub mod instructions;
pub mod reading;
pub mod rows;
pub mod system;
pub mod table;
pub mod types;
