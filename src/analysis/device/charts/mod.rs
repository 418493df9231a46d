//! What the charts of the summary show, of the whole run or a range of it: how the engines and the memory were used, how data moved, how long
//! collective operations took, and what the run was made on. Shares are of the window: the run or the range.

mod collectives;
mod engines;
mod memory;
mod transfers;

use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use crate::model::{Domain, Fact, NeuronDevice, Profile};
pub(super) use collectives::operations;
pub use collectives::quartiles;
use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Charts {
    /// Length of the run or the range.
    pub duration: DurationNs,
    /// Names of the cores, in display order.
    pub cores: Vec<String>,
    /// Ordered by core and engine.
    pub engines: Vec<EngineSplit>,
    /// Bytes from and to HBM; `None` where the file does not record them.
    pub memory: Option<Memory>,
    /// Mean size of a transfer; `None` where no size is recorded.
    pub transfer_mean: Option<TransferMean>,
    /// Transfers by DMA engine, queue and type.
    pub transfers: Vec<TransferGroup>,
    /// Transfers by what they move and by their size, most bytes first.
    pub sizes: Vec<SizeGroup>,
    /// Groups of sizes beyond those.
    pub n_more_sizes: u64,
    /// Longest first.
    pub operations: Vec<Operation>,
    /// Operations beyond those; the boxes are of all.
    pub n_more_operations: u64,
    /// One for each name and size, most time first.
    pub boxes: Vec<BoxFigures>,
    /// What the run was made on: (name, value).
    pub system: Vec<(String, String)>,
    /// What cannot be determined, in sentences.
    pub notes: Vec<String>,
}

/// Where the time of an engine of a core went; all shares together are 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineSplit {
    /// `NC 4`.
    pub core: String,
    /// `Tensor`.
    pub engine: String,
    /// Useful FLOPs ÷ (peak of the core × window); `None` for engines without matrix products and where FLOPs or peak are not recorded.
    pub model: Option<f64>,
    /// The same ratio for FLOPs that only transpose.
    pub transpose: Option<f64>,
    /// Active time beyond the two.
    pub active: f64,
    /// Active time that limits took away: Σ time under a limit × (1 − limit); `None` where the file records no times of throttling.
    pub active_throttled: Option<f64>,
    /// Idle time.
    pub unused: f64,
    /// Idle time under a limit × (1 − limit).
    pub unused_throttled: Option<f64>,
    /// Time in which anything but a semaphore wait ran.
    pub busy: DurationNs,
    /// Instructions by where they come from.
    pub origins: Origins,
    /// The most frequent opcodes, with their numbers of instructions.
    pub opcodes: Vec<(String, u64)>,
}

/// Instructions by where they come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// With a line of source, as those of a NKI kernel have; `None` where no instruction of the file has one.
    pub source: Option<u64>,
    /// Other instructions of the compiler.
    pub compiler: u64,
    /// Added by the runtime: instructions without debug info; `None` if no instruction has any.
    pub runtime: Option<u64>,
}

/// Bytes from and to HBM.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Read, reloads omitted where they are recorded.
    pub read: u64,
    /// Written, saves omitted where they are recorded.
    pub written: u64,
    /// Saved for lack of space and loaded again; `None` if not recorded.
    pub spilled: Option<u64>,
    /// The part of `spilled` that was loaded again; `None` where the two are not distinguished.
    pub reloaded: Option<u64>,
    /// What was read except for reloads, as a share of what was read; `None` if not recorded.
    pub useful_read: Option<f64>,
    /// Bandwidth of one stack × window; `None` where the metadata lack the bandwidth.
    pub available: Option<u64>,
    /// Moved by transfers without recorded direction and memory: all bytes of [`MemorySource::Transfers`], otherwise 0.
    pub moved_by_dma: u64,
    /// Where the bytes come from.
    pub source: MemorySource,
}

/// Mean size of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TransferMean {
    /// Bytes.
    pub bytes: f64,
    /// Whether it is recorded for the run; otherwise computed from the transfers that start in the run or the range.
    pub is_of_file: bool,
}

/// Where bytes of HBM come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemorySource {
    /// The file's own sums, of the whole run.
    File,
    /// The instructions of the run.
    #[default]
    Instructions,
    /// The transfers in a part of the run.
    Transfers,
}

impl Memory {
    /// All bytes that moved.
    pub fn moved(&self) -> u64 {
        let recorded = self.read.saturating_add(self.written).saturating_add(self.spilled.unwrap_or(0));
        recorded.saturating_add(self.moved_by_dma)
    }

    /// Bytes that could have moved besides; `None` without a bandwidth.
    pub fn unused(&self) -> Option<u64> {
        Some(self.available?.saturating_sub(self.moved()))
    }
}

/// What transfers are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TransferBy {
    /// DMA engine.
    Engine,
    /// Queue.
    Queue,
    /// What feeds the queue: `hardware_dynamic`.
    Type,
}

/// Transfers of a core that have something in common; packets that occur twice in the file count once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferGroup {
    /// What they have in common.
    pub by: TransferBy,
    /// `NC 4`.
    pub core: String,
    /// `DMA-E64`, `Q0 qSyncIO`, `instruction`.
    pub name: String,
    /// Time in which at least one of them ran.
    pub busy: DurationNs,
    /// Bytes; `None` where no size is recorded.
    pub bytes: Option<u64>,
    /// How many.
    pub count: u64,
    /// Bytes ÷ (bandwidth × window): of one of the core's DMA engines for an engine, of all of them else; `None` if not recorded.
    pub bandwidth_share: Option<f64>,
    /// `busy` ÷ window.
    pub busy_share: f64,
}

/// Transfers of one size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SizeGroup {
    /// `NC 4`.
    pub core: String,
    /// The variable that they move, else their queue.
    pub name: String,
    /// What feeds their queue; empty if not recorded.
    pub kind: String,
    /// Bytes of each.
    pub size: u32,
    /// How many.
    pub count: u64,
    /// Bytes per second: all bytes ÷ their durations added up.
    pub rate: f64,
    /// Shortest and longest of them.
    pub durations: (DurationNs, DurationNs),
    /// The longest.
    pub slice: SliceId,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Operation {
    /// `AllGather`, with its size if recorded.
    pub group: String,
    /// The larger of what goes in and comes out; `None` if not recorded.
    pub bytes: Option<u64>,
    /// When it ran.
    pub range: TimeRange,
    /// From trigger to start.
    pub delay: Option<DurationNs>,
    /// The operation.
    pub slice: SliceId,
}

/// Durations of operations of one group, nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxFigures {
    /// Name and size.
    pub group: String,
    /// How many.
    pub count: u64,
    /// Least, first quartile, median, third quartile, most.
    pub five: [f64; 5],
    /// Mean.
    pub mean: f64,
    /// Mean of the squared distances to the mean, ns².
    pub variance: f64,
}

/// The charts of the run, or of a range of it.
pub fn charts(profile: &Profile, range: Option<TimeRange>) -> Charts {
    let facts = MetricSource::of(profile);
    let Domain::NeuronDevice(device) = &profile.domain else { return Charts::default() };
    let window = match range {
        Some(range) => range.duration(),
        None if device.window_ns > 0 => DurationNs(device.window_ns),
        None => profile.meta.range.duration(),
    };
    let given = ChartContext { profile, device, facts: &facts, range, window, within: range.unwrap_or(EVER), roots: roots(profile) };
    let mut out = Charts { duration: window, ..Charts::default() };
    engines::engines(&given, &mut out);
    memory::memory(&given, &mut out);
    transfers::transfers(&given, &mut out);
    collectives::collectives(&given, &mut out);
    let names = out.engines.iter().map(|e| &e.core).chain(out.transfers.iter().map(|t| &t.core));
    for core in names {
        if !out.cores.contains(core) {
            out.cores.push(core.clone());
        }
    }
    let is_system = |f: &&Fact| f.group == "Versions" || f.group == "Hardware" || f.name == "Instance type";
    out.system = profile.meta.facts.iter().filter(is_system).map(|f| (f.name.clone(), f.value.clone())).collect();
    out
}

/// All time.
const EVER: TimeRange = TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) };

/// What every chart is made of.
struct ChartContext<'a> {
    profile: &'a Profile,
    device: &'a NeuronDevice,
    facts: &'a MetricSource<'a>,
    /// `None` is the whole run.
    range: Option<TimeRange>,
    window: DurationNs,
    /// The range, or all time.
    within: TimeRange,
    /// Name of the core of each track.
    roots: Vec<u32>,
}

impl ChartContext<'_> {
    /// Name of a track's core.
    fn core(&self, track: usize) -> String {
        self.profile.strings.get(self.profile.tracks[self.roots[track] as usize].name).into()
    }

    /// A slice as a span within the range; `None` where it does not touch it.
    fn span(&self, slice: usize) -> Option<(i64, i64)> {
        let (from, to) = (self.profile.slices.start[slice], self.profile.slices.end(slice));
        (from < self.within.end.0 && to >= self.within.start.0).then(|| (from.max(self.within.start.0), to.min(self.within.end.0)))
    }

    /// A time as a share of the window.
    fn share(&self, ns: f64) -> f64 {
        if self.window.0 > 0 { ns / self.window.0 as f64 } else { 0.0 }
    }
}

fn roots(profile: &Profile) -> Vec<u32> {
    crate::analysis::device::waiting::signals::roots(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_charted_of_another_profile() {
        assert_eq!(charts(&Profile::default(), None), Charts::default());
    }
}
