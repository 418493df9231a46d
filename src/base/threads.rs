//! Work side by side on threads of the system. The program of a browser's worker has one thread: there, all is done in order.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// Rows on which a thread saves more than it costs.
const MANY: usize = 1 << 16;

/// How many threads: as many as `AXONSCOPE_THREADS` says, otherwise one for each core of the machine.
#[cfg(not(target_arch = "wasm32"))]
pub fn n_threads() -> usize {
    let wanted = std::env::var("AXONSCOPE_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// One, that of the worker.
#[cfg(target_arch = "wasm32")]
pub fn n_threads() -> usize {
    1
}

fn n_threads_for(n_rows: usize) -> usize {
    if n_rows < MANY { 1 } else { n_threads() }
}

/// Does both; with many rows side by side.
pub fn both<A, B: Send>(n_rows: usize, first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    if n_threads_for(n_rows) < 2 {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        (first, second.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Calls `each` with every item, in order; with many rows side by side, so the items that take longest should come first.
pub fn for_each<T: Send>(n_rows: usize, items: Vec<T>, each: impl Fn(T) + Sync) {
    let n_helpers = n_threads_for(n_rows).min(items.len()).saturating_sub(1);
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || std::iter::from_fn(next).for_each(&each);
    if n_helpers == 0 {
        return work();
    }
    std::thread::scope(|scope| {
        (0..n_helpers).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_rows_are_all_worked_on() {
        for n_rows in [0, MANY] {
            let mut found = [0; 9];
            assert_eq!(both(n_rows, || 1, || 2), (1, 2));
            for_each(n_rows, found.iter_mut().zip(1..).collect(), |(place, value)| *place += value);
            assert_eq!(found, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        }
    }
}
