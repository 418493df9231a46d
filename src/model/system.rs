//! A Neuron system profile: events of framework, runtime and device on one clock, with the host's and the memory's curves.

use crate::base::{SliceId, StrId};
use serde::{Deserialize, Serialize};

/// What a row of the system timeline shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Holds other rows.
    #[default]
    Group,
    /// Events of the framework, by thread.
    Framework,
    /// Events of the runtime on the host, by NeuronCore and thread.
    Runtime,
    /// Events of the device, by NeuronCore.
    Hardware,
    /// Bandwidth of transfers between host and device, bytes a second: two series, to and from the device.
    Bandwidth,
    /// HBM in use by category, bytes.
    Hbm,
    /// Use of one CPU, percent.
    Cpu,
    /// Host memory in use.
    HostMemory,
}

/// What a row belongs to; `StrId(0)` where the file does not record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Row {
    /// What it shows.
    pub kind: RowKind,
    /// Server: `i-0f207fb2a99bd2d08`.
    pub instance: StrId,
    /// Process id.
    pub process: StrId,
    /// Thread id.
    pub thread: StrId,
    /// Logical NeuronCore, or the CPU's or the HBM's number.
    pub core: StrId,
}

/// A transfer between host and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Its slice.
    pub slice: SliceId,
    /// Host to device, else device to host.
    pub is_to_device: bool,
    /// Bytes moved, where the file records it.
    pub bytes: Option<u64>,
}

/// An execution of a model on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// Its slice.
    pub slice: SliceId,
    /// The model: its name, its NEFF or its id; `StrId(0)` if not recorded.
    pub model: StrId,
    /// The device profile it names; `StrId(0)` where it names none.
    pub profile: StrId,
    /// Its id; `StrId(0)` where it has none.
    pub execution: StrId,
}

/// A call of the host that submits an execution to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submit {
    /// Its slice.
    pub slice: SliceId,
    /// The id of the execution; `StrId(0)` where it has none.
    pub execution: StrId,
}

/// An event that takes part in flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFlow {
    /// Its slice.
    pub slice: SliceId,
    /// Its id in the file.
    pub event: StrId,
    /// Flows it takes part in.
    pub flows: Vec<StrId>,
}

/// A device profile that was captured with the system profile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceProfile {
    /// Its name.
    pub name: String,
    /// Server.
    pub instance: String,
    /// Process id.
    pub process: String,
    /// NeuronCore.
    pub core: String,
}

/// How the clocks of devices were put on the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Clock {
    /// Sync points in the file.
    pub n_points: u64,
    /// Device events placed by them.
    pub n_placed: u64,
    /// Most that a sync point differs from what the one before it predicts, nanoseconds.
    pub residual_ns: Option<i64>,
    /// Sync points at which a clock jumps.
    pub n_jumps: u64,
}

/// What only a system profile has.
#[derive(Debug, Default)]
pub struct NeuronSystem {
    /// Ordered by track.
    pub rows: Vec<Row>,
    /// Ordered by slice. Copies of the runtime (`dmem_buf_copyin`, `dmem_buf_copyout`) where there are any, else reads and writes of tensors.
    pub transfers: Vec<Transfer>,
    /// Ordered by slice.
    pub executions: Vec<Execution>,
    /// Ordered by slice.
    pub submits: Vec<Submit>,
    /// Ordered by slice.
    pub flows: Vec<EventFlow>,
    /// HBM of a NeuronCore, bytes.
    pub hbm_capacity: Option<u64>,
    /// As the profile lists them.
    pub device_profiles: Vec<DeviceProfile>,
    /// Clocks.
    pub clock: Clock,
}
