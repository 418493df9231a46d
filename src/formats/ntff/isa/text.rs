//! The text of an instruction's operands, as neuron-profile prints it.

use super::codes::FUNCTION;
use super::decode::PSEUDO_TRANSFER;
use super::instruction::{Access, Instruction, Operand, Transfer, TransferEnd, TransferPlace, Value};
use super::layout::End;
use super::learned;
use super::sync::{self, Change, Condition, Sync, Update, Wait};
use super::word::{WORD_BYTES, Word};
use std::fmt::Write as _;

/// Names that a word does not hold.
pub(crate) trait Names {
    /// Whether the runtime put the word before or after the compiler's program: its semaphores are written with `$`.
    fn is_runtime(&self) -> bool;
    /// Who raises a semaphore: an engine or a DMA queue; empty where that is unknown.
    fn owner(&self, semaphore: u8) -> &str;
    /// An activation function; `None` where its id is unknown.
    fn function(&self, id: u8) -> Option<&str>;
}

/// ACTIVATE, whose text has no space at its end.
const ACTIVATE: u8 = 0x21;

/// The operands of an instruction.
pub(crate) fn text(instruction: &Instruction, names: &dyn Names) -> String {
    let mut out = sync_text(&instruction.sync, names);
    let is_pseudo = instruction.opcode == PSEUDO_TRANSFER;
    for operand in &instruction.operands {
        out.push(' ');
        match operand {
            Operand::Named(key, value) => {
                let _ = write!(out, "{key}=");
                write_value(&mut out, value);
            }
            Operand::Access(access) => write_access(&mut out, access),
            Operand::Array(rows, columns) => out.push_str(&format!("{rows}*{columns}")),
            Operand::Function(id) => out.push_str(&function_name(*id, names)),
            Operand::Sync(sync) => {
                // Both places keep their space when they are empty.
                out.push_str(&sync.wait.map(|wait| wait_text(wait, names)).unwrap_or_default());
                out.push(' ');
                out.push_str(&sync.update.map(|update| update_text(update, names)).unwrap_or_default());
            }
            Operand::Transfer(transfer) => write_transfer(&mut out, transfer, is_pseudo),
            Operand::Fixed(text) => out.push_str(text),
            Operand::Gap => (),
        }
    }
    let has_hint = matches!(instruction.operands.last(), Some(Operand::Named("debugHint", _)));
    match instruction.opcode {
        ACTIVATE => (),
        _ if has_hint => (),
        _ => out.push(' '),
    }
    out
}

/// The name of an activation function, or `function 6` where its table is missing.
pub(crate) fn function_name(id: u8, names: &dyn Names) -> String {
    let known = names.function(id).or_else(|| learned::name(FUNCTION, id));
    known.map_or_else(|| format!("function {id}"), str::to_string)
}

/// The wait and the update of any word; empty where it has none, or where their codes are not verified.
pub(crate) fn word_sync_text(word: &[u8; WORD_BYTES], names: &dyn Names) -> String {
    sync::first(Word(word)).map(|sync| sync_text(&sync, names)).unwrap_or_default()
}

fn sync_text(sync: &Sync, names: &dyn Names) -> String {
    let wait = sync.wait.map(|wait| wait_text(wait, names));
    let update = sync.update.map(|update| update_text(update, names));
    wait.into_iter().chain(update).collect::<Vec<_>>().join(" ")
}

fn wait_text(wait: Wait, names: &dyn Names) -> String {
    match wait.condition {
        Condition::Exactly(value) => format!("{}=={value}", semaphore(wait.id, names)),
        Condition::AtLeast(value) => format!("{}>={value}", semaphore(wait.id, names)),
        Condition::EventSet => format!("{}==1-", event(wait.id, names)),
    }
}

fn update_text(update: Update, names: &dyn Names) -> String {
    let of = |change: String| format!("{}{change}@complete", semaphore(update.id, names));
    match update.change {
        Change::SetEvent => format!("{}+@complete", event(update.id, names)),
        Change::Increment => of("++".into()),
        Change::Decrement => of("--".into()),
        Change::Add(value) => of(format!("+={value}")),
        Change::Set(value) => of(format!("={value}")),
    }
}

fn mark(names: &dyn Names) -> &'static str {
    if names.is_runtime() { "$" } else { "" }
}

fn event(id: u8, names: &dyn Names) -> String {
    format!("{}E[{id}]", mark(names))
}

fn semaphore(id: u8, names: &dyn Names) -> String {
    let owner = if names.is_runtime() { "" } else { names.owner(id) };
    let owner = if owner.is_empty() { String::new() } else { format!(" ({owner})") };
    format!("{}S[{id}]{owner}", mark(names))
}

fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn write_value(out: &mut String, value: &Value) {
    let _ = match value {
        Value::Number(n) => write!(out, "{n}"),
        Value::Hex(n) => write!(out, "{n:#x}"),
        Value::Float(n) => write!(out, "{n:.6}"),
        Value::Name(name) => write!(out, "{name}"),
        Value::Register(n) => write!(out, "$R[{n}]"),
        Value::Pointer(dtype, address) => write!(out, "{}@{address:#x}", dtype.name),
        Value::Pattern(dtype, address, steps, counts) => {
            write!(out, "{}@{address:#x}[{}][{}]", dtype.name, list(steps), list(counts))
        }
        Value::List(values) => {
            for (i, value) in values.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write_value(out, value);
            }
            Ok(())
        }
    };
}

fn write_access(out: &mut String, access: &Access) {
    let key = match access.end {
        End::Source => "src",
        End::Destination => "dst",
    };
    let dtype = access.dtype.map(|dtype| format!("{}@", dtype.name)).unwrap_or_default();
    let _ = write!(out, "{key}={dtype}{:#x}[{}][{}]", access.address, list(&access.steps), list(&access.counts));
}

fn write_transfer(out: &mut String, transfer: &Transfer, is_pseudo: bool) {
    let (source, destination) = (&transfer.source, &transfer.destination);
    let pattern = |end: &TransferEnd| format!("[{}][{}]", list(&end.steps), list(&end.counts));
    let place = |key: &str, end: &TransferEnd| match end.place {
        TransferPlace::Address(address) => format!("{key}_addr_imm={address:#x}"),
        TransferPlace::Table { index, offset } if is_pseudo => format!("{key}_table_offset_imm={offset} {key}_table_index={index}"),
        TransferPlace::Table { index, offset } => format!("{key}_table_offset_imm={offset:#x} {key}_table_index={index}"),
        TransferPlace::Variable { id, offset } => format!("{key}_var_id={id} {key}_var_offset={offset}"),
    };
    let (read, written) = transfer.dtypes;
    let dtypes = if read == written { String::new() } else { format!(" in_dtype={} out_dtype={}", read.name, written.name) };
    let _ = write!(
        out,
        "semaphore={} sem_increment={}  src_elem_size={} dst_elem_size={} src_pattern={} dst_pattern={} {} src_shape_reg=0 {} dst_shape_reg=0{dtypes}",
        transfer.semaphore,
        transfer.increment,
        source.element_bytes,
        destination.element_bytes,
        pattern(source),
        pattern(destination),
        place("src", source),
        place("dst", destination),
    );
    out.push_str(if is_pseudo { "  " } else { " compute_op=NONE" });
}
