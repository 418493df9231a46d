//! Fields of an instruction that its word holds, under the names that neuron-profile's JSON gives them; of one instruction, or of many at once.

use super::info::{Image, Info, Subgraph, read_info};
use super::isa::{Counters, Decoded, End, Functions, Memory, NotDecoded, Owners, WordPlace};
use super::isa::{VERIFIED_ARCHITECTURE, WORD_BYTES, compiler_pc, decode_word};
use super::opcodes::ENGINES;
use super::programs::WordKey;
use super::records::{RECORD, Record};
use crate::base::{EventId, InputSet, Member, SliceId};
use crate::formats::{Columns, ImportError};
use crate::model::domain::HbmTraffic;
use crate::model::{Cell, Domain, NeuronDevice, Profile, RecordRef};
use rustc_hash::FxHashMap;

/// The table that names activation functions: id and name.
pub(super) const FUNCTIONS: (&str, [&str; 2]) = ("activation_functions", ["func_id", "func_name"]);

/// The table of transfers as the compiler wrote them.
pub(super) const TRANSFERS: (&str, [&str; 7]) =
    ("compiler_transfers", ["subgraph", "engine", "pc", "compiler_pc", "source", "destination", "compiler_operands"]);

/// The table of semaphores with their owners, named as that of the JSON.
pub(super) const SEMAPHORES: (&str, [&str; 3]) = ("semaphores", ["subgraph", "id", "owner"]);

/// Reads single words again, with the names that the import found and left in the profile's tables.
pub(super) struct WordReader<'a> {
    member: &'a Member,
    pub info: Info,
    functions: Functions,
    /// Keyed by physical core.
    owners: FxHashMap<u64, Owners>,
}

/// The rows of a table, with the cells of these columns.
fn cells<'a, const N: usize>(profile: &'a Profile, (id, columns): (&str, [&str; N])) -> Vec<[Option<&'a Cell>; N]> {
    let Some(table) = profile.tables.iter().find(|t| t.id == id) else {
        return Vec::new();
    };
    let places = columns.map(|name| table.columns.iter().position(|c| c == name));
    table.rows.iter().map(|row| places.map(|place| row.get(place?))).collect()
}

impl<'a> WordReader<'a> {
    /// A reader of the trace, which is the first member.
    pub fn new(input: &'a InputSet, profile: &Profile) -> Result<Self, ImportError> {
        let member = input.members.first().ok_or_else(|| ImportError::Invalid("The record's file is not open.".into()))?;
        let info = read_info(member)?;
        let mut functions = Functions::default();
        for row in cells(profile, FUNCTIONS) {
            if let [Some(Cell::Int(id)), Some(Cell::Text(name))] = row {
                functions.extend(u8::try_from(*id).ok().map(|id| (id, name.clone())));
            }
        }
        let rows = cells(profile, SEMAPHORES);
        let owners = info.subgraphs.iter().map(|subgraph| {
            let owner = |row: &[Option<&Cell>; 3]| match row {
                [Some(Cell::Text(name)), Some(Cell::Text(id)), Some(Cell::Text(owner))] if *name == subgraph.name => {
                    Some((id.parse::<u8>().ok()?, owner.clone()))
                }
                _ => None,
            };
            (subgraph.nc, Owners::named(rows.iter().filter_map(owner)))
        });
        let owners = owners.collect();
        Ok(WordReader { member, info, functions, owners })
    }

    fn image(&self, nc: u64, engine: u64) -> Option<(&Subgraph, &Image)> {
        let subgraph = self.info.subgraphs.iter().find(|s| s.nc == nc)?;
        Some((subgraph, subgraph.images.iter().find(|i| i.engine == engine)?))
    }

    /// The word itself; `None` beyond the image.
    pub fn word(&self, (nc, engine, pc): WordKey) -> Option<[u8; WORD_BYTES]> {
        let (_, image) = self.image(nc, engine)?;
        let at = u64::from(pc) * WORD_BYTES as u64;
        let bytes = match image.inline.is_empty() {
            false => image.inline.get(usize::try_from(at).ok()?..)?.get(..WORD_BYTES)?.to_vec(),
            true if at + WORD_BYTES as u64 > image.span.n_bytes => return None,
            true => self.member.read_up_to(image.span.offset.saturating_add(at), WORD_BYTES as u64).ok()?,
        };
        bytes.try_into().ok()
    }

    /// The compiler's program counter; `None` for words of the runtime.
    pub fn compiler_pc(&self, (nc, engine, pc): WordKey) -> Option<u64> {
        let (subgraph, image) = self.image(nc, engine)?;
        let n_bytes = if image.inline.is_empty() { image.span.n_bytes } else { image.inline.len() as u64 };
        compiler_pc(pc, n_bytes / WORD_BYTES as u64, engine, &subgraph.patches)
    }

    /// The trace itself.
    pub fn member(&self) -> &Member {
        self.member
    }

    /// Where a word stands, with the names that its text needs; `None` where words of this architecture are not verified.
    pub fn place(&self, key: WordKey) -> Option<WordPlace<'_>> {
        if self.info.architecture != VERIFIED_ARCHITECTURE {
            return None;
        }
        let owners = self.owners.get(&key.0)?;
        Some(WordPlace { nc: key.0, compiler_pc: self.compiler_pc(key), owners, functions: &self.functions })
    }

    /// Decodes the word that a slice executed. The memories of a transfer that the NEFF names are in the bytes of the profile.
    pub fn decode(&self, profile: &Profile, slice: SliceId, key: WordKey) -> Option<Result<Decoded, NotDecoded>> {
        let place = self.place(key)?;
        let Domain::NeuronDevice(device) = &profile.domain else { return None };
        let hbm = device.hbm.binary_search_by_key(&slice.0, |h| h.slice).ok().and_then(|at| device.hbm.get(at));
        let has_sbuf = device.sbuf_bytes.get(slice.index()).is_some_and(|n| *n != NeuronDevice::ABSENT);
        let memory = |end: End| {
            let of_end = |h: &HbmTraffic| if end == End::Source { h.read } else { h.written };
            match hbm.map_or(0, of_end) {
                0 => has_sbuf.then_some(Memory::StateBuffer),
                _ => Some(Memory::Hbm),
            }
        };
        Some(decode_word(&self.word(key)?, &place, &memory))
    }
}

/// (key of the JSON, value): operands, counters and function, without what the instruction does not have.
pub(super) fn fields(decoded: &Decoded) -> Vec<(&'static str, String)> {
    let Counters { elements, sbuf_read, sbuf_write, psum_read, psum_write, hbm_read, hbm_write, psum_to_sbuf } = decoded.counters;
    let counters = [
        ("elements", elements),
        ("sbuf_read_bytes", sbuf_read),
        ("sbuf_write_bytes", sbuf_write),
        ("psum_read_bytes", psum_read),
        ("psum_write_bytes", psum_write),
        ("hbm_read_bytes", hbm_read),
        ("hbm_write_bytes", hbm_write),
        ("psum_read_sbuf_write_bytes", psum_to_sbuf),
    ];
    let mut out = vec![("operands", decoded.text.clone())];
    out.extend((!decoded.activation.is_empty()).then(|| ("activation_fn", decoded.activation.clone())));
    out.extend(counters.into_iter().filter_map(|(key, n)| Some((key, n?.to_string()))));
    out.extend(psum_to_sbuf.map(|_| ("is_psum_read_sbuf_write", "true".to_string())));
    out
}

/// Every key of [`fields`], the subgraph, and what the compiler and the records say.
const KEYS: [&str; 17] = [
    "operands",
    "activation_fn",
    "elements",
    "sbuf_read_bytes",
    "sbuf_write_bytes",
    "psum_read_bytes",
    "psum_write_bytes",
    "hbm_read_bytes",
    "hbm_write_bytes",
    "psum_read_sbuf_write_bytes",
    "is_psum_read_sbuf_write",
    "subgraph",
    "compiler_pc",
    "compiler_operands",
    "crc_in",
    "crc_out",
    "crc",
];

/// Keys of the device JSON and of Neuron Explorer's tables that a trace does not record.
const NOT_RECORDED: [&str; 33] = [
    "id",
    "compiler_opcode",
    "raw_penguin_id",
    "bir_id",
    "raw_bir_id",
    "kernel_instruction_name",
    "hlo_attrs",
    "raw_hlo_id",
    "raw_framework_id",
    "stack_frame_ids",
    "bir_debug_info_source_location",
    "instruction_chain",
    "spill_save_bytes",
    "spill_reload_bytes",
    "input_queue_bytes",
    "output_queue_bytes",
    "weight_queue_bytes",
    "performance_mode",
    "dma_trigger_start_ts",
    "dma_trigger_end_ts",
    "dma_wait_time_ns",
    "packet_idx",
    "packet_aggregation_id",
    "read_size",
    "read_bytes",
    "write_size",
    "write_bytes",
    "transfer_rate",
    "op",
    "source",
    "dest",
    "semaphore_id",
    "aggregated",
];

/// The fields of many instructions, from programs that are read once; `None` where one of `keys` is not of an instruction's word.
pub(super) fn columns(input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Option<Columns> {
    let is_known = |names: &&[&str]| names.iter().any(|name| KEYS.contains(name) || NOT_RECORDED.contains(name));
    keys.iter().all(is_known).then(|| read_columns(input, profile, slices, keys))
}

fn read_columns(input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Columns {
    let reader = WordReader::new(input, profile)?;
    let mut known: FxHashMap<WordKey, Vec<(&str, String)>> = FxHashMap::default();
    let has_checksums = keys.iter().any(|names| names.iter().any(|name| name.starts_with("crc")));
    let row = |slice: &SliceId| {
        let mut out = vec![String::new(); keys.len()];
        let word = word_key(profile, &reader.info, *slice);
        let sums = if has_checksums { checksums(reader.member, profile, *slice, word.is_some()) } else { Vec::new() };
        let fields = word.map(|(key, subgraph)| &*known.entry(key).or_insert_with(|| of_word(&reader, profile, *slice, key, subgraph)));
        for (value, names) in out.iter_mut().zip(keys) {
            let found = fields.into_iter().flatten().chain(&sums).find(|(key, _)| names.contains(key));
            *value = found.map(|f| f.1.clone()).unwrap_or_default();
        }
        out
    };
    Ok(slices.iter().map(row).collect())
}

/// What a word says, and the compiler of it: the same for every execution.
fn of_word(reader: &WordReader<'_>, profile: &Profile, slice: SliceId, key: WordKey, subgraph: String) -> Vec<(&'static str, String)> {
    let decoded = reader.decode(profile, slice, key).and_then(Result::ok);
    let mut out = decoded.as_ref().map(fields).unwrap_or_default();
    out.extend(reader.compiler_pc(key).map(|pc| ("compiler_pc", pc.to_string())));
    let row = compiled_transfer(profile, &subgraph, key).unwrap_or_default();
    out.extend(row.into_iter().find(|cell| cell.0 == "compiler_operands").map(|cell| ("compiler_operands", cell.1)));
    out.push(("subgraph", subgraph));
    out
}

/// The record of a slice's end.
pub(super) fn end_record(profile: &Profile, item: EventId) -> Option<RecordRef> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    let distance = device.end_distance.get(item.slice()?.index()).copied().filter(|n| *n != NeuronDevice::ABSENT)?;
    let start = profile.record_of(item)?;
    Some(RecordRef::new(start.member(), start.offset() + u64::from(distance) * RECORD, RECORD))
}

/// Checksums in the record of a slice's end.
fn checksums(member: &Member, profile: &Profile, slice: SliceId, is_instruction: bool) -> Vec<(&'static str, String)> {
    let end = end_record(profile, slice.into()).and_then(|place| member.read(place.offset(), RECORD).ok());
    let Some(bytes) = end.and_then(|bytes| <[u8; RECORD as usize]>::try_from(bytes).ok()) else { return Vec::new() };
    let record = Record { bytes, offset: 0 };
    match is_instruction {
        true => vec![("crc_in", record.half(4).to_string()), ("crc_out", record.half(6).to_string())],
        false => vec![("crc", record.half(6).to_string())],
    }
}

/// The word that a slice executed, and the subgraph of its core.
fn word_key(profile: &Profile, info: &Info, slice: SliceId) -> Option<(WordKey, String)> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    let pc = device.pc.get(slice.index()).copied().filter(|pc| *pc != NeuronDevice::ABSENT)?;
    let engine = profile.attribute("engine")?.values.get(slice.index())?;
    let engine = ENGINES.iter().position(|name| *name == profile.strings.get(*engine))?;
    let at = profile.slices.record.get(slice.index()).map(|r| r.offset())?;
    let region = info.regions.iter().find(|r| r.span.offset <= at && at - r.span.offset < r.span.n_bytes)?;
    let subgraph = info.subgraphs.iter().find(|s| s.nc == region.nc)?;
    Some(((region.nc, engine as u64, pc), subgraph.name.clone()))
}

/// The row of a transfer in the table of compiled transfers, as (column, text).
pub(super) fn compiled_transfer(profile: &Profile, subgraph: &str, (_, engine, pc): WordKey) -> Option<Vec<(String, String)>> {
    let table = profile.tables.iter().find(|t| t.id == TRANSFERS.0)?;
    let place = |name: &str| table.columns.iter().position(|c| c == name);
    let (of_subgraph, of_engine, of_pc) = (place("subgraph")?, place("engine")?, place("pc")?);
    let name = ENGINES.get(engine as usize).copied().unwrap_or_default();
    let is_text = |cell: Option<&Cell>, text: &str| matches!(cell, Some(Cell::Text(found)) if found == text);
    let is_it = |row: &&Vec<Cell>| {
        is_text(row.get(of_subgraph), subgraph) && is_text(row.get(of_engine), name) && row.get(of_pc) == Some(&Cell::Int(pc.into()))
    };
    let row = table.rows.iter().find(is_it)?;
    let text = |(column, cell): (&String, &Cell)| if let Cell::Text(text) = cell { Some((column.clone(), text.clone())) } else { None };
    Some(table.columns.iter().zip(row).filter_map(text).collect())
}
