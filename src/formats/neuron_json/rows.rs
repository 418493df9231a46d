//! Records that have a place on the timeline, read from their fields.

use super::timeline::{Attr, Curve, Instruction, Timeline, Transfer, Work};
use super::value::{Fields, Raw};
use crate::model::RecordRef;
use std::borrow::Cow;

/// What a record lacks to be shown.
pub(super) type Missing = &'static str;

/// An instruction's links, kept until all instructions are known.
pub(super) struct Links<'a> {
    pub id: Option<i64>,
    /// The list as written.
    pub predecessors: Option<Raw<'a>>,
}

fn get<'a>(fields: &Fields<'a>, key: &str) -> Option<Raw<'a>> {
    fields.iter().find(|f| f.0 == key).map(|f| f.1)
}

fn text<'a>(fields: &Fields<'a>, key: &str) -> Cow<'a, str> {
    get(fields, key).map_or(Cow::Borrowed(""), Raw::text)
}

/// "Not told" is written in several words.
fn known(text: &str) -> &str {
    match text {
        "Unknown" | "unknown" | "-1" => "",
        text => text,
    }
}

pub(super) fn instruction<'a>(t: &mut Timeline, fields: &Fields<'a>, record: RecordRef) -> Result<(u32, Links<'a>), Missing> {
    let start = get(fields, "timestamp").and_then(Raw::int).ok_or("timestamp")?;
    let duration = get(fields, "duration").and_then(Raw::int).filter(|d| *d >= 0).ok_or("duration")?;
    let core = t.core(&text(fields, "subgraph"));
    let label = text(fields, "label");
    let engine = text(fields, "subgroup");
    let (label, engine) = match (label.is_empty(), engine.is_empty()) {
        (true, false) => (&engine, &engine),
        (false, true) => (&label, &label),
        _ => (&label, &engine),
    };
    let opcode = text(fields, "opcode");
    let strings = &mut t.builder.strings;
    let (engine, opcode) = (strings.intern(engine), strings.intern(if opcode.is_empty() { "unnamed opcode" } else { &opcode }));
    let slice = t.instruction(&Instruction {
        core,
        label,
        engine,
        opcode,
        start,
        duration,
        pc: get(fields, "pc").and_then(Raw::column),
        wait_ns: get(fields, "evt_wait_time").and_then(Raw::column),
        work: work(fields),
        record,
    });
    for (attr, key) in [
        (Attr::InstructionType, "instruction_type"),
        (Attr::Layer, "layer"),
        (Attr::Hlo, "hlo_name"),
        (Attr::Source, "nki_source_location"),
        (Attr::Bir, "bir_instruction_name"),
        (Attr::Tensorizer, "penguin_id"),
    ] {
        let value = text(fields, key);
        if !known(&value).is_empty() {
            t.set_text(slice, attr, &value);
        }
    }
    t.operands(slice, &text(fields, "operands"));
    Ok((slice, Links { id: get(fields, "id").and_then(Raw::int), predecessors: get(fields, "predecessors") }))
}

fn work(fields: &Fields<'_>) -> Work {
    let column = |key: &str| get(fields, key).and_then(Raw::column);
    let bytes = |key: &str| get(fields, key).and_then(Raw::int).and_then(|n| u64::try_from(n).ok());
    let sbuf = Work::sum(column("sbuf_read_bytes").map(u64::from), column("sbuf_write_bytes").map(u64::from));
    Work {
        elements: column("elements"),
        sbuf_bytes: sbuf.map(|n| n.min(u64::from(u32::MAX - 1)) as u32),
        hbm_read: bytes("hbm_read_bytes"),
        hbm_written: bytes("hbm_write_bytes"),
        spilled: Work::sum(bytes("spill_save_bytes"), bytes("spill_reload_bytes")),
    }
}

pub(super) fn dma(t: &mut Timeline, fields: &Fields<'_>, record: RecordRef) -> Result<u32, Missing> {
    let start = get(fields, "timestamp").and_then(Raw::int).ok_or("timestamp")?;
    let duration = get(fields, "duration").and_then(Raw::int).filter(|d| *d >= 0).ok_or("duration")?;
    let core = t.core(&text(fields, "subgraph"));
    let bytes = get(fields, "transfer_size").and_then(Raw::column);
    let (engine, queue, variable) = (text(fields, "dma_engine"), text(fields, "dma_queue"), text(fields, "variable"));
    let queue_type = text(fields, "queue_type");
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
        is_duplicate: text(fields, "duplicate") == "yes",
        is_collective: text(fields, "is_cc_dma") == "yes",
        record,
    }))
}

pub(super) fn semaphore(t: &mut Timeline, fields: &Fields<'_>) -> Result<(), Missing> {
    let time = get(fields, "timestamp").and_then(Raw::int).ok_or("timestamp")?;
    let value = get(fields, "value").and_then(Raw::int).ok_or("value")?;
    let core = t.core(&text(fields, "subgraph"));
    t.semaphore(core, semaphore_id(&text(fields, "id")).0, value, time);
    Ok(())
}

/// `S[24] (qSyncDynamicHW)` → (`24`, `qSyncDynamicHW`); `24` → (`24`, ``).
pub(crate) fn semaphore_id(text: &str) -> (&str, &str) {
    let Some((id, rest)) = text.strip_prefix("S[").and_then(|t| t.split_once(']')) else {
        return (text, "");
    };
    (id, rest.trim().trim_start_matches('(').trim_end_matches(')'))
}

/// A record of values at one moment.
pub(super) fn curve(t: &mut Timeline, section: &str, fields: &Fields<'_>) -> Result<(), Missing> {
    let time = get(fields, "timestamp").and_then(Raw::int).ok_or("timestamp")?;
    let core = t.core(&text(fields, "subgraph"));
    let value = |key: &str| get(fields, key).and_then(Raw::float);
    match section {
        "pending_dma" => t.sample(core, Curve::PendingDma, time, vec![value("value").ok_or("value")?]),
        "dma_throughput" => {
            t.sample(core, Curve::DmaThroughput, time, vec![value("transfer_rate").ok_or("transfer_rate")?]);
            if let (Some(rate), "true") = (value("hbm_transfer_rate"), text(fields, "uses_hbm").as_ref()) {
                t.sample(core, Curve::HbmThroughput, time, vec![rate]);
            }
        }
        "ham" => {
            let (k, n) = (value("k").ok_or("k")?, value("n").filter(|n| *n > 0.0).ok_or("n")?);
            t.throttle(core, time, get(fields, "duration").and_then(Raw::int), k / n);
        }
        _ if text(fields, "type") == "psum" => {
            let banks = (0..8).map(|i| value(&format!("bank_{i}_usage")).ok_or("bank_0_usage … bank_7_usage"));
            t.sample(core, Curve::Psum, time, banks.collect::<Result<_, _>>()?);
        }
        _ => {
            let share = |i| value(&format!("partition_{i}_usage")).map(|v| 100.0 * v).ok_or("partition_0_usage … partition_96_usage");
            t.sample(core, Curve::StateBuffer, time, [0, 32, 64, 96].into_iter().map(share).collect::<Result<_, _>>()?);
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
