//! The overview of a PyTorch trace: devices, where the time of a step went, and what to do about it.

use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use serde::{Deserialize, Serialize};

/// Category of an instant of a step. If several apply, the first in this order is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A kernel runs that is no communication.
    Kernel,
    /// A copy from or to a device runs.
    Memcpy,
    /// A device's memory is being set.
    Memset,
    /// A collective operation runs.
    Communication,
    /// The host is in a call to the device's runtime or driver.
    Runtime,
    /// The host waits for the next batch.
    DataLoader,
    /// The host runs operators or annotated code.
    CpuExec,
    /// None of these.
    Other,
}

impl Category {
    /// In order of priority.
    pub const ALL: [Category; 8] = [
        Category::Kernel,
        Category::Memcpy,
        Category::Memset,
        Category::Communication,
        Category::Runtime,
        Category::DataLoader,
        Category::CpuExec,
        Category::Other,
    ];

    /// For people; the plugin's words.
    pub fn label(self) -> &'static str {
        match self {
            Category::Kernel => "Kernel",
            Category::Memcpy => "Memcpy",
            Category::Memset => "Memset",
            Category::Communication => "Communication",
            Category::Runtime => "Runtime",
            Category::DataLoader => "DataLoader",
            Category::CpuExec => "CPU Exec",
            Category::Other => "Other",
        }
    }

    /// What is counted, in a sentence.
    pub fn definition(self) -> &'static str {
        match self {
            Category::Kernel => "Time in which at least one kernel other than communication runs on a device.",
            Category::Memcpy => "Time in which data is copied from, to or on a device and no kernel runs.",
            Category::Memset => "Time in which device memory is set and none of the above is active.",
            Category::Communication => "Time in which a collective operation and none of the above is active: exposed communication.",
            Category::Runtime => "Time in which the host runs a device runtime or driver call and none of the above is active.",
            Category::DataLoader => "Time in which the host waits for the data loader and none of the above is active.",
            Category::CpuExec => "Time in which the host runs operators or annotated code and none of the above is active.",
            Category::Other => "Rest of the step.",
        }
    }
}

/// What to sum up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OverviewQuery {
    /// Steps are cut to this range; those outside are omitted. `None` is the whole trace.
    pub range: Option<TimeRange>,
}

/// Answer to [`OverviewQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Overview {
    /// Workers looked at: 1 (a trace is one worker).
    pub n_workers: u32,
    /// "GPU" when anything ran on or was launched to a device, else "CPU".
    pub device_type: String,
    /// Ordered by device id.
    pub devices: Vec<DeviceRow>,
    /// The eight categories in order of priority, averaged over the steps. Empty when there is nothing to cut into steps.
    pub summary: Vec<SummaryRow>,
    /// Time of all steps in each combination of categories: (bits by place in [`Category::ALL`], time). No bit is [`Category::Other`]. Exclusive parts
    /// in any order follow from it. Empty where the rules for old traces count categories twice.
    pub combinations: Vec<(u32, DurationNs)>,
    /// [`Category::Kernel`] of all steps by operator that launched the kernels: longest first, the sum is that of the category.
    pub kernel_operators: Vec<KernelShare>,
    /// The same by kernel.
    pub kernel_names: Vec<KernelShare>,
    /// Mean length of a step, nanoseconds. `None` without steps.
    pub mean_step_ns: Option<f64>,
    /// Ordered by start.
    pub steps: Vec<StepRow>,
    /// Whether the file marks steps (`ProfilerStep#`); if not, the whole trace is taken as one step.
    pub has_step_marks: bool,
    /// Costliest first; those without a cost last.
    pub recommendations: Vec<Recommendation>,
    /// Sentences on what this trace cannot show, and how it was read.
    pub notes: Vec<String>,
}

/// A part of the kernel time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelShare {
    /// Operator or kernel.
    pub name: String,
    /// Colour slot of the name; `None` where it is no name of the trace.
    pub colour: Option<u16>,
    /// Time in which its kernels run and no kernel that started before them.
    pub time: DurationNs,
}

/// A device. What the trace does not record is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceRow {
    /// Its id, as kernels name it.
    pub device: u32,
    /// "NVIDIA H100".
    pub name: Option<String>,
    /// Bytes of its memory.
    pub memory_bytes: Option<u64>,
    /// Compute capability: major, minor.
    pub compute: Option<(u32, u32)>,
    /// Streaming multiprocessors.
    pub n_sms: Option<u32>,
    /// Share (0 to 1) of the steps' time in which at least one kernel ran.
    pub utilization: Option<f64>,
    /// Estimated share (0 to 1) of multiprocessors that were busy over the steps' time.
    pub sm_efficiency: Option<f64>,
    /// Estimated achieved occupancy in percent (0 to 100), weighted by kernel time.
    pub occupancy_percent: Option<f64>,
    /// Share (0 to 1) of the kernel time launched by operators that used tensor cores.
    pub tensor_core_share: Option<f64>,
    /// Time in which at least one kernel ran, within the steps.
    pub busy: DurationNs,
    /// Kernels on it in the whole trace.
    pub n_kernels: u64,
}

/// Label and definition of each value of [`DeviceRow`], for hovering: (field, label, definition).
pub const DEVICE_FIGURES: [(&str, &str, &str); 7] = [
    ("name", "Name", "Device name reported by the driver."),
    ("memory_bytes", "Memory", "Total device memory."),
    ("compute", "Compute Capability", "Compute capability of the device (CUDA version number)."),
    (
        "utilization",
        "GPU Utilization",
        "Time in which at least one kernel runs / time of all steps. The higher, the better. It does not measure how many multiprocessors are used.",
    ),
    (
        "sm_efficiency",
        "Est. SM Efficiency",
        "Blocks per multiprocessor of the running kernels, at most 1, averaged over the time of all steps. The higher, the better.",
    ),
    (
        "occupancy_percent",
        "Est. Achieved Occupancy",
        "Active warps / maximum warps per multiprocessor, as estimated per kernel; averaged over kernels, weighted by their time. Higher is often, not always, better.",
    ),
    (
        "tensor_core_share",
        "Kernel Time using Tensor Cores",
        "Time of kernels that use tensor cores / time of all kernels launched by operators. Derived from kernel names.",
    ),
];

/// A category over all steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// Which.
    pub category: Category,
    /// Mean over the steps, nanoseconds.
    pub mean_ns: f64,
    /// Share (0 to 1) of the mean step. Can pass 1 in sum where the old plugin's rules are followed.
    pub share: f64,
    /// Whether the trace records it: device categories need device activity, communication needs collectives. Reports have its first name.
    #[serde(rename = "is_told")]
    pub is_recorded: bool,
}

/// One step, and what its time went to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// Its number as text, as in `ProfilerStep#5`.
    pub name: String,
    /// Where it begins, after the device's work is taken into account.
    pub start: TimeNs,
    /// Where it ends, its device work included.
    pub end: TimeNs,
    /// Its mark on the host; `None` when the whole trace is the step.
    pub slice: Option<SliceId>,
    /// `end - start`.
    pub total: DurationNs,
    /// Time per category, in the order of [`Category::ALL`]. Sums to `total`.
    pub parts: [DurationNs; 8],
    /// Time of the step with a running kernel other than communication (host work if the trace has no kernels).
    pub computation: DurationNs,
    /// Time of the step in which communication runs.
    pub communication: DurationNs,
    /// Time of the step in which both run.
    pub overlap: DurationNs,
}

/// Something to do, why, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// Stable word: `data_loading`, `launch_bound`, …
    pub id: String,
    /// What was found, short.
    pub title: String,
    /// What was found with its values, and what to try.
    pub text: String,
    /// The condition of the rule, with its threshold.
    pub threshold: String,
    /// How the value was computed.
    pub how: String,
    /// What it costs in the steps looked at; `None` where it cannot be put in time.
    pub cost: Option<DurationNs>,
    /// Where to look, most telling first; a handful.
    pub evidence: Vec<Evidence>,
    /// Page of the PyTorch documentation; empty if none.
    pub link: String,
}

/// A place in the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What is there.
    pub label: String,
    /// Start and end.
    pub range: TimeRange,
    /// The slice to select.
    pub slice: Option<SliceId>,
}
