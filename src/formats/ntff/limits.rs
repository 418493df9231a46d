//! Throttling: each record sets a limit of a core's Tensor engine, which holds until the next record of the core, or the last record of the run.

use super::info::Region;
use super::job::Job;
use super::records::Record;
use super::window::CYCLE_PS;
use crate::base::Order as _;
use crate::formats::ImportError;

/// A limit and how long it held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    /// Picoseconds on the device clock.
    pub from: u64,
    /// Nanoseconds, rounded down, as `neuron-profile` writes them in `ham`.
    pub duration: i64,
    /// `k` of `n` cycles may start a product.
    pub k: u8,
    pub n: u8,
    /// Kind of throttling: 0 without a limit, 1 with one (all six records of the public runs).
    pub kind: u8,
}

/// `k`, `n` and kind of a record; `None` if it is no such record.
fn read_record(record: &Record) -> Option<(u8, u8, u8)> {
    let [_, _, n, mark, k, kind, ..] = record.bytes;
    (mark == 0x9e && n > 0).then_some((k, n, kind))
}

/// The limits that begin in the execution window, by time.
pub(super) fn within(records: &[Record], window: (u64, u64)) -> Vec<Limit> {
    let mut found: Vec<(u64, (u8, u8, u8))> = records.iter().filter_map(|r| Some((r.time(), read_record(r)?))).collect();
    found.retain(|f| (window.0..=window.1).contains(&f.0));
    found.order_by_key(|f| f.0);
    // The window ends one cycle after the last record of the run.
    let end = window.1.saturating_sub(CYCLE_PS);
    let until = |at: usize| found.get(at + 1).map_or(end, |next| next.0);
    let limit = |(at, &(from, (k, n, kind))): (usize, &(u64, (u8, u8, u8)))| {
        let duration = i64::try_from(until(at).saturating_sub(from) / 1000).unwrap_or(i64::MAX);
        Limit { from, duration, k, n, kind }
    };
    found.iter().enumerate().map(limit).collect()
}

/// Reads a region of throttling records.
pub(super) async fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let mut records = Vec::new();
    job.for_each(region.span, &mut |job, record| match read_record(&record) {
        None => job.unknown(core, &format!("throttle record {:#04x}", record.bytes[3]), &record),
        Some(_) if !job.is_inside(record.time()) => job.outside(1, record.offset),
        Some(_) => records.push(record),
    })
    .await?;
    for limit in within(&records, job.window) {
        let ns = job.ns(limit.from);
        job.timeline.throttle(core, ns, Some(limit.duration), f64::from(limit.k) / f64::from(limit.n));
        job.ledger.shown += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(k: u8, n: u8, time: u64) -> Record {
        let mut bytes = [0, 0, n, 0x9e, k, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes[8..].copy_from_slice(&time.to_le_bytes());
        Record { bytes, offset: 0 }
    }

    #[test]
    fn a_limit_holds_until_the_next() {
        let records = [record(4, 8, 9_500), record(8, 8, 2_000), record(1, 0, 3_000), record(2, 8, 1), record(2, 8, 40_000)];
        let found: Vec<(u64, i64, u8)> = within(&records, (1_000, 21_333)).iter().map(|l| (l.from, l.duration, l.k)).collect();
        assert_eq!(found, [(2_000, 7, 8), (9_500, 11, 4)]);
        assert!(within(&[], (0, u64::MAX)).is_empty());
        assert_eq!(within(&[record(4, 8, 0), record(4, 8, 0)], (0, u64::MAX))[0].duration, 0, "two at once");
    }
}
