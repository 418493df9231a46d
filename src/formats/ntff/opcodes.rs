//! Names of opcodes and engines, and different names in runtime and profiler.

use crate::model::program::is_opcode_name;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// (opcode byte, name), as far as public profiles show.
const OPCODES: [(u8, &str); 21] = [
    (0x01, "LDWEIGHTS"),
    (0x02, "MATMUL"),
    (0x21, "ACTIVATE"),
    (0x23, "ACT_TABLE_LOAD"),
    (0x42, "TENSOR_REDUCE"),
    (0x43, "TENSOR_SCALAR"),
    (0x46, "COPY"),
    (0x47, "CAST"),
    (0x48, "RECIPROCAL"),
    (0xa0, "EVENT_SEMAPHORE"),
    (0xa2, "DRAIN"),
    (0xa4, "NOP"),
    (0xa5, "WRITE"),
    (0xa6, "NOTIFY"),
    (0xa9, "COMPARE_BRANCH"),
    (0xaa, "TENSOR_LOAD"),
    (0xb0, "EVENT_SEMAPHORE_RANGE_CLEAR"),
    (0xb1, "SET_ORDERING_MODE"),
    (0xb8, "DMA_DIRECT2D"),
    (0xcc, "PSEUDO"),
    (0xd4, "PSEUDO_DMA_DIRECT2D"),
];

/// The name of an opcode.
pub(super) fn opcode(byte: u8) -> Option<&'static str> {
    OPCODES.iter().find(|o| o.0 == byte).map(|o| o.1)
}

thread_local! {
    /// Names that this browser learned from the profiler's output of other runs: a worker opens one profile.
    static LEARNED: RefCell<BTreeMap<u8, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Takes names of opcodes that have none here, by their number, for what this thread opens; what cannot be a name is left out.
pub fn learn(names: &[(u8, String)]) {
    let is_new = |n: &&(u8, String)| opcode(n.0).is_none() && is_opcode_name(&n.1);
    LEARNED.with_borrow_mut(|all| *all = names.iter().filter(is_new).cloned().collect());
}

/// The learned name of an opcode, marked as such.
pub(super) fn learned(byte: u8) -> Option<String> {
    LEARNED.with_borrow(|all| all.get(&byte).map(|name| format!("{name} (learned)")))
}

/// An opcode by its name, by its learned name, or by its number.
pub(super) fn shown(byte: u8) -> String {
    opcode(byte).map(str::to_string).or_else(|| learned(byte)).unwrap_or_else(|| format!("opcode {byte:#04x}"))
}

/// Names of the engines by their number in the file.
pub(super) const ENGINES: [&str; 5] = ["Tensor", "Scalar", "GpSimd", "Vector", "Sync"];

/// What the NEFF calls the engines, in the same order.
pub(crate) const NEFF_ENGINES: [&str; 5] = ["PE", "Activation", "Pool", "DVE", "SP"];

/// Row of the timeline: matrix products have their own, since weights load in the background.
pub(super) fn label(engine: usize, opcode: Option<u8>) -> &'static str {
    match (engine, opcode) {
        (0, Some(0x02)) => "TensorMatrix",
        _ => ENGINES.get(engine).copied().unwrap_or("Unknown engine"),
    }
}

/// A DMA queue by the name that users know: the engine's, not the hardware unit's.
pub(super) fn queue(name: &str) -> String {
    for (from, to) in [("qPool", "qGpSimd"), ("qSP", "qSync"), ("qAct", "qScalar")] {
        if let Some(rest) = name.strip_prefix(from) {
            return format!("{to}{rest}");
        }
    }
    name.into()
}

/// What a queue is for.
pub(super) fn queue_purpose(number: u64) -> String {
    match number {
        0 => "unknown".into(),
        2 => "weights".into(),
        n => format!("type {n}"),
    }
}

/// A kind of device memory by the name that users know.
pub(super) fn memory(kind: &str) -> String {
    let known = match kind {
        "generic" => "Generic",
        "pe" => "Tensor Instructions",
        "act" => "Scalar Instructions",
        "pool" => "GpSimd Instructions",
        "dve" => "Vector Instructions",
        "sp" => "Sync Instructions",
        "io" => "IO",
        "spill" => "DRAM Spill",
        "weight" => "Weights",
        "profiler buffers" => "Profiler Buffers",
        "act table" => "Scalar Table",
        "shared scratchpad" => "Shared Scratchpad",
        "tensor" => "Tensors",
        "ucode" => "Ucode lib",
        "pool stdio" => "GpSimd STDIO",
        "collectives" => "Collectives",
        "scratchpad" => "Scratchpad",
        "xt cc" => "XT CC (unused)",
        "dma rings runtime" => "DMA Rings Runtime",
        "dma rings spill" => "DMA Rings Spill",
        "dma rings io" => "DMA Rings IO",
        "dma rings collectives" => "DMA Rings Collectives",
        other => other,
    };
    known.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_named_by_engine() {
        assert_eq!(queue("qPoolDynamic"), "qGpSimdDynamic");
        assert_eq!(queue("qSPDynamicHW"), "qSyncDynamicHW");
        assert_eq!(queue("qActTable"), "qScalarTable");
        assert_eq!(queue("qSpillReload0"), "qSpillReload0");
        assert_eq!(queue("qDveTable"), "qDveTable");
    }
}
