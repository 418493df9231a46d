//! How fast operators computed and moved data, and how fast their device could have.

use super::View;
use super::core::NodeTimes;
use super::core::events::NONE;
use super::core::names::operator_name;
use super::ops_rows::python_list;
use super::overview_rows::properties;
use super::work::inputs::Dtype;
use super::work::peaks::{self, Peaks};
use super::work::{CallKey, Family, Gemm, Work, Works};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange, text};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Which calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EfficiencyQuery {
    /// Calls that begin in this range. `None` is the entire trace.
    pub range: Option<TimeRange>,
}

/// Answer to [`EfficiencyQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Efficiency {
    /// By recoverable time, then by kernel time, longest first.
    pub rows: Vec<EfficiencyRow>,
    /// The device that the peaks are of, as its driver names it; empty where it is not recorded.
    pub device: String,
    /// Where the peaks are published; empty where the device is not in the table.
    pub peaks_source: String,
    /// Operations of all calls that no other modelled call contains.
    pub flops: u64,
    /// Kernel time of these calls.
    pub modelled: DurationNs,
    /// Kernel time of all operators.
    pub device_time: DurationNs,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// What limits a call at its best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Operations.
    Compute,
    /// Bytes.
    Memory,
}

/// Calls of one operator with equal inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EfficiencyRow {
    /// `aten::addmm`.
    pub name: String,
    /// How its work is counted.
    pub family: Family,
    /// Input shapes.
    pub shape: String,
    /// Input types.
    pub types: String,
    /// The type it computes in.
    pub dtype: Dtype,
    /// Sizes of a matrix product.
    pub gemm: Option<Gemm>,
    /// Calls with kernel time.
    pub calls: u64,
    /// Whether another modelled call contains it: not in the totals.
    pub is_inner: bool,
    /// Kernel time of the calls and what they contain.
    pub kernel_time: DurationNs,
    /// Operations of one call.
    pub flops: u64,
    /// Bytes that one call must move.
    pub bytes: u64,
    /// Operations for each byte.
    pub flops_per_byte: f64,
    /// Mean of the calls' rates, TFLOP/s.
    pub tflops: f64,
    /// Mean of the calls' rates, TB/s.
    pub tb_per_s: f64,
    /// Share (0 to 1) of the device's peak; `None` where that is not known.
    pub peak_share: Option<f64>,
    /// Share (0 to 1) of the device's memory bandwidth; more than 1 where data stayed in caches.
    pub bandwidth_share: Option<f64>,
    /// What limits it at its best.
    pub bound: Option<Bound>,
    /// Kernel time above the roof: time − the longer of operations / peak and bytes / bandwidth.
    pub recoverable: Option<DurationNs>,
}

#[derive(Default)]
struct Sum {
    calls: u64,
    time: i64,
    tflops: f64,
    tb_per_s: f64,
}

/// How fast the modelled operators were.
pub fn efficiency(view: &View<'_>, query: &EfficiencyQuery) -> Efficiency {
    let (trees, slices) = (&view.model.trees, &view.profile.slices);
    let times = NodeTimes::new(view.profile, view.model);
    let mut works = Works::default();
    let mut is_modelled = vec![false; trees.len()];
    let mut sums: FxHashMap<(CallKey, bool), (Work, Sum)> = FxHashMap::default();
    let mut out = Efficiency::default();
    // Parents stand before their children.
    for node in 0..trees.len() {
        let parent = trees.parent[node];
        let is_inner = parent != NONE && is_modelled[parent as usize];
        is_modelled[node] = is_inner;
        let slice = trees.slice[node];
        if slice == NO_SLICE || !view.model.is_operator(view.profile, node as u32) {
            continue;
        }
        let start = TimeNs(slices.start[slice as usize]);
        if query.range.is_some_and(|r| start < r.start || r.end <= start) {
            continue;
        }
        out.device_time.0 = out.device_time.0.saturating_add(times.device_self[node]);
        let time = times.device_total[node];
        let Some((key, work)) = Works::key(view, slice).and_then(|key| Some((key, works.of(view, key)?))).filter(|_| time > 0) else {
            continue;
        };
        is_modelled[node] = true;
        if !is_inner {
            out.modelled.0 = out.modelled.0.saturating_add(time);
            out.flops = out.flops.saturating_add(work.flops);
        }
        let (_, sum) = sums.entry((key, is_inner)).or_insert_with(|| (work, Sum::default()));
        sum.calls += 1;
        sum.time = sum.time.saturating_add(time);
        // Operations a nanosecond are 10⁹ a second; 10³ of them are a TFLOP/s.
        sum.tflops += work.flops as f64 / time as f64 / 1e3;
        sum.tb_per_s += work.bytes as f64 / time as f64 / 1e3;
    }
    let peaks = device(view, &mut out);
    out.rows = sums.iter().map(|(&(key, is_inner), (work, sum))| row(view, key, is_inner, work, sum, peaks.as_ref())).collect();
    out.rows.order_by(|a, b| {
        (b.recoverable, b.kernel_time, &a.name, &a.shape, &a.types).cmp(&(a.recoverable, a.kernel_time, &b.name, &b.shape, &b.types))
    });
    notes(view, &mut out);
    out
}

/// The peaks of the device that ran the most kernels.
fn device(view: &View<'_>, out: &mut Efficiency) -> Option<Peaks> {
    let gpu = view.model.gpus.iter().max_by_key(|g| g.n_kernels)?;
    out.device = properties(view, gpu.id).map(|d| d.name.clone()).unwrap_or_default();
    let peaks = peaks::of_device(&out.device)?;
    out.peaks_source = peaks.source.into();
    Some(peaks)
}

fn row(view: &View<'_>, key: CallKey, is_inner: bool, work: &Work, sum: &Sum, peaks: Option<&Peaks>) -> EfficiencyRow {
    let text = |id: StrId| view.profile.strings.get(id);
    let n = sum.calls.max(1) as f64;
    let (tflops, tb_per_s) = (sum.tflops / n, sum.tb_per_s / n);
    let peak = peaks.and_then(|p| p.tflops(work));
    let bandwidth = peaks.map(|p| p.bandwidth / 1e3);
    // Nanoseconds of one call at the roof.
    let roofs = peak.zip(bandwidth).map(|(peak, bandwidth)| (work.flops as f64 / peak / 1e3, work.bytes as f64 / bandwidth / 1e3));
    let recoverable = roofs.map(|(compute, memory)| {
        let best = (compute.max(memory) * sum.calls as f64).ceil() as i64;
        DurationNs(sum.time.saturating_sub(best).max(0))
    });
    EfficiencyRow {
        name: operator_name(text(key.0)).into(),
        family: work.family,
        shape: python_list(text(key.1)),
        types: python_list(text(key.2)),
        dtype: work.dtype,
        gemm: work.gemm,
        calls: sum.calls,
        is_inner,
        kernel_time: DurationNs(sum.time),
        flops: work.flops,
        bytes: work.bytes,
        flops_per_byte: work.flops as f64 / work.bytes.max(1) as f64,
        tflops,
        tb_per_s,
        peak_share: peak.map(|peak| tflops / peak),
        bandwidth_share: bandwidth.map(|bandwidth| tb_per_s / bandwidth),
        bound: roofs.map(|(compute, memory)| if compute >= memory { Bound::Compute } else { Bound::Memory }),
        recoverable,
    }
}

fn notes(view: &View<'_>, out: &mut Efficiency) {
    if view.torch.inputs.is_empty() {
        out.notes.push("Shapes and types of operators are not recorded in this trace: record it with `record_shapes=True`.".into());
        return;
    }
    if out.device_time.0 > 0 {
        let share = out.modelled.0 as f64 / out.device_time.0 as f64;
        out.notes.push(format!("The models cover {} of the kernel time of operators.", text::percent(share)));
    }
    if out.peaks_source.is_empty() {
        let device =
            if out.device.is_empty() { "the device is not recorded".into() } else { format!("`{}` is not in the table", out.device) };
        out.notes.push(format!("No peaks are known, so shares of the peak are not available: {device}."));
    }
    out.notes.extend(super::unattributed::sentences(&super::unattributed::unattributed(view, None)));
}
