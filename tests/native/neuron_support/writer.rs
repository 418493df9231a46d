//! Writes small traces and compiled models, right or wrong on purpose.

use std::io::Write;

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// A protobuf message being written.
#[derive(Default, Clone)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn number(mut self, field: u64, n: u64) -> Self {
        varint(&mut self.0, field << 3);
        varint(&mut self.0, n);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        varint(&mut self.0, field << 3 | 2);
        varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }
}

/// The first eight bytes of a record and its time in picoseconds.
pub fn record(first: [u8; 8], time: u64) -> [u8; 16] {
    let mut out = [0; 16];
    out[..8].copy_from_slice(&first);
    out[8..].copy_from_slice(&time.to_le_bytes());
    out
}

pub const UUID: [u8; 16] = *b"0123456789abcdef";
/// Device time of the execution window's start.
pub const START: u64 = 5_000_000_000_000;
/// Address of the only image, in words of 64 bytes.
const BASE: u64 = 0x1_0000;

/// An instruction of the Tensor engine: start and end record.
pub fn instruction(pc: u64, start: u64, end: u64) -> Vec<u8> {
    let word = BASE + pc;
    let at = |kind: u8, time: u64| record([word as u8, (word >> 8) as u8, (word >> 16) as u8 & 0xf, kind, 0, 0, 0x58, 0x02], time);
    [at(0x84, START + start), at(0x85, START + end)].concat()
}

/// A word: opcode, the mark of every word, and these bytes at their offsets.
pub fn word(opcode: u8, fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut out = vec![0; 64];
    (out[0], out[1]) = (opcode, 0x10);
    fields.iter().for_each(|(at, bytes)| out[*at..*at + bytes.len()].copy_from_slice(bytes));
    out
}

/// The image: MATMUL, an opcode without a name, NOP.
pub fn image() -> Vec<u8> {
    [0x02u8, 0x41, 0xa4].into_iter().flat_map(|opcode| std::iter::once(opcode).chain([0; 63])).collect()
}

/// Records by (trace type, block type).
pub type Regions = Vec<(u64, u64, Vec<u8>)>;

/// What a small run leaves: two instructions, a semaphore, a DMA transfer, throttling.
pub fn regions() -> Regions {
    let instructions = [instruction(0, 1_000_000, 2_500_999), instruction(1, 3_000_000, 3_700_000)].concat();
    let semaphore = record([5, 1, 0xf3, 0x87, 3, 0, 0, 0], START + 2_600_000).to_vec();
    let transfer = |kind, size: u16, at| record([size as u8, (size >> 8) as u8, 0, 0x82, kind, 0, 7, 0], START + at);
    let transfers = [transfer(0x11, 0, 1_000_000), transfer(0x15, 4096, 1_618_000), transfer(0x16, 0, 1_700_000)].concat();
    let throttle = record([0, 0, 8, 0x9e, 4, 1, 0, 0], START + 2_000_000).to_vec();
    vec![(0, 0, instructions), (1, 0, semaphore), (4, 1, transfers), (5, 0, throttle)]
}

/// A trace of `version` with these regions; `offset` is added to where they are said to stand.
pub fn trace(version: u8, regions: &Regions, offset: u64) -> Vec<u8> {
    trace_of(version, 0, &[(0, image())], regions, offset)
}

/// The same of an architecture, with these images by engine.
pub fn trace_of(version: u8, architecture: u64, images: &[(u64, Vec<u8>)], regions: &Regions, offset: u64) -> Vec<u8> {
    let is_new = version >= 6;
    let mut raw = Vec::new();
    let queue = Message::default().number(1, 66).number(2, 1).number(3, 2).bytes(4, b"qSPDynamicHW");
    let mut subgraph = Message::default().bytes(1, b"sg00").number(3, 4);
    for (engine, image) in images {
        let mut program = Message::default().number(1, *engine).number(2, BASE * 64);
        if is_new {
            program = program.number(7, raw.len() as u64).number(8, image.len() as u64);
            raw.extend_from_slice(image);
        } else {
            program = program.bytes(3, image);
        }
        subgraph = subgraph.bytes(4, &program.0);
    }
    subgraph = subgraph.bytes(7, &queue.0).number(14, 10_000_000);
    let mut listed = Vec::new();
    for (trace, block, records) in regions {
        let mut region =
            Message::default().number(1, *trace).number(3, *block).number(5, raw.len() as u64 + offset).number(6, records.len() as u64);
        if is_new {
            region = region.number(7, 4);
            listed.push(region.0);
        } else {
            subgraph = subgraph.bytes(6, &region.0);
        }
        raw.extend_from_slice(records);
    }
    let node = Message::default().bytes(4, &Message::default().bytes(1, &subgraph.0).0);
    let mut info =
        Message::default().bytes(1, b"small.neff").bytes(2, &UUID).bytes(4, &node.0).number(5, architecture).bytes(9, b"synthetic");
    if is_new {
        let window = Message::default().bytes(1, &UUID).number(2, START).number(3, START + 10_000_000);
        info = info.bytes(15, &window.0);
        for region in listed {
            info = info.bytes(16, &region);
        }
    }
    let mut out = vec![version];
    out.extend_from_slice(&(info.0.len() as u64).to_le_bytes());
    out.resize(128, 0xaa);
    out.extend_from_slice(&info.0);
    out.extend_from_slice(&raw);
    out
}

/// A NEFF of these members; `data_size` as the header is to say, or the truth.
pub fn neff(uuid: [u8; 16], members: &[(&str, &[u8])], data_size: Option<u64>) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, content) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&tar).expect("in memory");
    let data = packed.finish().expect("in memory");
    let mut out = vec![0u8; 1024];
    for (at, n) in [(0, 2), (8, 1024), (0x10, data_size.unwrap_or(data.len() as u64)), (0x18, 2)] {
        out[at..at + 8].copy_from_slice(&u64::to_le_bytes(n));
    }
    out[0xCC..0xDC].copy_from_slice(&uuid);
    out[0xDC..0xE6].copy_from_slice(b"small.neff");
    out.extend_from_slice(&data);
    out
}

/// One entry of a debug file.
pub fn debug_entry(id: u64, name: &str, parents: &[u64], depends: &[u64]) -> Vec<u8> {
    let mut out = Message::default().number(1, id).bytes(2, name.as_bytes()).number(6, 1);
    for (field, ids) in [(3, parents), (4, depends)] {
        let mut packed = Vec::new();
        ids.iter().for_each(|id| varint(&mut packed, *id));
        if !packed.is_empty() {
            out = out.bytes(field, &packed);
        }
    }
    out.0
}

/// A debug file of these entries.
pub fn debug_file(entries: &[Vec<u8>]) -> Vec<u8> {
    entries.iter().fold(Message::default().bytes(1, b"level"), |out, entry| out.bytes(3, entry)).0
}
