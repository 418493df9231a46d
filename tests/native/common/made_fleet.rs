//! Synthetic traces of a distributed training run: ranks in tensor-parallel groups of 4 and data-parallel groups across hosts, with planted faults.
//! The same options give the same bytes.
//!
//! A rank's device runs its kernels one after the other; a collective starts when the rank's device reaches it, and ends for all ranks of its group
//! at once: when the last of them arrived and the data has moved.

use axonscope::analysis::fleet::merge;
use axonscope::model::fleet::{FleetRun, N_METRICS, PartCollective, PartOperator, RunPart, StepTimes, TraceMeta, bucket};
use std::fmt::Write as _;

const LAYERS: u64 = 3;
/// Number of the first step.
const FIRST_STEP: u32 = 10;
/// Steps with collectives in [`Fleet::summary`].
const SUMMARY_COLLECTIVE_STEPS: usize = 4;
const COLLECTIVE_KERNEL: &str = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
/// Wall clock of the first step, nanoseconds since 1970.
pub const EPOCH: i64 = 1_790_000_000_000_000_000;

/// Something wrong with the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Kernels of a rank take 1.25 × as long.
    SlowDevice(u32),
    /// Transfers of a tensor-parallel group take 2.5 × as long.
    SlowLink(u32),
    /// All ranks of a host wait 3 ms longer for data.
    DataStall(u32),
    /// A rank's host does 2 ms of other work before it launches.
    LateRank(u32),
}

impl Fault {
    /// As a run summary names it: (kind, subject).
    pub fn finding(self) -> (&'static str, String) {
        match self {
            Fault::SlowDevice(rank) => ("slow_device", format!("rank {rank}")),
            Fault::SlowLink(group) => ("slow_link", format!("group tp{group}")),
            Fault::DataStall(host) => ("data_stall", format!("host node{host}")),
            Fault::LateRank(rank) => ("slow_host", format!("rank {rank}")),
        }
    }
}

/// What to make.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// Ranks; a multiple of `tensor`.
    pub n_ranks: u32,
    /// Ranks of a tensor-parallel group.
    pub tensor: u32,
    /// Ranks of a host.
    pub per_host: u32,
    /// Steps of each.
    pub n_steps: u32,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Other seeds give other times.
    pub seed: u64,
}

impl Step {
    /// The categories of the overview: the device's work first, then what the host does meanwhile.
    fn times(&self) -> StepTimes {
        let of = |is_kernel: bool| {
            let like = self.work.iter().filter(|w| matches!(w.name, Name::Kernel(..)) == is_kernel);
            like.map(|w| (w.end - w.start) as i64).sum::<i64>()
        };
        let total = (self.end - self.start) as i64;
        let (kernel, communication, data) = (of(true), of(false), (self.data.1 - self.data.0) as i64);
        let host = self.late.map_or(0, |(from, to)| (to - from) as i64);
        let other = total - kernel - communication - data - host;
        StepTimes {
            total,
            categories: [kernel, 0, 0, communication, 0, data, host, other],
            idle: [total - kernel - communication, 0, 0, 0, 0],
        }
    }

    /// Adds the work to the sums of a part.
    fn add_to(&self, part: &mut RunPart, number: u32, has_collectives: bool) {
        for work in &self.work {
            let ns = (work.end - work.start) as i64;
            let mut add = |rows: fn(&mut RunPart) -> &mut Vec<PartOperator>, name: &str, host_self: i64| {
                let rows = rows(part);
                let at = rows.iter().position(|r| r.name == name).unwrap_or_else(|| {
                    rows.push(PartOperator { name: name.into(), ..PartOperator::default() });
                    rows.len() - 1
                });
                let row = &mut rows[at];
                (row.calls, row.host_self, row.device_self) = (row.calls + 1, row.host_self + host_self, row.device_self + ns);
            };
            match &work.name {
                Name::Kernel(op, kernel) => {
                    add(|p| &mut p.operators, op, 13_000);
                    add(|p| &mut p.kernels, kernel, 0);
                }
                Name::Collective(group, seq, bytes) => {
                    add(|p| &mut p.kernels, COLLECTIVE_KERNEL, 0);
                    if has_collectives {
                        part.collectives.push(PartCollective {
                            group: group.clone(),
                            op: "nccl:all_reduce".into(),
                            seq: *seq,
                            bytes: Some(*bytes),
                            step: Some(number),
                            start_ns: work.start as i64,
                            duration_ns: ns,
                        });
                    }
                }
            }
        }
    }
}

impl Default for Fleet {
    fn default() -> Self {
        Fleet { n_ranks: 32, tensor: 4, per_host: 8, n_steps: 4, faults: Vec::new(), seed: 0 }
    }
}

/// Numbers that look random, by what they are for.
fn noise(seed: u64, parts: &[u64]) -> u64 {
    let mix = |state: u64, part: &u64| {
        let mut x = (state ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    };
    parts.iter().fold(seed, mix)
}

/// `ns` within 1%.
fn about(ns: u64, seed: u64, parts: &[u64]) -> u64 {
    ns - ns / 100 + noise(seed, parts) % (ns / 50).max(1)
}

/// A kernel or a collective of one rank, with its launch on the host. Nanoseconds since the start of the run.
#[derive(Debug, Clone)]
struct Work {
    /// Operator and kernel, or the collective's group, number and bytes.
    name: Name,
    launch: u64,
    start: u64,
    end: u64,
}

#[derive(Debug, Clone)]
enum Name {
    Kernel(&'static str, &'static str),
    Collective(String, u32, u64),
}

/// One step of one rank.
#[derive(Debug, Clone, Default)]
struct Step {
    start: u64,
    end: u64,
    /// Waiting for data: (start, end).
    data: (u64, u64),
    /// Other work of the host.
    late: Option<(u64, u64)>,
    work: Vec<Work>,
}

impl Fleet {
    fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Every step of every rank.
    fn steps(&self) -> Vec<Vec<Step>> {
        let mut out: Vec<Vec<Step>> = vec![Vec::new(); self.n_ranks as usize];
        self.each_step(|_, steps| out.iter_mut().zip(steps).for_each(|(all, step)| all.push(step)));
        out
    }

    /// Calls `each` with the place of a step and that step of every rank.
    #[allow(clippy::needless_range_loop, reason = "a rank is a place in several lists")]
    fn each_step(&self, mut each: impl FnMut(usize, Vec<Step>)) {
        let n = self.n_ranks as usize;
        let mut now = vec![1_000_000u64; n];
        for step in 0..u64::from(self.n_steps) {
            let mut of: Vec<Step> = vec![Step::default(); n];
            let mut host = vec![0u64; n];
            let mut device = vec![0u64; n];
            for rank in 0..n {
                let at = |what: u64| [rank as u64, step, what];
                let stall = if self.has(Fault::DataStall(rank as u32 / self.per_host)) { 3_000_000 } else { 0 };
                let data = about(400_000, self.seed, &at(1)) + stall;
                of[rank].start = now[rank];
                of[rank].data = (now[rank] + 5_000, now[rank] + 5_000 + data);
                host[rank] = of[rank].data.1 + 10_000;
                if self.has(Fault::LateRank(rank as u32)) {
                    of[rank].late = Some((host[rank], host[rank] + 2_000_000));
                    host[rank] += 2_010_000;
                }
                device[rank] = host[rank];
            }
            for layer in 0..LAYERS {
                for rank in 0..n {
                    let slow = if self.has(Fault::SlowDevice(rank as u32)) { 5 } else { 4 };
                    for (op, kernel, ns) in
                        [("aten::mm", "sm90_gemm_bf16_128x256", 600_000), ("aten::gelu", "vectorized_gelu_kernel", 200_000)]
                    {
                        let ns = about(ns, self.seed, &[rank as u64, step, layer, ns]) * slow / 4;
                        let launch = host[rank] + 8_000;
                        host[rank] += 20_000;
                        let start = device[rank].max(launch + 9_000);
                        device[rank] = start + ns;
                        of[rank].work.push(Work { name: Name::Kernel(op, kernel), launch, start, end: start + ns });
                    }
                }
                let seq = (step * LAYERS + layer) as u32;
                for group in 0..self.n_ranks / self.tensor {
                    let ranks: Vec<usize> = (group * self.tensor..(group + 1) * self.tensor).map(|r| r as usize).collect();
                    let slow = if self.has(Fault::SlowLink(group)) { 5 } else { 2 };
                    let ns = about(150_000, self.seed, &[u64::from(group), step, layer, 2]) * slow / 2;
                    self.collective(&ranks, (format!("tp{group}"), seq, 8 << 20), ns, (&mut of, &mut host, &mut device));
                }
            }
            for part in 0..self.tensor.min(self.n_ranks) {
                let ranks: Vec<usize> = (part..self.n_ranks).step_by(self.tensor as usize).map(|r| r as usize).collect();
                let ns = about(500_000, self.seed, &[u64::from(part), step, 3]);
                self.collective(&ranks, (format!("dp{part}"), step as u32, 64 << 20), ns, (&mut of, &mut host, &mut device));
            }
            for rank in 0..n {
                of[rank].end = device[rank].max(host[rank]) + 20_000;
                now[rank] = of[rank].end + 5_000;
            }
            each(step as usize, of);
        }
    }

    /// The summary of the run, made without its traces: for runs that would be too large to write. Collectives are those of the first steps.
    pub fn summary(&self) -> FleetRun {
        let n_steps = self.n_steps as usize;
        let mut parts: Vec<RunPart> = (0..self.n_ranks).map(|rank| self.part(rank)).collect();
        let mut cells = vec![vec![0u16; n_steps * N_METRICS]; parts.len()];
        let mut totals = vec![StepTimes::default(); parts.len()];
        self.each_step(|at, steps| {
            for (rank, step) in steps.iter().enumerate() {
                let times = step.times();
                totals[rank].add(&times);
                times.metrics().iter().enumerate().for_each(|(metric, ns)| cells[rank][metric * n_steps + at] = bucket(*ns));
                step.add_to(&mut parts[rank], at as u32 + FIRST_STEP, at < SUMMARY_COLLECTIVE_STEPS);
            }
        });
        let (mut run, _) = merge(&parts);
        for trace in &mut run.traces {
            let rank = trace.meta.rank.unwrap_or(0) as usize;
            trace.steps = (0..self.n_steps).map(|at| at + FIRST_STEP).collect();
            (trace.cells, trace.totals) = (std::mem::take(&mut cells[rank]), totals[rank]);
        }
        run
    }

    fn part(&self, rank: u32) -> RunPart {
        let meta = TraceMeta {
            rank: Some(rank),
            host: format!("node{}", rank / self.per_host),
            name: format!("traces/{}", self.file_name(rank)),
            id: noise(self.seed, &[u64::from(rank), 99]),
            run: "traces".into(),
            n_ranks: Some(self.n_ranks),
            device: "NVIDIA H100".into(),
            devices: vec![rank % self.per_host],
            origin_epoch_ns: Some(EPOCH),
            ..TraceMeta::default()
        };
        RunPart { meta, ..RunPart::default() }
    }

    fn collective(
        &self,
        ranks: &[usize],
        (group, seq, bytes): (String, u32, u64),
        ns: u64,
        (of, host, device): (&mut [Step], &mut [u64], &mut [u64]),
    ) {
        let launches: Vec<u64> = ranks.iter().map(|&rank| host[rank] + 8_000).collect();
        let starts: Vec<u64> = ranks.iter().zip(&launches).map(|(&rank, launch)| device[rank].max(launch + 9_000)).collect();
        let end = starts.iter().max().copied().unwrap_or(0) + ns;
        for ((&rank, launch), start) in ranks.iter().zip(launches).zip(starts) {
            host[rank] += 20_000;
            device[rank] = end;
            of[rank].work.push(Work { name: Name::Collective(group.clone(), seq, bytes), launch, start, end });
        }
    }

    /// The traces, with their names: `node0_1000.rank0.pt.trace.json`, as JSON.
    pub fn traces(&self) -> Vec<(String, String)> {
        let all = self.steps();
        all.iter().enumerate().map(|(rank, steps)| (self.file_name(rank as u32), self.json(rank as u32, steps))).collect()
    }

    /// The file of a rank.
    pub fn file_name(&self, rank: u32) -> String {
        format!("node{}_{}.rank{rank}.pt.trace.json", rank / self.per_host, 1000 + rank)
    }

    fn json(&self, rank: u32, steps: &[Step]) -> String {
        let mut out = String::with_capacity(64 << 10);
        let (device, pid) = (rank % self.per_host, 1000 + rank);
        let _ = writeln!(
            out,
            "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": {device}, \"name\": \"NVIDIA H100\", \"totalGlobalMem\": 84942979072, \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}}], \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {}}}, \"host_name\": \"node{}\", \"baseTimeNanoseconds\": {EPOCH}, \"traceEvents\": [",
            self.n_ranks,
            rank / self.per_host
        );
        let mut id = 1u32;
        let slice = |out: &mut String, cat: &str, name: &str, pid: u32, tid: u32, (start, end): (u64, u64), args: &str| {
            let _ = writeln!(
                out,
                "{{\"ph\": \"X\", \"cat\": \"{cat}\", \"name\": \"{name}\", \"pid\": {pid}, \"tid\": {tid}, \"ts\": {}, \"dur\": {}, \"args\": {{{args}}}}},",
                micros(start),
                micros(end - start)
            );
        };
        for (number, step) in steps.iter().enumerate() {
            slice(
                &mut out,
                "user_annotation",
                &format!("ProfilerStep#{}", number as u32 + FIRST_STEP),
                pid,
                pid,
                (step.start, step.end),
                "\"External id\": 0",
            );
            let loader = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
            slice(&mut out, "user_annotation", loader, pid, pid, step.data, "\"External id\": 0");
            if let Some(late) = step.late {
                slice(&mut out, "cpu_op", "aten::item", pid, pid, late, "\"External id\": 0");
            }
            for work in &step.work {
                id += 1;
                let runtime = format!("\"External id\": {id}, \"cbid\": 211, \"correlation\": {id}");
                let on_device = format!("\"External id\": {id}, \"device\": {device}, \"stream\": 7, \"correlation\": {id}");
                let host = (work.launch - 6_000, work.launch + 7_000);
                match &work.name {
                    Name::Kernel(op, kernel) => {
                        let args = format!(
                            "\"External id\": {id}, \"Input Dims\": [[4096, 1024], [1024, 4096]], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]"
                        );
                        slice(&mut out, "cpu_op", op, pid, pid, host, &args);
                        slice(&mut out, "cuda_runtime", "cudaLaunchKernel", pid, pid, (work.launch, work.launch + 5_000), &runtime);
                        let args = format!(
                            "{on_device}, \"grid\": [132, 1, 1], \"block\": [128, 1, 1], \"blocks per SM\": 1, \"est. achieved occupancy %\": 50"
                        );
                        slice(&mut out, "kernel", kernel, device, 7, (work.start, work.end), &args);
                    }
                    Name::Collective(group, seq, bytes) => {
                        let size = if group.starts_with("tp") { self.tensor } else { self.n_ranks / self.tensor };
                        let about = format!(
                            "\"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"In msg nelems\": {0}, \"Out msg nelems\": {0}, \"Group size\": {size}, \"Process Group Name\": \"{group}\", \"Seq\": {seq}",
                            bytes / 2
                        );
                        slice(&mut out, "cpu_op", "record_param_comms", pid, pid, host, &format!("\"External id\": {id}, {about}"));
                        slice(&mut out, "cuda_runtime", "cudaLaunchKernelExC", pid, pid, (work.launch, work.launch + 5_000), &runtime);
                        slice(&mut out, "kernel", COLLECTIVE_KERNEL, device, 7, (work.start, work.end), &format!("{on_device}, {about}"));
                    }
                }
            }
        }
        let _ = writeln!(
            out,
            "{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {pid}, \"tid\": 0, \"ts\": 0, \"args\": {{\"name\": \"python\"}}}}\n]}}"
        );
        out
    }
}

fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}
