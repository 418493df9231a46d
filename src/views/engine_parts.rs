//! The exclusive parts of a core's time, as Bounds and Summary show them.

use crate::analysis::device::bounds::{CoreBounds, ExclusiveTime, Part};
use crate::ui::breakdown::Share;
use crate::ui::palette::fixed;

/// The colour of a part, as on the timeline; of idle time that of waiting.
pub fn colour(part: Option<Part>) -> u16 {
    match part {
        Some(Part::Tensor) => fixed::TENSOR,
        Some(Part::Vector) => fixed::VECTOR,
        Some(Part::Scalar) => fixed::SCALAR,
        Some(Part::GpSimd) => fixed::GPSIMD,
        Some(Part::Dma) => fixed::DMA,
        Some(Part::Sync) => fixed::SYNC,
        None => fixed::OTHER,
    }
}

/// The exclusive parts of a core's time; idle time stays last.
pub fn parts(core: &CoreBounds) -> Vec<Share> {
    let part = |e: &ExclusiveTime| Share {
        name: e.part.map_or("Idle", Part::label).into(),
        colour: colour(e.part),
        value: e.time.0 as f64,
        help: match e.part {
            Some(part) => format!("Time in which {} was busy and no part before it in this order.", part.label()),
            None => "Time in which no engine and no DMA queue was busy.".into(),
        },
        is_movable: e.part.is_some(),
    };
    core.exclusive.iter().map(part).collect()
}

/// The order of the parts after a move, in the format of the link: `dma,tensor,…`.
pub fn reordered(core: &CoreBounds, from: usize, to: usize) -> String {
    let mut parts: Vec<Part> = core.exclusive.iter().filter_map(|e| e.part).collect();
    if from.max(to) < parts.len() {
        parts.swap(from, to);
    }
    if parts == Part::ALL { String::new() } else { parts.iter().map(|p| p.id()).collect::<Vec<_>>().join(",") }
}

/// The order of a link.
pub fn order(text: &str) -> Vec<Part> {
    text.split(',').filter_map(Part::named).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::device::bounds::OpcodeTime;
    use crate::analysis::device::bounds::ladders::Times;
    use crate::base::DurationNs;

    /// Core 0 of the public run `baseline_attention`.
    pub fn core() -> CoreBounds {
        let times = Times {
            total: 59533.0,
            busy: [Some(17060.0), Some(11623.0), Some(12664.0), Some(2804.0), Some(23683.0), Some(5255.0)],
            memory_ideal: Some(12203.0),
            memory_no_reloads: Some(2561.0),
            compute_ideal: Some(8960.0),
            compute_useful: Some(6827.0),
        };
        let exclusive = [17060, 9100, 4500, 2800, 17400, 500].map(DurationNs);
        let parts = Part::ALL.into_iter().zip(exclusive).map(|(p, time)| ExclusiveTime { part: Some(p), time });
        CoreBounds {
            core: "NC 0".into(),
            busy: times.busy.map(|b| b.map(|b| DurationNs(b as i64))),
            ladders: times.ladders(),
            bottleneck: times.bottleneck(),
            moved_bytes: Some(5_308_416),
            moves: 80,
            flops: None,
            useful_flops: None,
            profiler_flops: None,
            excess_interval_ns: None,
            queue_types: Vec::new(),
            exclusive: parts.chain([ExclusiveTime { part: None, time: DurationNs(8173) }]).collect(),
            overlaps: Vec::new(),
            dma_states: Vec::new(),
            opcodes: vec![OpcodeTime {
                engine: "Tensor".into(),
                opcode: "MATMUL".into(),
                count: 3,
                time: DurationNs(30),
                wait: Some(DurationNs(12)),
                waiting: 2,
            }],
        }
    }

    #[test]
    fn an_order_goes_into_the_link_and_back() {
        let core = &core();
        assert_eq!(reordered(core, 0, 0), "", "the usual order is not written");
        let text = reordered(core, 4, 3);
        assert_eq!(text, "tensor,vector,scalar,dma,gpsimd,sync");
        assert_eq!(order(&text)[3], Part::Dma);
        assert_eq!(order("nonsense,,dma"), [Part::Dma]);
        assert!(parts(core).last().is_some_and(|p| p.name == "Idle" && !p.is_movable));
        assert_eq!(parts(core).iter().map(|p| p.value).sum::<f64>(), 59_533.0);
    }
}
