//! Operator tables with a list as root: of records, or of rows below a heading row.

use super::keys::{Meaning, meaning};
use super::record::entry;
use crate::formats::json::{Cursor, Value, unescape};

/// A row of more cells than this is none of an operator table.
const MOST_CELLS: usize = 1000;

/// The cells of a row. `{"v": value}`, as charts of Google have it, is its value. `None`: it cannot be read.
pub(super) fn cells(row: &[u8]) -> Option<Vec<Value<'_>>> {
    let mut cursor = Cursor::new(row);
    let mut out = Vec::new();
    while let Some(cell) = cursor.item().ok()? {
        out.push(match cell {
            Value::Object(object) => entry(object, b"v").unwrap_or(cell),
            cell => cell,
        });
    }
    (cursor.at() + 1 == row.len() && out.len() <= MOST_CELLS).then_some(out)
}

/// The headings, where a row is one of headings: words, or objects with a label. `None`: it is a row of values.
pub(super) fn headings(row: &[Value<'_>]) -> Option<Vec<String>> {
    let words: Option<Vec<String>> = row.iter().map(heading).collect();
    words.filter(|w| !w.is_empty()).map(|words| {
        let mut out = Vec::with_capacity(words.len());
        words.into_iter().for_each(|word| add_heading(&mut out, word));
        out
    })
}

fn heading(cell: &Value<'_>) -> Option<String> {
    let text = match *cell {
        Value::Text(text) => unescape(text).into_owned(),
        Value::Object(object) => {
            let label = [&b"label"[..], b"name", b"id"].iter().find_map(|k| entry(object, k));
            unescape(label?.plain()).into_owned()
        }
        _ => return None,
    };
    text.trim().parse::<f64>().is_err().then(|| text.trim().to_string())
}

/// Adds a heading under a name of its own.
pub(super) fn add_heading(headings: &mut Vec<String>, word: String) {
    let mut n = headings.len() + 1;
    let mut name = if word.is_empty() { format!("Column {n}") } else { word.clone() };
    while headings.contains(&name) {
        name = format!("{word} ({n})").trim_start().to_string();
        n += 1;
    }
    headings.push(name);
}

/// What the columns of the list that begins with `head` are called; `keys` are those of the objects in it.
pub(super) fn columns(head: &[u8], keys: Vec<String>) -> Vec<String> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match Cursor::new(text).item() {
        Ok(Some(Value::List(row))) => cells(row).and_then(|c| headings(&c)).unwrap_or_default(),
        _ => keys,
    }
}

/// Whether these column names identify an operator table: name, time, device or core, and no column of an event.
pub(super) fn is_table(columns: &[String]) -> bool {
    const OF_EVENTS: [&str; 7] = ["ph", "ts", "timestamp", "start", "start_time", "start_ts", "pid"];
    let has = |wanted: fn(&Meaning) -> bool| columns.iter().filter_map(|c| meaning(c)).any(|m| wanted(&m));
    has(|m| matches!(m, Meaning::Name))
        && has(|m| matches!(m, Meaning::Time(_)))
        && has(|m| matches!(m, Meaning::Device | Meaning::Core))
        && !columns.iter().any(|c| OF_EVENTS.contains(&c.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(row: &str) -> Option<Vec<String>> {
        headings(&cells(row.as_bytes()).expect("cells"))
    }

    #[test]
    fn a_row_of_words_is_one_of_headings() {
        let words = |w: &[&str]| Some(w.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert_eq!(names(r#"["Op Name", "Time (ns)"]"#), words(&["Op Name", "Time (ns)"]));
        assert_eq!(names(r#"[{"label": "Op", "type": "string"}, {"id": "time"}]"#), words(&["Op", "time"]));
        assert_eq!(names(r#"["Op", "Time", "Time", "", ""]"#), words(&["Op", "Time", "Time (3)", "Column 4", "Column 5"]));
        assert_eq!(names(r#"["dot", 3]"#), None);
        assert_eq!(names(r#"["dot", "3"]"#), None);
        assert_eq!(names("[]"), None);
        assert_eq!(cells(br#"[{"v": "dot", "f": "DOT"}, {"x": 1}]"#), Some(vec![Value::Text(b"dot"), Value::Object(br#"{"x": 1}"#)]));
        assert_eq!(cells(b"[1, 2"), None);
    }

    #[test]
    fn a_table_has_a_name_a_time_and_a_device_and_is_no_event() {
        let check = |columns: &[&str], want| assert_eq!(is_table(&columns.iter().map(|c| c.to_string()).collect::<Vec<_>>()), want);
        check(&["Op Name", "Neuron Device", "Time (ns)"], true);
        check(&["Op Name", "Time (ns)"], false);
        check(&["name", "duration", "nc_idx", "timestamp"], false);
    }
}
