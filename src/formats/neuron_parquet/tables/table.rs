//! A table of a profile as its files, and what every reader of rows needs of one.

use crate::base::Order as _;
use crate::base::{InputSet, Member};
use crate::formats::neuron_parquet::pages::reader::File;
use crate::formats::neuron_parquet::table_of;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Tables with slices as rows. A slice's record has the table as member and the row as offset.
pub const SLICE_TABLES: [&str; 6] = ["Instruction", "DmaPacket", "DmaPacketAggregated", "CcOp", "CcInstruction", "CoreBarriers"];

/// The files of one table, in the order of their parts. A broken file is omitted, and in the ledger.
pub struct Table {
    /// Its name: `Instruction`.
    pub name: String,
    pub files: Vec<File>,
    /// Names of parts that are not there, or cannot be opened.
    pub missing: Vec<String>,
    /// Rows that were read and have no place.
    pub n_unplaced: Cell<u64>,
}

impl Table {
    /// A table of these files; none is missing.
    pub fn new(name: &str, files: Vec<File>) -> Table {
        Table { name: name.into(), files, missing: Vec::new(), n_unplaced: Cell::new(0) }
    }

    /// Whether the rows read so far are complete; only then can they contradict another table.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.n_lost().is_none() && self.n_unplaced.get() == 0
    }

    /// Whether a file of it lacks the column, or it cannot be read there.
    pub fn lacks(&self, column: &str) -> bool {
        self.files.iter().any(|f| !f.columns.iter().any(|c| c == column) || f.is_bad(column))
    }

    /// Rows of all its files.
    pub fn n_rows(&self) -> u64 {
        self.files.iter().map(|f| f.n_rows).fold(0, u64::saturating_add)
    }

    /// Rows that were found unreadable so far; `None` while nothing went wrong.
    pub fn n_lost(&self) -> Option<u64> {
        self.files.iter().filter_map(File::n_lost).reduce(u64::saturating_add)
    }

    /// Whether there is none of its rows.
    pub fn is_lost(&self) -> bool {
        self.n_lost().is_some_and(|n| n >= self.n_rows())
    }

    /// Column names, in the order first seen.
    pub fn columns(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for name in self.files.iter().flat_map(|f| &f.columns) {
            if !out.contains(name) {
                out.push(name.clone());
            }
        }
        out
    }
}

/// Members by table and part.
pub fn members_by_table(input: &InputSet) -> BTreeMap<String, Vec<&Member>> {
    let mut named: Vec<((&str, u32), &Member)> = input.members.iter().map(|m| (table_of(&m.name), m)).collect();
    named.order_by_key(|n| n.0);
    let mut out: BTreeMap<String, Vec<&Member>> = BTreeMap::new();
    for ((table, _), member) in named {
        out.entry(table.into()).or_default().push(member);
    }
    out
}

/// (start, duration) from the columns.
#[inline(always)]
pub fn span(start: Option<i64>, end: Option<i64>, duration: Option<i64>) -> Option<(i64, i64)> {
    let from = start?;
    let recorded = duration.or_else(|| end?.checked_sub(from))?;
    (recorded >= 0).then_some((from, recorded))
}

pub fn column(value: Option<i64>) -> Option<u32> {
    value.and_then(|v| u32::try_from(v).ok()).filter(|v| *v != u32::MAX)
}
