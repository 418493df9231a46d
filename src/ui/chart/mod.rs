//! What all charts share: drawing by plotters, axes, the canvas with its highlight, the frame with title and table, the legend, the
//! read-out, pictures to be saved.

mod chart_state;
pub mod draw;
mod export;
pub mod figures;
mod frame;
mod legend;
pub mod look;
pub mod plot;
mod readout;
pub mod scale;

pub use chart_state::{Chart, ChartCanvas, ChartCanvasProps, ChartState, Key, Target, next_item};
pub use export::{Export, svg};
pub use frame::{Frame, FrameProps};
pub use legend::{Entry, Legend, LegendProps, toggle};
pub use readout::{Readout, ReadoutCard, ReadoutCardProps};
