//! R1–R9: which resource bounds the run.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent};
use crate::base::text;

const BUSY: f64 = 0.9;
const MEMORY_BOUND: f64 = 0.6;
const NO_MBU: &str = "memory bandwidth utilization (bytes of HBM and its bandwidth)";
const NO_MFU: &str = "FLOPs of the matrix products, HBM bytes, clocks and bandwidth";

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R1", "Run bound by one engine", engine_bound(case));
    out.rule("R2", "Run bound by memory bandwidth", memory_bound(case));
    out.rule("R3", "DMA busy with low throughput", dma_inefficient(case));
    out.rule("R4", "Run bound by waits", latency_bound(case));
    out.rule("R6", "Idle device", idle(case));
    out.rule("R7", "FLOPs utilization far below the memory-bound limit", below_roof(case));
    out.rule("R8", "FLOPs utilization near a low memory-bound limit", at_roof(case));
    out.rule("R9", "Arithmetic intensity below the ridge", below_ridge(case));
}

/// The busiest engine that computes: (share of the run, its name).
fn busiest(case: &Case<'_>) -> Option<(f64, String)> {
    // Sync only starts transfers and passes signals.
    let computes = |engine: &str| matches!(engine, "Tensor" | "Vector" | "Scalar" | "GpSimd");
    let engines = case.engines.iter().filter(|e| computes(&e.engine) && case.total > 0.0);
    let shares = engines.map(|e| (e.busy.0 as f64 / case.total, format!("{} {}", e.core, e.engine)));
    shares.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn engine_bound(case: &Case<'_>) -> Verdict {
    let Some((share, name)) = busiest(case) else { return Verdict::Missing("instructions of engines") };
    Verdict::when(share >= BUSY, || {
        Finding::new(Severity::Info, format!("Run bound by {name}")).says("Busy", percent(share)).because(
            "The engine is busy for nearly the entire run, so speeding up other engines does not help.",
            "Make its instructions more efficient or move work to other engines.",
            "Busy at least 90% of the run; busy is the union of its instructions without semaphore waits.",
        )
    })
}

fn memory_bound(case: &Case<'_>) -> Verdict {
    let Some(mbu) = case.number("mbu_estimated_percent") else { return Verdict::Missing(NO_MBU) };
    Verdict::when(mbu >= MEMORY_BOUND, || {
        Finding::new(Severity::Info, "Run bound by memory bandwidth").says("Bandwidth used", percent(mbu)).because(
            "HBM transfers use most of the memory bandwidth.",
            "Raise the arithmetic intensity: reuse data in SBUF, fuse operators, avoid spills.",
            "mbu_estimated_percent at least 60%.",
        )
    })
}

fn dma_inefficient(case: &Case<'_>) -> Verdict {
    let (Some(active), Some(mbu)) = (case.number("dma_active_time_percent"), case.number("mbu_estimated_percent")) else {
        return Verdict::Missing("active time of DMA, bytes of HBM and its bandwidth");
    };
    Verdict::when(active >= MEMORY_BOUND && mbu < MEMORY_BOUND, || {
        Finding::new(Severity::Warning, "DMA busy with low throughput")
            .cost((active - mbu).max(0.0) * case.total)
            .says("DMA active", percent(active))
            .says("Bandwidth used", percent(mbu))
            .because(
                "Small or unevenly distributed transfers keep the DMA engines busy at low bandwidth.",
                "Use larger transfers and all 16 DMA engines.",
                "DMA active at least 60% (our threshold) and bandwidth used below 60%; cost = (active − used) × run.",
            )
    })
}

fn latency_bound(case: &Case<'_>) -> Verdict {
    let (Some((share, name)), Some(mbu)) = (busiest(case), case.number("mbu_estimated_percent")) else {
        return Verdict::Missing("instructions of engines, or memory bandwidth utilization");
    };
    Verdict::when(share < BUSY && mbu < MEMORY_BOUND, || {
        let gaps = case.gaps.gaps.iter().filter(|g| format!("{} {}", g.core, g.engine) == name);
        let place = |g: &crate::analysis::device::waiting::gaps::Gap| super::Location {
            label: format!("{} idle: {}", g.engine, g.cause.label()),
            range: g.range,
            slice: g.next,
        };
        Finding::new(Severity::Critical, "Run bound by waits, not by an engine or memory")
            .cost((1.0 - share.max(mbu)) * case.total)
            .says("Busiest engine", format!("{name}, {}", percent(share)))
            .says("Bandwidth used", percent(mbu))
            .at(gaps.map(place))
            .because(
                "The engines wait for each other, for transfers or for barriers.",
                "Find the largest cause under Gaps, then pipeline, prefetch or use larger tiles.",
                "No engine busy 90%, bandwidth used below 60%; cost = run × (1 − the larger of the two), an upper bound.",
            )
    })
}

fn idle(case: &Case<'_>) -> Verdict {
    let Some(active) = case.number("total_active_time_percent") else {
        return Verdict::Missing("total_active_time and total_time");
    };
    Verdict::when(active < 0.85, || {
        Finding::new(Severity::Warning, "Device idle for part of the run")
            .cost((1.0 - active) * case.total)
            .says("Active", percent(active))
            .says("Idle", nanoseconds((1.0 - active) * case.total))
            .because(
                "Neither an engine nor DMA was active in this time.",
                "Find the cause of the longest gaps; a long gap at the start is loading or host time.",
                "total_active_time ÷ total_time below 85% (our threshold); cost = the idle time.",
            )
    })
}

/// FLOPs utilization, the most that memory allows, and what counts its FLOPs.
fn utilization(case: &Case<'_>) -> Option<(f64, f64, &'static str)> {
    let found = case.utilization()?;
    Some((found.value, found.most?, found.label))
}

fn below_roof(case: &Case<'_>) -> Verdict {
    let Some((mfu, most, label)) = utilization(case) else { return Verdict::Missing(NO_MFU) };
    Verdict::when(mfu < 0.5 * most, || {
        Finding::new(Severity::Warning, "FLOPs utilization far below the memory-bound limit")
            .cost((1.0 - mfu / most) * case.total)
            .says(label, percent(mfu))
            .says("Memory-bound limit", percent(most))
            .because(
                "At this arithmetic intensity the run could be much faster; the rest is lost to data movement, waits or small tiles.",
                "Reduce waits on the critical path first, then transposes and small transfers.",
                "Utilization below half of the achievable (our ratio); cost = run × (1 − utilization ÷ achievable), an upper bound.",
            )
    })
}

fn at_roof(case: &Case<'_>) -> Verdict {
    let Some((mfu, most, label)) = utilization(case) else { return Verdict::Missing(NO_MFU) };
    Verdict::when(mfu >= 0.8 * most && most < 0.5, || {
        Finding::new(Severity::Info, "FLOPs utilization near a low memory-bound limit")
            .says(label, percent(mfu))
            .says("Memory-bound limit", percent(most))
            .because(
                "The run is near its memory-bound limit, and this limit is low.",
                "Fuse operators, reuse tiles in SBUF, avoid reloads.",
                "Utilization at least 80% of the achievable, which is below 50% (our ratios).",
            )
    })
}

fn below_ridge(case: &Case<'_>) -> Verdict {
    let (Some(intensity), Some(hw)) = (case.number("mm_arithmetic_intensity"), case.hardware) else { return Verdict::Missing(NO_MFU) };
    let ridge = hw.core_flops * hw.n_cores / hw.hbm_bandwidth;
    Verdict::when(intensity > 0.0 && intensity < ridge, || {
        Finding::new(Severity::Info, "Arithmetic intensity below the ridge")
            .says("Arithmetic intensity", format!("{} FLOP/byte", text::three_digits(intensity)))
            .says("Ridge", format!("{} FLOP/byte", text::three_digits(ridge)))
            .because(
                "Even with perfect overlap the run is memory-bound.",
                "Move fewer bytes per FLOP.",
                "mm_arithmetic_intensity below peak of all cores ÷ bandwidth of one HBM stack; the ratio recorded in the file counts one core only.",
            )
    })
}
