//! What bars show, and the way of a mark among them.

/// One colour of the bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Colour slot.
    pub colour: u16,
    /// What it means; may be empty.
    pub help: String,
}

impl Series {
    /// A series without an explanation.
    pub fn new(name: &str, colour: u16) -> Self {
        Series { name: name.into(), colour, help: String::new() }
    }
}

/// One bar, or one group of bars side by side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// Beneath it: `5`.
    pub name: String,
    /// What neighbours have in common, beneath the names: a worker. May be empty.
    pub group: String,
    /// One for each series; those that are missing or no number are not recorded: drawn as nothing, and no zero in the values.
    pub values: Vec<f64>,
    /// A line for the read-out; may be empty.
    pub note: String,
}

impl Bar {
    /// Its value in a series, to be drawn; zero where there is none.
    pub fn value(&self, series: usize) -> f64 {
        self.recorded(series).unwrap_or(0.0)
    }

    /// Its value in a series; `None` where there is none.
    pub fn recorded(&self, series: usize) -> Option<f64> {
        self.values.get(series).copied().filter(|v| v.is_finite())
    }
}

/// One rectangle: a bar and a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The bar, by position.
    pub bar: usize,
    /// The series, by position; `None` is the bar beside its rectangles.
    pub series: Option<usize>,
}

/// The mark after a key: arrows, Home and End.
pub fn moved(mark: Option<Mark>, key: &str, n_bars: usize, shown: &[usize]) -> Option<Mark> {
    let last = n_bars.checked_sub(1)?;
    let Some(mark) = mark else { return Some(Mark { bar: if key == "End" { last } else { 0 }, series: None }) };
    let place = mark.series.and_then(|s| shown.iter().position(|o| *o == s));
    let series = match (key, place) {
        ("ArrowUp", None) => shown.first().copied(),
        ("ArrowUp", Some(at)) => shown.get(at + 1).copied().or(mark.series),
        ("ArrowDown", Some(at)) => at.checked_sub(1).and_then(|at| shown.get(at).copied()),
        _ => mark.series,
    };
    let bar = match key {
        "ArrowLeft" => mark.bar.saturating_sub(1),
        "ArrowRight" => (mark.bar + 1).min(last),
        "Home" => 0,
        "End" => last,
        _ => mark.bar.min(last),
    };
    Some(Mark { bar, series })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_from_mark_to_mark() {
        assert_eq!(moved(None, "ArrowRight", 0, &[]), None);
        let keys = |keys: &[&str]| keys.iter().fold(None, |m, k| moved(m, k, 3, &[0, 2]));
        assert_eq!(keys(&["ArrowRight"]), Some(Mark { bar: 0, series: None }));
        assert_eq!(keys(&["ArrowRight", "ArrowRight", "ArrowUp"]), Some(Mark { bar: 1, series: Some(0) }));
        assert_eq!(keys(&["End", "ArrowUp", "ArrowUp", "ArrowUp"]), Some(Mark { bar: 2, series: Some(2) }));
        assert_eq!(keys(&["End", "ArrowUp", "ArrowDown", "ArrowRight"]), Some(Mark { bar: 2, series: None }));
    }
}
