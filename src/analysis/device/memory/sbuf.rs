//! The State Buffer as a map of address and time, where the file records its allocations.

use crate::analysis::device::cells;
use crate::base::Order as _;
use crate::base::{TimeNs, TimeRange};
use crate::model::GenericTable;
use serde::{Deserialize, Serialize};

/// Allocations that one answer holds.
const MOST: usize = 100_000;

/// Which part of the map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SbufQuery {
    /// Physical core.
    pub core: i64,
    /// Partition: 0, 32, 64 or 96.
    pub partition: i64,
}

/// Allocations of one partition of one core.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SbufMap {
    /// Ordered by start.
    pub areas: Vec<SbufArea>,
    /// How many there are in the file; more than `areas` where it has too many to send.
    pub n_areas: u64,
    /// Rows of all partitions without time or address.
    pub n_unreadable: u64,
}

/// An interval of addresses that is in use for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SbufArea {
    /// When.
    pub range: TimeRange,
    /// First byte.
    pub from_address: i64,
    /// Last byte.
    pub to_address: i64,
    /// Whether a DMA put it there; else an instruction.
    pub is_dma: bool,
    /// The tensor, or else opcode or queue.
    pub name: String,
    /// Operands or other text in the file.
    pub about: String,
}

impl SbufArea {
    /// Bytes.
    pub fn n_bytes(&self) -> i64 {
        self.to_address.saturating_sub(self.from_address).saturating_add(1)
    }
}

const NAMES: [&[&str]; 11] = [
    &["start_ts"],
    &["end_ts"],
    &["start_address"],
    &["end_address"],
    &["partition"],
    &["pcore_idx"],
    &["op_source_type"],
    &["tensor_name"],
    &["opcode"],
    &["queue_name", "dma_queue"],
    &["operands"],
];

/// (core, partition) with rows.
pub fn parts(table: &GenericTable) -> Vec<(i64, i64)> {
    let columns = cells::columns(table, NAMES);
    let part = |row: &Vec<crate::model::Cell>| Some((cells::int(row, columns[5]).unwrap_or(0), cells::int(row, columns[4])?));
    let mut out: Vec<(i64, i64)> = table.rows.iter().filter_map(part).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The map of one part.
pub fn map(table: &GenericTable, query: &SbufQuery) -> SbufMap {
    let columns = cells::columns(table, NAMES);
    let mut out = SbufMap::default();
    for row in &table.rows {
        let int = |at: usize| cells::int(row, columns[at]);
        let text = |at: usize| cells::text(row, columns[at]);
        let (Some(start), Some(end), Some(from_address), Some(to_address), Some(partition)) = (int(0), int(1), int(2), int(3), int(4))
        else {
            out.n_unreadable += 1;
            continue;
        };
        if end < start || to_address < from_address {
            out.n_unreadable += 1;
            continue;
        }
        if partition != query.partition || int(5).unwrap_or(0) != query.core {
            continue;
        }
        let is_dma = text(6).is_some_and(|t| t.eq_ignore_ascii_case("dma"));
        let name = text(7).or_else(|| text(8)).or_else(|| text(9)).unwrap_or_else(|| "unnamed".into());
        let range = TimeRange { start: TimeNs(start), end: TimeNs(end) };
        out.areas.push(SbufArea { range, from_address, to_address, is_dma, name, about: text(10).unwrap_or_default() });
    }
    out.n_areas = out.areas.len() as u64;
    out.areas.order_by_key(|a| (a.range.start, a.from_address));
    out.areas.truncate(MOST);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Cell;

    #[test]
    fn one_part_of_the_map() {
        let columns = ["start_ts", "end_ts", "start_address", "end_address", "partition", "pcore_idx", "op_source_type", "opcode"];
        let row = |v: [i64; 6], kind: &str, name: &str| {
            let mut row: Vec<Cell> = v.into_iter().map(Cell::Int).collect();
            row.extend([Cell::Text(kind.into()), Cell::Text(name.into())]);
            row
        };
        let rows = vec![
            row([50, 90, 0, 1023, 0, 1], "dma", "x"),
            row([10, 20, 0, 1023, 0, 1], "instruction", "MATMUL"),
            row([10, 20, 0, 1023, 32, 1], "instruction", "MATMUL"),
            row([30, 20, 0, 1023, 0, 1], "instruction", "backwards"),
        ];
        let columns = columns.map(Into::into).into();
        let table = GenericTable { id: "SbufAllocation".into(), columns, rows, ..GenericTable::default() };
        assert_eq!(parts(&table), [(1, 0), (1, 32)]);
        let map = map(&table, &SbufQuery { core: 1, partition: 0 });
        let names: Vec<(&str, bool, i64)> = map.areas.iter().map(|a| (a.name.as_str(), a.is_dma, a.n_bytes())).collect();
        assert_eq!(names, [("MATMUL", false, 1024), ("x", true, 1024)]);
        assert_eq!((map.n_areas, map.n_unreadable), (2, 1));
    }
}
