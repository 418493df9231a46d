//! What only one kind of profile has.

use super::neuron_log::NeuronLog;
use super::support::SupportReport;
use super::torch::Torch;

/// The typed part of a profile.
#[derive(Debug, Default)]
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
}

impl NeuronDevice {
    /// "The file does not tell" in a number column.
    pub const ABSENT: u32 = u32::MAX;
}
