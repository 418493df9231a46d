//! Which views a profile can fill. The page shows no other.

use crate::analysis::device::source;
use crate::model::{Domain, Profile, Torch};

/// The tools of the TensorBoard Neuron plugin: each is a view.
const LOG_TOOLS: [&str; 4] = ["operator-framework", "operator-hlo", "operator-timeline", "trace"];

/// Ids of the views that `profile` can fill.
pub fn views(profile: &Profile) -> Vec<&'static str> {
    let mut out = vec!["profile", "ledger"];
    if !profile.tracks.is_empty() {
        out.push("timeline");
    }
    if !profile.slices.is_empty() {
        out.push("operators");
        out.push("search");
    }
    if !profile.tables.is_empty() {
        out.push("tables");
    }
    let has = |names: &[&str]| profile.tables.iter().any(|t| names.contains(&t.id.as_str()));
    match &profile.domain {
        Domain::NeuronDevice(_) => out.extend(device_views(profile)),
        Domain::SupportReport(_) => out.push("support"),
        Domain::NeuronSystem(system) => {
            out.push("system");
            if !system.executions.is_empty() {
                out.push("serving");
            }
        }
        Domain::NeuronLog(log) => out.extend(LOG_TOOLS.iter().filter(|tool| log.tools.iter().any(|t| t == **tool))),
        Domain::Torch(torch) => out.extend(torch_views(profile, torch)),
        Domain::Plain if has(&["neff_programs"]) => out.push("program"),
        Domain::MemorySnapshot(_) => out.push("snapshot"),
        Domain::Plain | Domain::Perfetto(_) => {}
    }
    out
}

/// Those of a Neuron device profile; the page offers `compare` once another one is open.
fn device_views(profile: &Profile) -> Vec<&'static str> {
    let has = |names: &[&str]| profile.tables.iter().any(|t| names.contains(&t.id.as_str()));
    let mut out = Vec::new();
    if !profile.slices.is_empty() || has(&["summary", "Summary"]) {
        out.extend(["summary", "compare"]);
    }
    if !profile.slices.is_empty() {
        out.extend(["bounds", "layers", "roofline", "gaps", "advice", "program"]);
    }
    if source::has_lines(profile) {
        out.push("source");
    }
    if !profile.slices.is_empty() || has(&["TensorInfo", "neff_node", "nc_mem_usage", "HbmUsageSummaryByType", "SbufAllocation"]) {
        out.push("tensors");
    }
    out
}

/// Those of a PyTorch trace; the page offers `diff` once another trace is open.
fn torch_views(profile: &Profile, torch: &Torch) -> Vec<&'static str> {
    let mut out = vec!["diff", "overview"];
    if !torch.kernels.is_empty() {
        out.push("kernels");
    }
    if !torch.kernels.is_empty() && !torch.inputs.is_empty() {
        out.push("efficiency");
    }
    // Annotations of the host: the profiler's own steps among them.
    if profile.strings.iter().any(|(_, s)| s == "user_annotation" || s.starts_with("ProfilerStep#")) {
        out.push("steps");
    }
    if !torch.memory.is_empty() {
        out.push("memory");
    }
    // Modules, or at least a tree of operators on a thread.
    if !torch.threads.is_empty() {
        out.push("modules");
    }
    // Old traces name collective operations and say no more of them.
    let is_collective = |name: &str| ["nccl:", "gloo:", "mpi:", "ncclKernel", "ncclDevKernel", "rccl"].iter().any(|p| name.starts_with(p));
    if !torch.collectives.is_empty() || torch.rank.is_some() || profile.strings.iter().any(|(_, s)| is_collective(s)) {
        out.push("distributed");
    }
    out
}
