//! Checks (a)–(n): whether the capture itself is sound. They colour all other advice.

use super::{Case, FileWarning, Finding, Out, Severity, Verdict, bytes, percent, texts};
use crate::analysis::device::activity::engines::Engine;
use crate::analysis::device::cells;
use crate::analysis::device::memory::tensors;
use crate::analysis::device::run_metrics::metrics::ENGINES;
use crate::base::{SliceId, StrId, for_each_chunk, text};
use crate::model::{Domain, Profile};
use rustc_hash::FxHashSet;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let warnings = warnings(case.profile);
    let has_table = case.profile.tables.iter().any(|t| t.id == "warnings" || t.id == "Warning");
    let has_warnings = has_table || !warnings.is_empty();
    let or = |verdict: Verdict| if has_warnings { verdict } else { Verdict::Missing("profiler warnings") };
    let says = |words: &[&str]| warnings.iter().any(|w| words.iter().any(|word| w.message.contains(word)));
    out.rule(
        "capture a",
        "Dynamic transfers without notifications",
        no_notifications(case, has_table.then(|| says(&["DGE", "dge-notifs"]))),
    );
    out.rule("capture b", "Library loading at the start", loading(case));
    out.rule("capture c", "Dropped events", dropped(case, has_warnings.then(|| says(&["dropped", "Dropped", "max_events"]))));
    out.rule("capture d", "NEFF and NTFF of different runs", one_run(case));
    out.rule("capture e", "All-zero inputs", Verdict::Missing("values of the inputs (a profile records only checksums)"));
    out.rule("capture f", "Missing source, HLO and layer names", no_names(case));
    out.rule("capture g", "Instructions unknown to the profiler", unknown_opcodes(case));
    out.rule("capture h", "Only transposes on the tensor engine", only_transposes(case));
    out.rule("capture i", "Cores without instructions", unused_cores(case));
    out.rule("capture j", "Capture of a compilation instead of an execution", compilation(case));
    let is_without = lacks_statistics(case);
    let k = no_statistics(case, says(&["HLO stats"]) || is_without == Some(true));
    out.rule("capture k", "Missing HLO statistics", if is_without.is_some() { k } else { or(k) });
    out.rule("capture l", "Memory filled by profiler buffers", buffers(case));
    out.rule("capture m", "First execution of a session", first_execution(case));
    let host = "host times (capture a system profile of the same run)";
    out.rule("capture n", "Host times without synchronization", Verdict::Missing(host));
}

/// The file's own warnings.
pub(super) fn warnings(profile: &Profile) -> Vec<FileWarning> {
    let Some(table) = profile.tables.iter().find(|t| t.id == "warnings" || t.id == "Warning") else { return Vec::new() };
    let (messages, categories) = (texts(table, "message"), texts(table, "category"));
    let one = |(i, message): (usize, &str)| FileWarning {
        category: categories.get(i).copied().unwrap_or_default().into(),
        message: message.into(),
        meaning: meaning(message).into(),
    };
    messages.into_iter().enumerate().filter(|m| !m.1.is_empty()).map(one).take(200).collect()
}

fn meaning(message: &str) -> &'static str {
    match message {
        m if m.contains("DGE") || m.contains("dge-notifs") => {
            "Sizes, tensors and directions of dynamic DMA are estimated or missing, so DMA metrics can be wrong."
        }
        m if m.contains("HLO stats") => "Model FLOPs are missing: utilization is computed from instructions without transposes.",
        m if m.contains("compiler metrics") => {
            "Compiler estimates such as spill bytes are missing, so rules about spills cannot be evaluated."
        }
        m if m.contains("ropped") => "Events are missing, so gaps are not always idle time.",
        _ => "",
    }
}

/// A trace with a NEFF of another model is rejected earlier: trace and NEFF of a profile match.
fn one_run(case: &Case<'_>) -> Verdict {
    let has_neff = case.table(["neff_header", "NeffHeader"]).is_some();
    match (case.profile.meta.format.as_str(), has_neff) {
        ("ntff", true) => Verdict::Quiet,
        ("ntff", false) => Verdict::Missing("the NEFF (drop it together with the trace)"),
        _ => Verdict::Missing("the uuid of the trace (recorded only in NTFF)"),
    }
}

/// The number of the captured execution in its session, from the profiler's file name: `model_exec_2.ntff`.
fn nth_execution(case: &Case<'_>) -> Option<u64> {
    let cell = |table: &crate::model::GenericTable, column: &str| texts(table, column).first().map(|t| t.to_string());
    let info = case.table(["profile_info", "Metadata"]);
    let names = ["ntff_filename", "profile_name"].iter().filter_map(|c| cell(info?, c)).chain([case.profile.meta.title.clone()]);
    names.filter_map(|name| name.rsplit_once("exec_")?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).next()
}

fn first_execution(case: &Case<'_>) -> Verdict {
    let Some(nth) = nth_execution(case) else {
        return Verdict::Missing("the number of the execution in its session (as in the name `model_exec_2.ntff`)");
    };
    Verdict::when(nth <= 1, || {
        Finding::new(Severity::Info, "First execution of its session").because(
            "The first execution loads libraries and fills caches, so it is slower than later ones.",
            "Capture a later execution (`--nth-exec 2`) or an entire session.",
            "The name of the capture ends in exec_1.",
        )
    })
}

/// Number of dynamic transfers, and of those without a recorded tensor; `None` if the file does not record which are dynamic.
fn unknown_tensors(case: &Case<'_>) -> Option<(u64, u64)> {
    let variables = case.profile.attribute("variable");
    // A trace without its NEFF names no tensors, whatever it was captured with.
    let is_bare = case.profile.meta.format == "ntff" && variables.is_none();
    let types = case.profile.attribute("queue_type").filter(|_| !is_bare)?;
    let is_dynamic: Vec<bool> = case.profile.strings.iter().map(|s| s.1.ends_with("_dynamic")).collect();
    let (mut n, mut n_unknown) = (0, 0);
    for_each_chunk(types.values.len(), &mut |part| {
        for i in part.filter(|i| is_dynamic[types.values[*i].index()]) {
            n += 1;
            n_unknown += u64::from(variables.is_none_or(|v| v.values[i] == StrId(0)));
        }
    });
    (n > 0).then_some((n, n_unknown))
}

/// `is_said`: whether a warning of the profiler reports it, if the file has warnings.
fn no_notifications(case: &Case<'_>, is_said: Option<bool>) -> Verdict {
    let found = unknown_tensors(case);
    if is_said.is_none() && found.is_none() {
        return Verdict::Missing("profiler warnings, or DMA types with their tensors");
    }
    // Where the profiler writes warnings, it warns of this.
    let is_unknown = is_said.unwrap_or_else(|| found.is_some_and(|(n, unknown)| unknown * 2 > n));
    Verdict::when(is_unknown, || {
        let mut finding = Finding::new(Severity::Warning, "Dynamic DMA captured without notifications");
        if let Some((n, unknown)) = found {
            finding = finding.says("Dynamic transfers of unknown tensors", format!("{} of {}", text::count(unknown), text::count(n)));
        }
        finding.because(
            "Tensors of dynamic transfers are not recorded.",
            "Capture again with `--enable-dge-notifs` or `NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1`.",
            "A profiler warning reports it; without recorded warnings: more than half of the dynamic transfers have no tensor name (our threshold).",
        )
    })
}

fn loading(case: &Case<'_>) -> Verdict {
    let first = case.gaps.engines.first().map(|_| case.profile.meta.range.start.0.max(0));
    let Some(first) = first else { return Verdict::Missing("instructions of engines") };
    let starts = case.work.iter().filter_map(|e| e.executed().next().map(|i| i.start)).min();
    let idle = starts.unwrap_or(first).max(0) as f64;
    Verdict::when(idle >= 500_000.0, || {
        Finding::new(Severity::Warning, "Library loading at the start of the execution").cost(idle).because(
            "The first execution loads a library for about 1 ms.",
            "Capture the second execution: `--nth-exec 2`.",
            "No instruction in the first 0.5 ms (our threshold); cost = the time before the first.",
        )
    })
}

/// Records of a trace that have no partner: (ends without a start, starts without an end). `None` of other profiles.
fn unpaired(case: &Case<'_>) -> Option<(i64, i64)> {
    let table = case.table(["record_pairs", "record_pairs"])?;
    let columns = cells::columns(table, [&["ends_without_start"], &["starts_without_end"]]);
    let sum = |at: usize| table.rows.iter().filter_map(|row| cells::int(row, columns[at])).fold(0i64, i64::saturating_add);
    Some((sum(0), sum(1)))
}

/// `is_said`: whether a warning of the profiler reports it, if the file has warnings.
fn dropped(case: &Case<'_>, is_said: Option<bool>) -> Verdict {
    let found = unpaired(case);
    if is_said.is_none() && found.is_none() {
        return Verdict::Missing("profiler warnings, or the records of a trace");
    }
    Verdict::when(is_said == Some(true) || found.is_some_and(|f| f.0 > 0), || {
        let mut finding = Finding::new(Severity::Critical, "Dropped events");
        if let Some((ends, starts)) = found {
            finding = finding.says("Ends without a start", text::count(ends.max(0) as u64));
            finding = finding.says("Starts without an end", text::count(starts.max(0) as u64));
        }
        finding.because(
            "The capture buffers were full.",
            "Raise `max_events_per_nc` or capture a shorter part.",
            "Reported by a profiler warning; in a trace, an instruction or a transfer ends within the execution window without having started.",
        )
    })
}

fn no_names(case: &Case<'_>) -> Verdict {
    if case.gaps.engines.is_empty() {
        return Verdict::Missing("instructions of engines");
    }
    // Columns without a single value are not there.
    let is_bare = ["source", "hlo", "layer", "operator"].iter().all(|id| case.profile.attribute(id).is_none());
    Verdict::when(is_bare, || {
        Finding::new(Severity::Info, "Instructions without names of the program").because(
            "Without source, HLO or layer names, time cannot be attributed to parts of the model.",
            "Set `XLA_IR_DEBUG=1`, `XLA_HLO_DEBUG=1`, `NEURON_FRAMEWORK_DEBUG=1` (for NKI `NKI_DEBUG_INFO=1`) and compile again with a clean cache.",
            "No instruction has a source, HLO, layer or operator.",
        )
    })
}

fn unknown_opcodes(case: &Case<'_>) -> Verdict {
    let n: usize = case.work.iter().map(Engine::len).sum();
    if n == 0 {
        return Verdict::Missing("instructions of engines");
    }
    let is_unknown: Vec<bool> = case.profile.strings.iter().map(|s| s.1.starts_with("Operation(")).collect();
    let names = &case.profile.slices.name;
    let found: Vec<SliceId> =
        case.work.iter().flat_map(Engine::executed).map(|i| i.slice).filter(|s| is_unknown[names[s.index()].index()]).collect();
    let share = found.len() as f64 / n as f64;
    Verdict::when(share > 0.05, || {
        let n_opcodes = found.iter().map(|s| names[s.index()]).collect::<FxHashSet<StrId>>().len() as u64;
        Finding::new(Severity::Warning, "Many instructions unknown to the profiler")
            .says("Instructions named `Operation(N)`", percent(share))
            .says("Opcodes without a name", text::count(n_opcodes))
            .at(found.iter().take(3).map(|s| case.place(*s)))
            .because(
                "The profiler is older than the compiler: these instructions have no kind and are missing from metrics by kind.",
                "Upgrade the profiler tools and process the capture again.",
                "More than 5% of the engines' instructions (our threshold) have an opcode `Operation(N)`.",
            )
    })
}

fn only_transposes(case: &Case<'_>) -> Verdict {
    let numbers = ["mfu_inst_estimated_percent", "tensor_engine_active_time", "transpose_flops"].map(|name| case.number(name));
    let [Some(mfu), Some(active), Some(moved)] = numbers else {
        return Verdict::Missing("FLOPs utilization, FLOPs of transposes and active time of the tensor engine");
    };
    Verdict::when(mfu <= 0.0 && active > 0.0 && moved > 0.0, || {
        Finding::new(Severity::Warning, "Tensor engine busy with transposes only").because(
            "All matrix products are transposes.",
            "Check that the intended part of the model was profiled.",
            "mfu_inst_estimated_percent is 0, and transpose_flops is not, while the tensor engine is active.",
        )
    })
}

fn unused_cores(case: &Case<'_>) -> Verdict {
    let Domain::NeuronDevice(device) = &case.profile.domain else { return Verdict::Quiet };
    if device.n_cores == 0 || case.engines.is_empty() {
        return Verdict::Missing("the number of cores");
    }
    if case.gaps.engines.is_empty() {
        return Verdict::Missing("instructions of engines");
    }
    let mut used: Vec<&str> = case.gaps.engines.iter().map(|e| e.core.as_str()).collect();
    used.dedup();
    Verdict::when((used.len() as u32) < device.n_cores, || {
        Finding::new(Severity::Info, "Cores without instructions")
            .says("Cores with instructions", format!("{} of {}", used.len(), device.n_cores))
            .because(
                "They lower all metrics averaged over cores.",
                "Use all cores (`torchrun`) or request fewer (`NEURON_RT_NUM_CORES`).",
                "Fewer cores with instructions than num_physical_cores.",
            )
    })
}

fn compilation(case: &Case<'_>) -> Verdict {
    // Where anything ran, or the summary counts instructions, it is their rows that are missing.
    let ran = !case.profile.slices.is_empty() || ENGINES.iter().any(|e| case.facts.number(e.count) > Some(0.0));
    if case.gaps.engines.is_empty() && ran {
        return Verdict::Missing("instructions of engines");
    }
    Verdict::when(case.gaps.engines.is_empty(), || {
        Finding::new(Severity::Critical, "Capture without an execution").because(
            "The capture contains no execution, possibly only a compilation.",
            "Run warm-up iterations first, then capture.",
            "The file records no instructions and no transfers, and its summary counts none.",
        )
    })
}

/// Whether the NEFF that was opened with a trace lacks HLO statistics; `None` of other profiles, which do not hold the NEFF's files.
fn lacks_statistics(case: &Case<'_>) -> Option<bool> {
    let has_neff = case.profile.meta.format == "ntff" && case.table(["neff_header", "NeffHeader"]).is_some();
    has_neff.then(|| case.table(["hlo_stats", "hlo_stats"]).is_none_or(|t| t.rows.is_empty()))
}

fn no_statistics(case: &Case<'_>, is_said: bool) -> Verdict {
    Verdict::when(is_said || case.facts.number("model_flops") == Some(0.0), || {
        Finding::new(Severity::Info, "Missing HLO statistics: model FLOPs not recorded").because(
            "The NEFF has no HLO statistics, as is usual for NKI kernels.",
            "Use mfu_inst_estimated_percent, which counts instructions without transposes.",
            "model_flops is 0, a profiler warning reports it, or the NEFF has no `hlo_stats.json`.",
        )
    })
}

fn buffers(case: &Case<'_>) -> Verdict {
    let uses = tensors::hbm(case.profile);
    if uses.is_empty() {
        return Verdict::Missing("usage of HBM by type");
    }
    let is_ours = |kind: &str| ["rofil", "otification", "race"].iter().any(|word| kind.contains(word));
    let held: f64 = uses.iter().filter(|u| !u.is_total && is_ours(&u.kind)).map(|u| u.bytes as f64).sum();
    Verdict::when(held >= 4e9, || {
        Finding::new(Severity::Info, "Memory filled by profiler buffers").says("Allocated", bytes(held)).because(
            "In this mode the profiler stores its records in HBM, which can cause out-of-memory errors.",
            "Capture fewer events or use another mode.",
            "At least 4 GB (our threshold) of HBM for profiling, notifications or traces.",
        )
    })
}
