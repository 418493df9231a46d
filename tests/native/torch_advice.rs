//! Advice of the overview: each rule where it holds and where it does not.

use axonscope::analysis::torch::overview::{OverviewQuery, Recommendation};
use axonscope::base::InputSet;
use axonscope::engine::Session;
use axonscope::formats::import;

/// A trace: events one after the other.
#[derive(Default)]
struct Trace {
    events: Vec<String>,
    at_us: u64,
    id: u64,
    /// More arguments of each kernel.
    of_kernel: String,
}

impl Trace {
    fn event(&mut self, cat: &str, name: &str, (ts, dur): (u64, u64), args: &str) {
        let (pid, tid) = if matches!(cat, "kernel" | "gpu_memcpy") { (0, 7) } else { (5, 5) };
        self.events
            .push(format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#));
    }

    /// An operator with one kernel, which runs for `kernel_us`; the next one follows it.
    fn operator(mut self, name: &str, inputs: &str, (kernel, kernel_us): (&str, u64)) -> Trace {
        self.id += 1;
        let (at, id) = (self.at_us, self.id);
        self.event("cpu_op", name, (at, 8), &format!(r#""External id": {id}, {inputs}"#));
        self.launch("cudaLaunchKernel", at + 2, &[(kernel, at + 9, kernel_us)]);
        self.at_us = at + 10 + kernel_us;
        self
    }

    /// A call that launches kernels: (name, start, duration).
    fn launch(&mut self, call: &str, at: u64, kernels: &[(&str, u64, u64)]) {
        self.id += 1;
        let id = self.id;
        self.event("cuda_runtime", call, (at, 2), &format!(r#""correlation": {id}"#));
        for (name, start, duration) in kernels {
            let args = format!(r#""device": 0, "stream": 7, "correlation": {id}{}"#, self.of_kernel);
            self.event("kernel", name, (*start, *duration), &args);
        }
    }

    fn advice(&self, device: &str) -> Vec<Recommendation> {
        let text = format!(
            r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "{device}", "numSms": 132}}], "traceEvents": [{}]}}"#,
            self.events.join(",\n")
        );
        let (claim, done) = import::import(&InputSet::from_bytes("t.json", text.into_bytes())).unwrap().remove(0);
        let (imported, input) = done.unwrap();
        let session = Session::new(claim, input, imported);
        session.ask(&OverviewQuery::default()).expect("an overview").recommendations
    }

    fn found(&self, id: &str) -> Option<Recommendation> {
        self.advice("NVIDIA H100 80GB HBM3").into_iter().find(|r| r.id == id)
    }
}

fn inputs(dims: &str, types: &[&str]) -> String {
    let types: Vec<String> = types.iter().map(|t| format!(r#""{t}""#)).collect();
    format!(r#""Input Dims": {dims}, "Input type": [{}], "Concrete Inputs": [{}]"#, types.join(","), vec![r#""""#; types.len()].join(","))
}

const BF16: &str = "c10::BFloat16";
const TC_KERNEL: &str =
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas";

fn mm(m: u64, kernel: &str, kernel_us: u64) -> Trace {
    Trace::default().operator("aten::mm", &inputs(&format!("[[{m}, 4096], [4096, 4096]]"), &[BF16, BF16]), (kernel, kernel_us))
}

#[test]
fn matrix_products_below_the_roof() {
    // 2·4096³ operations at 989.4 TFLOP/s take 138.9 µs.
    let found = mm(4_096, TC_KERNEL, 400).found("gemm_below_roof").unwrap();
    assert!((261_000..261_200).contains(&found.cost.unwrap().0), "{found:?}");
    assert_eq!(found.evidence.len(), 1);
    assert_eq!(mm(4_096, TC_KERNEL, 200).found("gemm_below_roof"), None);
    // Without peaks nothing is said.
    assert!(mm(4_096, TC_KERNEL, 400).advice("Imagined").iter().all(|r| r.id != "gemm_below_roof"));
}

#[test]
fn sizes_just_over_a_tile() {
    let found = mm(1_025, TC_KERNEL, 80).found("tile_quantization").unwrap();
    // 127 of 1,152 rows.
    assert_eq!(found.cost.unwrap().0, 80_000 * 127 / 1_152);
    assert_eq!(mm(1_024, TC_KERNEL, 80).found("tile_quantization"), None);
    // Memory decides how long one row takes.
    assert_eq!(mm(129, TC_KERNEL, 20).found("tile_quantization"), None);
}

#[test]
fn a_last_wave_of_blocks_that_is_nearly_empty() {
    let run = |m: u64, blocks: u64, registers: u64, device: &str| {
        let of_kernel = format!(r#", "grid": [{blocks}, 1, 1], "block": [384, 1, 1], "registers per thread": {registers}"#);
        let dims = inputs(&format!("[[{m}, 4096], [4096, 4096]]"), &[BF16, BF16]);
        let trace = Trace { of_kernel, ..Trace::default() }.operator("aten::mm", &dims, (TC_KERNEL, 200));
        trace.advice(device).into_iter().find(|r| r.id == "wave_quantization")
    };
    const H100: &str = "NVIDIA H100 80GB HBM3";
    // 133 blocks on 132 multiprocessors: of two waves 131 places stay empty.
    let found = run(4_096, 133, 168, H100).unwrap();
    assert_eq!((found.cost.unwrap().0, found.evidence.len()), (200_000 * 131 / 264, 1));
    assert_eq!(run(4_096, 132, 168, H100), None, "one full wave, as of a persistent kernel");
    assert_eq!(run(4_096, 250, 168, H100), None, "the last wave is nearly full");
    assert_eq!(run(4_096, 133, 32, H100), None, "several blocks may share a multiprocessor");
    assert_eq!(run(4, 133, 168, H100), None, "memory decides");
    assert_eq!(run(4_096, 133, 168, "AMD Instinct MI300X"), None);
    assert_eq!(mm(4_096, TC_KERNEL, 200).found("wave_quantization"), None, "no grid is recorded");
}

#[test]
fn tensor_cores_that_are_not_used() {
    let found = mm(4_096, "gemm_sgemm_plain", 4_000).found("tensor_cores_unused").unwrap();
    assert!(found.cost.unwrap().0 > 3_800_000);
    assert_eq!(mm(4_096, TC_KERNEL, 4_000).found("tensor_cores_unused"), None);
    let float = inputs("[[4096, 4096], [4096, 4096]]", &["double", "double"]);
    assert_eq!(Trace::default().operator("aten::mm", &float, ("dgemm", 4_000)).found("tensor_cores_unused"), None);
}

#[test]
fn elementwise_chains() {
    let add = inputs("[[1000000], [1000000]]", &["float", "float"]);
    let chain = |n: usize| (0..n).fold(Trace::default(), |trace, _| trace.operator("aten::add", &add, ("add", 20)));
    let found = chain(4).found("elementwise_chains").unwrap();
    assert_eq!(found.cost.unwrap().0, 60_000);
    assert_eq!(chain(2).found("elementwise_chains"), None);
    // Another size between them.
    let other = inputs("[[10], [10]]", &["float", "float"]);
    let broken = Trace::default().operator("aten::add", &add, ("a", 20)).operator("aten::mul", &other, ("b", 20)).operator(
        "aten::add",
        &add,
        ("a", 20),
    );
    assert_eq!(broken.found("elementwise_chains"), None);
}

#[test]
fn attention_by_the_math_backend() {
    let dims = inputs("[[1, 8, 64, 64], [1, 8, 64, 64], [1, 8, 64, 64]]", &[BF16, BF16, BF16]);
    let run = |name: &str| Trace::default().operator(name, &dims, ("softmax", 90));
    let found = run("aten::_scaled_dot_product_attention_math").found("math_attention").unwrap();
    assert!(found.cost.is_none() && found.text.starts_with("1 calls of attention (90.0 µs)"), "{}", found.text);
    assert_eq!(run("aten::_scaled_dot_product_flash_attention").found("math_attention"), None);
}

#[test]
fn conversions_between_types() {
    let copy = |from: &str| Trace::default().operator("aten::copy_", &inputs("[[1000], [1000]]", &[BF16, from]), ("copy", 50));
    assert_eq!(copy("float").found("dtype_conversions").unwrap().cost.unwrap().0, 50_000);
    assert_eq!(copy(BF16).found("dtype_conversions"), None);
}

/// Decode steps of `requests` each, their kernels launched one by one or as one graph.
fn serving(requests: &[u64], is_graph: bool) -> Trace {
    let mut trace = Trace::default();
    for n in requests {
        let at = trace.at_us;
        trace.event("user_annotation", &format!("execute_context_0(0)_generation_{n}({n})"), (at, 990), "");
        trace.event("cpu_op", "aten::mm", (at + 1, 980), r#""External id": 1"#);
        let kernels: Vec<(u64, u64)> = (0..30).map(|i| (at + 20 + 30 * i, 10)).collect();
        if is_graph {
            let all: Vec<(&str, u64, u64)> = kernels.iter().map(|(start, _)| ("k", *start, 30)).collect();
            trace.launch("cudaGraphLaunch", at + 5, &all);
        } else {
            kernels.iter().for_each(|(start, dur)| trace.launch("cudaLaunchKernel", start - 4, &[("k", *start, *dur)]));
        }
        trace.at_us = at + 1_000;
    }
    trace
}

#[test]
fn decode_steps_that_wait_for_launches() {
    let found = serving(&[4, 4], false).found("decode_launch_bound").unwrap();
    // 990 µs of which 300 are busy.
    assert_eq!((found.cost.unwrap().0, found.evidence.len()), (2 * 690_000, 2));
    assert_eq!(serving(&[4, 4], true).found("decode_launch_bound"), None);
}

#[test]
fn many_small_kernels() {
    let run = |n: u64, kernel_us: u64, is_graph: bool| {
        let mut trace = Trace::default();
        trace.event("user_annotation", "ProfilerStep#1", (0, 50 * n + 100), "");
        trace.event("cpu_op", "aten::add", (1, 50 * n), r#""External id": 1"#);
        let kernels: Vec<(&str, u64, u64)> = (0..n).map(|i| ("k", 20 + 50 * i, kernel_us)).collect();
        match is_graph {
            true => trace.launch("cudaGraphLaunch", 5, &kernels),
            false => kernels.iter().for_each(|kernel| trace.launch("cudaLaunchKernel", kernel.1 - 10, &[*kernel])),
        }
        trace.found("small_kernels")
    };
    let found = run(120, 1, false).unwrap();
    // Launches of 2 µs for kernels of 1 µs.
    assert_eq!((found.cost.unwrap().0, found.evidence.len()), (120_000, 5));
    assert_eq!(run(120, 20, false), None, "longer than a launch");
    assert_eq!(run(60, 1, false), None, "few prove nothing");
    assert_eq!(run(120, 1, true), None, "one graph launches all");
}

#[test]
fn gaps_between_kernels_and_their_launches() {
    // 50 kernels of 40 µs with gaps between them. `ahead_us`: how long before its kernel each launch starts.
    let run = |gap_us: u64, ahead_us: u64, waits_in: &str| {
        let mut trace = Trace::default();
        let period = 40 + gap_us;
        let at = |i: u64| 100 + i * period;
        trace.event("user_annotation", "ProfilerStep#1", (100, 50 * period), "");
        trace.event("cpu_op", "aten::add", (1, 50 * period), r#""External id": 1"#);
        for i in 0..50 {
            trace.launch("cudaLaunchKernel", at(i) - ahead_us, &[("k", at(i), 40)]);
            if !waits_in.is_empty() && i > 0 {
                // From the end of the kernel before to the launch.
                trace.event("cuda_runtime", waits_in, (at(i) - gap_us, gap_us - ahead_us), r#""correlation": 0"#);
            }
        }
        ["launch_bound", "idle_gaps"].map(|id| trace.found(id).map(|r| r.cost.unwrap().0))
    };
    // The last of 50 periods ends with the step: its gap has no kernel after it.
    let of = |gap_us: i64| Some(49 * gap_us * 1_000);
    assert_eq!(run(20, 5, ""), [of(20), of(20)]);
    assert_eq!(run(8, 4, ""), [None, of(8)], "a launch-bound step waits for over 20% of it");
    assert_eq!(run(2, 1, ""), [None, None], "under 10% of the steps");
    assert_eq!(run(20, 30, ""), [None, of(20)], "launched before the gap");
    assert_eq!(run(20, 5, "cudaStreamSynchronize"), [None, of(20)], "the host waited for the device");
}

#[test]
fn calls_and_copies_that_wait() {
    let run = |call: (&str, u64), copy: &str| {
        let mut trace = mm(4_096, TC_KERNEL, 400);
        let at = trace.at_us;
        trace.event("cuda_runtime", call.0, (at, call.1), r#""correlation": 900"#);
        trace.event("gpu_memcpy", copy, (at, 50), r#""device": 0, "stream": 7, "correlation": 901"#);
        trace.event("cpu_op", "aten::add", (at, 100), r#""External id": 99"#);
        let all = trace.advice("NVIDIA H100 80GB HBM3");
        ["synchronising_calls", "pageable_memory"].map(|id| all.iter().find(|r| r.id == id).map(|r| r.cost.unwrap().0))
    };
    let (pageable, pinned) = ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)");
    assert_eq!(run(("cudaDeviceSynchronize", 80), pageable), [Some(80_000), Some(50_000)]);
    assert_eq!(run(("cudaDeviceSynchronize", 2), pinned), [None, None], "under 1% of the steps; pinned memory");
    assert_eq!(run(("cudaLaunchKernel", 80), pinned), [None, None]);
}

#[test]
fn gaps_between_graph_launches() {
    // A replay ends at 920 µs of its step, the next begins at 20 µs of the next one.
    let found = serving(&[4, 4, 4], true).found("graph_gaps").unwrap();
    assert_eq!((found.cost.unwrap().0, found.evidence.len()), (2 * 100_000, 2));
    assert_eq!(serving(&[4, 4, 4], false).found("graph_gaps"), None);
}

#[test]
fn uneven_batches() {
    let found = serving(&[64, 2, 2, 2, 2, 2, 2, 2, 2], true).found("uneven_batch").unwrap();
    assert!(found.text.starts_with("The largest decode step has 64 requests, the median one 2."), "{}", found.text);
    assert_eq!(serving(&[64, 60, 60, 60, 60, 60, 60, 60, 60], true).found("uneven_batch"), None);
    assert_eq!(serving(&[64, 2], true).found("uneven_batch"), None, "two steps prove nothing");
}

#[test]
fn recompilation() {
    let with = |annotation: &str| {
        let mut trace = serving(&[4, 4], true);
        trace.event("user_annotation", annotation, (100, 200), "");
        trace.found("recompilation")
    };
    assert_eq!(with("_compile.compile_inner (dynamo_timed)").unwrap().cost.unwrap().0, 200_000);
    assert!(with("Torch-Compiled Region: 0/2").unwrap().cost.is_none());
    assert_eq!(with("Torch-Compiled Region: 0/0"), None);
}
