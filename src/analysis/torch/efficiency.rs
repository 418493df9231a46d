//! How fast operators computed and moved data, and how fast their device could have.

use super::core::events::{NONE, NodeKind};
use super::core::names::operator_name;
use super::core::{NodeTimes, class::Class};
use super::overview_rows::properties;
use super::python_list::python_list;
use super::work::inputs::Dtype;
pub use super::work::peaks::OwnPeaks;
use super::work::peaks::{self, Peaks};
use super::work::{self, CallKey, Family, Gemm, Roof, Work, Works, layout};
use super::{View, inference, unattributed};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, text};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use super::work::Bound;

/// Which calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EfficiencyQuery {
    /// Calls that begin in this range. `None` is the entire trace.
    pub range: Option<TimeRange>,
    /// Calls inside modules of this name only.
    pub module: Option<String>,
    /// Peaks to use instead of the published ones.
    pub peaks: Option<OwnPeaks>,
}

/// Answer to [`EfficiencyQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Efficiency {
    /// Ordered by recoverable time, then by kernel time, longest first.
    pub rows: Vec<EfficiencyRow>,
    /// The device that the peaks are of, as its driver names it; empty where it is not recorded.
    pub device: String,
    /// The peaks that are used; `None` where none are known.
    pub peaks: Option<KnownPeaks>,
    /// Operations of all calls that no other modelled call contains.
    pub flops: u64,
    /// Kernel time of these calls.
    pub modelled: DurationNs,
    /// Kernel time above the roof of these calls; `None` where no call has a roof.
    pub recoverable: Option<DurationNs>,
    /// Kernel time of all operators.
    pub device_time: DurationNs,
    /// Operators without a model: (name, kernel time that no modelled call contains), longest first; at most [`WITHOUT_MODEL_MAX`].
    pub without_model: Vec<(String, DurationNs)>,
    /// Device time that belongs to no operator, in the same range.
    pub unattributed: DurationNs,
    /// Model FLOPs utilization (0 to 1) of the time from the first to the last device work in the range: the time that matrix operations take at the peak
    /// of their types, over that time. `None` without peaks, and for a module.
    pub mfu: Option<f64>,
    /// Names of modules in the trace, by kernel time of their modelled calls, longest first; at most [`MODULES_MAX`].
    pub modules: Vec<String>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// Modules that an answer lists.
pub const MODULES_MAX: usize = 200;
/// Operators without a model that an answer lists.
pub const WITHOUT_MODEL_MAX: usize = 5;
/// Kernels that a row lists.
const KERNELS_MAX: usize = 3;

/// The peaks that shares are of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownPeaks {
    /// What the device is called in the table.
    pub device: String,
    /// `published dense peak`, or that the user entered them.
    pub label: String,
    /// Document of the values.
    pub source: String,
    /// (type, TFLOP/s).
    pub tflops: Vec<(String, f64)>,
    /// GB/s.
    pub bandwidth: Option<f64>,
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
    /// Layout of its operands, from the name of its kernel; `None` where that does not say it.
    pub layout: Option<String>,
    /// Its kernels: (name, runs, time), longest first; the longest three.
    pub kernels: Vec<(String, u64, DurationNs)>,
    /// Calls with kernel time.
    pub calls: u64,
    /// Whether another modelled call contains it: not in the totals.
    pub is_inner: bool,
    /// Why its work may be less than counted; `None` where it is exact.
    pub upper_bound: Option<String>,
    /// Kernel time of the calls and what they contain.
    pub kernel_time: DurationNs,
    /// Operations of one call, on the average.
    pub flops: u64,
    /// Bytes that one call must move, on the average.
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
    /// Its longest call by kernel time.
    pub longest: SliceId,
    /// Colour slot of its name.
    pub colour: u16,
}

/// A call with a model and kernel time.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its node in the trees.
    pub node: u32,
    /// Its slice.
    pub slice: u32,
    /// Name, shapes, types, concrete inputs.
    pub key: CallKey,
    /// Its work.
    pub work: Work,
    /// Kernel time, ns.
    pub time: i64,
    /// Whether another modelled call contains it.
    pub is_inner: bool,
}

/// All modelled calls, parents before their children.
pub fn calls(view: &View<'_>, times: &NodeTimes, mut f: impl FnMut(Call)) {
    let trees = &view.model.trees;
    let mut works = Works::new(view, inference::step_lengths(view));
    let mut is_modelled = vec![false; trees.len()];
    for node in 0..trees.len() {
        let parent = trees.parent[node];
        let is_inner = parent != NONE && is_modelled[parent as usize];
        is_modelled[node] = is_inner;
        let (slice, time) = (trees.slice[node], times.device_total[node]);
        if slice == NO_SLICE || time <= 0 || !view.model.is_operator(view.profile, node as u32) {
            continue;
        }
        let launched = || launch_time(view, slice, node as u32);
        if let Some((key, work)) = works.key(slice).and_then(|key| Some((key, works.of(key, launched)?))) {
            if work.gemm.is_some() && is_counted_inside(view, key.0, node) {
                continue;
            }
            is_modelled[node] = true;
            f(Call { node: node as u32, slice, key, work, time, is_inner });
        }
    }
}

/// Whether a call is of a composite operator and another operator in it is recorded.
fn is_counted_inside(view: &View<'_>, name: StrId, node: usize) -> bool {
    let mut inside = (node as u32 + 1)..view.model.trees.end[node];
    work::is_composite(operator_name(view.profile.strings.get(name))) && inside.any(|n| view.model.is_operator(view.profile, n))
}

/// When the host launched what a call ran: its own start, and for a graph replay that of the launch of its first kernel.
pub fn launched_at(view: &View<'_>, call: &Call) -> Option<i64> {
    launch_time(view, call.slice, call.node)
}

/// The same for a slice and its node.
pub(super) fn launch_time(view: &View<'_>, slice: u32, node: u32) -> Option<i64> {
    let starts = &view.profile.slices.start;
    if view.model.class.get(slice as usize) != Some(&Class::Replayed) {
        return starts.get(slice as usize).copied();
    }
    let launches = work_below(view, node).map(|work| view.model.launch[work as usize]);
    launches.filter(|l| *l != NO_SLICE).map(|l| starts[l as usize]).min()
}

/// Positions in `Events::work` of the device work of a node and what it contains.
pub fn work_below<'a>(view: &View<'a>, node: u32) -> impl Iterator<Item = u32> + 'a {
    let trees = &view.model.trees;
    let (first, end) = (trees.work.partition_point(|w| w.0 < node), trees.end[node as usize]);
    trees.work[first..].iter().take_while(move |w| w.0 < end).map(|w| w.1)
}

struct Sum {
    work: Work,
    calls: u64,
    flops: u64,
    bytes: u64,
    /// Bound of all calls in sequence.
    roof: Roof,
    /// Time at the roof.
    best_ns: Option<f64>,
    time: i64,
    tflops: f64,
    tb_per_s: f64,
    kernels: FxHashMap<StrId, (u64, i64)>,
    longest: (i64, u32),
}

/// How fast the modelled operators were.
pub fn efficiency(view: &View<'_>, query: &EfficiencyQuery) -> Efficiency {
    let slices = &view.profile.slices;
    let times = NodeTimes::new(view.profile, view.model);
    let is_in = |slice: u32| {
        let start = TimeNs(slices.start[slice as usize]);
        query.range.is_none_or(|r| r.start <= start && start < r.end)
    };
    let modules = Modules::new(view, query.module.as_deref());
    let (device, peaks) = device_peaks(view, query.peaks);
    let mut out = Efficiency { device, peaks: peaks.as_ref().map(known), ..Efficiency::default() };
    let mut sums: FxHashMap<(CallKey, bool), Sum> = FxHashMap::default();
    let mut module_times: FxHashMap<StrId, i64> = FxHashMap::default();
    let mut matrix = (peaks.is_some()).then_some(0.0);
    let mut is_covered = vec![false; view.model.trees.len()];
    calls(view, &times, |call| {
        is_covered[call.node as usize] = true;
        if !is_in(call.slice) {
            return;
        }
        if let (Some(module), false) = (modules.of(call.node), call.is_inner) {
            *module_times.entry(module).or_default() += call.time;
        }
        if !modules.is_wanted(call.node) {
            return;
        }
        if !call.is_inner {
            out.modelled.0 = out.modelled.0.saturating_add(call.time);
            out.flops = out.flops.saturating_add(call.work.flops);
            if call.work.is_matrix {
                matrix = matrix.zip(peaks.and_then(|p| p.roof(&call.work).compute_ns)).map(|(sum, ns)| sum + ns);
            }
        }
        let sum = sums.entry((call.key, call.is_inner)).or_insert_with(|| Sum {
            work: call.work,
            calls: 0,
            flops: 0,
            bytes: 0,
            roof: Roof { compute_ns: Some(0.0), memory_ns: Some(0.0) },
            best_ns: Some(0.0),
            time: 0,
            tflops: 0.0,
            tb_per_s: 0.0,
            kernels: FxHashMap::default(),
            longest: (0, call.slice),
        });
        sum.calls += 1;
        sum.flops = sum.flops.saturating_add(call.work.flops);
        sum.bytes = sum.bytes.saturating_add(call.work.bytes);
        let roof = peaks.map_or(Roof::default(), |p| p.roof(&call.work));
        sum.roof = sum.roof.and(roof);
        sum.best_ns = sum.best_ns.zip(roof.best_ns()).map(|(all, best)| all + best);
        sum.time = sum.time.saturating_add(call.time);
        // Operations a nanosecond are 10⁹ a second; 10³ of them are a TFLOP/s.
        sum.tflops += call.work.flops as f64 / call.time as f64 / 1e3;
        sum.tb_per_s += call.work.bytes as f64 / call.time as f64 / 1e3;
        if call.time > sum.longest.0 {
            sum.longest = (call.time, call.slice);
        }
        for work in work_below(view, call.node) {
            let slice = view.model.events.work[work as usize] as usize;
            let kernel = sum.kernels.entry(slices.name[slice]).or_default();
            *kernel = (kernel.0 + 1, kernel.1.saturating_add(slices.duration[slice]));
        }
    });
    let trees = &view.model.trees;
    let mut without_model: FxHashMap<StrId, i64> = FxHashMap::default();
    for node in 0..trees.len() {
        is_covered[node] |= is_covered.get(trees.parent[node] as usize).copied().unwrap_or(false);
        let (slice, time) = (trees.slice[node], times.device_self[node]);
        if slice != NO_SLICE && is_in(slice) && modules.is_wanted(node as u32) && view.model.is_operator(view.profile, node as u32) {
            out.device_time.0 = out.device_time.0.saturating_add(time);
            if !is_covered[node] && time > 0 {
                let sum = without_model.entry(slices.name[slice as usize]).or_default();
                *sum = sum.saturating_add(time);
            }
        }
    }
    let mut longest: Vec<(StrId, i64)> = without_model.into_iter().collect();
    longest.order_by_key(|(name, time)| (std::cmp::Reverse(*time), *name));
    let of = |(name, time): &(StrId, i64)| (operator_name(view.profile.strings.get(*name)).to_string(), DurationNs(*time));
    out.without_model = longest.iter().take(WITHOUT_MODEL_MAX).map(of).collect();
    out.mfu = matrix.zip(span(view, query.range)).filter(|_| query.module.is_none() && out.flops > 0).map(|(ns, span)| ns / span as f64);
    out.rows = sums.iter().map(|(&(key, is_inner), sum)| row(view, key, is_inner, sum, peaks.as_ref())).collect();
    out.rows.order_by(|a, b| {
        (b.recoverable, b.kernel_time, &a.name, &a.shape, &a.types).cmp(&(a.recoverable, a.kernel_time, &b.name, &b.shape, &b.types))
    });
    let recoverable = out.rows.iter().filter(|r| !r.is_inner).filter_map(|r| r.recoverable);
    out.recoverable = recoverable.reduce(|a, b| DurationNs(a.0.saturating_add(b.0)));
    let mut by_time: Vec<(StrId, i64)> = module_times.into_iter().collect();
    by_time.order_by_key(|(name, time)| (std::cmp::Reverse(*time), *name));
    out.modules = by_time.iter().take(MODULES_MAX).map(|m| view.profile.strings.get(m.0).into()).collect();
    notes(view, query, &mut out);
    out
}

/// From the first to the last device work that begins in the range, ns; `None` without any.
fn span(view: &View<'_>, range: Option<TimeRange>) -> Option<i64> {
    if let Some(range) = range {
        return Some(range.duration().0).filter(|&n| n > 0);
    }
    let slices = &view.profile.slices;
    let work = || view.model.events.work.iter().map(|&w| w as usize);
    let (start, end) = (work().map(|w| slices.start[w]).min()?, work().map(|w| slices.end(w)).max()?);
    Some(end.saturating_sub(start)).filter(|&n| n > 0)
}

/// The device that ran the most kernels, and its peaks; `own` replaces the published ones.
pub(super) fn device_peaks(view: &View<'_>, own: Option<OwnPeaks>) -> (String, Option<Peaks>) {
    let gpu = view.model.gpus.iter().max_by_key(|g| g.n_kernels);
    // ROCm numbers devices of kernels by its agents, not by the list: devices of one name need no number.
    let listed = &view.torch.devices;
    let only = listed.first().filter(|first| listed.iter().all(|d| d.name == first.name));
    let device = gpu.and_then(|gpu| properties(view, gpu.id).or(only)).map(|d| d.name.clone()).unwrap_or_default();
    let peaks = own.map(Peaks::from).or_else(|| peaks::of_device(&device));
    (device, peaks)
}

fn known(peaks: &Peaks) -> KnownPeaks {
    KnownPeaks {
        device: peaks.device.into(),
        label: peaks::LABEL.into(),
        source: peaks.source.into(),
        tflops: peaks.values().into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        bandwidth: peaks.bandwidth,
    }
}

/// The innermost module of each node, and whether one of the wanted name is around it.
struct Modules {
    of: Vec<StrId>,
    is_wanted: Option<Vec<bool>>,
}

impl Modules {
    fn new(view: &View<'_>, wanted: Option<&str>) -> Modules {
        let trees = &view.model.trees;
        let mut of = vec![StrId(u32::MAX); trees.len()];
        let mut is_wanted = wanted.map(|_| vec![false; trees.len()]);
        for node in 0..trees.len() {
            let parent = trees.parent[node] as usize;
            let slice = trees.slice[node];
            let is_module = slice != NO_SLICE && matches!(trees.kind[node], NodeKind::Module | NodeKind::LightningModule);
            let name = is_module.then(|| view.profile.slices.name[slice as usize]);
            of[node] = name.or_else(|| of.get(parent).copied()).unwrap_or(StrId(u32::MAX));
            if let (Some(flags), Some(wanted)) = (&mut is_wanted, wanted) {
                flags[node] = flags.get(parent).copied().unwrap_or(false) || name.is_some_and(|n| view.profile.strings.get(n) == wanted);
            }
        }
        Modules { of, is_wanted }
    }

    fn of(&self, node: u32) -> Option<StrId> {
        self.of.get(node as usize).copied().filter(|name| name.0 != u32::MAX)
    }

    fn is_wanted(&self, node: u32) -> bool {
        self.is_wanted.as_ref().is_none_or(|flags| flags.get(node as usize).copied().unwrap_or(false))
    }
}

fn row(view: &View<'_>, key: CallKey, is_inner: bool, sum: &Sum, peaks: Option<&Peaks>) -> EfficiencyRow {
    let text = |id: StrId| view.profile.strings.get(id);
    let (n, work) = (sum.calls.max(1) as f64, &sum.work);
    let (tflops, tb_per_s) = (sum.tflops / n, sum.tb_per_s / n);
    let recoverable = sum.best_ns.map(|best| DurationNs(sum.time.saturating_sub(best.ceil() as i64).max(0)));
    // Lengths of sequences differ from step to step: a call on the average.
    let (flops, bytes) = (sum.flops / sum.calls.max(1), sum.bytes / sum.calls.max(1));
    let mut kernels: Vec<(String, u64, DurationNs)> =
        sum.kernels.iter().map(|(name, (n, time))| (text(*name).to_string(), *n, DurationNs(*time))).collect();
    kernels.order_by(|a, b| (b.2, &a.0).cmp(&(a.2, &b.0)));
    let layout = work.gemm.and_then(|_| kernels.iter().find_map(|k| layout::of_kernel(&k.0)));
    kernels.truncate(KERNELS_MAX);
    let name = operator_name(text(key.0));
    EfficiencyRow {
        name: name.into(),
        upper_bound: work::upper_bound(name, work.family).map(String::from),
        family: work.family,
        shape: python_list(text(key.1)),
        types: python_list(text(key.2)),
        dtype: work.dtype,
        gemm: work.gemm,
        layout: layout.map(String::from),
        kernels,
        calls: sum.calls,
        is_inner,
        kernel_time: DurationNs(sum.time),
        flops,
        bytes,
        flops_per_byte: sum.flops as f64 / sum.bytes.max(1) as f64,
        tflops,
        tb_per_s,
        peak_share: peaks.and_then(|p| p.tflops(work)).filter(|_| sum.flops > 0).map(|peak| tflops / peak),
        bandwidth_share: peaks.and_then(|p| p.bandwidth).map(|bandwidth| tb_per_s * 1e3 / bandwidth),
        bound: sum.roof.bound(),
        recoverable,
        longest: SliceId(sum.longest.1),
        colour: view.colour(key.0),
    }
}

fn notes(view: &View<'_>, query: &EfficiencyQuery, out: &mut Efficiency) {
    let without = unattributed::unattributed(view, query.range);
    out.unattributed = without.iter().fold(DurationNs(0), |sum, u| DurationNs(sum.0.saturating_add(u.time.0)));
    if view.torch.inputs.is_empty() {
        out.notes.push("Shapes and types of operators are not recorded in this trace: record it with `record_shapes=True`.".into());
    } else if out.device_time.0 > 0 {
        let share = |time: DurationNs| text::percent(time.0 as f64 / out.device_time.0 as f64);
        let of = |(name, time): &(String, DurationNs)| match work::missing(name) {
            Some(why) => format!("`{name}` ({}: {why})", share(*time)),
            None => format!("`{name}` ({})", share(*time)),
        };
        let without: Vec<String> = out.without_model.iter().take(3).map(of).collect();
        let most = if without.is_empty() { String::new() } else { format!(" Without a model: {}.", without.join(", ")) };
        out.notes.push(format!("The models cover {} of the kernel time of operators.{most}", share(out.modelled)));
    }
    let mut bounds: Vec<(&str, &str)> = out.rows.iter().filter_map(|r| Some((r.name.as_str(), r.upper_bound.as_deref()?))).collect();
    bounds.order();
    bounds.dedup();
    let bounds: Vec<String> = bounds.iter().map(|(name, why)| format!("FLOPs and bytes of `{name}` are upper bounds: {why}.")).collect();
    out.notes.extend(bounds);
    if out.peaks.is_none() {
        let device = if out.device.is_empty() {
            "the name of the device is not recorded in this trace".into()
        } else {
            format!("`{}` is not in the table of published dense peaks", out.device)
        };
        out.notes.push(format!("No peaks are known, so shares of the peak are not available: {device}. Enter the peaks of the device."));
    }
    out.notes.extend(unattributed::sentences(&without));
}
