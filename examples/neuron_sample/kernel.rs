//! Two versions of a small attention kernel, head by head: scores, softmax, output.

use super::device::{Device, Engine};

const N_HEADS: u32 = 4;
/// Tiles of the scores of a head.
const N_TILES: u32 = 8;
/// Bytes of inputs and weights, and of a head's scores, on each of eight DMA engines.
const INPUT: u32 = 4096;
const SCORES: u32 = 32 * 1024;

/// Runs a version on both cores; returns the device and the bytes of inputs and outputs, each once.
pub fn run(is_fused: bool) -> (Device, i64) {
    let mut device = Device::new(if is_fused { 1_002 } else { 1_001 });
    for core in 0..2 {
        device.begin(core, 100 + 40 * core as i64);
        for head in 0..N_HEADS {
            run_head(&mut device, head, is_fused);
        }
        device.place("", "");
        device.line("");
        device.end();
    }
    // A head loads queries, keys and values, and stores its output; both cores work on the same tensors.
    (device, i64::from(N_HEADS * 8 * 4 * INPUT))
}

fn run_head(device: &mut Device, head: u32, is_fused: bool) {
    let layer = |part: &str| format!("attention/head.{head}/{part}");
    device.place(&layer("scores"), &format!("%scores.{head} = dot(%q, %k)"));
    device.line("attention.py:21");
    device.load(INPUT, "query");
    device.line("attention.py:22");
    let mut ready = device.load(INPUT, "key");
    device.line("attention.py:25");
    for _ in 0..N_TILES {
        let weights = device.run(Engine::Tensor, "LDWEIGHTS", 64, &[ready]);
        let product = device.matmul(236, "REGULAR", &[weights]);
        ready = device.run(Engine::Vector, "COPY", 150, &[product]);
    }
    if !is_fused {
        device.line("attention.py:28");
        ready = device.spill(SCORES, "scores", false);
        device.line("attention.py:31");
        ready = device.spill(SCORES, "scores", true).max(ready);
    }
    device.place(&layer("softmax"), &format!("%softmax.{head} = reduce(%scores)"));
    device.line("attention.py:33");
    let most = device.run(Engine::Vector, "TENSOR_REDUCE", 420, &[ready]);
    device.line("attention.py:34");
    for _ in 0..N_TILES / 2 {
        ready = device.run(Engine::Scalar, "ACTIVATE", if is_fused { 260 } else { 300 }, &[most]);
    }
    device.line("attention.py:36");
    ready = device.run(Engine::Vector, "RECIPROCAL", 190, &[ready]);
    if !is_fused {
        device.line("attention.py:37");
        device.spill(SCORES, "probabilities", false);
        device.line("attention.py:40");
        ready = device.spill(SCORES, "probabilities", true);
    }
    device.place(&layer("output"), &format!("%output.{head} = dot(%softmax, %v)"));
    device.line("attention.py:42");
    let value = device.load(INPUT, "value");
    device.line("attention.py:44");
    for _ in 0..N_TILES {
        let weights = device.run(Engine::Tensor, "LDWEIGHTS", 64, &[ready, value]);
        let product = device.matmul(236, "REGULAR", &[weights]);
        ready = device.run(Engine::Vector, "TENSOR_SCALAR", 170, &[product]);
    }
    device.line("attention.py:47");
    device.store(8 * INPUT);
}
