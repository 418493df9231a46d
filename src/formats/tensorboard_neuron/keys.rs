//! Keys of the operator tables by meaning: they were never published.

use crate::formats::json::{Cursor, Value, unescape};

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    Name,
    Occurrences,
    Device,
    Core,
    /// Nanoseconds per unit; `None`: the key has no unit.
    Time(Option<i64>),
    /// A recorded share; it is computed again.
    Percent,
    Members,
}

/// The key without signs and in small letters: `Time (ns)` is `timens`.
fn plain_key(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// What a key means, by its words; `None` when nothing fits.
pub(super) fn meaning(key: &str) -> Option<Meaning> {
    let k = plain_key(key);
    let is = |words: &[&str]| words.contains(&k.as_str());
    if is(&[
        "name",
        "opname",
        "op",
        "operator",
        "operatorname",
        "operation",
        "frameworkop",
        "frameworkopname",
        "hloop",
        "hloopname",
        "hloname",
        "title",
        "label",
    ]) {
        return Some(Meaning::Name);
    }
    if is(&[
        "occurrences",
        "occurrence",
        "noccurrences",
        "numoccurrences",
        "count",
        "counts",
        "opcount",
        "calls",
        "ncalls",
        "executions",
        "instances",
    ]) {
        return Some(Meaning::Occurrences);
    }
    if is(&["neurondevice", "neurondeviceid", "device", "deviceid", "nd", "ndid", "ndidx"]) {
        return Some(Meaning::Device);
    }
    if is(&["neuroncore", "neuroncoreid", "core", "coreid", "nc", "ncid", "ncidx", "neuroncoreidx"]) {
        return Some(Meaning::Core);
    }
    if is(&["fused", "fusedops", "fusedoperators", "fusednames", "members", "memberops", "fusedmembers"]) {
        return Some(Meaning::Members);
    }
    if is(&["percent", "percentage", "pct", "share", "timepercent", "timepercentage", "timepct", "timeshare", "percenttime"])
        || (k == "time" && key.contains('%'))
    {
        return Some(Meaning::Percent);
    }
    let stems =
        ["time", "totaltime", "duration", "dur", "totalduration", "elapsed", "elapsedtime", "selftime", "optime", "latency", "exectime"];
    let units = [
        ("ns", 1),
        ("nanoseconds", 1),
        ("us", 1_000),
        ("microseconds", 1_000),
        ("ms", 1_000_000),
        ("milliseconds", 1_000_000),
        ("sec", 1_000_000_000),
        ("seconds", 1_000_000_000),
    ];
    if stems.contains(&k.as_str()) {
        return Some(Meaning::Time(None));
    }
    let unit = units.iter().find(|(suffix, _)| k.strip_suffix(suffix).or(k.strip_prefix(suffix)).is_some_and(|stem| stems.contains(&stem)));
    unit.map(|(_, ns)| Meaning::Time(Some(*ns)))
}

/// A time with its unit in the text, in nanoseconds: `279 ns`, `1.5us`.
pub(super) fn time_with_unit(text: &str) -> Option<(f64, i64)> {
    let text = text.trim();
    let at = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')))?;
    let value = text[..at].trim().parse::<f64>().ok().filter(|v| v.is_finite())?;
    let unit = match text[at..].trim() {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    };
    Some((value, unit))
}

/// Members of a fused operator: a list, or texts between commas outside brackets.
pub(super) fn members(value: Value<'_>) -> Vec<String> {
    let mut out = Vec::new();
    match value {
        Value::List(list) => {
            let mut cursor = Cursor::new(list);
            while let Ok(Some(item)) = cursor.item() {
                out.push(unescape(item.plain()).trim().to_string());
            }
        }
        Value::Text(text) => {
            let text = unescape(text).into_owned();
            let (mut depth, mut from) = (0usize, 0);
            for (i, b) in text.bytes().enumerate() {
                match b {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b',' if depth == 0 => {
                        out.push(text[from..i].trim().to_string());
                        from = i + 1;
                    }
                    _ => {}
                }
            }
            out.push(text[from..].trim().to_string());
        }
        _ => {}
    }
    out.retain(|m| !m.is_empty() && m != "null");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_meaning() {
        let check = |key: &str, want| assert_eq!(meaning(key), want, "{key}");
        check("Op Name", Some(Meaning::Name));
        check("op_name", Some(Meaning::Name));
        check("count", Some(Meaning::Occurrences));
        check("Neuron Device", Some(Meaning::Device));
        check("nc_idx", Some(Meaning::Core));
        check("Time (ns)", Some(Meaning::Time(Some(1))));
        check("duration_us", Some(Meaning::Time(Some(1_000))));
        check("time", Some(Meaning::Time(None)));
        check("Time %", Some(Meaning::Percent));
        check("fused", Some(Meaning::Members));
        check("engine", None);
    }

    #[test]
    fn members_are_split_outside_brackets() {
        assert_eq!(members(Value::Text(b"A/Linear[0]/x.36, %dot.3 = dot(%a, %b)")), ["A/Linear[0]/x.36", "%dot.3 = dot(%a, %b)"]);
        assert_eq!(members(Value::List(br#"["a", "b,c"]"#)), ["a", "b,c"]);
        assert_eq!(members(Value::Bare(b"null")), Vec::<String>::new());
        assert_eq!(time_with_unit("1.5 us"), Some((1.5, 1_000)));
        assert_eq!(time_with_unit("279"), None);
    }
}
