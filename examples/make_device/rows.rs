//! The rows, one after the other, and how they stand in JSON.

use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// How much, and which.
#[derive(Clone, Copy)]
pub struct Size {
    pub n_instructions: u64,
    pub n_transfers: u64,
    pub seed: u64,
}

/// (row of the timeline, engine, opcodes).
const ENGINES: [(&str, &str, [&str; 4]); 6] = [
    ("Tensor", "Tensor", ["LDWEIGHTS", "EVENT_SEMAPHORE", "LDWEIGHTS", "LDWEIGHTS"]),
    ("TensorMatrix", "Tensor", ["MATMUL", "MATMUL", "MATMUL", "MATMUL"]),
    ("Vector", "Vector", ["TENSOR_TENSOR", "TENSOR_REDUCE", "COPY", "EVENT_SEMAPHORE"]),
    ("Scalar", "Scalar", ["ACTIVATE", "COPY", "EVENT_SEMAPHORE", "ACTIVATE"]),
    ("GpSimd", "GpSimd", ["IOTA", "CUSTOM_OP", "DRAIN", "MEMSET"]),
    ("Sync", "Sync", ["EVENT_SEMAPHORE", "DMA_TRIGGER", "DRAIN", "DMA_TRIGGER"]),
];

pub struct Instruction {
    pub core: u64,
    pub label: &'static str,
    pub engine: &'static str,
    pub opcode: &'static str,
    pub start: u64,
    pub duration: u64,
    pub wait: u64,
    pub pc: u64,
    pub id: u64,
    pub elements: u64,
    pub kind: &'static str,
    pub layer: u64,
    pub line: u64,
}

pub struct Transfer {
    pub core: u64,
    pub engine: u64,
    pub queue: u64,
    pub start: u64,
    pub duration: u64,
    pub bytes: u64,
    pub variable: u64,
    pub id: u64,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }
}

/// Calls `each` with every instruction: an engine's follow each other.
pub fn instructions<E>(size: Size, mut each: impl FnMut(Instruction) -> Result<(), E>) -> Result<(), E> {
    let mut random = Random(size.seed);
    let mut free = [[0u64; 6]; 2];
    for id in 0..size.n_instructions {
        let (core, at) = (random.below(2), random.below(6) as usize);
        let (label, engine, opcodes) = ENGINES[at];
        let opcode = opcodes[random.below(4) as usize];
        let (gap, duration) = (random.below(60), 20 + random.below(300));
        let start = free[core as usize][at] + gap;
        free[core as usize][at] = start + duration;
        let is_product = opcode == "MATMUL";
        let kind = if is_product && random.below(8) == 0 {
            "TRANSPOSE"
        } else if is_product {
            "REGULAR"
        } else {
            ""
        };
        let elements = if is_product { 128 * 128 * (64 + random.below(448)) } else { 0 };
        let (wait, pc, layer, line) = (random.below(100), id % 40_000, random.below(48), random.below(400));
        each(Instruction { core, label, engine, opcode, start, duration, wait, pc, id: id + 1, elements, kind, layer, line })?;
    }
    Ok(())
}

/// Calls `each` with every transfer: those of a ring follow each other.
pub fn transfers<E>(size: Size, mut each: impl FnMut(Transfer) -> Result<(), E>) -> Result<(), E> {
    let mut random = Random(size.seed ^ 0x5eed);
    let mut free = vec![0u64; 2 * 16 * 8];
    for id in 0..size.n_transfers {
        let (core, engine, queue) = (random.below(2), random.below(16), random.below(8));
        let at = &mut free[((core * 16 + engine) * 8 + queue) as usize];
        let (start, duration) = (*at + random.below(900), 300 + random.below(2_000));
        *at = start + duration;
        let (bytes, variable) = (64 << random.below(9), random.below(300));
        each(Transfer { core, engine: 64 + 16 * core + engine, queue, start, duration, bytes, variable, id: 1 << 40 | id })?;
    }
    Ok(())
}

/// Writes records of a section, the keys of each in an order of its own, as the profiler writes them.
struct Records<W> {
    out: W,
    random: Random,
    comma: &'static str,
}

impl<W: Write> Records<W> {
    fn begin(&mut self, section: &str) -> io::Result<()> {
        self.comma = "";
        write!(self.out, ",\"{section}\":[")
    }

    fn end(&mut self) -> io::Result<()> {
        write!(self.out, "]")
    }

    fn record(&mut self, fields: &mut [(&str, &dyn Display)]) -> io::Result<()> {
        for last in (1..fields.len()).rev() {
            fields.swap(last, self.random.below(last as u64 + 1) as usize);
        }
        write!(self.out, "{}{{", self.comma)?;
        for (i, (key, value)) in fields.iter().enumerate() {
            write!(self.out, "{}\"{key}\":{value}", if i == 0 { "" } else { "," })?;
        }
        self.comma = ",";
        write!(self.out, "}}")
    }
}

/// An id as JSON has them: any number of 63 bits.
fn id_in_json(id: u64) -> u64 {
    id.wrapping_mul(0x9e37_79b9_7f4a_7c15) & i64::MAX as u64
}

/// A text in quotes.
struct Quoted<T>(T);

impl<T: Display> Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// As `neuron-profile view --output-format json` writes it.
pub fn write_json(path: &str, size: Size) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    write!(
        out,
        "{{\"metadata\":[{{\"first_hw_timestamp\":0,\"last_hw_timestamp\":{},\"num_physical_cores\":2,\"pe_num_rows\":128,\"pe_num_cols\":128,\
         \"pe_clock_freq\":2.4,\"hbm_ddr_bandwidth\":716000000000}}],\"summary\":[{{\"instance_type\":\"trn2\"}}]",
        size.n_instructions * 20
    )?;
    let mut out = Records { out, random: Random(size.seed ^ 0x0dde), comma: "" };
    out.begin("instruction")?;
    instructions(size, |i| instruction(&mut out, &i))?;
    out.end()?;
    out.begin("dma")?;
    transfers(size, |t| transfer(&mut out, &t))?;
    out.end()?;
    write!(out.out, "}}")?;
    out.out.flush()
}

fn instruction(out: &mut Records<impl Write>, i: &Instruction) -> io::Result<()> {
    let engine = i.engine;
    out.record(&mut [
        ("timestamp", &i.start),
        ("duration", &i.duration),
        ("label", &Quoted(i.label)),
        ("subgroup", &Quoted(engine)),
        ("subgraph", &Quoted(format_args!("sg0{}", i.core))),
        ("opcode", &Quoted(i.opcode)),
        (
            "operands",
            &Quoted(format_args!("S[5] ({engine})++@complete src=fp32@0x36500[1,0,0][128,1,1] dst=0x2000000[1,0,0][128,1,1] 128*128")),
        ),
        ("evt_wait_time", &i.wait),
        ("pc", &i.pc),
        ("id", &id_in_json(i.id)),
        ("elements", &i.elements),
        ("instruction_type", &Quoted(i.kind)),
        ("layer", &Quoted(format_args!("model/layer{}/attention", i.layer))),
        ("nki_source_location", &Quoted(format_args!("kernel.py:{}", i.line))),
        ("bir_instruction_name", &Quoted(format_args!("I-{}-0", i.pc))),
        ("hlo_name", &Quoted(format_args!("dot.{}", i.layer))),
        ("predecessors", &format_args!("[{{\"id\":{},\"type\":\"FLOW_DEPENDENCE\"}}]", id_in_json(i.id.saturating_sub(1).max(1)))),
    ])
}

fn transfer(out: &mut Records<impl Write>, t: &Transfer) -> io::Result<()> {
    out.record(&mut [
        ("timestamp", &t.start),
        ("duration", &t.duration),
        ("subgraph", &Quoted(format_args!("sg0{}", t.core))),
        ("subgroup", &Quoted(format_args!("Q{}-E{}", t.queue, t.engine))),
        ("dma_engine", &Quoted(t.engine)),
        ("dma_queue", &Quoted(t.queue)),
        ("queue_type", &Quoted("hardware_dynamic")),
        ("transfer_size", &t.bytes),
        ("read_size", &t.bytes),
        ("write_size", &t.bytes),
        ("variable", &Quoted(format_args!("tensor_{}", t.variable))),
        ("id", &id_in_json(t.id)),
        ("aggregated", &Quoted("no")),
        ("duplicate", &Quoted("no")),
        ("is_cc_dma", &Quoted("no")),
        ("semaphore_id", &Quoted("-1")),
    ])
}
