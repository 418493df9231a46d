//! Helpers that read rows of long tables for this worker, which opens the profile.

use super::helpers::{Helper, PendingPiece};
use super::protocol::{RowRange, RowsOrder};
use crate::base::phases::{self, Phase};
use crate::formats::parallel::{Plan, Schedule, WORKER_STOPPED};
use crate::formats::row_pieces::{RowHelpers, Turn, WaitForTurn};
use crate::formats::{self, Claim};
use gloo_timers::future::TimeoutFuture;
use std::collections::HashMap;
use std::ops::Range;
use web_sys::File;

/// The helpers of an import, and the pieces they read.
pub(super) struct RowTeam<'a> {
    plan: Plan,
    /// Template of every order; number and rows are filled in.
    order: RowsOrder,
    files: &'a [File],
    helpers: Vec<Helper>,
    pieces: Vec<RowRange>,
    schedule: Schedule<std::vec::IntoIter<Range<u64>>>,
    /// By number of the piece.
    coming: HashMap<usize, PendingPiece>,
    /// Milliseconds of other phases than parsing.
    spent_ms: f64,
}

impl<'a> RowTeam<'a> {
    /// Helpers for the profile of a claim: its members' paths, and the files with their names.
    pub fn new(plan: Plan, claim: &Claim, paths: &[String], (names, files): (&[String], &'a [File])) -> Self {
        let rows = RowRange { table: String::new(), file: 0, rows: 0..0 };
        let order = RowsOrder { number: 0, claim: claim.clone(), paths: paths.to_vec(), names: names.to_vec(), rows };
        let schedule = Schedule::new(Vec::new().into_iter(), 1);
        RowTeam { plan, order, files, helpers: Vec::new(), pieces: Vec::new(), schedule, coming: HashMap::new(), spent_ms: 0.0 }
    }

    /// Assigns pieces to helpers with room, idle helpers first.
    fn assign(&mut self) {
        for is_idle in [true, false] {
            for helper in self.helpers.iter().filter(|helper| helper.has_room() && helper.is_idle() == is_idle) {
                let Some((number, _)) = self.schedule.assign(is_idle) else { return };
                let Some(rows) = self.pieces.get(number).cloned() else { return };
                let order = RowsOrder { number: number as u32, rows, ..self.order.clone() };
                self.coming.insert(number, helper.read_rows(order, self.files));
            }
        }
    }

    async fn next(&mut self, piece: usize) -> Turn {
        // The one before, and those that are left out after an error.
        while self.schedule.due().is_some_and(|due| due.number < piece) {
            self.schedule.added();
        }
        self.coming.retain(|number, _| *number >= piece);
        // What helpers sent comes between two tasks of this thread.
        TimeoutFuture::new(0).await;
        let is_assigned = self.schedule.due().is_some_and(|due| due.is_assigned);
        self.assign();
        let Some(coming) = self.coming.remove(&piece).filter(|_| is_assigned) else { return Turn::Owner };
        let began = phases::begin();
        let came = coming.await;
        self.spent_ms += began.elapsed_ms();
        began.end(Phase::Wait);
        self.assign();
        let Ok(bytes) = came else { return Turn::Stopped(WORKER_STOPPED) };
        let began = phases::begin();
        let unpack = || formats::by_id(&self.order.claim.format)?.unpacked_rows(&bytes?);
        let piece = unpack();
        self.spent_ms += began.elapsed_ms();
        began.end(Phase::Unpack);
        piece.map_or(Turn::Owner, Turn::Read)
    }
}

impl RowHelpers for RowTeam<'_> {
    fn n_rows_min(&self) -> u64 {
        self.plan.n_rows_min()
    }

    fn prepare(&mut self) {
        self.helpers = Helper::team(self.plan.n_threads.saturating_sub(1));
    }

    fn plan(&mut self, pieces: Vec<RowRange>) {
        let n_readers = self.plan.n_threads.min(pieces.len());
        self.helpers.truncate(n_readers.saturating_sub(1));
        self.schedule = Schedule::new(pieces.iter().map(|piece| piece.rows.clone()).collect::<Vec<_>>().into_iter(), n_readers);
        self.pieces = pieces;
    }

    fn turn(&mut self, piece: usize) -> WaitForTurn<'_> {
        Box::pin(self.next(piece))
    }

    fn spent_ms(&self) -> f64 {
        self.spent_ms
    }
}
