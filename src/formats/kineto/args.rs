//! Args that only some kinds of events have, and where they stand in a record.

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
}

const COUNT: usize = Arg::CallStack as usize + 1;

impl Arg {
    /// The arg of that key. Length and first byte nearly always decide, so that other keys cost no comparison.
    #[inline(always)]
    fn of(key: &[u8]) -> Option<Arg> {
        let (arg, name): (Arg, &[u8]) = match (key.len(), key.first().copied().unwrap_or(0)) {
            (3, b'S') => (Arg::Seq, b"Seq"),
            (4, b'g') => (Arg::Grid, b"grid"),
            (4, b'A') => (Arg::Address, b"Addr"),
            (5, b'B') => (Arg::AllocationBytes, b"Bytes"),
            (5, b'd') => (Arg::Dtype, b"dtype"),
            (5, b'b') if key[1] == b'l' => (Arg::Block, b"block"),
            (5, b'b') => (Arg::CopyBytes, b"bytes"),
            (6, b'd') => (Arg::Device, b"device"),
            (6, b's') => (Arg::Stream, b"stream"),
            (9, b'D') => (Arg::DeviceId, b"Device Id"),
            (9, b'P') => (Arg::PythonId, b"Python id"),
            (10, b'C') => (Arg::CallStack, b"Call stack"),
            (10, b'G') => (Arg::GroupSize, b"Group size"),
            (10, b'I') => (Arg::InputTypes, b"Input type"),
            (11, b'D') => (Arg::DeviceType, b"Device Type"),
            (13, b'b') => (Arg::BlocksPerSm, b"blocks per SM"),
            (13, b'g') => (Arg::GraphNode, b"graph node id"),
            (13, b'I') => (Arg::NIn, b"In msg nelems"),
            (13, b's') => (Arg::SharedMemory, b"shared memory"),
            (14, b'O') => (Arg::NOut, b"Out msg nelems"),
            (14, b'T') => (Arg::Reserved, b"Total Reserved"),
            (15, b'C') => (Arg::Collective, b"Collective name"),
            (15, b'T') => (Arg::Allocated, b"Total Allocated"),
            (16, b'P') if key[7] == b'p' => (Arg::PythonParent, b"Python parent id"),
            (16, b'P') => (Arg::PythonModule, b"Python module id"),
            (18, b'P') => (Arg::Group, b"Process Group Name"),
            (20, b'r') => (Arg::Registers, b"registers per thread"),
            (25, b'e') => (Arg::Occupancy, b"est. achieved occupancy %"),
            _ => return None,
        };
        (key == name).then_some(arg)
    }
}

/// Where the values of the args of one record stand in its text.
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

    /// Keeps `value`, a part of the record's text, if its key is one that a table keeps.
    #[inline(always)]
    pub fn keep(&mut self, key: &[u8], value: &'a [u8]) {
        if let Some(arg) = Arg::of(key) {
            let from = value.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
            self.spans[arg as usize] = (from as u32, value.len() as u32);
        }
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
        ];
        let found: Vec<usize> = keys.iter().filter_map(|k| Arg::of(k.as_bytes())).map(|a| a as usize).collect();
        assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
        for other in ["", "s", "bites", "blobs", "Python modula id", "Device", "Seq2", "graph"] {
            assert_eq!(Arg::of(other.as_bytes()), None, "{other}");
        }
    }
}
