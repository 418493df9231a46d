//! Which views a profile can fill, by its kind: each a line with its condition, what it needs, and how to record that. The page shows no
//! other; the Profile view lists those that are missing.

use crate::analysis::device::instructions::source;
use crate::model::{Domain, Profile, ProfileKind, Torch};
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

/// A view of a kind of profiles.
struct Row {
    id: &'static str,
    /// Whether a profile of that kind can fill it.
    fills: fn(&Profile) -> bool,
    /// What it needs; empty: its absence is not reported.
    needs: &'static str,
    /// How to record that.
    capture: &'static str,
}

const fn row(id: &'static str, fills: fn(&Profile) -> bool, needs: &'static str, capture: &'static str) -> Row {
    Row { id, fills, needs, capture }
}

/// Views of every profile, where its kind has no line of its own for them.
const GENERAL: &[Row] = &[
    row("profile", |_| true, "", ""),
    row("ledger", |_| true, "", ""),
    row("timeline", has_tracks, "", ""),
    row("operators", has_slices, "", ""),
    row("search", has_slices, "", ""),
    row("tables", |p| !p.tables.is_empty(), "", ""),
    row("sql", |p| !p.tables.is_empty() || has_tracks(p), "", ""),
];

const DEVICE_RUN: &str = "`neuron-profile capture -n model.neff -s profile.ntff`; open the .ntff with its .neff, or the JSON of `neuron-profile view --output-format json`";

/// Views of Neuron device profiles, programs and summaries; the page offers `compare` and `variants` once another one is open.
const DEVICE: &[Row] = &[
    row("timeline", has_tracks, "Instructions or transfers with times", DEVICE_RUN),
    row("summary", |p| has_slices(p) || has_table(p, &["summary", "Summary"]), "Instructions with times, or a summary table", DEVICE_RUN),
    row("bounds", has_slices, "Instructions with times", DEVICE_RUN),
    row("gaps", has_slices, "Instructions with times", DEVICE_RUN),
    row("advice", has_slices, "Instructions with times", DEVICE_RUN),
    row("operators", has_slices, "Instructions or transfers with times", DEVICE_RUN),
    row("search", has_slices, "Instructions or transfers with times", DEVICE_RUN),
    row(
        "tensors",
        |p| has_slices(p) || has_table(p, &["TensorInfo", "neff_node", "nc_mem_usage", "HbmUsageSummaryByType", "SbufAllocation"]),
        "Transfers, or tables of tensors and memory",
        "`neuron-explorer view -n model.neff -s profile.ntff --output-format parquet`",
    ),
    row("layers", has_slices, "Instructions with times", DEVICE_RUN),
    row(
        "source",
        source::has_lines,
        "Instructions that name a line of source",
        "Set `NKI_DEBUG_INFO=1` and `NEURON_FRAMEWORK_DEBUG=1`, empty the compiler's cache, compile and capture again; open the .neff with the .ntff",
    ),
    row("roofline", has_slices, "Instructions with times", DEVICE_RUN),
    row("program", has_slices, "Instructions with times, or the programs of a NEFF", DEVICE_RUN),
    row(
        "compare",
        |p| has_slices(p) || has_table(p, &["summary", "Summary"]),
        "A second device profile",
        "Open it beside this one: drop it on the page",
    ),
    row(
        "variants",
        |p| has_slices(p) || has_table(p, &["summary", "Summary"]),
        "A second device profile or summary",
        "Open it beside this one: drop it on the page",
    ),
];

/// Views of PyTorch traces; the page offers `diff` and `variants` once another one is open.
const TORCH: &[Row] = &[
    row("overview", |_| true, "", ""),
    row("operators", has_slices, "Events with a duration", "Profile at least one step after the warm-up"),
    row("search", has_slices, "Events with a duration", "Profile at least one step after the warm-up"),
    row(
        "kernels",
        |p| of_torch(p, |t| !t.kernels.is_empty()),
        "Kernels of a device",
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])` on a machine with a GPU",
    ),
    row(
        "efficiency",
        |p| of_torch(p, |t| !t.kernels.is_empty() && !t.inputs.is_empty()),
        "Kernels of a device, and shapes and types of operators",
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True)`",
    ),
    row(
        "steps",
        has_annotations,
        "Annotations of the host",
        "Call `prof.step()` after each iteration, or `torch.profiler.record_function(\"name\")` around it",
    ),
    row("memory", |p| of_torch(p, |t| !t.memory.is_empty()), "Events `[memory]`", "`torch.profiler.profile(profile_memory=True)`"),
    row(
        "modules",
        |p| of_torch(p, |t| !t.threads.is_empty()),
        "Operators on a host thread",
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, …], with_stack=True)`",
    ),
    row(
        "distributed",
        has_collectives,
        "Collectives, or the rank of the process",
        "Profile a run with `torch.distributed`: one trace of each rank, opened together",
    ),
    row("diff", |_| true, "A second PyTorch trace", "Open it beside this one: drop it on the page"),
    row("variants", |_| true, "A second PyTorch trace", "Open it beside this one: drop it on the page"),
];

const LOG_RUN: &str = "`neuron.profiler.profile(profile_type=\"operator\", …)`; open the log directory";

/// Views of runs of the TensorBoard Neuron plugin: each of its tools is a view.
const LOG: &[Row] = &[
    row("timeline", has_tracks, "neuron_op_timeline.json or neuron_trace.json", LOG_RUN),
    row("operator-timeline", |p| has_tool(p, "operator-timeline"), "neuron_op_timeline.json", LOG_RUN),
    row("operator-framework", |p| has_tool(p, "operator-framework"), "neuron_framework_op.json", LOG_RUN),
    row("operator-hlo", |p| has_tool(p, "operator-hlo"), "neuron_hlo_op.json", LOG_RUN),
    row(
        "trace",
        |p| has_tool(p, "trace"),
        "neuron_trace.json",
        "`neuron.profiler.profile(profile_type=\"trace\", …)`; open the log directory",
    ),
];

/// Views of Neuron system profiles; the page offers `compare` and `variants` once another one is open.
const SYSTEM: &[Row] = &[
    row("system", |_| true, "", ""),
    row("serving", has_executions, "", ""),
    row("compare", |_| true, "A second system profile", "Open it beside this one: drop it on the page"),
    row("variants", has_executions, "A second system profile with executions", "Open it beside this one: drop it on the page"),
];

/// Views of run summaries.
const FLEET: &[Row] = &[row("fleet", |_| true, "", "")];

/// Views of `analyze` reports.
const REPORT: &[Row] = &[row("support", |_| true, "", "")];

/// Views of memory snapshots.
const SNAPSHOT: &[Row] = &[row("snapshot", |_| true, "", "")];

/// Views of files with a timeline or tables alone: a NEFF without a run among them.
const PLAIN: &[Row] = &[row("program", |p| has_table(p, &["neff_programs"]), "", "")];

/// Views that need a second profile: the page knows whether one is open.
const WITH_SECOND: [&str; 3] = ["compare", "diff", "variants"];

/// The lines of a kind of profiles.
fn rows(kind: ProfileKind) -> &'static [Row] {
    match kind {
        ProfileKind::NeuronDevice => DEVICE,
        ProfileKind::Torch => TORCH,
        ProfileKind::NeuronLog => LOG,
        ProfileKind::NeuronSystem => SYSTEM,
        ProfileKind::SupportReport => REPORT,
        ProfileKind::Fleet => FLEET,
        ProfileKind::MemorySnapshot => SNAPSHOT,
        ProfileKind::Plain => PLAIN,
        ProfileKind::Perfetto => &[],
    }
}

/// Ids of the views that `profile` can fill.
pub fn views(profile: &Profile) -> Vec<&'static str> {
    let own = rows(profile.domain.kind());
    let general = GENERAL.iter().filter(|row| own.iter().all(|o| o.id != row.id));
    general.chain(own).filter(|row| (row.fills)(profile)).map(|row| row.id).collect()
}

/// The views of this kind of profile that it cannot fill, or that need a second profile.
pub fn missing_views(profile: &Profile) -> Vec<MissingView> {
    let is_missing = |row: &&Row| !row.needs.is_empty() && (WITH_SECOND.contains(&row.id) || !(row.fills)(profile));
    let missing = rows(profile.domain.kind()).iter().filter(is_missing);
    missing.map(|row| MissingView { id: row.id.into(), needs: row.needs.into(), capture: row.capture.into() }).collect()
}

fn has_tracks(profile: &Profile) -> bool {
    !profile.tracks.is_empty()
}

fn has_slices(profile: &Profile) -> bool {
    !profile.slices.is_empty()
}

fn has_table(profile: &Profile, names: &[&str]) -> bool {
    profile.tables.iter().any(|t| names.contains(&t.id.as_str()))
}

fn has_tool(profile: &Profile, tool: &str) -> bool {
    matches!(&profile.domain, Domain::NeuronLog(log) if log.tools.iter().any(|t| t == tool))
}

fn has_executions(profile: &Profile) -> bool {
    matches!(&profile.domain, Domain::NeuronSystem(system) if !system.executions.is_empty())
}

fn of_torch(profile: &Profile, has: fn(&Torch) -> bool) -> bool {
    matches!(&profile.domain, Domain::Torch(torch) if has(torch))
}

/// Annotations of the host: the profiler's own steps among them.
fn has_annotations(profile: &Profile) -> bool {
    profile.strings.iter().any(|(_, s)| s == "user_annotation" || s.starts_with("ProfilerStep#"))
}

/// Old traces have the names of collective operations and no other data about them.
fn has_collectives(profile: &Profile) -> bool {
    let is_collective = |name: &str| ["nccl:", "gloo:", "mpi:", "ncclKernel", "ncclDevKernel", "rccl"].iter().any(|p| name.starts_with(p));
    of_torch(profile, |t| !t.collectives.is_empty() || t.rank.is_some()) || profile.strings.iter().any(|(_, s)| is_collective(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NeuronDevice;

    fn missing(domain: Domain) -> Vec<String> {
        missing_views(&Profile { domain, ..Profile::default() }).into_iter().map(|m| m.id).collect()
    }

    #[test]
    fn what_an_empty_profile_cannot_fill_is_missing() {
        let of = |rows: &[Row]| rows.iter().filter(|row| !row.needs.is_empty()).map(|row| row.id.to_string()).collect::<Vec<_>>();
        assert_eq!(missing(Domain::NeuronDevice(NeuronDevice::default())), of(DEVICE));
        assert_eq!(missing(Domain::Torch(Box::default())), of(TORCH));
        assert_eq!(missing(Domain::Plain), [""; 0]);
    }

    #[test]
    fn what_is_filled_is_not_missing() {
        let torch = Torch { rank: Some((0, 1)), ..Torch::default() };
        let profile = Profile { domain: Domain::Torch(Box::new(torch)), ..Profile::default() };
        assert_eq!(views(&profile), ["profile", "ledger", "overview", "distributed", "diff", "variants"]);
        let ids: Vec<String> = missing_views(&profile).into_iter().map(|m| m.id).collect();
        assert_eq!(ids, ["operators", "search", "kernels", "efficiency", "steps", "memory", "modules", "diff", "variants"]);
    }

    #[test]
    fn every_row_says_what_to_do() {
        for row in DEVICE.iter().chain(TORCH).chain(LOG).filter(|row| !row.needs.is_empty()) {
            assert!(!row.capture.is_empty(), "{}", row.id);
            assert_eq!((row.needs.matches('`').count() % 2, row.capture.matches('`').count() % 2), (0, 0), "{}", row.id);
        }
    }
}
