//! Exact integers from decimal text, without floating point.

/// Microseconds as written (`4346856820307.953`, `1e3`, `-12`) to whole nanoseconds, halves away from zero. `None`: no finite number of that range.
pub fn micros_to_nanos(text: &[u8]) -> Option<i64> {
    scaled(text, 3)
}

/// A decimal number times ten to the `scale`, rounded to a whole one.
pub fn scaled(text: &[u8], scale: i32) -> Option<i64> {
    let (negative, digits) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = match fast(digits, scale) {
        Some(value) => value,
        None => slow(digits, scale)?,
    };
    let value = i64::try_from(magnitude).ok()?;
    Some(if negative { -value } else { value })
}

/// Up to 16 digits before the point, and no exponent.
#[inline]
fn fast(digits: &[u8], scale: i32) -> Option<u64> {
    let mut value = 0u64;
    let mut at = 0;
    while let Some(d) = digits.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value * 10 + u64::from(d);
        at += 1;
        if at > 15 {
            return None;
        }
    }
    if at == 0 {
        return None;
    }
    let mut left = scale;
    if digits.get(at) == Some(&b'.') {
        at += 1;
        while left > 0 {
            let Some(d) = digits.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) else {
                break;
            };
            value = value * 10 + u64::from(d);
            at += 1;
            left -= 1;
        }
        if let Some(d) = digits.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value += u64::from(d >= 5);
            at += 1;
            while digits.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
    }
    (at == digits.len()).then(|| value * 10u64.pow(left.clamp(0, 3) as u32))
}

/// Any length, any exponent.
fn slow(digits: &[u8], scale: i32) -> Option<u64> {
    let split = digits.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(digits.len());
    let (mantissa, exponent) = digits.split_at(split);
    let exponent: i32 = match exponent.get(1..) {
        None => 0,
        Some(text) => std::str::from_utf8(text).ok()?.parse::<i32>().ok()?.clamp(-1000, 1000),
    };
    let point = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
    let whole = &mantissa[..point];
    let fraction = mantissa.get(point + 1..).unwrap_or_default();
    if whole.is_empty() && fraction.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    // How many digits count before rounding.
    let n = i64::try_from(whole.len()).ok()? + i64::from(exponent) + i64::from(scale);
    let mut value = 0u128;
    let mut digits = whole.iter().chain(fraction).copied();
    for _ in 0..n.max(0) {
        let digit = digits.next().map_or(0, |b| b - b'0');
        value = value.checked_mul(10)?.checked_add(u128::from(digit))?;
        if value > u128::from(u64::MAX) {
            return None;
        }
    }
    let rounds_up = n >= 0 && digits.next().is_some_and(|b| b >= b'5');
    u64::try_from(value + u128::from(rounds_up)).ok()
}

/// A whole number that is not negative.
pub fn unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    text.iter().try_fold(0u64, |value, b| {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// A finite number as a float; not for times.
pub fn float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim().parse::<f64>().ok().filter(|v| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_exact_nanoseconds() {
        let check = |text: &str, want| assert_eq!(micros_to_nanos(text.as_bytes()), want, "{text}");
        check("0", Some(0));
        check("4346856820307.953", Some(4_346_856_820_307_953));
        check("1623142623460111", Some(1_623_142_623_460_111_000));
        check("1790857026000000.0005", Some(1_790_857_026_000_000_001));
        check("1790857026000000.0004", Some(1_790_857_026_000_000_000));
        check("-1.5", Some(-1_500));
        check("12.34567", Some(12_346));
        check("1e3", Some(1_000_000));
        check("1.5E-3", Some(2));
        check("1.6231426234601115e15", Some(1_623_142_623_460_111_500));
        check(".5", Some(500));
        check("5.", Some(5_000));
        check("0000000000000000000000001", Some(1_000));
        check("9223372036854775.807", Some(i64::MAX));
        check("9223372036854775.808", None);
        check("1e400", None);
        check("1e-400", Some(0));
        for bad in ["", "-", ".", "NaN", "inf", "1.2.3", "12a", "--1", "1e", "0x10", "1_000"] {
            check(bad, None);
        }
    }

    #[test]
    fn ids_are_whole() {
        assert_eq!(unsigned(b"10159970886766084423"), Some(10_159_970_886_766_084_423));
        assert_eq!(unsigned(b"99999999999999999999"), None);
        assert_eq!(unsigned(b"-1"), None);
        assert_eq!(float(b"1e3"), Some(1000.0));
        assert_eq!(float(b"NaN"), None);
    }
}
