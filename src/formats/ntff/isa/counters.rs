//! Elements, FLOPs and bytes of an instruction, by neuron-profile's rules.

use super::instruction::{Instruction, TransferEnd, TransferPlace};
use super::layout::{Class, End};

/// Which memory an end of a transfer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    StateBuffer,
    Hbm,
}

/// Device addresses of the State Buffer of the core below, in bits 32 and up.
const STATE_BUFFER_WINDOW: u64 = 0x8020;
/// The physical core of every verified address.
const VERIFIED_CORE: u64 = 4;

/// The memory of a transfer's end by its address alone; `None` where the addresses of the core are not verified.
pub(crate) fn memory_of(end: &TransferEnd, core: u64) -> Option<Memory> {
    match end.place {
        TransferPlace::Table { .. } => Some(Memory::Hbm),
        TransferPlace::Address(address) if address >> 32 == STATE_BUFFER_WINDOW => Some(Memory::StateBuffer),
        TransferPlace::Address(_) if core == VERIFIED_CORE => Some(Memory::Hbm),
        _ => None,
    }
}

/// Counters of an instruction; absent where neuron-profile gives none. Bytes of compute instructions are of one partition, those of transfers are
/// of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    pub elements: Option<u64>,
    pub sbuf_read: Option<u64>,
    pub sbuf_write: Option<u64>,
    pub psum_read: Option<u64>,
    pub psum_write: Option<u64>,
    pub hbm_read: Option<u64>,
    pub hbm_write: Option<u64>,
    /// Bytes written by an instruction that reads PSUM and writes the State Buffer.
    pub psum_to_sbuf: Option<u64>,
}

/// The counters of `instruction`; `memory` finds the memory of a transfer's end.
pub(crate) fn counters(instruction: &Instruction, memory: &dyn Fn(&TransferEnd, End) -> Option<Memory>) -> Counters {
    let mut out = Counters::default();
    let source = instruction.access(End::Source);
    let destination = instruction.access(End::Destination);
    let n_bytes = source.and_then(|s| s.dtype).map_or(0, |dtype| dtype.n_bytes);
    let read = source.and_then(|s| s.elements()?.checked_mul(n_bytes));
    match instruction.class {
        Class::Weights => out.sbuf_read = read,
        Class::Product => {
            out.sbuf_read = read;
            // Counted with the size of the source's type, though PSUM holds fp32.
            out.psum_write = destination.and_then(|d| d.elements()?.checked_mul(n_bytes));
            out.elements = source.and_then(|s| s.elements()?.checked_mul(instruction.array()?));
        }
        Class::Elementwise => {
            let written = destination.and_then(|d| d.elements()?.checked_mul(d.dtype?.n_bytes));
            let (from_psum, to_psum) = (source.is_some_and(|s| s.is_psum()), destination.is_some_and(|d| d.is_psum()));
            *(if from_psum { &mut out.psum_read } else { &mut out.sbuf_read }) = read;
            *(if to_psum { &mut out.psum_write } else { &mut out.sbuf_write }) = written;
            out.psum_to_sbuf = written.filter(|_| from_psum && !to_psum);
        }
        Class::Transfer => {
            if let Some(transfer) = instruction.transfer() {
                match memory(&transfer.source, End::Source) {
                    Some(Memory::StateBuffer) => out.sbuf_read = Some(transfer.source.n_bytes()),
                    Some(Memory::Hbm) => out.hbm_read = Some(transfer.source.n_bytes()),
                    None => (),
                }
                match memory(&transfer.destination, End::Destination) {
                    Some(Memory::StateBuffer) => out.sbuf_write = Some(transfer.destination.n_bytes()),
                    Some(Memory::Hbm) => out.hbm_write = Some(transfer.destination.n_bytes()),
                    None => (),
                }
            }
        }
        Class::Control => (),
    }
    out
}
