//! What a trace says of itself: facts and tables, with the names and columns of the device JSON.

use super::info::Info;
use super::opcodes;
use crate::base::text;
use crate::formats::neff::hex;
use crate::formats::neuron_json::tables::Tables;
use crate::model::{Cell, Fact, Meta};

fn int(n: u64) -> Cell {
    i64::try_from(n).map_or_else(|_| Cell::Text(n.to_string()), Cell::Int)
}

/// Queues, memory and cores.
pub(super) fn tables(info: &Info, out: &mut Tables) {
    for subgraph in &info.subgraphs {
        let name = || Cell::Text(subgraph.name.clone());
        for queue in &subgraph.queues {
            let row = [
                ("subgraph", name()),
                ("q_name", Cell::Text(opcodes::queue(&queue.name))),
                ("q_type", Cell::Text(opcodes::queue_purpose(queue.purpose))),
                ("q_idx", int(queue.index)),
                ("q_eng_idx", int(queue.engine)),
                ("q_dram_channel", int(queue.channel)),
                ("q_event_id", Cell::Int(queue.event)),
            ];
            out.row("dma_queues_info", row.into_iter());
        }
        for (kind, n_bytes) in &subgraph.memory {
            let row = [("nc", int(subgraph.nc)), ("usage_type", Cell::Text(opcodes::memory(kind))), ("amount_bytes", int(*n_bytes))];
            out.row("nc_mem_usage", row.into_iter());
        }
        let row = [
            ("sg_name", name()),
            ("nc_idx", int(subgraph.nc)),
            ("dma_queue_count", int(subgraph.queues.len() as u64)),
            ("duration_ns", int(subgraph.duration_ps / 1000)),
        ];
        out.row("model_info", row.into_iter());
    }
}

/// A row of the table of records that have no partner.
pub(super) fn unpaired(kind: &str, ends: u64, starts: u64) -> [(&'static str, Cell); 3] {
    [("records", Cell::Text(kind.into())), ("ends_without_start", int(ends)), ("starts_without_end", int(starts))]
}

/// What is not available where instruction words are not decoded, not all that ran, and where the instance type has no published values.
pub(super) fn not_decoded(is_decoded: bool, has_constants: bool, has_usage: bool) -> Vec<String> {
    let mut out = Vec::new();
    if !is_decoded {
        out.push("Operands of instructions, and semaphores by owner (decoded on trn2 only)".to_string());
        out.push("FLOPs, elements and bytes that instructions read and wrote (decoded on trn2 only)".to_string());
    }
    if !has_usage {
        let most = text::count(super::usage::MOST_RUNS as u64);
        out.push(format!(
            "State Buffer and PSUM usage over time (needs the operands of all executed instructions, at most {most} in a core)"
        ));
    }
    if !has_constants {
        out.push("Clocks, array size and bandwidths of the hardware (published for inf2, trn1, trn2 and trn3 only)".to_string());
    }
    out
}

/// Facts, and what the format does not record.
pub(super) fn meta(info: &Info, title: &str, window_ns: i64, has_neff: bool) -> Meta {
    let window = if window_ns > 0 { text::time_exact(window_ns) } else { String::new() };
    let model = if info.model_id > 0 { info.model_id.to_string() } else { String::new() };
    let facts = [
        ("Run", "Execution window", window),
        ("Run", "Instance type", info.instance_type.clone()),
        ("Run", "Instance", info.instance_id.clone()),
        ("Run", "NEFF", info.neff_name.clone()),
        ("Run", "NEFF uuid", hex(&info.uuid)),
        ("Run", "Model id", model),
        ("Hardware", "Physical NeuronCores", info.subgraphs.len().to_string()),
        ("Versions", "Neuron Runtime", info.runtime.clone()),
        ("Versions", "Driver", info.driver.clone()),
        ("Versions", "Collectives", info.collectives.clone()),
        ("Versions", "NTFF version", info.version.to_string()),
    ];
    let facts = facts.into_iter().filter(|f| !f.2.is_empty());
    let mut not_available = vec!["HBM throughput over time".to_string(), "Summary of the profiler".to_string()];
    if !has_neff {
        not_available.push("Names of the tensors that DMA transfers move (open the .ntff together with its .neff)".to_string());
        not_available.push("Names of instructions, HLO, layers and source lines (open the .ntff together with its .neff)".to_string());
    }
    Meta {
        format: super::ID.into(),
        title: title.into(),
        origin_epoch_ns: None,
        origin: "start of the execution window".into(),
        facts: facts.map(|(group, name, value)| Fact { group: group.into(), name: name.into(), value }).collect(),
        not_available,
        is_experimental: true,
        ..Meta::default()
    }
}
