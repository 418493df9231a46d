//! R20–R29: what the engines do, and how well.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent};
use crate::analysis::device::cause::Cause;
use crate::analysis::spans::Spans;
use crate::base::{SliceId, largest, text};

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R20", "Transposes take a large part of the FLOPs", transposes(case));
    out.rule("R21", "The tensor engine is busy with little useful work", useless(case));
    out.rule("R27", "Starting instructions takes long", issue(case));
    out.rule("R28", "Vector and GpSimd share a port", shared_port(case));
    out.rule("R29", "GpSimd is busy with descriptors", descriptors(case));
    out.rule("R29b", "Hardware FLOPs well above model FLOPs", overhead(case));
    out.rule("R29d", "PSUM is nearly full", psum(case));
}

fn transposes(case: &Case<'_>) -> Verdict {
    let all = case.number("hardware_flops").filter(|f| *f > 0.0);
    let (Some(moved), Some(all)) = (case.number("transpose_flops"), all) else {
        return Verdict::Missing("transpose_flops and hardware_flops");
    };
    Verdict::when(moved > 0.1 * all, || {
        let (n, time, longest) = marked(case, "TRANSPOSE");
        let mut finding = Finding::new(Severity::Critical, "Transposes take a large part of the FLOPs")
            .cost(case.hardware.map_or(0.0, |hw| moved / (hw.core_flops * hw.n_cores) * 1e9))
            .says("Of the hardware's FLOPs", percent(moved / all));
        if n > 0 {
            finding = finding.says("Instructions", text::count(n)).says("Their durations, added up", nanoseconds(time));
        }
        finding.at(longest.into_iter().map(|s| case.place(s))).because(
            "Matrix products that only move data take the tensor engine from those that compute.",
            "Choose layouts that fit, swap the moving and the stationary operand, or transpose by DMA or another engine.",
            "transpose_flops above 10 % of hardware_flops; cost = transpose_flops ÷ peak of all cores, the least they take.",
        )
    })
}

/// Instructions of that type: how many, how long together, the longest.
fn marked(case: &Case<'_>, kind: &str) -> (u64, f64, Vec<SliceId>) {
    let profile = case.profile;
    let Some(types) = profile.attribute("instruction_type") else { return Default::default() };
    let Some(id) = profile.strings.iter().find(|s| s.1 == kind).map(|s| s.0) else { return Default::default() };
    let found: Vec<usize> = (0..types.values.len()).filter(|i| types.values[*i] == id).collect();
    let time = found.iter().map(|i| profile.slices.duration[*i] as f64).sum();
    let n = found.len() as u64;
    let longest = largest(3, found.into_iter(), |i| profile.slices.duration[*i]);
    (n, time, longest.into_iter().map(|i| SliceId(i as u32)).collect())
}

fn useless(case: &Case<'_>) -> Verdict {
    // The metric counts once what several cores do at once; the rows tell each core's.
    let of_rows: i64 = case.engines.iter().filter(|e| e.engine == "Tensor").map(|e| e.busy.0).sum();
    let active = if of_rows > 0 { Some(of_rows as f64 / 1e9) } else { case.number("tensor_engine_active_time") }.filter(|t| *t > 0.0);
    let (Some(active), Some(hw), Some(all)) = (active, case.hardware, case.number("hardware_flops")) else {
        return Verdict::Missing("FLOPs, active time and clock of the tensor engine");
    };
    let useful = case.number("model_flops").filter(|f| *f > 0.0).unwrap_or(all - case.number("transpose_flops").unwrap_or(0.0));
    let possible = active * hw.core_flops;
    Verdict::when(useful < 0.5 * possible, || {
        Finding::new(Severity::Warning, "The tensor engine is busy with little useful work")
            .cost((active - useful / hw.core_flops) / hw.n_cores * 1e9)
            .says("Useful", percent(useful / possible))
            .says("Active, all cores", nanoseconds(active * 1e9))
            .because(
                "Small tiles, transposes or slow types leave most of the array idle while the engine counts as active.",
                "Use full 128 × 128 tiles with long moving operands, and BF16 where accuracy allows.",
                "Useful FLOPs (of the model, else without transposes) below 50 % of active time × peak; cost = the active time that peak would not need, per core.",
            )
    })
}

fn issue(case: &Case<'_>) -> Verdict {
    let issues: Vec<_> = case.gaps.causes.iter().filter(|c| c.cause == Cause::Issue).collect();
    if issues.is_empty() {
        return Verdict::Missing("operands of instructions: which of them wait for nothing");
    }
    let mean = |c: &crate::analysis::device::gaps::CauseTime| c.time.0 as f64 / c.count.max(1) as f64;
    let worst = issues.iter().filter(|c| mean(c) > 150.0 && c.time.0 as f64 > 0.05 * case.total).max_by_key(|c| c.time);
    Verdict::when(worst.is_some(), || {
        let mut finding = Finding::new(Severity::Info, "Starting instructions takes long");
        if let Some(c) = worst {
            let on_path = case.path.shares.iter().find(|s| s.name == Cause::Issue.label()).map_or(0.0, |s| s.time.0 as f64);
            finding = finding.cost(on_path.min(c.time.0 as f64)).says(
                &format!("{} {}", c.core, c.engine),
                format!("{} on average, {} together", nanoseconds(mean(c)), nanoseconds(c.time.0 as f64)),
            );
        }
        finding.because(
            "Between instructions that wait for no semaphore the engine still needs its time: chains of small ones pay it each time.",
            "Make instructions larger, or combine them.",
            "Mean gap without a wait above 150 ns, together above 5 % of the run (our thresholds); cost = such time on the critical path.",
        )
    })
}

fn shared_port(case: &Case<'_>) -> Verdict {
    let crate::model::Domain::NeuronDevice(device) = &case.profile.domain else { return Verdict::Quiet };
    let kind = device.instance_type.as_str();
    if kind.is_empty() {
        return Verdict::Missing("the type of the instance");
    }
    if !kind.starts_with("trn1") && !kind.starts_with("inf2") {
        return Verdict::Quiet;
    }
    let spans = |name: &str| {
        let items = case.work.iter().filter(|e| e.name == name).flat_map(|e| &e.items);
        Spans::union(items.filter(|i| !i.3).map(|i| (i.0, i.1)))
    };
    let both = spans("Vector").intersection(&spans("GpSimd")).total() as f64;
    Verdict::when(both > 0.1 * case.total, || {
        Finding::new(Severity::Info, "Vector and GpSimd run at the same time and share a port")
            .says("At the same time", nanoseconds(both))
            .because(
                "On this generation they cannot access SBUF at the same time, so each slows the other.",
                "Move work from GpSimd to Scalar, or let them run in turn.",
                "Both busy for more than 10 % of the run (our threshold).",
            )
    })
}

fn descriptors(case: &Case<'_>) -> Verdict {
    let Some(n) = case.number("software_dynamic_dma_packet_count") else {
        return Verdict::Missing("software_dynamic_dma_packet_count");
    };
    let busy = case.engines.iter().filter(|e| e.engine == "GpSimd").map(|e| e.busy.0 as f64).fold(0.0, f64::max);
    Verdict::when(n > 0.0 && case.total > 0.0 && busy > 0.5 * case.total, || {
        Finding::new(Severity::Warning, "GpSimd is busy with descriptors")
            .says("GpSimd busy", percent(busy / case.total))
            .says("Packets", text::count(n as u64))
            .because(
                "Transfers of GpSimd's queues have their descriptors made by software on it.",
                "Start transfers from Sync or Scalar, whose descriptors hardware makes.",
                "GpSimd busy above 50 % of the run and software dynamic transfers (our threshold).",
            )
    })
}

fn overhead(case: &Case<'_>) -> Verdict {
    let mfu = case.number("mfu_inst_estimated_percent").filter(|m| *m > 0.0);
    let (Some(hfu), Some(mfu)) = (case.number("hfu_estimated_percent"), mfu) else {
        return Verdict::Missing("hardware and model FLOPs utilization");
    };
    Verdict::when(hfu > 1.25 * mfu, || {
        Finding::new(Severity::Warning, "The hardware computes well more than the model asks for")
            .cost((hfu - mfu) * case.total)
            .says("Hardware FLOPs utilization", percent(hfu))
            .says("Model FLOPs utilization", percent(mfu))
            .because(
                "Transposes, broadcasts and padding run on the tensor engine.",
                "Choose layouts without transposes; pad less.",
                "HFU above 1.25 × MFU (our ratio); cost = (HFU − MFU) × run, the time of the rest at peak.",
            )
    })
}

fn psum(case: &Case<'_>) -> Verdict {
    let is_psum = |c: &&crate::model::Counter| case.profile.track_path(c.track).contains("PSUM");
    let counters: Vec<_> = case.profile.counters.iter().filter(is_psum).collect();
    if counters.is_empty() {
        return Verdict::Missing("the usage of PSUM over time");
    }
    // Of eight banks, each as a share of one or of a hundred; which one the unit tells.
    let scale = |c: &crate::model::Counter| if c.unit == "%" { 100.0 } else { 1.0 };
    let most = counters.iter().flat_map(|c| c.series.iter().flat_map(|s| s.values.iter().map(|v| v / scale(c)))).fold(0.0, f64::max);
    Verdict::when((0.95..=1.01).contains(&most), || {
        Finding::new(Severity::Info, "A bank of PSUM is nearly full").says("Most", percent(most)).because(
            "Matrix products wait until a bank is free.",
            "Use the banks in turn, and copy results out earlier.",
            "The fullest bank at 95 % or more (our threshold).",
        )
    })
}
