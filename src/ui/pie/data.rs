//! What a pie shows: slices in, parts of the circle out.

use crate::base::Order as _;
use std::collections::BTreeSet;
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
    /// Whether it is omitted of the circle and of the whole.
    pub is_hidden: bool,
}

/// The name under which the others together are hidden: no slice is called so.
pub const OTHERS: &str = "\u{0}others";

impl Part {
    /// The name by which it is hidden and shown.
    pub fn key(&self) -> &str {
        if self.colour.is_some() { &self.name } else { OTHERS }
    }
}

/// The largest `limit` slices in descending order, and one for the others. Slices in `hidden` keep their position without a share.
pub fn parts(slices: &[Slice], limit: usize, hidden: &BTreeSet<String>) -> Vec<Part> {
    let mut slices: Vec<&Slice> = slices.iter().filter(|s| s.value > 0).collect();
    slices.order_by_key(|s| std::cmp::Reverse(s.value));
    // A single one that is left over keeps its name.
    let n_named = if slices.len() == limit + 1 { slices.len() } else { limit.max(1).min(slices.len()) };
    let (named, rest) = slices.split_at(n_named);
    let part =
        |name: String, value: i64, colour: Option<u16>, is_hidden: bool| Part { name, value, share: 0.0, start: 0.0, colour, is_hidden };
    let mut parts: Vec<Part> = named.iter().map(|s| part(s.name.clone(), s.value, Some(s.colour), hidden.contains(&s.name))).collect();
    if !rest.is_empty() {
        let value: i128 = rest.iter().map(|s| i128::from(s.value)).sum();
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        parts.push(part(format!("{} others", rest.len()), value, None, hidden.contains(OTHERS)));
    }
    share_out(&mut parts);
    parts
}

/// Gives each part that is not hidden its share and its place.
fn share_out(parts: &mut [Part]) {
    let whole: i128 = parts.iter().filter(|p| !p.is_hidden).map(|p| i128::from(p.value)).sum();
    let mut start = 0.0;
    for part in parts {
        part.start = start;
        if !part.is_hidden {
            part.share = part.value as f64 / whole as f64;
            start += part.share;
        }
    }
}

/// The part under a point given from the centre, x to the right and y down. Nothing is in the hole.
pub fn hit(parts: &[Part], x: f64, y: f64, (hole, radius): (f64, f64)) -> Option<usize> {
    if !(hole..=radius).contains(&x.hypot(y)) {
        return None;
    }
    let turn = x.atan2(-y).rem_euclid(TAU) / TAU;
    parts.iter().rposition(|p| !p.is_hidden && p.start <= turn)
}

/// What all parts that are shown have together.
pub fn total(parts: &[Part]) -> i64 {
    let sum: i128 = parts.iter().filter(|p| !p.is_hidden).map(|p| i128::from(p.value)).sum();
    i64::try_from(sum).unwrap_or(i64::MAX)
}

/// The part that a key goes to, among those that are shown: arrows round the ring, Home and End.
pub fn step(parts: &[Part], from: Option<usize>, key: &str) -> Option<usize> {
    let shown: Vec<usize> = (0..parts.len()).filter(|at| !parts[*at].is_hidden).collect();
    let last = shown.len().checked_sub(1)?;
    let here = from.and_then(|from| shown.iter().position(|at| *at == from));
    let next = match (key, here) {
        ("Home", _) | ("ArrowRight" | "ArrowDown", None) => 0,
        ("End", _) | ("ArrowLeft" | "ArrowUp", None) => last,
        ("ArrowRight" | "ArrowDown", Some(at)) => (at + 1) % shown.len(),
        ("ArrowLeft" | "ArrowUp", Some(at)) => at.checked_sub(1).unwrap_or(last),
        _ => return None,
    };
    shown.get(next).copied()
}

/// Whether a label of this width and height fits into a part, `at` pixels from the centre.
pub fn has_room(share: f64, at: f64, width: f64, height: f64) -> bool {
    // Length of the chord at that distance; unlimited from half a circle on.
    share >= 0.5 || 2.0 * at * (share * TAU / 2.0).sin() >= width.hypot(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(slices: &[Slice], limit: usize) -> Vec<Part> {
        parts(slices, limit, &BTreeSet::new())
    }

    fn slices(values: &[i64]) -> Vec<Slice> {
        values.iter().enumerate().map(|(i, v)| Slice { name: format!("op{i}"), value: *v, colour: i as u16 }).collect()
    }

    #[test]
    fn the_rest_are_one_part() {
        let parts = all(&slices(&[10, 40, 0, 20, 20, 10, -5]), 2);
        let names: Vec<_> = parts.iter().map(|p| (p.name.as_str(), p.value)).collect();
        assert_eq!(names, [("op1", 40), ("op3", 20), ("3 others", 40)]);
        let whole: f64 = parts.iter().map(|p| p.share).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_single_one_left_over_keeps_its_name() {
        assert_eq!(all(&slices(&[3, 2, 1]), 2).len(), 3);
        assert_eq!(all(&slices(&[3, 2, 1]), 2)[2].name, "op2");
        assert_eq!(all(&slices(&[]), 2), []);
        assert_eq!(all(&slices(&[i64::MAX, i64::MAX, i64::MAX]), 1)[1].value, i64::MAX);
    }

    #[test]
    fn hits_go_by_angle() {
        let parts = all(&slices(&[50, 25, 25]), 9);
        assert_eq!(hit(&parts, 5.0, -5.0, (0.0, 100.0)), Some(0));
        assert_eq!(hit(&parts, 5.0, 5.0, (0.0, 100.0)), Some(0));
        assert_eq!(hit(&parts, -5.0, 5.0, (0.0, 100.0)), Some(1));
        assert_eq!(hit(&parts, -5.0, -5.0, (0.0, 100.0)), Some(2));
        assert_eq!(hit(&parts, 90.0, 90.0, (0.0, 100.0)), None);
        assert_eq!(hit(&[], 1.0, 1.0, (0.0, 100.0)), None);
        assert_eq!((hit(&parts, 5.0, 5.0, (50.0, 100.0)), hit(&parts, 50.0, 5.0, (50.0, 100.0))), (None, Some(0)), "a doughnut's hole");
    }

    #[test]
    fn hidden_parts_keep_their_place_and_have_no_share() {
        let hide = |names: &[&str]| parts(&slices(&[50, 30, 10, 10]), 2, &names.iter().map(ToString::to_string).collect());
        let shares = |parts: &[Part]| parts.iter().map(|p| (p.share * 100.0).round() as i64).collect::<Vec<_>>();
        assert_eq!(shares(&hide(&["op0"])), [0, 60, 40]);
        assert_eq!(hit(&hide(&["op0"]), 5.0, -5.0, (0.0, 100.0)), Some(1));
        assert_eq!(shares(&hide(&[OTHERS])), [63, 38, 0]);
        assert_eq!(hit(&hide(&[OTHERS]), -1.0, -50.0, (0.0, 100.0)), Some(1));
        assert_eq!(shares(&hide(&["op0", "op1", OTHERS])), [0, 0, 0]);
    }

    #[test]
    fn the_total_is_of_what_is_shown() {
        assert_eq!(total(&all(&slices(&[50, 30, 10, 10]), 2)), 100);
        assert_eq!(total(&parts(&slices(&[50, 30, 10, 10]), 2, &["op0".to_string()].into())), 50);
        assert_eq!((total(&[]), total(&all(&slices(&[i64::MAX, i64::MAX]), 9))), (0, i64::MAX));
    }

    #[test]
    fn keys_go_round_the_ring_past_hidden_parts() {
        let parts = parts(&slices(&[50, 30, 20]), 9, &["op1".to_string()].into());
        let go = |from, key| step(&parts, from, key);
        assert_eq!([go(None, "ArrowRight"), go(Some(0), "ArrowRight"), go(Some(2), "ArrowDown")], [Some(0), Some(2), Some(0)]);
        assert_eq!([go(None, "ArrowLeft"), go(Some(0), "ArrowUp"), go(Some(0), "End")], [Some(2); 3]);
        assert_eq!((go(Some(0), "x"), step(&[], None, "Home")), (None, None));
    }

    #[test]
    fn thin_slices_have_no_label() {
        assert!(has_room(0.5, 60.0, 40.0, 12.0));
        assert!(has_room(0.2, 60.0, 40.0, 12.0));
        assert!(!has_room(0.03, 60.0, 40.0, 12.0));
    }
}
