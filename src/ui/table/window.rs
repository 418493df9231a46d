//! Which of many lines are in the document: those in sight and a few around them.

/// Height of a line in CSS pixels; `--row` in the tokens.
pub const ROW: f64 = 28.0;
/// Up to this many lines, all are in the document, unless they have more cells than [`ALL_CELLS`].
pub const ALL_UP_TO: usize = 200;
/// Cells from which on only the lines in sight are in the document: a browser takes about 0.1 s for ten thousand.
const ALL_CELLS: usize = 6_000;
/// Browsers stop laying out at about 17 (Firefox) and 33 (Chromium, Safari) million pixels; beyond this, scrolling is scaled.
const TALLEST: f64 = 12_000_000.0;
/// Lines drawn beyond both edges, so that fast scrolling shows no blank area.
const SPARE: usize = 12;

/// A part of the lines, and the heights of the others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Window {
    /// First line in the document.
    pub first: usize,
    /// One past the last.
    pub end: usize,
    /// Pixels above the first.
    pub before: f64,
    /// Pixels below the last.
    pub after: f64,
}

/// The window for `n` lines of `n_columns` cells in a box `height` pixels high that is scrolled down by `scroll` pixels.
pub fn window(n: usize, n_columns: usize, scroll: f64, height: f64) -> Window {
    if n <= ALL_UP_TO && n * n_columns <= ALL_CELLS {
        return Window { first: 0, end: n, before: 0.0, after: 0.0 };
    }
    let tall = tall(n);
    let scroll = scroll.clamp(0.0, (tall - height).max(0.0));
    let top = scroll * scale(n, height);
    let first = ((top / ROW) as usize).saturating_sub(SPARE).min(n);
    let end = ((((top + height) / ROW).ceil() as usize) + SPARE).min(n);
    // Offset of the lines such that line `top` is at the upper edge.
    let before = (scroll - (top - first as f64 * ROW)).max(0.0);
    let after = (tall - before - (end - first) as f64 * ROW).max(0.0);
    Window { first, end, before, after }
}

/// Where to scroll so that a line is in sight: `None` when it is already. `covered` pixels of the box lie beneath header and total.
pub fn scroll_to(line: usize, n: usize, scroll: f64, height: f64, covered: f64) -> Option<f64> {
    let seen = (height - covered).max(ROW);
    let scale = scale(n, height);
    let top = scroll * scale;
    let line_top = line as f64 * ROW;
    if line_top < top {
        Some(line_top / scale)
    } else if line_top + ROW > top + seen {
        Some((line_top + ROW - seen) / scale)
    } else {
        None
    }
}

/// Pixels the lines would take, at most what browsers lay out.
fn tall(n: usize) -> f64 {
    (n as f64 * ROW).min(TALLEST)
}

/// Pixels of lines that pass for each pixel scrolled.
fn scale(n: usize, height: f64) -> f64 {
    let (real, tall) = (n as f64 * ROW, tall(n));
    if real <= tall || tall <= height { 1.0 } else { (real - height) / (tall - height) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_are_all_there() {
        assert_eq!(window(200, 30, 500.0, 300.0), Window { first: 0, end: 200, before: 0.0, after: 0.0 });
        let wide = window(200, 31, 500.0, 300.0);
        assert_eq!((wide.first, wide.end), (5, 41), "lines in sight and some around them");
    }

    #[test]
    fn heights_always_add_up() {
        for n in [201, 100_000, 2_000_000] {
            for part in [0.0, 0.1, 0.5, 0.999, 1.0, 2.0] {
                let w = window(n, 8, tall(n) * part, 560.0);
                let all = w.before + w.after + (w.end - w.first) as f64 * ROW;
                assert!((all - tall(n)).abs() < 1.0, "{n} {part}: {all}");
                assert!(w.end - w.first < 60);
            }
        }
    }

    #[test]
    fn both_ends_can_be_reached() {
        for n in [1_000, 2_000_000] {
            assert_eq!(window(n, 8, 0.0, 560.0).first, 0);
            let last = window(n, 8, tall(n) - 560.0, 560.0);
            assert_eq!(last.end, n);
            let below = last.before + (last.end - last.first) as f64 * ROW;
            assert!((below - tall(n)).abs() < 1.0);
        }
    }

    #[test]
    fn a_line_out_of_sight_is_scrolled_to() {
        assert_eq!(scroll_to(5, 1000, 0.0, 560.0, 56.0), None);
        assert_eq!(scroll_to(5, 1000, 280.0, 560.0, 56.0), Some(140.0));
        assert_eq!(scroll_to(20, 1000, 0.0, 560.0, 56.0), Some(21.0 * ROW - 504.0));
        let to = scroll_to(1_999_999, 2_000_000, 0.0, 560.0, 0.0).unwrap();
        assert!((to - (TALLEST - 560.0)).abs() < 1.0);
    }
}
