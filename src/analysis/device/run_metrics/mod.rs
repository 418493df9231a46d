//! Metrics of a run: read from its one-row tables, counted from its rows, with units, groups and order.

pub(in crate::analysis::device) mod counts;
pub mod flops;
pub(in crate::analysis::device) mod limits;
pub mod metric;
pub(in crate::analysis::device) mod metric_groups;
pub(in crate::analysis::device) mod metric_order;
pub mod metrics;
pub(in crate::analysis::device) mod packets;
pub mod summary;
pub mod units;
