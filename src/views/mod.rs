//! A folder per view.

pub mod details;
pub mod ledger;
pub mod profile;
pub mod timeline;
