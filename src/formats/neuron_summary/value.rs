//! Values of `summary-text`: numbers with thousands separators and units, in the unit of the metric's name.

use crate::model::Cell;

/// A value as read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    /// In the unit that the metric's name has: seconds, bytes, shares of one, counts.
    pub cell: Cell,
    /// Half of the last digit written, in that unit; `None` for a value that is exact.
    pub rounding: Option<f64>,
}

/// What a unit is of, and how much of the base one it is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    /// In seconds.
    Time(f64),
    /// In ones: bytes, FLOPs, Hz, counts.
    Count(f64),
    Percent,
}

/// Whether a text begins with a number.
pub(super) fn is_number(text: &str) -> bool {
    split(text).is_some_and(|(number, _)| number.parse::<f64>().is_ok())
}

/// The value of the metric `name`.
pub(super) fn read(name: &str, written: &str) -> Read {
    let written = written.replace(['*', '`'], "");
    let written = written.trim();
    let exact = |cell| Read { cell, rounding: None };
    if written.is_empty() || ["nan", "n/a", "null", "none", "-", "inf", "+inf", "-inf"].contains(&written.to_ascii_lowercase().as_str()) {
        return exact(Cell::Absent);
    }
    let text = || exact(Cell::Text(written.into()));
    let Some((number, unit)) = split(written) else { return text() };
    let Some(value) = number.parse::<f64>().ok().filter(|v| v.is_finite()) else { return text() };
    if unit.is_empty() {
        let whole = number.parse::<i64>().ok().filter(|_| !number.starts_with('+'));
        return exact(whole.map_or(Cell::Float(value), Cell::Int));
    }
    let factor = match unit_of(unit) {
        Some(Unit::Percent) => 0.01,
        Some(Unit::Time(seconds)) if name.ends_with("_ns") => seconds * 1e9,
        Some(Unit::Time(seconds)) => seconds,
        Some(Unit::Count(n)) => n,
        // An unknown unit has no factor: the value is shown as written.
        None => return text(),
    };
    let decimals = number.split_once('.').map_or(0, |(_, digits)| digits.bytes().take_while(u8::is_ascii_digit).count());
    let exponent = number.split_once(['e', 'E']).and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    let digit = 10f64.powi(exponent.saturating_sub(decimals as i32));
    let is_exact = (factor - 1.0).abs() < f64::EPSILON && digit >= 1.0;
    if let (true, Ok(whole)) = (is_exact, number.parse::<i64>()) {
        return exact(Cell::Int(whole));
    }
    Read { cell: Cell::Float(value * factor), rounding: (!is_exact).then_some(0.5 * digit * factor) }
}

/// The number at the start of a text, without thousands separators, and the unit after it; `None` without a number.
fn split(text: &str) -> Option<(String, &str)> {
    let is_space = |c: char| matches!(c, '\u{2009}' | '\u{202f}' | '\u{a0}' | '\'' | ',');
    let end = text.char_indices().find(|&(at, c)| {
        let is_exponent = matches!(c, 'e' | 'E') && text[at + 1..].trim_start_matches(['+', '-']).starts_with(|d: char| d.is_ascii_digit());
        let is_sign = matches!(c, '+' | '-') && (at == 0 || text[..at].ends_with(['e', 'E']));
        !(c.is_ascii_digit() || c == '.' || is_space(c) || is_exponent || is_sign)
    });
    let (number, unit) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    let number = number.trim_end_matches(is_space);
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unit = unit.trim();
    if !number.contains(is_space) {
        return Some((number.into(), unit));
    }
    // Separators are before groups of three, and not behind the point.
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let groups: Vec<&str> = whole.split(is_space).collect();
    let are_groups = groups.iter().skip(1).all(|g| g.len() == 3 && g.bytes().all(|b| b.is_ascii_digit()));
    let first = groups.first()?.trim_start_matches(['-', '+']);
    if !are_groups || first.is_empty() || first.len() > 3 || fraction.contains(is_space) {
        return None;
    }
    Some((number.replace(is_space, ""), unit))
}

/// What a unit means; `None`: not known.
fn unit_of(unit: &str) -> Option<Unit> {
    let unit = unit.strip_suffix("/s").unwrap_or(unit);
    match unit {
        "%" => return Some(Unit::Percent),
        "ps" => return Some(Unit::Time(1e-12)),
        "ns" => return Some(Unit::Time(1e-9)),
        "us" | "µs" | "μs" => return Some(Unit::Time(1e-6)),
        "ms" => return Some(Unit::Time(1e-3)),
        "s" | "sec" | "second" | "seconds" => return Some(Unit::Time(1.0)),
        "min" => return Some(Unit::Time(60.0)),
        _ => (),
    }
    const COUNTED: [&str; 12] = ["FLOPS", "FLOPs", "FLOP", "Flops", "flops", "bytes", "byte", "Bytes", "Hz", "cycles", "instructions", "B"];
    let prefix = COUNTED.iter().find_map(|base| unit.strip_suffix(base)).unwrap_or(unit).trim_end();
    let power = |letter: &str| ["", "K", "M", "G", "T", "P"].iter().position(|p| p.eq_ignore_ascii_case(letter));
    if let Some(binary) = prefix.strip_suffix('i') {
        return power(binary).filter(|_| unit.ends_with(['B', 's'])).map(|p| Unit::Count(1024f64.powi(p as i32)));
    }
    // A small m is no million.
    power(prefix).filter(|_| prefix != "m").map(|p| Unit::Count(1000f64.powi(p as i32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, written: &str) -> (Cell, Option<f64>) {
        let read = read(name, written);
        (read.cell, read.rounding)
    }

    fn near(name: &str, written: &str, value: f64, rounding: f64) {
        let (cell, half) = of(name, written);
        let Cell::Float(got) = cell else { panic!("{written}: {cell:?}") };
        assert!((got - value).abs() <= value.abs() * 1e-12, "{written}: {got}");
        assert!((half.unwrap_or(0.0) - rounding).abs() <= rounding * 1e-9, "{written}: {half:?}");
    }

    #[test]
    fn numbers_in_the_units_of_their_names() {
        near("hardware_flops", "654.344 **GFLOPS**", 654.344e9, 0.5e6);
        near("dma_active_time", "45.83 **ms**", 0.045_83, 5e-6);
        near("throttle_active_nc0_time_ns", "1.5 us", 1500.0, 50.0);
        near("hfu_estimated_percent", "23.2 %", 0.232, 0.0005);
        near("hbm_read_bytes", "1.25 GiB", 1.25 * 1073741824.0, 0.005 * 1073741824.0);
        near("hbm_read_bytes", "1.25 GB", 1.25e9, 5e6);
        near("bandwidth", "185.3 GB/s", 185.3e9, 5e7);
        near("instruction_count", "12.5K", 12_500.0, 50.0);
        near("total_time", "0.017", 0.017, 0.0);
        near("total_time", "3.86e-5", 3.86e-5, 0.0);
        assert_eq!(of("nc_idx", "1"), (Cell::Int(1), None));
        assert_eq!(of("hbm_read_bytes", "1,234,567"), (Cell::Int(1_234_567), None));
        assert_eq!(of("hbm_read_bytes", "1\u{202f}234\u{202f}567 B"), (Cell::Int(1_234_567), None));
        near("total_time_ns", "12,345.5 ns", 12_345.5, 0.05);
    }

    #[test]
    fn what_is_no_number_stays_text() {
        for text in ["trn2.3xlarge", "2.30.51 (faafe)", "12 furlongs", "1,23", "12,3456", "1.5 mB", "--1", "."] {
            assert_eq!(of("x", text), (Cell::Text(text.into()), None), "{text}");
        }
        for text in ["", "NaN", "N/A", "**null**", "-"] {
            assert_eq!(of("x", text), (Cell::Absent, None), "{text}");
        }
    }
}
