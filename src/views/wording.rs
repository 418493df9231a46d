//! Sentences that several views show.

/// Definition of a start.
pub const SINCE_ORIGIN: &str = "Time since the origin of the profile.";

/// Where a table or chart of a range is empty.
pub const NOTHING_RAN: &str = "Nothing ran in this range.";

/// Definition of the sum of waits, on each engine of the two public runs 7 to 27 times as long as the run. The profiler's schema: from when an instruction is ready
/// to be pushed into the engine's queue until the condition of its semaphore holds.
pub const RECORDED_WAITS: &str = "Sum of the waits for semaphores, as recorded. An instruction can wait while earlier ones run, so the sum can be longer than the run; Gaps shows idle time.";

/// Definition of FLOPs.
pub const FLOPS: &str = "Two for each element of the matrix products, transposes included.";

/// Definition of the FLOPs of transposes.
pub const TRANSPOSE_FLOPS: &str = "FLOPs of transposes, which are part of FLOPs.";

/// Where a PyTorch trace has no steps.
pub const NO_STEPS: &str = "No steps are recorded: call prof.step() after each iteration.";

/// Definition of the device of a group of slices.
pub const DEVICE_OF_SLICES: &str = "Process, device or NeuronCore engine of the slices.";

/// Definition of the group of a metric.
pub const METRIC_GROUP: &str = "Group in the profiler's summary.";

/// Definition of the formula of a metric.
pub const METRIC_FORMULA: &str = "Formula, or the rows it is computed from.";

/// Definition of the meaning of a metric.
pub const METRIC_MEANING: &str = "Definition given by the profiler.";

/// Where no rule of the advice found anything.
pub const NO_ADVICE: &str = "No rule applies: nothing to report for this profile.";

/// Definition of the cost of a finding.
pub const COST: &str = "Maximum time that could be saved";
