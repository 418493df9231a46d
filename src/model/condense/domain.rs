//! The typed part of a condensed profile.

use super::super::accesses::Moved;
use super::super::domain::Throttle;
use super::super::neuron_log::NeuronLog;
use super::super::replays::{ReplayNode, Replays};
use super::super::system::EventFlow;
use super::super::torch::{ABSENT, MemoryEvent};
use super::super::{Column, Domain, NeuronDevice, NeuronSystem, Torch};
use super::CondensedTables;
use crate::base::{SliceId, TimeNs};

impl CondensedTables<'_> {
    pub(super) fn domain(&self) -> Domain {
        match &self.whole.domain {
            Domain::Torch(torch) => Domain::Torch(Box::new(self.torch(torch))),
            Domain::NeuronDevice(device) => Domain::NeuronDevice(self.device(device)),
            Domain::NeuronLog(log) => Domain::NeuronLog(Box::new(self.log(log))),
            Domain::NeuronSystem(system) => Domain::NeuronSystem(Box::new(self.system(system))),
            // The others have no timeline of their own kind.
            Domain::Plain | Domain::Perfetto(_) | Domain::MemorySnapshot(_) | Domain::SupportReport(_) | Domain::Fleet(_) => Domain::Plain,
        }
    }

    fn ids(&self, all: &[u32]) -> Vec<u32> {
        all.iter().filter_map(|slice| self.slice(*slice)).collect()
    }

    /// Values that belong to the window in which their slice starts.
    fn amounts(&self, values: &Column<u32>) -> Column<u32> {
        if !values.is_recorded() || values.is_empty() {
            return self.column(values);
        }
        let all = values.as_slice();
        let value = |i: &u32| if self.starts_inside(*i) { all[*i as usize] } else { NeuronDevice::ABSENT };
        let selected: Vec<u32> = self.slices.iter().map(value).collect();
        Column::later(selected.len(), true, move || selected)
    }

    fn device(&self, device: &NeuronDevice) -> NeuronDevice {
        let throttle = |t: &Throttle| {
            let (start, end) = (self.time(t.start), self.time(t.end));
            (start < end).then_some(Throttle { start, end, ..*t })
        };
        let started = |slice: u32| self.starts_inside(slice);
        let mut operations = self.by_slice(&device.operations, |o| &mut o.slice);
        operations.iter_mut().filter(|o| !started(self.slices[o.slice as usize])).for_each(|o| o.bytes = None);
        let hbm: Vec<_> = device.hbm.iter().filter(|h| started(h.slice)).copied().collect();
        let trigger = |slice: &u32| device.trigger_of(*slice).and_then(|from| self.slice(from)).unwrap_or(NeuronDevice::ABSENT);
        let triggers = if device.triggers.is_empty() { Vec::new() } else { self.slices.iter().map(trigger).collect() };
        let moved = |t: &Moved| {
            let instruction = self.slice(t.instruction)?;
            Some(Moved { instruction, start: self.time(t.start), end: self.time(t.end), ..*t })
        };
        NeuronDevice {
            instance_type: device.instance_type.clone(),
            n_cores: device.n_cores,
            window_ns: device.window_ns,
            pc: self.column(&device.pc),
            bytes: self.amounts(&device.bytes),
            wait_ns: self.column(&device.wait_ns),
            elements: self.amounts(&device.elements),
            sbuf_bytes: self.amounts(&device.sbuf_bytes),
            hbm: self.by_slice(&hbm, |h| &mut h.slice),
            duplicates: self.ids(&device.duplicates),
            unreported: self.ids(&device.unreported),
            collective: self.ids(&device.collective),
            semaphores: self.by_slice(&device.semaphores, |s| &mut s.slice).into(),
            shapes: self.by_slice(&device.shapes, |s| &mut s.slice).into(),
            end_distance: self.column(&device.end_distance),
            accesses: self.column(&device.accesses),
            access_sets: device.access_sets.clone(),
            triggers,
            transfers: device.transfers.iter().filter_map(moved).collect(),
            executions: Default::default(),
            throttles: device.throttles.iter().filter_map(throttle).collect(),
            operations,
            // Counted over the run; the part in a window is not recorded.
            transposing: None,
            entire_has: Some(self.whole.has_transfers(device)),
        }
    }

    fn torch(&self, torch: &Torch) -> Torch {
        let memory = |m: &MemoryEvent| self.windows.holds(TimeNs(m.time)).then(|| MemoryEvent { time: self.time(m.time), ..*m });
        let holds = |time: i64| self.windows.holds(TimeNs(time));
        let backward = |(from, to): &(i64, i64)| (holds(*from) && holds(*to)).then(|| (self.time(*from), self.time(*to)));
        Torch {
            correlation: self.column(&torch.correlation),
            external_id: self.column(&torch.external_id),
            rank: torch.rank,
            has_text_thread_ids: torch.has_text_thread_ids,
            framework: torch.framework.clone(),
            devices: torch.devices.clone(),
            threads: torch.threads.clone(),
            kernels: self.by_slice(&torch.kernels, |k| &mut k.slice),
            memory: torch.memory.iter().filter_map(memory).collect(),
            collectives: self.by_slice(&torch.collectives, |c| &mut c.slice),
            functions: self.by_slice(&torch.functions, |f| &mut f.slice),
            stacks: self.by_slice(&torch.stacks, |s| &mut s.0),
            backward: torch.backward.iter().filter_map(backward).collect(),
            inputs: self.by_slice(&torch.inputs, |i| &mut i.slice),
            launch_kernels: self.by_slice(&torch.launch_kernels, |l| &mut l.0),
            replays: self.replays(&torch.replays),
        }
    }

    /// A node without its parent becomes a root.
    fn replays(&self, replays: &Replays) -> Replays {
        let mut place = vec![ABSENT; replays.nodes.len()];
        let mut nodes: Vec<ReplayNode> = Vec::new();
        for (at, node) in replays.nodes.iter().enumerate() {
            if let Some(slice) = self.slice(node.slice) {
                place[at] = nodes.len() as u32;
                let parent = node.parent().and_then(|p| place.get(p as usize).copied()).unwrap_or(ABSENT);
                nodes.push(ReplayNode { slice, parent, is_module: node.is_module });
            }
        }
        let node = |old: u32| place.get(old as usize).copied().filter(|new| *new != ABSENT);
        Replays {
            nodes,
            work: replays.work.iter().filter_map(|(slice, old)| Some((self.slice(*slice)?, node(*old)?))).collect(),
            launches: self.by_slice(&replays.launches, |l| &mut l.slice),
        }
    }

    fn log(&self, log: &NeuronLog) -> NeuronLog {
        NeuronLog { fused: self.by_slice(&log.fused, |f| &mut f.0.0), ..log.clone() }
    }

    fn system(&self, system: &NeuronSystem) -> NeuronSystem {
        let flow = |f: &EventFlow| Some(EventFlow { slice: SliceId(self.slice(f.slice.0)?), ..f.clone() });
        NeuronSystem {
            rows: system.rows.clone(),
            transfers: self.by_slice(&system.transfers, |t| &mut t.slice.0),
            executions: self.by_slice(&system.executions, |e| &mut e.slice.0),
            submits: self.by_slice(&system.submits, |s| &mut s.slice.0),
            flows: system.flows.iter().filter_map(flow).collect(),
            hbm_capacity: system.hbm_capacity,
            device_profiles: system.device_profiles.clone(),
            clock: system.clock,
        }
    }
}
