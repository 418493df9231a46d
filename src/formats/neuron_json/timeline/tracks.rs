//! Rows of a Neuron device's timeline: found or made, and named at the end.

use super::Timeline;
use crate::base::TrackId;
use crate::model::{TrackKind, TrackSpec};
use rustc_hash::FxHashMap;

/// Rows of an engine, top to bottom.
const ENGINES: [&str; 6] = ["Sync", "Tensor", "TensorMatrix", "Vector", "Scalar", "GpSimd"];
/// Places among a core's rows: errors, DMA, engines, then collectives, curves (see `curves`) and semaphores between them.
const DMA_SORT: i64 = 10;
const ENGINE_SORT: i64 = 20;
const SEMAPHORE_SORT: i64 = 33;

impl Timeline {
    pub(super) fn row(&mut self, core: usize, label: &str) -> TrackId {
        if let Some(&track) = self.cores[core].rows.get(label) {
            return track;
        }
        let sort = ENGINE_SORT + ENGINES.iter().position(|e| *e == label).unwrap_or(ENGINES.len()) as i64;
        let name = if label.is_empty() { "Unknown engine" } else { label };
        let parent = Some(self.cores[core].group);
        let track = self.builder.track(TrackSpec { parent, name: name.into(), kind: TrackKind::Engine, sort });
        self.cores[core].rows.insert(label.into(), track);
        track
    }

    pub(super) fn queue_row(&mut self, core: usize, queue: &str) -> TrackId {
        if let Some(&track) = self.cores[core].queues.get(queue) {
            return track;
        }
        let parent = Some(self.dma_row(core));
        let spec = TrackSpec { parent, name: format!("Q{queue}"), kind: TrackKind::Queue, sort: 0 };
        let track = self.builder.track(spec);
        self.cores[core].queues.insert(queue.into(), track);
        track
    }

    /// The row above the queues of a core.
    pub(super) fn dma_row(&mut self, core: usize) -> TrackId {
        if let Some(track) = self.cores[core].dma {
            return track;
        }
        let parent = Some(self.cores[core].group);
        let track = self.builder.track(TrackSpec { parent, name: "DMA".into(), kind: TrackKind::Group, sort: DMA_SORT });
        self.cores[core].dma = Some(track);
        track
    }

    pub(super) fn semaphore_row(&mut self, core: usize) -> TrackId {
        if let Some(track) = self.cores[core].semaphores {
            return track;
        }
        let parent = Some(self.cores[core].group);
        let track = self.builder.track(TrackSpec { parent, name: "Semaphores".into(), kind: TrackKind::Wait, sort: SEMAPHORE_SORT });
        self.cores[core].semaphores = Some(track);
        track
    }

    pub(super) fn name_cores(&mut self) {
        let only = (self.cores.len() == 1).then_some("Device");
        let mut n_on: FxHashMap<i64, u32> = FxHashMap::default();
        for nc in self.cores.iter().filter_map(|c| c.nc) {
            *n_on.entry(nc).or_default() += 1;
        }
        for (i, core) in self.cores.iter().enumerate() {
            let name = match core.nc {
                Some(nc) if n_on.get(&nc).is_some_and(|n| *n > 1) => format!("NC {nc} {}", core.subgraph),
                Some(nc) => format!("NC {nc}"),
                None if core.subgraph.is_empty() => only.unwrap_or("Unknown core").into(),
                None => core.subgraph.clone(),
            };
            let sort = core.nc.unwrap_or(i64::from(u32::MAX) + i as i64);
            let track = self.builder.track_mut(core.group);
            (track.name, track.sort) = (name, sort);
        }
    }

    pub(super) fn name_queues(&mut self) {
        for core in &self.cores {
            for (queue, track) in &core.queues {
                if let Some(name) = self.queue_names.of(&core.subgraph, queue) {
                    self.builder.track_mut(*track).name = format!("Q{queue} {name}");
                }
            }
        }
    }
}
