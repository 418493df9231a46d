//! Metrics of DMA packets by the type of their queue, of tensors' sizes, and of throttling: as `neuron-profile` counts them in its summary.

use crate::analysis::device::activity::busy::{Busy, PacketSum};
use crate::analysis::device::cells;
use crate::analysis::device::run_metrics::metrics::Computed;
use crate::analysis::spans;
use crate::base::{StrId, TimeRange, TrackId};
use crate::model::{NeuronDevice, Profile};
use rustc_hash::FxHashSet;

/// Names of the metrics of a type of queue.
struct Names {
    count: &'static str,
    count_share: &'static str,
    size: &'static str,
    size_share: &'static str,
    active: &'static str,
    active_share: &'static str,
}

/// Queues with descriptors made by software at run time, by hardware at run time, and all others.
const TYPES: [Names; 3] = [
    Names {
        count: "software_dynamic_dma_packet_count",
        count_share: "software_dynamic_dma_packet_percent",
        size: "software_dynamic_dma_size",
        size_share: "software_dynamic_dma_size_percent",
        active: "software_dynamic_dma_active_time",
        active_share: "software_dynamic_dma_active_time_percent",
    },
    Names {
        count: "hardware_dynamic_dma_packet_count",
        count_share: "hardware_dynamic_dma_packet_percent",
        size: "hardware_dynamic_dma_size",
        size_share: "hardware_dynamic_dma_size_percent",
        active: "hardware_dynamic_dma_active_time",
        active_share: "hardware_dynamic_dma_active_time_percent",
    },
    Names {
        count: "static_dma_packet_count",
        count_share: "static_dma_packet_percent",
        size: "static_dma_size",
        size_share: "static_dma_size_percent",
        active: "static_dma_active_time",
        active_share: "static_dma_active_time_percent",
    },
];

/// Packets of one type.
#[derive(Default)]
struct Sum {
    count: u64,
    bytes: u64,
    /// Busy times of each core.
    times: Vec<spans::Ranges>,
}

/// A share that is dynamic in any way, and its share by the two types.
const DYNAMIC: [(&str, &str, &str); 3] = [
    ("dynamic_dma_packet_percent", "software_dynamic_dma_packet_percent", "hardware_dynamic_dma_packet_percent"),
    ("dynamic_dma_size_percent", "software_dynamic_dma_size_percent", "hardware_dynamic_dma_size_percent"),
    ("dynamic_dma_active_time_percent", "software_dynamic_dma_active_time_percent", "hardware_dynamic_dma_active_time_percent"),
];

/// Packets by type of queue in `range`, as the profiler counts them; empty if types are not recorded. `busy` is of that range, or of the entire run.
///
/// Counts are of the packets that start in the range; bytes and times are of their parts within it.
pub(in crate::analysis::device) fn by_type(profile: &Profile, busy: &[Busy], range: TimeRange) -> Vec<Computed> {
    if profile.attribute("queue_type").is_none() {
        return Vec::new();
    }
    let place = |kind: StrId| match profile.strings.get(kind) {
        "" => None,
        "software_dynamic" => Some(0),
        "hardware_dynamic" => Some(1),
        _ => Some(2),
    };
    let mut sums: [Sum; 3] = Default::default();
    let mut is_complete = true;
    for ((_, kind), packets) in sums_of(busy) {
        match place(*kind).and_then(|at| sums.get_mut(at)) {
            Some(sum) => {
                sum.count += packets.started;
                sum.bytes = sum.bytes.saturating_add(packets.bytes);
            }
            None => is_complete = false,
        }
    }
    for (kind, times) in busy.iter().flat_map(|b| &b.packets.types) {
        if let Some(sum) = place(*kind).and_then(|at| sums.get_mut(at)) {
            sum.times.push(times.clone());
        }
    }
    let (n, bytes) = sums.iter().fold((0u64, 0u64), |s, t| (s.0 + t.count, s.1.saturating_add(t.bytes)));
    // A packet without a type could be of any: then no share is known.
    if n == 0 || !is_complete {
        return Vec::new();
    }
    let times: Vec<spans::Ranges> = sums.iter_mut().map(|sum| spans::union_of(std::mem::take(&mut sum.times))).collect();
    let length = |ranges: &[(i64, i64)]| spans::length_in(ranges, range.start.0, range.end.0);
    let lengths: Vec<i64> = times.iter().map(|ranges| length(ranges)).collect();
    let active = length(&spans::union_of(times));
    let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    let mut out: Vec<Computed> = Vec::new();
    for ((names, sum), time) in TYPES.iter().zip(sums).zip(lengths) {
        out.extend([
            (names.count, sum.count as f64, "DMA packets on queues of this type"),
            (names.count_share, share(sum.count as f64, n as f64), "that number ÷ all DMA packets"),
            (names.size, sum.bytes as f64, "bytes of the DMA packets on queues of this type"),
            (names.size_share, share(sum.bytes as f64, bytes as f64), "those bytes ÷ bytes of all DMA packets"),
            (names.active, time as f64 / 1e9, "time in which a queue of this type was active on any core"),
            (names.active_share, share(time as f64, active as f64), "that time ÷ time in which any queue was active"),
        ]);
    }
    for (name, software, hardware) in DYNAMIC {
        let of = |name: &str| out.iter().find(|c| c.0 == name).map_or(0.0, |c| c.1);
        out.push((name, of(software) + of(hardware), "share by software + share by hardware"));
    }
    out
}

/// Bytes by what the queues of compiled transfers are for, as the runtime or the profiler names it: input, output, or weights ("data").
const PURPOSES: [(&str, &[&str]); 3] =
    [("input_queue_bytes", &["input"]), ("output_queue_bytes", &["output"]), ("weight_queue_bytes", &["data", "weights"])];

/// Packets by queue and type that touch the range of `busy`.
fn sums_of(busy: &[Busy]) -> impl Iterator<Item = &((TrackId, StrId), PacketSum)> {
    busy.iter().flat_map(|b| &b.packets.sums).filter(|sum| sum.1.count > 0)
}

/// Bytes of the queues of compiled transfers by their purpose; nothing where a packet's queue has none, or types are not recorded.
///
/// Dynamic queues count for none, also those that the table of queues lists as `weights`: the profiler's summary has 0 for them.
pub(in crate::analysis::device) fn by_purpose(profile: &Profile, busy: &[Busy]) -> Vec<Computed> {
    if profile.attribute("queue_type").is_none() {
        return Vec::new();
    }
    let of = |text: &str| PURPOSES.iter().position(|p| p.1.contains(&text));
    let of_queue = |queue: TrackId| {
        let name = profile.strings.get(profile.tracks[queue.index()].name);
        of(&crate::analysis::device::waiting::cause::queue_purpose(profile, name).unwrap_or_default())
    };
    let mut sums = [0u64; 3];
    let (mut n, mut is_complete) = (0u64, true);
    for ((queue, kind), packets) in sums_of(busy) {
        n += packets.count;
        let kind = profile.strings.get(*kind);
        if kind == "instruction" || kind.ends_with("_dynamic") {
            continue;
        }
        match of(kind).or_else(|| of_queue(*queue)) {
            Some(at) => sums[at] = sums[at].saturating_add(packets.bytes),
            None => is_complete = false,
        }
    }
    let how = "bytes of the DMA packets on compiled queues of this purpose";
    let all = PURPOSES.iter().zip(sums).map(|((name, _), sum)| (*name, sum as f64, how));
    if n > 0 && is_complete { all.collect() } else { Vec::new() }
}

/// Sizes of inputs, outputs and weights, each tensor once, from the table that the NEFF gives; nothing where there is none.
pub(in crate::analysis::device) fn tensor_sizes(profile: &Profile) -> Vec<Computed> {
    let Some(table) = cells::table(profile, &["neff_node"]) else { return Vec::new() };
    let columns = cells::columns(table, [&["variable_name"], &["type"], &["size"]]);
    let mut met = FxHashSet::default();
    let mut sizes = [("WEIGHT", 0u64), ("IN", 0), ("OUT", 0)];
    for row in &table.rows {
        let (kind, size) = (cells::text(row, columns[1]), cells::count(row, columns[2]));
        let Some((kind, size)) = kind.zip(size) else { continue };
        if let Some(sum) = sizes.iter_mut().find(|s| s.0 == kind).filter(|_| met.insert(cells::text(row, columns[0]))) {
            sum.1 = sum.1.saturating_add(size);
        }
    }
    if met.is_empty() {
        return Vec::new();
    }
    let [weights, inputs, outputs] = sizes.map(|s| s.1 as f64);
    vec![
        ("weight_size_bytes", weights, "sizes of the model's weights"),
        ("inputs_and_weights_size_bytes", inputs + weights, "sizes of the model's inputs and weights"),
        ("inputs_outputs_weights_size_bytes", inputs + outputs + weights, "sizes of the model's inputs, outputs and weights"),
    ]
}

/// Names of the throttling metrics of the first two cores.
const THROTTLED: [(&str, &str); 2] = [
    ("throttle_active_nc0_time_ns", "throttle_avg_util_limit_nc0_percent"),
    ("throttle_active_nc1_time_ns", "throttle_avg_util_limit_nc1_percent"),
];

/// Throttling of the first two cores with records of it: time under a limit, and the mean limit, where time without a record counts as 0.
pub(in crate::analysis::device) fn throttling(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Vec<Computed> {
    let length = range.duration().0 as f64;
    let roots = profile.tracks.iter().enumerate().filter(|t| t.1.parent.is_none()).map(|t| TrackId(t.0 as u32));
    let cores: Vec<TrackId> = roots.filter(|root| profile.strings.get(profile.tracks[root.index()].name).starts_with("NC ")).collect();
    let mut out: Vec<Computed> = Vec::new();
    for (core, names) in cores.iter().zip(THROTTLED) {
        let (mut time, mut allowed, mut is_recorded) = (0.0, 0.0, false);
        for limit in device.throttles.iter().filter(|t| t.core == *core) {
            let within = (limit.end.min(range.end.0) - limit.start.max(range.start.0)).max(0) as f64;
            is_recorded = true;
            time += if limit.limit < 1.0 { within } else { 0.0 };
            allowed += within * limit.limit;
        }
        if is_recorded && length > 0.0 {
            out.push((names.0, time, "time under a throttling limit below 1"));
            out.push((names.1, allowed / length, "Σ time × utilisation limit ÷ length"));
        }
    }
    out
}
