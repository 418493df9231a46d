//! Writes `public/samples/synthetic-gpu.pt.trace.json.gz`: a made-up trace of three training steps on one GPU of eight, in the shape that the PyTorch
//! profiler writes, the same on every run. `cargo run --example gpu_sample [FILE]`.
//!
//! No hardware was involved. It has what its guided reading (`public/guide`) explains: a step that waits for data, an all-reduce that nothing hides,
//! and an optimizer of many small kernels.

use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::Write as _;

const PID: u32 = 4021;
const MAIN: u32 = 4021;
const AUTOGRAD: u32 = 4088;
const COMPUTE: u32 = 7;
const COPY: u32 = 16;
const NCCL: u32 = 20;

const N_STEPS: u32 = 3;
const N_LAYERS: u32 = 4;
/// Tensors that the optimizer updates one by one.
const N_PARAMETERS: u32 = 32;
/// The step that waits for its data.
const LATE_STEP: u32 = 3;
const TOKENS: u32 = 8192;
const WIDTH: u32 = 2048;

const US: i64 = 1_000;
const MS: i64 = 1_000_000;
/// From the call of a launch until its kernel can begin, ns.
const LATENCY: i64 = 6_200;

const GEMM: &str = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_bias_TNT";
const GEMM_GRAD: &str =
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas";
const FLASH: &str = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)";
const FLASH_GRAD: &str = "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8> >(pytorch_flash::Flash_bwd_params)";
const NORM: &str =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)";
const NORM_GRAD: &str =
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 const*)";
const GELU: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl, std::array<char*, 2ul> >(int)";
const GELU_GRAD: &str =
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl, std::array<char*, 3ul> >(int)";
const ADD: &str =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)";
const SUM: &str =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16> > >(int)";
const SOFTMAX: &str =
    "void (anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, int)";
const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

/// An operator: its name, the ones it calls one in the other, its kernel and how long that runs.
struct Op {
    calls: &'static [&'static str],
    kernel: &'static str,
    runs: i64,
    dims: &'static str,
}

const LAYER: [Op; 8] = [
    Op {
        calls: &["aten::layer_norm", "aten::native_layer_norm"],
        kernel: NORM,
        runs: 34 * US,
        dims: "[[8192,2048],[],[2048],[2048],[],[]]",
    },
    Op { calls: &["aten::linear", "aten::addmm"], kernel: GEMM, runs: 338 * US, dims: "[[6144],[8192,2048],[2048,6144],[],[]]" },
    Op {
        calls: &["aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention", "aten::_flash_attention_forward"],
        kernel: FLASH,
        runs: 262 * US,
        dims: "[[4,32,2048,64],[4,32,2048,64],[4,32,2048,64],[],[],[],[]]",
    },
    Op { calls: &["aten::linear", "aten::addmm"], kernel: GEMM, runs: 117 * US, dims: "[[2048],[8192,2048],[2048,2048],[],[]]" },
    Op {
        calls: &["aten::layer_norm", "aten::native_layer_norm"],
        kernel: NORM,
        runs: 34 * US,
        dims: "[[8192,2048],[],[2048],[2048],[],[]]",
    },
    Op { calls: &["aten::linear", "aten::addmm"], kernel: GEMM, runs: 452 * US, dims: "[[8192],[8192,2048],[2048,8192],[],[]]" },
    Op { calls: &["aten::gelu"], kernel: GELU, runs: 96 * US, dims: "[[8192,8192],[]]" },
    Op { calls: &["aten::linear", "aten::addmm"], kernel: GEMM, runs: 447 * US, dims: "[[2048],[8192,8192],[8192,2048],[],[]]" },
];

/// What autograd calls for an operator of [`LAYER`], and the kernels it takes: operator, kernel, how long it runs, sizes of its inputs.
struct Grad {
    name: &'static str,
    parts: &'static [(&'static str, &'static str, i64, &'static str)],
}

const GRADS: [Grad; 8] = [
    Grad {
        name: "NativeLayerNormBackward0",
        parts: &[("aten::native_layer_norm_backward", NORM_GRAD, 61 * US, "[[8192,2048],[8192,2048],[],[]]")],
    },
    Grad {
        name: "AddmmBackward0",
        parts: &[
            ("aten::mm", GEMM_GRAD, 345 * US, "[[8192,6144],[6144,2048]]"),
            ("aten::mm", GEMM_GRAD, 351 * US, "[[2048,8192],[8192,6144]]"),
            ("aten::sum", SUM, 48 * US, "[[8192,6144],[],[],[]]"),
        ],
    },
    Grad {
        name: "ScaledDotProductFlashAttentionBackward0",
        parts: &[(
            "aten::_flash_attention_backward",
            FLASH_GRAD,
            655 * US,
            "[[4,2048,32,64],[4,2048,32,64],[4,2048,32,64],[4,2048,32,64]]",
        )],
    },
    Grad {
        name: "AddmmBackward0",
        parts: &[
            ("aten::mm", GEMM_GRAD, 121 * US, "[[8192,2048],[2048,2048]]"),
            ("aten::mm", GEMM_GRAD, 124 * US, "[[2048,8192],[8192,2048]]"),
            ("aten::sum", SUM, 19 * US, "[[8192,2048],[],[],[]]"),
        ],
    },
    Grad {
        name: "NativeLayerNormBackward0",
        parts: &[("aten::native_layer_norm_backward", NORM_GRAD, 61 * US, "[[8192,2048],[8192,2048],[],[]]")],
    },
    Grad {
        name: "AddmmBackward0",
        parts: &[
            ("aten::mm", GEMM_GRAD, 461 * US, "[[8192,8192],[8192,2048]]"),
            ("aten::mm", GEMM_GRAD, 466 * US, "[[2048,8192],[8192,8192]]"),
            ("aten::sum", SUM, 64 * US, "[[8192,8192],[],[],[]]"),
        ],
    },
    Grad { name: "GeluBackward0", parts: &[("aten::gelu_backward", GELU_GRAD, 142 * US, "[[8192,8192],[8192,8192],[]]")] },
    Grad {
        name: "AddmmBackward0",
        parts: &[
            ("aten::mm", GEMM_GRAD, 458 * US, "[[8192,2048],[2048,8192]]"),
            ("aten::mm", GEMM_GRAD, 463 * US, "[[8192,8192],[8192,2048]]"),
            ("aten::sum", SUM, 20 * US, "[[8192,2048],[],[],[]]"),
        ],
    },
];

/// Sizes and types of inputs, as arguments of an operator; a list without a size is a scalar.
fn inputs(dims: &str) -> String {
    let is_scalar = |entry: &str| entry.trim_matches(['[', ']']).is_empty();
    let types = dims[1..dims.len() - 1].split("],").map(|e| if is_scalar(e) { "\"Scalar\"" } else { "\"c10::BFloat16\"" });
    format!(r#""Input Dims":{dims},"Input type":[{}]"#, types.collect::<Vec<_>>().join(","))
}

/// What AdamW does to each parameter when it is not fused.
const UPDATES: [(&str, &str); 4] = [
    (
        "aten::mul_",
        "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int)",
    ),
    ("aten::lerp_", "void at::native::vectorized_elementwise_kernel<4, at::native::lerp_scalar_kernel, std::array<char*, 3ul> >(int)"),
    ("aten::addcmul_", "void at::native::vectorized_elementwise_kernel<4, at::native::addcmul_cuda_kernel, std::array<char*, 4ul> >(int)"),
    ("aten::addcdiv_", "void at::native::vectorized_elementwise_kernel<4, at::native::addcdiv_cuda_kernel, std::array<char*, 4ul> >(int)"),
];

struct Trace {
    text: String,
    id: u64,
    /// Now on each host thread, ns; when each stream is free.
    main: i64,
    autograd: i64,
    free: [(u32, i64); 3],
    seed: u64,
}

impl Trace {
    /// A length that varies by a few percent, as real ones do; the same on every run.
    fn about(&mut self, ns: i64) -> i64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ns + ns * ((self.seed >> 40) as i64 % 61 - 30) / 1000
    }

    fn event(&mut self, (cat, name): (&str, &str), (pid, tid): (u32, u32), (start, runs): (i64, i64), args: &str) {
        let ts = |ns: i64| format!("{}.{:03}", ns / US, ns % US);
        let (start, runs) = (ts(start), ts(runs));
        // Writing to a String does not fail.
        let _ = writeln!(
            self.text,
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{start},"dur":{runs},"args":{{{args}}}}},"#
        );
    }

    fn arrow(&mut self, (cat, phase): (&str, &str), id: u64, (pid, tid): (u32, u32), time: i64) {
        let (us, ns) = (time / US, time % US);
        let bind = if phase == "f" { r#","bp":"e""# } else { "" };
        let _ = writeln!(
            self.text,
            r#"{{"ph":"{phase}","id":{id},"pid":{pid},"tid":{tid},"ts":{us}.{ns:03},"cat":"{cat}","name":"{cat}"{bind}}},"#
        );
    }

    fn new_id(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    fn free_at(&mut self, stream: u32) -> &mut i64 {
        let at = self.free.iter().position(|f| f.0 == stream).unwrap_or(0);
        &mut self.free[at].1
    }

    /// Launches a kernel at `time` on a host thread. Returns when it ends.
    fn launch(&mut self, thread: u32, time: i64, stream: u32, ext: u64, (cat, name, runs, args): (&str, &str, i64, &str)) -> i64 {
        let correlation = self.new_id();
        let call = if cat == "gpu_memcpy" { "cudaMemcpyAsync" } else { "cudaLaunchKernel" };
        let runs_call = self.about(3_400);
        self.event(
            ("cuda_runtime", call),
            (PID, thread),
            (time, runs_call),
            &format!(r#""External id":{ext},"cbid":211,"correlation":{correlation}"#),
        );
        self.arrow(("ac2g", "s"), correlation, (PID, thread), time);
        let runs = self.about(runs);
        let free = self.free_at(stream);
        let start = (time + LATENCY).max(*free + 1_100);
        *free = start + runs;
        let args = format!(r#""External id":{ext},"queued":0,"device":0,"context":1,"stream":{stream},"correlation":{correlation}{args}"#);
        self.event((cat, name), (0, stream), (start, runs), &args);
        self.arrow(("ac2g", "f"), correlation, (0, stream), start);
        start + runs
    }

    /// Nested operators on the main thread with one kernel. `sequence` is the number by which autograd knows them; 0: it does not.
    fn operator(&mut self, op: &Op, sequence: u64) {
        let n = op.calls.len() as i64;
        let (begin, inner) = (self.main, self.main + n * 2 * US);
        let ext = self.new_id();
        for (i, name) in op.calls.iter().enumerate() {
            let i = i as i64;
            let times = (begin + i * 2 * US, inner + 8 * US - i * US - (begin + i * 2 * US) + n * US);
            let inputs = inputs(op.dims);
            let args = format!(
                r#""External id":{ext},"Record function id":0,"Sequence number":{sequence},"Fwd thread id":0,{inputs},"Ev Idx":{ext}"#
            );
            self.event(("cpu_op", name), (PID, MAIN), times, &args);
        }
        if sequence > 0 {
            self.arrow(("fwdbwd", "s"), sequence, (PID, MAIN), begin + 100);
        }
        self.launch(MAIN, inner + US, COMPUTE, ext, ("kernel", op.kernel, op.runs, KERNEL_ARGS));
        self.main = inner + 8 * US + n * US + 3 * US;
    }

    /// The backward of an operator on autograd's thread. Returns when its last kernel ends.
    fn backward(&mut self, grad: &Grad, sequence: u64) -> i64 {
        let begin = self.autograd;
        let mut ends = 0;
        let mut at = begin + 5 * US;
        for (name, kernel, runs, dims) in grad.parts {
            let ext = self.new_id();
            self.event(
                ("cpu_op", name),
                (PID, AUTOGRAD),
                (at, 9 * US),
                &format!(r#""External id":{ext},"Record function id":0,{},"Ev Idx":{ext}"#, inputs(dims)),
            );
            ends = self.launch(AUTOGRAD, at + 2 * US, COMPUTE, ext, ("kernel", kernel, *runs, KERNEL_ARGS));
            at += 11 * US;
        }
        let args = |ext: u64| {
            format!(r#""External id":{ext},"Record function id":0,"Sequence number":{sequence},"Fwd thread id":1,"Ev Idx":{ext}"#)
        };
        let (outer, inner) = (self.new_id(), self.new_id());
        let name = format!("autograd::engine::evaluate_function: {}", grad.name);
        self.event(("cpu_op", &name), (PID, AUTOGRAD), (begin, at - begin + 2 * US), &args(outer));
        self.event(("cpu_op", grad.name), (PID, AUTOGRAD), (begin + 2 * US, at - begin - 2 * US), &args(inner));
        self.arrow(("fwdbwd", "f"), sequence, (PID, AUTOGRAD), begin + 2 * US);
        self.autograd = at + 4 * US;
        ends
    }

    /// An all-reduce of gradients that begins when these are there.
    fn all_reduce(&mut self, ready: i64, n_elements: u64, runs: i64) {
        let (begin, ext) = (self.autograd, self.new_id());
        self.event(
            ("cpu_op", "c10d::allreduce_"),
            (PID, AUTOGRAD),
            (begin, 22 * US),
            &format!(r#""External id":{ext},"Record function id":0,"Ev Idx":{ext}"#),
        );
        let args = format!(
            r#","Collective name":"allreduce","In msg nelems":{n_elements},"Out msg nelems":{n_elements},"Group size":8,"dtype":"BFloat16","In split size":[],"Out split size":[],"Process Group Name":"0","Process Group Description":"default_pg","Process Group Ranks":[0,1,2,3,4,5,6,7]"#
        );
        self.event(("cpu_op", "record_param_comms"), (PID, AUTOGRAD), (begin + 3 * US, 15 * US), &format!(r#""External id":{ext}{args}"#));
        let free = self.free_at(NCCL);
        *free = (*free).max(ready);
        let blocks = format!(r#"{args},"grid":[24,1,1],"block":[544,1,1],"registers per thread":96,"shared memory":82272"#);
        self.launch(AUTOGRAD, begin + 7 * US, NCCL, ext, ("kernel", ALL_REDUCE, runs, &blocks));
        self.autograd += 26 * US;
    }

    fn step(&mut self, step: u32) {
        let begin = self.main;
        let loads = if step == LATE_STEP { 9 * MS + 400 * US } else { 310 * US };
        let name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
        self.event(("user_annotation", name), (PID, MAIN), (begin + 20 * US, loads), r#""External id":0"#);
        self.main += loads + 40 * US;
        let ext = self.new_id();
        let dims = inputs("[[4,2048],[],[],[],[]]");
        self.event(
            ("cpu_op", "aten::to"),
            (PID, MAIN),
            (self.main, 30 * US),
            &format!(r#""External id":{ext},"Record function id":0,{dims},"Ev Idx":{ext}"#),
        );
        self.event(
            ("cpu_op", "aten::copy_"),
            (PID, MAIN),
            (self.main + 3 * US, 24 * US),
            &format!(r#""External id":{ext},"Record function id":0,{dims},"Ev Idx":{ext}"#),
        );
        let copied = self.launch(
            MAIN,
            self.main + 5 * US,
            COPY,
            ext,
            ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 11 * US, r#","bytes":65536,"memory bandwidth (GB/s)":5.9"#),
        );
        let free = self.free_at(COMPUTE);
        *free = (*free).max(copied);
        self.main += 40 * US;
        let first = u64::from(step) * 1_000;
        let n_ops = LAYER.len() as u64;
        for layer in 0..u64::from(N_LAYERS) {
            for (i, op) in (0u64..).zip(&LAYER) {
                self.operator(op, first + layer * n_ops + i + 1);
            }
            self.operator(&Op { calls: &["aten::add"], kernel: ADD, runs: 29 * US, dims: "[[8192,2048],[8192,2048],[]]" }, 0);
        }
        self.operator(
            &Op {
                calls: &["aten::cross_entropy_loss", "aten::log_softmax", "aten::_log_softmax"],
                kernel: SOFTMAX,
                runs: 187 * US,
                dims: "[[8192,32000],[],[]]",
            },
            0,
        );

        self.autograd = self.main + 30 * US;
        for layer in (0..u64::from(N_LAYERS)).rev() {
            let mut ends = 0;
            for (i, grad) in GRADS.iter().enumerate().rev() {
                ends = self.backward(grad, first + layer * n_ops + i as u64 + 1);
            }
            // The first layer's gradients come last: nothing is left that could hide their all-reduce.
            let runs = if layer == 0 { 2 * MS + 650 * US } else { MS + 480 * US };
            self.all_reduce(ends, 50_331_648, runs);
        }
        // Until the gradients are reduced.
        let free = (*self.free_at(NCCL)).max(*self.free_at(COMPUTE));
        *self.free_at(COMPUTE) = free;
        self.main = self.autograd + 15 * US;
        let waits = free + 8 * US - self.main;
        self.event(("cuda_runtime", "cudaStreamSynchronize"), (PID, MAIN), (self.main, waits), r#""cbid":131,"correlation":0"#);
        self.main += waits + 30 * US;

        let optimizer = self.main;
        for parameter in 0..N_PARAMETERS {
            let dims: &str = if parameter % 4 == 0 { "[[2048,2048],[2048,2048],[],[]]" } else { "[[2048],[2048],[],[]]" };
            for (name, kernel) in UPDATES {
                let ext = self.new_id();
                let args = format!(r#""External id":{ext},"Record function id":0,{},"Ev Idx":{ext}"#, inputs(dims));
                self.event(("cpu_op", name), (PID, MAIN), (self.main, 14 * US), &args);
                let runs = if parameter % 4 == 0 { 9 * US } else { 2 * US };
                self.launch(MAIN, self.main + 7 * US, COMPUTE, ext, ("kernel", kernel, runs, SMALL_ARGS));
                self.main += 19 * US;
            }
        }
        self.event(("user_annotation", "Optimizer.step#AdamW.step"), (PID, MAIN), (optimizer, self.main - optimizer), r#""External id":0"#);
        let end = (*self.free_at(COMPUTE)).max(self.main) + 12 * US;
        self.event(("cuda_runtime", "cudaDeviceSynchronize"), (PID, MAIN), (self.main, end - self.main), r#""cbid":165,"correlation":0"#);
        self.main = end + 10 * US;
        self.event(("user_annotation", &format!("ProfilerStep#{step}")), (PID, MAIN), (begin, self.main - begin), r#""External id":0"#);
        self.main += 5 * US;
    }

    fn name(&mut self, what: &str, (pid, tid): (u32, u32), key: &str, value: &str) {
        let _ = writeln!(self.text, r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"ts":0,"args":{{"{key}":{value}}}}},"#);
    }
}

const KERNEL_ARGS: &str = r#","grid":[132,4,1],"block":[384,1,1],"registers per thread":168,"shared memory":213040,"blocks per SM":4,"warps per SM":48,"est. achieved occupancy %":19"#;
const SMALL_ARGS: &str = r#","grid":[16,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0,"blocks per SM":0.12,"warps per SM":0.48,"est. achieved occupancy %":1"#;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "public/samples/synthetic-gpu.pt.trace.json.gz".into());
    let start = 812_300_000 * US;
    let free = [(COMPUTE, start), (COPY, start), (NCCL, start)];
    let mut trace = Trace { text: String::new(), id: 0, main: start, autograd: start, free, seed: 27 };
    for step in 0..N_STEPS {
        trace.step(step + 2);
    }
    for (pid, label, sort) in [(PID, "CPU", 4021), (0, "GPU 0", 5_000_000)] {
        trace.name("process_name", (pid, 0), "name", "\"python\"");
        trace.name("process_labels", (pid, 0), "labels", &format!("\"{label}\""));
        trace.name("process_sort_index", (pid, 0), "sort_index", &sort.to_string());
    }
    for stream in [COMPUTE, COPY, NCCL] {
        trace.name("thread_name", (0, stream), "name", &format!("\"stream {stream} \""));
    }
    for tid in [MAIN, AUTOGRAD] {
        trace.name("thread_name", (PID, tid), "name", &format!("\"thread {tid} (python)\""));
    }
    let head = format!(
        r#"{{"schemaVersion":1,"note":"Synthetic: written by examples/gpu_sample.rs, not recorded on hardware. {TOKENS} tokens, width {WIDTH}.",
"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":84942979072,"computeMajor":9,"computeMinor":0,"maxThreadsPerBlock":1024,"maxThreadsPerMultiprocessor":2048,"regsPerBlock":65536,"warpSize":32,"sharedMemPerBlock":49152,"numSms":132}}],
"record_shapes":1,"distributedInfo":{{"backend":"nccl","rank":0,"world_size":8}},"displayTimeUnit":"ms","baseTimeNanoseconds":1790857026000000000,
"traceEvents":[
"#
    );
    let end = trace.main;
    let tail = format!(
        r#"{{"ph":"i","name":"Record Window End","s":"g","pid":"","tid":"","ts":{}.{:03}}}],"traceName":"synthetic-gpu.pt.trace.json"}}
"#,
        end / US,
        end % US
    );
    let text = head + &trace.text + &tail;
    let mut packed = GzEncoder::new(std::fs::File::create(&path)?, Compression::best());
    packed.write_all(text.as_bytes())?;
    let n_bytes = packed.finish()?.metadata()?.len();
    println!("{path}: {} bytes of JSON, {n_bytes} packed, {} ms", text.len(), (end - start) / MS);
    Ok(())
}
