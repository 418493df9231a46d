//! What the rows of a directory are written to.

use super::batch::Batch;
use super::import::Table;
use super::reader::File;
use super::rows::SLICE_TABLES;
use crate::base::{Ledger, Severity};
use crate::formats::Watch;
use crate::formats::neuron_json::timeline::Timeline;
use crate::model::RawSliceId;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// A timeline while its rows are read.
pub(super) struct Reading<'a, 'b> {
    pub t: Timeline,
    pub place: Place,
    pub links: Links,
    pub watch: &'a mut Watch<'b>,
}

impl Reading<'_, '_> {
    /// The core of that index.
    pub fn core(&mut self, pcore: Option<i64>) -> usize {
        self.place.core(&mut self.t, pcore)
    }

    /// Calls `row` with every row of a table and its number; it says whether the row is shown. What cannot be read is in the ledger.
    ///
    /// `row` is called and not built in: a browser compiles well what is called often (see [`crate::base::in_parts`]).
    pub fn each(
        &mut self,
        table: &Table,
        wanted: &[&str],
        ledger: &mut Ledger,
        row: &mut dyn FnMut(&mut Self, &Batch, usize, u64) -> bool,
    ) {
        batches(table, wanted, ledger, &mut |batch, first, file| {
            let n = (0..batch.n_rows).filter(|i| row(self, batch, *i, first + *i as u64)).count();
            self.watch.read(file.n_bytes_of(batch.n_rows), batch.n_rows as u64, &mut self.t.builder);
            n
        });
    }

    /// Draws the arrows of `flows`.
    pub fn resolve(&mut self, flows: &Table, ledger: &mut Ledger) {
        let kind = self.t.builder.strings.intern("FLOW");
        let mut n_lost = 0;
        let table = |name: &str| SLICE_TABLES.iter().position(|s| *s == name);
        self.each(flows, &["in_table", "in_id", "out_table", "out_id"], ledger, &mut |r, b, row, _| {
            let end = |at: usize| Some((table(b.text(at, row))?, b.int(at + 1, row)?));
            match (r.links.get(end(0)), r.links.get(end(2))) {
                (Some(from), Some(to)) => r.t.builder.flow(from, to, kind),
                _ => n_lost += 1,
            }
            true
        });
        if n_lost > 0 {
            let reason = "An arrow whose ends are not both rows of the timeline.";
            ledger.skip_n(Severity::Info, "flow_without_row", reason, n_lost, 0, String::new);
        }
    }
}

/// What is known of the cores.
pub(super) struct Place {
    /// NeuronCore of the first physical core, where the file tells.
    first_core: Option<i64>,
    known: FxHashMap<i64, usize>,
}

impl Place {
    /// Cores, of which the first is that NeuronCore.
    pub fn new(first_core: Option<i64>) -> Self {
        Place { first_core, known: FxHashMap::default() }
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
pub(super) struct Links {
    /// Whether there is such a table.
    pub is_wanted: bool,
    slice_of: FxHashMap<(usize, i64), RawSliceId>,
}

impl Links {
    pub fn new(is_wanted: bool) -> Self {
        Links { is_wanted, slice_of: FxHashMap::default() }
    }

    pub fn note(&mut self, table: usize, id: Option<i64>, slice: RawSliceId) {
        if let Some(id) = id.filter(|_| self.is_wanted) {
            self.slice_of.insert((table, id), slice);
        }
    }

    fn get(&self, end: Option<(usize, i64)>) -> Option<RawSliceId> {
        self.slice_of.get(&end?).copied()
    }
}

/// Calls `rows` with batches of a table and the number of their first row; it says how many of them are shown. What cannot be read is in the ledger.
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
            let reason = "A row without the values that would place it on the timeline.";
            ledger.skip_n(Severity::DataLoss, "missing_value", reason, n_read - n_shown, 0, || table.name.clone());
        }
        if let Err(why) = done {
            let reason = "A table that cannot be read to its end; what stands before is shown.";
            ledger.skip(Severity::DataLoss, "broken_table", reason, 0, || format!("{}: {why}", table.name));
        }
        begins += file.n_rows;
    }
}

/// Calls `row` with every row of a table and its number; it says whether the row is shown.
pub(super) fn each(table: &Table, wanted: &[&str], ledger: &mut Ledger, mut row: impl FnMut(&Batch, usize, u64) -> bool) {
    batches(table, wanted, ledger, &mut |batch, first, _| (0..batch.n_rows).filter(|i| row(batch, *i, first + *i as u64)).count());
}
