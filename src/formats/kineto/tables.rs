//! Rows of PyTorch's tables, collected while the records go by. Slices and tracks have their raw ids until the end.

use super::args::{Arg, Args};
use super::class::Class;
use super::content::Content;
use super::event::Event;
use crate::base::{StrId, TrackId};
use crate::formats::json::number;
use crate::model::torch::{ABSENT, Collective, Function, Kernel, MemoryEvent, OperatorInputs};
use crate::model::{RawSliceId, RecordRef};

impl Content {
    /// Adds what the args of a slice say to the tables of its kind.
    #[inline]
    pub(super) fn tabulate(&mut self, event: &Event<'_>, slice: RawSliceId, class: Class) {
        let args = &event.args;
        match class {
            Class::Device => self.kernel(args, slice),
            Class::Python => self.tables.functions.push(function(args, slice)),
            Class::Host if !event.input_dims.is_empty() && args.has(Arg::InputTypes) => {
                let types = self.intern_nested(args.get(Arg::InputTypes));
                let concrete = self.intern_nested(args.get(Arg::ConcreteInputs));
                self.tables.inputs.push(OperatorInputs { slice, types, concrete });
            }
            Class::Host | Class::Other => {}
        }
        if args.has(Arg::Collective) || class == Class::Host && is_collective(event.name) {
            self.collective(args, slice, class);
        }
        if self.tables.keeps_launch_kernels && class == Class::Other && args.has(Arg::Kernel) {
            let kernel = self.intern(args.get(Arg::Kernel));
            self.tables.launch_kernels.push((slice, kernel));
        }
        if args.has(Arg::CallStack) {
            let stack = self.intern(args.get(Arg::CallStack));
            self.tables.stacks.push((slice, stack));
        }
    }

    fn kernel(&mut self, args: &Args<'_>, slice: RawSliceId) {
        let kernel = Kernel {
            slice,
            device: id(args, Arg::Device),
            stream: id(args, Arg::Stream),
            grid: self.intern_nested(args.get(Arg::Grid)),
            block: self.intern_nested(args.get(Arg::Block)),
            registers: id(args, Arg::Registers),
            shared_memory: id(args, Arg::SharedMemory),
            blocks_per_sm: float(args, Arg::BlocksPerSm),
            occupancy: float(args, Arg::Occupancy),
            bytes: count(args, Arg::CopyBytes).unwrap_or(u64::MAX),
            graph_node: count(args, Arg::GraphNode).unwrap_or(0),
        };
        self.tables.kernels.push(kernel);
    }

    fn collective(&mut self, args: &Args<'_>, slice: RawSliceId, class: Class) {
        let input_types = if class == Class::Device { StrId(0) } else { self.intern_nested(args.get(Arg::InputTypes)) };
        let collective = Collective {
            slice,
            name: self.intern(args.get(Arg::Collective)),
            dtype: self.intern(args.get(Arg::Dtype)),
            n_in: count(args, Arg::NIn).unwrap_or(u64::MAX),
            n_out: count(args, Arg::NOut).unwrap_or(u64::MAX),
            group_size: id(args, Arg::GroupSize),
            group: self.intern(args.get(Arg::Group)),
            seq: id(args, Arg::Seq),
            input_types,
        };
        self.tables.collectives.push(collective);
    }

    /// Adds an event `[memory]`.
    pub(super) fn allocation(&mut self, args: &Args<'_>, track: TrackId, time: i64, record: RecordRef) {
        let signed = |arg| number::scaled(args.get(arg), 0);
        let event = MemoryEvent {
            time,
            track,
            device_type: signed(Arg::DeviceType).and_then(|n| i32::try_from(n).ok()).unwrap_or(MemoryEvent::NO_DEVICE),
            device_id: signed(Arg::DeviceId).and_then(|n| i32::try_from(n).ok()).unwrap_or(MemoryEvent::NO_DEVICE),
            address: count(args, Arg::Address),
            bytes: signed(Arg::AllocationBytes).unwrap_or(0),
            allocated: count(args, Arg::Allocated),
            reserved: count(args, Arg::Reserved),
            record,
        };
        self.tables.memory.push(event);
    }
}

fn function(args: &Args<'_>, slice: RawSliceId) -> Function {
    Function { slice, id: id(args, Arg::PythonId), parent: id(args, Arg::PythonParent), module: id(args, Arg::PythonModule) }
}

/// A whole number below 2³² − 1, else [`ABSENT`].
fn id(args: &Args<'_>, arg: Arg) -> u32 {
    count(args, arg).and_then(|n| u32::try_from(n).ok()).unwrap_or(ABSENT)
}

fn count(args: &Args<'_>, arg: Arg) -> Option<u64> {
    number::unsigned(args.get(arg))
}

fn float(args: &Args<'_>, arg: Arg) -> f32 {
    number::float(args.get(arg)).map_or(f32::NAN, |v| v as f32)
}

/// Backends of `torch.distributed`: their host ranges are called `<backend>:<operation>`.
const BACKENDS: [&[u8]; 10] = [b"nccl", b"gloo", b"mpi", b"ucc", b"xccl", b"hccl", b"rccl", b"ccl", b"oneccl", b"cncl"];

/// Whether a host range of that name is a collective operation.
fn is_collective(name: &[u8]) -> bool {
    if !matches!(name.first(), Some(b'n' | b'g' | b'm' | b'u' | b'x' | b'h' | b'r' | b'c' | b'o')) {
        return false;
    }
    let backend = name.iter().take(8).position(|&b| b == b':').map(|at| &name[..at]);
    name == b"record_param_comms" || backend.is_some_and(|b| BACKENDS.contains(&b) && name.get(b.len() + 1) != Some(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectives_are_known_by_name() {
        for name in ["nccl:all_reduce", "gloo:broadcast", "mpi:send", "record_param_comms", "oneccl:barrier"] {
            assert!(is_collective(name.as_bytes()), "{name}");
        }
        for name in ["aten::mm", "c10d::allreduce_", "nccl", "gloo::x", "record_param_comms2", "", "mm:x"] {
            assert!(!is_collective(name.as_bytes()), "{name}");
        }
    }
}
