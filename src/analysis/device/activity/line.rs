//! A computed curve.

use crate::base::TrackId;

/// A curve to be drawn below the rows of a core.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The core's group of rows.
    pub group: Option<TrackId>,
    /// Name of the row.
    pub name: &'static str,
    /// "%", "B/s".
    pub unit: &'static str,
    /// Times, ascending, nanoseconds.
    pub times: Vec<i64>,
    /// One per time, in force until the next.
    pub values: Vec<f64>,
}
