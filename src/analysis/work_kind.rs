//! What kind of work a name stands for, as far as its words show: operators, kernels, calls of a runtime, instructions, categories. For colours
//! alone; no metric is built on it.

use super::torch::core::names::{self, communication, host};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// Matrix products and convolutions.
    Matmul,
    /// Attention kernels and operators.
    Attention,
    /// Element by element.
    Elementwise,
    /// Optimizers.
    Optimizer,
    /// Copies and layout changes on one device.
    DeviceCopy,
    /// Copies between host and device.
    Memcpy,
    /// Memory set on a device.
    Memset,
    /// Between workers.
    Communication,
    /// Calls of a device's runtime or driver.
    Runtime,
    /// Waiting for data.
    DataLoader,
    /// Waiting, idle.
    Wait,
    /// Kernels, as a category.
    Kernel,
    /// Operators on the host, as a category.
    CpuOperator,
    /// A step of the profiler.
    Step,
    /// A Python function.
    Python,
    /// A NeuronCore's engine, by the slot that it has in `colour_slots::fixed`, from its Tensor engine on.
    Engine(u16),
}

use WorkKind::{
    Attention, Communication, CpuOperator, DataLoader, DeviceCopy, Elementwise, Engine, Kernel, Matmul, Memcpy, Memset, Optimizer, Python,
    Runtime, Step, Wait,
};

/// Whole names, in lower case.
const WHOLE: [(&str, WorkKind); 32] = [
    ("kernel", Kernel),
    ("gpu_memcpy", Memcpy),
    ("gpu_memset", Memset),
    ("cuda_runtime", Runtime),
    ("cuda_driver", Runtime),
    ("runtime", Runtime),
    ("cpu_op", CpuOperator),
    ("operator", CpuOperator),
    ("python_function", Python),
    ("tensor", Engine(0)),
    ("tensormatrix", Engine(0)),
    ("tensor engine", Engine(0)),
    ("vector", Engine(1)),
    ("scalar", Engine(2)),
    ("gpsimd", Engine(3)),
    ("dma", Engine(4)),
    ("sync", Engine(5)),
    ("event_semaphore", Wait),
    ("idle", Wait),
    ("matmul", Matmul),
    ("ldweights", Matmul),
    ("activate", Optimizer),
    ("act_table_load", Optimizer),
    ("activation", Optimizer),
    ("tensor_tensor", Elementwise),
    ("tensor_scalar", Elementwise),
    ("tensor_reduce", Elementwise),
    ("reciprocal", Elementwise),
    ("copy", DeviceCopy),
    ("cast", DeviceCopy),
    ("memset", Memset),
    ("memcpy", Memcpy),
];

/// Operators without `aten::`, in lower case, without a last underscore.
const OPERATORS: [(WorkKind, &[&str]); 3] = [
    (Matmul, &["mm", "addmm", "bmm", "baddbmm", "matmul", "linear", "mv", "addmv", "einsum", "dot", "_scaled_mm", "_grouped_mm"]),
    (
        Elementwise,
        &[
            "add",
            "sub",
            "mul",
            "div",
            "relu",
            "gelu",
            "silu",
            "sigmoid",
            "tanh",
            "exp",
            "log",
            "pow",
            "sqrt",
            "rsqrt",
            "neg",
            "where",
            "clamp",
            "clamp_min",
            "threshold_backward",
            "gelu_backward",
            "silu_backward",
            "dropout",
            "native_dropout",
            "masked_fill",
            "eq",
            "ne",
            "gt",
            "lt",
            "cos",
            "sin",
            "fill",
            "zero",
            "leaky_relu",
            "hardtanh",
            "bitwise_and",
            "rsub",
            "reciprocal",
            "abs",
        ],
    ),
    (DeviceCopy, &["copy", "to", "_to_copy", "contiguous", "clone", "cat", "stack", "index_select", "transpose", "permute"]),
];

/// Parts of names in lower case. The first that is found counts.
const PARTS: [(WorkKind, &[&str]); 7] = [
    (Attention, &["flash_fwd", "flash_bwd", "flash_attn", "flash_attention", "fmha", "attention", "attn"]),
    (Optimizer, &["optimizer", "multi_tensor_apply", "_foreach_", "adam", "fused_sgd"]),
    (DeviceCopy, &["direct_copy", "copy_kernel", "copy_device", "catarray", "transpose", "nchwtonhwc", "nhwctonchw"]),
    (Elementwise, &["elementwise"]),
    (Matmul, &["gemm", "gemv", "matmul", "cutlass", "nvjet", "xmma", "cijk_", "scudnn", "wgrad", "dgrad", "winograd", "splitk"]),
    (Matmul, &["conv1d", "conv2d", "conv3d", "convolution", "convolve"]),
    (Memcpy, &["memcpyasync"]),
];

/// Longer names are looked at no further, bytes.
const LOOKED_AT: usize = 320;

/// Whether a name is that of a Python function, as PyTorch's profiler writes them.
pub fn is_python(name: &str) -> bool {
    name.contains(".py(") || name.starts_with("<built-in") || name.starts_with("nn.Module: ")
}

/// The kind of work of a name; `None` if unknown.
pub fn work_kind(name: &str) -> Option<WorkKind> {
    if is_python(name) {
        return Some(Python);
    }
    let flags = host(name) | communication(name);
    let has = |flag: names::Flags| flags & flag != 0;
    if has(names::STEP) {
        return Some(Step);
    }
    if has(names::COLLECTIVE | names::COLLECTIVE_KERNEL) || name.starts_with("c10d::") || name.starts_with("nccl") {
        return Some(Communication);
    }
    if has(names::DATA_LOADER) {
        return Some(DataLoader);
    }
    if has(names::WAITS_FOR_DEVICE) {
        return Some(Wait);
    }
    if name.starts_with("Memcpy ") {
        return Some(Memcpy);
    }
    if name.starts_with("Memset ") {
        return Some(Memset);
    }
    if is_runtime_call(name) {
        return Some(Runtime);
    }
    let end = (0..=name.len().min(LOOKED_AT)).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    let lower = name[..end].to_ascii_lowercase();
    if let Some((_, kind)) = WHOLE.iter().find(|(whole, _)| *whole == lower) {
        return Some(*kind);
    }
    if let Some(operator) = lower.strip_prefix("aten::").map(|op| op.strip_suffix('_').unwrap_or(op))
        && let Some((kind, _)) = OPERATORS.iter().find(|(_, all)| all.contains(&operator))
    {
        return Some(*kind);
    }
    PARTS.iter().find(|(_, parts)| parts.iter().any(|part| lower.contains(part))).map(|found| found.0)
}

/// `cudaLaunchKernel`, `cuLaunchKernelEx`, `hipMemcpyAsync`.
fn is_runtime_call(name: &str) -> bool {
    let rest = ["cuda", "cu", "hip"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix).filter(|r| r.starts_with(|c: char| c.is_ascii_uppercase())));
    rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(want: Option<WorkKind>, names: &[&str]) {
        names.iter().for_each(|name| assert_eq!(work_kind(name), want, "{name}"));
    }

    #[test]
    fn kernels_and_operators_have_kinds() {
        check(
            Some(Matmul),
            &["aten::mm", "aten::addmm", "volta_sgemm_64x64_nn", "aten::convolution_backward", "MATMUL", "nvjet_hsh_128x256"],
        );
        check(Some(Attention), &["aten::_flash_attention_forward", "void flash_fwd_kernel<A>(B)", "fmha_cutlassF_f32"]);
        check(Some(Elementwise), &["aten::add_", "aten::mul", "void at::native::vectorized_elementwise_kernel<4, F>(int)"]);
        check(Some(Optimizer), &["Optimizer.step#SGD.step", "aten::_foreach_addcdiv_"]);
        check(Some(DeviceCopy), &["aten::copy_", "void at::native::elementwise_kernel<1, at::native::direct_copy_kernel_cuda(T)>(int)"]);
    }

    #[test]
    fn what_has_one_meaning_is_known() {
        check(Some(Memcpy), &["Memcpy HtoD (Pageable -> Device)", "gpu_memcpy"]);
        check(Some(Communication), &["nccl:all_reduce", "ncclDevKernel_Generic(A<4096ul>)", "c10d::allreduce_"]);
        check(Some(Runtime), &["cudaLaunchKernel", "cuLaunchKernelEx", "hipMemcpyAsync", "cudaEventRecordWithFlags"]);
        check(Some(Wait), &["cudaDeviceSynchronize", "EVENT_SEMAPHORE"]);
        check(Some(DataLoader), &["enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"]);
        check(Some(Step), &["ProfilerStep#12"]);
        check(Some(Python), &["train.py(12): step", "nn.Module: Linear_0", "<built-in method relu of type object>"]);
        check(Some(Engine(3)), &["GpSimd"]);
    }

    #[test]
    fn other_names_have_none() {
        check(None, &["", "forward", "cudnn_batch_norm", "hippo", "EVENT_SEMAPHORE_RANGE_CLEAR", "aten::native_layer_norm", "custom"]);
        let long = format!("{}gemm", "ä".repeat(400));
        check(None, &[&long]);
    }
}
