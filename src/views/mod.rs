//! A folder per view.

pub mod annotations;
pub mod ask;
pub mod asked;
pub mod compare;
pub mod details;
pub mod diff;
pub mod distributed;
pub mod kernels;
pub mod layers;
pub mod ledger;
pub mod memory;
pub mod modules;
pub mod neuron_log;
pub mod operators;
pub mod overview;
pub mod profile;
pub mod roofline;
pub mod scope;
pub mod search;
pub mod start;
pub mod summary;
pub mod support;
pub mod system;
pub mod tables;
pub mod tensors;
pub mod timeline;
