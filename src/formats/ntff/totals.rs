//! Bytes that the executed instructions of a trace read and wrote, as the summary of the device JSON counts them.

use super::isa::Counters;
use crate::model::Cell;

/// Sums over all executions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Executions.
    pub n_words: u64,
    sbuf_read: u64,
    sbuf_write: u64,
    psum_read: u64,
    psum_write: u64,
    evicted: u64,
    n_evicted: u64,
}

impl Totals {
    /// Adds `n_runs` executions of a word.
    pub fn add(&mut self, counters: &Counters, n_runs: u64) {
        let add = |sum: &mut u64, n: Option<u64>| *sum = sum.saturating_add(n.unwrap_or(0).saturating_mul(n_runs));
        self.n_words += n_runs;
        add(&mut self.sbuf_read, counters.sbuf_read);
        add(&mut self.sbuf_write, counters.sbuf_write);
        add(&mut self.psum_read, counters.psum_read);
        add(&mut self.psum_write, counters.psum_write);
        add(&mut self.evicted, counters.psum_to_sbuf);
        self.n_evicted += if counters.psum_to_sbuf.is_some() { n_runs } else { 0 };
    }

    /// The row of the table `instruction_totals`, with the names of the summary.
    pub fn row(&self) -> [(&'static str, Cell); 6] {
        let int = |n: u64| i64::try_from(n).map_or(Cell::Absent, Cell::Int);
        [
            ("sbuf_read_bytes", int(self.sbuf_read)),
            ("sbuf_write_bytes", int(self.sbuf_write)),
            ("psum_read_bytes", int(self.psum_read)),
            ("psum_write_bytes", int(self.psum_write)),
            ("psum_read_sbuf_write_bytes", int(self.evicted)),
            ("psum_read_sbuf_write_count", int(self.n_evicted)),
        ]
    }
}
