//! Reads a file in pieces: some by this worker, the others by helpers, and adds them in the order of the file.

use super::blob::Blocks;
use super::error::WorkerError;
use super::helpers::{Helper, PendingPiece};
use super::protocol::PieceOrder;
use super::reader::Reader;
use crate::base::phases::{self, Phase};
use crate::base::{InputError, Member, SourceError};
use crate::formats::import::Feeder;
use crate::formats::parallel::{Cuts, Plan, Schedule, WORKER_STOPPED};
use crate::formats::{Claim, Split};
use std::collections::HashMap;
use web_sys::File;

/// Bytes at the start of a member that are enough to see the type of its root.
const HEAD: u64 = 4096;

/// A member that is read in pieces.
pub(super) struct InPieces<'a> {
    /// The claim that is read.
    pub claim: &'a Claim,
    /// Its bytes at random access, for the cuts.
    pub member: &'a Member,
    /// Its bytes, block by block.
    pub file: &'a File,
    /// How it is cut.
    pub split: &'static dyn Split,
    /// Number of workers, including this one.
    pub plan: Plan,
}

/// The helpers, and the pieces they read.
struct Team {
    helpers: Vec<Helper>,
    /// Keyed by number of the piece.
    coming: HashMap<usize, PendingPiece>,
    /// Template of every order; number and range are filled in.
    order: PieceOrder,
    file: File,
}

impl Team {
    /// Assigns pieces to helpers with room, idle helpers first.
    fn assign(&mut self, schedule: &mut Schedule<Cuts<'_>>) {
        for is_idle in [true, false] {
            for helper in self.helpers.iter().filter(|helper| helper.has_room() && helper.is_idle() == is_idle) {
                let Some((number, range)) = schedule.assign(is_idle) else { return };
                let order = PieceOrder { number: number as u32, from: range.start, to: range.end, ..self.order.clone() };
                self.coming.insert(number, helper.read(order, &self.file));
            }
        }
    }
}

impl InPieces<'_> {
    /// Feeds all of the member; calls `report` after each block and piece. `unreadable` names the file in an error of the browser.
    pub async fn feed(
        &self,
        feeder: &mut Feeder,
        report: &mut dyn FnMut(&mut Feeder),
        unreadable: &dyn Fn(SourceError) -> InputError,
    ) -> Result<(), WorkerError> {
        let InPieces { claim, member, file, split, plan } = self;
        let cuts = Cuts::new(*split, member, plan.bytes_of_piece(member.len()));
        let mut schedule = Schedule::new(cuts, plan.n_threads);
        let head = member.read_up_to(0, HEAD)?;
        let order = PieceOrder { number: 0, claim: (*claim).clone(), path: member.name.clone(), from: 0, to: 0, head };
        let mut team =
            Team { helpers: Helper::team(plan.n_threads.saturating_sub(1)), coming: HashMap::new(), order, file: (*file).clone() };
        // The next piece of this worker's own: its bytes are on their way while pieces of others are added.
        let mut next: Option<(usize, Blocks)> = None;
        while let Some(due) = schedule.due() {
            if due.is_assigned {
                let n_bytes = due.range.end - due.range.start;
                if self.add(feeder, team.coming.remove(&due.number), n_bytes).await {
                    schedule.added();
                    team.assign(&mut schedule);
                    report(feeder);
                    continue;
                }
            }
            let mut blocks = match next.take_if(|next| next.0 == due.number) {
                Some((_, blocks)) => blocks,
                None => Blocks::of_range(file, due.range, Reader::shared()).map_err(unreadable)?,
            };
            loop {
                team.assign(&mut schedule);
                let began = phases::begin();
                let Some(block) = blocks.next().await.map_err(unreadable)? else { break };
                began.end(Phase::Read);
                feeder.feed(block)?;
                report(feeder);
            }
            if let Some((number, range)) = schedule.keep().filter(|_| next.is_none()) {
                next = Blocks::of_range(file, range, Reader::shared()).ok().map(|blocks| (number, blocks));
            }
            schedule.added();
        }
        Ok(())
    }

    /// Waits for a piece and adds it. `false`: its bytes have to be read here.
    async fn add(&self, feeder: &mut Feeder, coming: Option<PendingPiece>, n_bytes: u64) -> bool {
        let Some(coming) = coming else { return false };
        let began = phases::begin();
        let came = coming.await;
        began.end(Phase::Wait);
        match came {
            Ok(bytes) => {
                let piece = phases::time(Phase::Unpack, || bytes.and_then(|bytes| self.split.unpacked(&bytes)));
                piece.is_some_and(|piece| feeder.absorb(piece, n_bytes))
            }
            Err(_) => {
                feeder.note(WORKER_STOPPED);
                false
            }
        }
    }
}
