//! Args that only some kinds of events have, and where they are in a record.

/// An arg that a table of a PyTorch trace keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    /// `device`
    Device,
    /// `stream`
    Stream,
    /// `grid`
    Grid,
    /// `block`
    Block,
    /// `registers per thread`
    Registers,
    /// `shared memory`
    SharedMemory,
    /// `blocks per SM`
    BlocksPerSm,
    /// `est. achieved occupancy %`
    Occupancy,
    /// `bytes` of a copy
    CopyBytes,
    /// `graph node id`
    GraphNode,
    /// `Device Type`
    DeviceType,
    /// `Device Id`
    DeviceId,
    /// `Addr`
    Address,
    /// `Bytes` of an allocation
    AllocationBytes,
    /// `Total Allocated`
    Allocated,
    /// `Total Reserved`
    Reserved,
    /// `Collective name`
    Collective,
    /// `dtype`
    Dtype,
    /// `In msg nelems`
    NIn,
    /// `Out msg nelems`
    NOut,
    /// `Group size`
    GroupSize,
    /// `Process Group Name`
    Group,
    /// `Seq`
    Seq,
    /// `Input type`
    InputTypes,
    /// `Python id`
    PythonId,
    /// `Python parent id`
    PythonParent,
    /// `Python module id`
    PythonModule,
    /// `Call stack`
    CallStack,
    /// `kernel` of a launch
    Kernel,
    /// `Concrete Inputs`
    ConcreteInputs,
}

const COUNT: usize = Arg::ConcreteInputs as usize + 1;

impl Arg {
    /// The arg of that key.
    pub fn of(key: &[u8]) -> Option<Arg> {
        Some(match key {
            b"device" => Arg::Device,
            b"stream" => Arg::Stream,
            b"grid" => Arg::Grid,
            b"block" => Arg::Block,
            b"registers per thread" => Arg::Registers,
            b"shared memory" => Arg::SharedMemory,
            b"blocks per SM" => Arg::BlocksPerSm,
            b"est. achieved occupancy %" => Arg::Occupancy,
            b"bytes" => Arg::CopyBytes,
            b"graph node id" => Arg::GraphNode,
            b"Device Type" => Arg::DeviceType,
            b"Device Id" => Arg::DeviceId,
            b"Addr" => Arg::Address,
            b"Bytes" => Arg::AllocationBytes,
            b"Total Allocated" => Arg::Allocated,
            b"Total Reserved" => Arg::Reserved,
            b"Collective name" => Arg::Collective,
            b"dtype" => Arg::Dtype,
            b"In msg nelems" => Arg::NIn,
            b"Out msg nelems" => Arg::NOut,
            b"Group size" => Arg::GroupSize,
            b"Process Group Name" => Arg::Group,
            b"Seq" => Arg::Seq,
            b"Input type" => Arg::InputTypes,
            b"Python id" => Arg::PythonId,
            b"Python parent id" => Arg::PythonParent,
            b"Python module id" => Arg::PythonModule,
            b"Call stack" => Arg::CallStack,
            b"kernel" => Arg::Kernel,
            b"Concrete Inputs" => Arg::ConcreteInputs,
            _ => return None,
        })
    }
}

/// Where the values of the args of one record are in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Args<'a> {
    text: &'a [u8],
    /// First byte and length of each; length 0 where the record has none.
    spans: [(u32, u32); COUNT],
}

impl Default for Args<'_> {
    fn default() -> Self {
        Args { text: b"", spans: [(0, 0); COUNT] }
    }
}

impl<'a> Args<'a> {
    /// No args yet of the record `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Args { text, ..Args::default() }
    }

    /// Keeps `value`, a part of the record's text.
    #[inline(always)]
    pub fn keep(&mut self, arg: Arg, value: &'a [u8]) {
        let from = value.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        self.spans[arg as usize] = (from as u32, value.len() as u32);
    }

    /// The value as written, without quotes; empty where the record has none.
    pub fn get(&self, arg: Arg) -> &'a [u8] {
        let (from, len) = self.spans[arg as usize];
        self.text.get(from as usize..from as usize + len as usize).unwrap_or_default()
    }

    /// Whether the record has it, and it is not empty.
    pub fn has(&self, arg: Arg) -> bool {
        self.spans[arg as usize].1 > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arg_is_found_by_its_key() {
        let keys = [
            "device",
            "stream",
            "grid",
            "block",
            "registers per thread",
            "shared memory",
            "blocks per SM",
            "est. achieved occupancy %",
            "bytes",
            "graph node id",
            "Device Type",
            "Device Id",
            "Addr",
            "Bytes",
            "Total Allocated",
            "Total Reserved",
            "Collective name",
            "dtype",
            "In msg nelems",
            "Out msg nelems",
            "Group size",
            "Process Group Name",
            "Seq",
            "Input type",
            "Python id",
            "Python parent id",
            "Python module id",
            "Call stack",
            "kernel",
            "Concrete Inputs",
        ];
        let found: Vec<usize> = keys.iter().filter_map(|k| Arg::of(k.as_bytes())).map(|a| a as usize).collect();
        assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
        for other in ["", "s", "bites", "blobs", "Python modula id", "Device", "Seq2", "graph"] {
            assert_eq!(Arg::of(other.as_bytes()), None, "{other}");
        }
    }
}
