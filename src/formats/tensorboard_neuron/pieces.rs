//! A timeline read in pieces, each by a thread of its own.

use super::chrome::Chrome;
use super::deferred::Deferred;
use crate::base::Ledger;
use crate::formats::json::{Sink as _, Splitter, next_record};
use crate::formats::{Piece, Split};
use crate::model::{RawSliceId, Renamed};
use serde::{Deserialize, Serialize};

/// Timelines are cut before a record.
pub(super) struct TimelinePieces;

/// Records of a timeline from one cut to the next; their ledger is that of `chrome`.
#[derive(Serialize, Deserialize)]
pub(super) struct TimelinePiece {
    pub splitter: Splitter,
    pub chrome: Chrome,
    pub from: u64,
}

impl Split for TimelinePieces {
    fn first_record(&self, text: &[u8]) -> Option<usize> {
        next_record(text)
    }

    fn piece(&self, head: &[u8], offset: u64) -> Option<Box<dyn Piece>> {
        let splitter = Splitter::of_piece(head, offset)?;
        Some(Box::new(TimelinePiece { splitter, chrome: Chrome::of_piece(), from: offset }))
    }

    fn unpacked(&self, bytes: &[u8]) -> Option<Box<dyn Piece>> {
        Some(Box::new(postcard::from_bytes::<TimelinePiece>(bytes).ok()?))
    }
}

impl Piece for TimelinePiece {
    fn feed(&mut self, block: &[u8]) {
        self.splitter.feed(block, &mut self.chrome);
    }

    fn packed(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }

    fn expect(&mut self, _read_bytes: u64, _total_bytes: u64) {}
}

/// A row of a piece: a process, or a thread of one.
#[derive(Clone, Copy)]
enum Row<'a> {
    Process(&'a [u8]),
    Thread(&'a [u8], &'a [u8]),
}

impl Chrome {
    /// Whether `piece` can be added: what depends on the text before it is little.
    pub fn can_absorb(&self, piece: &Chrome) -> bool {
        let n_slices = self.builder.n_slices() + piece.builder.n_slices();
        piece.deferred.as_ref().is_some_and(Deferred::is_small) && u32::try_from(n_slices).is_ok()
    }

    /// Adds `piece`, the records after those read so far. Strings and rows get their ids in the order in which they are first seen in the file.
    pub fn absorb(&mut self, piece: Chrome) {
        let strings = self.builder.strings.absorb(piece.builder.strings.table());
        let mut rows: Vec<Option<Row<'_>>> = vec![None; piece.builder.track_specs().len()];
        piece.processes.iter().for_each(|(pid, (track, _))| rows[track.index()] = Some(Row::Process(pid)));
        for (pid, threads) in &piece.threads {
            threads.iter().for_each(|(tid, track)| rows[track.index()] = Some(Row::Thread(pid, tid)));
        }
        let place = |row| match row {
            Some(Row::Process(pid)) => self.process(pid),
            Some(Row::Thread(pid, tid)) => self.find_thread(pid, tid),
            // No other row is made while records are read.
            None => Default::default(),
        };
        let tracks: Vec<_> = rows.into_iter().map(place).collect();
        let mut account = piece.ledger;
        self.settle(piece.deferred.unwrap_or_default(), &mut account);
        let renamed = Renamed { strings: &strings, tracks: &tracks };
        let first = self.builder.append(piece.builder, &renamed);
        let fused = piece.fused.into_iter();
        self.fused.extend(fused.map(|(slice, ids)| (slice + first, ids.into_iter().map(|id| renamed.string(id)).collect())));
        for (track, slices) in piece.open {
            self.open.entry(renamed.track(track)).or_default().extend(slices.into_iter().map(|slice| slice + first));
        }
        self.n_records += piece.n_records;
        self.ledger.absorb(account);
        for slice in first..self.builder.n_slices() as RawSliceId {
            if self.preview.is_full() {
                break;
            }
            let (start, duration, name) = self.builder.raw(slice);
            self.preview.slice(self.builder.track_of(slice), (start, duration), name);
        }
    }

    /// Reads what depends on the text before the piece; `account` is the piece's ledger.
    fn settle(&mut self, deferred: Deferred, account: &mut Ledger) {
        let own = std::mem::take(&mut self.ledger);
        // Where each reason was first met.
        let mut first_met = Vec::new();
        for late in deferred.all {
            match &late.key {
                Some(key) => self.value(key, &late.text, late.offset),
                None => drop(self.text(&late.text, late.offset)),
            }
            first_met.resize(self.ledger.skipped.len(), late.offset);
        }
        account.interleave(std::mem::replace(&mut self.ledger, own), &first_met);
    }
}
