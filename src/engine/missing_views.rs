//! Views that a profile cannot fill: what each needs, and how to record that. The Profile view shows them in one table.

use crate::model::{Domain, Profile};
use serde::{Deserialize, Serialize};

/// A view that is not in the side bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingView {
    /// Its id.
    pub id: String,
    /// What it needs and this profile does not have.
    pub needs: String,
    /// How to record or open that. Words between back-ticks are code.
    pub capture: String,
}

/// Id, what it needs, how to record that.
type Row = (&'static str, &'static str, &'static str);

const DEVICE_RUN: &str = "`neuron-profile capture -n model.neff -s profile.ntff`; open the .ntff with its .neff, or the JSON of `neuron-profile view --output-format json`";

/// Of Neuron device profiles, programs and summaries.
const DEVICE: &[Row] = &[
    ("timeline", "Instructions or transfers with times", DEVICE_RUN),
    ("summary", "Instructions with times, or a summary table", DEVICE_RUN),
    ("bounds", "Instructions with times", DEVICE_RUN),
    ("gaps", "Instructions with times", DEVICE_RUN),
    ("advice", "Instructions with times", DEVICE_RUN),
    ("operators", "Instructions or transfers with times", DEVICE_RUN),
    ("search", "Instructions or transfers with times", DEVICE_RUN),
    (
        "tensors",
        "Transfers, or tables of tensors and memory",
        "`neuron-explorer view -n model.neff -s profile.ntff --output-format parquet`",
    ),
    ("layers", "Instructions with times", DEVICE_RUN),
    (
        "source",
        "Instructions that name a line of source",
        "Set `NKI_DEBUG_INFO=1` and `NEURON_FRAMEWORK_DEBUG=1`, empty the compiler's cache, compile and capture again; open the .neff with the .ntff",
    ),
    ("roofline", "Instructions with times", DEVICE_RUN),
    ("program", "Instructions with times, or the programs of a NEFF", DEVICE_RUN),
    ("compare", "A second device profile", "Open it beside this one: drop it on the page"),
];

/// Of PyTorch traces.
const TORCH: &[Row] = &[
    ("operators", "Events with a duration", "Profile at least one step after the warm-up"),
    ("search", "Events with a duration", "Profile at least one step after the warm-up"),
    (
        "kernels",
        "Kernels of a device",
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])` on a machine with a GPU",
    ),
    (
        "efficiency",
        "Kernels of a device, and shapes and types of operators",
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True)`",
    ),
    (
        "steps",
        "Annotations of the host",
        "Call `prof.step()` after each iteration, or `torch.profiler.record_function(\"name\")` around it",
    ),
    ("memory", "Events `[memory]`", "`torch.profiler.profile(profile_memory=True)`"),
    ("modules", "Operators on a host thread", "`torch.profiler.profile(activities=[ProfilerActivity.CPU, …], with_stack=True)`"),
    (
        "distributed",
        "Collectives, or the rank of the process",
        "Profile a run with `torch.distributed`: one trace of each rank, opened together",
    ),
    ("diff", "A second PyTorch trace", "Open it beside this one: drop it on the page"),
];

const LOG_RUN: &str = "`neuron.profiler.profile(profile_type=\"operator\", …)`; open the log directory";

/// Of runs of the TensorBoard Neuron plugin.
const LOG: &[Row] = &[
    ("timeline", "neuron_op_timeline.json or neuron_trace.json", LOG_RUN),
    ("operator-timeline", "neuron_op_timeline.json", LOG_RUN),
    ("operator-framework", "neuron_framework_op.json", LOG_RUN),
    ("operator-hlo", "neuron_hlo_op.json", LOG_RUN),
    ("trace", "neuron_trace.json", "`neuron.profiler.profile(profile_type=\"trace\", …)`; open the log directory"),
];

/// Views that need a second profile: the page knows whether one is open.
const WITH_SECOND: [&str; 2] = ["compare", "diff"];

/// The views of this kind of profile that are not in `offered`, or need a second profile.
pub fn missing_views(profile: &Profile, offered: &[&str]) -> Vec<MissingView> {
    let all = match &profile.domain {
        Domain::NeuronDevice(_) => DEVICE,
        Domain::Torch(_) => TORCH,
        Domain::NeuronLog(_) => LOG,
        Domain::NeuronSystem(_) | Domain::SupportReport(_) | Domain::Perfetto(_) | Domain::MemorySnapshot(_) | Domain::Plain => &[],
    };
    let missing = all.iter().filter(|(id, ..)| !offered.contains(id) || WITH_SECOND.contains(id));
    missing.map(|(id, needs, capture)| MissingView { id: (*id).into(), needs: (*needs).into(), capture: (*capture).into() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NeuronDevice;

    fn ids(domain: Domain, offered: &[&str]) -> Vec<String> {
        let profile = Profile { domain, ..Profile::default() };
        missing_views(&profile, offered).into_iter().map(|m| m.id).collect()
    }

    #[test]
    fn what_is_not_offered_is_missing() {
        let all: Vec<&str> = DEVICE.iter().map(|row| row.0).collect();
        assert_eq!(ids(Domain::NeuronDevice(NeuronDevice::default()), &all), ["compare"]);
        let without: Vec<&str> = all.into_iter().filter(|id| *id != "source").collect();
        assert_eq!(ids(Domain::NeuronDevice(NeuronDevice::default()), &without), ["source", "compare"]);
        let torch = ["operators", "search", "kernels", "modules", "diff"];
        assert_eq!(ids(Domain::Torch(Box::default()), &torch), ["efficiency", "steps", "memory", "distributed", "diff"]);
        assert_eq!(ids(Domain::Plain, &[]), [""; 0]);
    }

    #[test]
    fn every_row_says_what_to_do() {
        for (id, needs, capture) in DEVICE.iter().chain(TORCH).chain(LOG) {
            assert!(!id.is_empty() && !needs.is_empty() && !capture.is_empty(), "{id}");
            assert_eq!((needs.matches('`').count() % 2, capture.matches('`').count() % 2), (0, 0), "{id}");
        }
    }
}
