//! Layers, bands and outlines of allocated memory as pixels: a picture costs as much as it has pixels, however many allocations it shows.

use super::window::Window;
use crate::analysis::snapshot::Picture;
use crate::ui::chart::look::Look;
use crate::ui::palette::{self, fixed};
use crate::ui::raster::{Pixel, Raster, pixel};

/// Device pixels from which on a band is separated from the one above it.
const GAP_FROM: i32 = 4;

/// Colours of what is drawn.
pub struct AreaColours {
    /// Outline of allocated memory.
    pub allocated: Pixel,
    /// Line of reserved memory.
    pub reserved: Pixel,
    /// Whether the page is dark.
    pub is_dark: bool,
}

impl AreaColours {
    /// Takes the colours of the page.
    pub fn new(look: &Look) -> AreaColours {
        let read = |text: &str| pixel(palette::parsed(text).unwrap_or([128; 3]));
        AreaColours { allocated: read(&look.text), reserved: read(&look.axis), is_dark: look.is_dark }
    }

    fn slot(&self, slot: u16) -> Pixel {
        pixel(palette::colour(slot, self.is_dark))
    }
}

/// Pixels of the columns and of bytes.
struct Places {
    /// Left edge of each column, and the right edge of the last.
    x: Vec<i32>,
    low: f64,
    per_byte: f64,
    height: f64,
}

impl Places {
    fn new(picture: &Picture, window: Window, width: usize, height: usize) -> Places {
        let (own, n) = (Window::of(picture.window), picture.states.len());
        let x = |column: usize| {
            let at = own.from + own.span() * column as f64 / n.max(1) as f64;
            // A cast keeps within the numbers there are.
            ((at - window.from) / window.span() * width as f64).round() as i32
        };
        let (low, high) = picture.bytes;
        let height = height as f64;
        Places { x: (0..=n).map(x).collect(), low: low as f64, per_byte: height / high.saturating_sub(low).max(1) as f64, height }
    }

    fn y(&self, bytes: u64) -> i32 {
        // Far outside is as good as further: sums stay within the numbers there are.
        (self.height - (bytes as f64 - self.low) * self.per_byte).round().clamp(-1e6, 1e6) as i32
    }

    /// Columns that the raster shows.
    fn seen(&self, width: usize) -> std::ops::Range<usize> {
        let n = self.x.len() - 1;
        self.x[1..].partition_point(|right| *right <= 0)..self.x[..n].partition_point(|left| *left < width as i32)
    }
}

/// Paints a picture into a raster of `window`, which may differ from the picture's window. `scale`: device pixels per CSS pixel.
pub fn paint(raster: &mut Raster, picture: &Picture, window: Window, colours: &AreaColours, scale: f64) {
    raster.pixels.fill(0);
    let places = Places::new(picture, window, raster.width, raster.height);
    let seen = places.seen(raster.width);
    if seen.is_empty() {
        return;
    }
    let mut below = vec![0u64; picture.states.len()];
    for layer in &picture.layers {
        let colour = colours.slot(layer.slot);
        for column in seen.clone() {
            let own = layer.bytes.get(column).copied().unwrap_or(0);
            let top = below[column].saturating_add(own);
            raster.fill(places.x[column], places.y(top), places.x[column + 1], places.y(below[column]), colour);
            below[column] = top;
        }
    }
    let gap = scale.round().max(1.0) as i32;
    let mut last = None;
    for band in &picture.bands {
        let (from, to) = (usize::from(band.column), usize::from(band.column) + usize::from(band.n_columns));
        if from >= seen.end || to <= seen.start {
            continue;
        }
        let colour = match last {
            Some((slot, colour)) if slot == band.slot => colour,
            _ => colours.slot(band.slot),
        };
        last = Some((band.slot, colour));
        let (top, bottom) = (places.y(band.low.saturating_add(band.size)), places.y(band.low));
        let gap = if bottom - top >= GAP_FROM * gap { gap } else { 0 };
        let (left, right) = (places.x[from], places.x[to.min(places.x.len() - 1)]);
        raster.fill(left, top + gap, right.max(left + 1), bottom, colour);
    }
    let other = colours.slot(fixed::OTHER);
    for column in seen.clone() {
        let (drawn, total) = (picture.drawn[column], picture.total[column]);
        if total > drawn {
            raster.fill(places.x[column], places.y(total), places.x[column + 1], places.y(drawn), other);
        }
    }
    outline(raster, &places, seen.clone(), &picture.total, (colours.allocated, gap));
    outline(raster, &places, seen, &picture.reserved, (colours.reserved, gap));
}

/// A line over the values, with its steps.
fn outline(raster: &mut Raster, places: &Places, seen: std::ops::Range<usize>, values: &[u64], (colour, thickness): (Pixel, i32)) {
    let mut before = None;
    for column in seen {
        let y = places.y(values[column]).min(raster.height as i32 - thickness);
        let (left, right) = (places.x[column], places.x[column + 1]);
        raster.fill(left, y, right, y + thickness, colour);
        if let Some(before) = before.filter(|before| *before != y) {
            raster.fill(left, y.min(before), left + thickness, y.max(before) + thickness, colour);
        }
        before = Some(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::snapshot::{Band, Layer};

    const COLOURS: AreaColours = AreaColours { allocated: 1, reserved: 2, is_dark: false };

    fn painted(picture: &Picture, window: (i64, i64)) -> Raster {
        let mut raster = Raster::default();
        raster.resize(20, 100);
        paint(&mut raster, picture, Window::of(window), &COLOURS, 1.0);
        raster
    }

    fn picture() -> Picture {
        Picture {
            window: (0, 100),
            bytes: (0, 100),
            states: (0..10).collect(),
            total: vec![60; 10],
            reserved: vec![90; 10],
            drawn: vec![50; 10],
            layers: vec![Layer { bytes: vec![10; 10], slot: 3, ..Layer::default() }],
            bands: vec![
                Band { id: 0, column: 0, n_columns: 10, low: 10, size: 30, slot: 4 },
                Band { id: 1, column: 5, n_columns: 5, low: 40, size: 10, slot: 5 },
            ],
            ..Picture::default()
        }
    }

    #[test]
    fn every_pixel_has_the_colour_of_what_is_allocated_there() {
        let got = painted(&picture(), (0, 100));
        let at = |x: usize, y: usize| got.pixels[y * 20 + x];
        assert_eq!([at(0, 95), at(0, 75), at(0, 60), at(12, 55)], [3, 4, 0, 5].map(|s| if s == 0 { 0 } else { COLOURS.slot(s) }));
        assert_eq!([at(0, 45), at(0, 40), at(0, 10), at(0, 5)], [COLOURS.slot(fixed::OTHER), 1, 2, 0]);
    }

    #[test]
    fn another_window_moves_what_there_is() {
        let got = painted(&picture(), (50, 150));
        let at = |x: usize, y: usize| got.pixels[y * 20 + x];
        assert_eq!([at(0, 55), at(9, 55), at(10, 55)], [COLOURS.slot(5), COLOURS.slot(5), 0]);
        assert!(painted(&picture(), (200, 300)).pixels.iter().all(|p| *p == 0));
    }

    #[test]
    fn odd_pictures_are_clipped() {
        let picture = Picture { bytes: (u64::MAX, 0), window: (i64::MIN, i64::MAX), ..picture() };
        painted(&picture, (0, 1));
        painted(&Picture::default(), (0, 1));
    }
}
