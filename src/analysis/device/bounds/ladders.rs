//! Bounds as ladders: from the total down to what is necessary, each step a gap with its size and what closing it could give.

use super::time_parts::Part;
use serde::{Deserialize, Serialize};

/// A family of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// What the transfers take.
    Memory,
    /// What the matrix products take.
    Compute,
    /// All engines at once.
    Pipeline,
}

impl Family {
    /// Label.
    pub fn label(self) -> &'static str {
        match self {
            Family::Memory => "Memory",
            Family::Compute => "Compute",
            Family::Pipeline => "Pipeline",
        }
    }
}

/// One bound: the time if everything above it went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// The time that was taken.
    Total,
    /// Only the transfers, as recorded.
    Memory,
    /// The same bytes at peak bandwidth.
    MemoryIdeal,
    /// Inputs, outputs and weights once, at peak bandwidth.
    MemoryNoReloads,
    /// Only the Tensor engine, as recorded.
    Compute,
    /// The same products at peak rate.
    ComputeIdeal,
    /// Without products that only transpose.
    ComputeUseful,
    /// The busiest part, with all others hidden behind it.
    PerfectPipeline,
}

impl Bound {
    /// As answers of the command line name it.
    pub fn id(self) -> &'static str {
        match self {
            Bound::Total => "total",
            Bound::Memory => "memory_bound",
            Bound::MemoryIdeal => "memory_bound_ideal",
            Bound::MemoryNoReloads => "memory_bound_no_reloads",
            Bound::Compute => "compute_bound",
            Bound::ComputeIdeal => "compute_bound_ideal",
            Bound::ComputeUseful => "compute_bound_useful",
            Bound::PerfectPipeline => "perfect_pipeline",
        }
    }

    /// Label.
    pub fn label(self) -> &'static str {
        match self {
            Bound::Total => "Total",
            Bound::Memory => "Transfers as recorded",
            Bound::MemoryIdeal => "Bytes at peak bandwidth",
            Bound::MemoryNoReloads => "Each tensor once",
            Bound::Compute => "Tensor engine as recorded",
            Bound::ComputeIdeal => "Products at peak rate",
            Bound::ComputeUseful => "Without transposes",
            Bound::PerfectPipeline => "Busiest part alone",
        }
    }

    /// What it is, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Bound::Total => "Length of the run, or of the selected range.",
            Bound::Memory => "Time in which at least one DMA queue was busy.",
            Bound::MemoryIdeal => "Moved bytes ÷ DMA bandwidth of the core.",
            Bound::MemoryNoReloads => "Bytes of inputs, outputs and weights, each once ÷ DMA bandwidth of the core.",
            Bound::Compute => "Time in which the Tensor engine was busy.",
            Bound::ComputeIdeal => "BF16-equivalent FLOPs, transposes included ÷ peak rate of the core.",
            Bound::ComputeUseful => "BF16-equivalent FLOPs without transposes ÷ peak rate of the core.",
            Bound::PerfectPipeline => "The longest busy time of Tensor, Vector, Scalar, GpSimd and DMA: all others run at the same time.",
        }
    }
}

/// The time between a bound and the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GapKind {
    /// No transfer runs.
    DmaIdle,
    /// Transfers too small, or slow.
    SlowTransfers,
    /// Bytes moved more than once.
    Reloads,
    /// The Tensor engine does nothing.
    TensorIdle,
    /// Small tiles, start-up, throttling.
    BelowPeak,
    /// Products that only transpose.
    Transposes,
    /// Engines that wait for each other.
    Unoverlapped,
}

impl GapKind {
    /// All.
    pub const ALL: [GapKind; 7] = [
        GapKind::DmaIdle,
        GapKind::SlowTransfers,
        GapKind::Reloads,
        GapKind::TensorIdle,
        GapKind::BelowPeak,
        GapKind::Transposes,
        GapKind::Unoverlapped,
    ];

    /// As links and answers of the command line name it.
    pub fn id(self) -> &'static str {
        match self {
            GapKind::DmaIdle => "dma_idle",
            GapKind::SlowTransfers => "slow_transfers",
            GapKind::Reloads => "reloads",
            GapKind::TensorIdle => "tensor_idle",
            GapKind::BelowPeak => "below_peak",
            GapKind::Transposes => "transposes",
            GapKind::Unoverlapped => "unoverlapped",
        }
    }

    /// The gap of that id.
    pub fn named(id: &str) -> Option<GapKind> {
        GapKind::ALL.into_iter().find(|g| g.id() == id)
    }

    /// Label.
    pub fn label(self) -> &'static str {
        match self {
            GapKind::DmaIdle => "DMA idle",
            GapKind::SlowTransfers => "Slow transfers",
            GapKind::Reloads => "Reloads and spills",
            GapKind::TensorIdle => "Tensor engine idle",
            GapKind::BelowPeak => "Below peak rate",
            GapKind::Transposes => "Transposes",
            GapKind::Unoverlapped => "Not overlapped",
        }
    }

    /// What makes it, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            GapKind::DmaIdle => "No transfer runs: DMA waits for engines, or nothing is prefetched.",
            GapKind::SlowTransfers => "Transfers below peak bandwidth: too small, strided, or spread over too few queues.",
            GapKind::Reloads => "Bytes moved more than once: tensors that are loaded again, and spills.",
            GapKind::TensorIdle => "The Tensor engine waits for operands, other engines or semaphores.",
            GapKind::BelowPeak => "Products below peak rate: small tiles, start-up, throttling.",
            GapKind::Transposes => "Matrix products that only transpose.",
            GapKind::Unoverlapped => "Engines wait for each other instead of running at the same time.",
        }
    }
}

/// A gap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Which one.
    pub kind: GapKind,
    /// Nanoseconds.
    pub time_ns: f64,
    /// Share of the total; with [`GapKind::Reloads`] share of the moved bytes.
    pub share: f64,
    /// Total ÷ the larger of the bound and the busiest part that closing the gap does not touch. `None` where there is nothing to close.
    pub speed_up: Option<f64>,
}

/// A bound and the gap above it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Which one.
    pub bound: Bound,
    /// Nanoseconds.
    pub time_ns: f64,
    /// `None` for the total.
    pub gap: Option<Gap>,
}

/// The bounds of one family, longest first. A bound that cannot be computed is absent, and so are those below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// Which one.
    pub family: Family,
    /// From the total down.
    pub steps: Vec<Step>,
}

/// Times from which the ladders follow, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Length of the range.
    pub total: f64,
    /// Busy time by [`Part::place`].
    pub busy: [Option<f64>; 6],
    /// Moved bytes at peak bandwidth.
    pub memory_ideal: Option<f64>,
    /// Necessary bytes at peak bandwidth.
    pub memory_no_reloads: Option<f64>,
    /// FLOPs at peak rate.
    pub compute_ideal: Option<f64>,
    /// FLOPs without transposes at peak rate.
    pub compute_useful: Option<f64>,
}

/// Parts that do work: the others only order it.
pub const WORKING: [Part; 5] = [Part::Tensor, Part::Vector, Part::Scalar, Part::GpSimd, Part::Dma];

impl Times {
    /// The working part that is busy longest; the first of equals. `None` where none is busy.
    pub fn bottleneck(&self) -> Option<Part> {
        let busy = |p: Part| self.busy[p.place()].unwrap_or(0.0);
        let longest = |best: Part, p: Part| if busy(p) > busy(best) { p } else { best };
        WORKING.into_iter().reduce(longest).filter(|p| busy(*p) > 0.0)
    }

    /// The longest busy time of the working parts but `part`.
    fn others(&self, part: Part) -> f64 {
        WORKING.into_iter().filter(|p| *p != part).filter_map(|p| self.busy[p.place()]).fold(0.0, f64::max)
    }

    /// The three families.
    pub fn ladders(&self) -> Vec<Ladder> {
        let dma = [
            (Bound::Memory, GapKind::DmaIdle, self.busy[Part::Dma.place()]),
            (Bound::MemoryIdeal, GapKind::SlowTransfers, self.memory_ideal),
            (Bound::MemoryNoReloads, GapKind::Reloads, self.memory_no_reloads),
        ];
        let tensor = [
            (Bound::Compute, GapKind::TensorIdle, self.busy[Part::Tensor.place()]),
            (Bound::ComputeIdeal, GapKind::BelowPeak, self.compute_ideal),
            (Bound::ComputeUseful, GapKind::Transposes, self.compute_useful),
        ];
        let longest = self.bottleneck().and_then(|p| self.busy[p.place()]);
        let pipeline = [(Bound::PerfectPipeline, GapKind::Unoverlapped, longest)];
        vec![
            self.ladder(Family::Memory, &dma, self.others(Part::Dma)),
            self.ladder(Family::Compute, &tensor, self.others(Part::Tensor)),
            self.ladder(Family::Pipeline, &pipeline, 0.0),
        ]
    }

    fn ladder(&self, family: Family, bounds: &[(Bound, GapKind, Option<f64>)], others: f64) -> Ladder {
        let mut steps = vec![Step { bound: Bound::Total, time_ns: self.total, gap: None }];
        let mut above = self.total;
        for &(bound, kind, time) in bounds {
            let Some(time_ns) = time.filter(|t| t.is_finite()) else { break };
            let gap_ns = (above - time_ns).max(0.0);
            let base = if kind == GapKind::Reloads { above } else { self.total };
            let share = if base > 0.0 { gap_ns / base } else { 0.0 };
            let least = time_ns.max(others);
            let speed_up = (gap_ns > 0.0 && least > 0.0).then(|| self.total / least);
            steps.push(Step { bound, time_ns, gap: Some(Gap { kind, time_ns: gap_ns, share, speed_up }) });
            above = time_ns;
        }
        Ladder { family, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Times {
        // Core 0 of the public run `baseline_attention`.
        Times {
            total: 59533.0,
            busy: [Some(17060.0), Some(11623.0), Some(12664.0), Some(2804.0), Some(23683.0), Some(5255.0)],
            memory_ideal: Some(12203.0),
            memory_no_reloads: Some(2561.0),
            compute_ideal: Some(8960.0),
            compute_useful: Some(6827.0),
        }
    }

    #[test]
    fn gaps_are_between_neighbouring_bounds() {
        let times = baseline();
        assert_eq!(times.bottleneck(), Some(Part::Dma));
        let all = times.ladders();
        let gaps = |at: usize| all[at].steps.iter().filter_map(|s| s.gap).map(|g| (g.kind, g.time_ns)).collect::<Vec<_>>();
        assert_eq!(gaps(0), [(GapKind::DmaIdle, 35850.0), (GapKind::SlowTransfers, 11480.0), (GapKind::Reloads, 9642.0)]);
        assert_eq!(gaps(1), [(GapKind::TensorIdle, 42473.0), (GapKind::BelowPeak, 8100.0), (GapKind::Transposes, 2133.0)]);
        let reloads = all[0].steps[3].gap.expect("a gap");
        assert!((reloads.share - 0.79).abs() < 0.005, "of the moved bytes");
        // Transfers at peak bandwidth: the Tensor engine is then the longest.
        assert_eq!(all[0].steps[2].gap.and_then(|g| g.speed_up), Some(59533.0 / 17060.0));
        assert_eq!(all[1].steps[1].gap.and_then(|g| g.speed_up), Some(59533.0 / 23683.0));
        assert_eq!(all[2].steps[1].time_ns, 23683.0);
    }

    #[test]
    fn where_nothing_is_lost_nothing_can_be_won() {
        // As in `fused_attention`: each tensor is moved once.
        let times = Times { memory_no_reloads: Some(12203.0), ..baseline() };
        let reloads = times.ladders()[0].steps[3].gap.expect("a gap");
        assert_eq!((reloads.kind, reloads.time_ns, reloads.speed_up), (GapKind::Reloads, 0.0, None));
    }

    #[test]
    fn what_is_not_known_ends_a_ladder() {
        let times = Times { compute_ideal: None, busy: [None; 6], ..baseline() };
        assert!(times.ladders().iter().all(|l| l.steps.len() == 1));
        assert_eq!(times.bottleneck(), None);
        let nothing = Times { busy: [Some(0.0); 6], ..Times::default() };
        let gaps: Vec<Gap> = nothing.ladders().iter().flat_map(|l| l.steps.iter().filter_map(|s| s.gap)).collect();
        assert!(gaps.iter().all(|g| g.share == 0.0 && g.speed_up.is_none()));
    }
}
