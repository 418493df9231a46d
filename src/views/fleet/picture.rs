//! The heat map as pixels: cells of the window, pooled by their largest value, so that no outlier is lost at any zoom.

use crate::analysis::fleet::FleetMap;

/// A part of the map, in rows and columns; fractions are parts of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// First column.
    pub x: f64,
    /// First row.
    pub y: f64,
    /// Columns.
    pub width: f64,
    /// Rows.
    pub height: f64,
}

impl Window {
    /// All of it.
    pub fn whole(rows: usize, columns: usize) -> Window {
        Window { x: 0.0, y: 0.0, width: columns.max(1) as f64, height: rows.max(1) as f64 }
    }

    /// Zoomed by `factor` about a point, given as shares of the window; within the map, and no closer than a cell.
    pub fn zoomed(self, factor: f64, (at_x, at_y): (f64, f64), whole: Window) -> Window {
        let width = (self.width * factor).clamp(1.0, whole.width);
        let height = (self.height * factor).clamp(1.0, whole.height);
        Window { x: self.x + (self.width - width) * at_x, y: self.y + (self.height - height) * at_y, width, height }.within(whole)
    }

    /// Moved by shares of itself.
    pub fn moved(self, by_x: f64, by_y: f64, whole: Window) -> Window {
        Window { x: self.x + by_x * self.width, y: self.y + by_y * self.height, ..self }.within(whole)
    }

    fn within(self, whole: Window) -> Window {
        Window { x: self.x.clamp(0.0, whole.width - self.width), y: self.y.clamp(0.0, whole.height - self.height), ..self }
    }
}

/// Cells by row, and the same with rows pooled two by two, again and again.
#[derive(Debug, Default)]
pub struct Levels {
    columns: usize,
    levels: Vec<Vec<u16>>,
}

impl Levels {
    /// The levels of a map: at most twice its cells.
    pub fn new(map: &FleetMap) -> Levels {
        let columns = map.steps.len();
        let mut levels = vec![map.cells.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect::<Vec<u16>>()];
        while let Some(last) = levels.last().filter(|l| columns > 0 && l.len() > columns) {
            let pooled = last.chunks(columns * 2).flat_map(|pair| {
                let (upper, lower) = pair.split_at(columns);
                upper.iter().enumerate().map(|(at, cell)| (*cell).max(lower.get(at).copied().unwrap_or(0)))
            });
            let next = pooled.collect();
            levels.push(next);
        }
        Levels { columns, levels }
    }

    /// The cell at a position; 0 if there is none.
    pub fn cell(&self, row: usize, column: usize) -> u16 {
        let at = row.checked_mul(self.columns).and_then(|at| at.checked_add(column)).filter(|_| column < self.columns);
        at.and_then(|at| self.levels.first()?.get(at)).copied().unwrap_or(0)
    }

    /// RGBA of a window, by a colour for each cell value.
    pub fn paint(&self, window: Window, (width, height): (usize, usize), colours: &[[u8; 4]]) -> Vec<u8> {
        let mut out = vec![0u8; width * height * 4];
        let per_pixel = window.height / height.max(1) as f64;
        let level = (per_pixel.max(1.0).log2() as usize).min(self.levels.len().saturating_sub(1));
        let Some(cells) = self.levels.get(level) else { return out };
        let scale = f64::from(1u32 << level.min(31) as u32);
        let n_rows = cells.len() / self.columns.max(1);
        // First and last column of each pixel.
        let edge = |pixel: usize, n: usize, from: f64, len: f64, max: usize| {
            let first = (from + len * pixel as f64 / n as f64).floor().max(0.0) as usize;
            let last = (from + len * (pixel + 1) as f64 / n as f64 - 1e-9).floor().max(0.0) as usize;
            (first.min(max), last.max(first).min(max))
        };
        let last_column = self.columns.saturating_sub(1);
        let columns: Vec<(usize, usize)> = (0..width).map(|x| edge(x, width, window.x, window.width, last_column)).collect();
        if self.columns == 0 || n_rows == 0 {
            return out;
        }
        let mut pooled = vec![0u16; self.columns];
        let mut before = (usize::MAX, usize::MAX);
        for (y, line) in out.chunks_exact_mut(width * 4).enumerate() {
            let rows = edge(y, height, window.y / scale, window.height / scale, n_rows - 1);
            if rows != before {
                before = rows;
                pooled.copy_from_slice(&cells[rows.0 * self.columns..(rows.0 + 1) * self.columns]);
                for row in rows.0 + 1..=rows.1 {
                    let more = &cells[row * self.columns..(row + 1) * self.columns];
                    pooled.iter_mut().zip(more).for_each(|(cell, other)| *cell = (*cell).max(*other));
                }
            }
            for (pixel, (first, last)) in line.chunks_exact_mut(4).zip(&columns) {
                let cell = pooled[*first..=*last].iter().copied().max().unwrap_or(0);
                pixel.copy_from_slice(&colours[usize::from(cell)]);
            }
        }
        out
    }
}

/// Dark blue, blue, grey, orange, light yellow: lightness rises all the way, and blue against orange is distinguished by the colour-blind. The same
/// colours are in `styles/fleet.css`.
const RAMP: [[f64; 3]; 5] = [[24.0, 40.0, 76.0], [46.0, 88.0, 156.0], [128.0, 136.0, 152.0], [240.0, 152.0, 60.0], [255.0, 233.0, 142.0]];

/// A colour for each value of a cell: transparent where there is no step.
pub fn colours(least_ns: i64, most_ns: i64) -> Vec<[u8; 4]> {
    let width = (most_ns - least_ns).max(1) as f64;
    let colour = |cell: u16| {
        let Some(value) = FleetMap::value(cell) else { return [0; 4] };
        let at = ((value - least_ns) as f64 / width).clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
        let first = (at as usize).min(RAMP.len() - 2);
        let mixed = |c: usize| (RAMP[first][c] + (RAMP[first + 1][c] - RAMP[first][c]) * (at - first as f64)).round() as u8;
        [mixed(0), mixed(1), mixed(2), 255]
    };
    (0..=u16::MAX).map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: usize, columns: usize, value: impl Fn(usize, usize) -> u16) -> FleetMap {
        let cells = (0..rows * columns).flat_map(|at| value(at / columns, at % columns).to_le_bytes()).collect();
        FleetMap { rows: (0..rows as u32).collect(), steps: (0..columns as u32).collect(), cells, least_ns: 0, most_ns: 200 }
    }

    #[test]
    fn one_slow_cell_of_ten_thousand_rows_is_seen() {
        let levels = Levels::new(&map(10_000, 50, |row, column| if (row, column) == (7_654, 31) { 201 } else { 11 }));
        let colours = colours(0, 200);
        let painted = levels.paint(Window::whole(10_000, 50), (100, 40), &colours);
        let slow: Vec<usize> = painted.chunks(4).enumerate().filter(|(_, p)| *p == colours[201]).map(|p| p.0).collect();
        // Of 100 pixels for 50 columns, column 31 has two; of 40 pixels for 10,000 rows, row 7,654 is in the 31st.
        assert_eq!(slow, [30 * 100 + 62, 30 * 100 + 63]);
        assert!(painted.chunks(4).all(|p| p[3] == 255));
    }

    #[test]
    fn a_cell_fills_the_window_when_zoomed_in() {
        let levels = Levels::new(&map(3, 2, |row, column| (row * 2 + column) as u16));
        let colours = colours(0, 5);
        let painted = levels.paint(Window { x: 1.0, y: 2.0, width: 1.0, height: 1.0 }, (4, 4), &colours);
        assert!(painted.chunks(4).all(|p| p == colours[5]));
        assert_eq!((levels.cell(2, 1), levels.cell(3, 0), levels.cell(0, 2)), (5, 0, 0));
        let nothing = Levels::new(&map(0, 0, |_, _| 0)).paint(Window::whole(0, 0), (2, 2), &colours);
        assert_eq!(nothing, [0; 16]);
    }

    #[test]
    fn windows_stay_within_the_map() {
        let whole = Window::whole(100, 10);
        let near = whole.zoomed(0.5, (1.0, 1.0), whole);
        assert_eq!(near, Window { x: 5.0, y: 50.0, width: 5.0, height: 50.0 });
        assert_eq!(near.moved(2.0, -9.0, whole), Window { x: 5.0, y: 0.0, width: 5.0, height: 50.0 });
        assert_eq!(near.zoomed(99.0, (0.2, 0.2), whole), whole);
        assert_eq!(whole.zoomed(1e-9, (0.0, 0.0), whole), Window { x: 0.0, y: 0.0, width: 1.0, height: 1.0 });
    }
}
