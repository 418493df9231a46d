//! Reads a gzip file with helpers: this worker inflates it, helpers parse pieces of its text, which are added in order.

use super::blob::Blocks;
use super::error::WorkerError;
use super::helpers::{Helper, PendingPiece};
use super::protocol::PieceOrder;
use crate::base::hash::PassingHash;
use crate::base::phases::{self, Phase};
use crate::base::{InputError, SourceError};
use crate::formats::gzip::{Inflater, Stop};
use crate::formats::import::Feeder;
use crate::formats::parallel::{LOOK, WORKER_STOPPED};
use crate::formats::{Claim, Split};
use js_sys::Uint8Array;
use std::collections::VecDeque;

/// Bytes of text that a helper gets at once. What it has not parsed yet is kept here as well, should it break down.
const PIECE: usize = 8 << 20;
/// Bytes of the file that are inflated at a go: some megabytes of text.
const STEP: usize = 128 << 10;
/// Bytes at the start of the text that are enough to see the type of its root.
const HEAD: usize = 4096;
/// Shorter files are inflated and parsed before helpers could help, bytes.
pub(super) const GZIP_MIN: u64 = 2 << 20;

/// A gzip file that is being read.
pub(super) struct Inflating<'a> {
    feeder: &'a mut Feeder,
    split: &'static dyn Split,
    helpers: Vec<Helper>,
    /// Template of every order; number and range are filled in.
    order: PieceOrder,
    /// Inflated text that is not assigned to a helper yet.
    text: Vec<u8>,
    /// Place of its first byte in all text.
    at: u64,
    /// Pieces that helpers parse, in the order of the file, with their text.
    pending: VecDeque<(PendingPiece, Uint8Array)>,
    n_orders: u32,
}

impl<'a> Inflating<'a> {
    /// Begins to read a file with `n_readers` workers, including this one.
    pub fn new(feeder: &'a mut Feeder, split: &'static dyn Split, (claim, path): (&Claim, &str), n_readers: usize) -> Self {
        let order = PieceOrder { number: 0, claim: claim.clone(), path: path.into(), from: 0, to: 0, head: Vec::new() };
        let helpers = Helper::team(n_readers.saturating_sub(1));
        Inflating { feeder, split, helpers, order, text: Vec::new(), at: 0, pending: VecDeque::new(), n_orders: 0 }
    }

    /// Reads all of it; calls `report` after each piece. `unreadable` names the file in an error of the browser.
    pub async fn feed(
        mut self,
        mut blocks: Blocks,
        hash: &mut PassingHash,
        report: &mut dyn FnMut(&mut Feeder),
        unreadable: &dyn Fn(SourceError) -> InputError,
    ) -> Result<(), WorkerError> {
        let (mut inflater, mut n_read) = (Inflater::default(), 0);
        let stop = 'file: loop {
            let began = phases::begin();
            let Some(block) = blocks.next().await.map_err(unreadable)? else { break None };
            began.end(Phase::Read);
            hash.pass(block);
            for step in block.chunks(STEP) {
                let text = &mut self.text;
                let pushed = phases::time(Phase::Inflate, || {
                    inflater.push(step, &mut |part| {
                        text.extend_from_slice(part);
                        Ok(())
                    })
                });
                if let Err(stop) = pushed {
                    break 'file Some((n_read, stop));
                }
                n_read += step.len() as u64;
                self.feeder.pass(step.len() as u64);
                self.hand_over(report).await?;
            }
        };
        let rest = std::mem::take(&mut self.text);
        self.add_pending(0, report).await?;
        self.feeder.feed_inflated(&rest)?;
        let stop = stop.map(|(offset, stop)| (offset, without_receiver(stop)));
        Ok(self.feeder.end_inflating(inflater, stop)?)
    }

    /// Gives complete pieces of the text to helpers, or parses them here while no helper is ready.
    async fn hand_over(&mut self, report: &mut dyn FnMut(&mut Feeder)) -> Result<(), WorkerError> {
        // The first piece is short, so that lanes appear at once.
        while self.text.len() >= if self.at == 0 { PIECE / 4 } else { PIECE } {
            let look = self.text.len() - (LOOK as usize).min(self.text.len() / 2);
            let Some(first) = self.split.first_record(&self.text[look..]) else { return Ok(()) };
            let rest = self.text.split_off(look + first);
            let piece = std::mem::replace(&mut self.text, rest);
            let (from, to) = (self.at, self.at + piece.len() as u64);
            self.at = to;
            if from == 0 {
                self.order.head = piece[..piece.len().min(HEAD)].to_vec();
            }
            self.add_pending(2 * self.helpers.len().max(1) - 1, report).await?;
            let helper = self.helpers.iter().filter(|h| from > 0 && h.has_room()).min_by_key(|h| !h.is_idle());
            match helper {
                Some(helper) => {
                    self.n_orders += 1;
                    let order = PieceOrder { number: self.n_orders, from, to, ..self.order.clone() };
                    let text = Uint8Array::from(piece.as_slice());
                    self.pending.push_back((helper.read_text(order, &text), text));
                }
                None => {
                    self.add_pending(0, report).await?;
                    self.feeder.feed_inflated(&piece)?;
                    report(self.feeder);
                }
            }
        }
        Ok(())
    }

    /// Waits for the oldest pieces and adds them, until no more than `n` are left.
    async fn add_pending(&mut self, n: usize, report: &mut dyn FnMut(&mut Feeder)) -> Result<(), WorkerError> {
        while self.pending.len() > n {
            let Some((coming, text)) = self.pending.pop_front() else { break };
            let began = phases::begin();
            let came = coming.await;
            began.end(Phase::Wait);
            let piece = match came {
                Ok(bytes) => phases::time(Phase::Unpack, || self.split.unpacked(&bytes?)),
                Err(_) => {
                    self.feeder.note(WORKER_STOPPED);
                    None
                }
            };
            // No bytes of the file: they passed when they were inflated.
            if !piece.is_some_and(|piece| self.feeder.absorb(piece, 0)) {
                self.feeder.feed_inflated(&text.to_vec())?;
            }
            report(self.feeder);
        }
        Ok(())
    }
}

/// The text is only collected: that never fails.
fn without_receiver<E>(stop: Stop<std::convert::Infallible>) -> Stop<E> {
    match stop {
        Stop::Damaged { offset, why } => Stop::Damaged { offset, why },
        Stop::TooLong => Stop::TooLong,
        Stop::Receiver(never) => match never {},
    }
}
