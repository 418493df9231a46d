//! From JSON to the metrics of each core.

use crate::base::{Ledger, Severity};
use crate::formats::ImportError;
use crate::formats::neuron_json::tables::cell;
use crate::formats::neuron_json::value::{Fields, Raw, fields, without_bare_nan};
use crate::formats::wording;
use crate::model::Cell;
use rustc_hash::FxHashSet;
use serde_json::value::RawValue;

/// Objects and lists within each other.
const MAX_DEPTH: usize = 4;
/// More cores than any run has.
const MAX_NODES: usize = 4096;
/// More metrics than any core has: those of a text that is no summary are not compared with each other for minutes.
const MAX_METRICS: usize = 10_000;

/// The metrics of one core.
#[derive(Default)]
pub(super) struct Node {
    /// Its name in the file; empty if not recorded.
    pub name: String,
    /// In the order of the file.
    pub metrics: Vec<(String, Cell)>,
    /// The heading of each metric; empty where the file has none.
    pub groups: Vec<String>,
    /// Half of the last digit of each metric, in its unit; `None` for one that is not rounded.
    pub roundings: Vec<Option<f64>>,
}

impl Node {
    /// Takes a metric.
    pub fn push(&mut self, name: String, group: &str, cell: Cell, rounding: Option<f64>) {
        self.metrics.push((name, cell));
        self.groups.push(group.into());
        self.roundings.push(rounding);
    }

    /// Whether there is a metric of that name.
    pub fn has(&self, name: &str) -> bool {
        self.metrics.iter().any(|m| m.0 == name)
    }

    /// The heading of a metric; empty where there is none.
    pub fn group_of(&self, name: &str) -> &str {
        let at = self.metrics.iter().position(|m| m.0 == name);
        at.and_then(|at| self.groups.get(at)).map_or("", String::as_str)
    }

    /// `total_time`, which is in seconds, as nanoseconds.
    pub fn total_ns(&self) -> Option<i64> {
        let (_, cell) = self.metrics.iter().find(|m| m.0 == "total_time")?;
        let seconds = match cell {
            Cell::Float(v) => *v,
            Cell::Int(v) => *v as f64,
            _ => return None,
        };
        (seconds.is_finite() && (0.0..9e9).contains(&seconds)).then(|| (seconds * 1e9).round() as i64)
    }
}

/// Every set of metrics in the text.
pub(super) fn nodes(bytes: &[u8], file: &str, ledger: &mut Ledger) -> Result<Vec<Node>, ImportError> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        ImportError::Invalid(format!("Expected a summary in UTF-8, found something else at byte {} of `{file}`.", e.valid_up_to()))
    })?;
    let text = text.trim_start_matches('\u{feff}').trim();
    let mended = without_bare_nan(text);
    if mended.is_some() {
        let reason = wording::NOT_A_NUMBER;
        ledger.skip(Severity::Warning, "bare_nan", reason, 0, || file.into());
    }
    let mut reader = Reader { nodes: Vec::new(), ledger };
    reader.value("", mended.as_deref().unwrap_or(text), 0).map_err(|why| {
        ImportError::Invalid(format!("Expected valid JSON with metrics in `{file}`, found {} bytes with an error: {why}.", bytes.len()))
    })?;
    match reader.nodes.is_empty() {
        true => Err(ImportError::Invalid(format!("Expected metrics of at least one core in `{file}`, found none."))),
        false => Ok(reader.nodes),
    }
}

struct Reader<'a> {
    nodes: Vec<Node>,
    ledger: &'a mut Ledger,
}

impl Reader<'_> {
    fn value(&mut self, name: &str, text: &str, depth: usize) -> Result<(), serde_json::Error> {
        if depth > MAX_DEPTH || self.nodes.len() >= MAX_NODES {
            let reason = "Nested deeper or larger than a summary: skipped.";
            self.ledger.skip(Severity::DataLoss, "too_much", reason, 0, || name.into());
            return Ok(());
        }
        match text.as_bytes().first() {
            Some(b'{') => self.object(name, &fields(text)?, depth),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                for (at, item) in items.iter().enumerate() {
                    let name = if name.is_empty() || items.len() == 1 { name.to_string() } else { format!("{name} {at}") };
                    self.value(&name, item.get().trim(), depth + 1)?;
                }
                Ok(())
            }
            // Text, numbers and nothing are no metrics by themselves.
            _ => serde_json::from_str::<serde::de::IgnoredAny>(text).map(|_| ()),
        }
    }

    /// An object holds metrics, or objects that hold them, or both.
    fn object(&mut self, name: &str, object: &Fields<'_>, depth: usize) -> Result<(), serde_json::Error> {
        let is_nested = |raw: &Raw<'_>| matches!(raw.0.as_bytes().first(), Some(b'{' | b'['));
        let mut metrics: Vec<(String, Cell)> = Vec::new();
        let mut known: FxHashSet<&str> = FxHashSet::default();
        for (key, raw) in object.iter().filter(|(_, raw)| !is_nested(raw)) {
            self.ledger.read += 1;
            if metrics.len() >= MAX_METRICS {
                let reason = "More metrics than a summary has: skipped.";
                self.ledger.skip(Severity::DataLoss, "too_much", reason, 0, || key.to_string());
                continue;
            }
            if !known.insert(key.as_ref()) {
                let reason = "A duplicate metric; the first value is shown.";
                self.ledger.skip(Severity::Warning, "twice", reason, 0, || key.to_string());
                continue;
            }
            self.ledger.shown += 1;
            metrics.push((key.to_string(), cell(*raw)));
        }
        if !metrics.is_empty() {
            let own = ["subgraph", "name", "node"].iter().find_map(|key| {
                let text = object.iter().find(|f| f.0 == **key).map(|f| f.1.text())?;
                (!text.is_empty()).then(|| text.into_owned())
            });
            let name = match (own, name) {
                (Some(own), "") => own,
                (Some(own), name) => format!("{name} {own}"),
                (None, "") => format!("core {}", self.nodes.len()),
                (None, name) => name.to_string(),
            };
            let (groups, roundings) = (vec![String::new(); metrics.len()], vec![None; metrics.len()]);
            self.nodes.push(Node { name, metrics, groups, roundings });
        }
        for (key, raw) in object.iter().filter(|(_, raw)| is_nested(raw)) {
            let below = if name.is_empty() { key.to_string() } else { format!("{name} {key}") };
            self.value(&below, raw.0, depth + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, usize)> {
        let read = nodes(text.as_bytes(), "a.json", &mut Ledger::default()).expect("reads");
        read.into_iter().map(|n| (n.name, n.metrics.len())).collect()
    }

    #[test]
    fn objects_and_lists_are_read() {
        assert_eq!(names(r#"{"total_time": 1e-6, "hbm_read_bytes": 2}"#), [("core 0".into(), 2)]);
        assert_eq!(names(r#"{"n_1": {"total_time": 1}, "n_2": {"total_time": 2}}"#), [("n_1".into(), 1), ("n_2".into(), 1)]);
        assert_eq!(names(r#"[{"subgraph": "sg00", "total_time": 1}, {"total_time": 2}]"#), [("sg00".into(), 2), ("core 1".into(), 1)]);
        assert_eq!(names(r#"{"n_1": [{"total_time": 1}, {"total_time": 2}]}"#), [("n_1 0".into(), 1), ("n_1 1".into(), 1)]);
    }

    #[test]
    fn what_is_no_summary_gets_a_sentence() {
        for text in ["{}", "[]", r#"{"a": {"#, "[1, 2", r#"{"a": {"b": {"c": {"d": {"e": {"total_time": 1}}}}}}"#] {
            let error = nodes(text.as_bytes(), "a.json", &mut Ledger::default()).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.starts_with("Expected"), "{text}: {error}");
        }
        let mut ledger = Ledger::default();
        let read = nodes(br#"{"total_time": NaN, "a": 1, "a": 2}"#, "a.json", &mut ledger).expect("reads");
        assert_eq!(read[0].metrics, [("total_time".into(), Cell::Absent), ("a".into(), Cell::Int(1))]);
        assert_eq!(ledger.skipped.len(), 2);
        assert_eq!((read[0].total_ns(), ledger.read, ledger.shown), (None, 3, 2));
    }
}
