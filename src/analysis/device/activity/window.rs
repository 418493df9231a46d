//! Metrics of a part of a run, computed from rows; the file's summary has them for the entire run only.
//!
//! Names, units and formulas are those of the file's summary; what the rows do not record is omitted, never 0.

use crate::analysis::device::activity::busy::{Busy, DMA};
use crate::analysis::device::run_metrics::metrics::{Computed, ENGINES, MetricSource};
use crate::analysis::device::run_metrics::packets;
use crate::analysis::device::share;
use crate::analysis::device::transfers::hbm;
use crate::analysis::device::waiting::gaps;
use crate::analysis::spans;
use crate::base::{TimeRange, for_each_chunk};
use crate::model::{Domain, NeuronDevice, Profile};

const BY_INSTRUCTIONS: &str = "(hbm_read_bytes + hbm_write_bytes) ÷ length ÷ bandwidth of one HBM stack";
const BY_TRANSFERS: &str = "bytes of DMA transfers without instruction fetches, in proportion to their time within the range ÷ length \
                            ÷ bandwidth of one HBM stack: instructions record HBM bytes when they start a transfer, not when it runs";

/// FLOPs of matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Products {
    /// Two for each element, transposes included.
    all: u64,
    /// Products that only transpose.
    transposes: u64,
}

/// Values of the range by the names of the file's metrics, of those that `is_wanted`. Shares are of the range. FLOPs come evenly over the time of their
/// instruction; bytes of HBM belong to the range in which it starts, for it only starts the transfer. When that runs is not recorded, so the use of
/// the bandwidth in a part of the run is that of its transfers ([`hbm::moved`]).
pub(in crate::analysis::device) fn metrics(
    profile: &Profile,
    busy: &[Busy],
    range: TimeRange,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<Computed> {
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    // A summary without rows has no values for a range.
    if profile.slices.is_empty() {
        return Vec::new();
    }
    let mut out = activity(busy, range, seconds(profile, &MetricSource::of(profile), range), is_wanted);
    let mut add = |name, value: Option<f64>, how| {
        if let Some(value) = value.filter(|v| v.is_finite() && is_wanted(name)) {
            out.push((name, value, how));
        }
    };
    let facts = MetricSource::of(profile);
    let seconds = seconds(profile, &facts, range);
    let flops = products(profile, device, range);
    let useful = flops.map(|f| (f.all - f.transposes) as f64);
    let bytes = hbm::traffic(profile, device, range);
    let moved = bytes.map(|(read, written)| (read + written) as f64);
    add(
        "hardware_flops",
        flops.map(|f| f.all as f64),
        "2 × elements of the matrix products in the range, in proportion to their time within it",
    );
    add("transpose_flops", flops.map(|f| f.transposes as f64), "the same for transposes");
    let of_peak = |flops: Option<f64>| Some(flops? / (facts.peak_flops()? * seconds));
    add("hfu_estimated_percent", of_peak(flops.map(|f| f.all as f64)), "hardware_flops ÷ (peak of all cores × length)");
    add("mfu_inst_estimated_percent", of_peak(useful), "(hardware_flops − transpose_flops) ÷ (peak of all cores × length)");
    add("hbm_read_bytes", bytes.map(|b| b.0 as f64), "bytes read from HBM by instructions that start in the range");
    add("hbm_write_bytes", bytes.map(|b| b.1 as f64), "bytes written to HBM by instructions that start in the range");
    let bandwidth = facts.hbm_bandwidth();
    let how = if gaps::holds_run(profile, range) { BY_INSTRUCTIONS } else { BY_TRANSFERS };
    let used = if is_wanted("mbu_estimated_percent") { hbm::moved(profile, range) } else { None };
    add("mbu_estimated_percent", used.zip(bandwidth).map(|(b, w)| b as f64 / seconds / w), how);
    let intensity = useful.zip(moved.filter(|b| *b > 0.0)).map(|(f, b)| f / b);
    add("mm_arithmetic_intensity", intensity, "(hardware_flops − transpose_flops) ÷ (hbm_read_bytes + hbm_write_bytes)");
    let ridge = facts.peak_flops().zip(bandwidth).map(|(p, w)| p / w);
    let most = intensity.zip(ridge).map(|(i, r)| (i / r).min(1.0));
    add("mfu_inst_max_achievable_estimated_percent", most, "mm_arithmetic_intensity ÷ (peak of all cores ÷ bandwidth), at most 1");
    // The file has all metrics of types, or none.
    if is_wanted("static_dma_packet_count") {
        packets::by_type(profile, busy, range).into_iter().for_each(|(name, value, how)| add(name, Some(value), how));
    }
    if is_wanted("weight_queue_bytes") {
        packets::by_purpose(profile, busy).into_iter().for_each(|(name, value, how)| add(name, Some(value), how));
    }
    packets::throttling(profile, device, range).into_iter().for_each(|(name, value, how)| add(name, Some(value), how));
    out
}

/// Length of the range; of the entire run as exactly as the file stores it.
fn seconds(profile: &Profile, facts: &MetricSource<'_>, range: TimeRange) -> f64 {
    let rounded = range.duration().0 as f64 / 1e9;
    let is_run = |exact: &f64| gaps::holds_run(profile, range) && (exact - rounded).abs() < 1e-9;
    facts.window_seconds().filter(is_run).unwrap_or(rounded)
}

/// How long each engine, DMA and all together worked on any core, as times and as shares of the range, and the instructions of each engine.
fn activity(busy: &[Busy], range: TimeRange, seconds: f64, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Computed> {
    let mut out: Vec<Computed> = Vec::new();
    let mut add = |name, value: Option<f64>, how| out.extend(value.filter(|v| v.is_finite() && is_wanted(name)).map(|v| (name, v, how)));
    let has = |of: &dyn Fn(&Busy) -> bool| busy.iter().any(of);
    // Without instructions or without transfers the busy time would be incomplete.
    let is_all = has(&|b| b.engine == DMA) && has(&|b| ENGINES.iter().any(|e| e.engine == b.engine));
    let active = |engine: Option<&str>, name: &str, share: &str| {
        let is_recorded = engine.map_or(is_all, |e| has(&|b| b.engine == e)) && (is_wanted(name) || is_wanted(share));
        let sets = || busy.iter().filter(|b| engine.is_none_or(|e| b.engine == e)).map(|b| b.ranges.clone()).collect();
        is_recorded.then(|| spans::length_in(&spans::union_of(sets()), range.start.0, range.end.0) as f64 / 1e9)
    };
    let engines = ENGINES.iter().map(|e| (Some(e.engine), e.active, e.share));
    let others = [(Some(DMA), "dma_active_time", "dma_active_time_percent"), (None, "total_active_time", "total_active_time_percent")];
    for (engine, name, share) in engines.chain(others) {
        let found = active(engine, name, share);
        let all = "time in which any engine, queue or collective ran";
        add(name, found, if engine.is_some() { "time in which it was active on any core" } else { all });
        add(share, found.filter(|_| seconds > 0.0).map(|s| s / seconds), "that time ÷ length");
    }
    for e in ENGINES {
        let own = busy.iter().filter(|b| b.engine == e.engine).map(|b| b.count).reduce(u64::saturating_add);
        add(e.count, own.map(|n| n as f64), "instructions of the engine that touch the range, on any core");
    }
    out
}

/// `None` where the file records no elements of products.
fn products(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Option<Products> {
    let kinds = profile.attribute("instruction_type");
    let transpose = profile.strings.iter().find(|(_, text)| *text == "TRANSPOSE").map(|(id, _)| id);
    let mut recorded = false;
    let mut sum = Products::default();
    let mut elements = Vec::new();
    for_each_chunk(device.elements.len().min(profile.slices.start.len()), &mut |part| {
        device.elements.part(part.clone(), &mut elements);
        for (i, elements) in part.zip(&elements).filter(|(_, elements)| **elements != NeuronDevice::ABSENT) {
            recorded = true;
            let flops = share::within(2 * u64::from(*elements), (profile.slices.start[i], profile.slices.end(i)), range);
            sum.all = sum.all.saturating_add(flops);
            let is_transpose = transpose.is_some() && kinds.and_then(|kinds| kinds.values.at(i)) == transpose;
            sum.transposes = sum.transposes.saturating_add(if is_transpose { flops } else { 0 });
        }
    });
    recorded.then_some(sum)
}
