//! A folder per view.

pub mod details;
pub mod ledger;
pub mod operators;
pub mod profile;
pub mod start;
pub mod tables;
pub mod timeline;
