//! Records that have a place on the timeline, read from their fields.

use super::record::{Key, Values};
use super::timeline::{Attr, Curve, Instruction, Timeline, Transfer, Work};
use super::value::Raw;
use crate::model::RecordRef;

/// What a record lacks to be shown.
pub(super) type Missing = &'static str;

/// An instruction's links, kept until all instructions are known.
pub(super) struct Links<'a> {
    pub id: Option<i64>,
    /// The list as written.
    pub predecessors: Option<Raw<'a>>,
}

/// Words for "not recorded".
fn known(text: &str) -> &str {
    match text {
        "Unknown" | "unknown" | "-1" => "",
        text => text,
    }
}

pub(super) fn instruction<'a>(t: &mut Timeline, record: &Values<'a>, place: RecordRef) -> Result<(u32, Links<'a>), Missing> {
    let start = record.get(Key::Timestamp).and_then(Raw::int).ok_or("timestamp")?;
    let duration = record.get(Key::Duration).and_then(Raw::int).filter(|d| *d >= 0).ok_or("duration")?;
    let core = t.core(&record.text(Key::Subgraph));
    let label = record.text(Key::Label);
    let engine = record.text(Key::Subgroup);
    let (label, engine) = match (label.is_empty(), engine.is_empty()) {
        (true, false) => (&engine, &engine),
        (false, true) => (&label, &label),
        _ => (&label, &engine),
    };
    let opcode = record.text(Key::Opcode);
    let strings = &mut t.builder.strings;
    let (engine, opcode) = (strings.intern(engine), strings.intern(if opcode.is_empty() { "unnamed opcode" } else { &opcode }));
    let slice = t.instruction(&Instruction {
        core,
        label,
        engine,
        opcode,
        start,
        duration,
        pc: record.get(Key::Pc).and_then(Raw::column),
        wait_ns: record.get(Key::EvtWaitTime).and_then(Raw::column),
        work: work(record),
        record: place,
    });
    for (attr, key) in [
        (Attr::InstructionType, Key::InstructionType),
        (Attr::Layer, Key::Layer),
        (Attr::Hlo, Key::HloName),
        (Attr::Source, Key::NkiSourceLocation),
        (Attr::Bir, Key::BirInstructionName),
        (Attr::Tensorizer, Key::PenguinId),
    ] {
        let value = record.text(key);
        if !known(&value).is_empty() {
            t.set_text(slice, attr, &value);
        }
    }
    t.operands(slice, &record.text(Key::Operands));
    Ok((slice, Links { id: record.get(Key::Id).and_then(Raw::int), predecessors: record.get(Key::Predecessors) }))
}

fn work(record: &Values<'_>) -> Work {
    let column = |key: Key| record.get(key).and_then(Raw::column);
    let bytes = |key: Key| record.get(key).and_then(Raw::int).and_then(|n| u64::try_from(n).ok());
    let sbuf = Work::sum(column(Key::SbufReadBytes).map(u64::from), column(Key::SbufWriteBytes).map(u64::from));
    Work {
        elements: column(Key::Elements),
        sbuf_bytes: sbuf.map(|n| n.min(u64::from(u32::MAX - 1)) as u32),
        hbm_read: bytes(Key::HbmReadBytes),
        hbm_written: bytes(Key::HbmWriteBytes),
        spilled: Work::sum(bytes(Key::SpillSaveBytes), bytes(Key::SpillReloadBytes)),
    }
}

pub(super) fn dma(t: &mut Timeline, record: &Values<'_>, place: RecordRef) -> Result<u32, Missing> {
    let start = record.get(Key::Timestamp).and_then(Raw::int).ok_or("timestamp")?;
    let duration = record.get(Key::Duration).and_then(Raw::int).filter(|d| *d >= 0).ok_or("duration")?;
    let core = t.core(&record.text(Key::Subgraph));
    let bytes = record.get(Key::TransferSize).and_then(Raw::column);
    let (engine, queue, variable) = (record.text(Key::DmaEngine), record.text(Key::DmaQueue), record.text(Key::Variable));
    let queue_type = record.text(Key::QueueType);
    let ring = t.ring(core, &engine, &queue);
    let strings = &mut t.builder.strings;
    let (variable, queue_type) = (strings.intern(known(&variable)), strings.intern(known(&queue_type)));
    Ok(t.transfer(&Transfer {
        ring,
        variable,
        start,
        duration,
        bytes,
        queue_type,
        is_duplicate: record.text(Key::Duplicate) == "yes",
        is_collective: record.text(Key::IsCcDma) == "yes",
        record: place,
    }))
}

pub(super) fn semaphore(t: &mut Timeline, record: &Values<'_>, place: RecordRef) -> Result<(), Missing> {
    let time = record.get(Key::Timestamp).and_then(Raw::int).ok_or("timestamp")?;
    let value = record.get(Key::Value).and_then(Raw::int).ok_or("value")?;
    let core = t.core(&record.text(Key::Subgraph));
    t.semaphore(core, semaphore_id(&record.text(Key::Id)).0, value, (time, place));
    Ok(())
}

/// `S[24] (qSyncDynamicHW)` → (`24`, `qSyncDynamicHW`); `24` → (`24`, ``).
pub(crate) fn semaphore_id(text: &str) -> (&str, &str) {
    let Some((id, rest)) = text.strip_prefix("S[").and_then(|t| t.split_once(']')) else {
        return (text, "");
    };
    (id, rest.trim().trim_start_matches('(').trim_end_matches(')'))
}

/// Use of PSUM, bank by bank, and of the State Buffer, partition by partition.
const BANKS: [Key; 8] = [Key::Bank0, Key::Bank1, Key::Bank2, Key::Bank3, Key::Bank4, Key::Bank5, Key::Bank6, Key::Bank7];
const PARTITIONS: [Key; 4] = [Key::Partition0, Key::Partition32, Key::Partition64, Key::Partition96];

/// A record of values at one moment.
pub(super) fn curve(t: &mut Timeline, section: &str, record: &Values<'_>) -> Result<(), Missing> {
    let time = record.get(Key::Timestamp).and_then(Raw::int).ok_or("timestamp")?;
    let core = t.core(&record.text(Key::Subgraph));
    let value = |key: Key| record.get(key).and_then(Raw::float);
    match section {
        "pending_dma" => t.sample(core, Curve::PendingDma, time, &[value(Key::Value).ok_or("value")?]),
        "dma_throughput" => {
            t.sample(core, Curve::DmaThroughput, time, &[value(Key::TransferRate).ok_or("transfer_rate")?]);
            if let (Some(rate), "true") = (value(Key::HbmTransferRate), record.text(Key::UsesHbm).as_ref()) {
                t.sample(core, Curve::HbmThroughput, time, &[rate]);
            }
        }
        "ham" => {
            let (k, n) = (value(Key::K).ok_or("k")?, value(Key::N).filter(|n| *n > 0.0).ok_or("n")?);
            t.throttle(core, time, record.get(Key::Duration).and_then(Raw::int), k / n);
        }
        _ if record.text(Key::Type) == "psum" => {
            let banks = BANKS.map(|bank| value(bank).ok_or("bank_0_usage … bank_7_usage"));
            t.sample(core, Curve::Psum, time, &banks.into_iter().collect::<Result<Vec<f64>, _>>()?);
        }
        _ => {
            let shares = PARTITIONS.map(|part| value(part).map(|v| 100.0 * v).ok_or("partition_0_usage … partition_96_usage"));
            t.sample(core, Curve::StateBuffer, time, &shares.into_iter().collect::<Result<Vec<f64>, _>>()?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semaphores_have_a_number_and_maybe_an_owner() {
        assert_eq!(semaphore_id("S[24] (qSyncDynamicHW)"), ("24", "qSyncDynamicHW"));
        assert_eq!(semaphore_id("207"), ("207", ""));
        assert_eq!(semaphore_id("S[3"), ("S[3", ""));
    }
}
