//! What the metrics of a run are measured in, and which way is better: both follow from their names in the file.

use crate::base::{DurationNs, text};
use serde::{Deserialize, Serialize};

/// Values that agree to six digits are the same.
pub const SAME: f64 = 5e-7;

/// What a metric is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Unit {
    /// A share of one.
    Share,
    /// Seconds, as the file has most of its times.
    Seconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A number by which something is called: differences mean nothing.
    Id,
    /// A count, or a ratio.
    #[default]
    Plain,
}

impl Unit {
    /// The unit in a metric's name.
    pub fn of(name: &str) -> Unit {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match name {
            _ if name.contains("percent") => Unit::Share,
            _ if ends(&["_time"]) => Unit::Seconds,
            _ if ends(&["_time_ns"]) => Unit::Nanoseconds,
            _ if ends(&["_bytes", "_dma_size"]) => Unit::Bytes,
            _ if ends(&["_idx", "_id"]) => Unit::Id,
            _ => Unit::Plain,
        }
    }

    /// A value as people read it.
    pub fn shown(self, value: f64) -> String {
        match self {
            Unit::Share => text::percent(value),
            Unit::Seconds => text::duration(DurationNs((value * 1e9).round() as i64)),
            Unit::Nanoseconds => text::duration(DurationNs(value as i64)),
            Unit::Bytes => text::signed_bytes(value as i64),
            Unit::Id | Unit::Plain if value.fract() == 0.0 && value.abs() < 9e15 => {
                format!("{}{}", if value < 0.0 { "−" } else { "" }, text::count(value.abs() as u64))
            }
            Unit::Id | Unit::Plain => text::three_digits(value),
        }
    }

    /// A difference of two values, with its sign; of two shares in percentage points.
    pub fn change(self, delta: f64) -> String {
        match self {
            Unit::Share => signed_percent(delta).replace('%', " pp"),
            _ => format!("{}{}", if delta > 0.0 { "+" } else { "" }, self.shown(delta)),
        }
    }
}

/// A change as a percentage, with its sign.
pub fn signed_percent(share: f64) -> String {
    let text = text::percent(share);
    if share > 0.0 && !text.starts_with('<') { format!("+{text}") } else { text }
}

/// Which way is better, whatever the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The larger the better.
    More,
    /// The smaller the better.
    Less,
}

impl Better {
    /// Whether a larger value is better, by the metric's name; `None` if it depends: a busier engine may mean more work or less waiting.
    pub fn of(name: &str) -> Option<Better> {
        const MORE: [&str; 6] =
            ["hfu_", "mfu_", "mm_arithmetic_intensity", "dma_transfer_average_bytes", "useful_read_percent", "throttle_avg_util_limit"];
        const LESS: [&str; 5] = ["total_time", "neuroncore_cycle_count", "hbm_read_bytes", "hbm_write_bytes", "transpose_flops"];
        let is_limit = name.starts_with("throttle_") && name.contains("_avg_util_limit_");
        if is_limit || MORE.iter().any(|m| name.starts_with(m)) {
            return Some(Better::More);
        }
        let is_detour = ["spill", "reload"].iter().any(|word| name.contains(word));
        let is_throttled = name.starts_with("throttle_") && name.contains("active");
        (is_detour || is_throttled || LESS.contains(&name)).then_some(Better::Less)
    }

    /// Whether a change by `delta` from `base` is for the better; `None` where nothing changed to six digits, as between single and double precision.
    pub fn judges(self, delta: f64, base: f64) -> Option<bool> {
        (delta.abs() > SAME * base.abs() && delta.is_finite()).then_some((delta > 0.0) == (self == Better::More))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_units() {
        let got = [("x_percent", 0.25), ("x_active_time", 2e-6), ("hbm_read_bytes", 2048.0), ("x_count", 12.0), ("ratio", 109.836)];
        let got: Vec<String> = got.into_iter().map(|(name, v)| Unit::of(name).shown(v)).collect();
        assert_eq!(got, ["25.0%", "2.00 µs", "2.00 KiB", "12", "110"]);
        let got = [("x_percent", 0.031), ("total_time", -2e-6), ("hbm_read_bytes", -2048.0), ("x_count", -3.0), ("x_time_ns", 0.0)];
        let got: Vec<String> = got.into_iter().map(|(name, v)| Unit::of(name).change(v)).collect();
        assert_eq!(got, ["+3.1 pp", "−2.00 µs", "−2.00 KiB", "−3", "0 ns"]);
        assert_eq!((Unit::of("nc_idx"), Unit::of("throttle_active_nc0_time_ns")), (Unit::Id, Unit::Nanoseconds));
    }

    #[test]
    fn names_tell_which_way_is_better() {
        let way = |name: &str, delta: f64| Better::of(name).and_then(|b| b.judges(delta, 0.0));
        assert_eq!((way("total_time", -1.0), way("total_time", 1.0), way("total_time", 0.0)), (Some(true), Some(false), None));
        assert_eq!((way("mfu_inst_estimated_percent", 0.1), way("hbm_reload_bytes", 4.0)), (Some(true), Some(false)));
        assert_eq!(way("throttle_activity_1_avg_util_limit_nc0_percent", 0.1), Some(true));
        assert_eq!(way("throttle_activity_1_active_time_nc0_percent", 0.1), Some(false));
        assert_eq!((Better::Less.judges(-1.0, 1e7), Better::Less.judges(-10.0, 1e7)), (None, Some(true)), "six digits tell a change");
        assert_eq!((way("tensor_engine_active_time", 1.0), way("mbu_estimated_percent", 0.1)), (None, None));
    }
}
