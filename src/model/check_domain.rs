//! The typed part of a profile, walked.

use super::check::{BrokenRule, expect};
use super::torch::Torch;
use super::{Column, Domain, NeuronDevice, Profile};
use crate::base::StrId;

impl Profile {
    pub(super) fn check_domain(&self) -> Result<(), BrokenRule> {
        match &self.domain {
            Domain::Torch(torch) => self.check_torch(torch),
            Domain::NeuronDevice(device) => self.check_neuron_device(device),
            Domain::NeuronLog(log) => self.check_neuron_log(log),
            Domain::NeuronSystem(system) => self.check_neuron_system(system),
            Domain::MemorySnapshot(snapshot) => self.check_snapshot(snapshot),
            Domain::Plain | Domain::Perfetto(_) | Domain::SupportReport(_) => Ok(()),
            Domain::Fleet(run) => run.check(),
        }
    }

    fn check_torch(&self, torch: &Torch) -> Result<(), BrokenRule> {
        let n = self.slices.len();
        expect(torch.correlation.len() == n && torch.external_id.len() == n, ("torch", "columns and slices differ in length"))?;
        self.check_slices("kernels", torch.kernels.iter().map(|k| k.slice))?;
        self.check_slices("collectives", torch.collectives.iter().map(|c| c.slice))?;
        self.check_slices("functions", torch.functions.iter().map(|f| f.slice))?;
        self.check_slices("stacks", torch.stacks.iter().map(|s| s.0))?;
        let kernels = torch.kernels.iter().flat_map(|k| [k.grid, k.block]);
        let collectives = torch.collectives.iter().flat_map(|c| [c.name, c.dtype, c.group, c.input_types]);
        let threads = torch.threads.iter().flat_map(|t| [t.pid, t.tid]);
        self.check_strings(kernels.chain(collectives).chain(threads).chain(torch.stacks.iter().map(|s| s.1)))?;
        let n_tracks = self.tracks.len();
        expect(torch.threads.is_sorted_by(|a, b| a.track < b.track), ("torch", "threads are not sorted, or one is there twice"))?;
        expect(torch.threads.iter().all(|t| t.track.index() < n_tracks), ("torch", "a thread has no track"))?;
        expect(torch.memory.iter().all(|m| m.track.index() < n_tracks), ("torch", "a memory event has no track"))?;
        expect(torch.memory.is_sorted_by_key(|m| (m.time, m.record.offset())), ("torch", "memory events are not sorted"))?;
        self.check_slices("operator inputs", torch.inputs.iter().map(|i| i.slice))?;
        self.check_strings(torch.inputs.iter().flat_map(|i| [i.types, i.concrete]))?;
        self.check_slices("replay work", torch.replays.work.iter().map(|w| w.0))?;
        self.check_slices("graph launches", torch.replays.launches.iter().map(|l| l.slice))?;
        let nodes = &torch.replays.nodes;
        expect(nodes.iter().all(|node| (node.slice as usize) < n), ("torch", "a replay node has no slice"))?;
        let has_parent = |(i, node): (usize, &super::replays::ReplayNode)| node.parent().is_none_or(|p| (p as usize) < i);
        expect(nodes.iter().enumerate().all(has_parent), ("torch", "a replay node is before its parent"))?;
        expect(torch.replays.work.iter().all(|w| (w.1 as usize) < nodes.len()), ("torch", "replay work has no node"))?;
        let in_range = |t: i64| self.meta.range.start.0 <= t && t <= self.meta.range.end.0;
        expect(torch.memory.iter().all(|m| in_range(m.time)), ("torch", "a memory event is outside the profile"))
    }

    fn check_snapshot(&self, snapshot: &super::MemorySnapshot) -> Result<(), BrokenRule> {
        let n_stacks = snapshot.stack_ends.len() as u32;
        expect(snapshot.stack_ends.first() == Some(&0), ("memory snapshot", "stack 0 has frames"))?;
        expect(snapshot.stack_ends.is_sorted(), ("memory snapshot", "stacks are not one after the other"))?;
        expect(
            snapshot.stack_ends.last().is_none_or(|end| *end as usize == snapshot.stack_frames.len()),
            ("memory snapshot", "stacks end elsewhere than their frames"),
        )?;
        expect(
            snapshot.stack_frames.iter().all(|f| (*f as usize) < snapshot.frames.len()),
            ("memory snapshot", "a stack has an unknown frame"),
        )?;
        self.check_strings(snapshot.frames.iter().flat_map(|f| [f.name, f.file]))?;
        expect(
            snapshot.devices.is_sorted_by(|a, b| a.device < b.device),
            ("memory snapshot", "devices are not sorted, or one is there twice"),
        )?;
        for device in &snapshot.devices {
            let (n_states, all) = (device.allocated.len(), &device.allocations);
            expect(n_states > 0, ("memory snapshot", "a device has no state"))?;
            expect(
                device.times.is_empty() || device.times.len() + 1 == n_states,
                ("memory snapshot", "times and states differ in number"),
            )?;
            expect(device.times.is_sorted(), ("memory snapshot", "times of events go back"))?;
            let lengths = [all.address.len(), all.from.len(), all.to.len(), all.requested.len(), all.stream.len(), all.stack.len()];
            expect(lengths.iter().all(|l| *l == all.len()), ("memory snapshot", "columns of allocations differ in length"))?;
            expect(all.from.is_sorted(), ("memory snapshot", "allocations are not in the order of their events"))?;
            expect(
                all.from.iter().zip(&all.to).all(|(from, to)| from < to && (*from as usize) < n_states),
                ("memory snapshot", "an allocation ends before it begins"),
            )?;
            expect(all.stack.iter().all(|s| *s < n_stacks), ("memory snapshot", "an allocation has an unknown stack"))?;
            expect(all.extras.iter().all(|e| (e.0 as usize) < all.len()), ("memory snapshot", "a text belongs to no allocation"))?;
            self.check_strings(all.extras.iter().flat_map(|e| [e.1, e.2]))?;
            expect(device.reserved.is_sorted_by_key(|r| r.0), ("memory snapshot", "reserved memory is not sorted"))?;
            expect(
                device.ooms.iter().all(|o| (o.state as usize) < n_states && o.stack < n_stacks),
                ("memory snapshot", "an OOM has an unknown state or stack"),
            )?;
            let n_blocks = device.blocks.len() as u32;
            expect(
                device.segments.iter().all(|s| s.blocks.start <= s.blocks.end && s.blocks.end <= n_blocks && s.stack < n_stacks),
                ("memory snapshot", "a segment points beyond the blocks"),
            )?;
            expect(device.blocks.iter().all(|b| b.stack < n_stacks), ("memory snapshot", "a block has an unknown stack"))?;
            let live: u64 = (0..all.len()).filter(|&i| all.is_live(i, n_states as u32 - 1)).map(|i| all.size[i]).sum();
            expect(device.allocated.last() == Some(&live), ("memory snapshot", "allocated bytes differ from the live allocations"))?;
        }
        Ok(())
    }

    fn check_neuron_log(&self, log: &super::neuron_log::NeuronLog) -> Result<(), BrokenRule> {
        expect(log.roles.len() == self.tracks.len(), ("log", "the roles have another length than the tracks"))?;
        expect(log.fused.is_sorted_by(|a, b| a.0 < b.0), ("log", "fused slices are not sorted, or one is there twice"))?;
        self.check_slices("fused", log.fused.iter().map(|f| f.0.0))?;
        self.check_strings(log.fused.iter().flat_map(|f| f.1.iter().copied()))
    }

    fn check_neuron_system(&self, system: &super::NeuronSystem) -> Result<(), BrokenRule> {
        expect(system.rows.len() == self.tracks.len(), ("system", "the rows have another length than the tracks"))?;
        self.check_strings(system.rows.iter().flat_map(|r| [r.instance, r.process, r.thread, r.core]))?;
        self.check_slices("transfers", system.transfers.iter().map(|t| t.slice.0))?;
        self.check_slices("executions", system.executions.iter().map(|e| e.slice.0))?;
        self.check_slices("flows", system.flows.iter().map(|f| f.slice.0))?;
        self.check_strings(system.executions.iter().flat_map(|e| [e.model, e.profile]))?;
        self.check_strings(system.flows.iter().flat_map(|f| f.flows.iter().copied().chain([f.event])))
    }

    fn check_neuron_device(&self, device: &NeuronDevice) -> Result<(), BrokenRule> {
        let n = self.slices.len();
        let columns =
            [&device.pc, &device.bytes, &device.wait_ns, &device.elements, &device.sbuf_bytes, &device.accesses, &device.end_distance];
        let lengths = columns.map(Column::len);
        expect(lengths.iter().all(|&l| l == n), ("device", "columns and slices differ in length"))?;
        expect(device.semaphores.is_sorted_by_key(|u| u.slice), ("device", "semaphores are not sorted by slice"))?;
        expect(device.semaphores.last().is_none_or(|u| (u.slice as usize) < n), ("device", "a semaphore points beyond the slices"))?;
        self.check_strings(device.semaphores.iter().flat_map(|u| [u.id, u.owner]))?;
        self.check_slices("shapes", device.shapes.iter().map(|s| s.slice))?;
        self.check_slices("collective operations", device.operations.iter().map(|o| o.slice))?;
        let is_sound = |t: &super::domain::Throttle| t.core.index() < self.tracks.len() && t.start < t.end;
        expect(device.throttles.iter().all(is_sound), ("device", "a time of throttling has no core, or no length"))?;
        expect(device.throttles.is_sorted_by_key(|t| t.start), ("device", "times of throttling are not sorted"))?;
        self.check_slices("HBM traffic", device.hbm.iter().map(|h| h.slice))?;
        self.check_slices("duplicates", device.duplicates.iter().copied())?;
        self.check_slices("unreported transfers", device.unreported.iter().copied())?;
        let is_set = |set: &u32| *set == NeuronDevice::ABSENT || (*set as usize) < device.access_sets.len();
        expect(device.accesses.iter().all(is_set), ("device", "an instruction's accesses point beyond their table"))?;
        expect(device.triggers.is_empty() || device.triggers.len() == n, ("device", "the column of transfers has another length"))?;
        expect(device.packets().all(|p| (p.instruction as usize) < n), ("device", "a packet's instruction is beyond the slices"))?;
        self.check_slices("transfers by instruction", device.transfers.iter().map(|t| t.instruction))?;
        self.check_slices("collective transfers", device.collective.iter().copied())
    }

    /// Slices of a sparse table: inside the slice table, ascending, each once.
    fn check_slices(&self, table: &'static str, slices: impl Iterator<Item = u32> + Clone) -> Result<(), BrokenRule> {
        expect(slices.clone().is_sorted_by(|a, b| a < b), (table, "are not sorted by slice, or name a slice twice"))?;
        expect(slices.into_iter().all(|s| (s as usize) < self.slices.len()), (table, "point beyond the slices"))
    }

    pub(super) fn check_strings(&self, mut ids: impl Iterator<Item = StrId>) -> Result<(), BrokenRule> {
        let n_strings = self.strings.len() as u32;
        expect(ids.all(|id| id.0 < n_strings), ("strings", "a string id points beyond the table"))
    }
}
