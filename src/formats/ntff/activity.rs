//! Times of engines and queues to the picosecond, under the names of the summary of the device JSON: rows of whole nanoseconds lose up to one at each
//! edge. Verified on both public runs: every time is equal to the picosecond.

use super::opcodes::ENGINES;
use crate::base::{for_each_chunk, for_each_of};
use crate::model::Cell;

/// The table of times of a trace: a row with one column for each metric, in picoseconds.
pub(super) const TABLE: &str = "exact_times";

/// Opcodes whose time has a rule of its own.
const EVENT_SEMAPHORE: u8 = 0xA0;
const ACTIVATE: u8 = 0x21;

/// Metrics of each engine, by its number in the file: time in which it ran, and sum of the durations of its instructions.
const OF_ENGINE: [(&str, &str); ENGINES.len()] = [
    ("tensor_engine_active_time", "tensor_engine_instruction_time"),
    ("scalar_engine_active_time", "scalar_engine_instruction_time"),
    ("gpsimd_engine_active_time", "gpsimd_engine_instruction_time"),
    ("vector_engine_active_time", "vector_engine_instruction_time"),
    ("sync_engine_active_time", "sync_engine_instruction_time"),
];

/// Metrics of each type of queue.
const OF_QUEUE: [&str; 3] = ["software_dynamic_dma_active_time", "hardware_dynamic_dma_active_time", "static_dma_active_time"];

/// The place of a type of queue, in the profiler's word, in [`Activity`].
pub(super) fn queue_place(queue_type: &str) -> usize {
    match queue_type {
        "software_dynamic" => 0,
        "hardware_dynamic" => 1,
        _ => 2,
    }
}

/// Spans on one clock, joined where they overlap.
#[derive(Debug, Clone, Default)]
struct Spans {
    all: Vec<(u64, u64)>,
    /// How many spans are joined at the latest, whichever order they came in.
    most: usize,
}

/// Spans that are not looked through: what overlaps among so few costs no memory.
const FEW: usize = 1 << 15;

impl Spans {
    /// Adds a span. Records come by their ends: then only the last spans can overlap it.
    fn add(&mut self, mut from: u64, to: u64) {
        if to <= from {
            return;
        }
        while let Some(last) = self.all.last().filter(|last| from <= last.1 && last.1 <= to) {
            from = from.min(last.0);
            self.all.pop();
        }
        match self.all.last() {
            Some(last) if last.0 <= from && to <= last.1 => (),
            _ => self.all.push((from, to)),
        }
        if self.all.len() >= self.most.max(FEW) {
            self.join();
            self.most = 2 * self.all.len();
        }
    }

    /// Sorts and joins all. Rings come one after the other, each by time: the union of many is a few long spans.
    fn join(&mut self) {
        self.all.sort();
        self.all.dedup_by(|next, last| {
            let is_near = next.0 <= last.1;
            last.1 = if is_near { last.1.max(next.1) } else { last.1 };
            is_near
        });
    }

    /// The union of several that are joined.
    fn union(mut all: Vec<Spans>) -> Spans {
        all.retain(|spans| !spans.all.is_empty());
        while all.len() > 1 {
            let pairs = all.chunks_mut(2).map(|pair| match pair {
                [one, other] => one.merged(other),
                rest => rest.first_mut().map(std::mem::take).unwrap_or_default(),
            });
            all = pairs.collect();
        }
        all.pop().unwrap_or_default()
    }

    /// The union of both, which are joined.
    fn merged(&self, other: &Spans) -> Spans {
        let (one, other, mut all) = (&self.all, &other.all, Vec::<(u64, u64)>::new());
        let (mut i, mut k) = (0, 0);
        for_each_chunk(one.len() + other.len(), &mut |part| {
            for _ in part {
                let is_one = other.get(k).is_none_or(|b| one.get(i).is_some_and(|a| a <= b));
                let (list, at) = if is_one { (one, &mut i) } else { (other, &mut k) };
                let span = list[*at];
                *at += 1;
                match all.last_mut() {
                    Some(last) if span.0 <= last.1 => last.1 = last.1.max(span.1),
                    _ => all.push(span),
                }
            }
        });
        Spans { all, most: 0 }
    }

    /// How long they take together; they are joined.
    fn length(&self) -> u64 {
        let mut length = 0u64;
        for_each_of(&self.all, |span| length = length.saturating_add(span.1 - span.0));
        length
    }
}

/// When the engines and queues of one core ran, picoseconds.
#[derive(Debug, Default)]
struct CoreActivity {
    engines: [Spans; ENGINES.len()],
    queues: [Spans; OF_QUEUE.len()],
}

/// When engines and queues ran, and sums of durations.
#[derive(Debug, Default)]
pub(super) struct Activity {
    cores: Vec<CoreActivity>,
    instruction_time: [u64; ENGINES.len()],
    activate_time: u64,
    packet_time: u64,
    n_instructions: u64,
    n_packets: u64,
}

impl Activity {
    fn core(&mut self, core: usize) -> &mut CoreActivity {
        if core >= self.cores.len() {
            self.cores.resize_with(core + 1, CoreActivity::default);
        }
        &mut self.cores[core]
    }

    /// Adds an execution. Waiting for a semaphore is no work.
    pub fn instruction(&mut self, core: usize, engine: usize, opcode: Option<u8>, (from, to): (u64, u64)) {
        let duration = to.saturating_sub(from);
        self.n_instructions += 1;
        if opcode == Some(EVENT_SEMAPHORE) {
            return;
        }
        if let Some(spans) = self.core(core).engines.get_mut(engine) {
            spans.add(from, to);
            self.instruction_time[engine] = self.instruction_time[engine].saturating_add(duration);
        }
        if opcode == Some(ACTIVATE) {
            self.activate_time = self.activate_time.saturating_add(duration);
        }
    }

    /// Adds a packet of a queue; `place` is that of its type.
    pub fn packet(&mut self, core: usize, place: usize, (from, to): (u64, u64)) {
        self.n_packets += 1;
        self.packet_time = self.packet_time.saturating_add(to.saturating_sub(from));
        if let Some(spans) = self.core(core).queues.get_mut(place) {
            spans.add(from, to);
        }
    }

    /// The row of the table: (metric, picoseconds).
    pub fn row(mut self) -> Vec<(&'static str, Cell)> {
        self.cores.iter_mut().flat_map(|core| core.engines.iter_mut().chain(&mut core.queues)).for_each(Spans::join);
        let mut take = |of: fn(&mut CoreActivity) -> &mut [Spans], at: usize| {
            Spans::union(self.cores.iter_mut().map(|core| std::mem::take(&mut of(core)[at])).collect())
        };
        let engines: Vec<Spans> = (0..OF_ENGINE.len()).map(|at| take(|core| &mut core.engines, at)).collect();
        let queues: Vec<Spans> = (0..OF_QUEUE.len()).map(|at| take(|core| &mut core.queues, at)).collect();
        let mut out = Vec::new();
        let mut add = |name, ps: u64| out.push((name, i64::try_from(ps).map_or(Cell::Absent, Cell::Int)));
        if self.n_instructions > 0 {
            for (at, (active, all)) in OF_ENGINE.iter().enumerate() {
                add(*active, engines[at].length());
                add(*all, self.instruction_time[at]);
            }
            add("activate_instruction_time", self.activate_time);
        }
        if self.n_packets > 0 {
            for (at, name) in OF_QUEUE.iter().enumerate() {
                add(*name, queues[at].length());
            }
        }
        let queues = Spans::union(queues);
        if self.n_packets > 0 {
            add("dma_active_time", queues.length());
            add("dma_packet_time", self.packet_time);
        }
        if self.n_instructions > 0 && self.n_packets > 0 {
            add("total_active_time", Spans::union(std::iter::once(queues).chain(engines).collect()).length());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_count_once_in_any_order() {
        let spans = |all: &[(u64, u64)]| {
            let mut out = Spans::default();
            all.iter().for_each(|s| out.add(s.0, s.1));
            out
        };
        let by_end = spans(&[(1, 3), (5, 6), (2, 7), (8, 8), (7, 9), (20, 30)]);
        assert_eq!(by_end.all, [(1, 9), (20, 30)]);
        assert_eq!(spans(&[(10, 30), (12, 20)]).all, [(10, 30)]);
        // Not by end: the union is the same.
        let mut by_start = spans(&[(10, 30), (1, 12), (40, 41), (0, 50)]);
        by_start.join();
        let short = |from: u64| spans(&[(from, from + 2)]);
        let length = |all: &[Spans]| Spans::union(all.to_vec()).length();
        assert_eq!(length(&[by_start.clone(), by_end.clone()]), 50);
        assert_eq!(length(&[short(60), by_end.clone(), short(61), Spans::default(), short(9)]), 23);
        assert_eq!(length(&[by_end, short(29), by_start]), 50);
        assert_eq!(length(&[]), 0);
        assert_eq!(length(&[spans(&[(0, u64::MAX)])]), u64::MAX);
    }

    #[test]
    fn waits_are_no_work() {
        let mut activity = Activity::default();
        activity.instruction(0, 3, Some(EVENT_SEMAPHORE), (0, 100));
        activity.instruction(1, 3, Some(ACTIVATE), (50, 70));
        activity.instruction(0, 3, None, (60, 80));
        activity.packet(0, queue_place("hardware_dynamic"), (75, 90));
        let row = activity.row();
        let of = |name: &str| row.iter().find(|r| r.0 == name).map(|r| r.1.clone());
        assert_eq!(of("vector_engine_active_time"), Some(Cell::Int(30)));
        assert_eq!(of("vector_engine_instruction_time"), Some(Cell::Int(40)));
        assert_eq!(of("activate_instruction_time"), Some(Cell::Int(20)));
        assert_eq!((of("dma_active_time"), of("hardware_dynamic_dma_active_time")), (Some(Cell::Int(15)), Some(Cell::Int(15))));
        assert_eq!(of("total_active_time"), Some(Cell::Int(40)));
        assert!(Activity::default().row().is_empty());
    }
}
