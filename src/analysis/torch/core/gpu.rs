//! Values of each device: utilization, multiprocessor efficiency, occupancy.

use super::class::Class;
use super::link::Sources;
use crate::analysis::spans::{Ranges, length_in, union};
use crate::base::Order as _;
use crate::base::for_each_chunk;
use crate::base::radix_sort::order_many;
use crate::model::torch::{ABSENT, Kernel};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Estimated multiprocessor use from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    /// Above 0, at most 1.
    pub value: f64,
}

/// One device.
#[derive(Debug, Default)]
pub struct Gpu {
    /// Its id.
    pub id: u32,
    /// When a kernel ran.
    pub busy: Ranges,
    /// Multiprocessor use; empty when no kernel records its blocks.
    pub use_of_sms: Vec<Segment>,
    /// Kernels with occupancy: start, end, percent.
    pub occupancy: Vec<(i64, i64, f64)>,
    /// Kernels on it.
    pub n_kernels: u64,
}

impl Gpu {
    /// With room for `n` kernels.
    fn with_room(id: u32, n: usize) -> Self {
        Gpu { id, busy: Vec::with_capacity(n), occupancy: Vec::with_capacity(n), ..Gpu::default() }
    }

    /// All devices that ran kernels and are named by them, by id. `work` is by (start, place in the file); `kernel_of` has their rows in `Torch::kernels`.
    pub fn all(s: &Sources<'_>, work: &[u32], kernel_of: &[u32]) -> Vec<Gpu> {
        let slices = &s.profile.slices;
        let kernels = |part: Range<usize>| {
            let rows = work[part.clone()].iter().zip(&kernel_of[part]).filter(|(slice, _)| s.class[**slice as usize] == Class::Kernel);
            rows.filter_map(|(&slice, &kernel)| Some((slice, s.torch.kernels.get(kernel as usize)?))).filter(|(_, k)| k.device != ABSENT)
        };
        let n = work.len().min(kernel_of.len());
        let mut n_of: FxHashMap<u32, usize> = FxHashMap::default();
        for_each_chunk(n, &mut |part| kernels(part).for_each(|(_, kernel)| *n_of.entry(kernel.device).or_default() += 1));
        let mut by_id: FxHashMap<u32, (Gpu, Vec<(i64, f64)>)> =
            n_of.into_iter().map(|(id, n)| (id, (Gpu::with_room(id, n), Vec::with_capacity(2 * n)))).collect();
        let mut add = |(slice, kernel): (u32, &Kernel)| {
            let (start, end) = (slices.start[slice as usize], slices.end(slice as usize));
            let Some((gpu, edges)) = by_id.get_mut(&kernel.device) else { return };
            gpu.n_kernels += 1;
            gpu.busy.push((start, end));
            let blocks = widened(kernel.blocks_per_sm);
            if blocks > 0.0 {
                edges.push((start, blocks));
                edges.push((end, -blocks));
            }
            let occupancy = widened(kernel.occupancy);
            if occupancy >= 0.0 {
                gpu.occupancy.push((start, end, occupancy));
            }
        };
        for_each_chunk(n, &mut |part| kernels(part).for_each(&mut add));
        let mut out: Vec<Gpu> = by_id
            .into_values()
            .map(|(mut gpu, edges)| {
                gpu.busy = union(gpu.busy);
                gpu.use_of_sms = segments(edges);
                gpu
            })
            .collect();
        out.order_by_key(|g| g.id);
        out
    }

    /// Share of `start..end` in which a kernel ran.
    pub fn utilization(&self, start: i64, end: i64) -> Option<f64> {
        (end > start).then(|| length_in(&self.busy, start, end) as f64 / (end - start) as f64)
    }

    /// Multiprocessor use over `start..end`; `None` if no kernel in it has recorded blocks.
    pub fn sm_efficiency(&self, start: i64, end: i64) -> Option<f64> {
        let inside = self.use_of_sms.iter().filter(|s| s.start < end && s.end > start);
        let used = inside.map(|s| (s.end.min(end) - s.start.max(start)) as f64 * s.value).reduce(|a, b| a + b);
        used.map(|used| used / (end - start) as f64)
    }

    /// Occupancy in percent, weighted by time in `start..end`.
    pub fn occupancy_percent(&self, start: i64, end: i64) -> Option<f64> {
        let weighed = self.occupancy.iter().map(|(from, to, percent)| ((*to.min(&end) - *from.max(&start)).max(0) as f64, *percent));
        let (time, sum) = weighed.fold((0.0, 0.0), |(time, sum), (weight, percent)| (time + weight, sum + weight * percent));
        (time > 0.0).then(|| sum / time)
    }
}

/// A number as it was written: the shortest decimal that gives this single-precision value.
pub fn widened(value: f32) -> f64 {
    if !value.is_finite() {
        return f64::NAN;
    }
    // Rounded at the seventh significant digit, which is as far as the value goes.
    let value = f64::from(value);
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(6 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

/// Positive running sums between edges, capped at 1.
fn segments(mut edges: Vec<(i64, f64)>) -> Vec<Segment> {
    order_many(&mut edges, |e| e.0);
    let mut out: Vec<Segment> = Vec::with_capacity(edges.len());
    let (mut sum, mut at) = (0.0f64, 0);
    for (time, change) in edges {
        if time > at && sum > 0.0 {
            out.push(Segment { start: at, end: time, value: sum.min(1.0) });
        }
        at = time;
        sum += change;
        // What is left of adding and taking away the same numbers is no use.
        if sum.abs() < 1e-9 {
            sum = 0.0;
        }
    }
    out
}
