//! A profile as tables, without a file format: a device profile as those of Neuron Explorer's schema 7.4.0, whichever format it came from; a trace as
//! `slice`, `track`, `kernel` and others, named as Perfetto names them. Times are nanoseconds.
//!
//! Rows are given in parts, so that a table of any length is written or queried without holding it. What is not recorded is `None`, never 0.

mod activity;
pub mod archive;
mod args;
mod asked;
mod cells;
mod measured;
pub mod parquet;
mod range;
mod row_index;
mod run;
mod schema_events;
mod schema_run;
mod schema_trace;
mod slices;
mod stream;
mod system;
mod torch;
mod torch_index;
mod trace;
mod trace_tables;
mod transfers;
mod words;

use super::{Refusal, Session};
use crate::model::{Domain, TrackKind};
pub use asked::{ConvertedTablesQuery, TableInfo, TableInfosQuery, TablePartQuery, TableStream};
pub(super) use row_index::RowIndex;
use std::borrow::Cow;
pub use words::Words;

/// Version of the schema that the names, types and units are from.
pub const SCHEMA_VERSION: &str = "7.4.0";

/// Type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 64 bits.
    Int64,
    /// Whole numbers of 32 bits.
    Int32,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
    /// True or false.
    Flag,
    /// UTF-8 text.
    Text,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: Cow<'static, str>,
    /// Type of its values.
    pub kind: Kind,
    /// Unit in the schema's words; empty where it has none.
    pub unit: Cow<'static, str>,
}

/// A table and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Name: `Instruction`.
    pub name: Cow<'static, str>,
    /// Columns, in the schema's order; those of the file that the schema does not have come last.
    pub columns: Vec<Column>,
}

/// Values of a column, row by row; `None` is not recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Values of `Int64` and `Int32`.
    Ints(Vec<Option<i64>>),
    /// Values of `Float` and `Double`.
    Floats(Vec<Option<f64>>),
    /// Values of `Flag`.
    Flags(Vec<Option<bool>>),
    /// Values of `Text`.
    Texts(Vec<Option<String>>),
    /// Values of `Text`, each distinct text once.
    Words(Words),
}

impl Values {
    /// No rows of a type.
    pub fn new(kind: Kind) -> Values {
        match kind {
            Kind::Int64 | Kind::Int32 => Values::Ints(Vec::new()),
            Kind::Float | Kind::Double => Values::Floats(Vec::new()),
            Kind::Flag => Values::Flags(Vec::new()),
            Kind::Text => Values::Texts(Vec::new()),
        }
    }

    /// `n` rows that are not recorded.
    pub fn absent(kind: Kind, n: usize) -> Values {
        match kind {
            Kind::Int64 | Kind::Int32 => Values::Ints(vec![None; n]),
            Kind::Float | Kind::Double => Values::Floats(vec![None; n]),
            Kind::Flag => Values::Flags(vec![None; n]),
            Kind::Text => Values::Texts(vec![None; n]),
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Ints(v) => v.len(),
            Values::Floats(v) => v.len(),
            Values::Flags(v) => v.len(),
            Values::Texts(v) => v.len(),
            Values::Words(v) => v.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the rows that the mask has.
    fn retain(&mut self, mask: &[bool]) {
        fn retain<T>(values: &mut Vec<T>, mask: &[bool]) {
            let mut at = mask.iter();
            values.retain(|_| at.next().copied().unwrap_or(false));
        }
        match self {
            Values::Ints(v) => retain(v, mask),
            Values::Floats(v) => retain(v, mask),
            Values::Flags(v) => retain(v, mask),
            Values::Texts(v) => retain(v, mask),
            Values::Words(v) => retain(&mut v.codes, mask),
        }
    }

    /// Adds the rows of a column of the same type.
    fn append(&mut self, more: Values) {
        match (self, more) {
            (Values::Ints(all), Values::Ints(more)) => all.extend(more),
            (Values::Floats(all), Values::Floats(more)) => all.extend(more),
            (Values::Flags(all), Values::Flags(more)) => all.extend(more),
            (Values::Texts(all), Values::Texts(more)) => all.extend(more),
            (all, Values::Words(more)) => all.append(Values::Texts(more.iter().map(|word| word.map(String::from)).collect())),
            (all, more) => *all = Values::absent(Kind::Text, all.len() + more.len()),
        }
    }
}

/// Some rows of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// One for each column of the table, equally long.
    pub columns: Vec<Values>,
    /// Rows.
    pub n_rows: usize,
    /// Where the next part begins; `None` at the end.
    pub next: Option<usize>,
}

impl Part {
    /// A part of these columns that ends the table.
    fn last(columns: Vec<Values>) -> Part {
        Part { n_rows: columns.first().map_or(0, Values::len), columns, next: None }
    }
}

/// A column of the schema: name, type, unit.
type ColumnEntry = (&'static str, Kind, &'static str);
/// A table of the schema: name, columns.
type TableEntry = (&'static str, &'static [ColumnEntry]);
/// A table, that of the device JSON with its rows, and its columns that are called otherwise there.
type Renamed = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Why not all rows of a table were given.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Only device profiles have the tables of the schema; the format of this one.
    #[error("Expected a Neuron device profile, found `{0}`: its tables have no place in the schema.")]
    NotDevice(String),
    /// The rows could not be read back from the file.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The receiver failed.
    #[error(transparent)]
    Receiver(Box<dyn std::error::Error + Send + Sync>),
}

/// Receives some rows of a table; an error ends the reading.
pub type Receive<'a> = dyn FnMut(&Table, Part) -> Result<(), TableError> + 'a;

/// The table of that name, as the schema has it.
fn table(name: &str) -> Option<Table> {
    let found = schema_events::TABLES.iter().chain(schema_run::TABLES).find(|t| t.0 == name)?;
    let column = |c: &ColumnEntry| Column { name: c.0.into(), kind: c.1, unit: c.2.into() };
    Some(Table { name: found.0.into(), columns: found.1.iter().map(column).collect() })
}

/// Every table of Neuron Explorer's schema that a device profile can be given as.
pub fn all() -> Vec<Table> {
    schema_events::TABLES.iter().chain(schema_run::TABLES).filter_map(|t| table(t.0)).collect()
}

impl Session {
    /// Gives every table of a device profile to `receive`, part by part: the parts of one table follow each other. A table without rows is not given.
    pub fn device_tables(&self, receive: &mut Receive<'_>) -> Result<(), TableError> {
        let Domain::NeuronDevice(device) = &self.profile.domain else {
            return Err(TableError::NotDevice(self.claim.format.clone()));
        };
        let mut give = |name: &str, part: Part| match table(name) {
            Some(table) if part.n_rows > 0 => receive(&table, part),
            _ => Ok(()),
        };
        let cores = cells::Cores::of(&self.profile);
        slices::instructions(self, device, &cores, &mut give)?;
        transfers::transfers(self, device, &cores, &|_| true, &mut give)?;
        slices::flows(self, &mut give)?;
        activity::tables(&self.profile, &cores, &mut give)?;
        measured::semaphores(self, &cores, &mut give)?;
        measured::samples(self, &mut give)?;
        run::tables(self, device, &|_| true, receive)
    }

    /// Gives a table of a device profile that is made at once to `receive`; others may come with it.
    fn device_table(&self, name: &str, receive: &mut Receive<'_>) -> Result<(), TableError> {
        let Domain::NeuronDevice(device) = &self.profile.domain else { return Ok(()) };
        let cores = cells::Cores::of(&self.profile);
        let mut give = |name: &str, part: Part| match table(name) {
            Some(table) if part.n_rows > 0 => receive(&table, part),
            _ => Ok(()),
        };
        match name {
            "ActiveTime" | "OpcodeSummary" => activity::tables(&self.profile, &cores, &mut give),
            "SemaphoreUpdate" => measured::semaphores(self, &cores, &mut give),
            "DmaPacketAggregated" => transfers::transfers(self, device, &cores, &|table| table == name, &mut give),
            "PendingDma" | "DmaUsage" | "HbmUsage" | "SbufUsage" | "PsumUsage" | "Throttle" => measured::samples(self, &mut give),
            _ => run::tables(self, device, &|table| table == name, receive),
        }
    }

    /// Gives every table of a trace or a system profile to `receive`, part by part: the parts of one table follow each other. A table without rows is not given.
    pub fn trace_tables(&self, receive: &mut Receive<'_>) -> Result<(), TableError> {
        for table in self.converted_tables(false) {
            let mut from = Some(0);
            while let Some(first) = from {
                let (table, part) = self.table_part(&table.name, &[], None, first, slices::PART)?;
                from = part.next.map(|next| next as u64);
                if part.n_rows > 0 {
                    receive(&table, part)?;
                }
            }
        }
        Ok(())
    }

    /// Transfers of the profile that are not rows of the tables: those that neuron-profile omits as well, and second records of one packet.
    pub fn transfers_without_row(&self) -> u64 {
        match &self.profile.domain {
            Domain::NeuronDevice(device) => {
                let queues = self.profile.tracks.iter().any(|t| t.kind == TrackKind::Queue);
                if queues { (device.unreported.len() + device.duplicates.len()) as u64 } else { 0 }
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let tables = all();
        for table in &tables {
            assert_eq!(tables.iter().filter(|t| t.name == table.name).count(), 1, "{}", table.name);
            for column in &table.columns {
                assert_eq!(table.columns.iter().filter(|c| c.name == column.name).count(), 1, "{}.{}", table.name, column.name);
            }
        }
    }
}
