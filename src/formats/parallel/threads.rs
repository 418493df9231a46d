//! Threads of the operating system.

use super::HELPER_STOPPED;
use crate::base::phases::{self, Phase};
use crate::base::{InputError, Member};
use crate::formats::feeder::{Feeder, feed_range};
use crate::formats::gzip::{Inflater, Stop};
use crate::formats::heads::BLOCK;
use crate::formats::{ImportError, Piece, Split};
use std::ops::Range;
use std::sync::mpsc::{SyncSender, sync_channel};

/// Bytes at the start of a member that are enough to see the type of its root.
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
            let (sender, receiver) = sync_channel(1);
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

/// What goes from the thread that inflates to the one that parses.
enum Inflated {
    Text(Vec<u8>),
    /// Bytes of the file that were read so far.
    Passed(u64),
}

/// Texts on their way, of 1 MiB each.
const N_TEXTS: usize = 16;

/// Feeds a gzip file that another thread inflates.
pub(super) fn inflate_beside(feeder: &mut Feeder, member: &Member) -> Result<(), ImportError> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(N_TEXTS);
        let Ok(handle) = std::thread::Builder::new().spawn_scoped(scope, move || inflate(member, &sender)) else {
            return feed_range(feeder, member, 0..member.len());
        };
        let mut add = |part| match part {
            Inflated::Text(text) => feeder.feed_inflated(&text),
            Inflated::Passed(n_bytes) => {
                feeder.pass(n_bytes);
                Ok(())
            }
        };
        let mut fed = Ok(());
        while fed.is_ok()
            && let Ok(part) = phases::time(Phase::Wait, || receiver.recv())
        {
            fed = add(part);
        }
        drop(receiver);
        let inflated = handle.join();
        fed?;
        match inflated {
            Ok(Ok((inflater, stop))) => feeder.end_inflating(inflater, stop),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(ImportError::Invalid("A thread that inflated the file stopped.".into())),
        }
    })
}

/// What inflated a file, and why it stopped if it did, in the block that begins there.
type Ended = (Inflater, Option<(u64, Stop<ImportError>)>);

/// Inflates all of a member.
fn inflate(member: &Member, sender: &SyncSender<Inflated>) -> Result<Ended, InputError> {
    let mut inflater = Inflater::default();
    let mut offset = 0;
    while offset < member.len() {
        let block = phases::time(Phase::Read, || member.read_up_to(offset, BLOCK))?;
        let (began, mut waited_ms) = (phases::begin(), 0.0);
        let pushed = inflater.push(&block, &mut |text| {
            let began = phases::begin();
            let sent = sender.send(Inflated::Text(text.to_vec()));
            waited_ms += began.elapsed_ms();
            // Whoever parses has stopped, and knows why.
            sent.map_err(|_| ImportError::Cancelled)
        });
        began.end_without(Phase::Inflate, waited_ms);
        if let Err(stop) = pushed {
            return Ok((inflater, Some((offset, stop))));
        }
        offset += block.len() as u64;
        if sender.send(Inflated::Passed(block.len() as u64)).is_err() {
            break;
        }
    }
    Ok((inflater, None))
}
