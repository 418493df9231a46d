//! Ruler ticks: round steps, one unit for all of them, labels that never touch.

use crate::views::timeline::lookup::viewport::Viewport;

/// One tick of the ruler.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The moment.
    pub time: i64,
    /// CSS pixels from the left of the drawing area.
    pub x: f64,
    /// The figure without its unit.
    pub label: String,
}

/// The ticks of a window and the unit they are all in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ticks {
    /// Ascending; the first may lie left of the screen so that its label is not lost.
    pub ticks: Vec<Tick>,
    /// `ns`, `µs`, `ms` or `s`.
    pub unit: &'static str,
}

const UNITS: [(&str, i64, usize); 4] = [("s", 1_000_000_000, 9), ("ms", 1_000_000, 6), ("µs", 1_000, 3), ("ns", 1, 0)];

/// Ticks for `view`, with labels of `char_px` a character.
pub fn ticks(view: &Viewport, char_px: f64) -> Ticks {
    let window = view.window();
    let (unit, unit_ns, digits) = unit_of(view.span, window.start.0.saturating_abs().max(window.end.0.saturating_abs()));
    let mut step = 1i64;
    loop {
        let widest = label(window.end.0, step, unit_ns, digits).len().max(label(window.start.0, step, unit_ns, digits).len());
        let gap_px = step as f64 / view.span * view.width_px;
        if gap_px >= (widest as f64 + 3.0) * char_px.max(1.0) || step > i64::MAX / 10 {
            break;
        }
        step = next_step(step);
    }
    let first = window.start.0.div_euclid(step).saturating_mul(step);
    let mut out = Vec::new();
    let mut t = first;
    while t <= window.end.0 && out.len() < 400 {
        out.push(Tick { time: t, x: view.px_from_time(t), label: label(t, step, unit_ns, digits) });
        let Some(next) = t.checked_add(step) else { break };
        t = next;
    }
    Ticks { ticks: out, unit }
}

/// 1, 2, 5, 10, …
fn next_step(step: i64) -> i64 {
    let mut power = 1;
    while power <= step / 10 {
        power *= 10;
    }
    match step / power {
        1 => 2 * power,
        2 => 5 * power,
        _ => 10 * power,
    }
}

/// The unit in which a window of `span` ns, at most `far` ns from the origin, has short figures.
fn unit_of(span: f64, far: i64) -> (&'static str, i64, usize) {
    let by_span = UNITS.iter().position(|u| span >= 2.0 * u.1 as f64).unwrap_or(3);
    let by_far = UNITS.iter().position(|u| far >= 10_000 * u.1).map_or(3, |i| i.saturating_sub(1));
    UNITS[by_span.min(by_far)]
}

/// `t` in a unit of `unit_ns`, with as many decimals as the step needs, thousands apart.
fn label(t: i64, step: i64, unit_ns: i64, digits: usize) -> String {
    let mut n_decimals = digits;
    let mut fine = 1i64;
    while n_decimals > 0 && step % (fine * 10) == 0 {
        fine *= 10;
        n_decimals -= 1;
    }
    let abs = t.unsigned_abs();
    let (whole, rest) = (abs / unit_ns as u64, abs % unit_ns as u64);
    let sign = if t < 0 { "−" } else { "" };
    let whole = crate::base::text::count(whole);
    if n_decimals == 0 {
        return format!("{sign}{whole}");
    }
    let rest = rest / 10u64.pow((digits - n_decimals) as u32);
    format!("{sign}{whole}.{rest:0n_decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{TimeNs, TimeRange};

    fn labels(start: i64, end: i64, window: Option<(i64, i64)>) -> (Vec<String>, &'static str) {
        let mut v = Viewport::whole(TimeRange::new(TimeNs(start), TimeNs(end)), 800.0);
        if let Some((a, b)) = window {
            v.show(TimeRange::new(TimeNs(a), TimeNs(b)));
        }
        let t = ticks(&v, 7.0);
        for pair in t.ticks.windows(2) {
            assert!(pair[1].x - pair[0].x >= pair[0].label.chars().count() as f64 * 7.0, "{pair:?}");
        }
        (t.ticks.into_iter().map(|t| t.label).collect(), t.unit)
    }

    #[test]
    fn round_figures_in_one_unit() {
        let (l, unit) = labels(0, 10_000_000, None);
        assert_eq!(unit, "ms");
        assert_eq!(&l[..3], ["0", "1", "2"]);
        let (l, unit) = labels(0, 1_000_000_000, Some((500_000_000, 500_001_000)));
        assert_eq!(unit, "ms");
        assert_eq!(l[0], "500.0000");
        assert_eq!(labels(0, 500, None).1, "ns");
    }

    #[test]
    fn before_the_origin_is_negative() {
        let (l, _) = labels(-3_000, 3_000, None);
        assert!(l.contains(&"−2.0".to_string()) || l.contains(&"−2".to_string()), "{l:?}");
    }

    #[test]
    fn steps_are_one_two_five() {
        let steps: Vec<i64> = std::iter::successors(Some(1), |&s| Some(next_step(s))).take(7).collect();
        assert_eq!(steps, [1, 2, 5, 10, 20, 50, 100]);
    }
}
