//! Bytes from and to HBM, and what the bandwidth of its stack would have allowed.

use super::{ChartContext, Charts, Memory, MemorySource as Source};
use crate::analysis::device::transfers::hbm;
use crate::analysis::device::waiting::gaps;
use crate::base::TimeRange;

pub(super) fn memory(given: &ChartContext<'_>, out: &mut Charts) {
    let available = given.facts.hbm_bandwidth().map(|b| (b * given.window.0 as f64 / 1e9).round() as u64);
    if available.is_none() {
        out.notes.push("Memory bandwidth utilization is not available: the metadata do not record the HBM bandwidth.".into());
    }
    let part = given.range.filter(|range| !gaps::holds_run(given.profile, *range));
    let found = match part {
        Some(range) => of_transfers(given, range),
        None => of_file(given).or_else(|| of_rows(given)),
    };
    out.memory = found.map(|m| Memory { available, ..m });
    match &out.memory {
        None if part.is_some() => {
            out.notes.push("HBM bytes in this range are not available: they are not recorded with instructions or transfers.".into())
        }
        None => out.notes.push("HBM bytes are not available: they are recorded neither in a summary nor with instructions.".into()),
        Some(m) if m.unused().is_some_and(|u| u == 0) => {
            out.notes.push("More bytes were transferred than one HBM stack can in this time: the run used several stacks.".into());
        }
        Some(_) => (),
    }
}

/// The file's own sums, of the whole run.
fn of_file(given: &ChartContext<'_>) -> Option<Memory> {
    let bytes = |name: &str| given.facts.number(name).filter(|b| *b >= 0.0).map(|b| b as u64);
    if given.range.is_some() {
        return None;
    }
    let (read, written) = (bytes("hbm_read_bytes")?, bytes("hbm_write_bytes")?);
    let spill = bytes("spill_reload_bytes").zip(bytes("spill_save_bytes"));
    let (reload, save) = spill.unwrap_or_default();
    let reloaded = spill.map(|s| s.0).or_else(|| bytes("hbm_reload_bytes"));
    Some(Memory {
        useful_read: given.facts.number("useful_read_percent").or_else(|| useful(read, reloaded?)),
        reloaded: spill.map(|s| s.0),
        read: read.saturating_sub(reload),
        written: written.saturating_sub(save),
        spilled: spill.map(|(reload, save)| reload.saturating_add(save)),
        source: Source::File,
        ..Memory::default()
    })
}

/// What was read except for reloads, as a share of what was read.
fn useful(read: u64, reloaded: u64) -> Option<f64> {
    (read > 0).then(|| read.saturating_sub(reloaded) as f64 / read as f64)
}

/// What transfers moved in a part of the run: instructions do not record when theirs ran.
fn of_transfers(given: &ChartContext<'_>, range: TimeRange) -> Option<Memory> {
    let moved = hbm::transferred(given.profile, given.device, range)?;
    Some(Memory { moved_by_dma: moved, source: Source::Transfers, ..Memory::default() })
}

/// The sums of the instructions that start in the range.
fn of_rows(given: &ChartContext<'_>) -> Option<Memory> {
    if given.device.hbm.is_empty() {
        return None;
    }
    let mut out = Memory::default();
    for row in hbm::started(given.profile, given.device, given.within) {
        out.read = out.read.saturating_add(row.read);
        out.written = out.written.saturating_add(row.written);
        if let Some(spilled) = row.spilled {
            out.spilled = Some(out.spilled.unwrap_or(0).saturating_add(spilled));
            // What was spilled is not distinguished by direction: saves are at most what was written.
            let saved = spilled.min(row.written);
            out.written -= saved;
            out.read -= (spilled - saved).min(row.read);
        }
    }
    // Without a direction: zero spilled bytes mean zero reloads.
    out.useful_read = if out.spilled == Some(0) { useful(out.read, 0) } else { None };
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reloads_are_no_useful_reads() {
        assert_eq!((useful(400, 100), useful(400, 0), useful(0, 0), useful(4, 9)), (Some(0.75), Some(1.0), None, Some(0.0)));
    }
}
