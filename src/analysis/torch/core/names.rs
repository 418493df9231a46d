//! What names state: roles of host ranges, tensor cores, communication. One set of flags a string, found once.

use crate::base::StrId;
use crate::model::Profile;

/// Flags of a name.
pub type Flags = u32;

/// The name was looked at.
const KNOWN: Flags = 1;
/// `ProfilerStep#5`.
pub const STEP: Flags = 1 << 1;
/// Waits for the data loader.
pub const DATA_LOADER: Flags = 1 << 2;
/// `Optimizer.step#SGD.step`.
pub const OPTIMIZER_STEP: Flags = 1 << 3;
/// Anything of an optimizer.
pub const OPTIMIZER: Flags = 1 << 4;
/// `DataParallel.forward`.
pub const DATA_PARALLEL: Flags = 1 << 5;
/// `DistributedDataParallel.forward`.
pub const DISTRIBUTED: Flags = 1 << 6;
/// One of the ten names the plugin takes for communication.
pub const COLLECTIVE_OF_TEN: Flags = 1 << 7;
/// Any host range of communication.
pub const COLLECTIVE: Flags = 1 << 8;
/// A communication kernel.
pub const COLLECTIVE_KERNEL: Flags = 1 << 9;
/// An operator that can use tensor cores, by the plugin's list.
pub const TC_ELIGIBLE: Flags = 1 << 10;
/// An operator that can use tensor cores and is younger than that list.
pub const TC_ELIGIBLE_NEW: Flags = 1 << 11;
/// A kernel that uses tensor cores, by the plugin's list.
pub const TC_KERNEL: Flags = 1 << 12;
/// A kernel that uses tensor cores and is younger than that list.
pub const TC_KERNEL_NEW: Flags = 1 << 13;
/// `autograd::engine::evaluate_function: …`.
pub const EVALUATE: Flags = 1 << 14;
/// `autograd::engine::evaluate_function: torch::autograd::AccumulateGrad`.
pub const ACCUMULATE: Flags = 1 << 15;
/// `[pl][module]…`.
pub const LIGHTNING_MODULE: Flags = 1 << 16;
/// `[pl][profile]…`.
pub const LIGHTNING_RANGE: Flags = 1 << 17;
/// Launches a whole graph of kernels.
pub const GRAPH_LAUNCH: Flags = 1 << 18;
/// Makes the host wait for a device.
pub const WAITS_FOR_DEVICE: Flags = 1 << 19;
/// `nccl:…`.
pub const NCCL: Flags = 1 << 20;
/// `gloo:…`.
pub const GLOO: Flags = 1 << 21;

/// Kernels with one of these in their name use tensor cores (list of NVIDIA's PyProf, as the plugin has it).
const TC_KERNEL_PARTS: [&str; 18] = [
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "c1688",
];
/// Kernels of Hopper and later, CUTLASS and flash attention that the list above does not know.
const TC_KERNEL_PARTS_NEW: [&str; 5] = ["tensorop", "wgmma", "nvjet", "flash_fwd", "flash_bwd"];

/// Operators that can use tensor cores, without `aten::` (the plugin's list).
const TC_OPS: [&str; 35] = [
    "_convolution",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "cudnn_convolution",
    "cudnn_convolution_transpose",
    "prelu",
    "addmm",
    "addmv",
    "addr",
    "matmul",
    "mm",
    "mv",
    "linear",
    "addbmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "linalg_multi_dot",
    "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell",
    "lstm_cell",
    "gru_cell",
    "rnn_tanh_cell",
    "rnn_relu_cell",
    "addmm_",
    "cudnn_convolution_backward",
    "cudnn_convolution_backward_input",
    "cudnn_convolution_backward_weight",
    "cudnn_convolution_transpose_backward",
];
const TC_OPS_MORE: [&str; 2] = ["cudnn_convolution_transpose_backward_input", "cudnn_convolution_transpose_backward_weight"];
const TC_AUTOGRAD: [&str; 8] = [
    "CudnnConvolutionBackward",
    "BmmBackward0",
    "CudnnConvolutionTransposeBackward",
    "MmBackward",
    "AddmvBackward",
    "MvBackward",
    "AddmmBackward",
    "AddbmmBackward",
];
/// Operators that can use tensor cores and are younger than the list, without `aten::`.
const TC_OPS_NEW: [&str; 12] = [
    "convolution_backward",
    "miopen_convolution",
    "_scaled_mm",
    "_grouped_mm",
    "_scaled_grouped_mm",
    "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention",
    "_flash_attention_forward",
    "_flash_attention_backward",
    "_efficient_attention_forward",
];

const COLLECTIVES: [&str; 5] = ["broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"];
/// Calls that return only when the device has caught up.
const WAITING_CALLS: [&str; 8] = [
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cuStreamSynchronize",
    "cuCtxSynchronize",
    "hipDeviceSynchronize",
    "hipStreamSynchronize",
    "hipEventSynchronize",
];

/// The name of an operator without the number that SGLang's shape profiler adds to each operator it registers:
/// `sglang_profiler::rmsnorm_rmsnorm2d_fwd_109`.
pub fn operator_name(name: &str) -> &str {
    match name.strip_prefix("sglang_profiler::").and_then(|_| name.rsplit_once('_')) {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Flags by string.
#[derive(Debug, Default)]
pub struct Names {
    flags: Vec<Flags>,
}

impl Names {
    /// Looks at the names of all slices, each once.
    pub fn new(profile: &Profile) -> Self {
        let mut flags = vec![0; profile.strings.len()];
        for name in &profile.slices.name {
            if let Some(f) = flags.get_mut(name.index()).filter(|f| **f == 0) {
                *f = KNOWN | look_at(profile.strings.get(*name));
            }
        }
        Names { flags }
    }

    /// Flags of a name.
    #[inline]
    pub fn of(&self, name: StrId) -> Flags {
        self.flags.get(name.index()).copied().unwrap_or(0)
    }
}

/// Flags of a text.
pub fn look_at(name: &str) -> Flags {
    host(name) | communication(name) | tensor_cores(name)
}

/// Roles of host ranges.
pub(in crate::analysis) fn host(name: &str) -> Flags {
    let mut out = 0;
    let mut set = |holds: bool, flag: Flags| out |= if holds { flag } else { 0 };
    set(name.starts_with("ProfilerStep#"), STEP);
    let is_loader = name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__");
    set(is_loader || name.starts_with("enumerate(DataPipe)#"), DATA_LOADER);
    set(name.starts_with("Optimizer.step"), OPTIMIZER_STEP);
    set(name.starts_with("Optimizer."), OPTIMIZER);
    set(name == "DataParallel.forward", DATA_PARALLEL);
    set(name == "DistributedDataParallel.forward", DISTRIBUTED);
    if let Some(rest) = name.strip_prefix("autograd::engine::evaluate_function:") {
        set(true, EVALUATE);
        set(rest == " torch::autograd::AccumulateGrad", ACCUMULATE);
    }
    set(name.starts_with("[pl][module]"), LIGHTNING_MODULE);
    set(name.starts_with("[pl][profile]"), LIGHTNING_RANGE);
    set(name.contains("GraphLaunch"), GRAPH_LAUNCH);
    set(WAITING_CALLS.iter().any(|call| name.starts_with(call)), WAITS_FOR_DEVICE);
    out
}

/// Whether the name is of communication, and whose.
pub(in crate::analysis) fn communication(name: &str) -> Flags {
    let mut out = 0;
    let backend = name.split_once(':').filter(|(_, rest)| !rest.starts_with(':'));
    if let Some((backend @ ("nccl" | "gloo" | "mpi" | "ucc" | "xccl" | "hccl"), what)) = backend {
        out |= COLLECTIVE;
        match backend {
            "nccl" => out |= NCCL,
            "gloo" => out |= GLOO,
            _ => {}
        }
        if matches!(backend, "nccl" | "gloo") && COLLECTIVES.contains(&what) {
            out |= COLLECTIVE_OF_TEN;
        }
    }
    if is_collective_kernel(name) {
        out |= COLLECTIVE_KERNEL;
    }
    out
}

/// Whether a kernel communicates, by its name.
pub fn is_collective_kernel(name: &str) -> bool {
    ["ncclKernel", "ncclDevKernel", "rcclKernel", "rcclDevKernel", "oneccl", "mscclKernel"].iter().any(|part| name.contains(part))
}

fn tensor_cores(name: &str) -> Flags {
    let mut out = 0;
    if TC_KERNEL_PARTS.iter().any(|part| name.contains(part)) {
        out |= TC_KERNEL;
    }
    if TC_KERNEL_PARTS_NEW.iter().any(|part| name.contains(part)) {
        out |= TC_KERNEL_NEW;
    }
    if let Some(op) = name.strip_prefix("aten::") {
        if TC_OPS.contains(&op) || TC_OPS_MORE.contains(&op) {
            out |= TC_ELIGIBLE;
        }
        if TC_OPS_NEW.contains(&op) {
            out |= TC_ELIGIBLE_NEW;
        }
    } else if TC_AUTOGRAD.contains(&name) {
        out |= TC_ELIGIBLE;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_they_are() {
        let has = |name: &str, flags: Flags| assert_eq!(look_at(name) & flags, flags, "{name}");
        let lacks = |name: &str, flags: Flags| assert_eq!(look_at(name) & flags, 0, "{name}");
        has("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", DATA_LOADER);
        lacks("enumerate(DataLoader)#_SingleProcessDataLoaderIter", DATA_LOADER);
        has("nccl:all_reduce", COLLECTIVE_OF_TEN | COLLECTIVE | NCCL);
        has("nccl:_all_gather_base", COLLECTIVE);
        lacks("nccl:_all_gather_base", COLLECTIVE_OF_TEN);
        lacks("nccl::all_reduce", COLLECTIVE);
        has("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_KERNEL);
        has("aten::addmm", TC_ELIGIBLE);
        lacks("aten::convolution_backward", TC_ELIGIBLE);
        has("aten::convolution_backward", TC_ELIGIBLE_NEW);
        has("volta_sgemm_s884", TC_KERNEL);
        has("nvjet_hsh_128x256", TC_KERNEL_NEW);
        has("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", EVALUATE | ACCUMULATE);
        has("ProfilerStep#12", STEP);
        assert_eq!(operator_name("sglang_profiler::rmsnorm_rmsnorm2d_fwd_109"), "sglang_profiler::rmsnorm_rmsnorm2d_fwd");
        assert_eq!(operator_name("sglang_profiler::rope_"), "sglang_profiler::rope_");
        assert_eq!(operator_name("triton_poi_fused_0"), "triton_poi_fused_0");
    }
}
