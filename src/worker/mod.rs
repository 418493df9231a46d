//! The engine in a Web Worker: protocol, client, host.

#[cfg(target_arch = "wasm32")]
pub mod host;
