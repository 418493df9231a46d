//! What the rules look at: values and rows of a profile, computed once.

use super::Known;
use crate::analysis::device::activity::busy::{Busy, busy_on};
use crate::analysis::device::activity::engines::{Engine, Executed, engines};
use crate::analysis::device::cells;
use crate::analysis::device::memory::highlights::Band;
use crate::analysis::device::memory::tensors::{TensorRow, Tensors, tensors};
use crate::analysis::device::run_metrics::metrics::{Hardware, MetricSource};
use crate::analysis::device::run_metrics::summary::{EngineTime, Metric};
use crate::analysis::device::waiting::critical_path::CriticalPath;
use crate::analysis::device::waiting::gaps::{Gaps, whole};
use crate::analysis::device::waiting::signals::Signals;
use crate::analysis::spans::{self, Spans};
use crate::base::order::keep_largest;
use crate::base::{SliceId, TimeNs, TimeRange, for_each_chunk};
use crate::model::{GenericTable, NeuronDevice, Profile, TrackKind};
use std::cell::OnceCell;

/// What the rules look at.
pub(super) struct Case<'a> {
    pub profile: &'a Profile,
    pub facts: MetricSource<'a>,
    pub hardware: Option<Hardware>,
    /// Nanoseconds of the whole run.
    pub total: f64,
    /// How long each engine of each core worked, and its DMA.
    pub engines: &'a [EngineTime],
    /// Instructions by engine.
    pub work: Vec<Engine<'a>>,
    /// Semaphores in the operands of instructions.
    pub signals: Signals<'a>,
    pub gaps: &'a Gaps,
    pub path: &'a CriticalPath,
    /// Matrix products of each core that has any, or a transpose.
    pub products: Vec<Products>,
    /// Metrics of the run, whose first summary is that of `facts`.
    metrics: &'a [Metric],
    /// The table of tensors, where there is one.
    info: Option<&'a GenericTable>,
    /// Tensors and intervals of small transfers; computed when first asked for.
    memory: OnceCell<Tensors>,
    busy_engines: OnceCell<Vec<Busy>>,
    busy_dma: OnceCell<Vec<Busy>>,
}

/// Matrix products of one core.
pub(super) struct Products {
    /// `NC 4`.
    pub core: String,
    /// FLOPs of all; 0 where the file does not record them.
    pub all: u64,
    /// FLOPs of those that only transpose.
    pub moved: u64,
    /// Instructions of the tensor engine that transpose, the loading of what is held included.
    pub n_transposes: u64,
    /// Time that these cover, nanoseconds.
    pub transposing: f64,
    /// (duration, instruction) of the longest of these.
    pub longest: Vec<(i64, SliceId)>,
}

/// FLOPs utilization of the model.
pub(super) struct Utilization {
    /// Share of the peak of all cores.
    pub value: f64,
    /// The most that the memory allows; `None` where it is not recorded.
    pub most: Option<f64>,
    /// What its FLOPs are counted by.
    pub label: &'static str,
}

impl<'a> Case<'a> {
    /// `info` replaces the table of tensors if the profile has it only in the file.
    pub fn of(profile: &'a Profile, info: Option<&'a GenericTable>, known: Known<'a>) -> Self {
        let facts = MetricSource::of(profile);
        let work = engines(profile);
        let gaps = known.waits.gaps_of(profile, &work);
        let path = known.waits.critical_path(profile);
        Case {
            profile,
            total: whole(profile).duration().0 as f64,
            engines: &known.summary.engines,
            gaps,
            path,
            products: products(profile, &work),
            work,
            signals: known.waits.signals(profile),
            metrics: &known.summary.metrics,
            info: info.or_else(|| cells::table(profile, &["TensorInfo", "neff_node"])),
            memory: OnceCell::new(),
            busy_engines: OnceCell::new(),
            busy_dma: OnceCell::new(),
            hardware: facts.hardware(),
            facts,
        }
    }

    /// A metric of the file, else of the formulas, else of the rows: what Summary shows.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.node == 0 && m.name == name).and_then(|m| m.file.or(m.computed))
    }

    /// Tensors; `None` where no table lists them, so that no transfer can be compared with a size.
    pub fn tensors(&self) -> Option<&[TensorRow]> {
        self.info.map(|_| self.memory().rows.as_slice())
    }

    /// Intervals in which tensors are reloaded, or small transfers follow each other closely.
    pub fn bands(&self) -> &[Band] {
        &self.memory().bands
    }

    fn memory(&self) -> &Tensors {
        self.memory.get_or_init(|| tensors(self.profile, self.info))
    }

    /// FLOPs utilization: by the model's own FLOPs if HLO statistics have them, else by instructions. `None` if not recorded, or 0.
    pub fn utilization(&self) -> Option<Utilization> {
        let against_limit = |value: &str, most: &str, label| {
            let value = self.number(value).filter(|v| *v > 0.0)?;
            Some(Utilization { value, most: self.number(most).filter(|m| *m > 0.0), label })
        };
        let of_model = self.number("model_flops").filter(|f| *f > 0.0).and_then(|_| {
            let label = "Model FLOPs utilization (HLO statistics)";
            against_limit("mfu_estimated_percent", "mfu_max_achievable_estimated_percent", label)
                .or_else(|| against_limit("mfu_hlo_estimated_percent", "mfu_hlo_max_achievable_estimated_percent", label))
        });
        let label = "Model FLOPs utilization (instructions without transposes)";
        of_model.or_else(|| against_limit("mfu_inst_estimated_percent", "mfu_inst_max_achievable_estimated_percent", label))
    }

    /// The device part; rules on it say what they lack where it is of another profile.
    pub fn device(&self) -> Option<&'a NeuronDevice> {
        self.profile.neuron_device()
    }

    /// The table of either name.
    pub fn table(&self, names: [&str; 2]) -> Option<&'a GenericTable> {
        self.profile.tables.iter().find(|t| names.contains(&t.id.as_str()) && !t.rows.is_empty())
    }

    /// A slice as a place.
    pub fn place(&self, slice: SliceId) -> super::Location {
        let slices = &self.profile.slices;
        let range = TimeRange::new(TimeNs(slices.start[slice.index()]), TimeNs(slices.end(slice.index())));
        super::Location { label: self.profile.name_of(slice).into(), range, slice: Some(slice) }
    }

    /// When each engine of each core worked.
    pub fn busy_engines(&self) -> &[Busy] {
        self.busy_engines.get_or_init(|| busy_on(self.profile, None, &[TrackKind::Engine]))
    }

    /// When the DMA of each core moved something.
    pub fn busy_dma(&self) -> &[Busy] {
        self.busy_dma.get_or_init(|| busy_on(self.profile, None, &[TrackKind::Queue]))
    }

    /// The products of the core whose transposes take longest; `None` where no instruction is marked as one.
    pub fn most_transposing(&self) -> Option<&Products> {
        self.products.iter().filter(|p| p.transposing > 0.0).max_by(|a, b| a.transposing.total_cmp(&b.transposing))
    }

    /// Share of all FLOPs that the core with most of them does; `None` where rows do not record FLOPs.
    pub fn largest_share(&self) -> Option<f64> {
        let sum: f64 = self.products.iter().map(|p| p.all as f64).sum();
        let most = self.products.iter().map(|p| p.all as f64).fold(0.0, f64::max);
        (sum > 0.0).then(|| most / sum)
    }
}

fn products(profile: &Profile, work: &[Engine<'_>]) -> Vec<Products> {
    let Some(device) = profile.neuron_device() else { return Vec::new() };
    let kinds = profile.attribute("instruction_type");
    let transpose = profile.strings.iter().find(|s| s.1 == "TRANSPOSE").map(|s| s.0);
    let of = |engine: &Engine<'_>| {
        let (mut spans, mut longest) = (Vec::new(), Vec::new());
        let (mut all, mut moved, mut n_transposes) = (0u64, 0u64, 0);
        for_each_chunk(engine.len(), &mut |part| {
            for Executed { start, end, slice, .. } in engine.part(part) {
                let elements = device.elements.at(slice.index()).filter(|e| *e != NeuronDevice::ABSENT);
                let flops = 2 * u64::from(elements.unwrap_or(0));
                all = all.saturating_add(flops);
                if transpose.is_some() && kinds.and_then(|kinds| kinds.values.at(slice.index())) == transpose {
                    moved = moved.saturating_add(flops);
                    n_transposes += 1;
                    spans::push(&mut spans, (start, end));
                    keep_largest(&mut longest, 3, (end - start, slice), |l| l.0);
                }
            }
        });
        Products { core: engine.core.clone(), all, moved, n_transposes, transposing: Spans::union(spans).total() as f64, longest }
    };
    work.iter().filter(|e| e.name == "Tensor").map(of).filter(|p| p.all > 0 || p.n_transposes > 0).collect()
}
