//! R10–R13: more data is moved than needed.

use super::{Case, Finding, Location, Out, Severity, Verdict, bytes, percent};
use crate::analysis::device::activity::usage;
use crate::analysis::device::memory::tensors::{RELOADED, TensorRow};
use crate::base::Order as _;
use crate::base::text;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R10", "Repeated tensor loads", reloaded_tensors(case));
    out.rule("R11", "Large share of spills in HBM reads", spill_of_reads(case));
    out.rule("R12", "Large share of spills in SBUF traffic", spill_of_sbuf(case));
    out.rule("R13", "Repeated weight loads", reloaded_weights(case));
    out.rule("R13b", "HBM traffic far above inputs, outputs and weights", redundant(case));
}

/// Nanoseconds that HBM needs for `n` bytes.
fn memory_ns(case: &Case<'_>, n: f64) -> Option<f64> {
    case.hardware.map(|hw| n / hw.hbm_bandwidth * 1e9)
}

/// State Buffer in use, the mean over the run of the part that is used most, as a share of 1.
fn buffer_in_use(case: &Case<'_>) -> Option<f64> {
    let parts = usage::curves(case.profile).into_iter().filter(|c| c.name.starts_with("State Buffer"));
    parts.filter_map(|c| c.mean.map(|m| if c.unit == "%" { m / 100.0 } else { m })).reduce(f64::max)
}

fn reloaded_tensors(case: &Case<'_>) -> Verdict {
    let recorded: Vec<(&TensorRow, f64)> = case.tensors().unwrap_or_default().iter().filter_map(|row| Some((row, row.factor()?))).collect();
    if recorded.is_empty() {
        return Verdict::Missing("load factors of tensors (load_to_sbuf_repeat_factor), or transfers with tensor names");
    }
    let again = |row: &TensorRow, factor: f64| row.size_bytes.map(|size| (factor - 1.0) * size as f64);
    let mut found: Vec<(&TensorRow, f64, Option<f64>)> =
        recorded.into_iter().filter(|t| t.1 > RELOADED).map(|(row, factor)| (row, factor, again(row, factor))).collect();
    found.order_by(|a, b| b.2.unwrap_or(0.0).total_cmp(&a.2.unwrap_or(0.0)));
    Verdict::when(!found.is_empty(), || {
        let (n, sum) = (found.len() as u64, found.iter().filter_map(|f| f.2).sum::<f64>());
        let verb = if n == 1 { "is" } else { "are" };
        let mut finding = Finding::new(Severity::Warning, format!("{} {verb} loaded more than twice", text::counted(n, "tensor")))
            .cost(memory_ns(case, sum).unwrap_or(0.0));
        for (row, factor, more) in found.iter().take(5) {
            let name = if row.name.is_empty() { "a tensor" } else { &row.name };
            let more = more.map(|n| format!(", {} reloaded", bytes(n))).unwrap_or_default();
            finding = finding.says(name, format!("{} times{more}", text::three_digits(*factor)));
        }
        let place = |row: &TensorRow| Some(Location { label: row.name.clone(), range: row.used?, slice: None });
        finding.at(found.iter().filter_map(|f| place(f.0))).because(
            "Each additional load of a tensor costs bandwidth.",
            "Change loop order or tiling so that a tile is fully used before it is replaced.",
            "load_to_sbuf_repeat_factor, or bytes of the transfers of a tensor ÷ its size, above 2; cost = Σ (factor − 1) × size ÷ bandwidth.",
        )
    })
}

fn spill_of_reads(case: &Case<'_>) -> Verdict {
    let (Some(spill), Some(read)) = (case.number("spill_reload_bytes"), case.number("hbm_read_bytes").filter(|b| *b > 0.0)) else {
        return Verdict::Missing("spill_reload_bytes and hbm_read_bytes");
    };
    Verdict::when(spill > 0.25 * read, || {
        Finding::new(Severity::Critical, "Large share of spills in HBM reads")
            .cost(memory_ns(case, spill).unwrap_or(0.0))
            .says("Reloaded", bytes(spill))
            .says("Share of reads", percent(spill / read))
            .because(
                "Data that does not fit in SBUF is written to HBM and read again.",
                "Fuse operators, move buffers into inner loops, use smaller blocks.",
                "spill_reload_bytes above 25% of hbm_read_bytes; cost = those bytes ÷ bandwidth.",
            )
    })
}

fn spill_of_sbuf(case: &Case<'_>) -> Verdict {
    let pairs = [("spill_save_bytes", "sbuf_read_bytes"), ("spill_reload_bytes", "sbuf_write_bytes")];
    let recorded = pairs.iter().filter_map(|(spill, all)| Some((case.number(spill)?, case.number(all).filter(|b| *b > 0.0)?)));
    let shares: Vec<(f64, f64)> = recorded.collect();
    if shares.is_empty() {
        return Verdict::Missing("spill_save_bytes or spill_reload_bytes, and the traffic of SBUF");
    }
    let worst = shares.iter().map(|s| s.0 / s.1).fold(0.0, f64::max);
    Verdict::when(worst > 0.3, || {
        let spilled: f64 = shares.iter().map(|s| s.0).sum();
        Finding::new(Severity::Warning, "Large share of spills in SBUF traffic")
            .cost(memory_ns(case, spilled).unwrap_or(0.0))
            .says("Spilled and reloaded", bytes(spilled))
            .says("Largest share of SBUF traffic", percent(worst))
            .because(
                "SBUF is too small for the live data.",
                "Fuse operators so that results are used before they are evicted.",
                "Saved ÷ sbuf_read_bytes or reloaded ÷ sbuf_write_bytes above 30%; cost = both ÷ bandwidth.",
            )
    })
}

fn reloaded_weights(case: &Case<'_>) -> Verdict {
    let size = case.number("weight_size_bytes").filter(|b| *b > 0.0);
    let (Some(moved), Some(size)) = (case.number("weight_queue_bytes"), size) else {
        return Verdict::Missing("weight_queue_bytes and weight_size_bytes");
    };
    Verdict::when(moved > 1.5 * size, || {
        let mut finding = Finding::new(Severity::Warning, "Repeated weight loads")
            .cost(memory_ns(case, moved - size).unwrap_or(0.0))
            .says("Transferred by weight queues", bytes(moved))
            .says("Size of the weights", bytes(size));
        let used = buffer_in_use(case);
        if let Some(used) = used {
            finding = finding.says("SBUF in use on average", percent(used));
        }
        let has_room = used.is_some_and(|used| used < 0.5);
        finding.because(
            if has_room {
                "Weights are evicted from SBUF before their last use, although less than half of it is in use."
            } else {
                "Weights are evicted from SBUF before their last use."
            },
            "Keep weights stationary for a larger part of the batch.",
            "weight_queue_bytes above 1.5 × weight_size_bytes (our factor); cost = the excess ÷ bandwidth. SBUF in use: mean over time of the most used partition.",
        )
    })
}

fn redundant(case: &Case<'_>) -> Verdict {
    let least = case.number("inputs_outputs_weights_size_bytes").filter(|b| *b > 0.0);
    let (Some(read), Some(written), Some(least)) = (case.number("hbm_read_bytes"), case.number("hbm_write_bytes"), least) else {
        return Verdict::Missing("HBM bytes and the size of inputs, outputs and weights");
    };
    let moved = read + written;
    Verdict::when(moved > 2.0 * least, || {
        Finding::new(Severity::Warning, "HBM traffic far above inputs, outputs and weights")
            .cost(memory_ns(case, moved - least).unwrap_or(0.0))
            .says("Transferred", bytes(moved))
            .says("Inputs, outputs, weights", bytes(least))
            .says("Factor", text::three_digits(moved / least))
            .because(
                "Intermediate results pass through HBM, or tensors are reloaded.",
                "Fuse the operators that exchange these results and keep them in SBUF.",
                "HBM bytes above twice the minimum (our factor); cost = the excess ÷ bandwidth.",
            )
    })
}
