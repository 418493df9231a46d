//! The engine in a Web Worker: protocol, client, host.

pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod host;
