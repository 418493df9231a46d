//! What a pie shows: slices in, parts of the circle out.

use crate::ui::palette;
use std::f64::consts::TAU;

/// Something that has a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Its name.
    pub name: String,
    /// How much it has. Nothing or less is not shown.
    pub value: i64,
    /// Colour slot.
    pub colour: u16,
}

/// A part of the circle.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Name of the slice, or how many others there are.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// Its share of the whole: 0 to 1.
    pub share: f64,
    /// Where it begins, in turns clockwise from the top.
    pub start: f64,
    /// Colour slot; `None` for the others together.
    pub colour: Option<u16>,
}

impl Part {
    /// Its colour.
    pub fn rgb(&self, is_dark: bool) -> [u8; 3] {
        self.colour.map_or(palette::other(is_dark), |slot| palette::colour(slot, is_dark))
    }

    /// Its middle, in radians clockwise from the top.
    pub fn middle(&self) -> f64 {
        (self.start + self.share / 2.0) * TAU
    }
}

/// The largest `limit` slices, largest first, and the rest as one.
pub fn parts(slices: &[Slice], limit: usize) -> Vec<Part> {
    let mut slices: Vec<&Slice> = slices.iter().filter(|s| s.value > 0).collect();
    slices.sort_by_key(|s| std::cmp::Reverse(s.value));
    let whole: i128 = slices.iter().map(|s| i128::from(s.value)).sum();
    // A single one that is left over keeps its name.
    let n_named = if slices.len() == limit + 1 { slices.len() } else { limit.max(1).min(slices.len()) };
    let (named, rest) = slices.split_at(n_named);
    let mut start = 0.0;
    let mut part = |name: String, value: i64, colour: Option<u16>| {
        let share = value as f64 / whole as f64;
        let part = Part { name, value, share, start, colour };
        start += share;
        part
    };
    let mut parts: Vec<Part> = named.iter().map(|s| part(s.name.clone(), s.value, Some(s.colour))).collect();
    if !rest.is_empty() {
        let value: i128 = rest.iter().map(|s| i128::from(s.value)).sum();
        parts.push(part(format!("{} others", rest.len()), i64::try_from(value).unwrap_or(i64::MAX), None));
    }
    parts
}

/// The part under a point given from the centre, x to the right and y down.
pub fn hit(parts: &[Part], x: f64, y: f64, radius: f64) -> Option<usize> {
    if x.hypot(y) > radius {
        return None;
    }
    let turn = x.atan2(-y).rem_euclid(TAU) / TAU;
    parts.iter().rposition(|p| p.start <= turn)
}

/// Whether a label so wide and high fits into a part when it stands `at` pixels from the centre.
pub fn has_room(share: f64, at: f64, width: f64, height: f64) -> bool {
    // The chord at that distance; half a circle and more always has room.
    share >= 0.5 || 2.0 * at * (share * TAU / 2.0).sin() >= width.hypot(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(values: &[i64]) -> Vec<Slice> {
        values.iter().enumerate().map(|(i, v)| Slice { name: format!("op{i}"), value: *v, colour: i as u16 }).collect()
    }

    #[test]
    fn the_rest_are_one_part() {
        let parts = parts(&slices(&[10, 40, 0, 20, 20, 10, -5]), 2);
        let names: Vec<_> = parts.iter().map(|p| (p.name.as_str(), p.value)).collect();
        assert_eq!(names, [("op1", 40), ("op3", 20), ("3 others", 40)]);
        let whole: f64 = parts.iter().map(|p| p.share).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_single_one_left_over_keeps_its_name() {
        assert_eq!(parts(&slices(&[3, 2, 1]), 2).len(), 3);
        assert_eq!(parts(&slices(&[3, 2, 1]), 2)[2].name, "op2");
        assert_eq!(parts(&slices(&[]), 2), []);
        assert_eq!(parts(&slices(&[i64::MAX, i64::MAX, i64::MAX]), 1)[1].value, i64::MAX);
    }

    #[test]
    fn hits_go_by_angle() {
        let parts = parts(&slices(&[50, 25, 25]), 9);
        assert_eq!(hit(&parts, 5.0, -5.0, 100.0), Some(0));
        assert_eq!(hit(&parts, 5.0, 5.0, 100.0), Some(0));
        assert_eq!(hit(&parts, -5.0, 5.0, 100.0), Some(1));
        assert_eq!(hit(&parts, -5.0, -5.0, 100.0), Some(2));
        assert_eq!(hit(&parts, 90.0, 90.0, 100.0), None);
        assert_eq!(hit(&[], 1.0, 1.0, 100.0), None);
    }

    #[test]
    fn thin_slices_have_no_label() {
        assert!(has_room(0.5, 60.0, 40.0, 12.0));
        assert!(has_room(0.2, 60.0, 40.0, 12.0));
        assert!(!has_room(0.03, 60.0, 40.0, 12.0));
    }
}
