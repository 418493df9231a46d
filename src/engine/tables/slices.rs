//! Executed instructions, and what depends on what.

use super::cells::{self, Cores};
use super::{Column, Kind, Part, TableError, Values, Words, table};
use crate::base::{SliceId, StrId};
use crate::engine::{Refusal, Session, record_fields};
use crate::model::{Dtype, NeuronDevice, Profile, TrackKind};

/// Rows of one part: fields of each are read back from the file.
pub(super) const PART: usize = 65_536;

/// Receives a part of the table of that name.
pub(super) type Give<'a> = dyn FnMut(&str, Part) -> Result<(), TableError> + 'a;

/// Columns that are read back from the file: of each the names that the formats give it.
fn names(column: &str) -> &'static [&'static str] {
    match column {
        "operands" => &["operands"],
        "compiler_opcode" => &["compiler_opcode"],
        "compiler_operands" => &["compiler_operands"],
        "id" => &["id"],
        "compiler_pc" => &["compiler_pc"],
        "raw_penguin_id" => &["raw_penguin_id"],
        "bir_id" => &["bir_id"],
        "raw_bir_id" => &["raw_bir_id"],
        "kernel_instruction_name" => &["kernel_instruction_name"],
        "crc_in" => &["crc_in"],
        "crc_out" => &["crc_out"],
        "hlo_attrs" => &["hlo_attrs"],
        "raw_hlo_id" => &["raw_hlo_id"],
        "raw_framework_id" => &["raw_framework_id"],
        "stack_frame_ids" => &["stack_frame_ids"],
        "bir_debug_info_source_location" => &["bir_debug_info_source_location"],
        "instruction_chain" => &["instruction_chain"],
        "hbm_read_bytes" => &["hbm_read_bytes"],
        "hbm_write_bytes" => &["hbm_write_bytes"],
        "sbuf_read_bytes" => &["sbuf_read_bytes"],
        "sbuf_write_bytes" => &["sbuf_write_bytes"],
        "spill_save_bytes" => &["spill_save_bytes"],
        "spill_reload_bytes" => &["spill_reload_bytes"],
        "psum_read_bytes" => &["psum_read_bytes"],
        "psum_write_bytes" => &["psum_write_bytes"],
        "psum_read_sbuf_write_bytes" => &["psum_read_sbuf_write_bytes"],
        "input_queue_bytes" => &["input_queue_bytes"],
        "output_queue_bytes" => &["output_queue_bytes"],
        "weight_queue_bytes" => &["weight_queue_bytes"],
        "performance_mode" => &["performance_mode"],
        "scalar_activation_fn" => &["activation_fn", "scalar_activation_fn"],
        "dma_trigger_start_ts" => &["dma_trigger_start_ts"],
        "dma_trigger_end_ts" => &["dma_trigger_end_ts"],
        "dma_wait_time_ns" => &["dma_wait_time_ns"],
        _ => &[],
    }
}

/// Looks at the columns of a profile by slice.
pub(super) struct Rows<'a> {
    pub profile: &'a Profile,
    pub device: &'a NeuronDevice,
    pub cores: &'a Cores,
}

impl Rows<'_> {
    pub fn start(&self, slice: SliceId) -> i64 {
        self.profile.slices.start[slice.index()]
    }

    pub fn end(&self, slice: SliceId) -> i64 {
        self.profile.slices.end(slice.index())
    }

    pub fn core(&self, slice: SliceId) -> Option<i64> {
        self.cores.get(self.profile.track_of(slice)?)
    }

    /// A number of a sparse column.
    pub fn number(&self, column: &[u32], slice: SliceId) -> Option<i64> {
        column.get(slice.index()).filter(|n| **n != NeuronDevice::ABSENT).map(|n| i64::from(*n))
    }

    /// An attribute with a value.
    pub fn attribute(&self, id: &str, slice: SliceId) -> Option<&str> {
        let found = self.profile.attribute(id)?.values.get(slice.index())?;
        Some(self.profile.strings.get(*found)).filter(|text| !text.is_empty())
    }

    /// FLOPs of a matrix product, two for each multiplication and addition; 0 where the instruction is known to be none.
    fn flops(&self, slice: SliceId) -> Option<i64> {
        self.number(&self.device.elements, slice).map(|n| 2 * n)
    }

    /// FLOPs of a product that only transposes, which are among its FLOPs; `None` where the file does not name types of instructions.
    fn transpose_flops(&self, slice: SliceId) -> Option<i64> {
        let is_transpose = self.attribute("instruction_type", slice)? == "TRANSPOSE";
        self.flops(slice).map(|flops| if is_transpose { flops } else { 0 })
    }

    /// Quarters of a BF16 FLOP that one FLOP of the product's type counts for, as the schema defines them; `None` where its type is not recorded.
    fn bf16_quarters(&self, slice: SliceId) -> Option<i64> {
        let shapes = &self.device.shapes;
        let shape = shapes.binary_search_by_key(&slice.0, |s| s.slice).ok().and_then(|at| shapes.get(at))?;
        match shape.dtype {
            Dtype::Fp32 => Some(16),
            Dtype::Fp16 => Some(4),
            Dtype::Fp8 if ["inf", "trn1"].iter().any(|old| self.device.instance_type.starts_with(old)) => Some(4),
            Dtype::Fp8 => Some(2),
            Dtype::Int | Dtype::Other => None,
        }
    }

    /// A column of texts that repeat.
    fn texts(&self, column: &str, slices: &[SliceId]) -> Values {
        let strings = &self.profile.strings;
        let attribute = match column {
            "timeline_track" => {
                let name = |s: &SliceId| self.profile.track_of(*s).map(|t| self.profile.tracks[t.index()].name);
                return Words::of_strings(strings, slices.iter().map(name));
            }
            "engine" | "opcode" | "layer" => column,
            "bir_instruction_name" => "bir",
            "penguin_id" => "tensorizer",
            "hlo_name" => "hlo",
            "nki_source_location" => "source",
            "tensor_instruction_type" => "instruction_type",
            _ => return Values::absent(Kind::Text, slices.len()),
        };
        let found = self.profile.attribute(attribute);
        let value = |s: &SliceId| found.and_then(|a| a.values.get(s.index()).copied());
        let is_named = |id: &StrId| column != "opcode" || strings.get(*id) != "unnamed opcode";
        Words::of_strings(strings, slices.iter().map(|s| value(s).filter(is_named)))
    }

    /// A column of whole numbers.
    fn ints(&self, column: &str, slices: &[SliceId]) -> Values {
        let of = |value: &dyn Fn(SliceId) -> Option<i64>| Values::Ints(slices.iter().map(|s| value(*s)).collect());
        match column {
            "start_ts" => of(&|s| Some(self.start(s))),
            "end_ts" => of(&|s| Some(self.end(s))),
            "duration_ns" => of(&|s| Some(self.profile.slices.duration[s.index()])),
            "pcore_idx" => of(&|s| self.core(s)),
            "pc" => of(&|s| self.number(&self.device.pc, s)),
            "evt_wait_time_ns" => of(&|s| self.number(&self.device.wait_ns, s)),
            "tensor_elements" => of(&|s| self.number(&self.device.elements, s)),
            "raw_flops" => of(&|s| self.flops(s)),
            "tensor_elements_transpose" => of(&|s| self.transpose_flops(s).map(|flops| flops / 2)),
            "flops_transpose" => of(&|s| self.transpose_flops(s)),
            "adjusted_flops" => of(&|s| Some(self.flops(s)? * self.bf16_quarters(s)? / 4)),
            "adjusted_flops_transpose" => of(&|s| Some(self.transpose_flops(s)? * self.bf16_quarters(s)? / 4)),
            _ => Values::absent(Kind::Int64, slices.len()),
        }
    }
}

/// Ids of rows: those of the file; where it has none, one more than the slice's number, so that rows can be joined.
pub(super) fn ids(read: Values, slices: &[SliceId]) -> Values {
    match read {
        Values::Ints(ids) => {
            let id = |(id, slice): (Option<i64>, &SliceId)| id.or(Some(i64::from(slice.0) + 1));
            Values::Ints(ids.into_iter().zip(slices).map(id).collect())
        }
        other => other,
    }
}

/// Fields of slices, read back: by slice, then by key; empty where the file has none.
pub(super) fn read_fields(session: &Session, slices: &[SliceId], keys: &[&[&str]]) -> Result<Vec<Vec<String>>, Refusal> {
    Ok(record_fields::fields(session.format()?, &session.input, &session.profile, slices, keys)?)
}

/// Slices that are rows of `Instruction`, in the order of the file.
pub(super) fn instruction_rows(session: &Session) -> Vec<SliceId> {
    let engines = session.profile.attribute("engine");
    let order = session.in_file_order(TrackKind::Engine);
    let has_engine =
        |s: &SliceId| engines.and_then(|a| a.values.get(s.index())).is_some_and(|id| !session.profile.strings.get(*id).is_empty());
    order.iter().copied().filter(has_engine).collect()
}

/// Columns of `Instruction` of these slices.
pub(super) fn instruction_values(
    session: &Session,
    rows: &Rows<'_>,
    columns: &[Column],
    slices: &[SliceId],
) -> Result<Vec<Values>, Refusal> {
    let keys: Vec<&[&str]> = columns.iter().map(|c| names(&c.name)).filter(|names| !names.is_empty()).collect();
    let mut read = if keys.is_empty() { Vec::new() } else { read_fields(session, slices, &keys)? };
    let mut at = 0;
    let column = |c: &Column| {
        if !names(&c.name).is_empty() {
            let texts = read.iter_mut().map(|row| row.get_mut(at).map(std::mem::take).unwrap_or_default());
            let values = cells::read_back(c.kind, texts);
            at += 1;
            return if c.name == "id" { ids(values, slices) } else { values };
        }
        match c.kind {
            Kind::Text => rows.texts(&c.name, slices),
            Kind::Int64 | Kind::Int32 => rows.ints(&c.name, slices),
            kind => Values::absent(kind, slices.len()),
        }
    };
    Ok(columns.iter().map(column).collect())
}

/// Gives the table `Instruction`, in the order of the file.
pub(super) fn instructions(session: &Session, device: &NeuronDevice, cores: &Cores, give: &mut Give<'_>) -> Result<(), TableError> {
    let rows = Rows { profile: &session.profile, device, cores };
    let Some(table) = table("Instruction") else { return Ok(()) };
    for slices in instruction_rows(session).chunks(PART) {
        let columns = instruction_values(session, &rows, &table.columns, slices)?;
        give("Instruction", Part { columns, n_rows: slices.len(), next: None })?;
    }
    Ok(())
}

/// Gives the table `Flow`: the dependencies between instructions.
pub(super) fn flows(session: &Session, give: &mut Give<'_>) -> Result<(), TableError> {
    let n = session.profile.flows.from.len();
    for first in (0..n).step_by(PART) {
        let arrows: Vec<usize> = (first..n.min(first + PART)).collect();
        give("Flow", Part::last(flow_values(session, &arrows)?))?;
    }
    Ok(())
}

/// Every column of `Flow` of these arrows.
pub(super) fn flow_values(session: &Session, arrows: &[usize]) -> Result<Vec<Values>, Refusal> {
    let (profile, flows) = (&session.profile, &session.profile.flows);
    let mut slices: Vec<SliceId> = arrows.iter().flat_map(|i| [flows.from[*i], flows.to[*i]]).collect();
    slices.sort_unstable();
    slices.dedup();
    let read = read_fields(session, &slices, &[&["id"]])?;
    let read = read.into_iter().map(|mut row| if row.is_empty() { String::new() } else { row.swap_remove(0) });
    let Values::Ints(known) = ids(cells::read_back(Kind::Int64, read), &slices) else { return Ok(Vec::new()) };
    let id = |slice: SliceId| slices.binary_search(&slice).ok().and_then(|at| known.get(at).copied().flatten());
    let of = |slice: SliceId| {
        let is_queue = profile.track_of(slice).is_some_and(|t| profile.tracks[t.index()].kind == TrackKind::Queue);
        Some(if is_queue { "DmaPacket" } else { "Instruction" }.to_string())
    };
    let kind = |i: usize| flows.kind.get(i).copied().unwrap_or(StrId(0));
    let each = || arrows.iter().copied();
    let text = |i: usize| Some(profile.strings.get(kind(i)).to_string()).filter(|t| !t.is_empty());
    let gap = |i: usize| profile.slices.start[flows.to[i].index()].checked_sub(profile.slices.end(flows.from[i].index()));
    Ok(vec![
        Values::Ints(each().map(|i| id(flows.from[i])).collect()),
        Values::Ints(each().map(|i| id(flows.to[i])).collect()),
        Values::Texts(each().map(|i| of(flows.from[i])).collect()),
        Values::Texts(each().map(|i| of(flows.to[i])).collect()),
        Values::Texts(each().map(text).collect()),
        Values::Ints(each().map(gap).collect()),
    ])
}
