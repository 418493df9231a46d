//! A picture in memory: RGBA, four bytes a pixel, painted with copies and fills.

/// A colour as it is in memory: red first, opaque.
pub type Pixel = u32;

/// An opaque pixel.
pub const fn pixel(rgb: [u8; 3]) -> Pixel {
    u32::from_le_bytes([rgb[0], rgb[1], rgb[2], 255])
}

/// `share` of `over` on `under`.
pub fn blend(under: Pixel, over: Pixel, share: f32) -> Pixel {
    let k = (share.clamp(0.0, 1.0) * 256.0) as u32;
    let mix = |shift: u32| {
        let (u, o) = ((under >> shift) & 255, (over >> shift) & 255);
        ((u * (256 - k) + o * k) >> 8) << shift
    };
    mix(0) | mix(8) | mix(16) | 0xff00_0000
}

/// The picture.
#[derive(Debug, Clone, Default)]
pub struct Raster {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Row by row.
    pub pixels: Vec<Pixel>,
}

impl Raster {
    /// Sets the size; what was there is lost if it changes.
    pub fn resize(&mut self, width: usize, height: usize) {
        if (width, height) != (self.width, self.height) {
            (self.width, self.height) = (width, height);
            self.pixels = vec![0; width * height];
        }
    }

    /// The bytes for an `ImageData`.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.pixels)
    }

    /// Copies a full line to rows `top..bottom`, clipped.
    pub fn stamp(&mut self, line: &[Pixel], top: i32, bottom: i32) {
        let (top, bottom) = (top.max(0) as usize, (bottom.max(0) as usize).min(self.height));
        let n = line.len().min(self.width);
        for y in top..bottom {
            let at = y * self.width;
            self.pixels[at..at + n].copy_from_slice(&line[..n]);
        }
    }

    /// Fills a rectangle, clipped.
    pub fn fill(&mut self, left: i32, top: i32, right: i32, bottom: i32, colour: Pixel) {
        let (left, right) = (left.max(0) as usize, (right.max(0) as usize).min(self.width));
        let (top, bottom) = (top.max(0) as usize, (bottom.max(0) as usize).min(self.height));
        if left >= right {
            return;
        }
        for y in top..bottom {
            self.pixels[y * self.width + left..y * self.width + right].fill(colour);
        }
    }

    /// Fills a column of one pixel, clipped.
    pub fn column(&mut self, x: usize, top: i32, bottom: i32, colour: Pixel) {
        self.fill(x as i32, top, x as i32 + 1, bottom, colour);
    }

    /// A frame of `thickness` just inside a rectangle.
    pub fn outline(&mut self, left: i32, top: i32, right: i32, bottom: i32, thickness: i32, colour: Pixel) {
        self.fill(left, top, right, top + thickness, colour);
        self.fill(left, bottom - thickness, right, bottom, colour);
        self.fill(left, top, left + thickness, bottom, colour);
        self.fill(right - thickness, top, right, bottom, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_reaches_both_ends() {
        let (a, b) = (pixel([10, 200, 0]), pixel([250, 0, 99]));
        assert_eq!(blend(a, b, 0.0), a);
        assert_eq!(blend(a, b, 1.0), b);
        assert_eq!(blend(a, b, 0.5), pixel([130, 100, 49]));
    }

    #[test]
    fn everything_is_clipped() {
        let mut r = Raster::default();
        r.resize(3, 2);
        r.fill(-5, -5, 100, 1, 7);
        r.stamp(&[9; 10], 1, 50);
        r.outline(-2, -2, -1, -1, 1, 3);
        assert_eq!(r.pixels, [7, 7, 7, 9, 9, 9]);
        assert_eq!(r.bytes().len(), 24);
    }
}
