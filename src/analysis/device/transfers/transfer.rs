//! A DMA transfer and its packets: which instruction asked for it, from where to where it went.

use crate::analysis::details::Neighbour;
use crate::base::{DurationNs, SliceId, text};
use crate::model::accesses::{Access, Memory};
use crate::model::{Domain, NeuronDevice, Profile};

/// Bytes of the packet that ends a transfer on its ring.
const END_BYTES: u32 = 4;

/// (key, value, what it means): of a packet, or of the instruction that started a transfer; nothing of other slices.
pub fn fields(profile: &Profile, slice: SliceId) -> Vec<(&'static str, String, &'static str)> {
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    match device.trigger_of(slice.0) {
        Some(trigger) => of_packet(profile, device, slice, trigger),
        None => of_instruction(profile, device, slice),
    }
}

/// The instruction that asked for the transfer of a packet, as a predecessor of it.
pub fn trigger(profile: &Profile, slice: SliceId) -> Option<Neighbour> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    let from = SliceId(device.trigger_of(slice.0)?);
    let gap_ns = profile.slices.start.get(slice.index())?.saturating_sub(profile.slices.end(from.index()));
    let track = profile.track_of(from).map(|t| profile.track_path(t)).unwrap_or_default();
    Some(Neighbour { slice: from, name: profile.name_of(from).into(), track, kind: "starts this transfer".into(), gap_ns })
}

/// A place in memory in words: `State Buffer, partitions 0–127, bytes 0x36500–0x366ff`.
pub fn place(access: &Access) -> String {
    let last = access.end().saturating_sub(1);
    let bytes = format!("bytes {:#x}–{last:#x}", access.address);
    let partitions = match access.n_partitions {
        0 | 1 => format!("partition {}", access.partition),
        n => format!("partitions {}–{}", access.partition, access.partition.saturating_add(n - 1)),
    };
    match access.memory {
        Memory::StateBuffer => format!("State Buffer, {partitions}, {bytes}"),
        Memory::Psum => format!("PSUM, {partitions}, {bytes}"),
        Memory::Device => format!("device memory, {bytes}"),
        Memory::Table => format!("device memory, tensor {} of the model's table, {bytes}", access.table),
    }
}

/// The ends of a transfer, read and written.
fn ends(device: &NeuronDevice, instruction: u32) -> (Option<&Access>, Option<&Access>) {
    let all = device.accesses_of(instruction);
    (all.iter().find(|a| !a.kind.writes()), all.iter().find(|a| a.kind.writes()))
}

fn of_packet(profile: &Profile, device: &NeuronDevice, slice: SliceId, trigger: u32) -> Vec<(&'static str, String, &'static str)> {
    let (read, written) = ends(device, trigger);
    let pc = device.pc.at(trigger as usize).filter(|pc| *pc != NeuronDevice::ABSENT).map(|pc| format!(" at pc {pc}")).unwrap_or_default();
    let track = profile.track_of(SliceId(trigger)).map(|t| profile.track_path(t)).unwrap_or_default();
    let mut out = vec![(
        "started by",
        format!("{}{pc} of {track}", profile.name_of(SliceId(trigger))),
        "Instruction that asked for the transfer: by order on its queue, checked by bytes and times",
    )];
    out.extend(read.map(|a| ("transfer source", place(a), "What the entire transfer reads, not this packet alone")));
    out.extend(written.map(|a| ("transfer destination", place(a), "What the entire transfer writes, not this packet alone")));
    if device.bytes.get(slice.index()) == Some(&END_BYTES) {
        out.push(("end of transfer", "yes".into(), "The last packet of the transfer on its ring: it raises the semaphore"));
    }
    out
}

fn of_instruction(profile: &Profile, device: &NeuronDevice, slice: SliceId) -> Vec<(&'static str, String, &'static str)> {
    let Some(moved) = device.transfer_of(slice.0) else { return Vec::new() };
    let since = |time: i64| text::duration(DurationNs(time.saturating_sub(profile.slices.start[slice.index()])));
    vec![
        ("packets", text::count(moved.n_packets.into()), "DMA packets of the transfer, with those that end it on each ring"),
        ("bytes moved", moved.bytes.to_string(), "Bytes of its packets, without those that end it"),
        ("first packet after", since(moved.start), "From the start of the instruction to the start of the first packet"),
        ("last packet after", since(moved.end), "From the start of the instruction to the end of the last packet"),
    ]
}
