//! Counters: the edges of their areas, reduced so that no peak is lost, and the values at a moment.

use super::lod::seek;
use crate::analysis::device::ViewCurve;
use crate::base::TimeRange;
use crate::engine::page_columns::PageMeta;
use crate::engine::{Counter, Series};
use crate::ui::table::is_whole;
use std::collections::HashMap;

const FAN: usize = 32;

/// The drawn edges of one counter and their maxima by block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CounterLod {
    /// Per series: what is drawn. Stacked ones hold the sum up to and with the series.
    edges: Vec<Edge>,
    /// Lowest and highest drawn value; zero is between them.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Edge {
    values: Vec<f32>,
    /// Per block: (least, most).
    blocks: Vec<(f32, f32)>,
}

impl CounterLod {
    /// The edges of `counter`. Values that are no numbers count as nothing drawn there.
    pub fn new(counter: &Counter) -> Self {
        let n = counter.times.len();
        let mut below = vec![0.0f64; n];
        let mut out = CounterLod::default();
        for series in &counter.series {
            let mut values = Vec::with_capacity(n);
            for (i, sum) in below.iter_mut().enumerate() {
                let v = series.values.get(i).copied().unwrap_or(f64::NAN);
                let finite = if v.is_finite() { v } else { 0.0 };
                let top = if counter.is_stacked { *sum + finite } else { v };
                *sum += finite;
                if top.is_finite() {
                    out.low = out.low.min(top);
                    out.high = out.high.max(top);
                }
                values.push(top as f32);
            }
            let blocks = values.chunks(FAN).map(extent).collect();
            out.edges.push(Edge { values, blocks });
        }
        out
    }

    /// How many edges.
    pub fn n_series(&self) -> usize {
        self.edges.len()
    }

    /// Least and most of edge `series` over samples `from..to`; `None` if no number is among them.
    pub fn extent(&self, series: usize, from: usize, to: usize) -> Option<(f32, f32)> {
        let edge = self.edges.get(series)?;
        let (first, last) = (from.div_ceil(FAN), to / FAN);
        let found = if first >= last {
            extent(edge.values.get(from..to)?)
        } else {
            let ends = [extent(&edge.values[from..first * FAN]), extent(&edge.values[last * FAN..to])];
            edge.blocks[first..last].iter().chain(&ends).fold((f32::INFINITY, f32::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        (found.0 <= found.1).then_some(found)
    }

    /// Height of a value between the bottom (0) and the top (1) of the row.
    pub fn share(&self, value: f64) -> f64 {
        let height = self.high - self.low;
        if height > 0.0 { ((value - self.low) / height).clamp(0.0, 1.0) } else { 0.0 }
    }
}

fn extent(values: &[f32]) -> (f32, f32) {
    values.iter().filter(|v| !v.is_nan()).fold((f32::INFINITY, f32::NEG_INFINITY), |a, &v| (a.0.min(v), a.1.max(v)))
}

/// The samples that hold in `t0..t1`: the one before and all inside. `from` is a place to begin looking, at or before.
pub fn samples_in(counter: &Counter, from: usize, t0: i64, t1: i64) -> (usize, usize) {
    let n = counter.times.len();
    let first = seek(|i| counter.times[i], from.min(n), n, t0.saturating_add(1)).saturating_sub(1);
    let end = seek(|i| counter.times[i], first, n, t1);
    (first, end.max(first))
}

/// The values in force at `t`, by series; `None` before the first sample.
pub fn values_at(counter: &Counter, t: i64) -> Option<Vec<(&str, f64)>> {
    let i = counter.times.partition_point(|&s| s <= t).checked_sub(1)?;
    Some(counter.series.iter().filter_map(|s| Some((s.name.as_str(), *s.values.get(i)?))).collect())
}

/// Values of several series with their names, a word that all names begin with written once: `bank 0: 0.250`, `1: 0.500`. A single value
/// needs no name.
pub fn named_values(values: &[(&str, f64)], unit: &str) -> Vec<String> {
    let [(first, _), _, ..] = values else { return values.iter().map(|v| value_text(v.1, unit)).collect() };
    let word = first.split_once(' ').map_or("", |p| p.0);
    let rest = |name: &str| name.strip_prefix(word).and_then(|r| r.strip_prefix(' ')).map(str::to_string);
    let is_shared = values.iter().all(|v| rest(v.0).is_some());
    // The unit is part of the name already.
    let unit = if is_shared && unit.strip_suffix('s') == Some(word) { "" } else { unit };
    let name = |at: usize, name: &str| rest(name).filter(|_| is_shared && at > 0).unwrap_or_else(|| name.to_string());
    values.iter().enumerate().map(|(at, v)| format!("{}: {}", name(at, v.0), value_text(v.1, unit))).collect()
}

/// A counter's value with its unit.
pub fn value_text(value: f64, unit: &str) -> String {
    use crate::base::text;
    if !value.is_finite() {
        return "not available".into();
    }
    match unit {
        "bytes" | "B" if value >= 0.0 => text::bytes(value as u64),
        "B/s" | "bytes/s" if value >= 0.0 => format!("{}/s", text::bytes(value as u64)),
        "%" => format!("{}%", text::three_digits(value)),
        // Things that are counted: `4 banks`, not `4.00`.
        "" | "banks" if is_whole(value) && value.abs() < 1e4 => {
            let gap = if unit.is_empty() { "" } else { "\u{a0}" };
            let unit = if value.abs() == 1.0 { unit.trim_end_matches('s') } else { unit };
            format!("{}{gap}{unit}", value as i64).replace('-', "−")
        }
        _ => {
            let abs = value.abs();
            let (scale, prefix) = match abs {
                1e12.. => (1e12, "T"),
                1e9.. => (1e9, "G"),
                1e6.. => (1e6, "M"),
                1e4.. => (1e3, "k"),
                _ => (1.0, ""),
            };
            let gap = if prefix.is_empty() && unit.is_empty() { "" } else { "\u{a0}" };
            format!("{}{gap}{prefix}{unit}", text::three_digits(value / scale))
        }
    }
}

/// Replacement curves by the position of their counter in the table.
#[derive(Debug, Default)]
pub struct Curves(HashMap<usize, (Counter, CounterLod)>);

impl Curves {
    /// The replacement of a counter.
    pub fn get(&self, counter: usize) -> Option<(&Counter, &CounterLod)> {
        self.0.get(&counter).map(|c| (&c.0, &c.1))
    }

    /// Each in the place of the row of its group and name. Behind the end of `window` nothing is drawn.
    pub(crate) fn new(info: &PageMeta, found: Vec<ViewCurve>, window: TimeRange) -> Self {
        let place = |curve: &ViewCurve| {
            info.counters.iter().position(|c| {
                let track = info.tracks.get(c.track.index());
                track.is_some_and(|t| t.parent == curve.group && info.strings.get(t.name) == curve.name)
            })
        };
        let one = |mut curve: ViewCurve| {
            let at = place(&curve)?;
            let known = info.counters.get(at)?;
            if curve.times.last().is_some_and(|t| *t < window.end.0) {
                curve.times.push(window.end.0);
                curve.values.push(f64::NAN);
            } else if let Some(last) = curve.values.last_mut() {
                *last = f64::NAN;
            }
            let name = known.series.first().map_or(curve.name, |s| s.name.clone());
            let counter = Counter {
                track: known.track,
                unit: known.unit.clone(),
                is_stacked: false,
                times: curve.times,
                series: vec![Series { name, values: curve.values }],
            };
            let lod = CounterLod::new(&counter);
            Some((at, (counter, lod)))
        };
        Curves(found.into_iter().filter_map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Series;

    fn counter(is_stacked: bool) -> Counter {
        let series = |name: &str, k: f64| Series { name: name.into(), values: (0..1000).map(|i| f64::from(i) * k).collect() };
        Counter {
            is_stacked,
            times: (0..1000).map(|i| i * 10).collect(),
            series: vec![series("a", 1.0), series("b", 2.0)],
            ..Counter::default()
        }
    }

    #[test]
    fn stacked_edges_add_up() {
        let lod = CounterLod::new(&counter(true));
        assert_eq!(lod.high, 999.0 * 3.0);
        assert_eq!(lod.extent(1, 10, 11), Some((30.0, 30.0)));
        assert_eq!(lod.extent(1, 3, 997), Some((9.0, 996.0 * 3.0)));
        assert_eq!(lod.extent(0, 5, 5), None);
        assert_eq!(CounterLod::new(&counter(false)).high, 999.0 * 2.0);
    }

    #[test]
    fn a_step_holds_until_the_next_sample() {
        let c = counter(false);
        assert_eq!(samples_in(&c, 0, 15, 35), (1, 4));
        assert_eq!(samples_in(&c, 0, 20, 25), (2, 3));
        assert_eq!(values_at(&c, 25), Some(vec![("a", 2.0), ("b", 4.0)]));
        assert_eq!(values_at(&c, -1), None);
    }

    #[test]
    fn values_of_several_series_are_named() {
        let of = |values: &[(&str, f64)], unit: &str| named_values(values, unit).join(" · ");
        assert_eq!(of(&[("bank 0", 0.25), ("bank 1", 1.0), ("bank 2", 0.0)], "banks"), "bank 0: 0.250 · 1: 1 · 2: 0");
        assert_eq!(of(&[("partition 0", 12.5), ("partition 32", 1.5)], "%"), "partition 0: 12.5% · 32: 1.50%");
        assert_eq!(of(&[("read", 1.0), ("written", 2.0)], ""), "read: 1 · written: 2");
        assert_eq!((of(&[("pending", 7.0)], ""), of(&[], "")), ("7".into(), String::new()));
    }

    #[test]
    fn values_have_units() {
        assert_eq!(value_text(1.0, "banks"), "1\u{a0}bank");
        assert_eq!(value_text(2048.0, "bytes"), "2.00 KiB");
        assert_eq!(value_text(12.5, "%"), "12.5%");
        assert_eq!((value_text(3.0, ""), value_text(4.0, "banks")), ("3".into(), "4\u{a0}banks".into()));
        assert_eq!((value_text(3.5, ""), value_text(27.0, "W"), value_text(-2.0, "")), ("3.50".into(), "27.0\u{a0}W".into(), "−2".into()));
        assert_eq!(value_text(2.5e9, "FLOP/s"), "2.50\u{a0}GFLOP/s");
        assert_eq!(value_text(f64::NAN, ""), "not available");
    }
}
