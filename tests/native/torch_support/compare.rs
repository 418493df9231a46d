//! Figures as tables of named rows, and what differs between two of them.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Rows by key. Rows of one key stand in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Key and figures.
    pub rows: Vec<(String, Map<String, Value>)>,
    /// The column the rows are sorted by, largest first: its values must stand in the same order.
    pub sorted_by: Option<&'static str>,
}

impl Table {
    /// Objects, told apart by the text of `keys`.
    pub fn of_objects(rows: &[Value], keys: &[&str], sorted_by: Option<&'static str>) -> Table {
        let row = |value: &Value| {
            let object = value.as_object().cloned().unwrap_or_default();
            let key: Vec<String> = keys.iter().map(|k| object.get(*k).map_or(String::new(), text)).collect();
            (key.join(" | "), object)
        };
        Table { rows: rows.iter().map(row).collect(), sorted_by }
    }

    /// `{"columns": [{"name"}…], "rows": [[…]…]}` as objects.
    pub fn objects(value: &Value) -> Vec<Value> {
        let columns: Vec<&str> =
            value["columns"].as_array().into_iter().flatten().map(|c| c["name"].as_str().unwrap_or_default()).collect();
        let rows = value["rows"].as_array().into_iter().flatten();
        rows.map(|row| {
            let cells = columns.iter().zip(row.as_array().into_iter().flatten());
            Value::Object(cells.filter(|(c, _)| !c.is_empty()).map(|(c, v)| ((*c).to_string(), v.clone())).collect())
        })
        .collect()
    }

    /// One row of figures.
    pub fn figures(figures: impl IntoIterator<Item = (String, Value)>) -> Table {
        Table {
            rows: figures.into_iter().map(|(key, value)| (key, Map::from_iter([("value".to_string(), value)]))).collect(),
            sorted_by: None,
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// How far figures may lie apart.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// In units of the figure.
    pub absolute: f64,
    /// As a share of it.
    pub relative: f64,
}

impl Tolerance {
    /// For traces of whole microseconds.
    pub const EXACT: Tolerance = Tolerance { absolute: 1e-6, relative: 1e-9 };
    /// For traces with fractions: the plugin computes with doubles that are 1/4096 µs apart at best, and rounds.
    pub const DOUBLES: Tolerance = Tolerance { absolute: 1.01, relative: 2e-5 };

    fn holds(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= self.absolute + self.relative * b.abs()
    }
}

/// Means that often lie right between two decimals (0.025): in which order numpy sums decides how they are rounded.
const TIES: [&str; 2] = ["Mean Blocks Per SM", "Mean Est. Achieved Occupancy (%)"];

/// What differs, in words; at most a few. Only columns of `truth` are looked at.
pub fn differences(ours: &Table, truth: &Table, tolerance: Tolerance) -> Vec<String> {
    let mut out = Vec::new();
    let (a, b) = (by_key(ours), by_key(truth));
    for (key, rows) in &b {
        let Some(mine) = a.get(key) else {
            out.push(format!("missing: {key}"));
            continue;
        };
        if mine.len() != rows.len() {
            out.push(format!("{} rows instead of {}: {key}", mine.len(), rows.len()));
            continue;
        }
        for (m, t) in mine.iter().zip(rows) {
            for (column, value) in t.iter() {
                let is_tie = TIES.contains(&column.as_str());
                let tolerance = if is_tie { Tolerance { absolute: tolerance.absolute.max(0.0101), ..tolerance } } else { tolerance };
                out.extend(differs(m.get(column), value, tolerance).map(|d| format!("{key}: {column} {d}")));
            }
        }
    }
    out.extend(a.keys().filter(|k| !b.contains_key(*k)).map(|k| format!("not in truth: {k}")));
    if let Some(column) = truth.sorted_by.filter(|_| out.is_empty()) {
        for (i, (m, t)) in ours.rows.iter().zip(&truth.rows).enumerate() {
            let (m, t) = (m.1.get(column), t.1.get(column));
            if let Some(d) = t.and_then(|t| differs(m, t, tolerance)) {
                out.push(format!("order at row {i}: {column} {d}"));
                break;
            }
        }
    }
    out
}

fn by_key(table: &Table) -> BTreeMap<&str, Vec<&Map<String, Value>>> {
    let mut out: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
    for (key, row) in &table.rows {
        out.entry(key).or_default().push(row);
    }
    out
}

fn differs(mine: Option<&Value>, truth: &Value, tolerance: Tolerance) -> Option<String> {
    let Some(mine) = mine else {
        return Some(format!("is missing, the truth is {truth}"));
    };
    let is_equal = match (mine, truth) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| differs(Some(a), b, tolerance).is_none()),
        (a, b) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => tolerance.holds(a, b),
            _ => a == b,
        },
    };
    (!is_equal).then(|| format!("is {mine}, the truth is {truth}"))
}
