//! Pictures of rows: reduced to pixels in memory, then onto canvases.

pub(crate) mod box_paint;
pub(crate) mod flow_lines;
pub mod lane;
pub(crate) mod lines;
pub(crate) mod mark_paint;
pub mod overview;
pub mod scene;
pub(crate) mod strips;
pub mod surface;
pub mod theme;
pub mod ticks;
