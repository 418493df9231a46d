//! Advice on wave quantization: a kernel runs its thread blocks in waves, as many at once as fit on the device; a last wave that is nearly empty takes as long
//! as a full one.

use super::savings::{COST_MIN, Saving, evidence, sum};
use super::{share, whole};
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::efficiency::{Call, device_peaks, work_below};
use crate::analysis::torch::overview::{Overview, Recommendation};
use crate::analysis::torch::work::Bound;
use crate::base::text;
use crate::model::torch::{ABSENT, Kernel};

/// Registers of a streaming multiprocessor, since Kepler: CUDA programming guide, table of compute capabilities.
const REGISTERS: u64 = 65_536;
/// The last wave is nearly empty below this share.
const LAST_WAVE_MAX: f64 = 0.5;

/// The product of `[1, 2, 3]`.
fn product(text: &str) -> Option<u64> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    inner.split(',').try_fold(1u64, |product, n| product.checked_mul(n.trim().parse().ok()?))
}

/// Share (0 to 1) of a kernel's waves that is empty, where only one block fits on a multiprocessor and the last wave is nearly empty.
fn empty_share(blocks: u64, threads: u64, registers: u64, n_sms: u64) -> Option<f64> {
    // How many blocks share a multiprocessor is only certain where registers allow one.
    let is_alone = threads > 0 && registers.checked_mul(threads)? > REGISTERS / 2;
    if !is_alone || n_sms == 0 || blocks <= n_sms {
        return None;
    }
    let waves = blocks.div_ceil(n_sms);
    let last = blocks - (waves - 1) * n_sms;
    ((last as f64) < n_sms as f64 * LAST_WAVE_MAX).then(|| (n_sms - last) as f64 / (waves * n_sms) as f64)
}

/// Matrix operations with a nearly empty last wave of thread blocks.
pub(super) fn recommendation(view: &View<'_>, overview: &Overview, all: &[Call]) -> Option<Recommendation> {
    let n_sms = u64::from(view.torch.devices.iter().find_map(|d| d.n_sms)?);
    let (device, peaks) = device_peaks(view, None);
    if !device.contains("NVIDIA") && !device.contains("Tesla") {
        return None;
    }
    let text_of = |id| product(view.profile.strings.get(id));
    let empty = |kernel: &Kernel| {
        let registers = Some(kernel.registers).filter(|n| *n != ABSENT)?;
        empty_share(text_of(kernel.grid)?, text_of(kernel.block)?, registers.into(), n_sms)
    };
    let won = |call: &Call| {
        if !call.work.is_matrix || peaks.and_then(|p| p.roof(&call.work).bound()) == Some(Bound::Memory) {
            return None;
        }
        let events = &view.model.events;
        let kernels = work_below(view, call.node).filter(|w| view.model.class[events.work[*w as usize] as usize] == Class::Kernel);
        let ns = |w: u32| view.profile.slices.duration[events.work[w as usize] as usize] as f64;
        let lost: f64 = kernels.filter_map(|w| Some(ns(w) * empty(view.model.kernel(view.torch, w)?)?)).sum();
        (lost >= 1.0).then_some((call.slice, lost as i64))
    };
    let found: Vec<Saving> = all.iter().filter_map(won).collect();
    let cost = sum(&found);
    (share(cost, whole(overview)) > COST_MIN).then(|| Recommendation {
        id: "wave_quantization".into(),
        title: "Last wave of thread blocks nearly empty".into(),
        text: format!(
            "{} matrix operations start a last wave of thread blocks that fills less than half of the {n_sms} multiprocessors: about {}. Try another tile size (max-autotune), split-K or stream-K kernels, or sizes that give a multiple of {n_sms} blocks.",
            text::count(found.len() as u64),
            text::duration(cost)
        ),
        threshold: "last wave under 50% full, over 2% of the time of the steps".into(),
        how: format!("Kernel time × the share of places for blocks that stay empty, for kernels that fit once on a multiprocessor (registers × threads over {}). Other kernels are not evaluated.", text::count(REGISTERS / 2)),
        cost: Some(cost),
        evidence: evidence(view, &found),
        link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_wave_is_empty_in_part() {
        assert_eq!(empty_share(133, 384, 168, 132), Some(131.0 / 264.0));
        assert_eq!(empty_share(264 + 33, 384, 168, 132), Some(99.0 / 396.0));
        for (blocks, threads, registers, sms) in
            [(132, 384, 168, 132), (264, 384, 168, 132), (231, 384, 168, 132), (133, 256, 64, 132), (133, 0, 168, 132), (133, 384, 168, 0)]
        {
            assert_eq!(empty_share(blocks, threads, registers, sms), None, "{blocks} {threads} {registers} {sms}");
        }
        assert_eq!((product("[2, 3, 4]"), product("[2, x]"), product(""), product("[-1, 2]")), (Some(24), None, None, None));
    }
}
