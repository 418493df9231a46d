//! R30–R36: how well data is moved.

use super::{Case, Finding, Location, Out, Severity, Verdict, bytes, nanoseconds, percent, rate};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::memory::highlights::BandKind;
use crate::analysis::recent_cache::Groups;
use crate::base::order::keep_largest;
use crate::base::{SliceId, StrId, TimeNs, TimeRange, TrackId, for_each_chunk, largest, text};
use crate::model::{Domain, NeuronDevice, TrackKind};
use rustc_hash::FxHashMap;

const NO_SIZES: &str = "sizes of DMA transfers";
/// DMA engines of a core, on every generation that has them, where the metadata do not say.
const N_ENGINES: f64 = 16.0;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let packets = Packets::of(case);
    out.rule("R30", "Small transfers", average(case, &packets));
    out.rule("R31", "Small packets", small(case, &packets));
    out.rule("R32", "Uneven load of DMA engines", uneven(case, &packets));
    out.rule("R33", "Transposing transfers", transposing(case));
    out.rule("R34", "Many tiny dynamic transfers", tiny(case, &packets));
    out.rule("R35", "DMA busy below its bandwidth", slow(case, &packets));
    out.rule("R36", "Repeated reads of the same data", useless(case));
}

/// DMA packets whose size is recorded, each once: one for which another row stands as well is omitted.
#[derive(Default)]
struct Packets {
    count: u64,
    small: Small,
    /// Whether any is on a dynamic queue; those of them below 512 bytes, and the first of these.
    has_dynamic: bool,
    n_tiny_dynamic: u64,
    tiny_dynamic: Option<SliceId>,
    /// What the engines did, by (core, engine).
    engines: FxHashMap<(u32, StrId), Moved>,
}

/// Packets of one DMA engine.
#[derive(Default, Clone, Copy)]
struct Moved {
    /// Durations added up, nanoseconds.
    busy: i64,
    /// (duration, packet) of the longest.
    longest: Option<(i64, SliceId)>,
}

impl Moved {
    fn add(&mut self, busy: i64, longest: Option<(i64, SliceId)>) {
        self.busy = self.busy.saturating_add(busy);
        self.longest = longest.filter(|new| self.longest.is_none_or(|old| new.0 > old.0)).or(self.longest);
    }
}

/// Packets below 2 KiB.
#[derive(Default)]
struct Small {
    count: u64,
    /// Packets below 4 KiB, these included.
    n_unsaturated: u64,
    /// Packets below 256 bytes.
    n_tiny: u64,
    /// Time lost because packets are smaller than 2 KiB.
    lost_ns: f64,
    /// (duration, packet), longest first; and those from 2 to 4 KiB.
    longest: Vec<(i64, SliceId)>,
    longest_unsaturated: Vec<(i64, SliceId)>,
}

impl Packets {
    fn of(case: &Case<'_>) -> Self {
        let (profile, mut out) = (case.profile, Packets::default());
        let Domain::NeuronDevice(device) = &profile.domain else { return out };
        let roots = crate::analysis::device::waiting::signals::roots(profile);
        let engines = profile.attribute("engine").map(|e| e.values.as_slice());
        for (t, track) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
            let is_dynamic = profile.strings.get(track.name).contains("Dynamic");
            let slices = profile.slices_of(TrackId(t as u32));
            let mut busy: Groups<StrId, Moved> = Groups::default();
            let mut twice = lanes::Listed::from(&device.duplicates, slices.start);
            for_each_chunk(slices.len(), &mut |part| {
                for i in part.map(|at| slices.start + at) {
                    let n = device.bytes.get(i).copied().unwrap_or(NeuronDevice::ABSENT);
                    if n == NeuronDevice::ABSENT || twice.has(i) {
                        continue;
                    }
                    let duration = profile.slices.duration[i];
                    out.add(n, duration, SliceId(i as u32), is_dynamic);
                    if let Some(engine) = engines.map(|e| e[i]) {
                        busy.of(engine.0, engine).add(duration, Some((duration, SliceId(i as u32))));
                    }
                }
            });
            for (engine, moved) in busy.all {
                out.engines.entry((roots[t], engine)).or_default().add(moved.busy, moved.longest);
            }
        }
        out
    }

    fn add(&mut self, bytes: u32, duration: i64, slice: SliceId, is_dynamic: bool) {
        self.count += 1;
        self.small.n_unsaturated += u64::from(bytes < 4096);
        if bytes < 2048 {
            self.small.count += 1;
            self.small.n_tiny += u64::from(bytes < 256);
            self.small.lost_ns += duration as f64 * (1.0 - f64::from(bytes) / 2048.0);
            keep_largest(&mut self.small.longest, 3, (duration, slice), |p| p.0);
        } else if bytes < 4096 {
            keep_largest(&mut self.small.longest_unsaturated, 3, (duration, slice), |p| p.0);
        }
        self.has_dynamic |= is_dynamic;
        if is_dynamic && bytes < 512 {
            self.n_tiny_dynamic += 1;
            self.tiny_dynamic.get_or_insert(slice);
        }
    }
}

/// Intervals in which small transfers follow each other closely, those of most first.
fn intervals<'a>(case: &'a Case<'_>) -> impl Iterator<Item = Location> + 'a {
    let small = case.bands().iter().filter(|b| b.kind == BandKind::SmallTransfers);
    let place =
        |n: u64, core: &str, range| Location { label: format!("{} on {core}", text::counted(n, "small transfer")), range, slice: None };
    largest(3, small, |b| b.transfers as i64).into_iter().map(move |b| place(b.transfers, &b.name, b.range))
}

fn average(case: &Case<'_>, packets: &Packets) -> Verdict {
    let Some(size) = case.number("dma_transfer_average_bytes").filter(|b| *b > 0.0) else {
        return Verdict::Missing("the mean size of transfers (only packets are recorded)");
    };
    Verdict::when(size < 32_768.0, || {
        let longest = packets.small.longest.iter().map(|p| case.place(p.1));
        Finding::new(Severity::Warning, "Small transfers").says("Mean", bytes(size)).at(intervals(case).chain(longest)).because(
            "Each transfer has a fixed cost of about 1.3 µs.",
            "Use transfers of 32 KiB or more.",
            "dma_transfer_average_bytes below 32 KiB.",
        )
    })
}

fn small(case: &Case<'_>, packets: &Packets) -> Verdict {
    if packets.count == 0 {
        return Verdict::Missing(NO_SIZES);
    }
    let found = &packets.small;
    let is_small = 2 * found.count > packets.count;
    Verdict::when(is_small || 2 * found.n_unsaturated > packets.count, || {
        let (severity, title) = match () {
            () if 2 * found.n_tiny > packets.count => (Severity::Critical, "Small packets"),
            () if is_small => (Severity::Warning, "Small packets"),
            () => (Severity::Info, "Packets too small for full bandwidth"),
        };
        Finding::new(severity, title)
            .cost(if is_small { found.lost_ns / packets.engines.len().max(1) as f64 } else { 0.0 })
            .says("Below 4 KiB", format!("{} of {}", text::count(found.n_unsaturated), text::count(packets.count)))
            .says("Below 2 KiB", text::count(found.count))
            .says("Below 256 B", text::count(found.n_tiny))
            .at(if is_small { &found.longest } else { &found.longest_unsaturated }.iter().map(|p| case.place(p.1)))
            .because(
                "A packet of less than 2 KiB takes about as long as one of 2 KiB; packets of 4 KiB or more reach full bandwidth.",
                "Widen the free dimension: 512 elements of FP32, 1024 of BF16 are 2 KiB per partition.",
                "More than half of the packets below 4 KiB; cost, where more than half are below 2 KiB = Σ duration × (1 − size ÷ 2 KiB) ÷ DMA engines in use, an estimate.",
            )
    })
}

fn uneven(case: &Case<'_>, packets: &Packets) -> Verdict {
    if packets.engines.is_empty() {
        return Verdict::Missing("transfers with their DMA engines");
    }
    let all = case.facts.hardware_fact("num_dma_engines_per_neuroncore").unwrap_or(N_ENGINES);
    let mut cores: Vec<u32> = packets.engines.keys().map(|k| k.0).collect();
    cores.sort_unstable();
    cores.dedup();
    let of = |core: &u32| {
        let own: Vec<&Moved> = packets.engines.iter().filter(|e| e.0.0 == *core).map(|e| e.1).collect();
        let busiest = own.iter().max_by_key(|m| (m.busy, m.longest.map(|l| l.1))).map(|m| **m).unwrap_or_default();
        (own.len() as f64, busiest, own.iter().map(|m| m.busy as f64).sum::<f64>(), *core)
    };
    // The core that moves most: the others may have nothing to do.
    let Some((n, busiest, sum, core)) = cores.iter().map(of).max_by(|a, b| a.2.total_cmp(&b.2)) else { return Verdict::Quiet };
    let (most, mean) = (busiest.busy as f64, sum / n.max(1.0));
    Verdict::when(mean > 0.0 && (n < all || most > 1.5 * mean), || {
        Finding::new(Severity::Warning, "Uneven load of DMA engines")
            .cost(most - if n < all { sum / all } else { mean })
            .says("Core", case.profile.track_path(TrackId(core)))
            .says("Engines in use", format!("{} of {}", text::count(n as u64), text::count(all as u64)))
            .says("Busiest", nanoseconds(most))
            .says("Mean", nanoseconds(mean))
            .at(busiest.longest.map(|l| case.place(l.1)))
            .because(
                "The slowest DMA engine determines the end of a transfer.",
                "Distribute transfers over all 128 partitions, which map to all engines.",
                "Fewer engines in use than the core has (num_dma_engines_per_neuroncore, else 16), or the busiest above 1.5 × the mean (our ratio), on the core with most bytes; cost = busiest − an even share.",
            )
    })
}

fn transposing(case: &Case<'_>) -> Verdict {
    let Some(found) = case.device().and_then(|d| d.transposing).filter(|t| t.count.1 > 0) else {
        return Verdict::Missing("the transpose mode of transfers (is_transpose_mode in Neuron Explorer's table DmaPacketAggregated)");
    };
    let (mine, all) = (found.bytes.0 as f64, found.bytes.1 as f64);
    Verdict::when(all > 0.0 && mine > 0.1 * all, || {
        Finding::new(Severity::Warning, "Many transposing transfers")
            .says("Share of bytes", percent(mine / all))
            .says("Transfers", format!("{} of {}", text::count(found.count.0), text::count(found.count.1)))
            .says("Sum of durations", nanoseconds(found.time_ns.0 as f64))
            .because(
                "A transposing transfer reaches at most 90% of the bandwidth from HBM and half of it within SBUF.",
                "If the run is memory-bound, load without transposing and transpose on the tensor engine.",
                "Transfers in transpose mode move more than 10% of the bytes (our threshold).",
            )
    })
}

fn tiny(case: &Case<'_>, packets: &Packets) -> Verdict {
    if packets.count == 0 {
        return Verdict::Missing(NO_SIZES);
    }
    if !packets.has_dynamic && case.number("dynamic_dma_packet_percent").is_none_or(|p| p > 0.0) {
        return Verdict::Missing("names of the dynamic DMA queues");
    }
    Verdict::when(packets.n_tiny_dynamic > 100, || {
        let first = packets.tiny_dynamic.map(|slice| case.place(slice));
        let n = text::count(packets.n_tiny_dynamic);
        Finding::new(Severity::Info, "Many tiny dynamic transfers").says("Below 512 B", n).at(intervals(case).chain(first).take(3)).because(
            "Times of so many tiny transfers with run-time descriptors are not recorded reliably.",
            "Use larger transfers; do not rely on the durations of single transfers.",
            "More than 100 packets below 512 B on dynamic queues (our threshold).",
        )
    })
}

/// The longest times in which a core's DMA was busy without a break.
fn stretches_of(case: &Case<'_>, core: &str) -> Vec<Location> {
    let spans = case.busy_dma().iter().filter(|b| b.core == core).flat_map(|b| b.ranges.iter().copied());
    let place =
        |s: (i64, i64)| Location { label: format!("DMA of {core} busy"), range: TimeRange::new(TimeNs(s.0), TimeNs(s.1)), slice: None };
    largest(3, spans, |s| s.1 - s.0).into_iter().map(place).collect()
}

fn slow(case: &Case<'_>, packets: &Packets) -> Verdict {
    let peak = case.facts.hardware_fact("dma_ddr_bandwidth");
    let busiest = case.engines.iter().filter(|e| e.engine == "DMA" && e.busy.0 > 0).max_by_key(|e| e.bytes);
    let (Some(peak), Some(dma)) = (peak, busiest.filter(|_| packets.count > 0)) else {
        return Verdict::Missing("the DMA bandwidth and sizes of transfers");
    };
    let speed = dma.bytes.unwrap_or(0) as f64 / (dma.busy.0 as f64 / 1e9);
    let share = dma.busy.0 as f64 / case.total.max(1.0);
    Verdict::when(share > 0.3 && speed < 0.6 * peak, || {
        Finding::new(Severity::Warning, "DMA busy below its bandwidth")
            .cost(dma.busy.0 as f64 * (1.0 - speed / peak))
            .says("Core", dma.core.clone())
            .says("DMA busy", percent(share))
            .says("Rate while busy", format!("{}, {} of {}", rate(speed), percent(speed / peak), rate(peak)))
            .at(stretches_of(case, &dma.core))
            .because(
                "The transfers take longer than the bandwidth requires.",
                "Use larger packets, more engines and fewer dependent transfers.",
                "DMA busy above 30% (our threshold) and its rate below 60% of dma_ddr_bandwidth; cost = busy × (1 − rate ÷ bandwidth), on the core with most bytes.",
            )
    })
}

fn useless(case: &Case<'_>) -> Verdict {
    let by_bytes = || {
        let read = case.number("hbm_read_bytes").filter(|b| *b > 0.0)?;
        Some((read - case.number("hbm_reload_bytes")?) / read)
    };
    let Some(useful) = case.number("useful_read_percent").or_else(by_bytes) else {
        return Verdict::Missing("useful_read_percent or hbm_reload_bytes");
    };
    Verdict::when(useful < 0.75, || {
        let read = case.number("hbm_read_bytes").unwrap_or(0.0);
        let cost = case.hardware.map_or(0.0, |hw| read * (1.0 - useful) / hw.hbm_bandwidth * 1e9);
        Finding::new(Severity::Warning, "Repeated reads of the same data").cost(cost).says("Useful reads", percent(useful)).because(
            "Reloads use bandwidth needed for new data.",
            "Keep tensors in SBUF until their last use.",
            "Useful reads below 75% (our threshold); cost = the rest ÷ bandwidth.",
        )
    })
}
