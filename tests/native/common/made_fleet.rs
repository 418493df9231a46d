//! Made-up traces of a distributed training run: ranks in tensor-parallel groups of 4 and data-parallel groups across hosts, with planted faults.
//! The same options give the same bytes.
//!
//! A rank's device runs its kernels one after the other; a collective starts when the rank's device reaches it, and ends for all ranks of its group
//! at once: when the last of them arrived and the data has moved.

use std::fmt::Write as _;

/// Ranks of a tensor-parallel group.
pub const TENSOR: u32 = 4;
/// Ranks of a host.
pub const PER_HOST: u32 = 8;
const LAYERS: u64 = 3;
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
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// Ranks; a multiple of [`TENSOR`].
    pub n_ranks: u32,
    /// Steps of each.
    pub n_steps: u32,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Other seeds give other times.
    pub seed: u64,
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

    fn group_of(rank: u32) -> u32 {
        rank / TENSOR
    }

    /// Every step of every rank.
    #[allow(clippy::needless_range_loop, reason = "a rank is a place in several lists")]
    fn steps(&self) -> Vec<Vec<Step>> {
        let n = self.n_ranks as usize;
        let mut out: Vec<Vec<Step>> = vec![Vec::new(); n];
        let mut now = vec![1_000_000u64; n];
        for step in 0..u64::from(self.n_steps) {
            let mut of: Vec<Step> = vec![Step::default(); n];
            let mut host = vec![0u64; n];
            let mut device = vec![0u64; n];
            for rank in 0..n {
                let at = |what: u64| [rank as u64, step, what];
                let stall = if self.has(Fault::DataStall(rank as u32 / PER_HOST)) { 3_000_000 } else { 0 };
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
                for group in 0..self.n_ranks / TENSOR {
                    let ranks: Vec<usize> = (group * TENSOR..(group + 1) * TENSOR).map(|r| r as usize).collect();
                    let slow = if self.has(Fault::SlowLink(group)) { 5 } else { 2 };
                    let ns = about(150_000, self.seed, &[u64::from(group), step, layer, 2]) * slow / 2;
                    self.collective(&ranks, (format!("tp{group}"), seq, 8 << 20), ns, (&mut of, &mut host, &mut device));
                }
            }
            for part in 0..TENSOR.min(self.n_ranks) {
                let ranks: Vec<usize> = (part..self.n_ranks).step_by(TENSOR as usize).map(|r| r as usize).collect();
                let ns = about(500_000, self.seed, &[u64::from(part), step, 3]);
                self.collective(&ranks, (format!("dp{part}"), step as u32, 64 << 20), ns, (&mut of, &mut host, &mut device));
            }
            for rank in 0..n {
                of[rank].end = device[rank].max(host[rank]) + 20_000;
                now[rank] = of[rank].end + 5_000;
                out[rank].push(std::mem::take(&mut of[rank]));
            }
        }
        out
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
        format!("node{}_{}.rank{rank}.pt.trace.json", rank / PER_HOST, 1000 + rank)
    }

    fn json(&self, rank: u32, steps: &[Step]) -> String {
        let mut out = String::with_capacity(64 << 10);
        let (device, pid) = (rank % PER_HOST, 1000 + rank);
        let _ = writeln!(
            out,
            "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": {device}, \"name\": \"NVIDIA H100\", \"totalGlobalMem\": 84942979072, \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}}], \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {}}}, \"host_name\": \"node{}\", \"baseTimeNanoseconds\": {EPOCH}, \"traceEvents\": [",
            self.n_ranks,
            rank / PER_HOST
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
                &format!("ProfilerStep#{}", number + 10),
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
                        let size = if group.starts_with("tp") { TENSOR } else { self.n_ranks / TENSOR };
                        let about = format!(
                            "\"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"In msg nelems\": {0}, \"Out msg nelems\": {0}, \"Group size\": {size}, \"Process Group Name\": \"{group}\", \"Seq\": {seq}",
                            bytes / 2
                        );
                        slice(&mut out, "cpu_op", "record_param_comms", pid, pid, host, &format!("\"External id\": {id}, {about}"));
                        slice(&mut out, "cuda_runtime", "cudaLaunchKernelExC", pid, pid, (work.launch, work.launch + 5_000), &runtime);
                        let name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
                        slice(&mut out, "kernel", name, device, 7, (work.start, work.end), &format!("{on_device}, {about}"));
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
