//! The engine in a Web Worker: protocol, client, host.

pub mod blob;
pub mod client;
pub mod host;
mod opening;
pub mod page;
pub mod protocol;
