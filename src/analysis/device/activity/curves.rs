//! Curves that are computed, not read: transfers under way, mean throughput since the start, and utilization of the tensor engine.

use crate::analysis::device::activity::lanes;
pub use crate::analysis::device::activity::line::Line;
use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::base::{TimeRange, TrackId, for_each_chunk};
use crate::model::{NeuronDevice, Profile, TrackKind};
use rustc_hash::FxHashMap;

/// Parts of the run that means are given for.
const N_PARTS: i64 = 500;

/// All curves that the profile has what they need for.
pub fn lines(profile: &Profile, device: &NeuronDevice) -> Vec<Line> {
    let run = crate::analysis::device::waiting::gaps::whole(profile);
    let mut out = crate::analysis::device::activity::pending::pending(profile, device);
    out.extend(throughput(profile, device, run));
    out.extend(utilization(profile, device, run));
    out
}

/// Bytes so far ÷ time so far, from the start of `range` on, for each core with a curve of HBM or DMA throughput: of DMA the bytes of its transfers,
/// each spread evenly over its duration; of HBM, and where no sizes are recorded, what the file's own rate adds up to.
pub(in crate::analysis::device) fn throughput(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Vec<Line> {
    let mut out = Vec::new();
    let Some(grid) = Grid::of(range) else { return out };
    // Once, where there is a curve of it at all.
    let mut moved: Option<FxHashMap<u32, Vec<f64>>> = None;
    for (row, name) in [("DMA Throughput", "Cumulative DMA Throughput"), ("HBM Throughput", "Cumulative HBM Throughput")] {
        for counter in &profile.counters {
            let track = &profile.tracks[counter.track.index()];
            let (Some(series), true) = (counter.series.first(), profile.strings.get(track.name) == row) else { continue };
            let core = track.parent.filter(|_| row == "DMA Throughput");
            let of_rows = core.and_then(|core| moved.get_or_insert_with(|| transferred(profile, device, grid)).remove(&core.0));
            let bytes = of_rows.unwrap_or_else(|| grid.integral(&counter.times, &series.values));
            let (times, values) = grid.so_far(&bytes, 1e9);
            out.push(Line { group: track.parent, name, unit: "B/s", times, values });
        }
    }
    out
}

/// Bytes of each core's transfers in each part of the range, by the core's group of rows. A packet that occurs twice in the file counts once.
fn transferred(profile: &Profile, device: &NeuronDevice, grid: Grid) -> FxHashMap<u32, Vec<f64>> {
    let mut out: FxHashMap<u32, Vec<f64>> = FxHashMap::default();
    let roots = crate::analysis::device::waiting::signals::roots(profile);
    let (mut sizes, mut near) = (Vec::new(), 0);
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        // Absent as long as none of the core's transfers has a size.
        let mut parts = out.remove(&roots[t]);
        for (_, lane) in lanes::touching(profile, TrackId(t as u32), grid.range) {
            let mut twice = lanes::Listed::from(&device.duplicates, lane.start);
            for_each_chunk(lane.len(), &mut |part| {
                let part = lane.start + part.start..lane.start + part.end;
                device.bytes.part(part.clone(), &mut sizes);
                for (i, bytes) in part.zip(&sizes).filter(|(_, bytes)| **bytes != NeuronDevice::ABSENT) {
                    if !twice.has(i) {
                        let parts = parts.get_or_insert_with(|| grid.parts());
                        grid.spread((parts, &mut near), (profile.slices.start[i], profile.slices.end(i)), f64::from(*bytes));
                    }
                }
            });
        }
        out.extend(parts.map(|parts| (roots[t], parts)));
    }
    out
}

/// An interval of time in parts of one length; the last may be shorter.
#[derive(Debug, Clone, Copy)]
struct Grid {
    range: TimeRange,
    step: i64,
    n: usize,
}

impl Grid {
    /// `None` where the range is empty.
    fn of(range: TimeRange) -> Option<Grid> {
        let length = range.duration().0;
        let step = length / N_PARTS + i64::from(length % N_PARTS != 0);
        let n = usize::try_from(length.checked_div(step)? + i64::from(length % step != 0)).ok()?;
        (length > 0).then_some(Grid { range, step, n })
    }

    fn parts(self) -> Vec<f64> {
        vec![0.0; self.n]
    }

    /// Nanoseconds of a part.
    fn width(self, k: usize) -> f64 {
        (self.range.duration().0 - k as i64 * self.step).min(self.step).max(1) as f64
    }

    /// When the parts begin.
    fn times(self) -> Vec<i64> {
        (0..self.n as i64).map(|k| self.range.start.0 + k * self.step).collect()
    }

    /// Adds `amount` to the parts that a span is in, each as much as it has of it. `near`: the part that the span before began in. Those of a lane follow
    /// each other, and a division takes as long as the rest.
    fn spread(self, (parts, near): (&mut [f64], &mut usize), span: (i64, i64), amount: f64) {
        let (length, origin) = (self.range.duration().0, self.range.start.0);
        let (start, end) = (span.0.saturating_sub(origin), span.1.saturating_sub(origin));
        if start > length || end < 0 || parts.is_empty() {
            return;
        }
        let last = parts.len() - 1;
        let part = |t: i64| usize::try_from(t.max(0) / self.step).unwrap_or(last).min(last);
        let begin = (*near as i64).saturating_mul(self.step);
        let from = if begin <= start && start - begin < self.step { *near } else { part(start) };
        *near = from;
        let is_inside = start >= 0 && end <= length;
        // Most spans are within one part.
        if end <= start || is_inside && (from == last || end < (from as i64 + 1) * self.step) {
            parts[from] += amount;
            return;
        }
        let to = part(end);
        let whole = end.saturating_sub(start) as f64;
        for (k, value) in parts.iter_mut().enumerate().take(to + 1).skip(from) {
            let (left, right) = (k as i64 * self.step, ((k as i64 + 1) * self.step).min(length));
            *value += amount * (end.min(right) - start.max(left)).max(0) as f64 / whole;
        }
    }

    /// What a rate per second, in force until the next time, adds up to in each part.
    fn integral(self, times: &[i64], rates: &[f64]) -> Vec<f64> {
        let (mut parts, mut near) = (self.parts(), 0);
        for (i, (time, rate)) in times.iter().zip(rates).enumerate() {
            let until = times.get(i + 1).copied().unwrap_or(self.range.end.0);
            if until > *time {
                self.spread((&mut parts, &mut near), (*time, until), rate * until.saturating_sub(*time) as f64 * 1e-9);
            }
        }
        parts
    }

    /// Running mean: sum of all parts so far ÷ elapsed time, in units of `per` nanoseconds.
    fn so_far(self, parts: &[f64], per: f64) -> (Vec<i64>, Vec<f64>) {
        let mut sum = 0.0;
        let mean = |(k, amount): (usize, &f64)| {
            sum += amount;
            sum * per / ((k as i64 + 1) * self.step).min(self.range.duration().0) as f64
        };
        (self.times(), parts.iter().enumerate().map(mean).collect())
    }
}

/// FLOPs of matrix products per part of `range` ÷ what one core can do in it, and the same from its start on; MFU without transposes, HFU
/// with them. A product's FLOPs (2 × elements) are spread evenly over its duration.
pub(in crate::analysis::device) fn utilization(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Vec<Line> {
    let (Some(hardware), Some(grid)) = (MetricSource::of(profile).hardware(), Grid::of(range)) else { return Vec::new() };
    let kind = profile.attribute("instruction_type");
    let is_transpose =
        |i: usize| kind.and_then(|a| a.values.at(i)).is_some_and(|kind| profile.strings.get(kind).eq_ignore_ascii_case("TRANSPOSE"));
    let mut cores: Vec<(Option<TrackId>, Vec<f64>, Vec<f64>)> = Vec::new();
    let (mut elements, mut near) = (Vec::new(), 0);
    // Transfers compute nothing.
    for lane in profile.lanes.iter().filter(|lane| profile.tracks[lane.track.index()].kind != TrackKind::Queue) {
        let group = profile.tracks[lane.track.index()].parent;
        for_each_chunk((lane.end - lane.first) as usize, &mut |part| {
            let part = lane.first as usize + part.start..lane.first as usize + part.end;
            device.elements.part(part.clone(), &mut elements);
            for (i, elements) in part.zip(&elements).filter(|(_, n)| **n != NeuronDevice::ABSENT && **n > 0) {
                let flops = 2.0 * f64::from(*elements);
                let at = cores.iter().position(|c| c.0 == group).unwrap_or_else(|| {
                    cores.push((group, grid.parts(), grid.parts()));
                    cores.len() - 1
                });
                let span = (profile.slices.start[i], profile.slices.end(i));
                grid.spread((&mut cores[at].2, &mut near), span, flops);
                if !is_transpose(i) {
                    grid.spread((&mut cores[at].1, &mut near), span, flops);
                }
            }
        });
    }
    let peak = hardware.core_flops * 1e-9;
    let mut out = Vec::new();
    for (group, useful, all) in cores {
        let names =
            [("Estimated Instant MFU", "Estimated Cumulative MFU", useful), ("Estimated Instant HFU", "Estimated Cumulative HFU", all)];
        for (instant, cumulative, flops) in names {
            let now: Vec<f64> = flops.iter().enumerate().map(|(k, f)| 100.0 * f / (peak * grid.width(k))).collect();
            let (times, so_far) = grid.so_far(&flops, 100.0 / peak);
            out.push(Line { group, name: instant, unit: "%", times: times.clone(), values: now });
            out.push(Line { group, name: cumulative, unit: "%", times, values: so_far });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn the_mean_so_far_falls_while_nothing_moves() {
        let grid = Grid::of(TimeRange::new(TimeNs(10), TimeNs(1_010))).expect("not empty");
        assert_eq!((grid.step, grid.n), (2, 500));
        // 4 bytes per nanosecond for 20 ns, then nothing; before the range it does not count.
        let bytes = grid.integral(&[0, 30, 2_000], &[4e9, 0.0, 7.0]);
        let (times, means) = grid.so_far(&bytes, 1e9);
        assert_eq!((times[0], times[499]), (10, 1_008));
        assert!((means[0] - 4e9).abs() < 1.0 && (means[9] - 4e9).abs() < 1.0, "{} {}", means[0], means[9]);
        assert!((means[19] - 2e9).abs() < 1.0 && (means[499] - 80e6).abs() < 1.0, "{} {}", means[19], means[499]);
    }

    #[test]
    fn amounts_are_kept_by_the_parts() {
        for length in [1, 7, 499, 500, 501, 999, 12_345] {
            let grid = Grid::of(TimeRange::new(TimeNs(0), TimeNs(length))).expect("not empty");
            let (mut parts, mut near) = (grid.parts(), 0);
            for span in [(0, length), (length, length), (length / 3, length / 2), (0, 1)] {
                grid.spread((&mut parts, &mut near), span, 5.0);
            }
            assert!((parts.iter().sum::<f64>() - 20.0).abs() < 1e-9, "{length}: {}", parts.iter().sum::<f64>());
            assert!((grid.width(0) - grid.step as f64).abs() < 0.5 && grid.n <= 500);
        }
        assert!(Grid::of(TimeRange::new(TimeNs(5), TimeNs(5))).is_none());
    }
}
