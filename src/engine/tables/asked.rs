//! Which tables a profile has, and one part of one table with the columns that are wanted: what a query reads, and what is converted.

use super::cells::{self, Cores};
use super::slices::{self, Rows};
use super::torch::TorchRows;
use super::trace::TraceTables;
use super::{Column, Kind, Part, Table, Values, args, schema_trace, stream, transfers};
use crate::base::SliceId;
use crate::engine::question::answers;
use crate::engine::{Refusal, Session, of_neuron};
use crate::model::{Cell, Domain, NeuronDevice};
use serde::{Deserialize, Serialize};

/// Rows of a part that is asked for: a few megabytes.
const PART: usize = 131_072;

/// A table for who writes queries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Name.
    pub name: String,
    /// Name, type of SQL and unit of each column.
    pub columns: Vec<(String, String, String)>,
}

/// Tables for queries in SQL: names and columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfosQuery;

/// Rows of a table for queries in SQL, part by part: which part of which table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePartQuery {
    /// Its name; case does not matter.
    pub table: String,
    /// Names of the columns, in any case; none: all. Names that the table does not have are left out.
    pub columns: Vec<String>,
    /// Where to go on; 0 is the beginning.
    pub from: u64,
}

/// Some rows as a stream of Arrow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableStream {
    /// Name and type of SQL of each column in it.
    pub columns: Vec<(String, String)>,
    /// The stream: schema, dictionaries, one batch.
    #[serde(with = "stream::bytes")]
    pub bytes: Vec<u8>,
    /// Rows in it.
    pub n_rows: u64,
    /// Where the next part begins; `None` at the end.
    pub next: Option<u64>,
}

answers! {
    TableInfosQuery => Vec<TableInfo>: |s, _| Ok(s.table_infos());
    TablePartQuery => TableStream: |s, q| s.table_stream(q);
}

/// Columns of these slices.
type OfSlices<'a> = dyn Fn(&[SliceId]) -> Result<Vec<Values>, String> + 'a;

/// The type of SQL.
fn sql_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Int64 => "BIGINT",
        Kind::Int32 => "INTEGER",
        Kind::Float => "FLOAT",
        Kind::Double => "DOUBLE",
        Kind::Flag => "BOOLEAN",
        Kind::Text => "VARCHAR",
    }
}

/// Keeps the columns that are wanted; all where none of them is one.
fn retain(table: &mut Table, wanted: &[String]) {
    let is_wanted = |c: &Column| wanted.iter().any(|w| w.eq_ignore_ascii_case(&c.name));
    if table.columns.iter().any(is_wanted) {
        table.columns.retain(is_wanted);
    }
}

impl Session {
    /// Every table of the profile; case does not tell two of them apart. A device profile has those of its schema, which may be empty.
    pub fn tables(&self) -> Vec<Table> {
        let mut out: Vec<Table> = Vec::new();
        if matches!(self.profile.domain, Domain::NeuronDevice(_)) {
            out.extend(super::all());
        }
        if !self.profile.tracks.is_empty() {
            out.extend(schema_trace::TIMELINE.iter().map(schema_trace::entry));
            let attributes: Vec<Column> =
                self.profile.attributes.iter().map(|a| Column { name: a.id.clone().into(), kind: Kind::Text, unit: "" }).collect();
            if let Some(slice) = out.iter_mut().find(|t| t.name == "slice") {
                let own = slice.columns.clone();
                slice.columns.extend(attributes.into_iter().filter(|a| own.iter().all(|c| !c.name.eq_ignore_ascii_case(&a.name))));
            }
        }
        if matches!(self.profile.domain, Domain::Torch(_)) {
            out.extend(schema_trace::TORCH.iter().map(schema_trace::entry));
        }
        out.extend(self.profile.tables.iter().map(|t| {
            let column = |(at, name): (usize, &String)| {
                let kind = kind(t.rows.iter().filter_map(|row| row.get(at)));
                Column { name: name.clone().into(), kind: if t.n_in_file > 0 { Kind::Text } else { kind }, unit: "" }
            };
            Table { name: t.id.clone().into(), columns: t.columns.iter().enumerate().map(column).collect() }
        }));
        let mut seen: Vec<String> = Vec::new();
        out.retain(|table| {
            let name = table.name.to_ascii_lowercase();
            let is_new = !seen.contains(&name) && !table.columns.is_empty();
            seen.push(name);
            is_new
        });
        for table in &mut out {
            let mut seen: Vec<String> = Vec::new();
            table.columns.retain(|c| {
                let name = c.name.to_ascii_lowercase();
                let is_new = !seen.contains(&name);
                seen.push(name);
                is_new
            });
        }
        out
    }

    fn table_infos(&self) -> Vec<TableInfo> {
        let column = |c: &Column| (c.name.to_string(), sql_type(c.kind).to_string(), c.unit.to_string());
        let info = |t: &Table| TableInfo { name: t.name.to_string(), columns: t.columns.iter().map(column).collect() };
        self.tables().iter().map(info).collect()
    }

    fn table_stream(&self, query: &TablePartQuery) -> Result<TableStream, Refusal> {
        let (table, part) = self.table_part(&query.table, &query.columns, query.from, PART)?;
        Ok(TableStream {
            columns: table.columns.iter().map(|c| (c.name.to_string(), sql_type(c.kind).to_string())).collect(),
            bytes: stream::stream(&table, &part),
            n_rows: part.n_rows as u64,
            next: part.next.map(|n| n as u64),
        })
    }

    /// At most `most` rows of a table from a place on, with the columns that are wanted (none: all). The table tells which columns those are.
    pub fn table_part(&self, name: &str, wanted: &[String], from: u64, most: usize) -> Result<(Table, Part), String> {
        let Some(mut table) = self.tables().into_iter().find(|t| t.name.eq_ignore_ascii_case(name)) else {
            return Err(format!("This profile has no table `{name}`."));
        };
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        if let Domain::NeuronDevice(device) = &self.profile.domain
            && super::table(&table.name).is_some()
        {
            let neuron = of_neuron::linked().map_err(|refusal| refusal.to_string())?;
            return (neuron.table_part)(self, device, table, wanted, from, most);
        }
        retain(&mut table, wanted);
        if schema_trace::TIMELINE.iter().chain(schema_trace::TORCH).any(|t| t.0 == table.name) && !self.profile.tracks.is_empty() {
            return self.trace_part(table, from, most);
        }
        let found = self.table(&table.name, from as u64, most as u64).map_err(|_| format!("The table `{name}` could not be read."))?;
        let of = |c: &Column| {
            let at = found.columns.iter().position(|name| *name == c.name);
            let cell = |row: &Vec<Cell>| at.and_then(|at| row.get(at)).cloned().unwrap_or(Cell::Absent);
            cells::values(c.kind, found.rows.iter().map(cell))
        };
        let columns = table.columns.iter().map(of).collect();
        let done = from.saturating_add(found.rows.len());
        let next = (!found.rows.is_empty() && (done as u64) < found.n_total).then_some(done);
        Ok((table, Part { columns, n_rows: found.rows.len(), next }))
    }

    /// A part of a table of the schema.
    pub(in crate::engine) fn device_part(
        &self,
        device: &NeuronDevice,
        mut table: Table,
        wanted: &[String],
        from: usize,
        most: usize,
    ) -> Result<(Table, Part), String> {
        let cores = Cores::of(&self.profile);
        let rows = Rows { profile: &self.profile, device, cores: &cores };
        let part = |all: &[SliceId], values: &OfSlices<'_>| {
            let first = from.min(all.len());
            let end = first.saturating_add(most).min(all.len());
            let next = (end < all.len()).then_some(end);
            values(&all[first..end]).map(|columns| Part { columns, n_rows: end - first, next })
        };
        match table.name.as_ref() {
            "Instruction" => {
                retain(&mut table, wanted);
                let values = |slices: &[SliceId]| slices::instruction_values(self, &rows, &table.columns, slices);
                let found = part(&slices::instruction_rows(self), &values)?;
                Ok((table, found))
            }
            "DmaPacket" => {
                retain(&mut table, wanted);
                let values = |slices: &[SliceId]| transfers::packet_values(self, &rows, &table.columns, slices);
                let found = part(&transfers::packet_rows(self, device), &values)?;
                Ok((table, found))
            }
            "Flow" => {
                let n = self.profile.flows.from.len();
                let first = from.min(n);
                let end = first.saturating_add(most).min(n);
                let columns = slices::flow_values(self, first..end)?;
                Ok((table, Part { columns, n_rows: end - first, next: (end < n).then_some(end) }))
            }
            _ => self.small_device_table(table),
        }
    }

    /// A table of the schema that is made at once.
    fn small_device_table(&self, table: Table) -> Result<(Table, Part), String> {
        let mut found: Option<(Table, Part)> = None;
        let name = table.name.clone();
        self.device_table(name.as_ref(), &mut |given: &Table, part: Part| {
            if given.name != name {
                return Ok(());
            }
            match &mut found {
                None => found = Some((given.clone(), part)),
                Some((_, whole)) => {
                    whole.n_rows += part.n_rows;
                    whole.columns.iter_mut().zip(part.columns).for_each(|(all, more)| all.append(more));
                }
            }
            Ok(())
        })?;
        let empty = || {
            let columns = table.columns.iter().map(|c| Values::new(c.kind)).collect();
            (table.clone(), Part { columns, n_rows: 0, next: None })
        };
        Ok(found.unwrap_or_else(empty))
    }

    /// A part of a table of a timeline.
    fn trace_part(&self, table: Table, from: usize, most: usize) -> Result<(Table, Part), String> {
        if table.name == "args" {
            let n = self.profile.slices.len();
            let first = from.min(n);
            let end = first.saturating_add(most.min(args::SLICES)).min(n);
            let columns = args::args(self, &table.columns, first..end)?;
            let n_rows = columns.first().map_or(0, Values::len);
            return Ok((table, Part { columns, n_rows, next: (end < n).then_some(end) }));
        }
        let part = |all: &TraceTables<'_>| {
            let n = all.n_rows(&table.name);
            let first = from.min(n);
            let end = first.saturating_add(most).min(n);
            let columns = table.columns.iter().map(|c| all.values(&table.name, c, first..end)).collect();
            Part { columns, n_rows: end - first, next: (end < n).then_some(end) }
        };
        let part = match &self.profile.domain {
            Domain::Torch(torch) => {
                let view = self.view().map_err(|refusal| refusal.to_string())?;
                part(&TraceTables { profile: &self.profile, torch: Some((torch, TorchRows::new(view))) })
            }
            _ => part(&TraceTables { profile: &self.profile, torch: None }),
        };
        Ok((table, part))
    }
}

/// The type that holds all cells.
fn kind<'a>(cells: impl Iterator<Item = &'a Cell>) -> Kind {
    let mut kind = None;
    for cell in cells {
        kind = match (cell, kind) {
            (Cell::Absent, kind) => kind,
            (Cell::Text(_), _) => return Kind::Text,
            (Cell::Int(_), None | Some(Kind::Int64)) => Some(Kind::Int64),
            (Cell::Int(_) | Cell::Float(_), _) => Some(Kind::Double),
        };
    }
    kind.unwrap_or(Kind::Text)
}
