//! R20–R29: what the engines do, and how well.

use super::case::Products;
use super::{Case, Finding, Location, MOST_PLACES, Out, Severity, Verdict, nanoseconds, percent};
use crate::analysis::device::activity::engines::Engine;
use crate::analysis::device::waiting::cause::Cause;
use crate::analysis::spans::{Spans, push};
use crate::base::{TimeNs, TimeRange, largest, text};
use crate::model::Counter;

/// PSUM is nearly full from this share of all banks of a core; ours.
const PSUM_FULL: f64 = 0.95;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R20", "Large share of transpose FLOPs", transposes(case));
    out.rule("R21", "Low useful work on the tensor engine", useless(case));
    out.rule("R27", "Long instruction start times", issue(case));
    out.rule("R28", "Vector and GpSimd port contention", shared_port(case));
    out.rule("R29", "GpSimd busy with descriptors", descriptors(case));
    out.rule("R29b", "Hardware FLOPs far above model FLOPs", overhead(case));
    out.rule("R29d", "PSUM nearly full", psum(case));
}

fn transposes(case: &Case<'_>) -> Verdict {
    let all = case.number("hardware_flops").filter(|f| *f > 0.0);
    let (Some(moved), Some(all)) = (case.number("transpose_flops"), all) else {
        return Verdict::Missing("transpose_flops and hardware_flops");
    };
    Verdict::when(moved > 0.1 * all, || {
        let mut finding =
            Finding::new(Severity::Critical, "Large share of transpose FLOPs").says("Share of hardware FLOPs", percent(moved / all));
        finding = match case.most_transposing() {
            Some(p) => finding
                .cost(p.transposing)
                .says(&format!("Instructions of {}", p.core), text::count(p.n_transposes))
                .says("Time covered", nanoseconds(p.transposing))
                .at(p.longest.iter().map(|l| case.place(l.1))),
            None => finding.cost(case.hardware.map_or(0.0, |hw| moved / (hw.core_flops * hw.n_cores) * 1e9)),
        };
        finding.because(
            "Transposes occupy the tensor engine without computing.",
            "Choose layouts without transposes, swap the moving and the stationary operand, or transpose by DMA or on another engine.",
            "transpose_flops above 10% of hardware_flops; cost = time that the tensor engine's instructions of type TRANSPOSE cover, on the core where that is longest. If the file does not mark them: transpose_flops ÷ peak of all cores, a lower bound.",
        )
    })
}

/// What a core's tensor engine did.
struct Use {
    core: String,
    /// Seconds; of several cores together, added up.
    active: f64,
    /// FLOPs.
    useful: f64,
}

/// Core by core, where the rows record FLOPs; cores without products are omitted.
fn use_by_core(case: &Case<'_>, model: Option<f64>) -> Vec<Use> {
    let useful = |p: &Products| p.all.saturating_sub(p.moved) as f64;
    let sum: f64 = case.products.iter().map(useful).sum();
    let of = |p: &Products| {
        let active: i64 = case.engines.iter().filter(|e| e.engine == "Tensor" && e.core == p.core).map(|e| e.busy.0).sum();
        // The model's FLOPs are of all cores: each did its part of the products.
        let useful = model.filter(|_| sum > 0.0).map_or(useful(p), |m| m * useful(p) / sum);
        Use { core: p.core.clone(), active: active as f64 / 1e9, useful }
    };
    case.products.iter().filter(|p| p.all > 0).map(of).filter(|u| u.active > 0.0).collect()
}

/// All cores together, from the metrics.
fn use_of_all(case: &Case<'_>, model: Option<f64>) -> Option<Use> {
    // The metric counts once what several cores do at once; the rows record each core's.
    let of_rows: i64 = case.engines.iter().filter(|e| e.engine == "Tensor").map(|e| e.busy.0).sum();
    let active = if of_rows > 0 { Some(of_rows as f64 / 1e9) } else { case.number("tensor_engine_active_time") }.filter(|t| *t > 0.0)?;
    let all = case.number("hardware_flops")?;
    let useful = model.unwrap_or(all - case.number("transpose_flops").unwrap_or(0.0));
    Some(Use { core: "all cores".into(), active, useful })
}

fn useless(case: &Case<'_>) -> Verdict {
    const MISSING: Verdict = Verdict::Missing("FLOPs, active time and clock of the tensor engine");
    let Some(hw) = case.hardware else { return MISSING };
    let model = case.number("model_flops").filter(|f| *f > 0.0);
    let mut uses = use_by_core(case, model);
    // A total for all cores does not say which core lost how much.
    let n_cores = if uses.is_empty() { hw.n_cores } else { 1.0 };
    if uses.is_empty() {
        uses.extend(use_of_all(case, model));
    }
    let lost = |u: &Use| u.active - u.useful / hw.core_flops;
    let Some(worst) = uses.into_iter().max_by(|a, b| lost(a).total_cmp(&lost(b))) else { return MISSING };
    let possible = worst.active * hw.core_flops;
    Verdict::when(worst.useful < 0.5 * possible, || {
        Finding::new(Severity::Warning, "Low useful work on the tensor engine")
            .cost(lost(&worst) / n_cores * 1e9)
            .says("Useful", percent(worst.useful / possible))
            .says(&format!("Active, {}", worst.core), nanoseconds(worst.active * 1e9))
            .because(
                "Small tiles, transposes or slow data types leave most of the array idle while the engine is active.",
                "Use full 128 × 128 tiles with long moving operands, and BF16 where accuracy allows.",
                "Useful FLOPs (of the model, else without transposes) below 50% of active time × peak, on the core with the largest loss; cost = active time − time at peak. If the rows record no FLOPs: sum over all cores ÷ cores.",
            )
    })
}

fn issue(case: &Case<'_>) -> Verdict {
    let issues: Vec<_> = case.gaps.causes.iter().filter(|c| c.cause == Cause::Issue).collect();
    if issues.is_empty() {
        return Verdict::Missing("operands of instructions (to find those without waits)");
    }
    let mean = |c: &crate::analysis::device::waiting::gaps::CauseTime| c.time.0 as f64 / c.count.max(1) as f64;
    let worst = issues.iter().filter(|c| mean(c) > 150.0 && c.time.0 as f64 > 0.05 * case.total).max_by_key(|c| c.time);
    Verdict::when(worst.is_some(), || {
        let mut finding = Finding::new(Severity::Info, "Long instruction start times");
        if let Some(c) = worst {
            let on_path = case.path.shares.iter().find(|s| s.name == Cause::Issue.label()).map_or(0.0, |s| s.time.0 as f64);
            finding = finding.cost(on_path.min(c.time.0 as f64)).says(
                &format!("{} {}", c.core, c.engine),
                format!("{} on average, {} together", nanoseconds(mean(c)), nanoseconds(c.time.0 as f64)),
            );
        }
        finding.because(
            "The engine needs time between instructions even without semaphore waits; chains of small instructions pay it for each instruction.",
            "Use larger instructions or combine them.",
            "Mean gap without a wait above 150 ns, together above 5% of the run (our thresholds); cost = such time on the critical path.",
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
    // The port belongs to one core; other cores do not matter.
    let spans = |core: &str, name: &str| {
        let items = case.work.iter().filter(|e| e.core == core && e.name == name).flat_map(Engine::executed);
        Spans::union(items.filter(|i| !i.is_wait).map(|i| (i.start, i.end)))
    };
    let cores = case.work.iter().filter(|e| e.name == "Vector").map(|e| e.core.as_str());
    let shared = cores.map(|core| (spans(core, "Vector").intersection(&spans(core, "GpSimd")).total() as f64, core));
    let (both, core) = shared.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    Verdict::when(both > 0.1 * case.total, || {
        Finding::new(Severity::Info, "Vector and GpSimd port contention")
            .says(&format!("At the same time, {core}"), nanoseconds(both))
            .because(
                "On this generation they cannot access SBUF at the same time, so they slow each other down.",
                "Move work from GpSimd to Scalar or run them in turn.",
                "Both of one core busy for more than 10% of the run (our threshold).",
            )
    })
}

fn descriptors(case: &Case<'_>) -> Verdict {
    let Some(n) = case.number("software_dynamic_dma_packet_count") else {
        return Verdict::Missing("software_dynamic_dma_packet_count");
    };
    let busy = case.engines.iter().filter(|e| e.engine == "GpSimd").map(|e| e.busy.0 as f64).fold(0.0, f64::max);
    Verdict::when(n > 0.0 && case.total > 0.0 && busy > 0.5 * case.total, || {
        Finding::new(Severity::Warning, "GpSimd busy with descriptors")
            .says("GpSimd busy", percent(busy / case.total))
            .says("Packets", text::count(n as u64))
            .because(
                "GpSimd creates the descriptors of the transfers of its queues in software.",
                "Start transfers from Sync or Scalar, where hardware creates the descriptors.",
                "GpSimd busy above 50% of the run and software dynamic transfers (our threshold).",
            )
    })
}

fn overhead(case: &Case<'_>) -> Verdict {
    let (Some(hfu), Some(mfu)) = (case.number("hfu_estimated_percent"), case.utilization()) else {
        return Verdict::Missing("hardware and model FLOPs utilization");
    };
    Verdict::when(hfu > 1.25 * mfu.value, || {
        let n_cores = case.hardware.map_or(1.0, |hw| hw.n_cores);
        // Utilization is of all cores; the rest takes the core longest that does most of the work.
        let at_peak = (hfu - mfu.value) * case.total * case.largest_share().map_or(1.0, |share| share * n_cores);
        let transposing = case.most_transposing().map_or(0.0, |p| p.transposing);
        Finding::new(Severity::Warning, "Hardware FLOPs far above model FLOPs")
            .cost(at_peak.max(transposing))
            .says("Hardware FLOPs utilization", percent(hfu))
            .says(mfu.label, percent(mfu.value))
            .because(
                "Transposes, broadcasts and padding run on the tensor engine.",
                "Choose layouts without transposes and with less padding.",
                "HFU above 1.25 × MFU (our ratio); cost = (HFU − MFU) × run, the time of the additional FLOPs at peak on the core with most FLOPs, at least the time of transposes.",
            )
    })
}

/// Mean use of all banks of a core, sample by sample, as a share of 1: (from, until, share).
fn banks(counter: &Counter) -> impl Iterator<Item = (i64, i64, f64)> {
    // Eight banks, each as a share or a percentage according to the unit.
    let scale = if counter.unit == "%" { 100.0 } else { 1.0 };
    let n = counter.series.len().max(1) as f64;
    let mean = move |at: usize| counter.series.iter().filter_map(|s| s.values.get(at)).sum::<f64>() / n / scale;
    let until = |at: usize| counter.times.get(at + 1).or(counter.times.get(at)).copied();
    counter.times.iter().enumerate().filter_map(move |(at, from)| Some((*from, until(at)?, mean(at))))
}

fn psum(case: &Case<'_>) -> Verdict {
    let is_psum = |c: &&Counter| case.profile.track_path(c.track).contains("PSUM");
    let counters: Vec<_> = case.profile.counters.iter().filter(is_psum).collect();
    if counters.is_empty() {
        return Verdict::Missing("PSUM usage over time");
    }
    let (mut most, mut places) = (0.0f64, Vec::new());
    for counter in counters {
        let core = case.profile.track_path(counter.track).split(" / ").next().unwrap_or_default().to_string();
        let mut full = Vec::new();
        for (from, until, share) in banks(counter).filter(|b| (PSUM_FULL..=1.01).contains(&b.2)) {
            most = most.max(share);
            push(&mut full, (from, until));
        }
        let place =
            |s: (i64, i64)| Location { label: format!("PSUM of {core}"), range: TimeRange::new(TimeNs(s.0), TimeNs(s.1)), slice: None };
        places.extend(full.into_iter().map(place));
    }
    Verdict::when(!places.is_empty(), || {
        let places = largest(MOST_PLACES, places.into_iter(), |p| p.range.duration().0);
        Finding::new(Severity::Info, "PSUM nearly full").says("Maximum", percent(most)).at(places).because(
            "Matrix products wait for a free bank.",
            "Use the banks in turn and copy results out earlier.",
            "Mean over all banks of a core at one time of 95% or more (our threshold).",
        )
    })
}
