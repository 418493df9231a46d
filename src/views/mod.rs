//! A folder per view.

pub mod ask;
pub mod details;
pub mod ledger;
pub mod operators;
pub mod profile;
pub mod start;
pub mod support;
pub mod tables;
pub mod timeline;
