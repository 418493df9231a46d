//! The long tables, of instructions and of transfers: the owner of an import reads them piece by piece, and helpers read some of the pieces.

use super::facts::Facts;
use super::instructions::{self, OtherTables};
use super::reading::{CoreRows, Count, FLOWS, Links, Reading, RowsOfTable};
use super::table::{SLICE_TABLES, Table};
use super::transfers;
use crate::base::Ledger;
use crate::formats::neuron_json::timeline::Timeline;
use crate::formats::neuron_parquet::pages::reader::File;
use crate::formats::row_pieces::{RowHelpers, RowPiece, RowRange, RowReader, Turn};
use crate::model::RawSliceId;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::BTreeMap;

/// The long tables that a profile has, by place among the tables of slices. Packets that were aggregated are the same transfers again.
fn long_tables(tables: &BTreeMap<String, Table>) -> impl Iterator<Item = (usize, &Table)> {
    let found = |kind: usize| tables.get(SLICE_TABLES[kind]).map(|table| (kind, table));
    found(0).into_iter().chain(found(1).or_else(|| found(2)))
}

/// How the rows of such a table are read.
fn rows_of(kind: usize, others: &OtherTables, are_links_wanted: bool) -> RowsOfTable<'_> {
    if kind == 0 { instructions::rows(others) } else { transfers::rows(kind, are_links_wanted) }
}

/// Puts the long tables on the timeline.
pub async fn read(tables: &BTreeMap<String, Table>, r: &mut Reading<'_, '_>, helpers: &mut dyn RowHelpers, ledger: &mut Ledger) {
    let plan = plan(tables, helpers.n_rows_min());
    helpers.plan(plan.clone());
    let mut turns = plan.iter().enumerate().peekable();
    let others = OtherTables::of(tables);
    for (kind, table) in long_tables(tables) {
        let first_slice = r.t.builder.n_slices();
        let mut rows = rows_of(kind, &others, r.links.is_wanted);
        let mut begins = 0u64;
        for (at, file) in table.files.iter().enumerate() {
            let (mut count, mut done) = (Count::default(), Ok(()));
            while let Some((turn, piece)) = turns.next_if(|(_, piece)| piece.table == table.name && piece.file as usize == at) {
                // After an error the rest of a file is lost.
                if done.is_err() {
                    continue;
                }
                let is_added = match helpers.turn(turn).await {
                    Turn::Owner => false,
                    Turn::Read(piece) => r.absorb(piece, file, &mut count),
                    Turn::Stopped(sentence) => {
                        ledger.note(sentence);
                        false
                    }
                };
                if !is_added {
                    done = count.rows(file, &rows.wanted, piece.rows.clone(), &mut |batch, first| {
                        let n_shown = (rows.put)(r, batch, begins.saturating_add(first));
                        r.report(file, batch.n_rows as u64);
                        n_shown
                    });
                }
            }
            count.account(table, file, done, ledger);
            begins = begins.saturating_add(file.n_rows);
        }
        r.note_end(SLICE_TABLES[kind], first_slice);
    }
}

impl Reading<'_, '_> {
    /// Adds what a helper read of `file`. `false`: nothing was added.
    fn absorb(&mut self, piece: Box<dyn RowPiece>, file: &File, count: &mut Count) -> bool {
        let piece: Box<dyn Any> = piece;
        let Ok(piece) = piece.downcast::<Piece>() else { return false };
        if RawSliceId::try_from(self.t.builder.n_slices() + piece.timeline.builder.n_slices()).is_err() {
            return false;
        }
        let Piece { timeline, links, count: more } = *piece;
        let (_, first) = self.t.absorb(timeline);
        self.links.absorb(links, first);
        count.n_read += more.n_read;
        count.n_shown += more.n_shown;
        self.report(file, more.n_read);
        true
    }
}

/// The pieces of the long tables.
fn plan(tables: &BTreeMap<String, Table>, n_rows_min: u64) -> Vec<RowRange> {
    let of_table = |(_, table): (usize, &Table)| {
        let of_file = |(at, file): (usize, &File)| {
            let range = |rows| RowRange { table: table.name.clone(), file: at as u32, rows };
            file.pieces(n_rows_min).into_iter().map(range).collect::<Vec<_>>()
        };
        table.files.iter().enumerate().flat_map(of_file).collect::<Vec<_>>()
    };
    long_tables(tables).flat_map(of_table).collect()
}

/// Rows that a helper put on a timeline of its own.
#[derive(Serialize, Deserialize)]
pub struct Piece {
    timeline: Timeline,
    links: Links,
    count: Count,
}

impl Piece {
    /// A piece that [`RowPiece::packed`] wrote.
    pub fn unpacked(bytes: &[u8]) -> Option<Piece> {
        postcard::from_bytes(bytes).ok()
    }
}

impl RowPiece for Piece {
    fn packed(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }
}

/// What a helper knows of a profile.
pub struct PieceReader {
    tables: BTreeMap<String, Table>,
    others: OtherTables,
    first_core: Option<i64>,
}

impl PieceReader {
    /// Reads pieces of these tables.
    pub fn new(tables: BTreeMap<String, Table>) -> PieceReader {
        // What cannot be read of the other tables is in the ledger of the owner.
        let first_core = Facts::read(&tables, &mut Ledger::default()).first_core;
        PieceReader { others: OtherTables::of(&tables), first_core, tables }
    }

    fn piece(&self, range: &RowRange) -> Option<Piece> {
        let (kind, table) = long_tables(&self.tables).find(|(_, table)| table.name == range.table)?;
        let (before, rest) = table.files.split_at_checked(range.file as usize)?;
        let file = rest.first()?;
        let begins: u64 = before.iter().map(|file| file.n_rows).fold(0, u64::saturating_add);
        let links = Links::of_piece(self.tables.contains_key(FLOWS), begins.saturating_add(range.rows.start));
        let place = CoreRows::new(self.first_core);
        let mut reading = Reading { t: Timeline::new(), place, links, ends: Vec::new(), sampled_times: Vec::new(), watch: None };
        let mut rows = rows_of(kind, &self.others, reading.links.is_wanted);
        let mut count = Count::default();
        let read = count.rows(file, &rows.wanted, range.rows.clone(), &mut |batch, first| {
            (rows.put)(&mut reading, batch, begins.saturating_add(first))
        });
        if read.is_err() || file.is_damaged() {
            return None;
        }
        Some(Piece { timeline: reading.t, links: reading.links, count })
    }
}

impl RowReader for PieceReader {
    fn read(&mut self, rows: &RowRange) -> Option<Box<dyn RowPiece>> {
        Some(Box::new(self.piece(rows)?))
    }
}
