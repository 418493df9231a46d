//! Answers as rows: CSV or an aligned table. A list of records in an answer is a table; an answer without one is printed as keys and values.

use crate::error::Fallible;
use crate::text_table::TextTable;
use axonscope::base::{csv, text};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Columns that name a row come first, in whatever case; the others follow in the order of the alphabet.
const NAMES_FIRST: [&str; 12] =
    ["profile", "key", "name", "label", "title", "path", "operator name", "id", "group", "kind", "rank", "step"];

/// Form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All rows, for programs.
    Csv,
    /// Maximum number of rows in the text format.
    Table(usize),
}

/// The answers of profiles with their titles, as text. `wanted` names the list among several.
pub fn written(answers: &[(String, Value)], wanted: Option<&str>, form: Form) -> Fallible<String> {
    // A text is what the query made of the rows itself.
    if let [(_, Value::String(text))] = answers {
        return Ok(text.clone());
    }
    let mut lists: Vec<List> = Vec::new();
    for (title, answer) in answers {
        let mut found = Vec::new();
        collect(answer, String::new(), &mut found);
        for mut list in found {
            if answers.len() > 1 {
                list.rows.iter_mut().for_each(|row| row.insert(0, ("profile".into(), Value::String(title.clone()))));
            }
            match lists.iter_mut().find(|l| l.path == list.path) {
                Some(known) => known.rows.extend(list.rows),
                None => lists.push(list),
            }
        }
    }
    let chosen = match wanted {
        Some(path) => match lists.iter().position(|l| l.path == path) {
            Some(at) => vec![lists.swap_remove(at)],
            None => return Err(format!("The answer has no list `{path}`{}", available(&lists)).into()),
        },
        None => lists,
    };
    match (form, chosen.as_slice()) {
        (_, []) => Ok(record(answers, form)),
        (Form::Csv, [one]) => Ok(one.csv()),
        (Form::Csv, several) => match several.iter().find(|l| l.path == "rows") {
            Some(rows) => Ok(rows.csv()),
            None => Err(format!("The answer has several lists: choose one with --rows{}", available(several)).into()),
        },
        (Form::Table(most), all) => {
            let title = |list: &List| if all.len() > 1 { format!("{}\n", list.shown_path()) } else { String::new() };
            Ok(all.iter().map(|list| format!("{}{}", title(list), list.table(most))).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn available(lists: &[List]) -> String {
    match lists {
        [] => ".".into(),
        _ => format!(
            "; available: {}.",
            lists.iter().map(|l| format!("{} ({})", l.shown_path(), l.rows.len())).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A row as cells by column.
type Row = Vec<(String, Value)>;

/// A list of an answer.
struct List {
    /// Keys from the answer down, joined by dots; empty where the answer is the list.
    path: String,
    rows: Vec<Row>,
}

/// The lists of records in a value, from the top down. A list inside a row is a cell.
fn collect(value: &Value, path: String, out: &mut Vec<List>) {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
            out.push(List { path, rows: items.iter().map(cells).collect() });
        }
        Value::Object(fields) => {
            if let Some(rows) = columns_and_rows(fields) {
                out.push(List { path, rows });
            } else if is_list_by_name(fields) {
                let row = |(name, value): (&String, &Value)| {
                    let mut row = cells(value);
                    row.insert(0, ("key".into(), Value::String(name.clone())));
                    row
                };
                out.push(List { path, rows: fields.iter().map(row).collect() });
            } else {
                let below = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                fields.iter().for_each(|(key, value)| collect(value, below(key), out));
            }
        }
        _ => (),
    }
}

/// `{"columns": […], "rows": [[…]]}`: a table of the file.
fn columns_and_rows(fields: &Map<String, Value>) -> Option<Vec<Row>> {
    let (columns, rows) = (fields.get("columns")?.as_array()?, fields.get("rows")?.as_array()?);
    let names: Vec<&str> = columns.iter().map(Value::as_str).collect::<Option<_>>()?;
    let row = |row: &Value| Some(names.iter().map(|n| (*n).to_string()).zip(row.as_array()?.iter().cloned()).collect());
    rows.iter().map(row).collect()
}

/// Records of the same keys, each under its name.
fn is_list_by_name(fields: &Map<String, Value>) -> bool {
    let mut values = fields.values();
    let Some(first) = values.next().and_then(Value::as_object).filter(|f| f.len() > 1) else { return false };
    fields.len() > 1 && values.all(|v| v.as_object().is_some_and(|o| o.keys().eq(first.keys())))
}

/// A record as cells; records inside it by dotted keys.
fn cells(value: &Value) -> Row {
    fn add(value: &Value, path: &str, out: &mut Row) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let below = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                fields.iter().for_each(|(key, value)| add(value, &below(key), out));
            }
            other => out.push((path.to_string(), other.clone())),
        }
    }
    let mut out = Row::new();
    add(value, "", &mut out);
    out
}

/// Numbers as JSON has them; nothing for what is not recorded; lists of plain values by semicolons.
fn raw(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|i| !i.is_object() && !i.is_array()) => {
            items.iter().map(raw).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

impl List {
    fn shown_path(&self) -> &str {
        if self.path.is_empty() { "answer" } else { &self.path }
    }

    fn columns(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.rows.iter().flatten().map(|cell| cell.0.as_str()).collect();
        let mut out: Vec<&str> = all.into_iter().collect();
        // Stable: other rows keep their order.
        out.sort_by_key(|column| NAMES_FIRST.iter().position(|name| name.eq_ignore_ascii_case(column)).unwrap_or(NAMES_FIRST.len()));
        out
    }

    fn cell<'a>(row: &'a Row, column: &str) -> Option<&'a Value> {
        row.iter().find(|cell| cell.0 == column).map(|cell| &cell.1)
    }

    fn csv(&self) -> String {
        let columns = self.columns();
        let mut out = String::new();
        csv::record(&mut out, columns.iter().copied());
        for row in &self.rows {
            let fields: Vec<String> = columns.iter().map(|c| Self::cell(row, c).map(raw).unwrap_or_default()).collect();
            csv::record(&mut out, fields.iter().map(String::as_str));
        }
        out
    }

    /// The first `most` rows, and a note if there are more.
    fn table(&self, most: usize) -> String {
        let columns = self.columns();
        let is_number = |column: &&str| {
            let mut values = self.rows.iter().filter_map(|row| Self::cell(row, column)).filter(|v| !v.is_null()).peekable();
            values.peek().is_some() && values.all(Value::is_number)
        };
        let shown = |row: &Row| columns.iter().map(|c| Self::cell(row, c).map(raw).unwrap_or_default()).collect();
        let table = TextTable {
            header: columns.iter().map(|c| (*c).to_string()).collect(),
            rows: self.rows.iter().take(most).map(shown).collect(),
            is_right: columns.iter().map(is_number).collect(),
        };
        let mut out = table.aligned();
        if self.rows.len() > most {
            let _ =
                writeln!(out, "{} of {}; --limit 0 prints all.", text::count(most as u64), text::counted(self.rows.len() as u64, "row"));
        }
        out
    }
}

/// Keys and values of answers without a list.
fn record(answers: &[(String, Value)], form: Form) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (title, answer) in answers {
        for (key, value) in cells(answer) {
            let key = if key.is_empty() { "answer".to_string() } else { key };
            let mut row = if answers.len() > 1 { vec![title.clone()] } else { Vec::new() };
            row.extend([key, raw(&value)]);
            rows.push(row);
        }
    }
    let header: Vec<String> =
        if answers.len() > 1 { vec!["profile", "key", "value"] } else { vec!["key", "value"] }.into_iter().map(String::from).collect();
    match form {
        Form::Csv => {
            let mut out = String::new();
            let all = std::iter::once(&header).chain(&rows);
            all.for_each(|row| csv::record(&mut out, row.iter().map(String::as_str)));
            out
        }
        Form::Table(_) => TextTable { header, rows, is_right: Vec::new() }.aligned(),
    }
}
