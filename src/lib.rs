//! Axonscope opens accelerator profiles in the browser: AWS Neuron profiles and PyTorch profiler traces.
//!
//! The rooms, in reading order; who may import whom is held by `tests/tidy.rs`:
//! [`base`] units, ids, text, input · [`model`] the profile · [`formats`] files to profile · [`analysis`] profile to answers ·
//! [`engine`] one open profile and its queries · [`worker`] the engine in a Web Worker · [`state`] what the user has chosen ·
//! [`ui`] widgets · [`views`] a folder per view · [`app`] the page.
// Unit tests run natively. `wasm-pack test` compiles them whatever tests it is to run: three minutes for nothing.
#![cfg(not(all(test, target_arch = "wasm32")))]
#![deny(unsafe_code)]
#![warn(missing_docs)]

// Functions that tests of the library share with programs outside of it name it by its name.
#[cfg(test)]
extern crate self as axonscope;

pub mod analysis;
#[cfg(feature = "page")]
pub mod app;
pub mod base;
pub mod engine;
pub mod formats;
pub mod model;
#[cfg(feature = "page")]
pub mod state;
#[cfg(feature = "page")]
pub mod ui;
#[cfg(feature = "page")]
pub mod views;
pub mod worker;
