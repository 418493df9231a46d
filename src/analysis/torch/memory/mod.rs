//! Memory of a PyTorch trace: how much was held when, which operators asked for it, and how long each piece lived.

pub mod curve;
mod frames;
mod lifetimes;
mod operators;

use super::View;
use super::core::owners::Owners;
use crate::base::Order as _;
use crate::base::{SliceId, TimeNs, TimeRange, TrackId};
use crate::model::torch::MemoryEvent;
use serde::{Deserialize, Serialize};

pub use frames::frames;

/// Which part of the trace the statistics are about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// Records in this range, both ends included. `None` is the whole trace. The curve is always whole.
    pub range: Option<TimeRange>,
}

/// Answer to [`MemoryQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Ordered by name. Devices with records.
    pub devices: Vec<MemoryDevice>,
    /// The device to show first: the first that is not the CPU, else the CPU. A position in `devices`.
    pub default_device: usize,
    /// First moment of the trace: what times are counted from.
    pub origin: TimeNs,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// Memory of one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryDevice {
    /// `CPU`, `GPU0`, `XPU1`.
    pub name: String,
    /// Size of its memory in bytes, where the trace records it.
    pub capacity_bytes: Option<u64>,
    /// Corners of the step curve by time: two for each record but the first. At most [`curve::MAX_POINTS`]; more are thinned out for drawing.
    pub curve: Vec<MemoryPoint>,
    /// Corners before thinning out.
    pub n_points: u64,
    /// The highest point. `None` where records have no totals.
    pub peak: Option<MemoryPeak>,
    /// Ordered by operator name. Operators that asked for nothing and gave nothing back are not listed.
    pub operators: Vec<MemoryRow>,
    /// Records in the range.
    pub n_records: u64,
    /// Allocations outside operators, which have no row.
    pub n_outside: u64,
    /// Sum of the bytes of those.
    pub outside_bytes: i64,
}

/// A corner of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryPoint {
    /// When.
    pub time: TimeNs,
    /// Bytes that tensors hold.
    pub allocated_bytes: u64,
    /// Bytes that the allocator holds, used and unused.
    pub reserved_bytes: u64,
}

/// The highest point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryPeak {
    /// The first moment it was reached.
    pub time: TimeNs,
    /// Bytes that tensors held.
    pub allocated_bytes: u64,
    /// The operator that reached it.
    pub operator: Option<SliceId>,
}

/// What the calls of one operator did to the memory of one device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryRow {
    /// `aten::empty`.
    pub name: String,
    /// Calls, including those without memory events, if they are siblings or children of one with events.
    pub calls: u64,
    /// Bytes allocated less bytes released, in what the calls contain too.
    pub increase_bytes: i64,
    /// The same in the calls themselves.
    pub self_increase_bytes: i64,
    /// Allocations, in what the calls contain too.
    pub allocations: u64,
    /// Allocations in the calls themselves.
    pub self_allocations: u64,
    /// Their bytes, in what the calls contain too.
    pub allocated_bytes: i64,
    /// Their bytes in the calls themselves.
    pub self_allocated_bytes: i64,
    /// The call with the most bytes allocated.
    pub largest: SliceId,
}

/// Which allocations to list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct MemoryEventsQuery {
    /// Name of the device.
    pub device: String,
    /// Only allocations and releases in this range, both ends included.
    pub range: Option<TimeRange>,
    /// Minimum bytes of an allocation.
    pub min_bytes: Option<u64>,
    /// Maximum bytes of an allocation.
    pub max_bytes: Option<u64>,
    /// Maximum rows, largest allocations first; 0 is [`MAX_EVENTS`].
    pub limit: u32,
}

/// Rows of an answer to [`MemoryEventsQuery`] at most.
pub const MAX_EVENTS: u32 = 100_000;

/// Answer to [`MemoryEventsQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryEvents {
    /// Pieces that were released, in the order of release; then those that were not; then releases of what was allocated earlier.
    pub rows: Vec<MemoryLife>,
    /// Rows that fit the question, listed or not.
    pub n_total: u64,
    /// Size of the largest piece of the device in the range, whatever the limits: what a filter can be set from.
    pub largest_bytes: u64,
}

/// An allocation from allocation to release.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryLife {
    /// The operator that allocated it: `aten::conv2d`, or `aten::randn (aten::empty)` for a bare allocation with the one it is in.
    pub operator: Option<String>,
    /// Bytes.
    pub size_bytes: u64,
    /// `None` if that was before the trace or range.
    pub allocated: Option<TimeNs>,
    /// `None` if that was after the trace or range.
    pub released: Option<TimeNs>,
    /// The operator's slice.
    pub slice: Option<SliceId>,
    /// Thread of the allocation (of the release, where there is no allocation).
    pub track: TrackId,
}

/// Where in the program a record was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryFramesQuery {
    /// [`MemoryLife::track`].
    pub track: TrackId,
    /// When.
    pub time: TimeNs,
}

/// Answer to [`MemoryFramesQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryFrames {
    /// Outermost first: `path(line): function`. Empty where the trace has no stacks.
    pub frames: Vec<String>,
    /// Operators around the record, outermost first.
    pub operators: Vec<(String, SliceId)>,
}

/// A device by torch's numbering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceKey {
    /// [`MemoryEvent::device_type`].
    kind: i32,
    /// [`MemoryEvent::device_id`]; 0 of the CPU, which is one.
    id: i32,
}

impl DeviceKey {
    fn of(record: &MemoryEvent) -> Self {
        DeviceKey { kind: record.device_type, id: if record.device_type == 0 { 0 } else { record.device_id } }
    }

    /// `CPU`, `GPU0`; devices of AMD (type 6) are GPUs too.
    fn name(self) -> String {
        let kind = match self.kind {
            0 => return "CPU".into(),
            1 | 6 => "GPU",
            7 => "FPGA",
            8 => "MAIA",
            9 => "XLA",
            10 => "Vulkan",
            12 => "XPU",
            13 => "MPS",
            15 => "HPU",
            16 => "VE",
            18 => "IPU",
            19 => "MTIA",
            20 => "PrivateUse",
            other => return format!("Device type {other} #{}", self.id),
        };
        format!("{kind}{}", self.id)
    }
}

/// Answers [`MemoryQuery`].
pub fn memory(view: &View<'_>, query: &MemoryQuery) -> Memory {
    let owners = view.model.owners(view.profile, view.torch);
    let rows = operators::operators(view, owners, query.range);
    let mut devices: Vec<MemoryDevice> = rows
        .into_iter()
        .map(|(key, rows)| MemoryDevice {
            name: key.name(),
            capacity_bytes: capacity(view, key),
            operators: rows.rows,
            n_records: rows.n_records,
            n_outside: rows.n_outside,
            outside_bytes: rows.outside_bytes,
            ..drawn(view, owners, key)
        })
        .collect();
    devices.order_by(|a, b| a.name.cmp(&b.name));
    let default_device = devices.iter().position(|d| d.name != "CPU").unwrap_or(0);
    Memory { notes: notes(view, &devices), origin: view.profile.meta.range.start, default_device, devices }
}

/// Answers [`MemoryEventsQuery`].
pub fn events(view: &View<'_>, query: &MemoryEventsQuery) -> MemoryEvents {
    lifetimes::events(view, view.model.owners(view.profile, view.torch), query)
}

/// Curve and peak of a device.
fn drawn(view: &View<'_>, owners: &Owners, key: DeviceKey) -> MemoryDevice {
    let mut points = Vec::with_capacity(view.torch.memory.len());
    let mut peak: Option<MemoryPeak> = None;
    for (record, &node) in view.torch.memory.iter().zip(&owners.node) {
        let (Some(allocated_bytes), Some(reserved_bytes), Some(_)) = (record.allocated, record.reserved, record.address) else {
            continue;
        };
        if DeviceKey::of(record) != key {
            continue;
        }
        let time = TimeNs(record.time);
        points.push(MemoryPoint { time, allocated_bytes, reserved_bytes });
        if peak.is_none_or(|p| allocated_bytes > p.allocated_bytes) {
            let slice = view.model.trees.slice.get(node as usize).copied().filter(|&s| s != crate::model::NO_SLICE);
            peak = Some(MemoryPeak { time, allocated_bytes, operator: slice.map(SliceId) });
        }
    }
    let corners = curve::corners(&points);
    MemoryDevice { n_points: corners.len() as u64, curve: curve::thin_out(&corners, curve::MAX_POINTS), peak, ..MemoryDevice::default() }
}

/// Memory of a device that `deviceProperties` names: only GPUs are there.
fn capacity(view: &View<'_>, key: DeviceKey) -> Option<u64> {
    let id = u32::try_from(key.id).ok().filter(|_| key.kind != 0)?;
    view.torch.devices.iter().find(|d| d.id == id)?.memory_bytes
}

fn notes(view: &View<'_>, devices: &[MemoryDevice]) -> Vec<String> {
    let mut out = Vec::new();
    if devices.is_empty() {
        out.push("No `[memory]` events are recorded in this trace: record with `profile_memory=True`.".into());
        return out;
    }
    if view.torch.memory.iter().all(|r| r.address.is_none()) {
        out.push(
            "Addresses and totals are not recorded (PyTorch before 1.10): only sums are shown, without a curve or single allocations."
                .into(),
        );
    } else if devices.iter().any(|d| d.n_points == 0) {
        out.push("Totals of some devices are not recorded: they have no curve.".into());
    }
    if view.model.trees.roots.is_empty() {
        out.push("No operators are recorded in this trace: memory records are not attributed to operators.".into());
    }
    out
}
