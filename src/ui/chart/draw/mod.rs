//! Drawing charts with plotters: its backend of this page, scales for its axes, and a sheet that measures in CSS pixels.

mod ink;
mod pen;
mod scale;
mod sheet;

pub use ink::Ink;
pub use pen::{Pen, PenError};
pub use scale::Scale;
pub use sheet::{Align, Drawn, Face, Failure, Plane, Sheet, Write, fill, stroke};

/// What is drawn on a sheet so large, as SVG.
#[cfg(test)]
pub fn drawn((width, height): (f64, f64), draw: impl FnOnce(&Sheet<'_>) -> Drawn) -> String {
    let mut text = String::new();
    let sheet = Sheet::on_svg(&mut text, crate::ui::chart::look::Size { width, height }, Ink::default(), None);
    draw(&sheet).and_then(|()| sheet.finish()).unwrap();
    text
}
