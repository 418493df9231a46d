//! The columns of a row group beside each other. One that cannot be read is omitted, as long as rows have a place without it.

use super::batch::{Batch, Values};
use super::column::Column;
use super::errors::{self, Found, RowsError};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::RowGroupReader;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Columns that could not be read to their end: by leaf, why, and whether the ledger has it.
pub type Bad = RefCell<BTreeMap<usize, (RowsError, bool)>>;

/// What is asked of a file: of each column its leaf, where the file has it, and that without which no row has a place.
pub struct Wanted {
    pub leaves: Vec<Option<usize>>,
    pub vital: Option<usize>,
}

/// Some columns of a row group, read front to back.
pub struct Group<'a> {
    meta: &'a RowGroupMetaData,
    wanted: &'a Wanted,
    bad: &'a Bad,
    /// `None`: not in the file, or not to be read on.
    columns: Vec<Option<Column>>,
    /// Why the last one that was lost cannot be read.
    why: RowsError,
}

impl<'a> Group<'a> {
    /// Opens the columns at row `skip` of the group, which is row `at` of the file.
    pub fn open(
        reader: &dyn RowGroupReader,
        meta: &'a RowGroupMetaData,
        (wanted, bad): (&'a Wanted, &'a Bad),
        (skip, at): (u64, u64),
    ) -> Result<Group<'a>, RowsError> {
        let mut out = Group { meta, wanted, bad, columns: Vec::with_capacity(wanted.leaves.len()), why: RowsError::NoColumn };
        for leaf in &wanted.leaves {
            let opened = leaf.map(|leaf| (leaf, Column::open(reader, leaf, skip)));
            let column = match opened {
                Some((leaf, Err(found))) => out.lose(leaf, at, found).map(|()| None)?,
                opened => opened.and_then(|(_, column)| column.ok()),
            };
            out.columns.push(column);
        }
        out.check().map(|()| out)
    }

    /// The next `want` rows, from row `at` of the file; fewer at the end.
    pub fn next(&mut self, want: usize, at: u64) -> Result<Batch, RowsError> {
        let mut columns = Vec::with_capacity(self.columns.len());
        // Position and number of rows of each column read.
        let mut lens: Vec<(usize, usize)> = Vec::with_capacity(self.columns.len());
        for (place, leaf) in self.wanted.leaves.iter().enumerate() {
            let read = self.columns[place].as_mut().map(|column| column.next(want));
            columns.push(match (leaf, read) {
                (None, _) => Values::Missing,
                (Some(_), Some(Ok((values, n)))) => {
                    lens.push((place, n));
                    values
                }
                (Some(_), None) => Values::Broken,
                (Some(leaf), Some(Err(found))) => {
                    self.columns[place] = None;
                    self.lose(*leaf, at, found)?;
                    Values::Broken
                }
            });
        }
        self.check()?;
        let is_vital = |place: usize| self.wanted.vital.is_some() && self.wanted.leaves[place] == self.wanted.vital;
        let of_vital = lens.iter().find(|l| is_vital(l.0)).map(|l| l.1);
        let n_rows = of_vital.or_else(|| lens.iter().map(|l| l.1).max()).unwrap_or(want);
        for (place, n) in lens.into_iter().filter(|l| l.1 < n_rows) {
            self.columns[place] = None;
            if let Some(leaf) = self.wanted.leaves[place] {
                self.lose(leaf, at + n as u64, Found::End)?;
            }
        }
        Ok(Batch { columns, n_rows })
    }

    /// Notes a column that cannot be read from row `at` of the file on. Fails where no row has a place without it.
    fn lose(&mut self, leaf: usize, at: u64, found: Found) -> Result<(), RowsError> {
        let why = expected(self.meta, leaf, at, found);
        let is_vital = self.wanted.vital == Some(leaf);
        // What makes the reading end is given with the rows that are lost.
        self.bad.borrow_mut().entry(leaf).or_insert_with(|| (why.clone(), is_vital));
        self.why = why;
        if is_vital { Err(self.why.clone()) } else { Ok(()) }
    }

    /// Fails if there are columns but none is readable.
    fn check(&self) -> Result<(), RowsError> {
        let is_lost = self.wanted.leaves.iter().any(Option::is_some) && self.columns.iter().all(Option::is_none);
        if is_lost { Err(self.why.clone()) } else { Ok(()) }
    }
}

/// The values of a column are missing from row `at` of the file on.
fn expected(group: &RowGroupMetaData, leaf: usize, at: u64, found: Found) -> RowsError {
    let column = group.column(leaf);
    let name = column.column_path().parts().first().cloned().unwrap_or_default();
    RowsError::Column { name, codec: errors::codec(column.compression()), at, found }
}
