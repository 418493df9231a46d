//! What ran when: busy time of engines and DMA, usage and curves over time, values of a window.

pub mod active_times;
pub(in crate::analysis::device) mod busy;
pub mod curves;
pub mod engine_time;
pub(in crate::analysis::device) mod engines;
pub(in crate::analysis::device) mod lanes;
pub mod line;
pub(in crate::analysis::device) mod pending;
pub mod usage;
pub mod view_curves;
pub(in crate::analysis::device) mod window;
