//! The execution window of a trace: from when to when the run lasted.

use super::info::{Info, Span as Bytes};
use super::records::{self, Record, Step};
use crate::base::{Ledger, Member};
use crate::formats::ImportError;

/// How much is read at a time where records are read out of their order.
const BLOCK: u64 = 8 << 20;
/// One cycle at 1.2 GHz: the window ends that long after its last record.
pub(super) const CYCLE_PS: u64 = 833;

/// Calls `each` with the bytes of a range, block by block, and where they stand.
pub(super) fn blocks(member: &Member, span: Bytes, each: &mut dyn FnMut(&[u8], u64)) -> Result<(), ImportError> {
    let end = span.offset.saturating_add(span.n_bytes);
    let (mut at, mut block) = (span.offset, Vec::new());
    while at < end {
        member.read_into(at, BLOCK.min(end - at), &mut block)?;
        each(&block, at);
        at += block.len() as u64;
    }
    Ok(())
}

/// The execution window as stored, or as far as records show.
pub(super) fn window(member: &Member, info: &Info, ledger: &mut Ledger) -> Result<(u64, u64), ImportError> {
    if let Some(window) = info.window {
        return Ok(window);
    }
    let (mut first, mut last, mut run_end) = (u64::MAX, 0, None);
    let main = info.subgraphs.first();
    for region in info.regions.iter().filter(|r| r.trace == records::INSTRUCTIONS && r.block == 0) {
        let mut each = |record: Record| {
            let Some(step) = Step::read(&record) else {
                return;
            };
            (first, last) = (first.min(record.time()), last.max(record.time()));
            if step.is_end && step.is_last && step.engine == 2 && main.is_some_and(|m| m.nc == region.nc) {
                run_end = run_end.max(Some(record.time().saturating_add(CYCLE_PS)));
            }
        };
        blocks(member, region.span, &mut |block, at| Record::all(block, at).for_each(&mut each))?;
    }
    if first > last {
        return Ok((0, 0));
    }
    let duration = info.subgraphs.iter().map(|s| s.duration_ps).max().unwrap_or(0);
    let Some(end) = run_end.filter(|_| duration > 0) else {
        ledger.note("The execution window is not recorded in this file; all records from the first instruction on are shown.");
        return Ok((first, last));
    };
    ledger.note(
        "The start of the execution window is not recorded in this file: it is computed from the end of the last run and the recorded duration.",
    );
    Ok((end.saturating_sub(duration), end))
}
