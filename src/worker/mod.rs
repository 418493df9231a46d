//! The engine in a Web Worker: protocol, client, host.

pub mod blob;
pub mod client;
pub mod duckdb;
pub mod fault;
pub mod host;
mod lifeline;
mod opening;
pub mod page;
pub mod protocol;
mod reader;
mod remote;
pub mod timeline;
