//! An import in progress: what its parts share.

use super::activity::Activity;
use super::info::{self, Info, Span as Bytes};
use super::records::{RECORD, Record};
use super::totals::Totals;
use super::usage;
use super::words::Words;
use crate::base::Order as _;
use crate::base::{Ledger, Member, Severity, for_each_chunk};
use crate::formats::file_name::file_name;
use crate::formats::neff::{Program, hex};
use crate::formats::neuron_json::timeline::{Span, Timeline};
use crate::formats::read_ahead::ReadAhead;
use crate::formats::{ImportError, ProgressReporter};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An import in progress.
pub(super) struct Job<'a, 'b> {
    pub member: &'a Member,
    pub info: Info,
    pub timeline: Timeline,
    pub ledger: &'a mut Ledger,
    /// Picoseconds on the device clock.
    pub window: (u64, u64),
    /// What was loaded, and what its words say.
    pub words: Words,
    /// Names of the compiler's programs, by (core, engine).
    pub named: FxHashMap<(u64, usize), Rc<Program>>,
    /// Slices by (core, BIR id).
    pub executions: FxHashMap<(u64, u64), Vec<u32>>,
    /// Instructions that read or write on the chip, by core.
    pub runs: FxHashMap<usize, usage::Runs>,
    /// What the executed words read and wrote; `None` where not all are decoded.
    pub totals: Option<Totals>,
    /// When engines and queues ran.
    pub activity: Activity,
    /// Records without their partner within the window: (ends, starts) of instructions and of transfers.
    pub unpaired: [(u64, u64); 2],
    pub watch: &'a mut ProgressReporter<'b>,
    /// Brings the records.
    pub reader: &'a mut dyn ReadAhead,
}

impl Job<'_, '_> {
    /// Nanoseconds since the window's start, whole ones.
    #[inline]
    pub fn ns(&self, time: u64) -> i64 {
        match time.checked_sub(self.window.0) {
            Some(since) => (since / 1000) as i64,
            None => -((self.window.0 - time).div_ceil(1000) as i64),
        }
    }

    /// An execution or a packet between two records, whose times are in the execution window.
    #[inline]
    pub fn span(&self, start: &Record, end: &Record) -> Span {
        let from = start.time();
        let (since, duration) = (from.saturating_sub(self.window.0), end.time().saturating_sub(from));
        let (since_ns, duration_ns) = (since / 1000, duration / 1000);
        Span {
            start: since_ns as i64,
            duration: duration_ns as i64,
            record: start.place(),
            end_distance: start.distance(end),
            rest: ((since - since_ns * 1000) as u16, (duration - duration_ns * 1000) as u16),
        }
    }

    /// Whether a moment lies in the execution window.
    #[inline]
    pub fn is_inside(&self, time: u64) -> bool {
        (self.window.0..=self.window.1).contains(&time)
    }

    /// Counts records that the execution window leaves out.
    pub fn outside(&mut self, n: u64, offset: u64) {
        let reason = "Records before or after the execution window belong to setup or another run; the profiler skips them too.";
        self.ledger.skip_n(Severity::Info, "outside_window", reason, n, offset, String::new);
    }

    /// Accounts for the end of an instruction or a transfer, by its place in [`Job::unpaired`], without a start.
    pub fn end_without_start(&mut self, kind: usize, record: &Record, reason: &str) {
        if !self.is_inside(record.time()) {
            return self.outside(1, record.offset);
        }
        self.unpaired[kind].0 += 1;
        self.ledger.skip(Severity::DataLoss, "end_without_start", reason, record.offset, || hex(&record.bytes));
    }

    /// The same for the starts that are left at the end of a region.
    pub fn starts_without_end(&mut self, kind: usize, mut starts: Vec<Record>, reason: &str) {
        starts.order_by_key(|record| record.offset);
        for record in starts {
            if self.is_inside(record.time()) {
                self.unpaired[kind].1 += 1;
                self.ledger.skip(Severity::Warning, "start_without_end", reason, record.offset, || hex(&record.bytes));
            } else {
                self.outside(1, record.offset);
            }
        }
    }

    /// Shows a record of a kind we do not know, and counts it.
    pub fn unknown(&mut self, core: usize, what: &str, record: &Record) {
        let reason = "A record of an unknown kind: shown as an instant in the row `Other records`.";
        let text = || format!("{what}: {}", hex(&record.bytes));
        self.ledger.skip(Severity::Warning, "unknown_record", reason, record.offset, text);
        if self.is_inside(record.time()) {
            let time = self.ns(record.time());
            self.timeline.other(core, what, (time, record.place()));
        }
    }

    /// The subgraph on a core.
    pub fn subgraph(&self, nc: u64) -> Option<Rc<info::Subgraph>> {
        self.info.subgraphs.iter().find(|s| s.nc == nc).cloned()
    }

    /// Calls `each` for every record of a range, which is the next one that was planned.
    pub async fn for_each(&mut self, span: Bytes, each: &mut impl FnMut(&mut Self, Record)) -> Result<(), ImportError> {
        self.for_each_part(span, &mut |job, part, offset| Record::all(part, offset).for_each(|record| each(job, record))).await
    }

    /// Calls `each` with some records at a time, and where the first of them stands.
    async fn for_each_part(&mut self, span: Bytes, each: &mut dyn FnMut(&mut Self, &[u8], u64)) -> Result<(), ImportError> {
        let (mut n_left, mut block) = (span.n_bytes, Vec::new());
        while n_left > 0 {
            let Some(at) = self.reader.next(&mut block).await? else {
                let name = file_name(&self.member.name);
                return Err(ImportError::Invalid(format!(
                    "Expected {n_left} more bytes of records in `{name}`, found the end of what was read."
                )));
            };
            for_each_chunk(block.len() / RECORD as usize, &mut |part| {
                let bytes = part.start * RECORD as usize..part.end * RECORD as usize;
                each(self, &block[bytes], at + part.start as u64 * RECORD);
            });
            self.watch.read(block.len() as u64, block.len() as u64 / RECORD, &self.timeline.builder);
            n_left = n_left.saturating_sub(block.len() as u64);
        }
        Ok(())
    }
}
