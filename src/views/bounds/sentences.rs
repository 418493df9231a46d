//! The answer in words: what bounds a core, and the values that prove it.

use crate::analysis::device::bounds::{Bounds, CoreBounds, Part};
use crate::base::text;

/// What every reader of gaps must know.
pub const CAUTION: &str = "Gaps overlap: they are not savings. The reachable speed-up assumes that a gap and those above it close, and that every \
                           other engine takes as long as before.";

/// The bottleneck in one sentence.
pub fn headline(bounds: &Bounds, core: &CoreBounds) -> String {
    let total = bounds.range.duration();
    match core.bottleneck.and_then(|part| Some((part, core.busy(part)?))) {
        None => "No engine and no DMA queue was busy.".into(),
        Some((part, busy)) => format!(
            "{} is the bottleneck: busy {} of {} ({}).",
            name(part),
            text::duration(busy),
            text::duration(total),
            text::percent(busy.0 as f64 / total.0.max(1) as f64)
        ),
    }
}

fn name(part: Part) -> &'static str {
    match part {
        Part::Dma => "DMA",
        Part::Tensor => "The Tensor engine",
        Part::Vector => "The Vector engine",
        Part::Scalar => "The Scalar engine",
        Part::GpSimd => "The GpSimd engine",
        Part::Sync => "The Sync engine",
    }
}

/// The evidence: bytes moved beside bytes needed, and the gap to start with.
pub fn evidence(bounds: &Bounds, core: &CoreBounds) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(moved) = core.moved_bytes {
        let exact = |n: u64| format!("{} ({} bytes)", text::bytes(n), text::count(n));
        out.push(match bounds.necessary_bytes.filter(|_| bounds.is_run) {
            Some(needed) if needed < moved => format!(
                "Transfers move {}; inputs, outputs and weights are {}. The difference of {} is reloads and spills.",
                exact(moved),
                text::bytes(needed),
                exact(moved - needed)
            ),
            Some(needed) => {
                format!("Transfers move {}; inputs, outputs and weights are {}: no reloads or spills.", exact(moved), text::bytes(needed))
            }
            None => format!("Transfers move {}.", exact(moved)),
        });
    }
    if let Some(kind) = core.main_gap() {
        out.push(format!("Look first at: {}.", kind.label().to_lowercase().replace("dma", "DMA").replace("tensor", "Tensor")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::bounds;
    use super::*;

    #[test]
    fn the_bottleneck_is_named_with_its_proof() {
        let found = bounds();
        let core = &found.cores[0];
        assert_eq!(headline(&found, core), "DMA is the bottleneck: busy 23.7 µs of 59.5 µs (39.8%).");
        let sentences = evidence(&found, core);
        assert!(sentences[0].contains("4.00 MiB (4\u{202f}194\u{202f}304 bytes) is reloads and spills"), "{sentences:?}");
        assert_eq!(sentences[1], "Look first at: slow transfers.");
    }

    #[test]
    fn a_run_without_reloads_and_a_range_say_so() {
        let mut found = bounds();
        found.cores[0].moved_bytes = found.necessary_bytes;
        assert!(evidence(&found, &found.cores[0])[0].ends_with("no reloads or spills."));
        found.is_run = false;
        assert_eq!(evidence(&found, &found.cores[0])[0], "Transfers move 1.06 MiB (1\u{202f}114\u{202f}112 bytes).");
        let mut idle = found.cores[0].clone();
        (idle.bottleneck, idle.moved_bytes) = (None, None);
        assert_eq!((headline(&found, &idle).as_str(), evidence(&found, &idle)), ("No engine and no DMA queue was busy.", Vec::new()));
    }
}
