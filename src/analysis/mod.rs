//! Pure functions from a profile to an answer; a file per question.

pub mod colour;
pub mod colouring;
pub mod combinations;
pub mod details;
pub mod device;
pub mod explain;
pub mod filter;
pub mod flows;
pub mod groupings;
pub mod headline;
pub mod hit_tables;
pub mod hits;
pub mod hlo;
mod lately;
pub mod modules;
pub mod neuron_log;
pub mod operators;
pub mod search;
pub mod self_time;
pub mod snapshot;
pub mod span;
pub mod spans;
pub mod support;
pub mod system;
pub mod torch;
pub mod variants;
pub mod work_kind;
