//! A made-up PyTorch trace: nested operators, launches, kernels on streams, arrows, names at the end. The same seed gives the same bytes.

use std::io::{self, Write};

/// What to write.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// About how many bytes.
    pub n_bytes: u64,
    /// Two different seeds give different traces.
    pub seed: u64,
    /// With Python frames.
    pub has_stack: bool,
    /// With Python frames, modules in them, allocations, and links from forward to backward operators.
    pub is_rich: bool,
}

const PID: u32 = 31_397;
const STREAMS: [u32; 3] = [7, 20, 24];
/// (operator, the one it calls, kernel)
const OPS: [(&str, &str, &str); 8] = [
    ("aten::linear", "aten::addmm", "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn"),
    (
        "aten::matmul",
        "aten::mm",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
    ),
    (
        "aten::layer_norm",
        "aten::native_layer_norm",
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)",
    ),
    (
        "aten::dropout",
        "aten::native_dropout",
        "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>()",
    ),
    (
        "aten::scaled_dot_product_attention",
        "aten::_flash_attention_forward",
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4> >(pytorch_flash::Flash_fwd_params)",
    ),
    (
        "aten::gelu",
        "aten::gelu",
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl, std::array<char*, 2ul> >(int)",
    ),
    (
        "aten::add",
        "aten::add_",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
    ),
    (
        "aten::to",
        "aten::copy_",
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda, std::array<char*, 2ul>, 4>(int)",
    ),
];

struct Writer<'a, W: Write> {
    out: &'a mut W,
    n_bytes: u64,
    n_slices: u64,
    state: u64,
    /// Bytes allocated on the device, and the next Python id.
    allocated: u64,
    frame: u64,
}

/// One whole slice.
struct Slice<'a> {
    cat: &'a str,
    name: &'a str,
    pid: u32,
    tid: u32,
    start: u64,
    duration: u64,
    args: &'a str,
}

impl<W: Write> Writer<'_, W> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.n_bytes += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    fn slice(&mut self, s: &Slice<'_>) -> io::Result<()> {
        self.n_slices += 1;
        let text = format!(
            "  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }},\n",
            s.cat,
            s.name,
            s.pid,
            s.tid,
            micros(s.start),
            micros(s.duration),
            s.args
        );
        self.text(&text)
    }

    fn arrow(&mut self, phase: &str, id: u64, (pid, tid): (u32, u32), time: u64) -> io::Result<()> {
        let bind = if phase == "f" { ", \"bp\": \"e\"" } else { "" };
        let text = format!(
            "  {{\n    \"ph\": \"{phase}\", \"id\": {id}, \"pid\": {pid}, \"tid\": {tid}, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"{bind}\n  }},\n",
            micros(time)
        );
        self.text(&text)
    }

    /// An event `[memory]` of the device: an allocation, or a release where `bytes` is negative.
    fn memory(&mut self, tid: u32, time: u64, bytes: i64, address: u64) -> io::Result<()> {
        self.allocated = self.allocated.saturating_add_signed(bytes);
        let text = format!(
            "  {{\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": {PID}, \"tid\": {tid},\n    \"ts\": {},\n    \"args\": {{\n      \"Total Reserved\": 8589934592, \"Total Allocated\": {}, \"Bytes\": {bytes}, \"Addr\": {address}, \"Device Id\": 0, \"Device Type\": 1, \"Ev Idx\": 0\n    }}\n  }},\n",
            micros(time),
            self.allocated
        );
        self.text(&text)
    }

    /// A call of a module and the Python function that makes it, around an operator on thread `tid`.
    fn module(&mut self, id: u64, (tid, start, duration): (u32, u64, u64)) -> io::Result<()> {
        const MODULES: [&str; 4] = ["Linear", "LayerNorm", "Dropout", "Attention"];
        let (caller, frame) = (self.frame, self.frame + 1);
        self.frame += 2;
        let line = id % 40;
        let name = format!("torch/nn/modules/module.py({}): _call_impl", 1500 + line);
        let args = format!("\"Python parent id\": null, \"Python id\": {caller}, \"Ev Idx\": {id}");
        self.slice(&Slice { cat: "python_function", name: &name, pid: PID, tid, start, duration, args: &args })?;
        let name = format!("nn.Module: {}_{}", MODULES[(id % 4) as usize], id % 48);
        let args = format!("\"Python parent id\": {caller}, \"Python module id\": {}, \"Python id\": {frame}, \"Ev Idx\": {id}", id % 48);
        let (start, duration) = (start + 200, duration - 400);
        self.slice(&Slice { cat: "python_function", name: &name, pid: PID, tid, start, duration, args: &args })
    }

    fn name(&mut self, what: &str, pid: u32, tid: u32, key: &str, value: &str) -> io::Result<()> {
        let text = format!(
            "  {{\n    \"name\": \"{what}\", \"ph\": \"M\", \"ts\": 4346856820307.953, \"pid\": {pid}, \"tid\": {tid},\n    \"args\": {{\n      \"{key}\": {value}\n    }}\n  }},\n"
        );
        self.text(&text)
    }

    /// An operator with the one it calls, a launch in that, its kernel and the arrow between them. Returns how long it took.
    fn operator(&mut self, id: u64, now: u64, options: Options) -> io::Result<u64> {
        let (outer, inner, kernel) = OPS[self.below(OPS.len() as u64) as usize];
        let tid = PID + if self.below(4) == 0 { 266 } else { 0 };
        let duration = 20_000 + self.below(60_000);
        let rows = [1, 16, 128, 2048][self.below(4) as usize];
        let dims = format!("[[{rows}, 1024], [1024, {}], [], []]", 64 << self.below(4));
        let types = "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"\"]";
        let args = |ext: u64| {
            format!("\"External id\": {ext},\"Record function id\": 0, \"Input Dims\": {dims}, \"Input type\": {types}, \"Ev Idx\": {ext}")
        };
        let bytes = if options.is_rich { 512 * (1 + self.below(64) as i64) } else { 0 };
        if options.is_rich {
            self.module(id, (tid, now, duration + 3_000))?;
            self.memory(tid, now + 6_000, bytes, id * 512)?;
        }
        if options.has_stack {
            let frame = id;
            let args = format!("\"Python parent id\": {}, \"Python id\": {frame}, \"Ev Idx\": {id}", frame / 2);
            let name = format!("torch/nn/modules/module.py({}): _call_impl", 1500 + frame % 40);
            self.slice(&Slice { cat: "python_function", name: &name, pid: PID, tid, start: now, duration: duration + 3_000, args: &args })?;
        }
        let start = now + 1_000;
        self.slice(&Slice { cat: "cpu_op", name: outer, pid: PID, tid, start, duration, args: &args(id * 2) })?;
        let (start, duration) = (start + 2_137, duration - 5_011);
        self.slice(&Slice { cat: "cpu_op", name: inner, pid: PID, tid, start, duration, args: &args(id * 2 + 1) })?;
        let (start, stream) = (start + 4_003, STREAMS[self.below(3) as usize]);
        let launch = format!("\"External id\": {}, \"cbid\": 211, \"correlation\": {id}", id * 2 + 1);
        self.slice(&Slice { cat: "cuda_runtime", name: "cudaLaunchKernel", pid: PID, tid, start, duration: 4_321, args: &launch })?;
        self.arrow("s", id, (PID, tid), start)?;
        let (runs_from, runs) = (start + 9_876 + self.below(5_000), 3_000 + self.below(40_000));
        let args = format!(
            "\"External id\": {}, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": {stream}, \"correlation\": {id},\n      \"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks per SM\": 3.2,\n      \"warps per SM\": 12.8,\n      \"grid\": [{rows}, 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": {}",
            id * 2 + 1,
            self.below(100)
        );
        self.slice(&Slice { cat: "kernel", name: kernel, pid: 0, tid: stream, start: runs_from, duration: runs, args: &args })?;
        self.arrow("f", id, (0, stream), runs_from)?;
        if options.is_rich {
            self.memory(tid, now + duration, -bytes, id * 512)?;
        }
        Ok(85_000 + self.below(9_000))
    }
}

/// Nanoseconds as torch writes them: microseconds with three digits.
fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// Writes a trace; returns how many slices it has.
pub fn write_trace(out: &mut impl Write, options: Options) -> io::Result<u64> {
    let mut w = Writer { out, n_bytes: 0, n_slices: 0, state: options.seed, allocated: 1 << 30, frame: 1 };
    w.text("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"A100\", \"totalGlobalMem\": 85051572224,\n      \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 108\n    }\n  ],\n")?;
    w.text("  \"record_shapes\": 1,\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8},\n  \"displayTimeUnit\": \"ms\",\n")?;
    w.text("  \"baseTimeNanoseconds\": 1790857026000000000,\n  \"traceEvents\": [\n")?;
    let mut now = 4_346_856_820_307_953;
    let mut id = 1;
    const TAIL: u64 = 4_000;
    while w.n_bytes + TAIL < options.n_bytes {
        if id % 1000 == 1 {
            let name = format!("ProfilerStep#{}", id / 1000);
            let args = "\"External id\": 1, \"Ev Idx\": 0";
            w.slice(&Slice { cat: "user_annotation", name: &name, pid: PID, tid: PID, start: now, duration: 94_000_000, args })?;
        }
        now += w.operator(id, now, options)?;
        id += 1;
    }
    w.name("process_name", PID, 0, "name", "\"python\"")?;
    w.name("process_labels", PID, 0, "labels", "\"CPU\"")?;
    w.name("process_sort_index", PID, 0, "sort_index", "31397")?;
    w.name("process_name", 0, 0, "name", "\"python\"")?;
    w.name("process_labels", 0, 0, "labels", "\"GPU 0\"")?;
    w.name("process_sort_index", 0, 0, "sort_index", "5000000")?;
    for stream in STREAMS {
        w.name("thread_name", 0, stream, "name", &format!("\"stream {stream} \""))?;
    }
    for tid in [PID, PID + 266] {
        w.name("thread_name", PID, tid, "name", &format!("\"thread {tid} (python)\""))?;
    }
    let end = format!(
        "  {{\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": {}\n  }}\n  ],\n  \"traceName\": \"made.json\"\n}}\n",
        micros(now)
    );
    w.text(&end)?;
    Ok(w.n_slices)
}
