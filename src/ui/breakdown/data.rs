//! The parts of the bar, and the place of each: pure arithmetic.

/// A part of the total.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Share {
    /// Its name.
    pub name: String,
    /// Colour slot.
    pub colour: u16,
    /// How much of the total; negative values and such that are no number count as 0.
    pub value: f64,
    /// Its definition; may be empty.
    pub help: String,
    /// Whether its place in the order can be changed.
    pub is_movable: bool,
}

impl Share {
    fn size(&self) -> f64 {
        if self.value.is_finite() { self.value.max(0.0) } else { 0.0 }
    }
}

/// Sum of the parts.
pub fn total(parts: &[Share]) -> f64 {
    parts.iter().map(Share::size).sum()
}

/// Left edge and width of each part on a bar of that width, CSS pixels.
pub fn places(parts: &[Share], width: f64) -> Vec<(f64, f64)> {
    let total = total(parts);
    let mut from = 0.0;
    let place = |part: &Share| {
        let wide = if total > 0.0 { part.size() / total * width } else { 0.0 };
        let place = (from, wide);
        from += wide;
        place
    };
    parts.iter().map(place).collect()
}

/// The part at a place of the bar.
pub fn hit(parts: &[Share], width: f64, x: f64) -> Option<usize> {
    places(parts, width).iter().position(|(from, wide)| *wide > 0.0 && (*from..*from + *wide).contains(&x))
}

/// The part that a key goes to: parts without a size are passed over.
pub fn step(parts: &[Share], from: Option<usize>, key: &str) -> Option<usize> {
    let sized: Vec<usize> = (0..parts.len()).filter(|i| parts[*i].size() > 0.0).collect();
    let last = sized.len().checked_sub(1)?;
    let at = from.and_then(|from| sized.iter().position(|i| *i == from));
    let next = match (key, at) {
        ("Home", _) | ("ArrowRight" | "ArrowDown", None) => 0,
        ("End", _) | ("ArrowLeft" | "ArrowUp", None) => last,
        ("ArrowRight" | "ArrowDown", Some(at)) => (at + 1).min(last),
        ("ArrowLeft" | "ArrowUp", Some(at)) => at.saturating_sub(1),
        _ => return None,
    };
    Some(sized[next])
}

/// The place that a part moves to, `None` where it cannot: past movable neighbours only.
pub fn moved(parts: &[Share], at: usize, is_earlier: bool) -> Option<usize> {
    let to = if is_earlier { at.checked_sub(1)? } else { at + 1 };
    let can = |i: usize| parts.get(i).is_some_and(|p| p.is_movable);
    (can(at) && can(to)).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(values: &[f64]) -> Vec<Share> {
        values.iter().enumerate().map(|(i, v)| Share { value: *v, is_movable: i + 1 < values.len(), ..Share::default() }).collect()
    }

    #[test]
    fn parts_fill_the_bar() {
        let all = parts(&[30.0, f64::NAN, 0.0, 60.0, -4.0, 10.0]);
        let places = places(&all, 200.0);
        assert_eq!(places[0], (0.0, 60.0));
        assert_eq!(places[3], (60.0, 120.0));
        assert_eq!(places[5], (180.0, 20.0));
        assert_eq!(
            [hit(&all, 200.0, 59.0), hit(&all, 200.0, 61.0), hit(&all, 200.0, 199.0), hit(&all, 200.0, 201.0)],
            [Some(0), Some(3), Some(5), None]
        );
        assert_eq!(hit(&parts(&[0.0, 0.0]), 200.0, 1.0), None);
    }

    #[test]
    fn keys_pass_over_parts_without_a_size() {
        let all = parts(&[30.0, 0.0, 60.0]);
        let steps =
            [(None, "ArrowRight"), (Some(0), "ArrowRight"), (Some(2), "ArrowRight"), (Some(2), "Home"), (None, "End"), (Some(0), "x")];
        assert_eq!(steps.map(|(from, key)| step(&all, from, key)), [Some(0), Some(2), Some(2), Some(0), Some(2), None]);
        assert_eq!(step(&[], None, "Home"), None);
    }

    #[test]
    fn parts_move_past_movable_ones_only() {
        let all = parts(&[1.0, 2.0, 3.0]);
        assert_eq!(
            [moved(&all, 0, true), moved(&all, 0, false), moved(&all, 1, true), moved(&all, 1, false), moved(&all, 2, true)],
            [None, Some(1), Some(0), None, None]
        );
    }
}
