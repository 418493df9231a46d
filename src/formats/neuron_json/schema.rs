//! The sections and keys of the device JSON: which are known, what they mean, in which unit.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// One key: (key, heading in the details, unit, meaning).
pub(super) type Key = (&'static str, &'static str, &'static str, &'static str);

const INSTRUCTION: &[Key] = &[
    ("label", "Event", "", "Row of the timeline"),
    ("subgroup", "Event", "", "Engine that ran the instruction"),
    ("subgraph", "Event", "", "Subgraph: one per physical core"),
    ("fully_qualified_subgraph", "Event", "", "Subgraph with its path"),
    ("timestamp", "Event", "ns", "Start, from the start of the execution window"),
    ("duration", "Event", "ns", "Duration of the instruction"),
    ("evt_wait_time", "Event", "ns", "Time spent waiting for a semaphore before the instruction"),
    ("opcode", "Instruction", "", "Operation of the engine"),
    ("operands", "Instruction", "", "Semaphores waited for and set; source and destination as dtype@address[strides][shape]"),
    ("compiler_opcode", "Instruction", "", "Opcode emitted by the compiler, if the runtime replaced it"),
    ("compiler_operands", "Instruction", "", "Operands emitted by the compiler, if the runtime replaced them"),
    ("instruction_type", "Instruction", "", "REGULAR, or TRANSPOSE for a matrix product that transposes"),
    ("activation_fn", "Instruction", "", "Function of an activation"),
    ("pc", "Instruction", "", "Program counter in the loaded image"),
    ("compiler_pc", "Instruction", "", "Program counter in the compiler output"),
    ("elements", "Instruction", "", "Elements processed by a matrix product"),
    ("sbuf_read_bytes", "Memory", "bytes", "Read from the State Buffer"),
    ("sbuf_write_bytes", "Memory", "bytes", "Written to the State Buffer"),
    ("psum_read_bytes", "Memory", "bytes", "Read from PSUM"),
    ("psum_write_bytes", "Memory", "bytes", "Written to PSUM"),
    ("psum_read_sbuf_write_bytes", "Memory", "bytes", "Moved from PSUM to the State Buffer"),
    ("is_psum_read_sbuf_write", "Memory", "", "Whether the instruction moves PSUM to the State Buffer"),
    ("hbm_read_bytes", "Memory", "bytes", "Read from HBM"),
    ("hbm_write_bytes", "Memory", "bytes", "Written to HBM"),
    ("layer", "Program", "", "Layer of the model"),
    ("hlo_name", "Program", "", "HLO instruction"),
    ("hlo_attrs", "Program", "", "Attributes of the HLO instruction, as JSON"),
    ("nki_source_location", "Program", "", "Source line of the NKI kernel"),
    ("bir_instruction_name", "Program", "", "Instruction of the compiler's backend (BIR)"),
    ("bir_id", "Links", "", "Id of the BIR instruction, with its subgraph"),
    ("raw_bir_id", "Links", "", "Id of the BIR instruction"),
    ("penguin_id", "Links", "", "Id in the tensorizer, with its subgraph"),
    ("raw_penguin_id", "Links", "", "Id in the tensorizer"),
    ("id", "Links", "", "Id of this record"),
    ("predecessors", "Links", "", "Predecessors of this instruction, with the kind of dependency"),
    ("crc_in", "Check", "", "Checksum of the input"),
    ("crc_out", "Check", "", "Checksum of the output"),
];

const DMA: &[Key] = &[
    ("subgroup", "Event", "", "Queue and engine"),
    ("subgraph", "Event", "", "Subgraph: one per physical core"),
    ("timestamp", "Event", "ns", "Start, from the start of the execution window"),
    ("duration", "Event", "ns", "Duration of the transfer"),
    ("dma_engine", "Transfer", "", "DMA engine"),
    ("dma_queue", "Transfer", "", "Queue of the engine"),
    ("queue_type", "Transfer", "", "Type of the queue"),
    ("op", "Transfer", "", "Operation"),
    ("semaphore_id", "Transfer", "", "Semaphore set at the end; -1: none"),
    ("transfer_size", "Memory", "bytes", "Bytes moved"),
    ("read_size", "Memory", "bytes", "Bytes read"),
    ("write_size", "Memory", "bytes", "Bytes written"),
    ("transfer_rate", "Memory", "B/s", "Bytes moved ÷ duration"),
    ("variable", "Memory", "", "Transferred variable"),
    ("source", "Memory", "", "Source"),
    ("dest", "Memory", "", "Destination"),
    ("aggregated", "Transfer", "", "Whether the record merges several packets"),
    ("duplicate", "Transfer", "", "Whether another record describes the same packet"),
    ("is_cc_dma", "Transfer", "", "Whether it belongs to a collective operation"),
    ("packet_idx", "Links", "", "Index of the packet in its transfer"),
    ("packet_aggregation_id", "Links", "", "Id of the packet's transfer"),
    ("id", "Links", "", "Id of this record"),
    ("crc", "Check", "", "Checksum of the data"),
];

const CURVES: &[(&str, &[&str])] = &[
    ("semaphore_update", &["id", "subgraph", "timestamp", "value"]),
    ("pending_dma", &["subgraph", "timestamp", "value"]),
    (
        "dma_throughput",
        &["subgraph", "timestamp", "transfer_rate", "hbm_transfer_rate", "total_transfer_bytes", "hbm_total_transfer_bytes", "uses_hbm"],
    ),
    ("ham", &["subgraph", "timestamp", "duration", "k", "n", "type"]),
    (
        "instruction_usage",
        &[
            "subgraph",
            "timestamp",
            "type",
            "usage_avg",
            "partition_0_usage",
            "partition_32_usage",
            "partition_64_usage",
            "partition_96_usage",
            "bank_0_usage",
            "bank_1_usage",
            "bank_2_usage",
            "bank_3_usage",
            "bank_4_usage",
            "bank_5_usage",
            "bank_6_usage",
            "bank_7_usage",
        ],
    ),
];

/// Sections that are tables: all their keys are columns.
const TABLES: [&str; 14] = [
    "active_time",
    "layer_summary",
    "dma_queues_info",
    "nc_mem_usage",
    "model_info",
    "metadata",
    "profile_info",
    "neff_header",
    "neff_node",
    "warnings",
    "summary",
    "summary_groups",
    "summary_group_order",
    "terminology",
];

/// Names that other JSON files may have as well.
const WEAK: [&str; 4] = ["metadata", "summary", "warnings", "dma"];

/// The sections whose records are on the timeline.
pub(super) fn timeline_sections() -> impl Iterator<Item = &'static str> {
    ["instruction", "dma"].into_iter().chain(CURVES.iter().map(|c| c.0))
}

/// Whether the section's records are on the timeline.
pub(super) fn on_timeline(section: &str) -> bool {
    timeline_sections().any(|known| known == section)
}

/// Whether this version knows the section.
pub(super) fn is_section(section: &str) -> bool {
    on_timeline(section) || TABLES.contains(&section)
}

/// Whether the section's name alone identifies the format.
pub(super) fn is_identifying(section: &str) -> bool {
    is_section(section) && !WEAK.contains(&section)
}

/// The keys that this version knows of a section; `None` where all keys are columns, so known.
pub(super) fn known_keys(section: &str) -> Option<&'static FxHashSet<&'static str>> {
    static KNOWN: LazyLock<FxHashMap<&'static str, FxHashSet<&'static str>>> = LazyLock::new(|| {
        let curves = CURVES.iter().map(|(section, keys)| (*section, keys.iter().copied().collect()));
        let slices = ["instruction", "dma"].map(|section| (section, keys(section).iter().map(|k| k.0).collect()));
        curves.chain(slices).collect()
    });
    KNOWN.get(section)
}

/// Keys of a section with detailed records.
pub(super) fn keys(section: &str) -> &'static [Key] {
    if section == "dma" { DMA } else { INSTRUCTION }
}

/// The entry of a key.
pub(super) fn find(keys: &'static [Key], key: &str) -> Option<&'static Key> {
    keys.iter().find(|k| k.0 == key)
}
