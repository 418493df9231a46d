//! Every field of a slice's two records, or of an instant's one, decoded and raw.

use super::info::{Info, Subgraph};
use super::instructions::{WAIT_CYCLES_PER_US, pc};
use super::isa::{Decoded, NotDecoded};
use super::opcodes::{self, ENGINES};
use super::operand_fields::{self, WordReader};
use super::programs::WordKey;
use super::records::{Packet, RECORD, Record, Step};
use crate::base::{EventId, InputSet, Member, SliceId};
use crate::formats::neff::hex;
use crate::formats::neuron_json::meaning;
use crate::formats::wording;
use crate::formats::{Field, ImportError};
use crate::model::{Profile, RecordRef};

struct Out(Vec<Field>);

impl Out {
    fn add(&mut self, group: &str, key: &str, value: String, unit: &str, help: &str) {
        self.0.push(Field { group: group.into(), key: key.into(), value, unit: unit.into(), help: help.into() });
    }
}

pub(super) fn record(input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
    let member = input.members.first().ok_or_else(|| ImportError::Invalid(wording::RECORD_FILE_NOT_OPEN.into()))?;
    let start = profile.record_of(item).ok_or_else(|| ImportError::Invalid(wording::NO_RECORD.into()))?;
    let end = operand_fields::end_record(profile, item).unwrap_or(start);
    let (start, end) = (read(member, start)?, read(member, end)?);
    let reader = WordReader::new(input, profile)?;
    let info = &reader.info;
    let region = info.regions.iter().find(|r| r.span.offset <= start.offset && start.offset - r.span.offset < r.span.n_bytes);
    let subgraph = region.and_then(|r| info.subgraphs.iter().find(|s| s.nc == r.nc)).map(|s| &**s);
    let mut out = Out(Vec::new());
    place(&mut out, info, subgraph, &start);
    let EventId::Slice(slice) = item else {
        moment(&mut out, region.map(|r| r.trace), &start);
        return Ok(out.0);
    };
    times(&mut out, &start, &end);
    match region.map(|r| r.trace) {
        Some(super::records::TRANSFERS) => transfer(&mut out, subgraph, &end),
        _ => {
            if let Some(key) = instruction(&mut out, &reader, subgraph, &start, &end) {
                operands(&mut out, reader.decode(profile, slice, key));
                let row = operand_fields::compiled_transfer(profile, subgraph.map_or("", |s| &s.name), key);
                let helps = ["Variable that is read", "Variable that is written", "Operands in the compiler's program"];
                for (name, help) in operand_fields::TRANSFERS.1[4..].iter().zip(helps) {
                    let value = row.as_ref().and_then(|row| row.iter().find(|cell| cell.0 == *name));
                    value.into_iter().for_each(|cell| out.add("Program", name, cell.1.clone(), "", help));
                }
            }
        }
    }
    program(&mut out, profile, slice);
    raw(&mut out, &[("start_record", &start), ("end_record", &end)]);
    Ok(out.0)
}

/// What an instant's record says.
fn moment(out: &mut Out, trace: Option<u64>, record: &Record) {
    out.add("Event", "time", record.time().to_string(), "ps", "On the device clock");
    if let Some((id, value)) = record.semaphore().filter(|_| trace == Some(super::records::EVENTS)) {
        out.add("Semaphore", "id", id.to_string(), "", "Number of the semaphore");
        out.add("Semaphore", "value", value.to_string(), "", "New value");
    }
    raw(out, &[("record", record)]);
}

/// What the NEFF says of the instruction.
fn program(out: &mut Out, profile: &Profile, slice: SliceId) {
    for attribute in &profile.attributes {
        let value = attribute.values.get(slice.index()).map_or("", |id| profile.strings.get(*id));
        let is_program = matches!(
            attribute.id.as_str(),
            "bir" | "tensorizer" | "instruction_type" | "hlo" | "layer" | "operator" | "source" | "function"
        );
        if is_program && !value.is_empty() {
            out.add("Program", &attribute.id, value.into(), "", "From the NEFF");
        }
    }
}

fn raw(out: &mut Out, records: &[(&str, &Record)]) {
    for (key, record) in records {
        let help = "The 16 bytes of the record";
        out.add("Raw", key, format!("{} at byte {}", hex_all(&record.bytes), record.offset), "", help);
    }
}

fn hex_all(bytes: &[u8]) -> String {
    bytes.chunks(16).map(hex).collect()
}

fn read(member: &Member, at: RecordRef) -> Result<Record, ImportError> {
    let bytes = member.read(at.offset(), RECORD)?;
    let bytes = bytes.try_into().map_err(|_| ImportError::Invalid(format!("Expected a record at byte {}.", at.offset())))?;
    Ok(Record { bytes, offset: at.offset() })
}

/// Where and when, as the profiler counts.
fn place(out: &mut Out, info: &Info, subgraph: Option<&Subgraph>, start: &Record) {
    if let Some(subgraph) = subgraph {
        out.add("Event", "subgraph", subgraph.name.clone(), "", "One per physical core");
        out.add("Event", "nc_idx", subgraph.nc.to_string(), "", "Physical NeuronCore");
    }
    if let Some((first, _)) = info.window {
        let since = i128::from(start.time()) - i128::from(first);
        out.add("Event", "timestamp", since.div_euclid(1000).to_string(), "ns", "Start, from the start of the execution window");
    }
}

fn times(out: &mut Out, start: &Record, end: &Record) {
    let duration = end.time().saturating_sub(start.time());
    out.add("Event", "duration", (duration / 1000).to_string(), "ns", "Duration");
    out.add("Event", "start_time", start.time().to_string(), "ps", "Start on the device clock");
    out.add("Event", "end_time", end.time().to_string(), "ps", "End on the device clock");
}

/// Operands and counters of a word; or why there are none.
fn operands(out: &mut Out, decoded: Option<Result<Decoded, NotDecoded>>) {
    match decoded {
        Some(Ok(decoded)) => {
            for (key, value) in operand_fields::fields(&decoded) {
                let (unit, help) = meaning(key).unwrap_or_default();
                let is_instruction = matches!(key, "operands" | "activation_fn" | "elements");
                let help = match decoded.instruction.transfer() {
                    None if key.ends_with("_bytes") => format!("{help}, by each partition"),
                    _ => help.to_string(),
                };
                out.add(if is_instruction { "Instruction" } else { "Memory" }, key, value, unit, &help);
            }
            if !decoded.learned.is_empty() {
                let help = "Codes with names that this browser learned from the profiler's output of another run; they are not verified";
                out.add("Instruction", "learned codes", decoded.learned.join(", "), "", help);
            }
        }
        Some(Err(not)) => {
            out.add(
                "Instruction",
                "operands not available",
                not.refused.to_string(),
                "",
                "Only codes that neuron-profile's text verifies are decoded",
            );
            if !not.sync.is_empty() {
                out.add("Instruction", "sync", not.sync, "", "What the instruction waits for and updates");
            }
        }
        None => (),
    }
}

/// What the two records say; returns the word that was executed.
fn instruction(out: &mut Out, reader: &WordReader<'_>, subgraph: Option<&Subgraph>, start: &Record, end: &Record) -> Option<WordKey> {
    let step = Step::read(start)?;
    let image = subgraph.and_then(|s| s.images.iter().find(|i| i.engine == step.engine as u64));
    let pc = pc(&step, image.map_or(0, |i| i.address));
    out.add("Instruction", "engine", ENGINES.get(step.engine).unwrap_or(&"?").to_string(), "", "Engine that ran the instruction");
    out.add("Instruction", "pc", pc.to_string(), "", "Program counter in the loaded image");
    let key = subgraph.map(|s| (s.nc, step.engine as u64, pc));
    if let Some(word) = key.and_then(|key| reader.word(key)) {
        let name = opcodes::opcode(word[0]).unwrap_or("name unknown");
        out.add("Instruction", "opcode", format!("{:#04x} ({name})", word[0]), "", "First byte of the instruction word");
        out.add("Instruction", "word", hex_all(&word), "", "The instruction word of 64 bytes");
    }
    if let Some(at) = key.and_then(|key| reader.compiler_pc(key)) {
        out.add("Instruction", "compiler_pc", at.to_string(), "", "Program counter in the compiler's program");
    }
    let cycles = start.half(6);
    out.add("Event", "evt_wait_cycles", cycles.to_string(), "cycles", "Time spent waiting for a semaphore before the instruction");
    let wait = cycles * 1000 / WAIT_CYCLES_PER_US;
    out.add("Event", "evt_wait_time", wait.to_string(), "ns", "The same at the 1.2 GHz of trn2");
    out.add("Check", "crc_in", end.half(4).to_string(), "", "Checksum of the input");
    out.add("Check", "crc_out", end.half(6).to_string(), "", "Checksum of the output");
    key
}

fn transfer(out: &mut Out, subgraph: Option<&Subgraph>, end: &Record) {
    let (Some(packet), base) = (Packet::read(end), subgraph.map_or(0, super::transfers::first_engine)) else {
        return;
    };
    let engine = base + packet.engine;
    out.add("Transfer", "dma_engine", engine.to_string(), "", "DMA engine");
    out.add("Transfer", "dma_queue", packet.queue.to_string(), "", "Queue of the engine");
    let queue = subgraph.and_then(|s| s.queues.iter().find(|q| q.engine == engine && q.index == packet.queue));
    if let Some(queue) = queue {
        out.add("Transfer", "queue_name", opcodes::queue(&queue.name), "", "Name of the queue in the description");
    }
    if end.bytes[2] == 0 {
        out.add("Memory", "transfer_size", packet.bytes.to_string(), "bytes", "Bytes moved");
    }
    out.add("Check", "crc", end.half(6).to_string(), "", "Checksum of the data");
}
