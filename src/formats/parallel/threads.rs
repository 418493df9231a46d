//! Pieces on threads of the operating system.

use super::HELPER_STOPPED;
use crate::base::Member;
use crate::base::phases::{self, Phase};
use crate::formats::import::{BLOCK, Feeder, feed_range};
use crate::formats::{ImportError, Piece, Split};
use std::ops::Range;

/// How much of a member tells of what kind its root is, bytes.
const HEAD: u64 = 4096;

/// Each of `n_threads` reads every `n_threads`-th piece; this one also adds those of the others.
pub(super) fn side_by_side(
    feeder: &mut Feeder,
    split: &'static dyn Split,
    member: &Member,
    pieces: &[Range<u64>],
    n_threads: usize,
) -> Result<(), ImportError> {
    let head = member.read_up_to(0, HEAD)?;
    let head = head.as_slice();
    std::thread::scope(|scope| {
        let (mut lines, mut handles) = (Vec::new(), Vec::new());
        for helper in 1..n_threads {
            // One that is finished, one that is being read.
            let (sender, receiver) = std::sync::mpsc::sync_channel(1);
            let read = move || {
                for range in pieces[helper..].iter().step_by(n_threads) {
                    let piece = read_piece(split, member, head, range.clone());
                    if sender.send(piece).is_err() {
                        break;
                    }
                }
            };
            lines.push(receiver);
            // Where the system gives no thread, nothing is sent, and the pieces are read here.
            handles.extend(std::thread::Builder::new().spawn_scoped(scope, read));
        }
        let mut add = || -> Result<(), ImportError> {
            for (i, range) in pieces.iter().enumerate() {
                if let Some(line) = (i % n_threads).checked_sub(1).and_then(|helper| lines.get(helper)) {
                    let is_added = match phases::time(Phase::Wait, || line.recv()) {
                        // One that does not begin between two records is not added.
                        Ok(Some(piece)) => feeder.absorb(piece, range.end - range.start),
                        // Its bytes cannot be read: what is wrong shows when they are read in order.
                        Ok(None) => false,
                        Err(_) => {
                            feeder.note(HELPER_STOPPED);
                            false
                        }
                    };
                    if is_added {
                        continue;
                    }
                }
                feed_range(feeder, member, range.clone())?;
            }
            Ok(())
        };
        let added = add();
        drop(lines);
        for handle in handles {
            // One that panicked has been noted above.
            drop(handle.join());
        }
        added
    })
}

/// Reads a piece; `None` where its bytes cannot be read.
fn read_piece(split: &dyn Split, member: &Member, head: &[u8], range: Range<u64>) -> Option<Box<dyn Piece>> {
    let mut piece = split.piece(head, range.start)?;
    let mut offset = range.start;
    while offset < range.end {
        let block = phases::time(Phase::Read, || member.read_up_to(offset, BLOCK.min(range.end - offset))).ok()?;
        piece.expect(offset - range.start, range.end - range.start);
        phases::time(Phase::Parse, || piece.feed(&block));
        offset += block.len() as u64;
    }
    Some(piece)
}
