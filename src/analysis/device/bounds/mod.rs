//! What bounds a run: what it could reach per physical core if one kind of overhead went away, and where its time went without remainder.
//!
//! The formulas are those of AWS's published method for NKI kernels, checked on real runs. [`parts`] cuts the time, [`ladders`] orders the bounds.

mod answer;
pub mod evidence;
pub mod ladders;
pub mod regions;
pub mod rows;
pub mod time_parts;

pub use answer::{Bounds, BoundsQuery, CoreBounds, OpcodeTime};
pub use evidence::{Evidence, EvidenceQuery, EvidenceRow};
pub use ladders::{Bound, Family, Gap, GapKind, Ladder, Step};
pub use regions::{Region, RegionWindowsQuery, Regions, RegionsQuery};
pub use time_parts::{ExclusiveTime, Overlap, Part};

use crate::analysis::combinations::{MOST_SETS, combinations};
use crate::analysis::device::cells;
use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::analysis::device::waiting::gaps;
use crate::analysis::spans;
use crate::base::{DurationNs, TrackId, text};
use crate::model::{Domain, NeuronDevice, Profile};
use ladders::Times;
use rows::{CoreRows, Product};

/// Bounds, exclusive times, overlaps and waits of every physical core.
pub fn bounds(profile: &Profile, query: &BoundsQuery) -> Bounds {
    bounds_of(profile, query, &rows::rows_of(profile, query.range))
}

/// The same for the rows of the range, which many answers share.
pub fn bounds_of(profile: &Profile, query: &BoundsQuery, rows: &[CoreRows]) -> Bounds {
    let range = query.range.unwrap_or_else(|| gaps::whole(profile));
    let mut out = Bounds { range, is_run: query.range.is_none_or(|r| gaps::holds_run(profile, r)), ..Bounds::default() };
    let Domain::NeuronDevice(device) = &profile.domain else { return out };
    let facts = MetricSource::of(profile);
    out.dma_bandwidth = facts.hardware_fact("dma_ddr_bandwidth");
    out.peak_flops = facts.core_flops();
    out.necessary_bytes = necessary_bytes(profile, &facts);
    let (has_dma, has_sizes) = profile.has_transfers(device);
    let given = BoundsContext { profile, device, query, has_dma, has_sizes, clock_ghz: facts.tensor_clock_ghz() };
    out.cores = rows.iter().map(|core| core_bounds(&given, core, &out)).collect();
    out.notes = notes(&given, rows, &out);
    out
}

/// What a core's bounds are made of besides its rows.
struct BoundsContext<'a> {
    profile: &'a Profile,
    device: &'a NeuronDevice,
    query: &'a BoundsQuery,
    has_dma: bool,
    has_sizes: bool,
    clock_ghz: Option<f64>,
}

impl BoundsContext<'_> {
    fn has_products(&self) -> bool {
        self.device.elements.is_recorded()
    }
}

/// Bytes of inputs, outputs and weights, from the file's summary or its table of tensors.
fn necessary_bytes(profile: &Profile, facts: &MetricSource<'_>) -> Option<u64> {
    let recorded = facts.number("inputs_outputs_weights_size_bytes").filter(|b| *b > 0.0);
    recorded.map(|b| b as u64).or_else(|| {
        let table = cells::table(profile, &["TensorInfo", "neff_node"])?;
        let columns = cells::columns(table, [&["type"], &["size"]]);
        let is_necessary = |kind: &str| ["IN", "OUT", "WEIGHT"].contains(&kind);
        let size = |row: &Vec<_>| cells::text(row, columns[0]).filter(|k| is_necessary(k)).and_then(|_| cells::count(row, columns[1]));
        table.rows.iter().filter_map(size).reduce(u64::saturating_add).filter(|b| *b > 0)
    })
}

fn core_bounds(given: &BoundsContext<'_>, core: &CoreRows, run: &Bounds) -> CoreBounds {
    let sum = |of: &dyn Fn(&Product) -> u64| given.has_products().then(|| core.products.iter().map(of).fold(0, u64::saturating_add));
    let flops = sum(&Product::flops);
    let useful_flops = sum(&|p| if p.is_transpose { 0 } else { p.flops() });
    let mut busy = core.sets.each_ref().map(|set| Some(DurationNs(spans::length(set))));
    if !given.has_dma {
        busy[Part::Dma.place()] = None;
    }
    let moved_bytes = given.has_sizes.then_some(core.moved_bytes);
    let at_peak = |amount: Option<u64>, rate: Option<f64>| Some(amount? as f64 / rate? * 1e9);
    // What a part of the run needs at least is not known; a core that moves less than all tensors does not move all of them.
    let necessary = run.necessary_bytes.zip(moved_bytes).filter(|_| run.is_run).map(|(all, moved)| all.min(moved));
    let times = Times {
        total: run.range.duration().0 as f64,
        busy: busy.map(|b| b.map(|b| b.0 as f64)),
        memory_ideal: at_peak(moved_bytes, run.dma_bandwidth),
        memory_no_reloads: at_peak(necessary, run.dma_bandwidth),
        compute_ideal: at_peak(flops, run.peak_flops),
        compute_useful: at_peak(useful_flops, run.peak_flops),
    };
    let data: Vec<&(String, spans::Ranges)> = core.queue_types.iter().filter(|q| q.0 != rows::FETCH).take(MOST_SETS).collect();
    let sets: Vec<&[(i64, i64)]> = data.iter().map(|q| q.1.as_slice()).collect();
    let all = combinations(&time_parts::views(&core.sets), run.range);
    let names = |bits: u32| data.iter().enumerate().filter(|q| bits & (1 << q.0) != 0).map(|q| q.1.0.clone()).collect();
    CoreBounds {
        core: given.profile.track_path(TrackId(core.root)),
        busy,
        ladders: times.ladders(),
        bottleneck: times.bottleneck(),
        moved_bytes,
        moves: core.moves,
        flops,
        useful_flops,
        profiler_flops: sum(&Product::profiler_flops),
        excess_interval_ns: given.clock_ghz.and_then(|clock| excess_interval_ns(&core.products, clock)),
        queue_types: core.queue_types.iter().map(|(name, set)| (name.clone(), DurationNs(spans::length(set)))).collect(),
        exclusive: time_parts::exclusive(&all, &time_parts::order(&given.query.order)),
        overlaps: time_parts::overlaps(&all),
        dma_states: if given.has_dma {
            combinations(&sets, run.range).into_iter().map(|(bits, t)| (names(bits), t)).collect()
        } else {
            Vec::new()
        },
        opcodes: core.opcodes.clone(),
    }
}

/// How much later products start than the Tensor engine could start them, nanoseconds: for each the start of the next one, less its own start and its
/// passes × columns at the clock. `None` where the columns of the products are not recorded.
fn excess_interval_ns(products: &[Product], clock_ghz: f64) -> Option<f64> {
    if products.iter().any(|p| p.columns.is_none()) {
        return None;
    }
    let late = |pair: &[Product]| {
        let ideal = f64::from(pair[0].half_passes) / 2.0 * f64::from(pair[0].columns.unwrap_or(0)) / clock_ghz;
        (pair[1].start.saturating_sub(pair[0].start) as f64 - ideal).max(0.0)
    };
    Some(products.windows(2).map(late).sum())
}

fn notes(given: &BoundsContext<'_>, rows: &[CoreRows], found: &Bounds) -> Vec<String> {
    let mut out = Vec::new();
    let mut note = |is_so: bool, text: String| {
        if is_so {
            out.push(text);
        }
    };
    note(rows.is_empty(), "Bounds need instructions: this file has none.".into());
    note(
        !given.has_dma && !rows.is_empty(),
        "The memory bounds need DMA transfers: capture with `NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1` set in the environment.".into(),
    );
    note(
        given.has_dma && found.dma_bandwidth.is_none(),
        "The memory bound at peak bandwidth needs the DMA bandwidth of the instance, which this file does not record.".into(),
    );
    note(
        given.has_dma && found.necessary_bytes.is_none(),
        "The bound without reloads needs the sizes of inputs, outputs and weights: open the NEFF together with the trace.".into(),
    );
    note(
        given.has_dma && !found.is_run && found.necessary_bytes.is_some(),
        "The bound without reloads is only known for the entire run.".into(),
    );
    note(
        !given.has_products() && !rows.is_empty(),
        "The compute bounds at peak rate need the operands of matrix products, which this file does not record.".into(),
    );
    note(
        given.has_products() && found.peak_flops.is_none(),
        "The compute bounds at peak rate need the size and clock of the Tensor engine, which this file does not record.".into(),
    );
    let n_untyped = rows.iter().flat_map(|r| &r.products).filter(|p| !p.is_typed).count() as u64;
    note(n_untyped > 0, format!("The type of {} is not recorded: they count as BF16.", text::counted(n_untyped, "matrix product")));
    let (ours, profiler) = found
        .cores
        .iter()
        .fold((0u64, 0u64), |sum, c| (sum.0.saturating_add(c.flops.unwrap_or(0)), sum.1.saturating_add(c.profiler_flops.unwrap_or(0))));
    note(
        ours != profiler,
        format!(
            "FP32 products with `fp32_mode=LOW_HIGH` take two passes, as their intervals show: {} FLOPs (BF16-equivalent). The profiler counts four passes: {} FLOPs.",
            text::count(ours),
            text::count(profiler)
        ),
    );
    let n_unreported = rows.iter().map(|r| r.unreported).sum();
    note(
        n_unreported > 0,
        format!(
            "Instruction fetches that neuron-profile excludes from its tables ({}) are not counted here, so that each source of a run has the same \
             bounds; the timeline shows them.",
            text::count(n_unreported)
        ),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_start_late_by_what_the_engine_did_not_need() {
        let product = |start, columns, half_passes| Product {
            start,
            slice: 0,
            elements: 0,
            columns: Some(columns),
            half_passes,
            profiler_half_passes: 8,
            is_transpose: false,
            is_typed: true,
        };
        // 2 passes × 120 columns at 2.4 GHz are 100 ns.
        let all = [product(0, 120, 4), product(130, 120, 4), product(230, 240, 2), product(300, 1, 2)];
        assert_eq!(excess_interval_ns(&all, 2.4), Some(30.0));
        assert_eq!(excess_interval_ns(&[], 2.4), Some(0.0));
        let unknown = Product { columns: None, ..all[0] };
        assert_eq!(excess_interval_ns(&[unknown], 2.4), None);
    }
}
