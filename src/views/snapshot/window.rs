//! The part of the history that is seen: zoomed and moved.

/// A part of an axis of states or nanoseconds, with its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Left edge.
    pub from: f64,
    /// Right edge, greater than `from`.
    pub to: f64,
}

impl Window {
    /// Between whole positions.
    pub fn of((from, to): (i64, i64)) -> Window {
        Window { from: from as f64, to: (to as f64).max(from as f64 + 1.0) }
    }

    /// The whole positions that cover it.
    pub fn rounded(self) -> (i64, i64) {
        (self.from.floor() as i64, self.to.ceil() as i64)
    }

    /// Length.
    pub fn span(self) -> f64 {
        self.to - self.from
    }

    /// Zoomed by a factor (above 1 sees less) around a share of the width, within `all`.
    pub fn zoomed(self, factor: f64, at: f64, all: Window) -> Window {
        // Closer than ten states or nanoseconds shows nothing more.
        let span = (self.span() / factor).clamp(all.span().min(10.0), all.span());
        let fixed = self.from + self.span() * at;
        Window { from: fixed - span * at, to: fixed + span * (1.0 - at) }.within(all)
    }

    /// Moved by a share of its length, within `all`.
    pub fn moved(self, share: f64, all: Window) -> Window {
        let by = self.span() * share;
        Window { from: self.from + by, to: self.to + by }.within(all)
    }

    fn within(self, all: Window) -> Window {
        let span = self.span().min(all.span());
        let from = self.from.clamp(all.from, all.to - span);
        Window { from, to: from + span }
    }

    /// As the link has it; empty is everything.
    pub fn text(self, all: Window) -> String {
        let (from, to) = self.rounded();
        if Window::of((from, to)) == all { String::new() } else { format!("{from}~{to}") }
    }

    /// From the link.
    pub fn read(text: &str, all: Window) -> Window {
        let ends = text.split_once('~').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
        ends.filter(|(from, to)| from < to).map_or(all, |ends: (i64, i64)| Window::of(ends).within(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Window = Window { from: 0.0, to: 1000.0 };

    #[test]
    fn zoom_keeps_the_place_under_the_pointer() {
        let got = ALL.zoomed(2.0, 0.25, ALL);
        assert_eq!(got, Window { from: 125.0, to: 625.0 });
        assert_eq!(got.zoomed(0.01, 0.5, ALL), ALL);
        assert_eq!(ALL.zoomed(1e9, 0.5, ALL).span(), 10.0);
    }

    #[test]
    fn moves_end_at_the_edges() {
        let part = Window { from: 100.0, to: 200.0 };
        assert_eq!(part.moved(0.5, ALL), Window { from: 150.0, to: 250.0 });
        assert_eq!(part.moved(-5.0, ALL), Window { from: 0.0, to: 100.0 });
        assert_eq!(part.moved(50.0, ALL), Window { from: 900.0, to: 1000.0 });
    }

    #[test]
    fn links_are_tolerant() {
        let part = Window { from: 100.0, to: 200.0 };
        assert_eq!(Window::read(&part.text(ALL), ALL), part);
        assert_eq!(ALL.text(ALL), "");
        for odd in ["", "x", "5~5", "9~1", "5", "1~y"] {
            assert_eq!(Window::read(odd, ALL), ALL, "{odd}");
        }
        assert_eq!(Window::read("-50~100000", ALL), ALL);
    }
}
