//! Which tables a profile has, and one part of one table with the columns that are wanted: what a query reads, and what is converted.

use super::cells::{self, Cores};
use super::slices::{self, Rows};
use super::torch_index::TorchIndex;
use super::trace_tables::{TorchRows, TraceTables};
use super::{Column, Kind, Part, Table, TableEntry, TableError, Values, args, range, run, schema_trace, stream, system, transfers};
use crate::base::{SliceId, TimeRange, packed};
use crate::engine::question::answers;
use crate::engine::{Refusal, Session, full};
use crate::model::{Cell, Domain, NeuronDevice};
use serde::{Deserialize, Serialize};

/// Rows of a part that is asked for, a few megabytes: a row group of DuckDB. It takes such a part as it is; of a part that ends within a row group it
/// copies every row, and takes three times as long.
const PART: usize = 122_880;

/// A table as the SQL editor lists it.
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

/// Rows of a table for queries in SQL, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePartQuery {
    /// Its name; case does not matter.
    pub table: String,
    /// Names of the columns, in any case; none: all. Names that the table does not have are omitted.
    pub columns: Vec<String>,
    /// Rows that touch a range alone, with all columns.
    pub range: Option<TimeRange>,
    /// Where the next part begins; 0: the beginning.
    pub from: u64,
}

/// Tables that `axonscope convert` writes: names and columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertedTablesQuery {
    /// Whether a range of the profile is written: then without tables that sum the entire run.
    pub is_range: bool,
}

/// Some rows as a stream of Arrow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableStream {
    /// Name, type of SQL and unit of each column in it.
    pub columns: Vec<(String, String, String)>,
    /// The stream: schema, dictionaries, one batch.
    #[serde(with = "packed::numbers")]
    pub bytes: Vec<u8>,
    /// Rows in it.
    pub n_rows: u64,
    /// Where the next part begins; `None` at the end.
    pub next: Option<u64>,
}

answers! {
    TableInfosQuery => Vec<TableInfo>: |s, _| Ok(s.table_infos());
    TablePartQuery => TableStream: |s, q| s.table_stream(q);
    ConvertedTablesQuery => Vec<TableInfo>: |s, q| Ok(s.converted_tables(q.is_range).iter().map(info).collect());
}

/// Columns of these slices.
type OfSlices<'a> = dyn Fn(&[SliceId]) -> Result<Vec<Values>, Refusal> + 'a;

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

/// The type that a type of SQL is written for; text for any other.
pub fn kind_of_sql(name: &str) -> Kind {
    [Kind::Int64, Kind::Int32, Kind::Float, Kind::Double, Kind::Flag].into_iter().find(|kind| sql_type(*kind) == name).unwrap_or(Kind::Text)
}

fn column_info(c: &Column) -> (String, String, String) {
    (c.name.to_string(), sql_type(c.kind).to_string(), c.unit.to_string())
}

fn info(table: &Table) -> TableInfo {
    TableInfo { name: table.name.to_string(), columns: table.columns.iter().map(column_info).collect() }
}

/// Whether `all` contains a table of that name.
fn is_one(all: &[TableEntry], name: &str) -> bool {
    all.iter().any(|t| t.0 == name)
}

/// Removes the columns that are not wanted; keeps all if no column matches.
fn retain(table: &mut Table, wanted: &[String]) {
    let is_wanted = |c: &Column| wanted.iter().any(|w| w.eq_ignore_ascii_case(&c.name));
    if table.columns.iter().any(is_wanted) {
        table.columns.retain(is_wanted);
    }
}

impl Session {
    /// Every table of the profile; case does not distinguish two of them. A device profile has those of its schema, which may be empty.
    pub fn tables(&self) -> Vec<Table> {
        let mut out: Vec<Table> = Vec::new();
        match &self.profile.domain {
            Domain::NeuronDevice(_) => {
                out.extend(super::all());
                out.push(run::schema_fields_table());
            }
            Domain::NeuronSystem(_) => out.extend(system::TABLES.iter().map(schema_trace::entry)),
            _ => (),
        }
        if !self.profile.tracks.is_empty() {
            out.extend(schema_trace::TIMELINE.iter().map(schema_trace::entry));
            let attributes: Vec<Column> =
                self.profile.attributes.iter().map(|a| Column { name: a.id.clone().into(), kind: Kind::Text, unit: "".into() }).collect();
            if let Some(slice) = out.iter_mut().find(|t| t.name == "slice") {
                let own = slice.columns.clone();
                slice.columns.extend(attributes.into_iter().filter(|a| own.iter().all(|c| !c.name.eq_ignore_ascii_case(&a.name))));
            }
        }
        if matches!(self.profile.domain, Domain::Torch(_)) {
            out.extend(schema_trace::TORCH.iter().map(schema_trace::entry));
        }
        for t in &self.profile.tables {
            let column = |(at, name): (usize, &String)| {
                let kind = kind(t.rows.iter().filter_map(|row| row.get(at)));
                Column { name: name.clone().into(), kind: if t.n_in_file > 0 { Kind::Text } else { kind }, unit: "".into() }
            };
            let columns: Vec<Column> = t.columns.iter().enumerate().map(column).collect();
            match out.iter_mut().find(|known| known.name == t.id.as_str() && self.is_in_file(&known.name)) {
                // Columns that the schema does not have come last.
                Some(known) => known.columns.extend(columns),
                None => out.push(Table { name: t.id.clone().into(), columns }),
            }
        }
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

    /// Whether a table of the schema is read from the file: one of a directory of Neuron Explorer. Rows of instructions and transfers come from the
    /// timeline, which has the columns in memory.
    fn is_in_file(&self, name: &str) -> bool {
        let is_of_timeline = ["Instruction", "DmaPacket"].contains(&name);
        let is_device = matches!(self.profile.domain, Domain::NeuronDevice(_));
        is_device && !is_of_timeline && self.profile.tables.iter().any(|t| t.id == name)
    }

    /// Tables that `axonscope convert` writes: those of the schema of a device or system profile, else those of the timeline. `is_range`: of a range
    /// of it, which has no sums of the entire run.
    pub fn converted_tables(&self, is_range: bool) -> Vec<Table> {
        let is_written = |name: &str| match &self.profile.domain {
            Domain::NeuronDevice(_) => super::table(name).is_some() || name == "SchemaFields",
            Domain::NeuronSystem(_) => is_one(system::TABLES, name),
            _ => is_one(schema_trace::TIMELINE, name) || is_one(schema_trace::TORCH, name),
        };
        let is_left_out = |name: &str| is_range && range::OF_THE_RUN.contains(&name);
        self.tables().into_iter().filter(|t| is_written(&t.name) && !is_left_out(&t.name)).collect()
    }

    fn table_infos(&self) -> Vec<TableInfo> {
        self.tables().iter().map(info).collect()
    }

    fn table_stream(&self, query: &TablePartQuery) -> Result<TableStream, Refusal> {
        let wanted: &[String] = if query.range.is_some() { &[] } else { &query.columns };
        let (table, part) = self.table_part(&query.table, wanted, query.range, query.from, PART)?;
        Ok(TableStream {
            columns: table.columns.iter().map(column_info).collect(),
            bytes: stream::stream(&table, &part),
            n_rows: part.n_rows as u64,
            next: part.next.map(|n| n as u64),
        })
    }

    /// At most `most` rows of a table from a place on, with the columns that are wanted (none: all). The table records which columns those are.
    /// `range`: the rows that touch it, for who wants all columns.
    pub fn table_part(
        &self,
        name: &str,
        wanted: &[String],
        range: Option<TimeRange>,
        from: u64,
        most: usize,
    ) -> Result<(Table, Part), Refusal> {
        let Some(table) = self.tables().into_iter().find(|t| t.name.eq_ignore_ascii_case(name)) else {
            return Err(Refusal::NoTable(name.into()));
        };
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let (table, mut part) = self.any_part(table, wanted, range, (from, most))?;
        if let Some(range) = range {
            range::keep(&self.profile, &table, &mut part, range);
        }
        if part.next.is_none() {
            self.table_rows.take();
        }
        Ok((table, part))
    }

    fn any_part(
        &self,
        mut table: Table,
        wanted: &[String],
        range: Option<TimeRange>,
        (from, most): (usize, usize),
    ) -> Result<(Table, Part), Refusal> {
        let name = table.name.clone();
        if let Domain::NeuronDevice(device) = &self.profile.domain
            && (super::table(&name).is_some() || name == "SchemaFields")
            && !self.is_in_file(&name)
        {
            let neuron = full::linked()?;
            return (neuron.table_part)(self, device, table, wanted, range, (from, most));
        }
        retain(&mut table, wanted);
        if let Domain::NeuronSystem(of) = &self.profile.domain
            && is_one(system::TABLES, &name)
        {
            let part = system::part(self, of, &table, from, most)?;
            return Ok((table, part));
        }
        if (is_one(schema_trace::TIMELINE, &name) || is_one(schema_trace::TORCH, &name)) && !self.profile.tracks.is_empty() {
            return self.trace_part(table, range, from, most);
        }
        let found = self.table(&name, from as u64, most as u64)?;
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
        range: Option<TimeRange>,
        (from, most): (usize, usize),
    ) -> Result<(Table, Part), Refusal> {
        let cores = Cores::of(&self.profile);
        let rows = Rows { profile: &self.profile, device, cores: &cores };
        let is_in_range = |slice: SliceId| range.is_none_or(|range| range::touches(&self.profile, range, slice));
        let index = self.row_index(&table.name, range);
        let part = |find: &dyn Fn() -> Vec<SliceId>, values: &OfSlices<'_>| {
            let all = index.slices.get_or_init(|| find().into_iter().filter(|s| is_in_range(*s)).collect());
            let first = from.min(all.len());
            let end = first.saturating_add(most).min(all.len());
            let next = (end < all.len()).then_some(end);
            values(&all[first..end]).map(|columns| Part { columns, n_rows: end - first, next })
        };
        match table.name.as_ref() {
            "Instruction" => {
                retain(&mut table, wanted);
                let values = |slices: &[SliceId]| slices::instruction_values(self, &rows, &table.columns, slices);
                let found = part(&|| slices::instruction_rows(self), &values)?;
                Ok((table, found))
            }
            "DmaPacket" => {
                retain(&mut table, wanted);
                let values = |slices: &[SliceId]| transfers::packet_values(self, &rows, &table.columns, slices);
                let found = part(&|| transfers::packet_rows(self, device), &values)?;
                Ok((table, found))
            }
            "Flow" => {
                let flows = &self.profile.flows;
                let n = flows.from.len();
                let first = from.min(n);
                let end = first.saturating_add(most).min(n);
                let arrows: Vec<usize> = (first..end).filter(|i| is_in_range(flows.from[*i]) && is_in_range(flows.to[*i])).collect();
                let columns = slices::flow_values(self, &arrows)?;
                Ok((table, Part { columns, n_rows: arrows.len(), next: (end < n).then_some(end) }))
            }
            _ => self.small_device_table(table),
        }
    }

    /// A table of the schema that is made at once.
    fn small_device_table(&self, table: Table) -> Result<(Table, Part), Refusal> {
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
        })
        .map_err(|error| match error {
            TableError::Refused(refusal) => refusal,
            other => Refusal::Refused(other.to_string()),
        })?;
        let empty = || {
            let columns = table.columns.iter().map(|c| Values::new(c.kind)).collect();
            (table.clone(), Part { columns, n_rows: 0, next: None })
        };
        Ok(found.unwrap_or_else(empty))
    }

    /// A part of a table of a timeline.
    fn trace_part(&self, table: Table, range: Option<TimeRange>, from: usize, most: usize) -> Result<(Table, Part), Refusal> {
        if table.name == "args" {
            let n = self.profile.slices.len();
            let first = from.min(n);
            let end = first.saturating_add(most.min(args::SLICES)).min(n);
            let is_in_range = |slice: &SliceId| range.is_none_or(|range| range::touches(&self.profile, range, *slice));
            let slices: Vec<SliceId> = (first..end).map(|i| SliceId(i as u32)).filter(is_in_range).collect();
            let columns = args::args(self, &table.columns, &slices)?;
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
        let index = self.row_index(&table.name, range);
        let part = match &self.profile.domain {
            Domain::Torch(torch) => {
                let view = self.view()?;
                let of = index.torch.get_or_init(|| TorchIndex::new(&view));
                part(&TraceTables { profile: &self.profile, torch: Some((torch, TorchRows::new(view, of))), index: &index })
            }
            _ => part(&TraceTables { profile: &self.profile, torch: None, index: &index }),
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
