//! The typed part of a profile, walked.

use super::check::expect;
use super::torch::Torch;
use super::{Column, Domain, NeuronDevice, Profile};
use crate::base::StrId;

impl Profile {
    pub(super) fn check_domain(&self) -> Result<(), String> {
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

    fn check_torch(&self, torch: &Torch) -> Result<(), String> {
        let n = self.slices.len();
        expect(torch.correlation.len() == n && torch.external_id.len() == n, || {
            "a torch column has another length than the slices".into()
        })?;
        self.check_slices("kernels", torch.kernels.iter().map(|k| k.slice))?;
        self.check_slices("collectives", torch.collectives.iter().map(|c| c.slice))?;
        self.check_slices("functions", torch.functions.iter().map(|f| f.slice))?;
        self.check_slices("stacks", torch.stacks.iter().map(|s| s.0))?;
        let kernels = torch.kernels.iter().flat_map(|k| [k.grid, k.block]);
        let collectives = torch.collectives.iter().flat_map(|c| [c.name, c.dtype, c.group, c.input_types]);
        let threads = torch.threads.iter().flat_map(|t| [t.pid, t.tid]);
        self.check_strings(kernels.chain(collectives).chain(threads).chain(torch.stacks.iter().map(|s| s.1)))?;
        let n_tracks = self.tracks.len();
        expect(torch.threads.is_sorted_by(|a, b| a.track < b.track), || "torch threads are not sorted, or twice there".into())?;
        expect(torch.threads.iter().all(|t| t.track.index() < n_tracks), || "a torch thread has no track".into())?;
        expect(torch.memory.iter().all(|m| m.track.index() < n_tracks), || "a memory event has no track".into())?;
        expect(torch.memory.is_sorted_by_key(|m| (m.time, m.record.offset())), || "memory events are not sorted".into())?;
        self.check_slices("operator inputs", torch.inputs.iter().map(|i| i.slice))?;
        self.check_strings(torch.inputs.iter().flat_map(|i| [i.types, i.concrete]))?;
        self.check_slices("replay work", torch.replays.work.iter().map(|w| w.0))?;
        self.check_slices("graph launches", torch.replays.launches.iter().map(|l| l.slice))?;
        let nodes = &torch.replays.nodes;
        expect(nodes.iter().all(|node| (node.slice as usize) < n), || "a replay node has no slice".into())?;
        let has_parent = |(i, node): (usize, &super::replays::ReplayNode)| node.parent().is_none_or(|p| (p as usize) < i);
        expect(nodes.iter().enumerate().all(has_parent), || "a replay node stands before its parent".into())?;
        expect(torch.replays.work.iter().all(|w| (w.1 as usize) < nodes.len()), || "replay work has no node".into())?;
        let in_range = |t: i64| self.meta.range.start.0 <= t && t <= self.meta.range.end.0;
        expect(torch.memory.iter().all(|m| in_range(m.time)), || "a memory event lies outside the profile".into())
    }

    fn check_snapshot(&self, snapshot: &super::MemorySnapshot) -> Result<(), String> {
        let n_stacks = snapshot.stack_ends.len() as u32;
        expect(snapshot.stack_ends.first() == Some(&0), || "stack 0 has frames".into())?;
        expect(snapshot.stack_ends.is_sorted(), || "stacks are not one after the other".into())?;
        expect(snapshot.stack_ends.last().is_none_or(|end| *end as usize == snapshot.stack_frames.len()), || {
            "stacks end elsewhere than their frames".into()
        })?;
        expect(snapshot.stack_frames.iter().all(|f| (*f as usize) < snapshot.frames.len()), || "a stack has an unknown frame".into())?;
        self.check_strings(snapshot.frames.iter().flat_map(|f| [f.name, f.file]))?;
        expect(snapshot.devices.is_sorted_by(|a, b| a.device < b.device), || "devices are not sorted, or twice there".into())?;
        for device in &snapshot.devices {
            let (n_states, all) = (device.allocated.len(), &device.allocations);
            expect(n_states > 0, || "a device has no state".into())?;
            expect(device.times.is_empty() || device.times.len() + 1 == n_states, || "times and states differ in number".into())?;
            expect(device.times.is_sorted(), || "times of events go back".into())?;
            let lengths = [all.address.len(), all.from.len(), all.to.len(), all.requested.len(), all.stream.len(), all.stack.len()];
            expect(lengths.iter().all(|l| *l == all.len()), || format!("columns of allocations differ in length: {lengths:?}"))?;
            expect(all.from.is_sorted(), || "allocations are not in the order of their events".into())?;
            expect(all.from.iter().zip(&all.to).all(|(from, to)| from < to && (*from as usize) < n_states), || {
                "an allocation ends before it begins".into()
            })?;
            expect(all.stack.iter().all(|s| *s < n_stacks), || "an allocation has an unknown stack".into())?;
            expect(all.extras.iter().all(|e| (e.0 as usize) < all.len()), || "a text belongs to no allocation".into())?;
            self.check_strings(all.extras.iter().flat_map(|e| [e.1, e.2]))?;
            expect(device.reserved.is_sorted_by_key(|r| r.0), || "reserved memory is not sorted".into())?;
            expect(device.ooms.iter().all(|o| (o.state as usize) < n_states && o.stack < n_stacks), || {
                "an OOM has an unknown state or stack".into()
            })?;
            let n_blocks = device.blocks.len() as u32;
            expect(
                device.segments.iter().all(|s| s.blocks.start <= s.blocks.end && s.blocks.end <= n_blocks && s.stack < n_stacks),
                || "a segment points beyond the blocks".into(),
            )?;
            expect(device.blocks.iter().all(|b| b.stack < n_stacks), || "a block has an unknown stack".into())?;
            let live: u64 = (0..all.len()).filter(|&i| all.is_live(i, n_states as u32 - 1)).map(|i| all.size[i]).sum();
            expect(device.allocated.last() == Some(&live), || "allocated bytes differ from the live allocations".into())?;
        }
        Ok(())
    }

    fn check_neuron_log(&self, log: &super::neuron_log::NeuronLog) -> Result<(), String> {
        expect(log.roles.len() == self.tracks.len(), || "the roles have another length than the tracks".into())?;
        expect(log.fused.is_sorted_by(|a, b| a.0 < b.0), || "fused slices are not sorted, or twice there".into())?;
        self.check_slices("fused", log.fused.iter().map(|f| f.0.0))?;
        self.check_strings(log.fused.iter().flat_map(|f| f.1.iter().copied()))
    }

    fn check_neuron_system(&self, system: &super::NeuronSystem) -> Result<(), String> {
        expect(system.rows.len() == self.tracks.len(), || "the rows have another length than the tracks".into())?;
        self.check_strings(system.rows.iter().flat_map(|r| [r.instance, r.process, r.thread, r.core]))?;
        self.check_slices("transfers", system.transfers.iter().map(|t| t.slice.0))?;
        self.check_slices("executions", system.executions.iter().map(|e| e.slice.0))?;
        self.check_slices("flows", system.flows.iter().map(|f| f.slice.0))?;
        self.check_strings(system.executions.iter().flat_map(|e| [e.model, e.profile]))?;
        self.check_strings(system.flows.iter().flat_map(|f| f.flows.iter().copied().chain([f.event])))
    }

    fn check_neuron_device(&self, device: &NeuronDevice) -> Result<(), String> {
        let n = self.slices.len();
        let columns =
            [&device.pc, &device.bytes, &device.wait_ns, &device.elements, &device.sbuf_bytes, &device.accesses, &device.end_distance];
        let lengths = columns.map(Column::len);
        expect(lengths.iter().all(|&l| l == n), || format!("device columns differ in length from the {n} slices: {lengths:?}"))?;
        expect(device.semaphores.is_sorted_by_key(|u| u.slice), || "semaphores are not sorted by slice".into())?;
        expect(device.semaphores.last().is_none_or(|u| (u.slice as usize) < n), || "a semaphore points beyond the slices".into())?;
        self.check_strings(device.semaphores.iter().flat_map(|u| [u.id, u.owner]))?;
        self.check_slices("shapes", device.shapes.iter().map(|s| s.slice))?;
        self.check_slices("collective operations", device.operations.iter().map(|o| o.slice))?;
        let is_sound = |t: &super::domain::Throttle| t.core.index() < self.tracks.len() && t.start < t.end;
        expect(device.throttles.iter().all(is_sound), || "a time of throttling has no core, or no length".into())?;
        expect(device.throttles.is_sorted_by_key(|t| t.start), || "times of throttling are not sorted".into())?;
        self.check_slices("HBM traffic", device.hbm.iter().map(|h| h.slice))?;
        self.check_slices("duplicates", device.duplicates.iter().copied())?;
        self.check_slices("unreported transfers", device.unreported.iter().copied())?;
        let is_set = |set: &u32| *set == NeuronDevice::ABSENT || (*set as usize) < device.access_sets.len();
        expect(device.accesses.iter().all(is_set), || "an instruction's accesses point beyond their table".into())?;
        expect(device.triggers.is_empty() || device.triggers.len() == n, || "the column of transfers has another length".into())?;
        expect(device.packets().all(|p| (p.instruction as usize) < n), || "a packet's instruction is beyond the slices".into())?;
        self.check_slices("transfers by instruction", device.transfers.iter().map(|t| t.instruction))?;
        self.check_slices("collective transfers", device.collective.iter().copied())
    }

    /// Slices of a sparse table: inside the slice table, ascending, each once.
    fn check_slices(&self, table: &str, slices: impl Iterator<Item = u32> + Clone) -> Result<(), String> {
        expect(slices.clone().is_sorted_by(|a, b| a < b), || format!("{table} are not sorted by slice, or a slice is twice there"))?;
        expect(slices.into_iter().all(|s| (s as usize) < self.slices.len()), || format!("{table} point beyond the slices"))
    }

    pub(super) fn check_strings(&self, mut ids: impl Iterator<Item = StrId>) -> Result<(), String> {
        let n_strings = self.strings.len() as u32;
        expect(ids.all(|id| id.0 < n_strings), || "a string id points beyond the table".into())
    }
}
