//! The lines of pixels that lanes are painted on.

use crate::ui::raster::Pixel;
use std::ops::Range;

/// The lines a lane is painted on: a device pixel a column.
pub struct Lines<'a> {
    /// Over the whole height of the lane; comes with the background.
    pub full: &'a mut [Pixel],
    /// Colours of waits, drawn at half height. Zero: nothing.
    pub thin: &'a mut [Pixel],
    /// Indexed by name: whether its slices are waits. Empty if none are.
    pub is_wait: &'a [bool],
    /// Columns that lanes painted before have taken, where several lanes are painted on one line; empty where a lane has its own.
    pub taken: &'a mut [bool],
}

impl Lines<'_> {
    /// The first column from `column` on that is not taken.
    pub(crate) fn free_from(&self, column: i32) -> i32 {
        let rest = self.taken.get(column as usize..).unwrap_or_default();
        column + rest.iter().position(|t| !t).unwrap_or(rest.len()) as i32
    }

    /// Notes that columns are taken.
    pub(crate) fn take(&mut self, columns: Range<usize>) {
        if let Some(taken) = self.taken.get_mut(columns) {
            taken.fill(true);
        }
    }
}
