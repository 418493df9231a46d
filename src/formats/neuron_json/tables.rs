//! Sections that are not interpreted become tables without changes.

use super::value::{Fields, Raw};
use crate::base::Order as _;
use crate::model::{Cell, GenericTable};
use rustc_hash::FxHashMap;

/// Cells that all tables of a profile may have together.
const MAX_CELLS: usize = 2_000_000;
/// Bytes of text they may have together.
const MAX_TEXT: usize = 64 << 20;
/// Columns of one table.
const MAX_COLUMNS: usize = 4096;
/// Tables.
const MAX_TABLES: usize = 256;

/// Collects tables within a bound.
#[derive(Default)]
pub(crate) struct Tables {
    tables: Vec<GenericTable>,
    columns: Vec<FxHashMap<String, usize>>,
    by_id: FxHashMap<String, usize>,
    n_cells: usize,
    n_text: usize,
}

impl Tables {
    /// Adds a record to table `id`. Returns whether it is kept.
    pub fn push(&mut self, id: &str, fields: &Fields<'_>) -> bool {
        self.row(id, fields.iter().map(|(key, raw)| (key.as_ref(), cell(*raw))))
    }

    /// Adds a row to table `id`. Returns whether it is stored; further rows are only counted.
    pub fn row<'a>(&mut self, id: &str, cells: impl Iterator<Item = (&'a str, Cell)>) -> bool {
        let Some(at) = self.table(id) else {
            return false;
        };
        if self.n_cells >= MAX_CELLS || self.n_text >= MAX_TEXT {
            self.tables[at].n_more += 1;
            return false;
        }
        let mut row = vec![Cell::Absent; self.tables[at].columns.len()];
        for (key, value) in cells {
            let column = match self.columns[at].get(key) {
                Some(&column) => column,
                None if self.tables[at].columns.len() >= MAX_COLUMNS => continue,
                None => {
                    self.tables[at].columns.push(key.into());
                    self.columns[at].insert(key.into(), row.len());
                    row.push(Cell::Absent);
                    row.len() - 1
                }
            };
            if let Cell::Text(text) = &value {
                self.n_text += text.len();
            }
            row[column] = value;
        }
        self.n_cells += row.len().max(1);
        self.tables[at].rows.push(row);
        true
    }

    fn table(&mut self, id: &str) -> Option<usize> {
        if let Some(&at) = self.by_id.get(id) {
            return Some(at);
        }
        if self.tables.len() >= MAX_TABLES {
            return None;
        }
        self.tables.push(GenericTable { id: id.into(), ..GenericTable::default() });
        self.columns.push(FxHashMap::default());
        self.by_id.insert(id.into(), self.tables.len() - 1);
        Some(self.tables.len() - 1)
    }

    /// First row of table `id`, by column name.
    pub fn first(&self, id: &str, column: &str) -> Option<&Cell> {
        let at = *self.by_id.get(id)?;
        self.tables[at].rows.first()?.get(*self.columns[at].get(column)?).filter(|c| **c != Cell::Absent)
    }

    /// Whether there is a table `id`.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// First row of table `id` as text; empty where it is absent.
    pub fn first_text(&self, id: &str, column: &str) -> String {
        match self.first(id, column) {
            Some(Cell::Text(text)) => text.clone(),
            Some(Cell::Int(n)) => n.to_string(),
            Some(Cell::Float(n)) => n.to_string(),
            _ => String::new(),
        }
    }

    /// First row of table `id` as a whole number.
    pub fn first_int(&self, id: &str, column: &str) -> Option<i64> {
        match self.first(id, column)? {
            Cell::Int(n) => Some(*n),
            Cell::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Every text of a column.
    pub fn texts(&self, id: &str, column: &str) -> Vec<String> {
        let Some((at, column)) = self.by_id.get(id).and_then(|&at| Some((at, *self.columns[at].get(column)?))) else {
            return Vec::new();
        };
        let cells = self.tables[at].rows.iter().filter_map(|row| row.get(column));
        cells.filter_map(|c| if let Cell::Text(text) = c { Some(text.clone()) } else { None }).collect()
    }

    /// All tables, by name.
    pub fn finish(mut self) -> Vec<GenericTable> {
        self.tables.order_by(|a, b| a.id.cmp(&b.id));
        self.tables
    }
}

/// A cell that keeps whole numbers exact.
pub(crate) fn cell(raw: Raw<'_>) -> Cell {
    match raw.0.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => match raw.0.parse::<i64>() {
            Ok(n) => Cell::Int(n),
            Err(_) if raw.0.bytes().all(|c| c.is_ascii_digit()) => Cell::Text(raw.0.into()),
            Err(_) => raw.float().map_or_else(|| Cell::Text(raw.0.into()), Cell::Float),
        },
        Some(b'n') | None => Cell::Absent,
        _ => Cell::Text(raw.text().into_owned()),
    }
}
