//! The engine in a Web Worker: protocol, client, host.

pub mod blob;
mod buffers;
pub mod client;
pub mod duckdb;
pub mod error;
pub mod fault;
mod helpers;
pub mod host;
mod inflating;
mod input;
mod lifeline;
mod opening;
pub mod page;
mod piece;
mod profile_host;
pub mod protocol;
mod reader;
mod remote;
mod row_team;
mod split;
pub mod timeline;
mod transfer;
mod unpack;
pub mod write;
