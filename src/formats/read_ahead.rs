//! Bytes of a member in an order that the importer knows before: a worker reads them while the importer works on those that came.

use super::ImportError;
use crate::base::phases::{self, Phase};
use crate::base::{InputError, Member};
use std::collections::VecDeque;
use std::future::Future;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// A wait for bytes.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = Result<T, InputError>> + 'a>>;

/// Reads ranges of a member block by block.
pub trait ReadAhead {
    /// Names the ranges that [`ReadAhead::next`] reads, in this order.
    fn plan(&mut self, ranges: Vec<Range<u64>>) -> Result<(), InputError>;
    /// Replaces `block` by the next bytes of the ranges; returns the offset at which they stand, or `None` at the end. A block is within one range,
    /// and each but the last of a range is a multiple of 64 KiB long.
    fn next<'a>(&'a mut self, block: &'a mut Vec<u8>) -> Waiting<'a, Option<u64>>;
}

/// How much is read at a time. A browser takes twice as long for the same bytes in blocks of 1 MiB.
const BLOCK: u64 = 8 << 20;

/// Reads when asked, or natively on a thread of its own: its waits never suspend an import.
pub struct WhenAsked {
    member: Member,
    ranges: VecDeque<Range<u64>>,
    #[cfg(not(target_arch = "wasm32"))]
    beside: Option<beside::Blocks>,
}

impl WhenAsked {
    /// Reads `member`.
    pub fn new(member: &Member) -> Self {
        WhenAsked {
            member: member.clone(),
            ranges: VecDeque::new(),
            #[cfg(not(target_arch = "wasm32"))]
            beside: None,
        }
    }

    fn read(&mut self, block: &mut Vec<u8>) -> Result<Option<u64>, InputError> {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(beside) = &self.beside {
            return beside.next(block);
        }
        let Some(at) = take(&mut self.ranges, BLOCK) else { return Ok(None) };
        self.member.read_into(at.start, at.end - at.start, block)?;
        Ok(Some(at.start))
    }
}

impl ReadAhead for WhenAsked {
    fn plan(&mut self, ranges: Vec<Range<u64>>) -> Result<(), InputError> {
        self.ranges = ranges.into();
        #[cfg(not(target_arch = "wasm32"))]
        if self.ranges.iter().fold(0u64, |sum, range| sum.saturating_add(range.end.saturating_sub(range.start))) >= beside::WORTH_A_THREAD {
            self.beside = beside::Blocks::new(&self.member, &self.ranges);
        }
        Ok(())
    }

    fn next<'a>(&'a mut self, block: &'a mut Vec<u8>) -> Waiting<'a, Option<u64>> {
        Box::pin(std::future::ready(self.read(block)))
    }
}

/// Reading on another thread.
#[cfg(not(target_arch = "wasm32"))]
mod beside {
    use super::{BLOCK, take};
    use crate::base::{InputError, Member};
    use crate::formats::parallel::Plan;
    use std::collections::VecDeque;
    use std::ops::Range;
    use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

    /// Bytes from which on a thread reads sooner than it takes to start it.
    pub const WORTH_A_THREAD: u64 = 4 * BLOCK;
    /// Blocks that wait.
    const AHEAD: usize = 2;

    /// Blocks on their way.
    pub struct Blocks {
        coming: Receiver<Result<(u64, Vec<u8>), InputError>>,
        /// Blocks that were used: their memory is used again.
        used: Sender<Vec<u8>>,
    }

    impl Blocks {
        /// Reads these ranges; `None` where everything is to be on one thread, or the system gives no other.
        pub fn new(member: &Member, ranges: &VecDeque<Range<u64>>) -> Option<Blocks> {
            let (sender, coming) = sync_channel(AHEAD);
            let (used, spare) = channel::<Vec<u8>>();
            let (member, mut ranges) = (member.clone(), ranges.clone());
            let read = move || {
                while let Some(at) = take(&mut ranges, BLOCK) {
                    let mut block = spare.try_recv().unwrap_or_default();
                    let read = member.read_into(at.start, at.end - at.start, &mut block).map(|()| (at.start, block));
                    // Nobody waits any more after an error, or when the import has ended.
                    if sender.send(read).is_err() {
                        break;
                    }
                }
            };
            (Plan::usual().n_threads > 1).then(|| std::thread::Builder::new().spawn(read).ok())??;
            Some(Blocks { coming, used })
        }

        /// As [`super::ReadAhead::next`].
        pub fn next(&self, block: &mut Vec<u8>) -> Result<Option<u64>, InputError> {
            let Ok(read) = self.coming.recv() else { return Ok(None) };
            let (at, bytes) = read?;
            // The thread may have ended.
            let _ = self.used.send(std::mem::replace(block, bytes));
            Ok(Some(at))
        }
    }
}

/// Takes at most `most` bytes off the front of the ranges; `None` when nothing is left.
pub fn take(ranges: &mut VecDeque<Range<u64>>, most: u64) -> Option<Range<u64>> {
    loop {
        let front = ranges.front_mut()?;
        if front.start >= front.end {
            ranges.pop_front();
            continue;
        }
        let part = front.start..front.end.min(front.start.saturating_add(most));
        front.start = part.end;
        return Some(part);
    }
}

/// Reads with another reader, and measures how long it waits.
pub(super) struct Timed<'a> {
    reader: &'a mut dyn ReadAhead,
    /// Milliseconds waited so far.
    pub waited_ms: f64,
}

impl<'a> Timed<'a> {
    pub fn new(reader: &'a mut dyn ReadAhead) -> Self {
        Timed { reader, waited_ms: 0.0 }
    }
}

impl ReadAhead for Timed<'_> {
    fn plan(&mut self, ranges: Vec<Range<u64>>) -> Result<(), InputError> {
        self.reader.plan(ranges)
    }

    fn next<'a>(&'a mut self, block: &'a mut Vec<u8>) -> Waiting<'a, Option<u64>> {
        Box::pin(async {
            let began = phases::begin();
            let read = self.reader.next(block).await;
            self.waited_ms += began.elapsed_ms();
            began.end(Phase::Read);
            read
        })
    }
}

/// The result of an import that reads with [`WhenAsked`]: it never waits.
pub fn at_once<T>(import: impl Future<Output = Result<T, ImportError>>) -> Result<T, ImportError> {
    match pin!(import).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(ImportError::Unsupported("This file is read in a worker only.".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::MemorySource;
    use std::sync::Arc;

    #[test]
    fn ranges_are_read_in_their_order() {
        let member = Member::new("a", Arc::new(MemorySource((0..100).collect())));
        let mut reader = WhenAsked::new(&member);
        assert_eq!(reader.plan(vec![90..95, 7..7, 0..3]), Ok(()));
        let read = at_once(async {
            let (mut found, mut block) = (Vec::new(), Vec::new());
            while let Some(at) = reader.next(&mut block).await? {
                found.push((at, block.clone()));
            }
            Ok(found)
        });
        assert_eq!(read, Ok(vec![(90, vec![90, 91, 92, 93, 94]), (0, vec![0, 1, 2])]));
        assert_eq!(reader.plan(vec![99..101, 0..0]), Ok(()));
        assert!(at_once(async { Ok(reader.next(&mut Vec::new()).await?) }).is_err());
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn long_ranges_are_read_on_a_thread() {
        let n = 2 * beside::WORTH_A_THREAD;
        let member = Member::new("a", Arc::new(MemorySource((0..n).map(|at| at as u8).collect())));
        let mut reader = WhenAsked::new(&member);
        assert_eq!(reader.plan(vec![1..n, 0..1]), Ok(()));
        let read = at_once(async {
            let (mut n_bytes, mut block, mut last) = (0, Vec::new(), 0);
            while let Some(at) = reader.next(&mut block).await? {
                assert!(block.iter().zip(at..).all(|(byte, at)| *byte == at as u8));
                (n_bytes, last) = (n_bytes + block.len() as u64, at);
            }
            Ok((n_bytes, last))
        });
        assert_eq!(read, Ok((n, 0)));
        assert_eq!(reader.plan(vec![0..n, n..n + 1]), Ok(()));
        let read = at_once(async {
            while reader.next(&mut Vec::new()).await?.is_some() {}
            Ok(())
        });
        assert!(read.is_err(), "what cannot be read is an error, not the end");
    }

    #[test]
    fn a_range_is_taken_part_by_part() {
        let mut ranges = VecDeque::from([0..10, 20..20, 30..31]);
        let parts: Vec<Range<u64>> = std::iter::from_fn(|| take(&mut ranges, 4)).collect();
        assert_eq!(parts, [0..4, 4..8, 8..10, 30..31]);
    }
}
