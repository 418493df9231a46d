//! Numbers for people: three significant digits and a unit, one place for the rules.

use crate::base::{DurationNs, TimeNs};

/// `1234567` ns as `1.23 ms`. Exact below a microsecond.
pub fn duration(d: DurationNs) -> String {
    nanoseconds(d.0)
}

/// A moment as its distance from the origin, signed.
pub fn time(t: TimeNs) -> String {
    nanoseconds(t.0)
}

fn nanoseconds(ns: i64) -> String {
    let sign = if ns < 0 { "−" } else { "" };
    let abs = ns.unsigned_abs();
    if abs < 1_000 {
        return format!("{sign}{abs} ns");
    }
    let value = abs as f64;
    let (scale, unit) = match abs {
        ..999_500 => (1e3, "µs"),
        999_500..999_500_000 => (1e6, "ms"),
        999_500_000..9_999_500_000_000 => (1e9, "s"),
        _ => return format!("{sign}{} s", count((value / 1e9).round() as u64)),
    };
    format!("{sign}{} {unit}", three_digits(value / scale))
}

/// A time to the nanosecond: `12.345678 ms`, trailing zeros omitted.
pub fn time_exact(ns: i64) -> String {
    let sign = if ns < 0 { "−" } else { "" };
    let abs = ns.unsigned_abs();
    let (unit_ns, digits, unit) = match abs {
        0..1_000 => return format!("{sign}{abs} ns"),
        1_000..1_000_000 => (1_000u64, 3, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, 6, "ms"),
        _ => (1_000_000_000, 9, "s"),
    };
    let fraction = format!("{:0digits$}", abs % unit_ns);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction} {unit}", abs / unit_ns)
}

/// A duration with enough digits to show a difference of `step_ns`, without trailing zeros: `6.813 ms` for a step of 3 µs.
pub fn duration_in_steps(d: DurationNs, step_ns: i64) -> String {
    let digit = 10i64.pow(step_ns.max(1).ilog10());
    time_exact(d.0 / digit * digit)
}

/// Three significant digits, no exponent: `1.23`, `12.3`, `123`, `1230`.
pub fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return "not available".into();
    }
    let abs = value.abs();
    let text = match abs {
        0.0 => "0".into(),
        ..0.000_999_5 => format!("{value:.2e}"),
        ..0.009_995 => format!("{value:.5}"),
        ..0.099_95 => format!("{value:.4}"),
        ..0.9995 => format!("{value:.3}"),
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    };
    text.replace('-', "−")
}

/// Bytes in binary units: `512 B`, `1.50 KiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// As [`bytes`], with a sign before what is below zero.
pub fn signed_bytes(n: i64) -> String {
    format!("{}{}", if n < 0 { "−" } else { "" }, bytes(n.unsigned_abs()))
}

/// Floating-point operations with a decimal prefix: `1.23 TFLOP`.
pub fn flops(n: f64) -> String {
    let (scale, prefix) = match n {
        n if n >= 1e15 => (1e15, "P"),
        n if n >= 1e12 => (1e12, "T"),
        n if n >= 1e9 => (1e9, "G"),
        n if n >= 1e6 => (1e6, "M"),
        _ => (1.0, ""),
    };
    format!("{} {prefix}FLOP", three_digits(n / scale))
}

/// A count with thin separators: `1 234 567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A count of things: `1 kernel`, `1 234 kernels`. `one` is the word for one of them; an s makes it many.
pub fn counted(n: u64, one: &str) -> String {
    let ending = match one {
        _ if n == 1 => "",
        _ if ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end)) => "es",
        _ => "s",
    };
    format!("{} {one}{ending}", count(n))
}

/// A share of one as a percentage with one decimal: `12.3%`; below half a tenth, up or down, `< 0.1%`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "not available".into();
    }
    if share != 0.0 && share.abs() < 0.000_5 {
        return "< 0.1%".into();
    }
    format!("{:.1}%", share * 100.0 + 0.0).replace('-', "−")
}

/// Longest text that is put on screen, characters: browsers need seconds to lay out a line of millions.
const BRIEF: usize = 2_000;

/// Text for the screen, cut if it is longer than anybody could read.
pub fn brief(text: &str) -> String {
    if text.len() > BRIEF { middle_ellipsis(text, BRIEF) } else { text.into() }
}

/// `text` shortened in the middle to at most `max_chars` characters.
pub fn middle_ellipsis(text: &str, max_chars: usize) -> String {
    let n = text.chars().count();
    if n <= max_chars || max_chars < 3 {
        return text.into();
    }
    let head = (max_chars - 1).div_ceil(2);
    let tail = max_chars - 1 - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(n - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_decimal_prefixes() {
        let shown = [0.0, 999_999.0, 1.5e6, 2e9, 17_108_029e6, 1.979e15].map(flops);
        assert_eq!(shown, ["0 FLOP", "999999 FLOP", "1.50 MFLOP", "2.00 GFLOP", "17.1 TFLOP", "1.98 PFLOP"]);
    }

    #[test]
    fn very_long_texts_are_brief_on_screen() {
        assert_eq!(brief("aten::mm"), "aten::mm");
        assert_eq!(brief(&"ä".repeat(5_000)).chars().count(), BRIEF);
    }

    #[test]
    fn one_is_singular() {
        let texts = [0, 1, 1234].map(|n| counted(n, "kernel"));
        assert_eq!(texts, ["0 kernels", "1 kernel", "1\u{202f}234 kernels"]);
        assert_eq!(
            (counted(2, "fetch"), counted(1, "class"), counted(3, "class")),
            ("2 fetches".into(), "1 class".into(), "3 classes".into())
        );
    }

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        let check = |ns, want: &str| assert_eq!(duration(DurationNs(ns)), want);
        check(0, "0 ns");
        check(999, "999 ns");
        check(1_000, "1.00 µs");
        check(17_261, "17.3 µs");
        check(999_499, "999 µs");
        check(999_500, "1.00 ms");
        check(1_234_567, "1.23 ms");
        check(999_500_000, "1.00 s");
        check(3_600_000_000_000, "3600 s");
        check(9_999_499_999_999, "9999 s");
        check(9_999_500_000_000, "10\u{202f}000 s");
        check(-1_500, "−1.50 µs");
        let steps = |ns, step_ns| duration_in_steps(DurationNs(ns), step_ns);
        assert_eq!(
            [steps(6_813_421, 3_300), steps(6_813_421, 1), steps(18_400_000_000, 2_000_000_000)],
            ["6.813 ms", "6.813421 ms", "18 s"]
        );
    }

    #[test]
    fn exact_times_keep_every_nanosecond() {
        assert_eq!(time_exact(12_345_678), "12.345678 ms");
        assert_eq!(time_exact(12_000_000), "12 ms");
        assert_eq!(time_exact(-1_001), "−1.001 µs");
        assert_eq!(time_exact(i64::MIN), "−9223372036.854775808 s");
    }

    #[test]
    fn figures_are_never_strange() {
        assert_eq!(three_digits(f64::NAN), "not available");
        assert_eq!(percent(-0.0), "0.0%");
        assert_eq!(percent(0.0001), "< 0.1%");
        assert_eq!(percent(-0.0001), "< 0.1%");
        assert_eq!(percent(-0.25), "−25.0%");
        assert_eq!(percent(0.5), "50.0%");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(middle_ellipsis("abcdefghij", 5), "ab…ij");
    }
}
