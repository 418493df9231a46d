//! Writes the synthetic Neuron samples below `public/samples`, the same on every run, for trying the page out: a device profile, and two versions
//! of an attention kernel. The first version of the kernel saves its scores to HBM and loads them again; the second one keeps them.
//!
//! `cargo run --example neuron_sample [DIRECTORY]`. No hardware was involved; every record is computed here, and the totals from the records.

#[path = "neuron_sample/device.rs"]
mod device;
#[path = "neuron_sample/kernel.rs"]
mod kernel;
#[path = "neuron_sample/report.rs"]
mod report;

use device::{Device, Engine};
use std::io::Write;
use std::path::PathBuf;

/// Matrix tiles of one operator, and how long one takes.
struct Operator {
    name: &'static str,
    n_tiles: u32,
    tile_ns: i64,
    /// What follows each tile on another engine.
    after: (Engine, &'static str, i64),
    /// Bytes of weights and inputs loaded before it.
    load: u32,
    is_transposed: bool,
}

const OPERATORS: [Operator; 6] = [
    Operator { name: "attention.qkv", n_tiles: 9, tile_ns: 220, after: (Engine::Vector, "COPY", 160), load: 4096, is_transposed: false },
    Operator { name: "attention.transpose", n_tiles: 4, tile_ns: 150, after: (Engine::Scalar, "COPY", 140), load: 0, is_transposed: true },
    Operator {
        name: "attention.scores",
        n_tiles: 6,
        tile_ns: 240,
        after: (Engine::Scalar, "ACTIVATE", 310),
        load: 0,
        is_transposed: false,
    },
    Operator {
        name: "attention.output",
        n_tiles: 6,
        tile_ns: 220,
        after: (Engine::Vector, "TENSOR_SCALAR", 190),
        load: 4096,
        is_transposed: false,
    },
    Operator { name: "mlp.up", n_tiles: 12, tile_ns: 230, after: (Engine::Scalar, "ACTIVATE", 280), load: 8192, is_transposed: false },
    Operator { name: "mlp.down", n_tiles: 12, tile_ns: 230, after: (Engine::Vector, "COPY", 170), load: 8192, is_transposed: false },
];

const N_LAYERS: u32 = 3;

fn main() -> std::io::Result<()> {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "public/samples".into()));
    let mut device = Device::new(20_26);
    for core in 0..2 {
        run_core(&mut device, core);
    }
    let text = report::json(&device, "synthetic-neuron", None);
    say("synthetic-neuron.json", &device, text.len());
    std::fs::write(directory.join("synthetic-neuron.json"), &text)?;
    for (name, is_fused) in [("synthetic-attention-baseline", false), ("synthetic-attention-fused", true)] {
        let (device, necessary_bytes) = kernel::run(is_fused);
        let file = std::fs::File::create(directory.join(format!("{name}.json.gz")))?;
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
        packed.write_all(report::json(&device, name, Some(necessary_bytes)).as_bytes())?;
        say(name, &device, packed.finish()?.metadata()?.len() as usize);
    }
    Ok(())
}

fn say(name: &str, device: &Device, n_bytes: usize) {
    println!("{name}: {} instructions, {} DMA transfers, {n_bytes} bytes", device.instructions.len(), device.transfers.len());
}

/// A small transformer, layer by layer.
fn run_core(device: &mut Device, core: usize) {
    device.begin(core, 90 + 40 * core as i64);
    for layer in 0..N_LAYERS {
        for operator in &OPERATORS {
            device.place(&format!("model/layers.{layer}/{}", operator.name), &format!("%{}.{layer} = dot(%x, %w)", operator.name));
            run_operator(device, operator);
        }
        device.place(&format!("model/layers.{layer}/norm"), &format!("%norm.{layer} = reduce(%x)"));
        let sum = device.run(Engine::Vector, "TENSOR_REDUCE", 520, &[device.last()]);
        let root = device.run(Engine::GpSimd, "TENSOR_SCALAR", 430, &[sum]);
        device.run(Engine::Vector, "RECIPROCAL", 210, &[root]);
        // Spare time that a viewer should find: everyone waits for the slowest engine.
        device.barrier();
    }
    device.place("", "");
    device.store(64 * 1024);
    device.end();
}

fn run_operator(device: &mut Device, operator: &Operator) {
    let mut ready = vec![device.last()];
    if operator.load > 0 {
        ready.push(device.load(operator.load, operator.name));
    }
    for tile in 0..operator.n_tiles {
        let weights = device.run(Engine::Tensor, "LDWEIGHTS", 64, &ready);
        let kind = if operator.is_transposed { "TRANSPOSE" } else { "REGULAR" };
        let product = device.matmul(operator.tile_ns, kind, &[weights]);
        let (engine, opcode, ns) = operator.after;
        let done = device.run(engine, opcode, ns, &[product]);
        if tile % 3 == 2 {
            device.run(Engine::Sync, "EVENT_SEMAPHORE", 30, &[done]);
        }
        ready = vec![weights];
    }
}
