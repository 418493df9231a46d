//! Columns over rows of one type: a line gives header, cell, sum, CSV and JSON of a column.

use super::{Cell, Column, Kind, Row};

/// The columns of a table, in order, each with the cell that it takes from a row of type `T`.
pub struct Columns<T>(Vec<(Column, Getter<T>)>);

type Getter<T> = Box<dyn Fn(&T) -> Cell>;

impl<T> Default for Columns<T> {
    fn default() -> Self {
        Columns(Vec::new())
    }
}

impl<T> Columns<T> {
    /// No columns.
    pub fn new() -> Self {
        Columns::default()
    }

    /// A further column: see [`Column::new`].
    pub fn column(mut self, id: &str, label: &str, kind: Kind, help: &str, get: impl Fn(&T) -> Cell + 'static) -> Self {
        self.0.push((Column::new(id, label, kind, help), Box::new(get)));
        self
    }

    /// Further columns, where the rows can fill them.
    pub fn with(self, is_filled: bool, more: impl FnOnce(Self) -> Self) -> Self {
        if is_filled { more(self) } else { self }
    }

    /// The last column is added up in the total row.
    pub fn summed(mut self) -> Self {
        if let Some((column, _)) = self.0.last_mut() {
            column.is_summed = true;
        }
        self
    }

    /// The last column takes the room that is left.
    pub fn wide(mut self) -> Self {
        if let Some((column, _)) = self.0.last_mut() {
            column.is_wide = true;
        }
        self
    }

    /// Their headers.
    pub fn headers(&self) -> Vec<Column> {
        self.0.iter().map(|(column, _)| column.clone()).collect()
    }

    /// The row of one thing: a cell for each column.
    pub fn row(&self, of: &T) -> Row {
        Row::new(self.0.iter().map(|(_, get)| get(of)).collect())
    }

    /// A row for each.
    pub fn rows<'a>(&self, all: impl IntoIterator<Item = &'a T>) -> Vec<Row>
    where
        T: 'a,
    {
        all.into_iter().map(|one| self.row(one)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_header_and_cell() {
        let columns = |has_text| {
            Columns::<(String, u64)>::new()
                .column("n", "Count", Kind::Count, "How many.", |r| Cell::from(r.1))
                .summed()
                .with(has_text, |all| all.column("text", "Text", Kind::Text, "", |r| Cell::Text(r.0.clone())).wide())
        };
        let n = Column::new("n", "Count", Kind::Count, "How many.").summed();
        assert_eq!(columns(true).headers(), [n.clone(), Column::new("text", "Text", Kind::Text, "").wide()]);
        assert_eq!(columns(false).headers(), [n]);
        assert_eq!(columns(true).rows(&[("a".to_string(), 3)]), [Row::new(vec![Cell::Int(3), Cell::Text("a".into())])]);
    }
}
