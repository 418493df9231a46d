//! What all charts share: axes, the canvas and its colours, the frame with title and table, the legend, the read-out.

pub mod figures;
mod frame;
mod legend;
pub mod look;
pub mod plot;
mod readout;
pub mod scale;

pub use frame::{Frame, FrameProps};
pub use legend::{Entry, Legend, LegendProps, toggle};
pub use readout::{Readout, ReadoutCard, ReadoutCardProps};
