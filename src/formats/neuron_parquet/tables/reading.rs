//! What the rows of a directory are written to.

use super::table::{SLICE_TABLES, Table};
use crate::base::{Ledger, Severity};
use crate::formats::ProgressReporter;
use crate::formats::neuron_json::timeline::Timeline;
use crate::formats::neuron_parquet::checks::consistency::SampledTimes;
use crate::formats::neuron_parquet::checks::missing;
use crate::formats::neuron_parquet::pages::batch::Batch;
use crate::formats::neuron_parquet::pages::errors::RowsError;
use crate::formats::neuron_parquet::pages::reader::File;
use crate::model::RawSliceId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// A timeline while its rows are read.
pub struct Reading<'a, 'b> {
    pub t: Timeline,
    pub place: CoreRows,
    pub links: Links,
    /// Tables on the timeline with the last moment of each.
    pub ends: Vec<(&'static str, i64)>,
    /// Some times of the tables of measurements.
    pub sampled_times: Vec<SampledTimes>,
    /// `None`: of a piece, which its owner reports.
    pub watch: Option<&'a mut ProgressReporter<'b>>,
}

impl Reading<'_, '_> {
    /// The core of that index.
    pub fn core(&mut self, pcore: Option<i64>) -> usize {
        self.place.core(&mut self.t, pcore)
    }

    /// Calls `row` with every row of a table and its number; it returns whether the row is shown. Unreadable rows are in the ledger.
    ///
    /// `row` is called and not built in: a browser compiles well what is called often (see [`crate::base::for_each_chunk`]).
    pub fn each(
        &mut self,
        table: &Table,
        wanted: &[&str],
        ledger: &mut Ledger,
        row: &mut dyn FnMut(&mut Self, &Batch, usize, u64) -> bool,
    ) {
        self.each_batch(table, wanted, ledger, &mut |r, batch, first| {
            (0..batch.n_rows).filter(|i| row(r, batch, *i, first + *i as u64)).count()
        });
    }

    /// The same in batches: `some` gets rows with the number of the first and returns how many are shown.
    pub fn each_batch(
        &mut self,
        table: &Table,
        wanted: &[&str],
        ledger: &mut Ledger,
        some: &mut dyn FnMut(&mut Self, &Batch, u64) -> usize,
    ) {
        batches(table, wanted, ledger, &mut |batch, first, file| {
            let n = some(self, batch, first);
            self.report(file, batch.n_rows as u64);
            n
        });
    }

    /// Reports that rows of a file were read.
    pub fn report(&mut self, file: &File, n_rows: u64) {
        if let Some(watch) = &mut self.watch {
            watch.read(file.n_bytes_of(n_rows), n_rows, &self.t.builder);
        }
    }

    /// The long tables were read.
    pub fn report_end(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.end(&self.t.builder);
        }
    }

    /// Notes where the slices of `table` end: those from `first` on.
    pub fn note_end(&mut self, table: &'static str, first: usize) {
        self.ends.extend(self.t.builder.last_end(first).map(|end| (table, end)));
    }

    /// Draws the arrows of `flows`.
    pub fn resolve(&mut self, flows: &Table, ledger: &mut Ledger) {
        let mut n_lost = 0;
        // The schema's example writes `instruction` where the table is `Instruction`.
        let plain = |name: &str| name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        let names = SLICE_TABLES.map(plain);
        // What the schema's example calls `dma_block` is a row of the packets that make one transfer together.
        let is_block = |name: &str| if plain(name) == "dmablock" { Some(BLOCKS) } else { None };
        let table = |name: &str| SLICE_TABLES.iter().position(|s| *s == name).or_else(|| names.iter().position(|n| *n == plain(name)));
        self.each(flows, &["in_table", "in_id", "out_table", "out_id", "dependency_type"], ledger, &mut |r, b, row, _| {
            let end = |at: usize| Some((table(b.text(at, row)).or_else(|| is_block(b.text(at, row)))?, b.int(at + 1, row)?));
            let kind = match b.text(4, row) {
                "" => "FLOW",
                other => other,
            };
            match (r.links.get(end(0)).or_else(|| r.links.last_of(end(0))), r.links.get(end(2)).or_else(|| r.links.first_of(end(2)))) {
                (Some(from), Some(to)) => {
                    let kind = r.t.builder.strings.intern(kind);
                    r.t.builder.flow(from, to, kind);
                }
                _ => n_lost += 1,
            }
            true
        });
        if n_lost > 0 {
            let reason = "A flow with an end that is not on the timeline.";
            ledger.skip_n(Severity::Info, "flow_without_row", reason, n_lost, 0, String::new);
        }
    }
}

/// Puts a batch of a table with the number of its first row on the timeline; returns how many rows are shown.
pub type PutBatch<'a> = Box<dyn FnMut(&mut Reading, &Batch, u64) -> usize + 'a>;

/// How the rows of a table are read.
pub struct RowsOfTable<'a> {
    /// The columns.
    pub wanted: Vec<&'static str>,
    /// What takes them.
    pub put: PutBatch<'a>,
}

/// What is known of the cores.
pub struct CoreRows {
    /// NeuronCore of the first physical core, where the file records it.
    first_core: Option<i64>,
    known: FxHashMap<i64, usize>,
}

impl CoreRows {
    /// Number of cores, and the NeuronCore of the first.
    pub fn new(first_core: Option<i64>) -> Self {
        CoreRows { first_core, known: FxHashMap::default() }
    }

    /// The core of that index.
    pub fn core(&mut self, t: &mut Timeline, pcore: Option<i64>) -> usize {
        let pcore = pcore.filter(|p| (0..4096).contains(p)).unwrap_or(0);
        *self.known.entry(pcore).or_insert_with(|| {
            let name = format!("sg{pcore:02}");
            if let Some(first) = self.first_core {
                t.set_nc(&name, first + pcore);
            }
            t.core(&name)
        })
    }
}

/// The table of arrows between rows.
pub const FLOWS: &str = "Flow";

/// Slices by the ids of their rows, for the table of arrows.
#[derive(Serialize, Deserialize)]
pub struct Links {
    /// Whether there is such a table.
    pub is_wanted: bool,
    /// Indexed by table and id. Dense: ids are approximately row numbers in all known files.
    near: [Vec<RawSliceId>; SLICE_TABLES.len()],
    /// The id at index 0: of a piece its first row.
    origin: i64,
    /// Keyed by table and id, where they are not.
    far: FxHashMap<(usize, i64), RawSliceId>,
    /// Packets of each transfer, by its id: the first with its start, the last with its end.
    blocks: FxHashMap<i64, [(i64, RawSliceId); 2]>,
}

/// The place of `DmaPacketAggregated` among the tables of slices.
const BLOCKS: usize = 2;

/// No slice has that id.
const NO_ROW: RawSliceId = RawSliceId::MAX;

impl Links {
    pub fn new(is_wanted: bool) -> Self {
        Links::of_piece(is_wanted, 0)
    }

    /// The same for rows from row `origin` on.
    pub fn of_piece(is_wanted: bool, origin: u64) -> Self {
        let origin = i64::try_from(origin).unwrap_or(i64::MAX);
        Links { is_wanted, near: Default::default(), origin, far: FxHashMap::default(), blocks: FxHashMap::default() }
    }

    /// Adds the links of a piece whose slices now begin with `first`.
    pub fn absorb(&mut self, piece: Links, first: RawSliceId) {
        // Of an id that came twice the last one counts: in a piece it is the near one, since nearness grows with the slices.
        piece.far.into_iter().for_each(|((table, id), slice)| self.note(table, Some(id), slice + first));
        for (table, slices) in piece.near.into_iter().enumerate() {
            for (id, slice) in (piece.origin..).zip(slices).filter(|near| near.1 != NO_ROW) {
                self.note(table, Some(id), slice + first);
            }
        }
        for (block, ends) in piece.blocks {
            self.widen(block, ends.map(|(time, slice)| (time, slice + first)));
        }
    }

    pub fn note(&mut self, table: usize, id: Option<i64>, slice: RawSliceId) {
        let Some(id) = id.filter(|_| self.is_wanted) else { return };
        // The list cannot grow beyond the number of slices.
        let most = 4 * u64::from(slice) + 0x1_0000;
        match (self.near.get_mut(table), index(id, self.origin)) {
            (Some(near), Some(at)) if at <= most => {
                let at = at as usize;
                if at >= near.len() {
                    near.resize(at + 1, NO_ROW);
                }
                near[at] = slice;
            }
            _ => drop(self.far.insert((table, id), slice)),
        }
    }

    /// Notes a packet of a transfer.
    pub fn packet(&mut self, block: Option<i64>, (start, end): (i64, i64), slice: RawSliceId) {
        if let Some(block) = block.filter(|_| self.is_wanted) {
            self.widen(block, [(start, slice), (end, slice)]);
        }
    }

    /// Notes later packets of a transfer: the first with its start, the last with its end.
    fn widen(&mut self, block: i64, [start, end]: [(i64, RawSliceId); 2]) {
        let [first, last] = self.blocks.entry(block).or_insert([start, end]);
        if start.0 < first.0 {
            *first = start;
        }
        if end.0 > last.0 {
            *last = end;
        }
    }

    /// The first packet of a transfer.
    fn first_of(&self, end: Option<(usize, i64)>) -> Option<RawSliceId> {
        self.block(end).map(|b| b[0].1)
    }

    /// The last one: the transfer has ended with it.
    fn last_of(&self, end: Option<(usize, i64)>) -> Option<RawSliceId> {
        self.block(end).map(|b| b[1].1)
    }

    fn block(&self, end: Option<(usize, i64)>) -> Option<&[(i64, RawSliceId); 2]> {
        end.filter(|end| end.0 == BLOCKS).and_then(|end| self.blocks.get(&end.1))
    }

    fn get(&self, end: Option<(usize, i64)>) -> Option<RawSliceId> {
        let (table, id) = end?;
        let near = index(id, self.origin).and_then(|at| self.near.get(table)?.get(at as usize)).copied().filter(|slice| *slice != NO_ROW);
        near.or_else(|| self.far.get(&(table, id)).copied())
    }
}

/// The place of an id in a list that begins with `origin`.
fn index(id: i64, origin: i64) -> Option<u64> {
    id.checked_sub(origin).and_then(|at| u64::try_from(at).ok())
}

/// Calls `rows` with batches of a table and the number of their first row; it returns how many are shown. Unreadable rows are in the ledger.
fn batches(table: &Table, wanted: &[&str], ledger: &mut Ledger, rows: &mut dyn FnMut(&Batch, u64, &File) -> usize) {
    let mut begins = 0u64;
    for file in &table.files {
        let mut count = Count::default();
        let done = count.rows(file, wanted, 0..u64::MAX, &mut |batch, first| rows(batch, begins.saturating_add(first), file));
        count.account(table, file, done, ledger);
        begins = begins.saturating_add(file.n_rows);
    }
}

/// Rows of a file that were read, and that are shown.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct Count {
    pub n_read: u64,
    pub n_shown: u64,
}

impl Count {
    /// Calls `some` with batches of these rows of a file; it returns how many are shown.
    pub fn rows(
        &mut self,
        file: &File,
        wanted: &[&str],
        rows: Range<u64>,
        some: &mut dyn FnMut(&Batch, u64) -> usize,
    ) -> Result<(), RowsError> {
        file.rows_of_groups(wanted, rows, |batch, first| {
            self.n_shown += some(batch, first) as u64;
            self.n_read += batch.n_rows as u64;
            ControlFlow::Continue(())
        })
    }

    /// Puts the rows of a file into the ledger, and why they end, if they end early.
    pub fn account(self, table: &Table, file: &File, done: Result<(), RowsError>, ledger: &mut Ledger) {
        let Count { n_read, n_shown } = self;
        ledger.read += n_read;
        ledger.shown += n_shown;
        if n_shown < n_read {
            let reason = "A row without the values required for the timeline.";
            ledger.skip_n(Severity::DataLoss, "missing_value", reason, n_read - n_shown, 0, || table.name.clone());
            table.n_unplaced.set(table.n_unplaced.get() + (n_read - n_shown));
        }
        missing::columns(table, file, ledger);
        if let Err(why) = done {
            file.broken(&table.name, n_read, &why, ledger);
        }
    }
}

/// Calls `row` with every row of a table and its number; it returns whether the row is shown.
pub fn each(table: &Table, wanted: &[&str], ledger: &mut Ledger, mut row: impl FnMut(&Batch, usize, u64) -> bool) {
    batches(table, wanted, ledger, &mut |batch, first, _| (0..batch.n_rows).filter(|i| row(batch, *i, first + *i as u64)).count());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_found_by_any_ids() {
        let mut links = Links::new(true);
        let ids = [7, 0, -3, 65_536, 65_537, i64::MAX, i64::MIN, 7];
        for (slice, id) in (0..).zip(ids) {
            links.note(slice as usize % 2, Some(id), slice);
        }
        let found = |table, id| links.get(Some((table, id)));
        assert_eq!([found(0, 7), found(1, 7), found(1, 0), found(0, 0), found(0, -3)], [Some(0), Some(7), Some(1), None, Some(2)]);
        assert_eq!([found(1, 65_536), found(0, 65_537), found(1, i64::MAX), found(0, i64::MIN)], [Some(3), Some(4), Some(5), Some(6)]);
        assert_eq!([found(9, 1), found(1, i64::MAX - 1)], [None; 2]);
        links.note(0, None, 9);
        let mut unwanted = Links::new(false);
        unwanted.note(0, Some(1), 1);
        assert_eq!((unwanted.get(Some((0, 1))), links.get(None)), (None, None));
    }

    #[test]
    fn far_ids_take_no_room() {
        let mut links = Links::new(true);
        (0..100u32).for_each(|slice| links.note(0, Some(i64::from(slice) * 1_000_000), slice));
        assert!(links.near[0].len() <= 0x1_0000 + 400);
        assert_eq!(links.get(Some((0, 99_000_000))), Some(99));
    }
}
