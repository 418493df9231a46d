//! Some rows of some columns, and what is in them.

use super::dictionary::{Dictionary, known};
use crate::base::{Interner, StrId};
use crate::model::Cell;
use parquet::data_type::ByteArray;
use std::rc::Rc;

/// Some rows of some columns. A column that the file does not have is absent in every row.
pub struct Batch {
    pub columns: Vec<Values>,
    /// Rows of it.
    pub n_rows: usize,
}

/// Values of a column, row by row.
pub enum Values {
    Missing,
    /// The file has the column, but it cannot be read.
    Broken,
    Ints(Cells<i64>),
    Floats(Cells<f64>),
    Texts(Cells<ByteArray>),
    /// Texts by their place in a dictionary.
    Codes(Rc<Dictionary>, Vec<u32>),
    Flags(Cells<bool>),
    /// Lists, as text.
    Lists(Vec<Option<String>>),
}

/// A value for each row that has one.
pub struct Cells<V> {
    values: Vec<V>,
    /// Rows that have a value; empty where all have.
    held: Vec<bool>,
}

impl<V: Default> Cells<V> {
    /// `values` of the rows with a value, as flagged in `is_held`; `n` rows.
    pub fn spread(mut values: Vec<V>, n: usize, is_held: impl Fn(usize) -> bool) -> Self {
        if values.len() == n {
            return Cells { values, held: Vec::new() };
        }
        let mut from = values.len().min(n);
        values.resize_with(n, V::default);
        let mut held = vec![false; n];
        // From behind, so that none is written over before it was moved.
        for row in (0..n).rev().filter(|row| is_held(*row)) {
            let Some(next) = from.checked_sub(1) else { break };
            from = next;
            values.swap(from, row);
            held[row] = true;
        }
        Cells { values, held }
    }

    /// The value of a row.
    #[inline(always)]
    pub fn get(&self, row: usize) -> Option<&V> {
        let value = self.values.get(row)?;
        self.held.get(row).is_none_or(|held| *held).then_some(value)
    }
}

/// A column of whole numbers: its kind is looked at once, not row by row.
pub enum Ints<'a> {
    Plain(&'a Cells<i64>),
    /// Numbers written as something else.
    Other(&'a Batch, usize),
}

impl Ints<'_> {
    /// The number of a row.
    #[inline(always)]
    pub fn get(&self, row: usize) -> Option<i64> {
        match self {
            Ints::Plain(values) => values.get(row).copied(),
            Ints::Other(batch, column) => batch.int(*column, row),
        }
    }
}

/// Ids of a column's texts.
pub struct TextIds(Vec<StrId>);

impl TextIds {
    /// The id of a row's text; that of the empty text if not recorded.
    #[inline(always)]
    pub fn get(&self, row: usize) -> StrId {
        self.0.get(row).copied().unwrap_or_default()
    }
}

/// The values of a dictionary come again and again from the same place in memory: such a text is read once.
#[inline(never)]
fn ids(values: &Cells<ByteArray>, n: usize, strings: &mut Interner) -> Vec<StrId> {
    const N: usize = 1 << 11;
    // Address, length, id.
    let mut seen = [(0usize, 0usize, StrId(0)); N];
    let id = |row| {
        let text = values.get(row).map_or(&[][..], ByteArray::data);
        if text.is_empty() {
            return StrId(0);
        }
        let (address, len) = (text.as_ptr().addr(), text.len());
        let seen = &mut seen[(address >> 2 ^ address >> 11 ^ len) % N];
        if (seen.0, seen.1) != (address, len) {
            *seen = (address, len, strings.intern(known(std::str::from_utf8(text).unwrap_or(""))));
        }
        seen.2
    };
    (0..n).map(id).collect()
}

impl Batch {
    /// A column of whole numbers.
    pub fn ints(&self, column: usize) -> Ints<'_> {
        match &self.columns[column] {
            Values::Ints(values) => Ints::Plain(values),
            _ => Ints::Other(self, column),
        }
    }

    /// The ids of a column's texts.
    pub fn ids(&self, column: usize, strings: &mut Interner) -> TextIds {
        TextIds(match &self.columns[column] {
            Values::Missing | Values::Broken => Vec::new(),
            Values::Texts(values) => ids(values, self.n_rows, strings),
            Values::Codes(dictionary, codes) => dictionary.ids(codes, strings),
            _ => (0..self.n_rows).map(|row| strings.intern(known(self.text(column, row)))).collect(),
        })
    }

    /// A whole number; a fraction or other text is none.
    pub fn int(&self, column: usize, row: usize) -> Option<i64> {
        match &self.columns[column] {
            Values::Ints(v) => v.get(row).copied(),
            Values::Floats(v) => v.get(row).filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15).map(|f| *f as i64),
            Values::Flags(v) => v.get(row).map(|flag| i64::from(*flag)),
            Values::Texts(_) | Values::Codes(..) => self.recorded_text(column, row)?.trim().parse().ok(),
            _ => None,
        }
    }

    /// The text of a row that has one.
    fn recorded_text(&self, column: usize, row: usize) -> Option<&str> {
        let text = match &self.columns[column] {
            Values::Texts(values) => values.get(row)?,
            Values::Codes(dictionary, codes) => dictionary.texts.get(*codes.get(row)? as usize)?,
            _ => return None,
        };
        text.as_utf8().ok()
    }

    /// A finite number.
    pub fn float(&self, column: usize, row: usize) -> Option<f64> {
        let value = match &self.columns[column] {
            Values::Ints(v) => v.get(row).map(|v| *v as f64),
            Values::Floats(v) => v.get(row).copied(),
            Values::Texts(_) | Values::Codes(..) => self.recorded_text(column, row)?.trim().parse().ok(),
            _ => None,
        };
        value.filter(|v| v.is_finite())
    }

    /// A text; empty if there is none, or if it is not UTF-8.
    pub fn text(&self, column: usize, row: usize) -> &str {
        match &self.columns[column] {
            Values::Texts(_) | Values::Codes(..) => self.recorded_text(column, row).unwrap_or(""),
            Values::Lists(v) => v.get(row).and_then(Option::as_deref).unwrap_or(""),
            _ => "",
        }
    }

    /// Whether the file has the column, but it cannot be read.
    pub fn is_broken(&self, column: usize) -> bool {
        matches!(self.columns[column], Values::Broken)
    }

    /// Whatever it is, as a cell of a table.
    pub fn cell(&self, column: usize, row: usize) -> Cell {
        let text = |t: &ByteArray| Cell::Text(String::from_utf8_lossy(t.data()).into_owned());
        let found = match &self.columns[column] {
            Values::Missing | Values::Broken => None,
            Values::Ints(v) => v.get(row).copied().map(Cell::Int),
            Values::Floats(v) => v.get(row).copied().filter(|f| f.is_finite()).map(Cell::Float),
            Values::Texts(v) => v.get(row).map(text),
            Values::Codes(dictionary, codes) => codes.get(row).and_then(|code| dictionary.texts.get(*code as usize)).map(text),
            Values::Flags(v) => v.get(row).map(|f| Cell::Text(if *f { "true" } else { "false" }.into())),
            Values::Lists(v) => v.get(row).cloned().flatten().map(Cell::Text),
        };
        found.unwrap_or(Cell::Absent)
    }
}
