//! Pieces of tables, read by threads of the operating system.

use super::{HELPER_STOPPED, Plan};
use crate::base::phases::{self, Phase};
use crate::base::{InputSet, Ledger};
use crate::formats::read_ahead::at_once;
use crate::formats::row_pieces::{RowHelpers, RowPiece, RowRange, Turn, WaitForTurn};
use crate::formats::{Claim, Format, ImportError, ProgressReporter};
use crate::model::Profile;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

/// Imports a claim at random access: bytes are waited for while they are parsed. Where the format reads tables side by side, with the threads of `plan`.
pub(in crate::formats) fn at_random_access(
    format: &dyn Format,
    (input, claim): (&InputSet, &Claim),
    ledger: &mut Ledger,
    watch: &mut ProgressReporter,
    plan: Plan,
) -> Result<Profile, ImportError> {
    std::thread::scope(|scope| {
        let began = phases::begin();
        let mut threads = RowThreads { scope, format, input, plan, lines: Vec::new(), handles: Vec::new(), waited_ms: 0.0 };
        let read = match plan.n_threads {
            0 | 1 => None,
            _ => format.import_side_by_side(input, claim, ledger, watch, &mut threads).map(at_once),
        };
        let profile = read.unwrap_or_else(|| format.import(input, claim, ledger, watch));
        began.end_without(Phase::Parse, threads.waited_ms);
        // Who still reads has nobody to send to.
        threads.lines.clear();
        for handle in threads.handles {
            // One that panicked has been noted.
            drop(handle.join());
        }
        profile
    })
}

/// A piece with its place in the plan; `None` where it cannot be read.
type Sent = (usize, Option<Box<dyn RowPiece>>);

/// Threads that read every n-th piece.
struct RowThreads<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    format: &'env dyn Format,
    input: &'env InputSet,
    plan: Plan,
    /// One for each thread.
    lines: Vec<Receiver<Sent>>,
    handles: Vec<ScopedJoinHandle<'scope, ()>>,
    /// Milliseconds waited for them.
    waited_ms: f64,
}

impl RowHelpers for RowThreads<'_, '_> {
    fn n_rows_min(&self) -> u64 {
        self.plan.n_rows_min()
    }

    fn plan(&mut self, pieces: Vec<RowRange>) {
        let n_readers = self.plan.n_threads.min(pieces.len());
        for helper in 1..n_readers {
            // One that is finished, one that is being read.
            let (sender, receiver) = sync_channel(1);
            let (format, input) = (self.format, self.input);
            let own: Vec<(usize, RowRange)> = pieces.iter().cloned().enumerate().skip(helper).step_by(n_readers).collect();
            let read = move || {
                let Some(mut reader) = format.row_reader(input) else { return };
                for (place, rows) in own {
                    let piece = phases::time(Phase::Parse, || reader.read(&rows));
                    if sender.send((place, piece)).is_err() {
                        break;
                    }
                }
            };
            self.lines.push(receiver);
            // Where the system gives no thread, nothing is sent, and the pieces are read by the owner.
            self.handles.extend(std::thread::Builder::new().spawn_scoped(self.scope, read));
        }
    }

    fn turn(&mut self, piece: usize) -> WaitForTurn<'_> {
        let n_readers = self.lines.len() + 1;
        let line = (piece % n_readers).checked_sub(1).and_then(|helper| self.lines.get(helper));
        let began = phases::begin();
        // After an error the owner leaves pieces out.
        let came = line.map(|line| std::iter::from_fn(|| line.recv().ok()).find(|sent| sent.0 >= piece));
        self.waited_ms += began.elapsed_ms();
        began.end(Phase::Wait);
        Box::pin(std::future::ready(match came {
            None | Some(Some((_, None))) => Turn::Owner,
            Some(Some((_, Some(read)))) => Turn::Read(read),
            Some(None) => Turn::Stopped(HELPER_STOPPED),
        }))
    }

    fn spent_ms(&self) -> f64 {
        self.waited_ms
    }
}
