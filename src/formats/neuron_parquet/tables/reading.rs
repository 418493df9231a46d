//! What the rows of a directory are written to.

use super::table::{SLICE_TABLES, Table};
use crate::base::{Ledger, Severity};
use crate::formats::ProgressReporter;
use crate::formats::neuron_json::timeline::Timeline;
use crate::formats::neuron_parquet::checks::consistency::SampledTimes;
use crate::formats::neuron_parquet::checks::missing;
use crate::formats::neuron_parquet::pages::batch::Batch;
use crate::formats::neuron_parquet::pages::reader::File;
use crate::model::RawSliceId;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// A timeline while its rows are read.
pub struct Reading<'a, 'b> {
    pub t: Timeline,
    pub place: CoreRows,
    pub links: Links,
    /// Tables on the timeline with the last moment of each.
    pub ends: Vec<(&'static str, i64)>,
    /// Some times of the tables of measurements.
    pub sampled_times: Vec<SampledTimes>,
    pub watch: &'a mut ProgressReporter<'b>,
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
            self.watch.read(file.n_bytes_of(batch.n_rows), batch.n_rows as u64, &mut self.t.builder);
            n
        });
    }

    /// Puts the rows of a table on the timeline by `read`, and notes where they end.
    pub fn put(&mut self, table: &'static str, read: impl FnOnce(&mut Self)) {
        let first = self.t.builder.n_slices();
        read(self);
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

/// Slices by the ids of their rows, for the table `Flow`.
pub struct Links {
    /// Whether there is such a table.
    pub is_wanted: bool,
    /// Indexed by table and id. Dense: ids are approximately row numbers in all known files.
    near: [Vec<RawSliceId>; SLICE_TABLES.len()],
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
        Links { is_wanted, near: Default::default(), far: FxHashMap::default(), blocks: FxHashMap::default() }
    }

    pub fn note(&mut self, table: usize, id: Option<i64>, slice: RawSliceId) {
        let Some(id) = id.filter(|_| self.is_wanted) else { return };
        // The list cannot grow beyond the number of slices.
        let most = 4 * u64::from(slice) + 0x1_0000;
        match (self.near.get_mut(table), u64::try_from(id)) {
            (Some(near), Ok(at)) if at <= most => {
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
        let Some(block) = block.filter(|_| self.is_wanted) else { return };
        let [first, last] = self.blocks.entry(block).or_insert([(start, slice), (end, slice)]);
        if start < first.0 {
            *first = (start, slice);
        }
        if end > last.0 {
            *last = (end, slice);
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
        let near = usize::try_from(id).ok().and_then(|at| self.near.get(table)?.get(at)).copied().filter(|slice| *slice != NO_ROW);
        near.or_else(|| self.far.get(&(table, id)).copied())
    }
}

/// Calls `rows` with batches of a table and the number of their first row; it returns how many are shown. Unreadable rows are in the ledger.
fn batches(table: &Table, wanted: &[&str], ledger: &mut Ledger, rows: &mut dyn FnMut(&Batch, u64, &File) -> usize) {
    let mut begins = 0;
    for file in &table.files {
        let (mut n_read, mut n_shown) = (0u64, 0u64);
        let done = file.all_rows(wanted, |batch, first| {
            n_shown += rows(batch, begins + first, file) as u64;
            n_read += batch.n_rows as u64;
            ControlFlow::Continue(())
        });
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
        begins += file.n_rows;
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
