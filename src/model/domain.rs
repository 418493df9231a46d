//! What only one kind of profile has.

use super::neuron_log::NeuronLog;
use super::semaphores::SemaphoreUse;
use super::support::SupportReport;
use super::system::NeuronSystem;
use super::torch::Torch;

/// The typed part of a profile.
#[derive(Debug, Default)]
#[allow(clippy::large_enum_variant, reason = "there is one for each profile; on 32 bits it is not large")]
pub enum Domain {
    /// A timeline and nothing more.
    #[default]
    Plain,
    /// A PyTorch profiler trace.
    Torch(Box<Torch>),
    /// A Neuron device profile.
    NeuronDevice(NeuronDevice),
    /// A run of the TensorBoard Neuron plugin.
    NeuronLog(Box<NeuronLog>),
    /// A Neuron system profile.
    NeuronSystem(Box<NeuronSystem>),
    /// Which operators of a model Neuron supports; no timeline.
    SupportReport(Box<SupportReport>),
}

/// Neuron's device tables. Rows that an analysis reads; everything else stays in generic tables.
#[derive(Debug, Default)]
pub struct NeuronDevice {
    /// Hardware generation: `trn2`.
    pub instance_type: String,
    /// Physical NeuronCores in the profile.
    pub n_cores: u32,
    /// Execution window, nanoseconds.
    pub window_ns: i64,
    /// Program counter of each slice that is an instruction; [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub pc: Vec<u32>,
    /// Bytes of each slice that is a DMA transfer; [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub bytes: Vec<u32>,
    /// Nanoseconds each instruction waited for its semaphore; [`NeuronDevice::ABSENT`] where not told. As long as the slice table.
    pub wait_ns: Vec<u32>,
    /// Multiplications and additions of each matrix product, half its FLOPs (`Σ 2 × elements` is the summary's `hardware_flops`);
    /// [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub elements: Vec<u32>,
    /// Bytes that each instruction read from and wrote to the State Buffer; [`NeuronDevice::ABSENT`] where not told. As long as the slice table.
    pub sbuf_bytes: Vec<u32>,
    /// Instructions that moved bytes from or to HBM, by slice: few do.
    pub hbm: Vec<HbmTraffic>,
    /// DMA slices for whose packet another slice stands as well, ascending: counts of bytes leave them out.
    pub duplicates: Vec<u32>,
    /// DMA slices that a collective operation made, ascending.
    pub collective: Vec<u32>,
    /// Semaphores that instructions wait for and set, by slice; none where the file does not tell operands.
    pub semaphores: Vec<SemaphoreUse>,
}

/// Bytes that an instruction moved from and to HBM, through the DMA transfers that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HbmTraffic {
    /// The instruction.
    pub slice: u32,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Of both, bytes saved and loaded again for want of room in the State Buffer; `None` where not told.
    pub spilled: Option<u64>,
}

impl NeuronDevice {
    /// "The file does not tell" in a number column.
    pub const ABSENT: u32 = u32::MAX;
}
