//! Every native test that needs more than one module, as one program: one link instead of thirty.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod analyze;
mod archives;
mod bad_input;
mod common;
mod device_advice;
mod device_bounds;
mod device_charts;
mod device_details;
mod device_findings;
mod device_gaps;
mod device_layers;
mod device_memory;
mod device_operators;
mod device_rows;
mod device_rules;
mod device_sources;
mod device_summary;
mod efficiency;
mod graph_replays;
mod inference_steps;
mod kineto;
mod kineto_tables;
mod neuron;
mod neuron_logs;
mod neuron_parquet;
mod neuron_parquet_lacks;
mod neuron_support;
mod neuron_synthetic;
mod neuron_system;
mod neuron_systems;
mod ntff_operands;
mod pftrace;
mod report;
mod search;
mod search_fields;
mod short_names;
mod tensorboard_neuron;
mod torch_devices;
mod torch_inputs;
mod torch_support;
mod torch_truth;
mod torch_views;
mod torch_views_support;
mod worker_protocol;
