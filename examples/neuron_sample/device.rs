//! A device that runs instructions: each engine does one at a time, and waits for what it depends on.

/// Engines in the order of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Tensor,
    Scalar,
    Vector,
    GpSimd,
    Sync,
}

pub const ENGINES: [(Engine, &str); 5] = [
    (Engine::Tensor, "Tensor"),
    (Engine::Scalar, "Scalar"),
    (Engine::Vector, "Vector"),
    (Engine::GpSimd, "GpSimd"),
    (Engine::Sync, "Sync"),
];

/// Elements of one matrix tile: 128 × 128 × 128 multiplications, each with an addition.
pub const TILE: i64 = 128 * 128 * 128;

#[derive(Debug, Clone)]
pub struct Instruction {
    pub core: usize,
    pub engine: Engine,
    pub label: &'static str,
    pub opcode: &'static str,
    pub start: i64,
    pub duration: i64,
    pub wait: i64,
    pub pc: i64,
    pub kind: &'static str,
    pub layer: String,
    pub hlo: String,
    pub predecessors: Vec<usize>,
    pub elements: i64,
    pub hbm_read: i64,
    pub hbm_write: i64,
    /// Of these, saved for want of room in the State Buffer, or loaded again.
    pub spilled: i64,
    pub source: String,
}

#[derive(Debug, Clone)]
pub struct Transfer {
    pub core: usize,
    pub engine: usize,
    pub queue: usize,
    pub start: i64,
    pub duration: i64,
    pub bytes: i64,
    pub variable: String,
}

/// (core, semaphore, value, time).
pub type Update = (usize, usize, i64, i64);

/// Everything that happened.
pub struct Device {
    pub instructions: Vec<Instruction>,
    pub transfers: Vec<Transfer>,
    pub updates: Vec<Update>,
    pub pending: Vec<(usize, i64, i64)>,
    random: u64,
    core: usize,
    free: [i64; 5],
    pc: [i64; 5],
    values: [i64; 16],
    layer: String,
    hlo: String,
    source: String,
    n_pending: i64,
}

impl Device {
    pub fn new(seed: u64) -> Self {
        Device {
            instructions: Vec::new(),
            transfers: Vec::new(),
            updates: Vec::new(),
            pending: Vec::new(),
            random: seed,
            core: 0,
            free: [0; 5],
            pc: [0; 5],
            values: [0; 16],
            layer: String::new(),
            hlo: String::new(),
            source: String::new(),
            n_pending: 0,
        }
    }

    /// A number below `n`, the same in every run.
    pub fn below(&mut self, n: i64) -> i64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) as i64) % n.max(1)
    }

    /// What comes before a program: every engine starts up.
    pub fn begin(&mut self, core: usize, at: i64) {
        (self.core, self.free, self.pc, self.values) = (core, [at; 5], [0; 5], [0; 16]);
        self.place("", "");
        for (engine, _) in ENGINES {
            for opcode in ["WRITE", "NOP", "DRAIN"] {
                self.run(engine, opcode, 40, &[]);
            }
        }
    }

    /// What comes after: a barrier, and the engines stop.
    pub fn end(&mut self) {
        self.barrier();
        for (engine, _) in ENGINES {
            self.run(engine, "NOTIFY", 24, &[]);
        }
    }

    /// Where the next instructions come from.
    pub fn place(&mut self, layer: &str, hlo: &str) {
        (self.layer, self.hlo) = (layer.into(), hlo.into());
    }

    /// The line of source that the next instructions come from; empty where none is recorded.
    pub fn line(&mut self, source: &str) {
        self.source = source.into();
    }

    /// The instruction that ran last.
    pub fn last(&self) -> usize {
        self.instructions.len().saturating_sub(1)
    }

    /// Runs an instruction as soon as its engine is free and what it depends on is done.
    pub fn run(&mut self, engine: Engine, opcode: &'static str, ns: i64, after: &[usize]) -> usize {
        let slot = engine as usize;
        let of_core = after.iter().copied().filter(|&i| self.instructions.get(i).is_some_and(|p| p.core == self.core));
        let predecessors: Vec<usize> = of_core.collect();
        let ready = predecessors.iter().map(|&i| self.instructions[i].start + self.instructions[i].duration).max().unwrap_or(0);
        let free = self.free[slot];
        let start = free.max(ready) + 4 + self.below(9);
        let duration = ns + self.below(1 + ns / 12);
        self.instructions.push(Instruction {
            core: self.core,
            engine,
            label: if opcode == "MATMUL" { "TensorMatrix" } else { ENGINES[slot].1 },
            opcode,
            start,
            duration,
            wait: (ready - free).max(0),
            pc: self.pc[slot],
            kind: "REGULAR",
            layer: self.layer.clone(),
            hlo: self.hlo.clone(),
            predecessors,
            elements: 0,
            hbm_read: 0,
            hbm_write: 0,
            spilled: 0,
            source: self.source.clone(),
        });
        self.pc[slot] += 1;
        self.free[slot] = start + duration;
        self.signal(slot, start + duration);
        self.last()
    }

    /// Multiplies a tile.
    pub fn matmul(&mut self, ns: i64, kind: &'static str, after: &[usize]) -> usize {
        let i = self.run(Engine::Tensor, "MATMUL", ns, after);
        (self.instructions[i].kind, self.instructions[i].elements) = (kind, TILE);
        i
    }

    fn signal(&mut self, semaphore: usize, at: i64) {
        self.values[semaphore] += 1;
        // A real device tells of every change; a sample need not.
        if self.values[semaphore] % 2 == 0 {
            self.updates.push((self.core, semaphore, self.values[semaphore], at));
        }
    }

    /// Loads `bytes` on each of eight DMA engines. Returns an instruction that ends when all has arrived.
    pub fn load(&mut self, bytes: u32, name: &str) -> usize {
        self.transfer(Engine::Sync, 1, i64::from(bytes), name, true)
    }

    /// Saves `bytes` on each of eight DMA engines, or loads them again, and waits for it.
    pub fn spill(&mut self, bytes: u32, name: &str, is_reload: bool) -> usize {
        let trigger = self.instructions.len();
        let done = self.transfer(Engine::Sync, 1, i64::from(bytes), name, is_reload);
        self.instructions[trigger].spilled = 8 * i64::from(bytes);
        done
    }

    /// Stores the result.
    pub fn store(&mut self, bytes: u32) {
        self.transfer(Engine::GpSimd, 0, i64::from(bytes) / 8, "output", false);
    }

    fn transfer(&mut self, engine: Engine, queue: usize, bytes: i64, name: &str, is_load: bool) -> usize {
        let trigger = self.run(engine, "DMA_DIRECT2D", 70, &[self.last()]);
        let begin = self.instructions[trigger].start + 70;
        let total = bytes * 8;
        match is_load {
            true => self.instructions[trigger].hbm_read = total,
            false => self.instructions[trigger].hbm_write = total,
        }
        self.n_pending += 8;
        self.pending.push((self.core, self.n_pending, begin));
        let mut end = begin;
        for ring in 0..8 {
            let mut at = begin + 600 + self.below(60);
            for _ in 0..2 {
                // About 23 bytes a nanosecond on one engine.
                let duration = bytes / 2 / 23 + 20 + self.below(40);
                let (core, engine) = (self.core, 16 * self.core + ring);
                let variable = format!("{name}.w");
                self.transfers.push(Transfer { core, engine, queue, start: at, duration, bytes: bytes / 2, variable });
                at += duration - self.below(12);
            }
            end = end.max(at);
        }
        self.n_pending -= 8;
        self.pending.push((self.core, self.n_pending, end));
        self.signal(8 + queue, end);
        self.free[engine as usize] = self.free[engine as usize].max(begin);
        let wait = end - self.free[Engine::Sync as usize];
        self.run(Engine::Sync, "EVENT_SEMAPHORE", wait.max(20) + 20, &[trigger])
    }

    /// Every engine waits for the slowest.
    pub fn barrier(&mut self) {
        let latest = self.free.iter().copied().max().unwrap_or(0);
        for (engine, _) in ENGINES {
            let wait = latest - self.free[engine as usize];
            self.run(engine, "EVENT_SEMAPHORE", wait.max(0) + 25, &[]);
        }
    }
}
