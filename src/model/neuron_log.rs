//! What a run of the TensorBoard Neuron plugin holds besides its timeline: operator tables, and what each row is.

use super::Cell;
use crate::base::{SliceId, StrId};

/// One run of a log directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NeuronLog {
    /// Name of the run's directory; empty for a file dropped alone.
    pub run: String,
    /// The same as a date that sorts, where the name is a stamp.
    pub date: Option<String>,
    /// Tools that the files of the run fill: `trace`, `operator-framework`, `operator-hlo`, `operator-timeline`.
    pub tools: Vec<String>,
    /// Operators of the framework as the file lists them.
    pub framework: Option<OpTable>,
    /// HLO operators as the file lists them.
    pub hlo: Option<OpTable>,
    /// What each track is; as long as the tracks.
    pub roles: Vec<Role>,
    /// Members of fused slices, by slice.
    pub fused: Vec<(SliceId, Vec<StrId>)>,
}

/// The part of the operator timeline that a row belongs to: its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Part {
    /// Process Control.
    Control,
    /// Process Execution.
    Execution,
    /// Process Data Transfer.
    Transfer,
    /// A process that is called something else.
    #[default]
    Other,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Overview: the runtime prepares.
    RuntimeSetup,
    /// Overview: engines compute.
    ComputeBusy,
    /// Overview: data moves.
    DmaBusy,
    /// A level of the model's hierarchy.
    Hierarchy(Part),
    /// Operators of the framework.
    FrameworkOps(Part),
    /// HLO operators.
    HloOps(Part),
    /// Trace: the device executes.
    DeviceExecution,
    /// Trace: data moves between host and device.
    IoTransfer,
    /// Trace: collectives wait for each other.
    CcSync,
    /// Trace: a thread of the host.
    Host,
    /// Groups, and rows of another kind.
    #[default]
    Other,
}

/// An operator table as a file lists it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpTable {
    /// The records, in the order written.
    pub rows: Vec<OpRecord>,
    /// `total_time`, in the unit of the times; `None` where the file has none.
    pub total_time_ns: Option<i64>,
    /// Whether the key of operator names was recognised.
    pub has_name: bool,
    /// Whether the key of times and its unit were recognised.
    pub has_time: bool,
    /// Keys without a known meaning: further columns, in the order of the file.
    pub columns: Vec<String>,
    /// Which key was taken for what, one sentence each.
    pub matched: Vec<String>,
}

/// One record. Unrecorded values are `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpRecord {
    /// Operator.
    pub name: String,
    /// How often it ran.
    pub occurrences: Option<u64>,
    /// NeuronDevice.
    pub device: String,
    /// NeuronCore.
    pub core: String,
    /// Its time.
    pub time_ns: Option<i64>,
    /// Operators that were fused into it.
    pub members: Vec<String>,
    /// One for each of the table's `columns`.
    pub more: Vec<Cell>,
}
